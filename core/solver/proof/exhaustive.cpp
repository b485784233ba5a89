// The oracle: visitPlans() × evaluate(), no bound and no pruning. Keeps the preferred plan of each
// combination of degrees, the front of (time, devices, memory), and the plan that lacks least. Cost: plans ×
// evaluate().
#include "solver/exhaustive.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <tuple>

#include "evaluation/schedule.h"
#include "solver/solve.h"

namespace nest {
namespace {

constexpr double kEqualSteps = 1e-12;

int recomputeSum(const Plan& p) {
  int sum = 0;
  for (const StagePlan& s : p.stages) sum += static_cast<int>(s.recompute);
  return sum;
}

/// Part by part, how many layers are placed once it ends and which are its own: smaller = cut further left.
std::vector<int> cutsOf(const Plan& p) {
  std::vector<int> cuts;
  int placed = 0;
  const int stages = p.stageCount();
  for (int k = 0; k < stages * p.chunksPerStage(); ++k) {
    const StagePlan& s = p.stages[p.pipelineSchedule().stageOf(k, stages)];
    const auto& part = s.chunks[k / stages];
    placed += static_cast<int>(part.size());
    cuts.push_back(placed);
    for (const LayerIndex x : part) cuts.push_back(x.value);
  }
  return cuts;
}

std::vector<std::tuple<int, int, int, bool, bool>> degreesOf(const Plan& p) {
  std::vector<std::tuple<int, int, int, bool, bool>> out;
  for (const StagePlan& s : p.stages)
    out.emplace_back(s.strategy.tensor, s.strategy.context, s.strategy.expert, s.strategy.sequence,
                     s.strategy.foldedExperts);
  return out;
}

/// Equal in every decision but cuts, recompute, shard groups and placement.
bool sameDegrees(const Plan& a, const Plan& b) {
  return a.microbatch == b.microbatch && a.dataDegree() == b.dataDegree() && a.zero == b.zero &&
         a.chunksPerStage() == b.chunksPerStage() && a.schedule == b.schedule &&
         a.stageCount() == b.stageCount() && degreesOf(a) == degreesOf(b);
}

Bytes peakMemory(const Evaluation& e) {
  Bytes peak;
  for (const StageEvaluation& s : e.stages) peak = std::max(peak, s.memory.total());
  return peak;
}

/// The best plans and the front, of all plans offered one by one.
class Collector {
public:
  Collector(const Problem& problem, Outcome& out) : m_problem(problem), m_out(out) {}

  void offer(const Plan& plan, Evaluation evaluation) {
    ++m_out.statistics.candidates;
    if (!evaluation.feasible()) {
      offerMiss(plan, std::move(evaluation));
      return;
    }
    RankedPlan ranked{plan, std::move(evaluation), {}};
    offerFront(ranked);
    offerPlan(std::move(ranked));
  }

private:
  /// One plan of each combination of degrees is kept: the best.
  void offerPlan(RankedPlan plan) {
    auto& plans = m_out.plans;
    const auto known = std::find_if(plans.begin(), plans.end(),
                                    [&](const RankedPlan& p) { return sameDegrees(p.plan, plan.plan); });
    if (known != plans.end()) {
      if (!precedes(plan, *known)) return;
      plans.erase(known);
    }
    const auto most = static_cast<std::size_t>(std::max(1, m_problem.search.topPlans));
    if (plans.size() == most && !precedes(plan, plans.back())) return;
    if (plans.size() == most) plans.pop_back();
    plans.insert(std::upper_bound(plans.begin(), plans.end(), plan, precedes), std::move(plan));
  }

  void offerFront(const RankedPlan& plan) {
    const auto covers = [](const RankedPlan& a, const RankedPlan& b) {
      return a.evaluation.ranked <= b.evaluation.ranked && a.plan.devicesUsed() <= b.plan.devicesUsed() &&
             peakMemory(a.evaluation) <= peakMemory(b.evaluation);
    };
    auto& front = m_out.front;
    if (std::any_of(front.begin(), front.end(), [&](const RankedPlan& p) { return covers(p, plan); })) return;
    std::erase_if(front, [&](const RankedPlan& p) { return covers(plan, p); });
    front.push_back(plan);
  }

  void offerMiss(const Plan& plan, Evaluation evaluation) {
    Bytes worst;
    int stage = -1;
    for (const Violation& v : evaluation.violations) {
      if (v.kind != Violation::Kind::Memory) return;
      if (v.shortfall > worst) {
        worst = v.shortfall;
        stage = v.stage;
      }
    }
    if (m_out.nearestMiss && m_out.nearestMiss->shortfall <= worst) return;
    m_out.nearestMiss = NearestMiss{plan, std::move(evaluation), stage, worst, {}};
  }

  const Problem& m_problem;
  Outcome& m_out;
};

}  // namespace

bool precedes(const RankedPlan& a, const RankedPlan& b) {
  const double x = a.evaluation.ranked.value(), y = b.evaluation.ranked.value();
  if (std::abs(x - y) > kEqualSteps * std::max(std::abs(x), std::abs(y))) return x < y;
  const auto scalars = [](const Plan& p) {
    return std::tuple(p.devicesUsed(), p.stageCount(), p.zero, recomputeSum(p));
  };
  if (scalars(a.plan) != scalars(b.plan)) return scalars(a.plan) < scalars(b.plan);
  const auto rest = [](const Plan& p) {
    return std::tuple(cutsOf(p), p.microbatch, degreesOf(p), -p.shardDegree(), -p.dataInner, p.blockStride,
                      p.schedule, -p.globalBatch);
  };
  return rest(a.plan) < rest(b.plan);
}

Outcome solveExhaustively(const Problem& problem) {
  const auto begin = std::chrono::steady_clock::now();
  Outcome out;
  Collector collector(problem, out);
  visitPlans(problem, [&](const Plan& plan) {
    collector.offer(plan, evaluate(problem, plan));
    return true;
  });
  std::sort(out.front.begin(), out.front.end(), precedes);
  out.status = out.plans.empty() ? OutcomeStatus::Infeasible : OutcomeStatus::Optimal;
  if (!out.plans.empty()) {
    out.nearestMiss.reset();
    out.lowerBound = out.plans.front().evaluation.batchTime;
  }
  for (auto* plans : {&out.plans, &out.front})
    for (RankedPlan& p : *plans) p.simulated = simulate(problem, p.plan, p.evaluation, false).total;
  out.statistics.elapsed =
      Seconds(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  return out;
}

}  // namespace nest
