// A cap on the scores comes before the mask: 2 tanh(s / 2) of a removed pair is not -2 but nothing. Scores 1 and 0,
// with both keys and without the second; the other order would give it a weight of 0.051. The values are unit vectors.
//
// RUN: %run-targets %s --function=attention --input=1x1x1x1xf32=1 --input=1x1x2x1xf32=1,0 \
// RUN:   --input="1x1x2x2xf32=[1 0][0 1]" --input=2xi1=1,1 --expected-output=1x1x1x2xf32=0.71590409,0.28409591
// RUN: %run-targets %s --function=attention --input=1x1x1x1xf32=1 --input=1x1x2x1xf32=1,0 \
// RUN:   --input="1x1x2x2xf32=[1 0][0 1]" --input=2xi1=1,0 --expected-output=1x1x1x2xf32=1,0

!x = tensor<?x1x?x1xf32>
!v = tensor<?x1x?x2xf32>

func.func @attention(%q: !x, %k: !x, %v: !v, %mask: tensor<?xi1>) -> !v {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !v)
      with(%mask : tensor<?xi1>)
      score(%s, %b, %h, %r, %j) {
    %cap = arith.constant 2.0 : f32
    %u = arith.divf %s, %cap : f32
    %y = math.tanh %u : f32
    %z = arith.mulf %y, %cap : f32
    %keep = posenc.lookup %mask[%j] : tensor<?xi1>
    posenc.yield %z : f32 keep %keep
  } -> !v
  return %o : !v
}
