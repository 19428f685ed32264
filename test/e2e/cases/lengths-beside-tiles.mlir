// Lengths that no tile divides: equal scores, value j at key j, so every result is a mean that one key too few or too
// many changes. 6 causal; 192 in both directions, 95.5 (71.625 if 64 zeros of padding counted); 1025 causal with a bias
// of zero, whose last query gives 512.
//
// RUN: %run-targets %s --function=causal --input=1x1x6x1xf32=0 --input=6xf32=0 \
// RUN:   --expected-output=1x1x6x1xf32=0,0.5,1,1.5,2,2.5
// RUN: %run-targets %s --function=full --input=1x1x192x1xf32=0 --expected-output=1x1x192x1xf32=95.5
// RUN: %run-targets %s --function=last --input=1x1x1025x1xf32=0 --input=1025xf32=0 --expected-output=1x1x1x1xf32=512

!x = tensor<1x1x?x1xf32>

func.func private @count(%like: !x) -> !x {
  %c2 = arith.constant 2 : index
  %n = tensor.dim %like, %c2 : !x
  %v = tensor.generate %n {
  ^bb0(%b: index, %h: index, %j: index, %d: index):
    %i = arith.index_cast %j : index to i32
    %x = arith.sitofp %i : i32 to f32
    tensor.yield %x : f32
  } : !x
  return %v : !x
}

func.func @causal(%q: !x, %bias: tensor<?xf32>) -> !x {
  %v = func.call @count(%q) : (!x) -> !x
  %o = posenc.attention q(%q : !x) k(%q : !x) v(%v : !x)
      with(%bias : tensor<?xf32>)
      score(%s, %b, %h, %r, %j) {
    %e = posenc.lookup %bias[%j] : tensor<?xf32>
    %z = arith.addf %s, %e : f32
    %keep = arith.cmpi sle, %j, %r : index
    posenc.yield %z : f32 keep %keep
  } -> !x
  return %o : !x
}

func.func @full(%q: !x) -> !x {
  %v = func.call @count(%q) : (!x) -> !x
  %o = posenc.attention q(%q : !x) k(%q : !x) v(%v : !x)
      score(%s, %b, %h, %r, %j) {
    posenc.yield %s : f32
  } -> !x
  return %o : !x
}

func.func @last(%q: !x, %bias: tensor<?xf32>) -> tensor<1x1x1x1xf32> {
  %o = func.call @causal(%q, %bias) : (!x, tensor<?xf32>) -> !x
  %row = tensor.extract_slice %o[0, 0, 1024, 0] [1, 1, 1, 1] [1, 1, 1, 1] : !x to tensor<1x1x1x1xf32>
  return %row : tensor<1x1x1x1xf32>
}
