// BEiT: Swin's bias on the whole image, 14 x 14 patches, with three rows more for the class token in front: it looks at
// a patch, a patch looks at it, it looks at itself.
//
//   S[b,h,r,j] = q[b,h,r] . k[b,h,j] / sqrt(D) + table[c, h]
//   o[b,h,r]   = sum_j softmax_j(S) v[b,h,j]
//   c = (dr + 13) 27 + dc + 13 for patches that are dr rows and dc columns apart, query minus key;
//   c = 729 for r = 0,  730 for j = 0,  731 for both
//
//   %q      [B, H, T, D]   queries: T = 197, the class token and the patches, row by row
//   %k      [B, H, T, D]   keys
//   %v      [B, H, T, Dv]  values
//   %table  [C, H]         bias: C = 27 * 27 + 3 = 732
//   %o      [B, H, T, Dv]  result
//
// Bao et al., BEiT, 2021. https://arxiv.org/abs/2106.08254
// Liu et al., Swin Transformer, 2021, section 3.2. https://arxiv.org/abs/2103.14030
//
// Models: BEiT, BEiT v2, data2vec-vision.

!x = tensor<?x8x197x64xf32>

func.func @attention(%q: !x, %k: !x, %v: !x, %table: tensor<732x8xf32>) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      with(%table : tensor<732x8xf32>)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.125 : f32
    %t = arith.mulf %s, %c : f32
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %pr = arith.subi %r, %one : index
    %pj = arith.subi %j, %one : index
    %patches = posenc.row #posenc.window<14, 14>(%pr, %pj)
    %from = arith.cmpi eq, %r, %zero : index
    %to = arith.cmpi eq, %j, %zero : index
    %itself = arith.andi %from, %to : i1
    %n3 = arith.constant 729 : index
    %n2 = arith.constant 730 : index
    %n1 = arith.constant 731 : index
    %c3 = arith.select %from, %n3, %patches : index
    %c2 = arith.select %to, %n2, %c3 : index
    %row = arith.select %itself, %n1, %c2 : index
    %bias = posenc.lookup %table[%row, %h] : tensor<732x8xf32>
    %z = arith.addf %t, %bias : f32
    posenc.yield %z : f32
  } -> !x
  return %o : !x
}
