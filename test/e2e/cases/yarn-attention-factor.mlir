// YaRN multiplies cos and sin by an attention factor: 0.1 log(factor) + 1, or what is given, which is then the final
// value and no multiplier. It is in q and in k, so that a score carries its square. Both rows are (1, 0) at position 0.
//
// RUN: %run-targets %s --function=from_128 --input=1x1x1x2xf32=1,0 --expected-output=1x1x1x2xf32=1,0 --expected-output=1x1x1xf32=2.20582803
// RUN: %run-targets %s --function=from_64 --input=1x1x1x2xf32=1,0 --expected-output=1x1x1x2xf32=1,0 --expected-output=1x1x1xf32=2.0047397
// RUN: %run-targets %s --function=given_as_from_128 --input=1x1x1x2xf32=1,0 --expected-output=1x1x1x2xf32=1,0 --expected-output=1x1x1xf32=2.20582803
// RUN: %run-targets %s --function=given_as_one --input=1x1x1x2xf32=1,0 --expected-output=1x1x1x2xf32=1,0 --expected-output=1x1x1xf32=1

!x = tensor<1x1x1x2xf32>
!l = tensor<1x1x1xf32>

func.func @from_128(%x: !x) -> (!x, !l) {
  %o, %lse = posenc.attention q(%x : !x) rotate #posenc.rope<half, base = 10000.0, scaling = #posenc.yarn<factor = 128.0, original = 4096>> k(%x : !x) rotate #posenc.rope<half, base = 10000.0, scaling = #posenc.yarn<factor = 128.0, original = 4096>> v(%x : !x)
      score(%s, %b, %h, %r, %j) {
    posenc.yield %s : f32
  } -> (!x, !l)
  return %o, %lse : !x, !l
}

func.func @from_64(%x: !x) -> (!x, !l) {
  %o, %lse = posenc.attention q(%x : !x) rotate #posenc.rope<half, base = 10000.0, scaling = #posenc.yarn<factor = 64.0, original = 4096>> k(%x : !x) rotate #posenc.rope<half, base = 10000.0, scaling = #posenc.yarn<factor = 64.0, original = 4096>> v(%x : !x)
      score(%s, %b, %h, %r, %j) {
    posenc.yield %s : f32
  } -> (!x, !l)
  return %o, %lse : !x, !l
}

func.func @given_as_from_128(%x: !x) -> (!x, !l) {
  %o, %lse = posenc.attention q(%x : !x) rotate #posenc.rope<half, base = 10000.0, scaling = #posenc.yarn<factor = 128.0, original = 4096, attention_factor = 1.4852030263919618>> k(%x : !x) rotate #posenc.rope<half, base = 10000.0, scaling = #posenc.yarn<factor = 128.0, original = 4096, attention_factor = 1.4852030263919618>> v(%x : !x)
      score(%s, %b, %h, %r, %j) {
    posenc.yield %s : f32
  } -> (!x, !l)
  return %o, %lse : !x, !l
}

func.func @given_as_one(%x: !x) -> (!x, !l) {
  %o, %lse = posenc.attention q(%x : !x) rotate #posenc.rope<half, base = 10000.0, scaling = #posenc.yarn<factor = 64.0, original = 4096, attention_factor = 1.0>> k(%x : !x) rotate #posenc.rope<half, base = 10000.0, scaling = #posenc.yarn<factor = 64.0, original = 4096, attention_factor = 1.0>> v(%x : !x)
      score(%s, %b, %h, %r, %j) {
    posenc.yield %s : f32
  } -> (!x, !l)
  return %o, %lse : !x, !l
}
