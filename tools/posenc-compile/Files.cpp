//===- Files.cpp - What is written ----------------------------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Files.h"
#include "tools/Programs.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"

namespace mlir::posenc::compile {

using llvm::createStringError;

static llvm::Error writeFile(int descriptor, StringRef contents) {
  llvm::raw_fd_ostream os(descriptor, /*shouldClose=*/false);
  os << contents;
  os.flush();
  if (std::error_code code = os.error()) {
    os.clear_error();
    return createStringError(code.message());
  }
  return llvm::Error::success();
}

/// Whether a triple is one that programs of this machine have.
static bool isHost(const llvm::Triple &triple) {
  llvm::Triple host(llvm::sys::getDefaultTargetTriple());
  return triple.getArch() == host.getArch() && triple.getOS() == host.getOS();
}

static llvm::Expected<std::string> findLinker(const LinkOptions &options) {
  if (!options.linker.empty()) {
    if (auto program = llvm::sys::findProgramByName(options.linker))
      return *program;
    return createStringError("there is no linker '" + options.linker + "'");
  }
  if (!isHost(options.triple))
    return createStringError(
        "a shared library for " + options.triple.str() +
        " needs a linker for it: --linker=PROGRAM, a program with the options "
        "of cc; an object file (-o FILE.o) needs none");
  for (const char *name : {"cc", "clang", "gcc"})
    if (auto program = llvm::sys::findProgramByName(name))
      return *program;
  return createStringError(
      "there is no linker: none of cc, clang and gcc is in PATH, and "
      "--linker=PROGRAM is not given; an object file (-o FILE.o) needs none");
}

llvm::Expected<std::string> link(StringRef object, const LinkOptions &options) {
  llvm::Expected<std::string> linker = findLinker(options);
  if (!linker)
    return linker.takeError();

  SmallString<128> folder;
  if (std::error_code code =
          llvm::sys::fs::createUniqueDirectory("posenc-compile", folder))
    return createStringError("no temporary folder: " + code.message());
  llvm::scope_exit remove([&] { llvm::sys::fs::remove_directories(folder); });
  SmallString<128> input(folder), output(folder), log(folder);
  llvm::sys::path::append(input, "code.o");
  llvm::sys::path::append(output, "code.so");
  llvm::sys::path::append(log, "log");
  int descriptor;
  if (std::error_code code = llvm::sys::fs::openFileForWrite(input, descriptor))
    return createStringError("no temporary file: " + code.message());
  llvm::Error failure = writeFile(descriptor, object);
  llvm::sys::fs::closeFile(descriptor);
  if (failure)
    return std::move(failure);

  // Whatever is not in these libraries is missing, and had better be now.
  SmallVector<StringRef> arguments{*linker, "-shared", "-Wl,-z,defs",
                                   "-o",    output,    input};
  // By its full name: packages differ in which others they have.
  if (options.openmp)
    arguments.push_back(options.triple.isOSLinux() ? "-l:libomp.so.5"
                                                   : "-lomp");
  // Programs find it there as well, if it is not among the system's.
  if (options.openmp && isHost(options.triple))
    arguments.append(
        {"-L" POSENC_LLVM_LIBRARY_DIR, "-Wl,-rpath," POSENC_LLVM_LIBRARY_DIR});
  arguments.push_back("-lm");
  std::optional<StringRef> redirects[] = {StringRef(), StringRef(log),
                                          StringRef(log)};
  std::string reason;
  int status = llvm::sys::ExecuteAndWait(*linker, arguments, std::nullopt,
                                         redirects, 0, 0, &reason);
  if (status == 0)
    return readFile(output);
  if (reason.empty()) {
    // What the linker says, in one line.
    if (auto text = readFile(log)) {
      SmallVector<StringRef> lines;
      StringRef(*text).split(lines, '\n', /*MaxSplit=*/-1,
                             /*KeepEmpty=*/false);
      reason = llvm::join(ArrayRef(lines).take_front(3), "; ");
    } else {
      llvm::consumeError(text.takeError());
    }
  }
  return createStringError(
      "'" + *linker + "' cannot link for " + options.triple.str() +
      (options.openmp ? " with OpenMP (--threads=none needs none)" : "") +
      (reason.empty() ? "" : ": ") + reason);
}

llvm::Error checkOutput(StringRef path) {
  StringRef folder = llvm::sys::path::parent_path(path);
  if ((llvm::sys::fs::exists(path) && !llvm::sys::fs::is_regular_file(path)) ||
      llvm::sys::fs::access(folder.empty() ? "." : folder,
                            llvm::sys::fs::AccessMode::Write))
    return createStringError("cannot write '" + path + "'");
  return llvm::Error::success();
}

llvm::Error
writeFiles(ArrayRef<std::pair<std::string, StringRef>> filesAndContents) {
  SmallVector<llvm::sys::fs::TempFile> files;
  llvm::scope_exit discard([&] {
    for (llvm::sys::fs::TempFile &file : files)
      llvm::consumeError(file.discard());
  });
  for (const auto &[path, contents] : filesAndContents) {
    auto file = llvm::sys::fs::TempFile::create(path + "-%%%%%%%%.tmp",
                                                llvm::sys::fs::all_read |
                                                    llvm::sys::fs::all_write);
    if (!file)
      return createStringError("cannot write '" + path +
                               "': " + llvm::toString(file.takeError()));
    files.push_back(std::move(*file));
    if (llvm::Error failure = writeFile(files.back().FD, contents))
      return createStringError("cannot write '" + path +
                               "': " + llvm::toString(std::move(failure)));
  }
  size_t numKept = 0;
  for (auto [file, named] : llvm::zip_equal(files, filesAndContents)) {
    if (llvm::Error failure = file.keep(named.first)) {
      for (const auto &[path, contents] : filesAndContents.take_front(numKept))
        llvm::sys::fs::remove(path);
      return createStringError("cannot write '" + named.first +
                               "': " + llvm::toString(std::move(failure)));
    }
    ++numKept;
  }
  discard.release();
  return llvm::Error::success();
}

} // namespace mlir::posenc::compile
