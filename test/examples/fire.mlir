// FIRE: a network of the distance, measured in logarithms and relative to the position of the query, adds a bias per head;
// causal.
//
//   S[b,h,r,j] = q[b,h,r] . k[b,h,j] / sqrt(D) + N(x)[h]  where  j <= r + past
//   o[b,h,r]   = sum_j softmax_j(S) v[b,h,j]
//   x = L(i - j) / (L(max(i, |cmu[1]|)) + 1e-6), L(t) = ln(1 + |cmu[0] t|), i = r + past
//   N(x) = w2 relu(w1 x + b1) + b2
//
//   %q     [B, H, N, D]   queries
//   %k     [B, H, M, D]   keys
//   %v     [B, H, M, Dv]  values
//   %cmu   [2]            the scale c, and the position mu L up to which the distance counts absolutely
//   %w1    [U, 1]         first layer, U = 32
//   %b1    [U]            its bias
//   %w2    [H, U]         second layer
//   %b2    [H]            its bias
//   %past  index          position of query row 0
//   %o     [B, H, N, Dv]  result; a row that sees no key is zero
//
// Li et al., Functional Interpolation for Relative Positions Improves Long Context Transformers, 2023.
// https://arxiv.org/abs/2310.04418
//
// Models: the paper's.

!x = tensor<?x8x?x64xf32>

func.func @attention(%q: !x, %k: !x, %v: !x, %cmu: tensor<2xf32>, %w1: tensor<32x1xf32>, %b1: tensor<32xf32>, %w2: tensor<8x32xf32>, %b2: tensor<8xf32>, %past: index) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      with(%cmu : tensor<2xf32>, %w1 : tensor<32x1xf32>, %b1 : tensor<32xf32>, %w2 : tensor<8x32xf32>, %b2 : tensor<8xf32>, %past : index)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.125 : f32
    %t = arith.mulf %s, %c : f32
    %i = arith.addi %r, %past : index
    %lag = arith.subi %i, %j : index
    %li = arith.index_cast %lag : index to i32
    %x = arith.sitofp %li : i32 to f32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %fc = posenc.lookup %cmu[%c0] : tensor<2xf32>
    %mul = posenc.lookup %cmu[%c1] : tensor<2xf32>
    %ii = arith.index_cast %i : index to i32
    %fi = arith.sitofp %ii : i32 to f32
    %thr = math.absf %mul : f32
    %norm = arith.maximumf %fi, %thr : f32
    %cx = arith.mulf %fc, %x : f32
    %cn = arith.mulf %fc, %norm : f32
    %acx = math.absf %cx : f32
    %acn = math.absf %cn : f32
    %num = math.log1p %acx : f32
    %den0 = math.log1p %acn : f32
    %eps = arith.constant 1.0e-6 : f32
    %den = arith.addf %den0, %eps : f32
    %ratio = arith.divf %num, %den : f32
    %bias = posenc.mlp relu(%ratio)[%h] layers(%w1 plus %b1, %w2 plus %b2) : tensor<32x1xf32>, tensor<32xf32>, tensor<8x32xf32>, tensor<8xf32>
    %z = arith.addf %t, %bias : f32
    %keep = arith.cmpi sle, %j, %i : index
    posenc.yield %z : f32 keep %keep
  } -> !x
  return %o : !x
}
