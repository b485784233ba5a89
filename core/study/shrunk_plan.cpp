#include "study/shrunk_plan.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>

#include "evaluation/evaluation.h"
#include "measures/pace.h"
#include "plan/stage_work.h"
#include "study/plan_positions.h"
#include "units/at.h"
#include "words/outcome_words.h"

namespace nest {
namespace {

constexpr std::size_t kMostBatches = 64;  ///< of one number of replicas that are tried
constexpr double kRoom = 1.02;            ///< what a bound on tokens/s leaves for faster links than before

/// Tries the same plan with fewer replicas.
class Shrinking {
public:
  Shrinking(const Problem& problem, const RankedPlan& present, const std::vector<int>& lost,
            const Control& control)
      : m_problem(problem),
        m_plan(present.plan),
        m_present(present),
        m_lost(lost),
        m_control(control),
        m_placement(m_plan) {}

  ShrunkPlan run() {
    const std::vector<int> bad = hitReplicas();
    if (bad.empty()) return {m_present, {}, 0};
    const int replicas = m_placement.replicas();
    if (static_cast<int>(bad.size()) >= replicas)
      return {{}, replicas == 1 ? "the plan has one replica" : "every replica has lost a device", 0};
    for (int level = kByNumber; level + 1 < m_problem.cluster->levelCount(); ++level)
      tryOrder(dropOrder(bad, level), static_cast<int>(bad.size()));
    if (m_best) return {m_best, {}, replicas - m_best->plan.dataDegree()};
    return {{},
            m_isCut              ? words::of(OutcomeStatus::Stopped)
            : m_obstacle.empty() ? "no smaller data degree divides a batch that `job.batch_tolerance` allows"
                                 : m_obstacle,
            0};
  }

private:
  static constexpr int kByNumber = -1;

  std::vector<int> hitReplicas() const {
    const auto lost = marked(m_problem.cluster->deviceCount(), m_lost);
    std::vector<int> bad;
    for (int r = 0; r < m_placement.replicas(); ++r) {
      bool isHit = false;
      for (int i = 0; i < m_plan.stageCount(); ++i)
        for (int k = 0; k < m_placement.ranks(i); ++k)
          isHit = isHit || lost[m_placement.device(i, r, k).at()];
      if (isHit) bad.push_back(r);
    }
    return bad;
  }

  /// Those that are hit, then the others by how near they stand: whole groups of the level around what
  /// failed, or one by one.
  std::vector<int> dropOrder(const std::vector<int>& bad, int level) const {
    const auto placeOf = [&](int replica) {
      return level == kByNumber ? replica
                                : m_problem.cluster->groupOf(level, m_placement.device(0, replica, 0).value);
    };
    std::vector<std::pair<int, int>> byDistance;  // distance, replica
    for (int r = 0; r < m_placement.replicas(); ++r) {
      int distance = std::abs(placeOf(r) - placeOf(bad.front())) + 1;
      for (const int b : bad) distance = std::min(distance, std::abs(placeOf(r) - placeOf(b)) + 1);
      if (std::find(bad.begin(), bad.end(), r) != bad.end()) distance = 0;
      byDistance.emplace_back(distance, r);
    }
    std::sort(byDistance.begin(), byDistance.end());
    std::vector<int> order;
    for (const auto& [distance, r] : byDistance) order.push_back(r);
    return order;
  }

  /// No plan with so many replicas trains more tokens a second: m microbatches take at least m loads.
  double mostTokens(int replicas) const {
    Seconds load;
    for (const StageEvaluation& s : m_present.evaluation.stages)
      load = std::max(load, s.load - (s.exchange[Exchange::Data] - s.hiddenExchange[Exchange::Data]));
    return load > Seconds()
               ? kRoom * replicas * m_plan.microbatch * m_problem.job.sequenceLength / load.value()
               : 0;
  }

  void tryOrder(const std::vector<int>& order, int least) {
    if (!m_seen.insert(order).second) return;
    for (int dropped = least; dropped < static_cast<int>(order.size()); ++dropped) {
      if (m_control.shouldStop()) {
        m_isCut = true;
        return;
      }
      const int left = static_cast<int>(order.size()) - dropped;
      if (m_best && mostTokens(left) < m_mostTokens) return;
      std::vector<int> kept(order.begin() + dropped, order.end());
      std::sort(kept.begin(), kept.end());
      tryReplicas(kept);
    }
  }

  void tryReplicas(const std::vector<int>& kept) {
    const int d = static_cast<int>(kept.size());
    auto batches = m_problem.batchChoices(m_plan.microbatch, d);
    if (batches.empty()) return;
    auto plan = onReplicas(kept);
    if (!plan) return;
    if (batches.size() > kMostBatches) batches.resize(kMostBatches);
    for (const Problem::BatchChoice& one : batches) {
      plan->globalBatch = one.batch == m_problem.job.globalBatch ? 0 : one.batch;
      Evaluation e = evaluate(m_problem, *plan);
      if (!e.feasible()) {
        const Violation& first = e.violations.front();
        const bool isMemory =
                       first.kind == Violation::Kind::Memory || first.kind == Violation::Kind::HostMemory,
                   isSchedule = first.kind == Violation::Kind::Chunks;
        if (m_obstacle.empty())
          m_obstacle = (isMemory     ? "does not fit; "
                        : isSchedule ? "the schedule refuses; "
                                     : "") +
                       first.message;
        if (!isMemory && !isSchedule) return;
        continue;
      }
      const double tokens = paceOf(m_problem, *plan, e).tokensPerSecond();
      if (!m_best || tokens > m_mostTokens) {
        m_mostTokens = tokens;
        m_best = RankedPlan{*plan, std::move(e), {}};
      }
      return;  // with fewer microbatches a token takes longer
    }
  }

  std::optional<Plan> onReplicas(const std::vector<int>& kept) const {
    const int d = static_cast<int>(kept.size());
    Plan plan = m_plan;
    const auto holds = [&](int inner) {
      return std::all_of(plan.stages.begin(), plan.stages.end(),
                         [&](const StagePlan& s) { return s.strategy.fitsExperts(inner); });
    };
    plan.dataInner = m_plan.dataOuter == 1 ? d : std::gcd(d, m_plan.dataInner);
    if (!holds(plan.dataInner)) plan.dataInner = d;
    if (!holds(plan.dataInner)) return std::nullopt;
    plan.dataOuter = d / plan.dataInner;
    plan.blockStride = plan.pipelineWidth();
    if (plan.shardReplicas == d) plan.shardReplicas = 0;
    const bool shards = std::any_of(plan.stages.begin(), plan.stages.end(),
                                    [](const StagePlan& s) { return s.strategy.context > 1; });
    if (d == 1 && !shards) plan.zero = 0, plan.shardReplicas = 0;
    plan.deviceOrder.assign(at(plan.devicesUsed()), DeviceIndex(0));
    int begin = 0;
    for (int i = 0; i < plan.stageCount(); ++i) {
      const int width = m_placement.ranks(i);
      for (int r = 0; r < d; ++r)
        for (int k = 0; k < width; ++k)
          plan.deviceOrder[at((r / plan.dataInner) * plan.blockStride + begin + (r % plan.dataInner) * width +
                              k)] = m_placement.device(i, kept[at(r)], k);
      begin += plan.dataInner * width;
    }
    return plan;
  }

  const Problem& m_problem;
  const Plan& m_plan;
  const RankedPlan& m_present;
  const std::vector<int>& m_lost;
  const Control& m_control;
  const Placement m_placement;
  std::set<std::vector<int>> m_seen;
  std::optional<RankedPlan> m_best;
  double m_mostTokens = 0;
  std::string m_obstacle;
  bool m_isCut = false;
};

}  // namespace

ShrunkPlan shrunkPlan(const Problem& problem, const RankedPlan& present, const std::vector<int>& lost,
                      const Control& control) {
  return Shrinking(problem, present, lost, control).run();
}

}  // namespace nest
