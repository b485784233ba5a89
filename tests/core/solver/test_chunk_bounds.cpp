#include <algorithm>
#include <map>
#include <memory>

#include "solver/bounds/chunk_bounds.h"
#include "solver/bounds/search_bounds.h"
#include "solver/exhaustive.h"
#include "solver/space/chunk_cuts.h"
#include "solver/watch.h"
#include "stage_sums.h"
#include "support/instance_count.h"
#include "support/random_instance.h"
#include "support/test_main.h"

using namespace nest;
using namespace nest::test;
using namespace nest::solver;

class TestChunkBounds : public QObject {
  Q_OBJECT
private slots:
  void areBelowEveryPlan() {
    InstanceFeatures features;
    features.mostPlans = 3000;
    features.dags = features.constraints = false;
    features.shardGroups = features.foldedExperts = true;
    features.interleaved = 1;
    features.freeStrategies = 0.7;
    features.threeStages = features.schedules = true;
    int checked = 0;
    const auto end = 510000 + static_cast<std::uint64_t>(instancesFrom(400));
    for (std::uint64_t seed = 510000; seed < end; ++seed) {
      const Problem p = randomInstance(seed, features);
      const LayerOrder order(*p.graph);
      GroupShapes shapes(*p.cluster);
      const SearchSpace space(p);
      std::map<std::pair<int, bool>, std::vector<std::unique_ptr<LayerSums>>> sums;
      for (int b : space.microbatches())
        for (int k : space.strategies())
          for (const bool covered : {false, true})
            sums[{b, covered}].push_back(std::make_unique<LayerSums>(p, order, shapes, b, k, covered));
      visitPlans(p, [&](const Plan& plan) {
        if (plan.chunksPerStage() == 1) return true;
        const Evaluation e = evaluate(p, plan);
        if (!e.feasible()) return true;
        std::vector<LayerSums*> all;
        for (const auto& s :
             sums[{p.profile->microbatchIndex(plan.microbatch), plan.pipelineSchedule().coversExchanges()}])
          all.push_back(s.get());
        isAbove(p, order, shapes, space, std::move(all), plan, e);
        ++checked;
        return !QTest::currentTestFailed();
      });
      if (QTest::currentTestFailed()) return;
    }
    qInfo("%d plans", checked);
    QVERIFY(checked > 5000);
  }

private:
  static void isAbove(const Problem& p, const LayerOrder& order, const GroupShapes& shapes,
                      const SearchSpace& space, std::vector<LayerSums*> sums, const Plan& plan,
                      const Evaluation& e) {
    double roomiest = 0;
    for (int i = 0; i < p.cluster->deviceCount(); ++i)
      roomiest = std::max(roomiest, p.cluster->factor(DeviceIndex(i)).memory.value());
    ChunkConfiguration c;
    c.dataDegree = plan.dataDegree();
    c.stages = plan.stageCount();
    c.chunks = plan.chunksPerStage();
    c.zero = plan.zero;
    c.microbatchCount = e.microbatchCount;
    c.cuts = {0};
    for (int part = 0; part < c.stages * c.chunks; ++part) {
      const auto stage = static_cast<std::size_t>(plan.pipelineSchedule().stageOf(part, c.stages));
      const auto& chunk = plan.stages[stage].chunks[part / c.stages];
      c.cuts.push_back(c.cuts.back() + static_cast<int>(chunk.size()));
    }
    const auto offered = interleavedCuts(p, c.stages, c.chunks);
    QVERIFY(std::find(offered.begin(), offered.end(), c.cuts) != offered.end());
    c.sums = std::move(sums);
    c.schedule = &plan.pipelineSchedule();
    c.target = targetOf(p.search.objective, *c.schedule, c.microbatchCount, c.stages, c.chunks);
    const double time = e.batchTime.value() * (1 + 1e-12);
    c.limit = time * (1 + 1e-9);
    const Control control;
    Watch watch(control, 0);
    const ChunkBounds bounds(p, space, order, shapes, c, roomiest * kMemoryRounding, watch);
    const int units = plan.pipelineWidth() / plan.dataInner;
    QVERIFY(bounds.leastUnits() <= units && units <= bounds.mostUnits());
    QVERIFY(bounds.quick(units) <= time);
    QVERIFY(bounds.upTo(units, time * (1 + 1e-9)) <= time);
    QVERIFY(bounds.upTo(units, time * 1.3) <= time);
    const auto shardingOf = [&](int d) {
      return Sharding{d, space.shardDegrees(d, c.zero, strategiesOf(c.sums))};
    };
    const ChunkBounds several(p, space, order, shapes, c,
                              {shardingOf(c.dataDegree), shardingOf(2 * c.dataDegree)},
                              roomiest * kMemoryRounding, watch);
    QVERIFY(several.upTo(units, time * (1 + 1e-9)) <= time);
    const ChunkBounds::Prefixes prefixes(bounds, units);
    QVERIFY(prefixes.time(c.stages, units, 0, 0, 0) <= time);
    QVERIFY(prefixes.leastMax(c.stages, units) <= e.maxLoad.value() * (1 + 1e-12));
    QVERIFY(e.maxLoad.value() <= prefixes.mostLoad(time) * (1 + 1e-12));
    QVERIFY(prefixes.leastTail(e.maxLoad.value()) <= e.tail.value() * (1 + 1e-12));
    // Each split of the pipeline: stages behind as they are, those in front as the bound has them.
    double sum = 0, max = 0;
    int front = units;
    for (int i = c.stages - 1; i >= 0; --i) {
      addStage(e.stages[i], c.target, sum, max);
      front -= plan.stages[i].strategy.width();
      QVERIFY(prefixes.time(i, front, max, sum, 0) <= time);
    }
  }
};

NEST_TEST(TestChunkBounds)
#include "test_chunk_bounds.moc"
