// ALiBi counts from the position of the query, not from the number of queries. (1) One query behind a cache of three
// keys more: its distances are 3 2 1 0; without them the result is the mean, 1.5. (2) Two queries at the end of four
// keys, both directions: |2 - j| and |3 - j|. The values are unit vectors, so that the result is the weights.
//
// RUN: %run-targets %s --function=causal --input=1x1x1x1xf32=0 --input=1x1x4x1xf32=0 \
// RUN:   --input=1x1x4x1xf32=0,1,2,3 --input=1xf32=0.5 --input=index=3 --expected-output=1x1x1x1xf32=2.08457649
// RUN: %run-targets %s --function=symmetric --input=1x1x2x1xf32=0 --input=1x1x4x1xf32=0 \
// RUN:   --input="1x1x4x4xf32=[1 0 0 0][0 1 0 0][0 0 1 0][0 0 0 1]" --input=1xf32=1 --input=index=2 \
// RUN:   --expected-output="1x1x2x4xf32=[0.0723294881 0.196611933 0.534446645 0.196611933][0.0320586033 0.0871443187 0.236882818 0.64391426]"

!x = tensor<?x1x?x1xf32>
!v = tensor<?x1x?x4xf32>

func.func @causal(%q: !x, %k: !x, %v: !x, %slopes: tensor<1xf32>, %past: index) -> !x {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x)
      with(%slopes : tensor<1xf32>, %past : index)
      score(%s, %b, %h, %r, %j) {
    %i = arith.addi %r, %past : index
    %lag = arith.subi %i, %j : index
    %li = arith.index_cast %lag : index to i32
    %x = arith.sitofp %li : i32 to f32
    %m = posenc.lookup %slopes[%h] : tensor<1xf32>
    %p = arith.mulf %m, %x : f32
    %z = arith.subf %s, %p : f32
    %keep = arith.cmpi sle, %j, %i : index
    posenc.yield %z : f32 keep %keep
  } -> !x
  return %o : !x
}

func.func @symmetric(%q: !x, %k: !x, %v: !v, %slopes: tensor<1xf32>, %past: index) -> !v {
  %o = posenc.attention q(%q : !x) k(%k : !x) v(%v : !v)
      with(%slopes : tensor<1xf32>, %past : index)
      score(%s, %b, %h, %r, %j) {
    %i = arith.addi %r, %past : index
    %lag = arith.subi %i, %j : index
    %dist = math.absi %lag : index
    %li = arith.index_cast %dist : index to i32
    %x = arith.sitofp %li : i32 to f32
    %m = posenc.lookup %slopes[%h] : tensor<1xf32>
    %p = arith.mulf %m, %x : f32
    %z = arith.subf %s, %p : f32
    posenc.yield %z : f32
  } -> !v
  return %o : !v
}
