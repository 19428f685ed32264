// Two queries, five keys, equal scores, values 0 1 2 3 4. Aligned at the bottom right the queries see four and five
// keys, at the top left one and two. Both are in use, so the formula says which; with extents that are known or not.
//
// RUN: %run-targets %s --function=bottom_right --input=1x1x2x1xf32=0 --input=1x1x5x1xf32=0 \
// RUN:   --input=1x1x5x1xf32=0,1,2,3,4 --expected-output=1x1x2x1xf32=1.5,2
// RUN: %run-targets %s --function=top_left --input=1x1x2x1xf32=0 --input=1x1x5x1xf32=0 \
// RUN:   --input=1x1x5x1xf32=0,1,2,3,4 --expected-output=1x1x2x1xf32=0,0.5
// RUN: %run-targets %s --function=static_bottom_right --input=1x1x2x1xf32=0 --input=1x1x5x1xf32=0 \
// RUN:   --input=1x1x5x1xf32=0,1,2,3,4 --expected-output=1x1x2x1xf32=1.5,2

!x = tensor<?x1x?x1xf32>

func.func @bottom_right(%q: !x, %k: !x, %v: !x) -> !x {
  %c2 = arith.constant 2 : index
  %n = tensor.dim %q, %c2 : !x
  %m = tensor.dim %k, %c2 : !x
  %past = arith.subi %m, %n : index
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      with(%past : index)
      score(%s, %b, %h, %r, %j) {
    %i = arith.addi %r, %past : index
    %keep = arith.cmpi sle, %j, %i : index
    posenc.yield %s : f32 keep %keep
  } -> !x
  return %o : !x
}

func.func @top_left(%q: !x, %k: !x, %v: !x) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      score(%s, %b, %h, %r, %j) {
    %keep = arith.cmpi sle, %j, %r : index
    posenc.yield %s : f32 keep %keep
  } -> !x
  return %o : !x
}

!q = tensor<1x1x2x1xf32>
!k = tensor<1x1x5x1xf32>

func.func @static_bottom_right(%q: !q, %k: !k, %v: !k) -> !q {
  %past = arith.constant 3 : index
  %o = posenc.attention q(%q : !q) k(%k : !k) v(%v : !k)
      with(%past : index)
      score(%s, %b, %h, %r, %j) {
    %i = arith.addi %r, %past : index
    %keep = arith.cmpi sle, %j, %i : index
    posenc.yield %s : f32 keep %keep
  } -> !q
  return %o : !q
}
