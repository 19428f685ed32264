// Scores of -90000 and -90001: a running maximum that starts at some finite number above them loses both keys. Scores in
// units of log2 are 1/128 apart there, hence the tolerance.
//
// RUN: %run-targets %s --function=attention --input=1x1x1x1xf32=1 --input=1x1x2x1xf32=-90000,-90001 \
// RUN:   --input=1x1x2x1xf32=1,3 --expected-output=1x1x1x1xf32=1.53788284 --rtol=3e-3

!x = tensor<?x1x?x1xf32>

func.func @attention(%q: !x, %k: !x, %v: !x) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      score(%s, %b, %h, %r, %j) {
    posenc.yield %s : f32
  } -> !x
  return %o : !x
}
