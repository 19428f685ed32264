// A T5 encoder whose table is the sum of two parts, which another function returns. The region's names are its own:
// `with` gives a name to a result that has none, and one value may have two.
//
//   S[b,h,r,j] = q[b,h,r] . k[b,h,j] + last[bucket(j - r), h] + last[bucket(j - r), h] + first[bucket(j - r), h]
//   o[b,h,r]   = sum_j softmax_j(S) v[b,h,j]
//   bucket: T5's, in both directions;  first, last: the halves of both
//
//   %q     [B, H, N, D]   queries
//   %k     [B, H, M, D]   keys
//   %v     [B, H, M, Dv]  values
//   %both  [P, H]         two tables, one behind the other: P = 64; H = 8
//   %o     [B, H, N, Dv]  result
//
// Raffel et al., Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer, 2020, section 2.1.
// https://arxiv.org/abs/1910.10683
//
// Models: T5, with another table.

!x = tensor<?x8x?x64xf32>

func.func @attention(%q: !x, %k: !x, %v: !x, %both: tensor<64x8xf32>) -> !x {
  %tables:2 = func.call @halves(%both) : (tensor<64x8xf32>) -> (tensor<32x8xf32>, tensor<32x8xf32>)
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      with(%table = %tables#1 : tensor<32x8xf32>, %again = %tables#1 : tensor<32x8xf32>, %first = %tables#0 : tensor<32x8xf32>)
      score(%s, %b, %h, %r, %j) {
    %d = arith.subi %j, %r : index
    %c = posenc.row #posenc.t5<32, 128, bidirectional>(%d)
    %b1 = posenc.lookup %table[%c, %h] : tensor<32x8xf32>
    %b2 = posenc.lookup %again[%c, %h] : tensor<32x8xf32>
    %b3 = posenc.lookup %first[%c, %h] : tensor<32x8xf32>
    %z1 = arith.addf %s, %b1 : f32
    %z2 = arith.addf %z1, %b2 : f32
    %z = arith.addf %z2, %b3 : f32
    posenc.yield %z : f32
  } -> !x
  return %o : !x
}

func.func private @halves(%both: tensor<64x8xf32>) -> (tensor<32x8xf32>, tensor<32x8xf32>) {
  %a = tensor.extract_slice %both[0, 0] [32, 8] [1, 1] : tensor<64x8xf32> to tensor<32x8xf32>
  %b = tensor.extract_slice %both[32, 0] [32, 8] [1, 1] : tensor<64x8xf32> to tensor<32x8xf32>
  func.return %a, %b : tensor<32x8xf32>, tensor<32x8xf32>
}
