// DeBERTa's position-to-content term: the paper writes the distance one way, every released model computes the other,
// row clip(i - j, -2, 1) + 2 for both terms. Rows [2 1 0] [3 2 1] [3 3 2]; with the paper's sign the result would be
// 1.203336 1.435946 1.435946. Once by clipping, once by log buckets whose exact range reaches as far.
//
// RUN: %run-targets %s --function=clipped --input=1x1x3x1xf32=0 --input=1x1x3x1xf32=1 \
// RUN:   --input=1x1x3x1xf32=0,1,2 --input=4x1xf32=0,1,2,3 --expected-output=1x1x3x1xf32=0.5640539,0.5640539,0.796663722
// RUN: %run-targets %s --function=bucketed --input=1x1x3x1xf32=0 --input=1x1x3x1xf32=1 \
// RUN:   --input=1x1x3x1xf32=0,1,2 --input=4x1xf32=0,1,2,3 --expected-output=1x1x3x1xf32=0.5640539,0.5640539,0.796663722

!x = tensor<1x1x3x1xf32>

func.func @clipped(%q: !x, %k: !x, %v: !x, %qr: tensor<4x1xf32>) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      with(%k : !x, %qr : tensor<4x1xf32>)
      score(%s, %b, %h, %r, %j) {
    %lag = arith.subi %r, %j : index
    %row = posenc.row #posenc.clip<-2, 1>(%lag)
    %p2c = posenc.dot %k[%b, %h, %j], %qr[%row] : !x, tensor<4x1xf32>
    %y = arith.addf %s, %p2c : f32
    %c = arith.constant 0.70710678 : f32
    %z = arith.mulf %y, %c : f32
    posenc.yield %z : f32
  } -> !x
  return %o : !x
}

func.func @bucketed(%q: !x, %k: !x, %v: !x, %qr: tensor<4x1xf32>) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      with(%k : !x, %qr : tensor<4x1xf32>)
      score(%s, %b, %h, %r, %j) {
    %lag = arith.subi %r, %j : index
    %row = posenc.row #posenc.deberta<buckets = 4, max_position = 8, span = 2>(%lag)
    %p2c = posenc.dot %k[%b, %h, %j], %qr[%row] : !x, tensor<4x1xf32>
    %y = arith.addf %s, %p2c : f32
    %c = arith.constant 0.70710678 : f32
    %z = arith.mulf %y, %c : f32
    posenc.yield %z : f32
  } -> !x
  return %o : !x
}
