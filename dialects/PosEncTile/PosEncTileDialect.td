#ifndef DIALECTS_POSENCTILE_POSENCTILEDIALECT_TD
#define DIALECTS_POSENCTILE_POSENCTILEDIALECT_TD

include "mlir/IR/OpBase.td"

def PosEncTile_Dialect : Dialect {
  let name = "posenc_tile";
  let cppNamespace = "::mlir::posenc::tile";
  let summary = "The schedule of attention: preparations and sweeps over tiles";
  let description = [{
    What `posenc.attention` becomes: loops of `scf` over batches, heads and tiles of query rows, in them preparations (a
    table packed, a vector of biases filled, a small product) and a **sweep** of the tile over its keys with an online
    softmax. All decisions of the schedule stand in these ops: which rows and keys, in which order, what is computed how
    often. All addressing stands in the terms of the sweep, so the lowering to plain loops and the fast ones read the same
    text.

    All ops work on memrefs. Beside the notation of `posenc`: `r` is a query row, `j` a key, `d = j - r` their distance
    (delta), `i0` the first row of a tile. A packed matrix is **rows**, `[rows][C]`, or **columns**, `[panels][C][W]`,
    whose column c is `[c / W][:][c % W]`, or **columns of pairs**, `[panels][C / 2][W][2]`, with channel t of column c at
    `[c / W][t / 2][c % W][t % 2]`: pairs of bf16 are what units multiply that add two products at a time. Scores inside
    a sweep are in units of log2: exp(z) is exp2(z log2(e)), and the factor log2(e) is part of what is packed and filled.
    A constraint has a label (`sweep_c4`), which its diagnostic begins with.
  }];
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
  }];
  // What the regions of the ops consist of.
  let dependentDialects = ["::mlir::posenc::PosEncDialect"];
}

#endif // DIALECTS_POSENCTILE_POSENCTILEDIALECT_TD
