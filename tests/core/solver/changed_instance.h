#pragma once

#include "problem/problem.h"
#include "support/random_instance.h"

namespace nest::test {

/// A random instance and a changed one whose optimum must compare to the first's as STATEMENT.md §5 says.
struct ChangedInstance {
  Problem before, after;
};

/// The input that a hierarchy would be built from again.
HierarchyInput inputOf(const Hierarchy&);

ChangedInstance moreBandwidth(std::uint64_t seed);      ///< never worse
ChangedInstance lessLatency(std::uint64_t seed);        ///< never worse
ChangedInstance moreMemory(std::uint64_t seed);         ///< never worse
ChangedInstance fasterDevices(std::uint64_t seed);      ///< never worse
ChangedInstance largerSearch(std::uint64_t seed);       ///< never worse
ChangedInstance hostsInOtherOrder(std::uint64_t seed);  ///< the same
ChangedInstance pipelineObjective(std::uint64_t seed);  ///< before: the paper's bound; never worse
ChangedInstance splitLayer(std::uint64_t seed);         ///< never worse

}  // namespace nest::test
