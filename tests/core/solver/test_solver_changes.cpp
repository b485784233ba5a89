#include <QtTest/QTest>
#include <cmath>
#include <limits>

#include "changed_instance.h"
#include "exactness.h"
#include "solver/solve.h"
#include "support/instance_count.h"
#include "support/random_instance.h"
#include "support/test_main.h"

using namespace nest;
using namespace nest::test;

namespace {

double bestTime(const Problem& p) {
  const Outcome out = solve(p);
  return out.best() ? out.best()->evaluation.batchTime.value() : std::numeric_limits<double>::infinity();
}

/// How many of the changes made the optimum better; −1 if one made it worse (or, if `equal`, different), −2
/// if hardly any instance had a plan at all.
int improvedBy(ChangedInstance (*change)(std::uint64_t), bool equal = false) {
  const int count = instancesFrom(120);
  int better = 0, fit = 0;
  for (int k = 0; k < count; ++k) {
    const std::uint64_t seed = firstSeed() + static_cast<std::uint64_t>(k);
    const ChangedInstance c = change(seed);
    const double before = bestTime(c.before), after = bestTime(c.after);
    if (after > before * (1 + 1e-9) || (equal && after < before * (1 - 1e-9))) {
      qWarning("seed %llu: %.17g became %.17g (%s)", static_cast<unsigned long long>(seed), before, after,
               describe(c.before).c_str());
      return -1;
    }
    fit += std::isfinite(before);
    better += after < before * (1 - 1e-9);
  }
  return fit > count / 2 ? better : -2;
}

}  // namespace

/// What a change of the instance may do to the optimum.
class TestSolverChanges : public QObject {
  Q_OBJECT
private slots:
  void moreBandwidthNeverWorsens() { QVERIFY(improvedBy(moreBandwidth) > 10); }
  void lessLatencyNeverWorsens() { QVERIFY(improvedBy(lessLatency) > 10); }
  void moreMemoryNeverWorsens() { QVERIFY(improvedBy(moreMemory) > 5); }
  void fasterDevicesNeverWorsen() { QVERIFY(improvedBy(fasterDevices) > 50); }
  void aLargerSearchNeverWorsens() { QVERIFY(improvedBy(largerSearch) > 5); }
  void hostOrderDoesNotMatter() { QCOMPARE(improvedBy(hostsInOtherOrder, true), 0); }
  void thePapersBoundIsNeverBelow() { QVERIFY(improvedBy(pipelineObjective) > 5); }
  void splittingALayerNeverWorsens() { QVERIFY(improvedBy(splitLayer) > 5); }
};
NEST_TEST(TestSolverChanges)
#include "test_solver_changes.moc"
