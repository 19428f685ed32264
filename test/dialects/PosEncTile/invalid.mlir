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

func.func @angles_segments(%c: memref<?x4xf32>, %n: index) {
  // expected-error @below {{expected one operand in group 0 of its operands, but got 2}}
  "posenc_tile.angles"(%c, %c, %n) <{operandSegmentSizes = array<i32: 2, 0, 1, 0, 0, 0, 0>, rope = #posenc.rope<half, base = 10000.0>}> ({
  ^bb0(%i: index):
    posenc_tile.yield %i : index
  }) : (memref<?x4xf32>, memref<?x4xf32>, index) -> ()
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

func.func @product_channels(%r: memref<4x8xf32>, %c: memref<1x9x16xf32>, %d: memref<4x16xf32>) {
  // expected-error @below {{product_c1: expected rows and columns of the same channels, but got 'memref<4x8xf32>' and 'memref<1x9x16xf32>'}}
  posenc_tile.product rows(%r) columns(%c) into %d : memref<4x8xf32>, memref<1x9x16xf32> into memref<4x16xf32>
  return
}

// -----

!q = memref<4x8xf32>
!k = memref<1x8x16xf32>
!k9 = memref<1x9x16xf32>
!x = memref<4xf32>

func.func @sweep_channels(%q: !q, %k: !k9, %v: !q, %m: !x, %o: !q, %n: index) {
  // expected-error @below {{sweep_c1: expected q and k of the same static channels}}
  posenc_tile.sweep q(%q : !q) k(%k : !k9) v(%v : !q) rows(%n to %n) keys(%n to %n first %n) block(16)
      into(%m : !x, %m : !x, %o : !q)
  return
}

// -----

!q = memref<4x8xf32>
!k = memref<1x8x16xf32>
!x = memref<4xf32>

func.func @sweep_term_dimensions(%q: !q, %k: !k, %m: !x, %n: index) {
  // expected-error @below {{sweep_c2: a row term has 1 dimensions, but got 'memref<4x8xf32>'}}
  posenc_tile.sweep q(%q : !q) k(%k : !k) v(%q : !q) rows(%n to %n) keys(%n to %n first %n) block(16)
      terms(all row %q : !q) into(%m : !x, %m : !x, %q : !q)
  return
}

// -----

!q = memref<4x8xf32>
!k = memref<1x8x16xf32>
!x = memref<4xf32>

func.func @sweep_term_offsets(%q: !q, %k: !k, %m: !x, %n: index) {
  // expected-error @below {{sweep_c2: expected a kind for each term, and the offsets and factors that the kinds ask for}}
  "posenc_tile.sweep"(%q, %k, %q, %n, %n, %n, %n, %n, %m, %m, %m, %q) <{
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 1, 0, 1, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 1, 1>,
    termKinds = [#posenc_tile.term<all, lag, factor = false>], bucketKinds = [], block = 16 : i64}> ({}, {}, {})
    : (!q, !k, !q, index, index, index, index, index, !x, !x, !x, !q) -> ()
  return
}

// -----

!q = memref<4x8xf32>
!k = memref<1x8x16xf32>
!x = memref<4xf32>

func.func @sweep_bucket_tiles(%q: !q, %k: !k, %m: !x, %n: index) {
  // expected-error @below {{sweep_c2: expected a kind for each bucket matrix, and the offsets and tiles that the kinds ask for}}
  "posenc_tile.sweep"(%q, %k, %q, %n, %n, %n, %n, %n, %q, %m, %m, %q) <{
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 1, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 1, 1>,
    termKinds = [], bucketKinds = [#posenc_tile.bucket<lag>], block = 16 : i64}> ({}, {}, {})
    : (!q, !k, !q, index, index, index, index, index, !q, !x, !x, !q) -> ()
  return
}

// -----

!q = memref<4x8xf32>
!k = memref<1x8x16xf32>
!x = memref<4xf32>

func.func @sweep_class(%q: !q, %k: !k, %m: !x, %n: index) {
  // expected-error @below {{sweep_c3: left terms need near}}
  posenc_tile.sweep q(%q : !q) k(%k : !k) v(%q : !q) rows(%n to %n) keys(%n to %n first %n) block(16)
      terms(left row %m : !x) into(%m : !x, %m : !x, %q : !q)
  return
}

// -----

!q = memref<4x8xf32>
!k = memref<1x8x16xf32>
!x = memref<4xf32>

func.func @sweep_tile_term(%q: !q, %k: !k, %m: !x, %n: index) {
  // expected-error @below {{sweep_c4: tile terms need each_block}}
  posenc_tile.sweep q(%q : !q) k(%k : !k) v(%q : !q) rows(%n to %n) keys(%n to %n first %n) block(16)
      terms(all tile %q : !q) into(%m : !x, %m : !x, %q : !q)
  return
}

// -----

!q = memref<4x8xf32>
!k = memref<1x8x16xf32>
!x = memref<4xf32>

func.func @sweep_tile_bucket(%q: !q, %k: !k, %m: !x, %n: index, %c: memref<4x16xindex>) {
  // expected-error @below {{sweep_c4: buckets by tile need each_block}}
  posenc_tile.sweep q(%q : !q) k(%k : !k) v(%q : !q) rows(%n to %n) keys(%n to %n first %n) block(16)
      buckets(tile %q : !q by %c : memref<4x16xindex>) into(%m : !x, %m : !x, %q : !q)
  return
}

// -----

!q = memref<4x8xf32>
!k = memref<1x8x16xf32>
!x = memref<4xf32>

func.func @sweep_no_score(%q: !q, %k: !k, %m: !x, %n: index) {
  // expected-error @below {{sweep_c5: terms and buckets of score need it}}
  posenc_tile.sweep q(%q : !q) k(%k : !k) v(%q : !q) rows(%n to %n) keys(%n to %n first %n) block(16)
      terms(score row %m : !x) into(%m : !x, %m : !x, %q : !q)
  return
}

// -----

!q = memref<4x8xf32>
!k = memref<1x8x16xf32>
!x = memref<4xf32>

func.func @sweep_score(%q: !q, %k: !k, %m: !x, %n: index) {
  // expected-error @below {{sweep_c5: expected score to take 'f32', 'index', 'index' and to yield 'f32', 'i1', 'index'}}
  posenc_tile.sweep q(%q : !q) k(%k : !k) v(%q : !q) rows(%n to %n) keys(%n to %n first %n) block(16)
      buckets(score %q : !q) into(%m : !x, %m : !x, %q : !q) score(%y, %r, %j) {
    %true = arith.constant true
    posenc_tile.yield %y, %true : f32, i1
  }
  return
}

// -----

!q = memref<4x8xf32>
!k = memref<1x8x16xf32>
!x = memref<4xf32>

func.func @sweep_visits(%q: !q, %k: !k, %m: !x, %n: index) {
  // expected-error @below {{sweep_c5: expected visits to take an index and to yield i1}}
  posenc_tile.sweep q(%q : !q) k(%k : !k) v(%q : !q) rows(%n to %n) keys(%n to %n first %n) block(16)
      into(%m : !x, %m : !x, %q : !q) visits(%i) { posenc_tile.yield %i : index }
  return
}

// -----

!q = memref<4x8xf32>
!k = memref<1x8x16xf32>
!x = memref<4xf32>

func.func @sweep_each_block(%q: !q, %k: !k, %m: !x, %n: index) {
  // expected-error @below {{sweep_c5: expected each_block to take an index and to yield nothing}}
  posenc_tile.sweep q(%q : !q) k(%k : !k) v(%q : !q) rows(%n to %n) keys(%n to %n first %n) block(16)
      into(%m : !x, %m : !x, %q : !q) each_block(%i) { posenc_tile.yield %i : index }
  return
}

// -----

!q = memref<4x8xf32>
!k = memref<1x8x16xf32>
!x = memref<4xf32>

func.func @sweep_block(%q: !q, %k: !k, %m: !x, %n: index) {
  // expected-error @below {{sweep_c6: the block of 24 keys is no multiple of the panels of}}
  posenc_tile.sweep q(%q : !q) k(%k : !k) v(%q : !q) rows(%n to %n) keys(%n to %n first %n) block(24)
      into(%m : !x, %m : !x, %q : !q)
  return
}

// -----

!q = memref<4x8xf32>
!k = memref<1x8x0xf32>
!x = memref<4xf32>

func.func @sweep_no_width(%q: !q, %k: !k, %m: !x, %n: index) {
  // expected-error @below {{sweep_c6: the block of 16 keys is no multiple of the panels of}}
  posenc_tile.sweep q(%q : !q) k(%k : !k) v(%q : !q) rows(%n to %n) keys(%n to %n first %n) block(16)
      into(%m : !x, %m : !x, %q : !q)
  return
}

// -----

!q = memref<4x8xf32>
!k = memref<1x8x16xf32>
!x = memref<4xf32>

func.func @sweep_no_keys(%q: !q, %k: !k, %m: !x, %n: index) {
  // expected-error @below {{expected one operand in group 0 of its operands, but got 2}}
  "posenc_tile.sweep"(%q, %q, %q, %n, %n, %n, %n, %n, %m, %m, %q) <{
    operandSegmentSizes = array<i32: 2, 0, 1, 0, 1, 1, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1>,
    termKinds = [], bucketKinds = [], block = 16 : i64}> ({}, {}, {})
    : (!q, !q, !q, index, index, index, index, index, !x, !x, !q) -> ()
  return
}

// -----

!q = memref<4x8xf32>
!k = memref<1x8x16xf32>
!x = memref<4xf32>

func.func @sweep_segments(%q: !q, %k: !k, %m: !x, %n: index) {
  // expected-error @below {{operand count (11) does not match with the total size (12) specified in attribute 'operandSegmentSizes'}}
  "posenc_tile.sweep"(%q, %k, %q, %n, %n, %n, %n, %n, %m, %m, %q) <{
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 1, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1>,
    termKinds = [], bucketKinds = [], block = 16 : i64}> ({}, {}, {})
    : (!q, !k, !q, index, index, index, index, index, !x, !x, !q) -> ()
  return
}

// -----

!q = memref<4x8xf32>
!k = memref<1x8x16xf32>
!x = memref<4xf32>

func.func @sweep_half_an_interval(%q: !q, %k: !k, %m: !x, %n: index) {
  // expected-error @below {{expected both ends of an interval}}
  "posenc_tile.sweep"(%q, %k, %q, %n, %n, %n, %n, %n, %n, %m, %m, %q) <{
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 1, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1>,
    termKinds = [], bucketKinds = [], block = 16 : i64}> ({}, {}, {})
    : (!q, !k, !q, index, index, index, index, index, index, !x, !x, !q) -> ()
  return
}

// -----

!q = memref<4x8xf32>
!k = memref<1x8x16xf32>
!x = memref<4xf32>

func.func @sweep_no_terminator(%q: !q, %k: !k, %m: !x, %n: index) {
  // expected-error @below {{expects a non-empty block}}
  "posenc_tile.sweep"(%q, %k, %q, %n, %n, %n, %n, %n, %m, %m, %q) <{
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 1, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1>,
    termKinds = [], bucketKinds = [], block = 16 : i64}> ({
  ^bb0(%i: index):
  }, {}, {}) : (!q, !k, !q, index, index, index, index, index, !x, !x, !q) -> ()
  return
}

// -----

!q = memref<4x8xf32>
!k = memref<1x8x16xf32>
!x = memref<4xf32>

func.func @sweep_word(%q: !q, %k: !k, %m: !x, %n: index) {
  posenc_tile.sweep q(%q : !q) k(%k : !k) v(%q : !q) rows(%n to %n) keys(%n to %n first %n) block(16)
      // expected-error @below {{unknown word 'some'}}
      terms(some row %m : !x) into(%m : !x, %m : !x, %q : !q)
  return
}

// -----

!q = memref<4x8xf32>
!k = memref<1x8x16xf32>
!x = memref<4xf32>

func.func @sweep_empty_region(%q: !q, %k: !k, %m: !x, %n: index) {
  posenc_tile.sweep q(%q : !q) k(%k : !k) v(%q : !q) rows(%n to %n) keys(%n to %n first %n) block(16)
      // expected-error @below {{expected a region with arguments}}
      into(%m : !x, %m : !x, %q : !q) score() {}
  return
}

// -----

!q = memref<4x8xf32>
!x = memref<4xf32>

func.func @sweep_packed_type(%q: !q, %k: memref<1x8x16xbf16>, %m: !x, %n: index) {
  // expected-error @below {{sweep_c6: expected q and packed keys of f32, or pairs of bf16, but got 'memref<4x8xf32>' and 'memref<1x8x16xbf16>'}}
  posenc_tile.sweep q(%q : !q) k(%k : memref<1x8x16xbf16>) v(%q : !q) rows(%n to %n) keys(%n to %n first %n) block(16)
      into(%m : !x, %m : !x, %q : !q)
  return
}

// -----

func.func @merge_shapes(%ms: memref<3x4xf32>, %os: memref<3x5x8xf32>, %m: memref<4xf32>, %o: memref<4x8xf32>) {
  // expected-error @below {{merge_c1: 'memref<3x5x8xf32>' has no parts of 'memref<4x8xf32>'}}
  posenc_tile.merge(%ms, %ms, %os) into(%m, %m, %o)
      : memref<3x4xf32>, memref<3x4xf32>, memref<3x5x8xf32> into memref<4xf32>, memref<4xf32>, memref<4x8xf32>
  return
}

// -----

func.func @merge_parts(%ms: memref<3x4xf32>, %os: memref<2x4x8xf32>, %m: memref<4xf32>, %o: memref<4x8xf32>) {
  // expected-error @below {{merge_c1: 'memref<2x4x8xf32>' has no parts of 'memref<4x8xf32>'}}
  posenc_tile.merge(%ms, %ms, %os) into(%m, %m, %o)
      : memref<3x4xf32>, memref<3x4xf32>, memref<2x4x8xf32> into memref<4xf32>, memref<4xf32>, memref<4x8xf32>
  return
}

// -----

func.func @merge_buckets(%ms: memref<3x4xf32>, %os: memref<3x4x8xf32>, %m: memref<4xf32>, %o: memref<4x8xf32>) {
  // expected-error @below {{merge_c1: expected buckets for those of the parts}}
  posenc_tile.merge(%ms, %ms, %os) buckets(%os : memref<3x4x8xf32>) into(%m, %m, %o)
      : memref<3x4xf32>, memref<3x4xf32>, memref<3x4x8xf32> into memref<4xf32>, memref<4xf32>, memref<4x8xf32>
  return
}

// -----

func.func @finish_channels(%m: memref<4xf32>, %o: memref<4x8xf32>, %out: memref<4x9xf32>) {
  // expected-error @below {{finish_c1: out has other channels than o}}
  posenc_tile.finish(%m, %m, %o) into %out : memref<4xf32>, memref<4xf32>, memref<4x8xf32> into memref<4x9xf32>
  return
}

// -----

func.func @finish_table(%m: memref<4xf32>, %o: memref<4x8xf32>, %w: memref<4x5xf32>) {
  // expected-error @below {{finish_c1: expected a row of 8 channels for each bucket of 'memref<4x5xf32>', but got 'memref<4x8xf32>'}}
  posenc_tile.finish(%m, %m, %o) buckets(%w : memref<4x5xf32>) tables(%o : memref<4x8xf32>) into %o
      : memref<4xf32>, memref<4xf32>, memref<4x8xf32> into memref<4x8xf32>
  return
}

// -----

func.func @finish_no_table(%m: memref<4xf32>, %o: memref<4x8xf32>, %w: memref<4x5xf32>) {
  // expected-error @below {{finish_c1: expected a table for each bucket matrix}}
  "posenc_tile.finish"(%m, %m, %o, %w, %o) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 1, 0>}>
    : (memref<4xf32>, memref<4xf32>, memref<4x8xf32>, memref<4x5xf32>, memref<4x8xf32>) -> ()
  return
}

// -----

func.func @finish_segments(%m: memref<4xf32>, %o: memref<4x8xf32>) {
  // expected-error @below {{expected one operand in group 0 of its operands, but got 2}}
  "posenc_tile.finish"(%m, %m, %o, %o) <{operandSegmentSizes = array<i32: 2, 0, 1, 0, 0, 0, 0, 1, 0>}>
    : (memref<4xf32>, memref<4xf32>, memref<4x8xf32>, memref<4x8xf32>) -> ()
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

func.func @product_types(%x: memref<4x4xf32>, %y: memref<1x2x8x2xbf16>, %d: memref<4x8xf32>) {
  // expected-error @below {{product_c1: expected rows and columns of one element type, and pairs of bf16, but got}}
  posenc_tile.product rows(%x) columns(%y) into %d : memref<4x4xf32>, memref<1x2x8x2xbf16> into memref<4x8xf32>
  return
}

// -----

func.func @product_pairs(%x: memref<4x4xf32>, %y: memref<1x2x8x2xf32>, %d: memref<4x8xf32>) {
  // expected-error @below {{product_c1: expected rows and columns of one element type, and pairs of bf16, but got}}
  posenc_tile.product rows(%x) columns(%y) into %d : memref<4x4xf32>, memref<1x2x8x2xf32> into memref<4x8xf32>
  return
}

// -----

!q = memref<4x8xbf16>
!x = memref<4xf32>
!o = memref<4x8xf32>

func.func @sweep_pairs(%q: !q, %k: memref<1x4x16x3xbf16>, %v: memref<8x16x2xbf16>, %m: !x, %o: !o, %n: index) {
  // expected-error @below {{sweep_c6: expected columns of pairs, but got 'memref<1x4x16x3xbf16>'}}
  posenc_tile.sweep q(%q : !q) k(%k : memref<1x4x16x3xbf16>) v(%v : memref<8x16x2xbf16>) rows(%n to %n)
      keys(%n to %n first %n) block(16) into(%m : !x, %m : !x, %o : !o)
  return
}

// -----

!q = memref<4x8xbf16>
!x = memref<4xf32>
!o = memref<4x8xf32>

func.func @sweep_value_channels(%q: !q, %k: memref<1x4x16x2xbf16>, %v: memref<8x4x2xbf16>, %m: !x, %o: !o, %n: index) {
  // expected-error @below {{sweep_c1: expected q and k of the same static channels, v and o too}}
  posenc_tile.sweep q(%q : !q) k(%k : memref<1x4x16x2xbf16>) v(%v : memref<8x4x2xbf16>) rows(%n to %n)
      keys(%n to %n first %n) block(16) into(%m : !x, %m : !x, %o : !o)
  return
}
