// Of a program that shows a fault, what is left is less and shows it, too. Here posenc-unfuse cannot write a value row
// that is no map of the distance: fails.sh says that this is what is looked for.
// RUN: posenc-reduce %s -reduction-tree='traversal-mode=0 test=%S/Inputs/fails.sh test-arg=posenc-opt' -o %t
// RUN: FileCheck %s <%t
// RUN: not %S/Inputs/fails.sh posenc-opt %t

// Without the reduction tree, by passes.
// RUN: posenc-reduce %s -opt-reduction-pass='opt-pass=canonicalize test=%S/Inputs/fails.sh test-arg=posenc-opt' | FileCheck %s --check-prefix=PASS
// PASS-LABEL: func.func @faulty
// PASS:         with(%{{[^,]*}} : tensor<32x8xf32>, %{{[^,]*}} : index)
// PASS:         value_rows

!x = tensor<2x8x4x64xf32>
#rope = #posenc.rope<half, base = 10000.0>

// CHECK-NOT: func.func
func.func @other(%q: !x) -> !x {
  %o = posenc.attention q(%q : !x) k(%q : !x) v(%q : !x) score(%s, %b, %h, %r, %j) {
    posenc.yield %s : f32
  } -> !x
  return %o : !x
}

// A part of attention goes if the fault is there without it; its value rows stay.
// CHECK:      func.func @faulty
// CHECK-NEXT:   posenc.attention q(%{{.*}}) k(%{{.*}}) v(%{{.*}})
// CHECK-NEXT:   value_tables(%{{[^,]*}} : tensor<33x64xf32>)
// CHECK-NEXT:   score(%[[S:.*]], %{{.*}}, %{{.*}}, %[[R:.*]], %{{.*}}) {
// CHECK-NEXT:     posenc.yield %[[S]] : f32 value_rows(%[[R]])
// CHECK-NEXT:   }
// CHECK-NEXT:   return
// CHECK-NOT:  func.func
func.func @faulty(%q: !x, %rel: tensor<33x64xf32>, %sinks: tensor<8xf32>, %table: tensor<32x8xf32>,
                  %unused: tensor<32x8xf32>, %past: index) -> !x {
  %o = posenc.attention q(%q : !x) rotate #rope from(%past : index) k(%q : !x) rotate #rope v(%q : !x)
      value_tables(%rel : tensor<33x64xf32>, %rel : tensor<33x64xf32>)
      sink(%sinks : tensor<8xf32>)
      with(%table : tensor<32x8xf32>, %unused : tensor<32x8xf32>, %past : index)
      score(%s, %b, %h, %r, %j) {
    %d = arith.subi %j, %r : index
    %c = posenc.row #posenc.clip<-15, 16>(%d)
    %bias = posenc.lookup %table[%c, %h] : tensor<32x8xf32>
    %z = arith.addf %s, %bias : f32
    %keep = arith.cmpi sle, %j, %r : index
    %row = arith.addi %r, %past : index
    posenc.yield %z : f32 keep %keep value_rows(%row, %c)
  } -> !x
  return %o : !x
}
