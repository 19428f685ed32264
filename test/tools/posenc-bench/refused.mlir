// REQUIRES: posenc-bench

// What computes NaN is not timed, and the exit code says so.

// RUN: rm -rf %t && mkdir %t && cp %s %t/plain.mlir
// RUN: not posenc-bench --target=reference --examples=%t --case=plain/S:4 | FileCheck %s
// CHECK: plain/f32/D:64/S:4/T:1 ERROR OCCURRED: 'the result is not finite

//   %q  [B, H, N, D]   queries
//   %k  [B, H, M, D]   keys
//   %v  [B, H, M, Dv]  values
//   %o  [B, H, N, Dv]  result

!x = tensor<?x2x?x64xf32>

func.func @attention(%q: !x, %k: !x, %v: !x) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      score(%s, %b, %h, %r, %j) {
    %z = arith.subf %s, %s : f32
    %n = arith.divf %z, %z : f32
    posenc.yield %n : f32
  } -> !x
  return %o : !x
}
