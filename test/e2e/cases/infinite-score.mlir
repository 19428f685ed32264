// The sum of an infinite exponential is infinite, and so is its logarithm.
//
// RUN: %run-targets %s --function=softmax "--input=1x1x1x2xf32=inf 1" --expected-output= --expected-output=1x1x1xf32=inf
// RUN: %run-targets %s --function=softmax "--input=1x1x1x2xf32=-inf -inf" --expected-output=1x1x1x2xf32=0 \
// RUN:   --expected-output=1x1x1xf32=-inf
// RUN: %run-targets %s --function=attention --input=1x1x3x1xf32=1 --input=1x1x2x1xf32=1 --input=1x1x2x1xf32=1 \
// RUN:   "--input=3xf32=inf -inf 2" --expected-output= "--expected-output=1x1x3xf32=inf -inf 3.69314718"

func.func @softmax(%s: tensor<1x1x1x2xf32>) -> (tensor<1x1x1x2xf32>, tensor<1x1x1xf32>) {
  %p, %l = posenc.softmax s(%s : tensor<1x1x1x2xf32>) lse : tensor<1x1x1xf32>
  return %p, %l : tensor<1x1x1x2xf32>, tensor<1x1x1xf32>
}

!x = tensor<?x1x?x1xf32>

func.func @attention(%q: !x, %k: !x, %v: !x, %bias: tensor<?xf32>) -> (!x, tensor<?x1x?xf32>) {
  %o, %lse = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x) with(%bias : tensor<?xf32>) score(%s, %b, %h, %r, %j) {
    %x = posenc.lookup %bias[%r] : tensor<?xf32>
    %z = arith.addf %s, %x : f32
    posenc.yield %z : f32
  } -> (!x, tensor<?x1x?xf32>)
  return %o, %lse : !x, tensor<?x1x?xf32>
}
