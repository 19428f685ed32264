// RUN: posenc-opt %s --posenc-print-extents -o /dev/null 2>&1 | FileCheck %s

!s = tensor<2x8x4x16xf32>

// Conditions are boxes of the lag and the key; where a union or a complement is none, they are bounded.
// CHECK-LABEL: extents of posenc.score_mod in @logic
// CHECK: [[W:%[a-z0-9]+]]: uniform {}, affine [[W]]{{$}}
// CHECK: [[P:%[a-z0-9]+]]: uniform {}, affine [[P]]{{$}}
func.func @logic(%x: !s, %w: index, %p: index, %flags: tensor<16xi1>) -> !s {
  %z = posenc.score_mod s(%x : !s) with(%w : index, %p : index, %flags : tensor<16xi1>) score(%s, %b, %h, %r, %j) {
    %d = arith.subi %j, %r : index
    // CHECK: arith.subi: lag {row, key}, affine -1 row + 1 key, varying [-inf, inf]{{$}}
    %c4 = arith.constant 4 : index
    // CHECK-NEXT: arith.constant: uniform {}, affine 4{{$}}
    %m4 = arith.constant -4 : index
    // CHECK-NEXT: arith.constant: uniform {}, affine -4{{$}}
    %true = arith.constant true
    // CHECK-NEXT: arith.constant: uniform {}, truth exact all{{$}}
    %false = arith.constant false
    // CHECK-NEXT: arith.constant: uniform {}, truth exact none{{$}}
    %below = arith.cmpi sle, %d, %w : index
    // CHECK-NEXT: arith.cmpi: lag {row, key}, varying {{\[}}[[W]], 1 + [[W]]], truth exact lag [-inf, [[W]]]{{$}}
    %above = arith.cmpi sge, %d, %m4 : index
    // CHECK-NEXT: arith.cmpi: lag {row, key}, varying [-5, -4], truth exact lag [-4, inf]{{$}}
    %prefix = arith.cmpi slt, %j, %p : index
    // CHECK-NEXT: arith.cmpi: key {key}, truth exact key [-inf, -1 + [[P]]]{{$}}
    %flag = posenc.lookup %flags[%j] : tensor<16xi1>
    // CHECK-NEXT: posenc.lookup: key {key}, truth may all, must none{{$}}
    %window = arith.andi %below, %above : i1
    // CHECK-NEXT: arith.andi: lag {row, key}, varying [-5, 1 + [[W]]], truth exact lag [-4, [[W]]]{{$}}
    %both = arith.andi %below, %prefix : i1
    // CHECK-NEXT: arith.andi: pair {row, key}, truth exact lag [-inf, [[W]]] key [-inf, -1 + [[P]]]{{$}}
    %masked = arith.andi %below, %flag : i1
    // CHECK-NEXT: arith.andi: pair {row, key}, truth may lag [-inf, [[W]]], must none{{$}}
    %either = arith.ori %below, %prefix : i1
    // CHECK-NEXT: arith.ori: pair {row, key}, truth may all, must lag [-inf, [[W]]]{{$}}
    %far = arith.cmpi sge, %d, %c4 : index
    // CHECK-NEXT: arith.cmpi: lag {row, key}, varying [3, 4], truth exact lag [4, inf]{{$}}
    %near = arith.cmpi sle, %d, %c4 : index
    // CHECK-NEXT: arith.cmpi: lag {row, key}, varying [4, 5], truth exact lag [-inf, 4]{{$}}
    %everything = arith.ori %far, %near : i1
    // CHECK-NEXT: arith.ori: lag {row, key}, truth exact all{{$}}
    %c3 = arith.constant 3 : index
    // CHECK-NEXT: arith.constant: uniform {}, affine 3{{$}}
    %less = arith.cmpi slt, %d, %c3 : index
    // CHECK-NEXT: arith.cmpi: lag {row, key}, varying [2, 3], truth exact lag [-inf, 2]{{$}}
    %gap = arith.ori %less, %far : i1
    // CHECK-NEXT: arith.ori: lag {row, key}, varying [2, 4], truth may all, must lag [-inf, 2]{{$}}
    %more = arith.ori %above, %far : i1
    // CHECK-NEXT: arith.ori: lag {row, key}, varying [-5, -4], truth exact lag [-4, inf]{{$}}
    %outside = arith.cmpi slt, %d, %m4 : index
    // CHECK-NEXT: arith.cmpi: lag {row, key}, varying [-5, -4], truth exact lag [-inf, -5]{{$}}
    %two = arith.ori %outside, %far : i1
    // CHECK-NEXT: arith.ori: lag {row, key}, varying [-5, 4], truth may all, must lag [-inf, -5]{{$}}
    %nothing = arith.andi %outside, %far : i1
    // CHECK-NEXT: arith.andi: lag {row, key}, truth exact none{{$}}
    %not = arith.xori %below, %true : i1
    // CHECK-NEXT: arith.xori: lag {row, key}, varying {{\[}}[[W]], 1 + [[W]]], truth exact lag [1 + [[W]], inf]{{$}}
    %unsigned = arith.cmpi ult, %d, %c4 : index
    // CHECK-NEXT: arith.cmpi: lag {row, key}, varying [-1, 4], truth exact lag [0, 3]{{$}}
    %beyond = arith.cmpi ugt, %j, %c4 : index
    // CHECK-NEXT: arith.cmpi: key {key}, truth may all, must none{{$}}
    %unknown = arith.cmpi ule, %d, %w : index
    // CHECK-NEXT: arith.cmpi: lag {row, key}, varying [-inf, inf], truth may all, must none{{$}}
    %notwindow = arith.xori %window, %true : i1
    // CHECK-NEXT: arith.xori: lag {row, key}, varying [-5, 1 + [[W]]], truth may all, must none{{$}}
    %same = arith.xori %below, %false : i1
    // CHECK-NEXT: arith.xori: lag {row, key}, varying {{\[}}[[W]], 1 + [[W]]], truth exact lag [-inf, [[W]]]{{$}}
    %chosen = arith.select %near, %above, %false : i1
    // CHECK-NEXT: arith.select: lag {row, key}, varying [-5, 5], truth exact lag [-4, 4]{{$}}
    posenc.yield %s : f32
  }
  return %z : !s
}

// A choice varies on either side as the value that the condition proves there. Minima and maxima are choices.
// CHECK-LABEL: extents of posenc.score_mod in @choices
// CHECK: [[W:%[a-z0-9]+]]: uniform {}, affine [[W]]{{$}}
// CHECK: [[P:%[a-z0-9]+]]: uniform {}, affine [[P]]{{$}}
func.func @choices(%x: !s, %w: index, %p: index, %t: tensor<33xf32>) -> !s {
  %z = posenc.score_mod s(%x : !s) with(%w : index, %p : index, %t : tensor<33xf32>) score(%s, %b, %h, %r, %j) {
    %d = arith.subi %j, %r : index
    // CHECK: arith.subi: lag {row, key}, affine -1 row + 1 key, varying [-inf, inf]{{$}}
    %c4 = arith.constant 4 : index
    // CHECK-NEXT: arith.constant: uniform {}, affine 4{{$}}
    %m4 = arith.constant -4 : index
    // CHECK-NEXT: arith.constant: uniform {}, affine -4{{$}}
    %zero = arith.constant 0.0 : f32
    // CHECK-NEXT: arith.constant: uniform {}{{$}}
    %row = posenc.row #posenc.clip<-16, 16>(%d)
    // CHECK-NEXT: posenc.row: lag {row, key}, varying [-16, 16]{{$}}
    %y = posenc.lookup %t[%row] : tensor<33xf32>
    // CHECK-NEXT: posenc.lookup: lag {row, key}, varying [-16, 16]{{$}}
    %at = posenc.lookup %t[%d] : tensor<33xf32>
    // CHECK-NEXT: posenc.lookup: lag {row, key}, varying [-inf, inf]{{$}}
    %past = arith.cmpi sle, %d, %w : index
    // CHECK-NEXT: arith.cmpi: lag {row, key}, varying {{\[}}[[W]], 1 + [[W]]], truth exact lag [-inf, [[W]]]{{$}}
    %causal = arith.select %past, %at, %zero : f32
    // CHECK-NEXT: arith.select: lag {row, key}, varying [-inf, 1 + [[W]]]{{$}}
    %future = arith.select %past, %zero, %y : f32
    // CHECK-NEXT: arith.select: lag {row, key}, varying {{\[}}[[W]], max(1 + [[W]], 16)]{{$}}
    %either = arith.select %past, %at, %y : f32
    // CHECK-NEXT: arith.select: lag {row, key}, varying [-inf, max(1 + [[W]], 16)]{{$}}
    %above = arith.cmpi sge, %d, %m4 : index
    // CHECK-NEXT: arith.cmpi: lag {row, key}, varying [-5, -4], truth exact lag [-4, inf]{{$}}
    %window = arith.andi %past, %above : i1
    // CHECK-NEXT: arith.andi: lag {row, key}, varying [-5, 1 + [[W]]], truth exact lag [-4, [[W]]]{{$}}
    %in = arith.select %window, %at, %zero : f32
    // CHECK-NEXT: arith.select: lag {row, key}, varying [-5, 1 + [[W]]]{{$}}
    %first = arith.cmpi slt, %j, %p : index
    // CHECK-NEXT: arith.cmpi: key {key}, truth exact key [-inf, -1 + [[P]]]{{$}}
    %bykey = arith.select %first, %y, %zero : f32
    // CHECK-NEXT: arith.select: pair {row, key}{{$}}
    %min = arith.minsi %d, %c4 : index
    // CHECK-NEXT: arith.minsi: lag {row, key}, varying [-inf, 4]{{$}}
    %minw = arith.minsi %w, %d : index
    // CHECK-NEXT: arith.minsi: lag {row, key}, varying [-inf, [[W]]]{{$}}
    %max = arith.maxsi %d, %c4 : index
    // CHECK-NEXT: arith.maxsi: lag {row, key}, varying [4, inf]{{$}}
    %back = arith.subi %w, %d : index
    // CHECK-NEXT: arith.subi: lag {row, key}, affine 1 row + -1 key + ([[W]]), varying [-inf, inf]{{$}}
    %minb = arith.minsi %back, %c4 : index
    // CHECK-NEXT: arith.minsi: lag {row, key}, varying [-4 + [[W]], inf]{{$}}
    %clamp = arith.maxsi %min, %m4 : index
    // CHECK-NEXT: arith.maxsi: lag {row, key}, varying [-4, 4]{{$}}
    %close = arith.cmpi slt, %min, %m4 : index
    // CHECK-NEXT: arith.cmpi: lag {row, key}, varying [-5, -4], truth exact lag [-inf, -5]{{$}}
    %pair = arith.minsi %r, %j : index
    // CHECK-NEXT: arith.minsi: pair {row, key}{{$}}
    posenc.yield %s : f32
  }
  return %z : !s
}

// A map of one integer varies where it says, partial ones too.
// CHECK-LABEL: extents of posenc.score_mod in @maps
// CHECK: [[P:%[a-z0-9]+]]: uniform {}, affine [[P]]{{$}}
func.func @maps(%x: !s, %p: index, %t: tensor<33xf32>) -> !s {
  %z = posenc.score_mod s(%x : !s) with(%p : index, %t : tensor<33xf32>) score(%s, %b, %h, %r, %j) {
    %i = arith.addi %r, %p : index
    // CHECK: arith.addi: row {row}, affine 1 row + ([[P]]){{$}}
    %d = arith.subi %j, %i : index
    // CHECK-NEXT: arith.subi: lag {row, key}, affine -1 row + 1 key + (-[[P]]), varying [-inf, inf]{{$}}
    %l = arith.subi %i, %j : index
    // CHECK-NEXT: arith.subi: lag {row, key}, affine 1 row + -1 key + ([[P]]), varying [-inf, inf]{{$}}
    %c3 = arith.constant 3 : index
    // CHECK-NEXT: arith.constant: uniform {}, affine 3{{$}}
    %clip = posenc.row #posenc.clip<-16, 4>(%d)
    // CHECK-NEXT: posenc.row: lag {row, key}, varying [-16 + [[P]], 4 + [[P]]]{{$}}
    %back = posenc.row #posenc.clip<-16, 4>(%l)
    // CHECK-NEXT: posenc.row: lag {row, key}, varying [-4 + [[P]], 16 + [[P]]]{{$}}
    %t5 = posenc.row #posenc.t5<32, 128, causal>(%d)
    // CHECK-NEXT: posenc.row: lag {row, key}, varying [-113 + [[P]], [[P]]]{{$}}
    %d3 = arith.muli %d, %c3 : index
    // CHECK-NEXT: arith.muli: lag {row, key}, affine -3 row + 3 key + (-3 * [[P]]), varying [-inf, inf]{{$}}
    %part = posenc.row #posenc.clip<-16, 4>(%d3)
    // CHECK-NEXT: posenc.row: lag {row, key}, varying [-inf, inf]{{$}}
    %e = arith.subi %j, %r : index
    // CHECK-NEXT: arith.subi: lag {row, key}, affine -1 row + 1 key, varying [-inf, inf]{{$}}
    %e3 = arith.muli %e, %c3 : index
    // CHECK-NEXT: arith.muli: lag {row, key}, affine -3 row + 3 key, varying [-inf, inf]{{$}}
    %third = posenc.row #posenc.clip<-16, 4>(%e3)
    // CHECK-NEXT: posenc.row: lag {row, key}, varying [-6, 2]{{$}}
    %band = posenc.row #posenc.band<-2, 2>(%d)
    // CHECK-NEXT: posenc.row: lag {row, key}, varying [-3 + [[P]], 3 + [[P]]]{{$}}
    %v = posenc.lookup %t[%band] else 0.0 : tensor<33xf32>
    // CHECK-NEXT: posenc.lookup: lag {row, key}, varying [-3 + [[P]], 3 + [[P]]]{{$}}
    %win = posenc.row #posenc.window<4, 4>(%r, %j)
    // CHECK-NEXT: posenc.row: pair {row, key}{{$}}
    %winl = posenc.row #posenc.window<4, 4>(%clip, %p)
    // CHECK-NEXT: posenc.row: lag {row, key}, varying [-16 + [[P]], 4 + [[P]]]{{$}}
    %rows = posenc.row #posenc.clip<0, 4>(%r)
    // CHECK-NEXT: posenc.row: row {row}{{$}}
    %twice = posenc.row #posenc.clip<0, 4>(%clip)
    // CHECK-NEXT: posenc.row: lag {row, key}, varying [-16 + [[P]], 4 + [[P]]]{{$}}
    %uniform = posenc.row #posenc.clip<0, 4>(%p)
    // CHECK-NEXT: [[UNIFORM:%[a-z0-9_]+]] = posenc.row: uniform {}, affine [[UNIFORM]]{{$}}
    posenc.yield %s : f32
  }
  return %z : !s
}

// Any other op is a function of its operands.
// CHECK-LABEL: extents of posenc.score_mod in @anything
func.func @anything(%x: !s, %w: index, %t: tensor<8xf32>, %u: tensor<16x64xf32>, %flag: i1) -> !s {
  %z = posenc.score_mod s(%x : !s) with(%w : index, %t : tensor<8xf32>, %u : tensor<16x64xf32>, %flag : i1) score(%s, %b, %h, %r, %j) {
    %d = arith.subi %j, %r : index
    // CHECK: arith.subi: lag {row, key}, affine -1 row + 1 key, varying [-inf, inf]{{$}}
    %phase = arith.remui %d, %w : index
    // CHECK-NEXT: arith.remui: lag {row, key}, varying [-inf, inf]{{$}}
    %uniform = arith.divui %w, %h : index
    // CHECK-NEXT: [[UNIFORM:%[a-z0-9_]+]] = arith.divui: uniform {head}, affine [[UNIFORM]]{{$}}
    %d32 = arith.index_cast %d : index to i32
    // CHECK-NEXT: arith.index_cast: lag {row, key}, affine -1 row + 1 key, varying [-inf, inf]{{$}}
    %f = arith.sitofp %d32 : i32 to f32
    // CHECK-NEXT: arith.sitofp: lag {row, key}, varying [-inf, inf]{{$}}
    %slope = posenc.lookup %t[%h] : tensor<8xf32>
    // CHECK-NEXT: posenc.lookup: uniform {head}{{$}}
    %bias = arith.mulf %f, %slope : f32
    // CHECK-NEXT: arith.mulf: lag {head, row, key}, varying [-inf, inf]{{$}}
    %g = posenc.lookup %t[%r] : tensor<8xf32>
    // CHECK-NEXT: posenc.lookup: row {row}{{$}}
    %scaled = arith.mulf %bias, %g : f32
    // CHECK-NEXT: arith.mulf: pair {head, row, key}{{$}}
    %dd = posenc.dot %u[%d], %u[%w] : tensor<16x64xf32>, tensor<16x64xf32>
    // CHECK-NEXT: posenc.dot: lag {row, key}, varying [-inf, inf]{{$}}
    %dp = posenc.dot %u[%d], %u[%j] : tensor<16x64xf32>, tensor<16x64xf32>
    // CHECK-NEXT: posenc.dot: pair {row, key}{{$}}
    %dk = posenc.dot %u[%w], %u[%j] : tensor<16x64xf32>, tensor<16x64xf32>
    // CHECK-NEXT: posenc.dot: key {key}{{$}}
    %lo, %hi = arith.mulsi_extended %d32, %d32 : i32
    // CHECK-NEXT: arith.mulsi_extended: lag {row, key}, varying [-inf, inf]{{$}}
    // CHECK-NEXT: arith.mulsi_extended: lag {row, key}, varying [-inf, inf]{{$}}
    %sum, %over = arith.addui_extended %d32, %d32 : i32, i1
    // CHECK-NEXT: arith.addui_extended: lag {row, key}, varying [-inf, inf]{{$}}
    // CHECK-NEXT: arith.addui_extended: lag {row, key}, varying [-inf, inf], truth may all, must none{{$}}
    %wlo, %whi = arith.mulsi_extended %w, %w : index
    // CHECK-NEXT: [[WLO:%[a-z0-9_]+]] = arith.mulsi_extended: uniform {}, affine [[WLO]]{{$}}
    // CHECK-NEXT: [[WHI:%[a-z0-9_]+]] = arith.mulsi_extended: uniform {}, affine [[WHI]]{{$}}
    %p = ub.poison : i1
    // CHECK-NEXT: ub.poison: uniform {}, truth may all, must none{{$}}
    %cond = arith.select %flag, %p, %over : i1
    // CHECK-NEXT: arith.select: lag {row, key}, varying [-inf, inf], truth may all, must none{{$}}
    %nan = arith.cmpf uno, %f, %s : f32
    // CHECK-NEXT: arith.cmpf: score {batch, head, row, key, score}, truth may all, must none{{$}}
    posenc.yield %s : f32
  }
  return %z : !s
}

// Ends of more than four forms are widened.
// CHECK-LABEL: extents of posenc.score_mod in @many
// CHECK: [[P:%[a-z0-9]+]]: uniform {}, affine [[P]]{{$}}
// CHECK: [[Q:%[a-z0-9]+]]: uniform {}, affine [[Q]]{{$}}
// CHECK: [[T:%[a-z0-9]+]]: uniform {}, affine [[T]]{{$}}
// CHECK: [[U:%[a-z0-9]+]]: uniform {}, affine [[U]]{{$}}
// CHECK: [[V:%[a-z0-9]+]]: uniform {}, affine [[V]]{{$}}
func.func @many(%x: !s, %p: index, %q: index, %t: index, %u: index, %v: index) -> !s {
  %z = posenc.score_mod s(%x : !s) with(%p : index, %q : index, %t : index, %u : index, %v : index) score(%s, %b, %h, %r, %j) {
    %d = arith.subi %j, %r : index
    // CHECK: arith.subi: lag {row, key}, affine -1 row + 1 key, varying [-inf, inf]{{$}}
    %1 = arith.cmpi sle, %d, %p : index
    // CHECK-NEXT: arith.cmpi: lag {row, key}, varying {{\[}}[[P]], 1 + [[P]]], truth exact lag [-inf, [[P]]]{{$}}
    %2 = arith.cmpi sle, %d, %q : index
    // CHECK-NEXT: arith.cmpi: lag {row, key}, varying {{\[}}[[Q]], 1 + [[Q]]], truth exact lag [-inf, [[Q]]]{{$}}
    %3 = arith.cmpi sle, %d, %t : index
    // CHECK-NEXT: arith.cmpi: lag {row, key}, varying {{\[}}[[T]], 1 + [[T]]], truth exact lag [-inf, [[T]]]{{$}}
    %4 = arith.cmpi sle, %d, %u : index
    // CHECK-NEXT: arith.cmpi: lag {row, key}, varying {{\[}}[[U]], 1 + [[U]]], truth exact lag [-inf, [[U]]]{{$}}
    %5 = arith.cmpi sle, %d, %v : index
    // CHECK-NEXT: arith.cmpi: lag {row, key}, varying {{\[}}[[V]], 1 + [[V]]], truth exact lag [-inf, [[V]]]{{$}}
    %two = arith.andi %1, %2 : i1
    // CHECK-NEXT: arith.andi: lag {row, key}, varying [min([[P]], [[Q]]), min(1 + [[P]], 1 + [[Q]])], truth exact lag [-inf, min([[P]], [[Q]])]{{$}}
    %three = arith.andi %two, %3 : i1
    // CHECK-NEXT: arith.andi: lag {row, key}, varying [min(min([[P]], [[Q]]), [[T]]), min(min(1 + [[P]], 1 + [[Q]]), 1 + [[T]])], truth exact lag [-inf, min(min([[P]], [[Q]]), [[T]])]{{$}}
    %four = arith.andi %three, %4 : i1
    // CHECK-NEXT: arith.andi: lag {row, key}, varying [min(min(min([[P]], [[Q]]), [[T]]), [[U]]), min(min(min(1 + [[P]], 1 + [[Q]]), 1 + [[T]]), 1 + [[U]])], truth exact lag [-inf, min(min(min([[P]], [[Q]]), [[T]]), [[U]])]{{$}}
    %five = arith.andi %four, %5 : i1
    // CHECK-NEXT: arith.andi: lag {row, key}, varying [-inf, min(min(min(1 + [[P]], 1 + [[Q]]), 1 + [[T]]), 1 + [[U]])], truth may lag [-inf, min(min(min([[P]], [[Q]]), [[T]]), [[U]])], must none{{$}}
    posenc.yield %s : f32
  }
  return %z : !s
}
