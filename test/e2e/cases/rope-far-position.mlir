// Far positions: 15962 is no bf16 number (the nearest is 15936, whose cosine is -0.27), and the angles of a whole row
// at 4095 need their frequencies in f32 or better. (1) One pair of frequency 1, turned by 15962 and by 0: the score is
// cos(15962). (2) The same as a rotation on its own. (3) 64 pairs (1, 1) at 4095: the score is twice the sum of the
// cosines.
//
// RUN: %run-targets %s --function=score --input=1x1x1x2xf32=1,0 --input=1x1x1x2xf32=1,0 \
// RUN:   --input=index=15962 --expected-output=1x1x1x2xf32=1,0 --expected-output=1x1x1xf32=-0.908015901
// RUN: %run-targets %s --function=rotate --input=1x1x1x2xf32=1,0 --input=index=15962 \
// RUN:   --expected-output=1x1x1x2xf32=-0.908015901,0.418935703
// RUN: %run-targets %s --function=wide --input=1x1x1x128xf32=1 --input=1x1x1x1xf32=1 --input=index=4095 \
// RUN:   --expected-output=1x1x1x1xf32=1 --expected-output=1x1x1xf32=-8.504783619807136

#rope = #posenc.rope<half, base = 10000.0>

func.func @score(%q: tensor<1x1x1x2xf32>, %k: tensor<1x1x1x2xf32>, %past: index) -> (tensor<1x1x1x2xf32>, tensor<1x1x1xf32>) {
  %o, %lse = posenc.attention q(%q : tensor<1x1x1x2xf32>) rotate #rope from(%past : index) k(%k : tensor<1x1x1x2xf32>) rotate #rope v(%k : tensor<1x1x1x2xf32>)
      score(%s, %b, %h, %r, %j) {
    posenc.yield %s : f32
  } -> (tensor<1x1x1x2xf32>, tensor<1x1x1xf32>)
  return %o, %lse : tensor<1x1x1x2xf32>, tensor<1x1x1xf32>
}

func.func @rotate(%x: tensor<1x1x1x2xf32>, %past: index) -> tensor<1x1x1x2xf32> {
  %r = posenc.rotate #rope from(%past : index) x(%x : tensor<1x1x1x2xf32>)
  return %r : tensor<1x1x1x2xf32>
}

func.func @wide(%x: tensor<1x1x1x128xf32>, %v: tensor<1x1x1x1xf32>, %past: index) -> (tensor<1x1x1x1xf32>, tensor<1x1x1xf32>) {
  %o, %lse = posenc.attention q(%x : tensor<1x1x1x128xf32>) rotate #rope from(%past : index) k(%x : tensor<1x1x1x128xf32>) rotate #rope v(%v : tensor<1x1x1x1xf32>)
      score(%s, %b, %h, %r, %j) {
    posenc.yield %s : f32
  } -> (tensor<1x1x1x1xf32>, tensor<1x1x1xf32>)
  return %o, %lse : tensor<1x1x1x1xf32>, tensor<1x1x1xf32>
}
