//===- Host.cpp - What compiled code finds in this process ----------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Host.h"
#include "mlir/ExecutionEngine/CRunnerUtils.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <unistd.h>

namespace mlir::posenc::run {

namespace {
/// State of the one call that a process makes; compiled code may run threads.
struct Host {
  std::mutex mutex;
  llvm::DenseSet<void *> allocated;
  /// What `puts` was last given. It is an assertion's text if `abort` follows,
  /// and otherwise goes to the standard output.
  std::optional<std::string> pendingLine;
};
} // namespace

static Host &getHost() {
  static Host host;
  return host;
}

/// Not `exit`: other threads may still run compiled code.
[[noreturn]] static void fail(const std::string &message) {
  llvm::outs().flush();
  llvm::errs() << "posenc-run: error: " << message << '\n';
  std::_Exit(1);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static void *remember(void *pointer, size_t size) {
  if (!pointer)
    fail("the function ran out of memory, allocating " + std::to_string(size) +
         " bytes");
  // NaN in every float format, so that nobody mistakes what was never written
  // for a zero.
  std::memset(pointer, 0xff, size);
  std::lock_guard<std::mutex> lock(getHost().mutex);
  getHost().allocated.insert(pointer);
  return pointer;
}

static void *hostMalloc(size_t size) {
  return remember(std::malloc(size ? size : 1), size);
}

static void *hostAlignedAlloc(size_t alignment, size_t size) {
  return remember(std::aligned_alloc(alignment, size ? size : alignment), size);
}

static void hostFree(void *pointer) {
  if (!pointer)
    return;
  {
    std::lock_guard<std::mutex> lock(getHost().mutex);
    if (getHost().allocated.erase(pointer)) {
      std::free(pointer);
      return;
    }
  }
  fail("the function frees memory that is not its own, or frees it twice");
}

void freeHostMemory() {
  for (void *pointer : getHost().allocated)
    std::free(pointer);
  getHost().allocated.clear();
}

//===----------------------------------------------------------------------===//
// Assertions and faults
//===----------------------------------------------------------------------===//

static void flushPendingLine() {
  if (getHost().pendingLine)
    llvm::outs() << *getHost().pendingLine << '\n';
  getHost().pendingLine.reset();
}

static int hostPuts(const char *text) {
  std::lock_guard<std::mutex> lock(getHost().mutex);
  flushPendingLine();
  getHost().pendingLine = text;
  return 0;
}

/// Makes one line of an assertion's text. That of generate-runtime-verification
/// has several: a title, the op (if asked for), `^ MESSAGE` and
/// `Location: loc("FILE":LINE:COLUMN)`.
static std::string formatAssertion(StringRef text) {
  bool isVerification =
      text.consume_front("ERROR: Runtime op verification failed\n");
  std::string location;
  SmallVector<StringRef> lines, parts;
  text.split(lines, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef line : lines) {
    if (isVerification && line.consume_front("Location: loc(")) {
      line.consume_back(")");
      if (line.consume_front("\"")) {
        auto [file, position] = line.split('"');
        location = (file + position + ": ").str();
      }
      continue;
    }
    if (isVerification)
      line.consume_front("^ ");
    parts.push_back(line.trim());
  }
  return location + llvm::join(parts, " ");
}

static void hostAbort() {
  std::string message = "the function called abort";
  {
    std::lock_guard<std::mutex> lock(getHost().mutex);
    if (getHost().pendingLine)
      message = formatAssertion(*getHost().pendingLine);
  }
  fail(message);
}

static void handleFault(int signal) {
  // Only what a signal handler may call.
  const char *reason =
      signal == SIGFPE   ? "posenc-run: error: the function divided by zero\n"
      : signal == SIGILL ? "posenc-run: error: the function executed an "
                           "illegal instruction\n"
                         : "posenc-run: error: the function accessed memory "
                           "that is not there\n";
  (void)!write(STDERR_FILENO, reason, std::strlen(reason));
  _exit(1);
}

void callOnHost(void (*function)(void **), void **arguments) {
  // On the alternate stack that LLVM's start-up code has installed: the fault
  // may be that the stack is full.
  constexpr int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
  struct sigaction action = {}, previous[std::size(signals)];
  action.sa_handler = handleFault;
  action.sa_flags = SA_ONSTACK;
  for (size_t i = 0; i < std::size(signals); ++i)
    sigaction(signals[i], &action, &previous[i]);
  llvm::outs().flush();
  function(arguments);
  for (size_t i = 0; i < std::size(signals); ++i)
    sigaction(signals[i], &previous[i], nullptr);
  flushPendingLine();
}

ArrayRef<std::pair<StringRef, void *>> getHostSymbols() {
  static const std::pair<StringRef, void *> symbols[] = {
      {"malloc", reinterpret_cast<void *>(hostMalloc)},
      {"aligned_alloc", reinterpret_cast<void *>(hostAlignedAlloc)},
      {"free", reinterpret_cast<void *>(hostFree)},
      {"puts", reinterpret_cast<void *>(hostPuts)},
      {"abort", reinterpret_cast<void *>(hostAbort)},
      // Copies between memrefs with strides end up here.
      {"memrefCopy", reinterpret_cast<void *>(memrefCopy)},
  };
  return symbols;
}

} // namespace mlir::posenc::run
