#ifndef DIALECTS_POSENC_POSENCBASE_TD
#define DIALECTS_POSENC_POSENCBASE_TD

include "dialects/PosEnc/PosEncAttrs.td"
include "dialects/PosEnc/PosEncRotations.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/RuntimeVerifiableOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class PosEnc_Op<string mnemonic, list<Trait> traits = []> : Op<PosEnc_Dialect, mnemonic, traits>;

/// Element types of queries, keys, values and results.
defvar PosEnc_Elements = [F16, BF16, F32];
/// Element types of what a score region reads.
defvar PosEnc_TableElements = [F16, BF16, F32, F64, I1, I8, I16, I32, I64, Index];

/// A ranked tensor that says nothing beyond its shape: an encoding, of a sparse
/// layout for example, would be lost.
class PosEnc_TensorOf<list<Type> elements> : ConfinedType<RankedTensorOf<elements>,
    [CPred<"!::llvm::cast<::mlir::RankedTensorType>($_self).getEncoding()">],
    RankedTensorOf<elements>.summary # " without an encoding", "::mlir::RankedTensorType">;

def PosEnc_Tensor : PosEnc_TensorOf<PosEnc_Elements>;
def PosEnc_Operand : AnyTypeOf<[PosEnc_Tensor, MemRefOf<PosEnc_Elements>]>;
/// Tables and positions of the ops on tensors, and what their score regions may
/// capture.
def PosEnc_TensorTable : PosEnc_TensorOf<PosEnc_TableElements>;
def PosEnc_FloatTensorTable : PosEnc_TensorOf<[F16, BF16, F32, F64]>;
def PosEnc_TensorPosition : AnyTypeOf<[Index, PosEnc_TensorTable]>;
def PosEnc_TensorCapture : AnyTypeOf<!listconcat(PosEnc_TableElements, [PosEnc_TensorTable])>;
/// The same of attention, tensors or memrefs.
def PosEnc_Table : AnyTypeOf<[PosEnc_TensorTable, MemRefOf<PosEnc_TableElements>]>;
def PosEnc_FloatTable : AnyTypeOf<[PosEnc_FloatTensorTable, MemRefOf<[F16, BF16, F32, F64]>]>;
def PosEnc_Position : AnyTypeOf<[Index, PosEnc_Table]>;
def PosEnc_Capture : AnyTypeOf<!listconcat(PosEnc_TableElements, [PosEnc_Table])>;

#endif // DIALECTS_POSENC_POSENCBASE_TD
