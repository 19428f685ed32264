// A scale of 0 or below: removed pairs stay removed, where a mask added before the scale turns into 0 * -inf = NaN or
// -1 * -inf = +inf. Causal, values 0 1 2. (1) Scale 0: means. (2) Scale -1, scores 1 2 3, key 1 masked: softmax of the
// negated scores.
//
// RUN: %run-targets %s --function=zero --input=1x1x3x1xf32=1 --input=1x1x3x1xf32=1,2,3 \
// RUN:   --input=1x1x3x1xf32=0,1,2 --input=3xi1=1 --expected-output=1x1x3x1xf32=0,0.5,1
// RUN: %run-targets %s --function=negative --input=1x1x3x1xf32=1 --input=1x1x3x1xf32=1,2,3 \
// RUN:   --input=1x1x3x1xf32=0,1,2 --input=3xi1=1,0,1 --expected-output=1x1x3x1xf32=0,0,0.238405844

!x = tensor<?x1x?x1xf32>

func.func @zero(%q: !x, %k: !x, %v: !x, %mask: tensor<?xi1>) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      with(%mask : tensor<?xi1>)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.0 : f32
    %z = arith.mulf %s, %c : f32
    %past = arith.cmpi sle, %j, %r : index
    %real = posenc.lookup %mask[%j] : tensor<?xi1>
    %keep = arith.andi %past, %real : i1
    posenc.yield %z : f32 keep %keep
  } -> !x
  return %o : !x
}

func.func @negative(%q: !x, %k: !x, %v: !x, %mask: tensor<?xi1>) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      with(%mask : tensor<?xi1>)
      score(%s, %b, %h, %r, %j) {
    %c = arith.constant -1.0 : f32
    %z = arith.mulf %s, %c : f32
    %past = arith.cmpi sle, %j, %r : index
    %real = posenc.lookup %mask[%j] : tensor<?xi1>
    %keep = arith.andi %past, %real : i1
    posenc.yield %z : f32 keep %keep
  } -> !x
  return %o : !x
}
