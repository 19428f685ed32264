#ifndef DIALECTS_POSENCTILE_POSENCTILEBASE_TD
#define DIALECTS_POSENCTILE_POSENCTILEBASE_TD

include "dialects/PosEnc/PosEncAttrs.td"
include "dialects/PosEnc/PosEncRotations.td"
include "dialects/PosEncTile/PosEncTileAttrs.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class PosEncTile_Op<string mnemonic, list<Trait> traits = []> : Op<PosEncTile_Dialect, mnemonic, traits>;

/// An op with a region of score ops: what the region reads are its effects.
class PosEncTile_RegionOp<string mnemonic, list<Trait> traits = []>
    : PosEncTile_Op<mnemonic, !listconcat(traits, [
        SingleBlock, RecursiveMemoryEffects, ScoreRegionOpInterface])>;

/// What a program hands over: any float type.
def PosEncTile_Source : MemRefOf<[F16, BF16, F32, F64]>;
/// What a schedule allocates.
def PosEncTile_Vector : MemRefRankOf<[F32], [1]>;
def PosEncTile_Rows : MemRefRankOf<[F32], [2]>;
def PosEncTile_Columns : MemRefRankOf<[F32], [3]>;
/// Matrices that are multiplied: f32, or bf16 for units that multiply pairs.
def PosEncTile_RowFactor : MemRefRankOf<[BF16, F32], [2]>;
def PosEncTile_ColumnFactor : MemRefRankOf<[BF16, F32], [3, 4]>;
def PosEncTile_Packed : MemRefRankOf<[BF16, F32], [2, 3, 4]>;
def PosEncTile_Products : MemRefRankOf<[F32], [2, 3]>;
def PosEncTile_RowNumbers : MemRefRankOf<[Index], [1]>;

#endif // DIALECTS_POSENCTILE_POSENCTILEBASE_TD
