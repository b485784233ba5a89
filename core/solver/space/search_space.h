#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "problem/problem.h"
#include "program/program.h"
#include "solver/space/layer_order.h"

namespace nest::solver {

/// Where the replicas of a pipeline stand: d = inner · outer, block o begins at o·stride; and how many
/// neighbours share one copy of the sharded state.
struct BlockLayout {
  int inner = 1, outer = 1, stride = 0;
  int shard = 0;  ///< h; 0: all d

  int shardDegree() const { return shard > 0 ? shard : inner * outer; }
  /// Its expert groups stay inside a block and inside a shard group.
  bool holds(const Strategy& s) const { return s.fitsExperts(inner) && s.fitsExperts(shardDegree()); }
  friend bool operator==(const BlockLayout&, const BlockLayout&) = default;
};

/// A schedule, and how many chunks each stage has under it.
struct ScheduleChoice {
  const PipelineSchedule* schedule = nullptr;
  int chunks = 1;
};

/// Bytes that headroom and allocator keep on a device (STATEMENT.md (10.1)).
double keptBesideReserve(const Assumptions&, double memoryOfDevice);
/// The most that a stage may hold on any device, the reserve included and what headroom and allocator keep
/// left out, so that (4.9) stays within `memory`, too. With kMemoryRounding.
double mostRoom(const Problem&, double memory = std::numeric_limits<double>::infinity());

/// The choices of STATEMENT.md §3 that the problem's options and constraints leave open.
class SearchSpace {
public:
  explicit SearchSpace(const Problem& problem);

  /// Blocks follow each other without gaps: other distances are those of another line.
  void packBlocks() { m_isPacked = true; }

  const Problem& problem() const { return *m_problem; }
  const std::vector<int>& microbatches() const { return m_microbatches; }  ///< profile indices
  const std::vector<int>& strategies() const { return m_strategies; }      ///< profile indices
  const std::vector<int>& zeroStages() const { return m_zeroStages; }      ///< ascending
  const std::vector<int>& chunkCounts() const { return m_chunkCounts; }    ///< ascending
  /// By chunks, then as schedules() lists them.
  const std::vector<ScheduleChoice>& schedules() const { return m_schedules; }

  /// Data degrees for a microbatch size that leave room for `width` devices per replica, ascending; of one
  /// strategy, those that its expert groups divide.
  std::vector<int> dataDegrees(int microbatch, int width, const Strategy& = {}) const;
  bool stageCountAllowed(int stages) const {
    return m_problem->constraints.stages.allows(stages) && (stages == 1 || !m_oneStageOnly);
  }
  bool devicesAllowed(long long devices) const;
  /// ZeRO stage z shards something and may be said; `shards`: some stage has d·c > 1.
  bool zeroAllowed(int zero, bool shards, int stages) const;
  /// The program runs pipelines of so many stages, all of one strategy.
  bool mayCombine(const Strategy&, int zero, int stages) const;
  /// Stages may have strategies and recompute policies of their own.
  bool stagesMayDiffer() const;
  bool stageCountDecidesNoZero() const;  ///< the same ZeRO stages with one stage as in pipelines
  /// Layouts for blocks whose pipeline takes `replicaWidth` · d_in devices; larger h first, then larger d_in,
  /// then smaller P. `strategies`: those that a stage may have.
  std::vector<BlockLayout> layouts(int dataDegree, int replicaWidth, int zero,
                                   std::span<const Strategy> strategies) const;
  /// Every h that some layout may have, largest first.
  std::vector<int> shardDegrees(int dataDegree, int zero, std::span<const Strategy> strategies) const;

  /// Recompute policies that stage i may use.
  PerRecompute<bool> policies(int stage) const;
  /// Policies that all stages must share, one after the other; {nullopt} if stages choose freely.
  std::vector<std::optional<int>> sharedPolicies() const;
  bool strategyAllowed(int stage, const Strategy&) const;  ///< by stage pins

private:
  void addShardGroups(const BlockLayout&, std::span<const Strategy>, std::vector<BlockLayout>&) const;

  const Problem* m_problem;
  std::vector<int> m_microbatches, m_strategies, m_zeroStages, m_chunkCounts;
  std::vector<ScheduleChoice> m_schedules;
  bool m_oneStageOnly = false;  ///< Megatron-LM cuts chains alone, and some programs nothing
  bool m_isPacked = false;
  bool runs(PlanFeature f) const { return m_problem->runs(f); }
};

/// Whether stages may choose their strategies, and have a choice.
bool choosesStrategies(const Problem&, const SearchSpace&);

/// Required and forbidden cuts and pinned layers, asked of cuts.
class CutRules {
public:
  CutRules(const Constraints&, const LayerOrder&);

  bool contradictory() const { return m_contradictory; }
  bool empty() const { return m_pins.empty() && m_required.empty() && m_forbidden.empty(); }
  int leastStages() const { return m_leastStages; }  ///< pins name a stage below this
  /// Stage i may begin at `cut` (i = number of stages: the end).
  bool mayBegin(int stage, int cut) const;
  /// Layers between the cuts may form one stage.
  bool mayForm(int from, int to) const;
  /// The same, of some number.
  bool mayStand(int from, int to) const;
  /// So many stages stand in front of a cut, or behind it, at least.
  int leastBefore(int cut) const { return m_least.empty() ? cut > 0 : m_least[cut]; }
  int leastBehind(int cut) const {
    return m_most.empty() ? cut < m_order->last() : std::max(0, m_leastStages - m_most[cut]);
  }
  /// Chains: stage i begins at neither an earlier nor a later cut.
  int earliest(int stage) const;
  int latest(int stage) const;
  /// Chains: where a stage that begins or ends at a cut must end or begin at the latest or earliest.
  int mostEnd(int from) const;
  int leastBegin(int to) const;
  /// The nearest cut that is not forbidden, downwards (−1) or upwards (1).
  int allowed(int cut, int step) const;
  /// Every pinned layer stands where it should; `stageOf`: layer → stage.
  template <class StageOf>
  bool pinsHold(StageOf stageOf) const {
    for (const auto& pin : m_pins)
      if (stageOf(pin.layer.value) != pin.stage.value) return false;
    return true;
  }
  CutRules with(std::vector<Constraints::LayerPin> morePins) const;

private:
  void rangePins();

  const LayerOrder* m_order;
  std::vector<int> m_required, m_forbidden;
  std::vector<Constraints::LayerPin> m_pins;
  std::vector<int> m_earliest, m_latest;  ///< chains with pins: of the stages up to m_leastStages
  std::vector<int> m_least, m_most;       ///< and by cut: the numbers of the stages that may begin there
  int m_leastStages = 1;
  bool m_contradictory = false;
};

}  // namespace nest::solver
