#pragma once

#include <limits>
#include <vector>

#include "solver/stage/chain_costs.h"
#include "solver/stage/stage_floor.h"

namespace nest::solver {

/// How far stages can reach when no load may exceed a limit, each must fit the memory of the roomiest device
/// and begin where the configuration's rules let it. Claim: no plan within the limits has a stage that begins
/// outside its window, or stages in front of a cut whose
///   loads add up to less than leastWork().
/// Proof: what is asked here does not depend on the layout, and grows with the layers of a stage: a stage
/// that
///   cannot hold some layers cannot hold more, so that the furthest cuts of the greedy ways from both ends
///   bound all others. leastWork() is the least sum over all cuts in the windows.
/// Cost: windows O(stages × cuts); leastWork() O(cuts in the windows) for each policy.
class StageWindows {
public:
  StageWindows(const ChainConfiguration&, double capacity);

  void limitLoad(double most) { m_mostLoad = most; }
  double mostLoad() const { return m_mostLoad; }
  void limitMemory(double capacity) { m_capacity = capacity; }
  /// Least transfers of each stage; of a layout, or of any.
  void setHops(std::vector<double> perStage);
  const std::vector<double>& leastHops() const { return m_leastHops; }  ///< of any layout
  double hops(int stage) const { return m_hops[stage]; }
  double hopsBefore(int stage) const { return m_hopsBefore[stage]; }
  bool feasible(int stage, int from, int to) const {
    return leastLoad(stage, from, to, true) < std::numeric_limits<double>::infinity();
  }
  /// The load limit alone; no longer stage does if this one does not.
  bool staysBelow(int stage, int from, int to) const {
    const auto& work = m_context.sums->leastAny;
    return work[to] - work[from] + hops(stage) <= m_mostLoad * kRoundUp;
  }
  /// With the leanest policy; infinite: there is none.
  double leastMemory(int stage, int from, int to) const;

  /// Chains: windows for the cut at which each stage begins. False: no plan stays within the limits. (Of a
  /// DAG: windows on LayerOrder::path(), which say nothing of other cuts.)
  bool findWindows();
  /// Cuts, on LayerOrder::path(), of a pipeline whose largest relaxed load is nearly the least possible
  /// there; empty: nothing on it stays within the limits. Leaves the load limit and the windows as they were.
  std::vector<int> evenCuts();
  /// The stages before `stage` may hold the layers before `cut` and the others the rest, by the load limit.
  bool mayBegin(int stage, int cut) const {
    if (m_mostLoad == std::numeric_limits<double>::infinity()) return true;
    const auto& work = m_context.sums->leastAny;
    const double most = m_mostLoad * kRoundUp, before = work[cut];
    return before + hopsBefore(stage) <= stage * most * kRoundUp &&
           work.back() - before + m_hopsBefore.back() - hopsBefore(stage) <=
               (m_context.stages - stage) * most * kRoundUp;
  }
  /// The first stage does at least so much work, by the load limit.
  double leastFirst() const;
  /// Found by evenCuts(): every plan within the limits has a larger load.
  double leastMax() const { return m_leastMax; }
  /// Chains, after findWindows(): what leastWork() tells, for cuts inside the windows. Stays as it is while
  /// limits fall and hops grow, because what was out of reach remains so.
  bool findLeastWork(Watch&);
  long long windowPairs() const;  ///< stages that the windows leave
  bool knowsLeastWork() const { return !m_leastWork.empty(); }
  /// The sum of the loads of stages 0…stage−1 that hold the layers before `cut`, each under a policy that
  /// fits, is not below this; hops are left out.
  double leastWork(int stage, int cut) const {
    const double any = m_context.sums->leastAny[cut];
    if (m_leastWork.empty()) return any;
    const auto& row = m_leastWork[stage];
    const int k = cut - m_origin[stage];
    if (k < 0 || k >= static_cast<int>(row.size())) return std::numeric_limits<double>::infinity();
    return std::max(any, row[k]);
  }
  /// Of all stages, hops included.
  double leastSum() const {
    return leastWork(m_context.stages, m_context.order->last()) + m_hopsBefore.back();
  }
  int first(int stage) const { return m_first[stage]; }
  int last(int stage) const { return m_last[stage]; }

private:
  int cutAt(int place) const { return m_path.empty() ? place : m_path[place]; }
  /// Hops left out; infinite: not feasible. With `any`: of some policy.
  double leastLoad(int stage, int from, int to, bool any = false) const;
  void leastWorkOf(int stage, int policy, std::vector<double>& next) const;
  bool findLast();                ///< of the windows; false: the layers do not fit
  int earliest(int stage) const;  ///< it begins, by the rules
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
