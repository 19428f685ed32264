// Swin v2: attention inside windows of 8 x 8 tokens, cosine scores with a temperature per head, and a bias that a network
// computes from the row and the column between two tokens, in logarithms. Queries and keys come normalised.
//
//   S[b,h,r,j] = q[b,h,r] . k[b,h,j] temperature[h] + 16 sigmoid(N(rows[dr + 7], columns[dc + 7])[h])
//   o[b,h,r]   = sum_j softmax_j(S) v[b,h,j]
//   N(y, x) = w2 relu(w1 (y, x) + b1);   dr, dc: rows and columns between the tokens, query minus key
//
//   %q            [B, H, T, D]   queries, each of length 1: T = 64 tokens of a window, row by row
//   %k            [B, H, T, D]   keys, each of length 1
//   %v            [B, H, T, Dv]  values
//   %temperature  [H]            exp(min(tau, ln 100)) of the learned tau
//   %rows         [C]            sign(d) log2(1 + |d|) / 3 of d = 8 dr / 7, for dr from -7 to 7: C = 15
//   %columns      [Cother]       the same of the columns
//   %w1           [U, 2]         first layer, U = 512
//   %b1           [U]            its bias
//   %w2           [H, U]         second layer
//   %o            [B, H, T, Dv]  result
//
// Liu et al., Swin Transformer V2, 2021, sections 3.2 and 3.3. https://arxiv.org/abs/2111.09883
//
// Models: Swin v2.

!x = tensor<?x8x64x64xf32>
#other = #posenc.clip<-7, 7>

func.func @attention(%q: !x, %k: !x, %v: !x, %temperature: tensor<8xf32>, %rows: tensor<15xf32>, %columns: tensor<15xf32>, %w1: tensor<512x2xf32>, %b1: tensor<512xf32>, %w2: tensor<8x512xf32>) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      with(%temperature : tensor<8xf32>, %rows : tensor<15xf32>, %columns : tensor<15xf32>, %w1 : tensor<512x2xf32>, %b1 : tensor<512xf32>, %w2 : tensor<8x512xf32>)
      score(%s, %b, %h, %r, %j) {
    %tau = posenc.lookup %temperature[%h] : tensor<8xf32>
    %t = arith.mulf %s, %tau : f32
    %w = arith.constant 8 : index
    %ri = arith.divui %r, %w : index
    %rj = arith.divui %j, %w : index
    %ci = arith.remui %r, %w : index
    %cj = arith.remui %j, %w : index
    %dr = arith.subi %ri, %rj : index
    %dc = arith.subi %ci, %cj : index
    %kr = posenc.row #posenc.clip<-7, 7>(%dr)
    %kc = posenc.row #other(%dc)
    %x = posenc.lookup %rows[%kr] : tensor<15xf32>
    %y = posenc.lookup %columns[%kc] : tensor<15xf32>
    %net = posenc.mlp relu(%x, %y)[%h] layers(%w1 plus %b1, %w2) : tensor<512x2xf32>, tensor<512xf32>, tensor<8x512xf32>
    %n = arith.negf %net : f32
    %e = math.exp %n : f32
    %unit = arith.constant 1.0 : f32
    %e1 = arith.addf %unit, %e : f32
    %top = arith.constant 16.0 : f32
    %bias = arith.divf %top, %e1 : f32
    %z = arith.addf %t, %bias : f32
    posenc.yield %z : f32
  } -> !x
  return %o : !x
}
