#include <QtTest/QTest>
#include <cmath>

#include "solver/dp_probe.h"
#include "solver/solve.h"
#include "support/random_instance.h"
#include "support/test_main.h"

using namespace nest;

class TestDpProbe : public QObject {
  Q_OBJECT
private slots:
  /// The first cell of an optimal plan's table is the optimum of its configuration, and following the best
  /// alternative from there never gets better.
  void firstCellIsTheOptimum() {
    int shown = 0;
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
      Problem problem = test::randomInstance(seed, test::uniformStrategyChain());
      if (!problem.cluster->hasUniformDevices()) continue;
      const Outcome outcome = solve(problem);
      if (!outcome.best()) continue;
      std::string why;
      const auto probe = DpProbe::of(problem, outcome.best()->plan, why);
      if (!probe) continue;
      ++shown;
      const double optimum = outcome.best()->evaluation.batchTime.value();
      const DpCell& first = probe->cell(0, 0);
      QVERIFY2(first.reached && first.onPath, qPrintable(QString("seed %1").arg(seed)));
      QVERIFY2(std::abs(first.time - optimum) <= 1e-9 * optimum,
               qPrintable(QString("seed %1: %2 against %3").arg(seed).arg(first.time).arg(optimum)));
      double best = INFINITY;
      int chosen = 0;
      for (const auto& a : probe->alternatives(0, 0)) {
        best = std::min(best, a.time);
        chosen += a.chosen;
      }
      QVERIFY(std::abs(best - optimum) <= 1e-9 * optimum);
      QCOMPARE(chosen, 1);
    }
    QVERIFY2(shown > 50, qPrintable(QString("only %1 tables").arg(shown)));
  }
  void saysWhyThereIsNoTable() {
    const Problem problem = test::randomInstance(1, test::uniformStrategyChain());
    std::string why;
    QVERIFY(!DpProbe::of(problem, Plan{}, why));
    QVERIFY(!why.empty());
  }
};
NEST_TEST(TestDpProbe)
#include "test_dp_probe.moc"
