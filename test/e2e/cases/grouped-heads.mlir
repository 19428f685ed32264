// Four query heads on two key heads: heads 0 and 1 read key head 0, heads 2 and 3 read key head 1, not in turns; and %h
// is the query head. One key: the log-sum-exp is the bias of the head.
//
// RUN: %run-targets %s --function=attention --input=1x4x1x1xf32=0 --input=1x2x1x1xf32=0 \
// RUN:   --input=1x2x1x1xf32=10,20 --input=4xf32=1,2,3,4 --expected-output=1x4x1x1xf32=10,10,20,20 --expected-output=1x4x1xf32=1,2,3,4
// RUN: %run-targets %s --function=attention --input=1x4x1x1xf32=1,10,100,1000 --input=1x2x1x1xf32=1,2 \
// RUN:   --input=1x2x1x1xf32=10,20 --input=4xf32=0 --expected-output=1x4x1x1xf32=10,10,20,20 --expected-output=1x4x1xf32=1,10,200,2000

!x = tensor<?x4x?x1xf32>
!k = tensor<?x2x?x1xf32>

func.func @attention(%q: !x, %k: !k, %v: !k, %bias: tensor<4xf32>) -> (!x, tensor<?x4x?xf32>) {
  %o, %lse = posenc.attention q(%q : !x) k(%k : !k) v(%v : !k)
      with(%bias : tensor<4xf32>)
      score(%s, %b, %h, %r, %j) {
    %e = posenc.lookup %bias[%h] : tensor<4xf32>
    %z = arith.addf %s, %e : f32
    posenc.yield %z : f32
  } -> (!x, tensor<?x4x?xf32>)
  return %o, %lse : !x, tensor<?x4x?xf32>
}
