#include <QtTest/QTest>
#include <cmath>
#include <cstdlib>

#include "evaluation/evaluation.h"
#include "evaluation/schedule.h"
#include "solver/exhaustive.h"
#include "solver/solve.h"
#include "support/instance_count.h"
#include "support/random_instance.h"
#include "support/test_main.h"

using namespace nest;

namespace {

/// One level, `devices` devices, a chain of equal layers, one strategy; nothing is exchanged.
Problem plainChain(int layers, int devices, int batch) {
  Problem p;
  HierarchyInput in;
  in.device.memory.value = Bytes(1e12);
  in.levels = {{"host", BytesPerSecond(1e9), Seconds(0)}};
  in.fanouts = {devices};
  p.cluster = std::make_shared<const Hierarchy>(*Hierarchy::build(in));
  p.graph = std::make_shared<const LayerGraph>(LayerGraph::chain(
      std::vector<Layer>(static_cast<std::size_t>(layers), {"block", LayerKind::Block, 0})));
  Profile profile({Strategy{}}, {1}, 1, layers - 1);
  LayerCost cost;
  cost.forward = Seconds(1);
  cost.backward = Seconds(2);
  profile.setCost(0, 0, 0, cost);
  p.profile = std::make_shared<const Profile>(profile);
  p.job.globalBatch = batch;
  p.job.microbatches = {1};
  p.search.zeroStages = {0};
  p.search.recompute = {true, false, false};
  return p;
}

long long countPlans(const Problem& p) {
  long long n = 0;
  visitPlans(p, [&](const Plan&) {
    ++n;
    return true;
  });
  return n;
}

}  // namespace

class TestOracleSpace : public QObject {
  Q_OBJECT
private slots:
  void countsByHand() {
    // d = 1: s = 1, 2, 3 with 1, 2, 1 cuts. d = 2: (d_in, d_out) = (2, 1), (1, 2): s = 1 on 2 devices; s = 2
    // on 4.
    Problem p = plainChain(3, 4, 2);
    QCOMPARE(countPlans(p), 4 + 2 * (1 + 2));
    p.search.recompute = {true, true, false};
    QCOMPARE(countPlans(p), (2 + 2 * 4 + 8) + 2 * (2 + 2 * 4));
    p.search.recompute = {true, false, false};
    p.search.zeroStages = {0, 1};  // sharding over one device is left out
    QCOMPARE(countPlans(p), 4 + 2 * 2 * (1 + 2));
    p.search.zeroStages = {0};
    p.search.chunksPerStage = {1, 2};  // 3 layers leave one of 4 chunks empty
    QCOMPARE(countPlans(p), 10);
    p = plainChain(4, 2, 2);
    p.search.chunksPerStage = {2};  // s = 2, d = 1, m = 2
    QCOMPARE(countPlans(p), 1);
    // 1+2+2+2 and 2+2+2+1; 1+2+2+1; of 5 nothing.
    const std::pair<int, int> plansOf[] = {{7, 2}, {6, 1}, {5, 0}};
    for (const auto& [layers, plans] : plansOf) {
      p = plainChain(layers, 2, 2);
      p.search.chunksPerStage = {2};
      QCOMPARE(countPlans(p), plans);
    }
  }
  /// An end without blocks still holds the embedding or the head; without them it would be empty.
  void endsWithoutBlocks() {
    const auto plans = [](std::vector<LayerKind> kinds) {
      Problem p = plainChain(static_cast<int>(kinds.size()), 2, 2);
      LayerGraph g = *p.graph;
      for (std::size_t x = 0; x < kinds.size(); ++x) g.layers[x].kind = kinds[x];
      p.graph = std::make_shared<const LayerGraph>(g);
      p.search.chunksPerStage = {2};
      std::vector<std::string> all;
      visitPlans(p, [&](const Plan& plan) {
        std::string parts;
        for (std::size_t q = 0; q < 2; ++q)
          for (const StagePlan& s : plan.stages) parts += std::to_string(s.chunks[q].size());
        if (!evaluate(p, plan).feasible()) parts += '!';
        all.push_back(parts);
        return true;
      });
      return all;
    };
    using enum LayerKind;
    QCOMPARE(plans({Embedding, Block, Block, Head}), (std::vector<std::string>{"1111"}));
    QCOMPARE(plans({Embedding, Block, Block, Norm, Head}), (std::vector<std::string>{"1112"}));
    QCOMPARE(plans({Embedding, Block, Block, Block}), (std::vector<std::string>{"1111"}));
    QCOMPARE(plans({Embedding, Block, Block, Block, Head}), (std::vector<std::string>{"1112", "2111"}));
    QCOMPARE(plans({Block, Block, Head}), std::vector<std::string>{});
  }
  void stridesAlignBlocks() {
    Problem p = plainChain(1, 2, 1);
    HierarchyInput in;
    in.device.memory.value = Bytes(1e12);
    in.levels = {{"host", BytesPerSecond(1e9), Seconds(0)}, {"rack", BytesPerSecond(1e9), Seconds(0)}};
    in.fanouts = {4, 2};
    p.cluster = std::make_shared<const Hierarchy>(*Hierarchy::build(in));
    p.job.globalBatch = 2;
    // d = 1; d = 2 as (2, 1), and (1, 2) at strides 1, 4 — 8 leaves no room for the second block.
    QCOMPARE(countPlans(p), 1 + 1 + 2);
  }
  void downsetsOfTwoTowers() {
    Problem p = plainChain(3, 3, 1);
    LayerGraph g = *p.graph;
    g.tensors = {{LayerIndex(0), {LayerIndex(2)}}, {LayerIndex(1), {LayerIndex(2)}}};
    p.graph = std::make_shared<const LayerGraph>(g);
    // One stage; {0}|{1,2}, {1}|{0,2}, {0,1}|{2}; two orders of three.
    QCOMPARE(countPlans(p), 1 + 3 + 2);
  }
  void bestOfAPlainChain() {
    // 4 equal layers of 3 s, 2 devices, batch 2: two replicas take 12 s, as does nothing else that fast.
    const Outcome out = solveExhaustively(plainChain(4, 2, 2));
    QCOMPARE(nameOf(out.status), "optimal");
    QCOMPARE(out.plans.front().evaluation.batchTime.value(), 12.0);
    QCOMPARE(out.plans.front().plan.dataDegree(), 2);
    QCOMPARE(out.plans.front().plan.dataInner, 2);
    // Alone, one device needs 24 s; both are on the front.
    QCOMPARE(out.front.size(), std::size_t(2));
    QCOMPARE(out.front.back().evaluation.batchTime.value(), 24.0);
    QCOMPARE(out.front.back().plan.devicesUsed(), 1);
  }
  void nothingFitsNamesTheNearestMiss() {
    Problem p = plainChain(2, 2, 2);
    p.assumptions.reserve = Bytes(1e12 + 500);  // well beyond what counts as rounding
    const Outcome out = solveExhaustively(p);
    QCOMPARE(nameOf(out.status), "infeasible");
    QVERIFY(out.nearestMiss);
    QCOMPARE(out.nearestMiss->shortfall.value(), 500.0);
  }
  void instancesRepeat() {
    const Problem a = test::randomInstance(7), b = test::randomInstance(7);
    QVERIFY(*a.profile == *b.profile);
    QVERIFY(*a.graph == *b.graph);
    QCOMPARE(test::describe(a), test::describe(b));
  }
  /// Every feature occurs, some instances fit and some do not.
  void instancesCoverTheSpace() {
    int fits = 0, dags = 0, irregular = 0, experts = 0, tied = 0, interleaved = 0, free = 0;
    double time = 0;
    long long plans = 0;
    const int count = test::instancesFrom(200);
    for (int seed = 0; seed < count; ++seed) {
      const Problem p = test::randomInstance(static_cast<std::uint64_t>(seed));
      const Outcome out = solveExhaustively(p);
      plans += out.statistics.candidates;
      time += out.statistics.elapsed.value();
      fits += out.best() != nullptr;
      dags += !p.graph->isChain();
      irregular += !p.cluster->isRegular();
      tied += p.profile->tied.has_value();
      free += p.search.strategyPerStage;
      if (!out.best()) continue;
      const Plan& best = out.best()->plan;
      interleaved += best.chunksPerStage() > 1;
      experts += std::any_of(best.stages.begin(), best.stages.end(),
                             [](const auto& s) { return s.strategy.expert > 1; });
    }
    qInfo(
        "%d instances, %lld plans, %.2f s: %d fit, %d DAGs, %d irregular, %d tied, %d free, best: %d "
        "experts, %d "
        "interleaved",
        count, plans, time, fits, dags, irregular, tied, free, experts, interleaved);
    QVERIFY(fits > count / 2 && fits < count);
    QVERIFY(dags > 0 && irregular > 0 && experts > 0 && tied > 0 && interleaved > 0 && free > 0);
  }
};
NEST_TEST(TestOracleSpace)
#include "test_oracle_space.moc"
