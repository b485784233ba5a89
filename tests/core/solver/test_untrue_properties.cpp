#include <cmath>

#include "solver/exhaustive.h"
#include "solver/solve.h"
#include "support/hand_problem.h"
#include "support/test_main.h"

using namespace nest;
using namespace nest::test;

namespace {

/// The optimum, once solver and enumeration agree on it.
double bestOf(const Problem& p) {
  const Outcome solved = solve(p), truth = solveExhaustively(p);
  if (!solved.best() || !truth.best()) return -1;
  const double found = solved.best()->evaluation.batchTime.value(),
               best = truth.best()->evaluation.batchTime.value();
  return std::abs(found - best) <= 1e-9 * best ? best : -1;
}

Problem withComputeTimes(const Problem& p, double factor) {
  return withProfile(p, [&](Profile& profile) {
    for (int x = 0; x < p.graph->layerCount(); ++x)
      for (int s = 0; s < static_cast<int>(profile.strategies().size()); ++s) {
        LayerCost c = *profile.cost(x, s, 0);
        c.forward *= factor;
        c.backward *= factor;
        profile.setCost(x, s, 0, c);
      }
  });
}

/// Two layers that do not fit one device together; the second one's gradients take long to exchange.
Problem heavyEnd(int layers) {
  Problem p = handProblem(hosts(4 + 2 * (layers - 2), 1), layers);
  p = withProfile(p, [&](Profile& profile) {
    LayerCost last = plainLayer();
    last.denseParameters = 100;
    profile.setCost(layers - 1, 0, 0, last);
    for (int t = 0; t + 1 < layers; ++t) profile.setTensorBytes(t, 0, 0, Bytes(500));
  });
  p.search.zeroStages = {0};
  p.search.recompute = {true, false, false};
  p.constraints.stages = {layers, layers};
  return p;
}

}  // namespace

/// STATEMENT.md §5: what one would expect to hold and does not, each with an instance that shows it.
class TestUntrueProperties : public QObject {
  Q_OBJECT
private slots:
  /// Behind a transfer that hides all compute, faster devices gain nothing in the loads; but the last stage
  /// exchanges its gradients while the first still runs backward, and that time shrinks.
  void fasterDevicesCanCostMoreWithOverlap() {
    Problem p = heavyEnd(2);
    p.assumptions.overlap[Exchange::Pipeline] = 1;
    // d = 2, m = 4: loads 6 s (1 + 500/100), exchange 2·(1 + ½·400/100) = 6 s, of which 2 s of backward hide.
    QCOMPARE(bestOf(p), 2 * 6.0 + 3 * 6.0 + (6.0 - 2.0));
    QCOMPARE(bestOf(withComputeTimes(p, 0.5)), 2 * 6.0 + 3 * 6.0 + (6.0 - 1.0));
  }

  /// The paper's bound counts the largest load alone: what other stages gain is not seen, what they uncover
  /// is.
  void fasterDevicesCanCostMoreUnderThePapersBound() {
    Problem p = heavyEnd(3);
    p.search.objective = Objective::Nest;
    p = withProfile(p, [](Profile& profile) {
      LayerCost idle = plainLayer();
      idle.forward = idle.backward = Seconds(0);
      profile.setCost(1, 0, 0, idle);
    });
    // The middle stage only receives: 6 s from either side, in 4 + 3 − 1 steps.
    QCOMPARE(bestOf(p), 12 * 6.0 + (6.0 - 2.0));
    QCOMPARE(bestOf(withComputeTimes(p, 0.5)), 12 * 6.0 + (6.0 - 1.0));
  }

  /// Racks of two hosts of 8 and of two of 6. With one device lost the first rack is still the larger one and
  /// stands first, but no second group of 8, nor of 6, follows the first inside a host; without that host
  /// pipelines begin in the other rack, where groups of 6 stand side by side.
  void losingADeviceCanCostMoreThanLeavingItsHostOut() {
    HierarchyInput in = hosts(1, 1);
    in.fanouts.clear();
    in.levels.push_back({"spine", BytesPerSecond(1), Seconds(4)});
    for (const int host : {8, 8, 6, 6}) {
      if (!in.gaps.empty()) in.gaps.push_back(in.gaps.size() == 15 ? 2 : 1);
      in.gaps.insert(in.gaps.end(), static_cast<std::size_t>(host - 1), 0);
    }
    const auto timeWithout = [&](std::vector<int> lost) {
      HierarchyInput left = in;
      left.excluded = std::move(lost);
      Problem p = handProblem(left, 2, {{8, false, 1, 1}, {6, false, 1, 1}});
      p = withProfile(p, [](Profile& profile) {
        for (int s = 0; s < 2; ++s)
          for (int x = 0; x < 2; ++x) {
            LayerCost c = *profile.cost(x, s, 0);
            c.forward = c.backward = Seconds(s == 0 ? 0.75 : 1);
            c.collectives.push_back(
                {CollectiveKind::AllReduce, GroupKind::Tensor, Phase::Forward, Bytes(100), 1});
            profile.setCost(x, s, 0, c);
          }
      });
      p.constraints.stages = {2, 2};
      return bestOf(p);
    };
    const double whole = timeWithout({}), oneLess = timeWithout({3}),
                 hostLess = timeWithout({0, 1, 2, 3, 4, 5, 6, 7});
    QVERIFY(whole > 0 && oneLess > 0 && hostLess > 0);
    qInfo("all devices %.3f s, one less %.3f s, its host left out %.3f s", whole, oneLess, hostLess);
    QVERIFY(whole < hostLess);
    QVERIFY(hostLess < oneLess);
  }
};
NEST_TEST(TestUntrueProperties)
#include "test_untrue_properties.moc"
