//===- Programs.cpp - What programs that compile share --------------------===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Programs.h"
#include "mlir/InitAllDialects.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "posenc/Register.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;

llvm::Expected<std::unique_ptr<MLIRContext>>
posenc::createContext(ArrayRef<std::string> dialectPlugins) {
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllToLLVMIRTranslations(registry);
  registerPosEnc(registry);
  for (const std::string &file : dialectPlugins) {
    llvm::Expected<DialectPlugin> plugin = DialectPlugin::load(file);
    if (!plugin)
      return plugin.takeError();
    plugin->registerDialectRegistryCallbacks(registry);
  }
  // One short module: starting threads would take longer than they save.
  auto context =
      std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  context->printOpOnDiagnostic(false);
  return std::move(context);
}

llvm::Expected<std::string> posenc::readFile(StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return llvm::createStringError("cannot read '" + path +
                                   "': " + buffer.getError().message());
  return (*buffer)->getBuffer().str();
}
