#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "problem/problem.h"
#include "solver/control.h"
#include "solver/outcome.h"

namespace nest {

/// Another planning method, applied to the same problem and judged by the same evaluate() (STATEMENT.md §7).
enum class BaselineKind {
  Manual,  ///< hand rules: tensor degree up to one host, then the fewest stages that fit, equal layer split
  RandomWalk,      ///< Metropolis walk over degrees, cuts and placement order [FlexFlow; TopoOpt]
  NetworkUnaware,  ///< the exact search, assuming level 0 everywhere [Phaze]
  MemoryUnaware,   ///< the exact search without the memory check [Alpa-E]
  EqualSplit,      ///< every degree, equal layer counts, replicas next to each other [Calculon]
};
inline constexpr int kBaselineCount = 5;
const char* nameOf(BaselineKind);  ///< "Manual", "MCMC", "Network-unaware", …

/// Degrees that the user enters for Manual. Empty ones follow the hand rules.
struct ManualDegrees {
  std::optional<int> tensor, context, expert, stages, data, microbatch, zero;
  std::optional<Recompute> recompute;
};

struct BaselineOptions {
  std::vector<BaselineKind> kinds = {BaselineKind::Manual, BaselineKind::RandomWalk,
                                     BaselineKind::NetworkUnaware, BaselineKind::MemoryUnaware,
                                     BaselineKind::EqualSplit};
  ManualDegrees manual;
  std::uint64_t seed = 1;  ///< equal seeds give equal plans, independent of threads
  int walks = 10;          ///< random walks; the best result counts
  int steps = 400;         ///< per walk
};

struct BaselineResult {
  BaselineKind kind = BaselineKind::Manual;
  /// The plan, judged on the real problem, which it may violate (see evaluation.violations). Empty if the
  /// method found no plan at all.
  std::optional<RankedPlan> plan;
  std::string note;         ///< one sentence: how it was found, or why the method cannot run
  long long evaluated = 0;  ///< plans judged; 0 if the exact search did it
  Seconds elapsed;
  bool searched = true;  ///< false: the scenario offers no schedule of the method
  bool complete = true;  ///< false: stopped early, so its result is not known

  bool runs() const { return plan && plan->evaluation.feasible(); }
  /// Whether more time might have given a feasible plan.
  bool stoppedWithoutPlan() const { return !runs() && !complete; }
};

/// Returns one result per requested kind, in that order. Reproducible, except for `elapsed`. If it is
/// stopped, the remaining kinds have no plan and are not complete.
std::vector<BaselineResult> runBaselines(const Problem& problem, const Control& control = {},
                                         const BaselineOptions& options = {});

}  // namespace nest
