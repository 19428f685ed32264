// RUN: posenc-opt %s --split-input-file --verify-diagnostics

// The layout has no default: checkpoints use either.
// expected-error @below {{expected one of [half, interleaved] for which channels form a pair, got: base}}
#layout = #posenc.rope<base = 10000.0>

// -----

// expected-error @below {{unknown key 'theta': expected base, start, width, scaling, sections, cyclic, restart or xpos}}
#key = #posenc.rope<half, theta = 10000.0>

// -----

// expected-error @below {{'base' is given twice}}
#twice = #posenc.rope<half, base = 10000.0, base = 500.0>

// -----

// expected-error @below {{rotate_c1: expected start >= 0 and an even width, but got start = 0, width = 7}}
#rotate_c1_odd = #posenc.rope<half, base = 10000.0, width = 7>

// -----

// expected-error @below {{rotate_c1: expected a positive width}}
#rotate_c1_zero = #posenc.rope<half, base = 10000.0, width = 0>

// -----

// expected-error @below {{rotate_c1: expected start >= 0 and an even width, but got start = -2, width = 4}}
#rotate_c1_start = #posenc.rope<half, base = 10000.0, start = -2, width = 4>

// -----

// expected-error @below {{rotate_c1: expected a base above 1}}
#rotate_c1_base = #posenc.rope<half, base = 1.0>

// -----

// expected-error @below {{rotate_c1: a scaling changes the frequencies of a base, but there is none}}
#rotate_c1_scaling = #posenc.rope<half, scaling = #posenc.yarn<factor = 4.0, original = 64>>

// -----

// expected-error @below {{rotate_c1: expected xpos to be finite and not 0}}
#rotate_c1_xpos = #posenc.rope<half, base = 10000.0, xpos = 0.0>

// -----

// expected-error @below {{rotate_c1: expected yarn's factor, beta_fast, beta_slow and attention_factor to be positive}}
#rotate_c1_yarn = #posenc.yarn<factor = 0.0, original = 64>

// -----

// expected-error @below {{rotate_c1: expected yarn's original context of at least 1 token, but got 0}}
#rotate_c1_original = #posenc.yarn<factor = 4.0, original = 0>

// -----

!x = tensor<2x8x4x63xf32>
func.func @rotate_c1_row(%x: !x) {
  // expected-error @below {{rotate_c1: expected an even number of channels inside the row's 63 to rotate, but got 63 from 0}}
  %r = posenc.rotate #posenc.rope<half, base = 10000.0> x(%x : !x)
  return
}

// -----

!x = tensor<2x8x4x64xf32>
func.func @rotate_c1_inside(%x: !x) {
  // expected-error @below {{rotate_c1: expected an even number of channels inside the row's 64 to rotate, but got 32 from 48}}
  %r = posenc.rotate #posenc.rope<half, base = 10000.0, start = 48, width = 32> x(%x : !x)
  return
}

// -----

!x = tensor<2x8x4x64xf32>
func.func @rotate_c1_no_angles(%x: !x) {
  // expected-error @below {{rotate_c1: the angles come from one of base, freqs and cos_sin, but none is given}}
  %r = posenc.rotate #posenc.rope<half> x(%x : !x)
  return
}

// -----

!x = tensor<2x8x4x64xf32>
func.func @rotate_c1_two_angles(%x: !x, %f: tensor<32xf32>) {
  // expected-error @below {{rotate_c1: the angles come from one of base, freqs and cos_sin, but more are given}}
  %r = posenc.rotate #posenc.rope<half, base = 10000.0> freqs(%f : tensor<32xf32>) x(%x : !x)
  return
}

// -----

!x = tensor<2x8x4x64xf32>
func.func @rotate_c1_freqs(%x: !x, %f: tensor<64xf32>) {
  // expected-error @below {{rotate_c1: expected freqs [32]}}
  %r = posenc.rotate #posenc.rope<half> freqs(%f : tensor<64xf32>) x(%x : !x)
  return
}

// -----

!x = tensor<2x8x4x64xf32>
func.func @rotate_c1_cos_sin(%x: !x, %c: tensor<9x32xf32>, %s: tensor<9x64xf32>) {
  // expected-error @below {{rotate_c1: expected cos and sin [positions, 32]}}
  %r = posenc.rotate #posenc.rope<half> cos_sin(%c : tensor<9x32xf32>, %s : tensor<9x64xf32>) x(%x : !x)
  return
}

// -----

!x = tensor<2x8x4x64xf32>
func.func @rotate_c1_positions(%x: !x, %ids: tensor<3x4xi64>) {
  // expected-error @below {{rotate_c1: expected positions [B], or [B,L] or [1,L] of rows}}
  %r = posenc.rotate #posenc.rope<half, base = 10000.0> at(%ids : tensor<3x4xi64>) x(%x : !x)
  return
}

// -----

!x = tensor<2x8x4x64xf32>
func.func @rotate_c1_float_offset(%x: !x, %p: tensor<2xf32>) {
  // expected-error @below {{rotate_c1: offsets and positions in cos_sin tables are integers}}
  %r = posenc.rotate #posenc.rope<half, base = 10000.0> from(%p : tensor<2xf32>) x(%x : !x)
  return
}

// -----

!x = tensor<2x8x4x64xf32>
func.func @from_takes_an_offset(%x: !x, %ids: tensor<2x4xi64>) {
  // expected-error @below {{'from' takes one operand, an index or an offset per batch}}
  %r = posenc.rotate #posenc.rope<half, base = 10000.0> from(%ids : tensor<2x4xi64>) x(%x : !x)
  return
}

// -----

!x = tensor<2x8x4x64xf32>
func.func @at_takes_positions(%x: !x, %p: index) {
  // expected-error @below {{'at' takes one operand of two dimensions, a position per row, or of three, one per axis too}}
  %r = posenc.rotate #posenc.rope<half, base = 10000.0> at(%p : index) x(%x : !x)
  return
}

// -----

!x = tensor<2x8x4x64xf32>
func.func @rotate_c2(%x: !x) {
  // expected-error @below {{rotate_c2: the result must have the type of x}}
  %r = "posenc.rotate"(%x) <{operandSegmentSizes = array<i32: 0, 0, 0, 0, 0, 1>, rope = #posenc.rope<half, base = 10000.0>}> : (!x) -> tensor<2x8x5x64xf32>
  return
}

// -----

!x = tensor<8x4x64xf32>
func.func @rotate_c3(%x: !x) {
  // expected-error @below {{rotate_c3: expected x [B,H,L,D] with D static, but got 'tensor<8x4x64xf32>'}}
  %r = posenc.rotate #posenc.rope<half, base = 10000.0> x(%x : !x)
  return
}

// -----

!x = tensor<2x8x4x64xf32>
func.func @rotate_c1_clause(%q: !x) -> !x {
  // expected-error @below {{rotate_c1: expected an even number of channels inside the row's 64 to rotate, but got 66 from 0}}
  %r = posenc.attention q(%q : !x) k(%q : !x) rotate #posenc.rope<half, base = 10000.0, width = 66> v(%q : !x)
    score(%s, %b, %h, %i, %j) { posenc.yield %s : f32 } -> !x
  return %r : !x
}

// -----

!x = tensor<1x1x2x9000000000000000000xf32>
func.func @rotate_c1_wide(%x: !x) {
  // expected-error @below {{rotate_c1: expected at most 65536 channels to rotate, but got 9000000000000000000}}
  %r = posenc.rotate #posenc.rope<half, base = 10000.0> x(%x : !x)
  return
}
