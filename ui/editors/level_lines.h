#pragma once

#include "editors/bound_line.h"

namespace nest {

/// The lines in which the typed levels of a cluster are edited; `level` counts from 0, the innermost.
LineSpec levelNameLine(int level);
LineSpec fanoutLine(int level);
LineSpec bandwidthLine(int level);
LineSpec oversubscriptionLine(int level);
LineSpec latencyLine(int level);
/// All levels in one line (formats/cluster_text.h); replaces a drawn network.
LineSpec levelsTextLine();

/// "400 Gb/s ÷ 4 = 12.5 GB/s for each device, held to 10 GB/s by leaf"; empty: it counts as typed.
QString countsAs(const LevelsSource&, int level);

}  // namespace nest
