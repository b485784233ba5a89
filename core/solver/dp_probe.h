#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plan/plan.h"
#include "problem/problem.h"

namespace nest {

/// One cell of the DP table: what is known of stages `stage` … s−1 holding the layers from `cut` on. In the
/// notation of the NEST paper dp[ℓ][D][k][s]: ℓ = `level`, D = the layers from `cut` on, k = `devices`, s =
/// `stages`.
struct DpCell {
  int stage = 0, cut = 0;
  int level = -1;        ///< network level at which the stage meets the one before it; −1: it is the first
  int devices = 0;       ///< of one block of replicas, in these stages
  int stages = 0;        ///< how many
  bool reached = false;  ///< some way of cutting what is left fits
  bool onPath = false;   ///< the plan passes here
  int labels = 0;        ///< points of the Pareto front kept here
  double time = 0;       ///< seconds: the objective of these stages alone, best over the front
  double largestLoad = 0, sumOfLoads = 0, tail = 0;  ///< of that best point
};

/// One way to go on from a cell: the stage ends before `to`.
struct DpAlternative {
  int to = 0;
  int policy = -1;       ///< recompute policy; −1: nothing fits
  double load = 0;       ///< of this stage
  double time = 0;       ///< of this stage and the best that follows; infinite: nothing that follows fits
  double shortfall = 0;  ///< bytes lacking under the thriftiest policy, where nothing fits
  bool chosen = false;
};

/// Runs the DP of one configuration (a plan's microbatch, strategy of each stage, degrees, layout, ZeRO
/// stage, stage count) again with nothing pruned, and keeps the table, which a search does not. Of a DAG its
/// columns are all cuts; with chunks, which leave the cuts no choice, the parts that begin the stages. Exact
/// where stages before a cell do the same backward work in the same time whatever they hold (one strategy,
/// equally fast devices); otherwise the tail in a cell takes as much of it as there can be.
class DpProbe {
public:
  /// nullptr where there is no such table; `why` then says so.
  static std::unique_ptr<DpProbe> of(const Problem&, const Plan&, std::string& why);
  ~DpProbe();

  int stageCount() const;
  int cutCount() const;           ///< columns; of a chain, layers + 1
  int firstLayer(int cut) const;  ///< of what is left there, the lowest; −1: nothing is left
  const DpCell& cell(int stage, int cut) const;
  /// With chunks, one for each recompute policy.
  std::vector<DpAlternative> alternatives(int stage, int cut) const;

private:
  struct Tables;
  explicit DpProbe(std::unique_ptr<Tables>);
  std::unique_ptr<Tables> m_tables;
};

}  // namespace nest
