#ifndef DIALECTS_POSENC_POSENCROTATIONS_TD
#define DIALECTS_POSENC_POSENCROTATIONS_TD

include "dialects/PosEnc/PosEncAttrs.td"

//===----------------------------------------------------------------------===//
// Scalings
//===----------------------------------------------------------------------===//

class PosEnc_Scaling<string cppName, string asmName, list<string> methods>
    : PosEnc_Attr<cppName, asmName, [DeclareAttrInterfaceMethods<RopeScalingAttr, methods>]> {
  let assemblyFormat = "`<` struct(params) `>`";
}

def LinearAttr : PosEnc_Scaling<"Linear", "linear", ["scaleFrequencies"]> {
  let summary = "Position interpolation: all frequencies are divided by a factor";
  let description = [{
    f[m] / factor (Chen et al. 2023, arXiv:2306.15595).

    - `rotate_c1`: the factor is positive.
  }];
  let parameters = (ins "::mlir::posenc::Real":$factor);
}

def NtkAttr : PosEnc_Scaling<"Ntk", "ntk", ["scaleFrequencies"]> {
  let summary = "NTK-aware scaling: a larger base";
  let description = [{
    base' = base factor^(width / (width - 2)): the highest frequency stays and the lowest is divided by `factor` (bloc97
    2023; Peng et al. 2023, arXiv:2309.00071, section 3.1).

    - `rotate_c1`: the factor is positive.
  }];
  let parameters = (ins "::mlir::posenc::Real":$factor);
}

def DynamicNtkAttr : PosEnc_Scaling<"DynamicNtk", "dynamic_ntk", ["needsLength", "emitFrequency"]> {
  let summary = "NTK-aware scaling by the length of the sequence";
  let description = [{
    base' = base (factor L / original - (factor - 1))^(width / (width - 2)), L the larger of `length` and `original`, the
    trained context in tokens (emozilla 2023; Peng et al. 2023, arXiv:2309.00071, appendix B.3). A rotation with it takes
    `length`. Keys rotated at one length do not fit queries rotated at another.

    - `rotate_c1`: the factor is positive, original is at least 1.
  }];
  let parameters = (ins "::mlir::posenc::Real":$factor, "int64_t":$original);
}

def Llama3Attr : PosEnc_Scaling<"Llama3", "llama3", ["scaleFrequencies"]> {
  let summary = "Llama 3.1's bands: long waves are divided by a factor";
  let description = [{
    With n = original f[m] / (2 pi), how often a pair turns within the trained context of `original` tokens: f[m] / factor
    where n < low, f[m] where n > high, between them (1 - t) f[m] / factor + t f[m], t = (n - low) / (high - low)
    (Llama Team 2024, arXiv:2407.21783, released code: 8, 1, 4, 8192).

    - `rotate_c1`: the factor is positive, 0 < low < high, original is at least 1.
  }];
  let parameters = (ins "::mlir::posenc::Real":$factor, "::mlir::posenc::Real":$low, "::mlir::posenc::Real":$high,
      "int64_t":$original);
}

def ProportionalAttr : PosEnc_Scaling<"Proportional", "proportional", ["scaleFrequencies"]> {
  let summary = "The first pairs turn, the others do not";
  let description = [{
    Pairs m < fraction width / 2 keep their frequency, the others have 0 (Gemma 4, released code). Unlike a smaller
    `width`, the exponent and the pairs are those of all channels.

    - `rotate_c1`: the fraction is above 0 and at most 1.
  }];
  let parameters = (ins "::mlir::posenc::Real":$fraction);
}

def YarnAttr : PosEnc_Scaling<"Yarn", "yarn", ["scaleFrequencies", "getMagnitude"]> {
  let summary = "YaRN: low frequencies are divided by a factor, high ones kept";
  let description = [{
    Peng et al. 2023 (arXiv:2309.00071). With `turns(n) = width ln(original / (2 pi n)) / (2 ln base)`: pairs below
    lo = turns(beta_fast) keep their frequency, pairs above hi = turns(beta_slow) have it divided by `factor`, and
    between them it is blended linearly. `truncate` rounds lo down and hi up. `original` is the trained context, in
    tokens. `attention_factor` multiplies cos and sin and is final; without it, 0.1 ln(factor) + 1.

    - `rotate_c1`: factor, betas and attention_factor are positive, original is at least 1.
  }];
  let parameters = (ins
    "::mlir::posenc::Real":$factor, "int64_t":$original,
    DefaultValuedParameter<"::mlir::posenc::Real", "::mlir::posenc::Real(32.0)">:$beta_fast,
    DefaultValuedParameter<"::mlir::posenc::Real", "::mlir::posenc::Real(1.0)">:$beta_slow,
    DefaultValuedParameter<"bool", "true">:$truncate,
    OptionalParameter<"std::optional<::mlir::posenc::Real>">:$attention_factor);
}

def LongRopeAttr : PosEnc_Scaling<"LongRope", "longrope",
                                  ["needsLength", "emitFrequency", "getMagnitude", "getNumPairs"]> {
  let summary = "LongRoPE: searched factors per pair, by the length of the sequence";
  let description = [{
    f[m] / long[m] where `length` is above `original`, the trained context in tokens, else f[m] / short[m] (Ding et al.
    2024, arXiv:2402.13753; Phi-3, released code). `attention_factor` multiplies cos and sin at any length. A rotation
    with it takes `length`.

    - `rotate_c1`: as many short as long factors, one per pair; all and attention_factor are positive, original is at
      least 1.
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::posenc::Real">:$short_factors,
      ArrayRefParameter<"::mlir::posenc::Real">:$long_factors, "int64_t":$original,
      "::mlir::posenc::Real":$attention_factor);
  let assemblyFormat = [{
    `<` `short` `=` `[` $short_factors `]` `,` `long` `=` `[` $long_factors `]` `,` `original` `=` $original `,`
    `attention_factor` `=` $attention_factor `>`
  }];
}

//===----------------------------------------------------------------------===//
// Rotations
//===----------------------------------------------------------------------===//

def RopeLayout : I32Enum<"RopeLayout", "which channels form a pair", [
    I32EnumCase<"Half", 0, "half">, I32EnumCase<"Interleaved", 1, "interleaved">]> {
  let cppNamespace = "::mlir::posenc";
}

def RopeAttr : PosEnc_Attr<"Rope", "rope"> {
  let summary = "A rotation of channel pairs by angles that grow with the position";
  let description = [{
    Rotary position embedding (Su et al. 2021, arXiv:2104.09864). A row at position p turns its pair m of channels
    (x, y) into (x cos a - y sin a, y cos a + x sin a), a = p f[m].

    ```
    #posenc.rope<half, base = 10000.0>
    #posenc.rope<interleaved, base = 10000.0, start = 128, width = 64, scaling = #posenc.yarn<factor = 40.0, original = 4096>>
    #posenc.rope<half, base = 1000000.0, sections = [8, 12, 12]>
    ```

    | key | meaning |
    |---|---|
    | `half`, `interleaved` | pairs (m, m + width / 2), or (2 m, 2 m + 1); checkpoints use either, so one is required |
    | `base` | f[m] = base^(-2 m / width), radians per position; required unless the op gives `freqs` or `cos_sin` |
    | `start`, `width` | channels [start, start + width) rotate, all others pass; by default all from start on |
    | `scaling` | a rope scaling, which changes f |
    | `sections = [a, b, ...]` | positions have several axes (time, row, column): the first a pairs turn by axis 0, the next b by axis 1, and so on |
    | `cyclic` | the pairs are dealt to the axes in turns, until an axis has its share |
    | `restart` | the frequencies start again on each axis, as in a rotation of its share alone: the i-th of a pairs has base^(-2 i / (2 a)) |
    | `xpos` | pair m is also scaled by zeta^(p / xpos), zeta = (2 m / width + 0.4) / 1.4 (xPos, arXiv:2212.10554); keys use the negative |

    Angles are computed in f64, whatever the type of the rows. Sections are those of M-RoPE (Qwen2-VL,
    arXiv:2409.12191; `cyclic`: Qwen3-VL, released code) and of rotations on a grid: `restart` for the axial ones of
    Qwen2-VL's vision tower, Llama 4 and DINOv3.

    - `rotate_c1`: start >= 0, width even and positive; base above 1; scaling a rope scaling, and only beside base;
      sections of at least 1 pair, that are width / 2 together; cyclic and restart only beside sections, restart beside
      base and a scaling that needs no length; xpos finite and not 0.
  }];
  let parameters = (ins EnumParameter<RopeLayout>:$layout, "int64_t":$start, "int64_t":$width,
      "std::optional<::mlir::posenc::Real>":$base, "::mlir::posenc::RopeScalingAttr":$scaling,
      ArrayRefParameter<"int64_t">:$sections, "bool":$cyclic, "bool":$restart,
      "std::optional<::mlir::posenc::Real>":$xpos);
  let hasCustomAssemblyFormat = 1;
  let genMnemonicAlias = 1;
  let extraClassDeclaration = [{
    /// How many channels of a row rotate: `width`, or all from `start` on.
    int64_t getRotatedWidth(int64_t channels) const { return getWidth() ? getWidth() : channels - getStart(); }
    /// Whether the frequencies depend on the length of the sequence.
    bool needsLength() const { return getScaling() && getScaling().needsLength(); }
    /// The factor of cos and sin.
    double getMagnitude() const { return getScaling() ? getScaling().getMagnitude() : 1.0; }
    /// The frequencies of the width / 2 pairs, radians per position, of a rope with a base. They are scaled, unless the
    /// scaling needs the length.
    ::llvm::SmallVector<double> getFrequencies(int64_t width) const;
    /// The position axis of each of the pairs, which the sections deal out.
    ::llvm::SmallVector<int64_t> getAxes() const;
    /// Why the rope does not fit rows of which `width` channels rotate; empty if it does.
    std::string whyNot(int64_t width) const;
  }];
}

#endif // DIALECTS_POSENC_POSENCROTATIONS_TD
