#ifndef DIALECTS_POSENC_POSENCBASE_TD
#define DIALECTS_POSENC_POSENCBASE_TD

include "dialects/PosEnc/PosEncAttrs.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/RuntimeVerifiableOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class PosEnc_Op<string mnemonic, list<Trait> traits = []> : Op<PosEnc_Dialect, mnemonic, traits>;

/// Element types of queries, keys, values and results.
defvar PosEnc_Elements = [F16, BF16, F32];
/// Element types of what a score region reads.
defvar PosEnc_TableElements = [F16, BF16, F32, F64, I1, I8, I16, I32, I64, Index];

def PosEnc_Operand : AnyTypeOf<[RankedTensorOf<PosEnc_Elements>, MemRefOf<PosEnc_Elements>]>;
def PosEnc_Tensor : RankedTensorOf<PosEnc_Elements>;
def PosEnc_Table : AnyTypeOf<[RankedTensorOf<PosEnc_TableElements>, MemRefOf<PosEnc_TableElements>]>;
def PosEnc_FloatTable : AnyTypeOf<[RankedTensorOf<[F16, BF16, F32, F64]>, MemRefOf<[F16, BF16, F32, F64]>]>;
def PosEnc_Position : AnyTypeOf<[Index, PosEnc_Table]>;
/// What a score region may capture: tables and scalars.
def PosEnc_Capture : AnyTypeOf<!listconcat(PosEnc_TableElements, [PosEnc_Table])>;

#endif // DIALECTS_POSENC_POSENCBASE_TD
