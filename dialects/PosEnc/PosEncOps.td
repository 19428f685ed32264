#ifndef DIALECTS_POSENC_POSENCOPS_TD
#define DIALECTS_POSENC_POSENCOPS_TD

// All ops of the dialect, in the order in which a reader meets them.
include "dialects/PosEnc/PosEncAttentionOp.td"
include "dialects/PosEnc/PosEncRegionOps.td"
include "dialects/PosEnc/PosEncUnfusedOps.td"

#endif // DIALECTS_POSENC_POSENCOPS_TD
