// Means of values near the largest float: equal scores of 200 values of 3e36 sum up to more than that, and so do weights
// that were made before the largest score was seen, if values are 1e30.
//
// RUN: %run-targets %s --function=attention --input=1x1x1x1xf32=0 --input=1x1x200x1xf32=1 --input=1x1x200x4xf32=3e36 \
// RUN:   --expected-output=1x1x1x4xf32=3e36
// RUN: %run-targets %s --function=rising --input=1x1x3x1xf32=1 --input=1x1x200x1xf32=1 --input=1x1x200x4xf32=1e30 \
// RUN:   --expected-output=1x1x3x4xf32=1e30 --rtol=3e-5

!x = tensor<?x1x?x1xf32>
!v = tensor<?x1x?x4xf32>

func.func @attention(%q: !x, %k: !x, %v: !v) -> !v {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !v) score(%s, %b, %h, %r, %j) {
    posenc.yield %s : f32
  } -> !v
  return %o : !v
}

func.func @rising(%q: !x, %k: !x, %v: !v) -> !v {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !v) score(%s, %b, %h, %r, %j) {
    %i = arith.index_cast %j : index to i32
    %x = arith.sitofp %i : i32 to f32
    %c = arith.constant 0.2 : f32
    %y = arith.mulf %x, %c : f32
    %z = arith.addf %s, %y : f32
    posenc.yield %z : f32
  } -> !v
  return %o : !v
}
