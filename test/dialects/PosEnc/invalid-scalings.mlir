// RUN: posenc-opt %s --split-input-file --verify-diagnostics

// rotate_c1: parameters of scalings without meaning, and rotations that they do
// not fit.

// expected-error @below {{rotate_c1: expected linear's factor to be positive}}
#linear = #posenc.linear<factor = 0.0>

// -----

// expected-error @below {{rotate_c1: expected ntk's factor to be positive}}
#ntk = #posenc.ntk<factor = -2.0>

// -----

// expected-error @below {{rotate_c1: expected dynamic_ntk's factor to be positive}}
#dynamic_ntk = #posenc.dynamic_ntk<factor = 0x7FF0000000000000, original = 2048>

// -----

// expected-error @below {{rotate_c1: expected dynamic_ntk's original context of at least 1 token, but got 0}}
#dynamic_ntk_original = #posenc.dynamic_ntk<factor = 2.0, original = 0>

// -----

// expected-error @below {{rotate_c1: expected llama3's low to be positive and below high}}
#llama3_bands = #posenc.llama3<factor = 8.0, low = 4.0, high = 4.0, original = 8192>

// -----

// expected-error @below {{rotate_c1: expected llama3's original context of at least 1 token, but got -1}}
#llama3_original = #posenc.llama3<factor = 8.0, low = 1.0, high = 4.0, original = -1>

// -----

// expected-error @below {{rotate_c1: expected proportional's fraction above 0 and at most 1}}
#proportional = #posenc.proportional<fraction = 1.5>

// -----

// expected-error @below {{rotate_c1: expected as many short as long factors, but got 2 and 1}}
#longrope = #posenc.longrope<short = [1.0, 1.05], long = [1.1], original = 4096, attention_factor = 1.19>

// -----

// expected-error @below {{rotate_c1: expected longrope's factors and attention_factor to be positive}}
#longrope_factor = #posenc.longrope<short = [1.0], long = [0.0], original = 4096, attention_factor = 1.19>

// -----

!x = tensor<2x8x4x64xf32>
func.func @rotate_c1_factors(%x: !x, %n: index) {
  // expected-error @below {{rotate_c1: the scaling is for 1 pairs, but 32 rotate}}
  %r = posenc.rotate #posenc.rope<half, base = 10000.0,
      scaling = #posenc.longrope<short = [1.0], long = [1.1], original = 4096, attention_factor = 1.19>>
      length(%n : index) x(%x : !x)
  return
}

// -----

!x = tensor<2x8x4x64xf32>
func.func @rotate_c1_length(%x: !x) {
  // expected-error @below {{rotate_c1: the scaling needs the length of the sequence}}
  %r = posenc.rotate #posenc.rope<half, base = 10000.0, scaling = #posenc.dynamic_ntk<factor = 2.0, original = 2048>>
      x(%x : !x)
  return
}

// -----

!x = tensor<2x8x4x64xf32>
func.func @rotate_c1_no_length(%x: !x, %n: index) {
  // expected-error @below {{rotate_c1: the scaling needs no length, but one is given}}
  %r = posenc.rotate #posenc.rope<half, base = 10000.0> length(%n : index) x(%x : !x)
  return
}

// -----

!x = tensor<2x8x4x64xf32>
func.func @rotate_c1_length_of_a_clause(%x: !x, %n: index) {
  // expected-error @below {{rotate_c1: the scaling needs no length, but one is given}}
  %r = posenc.attention q(%x : !x) k(%x : !x) rotate #posenc.rope<half, base = 10000.0> length(%n : index) v(%x : !x)
      score(%s, %b, %h, %i, %j) { posenc.yield %s : f32 } -> !x
  return
}

// -----

!x = tensor<2x8x4x64xf32>
func.func @length_takes_one(%x: !x, %n: index) {
  // expected-error @below {{'length' takes one operand}}
  %r = posenc.rotate #posenc.rope<half, base = 10000.0> length(%n : index, %n : index) x(%x : !x)
  return
}

// -----

// expected-error @below {{rotate_c1: expected sections of at least 1 pair whose sum fits in 63 bits}}
#sections_empty = #posenc.rope<half, base = 10000.0, sections = [16, 0]>

// -----

// expected-error @below {{rotate_c1: expected sections of at least 1 pair whose sum fits in 63 bits}}
#sections_overflow = #posenc.rope<half, base = 10000.0, sections = [9223372036854775807, 1]>

// -----

// expected-error @below {{rotate_c1: expected a section}}
#sections_none = #posenc.rope<half, base = 10000.0, sections = []>

// -----

// expected-error @below {{rotate_c1: the sections have 24 pairs together, but width = 32 has 16}}
#sections_width = #posenc.rope<half, base = 10000.0, width = 32, sections = [12, 12]>

// -----

// expected-error @below {{rotate_c1: cyclic and restart say how sections are dealt, but there are none}}
#cyclic = #posenc.rope<half, base = 10000.0, cyclic>

// -----

// expected-error @below {{'restart' is given twice}}
#restart_twice = #posenc.rope<half, base = 10000.0, sections = [16, 16], restart, restart>

// -----

// expected-error @below {{rotate_c1: restart changes the frequencies of a base, but there is none}}
#restart = #posenc.rope<half, sections = [16, 16], restart>

// -----

// expected-error @below {{rotate_c1: restart does not go with a scaling that needs the length}}
#restart_length = #posenc.rope<half, base = 10000.0, scaling = #posenc.dynamic_ntk<factor = 2.0, original = 64>, sections = [16, 16], restart>

// -----

!x = tensor<2x8x4x64xf32>
func.func @rotate_c1_sections(%x: !x, %ids: tensor<2x2x4xi64>) {
  // expected-error @below {{rotate_c1: the sections have 24 pairs together, but 32 rotate}}
  %r = posenc.rotate #posenc.rope<half, base = 10000.0, sections = [12, 12]> at(%ids : tensor<2x2x4xi64>) x(%x : !x)
  return
}

// -----

!x = tensor<2x8x4x64xf32>
func.func @rotate_c1_axes(%x: !x, %ids: tensor<3x2x4xi64>) {
  // expected-error @below {{rotate_c1: expected positions [2,B,L], one per section of the rope}}
  %r = posenc.rotate #posenc.rope<half, base = 10000.0, sections = [16, 16]> at(%ids : tensor<3x2x4xi64>) x(%x : !x)
  return
}

// -----

!x = tensor<2x8x4x64xf32>
func.func @rotate_c1_no_axes(%x: !x, %past: index) {
  // expected-error @below {{rotate_c1: expected positions [2,B,L], one per section of the rope}}
  %r = posenc.rotate #posenc.rope<half, base = 10000.0, sections = [16, 16]> from(%past : index) x(%x : !x)
  return
}

// -----

!x = tensor<2x8x4x64xf32>
func.func @rotate_c1_rows_of_axes(%x: !x, %ids: tensor<2x2x5xi64>) {
  // expected-error @below {{rotate_c1: expected positions [axes,B,L] or [axes,1,L] of rows}}
  %r = posenc.rotate #posenc.rope<half, base = 10000.0, sections = [16, 16]> at(%ids : tensor<2x2x5xi64>) x(%x : !x)
  return
}

// -----

!x = tensor<2x8x4x64xf32>
func.func @rotate_c1_axes_without_sections(%x: !x, %ids: tensor<2x2x4xi64>) {
  // expected-error @below {{rotate_c1: expected positions [B], or [B,L] or [1,L] of rows}}
  %r = posenc.rotate #posenc.rope<half, base = 10000.0> at(%ids : tensor<2x2x4xi64>) x(%x : !x)
  return
}
