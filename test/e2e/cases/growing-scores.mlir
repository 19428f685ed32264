// Scores 1 2 3 0: the maximum moves from key to key, and an online softmax that starts it with NaN stays NaN. The same
// 105 lower: a maximum that starts with 0 loses all digits. The values are unit vectors, so that the result is the
// weights.
//
// RUN: %run-targets %s --function=attention --input=1x1x1x1xf32=1 --input=1x1x4x1xf32=1,2,3,0 \
// RUN:   --input="1x1x4x4xf32=[1 0 0 0][0 1 0 0][0 0 1 0][0 0 0 1]" \
// RUN:   --expected-output=1x1x1x4xf32=0.0871443187,0.236882818,0.64391426,0.0320586033
// RUN: %run-targets %s --function=attention --input=1x1x1x1xf32=1 --input=1x1x4x1xf32=-104,-103,-102,-105 \
// RUN:   --input="1x1x4x4xf32=[1 0 0 0][0 1 0 0][0 0 1 0][0 0 0 1]" \
// RUN:   --expected-output=1x1x1x4xf32=0.0871443187,0.236882818,0.64391426,0.0320586033

!x = tensor<?x1x?x1xf32>
!v = tensor<?x1x?x4xf32>

func.func @attention(%q: !x, %k: !x, %v: !v) -> !v {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !v)
      score(%s, %b, %h, %r, %j) {
    posenc.yield %s : f32
  } -> !v
  return %o : !v
}
