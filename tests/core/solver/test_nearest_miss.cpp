#include <QtTest/QTest>
#include <cmath>
#include <memory>

#include "solver/exhaustive.h"
#include "solver/solve.h"
#include "support/random_instance.h"
#include "support/test_main.h"

using namespace nest;
using namespace nest::test;

namespace {

/// The instance on devices that hold `share` of what they held.
Problem tighter(Problem p, double share) {
  DeviceSpec device = p.cluster->device();
  device.memory.value = device.memory.value * share;
  p.cluster = std::make_shared<const Hierarchy>(p.cluster->withDevice(device));
  return p;
}

}  // namespace

class TestNearestMiss : public QObject {
  Q_OBJECT
private slots:
  /// Chains and DAGs, interleaved or with free strategies, pinned or not: the plan shown is the one that
  /// lacks least of all that break no other rule, and none is shown where other rules forbid every plan.
  void lacksLeastOfAll() {
    InstanceFeatures features;
    features.mostPlans = 1500;
    int misses = 0, dags = 0, interleaved = 0, none = 0;
    for (std::uint64_t seed = 0; seed < 250; ++seed) {
      const Problem p = tighter(randomInstance(seed, features), 0.02);
      const Outcome truth = solveExhaustively(p), solved = solve(p);
      if (truth.best()) continue;
      QCOMPARE(nameOf(solved.status), "infeasible");
      const std::string what = "seed " + std::to_string(seed) + ": " + describe(p);
      QVERIFY2(solved.nearestMiss.has_value() == truth.nearestMiss.has_value(), what.c_str());
      none += !truth.nearestMiss;
      if (!truth.nearestMiss) continue;
      const double least = truth.nearestMiss->shortfall.value(),
                   shown = solved.nearestMiss->shortfall.value();
      QVERIFY2(shown >= least * (1 - 1e-9), what.c_str());
      QVERIFY2(shown <= least * (1 + 1e-3), what.c_str());
      QVERIFY2(!solved.nearestMiss->remedies.empty(), what.c_str());
      ++misses;
      dags += !p.graph->isChain();
      interleaved += solved.nearestMiss->plan.chunksPerStage() > 1;
    }
    qInfo("%d misses, %d on DAGs, %d interleaved; %d without", misses, dags, interleaved, none);
    QVERIFY(misses > 30 && dags > 3);
  }
  /// A search that ends before the plan that lacks least is found blames no rule for it.
  void aMissThatWasNotSoughtToItsEndIsNoRule() {
    int unknown = 0, known = 0;
    InstanceFeatures features;
    features.mostPlans = 1500;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
      const Problem p = tighter(randomInstance(seed, features), 0.02);
      if (!solve(p).nearestMiss) continue;
      for (long long work = 1; work < 200; work += 1 + work / 4) {
        Control control;
        control.work = std::make_shared<WorkLimit>(work);
        const Outcome o = solve(p, control);
        if (o.status != OutcomeStatus::Infeasible) continue;
        const auto says = [&](std::string_view code) {
          return std::any_of(o.diagnostics.begin(), o.diagnostics.end(),
                             [&](const auto& d) { return d.code == code; });
        };
        QVERIFY(!says("nothing-allowed"));
        QCOMPARE(says(kMissUnknown), !o.nearestMiss);
        ++(o.nearestMiss ? known : unknown);
      }
    }
    qInfo("%d known, %d not", known, unknown);
    QVERIFY(known > 10 && unknown > 10);
  }
  /// What no plan of a graph can be in Megatron-LM is not in the search.
  void megatronCutsNoGraph() {
    InstanceFeatures features;
    features.mostPlans = 3000;
    features.tightMemory = false;
    int seen = 0;
    for (std::uint64_t seed = 0; seed < 400 && seen < 40; ++seed) {
      Problem p = randomInstance(seed, features);
      if (p.graph->isChain()) continue;
      p.constraints.megatronExpressible = true;
      const Outcome truth = solveExhaustively(p), solved = solve(p);
      QCOMPARE(nameOf(solved.status), nameOf(truth.status));
      if (!truth.best()) continue;
      ++seen;
      QCOMPARE(solved.best()->plan.stageCount(), 1);
      const double best = truth.best()->evaluation.batchTime.value();
      QVERIFY(std::abs(solved.best()->evaluation.batchTime.value() - best) <= 1e-9 * best);
    }
    QVERIFY(seen >= 20);
  }
};

NEST_TEST(TestNearestMiss)
#include "test_nearest_miss.moc"
