// What a removed pair computes has no effect, were it undefined: a division by zero, a shift by all bits, a NaN or a huge
// number as an integer and so as an index. Key 0 is removed, and its value, 100, is not seen.
//
// RUN: %run-targets %s --function=remainder --input=1x1x1x1xf32=0 --input=1x1x3x1xf32=0 "--input=1x1x3x1xf32=100 1 1" \
// RUN:   "--input=3xi64=0 1 1" --expected-output=1x1x1x1xf32=1
// RUN: posenc-run %s --function=remainder --input=1x1x1x1xf32=0 --input=1x1x3x1xf32=0 "--input=1x1x3x1xf32=100 1 1" \
// RUN:   "--input=3xi64=0 1 1" --expected-output=1x1x1x1xf32=1 --compute-type=f64
// RUN: %run-targets %s --function=quotient --input=1x1x1x1xf32=0 --input=1x1x3x1xf32=0 "--input=1x1x3x1xf32=100 1 1" \
// RUN:   "--input=3xi64=0 1 1" "--input=3xi1=0 1 1" --expected-output=1x1x1x1xf32=1
// RUN: %run-targets %s --function=quotient --input=1x1x1x1xf32=0 --input=1x1x3x1xf32=0 "--input=1x1x3x1xf32=100 1 1" \
// RUN:   "--input=3xi64=-1 1 1" "--input=3xi1=0 1 1" --expected-output=1x1x1x1xf32=1
// RUN: %run-targets %s --function=shift --input=1x1x1x1xf32=0 --input=1x1x3x1xf32=0 "--input=1x1x3x1xf32=100 1 1" \
// RUN:   --input=4xf32=1 --expected-output=1x1x1x1xf32=1
// RUN: %run-targets %s --function=from_float --input=1x1x1x1xf32=1 "--input=1x1x3x1xf32=nan 1 2" \
// RUN:   "--input=1x1x3x1xf32=100 1 1" --input=4xf32=1 --expected-output=1x1x1x1xf32=1
// RUN: %run-targets %s --function=from_float --input=1x1x1x1xf32=1 "--input=1x1x3x1xf32=-inf 1 2" \
// RUN:   "--input=1x1x3x1xf32=100 1 1" --input=4xf32=1 --expected-output=1x1x1x1xf32=1
// RUN: %run-targets %s --function=from_float --input=1x1x1x1xf32=1 "--input=1x1x3x1xf32=1e30 1 2" \
// RUN:   "--input=1x1x3x1xf32=100 1 1" --input=4xf32=1 --expected-output=1x1x1x1xf32=1

!q = tensor<1x1x1x1xf32>
!k = tensor<1x1x3x1xf32>

func.func @remainder(%q: !q, %k: !k, %v: !k, %n: tensor<3xi64>) -> !q {
  %o = posenc.attention q(%q : !q) k(%k : !k) v(%v : !k) with(%n : tensor<3xi64>) score(%s, %b, %h, %r, %j) {
    %c0 = arith.constant 0 : index
    %d = posenc.lookup %n[%j] : tensor<3xi64>
    %keep = arith.cmpi ne, %d, %c0 : index
    %m = arith.remui %j, %d : index
    %i = arith.index_cast %m : index to i64
    %z = arith.sitofp %i : i64 to f32
    posenc.yield %z : f32 keep %keep
  } -> !q
  return %o : !q
}

// Also the least integer by -1, which does not fit.
func.func @quotient(%q: !q, %k: !k, %v: !k, %n: tensor<3xi64>, %kept: tensor<3xi1>) -> !q {
  %o = posenc.attention q(%q : !q) k(%k : !k) v(%v : !k) with(%n : tensor<3xi64>, %kept : tensor<3xi1>)
      score(%s, %b, %h, %r, %j) {
    %least = arith.constant -9223372036854775808 : index
    %d = posenc.lookup %n[%j] : tensor<3xi64>
    %keep = posenc.lookup %kept[%j] : tensor<3xi1>
    %x = arith.divsi %least, %d : index
    %y = arith.floordivsi %least, %d : index
    %w = arith.ceildivsi %x, %d : index
    %m = arith.remsi %y, %d : index
    %u = arith.divui %w, %d : index
    %t = arith.ceildivui %u, %d : index
    %e = arith.addi %t, %m : index
    %zero = arith.subi %e, %e : index
    %i = arith.index_cast %zero : index to i64
    %z = arith.sitofp %i : i64 to f32
    posenc.yield %z : f32 keep %keep
  } -> !q
  return %o : !q
}

func.func @shift(%q: !q, %k: !k, %v: !k, %t: tensor<4xf32>) -> !q {
  %o = posenc.attention q(%q : !q) k(%k : !k) v(%v : !k) with(%t : tensor<4xf32>) score(%s, %b, %h, %r, %j) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %keep = arith.cmpi ne, %j, %c0 : index
    %amount = arith.select %keep, %c0, %c64 : index
    %x = arith.shrsi %j, %amount : index
    %y = arith.shli %x, %amount : index
    %i = arith.shrui %y, %amount : index
    %z = posenc.lookup %t[%i] : tensor<4xf32>
    posenc.yield %z : f32 keep %keep
  } -> !q
  return %o : !q
}

func.func @from_float(%q: !q, %k: !k, %v: !k, %t: tensor<4xf32>) -> !q {
  %o = posenc.attention q(%q : !q) k(%k : !k) v(%v : !k) with(%t : tensor<4xf32>) score(%s, %b, %h, %r, %j) {
    %c0 = arith.constant 0 : index
    %keep = arith.cmpi ne, %j, %c0 : index
    %f = arith.addf %s, %s fastmath<nnan, ninf> : f32
    %i32 = arith.fptosi %f : f32 to i32
    %u32 = arith.fptoui %f : f32 to i32
    %a = arith.index_cast %i32 : i32 to index
    %b0 = arith.index_castui %u32 : i32 to index
    %x = posenc.lookup %t[%a] : tensor<4xf32>
    %y = posenc.lookup %t[%b0] : tensor<4xf32>
    %d = arith.subf %x, %y : f32
    %zero = arith.mulf %d, %d : f32
    %even = arith.subf %zero, %zero : f32
    posenc.yield %even : f32 keep %keep
  } -> !q
  return %o : !q
}
