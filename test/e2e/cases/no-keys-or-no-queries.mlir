// Without keys every query gives zero, without queries the result is empty, and so for a batch of nothing. Extents are
// known at run time only, or in the types; then sequences of 1 2 1 2 queries with 0 2 0 2 keys in one batch.
//
// RUN: %run-targets %s --function=attention --input=1x1x1x2xf32=1 --input=1x1x0x2xf32= --input=1x1x0x2xf32= \
// RUN:   --expected-output=1x1x1x2xf32=0 --expected-output=1x1x1xf32=-inf
// RUN: %run-targets %s --function=attention --input=2x1x0x2xf32= --input=2x1x3x2xf32=1 --input=2x1x3x2xf32=1 \
// RUN:   --expected-output=2x1x0x2xf32= --expected-output=2x1x0xf32=
// RUN: %run-targets %s --function=attention --input=1x1x0x2xf32= --input=1x1x0x2xf32= --input=1x1x0x2xf32= \
// RUN:   --expected-output=1x1x0x2xf32= --expected-output=1x1x0xf32=
// RUN: %run-targets %s --function=attention --input=0x1x3x2xf32= --input=0x1x3x2xf32= --input=0x1x3x2xf32= \
// RUN:   --expected-output=0x1x3x2xf32= --expected-output=0x1x3xf32=
// RUN: %run-targets %s --function=no_keys --input=1x1x3x2xf32=1 --input=1x1x0x2xf32= \
// RUN:   --expected-output=1x1x3x2xf32=0
// RUN: %run-targets %s --function=no_queries --input=1x1x0x2xf32= --input=1x1x3x2xf32=1 \
// RUN:   --expected-output=1x1x0x2xf32=
// RUN: %run-targets %s --function=lengths --input=4x1x2x1xf32=0 --input=4x1x2x1xf32=0 \
// RUN:   --input=4x1x2x1xf32=1,3,1,3,1,3,1,3 --input=4xi64=1,2,1,2 --input=4xi64=0,2,0,2 --expected-output=4x1x2x1xf32=0,0,2,2,0,0,2,2

!x = tensor<?x1x?x2xf32>

func.func @attention(%q: !x, %k: !x, %v: !x) -> (!x, tensor<?x1x?xf32>) {
  %o, %lse = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      score(%s, %b, %h, %r, %j) {
    posenc.yield %s : f32
  } -> (!x, tensor<?x1x?xf32>)
  return %o, %lse : !x, tensor<?x1x?xf32>
}

!three = tensor<1x1x3x2xf32>
!none = tensor<1x1x0x2xf32>

func.func @no_keys(%q: !three, %k: !none) -> !three {
  %o = posenc.attention q(%q : !three) k(%k : !none) v(%k : !none)
      score(%s, %b, %h, %r, %j) {
    posenc.yield %s : f32
  } -> !three
  return %o : !three
}

func.func @no_queries(%q: !none, %k: !three) -> !none {
  %o = posenc.attention q(%q : !none) k(%k : !three) v(%k : !three)
      score(%s, %b, %h, %r, %j) {
    posenc.yield %s : f32
  } -> !none
  return %o : !none
}

!y = tensor<?x1x?x1xf32>

func.func @lengths(%q: !y, %k: !y, %v: !y, %queries: tensor<?xi64>, %keys: tensor<?xi64>) -> !y {
  %o = posenc.attention q(%q : !y) k(%k : !y) v(%v : !y)
      with(%queries : tensor<?xi64>, %keys : tensor<?xi64>)
      score(%s, %b, %h, %r, %j) {
    %n = posenc.lookup %queries[%b] : tensor<?xi64>
    %m = posenc.lookup %keys[%b] : tensor<?xi64>
    %query = arith.cmpi slt, %r, %n : index
    %key = arith.cmpi slt, %j, %m : index
    %keep = arith.andi %query, %key : i1
    posenc.yield %s : f32 keep %keep
  } -> !y
  return %o : !y
}
