//===- TestMapPlugin.cpp - An index map outside the library -*- C++ -*-===//
//
// Part of the posenc project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// A new map is an attribute with an interface, and edits no pass: this one is
// compiled apart and loaded at run time.
//
//===----------------------------------------------------------------------===//

#include "dialects/PosEnc/PosEnc.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/MathExtras.h"

#include "test/plugin/TestMapPlugin/TestMapsDialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "test/plugin/TestMapPlugin/TestMapsAttrs.h.inc"

#include "test/plugin/TestMapPlugin/TestMapsDialect.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "test/plugin/TestMapPlugin/TestMapsAttrs.cpp.inc"

using namespace mlir;
using namespace test_maps;

int64_t OctaveAttr::getNumRows() const { return 2 * getBits() + 1; }

int64_t OctaveAttr::evaluate(ArrayRef<int64_t> x) const {
  if (x[0] == 0)
    return 0;
  uint64_t magnitude = x[0] < 0 ? -uint64_t(x[0]) : x[0];
  int64_t bits = std::min<int64_t>(llvm::Log2_64(magnitude) + 1, getBits());
  return bits + (x[0] < 0 ? getBits() : 0);
}

posenc::Interval OctaveAttr::getVarying() const {
  int64_t last = int64_t(1) << (getBits() - 1);
  return {-last, last};
}

void TestMapsDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "test/plugin/TestMapPlugin/TestMapsAttrs.cpp.inc"
      >();
}
void TestMapsDialect::initialize() { registerAttributes(); }

extern "C" LLVM_ATTRIBUTE_WEAK DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "TestMaps", LLVM_VERSION_STRING,
          [](DialectRegistry *registry) {
            registry->insert<TestMapsDialect>();
          }};
}
