// T5's buckets on both sides of every edge, and far out. Several edges (16, 32 and 64 in both directions) are exact
// values of the logarithm, where one ulp moves a distance into the next bucket, and a logarithm in bf16 is off
// elsewhere; so the same rows are asked for with every element type. Each query keeps one key, whose score is its
// bucket: the log-sum-exp.
//
// RUN: %run-targets %s --function=both_f32 --input=1x1x39x1xf32=0 \
// RUN:   --input=32xf32=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31 \
// RUN:   --input=39xi64=0,-1,1,-7,7,-8,8,-11,-12,11,12,-15,-16,15,16,-22,-23,22,23,-31,-32,31,32,-45,-46,45,46,-63,-64,63,64,-90,-91,90,91,-200,200,-100000,100000 \
// RUN:   --expected-output=1x1x39x1xf32=0 --expected-output=1x1x39xf32=0,1,17,7,23,8,24,8,9,24,25,9,10,25,26,10,11,26,27,11,12,27,28,12,13,28,29,13,14,29,30,14,15,30,31,15,31,15,31
// RUN: %run-targets %s --function=both_bf16 --input=1x1x39x1xbf16=0 \
// RUN:   --input=32xbf16=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31 \
// RUN:   --input=39xi64=0,-1,1,-7,7,-8,8,-11,-12,11,12,-15,-16,15,16,-22,-23,22,23,-31,-32,31,32,-45,-46,45,46,-63,-64,63,64,-90,-91,90,91,-200,200,-100000,100000 \
// RUN:   --expected-output=1x1x39x1xbf16=0 --expected-output=1x1x39xf32=0,1,17,7,23,8,24,8,9,24,25,9,10,25,26,10,11,26,27,11,12,27,28,12,13,28,29,13,14,29,30,14,15,30,31,15,31,15,31
// RUN: %run-targets %s --function=both_f16 --input=1x1x39x1xf16=0 \
// RUN:   --input=32xf16=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31 \
// RUN:   --input=39xi64=0,-1,1,-7,7,-8,8,-11,-12,11,12,-15,-16,15,16,-22,-23,22,23,-31,-32,31,32,-45,-46,45,46,-63,-64,63,64,-90,-91,90,91,-200,200,-100000,100000 \
// RUN:   --expected-output=1x1x39x1xf16=0 --expected-output=1x1x39xf32=0,1,17,7,23,8,24,8,9,24,25,9,10,25,26,10,11,26,27,11,12,27,28,12,13,28,29,13,14,29,30,14,15,30,31,15,31,15,31
// RUN: %run-targets %s --function=causal_f32 --input=1x1x37x1xf32=0 \
// RUN:   --input=32xf32=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31 \
// RUN:   --input=37xi64=5,0,-1,-15,-16,-18,-19,-20,-21,-23,-24,-26,-27,-30,-31,-34,-35,-39,-40,-45,-46,-51,-52,-58,-59,-66,-67,-76,-77,-86,-87,-98,-99,-112,-113,-128,-100000 \
// RUN:   --expected-output=1x1x37x1xf32=0 --expected-output=1x1x37xf32=0,0,1,15,16,16,17,17,18,18,19,19,20,20,21,21,22,22,23,23,24,24,25,25,26,26,27,27,28,28,29,29,30,30,31,31,31
// RUN: %run-targets %s --function=causal_bf16 --input=1x1x37x1xbf16=0 \
// RUN:   --input=32xbf16=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31 \
// RUN:   --input=37xi64=5,0,-1,-15,-16,-18,-19,-20,-21,-23,-24,-26,-27,-30,-31,-34,-35,-39,-40,-45,-46,-51,-52,-58,-59,-66,-67,-76,-77,-86,-87,-98,-99,-112,-113,-128,-100000 \
// RUN:   --expected-output=1x1x37x1xbf16=0 --expected-output=1x1x37xf32=0,0,1,15,16,16,17,17,18,18,19,19,20,20,21,21,22,22,23,23,24,24,25,25,26,26,27,27,28,28,29,29,30,30,31,31,31
// RUN: %run-targets %s --function=causal_f16 --input=1x1x37x1xf16=0 \
// RUN:   --input=32xf16=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31 \
// RUN:   --input=37xi64=5,0,-1,-15,-16,-18,-19,-20,-21,-23,-24,-26,-27,-30,-31,-34,-35,-39,-40,-45,-46,-51,-52,-58,-59,-66,-67,-76,-77,-86,-87,-98,-99,-112,-113,-128,-100000 \
// RUN:   --expected-output=1x1x37x1xf16=0 --expected-output=1x1x37xf32=0,0,1,15,16,16,17,17,18,18,19,19,20,20,21,21,22,22,23,23,24,24,25,25,26,26,27,27,28,28,29,29,30,30,31,31,31

func.func @both_f32(%x: tensor<1x1x?x1xf32>, %table: tensor<32xf32>, %delta: tensor<?xi64>) -> (tensor<1x1x?x1xf32>, tensor<1x1x?xf32>) {
  %o, %lse = posenc.attention q(%x : tensor<1x1x?x1xf32>) k(%x : tensor<1x1x?x1xf32>) v(%x : tensor<1x1x?x1xf32>)
      with(%table : tensor<32xf32>, %delta : tensor<?xi64>)
      score(%s, %b, %h, %r, %j) {
    %d = posenc.lookup %delta[%r] : tensor<?xi64>
    %c = posenc.row #posenc.t5<32, 128, bidirectional>(%d)
    %bucket = posenc.lookup %table[%c] : tensor<32xf32>
    %keep = arith.cmpi eq, %j, %r : index
    posenc.yield %bucket : f32 keep %keep
  } -> (tensor<1x1x?x1xf32>, tensor<1x1x?xf32>)
  return %o, %lse : tensor<1x1x?x1xf32>, tensor<1x1x?xf32>
}

func.func @both_bf16(%x: tensor<1x1x?x1xbf16>, %table: tensor<32xbf16>, %delta: tensor<?xi64>) -> (tensor<1x1x?x1xbf16>, tensor<1x1x?xf32>) {
  %o, %lse = posenc.attention q(%x : tensor<1x1x?x1xbf16>) k(%x : tensor<1x1x?x1xbf16>) v(%x : tensor<1x1x?x1xbf16>)
      with(%table : tensor<32xbf16>, %delta : tensor<?xi64>)
      score(%s, %b, %h, %r, %j) {
    %d = posenc.lookup %delta[%r] : tensor<?xi64>
    %c = posenc.row #posenc.t5<32, 128, bidirectional>(%d)
    %bucket = posenc.lookup %table[%c] : tensor<32xbf16>
    %keep = arith.cmpi eq, %j, %r : index
    posenc.yield %bucket : f32 keep %keep
  } -> (tensor<1x1x?x1xbf16>, tensor<1x1x?xf32>)
  return %o, %lse : tensor<1x1x?x1xbf16>, tensor<1x1x?xf32>
}

func.func @both_f16(%x: tensor<1x1x?x1xf16>, %table: tensor<32xf16>, %delta: tensor<?xi64>) -> (tensor<1x1x?x1xf16>, tensor<1x1x?xf32>) {
  %o, %lse = posenc.attention q(%x : tensor<1x1x?x1xf16>) k(%x : tensor<1x1x?x1xf16>) v(%x : tensor<1x1x?x1xf16>)
      with(%table : tensor<32xf16>, %delta : tensor<?xi64>)
      score(%s, %b, %h, %r, %j) {
    %d = posenc.lookup %delta[%r] : tensor<?xi64>
    %c = posenc.row #posenc.t5<32, 128, bidirectional>(%d)
    %bucket = posenc.lookup %table[%c] : tensor<32xf16>
    %keep = arith.cmpi eq, %j, %r : index
    posenc.yield %bucket : f32 keep %keep
  } -> (tensor<1x1x?x1xf16>, tensor<1x1x?xf32>)
  return %o, %lse : tensor<1x1x?x1xf16>, tensor<1x1x?xf32>
}

func.func @causal_f32(%x: tensor<1x1x?x1xf32>, %table: tensor<32xf32>, %delta: tensor<?xi64>) -> (tensor<1x1x?x1xf32>, tensor<1x1x?xf32>) {
  %o, %lse = posenc.attention q(%x : tensor<1x1x?x1xf32>) k(%x : tensor<1x1x?x1xf32>) v(%x : tensor<1x1x?x1xf32>)
      with(%table : tensor<32xf32>, %delta : tensor<?xi64>)
      score(%s, %b, %h, %r, %j) {
    %d = posenc.lookup %delta[%r] : tensor<?xi64>
    %c = posenc.row #posenc.t5<32, 128, causal>(%d)
    %bucket = posenc.lookup %table[%c] : tensor<32xf32>
    %keep = arith.cmpi eq, %j, %r : index
    posenc.yield %bucket : f32 keep %keep
  } -> (tensor<1x1x?x1xf32>, tensor<1x1x?xf32>)
  return %o, %lse : tensor<1x1x?x1xf32>, tensor<1x1x?xf32>
}

func.func @causal_bf16(%x: tensor<1x1x?x1xbf16>, %table: tensor<32xbf16>, %delta: tensor<?xi64>) -> (tensor<1x1x?x1xbf16>, tensor<1x1x?xf32>) {
  %o, %lse = posenc.attention q(%x : tensor<1x1x?x1xbf16>) k(%x : tensor<1x1x?x1xbf16>) v(%x : tensor<1x1x?x1xbf16>)
      with(%table : tensor<32xbf16>, %delta : tensor<?xi64>)
      score(%s, %b, %h, %r, %j) {
    %d = posenc.lookup %delta[%r] : tensor<?xi64>
    %c = posenc.row #posenc.t5<32, 128, causal>(%d)
    %bucket = posenc.lookup %table[%c] : tensor<32xbf16>
    %keep = arith.cmpi eq, %j, %r : index
    posenc.yield %bucket : f32 keep %keep
  } -> (tensor<1x1x?x1xbf16>, tensor<1x1x?xf32>)
  return %o, %lse : tensor<1x1x?x1xbf16>, tensor<1x1x?xf32>
}

func.func @causal_f16(%x: tensor<1x1x?x1xf16>, %table: tensor<32xf16>, %delta: tensor<?xi64>) -> (tensor<1x1x?x1xf16>, tensor<1x1x?xf32>) {
  %o, %lse = posenc.attention q(%x : tensor<1x1x?x1xf16>) k(%x : tensor<1x1x?x1xf16>) v(%x : tensor<1x1x?x1xf16>)
      with(%table : tensor<32xf16>, %delta : tensor<?xi64>)
      score(%s, %b, %h, %r, %j) {
    %d = posenc.lookup %delta[%r] : tensor<?xi64>
    %c = posenc.row #posenc.t5<32, 128, causal>(%d)
    %bucket = posenc.lookup %table[%c] : tensor<32xf16>
    %keep = arith.cmpi eq, %j, %r : index
    posenc.yield %bucket : f32 keep %keep
  } -> (tensor<1x1x?x1xf16>, tensor<1x1x?xf32>)
  return %o, %lse : tensor<1x1x?x1xf16>, tensor<1x1x?xf32>
}
