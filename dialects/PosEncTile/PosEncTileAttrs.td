#ifndef DIALECTS_POSENCTILE_POSENCTILEATTRS_TD
#define DIALECTS_POSENCTILE_POSENCTILEATTRS_TD

include "dialects/PosEncTile/PosEncTileDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

class PosEncTile_Enum<string name, string summary, list<I32EnumAttrCase> cases> : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::mlir::posenc::tile";
  let genSpecializedAttr = 0;
}

def PosEncTile_TermKind : PosEncTile_Enum<"TermKind", "how a term of a sweep is addressed", [
    I32EnumAttrCase<"Row", 0, "row">, I32EnumAttrCase<"Key", 1, "key">, I32EnumAttrCase<"Lag", 2, "lag">,
    I32EnumAttrCase<"Strip", 3, "strip">, I32EnumAttrCase<"Tile", 4, "tile">, I32EnumAttrCase<"Pair", 5, "pair">]>;

def PosEncTile_TermUse : PosEncTile_Enum<"TermUse", "where a term of a sweep goes", [
    I32EnumAttrCase<"All", 0, "all">, I32EnumAttrCase<"Near", 1, "near">, I32EnumAttrCase<"Left", 2, "left">,
    I32EnumAttrCase<"Right", 3, "right">, I32EnumAttrCase<"Score", 4, "score">, I32EnumAttrCase<"Mask", 5, "mask">]>;

def PosEncTile_BucketKind : PosEncTile_Enum<"BucketKind", "how a weight finds its bucket", [
    I32EnumAttrCase<"Lag", 0, "lag">, I32EnumAttrCase<"Tile", 1, "tile">, I32EnumAttrCase<"Score", 2, "score">]>;

class PosEncTile_Attr<string name, string attrMnemonic> : AttrDef<PosEncTile_Dialect, name> {
  let mnemonic = attrMnemonic;
}

def TermAttr : PosEncTile_Attr<"Term", "term"> {
  let summary = "A term of a sweep: where it goes, how it is addressed, whether a factor per row multiplies it";
  let description = [{
    Example: `#posenc_tile.term<near, strip, factor = false>`. The uses and kinds are explained at `posenc_tile.sweep`.
  }];
  let parameters = (ins EnumParameter<PosEncTile_TermUse>:$use, EnumParameter<PosEncTile_TermKind>:$kind,
                        "bool":$factor);
  let assemblyFormat = "`<` $use `,` $kind `,` `factor` `=` $factor `>`";
}

def BucketAttr : PosEncTile_Attr<"Bucket", "bucket"> {
  let summary = "How the weights of a sweep find their bucket";
  let description = [{
    Example: `#posenc_tile.bucket<lag>`. The kinds are explained at `posenc_tile.sweep`.
  }];
  let parameters = (ins EnumParameter<PosEncTile_BucketKind>:$kind);
  let assemblyFormat = "`<` $kind `>`";
}

def TermArrayAttr : TypedArrayAttrBase<TermAttr, "terms of a sweep">;
def BucketArrayAttr : TypedArrayAttrBase<BucketAttr, "buckets of a sweep">;

#endif // DIALECTS_POSENCTILE_POSENCTILEATTRS_TD
