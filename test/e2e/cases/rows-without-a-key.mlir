// A query that sees no key gives exactly zero and a log-sum-exp of -inf, and leaves its neighbours alone. (1) A mask
// whose row 1 is false. (2) A causal bound and padding in front that empty the first two rows together.
//
// RUN: %run-targets %s --function=masked --input="1x1x4x2xf32=[1 0][0 1][1 1][-1 0.5]" \
// RUN:   --input="1x1x4x2xf32=[0.5 1][1 -1][0 2][-1 0]" --input=1x1x4x1xf32=1,2,3,4 \
// RUN:   --input="4x4xi1=[1 0 1 1][0 0 0 0][1 1 1 1][0 1 0 0]" --expected-output=1x1x4x1xf32=2.02885288,0,2.27518915,2 \
// RUN:   --expected-output=1x1x4xf32=1.10413061,-inf,2.58313866,-1.5
// RUN: %run-targets %s --function=padded --input="1x1x4x2xf32=[1 0][0 1][1 1][-1 0.5]" \
// RUN:   --input="1x1x4x2xf32=[0.5 1][1 -1][0 2][-1 0]" --input=1x1x4x1xf32=1,2,3,4 --input=index=2 \
// RUN:   --expected-output=1x1x4x1xf32=0,0,3,3.5 --expected-output=1x1x4xf32=-inf,-inf,2,1.69314718

!x = tensor<1x1x4x2xf32>
!v = tensor<1x1x4x1xf32>
!l = tensor<1x1x4xf32>

func.func @masked(%q: !x, %k: !x, %v: !v, %mask: tensor<4x4xi1>) -> (!v, !l) {
  %o, %lse = posenc.attention q(%q : !x) k(%k : !x) v(%v : !v)
      with(%mask : tensor<4x4xi1>)
      score(%s, %b, %h, %r, %j) {
    %keep = posenc.lookup %mask[%r, %j] : tensor<4x4xi1>
    posenc.yield %s : f32 keep %keep
  } -> (!v, !l)
  return %o, %lse : !v, !l
}

func.func @padded(%q: !x, %k: !x, %v: !v, %start: index) -> (!v, !l) {
  %o, %lse = posenc.attention q(%q : !x) k(%k : !x) v(%v : !v)
      with(%start : index)
      score(%s, %b, %h, %r, %j) {
    %past = arith.cmpi sle, %j, %r : index
    %real = arith.cmpi sge, %j, %start : index
    %keep = arith.andi %past, %real : i1
    posenc.yield %s : f32 keep %keep
  } -> (!v, !l)
  return %o, %lse : !v, !l
}
