#include "study/conflicts.h"

#include <QtTest/QTest>

#include "solver/solve.h"
#include "support/random_instance.h"
#include "support/test_main.h"
#include "words/outcome_words.h"

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

  /// A measured profile may lack one entry of each strategy; nothing else is to blame then.
  void namesWhatAProfileLacks() {
    Problem p = solvable();
    const Profile& whole = *p.profile;
    const Layer& last = p.graph->layers.back();
    const int tensors = static_cast<int>(p.graph->tensors.size());
    Profile holes(whole.strategies(), whole.microbatches(), p.graph->classCount, tensors);
    for (int k = 0; k < static_cast<int>(whole.strategies().size()); ++k)
      for (int b = 0; b < static_cast<int>(whole.microbatches().size()); ++b) {
        for (int c = 0; c < p.graph->classCount; ++c)
          if (const LayerCost* cost = whole.cost(c, k, b); cost && c != last.classId)
            holes.setCost(c, k, b, *cost);
        for (int t = 0; t < tensors; ++t) holes.setTensorBytes(t, k, b, whole.tensorBytes(t, k, b));
      }
    p.profile = std::make_shared<const Profile>(std::move(holes));
    const Outcome o = solveAndExplain(p);
    QCOMPARE(o.status, OutcomeStatus::Infeasible);
    QCOMPARE(std::string(words::of(o)), std::string("profile incomplete"));
    const QString said = all(o.diagnostics);
    QVERIFY2(said.contains(QString::fromStdString("has no costs of " + last.name + " under strategy ")),
             qPrintable(said));
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
