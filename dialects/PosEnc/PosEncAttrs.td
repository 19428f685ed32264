#ifndef DIALECTS_POSENC_POSENCATTRS_TD
#define DIALECTS_POSENC_POSENCATTRS_TD

include "dialects/PosEnc/PosEncDialect.td"
include "dialects/PosEnc/PosEncInterfaces.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

class PosEnc_Attr<string cppName, string asmName, list<Trait> traits = []> : AttrDef<PosEnc_Dialect, cppName, traits> {
  let mnemonic = asmName;
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Row maps
//===----------------------------------------------------------------------===//

class PosEnc_Map<string cppName, string asmName, list<string> methods = []>
    : PosEnc_Attr<cppName, asmName,
                  [DeclareAttrInterfaceMethods<RowMapAttr, !listconcat(["getNumRows", "evaluate"], methods)>]>;

def ClipAttr : PosEnc_Map<"Clip", "clip", ["getVarying", "emit"]> {
  let summary = "clip(x, lo, hi) - lo";
  let description = [{
    `hi - lo + 1` rows: the distance clipped to [lo, hi] (Shaw et al. 2018, arXiv:1803.02155: lo = -k, hi = k).

    - `row_c2`: lo <= hi, and `hi - lo + 1` fits in 63 bits.
  }];
  let parameters = (ins "int64_t":$lo, "int64_t":$hi);
  let assemblyFormat = "`<` $lo `,` $hi `>`";
}

def BandAttr : PosEnc_Map<"Band", "band", ["isPartial", "getVarying", "emit"]> {
  let summary = "x - lo inside [lo, hi], else no row";
  let description = [{
    `hi - lo + 1` rows, and no row outside [lo, hi]: what uses the row says `else` (Music Transformer, arXiv:1809.04281,
    and VITS, arXiv:2106.06103, add nothing there).

    - `row_c2`: lo <= hi, and `hi - lo + 1` fits in 63 bits.
  }];
  let parameters = (ins "int64_t":$lo, "int64_t":$hi);
  let assemblyFormat = "`<` $lo `,` $hi `>`";
}

def BucketDirection : I32Enum<"BucketDirection", "which side of the query has buckets", [
    I32EnumCase<"Bidirectional", 0, "bidirectional">, I32EnumCase<"Causal", 1, "causal">]> {
  let cppNamespace = "::mlir::posenc";
}

def T5Attr : PosEnc_Map<"T5", "t5", ["getVarying", "emit"]> {
  let summary = "T5's logarithmic buckets of delta = key - query";
  let description = [{
    The bucket of Raffel et al. 2020 (arXiv:1910.10683). `causal`: n = max(-delta, 0), u = buckets. `bidirectional`:
    n = |delta|, u = buckets / 2, and u is added where delta > 0. With e = u / 2 exact buckets, n < e is its own bucket,
    and bucket e + t begins at the smallest n with (n / e)^(u - e) >= (max_distance / e)^t, up to bucket u - 1. The
    comparison is one of integers, so no rounding moves a bucket. T5 has 32 buckets and a maximum distance of 128, which
    saturate at distance 91 (bidirectional) or 113 (causal).

    Encoders use `bidirectional`, decoders `causal`: there is no default.

    - `row_c2`: 2 to 4096 buckets, bidirectional an even number of at least 4; max_distance above e, the exact range, and
      of 31 bits.
  }];
  let parameters = (ins "int64_t":$buckets, "int64_t":$maxDistance, EnumParameter<BucketDirection>:$direction);
  let assemblyFormat = "`<` $buckets `,` $maxDistance `,` $direction `>`";
  let extraClassDeclaration = [{
    /// Buckets of one side of the query: u of the description.
    int64_t getSideBuckets() const;
    /// The bucket of a distance n >= 0 within its side.
    int64_t getSideBucket(int64_t distance) const;
  }];
}

def DebertaAttr : PosEnc_Map<"Deberta", "deberta", ["getVarying", "emit"]> {
  let summary = "DeBERTa's logarithmic buckets of lag = query - key";
  let description = [{
    clip(bucket(lag) + span, 0, 2 span - 1) of DeBERTa v2 and v3 (He et al. 2021, arXiv:2006.03654, released code). With
    mid = buckets / 2: bucket(x) = x for |x| <= mid, else sign(x) (mid + t), t the smallest integer with
    (|x| / mid)^(mid - 1) <= ((max_position - 1) / mid)^t, also beyond max_position. 2 span rows. Without logarithmic
    buckets (v1) the map is `#posenc.clip<-span, span - 1>` of the lag.

    - `row_c2`: a span of 1 to 4096; 2 to 4096 buckets; max_position - 1 > buckets / 2, max_position of 31 bits.
  }];
  let parameters = (ins "int64_t":$buckets, "int64_t":$maxPosition, "int64_t":$span);
  let assemblyFormat = "`<` `buckets` `=` $buckets `,` `max_position` `=` $maxPosition `,` `span` `=` $span `>`";
  let extraClassDeclaration = [{
    /// The row of the bucket of `lag`.
    int64_t getRow(int64_t lag) const;
  }];
}

def IrpeAttr : PosEnc_Map<"Irpe", "irpe", ["getVarying", "emit"]> {
  let summary = "iRPE's piecewise index of a difference";
  let description = [{
    g(x) + trunc(beta) of iRPE (Wu et al. 2021, arXiv:2107.14222, released code), for each axis of a grid, or a rounded
    distance. g(x) = x for |x| <= alpha, else sign(x) min(round(alpha + ln(|x| / alpha) / ln(gamma / alpha) (beta -
    alpha)), trunc(beta)), where round takes halves to even. 2 trunc(beta) + 1 rows. A half is found by integers, so no
    logarithm's rounding moves a row. The released models have alpha = 1.9, beta = 3.8, gamma = 15.2: 7 rows.

    - `row_c2`: 0 < alpha <= beta <= 4096, gamma above alpha and finite.
  }];
  let parameters = (ins "::mlir::posenc::Real":$alpha, "::mlir::posenc::Real":$beta, "::mlir::posenc::Real":$gamma);
  let assemblyFormat = "`<` $alpha `,` $beta `,` $gamma `>`";
  let extraClassDeclaration = [{
    /// g of a distance n >= 0.
    int64_t getSideRow(int64_t distance) const;
  }];
}

def WindowAttr : PosEnc_Map<"Window", "window", ["getNumInputs", "emit"]> {
  let summary = "Swin's row of two tokens of a window";
  let description = [{
    Of a query token and a key token of a height x width window, row-major (Liu et al. 2021, arXiv:2103.14030): with dr
    and dc the differences query minus key of their window rows and columns, row (dr + height - 1)(2 width - 1) + dc +
    width - 1 of (2 height - 1)(2 width - 1). Tokens outside the window are clipped into it.

    - `row_c2`: height and width of at least 1, and the number of rows fits in 63 bits.
  }];
  let parameters = (ins "int64_t":$height, "int64_t":$width);
  let assemblyFormat = "`<` $height `,` $width `>`";
}

#endif // DIALECTS_POSENC_POSENCATTRS_TD
