// Dynamic position bias: a network of the distance, in logarithms and with its sign, adds a bias per head; both directions.
//
//   S[b,h,r,j] = q[b,h,r] . k[b,h,j] / sqrt(D) + N(sign(r - j) ln(1 + |r - j|))[h]
//   o[b,h,r]   = sum_j softmax_j(S) v[b,h,j]
//   N(x) = w2 f(w1 f(w0 x + b0) + b1) + b2, f(x) = x / (1 + exp(-x))
//
//   %q   [B, H, N, D]   queries
//   %k   [B, H, M, D]   keys
//   %v   [B, H, M, Dv]  values
//   %w0  [U, 1]         first layer, U = 16
//   %b0  [U]            its bias
//   %w1  [U, U]         second layer
//   %b1  [U]            its bias
//   %w2  [H, U]         third layer
//   %b2  [H]            its bias
//   %o   [B, H, N, Dv]  result
//
// Wang et al., CrossFormer, 2021, section 3.3. https://arxiv.org/abs/2108.00154
// Wang, x-transformers, released code (logarithm, SiLU).
//
// Models: an option of x-transformers; CrossFormer has it in two dimensions.

!x = tensor<?x8x?x64xf32>

func.func @attention(%q: !x, %k: !x, %v: !x, %w0: tensor<16x1xf32>, %b0: tensor<16xf32>, %w1: tensor<16x16xf32>, %b1: tensor<16xf32>, %w2: tensor<8x16xf32>, %b2: tensor<8xf32>) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      with(%w0 : tensor<16x1xf32>, %b0 : tensor<16xf32>, %w1 : tensor<16x16xf32>, %b1 : tensor<16xf32>, %w2 : tensor<8x16xf32>, %b2 : tensor<8xf32>)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.125 : f32
    %t = arith.mulf %s, %c : f32
    %lag = arith.subi %r, %j : index
    %li = arith.index_cast %lag : index to i32
    %x = arith.sitofp %li : i32 to f32
    %ax = math.absf %x : f32
    %ln = math.log1p %ax : f32
    %y = math.copysign %ln, %x : f32
    %bias = posenc.mlp silu(%y)[%h] layers(%w0 plus %b0, %w1 plus %b1, %w2 plus %b2) : tensor<16x1xf32>, tensor<16xf32>, tensor<16x16xf32>, tensor<16xf32>, tensor<8x16xf32>, tensor<8xf32>
    %z = arith.addf %t, %bias : f32
    posenc.yield %z : f32
  } -> !x
  return %o : !x
}
