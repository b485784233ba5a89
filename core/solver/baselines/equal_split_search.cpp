#include <algorithm>

#include "solver/baselines/equal_split.h"
#include "solver/baselines/methods.h"

namespace nest::baselines {
namespace {

/// Tries every plan with equal layer counts, one after the other: b, strategy, stages, chunks, d, z,
/// recompute.
class EqualSearch {
public:
  EqualSearch(const Problem& p, const Control& control) : m_problem(p), m_control(control) {}

  BaselineResult run() {
    const auto& strategies = m_problem.profile->strategies();
    for (std::size_t i = 0; i < strategies.size() && !stopped(m_control); ++i) {
      if (m_control.progress)
        m_control.progress({.phase = {},
                            .fraction = static_cast<double>(i) / static_cast<double>(strategies.size()),
                            .best = best(),
                            .states = m_result.evaluated});
      for (const int b : microbatchesOnOffer(m_problem))
        if (m_problem.constraints.microbatch.allows(b)) degrees(strategies[i], b);
    }
    m_result.complete = !stopped(m_control);
    m_result.note = m_result.plan ? "every degree with equal layer counts and replicas side by side"
                                  : "no plan fits with equal layer counts";
    return std::move(m_result);
  }

private:
  std::optional<Seconds> best() const {
    return m_result.plan ? std::optional(m_result.plan->evaluation.batchTime) : std::nullopt;
  }

  void degrees(const Strategy& strategy, int b) {
    const int most =
        std::min(m_problem.graph->layerCount(), m_problem.cluster->deviceCount() / strategy.width());
    for (int s = 1; s <= most; ++s)
      for (const int v : m_problem.search.chunksPerStage) {
        if (v > 1 && (s < 2 || !m_problem.graph->isChain())) continue;
        if (!isOnOffer(m_problem, usualSchedule(v))) continue;
        const Plan shape = equalSplitPlan(*m_problem.graph, b, 1, 0, s, v, strategy, Recompute::None);
        if (shape.stages.empty()) continue;
        const double compute = slowestCompute(shape);
        auto all = dataDegrees(m_problem, b, s * strategy.width(), strategy);
        std::reverse(all.begin(), all.end());
        for (const int d : all) {
          if (stopped(m_control)) return;
          const int m = m_problem.microbatchCount(b, d);
          if (v > 1 && m % s != 0) continue;
          // Compute alone already takes longer, and fewer replicas take longer still.
          if (m_result.plan && compute * m > m_result.plan->evaluation.batchTime.value()) break;
          judgeAll(shape, d);
        }
      }
  }

  void judgeAll(const Plan& shape, int d) {
    for (const int z : m_problem.search.zeroStages)
      for (int r = 0; r < kRecomputeCount; ++r) {
        if (!m_problem.search.recompute[r]) continue;
        if (z > 0 && d * shape.stages.front().strategy.context == 1) continue;
        Plan p = shape;
        p.dataInner = d;
        p.zero = z;
        for (StagePlan& s : p.stages) s.recompute = static_cast<Recompute>(r);
        p.blockStride = p.pipelineWidth();
        ++m_result.evaluated;
        Evaluation e = evaluate(m_problem, p);
        const bool fits = e.feasible();
        const bool outOfMemoryOnly = !fits && e.violations.front().kind == Violation::Kind::Memory;
        const bool lacksPolicy = !fits && e.violations.front().kind == Violation::Kind::Recompute;
        if (fits && (!m_result.plan || e.batchTime < m_result.plan->evaluation.batchTime))
          m_result.plan = RankedPlan{std::move(p), std::move(e), {}};
        // More recompute only helps if memory is short, or if a policy is not available.
        if (fits || !(outOfMemoryOnly || lacksPolicy)) break;
      }
  }

  double slowestCompute(const Plan& p) const {
    const int strategy = m_problem.profile->strategyIndex(p.stages.front().strategy);
    const int b = m_problem.profile->microbatchIndex(p.microbatch);
    double slowest = 0;
    for (const StagePlan& s : p.stages) {
      double sum = 0;
      for (const LayerIndex x : s.layers())
        if (const LayerCost* c =
                m_problem.profile->cost(m_problem.graph->layers[x.at()].classId, strategy, b))
          sum += (c->forward + c->backward).value();
      slowest = std::max(slowest, sum);
    }
    return slowest;
  }

  const Problem& m_problem;
  const Control& m_control;
  BaselineResult m_result;
};

}  // namespace

BaselineResult equalSplit(const Problem& problem, const Control& control) {
  return EqualSearch(problem, control).run();
}

}  // namespace nest::baselines
