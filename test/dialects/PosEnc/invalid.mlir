// RUN: posenc-opt %s --split-input-file --verify-diagnostics

// One case per constraint, named after its label.

!x = tensor<2x8x4x64xf32>
func.func @attention_c1(%q: !x, %k: tensor<8x4x64xf32>) -> !x {
  // expected-error @below {{attention_c1: q, k, v and out must have four dimensions, but one is 'tensor<8x4x64xf32>'}}
  %r = posenc.attention q(%q : !x) k(%k : tensor<8x4x64xf32>) v(%q : !x)
    score(%s, %b, %h, %i, %j) { posenc.yield %s : f32 } -> !x
  return %r : !x
}

// -----

!x = tensor<2x8x4x64xf32>
!k = tensor<2x8x5x64xf32>
!v = tensor<2x8x6x64xf32>
func.func @attention_c2(%q: !x, %k: !k, %v: !v) -> !x {
  // expected-error @below {{attention_c2: expected q [B,H,N,D], k [B,Hkv,M,D], v [B,Hkv,M,Dv] and out [B,H,N,Dv], but got}}
  %r = posenc.attention q(%q : !x) k(%k : !k) v(%v : !v)
    score(%s, %b, %h, %i, %j) { posenc.yield %s : f32 } -> !x
  return %r : !x
}

// -----

!x = tensor<2x8x4x64xf32>
func.func @attention_c2_result(%q: !x) -> tensor<2x8x5x64xf32> {
  // expected-error @below {{attention_c2}}
  %r = posenc.attention q(%q : !x) k(%q : !x) v(%q : !x)
    score(%s, %b, %h, %i, %j) { posenc.yield %s : f32 } -> tensor<2x8x5x64xf32>
  return %r : tensor<2x8x5x64xf32>
}

// -----

!x = tensor<2x8x4x?xf32>
func.func @attention_c3_dynamic(%q: !x) -> !x {
  // expected-error @below {{attention_c3: D of q and k must be static, agree and be at least 1}}
  %r = posenc.attention q(%q : !x) k(%q : !x) v(%q : !x)
    score(%s, %b, %h, %i, %j) { posenc.yield %s : f32 } -> !x
  return %r : !x
}

// -----

!x = tensor<2x8x4x64xf32>
!v = tensor<2x8x4x0xf32>
func.func @attention_c3_empty(%q: !x, %v: !v) -> !v {
  // expected-error @below {{attention_c3: Dv of v and out must be static, agree and be at least 1}}
  %r = posenc.attention q(%q : !x) k(%q : !x) v(%v : !v)
    score(%s, %b, %h, %i, %j) { posenc.yield %s : f32 } -> !v
  return %r : !v
}

// -----

!x = tensor<2x8x4x64xf32>
!k = tensor<2x3x4x64xf32>
func.func @attention_c4(%q: !x, %k: !k) -> !x {
  // expected-error @below {{attention_c4: H = 8 must be a multiple of Hkv = 3}}
  %r = posenc.attention q(%q : !x) k(%k : !k) v(%k : !k)
    score(%s, %b, %h, %i, %j) { posenc.yield %s : f32 } -> !x
  return %r : !x
}

// -----

!x = tensor<2x8x4x64xf32>
!k = tensor<2x0x4x64xf32>
func.func @attention_c4_none(%q: !x, %k: !k) -> !x {
  // expected-error @below {{attention_c4: H = 8 must be a multiple of Hkv = 0}}
  %r = posenc.attention q(%q : !x) k(%k : !k) v(%k : !k)
    score(%s, %b, %h, %i, %j) { posenc.yield %s : f32 } -> !x
  return %r : !x
}

// -----

!x = tensor<2x8x4x64xf32>
func.func @attention_c5(%q: !x, %t: tensor<3x5x64xf32>) -> !x {
  // expected-error @below {{attention_c5: expected a value table [C,Dv] or [H,C,Dv], but got 'tensor<3x5x64xf32>'}}
  %r = posenc.attention q(%q : !x) k(%q : !x) v(%q : !x) value_tables(%t : tensor<3x5x64xf32>)
    score(%s, %b, %h, %i, %j) { posenc.yield %s : f32 value_rows(%i) } -> !x
  return %r : !x
}

// -----

!x = tensor<2x8x4x64xf32>
func.func @attention_c6(%q: !x, %sink: tensor<7xf32>) -> !x {
  // expected-error @below {{attention_c6: expected a sink [H], but got 'tensor<7xf32>'}}
  %r = posenc.attention q(%q : !x) k(%q : !x) v(%q : !x) sink(%sink : tensor<7xf32>)
    score(%s, %b, %h, %i, %j) { posenc.yield %s : f32 } -> !x
  return %r : !x
}

// -----

!x = tensor<2x8x4x64xf32>
func.func @attention_c7(%q: !x) -> (!x, tensor<2x8x4xf16>) {
  // expected-error @below {{attention_c7: expected a log-sum-exp [B,H,N] of f32, but got 'tensor<2x8x4xf16>'}}
  %r, %l = posenc.attention q(%q : !x) k(%q : !x) v(%q : !x)
    score(%s, %b, %h, %i, %j) { posenc.yield %s : f32 } -> (!x, tensor<2x8x4xf16>)
  return %r, %l : !x, tensor<2x8x4xf16>
}

// -----

!x = tensor<2x8x4x64xf32>
func.func @attention_c8(%q: !x) -> !x {
  // expected-error @below {{attention_c8: the region's arguments must be score (f32), batch, head, row, key (index) and the captures}}
  %r = "posenc.attention"(%q, %q, %q) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0>}> ({
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: i32):
    posenc.yield %s : f32
  }) : (!x, !x, !x) -> !x
  return %r : !x
}

// -----

!x = tensor<2x8x4x64xf32>
func.func private @f(f32) -> f32
func.func @attention_c9_call(%q: !x) -> !x {
  %r = posenc.attention q(%q : !x) k(%q : !x) v(%q : !x)
    score(%s, %b, %h, %i, %j) {
    // expected-error @below {{attention_c9: a score region holds only ops of arith and math on scalars and score ops}}
    %z = func.call @f(%s) : (f32) -> f32
    posenc.yield %z : f32
  } -> !x
  return %r : !x
}

// -----

!x = tensor<2x8x4x64xf32>
func.func @attention_c9_tensor(%q: !x, %t: tensor<4xf32>) -> !x {
  %r = posenc.attention q(%q : !x) k(%q : !x) v(%q : !x) with(%t : tensor<4xf32>)
    score(%s, %b, %h, %i, %j) {
    // expected-error @below {{attention_c9: a score region holds only ops of arith and math on scalars and score ops}}
    %z = arith.addf %t, %t : tensor<4xf32>
    posenc.yield %s : f32
  } -> !x
  return %r : !x
}

// -----

!x = tensor<2x8x4x64xf32>
func.func @attention_c10(%q: !x) -> !x {
  // expected-error @below {{attention_c10: the region must end in posenc.yield}}
  %r = posenc.attention q(%q : !x) k(%q : !x) v(%q : !x)
    score(%s, %b, %h, %i, %j) { llvm.unreachable } -> !x
  return %r : !x
}

// -----

!x = tensor<2x8x4x64xf32>
func.func @attention_c11(%q: !x, %t: tensor<5x64xf32>) -> !x {
  %r = posenc.attention q(%q : !x) k(%q : !x) v(%q : !x) value_tables(%t : tensor<5x64xf32>)
    score(%s, %b, %h, %i, %j) {
    // expected-error @below {{attention_c11: expected 1 value rows, one per value table, but got 0}}
    posenc.yield %s : f32
  } -> !x
  return %r : !x
}

// -----

func.func @attention_c12(%q: tensor<2x8x4x64xf32>, %o: memref<2x8x4x64xf32>) {
  // expected-error @below {{attention_c12: q, k, v and into must be all tensors or all memrefs}}
  posenc.attention q(%q : tensor<2x8x4x64xf32>) k(%q : tensor<2x8x4x64xf32>) v(%q : tensor<2x8x4x64xf32>)
    into(%o : memref<2x8x4x64xf32>) score(%s, %b, %h, %i, %j) { posenc.yield %s : f32 }
  return
}

// -----

!m = memref<2x8x4x64xf32>
func.func @attention_c13_memref(%q: !m) -> tensor<2x8x4x64xf32> {
  // expected-error @below {{attention_c13: on memrefs the op takes its destination by 'into' and has no results}}
  %o = posenc.attention q(%q : !m) k(%q : !m) v(%q : !m)
    score(%s, %b, %h, %i, %j) { posenc.yield %s : f32 } -> tensor<2x8x4x64xf32>
  return %o : tensor<2x8x4x64xf32>
}

// -----

!x = tensor<2x8x4x64xf32>
func.func @attention_c13_types(%q: !x, %o: tensor<?x8x4x64xf32>) -> !x {
  // expected-error @below {{attention_c13: the results must have the types of their destinations}}
  %r = "posenc.attention"(%q, %q, %q, %o) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0>}> ({
  ^bb0(%s: f32, %b: index, %h: index, %i: index, %j: index):
    posenc.yield %s : f32
  }) : (!x, !x, !x, tensor<?x8x4x64xf32>) -> !x
  return %r : !x
}

// -----

!x = tensor<2x8x4x64xf32>
func.func @isolated(%q: !x, %past: index) -> !x {
  %r = posenc.attention q(%q : !x) k(%q : !x) v(%q : !x) score(%s, %b, %h, %i, %j) {
    // expected-error @below {{use of undeclared SSA value name}}
    %p = arith.addi %i, %past : index
    posenc.yield %s : f32
  } -> !x
  return %r : !x
}

// -----

func.func @outside_a_region(%t: tensor<9xf32>, %i: index) -> f32 {
  // expected-error @below {{failed to verify that the op stands in a score region}}
  %e = posenc.lookup %t[%i] : tensor<9xf32>
  return %e : f32
}

// -----

!x = tensor<2x8x4x64xf32>
func.func @lookup_c1(%q: !x, %t: tensor<9x8xf32>) -> !x {
  %r = posenc.attention q(%q : !x) k(%q : !x) v(%q : !x) with(%t : tensor<9x8xf32>) score(%s, %b, %h, %i, %j) {
    // expected-error @below {{lookup_c1: expected 2 indices, one per dimension, but got 1}}
    %p = posenc.lookup %t[%h] : tensor<9x8xf32>
    posenc.yield %p : f32
  } -> !x
  return %r : !x
}

// -----

!x = tensor<2x8x4x64xf32>
func.func @lookup_c2(%q: !x, %t: tensor<9xf32>) -> !x {
  %r = posenc.attention q(%q : !x) k(%q : !x) v(%q : !x) with(%t : tensor<9xf32>) score(%s, %b, %h, %i, %j) {
    %d = arith.subi %j, %i : index
    %c = posenc.row #posenc.band<-4, 4>(%d)
    // expected-error @below {{lookup_c2: a row of a partial map may be missing: say what is read then by 'else'}}
    %p = posenc.lookup %t[%c] : tensor<9xf32>
    posenc.yield %p : f32
  } -> !x
  return %r : !x
}

// -----

!x = tensor<2x8x4x64xf32>
func.func @lookup_c3(%q: !x, %t: tensor<9xi64>) -> !x {
  %r = posenc.attention q(%q : !x) k(%q : !x) v(%q : !x) with(%t : tensor<9xi64>) score(%s, %b, %h, %i, %j) {
    // expected-error @below {{lookup_c3: expected an 'else' of the kind of 'index'}}
    %p = posenc.lookup %t[%i] else 0.0 : tensor<9xi64>
    posenc.yield %s : f32
  } -> !x
  return %r : !x
}

// -----

!x = tensor<2x8x4x64xf32>
func.func @dot_c1(%q: !x, %t: tensor<9x64xf32>) -> !x {
  %r = posenc.attention q(%q : !x) k(%q : !x) v(%q : !x) with(%q : !x, %t : tensor<9x64xf32>) score(%s, %b, %h, %i, %j) {
    // expected-error @below {{dot_c1: expected 3 and 1 indices, one per dimension but the last, but got 2 and 1}}
    %p = posenc.dot %q[%b, %h], %t[%i] : !x, tensor<9x64xf32>
    posenc.yield %p : f32
  } -> !x
  return %r : !x
}

// -----

!x = tensor<2x8x4x64xf32>
func.func @dot_c2(%q: !x, %t: tensor<9x32xf32>) -> !x {
  %r = posenc.attention q(%q : !x) k(%q : !x) v(%q : !x) with(%q : !x, %t : tensor<9x32xf32>) score(%s, %b, %h, %i, %j) {
    // expected-error @below {{dot_c2: expected rows of one static length}}
    %p = posenc.dot %q[%b, %h, %i], %t[%i] : !x, tensor<9x32xf32>
    posenc.yield %p : f32
  } -> !x
  return %r : !x
}

// -----

!x = tensor<2x8x4x64xf32>
func.func @dot_c3(%q: !x, %t: tensor<9x64xf32>) -> !x {
  %r = posenc.attention q(%q : !x) k(%q : !x) v(%q : !x) with(%q : !x, %t : tensor<9x64xf32>) score(%s, %b, %h, %i, %j) {
    %d = arith.subi %j, %i : index
    %c = posenc.row #posenc.band<-4, 4>(%d)
    // expected-error @below {{dot_c3: a row of a partial map may be missing: say what is read then by 'else'}}
    %p = posenc.dot %q[%b, %h, %i], %t[%c] : !x, tensor<9x64xf32>
    posenc.yield %p : f32
  } -> !x
  return %r : !x
}

// -----

!x = tensor<2x8x4x64xf32>
func.func @row_c1(%q: !x) -> !x {
  %r = posenc.attention q(%q : !x) k(%q : !x) v(%q : !x) score(%s, %b, %h, %i, %j) {
    // expected-error @below {{row_c1: the map takes 2 integers, but got 1}}
    %c = posenc.row #posenc.window<7, 7>(%i)
    posenc.yield %s : f32
  } -> !x
  return %r : !x
}

// -----

func.func @scores_c1(%q: tensor<2x8x4x64xf32>, %k: tensor<2x3x5x64xf32>) {
  // expected-error @below {{scores_c1: expected q [B,H,N,D], k [B,Hkv,M,D] and s [B,H,N,M] of f32}}
  %s = posenc.scores q(%q : tensor<2x8x4x64xf32>) k(%k : tensor<2x3x5x64xf32>) : tensor<2x8x4x5xf32>
  return
}

// -----

func.func @score_mod_c1(%s: tensor<2x8x4x5xbf16>) {
  // expected-error @below {{score_mod_c1: expected scores [B,H,N,M] of f32, but got 'tensor<2x8x4x5xbf16>'}}
  %r = posenc.score_mod s(%s : tensor<2x8x4x5xbf16>) score(%x, %b, %h, %i, %j) { posenc.yield %x : f32 }
  return
}

// -----

func.func @score_mod_c8(%s: tensor<2x8x4x5xf32>) {
  // expected-error @below {{score_mod_c8: the region's arguments must be}}
  %r = "posenc.score_mod"(%s) ({
  ^bb0(%x: f32):
    posenc.yield %x : f32
  }) : (tensor<2x8x4x5xf32>) -> tensor<2x8x4x5xf32>
  return
}

// -----

func.func @score_mod_c9(%s: tensor<2x8x4x5xf32>) {
  %r = posenc.score_mod s(%s : tensor<2x8x4x5xf32>) score(%x, %b, %h, %i, %j) {
    // expected-error @below {{score_mod_c9: a score region holds only ops of arith and math on scalars and score ops}}
    %m = memref.alloc() : memref<4xf32>
    posenc.yield %x : f32
  }
  return
}

// -----

func.func @score_mod_c10(%s: tensor<2x8x4x5xf32>) {
  // expected-error @below {{score_mod_c10: the region must end in posenc.yield}}
  %r = posenc.score_mod s(%s : tensor<2x8x4x5xf32>) score(%x, %b, %h, %i, %j) { llvm.unreachable }
  return
}

// -----

func.func @score_mod_c11(%s: tensor<2x8x4x5xf32>) {
  %r = posenc.score_mod s(%s : tensor<2x8x4x5xf32>) score(%x, %b, %h, %i, %j) {
    // expected-error @below {{score_mod_c11: expected 0 value rows, one per value table, but got 1}}
    posenc.yield %x : f32 value_rows(%i)
  }
  return
}

// -----

func.func @softmax_c1(%s: tensor<2x8x4x5xf32>, %sink: tensor<5xf32>) {
  // expected-error @below {{softmax_c1: expected a sink [H], but got 'tensor<5xf32>'}}
  %p = posenc.softmax s(%s : tensor<2x8x4x5xf32>) sink(%sink : tensor<5xf32>)
  return
}

// -----

func.func @softmax_c1_lse(%s: tensor<2x8x4x5xf32>) {
  // expected-error @below {{softmax_c1: expected a log-sum-exp [B,H,N] of f32, but got 'tensor<2x8x5xf32>'}}
  %p, %l = posenc.softmax s(%s : tensor<2x8x4x5xf32>) lse : tensor<2x8x5xf32>
  return
}

// -----

func.func @values_c1(%p: tensor<2x8x4x5xf32>, %v: tensor<2x8x4x64xf32>) {
  // expected-error @below {{values_c1: expected p [B,H,N,M] of f32, v [B,Hkv,M,Dv] and o [B,H,N,Dv]}}
  %o = posenc.values p(%p : tensor<2x8x4x5xf32>) v(%v : tensor<2x8x4x64xf32>) : tensor<2x8x4x64xf32>
  return
}

// -----

func.func @relative_c1(%s: tensor<2x8x4x5xf32>, %t: tensor<169x8xf32>) {
  // expected-error @below {{relative_c1: expected a map of one integer, but this one takes 2}}
  %r = posenc.relative_bias s(%s : tensor<2x8x4x5xf32>) table(%t : tensor<169x8xf32>) #posenc.window<7, 7>(delta)
  return
}

// -----

func.func @relative_c2(%s: tensor<2x8x4x5xf32>, %t: tensor<32x7xf32>) {
  // expected-error @below {{relative_c2: expected s [B,H,N,M] of f32, a table [C,H]}}
  %r = posenc.relative_bias s(%s : tensor<2x8x4x5xf32>) table(%t : tensor<32x7xf32>) #posenc.t5<32, 128, causal>(delta)
  return
}

// -----

func.func @relative_c3(%s: tensor<2x8x4x5xf32>, %q: tensor<2x8x5x64xf32>, %t: tensor<33x64xf32>) {
  // expected-error @below {{relative_c3: expected s [B,H,N,M] of f32, q [B,H,N,D] or k [B,Hkv,M,D], a table [C,D] or [H,C,D]}}
  %r = posenc.relative_logits s(%s : tensor<2x8x4x5xf32>) q(%q : tensor<2x8x5x64xf32>) table(%t : tensor<33x64xf32>) #posenc.clip<-16, 16>(delta)
  return
}

// -----

func.func @relative_c4(%o: tensor<2x8x4x64xf32>, %p: tensor<2x8x4x5xf32>, %t: tensor<33x32xf32>) {
  // expected-error @below {{relative_c4: expected o [B,H,N,Dv], p [B,H,N,M] of f32, a table [C,Dv] or [H,C,Dv]}}
  %r = posenc.relative_values o(%o : tensor<2x8x4x64xf32>) p(%p : tensor<2x8x4x5xf32>) table(%t : tensor<33x32xf32>) #posenc.clip<-16, 16>(delta)
  return
}

// -----

// The distance has no default: papers use either.
func.func @relation_is_required(%s: tensor<2x8x4x5xf32>, %t: tensor<32x8xf32>) {
  // expected-error @below {{expected string or keyword containing one of the following enum values for attribute 'of' [lag, delta]}}
  %r = posenc.relative_bias s(%s : tensor<2x8x4x5xf32>) table(%t : tensor<32x8xf32>) #posenc.t5<32, 128, causal>()
  return
}

// -----

// Results stand after the region where there is no destination.
!x = tensor<2x8x4x64xf32>
func.func @no_result(%q: !x) {
  // expected-error @below {{expected '->'}}
  posenc.attention q(%q : !x) k(%q : !x) v(%q : !x) score(%s, %b, %h, %i, %j) { posenc.yield %s : f32 }
  return
}

// -----

func.func @lookup_c4(%s: tensor<2x8x4x5xf32>, %t: tensor<32x8xf32>) {
  %r = posenc.score_mod s(%s : tensor<2x8x4x5xf32>) with(%t : tensor<32x8xf32>) score(%x, %b, %h, %i, %j) {
    %c = posenc.row #posenc.clip<-16, 16>(%j)
    // expected-error @below {{lookup_c4: the map has 33 rows, but the table only 32}}
    %p = posenc.lookup %t[%c, %h] : tensor<32x8xf32>
    posenc.yield %p : f32
  }
  return
}

// -----

func.func @dot_c4(%s: tensor<2x8x4x5xf32>, %q: tensor<2x8x4x64xf32>, %t: tensor<32x64xf32>) {
  %r = posenc.score_mod s(%s : tensor<2x8x4x5xf32>) with(%q : tensor<2x8x4x64xf32>, %t : tensor<32x64xf32>) score(%x, %b, %h, %i, %j) {
    %c = posenc.row #posenc.clip<-16, 16>(%j)
    // expected-error @below {{dot_c4: the map has 33 rows, but the table only 32}}
    %p = posenc.dot %q[%b, %h, %i], %t[%c] : tensor<2x8x4x64xf32>, tensor<32x64xf32>
    posenc.yield %p : f32
  }
  return
}

// -----

// The ops on tensors take no memrefs: they have no effects.
func.func @memref_table(%s: tensor<2x8x4x5xf32>, %t: memref<32x8xf32>) {
  // expected-error @below {{invalid kind of type specified: expected builtin.tensor, but found}}
  %r = posenc.relative_bias s(%s : tensor<2x8x4x5xf32>) table(%t : memref<32x8xf32>) #posenc.t5<32, 128, causal>(delta)
  return
}

// -----

func.func @memref_capture(%s: tensor<2x8x4x5xf32>, %t: memref<8xf32>) {
  // expected-error @below {{operand #1 must be}}
  %r = posenc.score_mod s(%s : tensor<2x8x4x5xf32>) with(%t : memref<8xf32>) score(%x, %b, %h, %i, %j) {
    posenc.yield %x : f32
  }
  return
}

// -----

!e = tensor<2x8x4x64xf32, 1 : i32>
func.func @encoding(%q: !e) {
  // expected-error @below {{operand #0 must be}}
  %r = posenc.attention q(%q : !e) k(%q : !e) v(%q : !e)
    score(%s, %b, %h, %i, %j) { posenc.yield %s : f32 } -> tensor<2x8x4x64xf32>
  return
}

// -----

func.func @not_a_table(%s: tensor<2x8x4x5xf32>, %t: f32) {
  %r = posenc.score_mod s(%s : tensor<2x8x4x5xf32>) with(%t : f32) score(%x, %b, %h, %i, %j) {
    // expected-error @below {{expected a table to look up in, but got 'f32'}}
    %e = posenc.lookup %t[%j] : f32
    posenc.yield %x : f32
  }
  return
}

// -----

func.func @literal(%s: tensor<2x8x4x5xf32>, %t: tensor<8xi1>) {
  %r = posenc.score_mod s(%s : tensor<2x8x4x5xf32>) with(%t : tensor<8xi1>) score(%x, %b, %h, %i, %j) {
    // expected-error @below {{expected a number, true or false}}
    %e = posenc.lookup %t[%j] else -true : tensor<8xi1>
    posenc.yield %x : f32
  }
  return
}

// -----

// What no lowering has is refused where it is written.
func.func @attention_c9_rounding(%s: tensor<2x8x4x5xf32>) {
  %r = posenc.score_mod s(%s : tensor<2x8x4x5xf32>) score(%x, %b, %h, %i, %j) {
    // expected-error @below {{score_mod_c9: a score region holds only ops of arith and math}}
    %y = arith.truncf %x upward : f32 to bf16
    posenc.yield %x : f32
  }
  return
}

// -----

// Two static extents disagree through a dynamic one.
!q = tensor<1x1x?x4xf32>
!o = tensor<1x1x6x4xf32>
func.func @attention_c7_out(%q: !q) {
  // expected-error @below {{attention_c7: expected a log-sum-exp [B,H,N] of f32}}
  %o, %l = posenc.attention q(%q : !q) k(%q : !q) v(%q : !q)
    score(%s, %b, %h, %i, %j) { posenc.yield %s : f32 } -> (!o, tensor<1x1x5xf32>)
  return
}

// -----

// The generic form may give an operand group any size.
!x = tensor<1x2x3x4xf32>
func.func @segments_attention(%q: !x) {
  // expected-error @below {{expected one operand in group 0 of its operands, but got 3}}
  %a = "posenc.attention"(%q, %q, %q) <{operandSegmentSizes = array<i32: 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>, resultSegmentSizes = array<i32: 1, 0>}> ({
  ^bb0(%s: f32, %b: index, %h: index, %r: index, %j: index):
    posenc.yield %s : f32
  }) : (!x, !x, !x) -> !x
  return
}

// -----

!x = tensor<1x2x3x4xf32>
func.func @segments_rotate(%x: !x, %p: index) {
  // expected-error @below {{expected one operand in group 5 of its operands, but got 0}}
  %a = "posenc.rotate"(%p) <{operandSegmentSizes = array<i32: 1, 0, 0, 0, 0, 0>, rope = #posenc.rope<half, base = 10000.0>}> : (index) -> !x
  return
}

// -----

func.func @segments_region(%s: tensor<2x8x4x5xf32>, %t: tensor<8x4xf32>) {
  %r = posenc.score_mod s(%s : tensor<2x8x4x5xf32>) with(%t : tensor<8x4xf32>) score(%x, %b, %h, %i, %j) {
    // expected-error @below {{expected one operand in group 0 of its operands, but got 2}}
    %d = "posenc.dot"(%t, %t) <{operandSegmentSizes = array<i32: 2, 0, 0, 0>}> : (tensor<8x4xf32>, tensor<8x4xf32>) -> f32
    posenc.yield %x : f32
  }
  return
}

// -----

func.func @segments_yield(%s: tensor<2x8x4x5xf32>) {
  %r = posenc.score_mod s(%s : tensor<2x8x4x5xf32>) score(%x, %b, %h, %i, %j) {
    // expected-error @below {{expected one operand in group 0 of its operands, but got 2}}
    "posenc.yield"(%x, %x) <{operandSegmentSizes = array<i32: 2, 0, 0>}> : (f32, f32) -> ()
  }
  return
}

// -----

!x = tensor<2x8x4x64xf32>
func.func @clause_order(%q: !x, %sink: tensor<8xf32>, %n: index) -> !x {
  // expected-error @below {{expected 'score' and its region; before it, in this order, may stand value_tables, sink, into and with}}
  %o = posenc.attention q(%q : !x) k(%q : !x) v(%q : !x) with(%n : index) sink(%sink : tensor<8xf32>)
      score(%s, %b, %h, %r, %j) {
    posenc.yield %s : f32
  } -> !x
  return %o : !x
}

// -----

func.func @no_region(%s: tensor<2x8x4x16xf32>) -> tensor<2x8x4x16xf32> {
  // expected-error @below {{expected 'score' and its region; before it, in this order, may stand with}}
  %z = posenc.score_mod s(%s : tensor<2x8x4x16xf32>) mask(%x, %b, %h, %r, %j) {
    posenc.yield %x : f32
  }
  return %z : tensor<2x8x4x16xf32>
}
