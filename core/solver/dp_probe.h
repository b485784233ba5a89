#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plan/plan.h"
#include "problem/problem.h"

namespace nest {

/// One cell of the DP table: the result for stages `stage` … s−1 with the layers from `cut` on. In the
/// notation of the NEST paper dp[ℓ][D][k][s]: ℓ = `level`, D = the layers from `cut` on, k = `devices`, s =
/// `stages`.
struct DpCell {
  int stage = 0, cut = 0;
  int level = -1;   ///< network level that joins the stage to the one before it; −1 for the first stage
  int devices = 0;  ///< devices of one block of replicas, in these stages
  int stages = 0;   ///< number of these stages
  bool reached = false;  ///< some way to cut the remaining layers fits
  bool onPath = false;   ///< the plan passes through this cell
  int labels = 0;        ///< points stored in its Pareto front
  double time = 0;       ///< seconds: the objective of these stages alone, least over the front
  /// `time` is a lower bound: what the stages before hide of this tail depends on how they are cut.
  bool isBound = false;
  double largestLoad = 0, sumOfLoads = 0, tail = 0;  ///< values of that point
};

/// The sum that gives the time of a way to continue (STATEMENT.md (4.15) to (4.19)), in seconds:
/// w_sum·(fill + fillBehind) + w_max·max(pace, paceBehind) + tail. Under 1F1B a fill and a pace are loads.
struct DpTerms {
  double fill = 0, fillBehind = 0;  ///< what the stage adds to Σ, and what the stages behind it add
  double pace = 0, paceBehind = 0;  ///< the largest of each
  double tail = 0;
};

/// One way to continue from a cell: the stage ends before `to`.
struct DpAlternative {
  int to = 0;
  int policy = -1;      ///< recompute policy; −1 if none fits
  bool allowed = true;  ///< false: a rule of the scenario forbids such a stage
  DpTerms terms;        ///< valid if `time` is finite
  double load = 0;      ///< of this stage, seconds
  double time = 0;  ///< of this stage and the best continuation, seconds; infinite if no continuation fits
  double shortfall = 0;  ///< bytes missing under the policy that stores least, if nothing fits
  bool chosen = false;
};

/// Runs the DP of one configuration (a plan's microbatch, strategy of each stage, degrees, layout, ZeRO
/// stage, stage count) again without pruning, and keeps the table, which a search does not. The columns are
/// the cuts; in a DAG, all of them; with chunks, which determine the cuts, the parts with which stages begin.
/// A cell's time is exact if the stages before it do the same backward work in the same time whichever layers
/// they hold (one strategy, equally fast devices). Otherwise it assumes the most backward work possible and
/// may be a bound (DpCell::isBound). The best whole plan through each cell, which is exact in any case, takes
/// a pass from the other end: DpThrough.
class DpProbe {
public:
  /// Returns nullptr if there is no such table, and the reason in `why`.
  static std::unique_ptr<DpProbe> of(const Problem&, const Plan&, std::string& why);
  ~DpProbe();

  int stageCount() const;
  int chunkCount() const;    ///< of a stage
  double sumWeight() const;  ///< w_sum and w_max of the objective
  double maxWeight() const;
  bool fillsByLoad() const;       ///< fill and pace of DpTerms are loads
  int cutCount() const;           ///< number of columns; layers + 1 in a chain
  int firstLayer(int cut) const;  ///< the lowest layer behind the cut; −1 if none
  const DpCell& cell(int stage, int cut) const;
  /// Whether each stage before the cell, and each from it on, can have a layer.
  bool hasLayers(int stage, int cut) const;
  /// One for each end of the stage; with chunks, one for each recompute policy.
  std::vector<DpAlternative> alternatives(int stage, int cut) const;

private:
  friend class DpThrough;
  struct Tables;
  explicit DpProbe(std::unique_ptr<Tables>);
  std::unique_ptr<Tables> m_tables;
};

}  // namespace nest
