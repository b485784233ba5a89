#include <QtTest/QTest>

#include "lab/piper_study.h"
#include "support/test_main.h"

using namespace nest;

namespace {

/// Six layers that recompute with a workspace, in one time and one tensor degree.
PeerSetting chainOfSix(double workspaceGib) {
  const double gib = 1024.0 * 1024 * 1024;
  std::vector<Layer> layers;
  for (int i = 0; i < 6; ++i) layers.push_back({"layer " + std::to_string(i), LayerKind::Other, 0});
  PeerSetting s;
  auto graph = LayerGraph::chain(layers);
  Profile p({{1, false, 1, 1}}, {1}, 1, static_cast<int>(graph.tensors.size()));
  LayerCost c;
  c.forward = Seconds(0.010);
  c.backward = Seconds(0.020);
  c.denseParameters = 0.05 * gib;  // 0.2 GiB with weights and gradients of two bytes each
  c.recompute[0] = {true, Bytes(4 * gib), Seconds(0), Bytes(0)};
  c.recompute[1].available = false;
  c.recompute[2] = {true, Bytes(0.1 * gib), Seconds(0.010), Bytes(workspaceGib * gib)};
  p.setCost(0, 0, 0, c);
  for (std::size_t k = 0; k < graph.tensors.size(); ++k)
    p.setTensorBytes(static_cast<int>(k), 0, 0, Bytes(1e6));
  s.graph = std::make_shared<const LayerGraph>(std::move(graph));
  s.profile = std::make_shared<const Profile>(std::move(p));
  s.optimizer = OptimizerRegime::sgd();
  s.batch = 60;
  return s;
}

PeerStudyOptions quick() {
  PeerStudyOptions o;
  o.strategyPerStage = false;
  return o;
}

}  // namespace

class TestPiperStudy : public QObject {
  Q_OBJECT
private slots:
  void readsOptima() {
    const auto o = readPeerOptima(R"({"rows": [[8, 16, 0.5, 3], [2, 4, 0.25, 2]], "infeasible": [[2, 2]]})",
                                  "optima.json");
    QVERIFY(o);
    QCOMPARE(o->size(), std::size_t(3));
    QCOMPARE(o->front().devices, 2);
    QVERIFY(!o->front().secondsPerSample);
    QCOMPARE(o->back().secondsPerSample.value_or(0), 0.5);
    for (const char* bad : {"", "[]", "{}", R"({"rows": [[1, 2]]})", R"({"rows": [[1, "x", 3, 4]]})",
                            R"({"rows": [[0, 1, 1, 1]]})", R"({"rows": [], "infeasible": [[1]]})",
                            R"({"rows": [[1, 1e99, 1, 1]]})"}) {
      const auto r = readPeerOptima(bad, "optima.json");
      QVERIFY2(!r, bad);
      QCOMPARE(r.diagnostics.size(), std::size_t(1));
    }
  }

  /// 2 devices of 5 GiB: each half needs 0.6 GiB of state, and 12 GiB of stash unless it recomputes.
  void steadyStateIsTheSlowestStage() {
    const auto rows = peerStudy(chainOfSix(1), {{5, 2, 0.12, 2}}, quick());
    QCOMPARE(rows.size(), std::size_t(1));
    const auto& v = rows.front().variants;
    QCOMPARE(v.size(), std::size_t(3));
    QCOMPARE(v[0].status, OutcomeStatus::Optimal);
    // Two replicas of one stage that recomputes everything: 6 · 40 ms ÷ 2.
    QVERIFY(std::abs(v[1].steadySecondsPerSample - 0.12) < 1e-9);
    QVERIFY(v[0].batchSecondsPerSample >= v[0].steadySecondsPerSample);
  }

  /// By the peer's rule six workspaces of 1 GiB no longer fit beside 1.2 GiB, so that the pipeline is cut and
  /// pays transfers.
  void workspacesAddUpByThePeersRule() {
    const auto rows = peerStudy(chainOfSix(1), {{5, 2, 0.12, 2}}, quick());
    const auto& v = rows.front().variants;
    QVERIFY(v[2].plan && v[1].plan);
    QCOMPARE(v[1].plan->stageCount(), 1);
    QCOMPARE(v[2].plan->stageCount(), 2);
    QVERIFY(v[2].steadySecondsPerSample > v[1].steadySecondsPerSample);
    QVERIFY(rows.front().explanation.find("one layer's workspace at a time gains") != std::string::npos);
    const auto none = peerStudy(chainOfSix(3), {{5, 2, std::nullopt, 0}}, quick());
    QVERIFY(none.front().variants[0].plan && !none.front().variants[2].plan);
    QVERIFY(none.front().explanation.find("nothing fits here either") != std::string::npos);
    QVERIFY(peerTable(none).find("the peer finds nothing") != std::string::npos);
  }

  /// The peer shards nothing over replicas, so neither do the plans that are compared with it.
  void nothingIsShardedOverReplicas() {
    int plans = 0;
    for (const double gib : {2.2, 2.6, 3.0}) {
      const auto rows = peerStudy(chainOfSix(1), {{gib, 2, 0.12, 2}}, quick());
      for (const PeerVariant& v : rows.front().variants)
        if (v.plan) {
          ++plans;
          QCOMPARE(v.plan->zero, 0);
        }
    }
    QVERIFY(plans > 0);
  }

  void saysWhenNothingFits() {
    const auto rows = peerStudy(chainOfSix(1), {{0.1, 2, std::nullopt, 0}, {0.1, 2, 0.1, 1}}, quick());
    QCOMPARE(rows[0].explanation, std::string("no plan fits, for the peer either"));
    QVERIFY(rows[1].explanation.find("one DP degree") != std::string::npos);
  }
};
NEST_TEST(TestPiperStudy)
#include "test_piper_study.moc"
