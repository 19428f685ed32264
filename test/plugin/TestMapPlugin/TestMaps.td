#ifndef TEST_PLUGIN_TESTMAPPLUGIN_TESTMAPS_TD
#define TEST_PLUGIN_TESTMAPPLUGIN_TESTMAPS_TD

include "dialects/PosEnc/PosEncInterfaces.td"
include "mlir/IR/AttrTypeBase.td"

def TestMaps_Dialect : Dialect {
  let name = "test_maps";
  let cppNamespace = "::test_maps";
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = "void registerAttributes();";
}

/// 0 for distance 0, else the number of the highest bit of |x|, negative
/// distances behind the positive ones; distances of `bits` bits and more share
/// the last.
def OctaveAttr : AttrDef<TestMaps_Dialect, "Octave", [
    DeclareAttrInterfaceMethods<RowMapAttr, ["getNumRows", "evaluate", "getVarying"]>]> {
  let mnemonic = "octave";
  let parameters = (ins "int64_t":$bits);
  let assemblyFormat = "`<` $bits `>`";
}

#endif // TEST_PLUGIN_TESTMAPPLUGIN_TESTMAPS_TD
