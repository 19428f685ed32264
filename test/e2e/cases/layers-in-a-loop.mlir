// A layer after the other: attention in a loop that carries a tensor. With zero queries each layer is the mean of its
// values, and the values are the last layer's output.
//
// RUN: %run-targets %s --function=layers "--input=1x1x2x1xf32=1 3" --expected-output=1x1x2x1xf32=2
// RUN: posenc-run %s --function=layers "--input=1x1x2x1xf32=1 3" --expected-output=1x1x2x1xf32=2 --compute-type=f64
// RUN: %run-targets %s --function=until "--input=1x1x2x1xf32=1 3" --expected-output=1x1x2x1xf32=2

!x = tensor<1x1x2x1xf32>

func.func @layers(%x: !x) -> !x {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %y = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> !x {
    %o = posenc.attention q(%a : !x) k(%a : !x) v(%a : !x) score(%s, %b, %h, %r, %j) {
      %zero = arith.constant 0.0 : f32
      posenc.yield %zero : f32
    } -> !x
    scf.yield %o : !x
  }
  return %y : !x
}

func.func @until(%x: !x) -> !x {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %y:2 = scf.while (%a = %x, %n = %c0) : (!x, index) -> (!x, index) {
    %more = arith.cmpi slt, %n, %c3 : index
    scf.condition(%more) %a, %n : !x, index
  } do {
  ^bb0(%a: !x, %n: index):
    %o = posenc.attention q(%a : !x) k(%a : !x) v(%a : !x) score(%s, %b, %h, %r, %j) {
      %zero = arith.constant 0.0 : f32
      posenc.yield %zero : f32
    } -> !x
    %next = arith.addi %n, %c1 : index
    scf.yield %o, %next : !x, index
  }
  return %y#0 : !x
}
