// A decoder with a cache gives one query and five keys. The query stands at position 4, so its buckets are 4 3 2 1 0;
// whoever takes it for row 0 gets bucket 0 throughout and the mean, 2. The step is the last row of the whole sequence.
//
// RUN: %run-targets %s --function=decoder --input=1x1x1x1xf32=0 --input=1x1x5x1xf32=0 \
// RUN:   --input=1x1x5x1xf32=0,1,2,3,4 --input=32x1xf32=0,0.5,1,1.5,2,2.5,3,3.5,4,4.5,5,5.5,6,6.5,7,7.5,8,8.5,9,9.5,10,10.5,11,11.5,12,12.5,13,13.5,14,14.5,15,15.5 \
// RUN:   --input=index=4 --expected-output=1x1x1x1xf32=1.09436663
// RUN: %run-targets %s --function=decoder --input=1x1x5x1xf32=0 --input=1x1x5x1xf32=0 \
// RUN:   --input=1x1x5x1xf32=0,1,2,3,4 --input=32x1xf32=0,0.5,1,1.5,2,2.5,3,3.5,4,4.5,5,5.5,6,6.5,7,7.5,8,8.5,9,9.5,10,10.5,11,11.5,12,12.5,13,13.5,14,14.5,15,15.5 \
// RUN:   --input=index=0 --expected-output=1x1x5x1xf32=0,0.377540669,0.679843332,0.915423512,1.09436663
// RUN: %run-targets %s --function=static_decoder --input=1x1x1x1xf32=0 --input=1x1x5x1xf32=0 \
// RUN:   --input=1x1x5x1xf32=0,1,2,3,4 --input=32x1xf32=0,0.5,1,1.5,2,2.5,3,3.5,4,4.5,5,5.5,6,6.5,7,7.5,8,8.5,9,9.5,10,10.5,11,11.5,12,12.5,13,13.5,14,14.5,15,15.5 \
// RUN:   --expected-output=1x1x1x1xf32=1.09436663

!x = tensor<?x1x?x1xf32>

func.func @decoder(%q: !x, %k: !x, %v: !x, %table: tensor<32x1xf32>, %past: index) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      with(%table : tensor<32x1xf32>, %past : index)
      score(%s, %b, %h, %r, %j) {
    %i = arith.addi %r, %past : index
    %d = arith.subi %j, %i : index
    %c = posenc.row #posenc.t5<32, 128, causal>(%d)
    %bias = posenc.lookup %table[%c, %h] : tensor<32x1xf32>
    %z = arith.addf %s, %bias : f32
    %keep = arith.cmpi sle, %j, %i : index
    posenc.yield %z : f32 keep %keep
  } -> !x
  return %o : !x
}

!q = tensor<1x1x1x1xf32>
!k = tensor<1x1x5x1xf32>

func.func @static_decoder(%q: !q, %k: !k, %v: !k, %table: tensor<32x1xf32>) -> !q {
  %past = arith.constant 4 : index
  %o = posenc.attention q(%q : !q) k(%k : !k) v(%v : !k)
      with(%table : tensor<32x1xf32>, %past : index)
      score(%s, %b, %h, %r, %j) {
    %i = arith.addi %r, %past : index
    %d = arith.subi %j, %i : index
    %c = posenc.row #posenc.t5<32, 128, causal>(%d)
    %bias = posenc.lookup %table[%c, %h] : tensor<32x1xf32>
    %z = arith.addf %s, %bias : f32
    %keep = arith.cmpi sle, %j, %i : index
    posenc.yield %z : f32 keep %keep
  } -> !q
  return %o : !q
}
