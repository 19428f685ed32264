// XLNet, content stream: Transformer-XL's terms in both directions, and a learned vector for whether query and key
// belong to the same segment.
//
//   S[b,h,r,j] = ((q[b,h,r] + u[h]) . k[b,h,j] + (q[b,h,r] + v_bias[h]) . rel[h, r + mem - j + last]
//                 + (q[b,h,r] + w[h]) . seg_embed[h, g]) / sqrt(D),   g = 0 where qseg[b,r] = kseg[b,j], else 1
//   o[b,h,r]   = sum_j softmax_j(S) v[b,h,j]
//
//   %q          [B, H, N, D]   queries
//   %k          [B, H, M, D]   keys
//   %v          [B, H, M, Dv]  values
//   %u          [H, D]         what every query asks of the content
//   %v_bias     [H, D]         what every query asks of the position
//   %rel        [H, L, D]      projected sinusoids, by distance, farthest key ahead first: L >= last + mem + N
//   %mem        index          keys of the memory
//   %last       index          row of distance 0: at least M - 1 - mem
//   %w          [H, D]         what every query asks of the segment
//   %seg_embed  [H, 2, D]      vectors of the same and of another segment
//   %qseg       [B, N]         segment of each query
//   %kseg       [B, M]         segment of each key
//   %o          [B, H, N, Dv]  result
//
// Yang et al., XLNet, 2019, section 2.5. https://arxiv.org/abs/1906.08237
//
// Models: XLNet.

!x = tensor<?x8x?x64xf32>

func.func @attention(%q: !x, %k: !x, %v: !x, %u: tensor<8x64xf32>, %v_bias: tensor<8x64xf32>, %rel: tensor<8x?x64xf32>, %mem: index, %last: index, %w: tensor<8x64xf32>, %seg_embed: tensor<8x2x64xf32>, %qseg: tensor<?x?xi64>, %kseg: tensor<?x?xi64>) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      with(%q : !x, %k : !x, %u : tensor<8x64xf32>, %v_bias : tensor<8x64xf32>, %rel : tensor<8x?x64xf32>, %mem : index, %last : index, %w : tensor<8x64xf32>, %seg_embed : tensor<8x2x64xf32>, %qseg : tensor<?x?xi64>, %kseg : tensor<?x?xi64>)
      score(%s, %b, %h, %r, %j) {
    %i = arith.addi %r, %mem : index
    %lag = arith.subi %i, %j : index
    %row = arith.addi %lag, %last : index
    %uk = posenc.dot %u[%h], %k[%b, %h, %j] : tensor<8x64xf32>, !x
    %qr = posenc.dot %q[%b, %h, %r], %rel[%h, %row] : !x, tensor<8x?x64xf32>
    %vr = posenc.dot %v_bias[%h], %rel[%h, %row] : tensor<8x64xf32>, tensor<8x?x64xf32>
    %y0 = arith.addf %s, %uk : f32
    %y1 = arith.addf %y0, %qr : f32
    %y2 = arith.addf %y1, %vr : f32
    %si = posenc.lookup %qseg[%b, %r] : tensor<?x?xi64>
    %sj = posenc.lookup %kseg[%b, %j] : tensor<?x?xi64>
    %other = arith.cmpi ne, %si, %sj : index
    %seg = arith.index_castui %other : i1 to index
    %qe = posenc.dot %q[%b, %h, %r], %seg_embed[%h, %seg] : !x, tensor<8x2x64xf32>
    %we = posenc.dot %w[%h], %seg_embed[%h, %seg] : tensor<8x64xf32>, tensor<8x2x64xf32>
    %y3 = arith.addf %y2, %qe : f32
    %y4 = arith.addf %y3, %we : f32
    %c = arith.constant 0.125 : f32
    %z = arith.mulf %y4, %c : f32
    posenc.yield %z : f32
  } -> !x
  return %o : !x
}
