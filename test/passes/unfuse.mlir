// RUN: posenc-opt %s --posenc-unfuse --split-input-file | FileCheck %s
// RUN: posenc-opt %s --posenc-unfuse --split-input-file --remarks-filter=posenc --remark-format=emitRemark -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK

!q = tensor<?x8x4x64xbf16>
!k = tensor<2x2x?x64xbf16>
#rope = #posenc.rope<half, base = 10000.0>

// Each clause becomes a step. What only a value row needs is no part of the scores.
// CHECK-LABEL: func.func @steps
// CHECK-SAME:    %[[Q:.*]]: tensor<?x8x4x64xbf16>, %[[K:.*]]: tensor<2x2x?x64xbf16>, %[[V:.*]]: tensor<2x2x?x32xbf16>, %[[BIAS:.*]]: tensor<8xf32>, %[[T:.*]]: tensor<9x32xf32>, %[[SINK:.*]]: tensor<8xf32>, %[[PAST:.*]]: index, %[[FROM:.*]]: tensor<2xi64>
// CHECK-NEXT:    %[[QR:.*]] = posenc.rotate #{{.*}} from(%[[PAST]] : index) x(%[[Q]] : {{.*}})
// CHECK-NEXT:    %[[S:.*]] = posenc.scores q(%[[QR]] : {{.*}}) k(%[[K]] : {{.*}}) : tensor<?x8x4x?xf32>
// CHECK-NEXT:    %[[Z:.*]] = posenc.score_mod s(%[[S]] : tensor<?x8x4x?xf32>)
// CHECK-NEXT:      with(%[[BIAS]] : tensor<8xf32>)
// CHECK-NEXT:      score(%[[X:.*]], %{{.*}}, %[[H:.*]], %[[R:.*]], %[[J:.*]]) {
// CHECK-NEXT:        %[[E:.*]] = posenc.lookup %{{.*}}[%[[H]]]
// CHECK-NEXT:        %[[Y:.*]] = arith.addf %[[X]], %[[E]]
// CHECK-NEXT:        %[[KEEP:.*]] = arith.cmpi sle, %[[J]], %[[R]]
// CHECK-NEXT:        posenc.yield %[[Y]] : f32 keep %[[KEEP]]
// CHECK-NEXT:    }
// CHECK-NEXT:    %[[P:.*]], %[[LSE:.*]] = posenc.softmax s(%[[Z]] : {{.*}}) sink(%[[SINK]] : {{.*}}) lse : tensor<?x8x4xf32>
// CHECK-NEXT:    %[[O0:.*]] = posenc.values p(%[[P]] : {{.*}}) v(%[[V]] : {{.*}}) : tensor<2x8x4x32xbf16>
// CHECK-NEXT:    %[[O1:.*]] = posenc.relative_values o(%[[O0]] : {{.*}}) p(%[[P]] : {{.*}}) table(%[[T]] : {{.*}}) #posenc.clip<-4, 4>(delta) from(%[[FROM]] : tensor<2xi64>)
// CHECK-NEXT:    %[[O2:.*]] = posenc.relative_values o(%[[O1]] : {{.*}}) p(%[[P]] : {{.*}}) table(%[[T]] : {{.*}}) #posenc.band<-4, 4>(lag) from(%[[PAST]] : index)
// CHECK-NEXT:    return %[[O2]], %[[LSE]]
// REMARK: remark: [Passed] unfuse {{.*}}wrote posenc.attention as its steps
func.func @steps(%q: !q, %k: !k, %v: tensor<2x2x?x32xbf16>, %bias: tensor<8xf32>, %t: tensor<9x32xf32>, %sink: tensor<8xf32>, %past: index, %from: tensor<2xi64>) -> (tensor<2x8x4x32xbf16>, tensor<?x8x4xf32>) {
  %o, %lse = posenc.attention q(%q : !q) rotate #rope from(%past : index) k(%k : !k) v(%v : tensor<2x2x?x32xbf16>)
      value_tables(%t : tensor<9x32xf32>, %t : tensor<9x32xf32>)
      sink(%sink : tensor<8xf32>)
      with(%from : tensor<2xi64>, %bias : tensor<8xf32>, %past : index)
      score(%s, %b, %h, %r, %j) {
    %p = posenc.lookup %from[%b] : tensor<2xi64>
    %i = arith.addi %p, %r : index
    %d = arith.subi %j, %i : index
    %c = posenc.row #posenc.clip<-4, 4>(%d)
    %i1 = arith.addi %r, %past : index
    %l1 = arith.subi %i1, %j : index
    %c1 = posenc.row #posenc.band<-4, 4>(%l1)
    %e = posenc.lookup %bias[%h] : tensor<8xf32>
    %z = arith.addf %s, %e : f32
    %keep = arith.cmpi sle, %j, %r : index
    posenc.yield %z : f32 keep %keep value_rows(%c, %c1)
  } -> (tensor<2x8x4x32xbf16>, tensor<?x8x4xf32>)
  return %o, %lse : tensor<2x8x4x32xbf16>, tensor<?x8x4xf32>
}

// -----

!x = tensor<2x8x4x64xf32>

// A region that changes nothing is no step.
// CHECK-LABEL: func.func @plain
// CHECK-NEXT:    posenc.scores
// CHECK-NEXT:    posenc.softmax
// CHECK-NEXT:    posenc.values
// CHECK-NEXT:    return
func.func @plain(%x: !x) -> !x {
  %o = posenc.attention q(%x : !x) k(%x : !x) v(%x : !x) score(%s, %b, %h, %r, %j) { posenc.yield %s : f32 } -> !x
  return %o : !x
}

// CHECK-LABEL: func.func @negative_row_by_data
// CHECK:         posenc.attention
// REMARK: [[@LINE+2]]:8: remark: [Missed] unfuse {{.*}}left posenc.attention: a value row is no map of the distance
func.func @negative_row_by_data(%x: !x, %t: tensor<9x64xf32>, %ids: tensor<2x4xi64>) -> !x {
  %o = posenc.attention q(%x : !x) k(%x : !x) v(%x : !x)
      value_tables(%t : tensor<9x64xf32>)
      with(%ids : tensor<2x4xi64>)
      score(%s, %b, %h, %r, %j) {
    %c = posenc.lookup %ids[%b, %j] : tensor<2x4xi64>
    posenc.yield %s : f32 value_rows(%c)
  } -> !x
  return %o : !x
}

// CHECK-LABEL: func.func @negative_destination
// CHECK:         posenc.attention
// REMARK: remark: [Missed] unfuse {{.*}}left posenc.attention: the unfused ops have no destination
func.func @negative_destination(%x: !x) -> !x {
  %o = posenc.attention q(%x : !x) k(%x : !x) v(%x : !x) into(%x : !x) score(%s, %b, %h, %r, %j) { posenc.yield %s : f32 }
  return %o : !x
}

// CHECK-LABEL: func.func @negative_memrefs
// CHECK:         posenc.attention
// REMARK: remark: [Missed] unfuse {{.*}}left posenc.attention on memrefs: the unfused ops take tensors
func.func @negative_memrefs(%x: memref<2x8x4x64xf32>, %o: memref<2x8x4x64xf32>) {
  posenc.attention q(%x : memref<2x8x4x64xf32>) k(%x : memref<2x8x4x64xf32>) v(%x : memref<2x8x4x64xf32>)
      into(%o : memref<2x8x4x64xf32>) score(%s, %b, %h, %r, %j) { posenc.yield %s : f32 }
  return
}

// CHECK-LABEL: func.func @negative_memref_capture
// CHECK:         posenc.attention
// REMARK: remark: [Missed] unfuse {{.*}}left posenc.attention: it reads a memref
func.func @negative_memref_capture(%x: !x, %t: memref<8xf32>) -> !x {
  %o = posenc.attention q(%x : !x) k(%x : !x) v(%x : !x) with(%t : memref<8xf32>) score(%s, %b, %h, %r, %j) {
    %e = posenc.lookup %t[%h] : memref<8xf32>
    posenc.yield %e : f32
  } -> !x
  return %o : !x
}

// An offset per batch from a table that may have more of them.
// CHECK-LABEL: func.func @negative_longer_table
// CHECK:         posenc.attention
// REMARK: remark: [Missed] unfuse {{.*}}left posenc.attention: a value row is no map of the distance
func.func @negative_longer_table(%x: !x, %t: tensor<9x64xf32>, %from: tensor<5xi64>) -> !x {
  %o = posenc.attention q(%x : !x) k(%x : !x) v(%x : !x) value_tables(%t : tensor<9x64xf32>) with(%from : tensor<5xi64>)
      score(%s, %b, %h, %r, %j) {
    %f = posenc.lookup %from[%b] : tensor<5xi64>
    %i = arith.addi %r, %f : index
    %d = arith.subi %j, %i : index
    %row = posenc.row #posenc.clip<-4, 4>(%d)
    posenc.yield %s : f32 value_rows(%row)
  } -> !x
  return %o : !x
}
