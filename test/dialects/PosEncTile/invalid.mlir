// RUN: posenc-opt %s --split-input-file --verify-diagnostics

// The constraints in order, each by its label.

func.func @fill_ranges(%d: memref<4x4xf32>, %n: index, %x: f32) {
  // expected-error @below {{fill_c1: expected a range for each of 2 dimensions, but got 2 ends of ranges}}
  posenc_tile.fill %d over(%i = %n to %n) { posenc_tile.yield %x : f32 } : memref<4x4xf32>
  return
}

// -----

// In the generic form an operand may belong to no range.
func.func @fill_operands(%d: memref<4xf32>, %n: index, %x: f32) {
  // expected-error @below {{fill_c1: expected a range for each of 1 dimensions, but got 3 ends of ranges}}
  "posenc_tile.fill"(%n, %n, %d, %n) ({
  ^bb0(%i: index):
    posenc_tile.yield %x : f32
  }) : (index, index, memref<4xf32>, index) -> ()
  return
}

// -----

func.func @fill_no_range(%d: memref<4xf32>, %x: f32) {
  // expected-error @below {{fill_c1: expected a range for each of 1 dimensions, but got 0 ends of ranges}}
  "posenc_tile.fill"(%d) ({
    posenc_tile.yield %x : f32
  }) : (memref<4xf32>) -> ()
  return
}

// -----

func.func @fill_result(%d: memref<4xf32>, %n: index) {
  posenc_tile.fill %d over(%i = %n to %n) {
    // expected-error @below {{fill_c2: expected to yield 'f32'}}
    posenc_tile.yield %i : index
  } : memref<4xf32>
  return
}

// -----

func.func @fill_argument(%d: memref<4xf32>, %n: index) {
  // expected-error @below {{fill_c2: expected a region of 1 index}}
  "posenc_tile.fill"(%n, %n, %d) ({
  ^bb0(%i: f32):
    posenc_tile.yield %i : f32
  }) : (index, index, memref<4xf32>) -> ()
  return
}

// -----

func.func @fill_terminator(%d: memref<4xf32>, %n: index) {
  // expected-error @below {{fill_c2: expected a region that ends in posenc_tile.yield}}
  posenc_tile.fill %d over(%i = %n to %n) { %x = arith.constant 0.0 : f32 } : memref<4xf32>
  return
}

// -----

func.func @fill_blocks(%d: memref<4xf32>, %n: index, %x: f32) {
  // expected-error @below {{region with 1 blocks}}
  "posenc_tile.fill"(%n, %n, %d) ({}) : (index, index, memref<4xf32>) -> ()
  return
}

// -----

func.func @fill_no_terminator(%d: memref<4xf32>, %n: index) {
  // expected-error @below {{expects a non-empty block}}
  "posenc_tile.fill"(%n, %n, %d) ({
  ^bb0(%i: index):
  }) : (index, index, memref<4xf32>) -> ()
  return
}

// -----

func.func @yield_elsewhere() {
  // expected-error @below {{expects parent op to be one of 'posenc_tile.angles, posenc_tile.fill, posenc_tile.pack, posenc_tile.scan, posenc_tile.sweep'}}
  posenc_tile.yield
}

// -----

func.func @angles_dynamic(%c: memref<?x?xf32>, %n: index) {
  // expected-error @below {{angles_c1: expected cosines and sines of a static width / 2 from 1 to 32768}}
  posenc_tile.angles %c, %c rotate #posenc.rope<half, base = 10000.0> to(%n) by(%i) {
    posenc_tile.yield %i : index
  } : memref<?x?xf32>, memref<?x?xf32>
  return
}

// -----

func.func @angles_too_wide(%c: memref<?x4611686018427387904xf32>, %n: index) {
  // expected-error @below {{angles_c1: expected}}
  posenc_tile.angles %c, %c rotate #posenc.rope<half, base = 10000.0> to(%n) by(%i) {
    posenc_tile.yield %i : index
  } : memref<?x4611686018427387904xf32>, memref<?x4611686018427387904xf32>
  return
}

// -----

func.func @angles_of_other_width(%c: memref<?x4xf32>, %n: index) {
  // expected-error @below {{angles_c1: expected}}
  posenc_tile.angles %c, %c rotate #posenc.rope<half, base = 10000.0, width = 16> to(%n) by(%i) {
    posenc_tile.yield %i : index
  } : memref<?x4xf32>, memref<?x4xf32>
  return
}

// -----

func.func @angles_position(%c: memref<?x4xf32>, %n: index, %x: i32) {
  // expected-error @below {{angles_c2: expected a region that yields a position, index or float}}
  posenc_tile.angles %c, %c rotate #posenc.rope<half, base = 10000.0> to(%n) by(%i) {
    posenc_tile.yield %x : i32
  } : memref<?x4xf32>, memref<?x4xf32>
  return
}

// -----

func.func @angles_argument(%c: memref<?x4xf32>, %n: index) {
  // expected-error @below {{angles_c2: expected a region of 1 index}}
  "posenc_tile.angles"(%c, %c, %n) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0>, rope = #posenc.rope<half, base = 10000.0>}> ({
    posenc_tile.yield %n : index
  }) : (memref<?x4xf32>, memref<?x4xf32>, index) -> ()
  return
}

// -----

func.func @angles_frequencies(%c: memref<?x4xf32>, %n: index, %f: memref<5xf32>) {
  // expected-error @below {{angles_c3: expected a base, frequencies [4], or cosines and sines [positions, 4] of index positions}}
  posenc_tile.angles %c, %c rotate #posenc.rope<half> to(%n) freqs(%f : memref<5xf32>) by(%i) {
    posenc_tile.yield %i : index
  } : memref<?x4xf32>, memref<?x4xf32>
  return
}

// -----

func.func @angles_float_positions(%c: memref<?x4xf32>, %n: index, %x: f32) {
  // expected-error @below {{angles_c3: expected}}
  posenc_tile.angles %c, %c rotate #posenc.rope<half> to(%n) cos_sin(%c : memref<?x4xf32>, %c : memref<?x4xf32>) by(%i) {
    posenc_tile.yield %x : f32
  } : memref<?x4xf32>, memref<?x4xf32>
  return
}

// -----

func.func @angles_no_source(%c: memref<?x4xf32>, %n: index) {
  // expected-error @below {{angles_c3: expected}}
  posenc_tile.angles %c, %c rotate #posenc.rope<half> to(%n) by(%i) {
    posenc_tile.yield %i : index
  } : memref<?x4xf32>, memref<?x4xf32>
  return
}

// -----

func.func @angles_sections(%c: memref<?x4xf32>, %n: index) {
  // expected-error @below {{angles_c1: the sections have 3 pairs together, but 4 rotate}}
  posenc_tile.angles %c, %c rotate #posenc.rope<half, base = 10000.0, sections = [1, 2]> to(%n) by(%i, %axis) {
    posenc_tile.yield %i : index
  } : memref<?x4xf32>, memref<?x4xf32>
  return
}

// -----

func.func @angles_axis(%c: memref<?x4xf32>, %n: index) {
  // expected-error @below {{angles_c2: expected a region of 2 index}}
  posenc_tile.angles %c, %c rotate #posenc.rope<half, base = 10000.0, sections = [1, 3]> to(%n) by(%i) {
    posenc_tile.yield %i : index
  } : memref<?x4xf32>, memref<?x4xf32>
  return
}

// -----

func.func @angles_length(%c: memref<?x4xf32>, %n: index) {
  // expected-error @below {{angles_c4: expected a length if the rope's scaling needs it, and only then}}
  posenc_tile.angles %c, %c
      rotate #posenc.rope<half, base = 10000.0, scaling = #posenc.dynamic_ntk<factor = 2.0, original = 64>>
      to(%n) by(%i) {
    posenc_tile.yield %i : index
  } : memref<?x4xf32>, memref<?x4xf32>
  return
}

// -----

func.func @angles_no_length(%c: memref<?x4xf32>, %n: index) {
  // expected-error @below {{angles_c4: expected a length if}}
  posenc_tile.angles %c, %c rotate #posenc.rope<half, base = 10000.0> to(%n) length(%n) by(%i) {
    posenc_tile.yield %i : index
  } : memref<?x4xf32>, memref<?x4xf32>
  return
}

// -----

func.func @angles_segments(%c: memref<?x4xf32>, %n: index) {
  // expected-error @below {{expected one operand in group 0 of its operands, but got 2}}
  "posenc_tile.angles"(%c, %c, %n) <{operandSegmentSizes = array<i32: 2, 0, 1, 0, 0, 0, 0>, rope = #posenc.rope<half, base = 10000.0>}> ({
  ^bb0(%i: index):
    posenc_tile.yield %i : index
  }) : (memref<?x4xf32>, memref<?x4xf32>, index) -> ()
  return
}

// -----

func.func @scan_ranges(%d: memref<48x?xf32>, %n: index) {
  // expected-error @below {{scan_c1: expected two ranges, rows and keys}}
  posenc_tile.scan %d over(%r = %n to %n) {
    %x = arith.constant 1.0 : f32
    %keep = arith.constant true
    posenc_tile.yield %x, %keep : f32, i1
  } : memref<48x?xf32>
  return
}

// -----

func.func @scan_results(%d: memref<48x?xf32>, %n: index) {
  posenc_tile.scan %d over(%r = %n to %n, %j = %n to %n) {
    %x = arith.constant 1.0 : f32
    // expected-error @below {{scan_c2: expected to yield 'f32', 'i1'}}
    posenc_tile.yield %x : f32
  } : memref<48x?xf32>
  return
}

// -----

func.func @pack_nothing(%d: memref<4x4xf32>, %n: index) {
  // expected-error @below {{pack_c1: expected a source}}
  "posenc_tile.pack"(%d, %n, %n) <{operandSegmentSizes = array<i32: 0, 1, 1, 1, 0, 0>}> ({
  ^bb0(%i: index):
    posenc_tile.yield
  }) : (memref<4x4xf32>, index, index) -> ()
  return
}

// -----

func.func @pack_scalar(%x: memref<f32>, %d: memref<4x4xf32>, %n: index) {
  // expected-error @below {{pack_c1: expected sources of one static last dimension}}
  posenc_tile.pack %x into %d over(%i = %n to %n) { posenc_tile.yield } : memref<f32> into memref<4x4xf32>
  return
}

// -----

func.func @pack_other_row(%x: memref<4x4xf32>, %y: memref<5xf32>, %d: memref<4x8xf32>, %n: index) {
  // expected-error @below {{pack_c1: expected sources of one static last dimension}}
  posenc_tile.pack %x, %y into %d over(%i = %n to %n) {
    posenc_tile.yield %i : index
  } : memref<4x4xf32>, memref<5xf32> into memref<4x8xf32>
  return
}

// -----

func.func @pack_too_far(%x: memref<4x4xf32>, %d: memref<4x8xf32>, %n: index) {
  // expected-error @below {{pack_c1: channels 5 to 9 do not fit in 'memref<4x8xf32>'}}
  posenc_tile.pack %x into %d channel(5) over(%i = %n to %n) {
    posenc_tile.yield %i : index
  } : memref<4x4xf32> into memref<4x8xf32>
  return
}

// -----

func.func @pack_dynamic_panels(%x: memref<4x4xf32>, %d: memref<1x8x?xf32>, %n: index) {
  // expected-error @below {{pack_c1: expected panels of static width}}
  posenc_tile.pack %x into %d over(%i = %n to %n) {
    posenc_tile.yield %i : index
  } : memref<4x4xf32> into memref<1x8x?xf32>
  return
}

// -----

func.func @pack_scale(%x: memref<4x4xf32>, %d: memref<4x8xf32>, %n: index) {
  posenc_tile.pack %x into %d over(%i = %n to %n) scaled {
    // expected-error @below {{pack_c2: expected to yield 'index', 'f32'}}
    posenc_tile.yield %i : index
  } : memref<4x4xf32> into memref<4x8xf32>
  return
}

// -----

func.func @pack_argument(%x: memref<4x4xf32>, %d: memref<4x8xf32>, %n: index) {
  // expected-error @below {{pack_c2: expected a region of 1 index}}
  "posenc_tile.pack"(%x, %d, %n, %n) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0>}> ({
    posenc_tile.yield %n : index
  }) : (memref<4x4xf32>, memref<4x8xf32>, index, index) -> ()
  return
}

// -----

func.func @pack_two_ranges(%x: memref<4x4xf32>, %d: memref<4x8xf32>, %n: index) {
  // expected-error @below {{expected one range}}
  posenc_tile.pack %x into %d over(%i = %n to %n, %j = %n to %n) {
    posenc_tile.yield %i : index
  } : memref<4x4xf32> into memref<4x8xf32>
  return
}

// -----

func.func @pack_rope_too_wide(%x: memref<4x4xf32>, %d: memref<4x8xf32>, %c: memref<4x4xf32>, %n: index) {
  // expected-error @below {{pack_c3: expected cosines and sines [rows, width / 2] of a rope that fits in 4 channels}}
  posenc_tile.pack %x into %d
      rotate #posenc.rope<half, base = 10000.0, width = 8> by(%c : memref<4x4xf32>, %c : memref<4x4xf32>)
      over(%i = %n to %n) {
    posenc_tile.yield %i : index
  } : memref<4x4xf32> into memref<4x8xf32>
  return
}

// -----

func.func @pack_rope_without_angles(%x: memref<4x4xf32>, %d: memref<4x8xf32>, %n: index) {
  // expected-error @below {{pack_c3: expected a rope with cosines and sines}}
  "posenc_tile.pack"(%x, %d, %n, %n) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0>, rope = #posenc.rope<half, base = 10000.0>}> ({
  ^bb0(%i: index):
    posenc_tile.yield %i : index
  }) : (memref<4x4xf32>, memref<4x8xf32>, index, index) -> ()
  return
}

// -----

func.func @pack_segments(%x: memref<4x4xf32>, %d: memref<4x8xf32>, %n: index) {
  // expected-error @below {{expected one operand in group 1 of its operands, but got 2}}
  "posenc_tile.pack"(%x, %d, %d, %n, %n) <{operandSegmentSizes = array<i32: 1, 2, 1, 1, 0, 0>}> ({
  ^bb0(%i: index):
    posenc_tile.yield %i : index
  }) : (memref<4x4xf32>, memref<4x8xf32>, memref<4x8xf32>, index, index) -> ()
  return
}

// -----

func.func @pack_pairs(%x: memref<9x4xbf16>, %d: memref<?x2x8x2xf32>, %n: index) {
  // expected-error @below {{pack_c1: expected pairs of bf16, but got 'memref<?x2x8x2xf32>'}}
  posenc_tile.pack %x into %d over(%j = %n to %n) {
    posenc_tile.yield %j : index
  } : memref<9x4xbf16> into memref<?x2x8x2xf32>
  return
}

// -----

func.func @pack_triples(%x: memref<9x4xbf16>, %d: memref<?x2x8x3xbf16>, %n: index) {
  // expected-error @below {{pack_c1: expected pairs of bf16, but got 'memref<?x2x8x3xbf16>'}}
  posenc_tile.pack %x into %d over(%j = %n to %n) {
    posenc_tile.yield %j : index
  } : memref<9x4xbf16> into memref<?x2x8x3xbf16>
  return
}

// -----

func.func @product_channels(%r: memref<4x8xf32>, %c: memref<1x9x16xf32>, %d: memref<4x16xf32>) {
  // expected-error @below {{product_c1: expected rows and columns of the same channels, but got 'memref<4x8xf32>' and 'memref<1x9x16xf32>'}}
  posenc_tile.product rows(%r) columns(%c) into %d : memref<4x8xf32>, memref<1x9x16xf32> into memref<4x16xf32>
  return
}

// -----

func.func @product_types(%x: memref<4x4xf32>, %y: memref<1x2x8x2xbf16>, %d: memref<4x8xf32>) {
  // expected-error @below {{product_c1: expected rows and columns of one element type, and pairs of bf16, but got 'memref<4x4xf32>' and 'memref<1x2x8x2xbf16>'}}
  posenc_tile.product rows(%x) columns(%y) into %d : memref<4x4xf32>, memref<1x2x8x2xbf16> into memref<4x8xf32>
  return
}

// -----

func.func @product_pairs(%x: memref<4x4xf32>, %y: memref<1x2x8x2xf32>, %d: memref<4x8xf32>) {
  // expected-error @below {{product_c1: expected rows and columns of one element type, and pairs of bf16, but got 'memref<4x4xf32>' and 'memref<1x2x8x2xf32>'}}
  posenc_tile.product rows(%x) columns(%y) into %d : memref<4x4xf32>, memref<1x2x8x2xf32> into memref<4x8xf32>
  return
}
