#include <QtTest/QTest>

#include "model/overlay.h"
#include "support/hand_problem.h"
#include "support/test_main.h"

using namespace nest;

namespace {

GraphAndProfile profileOf(int layers, std::vector<Strategy> strategies, std::vector<int> microbatches,
                          double forward, Origin origin) {
  const Problem p = test::handProblem(test::hosts(4, 2), layers);
  Profile f(strategies, std::move(microbatches), layers, layers - 1);
  for (int s = 0; s < int(f.strategies().size()); ++s)
    for (int b = 0; b < int(f.microbatches().size()); ++b) {
      for (int x = 0; x < layers; ++x) {
        LayerCost c = test::plainLayer();
        c.forward = Seconds(forward * (x + 1)), c.origin = origin;
        f.setCost(x, s, b, c);
      }
      for (int t = 0; t + 1 < layers; ++t) f.setTensorBytes(t, s, b, Bytes(forward * 20));
    }
  f.provenance = nameOf(origin);
  return {*p.graph, f};
}

}  // namespace

/// Measured costs over estimated ones.
class TestOverlay : public QObject {
  Q_OBJECT
private slots:
  void whatWasMeasuredReplacesTheEstimate() {
    const auto analytic = profileOf(3, {{1}, {2}}, {1, 4}, 1, Origin::Estimated);
    const auto measured = profileOf(3, {{2}, {4}}, {2, 4}, 7, Origin::Measured);
    const auto both = overlayMeasured(analytic, measured);
    QVERIFY(both);
    const Profile& p = both->profile;
    QCOMPARE(p.strategies(), (std::vector<Strategy>{{1}, {2}, {4}}));
    QCOMPARE(p.microbatches(), (std::vector<int>{1, 2, 4}));
    // 0: neither has it.
    const double expected[3][3] = {{1, 0, 1}, {1, 7, 7}, {0, 7, 7}};
    for (int s = 0; s < 3; ++s)
      for (int b = 0; b < 3; ++b)
        for (int x = 0; x < 3; ++x) {
          const LayerCost* c = p.cost(both->graph.layers[std::size_t(x)].classId, s, b);
          QCOMPARE(c ? c->forward.value() : 0.0, expected[s][b] * (x + 1));
          if (!c) continue;
          QCOMPARE(c->origin, expected[s][b] == 7 ? Origin::Measured : Origin::Estimated);
          if (x < 2) QCOMPARE(p.tensorBytes(x, s, b), Bytes(expected[s][b] * 20));
        }
    QCOMPARE(p.provenance, std::string("measured; where nothing was measured: estimated"));
    QVERIFY(!p.tied);
  }
  /// A table that two layers share is divided among the tensor ranks of a strategy that only the measurement
  /// has.
  void tiedTablesAreDividedAmongTheRanks() {
    auto analytic = profileOf(3, {{2}, {4}}, {1}, 1, Origin::Estimated);
    analytic.profile.tied = TiedParameters{LayerIndex(0), LayerIndex(2), {600, 300}};
    const auto measured = profileOf(3, {{1}, {2}, {8}, {3}}, {1}, 7, Origin::Measured);
    const auto both = overlayMeasured(analytic, measured);
    QVERIFY(both && both->profile.tied);
    QCOMPARE(both->profile.strategies(), (std::vector<Strategy>{{2}, {4}, {1}, {8}, {3}}));
    QCOMPARE(both->profile.tied->parameters, (std::vector<double>{600, 300, 1200, 150, 400}));
    QVERIFY(both->profile.tied->first == LayerIndex(0) && both->profile.tied->second == LayerIndex(2));
  }
  void modelsOfOtherLayersAreRefused() {
    const auto two = overlayMeasured(profileOf(3, {{1}}, {1}, 1, Origin::Estimated),
                                     profileOf(2, {{1}}, {1}, 7, Origin::Measured));
    QVERIFY(!two);
    QCOMPARE(two.diagnostics.front().code, std::string("overlay-layers"));
  }
};
NEST_TEST(TestOverlay)
#include "test_overlay.moc"
