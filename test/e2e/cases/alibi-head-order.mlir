// The slopes are data in the order of the heads, which is not sorted where their number is no power of two: six heads
// have 1/4 1/16 1/64 1/256 and then 1/2 1/8, twelve have the eight of 8 heads and then four of 16. One key, one token
// behind the query: the score is minus the slope.
//
// RUN: %run-targets %s --function=six --input=1x6x1x1xf32=0 --input=1x6x1x1xf32=0 --input=1x6x1x1xf32=3 \
// RUN:   --input=6xf32=0.25,0.0625,0.015625,0.00390625,0.5,0.125 --input=index=1 --expected-output=1x6x1x1xf32=3 \
// RUN:   --expected-output=1x6x1xf32=-0.25,-0.0625,-0.015625,-0.00390625,-0.5,-0.125
// RUN: %run-targets %s --function=twelve --input=1x12x1x1xf32=0 --input=1x12x1x1xf32=0 --input=1x12x1x1xf32=3 \
// RUN:   --input=12xf32=0.5,0.25,0.125,0.0625,0.03125,0.015625,0.0078125,0.00390625,0.707106781,0.353553391,0.176776695,0.0883883476 \
// RUN:   --input=index=1 --expected-output=1x12x1x1xf32=3 \
// RUN:   --expected-output=1x12x1xf32=-0.5,-0.25,-0.125,-0.0625,-0.03125,-0.015625,-0.0078125,-0.00390625,-0.707106781,-0.353553391,-0.176776695,-0.0883883476

func.func @six(%q: tensor<?x6x?x1xf32>, %k: tensor<?x6x?x1xf32>, %v: tensor<?x6x?x1xf32>, %slopes: tensor<6xf32>, %past: index) -> (tensor<?x6x?x1xf32>, tensor<?x6x?xf32>) {
  %o, %lse = posenc.attention q(%q : tensor<?x6x?x1xf32>) k(%k : tensor<?x6x?x1xf32>) v(%v : tensor<?x6x?x1xf32>)
      with(%slopes : tensor<6xf32>, %past : index)
      score(%s, %b, %h, %r, %j) {
    %i = arith.addi %r, %past : index
    %lag = arith.subi %i, %j : index
    %li = arith.index_cast %lag : index to i32
    %x = arith.sitofp %li : i32 to f32
    %m = posenc.lookup %slopes[%h] : tensor<6xf32>
    %p = arith.mulf %m, %x : f32
    %z = arith.subf %s, %p : f32
    posenc.yield %z : f32
  } -> (tensor<?x6x?x1xf32>, tensor<?x6x?xf32>)
  return %o, %lse : tensor<?x6x?x1xf32>, tensor<?x6x?xf32>
}

func.func @twelve(%q: tensor<?x12x?x1xf32>, %k: tensor<?x12x?x1xf32>, %v: tensor<?x12x?x1xf32>, %slopes: tensor<12xf32>, %past: index) -> (tensor<?x12x?x1xf32>, tensor<?x12x?xf32>) {
  %o, %lse = posenc.attention q(%q : tensor<?x12x?x1xf32>) k(%k : tensor<?x12x?x1xf32>) v(%v : tensor<?x12x?x1xf32>)
      with(%slopes : tensor<12xf32>, %past : index)
      score(%s, %b, %h, %r, %j) {
    %i = arith.addi %r, %past : index
    %lag = arith.subi %i, %j : index
    %li = arith.index_cast %lag : index to i32
    %x = arith.sitofp %li : i32 to f32
    %m = posenc.lookup %slopes[%h] : tensor<12xf32>
    %p = arith.mulf %m, %x : f32
    %z = arith.subf %s, %p : f32
    posenc.yield %z : f32
  } -> (tensor<?x12x?x1xf32>, tensor<?x12x?xf32>)
  return %o, %lse : tensor<?x12x?x1xf32>, tensor<?x12x?xf32>
}
