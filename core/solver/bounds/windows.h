#pragma once

#include <limits>
#include <vector>

#include "solver/stage/chain_costs.h"
#include "solver/stage/stage_floor.h"

namespace nest::solver {

/// How far each stage can extend if no load may exceed a limit, each stage must fit the roomiest device, and
/// each must begin where the configuration's rules allow it.
/// Claim: no plan within the limits has a stage that begins outside its window, or stages in front of a cut
/// whose loads add up to less than leastWork().
/// Proof: the requirements do not depend on the layout and only become stricter as a stage grows: a stage
/// that cannot hold some layers cannot hold more. So the furthest cuts of the greedy walks from both ends
/// bound all others. leastWork() is the least sum over all cuts in the windows.
/// Cost: windows O(stages × cuts); leastWork() O(cuts in the windows) for each policy.
class StageWindows {
public:
  StageWindows(const ChainConfiguration&, double capacity);

  void limitLoad(double most) { m_mostLoad = most; }
  double mostLoad() const { return m_mostLoad; }
  void limitMemory(double capacity) { m_capacity = capacity; }
  /// Sets the least transfer seconds of each stage, in one layout or in any.
  void setHops(std::vector<double> perStage);
  const std::vector<double>& leastHops() const { return m_leastHops; }  ///< in any layout
  double hops(int stage) const { return m_hops[stage]; }
  double hopsBefore(int stage) const { return m_hopsBefore[stage]; }
  bool feasible(int stage, int from, int to) const {
    return leastLoad(stage, from, to, true) < std::numeric_limits<double>::infinity();
  }
  /// Whether a stage satisfies the load limit alone. If it does not, no longer stage does.
  bool staysBelow(int stage, int from, int to) const {
    const auto& work = m_context.sums->leastAny;
    return work[to] - work[from] + hops(stage) <= m_mostLoad * kRoundUp;
  }
  /// Under the policy that stores least; infinite if there is none.
  double leastMemory(int stage, int from, int to) const;

  /// For chains: finds the window of the cut at which each stage begins. Returns false if no plan is within
  /// the limits. For DAGs the windows apply to cuts on LayerOrder::path() only.
  bool findWindows();
  /// The cuts, on LayerOrder::path(), of a pipeline whose largest relaxed load is nearly the least possible
  /// on it; empty if no pipeline on it is within the limits. Restores the load limit and the windows.
  std::vector<int> evenCuts();
  /// Whether, by the load limit, the stages before `stage` can hold the layers before `cut` and the others
  /// the rest.
  bool mayBegin(int stage, int cut) const {
    if (m_mostLoad == std::numeric_limits<double>::infinity()) return true;
    const auto& work = m_context.sums->leastAny;
    const double most = m_mostLoad * kRoundUp, before = work[cut];
    return before + hopsBefore(stage) <= stage * most * kRoundUp &&
           work.back() - before + m_hopsBefore.back() - hopsBefore(stage) <=
               (m_context.stages - stage) * most * kRoundUp;
  }
  /// A lower bound on the work of the first stage, by the load limit.
  double leastFirst() const;
  /// Lower bound on the largest load of every plan within the limits, found by evenCuts().
  double leastMax() const { return m_leastMax; }
  /// For chains, after findWindows(): computes leastWork() for the cuts inside the windows. The result stays
  /// valid while limits decrease and hop counts increase.
  bool findLeastWork(Watch&);
  long long windowPairs() const;  ///< number of stages that the windows allow
  bool knowsLeastWork() const { return !m_leastWork.empty(); }
  /// A lower bound on the sum of the loads of stages 0…stage−1 if they hold the layers before `cut`, each
  /// under a policy that fits. Hops are not included.
  double leastWork(int stage, int cut) const {
    const double any = m_context.sums->leastAny[cut];
    if (m_leastWork.empty()) return any;
    const auto& row = m_leastWork[stage];
    const int k = cut - m_origin[stage];
    if (k < 0 || k >= static_cast<int>(row.size())) return std::numeric_limits<double>::infinity();
    return std::max(any, row[k]);
  }
  /// The same for all stages, hops included.
  double leastSum() const {
    return leastWork(m_context.stages, m_context.order->last()) + m_hopsBefore.back();
  }
  int first(int stage) const { return m_first[stage]; }
  int last(int stage) const { return m_last[stage]; }

private:
  int cutAt(int place) const { return m_path.empty() ? place : m_path[place]; }
  /// Hops are not included; infinite if not feasible. `any`: under some policy that fits, not the fastest.
  double leastLoad(int stage, int from, int to, bool any = false) const;
  void leastWorkOf(int stage, int policy, std::vector<double>& next) const;
  /// Finds the last cuts of the windows. Returns false if the layers do not fit.
  bool findLast();
  int earliest(int stage) const;  ///< first cut at which the rules let it begin
  int mostEnd(int stage, int from) const;
  int leastBegin(int stage, int to) const;

  ChainConfiguration m_context;
  StageFloor m_floor;
  double m_capacity, m_mostLoad, m_leastMax = 0;
  std::vector<Policies> m_policies;
  std::vector<InFlight> m_inFlight;
  std::vector<double> m_hops, m_hopsBefore, m_leastHops;
  std::vector<int> m_path;  ///< empty for chains
  std::vector<int> m_first, m_last;
  std::vector<std::vector<double>> m_leastWork;  ///< [stage][cut − m_origin[stage]]
  std::vector<int> m_origin;
};

}  // namespace nest::solver
