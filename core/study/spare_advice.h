#pragma once

#include <optional>
#include <string>

#include "evaluation/ranked_plan.h"
#include "problem/problem.h"
#include "run/restart.h"

namespace nest {

/// What a spare host is worth where it stands under another leaf than the host that fails.
struct SpareElsewhere {
  double change = 0;  ///< of tokens/s, at worst over the leaves
  int leaves = 0;     ///< groups of hosts of level 1 that the plan uses
};
/// nullopt: the cluster has one leaf, or its hosts differ.
std::optional<SpareElsewhere> spareElsewhere(const Problem&, const RankedPlan& present);

/// How many spare hosts, and where.
struct SpareAdvice {
  double confidence = 0.999;
  int hosts = 0;              ///< that the plan uses
  SpareHosts pooled, ofLeaf;  ///< wherever they stand; for each leaf by itself
  std::optional<SpareElsewhere> elsewhere;
  std::string leafLevel;  ///< "leaf", "pod": what the network calls level 1
};
SpareAdvice spareAdvice(const Problem&, const RankedPlan& present, double confidence);

}  // namespace nest
