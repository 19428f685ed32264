// The sum of an infinite exponential is infinite, and so is its logarithm.
//
// RUN: %run-targets %s --function=softmax "--input=1x1x1x2xf32=inf 1" --expected-output= --expected-output=1x1x1xf32=inf
// RUN: %run-targets %s --function=softmax "--input=1x1x1x2xf32=-inf -inf" --expected-output=1x1x1x2xf32=0 \
// RUN:   --expected-output=1x1x1xf32=-inf

func.func @softmax(%s: tensor<1x1x1x2xf32>) -> (tensor<1x1x1x2xf32>, tensor<1x1x1xf32>) {
  %p, %l = posenc.softmax s(%s : tensor<1x1x1x2xf32>) lse : tensor<1x1x1xf32>
  return %p, %l : tensor<1x1x1x2xf32>, tensor<1x1x1xf32>
}
