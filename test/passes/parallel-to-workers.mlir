// RUN: posenc-opt %s --posenc-parallel-to-workers | FileCheck %s
// RUN: posenc-opt %s --posenc-parallel-to-workers=openmp | FileCheck %s --check-prefix=OPENMP
// RUN: posenc-opt %s --posenc-parallel-to-workers --posenc-parallel-to-workers=openmp | FileCheck %s
// RUN: posenc-opt %s --posenc-parallel-to-workers=openmp --posenc-parallel-to-workers=openmp | FileCheck %s --check-prefix=OPENMP

// The page's example: one buffer for a worker.
// CHECK-LABEL: func.func @double
// CHECK:         %[[OWN:.*]] = memref.alloc() : memref<f32>
// CHECK-NEXT:    scf.for
// CHECK-NOT:       memref.alloc
// CHECK:         }
// CHECK-NEXT:    memref.dealloc %[[OWN]]
// OPENMP-LABEL: func.func @double
// OPENMP:        omp.parallel {
// OPENMP-NEXT:     %[[OWN:.*]] = memref.alloc() : memref<f32>
// OPENMP-NEXT:     omp.wsloop schedule(dynamic) {
// OPENMP-NEXT:       omp.loop_nest (%{{.*}}) : index = (%{{.*}}) to (%{{.*}}) step (%{{.*}}) {
// OPENMP-NOT:          memref.alloc
// OPENMP:              omp.yield
// OPENMP:          memref.dealloc %[[OWN]]
// OPENMP-NEXT:     omp.terminator
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

// Loops over several integers are one nest; a loop inside belongs to the iteration.
// CHECK-LABEL: func.func @nested
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             scf.for
// OPENMP-LABEL: func.func @nested
// OPENMP:        omp.loop_nest (%{{.*}}, %{{.*}}) : {{.*}} collapse(2)
// OPENMP:          scf.for
func.func @nested(%x: memref<?x?x?xf32>, %n: index, %y: f32) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.parallel (%i, %j) = (%zero, %zero) to (%n, %n) step (%one, %one) {
    scf.parallel (%k) = (%zero) to (%n) step (%one) {
      memref.store %y, %x[%i, %j, %k] : memref<?x?x?xf32>
    }
  }
  return
}

// What has a size of the iteration's own, or is not freed in it, stays where it is.
// CHECK-LABEL: func.func @negative_own_size
// CHECK:         scf.for
// CHECK-NEXT:      memref.alloc(
// CHECK:           memref.alloc()
func.func @negative_own_size(%out: memref<?xindex>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.parallel (%i) = (%zero) to (%n) step (%one) {
    %own = memref.alloc(%i) : memref<?xf32>
    %kept = memref.alloc() : memref<index>
    %address = memref.extract_aligned_pointer_as_index %kept : memref<index> -> index
    memref.store %address, %out[%i] : memref<?xindex>
    memref.dealloc %own : memref<?xf32>
  }
  return
}

// A reduction is no loop of workers.
// CHECK-LABEL: func.func @negative_reduction
// CHECK:         scf.parallel
// OPENMP-LABEL: func.func @negative_reduction
// OPENMP:        scf.parallel
func.func @negative_reduction(%x: memref<?xf32>, %n: index) -> f32 {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %init = arith.constant 0.0 : f32
  %sum = scf.parallel (%i) = (%zero) to (%n) step (%one) init(%init) -> f32 {
    %e = memref.load %x[%i] : memref<?xf32>
    scf.reduce(%e : f32) {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      scf.reduce.return %c : f32
    }
  }
  return %sum : f32
}
