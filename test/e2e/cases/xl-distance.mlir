// Transformer-XL's position term without the shift that implementations use: score (i, j) meets row i + mem - j, and
// nothing of another query's row. (1) Three queries, term 10 i + c for row c counted from the farthest: 2; 11 12; 20 21
// 22. (2) Two queries behind a memory of three: the distances themselves.
//
// RUN: %run-targets %s --function=term --input=1x1x3x3xf32=0 --input="1x1x3x2xf32=[0 1][10 1][20 1]" \
// RUN:   --input="3x2xf32=[1 2][1 1][1 0]" --input=index=0 \
// RUN:   --expected-output="1x1x3x3xf32=[2 -inf -inf][11 12 -inf][20 21 22]"
// RUN: %run-targets %s --function=term --input=1x1x2x5xf32=0 --input="1x1x2x2xf32=[1 0][1 0]" \
// RUN:   --input="5x2xf32=[0 0][1 0][2 0][3 0][4 0]" --input=index=3 \
// RUN:   --expected-output="1x1x2x5xf32=[3 2 1 0 -inf][4 3 2 1 0]"

!s = tensor<?x1x?x?xf32>
!q = tensor<?x1x?x2xf32>

func.func @term(%scores: !s, %q: !q, %rel: tensor<?x2xf32>, %mem: index) -> !s {
  %z = posenc.score_mod s(%scores : !s) with(%q : !q, %rel : tensor<?x2xf32>, %mem : index) score(%s, %b, %h, %r, %j) {
    %i = arith.addi %r, %mem : index
    %lag = arith.subi %i, %j : index
    %p = posenc.dot %q[%b, %h, %r], %rel[%lag] : !q, tensor<?x2xf32>
    %y = arith.addf %s, %p : f32
    %keep = arith.cmpi sle, %j, %i : index
    posenc.yield %y : f32 keep %keep
  }
  return %z : !s
}
