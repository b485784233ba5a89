#include <QtTest/QTest>

#include "solver/baselines/baselines.h"
#include "solver/baselines/equal_split.h"
#include "solver/solve.h"
#include "support/hand_problem.h"
#include "support/random_instance.h"
#include "support/test_main.h"
#include "words/outcome_words.h"

using namespace nest;

namespace {

test::InstanceFeatures plain() {
  test::InstanceFeatures f = test::uniformStrategyChain();
  f.mostPlans = 2000;
  return f;
}

BaselineOptions only(BaselineKind kind) {
  BaselineOptions o;
  o.kinds = {kind};
  o.walks = 3;
  o.steps = 60;
  return o;
}

}  // namespace

class TestBaselines : public QObject {
  Q_OBJECT
private slots:
  void partsAreEqual() {
    std::vector<Layer> layers;
    layers.push_back({"embedding", LayerKind::Embedding, 0});
    for (int i = 0; i < 7; ++i) layers.push_back({"block", LayerKind::Block, 1});
    layers.push_back({"norm", LayerKind::Norm, 2});
    const LayerGraph g = LayerGraph::chain(layers);
    const auto parts = equalParts(g, 3);
    QCOMPARE(parts.size(), std::size_t(3));
    QCOMPARE(parts[0].size(), std::size_t(4));  // the embedding and three blocks
    QCOMPARE(parts[1].size(), std::size_t(2));
    QCOMPARE(parts[2].size(), std::size_t(3));  // two blocks and the norm
    QCOMPARE(parts[2].back(), LayerIndex(8));
    QVERIFY(equalParts(g, 8).empty());
  }

  /// No baseline that runs beats the exhaustive optimum, and all are judged by evaluate().
  void noneBeatsTheOptimum() {
    int compared = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      const Problem p = test::randomInstance(seed, plain());
      const Outcome best = solveExhaustively(p);
      BaselineOptions o;
      o.walks = 2;
      o.steps = 40;
      for (const BaselineResult& r : runBaselines(p, {}, o)) {
        QVERIFY(!r.note.empty());
        if (!r.plan) continue;
        const Evaluation again = evaluate(p, r.plan->plan);
        QCOMPARE(again.batchTime.value(), r.plan->evaluation.batchTime.value());
        if (!r.runs()) continue;
        QVERIFY2(best.best(), nameOf(r.kind));
        // A walk may leave the search space by its order of devices, which cannot be better than locality
        // order here only up to the search space's alignment; all others stay inside it.
        if (r.kind == BaselineKind::RandomWalk && !r.plan->plan.deviceOrder.empty()) continue;
        const double ratio = r.plan->evaluation.batchTime / best.best()->evaluation.batchTime;
        QVERIFY2(ratio >= 1 - 1e-9,
                 qPrintable(QString("seed %1, %2: %3").arg(seed).arg(nameOf(r.kind)).arg(ratio, 0, 'g', 12)));
        ++compared;
      }
    }
    QVERIFY(compared > 40);
  }

  /// Nothing but what the scenario offers, however much the profile holds.
  void choicesAreThoseOnOffer() {
    int seen = 0;
    for (std::uint64_t seed = 0; seed < 80; ++seed) {
      Problem p = test::randomInstance(seed, plain());
      p.search.zeroStages = {static_cast<int>(1 + seed % 3)};
      p.search.padLastMicrobatch = seed % 2 == 0;
      p.job.microbatches = {p.profile->microbatches().front()};
      const Outcome best = solveExhaustively(p);
      BaselineOptions o;
      o.walks = 2;
      o.steps = 60;
      for (const BaselineResult& r : runBaselines(p, {}, o)) {
        if (!r.runs()) continue;
        const Plan& plan = r.plan->plan;
        QCOMPARE(plan.microbatch, p.job.microbatches.front());
        QCOMPARE(plan.zero, p.search.zeroStages.front());
        if (!plan.deviceOrder.empty()) continue;
        const std::string what = "seed " + std::to_string(seed) + ": " + nameOf(r.kind) + ", " +
                                 summaryOf(plan) + " (" + test::describe(p) + ')';
        QVERIFY2(best.best(), what.c_str());
        ++seen;
        QVERIFY(r.plan->evaluation.batchTime.value() >=
                best.best()->evaluation.batchTime.value() * (1 - 1e-9));
      }
    }
    QVERIFY(seen > 40);
  }

  void schedulesAreThoseOnOffer() {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      Problem p = test::randomInstance(seed, plain());
      p.search.schedules = {ScheduleKind::ZbH1};
      for (const BaselineResult& r : runBaselines(p)) {
        QVERIFY(!r.plan || r.plan->plan.schedule == ScheduleKind::ZbH1);
        const bool searchesAll =
            r.kind == BaselineKind::NetworkUnaware || r.kind == BaselineKind::MemoryUnaware;
        QCOMPARE(r.searched, searchesAll);
        if (!r.searched) QCOMPARE(std::string(words::obstacleTo(r)), std::string("not searched"));
      }
    }
  }

  /// Tensor groups that straddle hosts are in the profile for the part of the hosts that they fit in.
  void tensorGroupsStayInHosts() {
    Problem p = test::handProblem(test::hosts(3, 2), 4, {Strategy{}, Strategy{2, false, 1, 1}});
    p = test::withProfile(p, [](Profile& profile) {
      LayerCost c = test::plainLayer();
      c.forward = c.backward = Seconds(0.1);
      for (int x = 0; x < 4; ++x) profile.setCost(x, 1, 0, c);
    });
    for (const BaselineResult& r : runBaselines(p))
      for (const StagePlan& s : r.plan ? r.plan->plan.stages : std::vector<StagePlan>())
        QCOMPARE(s.strategy.tensor, 1);
    p.search.preset = SearchPreset::Free;
    QCOMPARE(runBaselines(p, {}, only(BaselineKind::EqualSplit)).front().plan->plan.stages[0].strategy.tensor,
             2);
  }

  /// By hand ZeRO 0 and 1 are tried, and where the scenario asks for more, what it asks for.
  void handRulesTakeTheZeroStageOnOffer() {
    int planned = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      Problem p = test::randomInstance(seed, plain());
      p.search.zeroStages = {3};
      const BaselineResult r = runBaselines(p, {}, only(BaselineKind::Manual)).front();
      planned += r.runs() && r.plan->plan.zero == 3;
    }
    QVERIFY(planned > 0);
  }

  void walksRepeat() {
    const Problem p = test::randomInstance(5, plain());
    const auto a = runBaselines(p, {}, only(BaselineKind::RandomWalk)),
               b = runBaselines(p, {}, only(BaselineKind::RandomWalk));
    QVERIFY(a.front().plan && b.front().plan);
    QVERIFY(a.front().plan->plan == b.front().plan->plan);
    QCOMPARE(a.front().evaluated, b.front().evaluated);
  }

  // On one rank nothing is shared out: the plan that a walk returns says so.
  void walksShareOnlyAmongRanks() {
    int alone = 0;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
      Problem p = test::randomInstance(seed, plain());
      p.search.zeroStages = {0, 1, 2, 3};
      for (std::uint64_t walk = 1; walk <= 3; ++walk) {
        BaselineOptions o = only(BaselineKind::RandomWalk);
        o.seed = walk;
        const auto r = runBaselines(p, {}, o).front();
        if (!r.plan) continue;
        const Plan& plan = r.plan->plan;
        if (std::any_of(plan.stages.begin(), plan.stages.end(),
                        [&](const StagePlan& s) { return plan.dataDegree() * s.strategy.context > 1; }))
          continue;
        ++alone;
        QCOMPARE(plan.zero, 0);
      }
    }
    QVERIFY(alone > 5);
  }

  void typedDegreesAreKept() {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const Problem p = test::randomInstance(seed, plain());
      BaselineOptions o = only(BaselineKind::Manual);
      o.manual.stages = 2;
      const auto r = runBaselines(p, {}, o);
      if (r.front().plan) QCOMPARE(r.front().plan->plan.stageCount(), 2);
    }
  }

  void stopsWhenAsked() {
    const Problem p = test::randomInstance(5, plain());
    std::stop_source stop;
    stop.request_stop();
    Control control;
    control.stop = stop.get_token();
    const auto all = runBaselines(p, control);
    QCOMPARE(all.size(), std::size_t(kBaselineCount));
    for (const BaselineResult& r : all) QVERIFY(r.stoppedWithoutPlan() && !r.note.empty());
  }

  void memoryUnawareIgnoresMemory() {
    int short_ = 0;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
      const Problem p = test::randomInstance(seed, plain());
      const auto r = runBaselines(p, {}, only(BaselineKind::MemoryUnaware)).front();
      if (!r.plan || r.runs()) continue;
      ++short_;
      QCOMPARE(r.plan->evaluation.violations.front().kind, Violation::Kind::Memory);
    }
    QVERIFY(short_ > 0);
  }
};
NEST_TEST(TestBaselines)
#include "test_baselines.moc"
