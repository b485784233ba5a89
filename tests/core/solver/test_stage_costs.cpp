#include <QtTest/QTest>
#include <algorithm>
#include <cmath>

#include "solver/solve.h"
#include "solver/stage/chain_costs.h"
#include "support/random_instance.h"
#include "support/test_main.h"

using namespace nest;
using namespace nest::solver;

namespace {

bool near(double a, double b) {
  return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b));
}

}  // namespace

/// What the search charges one stage is what the evaluator charges it.
class TestStageCosts : public QObject {
  Q_OBJECT
private slots:
  void everyStageAgreesWithTheEvaluator() {
    test::InstanceFeatures f = test::uniformStrategyChain();
    f.tied = f.interleave = f.padding = false;
    f.shardGroups = f.foldedExperts = true;
    int stages = 0, hidden = 0, recomputed = 0, grouped = 0;
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
      Problem p = test::randomInstance(seed, f);
      // Every kind overlaps by a share of its own; what is wanted may exceed the compute.
      p.assumptions.overlap = {0.3, 0.1, 0.6, 1, 0.2};
      const Outcome o = solve(p);
      if (!o.best()) continue;
      const Plan& plan = o.best()->plan;
      const Evaluation& e = o.best()->evaluation;
      const LayerOrder order(*p.graph);
      GroupShapes shapes(*p.cluster);
      const SearchSpace space(p);
      const Strategy& strategy = plan.stages.front().strategy;
      LayerSums sums(p, order, shapes, p.profile->microbatchIndex(plan.microbatch),
                     p.profile->strategyIndex(strategy));
      ChainConfiguration c;
      c.problem = &p;
      c.space = &space;
      c.order = &order;
      c.sums = &sums;
      c.shapes = &shapes;
      c.dataDegree = plan.dataDegree();
      c.stages = plan.stageCount();
      c.schedule = &plan.pipelineSchedule();
      c.microbatchCount = e.microbatchCount;
      c.zero = plan.zero;
      c.shardDegree = plan.shardDegree();
      const BlockLayout layout{plan.dataInner, plan.dataOuter, plan.blockStride, plan.shardReplicas};
      const ChainCosts costs(c, placeStages(shapes, strategy, layout, c.stages));
      int cut = 0;
      for (int i = 0; i < plan.stageCount(); ++i) {
        const auto& stage = plan.stages[i];
        const auto& told = e.stages[i];
        const int from = cut, policy = static_cast<int>(stage.recompute);
        cut += static_cast<int>(stage.layers().size());
        const Part part{from, cut};
        const auto prepared = costs.prepare(i, {&part, 1});
        const auto* choice = std::find_if(prepared.choices.begin(), prepared.choices.begin() + prepared.count,
                                          [&](const auto& own) { return own.policy == policy; });
        const std::string where = "seed " + std::to_string(seed) + ", stage " + std::to_string(i + 1);
        QVERIFY2(choice != prepared.choices.begin() + prepared.count, where.c_str());
        const auto own = prepared.under(*choice, costs.transfers(i, {&part, 1}));
        QVERIFY2(near(own.load, told.load.value()), where.c_str());
        QVERIFY2(near(own.memory, told.memory.total().value()), where.c_str());
        QVERIFY2(near(costs.memory(i, {&part, 1}, policy), own.memory), where.c_str());
        QVERIFY2(near(own.step, told.step.value()), where.c_str());
        QVERIFY2(near(own.sync, (told.sync - told.hiddenSync).value()), where.c_str());
        ++stages;
        hidden += told.hidden > Seconds();
        recomputed += policy > 0;
        grouped += plan.shardDegree() < plan.dataDegree();
      }
    }
    QVERIFY2(stages > 300 && hidden > 100 && recomputed > 10 && grouped > 10,
             qPrintable(QString("%1 stages, %2 hide, %3 recompute, %4 in shard groups")
                            .arg(stages)
                            .arg(hidden)
                            .arg(recomputed)
                            .arg(grouped)));
  }
};
NEST_TEST(TestStageCosts)
#include "test_stage_costs.moc"
