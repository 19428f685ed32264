// Values that are made of one another twice, again and again: there are 2^30 ways back, and each value is computed once.
//
// RUN: %python %S/../regions.py %s --run=%posenc-run --target=loops
// RUN: %python %S/../regions.py %s --run=%posenc-run --target=cpu

!q = tensor<1x2x20x8xf32>
!k = tensor<1x2x70x8xf32>

func.func @sums(%q: !q, %k: !k, %v: !k) -> !q {
  %o = posenc.attention q(%q : !q) k(%k : !k) v(%v : !k) score(%s, %b, %h, %r, %j) {
    %half = arith.constant 0.5 : f32
    %t0 = arith.mulf %s, %half : f32
    %a0 = arith.mulf %t0, %half : f32
    %t1 = arith.addf %a0, %a0 : f32
    %a1 = arith.mulf %t1, %half : f32
    %t2 = arith.addf %a1, %a1 : f32
    %a2 = arith.mulf %t2, %half : f32
    %t3 = arith.addf %a2, %a2 : f32
    %a3 = arith.mulf %t3, %half : f32
    %t4 = arith.addf %a3, %a3 : f32
    %a4 = arith.mulf %t4, %half : f32
    %t5 = arith.addf %a4, %a4 : f32
    %a5 = arith.mulf %t5, %half : f32
    %t6 = arith.addf %a5, %a5 : f32
    %a6 = arith.mulf %t6, %half : f32
    %t7 = arith.addf %a6, %a6 : f32
    %a7 = arith.mulf %t7, %half : f32
    %t8 = arith.addf %a7, %a7 : f32
    %a8 = arith.mulf %t8, %half : f32
    %t9 = arith.addf %a8, %a8 : f32
    %a9 = arith.mulf %t9, %half : f32
    %t10 = arith.addf %a9, %a9 : f32
    %a10 = arith.mulf %t10, %half : f32
    %t11 = arith.addf %a10, %a10 : f32
    %a11 = arith.mulf %t11, %half : f32
    %t12 = arith.addf %a11, %a11 : f32
    %a12 = arith.mulf %t12, %half : f32
    %t13 = arith.addf %a12, %a12 : f32
    %a13 = arith.mulf %t13, %half : f32
    %t14 = arith.addf %a13, %a13 : f32
    %a14 = arith.mulf %t14, %half : f32
    %t15 = arith.addf %a14, %a14 : f32
    %a15 = arith.mulf %t15, %half : f32
    %t16 = arith.addf %a15, %a15 : f32
    %a16 = arith.mulf %t16, %half : f32
    %t17 = arith.addf %a16, %a16 : f32
    %a17 = arith.mulf %t17, %half : f32
    %t18 = arith.addf %a17, %a17 : f32
    %a18 = arith.mulf %t18, %half : f32
    %t19 = arith.addf %a18, %a18 : f32
    %a19 = arith.mulf %t19, %half : f32
    %t20 = arith.addf %a19, %a19 : f32
    %a20 = arith.mulf %t20, %half : f32
    %t21 = arith.addf %a20, %a20 : f32
    %a21 = arith.mulf %t21, %half : f32
    %t22 = arith.addf %a21, %a21 : f32
    %a22 = arith.mulf %t22, %half : f32
    %t23 = arith.addf %a22, %a22 : f32
    %a23 = arith.mulf %t23, %half : f32
    %t24 = arith.addf %a23, %a23 : f32
    %a24 = arith.mulf %t24, %half : f32
    %t25 = arith.addf %a24, %a24 : f32
    %a25 = arith.mulf %t25, %half : f32
    %t26 = arith.addf %a25, %a25 : f32
    %a26 = arith.mulf %t26, %half : f32
    %t27 = arith.addf %a26, %a26 : f32
    %a27 = arith.mulf %t27, %half : f32
    %t28 = arith.addf %a27, %a27 : f32
    %a28 = arith.mulf %t28, %half : f32
    %t29 = arith.addf %a28, %a28 : f32
    %a29 = arith.mulf %t29, %half : f32
    %t30 = arith.addf %a29, %a29 : f32
    posenc.yield %t30 : f32
  } -> !q
  return %o : !q
}

func.func @maxima(%q: !q, %k: !k, %v: !k) -> !q {
  %o = posenc.attention q(%q : !q) k(%k : !k) v(%v : !k) score(%s, %b, %h, %r, %j) {
    %half = arith.constant 0.5 : f32
    %t0 = arith.mulf %s, %half : f32
    %t1 = arith.maximumf %t0, %t0 : f32
    %t2 = arith.maximumf %t1, %t1 : f32
    %t3 = arith.maximumf %t2, %t2 : f32
    %t4 = arith.maximumf %t3, %t3 : f32
    %t5 = arith.maximumf %t4, %t4 : f32
    %t6 = arith.maximumf %t5, %t5 : f32
    %t7 = arith.maximumf %t6, %t6 : f32
    %t8 = arith.maximumf %t7, %t7 : f32
    %t9 = arith.maximumf %t8, %t8 : f32
    %t10 = arith.maximumf %t9, %t9 : f32
    %t11 = arith.maximumf %t10, %t10 : f32
    %t12 = arith.maximumf %t11, %t11 : f32
    %t13 = arith.maximumf %t12, %t12 : f32
    %t14 = arith.maximumf %t13, %t13 : f32
    %t15 = arith.maximumf %t14, %t14 : f32
    %t16 = arith.maximumf %t15, %t15 : f32
    %t17 = arith.maximumf %t16, %t16 : f32
    %t18 = arith.maximumf %t17, %t17 : f32
    %t19 = arith.maximumf %t18, %t18 : f32
    %t20 = arith.maximumf %t19, %t19 : f32
    %t21 = arith.maximumf %t20, %t20 : f32
    %t22 = arith.maximumf %t21, %t21 : f32
    %t23 = arith.maximumf %t22, %t22 : f32
    %t24 = arith.maximumf %t23, %t23 : f32
    %t25 = arith.maximumf %t24, %t24 : f32
    %t26 = arith.maximumf %t25, %t25 : f32
    %t27 = arith.maximumf %t26, %t26 : f32
    %t28 = arith.maximumf %t27, %t27 : f32
    %t29 = arith.maximumf %t28, %t28 : f32
    %t30 = arith.maximumf %t29, %t29 : f32
    posenc.yield %t30 : f32
  } -> !q
  return %o : !q
}

func.func @conditions(%q: !q, %k: !k, %v: !k) -> !q {
  %o = posenc.attention q(%q : !q) k(%k : !k) v(%v : !k) score(%s, %b, %h, %r, %j) {
    %half = arith.constant 0.5 : f32
    %t = arith.mulf %s, %half : f32
    %k0 = arith.cmpi sle, %j, %r : index
    %k1 = arith.ori %k0, %k0 : i1
    %k2 = arith.andi %k1, %k1 : i1
    %k3 = arith.ori %k2, %k2 : i1
    %k4 = arith.andi %k3, %k3 : i1
    %k5 = arith.ori %k4, %k4 : i1
    %k6 = arith.andi %k5, %k5 : i1
    %k7 = arith.ori %k6, %k6 : i1
    %k8 = arith.andi %k7, %k7 : i1
    %k9 = arith.ori %k8, %k8 : i1
    %k10 = arith.andi %k9, %k9 : i1
    %k11 = arith.ori %k10, %k10 : i1
    %k12 = arith.andi %k11, %k11 : i1
    %k13 = arith.ori %k12, %k12 : i1
    %k14 = arith.andi %k13, %k13 : i1
    %k15 = arith.ori %k14, %k14 : i1
    %k16 = arith.andi %k15, %k15 : i1
    %k17 = arith.ori %k16, %k16 : i1
    %k18 = arith.andi %k17, %k17 : i1
    %k19 = arith.ori %k18, %k18 : i1
    %k20 = arith.andi %k19, %k19 : i1
    %k21 = arith.ori %k20, %k20 : i1
    %k22 = arith.andi %k21, %k21 : i1
    %k23 = arith.ori %k22, %k22 : i1
    %k24 = arith.andi %k23, %k23 : i1
    %k25 = arith.ori %k24, %k24 : i1
    %k26 = arith.andi %k25, %k25 : i1
    %k27 = arith.ori %k26, %k26 : i1
    %k28 = arith.andi %k27, %k27 : i1
    %k29 = arith.ori %k28, %k28 : i1
    %k30 = arith.andi %k29, %k29 : i1
    posenc.yield %t : f32 keep %k30
  } -> !q
  return %o : !q
}

// Positions: of a condition.
func.func @positions(%q: !q, %k: !k, %v: !k) -> !q {
  %o = posenc.attention q(%q : !q) k(%k : !k) v(%v : !k) score(%s, %b, %h, %r, %j) {
    %u0 = arith.addi %j, %j : index
    %u1 = arith.addi %u0, %u0 : index
    %u2 = arith.addi %u1, %u1 : index
    %u3 = arith.addi %u2, %u2 : index
    %u4 = arith.addi %u3, %u3 : index
    %u5 = arith.addi %u4, %u4 : index
    %u6 = arith.addi %u5, %u5 : index
    %u7 = arith.addi %u6, %u6 : index
    %u8 = arith.addi %u7, %u7 : index
    %u9 = arith.addi %u8, %u8 : index
    %u10 = arith.addi %u9, %u9 : index
    %u11 = arith.addi %u10, %u10 : index
    %u12 = arith.addi %u11, %u11 : index
    %u13 = arith.addi %u12, %u12 : index
    %u14 = arith.addi %u13, %u13 : index
    %u15 = arith.addi %u14, %u14 : index
    %u16 = arith.addi %u15, %u15 : index
    %u17 = arith.addi %u16, %u16 : index
    %u18 = arith.addi %u17, %u17 : index
    %u19 = arith.addi %u18, %u18 : index
    %u20 = arith.addi %u19, %u19 : index
    %u21 = arith.addi %u20, %u20 : index
    %u22 = arith.addi %u21, %u21 : index
    %u23 = arith.addi %u22, %u22 : index
    %u24 = arith.addi %u23, %u23 : index
    %u25 = arith.addi %u24, %u24 : index
    %keep = arith.cmpi sle, %u25, %r : index
    %t = arith.constant 1 : index
    %n = arith.cmpi sge, %j, %t : index
    %or = arith.ori %keep, %n : i1
    posenc.yield %s : f32 keep %or
  } -> !q
  return %o : !q
}

// What is the same for all pairs: wraps around.
func.func @uniform(%q: !q, %k: !k, %v: !k, %n: index) -> !q {
  %o = posenc.attention q(%q : !q) k(%k : !k) v(%v : !k) with(%n : index) score(%s, %b, %h, %r, %j) {
    %u0 = arith.muli %n, %n : index
    %u1 = arith.muli %u0, %u0 : index
    %u2 = arith.muli %u1, %u1 : index
    %u3 = arith.muli %u2, %u2 : index
    %u4 = arith.muli %u3, %u3 : index
    %u5 = arith.muli %u4, %u4 : index
    %u6 = arith.muli %u5, %u5 : index
    %u7 = arith.muli %u6, %u6 : index
    %u8 = arith.muli %u7, %u7 : index
    %u9 = arith.muli %u8, %u8 : index
    %u10 = arith.muli %u9, %u9 : index
    %u11 = arith.muli %u10, %u10 : index
    %u12 = arith.muli %u11, %u11 : index
    %u13 = arith.muli %u12, %u12 : index
    %u14 = arith.muli %u13, %u13 : index
    %u15 = arith.muli %u14, %u14 : index
    %u16 = arith.muli %u15, %u15 : index
    %u17 = arith.muli %u16, %u16 : index
    %u18 = arith.muli %u17, %u17 : index
    %u19 = arith.muli %u18, %u18 : index
    %u20 = arith.muli %u19, %u19 : index
    %u21 = arith.muli %u20, %u20 : index
    %u22 = arith.muli %u21, %u21 : index
    %u23 = arith.muli %u22, %u22 : index
    %u24 = arith.muli %u23, %u23 : index
    %u25 = arith.muli %u24, %u24 : index
    %c = arith.cmpi sle, %u25, %j : index
    %e = arith.uitofp %c : i1 to f32
    %z = arith.addf %s, %e : f32
    posenc.yield %z : f32
  } -> !q
  return %o : !q
}

// A factor of a row.
func.func @row_factor(%q: !q, %k: !k, %v: !k, %t: tensor<20xf32>) -> !q {
  %o = posenc.attention q(%q : !q) k(%k : !k) v(%v : !k) with(%t : tensor<20xf32>) score(%s, %b, %h, %r, %j) {
    %half = arith.constant 0.5 : f32
    %x = posenc.lookup %t[%r] : tensor<20xf32>
    %a0 = arith.mulf %x, %half : f32
    %u0 = arith.addf %a0, %a0 : f32
    %a1 = arith.mulf %u0, %half : f32
    %u1 = arith.addf %a1, %a1 : f32
    %a2 = arith.mulf %u1, %half : f32
    %u2 = arith.addf %a2, %a2 : f32
    %a3 = arith.mulf %u2, %half : f32
    %u3 = arith.addf %a3, %a3 : f32
    %a4 = arith.mulf %u3, %half : f32
    %u4 = arith.addf %a4, %a4 : f32
    %a5 = arith.mulf %u4, %half : f32
    %u5 = arith.addf %a5, %a5 : f32
    %a6 = arith.mulf %u5, %half : f32
    %u6 = arith.addf %a6, %a6 : f32
    %a7 = arith.mulf %u6, %half : f32
    %u7 = arith.addf %a7, %a7 : f32
    %a8 = arith.mulf %u7, %half : f32
    %u8 = arith.addf %a8, %a8 : f32
    %a9 = arith.mulf %u8, %half : f32
    %u9 = arith.addf %a9, %a9 : f32
    %a10 = arith.mulf %u9, %half : f32
    %u10 = arith.addf %a10, %a10 : f32
    %a11 = arith.mulf %u10, %half : f32
    %u11 = arith.addf %a11, %a11 : f32
    %a12 = arith.mulf %u11, %half : f32
    %u12 = arith.addf %a12, %a12 : f32
    %a13 = arith.mulf %u12, %half : f32
    %u13 = arith.addf %a13, %a13 : f32
    %a14 = arith.mulf %u13, %half : f32
    %u14 = arith.addf %a14, %a14 : f32
    %a15 = arith.mulf %u14, %half : f32
    %u15 = arith.addf %a15, %a15 : f32
    %a16 = arith.mulf %u15, %half : f32
    %u16 = arith.addf %a16, %a16 : f32
    %a17 = arith.mulf %u16, %half : f32
    %u17 = arith.addf %a17, %a17 : f32
    %a18 = arith.mulf %u17, %half : f32
    %u18 = arith.addf %a18, %a18 : f32
    %a19 = arith.mulf %u18, %half : f32
    %u19 = arith.addf %a19, %a19 : f32
    %a20 = arith.mulf %u19, %half : f32
    %u20 = arith.addf %a20, %a20 : f32
    %a21 = arith.mulf %u20, %half : f32
    %u21 = arith.addf %a21, %a21 : f32
    %a22 = arith.mulf %u21, %half : f32
    %u22 = arith.addf %a22, %a22 : f32
    %a23 = arith.mulf %u22, %half : f32
    %u23 = arith.addf %a23, %a23 : f32
    %a24 = arith.mulf %u23, %half : f32
    %u24 = arith.addf %a24, %a24 : f32
    %a25 = arith.mulf %u24, %half : f32
    %u25 = arith.addf %a25, %a25 : f32
    %z = arith.mulf %s, %u25 : f32
    posenc.yield %z : f32
  } -> !q
  return %o : !q
}

// A term of a pair, through a scan.
func.func @scanned(%q: !q, %k: !k, %v: !k, %t: tensor<20x70xf32>) -> !q {
  %o = posenc.attention q(%q : !q) k(%k : !k) v(%v : !k) with(%t : tensor<20x70xf32>) score(%s, %b, %h, %r, %j) {
    %half = arith.constant 0.5 : f32
    %x = posenc.lookup %t[%r, %j] : tensor<20x70xf32>
    %a0 = arith.mulf %x, %half : f32
    %u0 = arith.addf %a0, %a0 : f32
    %a1 = arith.mulf %u0, %half : f32
    %u1 = arith.addf %a1, %a1 : f32
    %a2 = arith.mulf %u1, %half : f32
    %u2 = arith.addf %a2, %a2 : f32
    %a3 = arith.mulf %u2, %half : f32
    %u3 = arith.addf %a3, %a3 : f32
    %a4 = arith.mulf %u3, %half : f32
    %u4 = arith.addf %a4, %a4 : f32
    %a5 = arith.mulf %u4, %half : f32
    %u5 = arith.addf %a5, %a5 : f32
    %a6 = arith.mulf %u5, %half : f32
    %u6 = arith.addf %a6, %a6 : f32
    %a7 = arith.mulf %u6, %half : f32
    %u7 = arith.addf %a7, %a7 : f32
    %a8 = arith.mulf %u7, %half : f32
    %u8 = arith.addf %a8, %a8 : f32
    %a9 = arith.mulf %u8, %half : f32
    %u9 = arith.addf %a9, %a9 : f32
    %a10 = arith.mulf %u9, %half : f32
    %u10 = arith.addf %a10, %a10 : f32
    %a11 = arith.mulf %u10, %half : f32
    %u11 = arith.addf %a11, %a11 : f32
    %a12 = arith.mulf %u11, %half : f32
    %u12 = arith.addf %a12, %a12 : f32
    %a13 = arith.mulf %u12, %half : f32
    %u13 = arith.addf %a13, %a13 : f32
    %a14 = arith.mulf %u13, %half : f32
    %u14 = arith.addf %a14, %a14 : f32
    %a15 = arith.mulf %u14, %half : f32
    %u15 = arith.addf %a15, %a15 : f32
    %a16 = arith.mulf %u15, %half : f32
    %u16 = arith.addf %a16, %a16 : f32
    %a17 = arith.mulf %u16, %half : f32
    %u17 = arith.addf %a17, %a17 : f32
    %a18 = arith.mulf %u17, %half : f32
    %u18 = arith.addf %a18, %a18 : f32
    %a19 = arith.mulf %u18, %half : f32
    %u19 = arith.addf %a19, %a19 : f32
    %a20 = arith.mulf %u19, %half : f32
    %u20 = arith.addf %a20, %a20 : f32
    %a21 = arith.mulf %u20, %half : f32
    %u21 = arith.addf %a21, %a21 : f32
    %a22 = arith.mulf %u21, %half : f32
    %u22 = arith.addf %a22, %a22 : f32
    %a23 = arith.mulf %u22, %half : f32
    %u23 = arith.addf %a23, %a23 : f32
    %a24 = arith.mulf %u23, %half : f32
    %u24 = arith.addf %a24, %a24 : f32
    %a25 = arith.mulf %u24, %half : f32
    %u25 = arith.addf %a25, %a25 : f32
    %y = posenc.row_scan %u25 : f32
    %w = arith.mulf %y, %half : f32
    %z = arith.addf %s, %w : f32
    posenc.yield %z : f32
  } -> !q
  return %o : !q
}
