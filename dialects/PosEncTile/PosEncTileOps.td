#ifndef DIALECTS_POSENCTILE_POSENCTILEOPS_TD
#define DIALECTS_POSENCTILE_POSENCTILEOPS_TD

include "dialects/PosEncTile/PosEncTilePreparationOps.td"
include "dialects/PosEncTile/PosEncTileSweepOps.td"

#endif // DIALECTS_POSENCTILE_POSENCTILEOPS_TD
