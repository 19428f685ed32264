// Relative vectors with a cache: the one new query stands at position 2 and its distances are -2 -1 0, on the key and
// on the value side; whoever counts from the number of queries gets 50.2. The step is the last row of the whole
// sequence.
//
// RUN: %run-targets %s --function=shaw --input="1x1x3x2xf32=[0.5 1][-1 0.5][1 -0.25]" \
// RUN:   --input="1x1x3x2xf32=[1 0][0 1][1 1]" --input=1x1x3x1xf32=1,2,3 --input=5x1xf32=10,20,30,40,50 \
// RUN:   --input="5x2xf32=[1 0][0.5 -1][0 2][-1 0.5][2 1]" --input=index=0 --expected-output=1x1x3x1xf32=46.7955149,35.2370409,15.4938364
// RUN: %run-targets %s --function=shaw --input="1x1x1x2xf32=1 -0.25" \
// RUN:   --input="1x1x3x2xf32=[1 0][0 1][1 1]" --input=1x1x3x1xf32=1,2,3 --input=5x1xf32=10,20,30,40,50 \
// RUN:   --input="5x2xf32=[1 0][0.5 -1][0 2][-1 0.5][2 1]" --input=index=2 --expected-output=1x1x1x1xf32=15.4938364

!x = tensor<?x1x?x2xf32>
!v = tensor<?x1x?x1xf32>

func.func @shaw(%q: !x, %k: !x, %v: !v, %relv: tensor<5x1xf32>, %rel: tensor<5x2xf32>, %past: index) -> !v {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !v)
      value_tables(%relv : tensor<5x1xf32>)
      with(%q : !x, %rel : tensor<5x2xf32>, %past : index)
      score(%s, %b, %h, %r, %j) {
    %i = arith.addi %r, %past : index
    %d = arith.subi %j, %i : index
    %row = posenc.row #posenc.clip<-2, 2>(%d)
    %p = posenc.dot %q[%b, %h, %r], %rel[%row] : !x, tensor<5x2xf32>
    %z = arith.addf %s, %p : f32
    posenc.yield %z : f32 value_rows(%row)
  } -> !v
  return %o : !v
}
