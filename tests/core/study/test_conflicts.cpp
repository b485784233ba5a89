#include "study/conflicts.h"

#include <QtTest/QTest>

#include "solver/solve.h"
#include "support/random_instance.h"
#include "support/test_main.h"

using namespace nest;

namespace {

/// A small problem that has a plan.
Problem solvable() {
  test::InstanceFeatures f = test::uniformStrategyChain();
  f.mostPlans = 1500;
  for (std::uint64_t seed = 500;; ++seed) {
    Problem p = test::randomInstance(seed, f);
    p.constraints = {};
    if (p.graph->layerCount() > 2 && solve(p).best()) return p;
  }
}

QString all(const Diagnostics& ds) {
  QString out;
  for (const Diagnostic& d : ds) out += QString::fromStdString(toText(d)) + '\n';
  return out;
}

}  // namespace

class TestConflicts : public QObject {
  Q_OBJECT
private slots:
  void namesTheConstraintToBlame() {
    Problem p = solvable();
    p.constraints.data.least = 1;
    p.constraints.stages.least = 99;
    const Outcome o = solve(p);
    QCOMPARE(o.status, OutcomeStatus::Infeasible);
    QVERIFY(!o.nearestMiss);
    const Diagnostics found = conflictsOf(p, {});
    QCOMPARE(found.size(), std::size_t(1));
    QCOMPARE(found[0].where.pointer, std::string("/constraints/stages"));
    QVERIFY2(all(found).contains(QStringLiteral("at least 99")), qPrintable(all(found)));
  }

  /// Where memory alone is short, the nearest miss says so, and nothing else is blamed.
  void nothingIsBlamedForMemory() {
    Problem p = solvable();
    p.assumptions.reserve = p.cluster->device().memory.value;
    const Outcome o = solve(p);
    QVERIFY(!o.best() && o.nearestMiss);
    const Diagnostics found = conflictsOf(p, {});
    QVERIFY2(found.empty(), qPrintable(all(found)));
  }

  void namesChunks() {
    Problem p = solvable();
    p.search.chunksPerStage = {1000};
    QVERIFY(!solve(p).best());
    const Diagnostics found = conflictsOf(p, {});
    QCOMPARE(found.size(), std::size_t(1));
    QVERIFY2(found[0].where.pointer == "/search/chunks_per_stage", qPrintable(all(found)));
  }

  void namesLayersAsPeopleCount() {
    Problem p = solvable();
    p.constraints.layerPins.push_back({LayerIndex(0), StageIndex(50)});
    const Diagnostics found = conflictsOf(p, {});
    QCOMPARE(found.size(), std::size_t(1));
    QCOMPARE(found[0].where.pointer, std::string("/constraints/layer_pins/0"));
    QVERIFY2(all(found).contains(QStringLiteral("in stage 51")), qPrintable(all(found)));
  }

  void saysWhenOneIsNotEnough() {
    Problem p = solvable();
    p.constraints.stages.least = 99;
    p.constraints.devices.most = 0;
    const Diagnostics found = conflictsOf(p, {});
    QCOMPARE(found.size(), std::size_t(1));
    QCOMPARE(found[0].where.pointer, std::string("/constraints"));
  }

  void blamesTheBatchWhenNoConstraintStands() {
    test::InstanceFeatures f = test::uniformStrategyChain();
    f.mostPlans = 1500;
    for (std::uint64_t seed = 500; seed < 2000; ++seed) {
      Problem p = test::randomInstance(seed, f);
      if (p.profile->microbatches().front() < 2) continue;
      p.constraints = {};
      p.search.padLastMicrobatch = false;
      p.job.globalBatch = 1;
      const Diagnostics found = conflictsOf(p, {});
      QCOMPARE(found.size(), std::size_t(1));
      QCOMPARE(found[0].where.pointer, std::string("/job/global_batch"));
      return;
    }
    QFAIL("no instance offers only microbatches above 1");
  }

  void stopsWhenAsked() {
    Problem p = solvable();
    p.constraints.stages.least = 99;
    std::stop_source stop;
    stop.request_stop();
    Control c;
    c.stop = stop.get_token();
    QVERIFY(conflictsOf(p, c).empty());
  }
};

NEST_TEST(TestConflicts)
#include "test_conflicts.moc"
