#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "problem/problem.h"
#include "solver/control.h"
#include "solver/outcome.h"

namespace nest {

/// Another planning method, run on the same problem and judged by the same evaluate() (STATEMENT.md §7).
enum class BaselineKind {
  Manual,  ///< hand rules: tensor degree up to one host, then the fewest stages that fit, equal layer split
  RandomWalk,      ///< Metropolis walk over degrees, cuts and placement order [FlexFlow; TopoOpt]
  NetworkUnaware,  ///< the exact search as if every level were level 0 [Phaze]
  MemoryUnaware,   ///< the exact search without the memory check [Alpa-E]
  EqualSplit,      ///< every degree, equal layer counts, replicas side by side [Calculon]
};
inline constexpr int kBaselineCount = 5;
const char* nameOf(BaselineKind);  ///< "Manual", "MCMC", "Network-unaware", …

/// Degrees that the user types for Manual; what is empty follows the hand rules.
struct ManualDegrees {
  std::optional<int> tensor, context, expert, stages, data, microbatch, zero;
  std::optional<Recompute> recompute;
};

struct BaselineOptions {
  std::vector<BaselineKind> kinds = {BaselineKind::Manual, BaselineKind::RandomWalk,
                                     BaselineKind::NetworkUnaware, BaselineKind::MemoryUnaware,
                                     BaselineKind::EqualSplit};
  ManualDegrees manual;
  std::uint64_t seed = 1;  ///< equal seeds give equal plans, whatever else runs
  int walks = 10;          ///< random walks; the best end counts
  int steps = 400;         ///< of each walk
};

struct BaselineResult {
  BaselineKind kind = BaselineKind::Manual;
  /// Judged on the real problem; may violate it (see evaluation.violations). Empty: the method found no plan
  /// at all.
  std::optional<RankedPlan> plan;
  std::string note;         ///< a sentence: how it was found, or why it cannot run
  long long evaluated = 0;  ///< plans judged on the way; 0 where the exact search did it
  Seconds elapsed;
  bool searched = true;  ///< false: the scenario searches no schedule that its plans run under
  bool complete = true;  ///< false: stopped early by the control; what it would find is not known

  bool runs() const { return plan && plan->evaluation.feasible(); }
  /// Whether more time might have given a plan that runs.
  bool stoppedWithoutPlan() const { return !runs() && !complete; }
};

/// One result per kind asked for, in that order. Pure and reproducible, save `elapsed`. When stopped, the
/// kinds not yet begun have no plan and are not complete.
std::vector<BaselineResult> runBaselines(const Problem& problem, const Control& control = {},
                                         const BaselineOptions& options = {});

}  // namespace nest
