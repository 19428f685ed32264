// RUN: posenc-opt %s --split-input-file --verify-diagnostics

// The constraints in order, each by its label.

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
  // expected-error @below {{sweep_c6: the block of 24 keys is no multiple of the panels of 'memref<1x8x16xf32>'}}
  posenc_tile.sweep q(%q : !q) k(%k : !k) v(%q : !q) rows(%n to %n) keys(%n to %n first %n) block(24)
      into(%m : !x, %m : !x, %q : !q)
  return
}

// -----

!q = memref<4x8xf32>
!k = memref<1x8x0xf32>
!x = memref<4xf32>

func.func @sweep_no_width(%q: !q, %k: !k, %m: !x, %n: index) {
  // expected-error @below {{sweep_c6: the block of 16 keys is no multiple of the panels of 'memref<1x8x0xf32>'}}
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
