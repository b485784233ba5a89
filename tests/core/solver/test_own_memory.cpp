// Headroom and allocator share where devices have memory of their own (STATEMENT.md (10.1)).
#include <QtTest/QTest>
#include <cmath>

#include "exactness.h"
#include "solver/solve.h"
#include "solver/tuning.h"
#include "support/hand_problem.h"
#include "support/instance_count.h"
#include "support/random_instance.h"
#include "support/test_main.h"

using namespace nest;
using namespace nest::test;

namespace {

/// Devices of 100 and of 50 bytes; the usual one has 100.
Problem twoKinds() {
  HierarchyInput in = hosts(2, 1);
  in.device.memory.value = Bytes(100);
  in.factors = {{1, Bytes(100)}, {1, Bytes(50)}};
  Problem p = handProblem(in, 2);
  p.assumptions.reserve = Bytes(4);
  return p;
}

/// Of the stage on the device with so much memory.
double reserveOn(const Problem& p, double memory) {
  for (const StageEvaluation& s : evaluate(p, chainPlan({{0}, {1}}, 2)).stages)
    if (s.memory.capacity == Bytes(memory))
      return (s.memory[MemoryPart::Reserve] + s.memory[MemoryPart::Headroom]).value();
  return -1;
}

}  // namespace

class TestOwnMemory : public QObject {
  Q_OBJECT
private slots:
  void bothSharesAreTakenOfTheDeviceItself() {
    Problem p = twoKinds();
    p.assumptions.headroom = 0.3;
    QCOMPARE(reserveOn(p, 100), 4 + 30.0);
    QCOMPARE(reserveOn(p, 50), 4 + 15.0);
    p.assumptions.allocatorFactor = 1.25;
    QCOMPARE(reserveOn(p, 100), 4 + 30 + (100 - 30 - 4) / 5.0);
    QCOMPARE(reserveOn(p, 50), 4 + 15 + (50 - 15 - 4) / 5.0);
  }

  /// a·A + R ≤ M·(1 − h) of the stage's smallest device decides what fits, for the evaluator, the search and
  /// the enumeration alike.
  void plansFitByTheRule() {
    InstanceFeatures features;
    features.mostPlans = 3000;
    features.tightMemory = true;
    int differ = 0, decided = 0;
    for (int k = 0; k < instances(0.15); ++k) {
      Problem p = randomInstance(firstSeed() + static_cast<std::uint64_t>(k), features);
      p.assumptions.headroom = k % 3 == 0 ? 0 : 0.04 * (k % 5);
      p.assumptions.allocatorFactor = k % 2 == 0 ? 1.132 : 1;
      const Assumptions& a = p.assumptions;
      const Outcome truth = solveExhaustively(p), solved = solve(p);
      QCOMPARE(mistake(p, solved, truth), std::string());
      const std::string besides = mistakeBesides(p, solved, truth);
      QVERIFY2(besides.empty(), (besides + describe(p)).c_str());
      differ += !p.cluster->hasUniformDevices();
      for (const RankedPlan& r : truth.plans)
        for (const StageEvaluation& s : r.evaluation.stages) {
          const double handedOut = s.memory.handedOut().value();
          const double usable = s.memory.capacity.value() * (1 - a.headroom);
          QVERIFY(a.allocatorFactor * handedOut + a.reserve.value() <= usable * (1 + 1e-9));
          ++decided;
        }
      Tuning everything;
      everything.plainFirst = 0;
      QCOMPARE(mistake(p, solve(p, {}, nullptr, everything), truth), std::string());
    }
    QVERIFY(differ > 0 && decided > 0);
  }

  /// Two layers of 10 parameters each keep 160 bytes and more of states without ZeRO; the smaller device
  /// decides.
  void aPlanThatFitsIsFound() {
    Problem p = twoKinds();
    const double own = (evaluate(p, chainPlan({{0}, {1}}, 2)).stages[1].memory.total() - Bytes(4)).value();
    HierarchyInput in = hosts(2, 1);
    in.device.memory.value = Bytes(8 * own);
    in.factors = {{1, Bytes(8 * own)}, {1, Bytes(own * 1.5)}};
    p = handProblem(in, 2);
    p.assumptions.reserve = Bytes(0);
    p.assumptions.headroom = 0.2;  // of the usual device more than the smaller one has
    p.constraints.stages.least = 2;
    const Outcome o = solve(p);
    QCOMPARE(o.status, OutcomeStatus::Optimal);
    QCOMPARE(o.best()->plan.stageCount(), 2);
  }

  /// The printed memory suffices, and a hundredth less does not.
  void theMemoryThatIsMissingIsNamed() {
    for (const double headroom : {0.0, 0.1})
      for (const double factor : {1.0, 1.25}) {
        HierarchyInput in = hosts(1, 1);
        in.device.memory.value = Bytes(1e9);
        Problem p = handProblem(in, 2);
        p = withProfile(p, [](Profile& profile) {
          LayerCost c = plainLayer();
          c.denseParameters = 1.237e8;
          for (int x = 0; x < 2; ++x) profile.setCost(x, 0, 0, c);
        });
        p.assumptions.reserve = Bytes(3e8);
        p.assumptions.headroom = headroom, p.assumptions.allocatorFactor = factor;
        const Outcome o = solve(p);
        QCOMPARE(o.status, OutcomeStatus::Infeasible);
        QVERIFY(o.nearestMiss && !o.nearestMiss->remedies.empty());
        const std::string& remedy = o.nearestMiss->remedies.front();
        const double named =
            std::stod(remedy.substr(remedy.find_first_of("0123456789"))) * 1024 * 1024 * 1024;
        for (const double share : {1.0, 0.99}) {
          DeviceSpec device = p.cluster->device();
          device.memory.value = Bytes(named * share);
          Problem roomy = p;
          roomy.cluster = std::make_shared<const Hierarchy>(p.cluster->withDevice(device));
          QCOMPARE(solve(roomy).status, share == 1 ? OutcomeStatus::Optimal : OutcomeStatus::Infeasible);
        }
      }
  }
};

NEST_TEST(TestOwnMemory)
#include "test_own_memory.moc"
