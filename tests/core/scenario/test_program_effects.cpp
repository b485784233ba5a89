#include <QtTest/QTest>

#include "cost/collective.h"
#include "scenario/program_effects.h"
#include "support/hand_problem.h"
#include "support/test_main.h"

using namespace nest;

namespace {

/// Exchanges of tensor groups in both passes of a block.
LayerCost exchangingLayer() {
  LayerCost c = test::plainLayer();
  c.collectives = {{CollectiveKind::AllReduce, GroupKind::Tensor, Phase::Forward, Bytes(100), 2},
                   {CollectiveKind::AllReduce, GroupKind::Tensor, Phase::Backward, Bytes(50), 1},
                   {CollectiveKind::AllReduce, GroupKind::Tensor, Phase::RecomputeFull, Bytes(70), 1},
                   {CollectiveKind::AllReduce, GroupKind::Context, Phase::Forward, Bytes(90), 1}};
  return c;
}

/// Seconds of an all-reduce among the first devices.
double allReduce(const Hierarchy& cluster, const std::vector<int>& ranks, double bytes) {
  return allReduceTime(cluster, shapeOf(cluster, ranks), Bytes(bytes)).value();
}

}  // namespace

class TestProgramEffects : public QObject {
  Q_OBJECT
private slots:
  /// A block takes as long as the host needs to issue it, its exchanges counted as far as they show.
  void aBlockTakesWhatTheHostNeeds_data() {
    QTest::addColumn<int>("tensor");
    QTest::addColumn<std::vector<int>>("ranks");
    QTest::addColumn<double>("overlap");
    QTest::newRow("a pair") << 2 << std::vector{0, 1} << 0.0;
    QTest::newRow("a host") << 4 << std::vector{0, 1, 2, 3} << 0.0;
    QTest::newRow("half hidden") << 4 << std::vector{0, 1, 2, 3} << 0.5;
    QTest::newRow("two hosts: what is inside one") << 8 << std::vector{0, 1, 2, 3} << 0.0;
  }
  void aBlockTakesWhatTheHostNeeds() {
    QFETCH(int, tensor);
    QFETCH(std::vector<int>, ranks);
    QFETCH(double, overlap);
    const Problem p = test::withProfile(test::handProblem(test::hosts(4, 2), 2, {{1}, {tensor}}),
                                        [](Profile& f) { f.setCost(0, 1, 0, exchangingLayer()); });
    const double exchange =
        (1 - overlap) * (2 * allReduce(*p.cluster, ranks, 100) + allReduce(*p.cluster, ranks, 50));
    QVERIFY(exchange > 0.5);
    Setting s;
    s.assumptions.overlap[std::size_t(Exchange::Tensor)] = overlap;
    for (const double missing : {9.0, -1.0}) {
      s.model.analytic.hostTimePerBlock = Seconds(3 + exchange + missing);
      GraphAndProfile made{*p.graph, *p.profile};
      applyNetworkOf(s, *p.cluster, made);
      const LayerCost& c = *made.profile.cost(0, 1, 0);
      const double added = std::max(0.0, missing);
      QVERIFY2(std::abs(c.forward.value() - 1 - added / 3) < 1e-9,
               qPrintable(QString::number(c.forward.value())));
      QVERIFY2(std::abs(c.backward.value() - 2 - added * 2 / 3) < 1e-9,
               qPrintable(QString::number(c.backward.value())));
      QVERIFY(c.collectives == exchangingLayer().collectives);
      // One device alone issues its kernels in time.
      QVERIFY(*made.profile.cost(0, 0, 0) == test::plainLayer());
    }
  }
};
NEST_TEST(TestProgramEffects)
#include "test_program_effects.moc"
