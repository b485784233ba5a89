#pragma once

#include <bitset>
#include <cstddef>

namespace nest {

/// The lower bounds of STATEMENT.md §6 that a search can do without: it then takes longer and proves the same
/// optimum. The windows of the cuts, the pins (6.8) and what schedules fill (6.9) are part of every bound and
/// have no switch.
enum class SearchBound {
  EvenWork,     ///< (6.3) all work spread evenly, one strategy for all stages; its seconds: to list all
                ///< candidates
  LayerWork,    ///< (6.4) each layer under the strategy that makes least of it
  WholeStages,  ///< (6.4) tables Q over whole relaxed stages
  UnitPrices,   ///< (6.5), (6.6) units have a price
  SharedTails,  ///< (6.5) the tail shared over the first six stages, beside that of the first alone
  LeastSums,    ///< the least sum of loads that fit memory, in the windows of one strategy
  Sites,        ///< (6.10) where stages stand
  DepthPrices,  ///< (6.11) layers and units have a price, long chains
  Runs,         ///< (6.12) ranks of a run that no host can hold
  LoadBands,    ///< (6.13) tables Q by the largest load
  Dominance,    ///< (6.14) relaxed stages that another one beats
  Rows,         ///< (6.15) rows of the tables Q that nothing leads to
  SyncReach,    ///< (6.16) one gradient group of each stage, irregular clusters
  ChunkPrices,  ///< (6.5) of interleaved stages
  ChunkStages,  ///< tables Q of interleaved stages
  Crossings,    ///< (6.18) how many stages and boundaries groups of the network hold, over all lines
};
inline constexpr std::size_t kBoundCount = 16;

const char* nameOf(SearchBound);      ///< "unit prices"
const char* equationOf(SearchBound);  ///< "(6.5)"; empty: it has no number of its own

/// Which bounds a search does without.
using BoundSwitches = std::bitset<kBoundCount>;

}  // namespace nest
