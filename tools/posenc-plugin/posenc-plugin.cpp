//===- posenc-plugin.cpp - The dialect and passes for a stock mlir-opt -*- C++
//-*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "passes/Pipelines.h"
#include "posenc/Register.h"
#include "llvm/Config/llvm-config.h"

extern "C" LLVM_ATTRIBUTE_WEAK mlir::DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "PosEnc", LLVM_VERSION_STRING,
          [](mlir::DialectRegistry *registry) {
            mlir::posenc::registerPosEnc(*registry);
          }};
}

extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "PosEncPasses", LLVM_VERSION_STRING, [] {
            mlir::posenc::registerPosEncPasses();
            mlir::posenc::registerPosEncPipelines();
          }};
}
