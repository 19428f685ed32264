// RUN: posenc-opt %s --split-input-file --verify-diagnostics

!s = tensor<2x8x4x5xf32>
func.func @row_scan_c1(%s: !s) -> !s {
  %r = posenc.score_mod s(%s : !s) score(%x, %b, %h, %r, %j) {
    %sum = posenc.row_scan %x : f32
    %limit = arith.constant 3.0 : f32
    %keep = arith.cmpf olt, %sum, %limit : f32
    // expected-error @below {{row_scan_c1: whether a pair is kept depends on a sum over kept pairs}}
    posenc.yield %x : f32 keep %keep
  }
  return %r : !s
}

// -----

func.func @row_scan_parent(%x: f32) {
  // expected-error @below {{'posenc.row_scan' op expects parent op to be one of 'posenc.attention, posenc.score_mod'}}
  %sum = posenc.row_scan %x : f32
  return
}

// -----

!s = tensor<2x8x4x5xf32>
func.func @mlp_c1_no_input(%s: !s, %w: tensor<8x1xf32>) -> !s {
  %r = posenc.score_mod s(%s : !s) with(%w : tensor<8x1xf32>) score(%x, %b, %h, %r, %j) {
    // expected-error @below {{mlp_c1: expected an input and a layer}}
    %y = posenc.mlp relu()[%h] layers(%w) : tensor<8x1xf32>
    posenc.yield %y : f32
  }
  return %r : !s
}

// -----

!s = tensor<2x8x4x5xf32>
func.func @mlp_c1_inputs(%s: !s, %w: tensor<8x1xf32>) -> !s {
  %r = posenc.score_mod s(%s : !s) with(%w : tensor<8x1xf32>) score(%x, %b, %h, %r, %j) {
    // expected-error @below {{mlp_c1: expected weights [out, 2] of layer 1, the inputs at most 4096, but got 'tensor<8x1xf32>'}}
    %y = posenc.mlp relu(%x, %x)[%h] layers(%w) : tensor<8x1xf32>
    posenc.yield %y : f32
  }
  return %r : !s
}

// -----

!s = tensor<2x8x4x5xf32>
func.func @mlp_c1_chain(%s: !s, %w1: tensor<32x1xf32>, %w2: tensor<8x16xf32>) -> !s {
  %r = posenc.score_mod s(%s : !s) with(%w1 : tensor<32x1xf32>, %w2 : tensor<8x16xf32>) score(%x, %b, %h, %r, %j) {
    // expected-error @below {{mlp_c1: expected weights [out, 32] of layer 2, the inputs at most 4096, but got 'tensor<8x16xf32>'}}
    %y = posenc.mlp relu(%x)[%h] layers(%w1, %w2) : tensor<32x1xf32>, tensor<8x16xf32>
    posenc.yield %y : f32
  }
  return %r : !s
}

// -----

!s = tensor<2x8x4x5xf32>
func.func @mlp_c1_dynamic(%s: !s, %w1: tensor<?x1xf32>, %w2: tensor<8x?xf32>) -> !s {
  %r = posenc.score_mod s(%s : !s) with(%w1 : tensor<?x1xf32>, %w2 : tensor<8x?xf32>) score(%x, %b, %h, %r, %j) {
    // expected-error @below {{mlp_c1: expected a static number of outputs, at least 1, of layer 1}}
    %y = posenc.mlp relu(%x)[%h] layers(%w1, %w2) : tensor<?x1xf32>, tensor<8x?xf32>
    posenc.yield %y : f32
  }
  return %r : !s
}

// -----

!s = tensor<2x8x4x5xf32>
func.func @mlp_c1_bias(%s: !s, %w1: tensor<32x1xf32>, %b1: tensor<16xf32>) -> !s {
  %r = posenc.score_mod s(%s : !s) with(%w1 : tensor<32x1xf32>, %b1 : tensor<16xf32>) score(%x, %b, %h, %r, %j) {
    // expected-error @below {{mlp_c1: expected a bias [32] of layer 1, but got 'tensor<16xf32>'}}
    %y = posenc.mlp relu(%x)[%h] layers(%w1 plus %b1) : tensor<32x1xf32>, tensor<16xf32>
    posenc.yield %y : f32
  }
  return %r : !s
}

// -----

!s = tensor<2x8x4x5xf32>
func.func @mlp_c1_has_bias(%s: !s, %w1: tensor<8x1xf32>) -> !s {
  %r = posenc.score_mod s(%s : !s) with(%w1 : tensor<8x1xf32>) score(%x, %b, %h, %r, %j) {
    // expected-error @below {{mlp_c1: expected as many biases as layers that have one}}
    %y = "posenc.mlp"(%x, %h, %w1) <{activation = 0 : i32, hasBias = array<i1: true>,
        operandSegmentSizes = array<i32: 1, 1, 1, 0>}> : (f32, index, tensor<8x1xf32>) -> f32
    posenc.yield %y : f32
  }
  return %r : !s
}

// -----

!s = tensor<2x8x4x5xf32>
func.func @mlp_activation(%s: !s, %w1: tensor<8x1xf32>) -> !s {
  %r = posenc.score_mod s(%s : !s) with(%w1 : tensor<8x1xf32>) score(%x, %b, %h, %r, %j) {
    // expected-error @below {{expected relu, silu, gelu or tanh}}
    %y = posenc.mlp sin(%x)[%h] layers(%w1) : tensor<8x1xf32>
    posenc.yield %y : f32
  }
  return %r : !s
}

// -----

!s = tensor<2x8x4x5xf32>
func.func @mlp_types(%s: !s, %w1: tensor<8x1xf32>, %b1: tensor<8xf32>) -> !s {
  %r = posenc.score_mod s(%s : !s) with(%w1 : tensor<8x1xf32>, %b1 : tensor<8xf32>) score(%x, %b, %h, %r, %j) {
    // expected-error @below {{expected a type for each weight and bias, in their order}}
    %y = posenc.mlp relu(%x)[%h] layers(%w1 plus %b1) : tensor<8x1xf32>
    posenc.yield %y : f32
  }
  return %r : !s
}
