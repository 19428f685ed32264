#ifndef PASSES_PASSES_TD
#define PASSES_PASSES_TD

include "mlir/Pass/PassBase.td"

// In the order in which a program meets them.

def PosEncPrintExtentsPass : Pass<"posenc-print-extents"> {
  let summary = "Print over what each value of a score region varies";
  let description = [{
    Prints to the standard error stream what the compiler knows of the values of each score region, in their order; later
    decisions rest on nothing else. A line says of a value:

    | | |
    |---|---|
    | kind | what it costs: `uniform`, `row`, `key`, `lag` (a function of lag = key - row and of uniform values), `pair` or `score` |
    | `{...}` | over which of batch, head, row, key and score it varies |
    | `affine` | the integer as a sum of multiples of row and key and of a uniform offset |
    | `varying [lo, hi]` | a lag value is constant for all lags up to lo, and constant for all lags from hi on |
    | `truth` | a condition is false outside the box that it `may` hold in, and true inside the one where it `must`; `exact` if these are one |

    Before and after: any ops; nothing changes. Rounding: the same. Beside each line below stands what is printed.

    ```mlir
    // Before
    func.func @window(%s: tensor<2x8x4x16xf32>, %t: tensor<33x8xf32>, %past: index) -> tensor<2x8x4x16xf32> {
      %z = posenc.score_mod s(%s : tensor<2x8x4x16xf32>) with(%t : tensor<33x8xf32>, %past : index)
          score(%x, %b, %h, %r, %j) {
        %i = arith.addi %r, %past : index
        %d = arith.subi %j, %i : index
        %c = posenc.row #posenc.clip<-16, 16>(%d)
        %bias = posenc.lookup %t[%c, %h] : tensor<33x8xf32>
        %y = arith.addf %x, %bias : f32
        %keep = arith.cmpi sle, %j, %i : index
        posenc.yield %y : f32 keep %keep
      }
      return %z : tensor<2x8x4x16xf32>
    }
    // After
    func.func @window(%s: tensor<2x8x4x16xf32>, %t: tensor<33x8xf32>, %past: index) -> tensor<2x8x4x16xf32> {
      %z = posenc.score_mod s(%s : tensor<2x8x4x16xf32>) with(%t : tensor<33x8xf32>, %past : index)
          score(%x, %b, %h, %r, %j) {
        %i = arith.addi %r, %past : index           // row {row}, affine 1 row + (%past)
        %d = arith.subi %j, %i : index              // lag {row, key}, affine -1 row + 1 key + (-%past), varying [-inf, inf]
        %c = posenc.row #posenc.clip<-16, 16>(%d)   // lag {row, key}, varying [-16 + %past, 16 + %past]
        %bias = posenc.lookup %t[%c, %h] : tensor<33x8xf32>   // lag {head, row, key}, varying [-16 + %past, 16 + %past]
        %y = arith.addf %x, %bias : f32             // score {batch, head, row, key, score}
        %keep = arith.cmpi sle, %j, %i : index      // lag {row, key}, varying [%past, 1 + %past], truth exact lag [-inf, %past]
        posenc.yield %y : f32 keep %keep
      }
      return %z : tensor<2x8x4x16xf32>
    }
    ```
  }];
}

include "passes/FusionPasses.td"

def PosEncDecomposePass : Pass<"posenc-decompose"> {
  let summary = "Take every op of the dialect to plain linalg on tensors";
  let description = [{
    Writes each op as what it means, step by step: rotations, a tensor of N x M scores, the score region on every pair, a
    softmax, the weighted sum of the values. This is the definition that all other lowerings are tested against; it is
    right for every shape, and neither fast nor small. Memref operands are read as tensors, and the results written to
    their destinations at the end.

    With `compute-type=f64` everything is computed in f64, score regions and results passed between the unfused ops too,
    and rounded once where an op outside the dialect uses it. Positions and angles are always computed in f64.

    With `keep-attention` every `posenc.attention` stays as it is, on its way to a schedule, and only the ops beside it
    become linalg.

    Before: any ops of the dialect. After: none, or with `keep-attention` none but that. Rounding: that of f32 (or f64)
    arithmetic in the order of the keys.

    ```mlir
    // Before
    func.func @scores(%q: tensor<2x8x4x64xf32>, %k: tensor<2x8x16x64xf32>) -> tensor<2x8x4x16xf32> {
      %s = posenc.scores q(%q : tensor<2x8x4x64xf32>) k(%k : tensor<2x8x16x64xf32>) : tensor<2x8x4x16xf32>
      return %s : tensor<2x8x4x16xf32>
    }
    // After
    #query = affine_map<(b, h, n, m, d) -> (b, h, n, d)>
    #key = affine_map<(b, h, n, m, d) -> (b, h, m, d)>
    #score = affine_map<(b, h, n, m, d) -> (b, h, n, m)>
    func.func @scores(%q: tensor<2x8x4x64xf32>, %k: tensor<2x8x16x64xf32>) -> tensor<2x8x4x16xf32> {
      %zero = arith.constant 0.0 : f32
      %empty = tensor.empty() : tensor<2x8x4x16xf32>
      %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x8x4x16xf32>) -> tensor<2x8x4x16xf32>
      %s = linalg.generic {
          indexing_maps = [#query, #key, #score],
          iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]}
          ins(%q, %k : tensor<2x8x4x64xf32>, tensor<2x8x16x64xf32>) outs(%init : tensor<2x8x4x16xf32>) {
      ^bb0(%x: f32, %y: f32, %sum: f32):
        %product = arith.mulf %x, %y : f32
        %next = arith.addf %sum, %product : f32
        linalg.yield %next : f32
      } -> tensor<2x8x4x16xf32>
      return %s : tensor<2x8x4x16xf32>
    }
    ```
  }];
  let options = [
    Option<"computeType", "compute-type", "::mlir::posenc::ComputeType", "::mlir::posenc::ComputeType::F32",
           "The float type of all computation",
           [{::llvm::cl::values(
             clEnumValN(::mlir::posenc::ComputeType::F32, "f32", "as the ops say"),
             clEnumValN(::mlir::posenc::ComputeType::F64, "f64", "a reference of twice the digits"))}]>,
    Option<"keepAttention", "keep-attention", "bool", "false", "Take only the unfused ops, and leave attention as it is">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::posenc::PosEncDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def PosEncTileAttentionPass : Pass<"posenc-tile-attention"> {
  let summary = "Take attention on memrefs to a schedule of tiles";
  let description = [{
    Writes each `posenc.attention` as loops over batches, heads and tiles of query rows, with an online softmax over blocks
    of keys: see the dialect `posenc_tile`. What the score region computes decides what is made how often, by what it
    varies over (see `posenc-print-extents`): a bias of the distance becomes a vector per head, an inner product of a
    query and a row by distance a product of a tile and a table, a condition on positions the range of keys that a tile
    visits. Nothing of N x M elements is allocated, but matrices of up to 2^16 pairs that no batch changes. What no rule
    takes apart is computed for every pair, and a remark says so.

    Query rows that are one tile, as many as the type says, read keys and values where they lie if there are up to 64 of
    all heads with the same keys, unless keys are rotated or a sum over later keys needs all scores: packing them would
    take longer than the products. Single query rows of the heads that share their keys are the rows of one tile,
    unless the heads keep different ranges of keys. So that threads have work, the keys of one tile of rows are cut
    into parts that are swept apart and merged; how many follows from the sizes or from `key-parts`, never from the
    number of threads, on which results do not depend.

    Queries, keys and values of bf16 are widened to f32 while they are packed, or with `bf16-pairs` packed as they are, for
    units that add the products of pairs: then what was scaled before is scaled after the product, so that nothing is
    rounded but rotated rows, sums of rows, and weights. Tables of bf16 that these are multiplied with are packed in the
    same way. Rows of a few query rows in place, and with a sum over later keys, are widened.

    Positions, lengths and windows of type index are taken as linear forms, whose sums must not overflow; any number beyond
    2^59 is as far.

    Before: attention on memrefs. After: none. Rounding: that of f32, in the order of the schedule.

    ```mlir
    // Before
    func.func @attention(%q: memref<2x8x128x64xf32>, %k: memref<2x8x128x64xf32>, %v: memref<2x8x128x64xf32>,
                         %out: memref<2x8x128x64xf32>) {
      posenc.attention q(%q : memref<2x8x128x64xf32>) k(%k : memref<2x8x128x64xf32>) v(%v : memref<2x8x128x64xf32>)
          into(%out : memref<2x8x128x64xf32>) score(%s, %b, %h, %r, %j) {
        %c = arith.constant 0.125 : f32
        %z = arith.mulf %s, %c : f32
        posenc.yield %z : f32
      }
      return
    }
    // After
    func.func @attention(%q: memref<2x8x128x64xf32>, %k: memref<2x8x128x64xf32>, %v: memref<2x8x128x64xf32>,
                         %out: memref<2x8x128x64xf32>) {
      %last = arith.constant 127 : index
      %half = arith.constant 24 : index
      %scale = arith.constant 0.180336878 : f32                      // 0.125 log2(e)
      %tiles = arith.constant 3 : index
      %tile = arith.constant 48 : index
      %zero = arith.constant 0 : index
      %heads = arith.constant 8 : index
      %m = arith.constant 128 : index
      %one = arith.constant 1 : index
      %items = arith.constant 16 : index
      %kps = memref.alloc() {alignment = 64 : i64} : memref<16x2x64x64xf32>
      scf.parallel (%item) = (%zero) to (%items) step (%one) {
        %b = arith.divui %item, %heads : index
        %h = arith.remui %item, %heads : index
        %kp = memref.subview %kps[%item, 0, 0, 0] [1, 2, 64, 64] [1, 1, 1, 1]
            : memref<16x2x64x64xf32> to memref<2x64x64xf32, strided<[4096, 64, 1], offset: ?>>
        posenc_tile.pack %k into %kp over(%j = %zero to %m) {
          posenc_tile.yield %b, %h, %j : index, index, index
        } : memref<2x8x128x64xf32> into memref<2x64x64xf32, strided<[4096, 64, 1], offset: ?>>
      }
      scf.parallel (%item, %number) = (%zero, %zero) to (%items, %tiles) step (%one, %one) {
        %b = arith.divui %item, %heads : index
        %h = arith.remui %item, %heads : index
        %i0 = arith.muli %number, %tile : index
        %next = arith.addi %i0, %tile : index
        %i1 = arith.minsi %next, %m : index
        %qp = memref.alloc() {alignment = 64 : i64} : memref<48x64xf32>
        posenc_tile.pack %q into %qp over(%i = %i0 to %i1) scaled {
          posenc_tile.yield %b, %h, %i, %scale : index, index, index, f32
        } : memref<2x8x128x64xf32> into memref<48x64xf32>
        %max = memref.alloc() {alignment = 64 : i64} : memref<48xf32>
        %sum = memref.alloc() {alignment = 64 : i64} : memref<48xf32>
        %o = memref.alloc() {alignment = 64 : i64} : memref<48x64xf32>
        %vs = memref.subview %v[%b, %h, 0, 0] [1, 1, 128, 64] [1, 1, 1, 1]
            : memref<2x8x128x64xf32> to memref<128x64xf32, strided<[64, 1], offset: ?>>
        %kp = memref.subview %kps[%item, 0, 0, 0] [1, 2, 64, 64] [1, 1, 1, 1]
            : memref<16x2x64x64xf32> to memref<2x64x64xf32, strided<[4096, 64, 1], offset: ?>>
        %middle = arith.addi %i0, %half : index
        %inside = arith.minsi %middle, %last : index
        %first = arith.maxsi %inside, %zero : index
        posenc_tile.sweep q(%qp : memref<48x64xf32>) k(%kp : memref<2x64x64xf32, strided<[4096, 64, 1], offset: ?>>)
            v(%vs : memref<128x64xf32, strided<[64, 1], offset: ?>>)
            rows(%i0 to %i1) keys(%zero to %m first %first) block(64)
            into(%max : memref<48xf32>, %sum : memref<48xf32>, %o : memref<48x64xf32>)
        %rows = arith.subi %i1, %i0 : index
        %results = memref.subview %out[%b, %h, %i0, 0] [1, 1, %rows, 64] [1, 1, 1, 1]
            : memref<2x8x128x64xf32> to memref<?x64xf32, strided<[64, 1], offset: ?>>
        posenc_tile.finish(%max, %sum, %o) into %results
            : memref<48xf32>, memref<48xf32>, memref<48x64xf32> into memref<?x64xf32, strided<[64, 1], offset: ?>>
        memref.dealloc %o : memref<48x64xf32>
        memref.dealloc %sum : memref<48xf32>
        memref.dealloc %max : memref<48xf32>
        memref.dealloc %qp : memref<48x64xf32>
      }
      memref.dealloc %kps : memref<16x2x64x64xf32>
      return
    }
    ```
  }];
  let options = [
    Option<"rows", "rows", "int64_t", "48", "Query rows of a tile">,
    Option<"panel", "panel", "int64_t", "64", "Keys of a panel of packed columns: 8, 16, 32 or 64">,
    Option<"keyParts", "key-parts", "int64_t", "0", "Parts of the keys of query rows that are one tile; 0: what suits the sizes">,
    Option<"bf16Pairs", "bf16-pairs", "bool", "false", "Pack queries, keys and values of bf16 in pairs">,
    Option<"bf16Rows", "bf16-rows", "int64_t", "48", "Query rows of a tile of these">,
    Option<"bf16Channels", "bf16-channels", "int64_t", "2", "An even number, of which their channels are a multiple">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::posenc::PosEncDialect", "::mlir::posenc::tile::PosEncTileDialect", "::mlir::scf::SCFDialect"
  ];
}

def PosEncTileToLoopsPass : Pass<"posenc-tile-to-loops"> {
  let summary = "Take a schedule to plain loops over its elements";
  let description = [{
    Writes each op of `posenc_tile` as what it means: loops over rows, keys and channels, one pair after another. It is
    right for every shape and every op, on every target, and not fast: what it is good for is to test schedules, and to
    test faster lowerings against. Those reuse it for the ops that take no time.

    Before: any ops. After: none of `posenc_tile`; `arith`, `math`, `memref` and `scf` on scalars, and `tensor` where an
    index map reads a constant table. Rounding: sums are in f32, in the order of the keys that a sweep visits.

    ```mlir
    // Before
    func.func @bias(%bias: memref<?xf32>, %lo: index, %hi: index) {
      posenc_tile.fill %bias over(%d = %lo to %hi) {
        %slope = arith.constant 0.25 : f32
        %i = arith.index_cast %d : index to i32
        %x = arith.sitofp %i : i32 to f32
        %y = arith.mulf %x, %slope : f32
        posenc_tile.yield %y : f32
      } : memref<?xf32>
      return
    }
    // After
    func.func @bias(%bias: memref<?xf32>, %lo: index, %hi: index) {
      %slope = arith.constant 0.25 : f32
      %one = arith.constant 1 : index
      scf.for %d = %lo to %hi step %one {
        %i = arith.index_cast %d : index to i32
        %x = arith.sitofp %i : i32 to f32
        %y = arith.mulf %x, %slope : f32
        %at = arith.subi %d, %lo : index
        memref.store %y, %bias[%at] : memref<?xf32>
      }
      return
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::posenc::tile::PosEncTileDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
}

def PosEncTileToCpuPass : Pass<"posenc-tile-to-cpu", "::mlir::ModuleOp"> {
  let summary = "Take the schedule to vector code of a CPU";
  let description = [{
    Writes the ops of `posenc_tile` as vector code for one CPU. What shapes the code is little: how wide vectors of f32 are,
    how many fit in registers, and whether there are single instructions for the fraction of a float and for the scaling
    by a power of two (AVX-512). These follow from LLVM's description of the target.

    | target | a step: rows x keys | accumulators | exp2 |
    |---|---|---|---|
    | AVX-512 | 6 x 64 | 24 of 16 lanes | fraction, polynomial of degree 5, scaling |
    | AVX2 with FMA | 6 x 16 | 12 of 8 lanes | rounding by addition, the same, exponent by addition |
    | AArch64 | 6 x 16 | 24 of 4 lanes | as AVX2 |
    | any other | 6 x 8 | 12 of 4 lanes | as AVX2 |

    A **sweep** of packed keys takes six rows and a block of keys as a step. Terms are what the products are added to,
    so a vector over distances costs a load; terms of a row, and the maximum that scores are relative to, cost nothing.
    Where nothing but the exponential follows, scores stay in registers until they are weights; steps with a mask, a
    score region, or a maximum to be found go row by row through a buffer of a step. The weighted values of a step are
    added while the next one runs. Weights are relative to the maximum of the first block in which their row keeps a
    key; a tile with a row whose sum does not lie between 0 and 2^66 is swept again for the maxima alone, and then with
    them. In a score region, ops with a vector form run on vectors, others key by key.

    A sweep of **keys in place** takes up to four rows. As many sums as a register has lanes are kept, each of a row and a
    key, with channels as the lanes; adding up their halves makes a register of scores. While keys are read the values of
    the same block are prefetched, and the keys of the next but one while these are. Halves are widened as they are loaded.

    **Pairs** of bf16, which the schedule packs with `bf16-pairs`, are multiplied by the unit that the target has:

    | unit | a step: rows x keys | what it does |
    |---|---|---|
    | AVX512-BF16 | 6 x 64 | vdpbf16ps adds the products of pairs; 24 accumulators of 16 lanes |
    | AMX | 32 x 64 | tdpbf16ps adds the product of two tiles; scores go through memory |
    | any other | as of f32 | both products of a pair as f32: right, and slower than to widen them once |

    Weights are rounded to bf16, and so is what their sum adds up. A process asks its system once whether it may use the
    tiles of AMX, before the first of them; where it may not, the code for AVX512-BF16 runs. Code with tiles is in functions
    of its own, `posenc_amx_kernel_0` and so on.

    **Packed columns** are transposed in registers, **products** are steps without an exponential, and value rows of
    buckets enter in **finish** by such a product. What remains are `fill` and `angles`, and ops whose memrefs have other
    strides than a schedule allocates: these become the loops of `posenc-tile-to-loops`.

    The schedule warrants what makes whole steps possible: for terms by key and distance, all keys of a block and all rows
    of six can be read; terms `near` hold beyond the near interval too, as the constants that they are there.

    Before: any ops. After: none of `posenc_tile`; `arith`, `math`, `memref`, `scf`, `vector`, with AVX-512
    `llvm.call_intrinsic`, with AMX `amx`, `llvm` and `func.call`, and `tensor` where an index map reads a constant table.
    Buffers are allocated where the op stood. Rounding: sums are in f32, in an order of the target's; exp2 has a relative
    error of 2e-7, tanh of 3e-7.

    ```mlir
    // Before, with triple=x86_64 cpu=haswell
    func.func @queries(%q: memref<128x64xf32>, %i0: index, %i1: index, %scale: f32, %qp: memref<48x64xf32>) {
      posenc_tile.pack %q into %qp over(%i = %i0 to %i1) scaled {
        posenc_tile.yield %i, %scale : index, f32
      } : memref<128x64xf32> into memref<48x64xf32>
      return
    }
    // After
    func.func @queries(%q: memref<128x64xf32>, %i0: index, %i1: index, %scale: f32, %qp: memref<48x64xf32>) {
      %queries = arith.constant 128 : index
      %rows = arith.constant 48 : index
      %one = arith.constant 1 : index
      %channels = arith.constant 64 : index
      %lanes = arith.constant 8 : index
      %zeros = arith.constant dense<0.0> : vector<8xf32>
      %zero = arith.constant 0 : index
      %there = arith.subi %i1, %i0 : index
      scf.for %p = %zero to %rows step %one {
        %isThere = arith.cmpi slt, %p, %there : index
        scf.if %isThere {
          %i = arith.addi %i0, %p : index
          %inside = arith.cmpi ult, %i, %queries : index
          %scales = vector.broadcast %scale : f32 to vector<8xf32>
          scf.if %inside {
            scf.for %c = %zero to %channels step %lanes {
              %x = vector.load %q[%i, %c] : memref<128x64xf32>, vector<8xf32>
              %y = arith.mulf %x, %scales : vector<8xf32>
              vector.store %y, %qp[%p, %c] : memref<48x64xf32>, vector<8xf32>
            }
          } else {
            scf.for %c = %zero to %channels step %lanes {
              vector.store %zeros, %qp[%p, %c] : memref<48x64xf32>, vector<8xf32>
            }
          }
        } else {
          scf.for %c = %zero to %channels step %lanes {
            vector.store %zeros, %qp[%p, %c] : memref<48x64xf32>, vector<8xf32>
          }
        }
      }
      return
    }
    ```
  }];
  let options = [
    Option<"triple", "triple", "std::string", "\"\"", "The target's triple; the host's by default">,
    Option<"cpu", "cpu", "std::string", "\"native\"", "The target's CPU by LLVM's name; `native` is the host's, with the host's features">,
    Option<"features", "features", "std::string", "\"\"", "Features to add or take away, as `+avx2,-fma`">
  ];
  let dependentDialects = [
    "::mlir::amx::AMXDialect", "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect", "::mlir::posenc::tile::PosEncTileDialect",
    "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect", "::mlir::vector::VectorDialect"
  ];
}

def PosEncParallelToWorkersPass : Pass<"posenc-parallel-to-workers"> {
  let summary = "Take parallel loops to workers with memory of their own";
  let description = [{
    Turns each outermost `scf.parallel` into workers that take its iterations one by one: with `openmp` threads of OpenMP,
    which take the next iteration when they are done (tiles of causal attention differ in work), else one worker and
    nested loops. What an iteration allocates and frees is allocated once for each worker, if its size is known before the
    loop. Which worker takes an iteration has no effect on results: iterations share nothing that they write. A parallel loop
    inside an iteration becomes a plain one.

    Before: any ops. After: no `scf.parallel` without reductions. Nothing is rounded.

    ```mlir
    // Before
    func.func @double(%x: memref<?xf32>, %n: index) {
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      scf.parallel (%i) = (%zero) to (%n) step (%one) {
        %own = memref.alloc() : memref<f32>
        %e = memref.load %x[%i] : memref<?xf32>
        memref.store %e, %own[] : memref<f32>
        %f = memref.load %own[] : memref<f32>
        memref.store %f, %x[%i] : memref<?xf32>
        memref.dealloc %own : memref<f32>
      }
      return
    }
    // After
    func.func @double(%x: memref<?xf32>, %n: index) {
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %own = memref.alloc() : memref<f32>
      scf.for %i = %zero to %n step %one {
        %e = memref.load %x[%i] : memref<?xf32>
        memref.store %e, %own[] : memref<f32>
        %f = memref.load %own[] : memref<f32>
        memref.store %f, %x[%i] : memref<?xf32>
      }
      memref.dealloc %own : memref<f32>
      return
    }
    ```
  }];
  let options = [
    Option<"openmp", "openmp", "bool", "false", "Threads of OpenMP, which the program is then linked with">
  ];
  let dependentDialects = ["::mlir::omp::OpenMPDialect", "::mlir::scf::SCFDialect"];
}

def PosEncMathToLibmPass : Pass<"posenc-math-to-libm", "::mlir::ModuleOp"> {
  let summary = "Call libm for the ops of math that it has";
  let description = [{
    Rewrites each op of `math` that libm has a function for as a call of it, and leaves all others, which
    `convert-math-to-llvm` takes; `isinf` and `isnormal`, which it does not, become comparisons. It is upstream's `convert-math-to-libm`, but for modules that hold both kinds. Its
    results are right to about the last digit; `convert-math-to-llvm` alone would expand `expm1` as exp(x) - 1, which
    loses all digits near 0.

    Before: any ops; score regions are left alone. After: no op of `math` on scalars that libm has, outside score regions.

    ```mlir
    // Before
    module {
      func.func @f(%x: f32) -> f32 {
        %y = math.expm1 %x : f32
        return %y : f32
      }
    }
    // After
    module {
      func.func private @expm1f(f32) -> f32 attributes {llvm.readnone}
      func.func @f(%x: f32) -> f32 {
        %y = call @expm1f(%x) : (f32) -> f32
        return %y : f32
      }
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::vector::VectorDialect"
  ];
}

include "passes/InterfacePasses.td"

#endif // PASSES_PASSES_TD
