//===- Clock.h - What time is measured --------------------------*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TOOLS_POSENC_BENCH_CLOCK_H
#define TOOLS_POSENC_BENCH_CLOCK_H

#include <ctime>

namespace mlir::posenc::bench {

/// Seconds since some moment. One thread's clock stands still while another
/// process has its core: a probe is over before that happens, a long call is
/// not, and their ratio would be that of the company. Several threads wait for
/// one another, so that only the time of day counts.
inline double getSeconds(unsigned numThreads) {
  timespec time;
  clock_gettime(numThreads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC,
                &time);
  return time.tv_sec + time.tv_nsec * 1e-9;
}

} // namespace mlir::posenc::bench

#endif // TOOLS_POSENC_BENCH_CLOCK_H
