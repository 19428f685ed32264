// Rows of Swin's table for every pair of tokens, read through a table that counts: windows of 2 x 2, 2 x 3 and 3 x 2,
// where the stride is 2 width - 1 whatever the height. Queries run down, keys across.
//
// RUN: %run-targets %s --function=rows_2x2 --input=1x1x4x4xf32=0 --input=9xf32=0,1,2,3,4,5,6,7,8 \
// RUN:   --expected-output="1x1x4x4xf32=[4 3 1 0][5 4 2 1][7 6 4 3][8 7 5 4]"
// RUN: %run-targets %s --function=rows_2x3 --input=1x1x6x6xf32=0 --input=15xf32=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14 \
// RUN:   --expected-output="1x1x6x6xf32=[7 6 5 2 1 0][8 7 6 3 2 1][9 8 7 4 3 2][12 11 10 7 6 5][13 12 11 8 7 6][14 13 12 9 8 7]"
// RUN: %run-targets %s --function=rows_3x2 --input=1x1x6x6xf32=0 --input=15xf32=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14 \
// RUN:   --expected-output="1x1x6x6xf32=[7 6 4 3 1 0][8 7 5 4 2 1][10 9 7 6 4 3][11 10 8 7 5 4][13 12 10 9 7 6][14 13 11 10 8 7]"

func.func @rows_2x2(%scores: tensor<1x1x4x4xf32>, %table: tensor<9xf32>) -> tensor<1x1x4x4xf32> {
  %z = posenc.score_mod s(%scores : tensor<1x1x4x4xf32>) with(%table : tensor<9xf32>) score(%s, %b, %h, %r, %j) {
    %row = posenc.row #posenc.window<2, 2>(%r, %j)
    %bias = posenc.lookup %table[%row] : tensor<9xf32>
    %y = arith.addf %s, %bias : f32
    posenc.yield %y : f32
  }
  return %z : tensor<1x1x4x4xf32>
}

func.func @rows_2x3(%scores: tensor<1x1x6x6xf32>, %table: tensor<15xf32>) -> tensor<1x1x6x6xf32> {
  %z = posenc.score_mod s(%scores : tensor<1x1x6x6xf32>) with(%table : tensor<15xf32>) score(%s, %b, %h, %r, %j) {
    %row = posenc.row #posenc.window<2, 3>(%r, %j)
    %bias = posenc.lookup %table[%row] : tensor<15xf32>
    %y = arith.addf %s, %bias : f32
    posenc.yield %y : f32
  }
  return %z : tensor<1x1x6x6xf32>
}

func.func @rows_3x2(%scores: tensor<1x1x6x6xf32>, %table: tensor<15xf32>) -> tensor<1x1x6x6xf32> {
  %z = posenc.score_mod s(%scores : tensor<1x1x6x6xf32>) with(%table : tensor<15xf32>) score(%s, %b, %h, %r, %j) {
    %row = posenc.row #posenc.window<3, 2>(%r, %j)
    %bias = posenc.lookup %table[%row] : tensor<15xf32>
    %y = arith.addf %s, %bias : f32
    posenc.yield %y : f32
  }
  return %z : tensor<1x1x6x6xf32>
}
