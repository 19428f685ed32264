// Functions of all forms: several results, scalars, memory that is written, calls, and results that are arguments.

!x = tensor<?x2x?x8xf32>

func.func @attend(%q: !x, %k: !x, %v: !x) -> (!x, tensor<?x2x?xf32>) {
  %o, %lse = posenc.attention q(%q : !x) k(%k : !x) v(%v : !x) score(%s, %b, %h, %r, %j) {
    posenc.yield %s : f32
  } -> (!x, tensor<?x2x?xf32>)
  return %o, %lse : !x, tensor<?x2x?xf32>
}

// The memory of the first product is freed when the second one does not fit.
func.func @twice(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %f = arith.constant 0.0 : f32
  %n = tensor.dim %x, %zero : tensor<?x?xf32>
  %m = tensor.dim %y, %one : tensor<?x?xf32>
  %empty = tensor.empty(%n, %m) : tensor<?x?xf32>
  %zeros = linalg.fill ins(%f : f32) outs(%empty : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = linalg.matmul ins(%x, %y : tensor<?x?xf32>, tensor<?x?xf32>) outs(%zeros : tensor<?x?xf32>) -> tensor<?x?xf32>
  %z = linalg.matmul ins(%p, %y : tensor<?x?xf32>, tensor<?x?xf32>) outs(%zeros : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %z : tensor<?x?xf32>
}

func.func private @double(%x: tensor<?xf64>) -> tensor<?xf64> {
  %y = arith.addf %x, %x : tensor<?xf64>
  return %y : tensor<?xf64>
}

// Calls, a scalar result, and names that are none in C.
func.func @sum(%int: tensor<?xf64>, %0: i1, %a.b: f32) -> (f64, i1, i64) {
  %zero = arith.constant 0 : index
  %f = arith.constant 0.0 : f64
  %y = call @double(%int) : (tensor<?xf64>) -> tensor<?xf64>
  %z = call @same(%y) : (tensor<?xf64>) -> tensor<?xf64>
  %init = tensor.from_elements %f : tensor<f64>
  %t = linalg.reduce ins(%z : tensor<?xf64>) outs(%init : tensor<f64>) dimensions = [0]
      (%a: f64, %b: f64) {
        %c = arith.addf %a, %b : f64
        linalg.yield %c : f64
      }
  %s = tensor.extract %t[] : tensor<f64>
  %g = arith.extf %a.b : f32 to f64
  %u = arith.addf %s, %g : f64
  %seven = arith.constant 7 : i64
  return %u, %0, %seven : f64, i1, i64
}

func.func @same(%x: tensor<?xf64>) -> tensor<?xf64> {
  return %x : tensor<?xf64>
}

func.func @swap(%a: tensor<3xbf16>, %b: tensor<3xbf16>) -> (tensor<3xbf16>, tensor<3xbf16>) {
  return %b, %a : tensor<3xbf16>, tensor<3xbf16>
}

func.func @increase(%x: memref<2x?xi32>, %y: memref<2x?xi32, strided<[?, 1]>>, %by: i32) {
  linalg.generic {
      indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
      iterator_types = ["parallel", "parallel"]}
      ins(%y : memref<2x?xi32, strided<[?, 1]>>) outs(%x : memref<2x?xi32>) {
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %by : i32
    linalg.yield %c : i32
  }
  return
}

func.func @first(%x: tensor<?xi64>, %i: index) -> i64 {
  %zero = arith.constant 0 : index
  %n = tensor.dim %x, %zero : tensor<?xi64>
  %inside = arith.cmpi ult, %i, %n : index
  cf.assert %inside, "i is\nno index of x"
  %e = tensor.extract %x[%i] : tensor<?xi64>
  return %e : i64
}

// Threads, of which each may find an index that is none.
func.func @gather(%x: memref<?xf32>, %at: memref<?xindex>, %y: memref<?xf32>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = memref.dim %at, %zero : memref<?xindex>
  scf.parallel (%i) = (%zero) to (%n) step (%one) {
    %j = memref.load %at[%i] : memref<?xindex>
    %e = memref.load %x[%j] : memref<?xf32>
    memref.store %e, %y[%i] : memref<?xf32>
  }
  return
}

// What is computed in the place of a tensor is not computed in that of an input.
func.func @clear(%x: tensor<?xf32>) -> tensor<?xf32> {
  %f = arith.constant 0.0 : f32
  %y = linalg.fill ins(%f : f32) outs(%x : tensor<?xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

func.func @nothing() {
  return
}
