// DeBERTa scales by the number of terms: 1/sqrt(64) for content alone, 1/sqrt(2 * 64) with one position term, 1/sqrt(3
// * 64) with both, and every term carries it. Rows of 64 ones: each term is 64.
//
// RUN: %run-targets %s --function=one --input=1x1x1x64xf32=1 --input=1x64xf32=1 --expected-output=1x1x1x64xf32=1 --expected-output=1x1x1xf32=8
// RUN: %run-targets %s --function=two --input=1x1x1x64xf32=1 --input=1x64xf32=1 --expected-output=1x1x1x64xf32=1 --expected-output=1x1x1xf32=11.313708499
// RUN: %run-targets %s --function=three --input=1x1x1x64xf32=1 --input=1x64xf32=1 --expected-output=1x1x1x64xf32=1 --expected-output=1x1x1xf32=13.85640646

!x = tensor<1x1x1x64xf32>
!l = tensor<1x1x1xf32>
!t = tensor<1x64xf32>

func.func @one(%x: !x, %rel: !t) -> (!x, !l) {
  %o, %lse = posenc.attention q(%x : !x) k(%x : !x) v(%x : !x)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.125 : f32
    %z = arith.mulf %s, %c : f32
    posenc.yield %z : f32
  } -> (!x, !l)
  return %o, %lse : !x, !l
}

func.func @two(%x: !x, %rel: !t) -> (!x, !l) {
  %o, %lse = posenc.attention q(%x : !x) k(%x : !x) v(%x : !x)
      with(%x : !x, %rel : !t)
      score(%s, %b, %h, %r, %j) {
    %c2p = posenc.dot %x[%b, %h, %r], %rel[%j] : !x, !t
    %y = arith.addf %s, %c2p : f32
    %c = arith.constant 0.0883883476 : f32
    %z = arith.mulf %y, %c : f32
    posenc.yield %z : f32
  } -> (!x, !l)
  return %o, %lse : !x, !l
}

func.func @three(%x: !x, %rel: !t) -> (!x, !l) {
  %o, %lse = posenc.attention q(%x : !x) k(%x : !x) v(%x : !x)
      with(%x : !x, %rel : !t)
      score(%s, %b, %h, %r, %j) {
    %c2p = posenc.dot %x[%b, %h, %r], %rel[%j] : !x, !t
    %p2c = posenc.dot %x[%b, %h, %j], %rel[%r] : !x, !t
    %y0 = arith.addf %s, %c2p : f32
    %y = arith.addf %y0, %p2c : f32
    %c = arith.constant 0.0721687836 : f32
    %z = arith.mulf %y, %c : f32
    posenc.yield %z : f32
  } -> (!x, !l)
  return %o, %lse : !x, !l
}
