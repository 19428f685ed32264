// Each error is one line that names the input or output, and nothing is
// written.

// RUN: rm -rf %t && mkdir %t
// DEFINE: %{f} = not posenc-run %s --function=f --output=@%t/o.npy
// DEFINE: %{check} = 2>&1 | FileCheck %s -match-full-lines -check-prefix

// RUN: %{f} --input=1x2xf32 %{check}=COUNT
// COUNT: posenc-run: error: 'f' takes 2 inputs (tensor<?x2xf32>, index), got 1
// RUN: %{f} --input=1x2xf32 --input=index=1 --input=index=1 %{check}=MORE
// MORE: posenc-run: error: 'f' takes 2 inputs (tensor<?x2xf32>, index), got 3
// RUN: %{f} --input=2xf32 --input=index=1 %{check}=RANK
// RANK: posenc-run: error: input 0 (--input=2xf32): expected tensor<?x2xf32>, got rank 1 [2]
// RUN: %{f} --input=1x3xf32 --input=index=1 %{check}=SIZE
// SIZE: posenc-run: error: input 0 (--input=1x3xf32): expected tensor<?x2xf32>, got [1, 3]: dimension 1 must be 2
// RUN: %{f} --input=1x2xf64 --input=index=1 %{check}=TYPE
// TYPE: posenc-run: error: input 0 (--input=1x2xf64): expected tensor<?x2xf32>, got elements of type f64
// RUN: %{f} --input=1x2xf32 --input=i64=1 %{check}=SCALAR
// SCALAR: posenc-run: error: input 1 (--input=i64=1): expected index, got elements of type i64
// RUN: %{f} --input=1x2xf32 --input=1xindex=1 %{check}=SCALARRANK
// SCALARRANK: posenc-run: error: input 1 (--input=1xindex=1): expected index, got rank 1 [1]
// RUN: %{f} --input=2x2xf32="1 2 3" --input=index=1 %{check}=VALUES
// VALUES: posenc-run: error: input 0 (--input=2x2xf32=1 2 3): expected 4 values, one or none, got 3
// RUN: %{f} --input=1x2xf32=1,x --input=index=1 %{check}=VALUE
// VALUE: posenc-run: error: input 0 (--input=1x2xf32=1,x): 'x' is no value of type f32
// RUN: %{f} --input=1x2xf32=1e39 --input=index=1 %{check}=FLOAT
// FLOAT: posenc-run: error: input 0 (--input=1x2xf32=1e39): '1e39' is too large for f32
// RUN: %{f} --input=1x2xf32 --input=index=9223372036854775808 %{check}=INDEX
// INDEX: posenc-run: error: input 1 (--input=index=9223372036854775808): '9223372036854775808' is no value of type index
// RUN: %{f} --input=99999999999999999999x2xf32 --input=index=1 %{check}=HUGESIZE
// HUGESIZE: posenc-run: error: input 0 (--input=99999999999999999999x2xf32): expected @FILE.npy, SHAPExTYPE=VALUES or TYPE=VALUE
// RUN: %{f} --input=4611686018427387904x2xf32 --input=index=1 %{check}=HUGE
// HUGE: posenc-run: error: input 0 (--input=4611686018427387904x2xf32): not enough memory for 4611686018427387904x2xf32
// RUN: %{f} --input=@%t/none.npy --input=index=1 %{check}=FILE
// FILE: posenc-run: error: input 0 (--input=@{{.*}}): cannot read '{{.*}}none.npy': No such file or directory
// RUN: %{f} --input=@%t --input=index=1 %{check}=FOLDER
// FOLDER: posenc-run: error: input 0 (--input=@{{.*}}): cannot read '{{.*}}': it is no regular file
// RUN: %{f} --input= --input=index=1 %{check}=EMPTY
// EMPTY: posenc-run: error: input 0 (--input=): expected @FILE.npy, SHAPExTYPE=VALUES or TYPE=VALUE
// RUN: %{f} --input=q.npy --input=index=1 %{check}=SYNTAX
// SYNTAX: posenc-run: error: input 0 (--input=q.npy): expected @FILE.npy, SHAPExTYPE=VALUES or TYPE=VALUE

// RUN: %{f} --input=1x2xf32 --input=index=1 --output=@%t/p.npy %{check}=OUTPUTS
// OUTPUTS: posenc-run: error: 'f' has 1 outputs (result 0), got 2 times --output
// RUN: %{f} --input=1x2xf32 --input=index=1 --expected-output=1x2xf32 --expected-output=1x2xf32 %{check}=EXPECTED
// EXPECTED: posenc-run: error: 'f' has 1 outputs (result 0), got 2 times --expected-output
// RUN: %{f} --input=1x2xf32 --input=index=1 --expected-output=1x3xf32 %{check}=EXPECTEDSIZE
// EXPECTEDSIZE: posenc-run: error: result 0 (--expected-output=1x3xf32): expected tensor<?x2xf32>, got [1, 3]: dimension 1 must be 2

// RUN: not ls %t/o.npy %t/p.npy
func.func @f(%a: tensor<?x2xf32>, %b: index) -> tensor<?x2xf32> {
  return %a : tensor<?x2xf32>
}

// RUN: not posenc-run %s --function=f --input=1x2xf32 --input=index=1 --output=@%t/none/o.npy %{check}=UNWRITABLE
// RUN: not posenc-run %s --function=f --input=1x2xf32 --input=index=1 --output=@%t %{check}=UNWRITABLE
// UNWRITABLE: posenc-run: error: result 0 (--output=@{{.*}}): cannot write there
// RUN: not posenc-run %s --function=f --input=1x2xf32 --input=index=1 --output=o.npy %{check}=OUTPUTSYNTAX
// OUTPUTSYNTAX: posenc-run: error: result 0 (--output=o.npy): expected @FILE.npy, - or nothing

// RUN: not posenc-run %s %{check}=WHICH
// WHICH: posenc-run: error: which function is meant? --function must be one of those that the module defines: f, vector, unranked, encoding, i4, map, space, complex
// RUN: not posenc-run %s --function=g %{check}=UNKNOWN
// UNKNOWN: posenc-run: error: no function 'g', the module defines: f, vector, unranked, encoding, i4, map, space, complex
// RUN: not posenc-run %s --function=declared %{check}=DECLARED
// DECLARED: posenc-run: error: the function 'declared' has no body
// RUN: not posenc-run %s --function=inner %{check}=MODULE
// MODULE: posenc-run: error: 'inner' is no func.func
// RUN: not posenc-run %s --function=f --target=abacus %{check}=TARGET
// TARGET: posenc-run: error: unknown target 'abacus', expected reference or loops{{.*}}
// RUN: not posenc-run %s --function=f --target=loops --compute-type=f64 %{check}=F64
// F64: posenc-run: error: only the target 'reference' takes a compute type
// RUN: not posenc-run %s --function=f --compute-type=bf16 %{check}=COMPUTE
// COMPUTE: posenc-run: for the --compute-type option: Cannot find option named 'bf16'!
// RUN: not posenc-run %t/none.mlir %{check}=NOFILE
// NOFILE: posenc-run: error: cannot open input file '{{.*}}none.mlir': No such file or directory
func.func private @declared(%a: f32)
module @inner {
}

// RUN: not posenc-run %s --function=vector %{check}=VECTOR
// VECTOR: posenc-run: error: argument 0 of 'vector': unsupported type vector<4xf32>, expected a scalar, ranked tensor or memref of f64, f32, f16, bf16, i1, i8, i16, i32, i64 or index
func.func @vector(%a: vector<4xf32>) {
  return
}
// RUN: not posenc-run %s --function=unranked %{check}=UNRANKED
// UNRANKED: posenc-run: error: result 0 of 'unranked': unsupported type memref<*xf32>, expected {{.*}}
func.func @unranked(%a: memref<1xf32>) -> memref<*xf32> {
  %b = memref.cast %a : memref<1xf32> to memref<*xf32>
  return %b : memref<*xf32>
}
// RUN: not posenc-run %s --function=encoding %{check}=ENCODING
// ENCODING: posenc-run: error: argument 0 of 'encoding': unsupported type tensor<4xf32, "sparse">, expected no encoding
func.func @encoding(%a: tensor<4xf32, "sparse">) {
  return
}
// RUN: not posenc-run %s --function=i4 %{check}=I4
// I4: posenc-run: error: argument 0 of 'i4': unsupported type tensor<4xi4>, expected {{.*}}
func.func @i4(%a: tensor<4xi4>) {
  return
}
// RUN: not posenc-run %s --function=map %{check}=MAP
// MAP: posenc-run: error: argument 0 of 'map': unsupported type memref<4xf32, affine_map<(d0) -> (d0 mod 2)>>, expected a strided layout
func.func @map(%a: memref<4xf32, affine_map<(d0) -> (d0 mod 2)>>) {
  return
}
// RUN: not posenc-run %s --function=space %{check}=SPACE
// SPACE: posenc-run: error: argument 0 of 'space': unsupported type memref<4xf32, 3>, expected the default memory space
func.func @space(%a: memref<4xf32, 3>) {
  return
}
// RUN: not posenc-run %s --function=complex %{check}=COMPLEX
// COMPLEX: posenc-run: error: argument 0 of 'complex': unsupported type complex<f32>, expected {{.*}}
func.func @complex(%a: complex<f32>) {
  return
}
