// RUN: posenc-opt %s --posenc-print-extents -o /dev/null 2>&1 | FileCheck %s
// RUN: posenc-opt %s -o %t.before && posenc-opt %s --posenc-print-extents -o %t.after && diff %t.before %t.after
// RUN: posenc-opt %examples/deberta-v2.mlir --posenc-print-extents -o /dev/null 2>&1 | FileCheck %s --check-prefix=DEBERTA
// RUN: posenc-opt %examples/gptoss-sink-window.mlir --posenc-print-extents -o /dev/null 2>&1 | FileCheck %s --check-prefix=WINDOW
// RUN: posenc-opt %examples/swin-shifted.mlir --posenc-print-extents -o /dev/null 2>&1 | FileCheck %s --check-prefix=SWIN
// RUN: posenc-opt %examples/unpublished-periodic.mlir --posenc-print-extents -o /dev/null 2>&1 | FileCheck %s --check-prefix=PERIODIC

!s = tensor<2x8x4x16xf32>

// The page's example.
// CHECK-LABEL: extents of posenc.score_mod in @window
// CHECK: [[PAST:%[a-z0-9]+]]: uniform {}, affine [[PAST]]{{$}}
func.func @window(%s: !s, %t: tensor<33x8xf32>, %past: index) -> !s {
  %z = posenc.score_mod s(%s : !s) with(%t : tensor<33x8xf32>, %past : index)
      score(%x, %b, %h, %r, %j) {
    %i = arith.addi %r, %past : index
    // CHECK: arith.addi: row {row}, affine 1 row + ([[PAST]]){{$}}
    %d = arith.subi %j, %i : index
    // CHECK-NEXT: arith.subi: lag {row, key}, affine -1 row + 1 key + (-[[PAST]]), varying [-inf, inf]{{$}}
    %c = posenc.row #posenc.clip<-16, 16>(%d)
    // CHECK-NEXT: posenc.row: lag {row, key}, varying [-16 + [[PAST]], 16 + [[PAST]]]{{$}}
    %bias = posenc.lookup %t[%c, %h] : tensor<33x8xf32>
    // CHECK-NEXT: posenc.lookup: lag {head, row, key}, varying [-16 + [[PAST]], 16 + [[PAST]]]{{$}}
    %y = arith.addf %x, %bias : f32
    // CHECK-NEXT: arith.addf: score {batch, head, row, key, score}{{$}}
    %keep = arith.cmpi sle, %j, %i : index
    // CHECK-NEXT: arith.cmpi: lag {row, key}, varying {{\[}}[[PAST]], 1 + [[PAST]]], truth exact lag [-inf, [[PAST]]]{{$}}
    posenc.yield %y : f32 keep %keep
  }
  return %z : !s
}

// Sums, differences, multiples by constants and casts keep the affine form; what cancels does not count; any other
// uniform integer is a term.
// CHECK-LABEL: extents of posenc.score_mod in @affine
// CHECK: [[PAST:%[a-z0-9]+]]: uniform {}, affine [[PAST]]{{$}}
// CHECK: [[NEAR:%[a-z0-9]+]]: uniform {}, affine [[NEAR]]{{$}}
func.func @affine(%x: !s, %past: index, %len: tensor<2xi64>, %near: i32) -> !s {
  %z = posenc.score_mod s(%x : !s) with(%past : index, %len : tensor<2xi64>, %near : i32) score(%s, %b, %h, %r, %j) {
    %c2 = arith.constant 2 : index
    // CHECK: arith.constant: uniform {}, affine 2{{$}}
    %c3 = arith.constant 3 : index
    // CHECK-NEXT: arith.constant: uniform {}, affine 3{{$}}
    %n = posenc.lookup %len[%b] : tensor<2xi64>
    // CHECK-NEXT: [[N:%[a-z0-9_]+]] = posenc.lookup: uniform {batch}, affine [[N]]{{$}}
    %o = arith.subi %n, %past : index
    // CHECK-NEXT: arith.subi: uniform {batch}, affine [[N]] - [[PAST]]{{$}}
    %i = arith.addi %r, %o : index
    // CHECK-NEXT: arith.addi: row {batch, row}, affine 1 row + ([[N]] - [[PAST]]){{$}}
    %d = arith.subi %j, %i : index
    // CHECK-NEXT: arith.subi: lag {batch, row, key}, affine -1 row + 1 key + (-[[N]] + [[PAST]]), varying [-inf, inf]{{$}}
    %m = arith.muli %c3, %d : index
    // CHECK-NEXT: arith.muli: lag {batch, row, key}, affine -3 row + 3 key + (-3 * [[N]] + 3 * [[PAST]]), varying [-inf, inf]{{$}}
    %l = arith.shli %m, %c2 : index
    // CHECK-NEXT: arith.shli: lag {batch, row, key}, affine -12 row + 12 key + (-12 * [[N]] + 12 * [[PAST]]), varying [-inf, inf]{{$}}
    %a = arith.addi %l, %c2 : index
    // CHECK-NEXT: arith.addi: lag {batch, row, key}, affine -12 row + 12 key + (2 - 12 * [[N]] + 12 * [[PAST]]), varying [-inf, inf]{{$}}
    %d32 = arith.index_cast %d : index to i32
    // CHECK-NEXT: arith.index_cast: lag {batch, row, key}, affine -1 row + 1 key + (-[[N]] + [[PAST]]), varying [-inf, inf]{{$}}
    %e32 = arith.addi %d32, %near : i32
    // CHECK-NEXT: arith.addi: lag {batch, row, key}, affine -1 row + 1 key + (-[[N]] + [[PAST]] + [[NEAR]]), varying [-inf, inf]{{$}}
    %d64 = arith.extsi %e32 : i32 to i64
    // CHECK-NEXT: arith.extsi: lag {batch, row, key}, affine -1 row + 1 key + (-[[N]] + [[PAST]] + [[NEAR]]), varying [-inf, inf]{{$}}
    %t32 = arith.trunci %d64 : i64 to i32
    // CHECK-NEXT: arith.trunci: lag {batch, row, key}, affine -1 row + 1 key + (-[[N]] + [[PAST]] + [[NEAR]]), varying [-inf, inf]{{$}}
    %rj = arith.addi %r, %j : index
    // CHECK-NEXT: arith.addi: pair {row, key}, affine 1 row + 1 key{{$}}
    %key = arith.subi %rj, %r : index
    // CHECK-NEXT: arith.subi: key {key}, affine 1 key{{$}}
    %zero = arith.subi %rj, %rj : index
    // CHECK-NEXT: arith.subi: uniform {}, affine 0{{$}}
    %q = arith.muli %past, %n : index
    // CHECK-NEXT: [[Q:%[a-z0-9_]+]] = arith.muli: uniform {batch}, affine [[Q]]{{$}}
    %dq = arith.addi %d, %q : index
    // CHECK-NEXT: arith.addi: lag {batch, row, key}, affine -1 row + 1 key + (-[[N]] + [[PAST]] + [[Q]]), varying [-inf, inf]{{$}}
    posenc.yield %s : f32
  }
  return %z : !s
}

// Products with what is no constant, integers of less than 32 bits, unsigned casts, large numbers.
// CHECK-LABEL: extents of posenc.score_mod in @negative_affine
func.func @negative_affine(%x: !s, %past: index, %byte: i8) -> !s {
  %z = posenc.score_mod s(%x : !s) with(%past : index, %byte : i8) score(%s, %b, %h, %r, %j) {
    %d = arith.subi %j, %r : index
    // CHECK: arith.subi: lag {row, key}, affine -1 row + 1 key, varying [-inf, inf]{{$}}
    %m = arith.muli %d, %past : index
    // CHECK-NEXT: arith.muli: lag {row, key}, varying [-inf, inf]{{$}}
    %d16 = arith.index_cast %d : index to i16
    // CHECK-NEXT: arith.index_cast: lag {row, key}, varying [-inf, inf]{{$}}
    %w = arith.extsi %d16 : i16 to i32
    // CHECK-NEXT: arith.extsi: lag {row, key}, varying [-inf, inf]{{$}}
    %u = arith.extsi %byte : i8 to i32
    // CHECK-NEXT: [[U:%[a-z0-9_]+]] = arith.extsi: uniform {}, affine [[U]]{{$}}
    %huge = arith.constant 9223372036854775807 : index
    // CHECK-NEXT: arith.constant: uniform {}{{$}}
    %c = arith.constant 40000 : index
    // CHECK-NEXT: arith.constant: uniform {}, affine 40000{{$}}
    %f = arith.muli %d, %c : index
    // CHECK-NEXT: arith.muli: lag {row, key}, varying [-inf, inf]{{$}}
    %e = arith.index_castui %d : index to i64
    // CHECK-NEXT: arith.index_castui: lag {row, key}, varying [-inf, inf]{{$}}
    %i = arith.fptosi %s : f32 to i64
    // CHECK-NEXT: arith.fptosi: score {batch, head, row, key, score}{{$}}
    posenc.yield %s : f32
  }
  return %z : !s
}

// A comparison is one of the difference: of the lag though neither side is, of the key, or of nothing known.
// CHECK-LABEL: extents of posenc.score_mod in @comparisons
// CHECK: [[PAST:%[a-z0-9]+]]: uniform {}, affine [[PAST]]{{$}}
func.func @comparisons(%x: !s, %past: index) -> !s {
  %z = posenc.score_mod s(%x : !s) with(%past : index) score(%s, %b, %h, %r, %j) {
    %c3 = arith.constant 3 : index
    // CHECK: arith.constant: uniform {}, affine 3{{$}}
    %i = arith.addi %r, %past : index
    // CHECK-NEXT: arith.addi: row {row}, affine 1 row + ([[PAST]]){{$}}
    %sle = arith.cmpi sle, %j, %i : index
    // CHECK-NEXT: arith.cmpi: lag {row, key}, varying {{\[}}[[PAST]], 1 + [[PAST]]], truth exact lag [-inf, [[PAST]]]{{$}}
    %slt = arith.cmpi slt, %j, %i : index
    // CHECK-NEXT: arith.cmpi: lag {row, key}, varying [-1 + [[PAST]], [[PAST]]], truth exact lag [-inf, -1 + [[PAST]]]{{$}}
    %sge = arith.cmpi sge, %j, %i : index
    // CHECK-NEXT: arith.cmpi: lag {row, key}, varying [-1 + [[PAST]], [[PAST]]], truth exact lag {{\[}}[[PAST]], inf]{{$}}
    %sgt = arith.cmpi sgt, %j, %i : index
    // CHECK-NEXT: arith.cmpi: lag {row, key}, varying {{\[}}[[PAST]], 1 + [[PAST]]], truth exact lag [1 + [[PAST]], inf]{{$}}
    %eq = arith.cmpi eq, %j, %i : index
    // CHECK-NEXT: arith.cmpi: lag {row, key}, varying [-1 + [[PAST]], 1 + [[PAST]]], truth exact lag {{\[}}[[PAST]], [[PAST]]]{{$}}
    %ne = arith.cmpi ne, %j, %i : index
    // CHECK-NEXT: arith.cmpi: lag {row, key}, varying [-1 + [[PAST]], 1 + [[PAST]]], truth may all, must none{{$}}
    %d = arith.subi %r, %j : index
    // CHECK-NEXT: arith.subi: lag {row, key}, affine 1 row + -1 key, varying [-inf, inf]{{$}}
    %d3 = arith.muli %d, %c3 : index
    // CHECK-NEXT: arith.muli: lag {row, key}, affine 3 row + -3 key, varying [-inf, inf]{{$}}
    %c7 = arith.constant 7 : index
    // CHECK-NEXT: arith.constant: uniform {}, affine 7{{$}}
    %third = arith.cmpi sle, %d3, %c7 : index
    // CHECK-NEXT: arith.cmpi: lag {row, key}, varying [-3, -2], truth exact lag [-2, inf]{{$}}
    %point = arith.cmpi eq, %d3, %c7 : index
    // CHECK-NEXT: arith.cmpi: lag {row, key}, truth exact none{{$}}
    %prefix = arith.cmpi slt, %j, %past : index
    // CHECK-NEXT: arith.cmpi: key {key}, truth exact key [-inf, -1 + [[PAST]]]{{$}}
    %first = arith.cmpi sge, %b, %j : index
    // CHECK-NEXT: arith.cmpi: key {batch, key}, truth exact key [-inf, %b]{{$}}
    %known = arith.cmpi slt, %c3, %c7 : index
    // CHECK-NEXT: arith.cmpi: uniform {}, truth exact all{{$}}
    posenc.yield %s : f32
  }
  return %z : !s
}

// CHECK-LABEL: extents of posenc.score_mod in @negative_comparisons
// CHECK: [[PAST:%[a-z0-9]+]]: uniform {}, affine [[PAST]]{{$}}
func.func @negative_comparisons(%x: !s, %past: index) -> !s {
  %z = posenc.score_mod s(%x : !s) with(%past : index) score(%s, %b, %h, %r, %j) {
    %c3 = arith.constant 3 : index
    // CHECK: arith.constant: uniform {}, affine 3{{$}}
    %d = arith.subi %j, %r : index
    // CHECK-NEXT: arith.subi: lag {row, key}, affine -1 row + 1 key, varying [-inf, inf]{{$}}
    %d3 = arith.muli %d, %c3 : index
    // CHECK-NEXT: arith.muli: lag {row, key}, affine -3 row + 3 key, varying [-inf, inf]{{$}}
    %part = arith.cmpi sle, %d3, %past : index
    // CHECK-NEXT: arith.cmpi: lag {row, key}, varying [-inf, inf], truth may all, must none{{$}}
    %row = arith.cmpi slt, %r, %past : index
    // CHECK-NEXT: arith.cmpi: row {row}, truth may all, must none{{$}}
    %uniform = arith.cmpi slt, %c3, %past : index
    // CHECK-NEXT: arith.cmpi: uniform {}, truth may all, must none{{$}}
    %sum = arith.addi %r, %j : index
    // CHECK-NEXT: arith.addi: pair {row, key}, affine 1 row + 1 key{{$}}
    %pair = arith.cmpi slt, %sum, %past : index
    // CHECK-NEXT: arith.cmpi: pair {row, key}, truth may all, must none{{$}}
    %ult = arith.cmpi ult, %j, %r : index
    // CHECK-NEXT: arith.cmpi: pair {row, key}, truth may all, must none{{$}}
    %lagult = arith.cmpi ult, %d, %c3 : index
    // CHECK-NEXT: arith.cmpi: lag {row, key}, varying [-1, 3], truth exact lag [0, 2]{{$}}
    %low = arith.minsi %d, %c3 : index
    // CHECK-NEXT: arith.minsi: lag {row, key}, varying [-inf, 3]{{$}}
    %low8 = arith.index_cast %low : index to i8
    // CHECK-NEXT: arith.index_cast: lag {row, key}, varying [-inf, 3]{{$}}
    %high = arith.maxsi %d, %past : index
    // CHECK-NEXT: arith.maxsi: lag {row, key}, varying {{\[}}[[PAST]], inf]{{$}}
    %high8 = arith.index_cast %high : index to i8
    // CHECK-NEXT: arith.index_cast: lag {row, key}, varying {{\[}}[[PAST]], inf]{{$}}
    %narrow = arith.cmpi sle, %low8, %high8 : i8
    // CHECK-NEXT: arith.cmpi: lag {row, key}, varying [-inf, inf], truth may all, must none{{$}}
    posenc.yield %s : f32
  }
  return %z : !s
}

// |x| is the greater of x and -x.
// CHECK-LABEL: extents of posenc.score_mod in @magnitudes
// CHECK: [[W:%[a-z0-9]+]]: uniform {}, affine [[W]]{{$}}
func.func @magnitudes(%x: !s, %w: index) -> !s {
  %z = posenc.score_mod s(%x : !s) with(%w : index) score(%s, %b, %h, %r, %j) {
    %c8 = arith.constant 8 : i32
    // CHECK: arith.constant: uniform {}, affine 8{{$}}
    %d = arith.subi %j, %r : index
    // CHECK-NEXT: arith.subi: lag {row, key}, affine -1 row + 1 key, varying [-inf, inf]{{$}}
    %a = math.absi %d : index
    // CHECK-NEXT: math.absi: lag {row, key}, varying [-inf, inf]{{$}}
    %le = arith.cmpi sle, %a, %w : index
    // CHECK-NEXT: arith.cmpi: lag {row, key}, varying [-1 - [[W]], 1 + [[W]]], truth exact lag [-[[W]], [[W]]]{{$}}
    %lt = arith.cmpi sgt, %w, %a : index
    // CHECK-NEXT: arith.cmpi: lag {row, key}, varying [-[[W]], [[W]]], truth exact lag [1 - [[W]], -1 + [[W]]]{{$}}
    %gt = arith.cmpi sgt, %a, %w : index
    // CHECK-NEXT: arith.cmpi: lag {row, key}, varying [-1 - [[W]], 1 + [[W]]], truth may all, must lag [1 + [[W]], inf]{{$}}
    %eq = arith.cmpi eq, %a, %w : index
    // CHECK-NEXT: arith.cmpi: lag {row, key}, varying [-1 - [[W]], 1 + [[W]]], truth may lag [-[[W]], [[W]]], must none{{$}}
    %ne = arith.cmpi ne, %a, %w : index
    // CHECK-NEXT: arith.cmpi: lag {row, key}, varying [-1 - [[W]], 1 + [[W]]], truth may all, must none{{$}}
    %a32 = arith.index_cast %a : index to i32
    // CHECK-NEXT: arith.index_cast: lag {row, key}, varying [-inf, inf]{{$}}
    %near = arith.cmpi slt, %a32, %c8 : i32
    // CHECK-NEXT: arith.cmpi: lag {row, key}, varying [-8, 8], truth exact lag [-7, 7]{{$}}
    %aj = math.absi %j : index
    // CHECK-NEXT: math.absi: key {key}{{$}}
    %wedge = arith.cmpi sle, %aj, %r : index
    // CHECK-NEXT: arith.cmpi: pair {row, key}, truth may lag [-inf, 0], must none{{$}}
    posenc.yield %s : f32
  }
  return %z : !s
}

// A capture has the name that the op prints.
!m = memref<2x8x16x64xf16, strided<[?, ?, ?, ?]>>
// CHECK-LABEL: extents of posenc.attention in @attention
// CHECK: [[PAST:%[a-z0-9]+]]: uniform {}, affine [[PAST]]{{$}}
func.func @attention(%m: !m, %t: memref<33x64xf32>) {
  %pair:2 = func.call @two() : () -> (index, index)
  posenc.attention q(%m : !m) k(%m : !m) v(%m : !m) value_tables(%t : memref<33x64xf32>)
      into(%m : !m) with(%m : !m, %past = %pair#1 : index) score(%s, %b, %h, %r, %j) {
    %i = arith.addi %r, %past : index
    // CHECK: arith.addi: row {row}, affine 1 row + ([[PAST]]){{$}}
    %keep = arith.cmpi sle, %j, %i : index
    // CHECK-NEXT: arith.cmpi: lag {row, key}, varying {{\[}}[[PAST]], 1 + [[PAST]]], truth exact lag [-inf, [[PAST]]]{{$}}
    posenc.yield %s : f32 keep %keep value_rows(%i)
  }
  return
}
func.func private @two() -> (index, index)

// The key's mask is no box. Content to position and back are pairs, though the row is of the lag.
// DEBERTA: posenc.row: lag {row, key}, varying [-506, 512]
// DEBERTA: posenc.dot: pair {batch, head, row, key}
// DEBERTA: posenc.lookup: row {batch, row}, truth may all, must none
// DEBERTA: posenc.lookup: key {batch, key}, truth may all, must none
// DEBERTA: arith.andi: pair {batch, row, key}, truth may all, must none

// WINDOW: arith.andi: lag {row, key}, varying [-128 + [[PAST:%[a-z0-9]+]], 1 + [[PAST]]], truth exact lag [-127 + [[PAST]], [[PAST]]]

// SWIN: posenc.row: pair {row, key}
// SWIN: arith.remui: uniform {batch}
// SWIN: arith.cmpi: pair {batch, row, key}, truth may all, must none

// PERIODIC: arith.subf: lag {head, row, key}, varying [-inf, inf]
// PERIODIC: arith.cmpi: lag {row, key}, {{.*}} truth exact lag [-inf, %{{[a-z0-9]+}}]
