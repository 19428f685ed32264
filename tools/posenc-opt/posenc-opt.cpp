//===- posenc-opt.cpp - Runs passes on IR files -*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "passes/Pipelines.h"
#include "posenc/Register.h"

using namespace mlir;

static constexpr llvm::StringLiteral overview = R"(
posenc-opt: attention with position encodings, from IR to IR.

Holds the posenc dialect, passes and pipelines (--posenc-*) beside all of
upstream's. What the passes did, and what they left alone and why, are remarks:
--remarks-filter=posenc --remark-format=emitRemark prints them.

)";

/// Loads the plugins that the command line names, to see that they can be.
/// MlirOptMain loads them again, but goes on without one that fails.
static LogicalResult checkPlugins(ArrayRef<StringRef> arguments) {
  auto check = [&](StringRef option, auto load) -> LogicalResult {
    for (auto [i, argument] : llvm::enumerate(arguments)) {
      StringRef rest = argument.ltrim('-');
      if (rest.size() == argument.size() || !rest.consume_front(option))
        continue;
      if (rest.empty() && i + 1 < arguments.size())
        rest = arguments[i + 1];
      else if (!rest.consume_front("="))
        continue;
      auto plugin = load(rest.str());
      if (!plugin) {
        llvm::errs() << "posenc-opt: error: "
                     << llvm::toString(plugin.takeError()) << "\n";
        return failure();
      }
    }
    return success();
  };
  return success(succeeded(check("load-pass-plugin", PassPlugin::load)) &&
                 succeeded(check("load-dialect-plugin", DialectPlugin::load)));
}

int main(int argc, char **argv) {
  if (failed(checkPlugins(SmallVector<StringRef>(argv + 1, argv + argc))))
    return 1;
  DialectRegistry registry;
  registerAllDialects(registry);
  registerAllExtensions(registry);
  posenc::registerPosEnc(registry);
  registerAllPasses();
  posenc::registerPosEncPasses();
  posenc::registerPosEncPipelines();
  return asMainReturnCode(MlirOptMain(argc, argv, overview, registry));
}
