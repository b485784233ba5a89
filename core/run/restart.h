#pragma once

#include <optional>
#include <string>
#include <vector>

#include "evaluation/evaluation.h"
#include "plan/plan.h"
#include "problem/problem.h"

namespace nest {

/// STATEMENT.md (11.2): the parts of the time from a failure until steps run again.
struct Restart {
  Seconds detection, replacement, start, read;
  std::vector<std::string> missing;  ///< keys of the fields that are not given and count as 0: "/run/start_s"

  bool isKnown() const { return missing.empty(); }
  Seconds total() const { return detection + replacement + start + read; }
};

/// With the plan that runs afterwards. `waits`: healthy hosts have to take the place of what failed. The plan
/// must be feasible. O(devices).
Restart restartWith(const Problem&, const Plan&, const Evaluation&, bool waits);

/// How many spare hosts are enough, while failed ones are repaired.
struct SpareHosts {
  double failed = 0;                 ///< hosts on average at any time, N · r · MTTR
  int needed = 0;                    ///< the fewest s with P(Poisson(failed) ≤ s) ≥ confidence
  double covered = 1;                ///< P(Poisson(failed) ≤ needed)
  std::vector<std::string> missing;  ///< of the fields that it needs
};
/// Of so many hosts, each with so many devices.
SpareHosts spareHostsFor(const RunOptions&, int hosts, double devicesPerHost, double confidence);

/// P(Poisson(mean) = count).
double poissonAt(double mean, int count);
/// P(Poisson(mean) ≤ count).
double poissonAtMost(double mean, int count);

}  // namespace nest
