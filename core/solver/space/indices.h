#pragma once

#include "units/indexed_vector.h"

namespace nest::solver {

using CutIndex = Index<struct CutTag>;         ///< a cut of LayerOrder
using UnitCount = Index<struct UnitTag>;       ///< devices per inner replica
using StrategyId = Index<struct StrategyTag>;  ///< among the strategies of a configuration
using Level = Index<struct LevelTag>;          ///< of the network; −1: none

inline constexpr Level kNoLevel{-1};

}  // namespace nest::solver
