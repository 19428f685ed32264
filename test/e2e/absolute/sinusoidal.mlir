// Absolute positions need no op of posenc: they are added to the tokens before the projections, and attention is plain.
// Row r of a chunk stands at position p = r + past. Three tables go by the name of sinusoids, with E channels:
//
//   @interleaved   x[2m] += sin(p w), x[2m + 1] += cos(p w),        w = 10000^(-2m/E)        the paper, ESPnet, NeMo
//   @concatenated  x[m]  += sin(p w), x[E/2 + m] += cos(p w),       w = 10000^(-2m/E)        Transformer-XL, XLNet
//   @endpoints     x[m]  += sin(p w), x[E/2 + m] += cos(p w),       w = 10000^(-m/(E/2 - 1)) Tensor2Tensor, fairseq, ESM
//
// fairseq counts positions from its padding index + 1, which is then a part of `past`; ESPnet and NeMo multiply the tokens
// by sqrt(E) before. @layer is the whole recipe, from tokens to heads and back.
//
// Vaswani et al., Attention Is All You Need, 2017, section 3.5. https://arxiv.org/abs/1706.03762
//
// Position 3 of four channels, after the three libraries' own tables:
// RUN: %posenc-run %s --function=interleaved --input=1x1x4xf32=0 --input=index=3 \
// RUN:   --expected-output=1x1x4xf32=0.14112001,-0.98999250,0.02999550,0.99955003
// RUN: %posenc-run %s --function=concatenated --input=1x1x4xf32=0 --input=index=3 \
// RUN:   --expected-output=1x1x4xf32=0.14112001,0.02999550,-0.98999250,0.99955003
// RUN: %posenc-run %s --function=endpoints --input=1x1x4xf32=0 --input=index=3 \
// RUN:   --expected-output=1x1x4xf32=0.14112001,0.00030000,-0.98999250,0.99999996
//
// A layer of two heads:
// RUN: %python %S/layer.py %s --run=%posenc-run

!x = tensor<?x?x?xf32>      // tokens [B, N, E]
!h = tensor<?x2x?x2xf32>    // heads [B, H, N, D]
!w = tensor<4x4xf32>        // a projection [E, H D]
#id = affine_map<(b, r, c) -> (b, r, c)>

func.func private @frequency(%m: f32, %steps: f32) -> f32 {
  %base = arith.constant 10000.0 : f32
  %q = arith.divf %m, %steps : f32
  %e = arith.negf %q : f32
  %w = math.powf %base, %e : f32
  return %w : f32
}

func.func private @wave(%p: index, %w: f32, %is_cosine: i1) -> f32 {
  %pi = arith.index_cast %p : index to i64
  %pf = arith.sitofp %pi : i64 to f32
  %angle = arith.mulf %pf, %w : f32
  %s = math.sin %angle : f32
  %c = math.cos %angle : f32
  %y = arith.select %is_cosine, %c, %s : f32
  return %y : f32
}

func.func private @to_float(%i: index) -> f32 {
  %j = arith.index_cast %i : index to i64
  %f = arith.sitofp %j : i64 to f32
  return %f : f32
}

func.func @interleaved(%x: !x, %past: index) -> !x {
  %two = arith.constant 2 : index
  %E = tensor.dim %x, %two : !x
  %half = arith.divui %E, %two : index
  %steps = func.call @to_float(%half) : (index) -> f32
  %y = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel", "parallel"]} outs(%x : !x) {
  ^bb0(%in: f32):
    %r = linalg.index 1 : index
    %c = linalg.index 2 : index
    %p = arith.addi %r, %past : index
    %m = arith.divui %c, %two : index
    %mf = func.call @to_float(%m) : (index) -> f32
    %w = func.call @frequency(%mf, %steps) : (f32, f32) -> f32
    %odd = arith.remui %c, %two : index
    %is_cosine = arith.index_cast %odd : index to i1
    %wave = func.call @wave(%p, %w, %is_cosine) : (index, f32, i1) -> f32
    %z = arith.addf %in, %wave : f32
    linalg.yield %z : f32
  } -> !x
  return %y : !x
}

func.func @concatenated(%x: !x, %past: index) -> !x {
  %two = arith.constant 2 : index
  %E = tensor.dim %x, %two : !x
  %half = arith.divui %E, %two : index
  %steps = func.call @to_float(%half) : (index) -> f32
  %y = func.call @halves(%x, %past, %half, %steps) : (!x, index, index, f32) -> !x
  return %y : !x
}

func.func @endpoints(%x: !x, %past: index) -> !x {
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %E = tensor.dim %x, %two : !x
  %half = arith.divui %E, %two : index
  %last = arith.subi %half, %one : index
  %steps = func.call @to_float(%last) : (index) -> f32
  %y = func.call @halves(%x, %past, %half, %steps) : (!x, index, index, f32) -> !x
  return %y : !x
}

func.func private @halves(%x: !x, %past: index, %half: index, %steps: f32) -> !x {
  %y = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel", "parallel"]} outs(%x : !x) {
  ^bb0(%in: f32):
    %r = linalg.index 1 : index
    %c = linalg.index 2 : index
    %p = arith.addi %r, %past : index
    %m = arith.remui %c, %half : index
    %mf = func.call @to_float(%m) : (index) -> f32
    %w = func.call @frequency(%mf, %steps) : (f32, f32) -> f32
    %is_cosine = arith.cmpi uge, %c, %half : index
    %wave = func.call @wave(%p, %w, %is_cosine) : (index, f32, i1) -> f32
    %z = arith.addf %in, %wave : f32
    linalg.yield %z : f32
  } -> !x
  return %y : !x
}

// x w, split into heads [B, H, N, D].
func.func private @project(%x: tensor<?x?x4xf32>, %w: !w) -> !h {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %B = tensor.dim %x, %c0 : tensor<?x?x4xf32>
  %N = tensor.dim %x, %c1 : tensor<?x?x4xf32>
  %e = tensor.empty(%B, %N) : tensor<?x?x4xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?x4xf32>) -> tensor<?x?x4xf32>
  %y = linalg.generic {
      indexing_maps = [affine_map<(b, r, c, t) -> (b, r, t)>, affine_map<(b, r, c, t) -> (t, c)>, affine_map<(b, r, c, t) -> (b, r, c)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%x, %w : tensor<?x?x4xf32>, !w) outs(%zeros : tensor<?x?x4xf32>) {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %sum, %m : f32
    linalg.yield %s : f32
  } -> tensor<?x?x4xf32>
  %split = tensor.expand_shape %y [[0], [1], [2, 3]] output_shape [%B, %N, 2, 2] : tensor<?x?x4xf32> into tensor<?x?x2x2xf32>
  %heads = tensor.empty(%B, %N) : !h
  %t = linalg.transpose ins(%split : tensor<?x?x2x2xf32>) outs(%heads : !h) permutation = [0, 2, 1, 3]
  return %t : !h
}

func.func @layer(%x: tensor<?x?x4xf32>, %wq: !w, %wk: !w, %wv: !w, %past: index) -> tensor<?x?x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %any = tensor.cast %x : tensor<?x?x4xf32> to !x
  %added = func.call @interleaved(%any, %past) : (!x, index) -> !x
  %tokens = tensor.cast %added : !x to tensor<?x?x4xf32>
  %q = func.call @project(%tokens, %wq) : (tensor<?x?x4xf32>, !w) -> !h
  %k = func.call @project(%tokens, %wk) : (tensor<?x?x4xf32>, !w) -> !h
  %v = func.call @project(%tokens, %wv) : (tensor<?x?x4xf32>, !w) -> !h
  %o = posenc.attention q(%q : !h) k(%k : !h) v(%v : !h) score(%s, %b, %h, %r, %j) {
    %c = arith.constant 0.70710678 : f32
    %z = arith.mulf %s, %c : f32
    %keep = arith.cmpi sle, %j, %r : index
    posenc.yield %z : f32 keep %keep
  } -> !h
  %B = tensor.dim %x, %c0 : tensor<?x?x4xf32>
  %N = tensor.dim %x, %c1 : tensor<?x?x4xf32>
  %e = tensor.empty(%B, %N) : tensor<?x?x2x2xf32>
  %t = linalg.transpose ins(%o : !h) outs(%e : tensor<?x?x2x2xf32>) permutation = [0, 2, 1, 3]
  %merged = tensor.collapse_shape %t [[0], [1], [2, 3]] : tensor<?x?x2x2xf32> into tensor<?x?x4xf32>
  return %merged : tensor<?x?x4xf32>
}
