// RUN: posenc-opt %s --posenc-status-results --split-input-file --verify-diagnostics | FileCheck %s

// The page's example.
// CHECK:       llvm.mlir.global internal constant @[[$TEXT:.*]]("expected an element\00")
// CHECK-LABEL: func.func @first
// CHECK-SAME:      -> !llvm.ptr
// CHECK:         %[[T:.*]] = llvm.mlir.addressof @[[$TEXT]]
// CHECK-NEXT:    cf.cond_br %{{.*}}, ^[[SOME:.*]], ^[[FAILED:.*]](%[[T]] : !llvm.ptr)
// CHECK:       ^[[SOME]]:
// CHECK:         memref.store
// CHECK:         %[[FINE:.*]] = llvm.mlir.zero : !llvm.ptr
// CHECK:         return %[[FINE]]
// CHECK:       ^[[FAILED]](%[[WHY:.*]]: !llvm.ptr):
// CHECK:         return %[[WHY]]
func.func @first(%x: memref<?xf32>, %n: index) {
  %zero = arith.constant 0 : index
  %some = arith.cmpi sgt, %n, %zero : index
  cf.assert %some, "expected an element"
  %one = arith.constant 1.0 : f32
  memref.store %one, %x[%zero] : memref<?xf32>
  return
}

// -----

// The text of a check of sizes has several lines, and names a folder.
// CHECK: ("a.mlir:3:5: t5_c1: expected rows of 4\00")
func.func @verification(%x: i1) {
  cf.assert %x, "ERROR: Runtime op verification failed\n^ t5_c1: expected rows of 4\nLocation: loc(\"/some/where/a.mlir\":3:5)"
  return
}

// -----

// What is allocated goes to a list, which the caller passes, and which is freed on all ways out of the public function.
// CHECK-LABEL: func.func private @callee
// CHECK-SAME:      (%[[N:.*]]: index, %[[LIST:.*]]: !llvm.ptr) -> (memref<?xf32>, !llvm.ptr)
// CHECK:         %[[P:.*]] = llvm.call @posenc.allocate(%[[LIST]],
// CHECK:         %[[THERE:.*]] = llvm.icmp "ne" %[[P]],
// CHECK:         cf.cond_br %[[THERE]], ^[[THEN:.*]], ^[[FAILED:.*]](%
// CHECK:       ^[[THEN]]:
// CHECK:         return %{{.*}}, %{{.*}} : memref<?xf32>, !llvm.ptr
// CHECK:       ^[[FAILED]](%[[WHY:.*]]: !llvm.ptr):
// CHECK-NOT:     free
// CHECK:         %[[NONE:.*]] = ub.poison : memref<?xf32>
// CHECK:         return %[[NONE]], %[[WHY]]
func.func private @callee(%n: index) -> memref<?xf32> {
  %x = memref.alloc(%n) : memref<?xf32>
  return %x : memref<?xf32>
}

// CHECK-LABEL: func.func @caller
// CHECK-SAME:      (%{{.*}}: index) -> !llvm.ptr
// CHECK:         %[[LIST:.*]] = llvm.alloca
// CHECK:         %[[CALL:.*]]:2 = call @callee(%{{.*}}, %[[LIST]])
// CHECK:         %[[FINE:.*]] = llvm.icmp "eq" %[[CALL]]#1,
// CHECK:         cf.cond_br %[[FINE]], ^[[THEN:.*]], ^[[FAILED:.*]](%[[CALL]]#1 : !llvm.ptr)
// CHECK:       ^[[THEN]]:
// CHECK:         llvm.call @posenc.free(
// CHECK:         llvm.call @posenc.free_all(%[[LIST]])
// CHECK:         return
// CHECK:       ^[[FAILED]](
// CHECK:         llvm.call @posenc.free_all(%[[LIST]])
// CHECK:         return
func.func @caller(%n: index) {
  %x = call @callee(%n) : (index) -> memref<?xf32>
  memref.dealloc %x : memref<?xf32>
  return
}

// CHECK-NOT: memref.alloc
// CHECK:     llvm.func internal @posenc.allocate
// CHECK:     llvm.func internal @posenc.free
// CHECK:     llvm.func internal @posenc.free_all

// -----

// Workers leave word; what is left of the loop is skipped, and the function returns behind it.
// CHECK-LABEL: func.func @workers
// CHECK:         llvm.alloca
// CHECK:         %[[WORD:.*]] = llvm.alloca %{{.*}} x !llvm.ptr
// CHECK:         omp.parallel {
// CHECK:           %[[OWN:.*]] = llvm.alloca
// CHECK:           llvm.call @posenc.allocate(%[[OWN]],
// CHECK:           llvm.store %{{.*}}, %[[WORD]] atomic monotonic
// CHECK:           omp.wsloop {
// CHECK:             omp.loop_nest
// CHECK:               llvm.load %[[WORD]] atomic monotonic
// CHECK:               cf.cond_br %{{.*}}, ^[[DO:.*]], ^[[END:.*]]
// CHECK:             ^[[DO]]:
// CHECK:               cf.cond_br %{{.*}}, ^[[FINE:.*]], ^[[FAILED:.*]](%
// CHECK:             ^[[FINE]]:
// CHECK:               memref.store
// CHECK:             ^[[END]]:
// CHECK-NEXT:          omp.yield
// CHECK:             ^[[FAILED]](%[[WHY:.*]]: !llvm.ptr):
// CHECK-NEXT:          llvm.store %[[WHY]], %[[WORD]] atomic monotonic
// CHECK-NEXT:          cf.br ^[[END]]
// CHECK:           llvm.call @posenc.free_all(%[[OWN]])
// CHECK:           omp.terminator
// CHECK:         llvm.load %[[WORD]] atomic monotonic
// CHECK:         cf.cond_br
func.func @workers(%x: memref<?xf32>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  omp.parallel {
    %own = memref.alloc() : memref<f32>
    omp.wsloop {
      omp.loop_nest (%i) : index = (%zero) to (%n) step (%one) {
        %inside = arith.cmpi slt, %i, %n : index
        cf.assert %inside, "outside"
        %e = memref.load %own[] : memref<f32>
        memref.store %e, %x[%i] : memref<?xf32>
        omp.yield
      }
    }
    memref.dealloc %own : memref<f32>
    omp.terminator
  }
  return
}

// -----

// expected-error@+1 {{returns memory; posenc-results-to-arguments has it written to the caller's}}
func.func @negative_memory(%x: memref<4xf32>) -> memref<4xf32> {
  return %x : memref<4xf32>
}

// -----

func.func private @callee() {
  return
}
func.func @negative_address() {
  // expected-error@+1 {{expected calls only of '@callee', which gets a further result}}
  %f = constant @callee : () -> ()
  call_indirect %f() : () -> ()
  return
}

// -----

func.func @negative_assertion_of_worker(%x: i1) {
  omp.parallel {
    // expected-error@+1 {{may fail where the function cannot return}}
    cf.assert %x, "x"
    omp.terminator
  }
  return
}
