//===- Host.cpp - What compiled code finds in this process ----------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Host.h"
#include "passes/Passes.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <unistd.h>

namespace mlir::posenc::run {

namespace {
/// What the C library gave for an allocation of `size` bytes.
struct Allocation {
  void *memory;
  size_t size;
};

/// State of the call that is being made; compiled code may run threads.
struct Host {
  std::mutex mutex;
  llvm::DenseMap<void *, Allocation> allocated;
  /// What `puts` was last given. It is an assertion's text if `abort` follows,
  /// and otherwise goes to the standard output.
  std::optional<std::string> pendingLine;
};
} // namespace

static Host &getHost() {
  static Host host;
  return host;
}

HostSettings &getHostSettings() {
  static HostSettings settings;
  return settings;
}

/// Not `exit`: other threads may still run compiled code.
[[noreturn]] static void fail(const std::string &message) {
  llvm::outs().flush();
  llvm::errs() << getHostSettings().tool << ": error: " << message << '\n';
  std::_Exit(1);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Where poisoned memory begins and ends is not seen by compiled code: what is
/// before and behind it is poisoned too, and must stay so.
static constexpr size_t surrounding = 4096;

static size_t getSurrounding() {
  return getHostSettings().poisonMemory ? surrounding : 0;
}

static void *allocate(size_t alignment, size_t size) {
  size_t around = llvm::alignTo(getSurrounding(), alignment);
  size_t total = llvm::alignTo(std::max<size_t>(size, 1), alignment);
  char *memory = nullptr;
  if (size < SIZE_MAX / 2)
    memory =
        static_cast<char *>(std::aligned_alloc(alignment, total + 2 * around));
  if (!memory)
    fail("the function ran out of memory, allocating " + std::to_string(size) +
         " bytes");
  if (getHostSettings().poisonMemory)
    std::memset(memory, 0xff, total + 2 * around);
  std::lock_guard<std::mutex> lock(getHost().mutex);
  getHost().allocated[memory + around] = {memory, size};
  return memory + around;
}

static void *hostMalloc(size_t size) {
  return allocate(alignof(std::max_align_t), size);
}

static void *hostAlignedAlloc(size_t alignment, size_t size) {
  return allocate(alignment, size);
}

static void checkAndFree(const void *pointer, const Allocation &allocation) {
  auto *begin = static_cast<const char *>(pointer);
  const char *end = begin + allocation.size;
  auto isPoison = [](char byte) { return byte == char(0xff); };
  if (!std::all_of(begin - getSurrounding(), begin, isPoison) ||
      !std::all_of(end, end + getSurrounding(), isPoison))
    fail("the function wrote beyond the ends of memory that it allocated, " +
         std::to_string(allocation.size) + " bytes");
  std::free(allocation.memory);
}

static void hostFree(void *pointer) {
  if (!pointer)
    return;
  std::optional<Allocation> allocation;
  {
    std::lock_guard<std::mutex> lock(getHost().mutex);
    auto it = getHost().allocated.find(pointer);
    if (it != getHost().allocated.end()) {
      allocation = it->second;
      getHost().allocated.erase(it);
    }
  }
  if (!allocation)
    fail("the function frees memory that is not its own, or frees it twice");
  checkAndFree(pointer, *allocation);
}

void freeHostMemory() {
  for (auto [pointer, allocation] : getHost().allocated)
    checkAndFree(pointer, allocation);
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

static void hostAbort() {
  std::string message = "the function called abort";
  {
    std::lock_guard<std::mutex> lock(getHost().mutex);
    if (getHost().pendingLine)
      message = describeAssertion(*getHost().pendingLine, /*keepFolder=*/true);
  }
  fail(message);
}

static void handleFault(int signal) {
  // Only what a signal handler may call.
  const char *reason = signal == SIGFPE ? "the function divided by zero"
                       : signal == SIGILL
                           ? "the function executed an illegal instruction"
                           : "the function accessed memory that is not there";
  for (const char *text : {getHostSettings().tool, ": error: ", reason, "\n"})
    (void)!write(STDERR_FILENO, text, std::strlen(text));
  _exit(1);
}

void callOnHost(llvm::function_ref<void()> function) {
  // On the alternate stack that LLVM's start-up code has installed: the fault
  // may be that the stack is full.
  constexpr int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
  struct sigaction action = {}, previous[std::size(signals)];
  action.sa_handler = handleFault;
  action.sa_flags = SA_ONSTACK;
  for (size_t i = 0; i < std::size(signals); ++i)
    sigaction(signals[i], &action, &previous[i]);
  llvm::outs().flush();
  function();
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
  };
  return symbols;
}

} // namespace mlir::posenc::run
