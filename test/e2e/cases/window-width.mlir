// A causal window of four keys counts the query's own: query 7 sees 4 5 6 7, mean 5.5; with one key more it would be 5.
// Some libraries count to the left only: a left width of 3 is the same window.
//
// RUN: %run-targets %s --function=keys --input=1x1x8x1xf32=0 --input=1x1x8x1xf32=0 \
// RUN:   --input=1x1x8x1xf32=0,1,2,3,4,5,6,7 --input=index=4 --expected-output=1x1x8x1xf32=0,0.5,1,1.5,2.5,3.5,4.5,5.5
// RUN: %run-targets %s --function=left --input=1x1x8x1xf32=0 --input=1x1x8x1xf32=0 \
// RUN:   --input=1x1x8x1xf32=0,1,2,3,4,5,6,7 --input=index=3 --expected-output=1x1x8x1xf32=0,0.5,1,1.5,2.5,3.5,4.5,5.5

!x = tensor<?x1x?x1xf32>

func.func @keys(%q: !x, %k: !x, %v: !x, %w: index) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      with(%w : index)
      score(%s, %b, %h, %r, %j) {
    %lag = arith.subi %r, %j : index
    %keep = arith.cmpi sle, %j, %r : index
    %near = arith.cmpi slt, %lag, %w : index
    %both = arith.andi %keep, %near : i1
    posenc.yield %s : f32 keep %both
  } -> !x
  return %o : !x
}

func.func @left(%q: !x, %k: !x, %v: !x, %w: index) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      with(%w : index)
      score(%s, %b, %h, %r, %j) {
    %lag = arith.subi %r, %j : index
    %keep = arith.cmpi sle, %j, %r : index
    %near = arith.cmpi sle, %lag, %w : index
    %both = arith.andi %keep, %near : i1
    posenc.yield %s : f32 keep %both
  } -> !x
  return %o : !x
}
