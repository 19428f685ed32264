// RUN: posenc-opt %s --verify-roundtrip | FileCheck %s
// RUN: posenc-opt %s | posenc-opt | FileCheck %s
// RUN: posenc-opt %s --mlir-print-op-generic | posenc-opt | FileCheck %s
// RUN: posenc-opt %s --emit-bytecode | posenc-opt | FileCheck %s

!x = tensor<2x8x4x64xf32>
!k = tensor<2x2x5x64xbf16>
!s = tensor<2x8x4x5xf32>

// CHECK-LABEL: func.func @everything
// CHECK:         %{{.*}}:2 = posenc.attention q(%{{.*}} : tensor<2x8x4x64xf32>) rotate #rope from(%{{.*}} : index) k(%{{.*}} : tensor<2x2x5x64xbf16>) rotate #rope at(%{{.*}} : tensor<1x5xi64>) v(%{{.*}} : tensor<2x2x5x64xbf16>)
// CHECK-NEXT:      value_tables(%{{.*}} : tensor<33x64xf32>, %{{.*}} : tensor<8x9x64xf16>)
// CHECK-NEXT:      sink(%{{.*}} : tensor<8xf32>)
// CHECK-NEXT:      into(%{{.*}} : tensor<2x8x4x64xf32>, %{{.*}} : tensor<2x8x4xf32>)
// CHECK-NEXT:      with(%{{.*}} : tensor<2x8x4x64xf32>, %{{.*}} : tensor<33x64xf32>, %{{.*}} : tensor<2xi32>, %{{.*}} : f16)
// CHECK-NEXT:      score(%s, %b, %h, %r, %j) {
// CHECK:           posenc.row #posenc.clip<-16, 16>(%{{.*}})
// CHECK:           posenc.dot %{{.*}}[%b, %h, %r], %{{.*}}[%{{.*}}] else -1.500000e+00 : tensor<2x8x4x64xf32>, tensor<33x64xf32>
// CHECK:           posenc.lookup %{{.*}}[%b] else -7 : tensor<2xi32>
// CHECK:           posenc.yield %{{.*}} : f32 keep %{{.*}} value_rows(%{{.*}}, %{{.*}})
func.func @everything(%q: !x, %k: !k, %ids: tensor<1x5xi64>, %past: index, %t0: tensor<33x64xf32>,
                      %t1: tensor<8x9x64xf16>, %sink: tensor<8xf32>, %lengths: tensor<2xi32>, %scale: f16, %o: !x,
                      %l: tensor<2x8x4xf32>) -> (!x, tensor<2x8x4xf32>) {
  %r, %lse = posenc.attention q(%q : !x) rotate #posenc.rope<half, base = 10000.0> from(%past : index)
      k(%k : !k) rotate #posenc.rope<half, base = 10000.0> at(%ids : tensor<1x5xi64>) v(%k : !k)
      value_tables(%t0 : tensor<33x64xf32>, %t1 : tensor<8x9x64xf16>) sink(%sink : tensor<8xf32>)
      into(%o : !x, %l : tensor<2x8x4xf32>)
      with(%q : !x, %t0 : tensor<33x64xf32>, %lengths : tensor<2xi32>, %scale : f16)
      score(%s, %b, %h, %i, %j) {
    %c = posenc.row #posenc.clip<-16, 16>(%j)
    %p = posenc.dot %q[%b, %h, %i], %t0[%c] else -1.5 : !x, tensor<33x64xf32>
    %n = posenc.lookup %lengths[%b] else -7 : tensor<2xi32>
    %keep = arith.cmpi slt, %j, %n : index
    %w = arith.extf %scale : f16 to f32
    %z = arith.mulf %p, %w : f32
    posenc.yield %z : f32 keep %keep value_rows(%c, %j)
  }
  return %r, %lse : !x, tensor<2x8x4xf32>
}

// Without a destination the types of the results stand after the region.
// CHECK-LABEL: func.func @no_destination
// CHECK:         posenc.attention
// CHECK:           posenc.yield %s : f32
// CHECK-NEXT:    } {note = "kept"} -> (tensor<2x8x4x64xf32>, tensor<2x8x4xf32>)
// CHECK:         posenc.attention
// CHECK:         } -> tensor<2x8x4x64xbf16>
func.func @no_destination(%q: !x) -> (!x, tensor<2x8x4xf32>) {
  %r, %lse = posenc.attention q(%q : !x) k(%q : !x) v(%q : !x)
      score(%s, %b, %h, %i, %j) { posenc.yield %s : f32 } {note = "kept"} -> (!x, tensor<2x8x4xf32>)
  %narrow = posenc.attention q(%q : !x) k(%q : !x) v(%q : !x)
      score(%s, %b, %h, %i, %j) { posenc.yield %s : f32 } -> tensor<2x8x4x64xbf16>
  return %r, %lse : !x, tensor<2x8x4xf32>
}

// CHECK-LABEL: func.func @memrefs
// CHECK:         posenc.attention
// CHECK-NEXT:      into(%{{.*}} : memref<2x8x4x64xf32, strided<[?, ?, ?, ?], offset: ?>>)
// CHECK-NEXT:      with(%{{.*}} : tensor<2x4xi1>)
// CHECK:           posenc.lookup %{{.*}}[%b, %r] else true : tensor<2x4xi1>
// CHECK:           posenc.yield %s : f32 keep
// CHECK-NEXT:    }
!m = memref<2x8x4x64xf32, strided<[?, ?, ?, ?], offset: ?>>
func.func @memrefs(%q: !m, %mask: tensor<2x4xi1>) {
  posenc.attention q(%q : !m) k(%q : !m) v(%q : !m) into(%q : !m) with(%mask : tensor<2x4xi1>)
      score(%s, %b, %h, %i, %j) {
    %keep = posenc.lookup %mask[%b, %i] else true : tensor<2x4xi1>
    posenc.yield %s : f32 keep %keep
  }
  return
}

// A captured value keeps its name inside; what has none of its own or is captured
// twice is renamed.
// CHECK-LABEL: func.func @capture_names
// CHECK-SAME:      %[[Q:[^:]*]]: {{.*}}, %[[T:[^:]*]]: tensor<8xf32>
// CHECK:         %[[CST:.*]] = arith.constant 2.000000e+00 : f32
// CHECK:         %[[TWO:.*]]:2 = call @two()
// CHECK:         with(%[[T]] : tensor<8xf32>, %[[AGAIN:.*]] = %[[T]] : tensor<8xf32>, %[[SECOND:.*]] = %[[TWO]]#1 : tensor<8xf32>, %[[CST]] : f32)
// CHECK-NEXT:    score(%[[S:[a-z]*]], %{{.*}}, %[[H:[a-z]*]], %{{.*}}, %{{.*}}) {
// CHECK:           posenc.lookup %[[T]][%[[H]]]
// CHECK:           posenc.lookup %[[AGAIN]][%[[H]]]
// CHECK:           posenc.lookup %[[SECOND]][%[[H]]]
// CHECK:           arith.mulf %[[S]], %[[CST]]
func.func private @two() -> (tensor<8xf32>, tensor<8xf32>)
func.func @capture_names(%q: !x, %t: tensor<8xf32>) -> !x {
  %scale = arith.constant 2.0 : f32
  %u:2 = func.call @two() : () -> (tensor<8xf32>, tensor<8xf32>)
  %r = posenc.attention q(%q : !x) k(%q : !x) v(%q : !x)
      with(%t : tensor<8xf32>, %again = %t : tensor<8xf32>, %second = %u#1 : tensor<8xf32>, %scale : f32)
      score(%s, %b, %h, %i, %j) {
    %x = posenc.lookup %t[%h] : tensor<8xf32>
    %y = posenc.lookup %again[%h] : tensor<8xf32>
    %z = posenc.lookup %second[%h] : tensor<8xf32>
    %inner = arith.constant 3.0 : f32
    %0 = arith.mulf %s, %scale : f32
    %1 = arith.mulf %0, %inner : f32
    %2 = arith.addf %1, %x : f32
    %3 = arith.addf %2, %y : f32
    %4 = arith.addf %3, %z : f32
    posenc.yield %4 : f32
  } -> !x
  return %r : !x
}

// CHECK-LABEL: func.func @literals
// CHECK:         else -inf : tensor<9xf32>
// CHECK:         else nan : tensor<9xf32>
// CHECK:         else -9223372036854775808 : tensor<9xi64>
// CHECK:         else inf : tensor<9x2xf32>, tensor<9x2xf32>
func.func @literals(%s: !s, %t: tensor<9xf32>, %i: tensor<9xi64>, %x: tensor<9x2xf32>) -> !s {
  %r = posenc.score_mod s(%s : !s) with(%t : tensor<9xf32>, %i : tensor<9xi64>, %x : tensor<9x2xf32>)
      score(%z, %b, %h, %r, %j) {
    %0 = posenc.lookup %t[%j] else -inf : tensor<9xf32>
    %1 = posenc.lookup %t[%j] else nan : tensor<9xf32>
    %2 = posenc.lookup %i[%j] else -9223372036854775808 : tensor<9xi64>
    %3 = posenc.dot %x[%j], %x[%r] else inf : tensor<9x2xf32>, tensor<9x2xf32>
    posenc.yield %z : f32
  }
  return %r : !s
}

// The types of destinations are those of the results; writing both is allowed.
// CHECK-LABEL: func.func @into_and_type
// CHECK:         into(%{{.*}} : tensor<2x8x4x64xf32>)
// CHECK:         }{{$}}
func.func @into_and_type(%q: !x) -> !x {
  %r = posenc.attention q(%q : !x) k(%q : !x) v(%q : !x) into(%q : !x)
      score(%s, %b, %h, %i, %j) { posenc.yield %s : f32 } -> !x
  return %r : !x
}

// CHECK-LABEL: func.func @maps
// CHECK:         posenc.row #posenc.clip<-9223372036854775808, -9223372036854775807>(
// CHECK:         posenc.row #posenc.band<-4, 4>(
// CHECK:         posenc.row #posenc.t5<32, 128, bidirectional>(
// CHECK:         posenc.row #posenc.t5<32, 128, causal>(
// CHECK:         posenc.row #posenc.deberta<buckets = 256, max_position = 512, span = 256>(
// CHECK:         posenc.row #posenc.window<3, 5>(
// CHECK:         posenc.row #posenc.irpe<1.900000e+00, 3.800000e+00, 1.520000e+01>(
func.func @maps(%s: !s) -> !s {
  %r = posenc.score_mod s(%s : !s) score(%x, %b, %h, %i, %j) {
    %0 = posenc.row #posenc.clip<-9223372036854775808, -9223372036854775807>(%j)
    %1 = posenc.row #posenc.band<-4, 4>(%j)
    %2 = posenc.row #posenc.t5<32, 128, bidirectional>(%j)
    %3 = posenc.row #posenc.t5<32, 128, causal>(%j)
    %4 = posenc.row #posenc.deberta<buckets = 256, max_position = 512, span = 256>(%j)
    %5 = posenc.row #posenc.window<3, 5>(%i, %j)
    %6 = posenc.row #posenc.irpe<1.9, 3.8, 15.2>(%j)
    posenc.yield %x : f32
  }
  return %r : !s
}

// Every digit of a parameter survives.
// CHECK-LABEL: func.func @rotations
// CHECK:         posenc.rotate #rope x(
// CHECK:         posenc.rotate #rope1 from(%{{.*}} : tensor<2xi32>) x(
// CHECK:         posenc.rotate #rope2 at(%{{.*}} : tensor<2x4xf32>) freqs(%{{.*}} : tensor<16xf64>) x(
// CHECK:         posenc.rotate #rope3 cos_sin(%{{.*}} : tensor<9x32xf32>, %{{.*}} : tensor<7x32xf32>) x(
// CHECK:         posenc.rotate #rope4 x(
func.func @rotations(%x: !x, %p: tensor<2xi32>, %ids: tensor<2x4xf32>, %f: tensor<16xf64>, %c: tensor<9x32xf32>,
                     %n: tensor<7x32xf32>) {
  %0 = posenc.rotate #posenc.rope<half, base = 10000.0> x(%x : !x)
  %1 = posenc.rotate #posenc.rope<interleaved, base = 123456.78901234567, start = 16, width = 32, xpos = -512.0>
      from(%p : tensor<2xi32>) x(%x : !x)
  %2 = posenc.rotate #posenc.rope<half, width = 32> at(%ids : tensor<2x4xf32>) freqs(%f : tensor<16xf64>) x(%x : !x)
  %3 = posenc.rotate #posenc.rope<interleaved> cos_sin(%c : tensor<9x32xf32>, %n : tensor<7x32xf32>) x(%x : !x)
  %4 = posenc.rotate #posenc.rope<half, base = 10000.0, scaling = #posenc.yarn<factor = 40.0, original = 4096,
      beta_fast = 16.0, truncate = false, attention_factor = 1.0857>> x(%x : !x)
  return
}

// CHECK-LABEL: func.func @scalings
// CHECK:         posenc.rotate #rope{{[0-9]+}} x(
// CHECK:         posenc.rotate #rope{{[0-9]+}} x(
// CHECK:         posenc.rotate #rope{{[0-9]+}} from(%{{.*}} : index) length(%{{.*}} : index) x(
// CHECK:         posenc.rotate #rope{{[0-9]+}} x(
// CHECK:         posenc.rotate #rope{{[0-9]+}} x(
// CHECK:         posenc.rotate #rope{{[0-9]+}} length(%{{.*}} : index) x(
// CHECK:         posenc.attention q(%{{.*}}) rotate #rope{{[0-9]+}} length(%{{.*}} : index) k(%{{.*}}) rotate #rope{{[0-9]+}} at(%{{.*}} : tensor<2x4xf32>) length(%{{.*}} : index) v(
func.func @scalings(%x: !x, %past: index, %n: index, %ids: tensor<2x4xf32>) {
  %0 = posenc.rotate #posenc.rope<half, base = 10000.0, scaling = #posenc.linear<factor = 4.0>> x(%x : !x)
  %1 = posenc.rotate #posenc.rope<half, base = 10000.0, scaling = #posenc.ntk<factor = 2.0>> x(%x : !x)
  %2 = posenc.rotate #posenc.rope<half, base = 10000.0, scaling = #posenc.dynamic_ntk<factor = 2.0, original = 2048>>
      from(%past : index) length(%n : index) x(%x : !x)
  %3 = posenc.rotate #posenc.rope<half, base = 500000.0,
      scaling = #posenc.llama3<factor = 8.0, low = 1.0, high = 4.0, original = 8192>> x(%x : !x)
  %4 = posenc.rotate #posenc.rope<half, base = 10000.0, scaling = #posenc.proportional<fraction = 0.5>> x(%x : !x)
  %5 = posenc.rotate #posenc.rope<half, base = 10000.0, width = 4, scaling =
      #posenc.longrope<short = [1.0, 1.05], long = [1.1, 2.5], original = 4096, attention_factor = 1.19023807>>
      length(%n : index) x(%x : !x)
  %6 = posenc.attention q(%x : !x)
      rotate #posenc.rope<half, base = 10000.0, scaling = #posenc.dynamic_ntk<factor = 3.0, original = 2048>>
      length(%n : index) k(%x : !x)
      rotate #posenc.rope<half, base = 10000.0, scaling = #posenc.dynamic_ntk<factor = 3.0, original = 2048>>
      at(%ids : tensor<2x4xf32>) length(%n : index) v(%x : !x)
      score(%s, %b, %h, %i, %j) { posenc.yield %s : f32 } -> !x
  return
}

// CHECK-LABEL: func.func @sections
// CHECK:         posenc.rotate #rope{{[0-9]+}} at(%{{.*}} : tensor<3x2x4xi64>) x(
// CHECK:         posenc.rotate #rope{{[0-9]+}} at(%{{.*}} : tensor<3x2x4xi64>) x(
// CHECK:         posenc.rotate #rope{{[0-9]+}} at(%{{.*}} : tensor<2x1x?xf32>) x(
// CHECK:         posenc.rotate #rope{{[0-9]+}} at(%{{.*}} : tensor<2x1x?xf32>) freqs(%{{.*}} : tensor<32xf32>) x(
func.func @sections(%x: !x, %ids: tensor<3x2x4xi64>, %grid: tensor<2x1x?xf32>, %f: tensor<32xf32>) {
  %0 = posenc.rotate #posenc.rope<half, base = 1000000.0, sections = [8, 12, 12]> at(%ids : tensor<3x2x4xi64>)
      x(%x : !x)
  %1 = posenc.rotate #posenc.rope<half, base = 1000000.0, sections = [12, 10, 10], cyclic>
      at(%ids : tensor<3x2x4xi64>) x(%x : !x)
  %2 = posenc.rotate #posenc.rope<interleaved, base = 100.0, scaling = #posenc.linear<factor = 2.0>,
      sections = [16, 16], cyclic, restart, xpos = 512.0> at(%grid : tensor<2x1x?xf32>) x(%x : !x)
  %3 = posenc.rotate #posenc.rope<interleaved, sections = [16, 16]> at(%grid : tensor<2x1x?xf32>)
      freqs(%f : tensor<32xf32>) x(%x : !x)
  return
}

// CHECK-LABEL: func.func @networks
// CHECK:         posenc.mlp relu(%{{.*}}, %{{.*}})[%h] layers(%{{.*}} plus %{{.*}}, %{{.*}}) : tensor<32x2xf32>, tensor<32xf32>, tensor<?x32xf16>
// CHECK:         posenc.mlp silu(%{{.*}})[%{{.*}}] layers(%{{.*}}) : tensor<?x1xf32>
// CHECK:         posenc.mlp gelu(
// CHECK:         posenc.mlp tanh(
// CHECK:         posenc.row_scan %{{.*}} : f32
func.func @networks(%s: !s, %w1: tensor<32x2xf32>, %b1: tensor<32xf32>, %w2: tensor<?x32xf16>,
                    %w: tensor<?x1xf32>) -> !s {
  %r = posenc.score_mod s(%s : !s)
      with(%w1 : tensor<32x2xf32>, %b1 : tensor<32xf32>, %w2 : tensor<?x32xf16>, %w : tensor<?x1xf32>)
      score(%x, %b, %h, %i, %j) {
    %0 = posenc.mlp relu(%x, %x)[%h] layers(%w1 plus %b1, %w2) : tensor<32x2xf32>, tensor<32xf32>, tensor<?x32xf16>
    %1 = posenc.mlp silu(%0)[%j] layers(%w) : tensor<?x1xf32>
    %2 = posenc.mlp gelu(%1)[%j] layers(%w) : tensor<?x1xf32>
    %3 = posenc.mlp tanh(%2)[%j] layers(%w) : tensor<?x1xf32>
    %4 = posenc.row_scan %3 : f32
    posenc.yield %4 : f32
  }
  return %r : !s
}

// CHECK-LABEL: func.func @unfused
// CHECK:         posenc.scores q(%{{.*}} : tensor<2x8x4x64xf32>) k(%{{.*}} : tensor<2x2x5x64xbf16>) : tensor<2x8x4x5xf32>
// CHECK:         posenc.relative_bias s(%{{.*}} : tensor<2x8x4x5xf32>) table(%{{.*}} : tensor<32x8xf32>) #posenc.t5<32, 128, causal>(delta) from(%{{.*}} : index)
// CHECK:         posenc.relative_logits s(%{{.*}} : tensor<2x8x4x5xf32>) q(%{{.*}} : tensor<2x8x4x64xf32>) table(%{{.*}} : tensor<33x64xf32>) #posenc.clip<-16, 16>(lag)
// CHECK:         posenc.relative_logits s(%{{.*}} : tensor<2x8x4x5xf32>) k(%{{.*}} : tensor<2x2x5x64xbf16>) table(%{{.*}} : tensor<8x9x64xf16>) #posenc.band<-4, 4>(lag) from(%{{.*}} : tensor<2xi64>)
// CHECK:         posenc.score_mod s(%{{.*}} : tensor<2x8x4x5xf32>)
// CHECK-NEXT:      score(%s, %b, %h, %r, %j) {
// CHECK:         %{{.*}}, %{{.*}} = posenc.softmax s(%{{.*}} : tensor<2x8x4x5xf32>) sink(%{{.*}} : tensor<8xf32>) lse : tensor<2x8x4xf32>
// CHECK:         posenc.softmax s(%{{.*}} : tensor<2x8x4x5xf32>){{$}}
// CHECK:         posenc.values p(%{{.*}} : tensor<2x8x4x5xf32>) v(%{{.*}} : tensor<2x2x5x64xbf16>) : tensor<2x8x4x64xf32>
// CHECK:         posenc.relative_values o(%{{.*}} : tensor<2x8x4x64xf32>) p(%{{.*}} : tensor<2x8x4x5xf32>) table(%{{.*}} : tensor<33x64xf32>) #posenc.clip<-16, 16>(delta) from(%{{.*}} : index)
func.func @unfused(%q: !x, %k: !k, %bias: tensor<32x8xf32>, %t: tensor<33x64xf32>, %u: tensor<8x9x64xf16>,
                   %past: index, %offsets: tensor<2xi64>, %sink: tensor<8xf32>) -> !x {
  %s0 = posenc.scores q(%q : !x) k(%k : !k) : !s
  %s1 = posenc.relative_bias s(%s0 : !s) table(%bias : tensor<32x8xf32>) #posenc.t5<32, 128, causal>(delta)
      from(%past : index)
  %s2 = posenc.relative_logits s(%s1 : !s) q(%q : !x) table(%t : tensor<33x64xf32>) #posenc.clip<-16, 16>(lag)
  %s3 = posenc.relative_logits s(%s2 : !s) k(%k : !k) table(%u : tensor<8x9x64xf16>) #posenc.band<-4, 4>(lag)
      from(%offsets : tensor<2xi64>)
  %s4 = posenc.score_mod s(%s3 : !s) score(%x, %b, %h, %r, %j) { posenc.yield %x : f32 }
  %p, %lse = posenc.softmax s(%s4 : !s) sink(%sink : tensor<8xf32>) lse : tensor<2x8x4xf32>
  %p1 = posenc.softmax s(%s4 : !s)
  %o = posenc.values p(%p : !s) v(%k : !k) : !x
  %r = posenc.relative_values o(%o : !x) p(%p1 : !s) table(%t : tensor<33x64xf32>) #posenc.clip<-16, 16>(delta)
      from(%past : index)
  return %r : !x
}
