// Learned absolute positions: a row of a table [P, E] is added to each token before the projections. Models differ in which:
//
//   @from_past      row p = r + past                                                       GPT-2, BERT
//   @after_padding  row 1 + (tokens up to r that are no padding); padding itself has row 1  RoBERTa, ESM-1, OPT
//
// The table ends where training ended: longer texts have no rows. With a cache of keys, `past` counts the tokens before
// that are no padding.
//
// RUN: %posenc-run %s --function=from_past --input=1x2x2xf32=10,20,30,40 --input="4x2xf32=[0 1][2 3][4 5][6 7]" --input=index=2 \
// RUN:   --expected-output=1x2x2xf32=14,25,36,47
// RUN: %posenc-run %s --function=after_padding --input=1x6xi1=0,0,1,1,1,0 --expected-output=1x6xi64=1,1,2,3,4,1
// RUN: %posenc-run %s --function=after_padding --input=1x5xi1=0,0,1,1,1 --expected-output=1x5xi64=1,1,2,3,4

!x = tensor<?x?x?xf32>
!mask = tensor<?x?xi1>
!rows = tensor<?x?xi64>

func.func @from_past(%x: !x, %table: tensor<?x?xf32>, %past: index) -> !x {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %B = tensor.dim %x, %c0 : !x
  %N = tensor.dim %x, %c1 : !x
  %e = tensor.empty(%B, %N) : !rows
  %rows = linalg.generic {indexing_maps = [affine_map<(b, r) -> (b, r)>], iterator_types = ["parallel", "parallel"]}
      outs(%e : !rows) {
  ^bb0(%out: i64):
    %r = linalg.index 1 : index
    %p = arith.addi %r, %past : index
    %row = arith.index_cast %p : index to i64
    linalg.yield %row : i64
  } -> !rows
  %y = func.call @add_rows(%x, %table, %rows) : (!x, tensor<?x?xf32>, !rows) -> !x
  return %y : !x
}

// The rows of a table, added to tokens.
func.func @add_rows(%x: !x, %table: tensor<?x?xf32>, %rows: !rows) -> !x {
  %y = linalg.generic {
      indexing_maps = [affine_map<(b, r, c) -> (b, r)>, affine_map<(b, r, c) -> (b, r, c)>],
      iterator_types = ["parallel", "parallel", "parallel"]} ins(%rows : !rows) outs(%x : !x) {
  ^bb0(%row: i64, %in: f32):
    %c = linalg.index 2 : index
    %i = arith.index_cast %row : i64 to index
    %t = tensor.extract %table[%i, %c] : tensor<?x?xf32>
    %z = arith.addf %in, %t : f32
    linalg.yield %z : f32
  } -> !x
  return %y : !x
}

// For each token, how many tokens up to it are no padding.
func.func private @count(%real: !mask) -> !rows {
  %zero = arith.constant 0 : i64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %B = tensor.dim %real, %c0 : !mask
  %N = tensor.dim %real, %c1 : !mask
  %e = tensor.empty(%B, %N) : !rows
  %zeros = linalg.fill ins(%zero : i64) outs(%e : !rows) -> !rows
  %shape = tensor.empty(%N) : tensor<?xi1>
  %n = linalg.generic {
      indexing_maps = [affine_map<(b, r, t) -> (b, t)>, affine_map<(b, r, t) -> (r)>, affine_map<(b, r, t) -> (b, r)>],
      iterator_types = ["parallel", "parallel", "reduction"]} ins(%real, %shape : !mask, tensor<?xi1>) outs(%zeros : !rows) {
  ^bb0(%is_real: i1, %unused: i1, %sum: i64):
    %r = linalg.index 1 : index
    %t = linalg.index 2 : index
    %before = arith.cmpi ule, %t, %r : index
    %counts = arith.andi %is_real, %before : i1
    %one = arith.extui %counts : i1 to i64
    %s = arith.addi %sum, %one : i64
    linalg.yield %s : i64
  } -> !rows
  return %n : !rows
}

func.func @after_padding(%real: !mask) -> !rows {
  %n = func.call @count(%real) : (!mask) -> !rows
  %rows = linalg.generic {
      indexing_maps = [affine_map<(b, r) -> (b, r)>, affine_map<(b, r) -> (b, r)>], iterator_types = ["parallel", "parallel"]}
      ins(%real : !mask) outs(%n : !rows) {
  ^bb0(%is_real: i1, %count: i64):
    %padding = arith.constant 1 : i64
    %row = arith.addi %count, %padding : i64
    %y = arith.select %is_real, %row, %padding : i64
    linalg.yield %y : i64
  } -> !rows
  return %rows : !rows
}
