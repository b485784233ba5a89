#include <QtTest/QTest>
#include <algorithm>
#include <cstdlib>

#include "changed_instance.h"
#include "evaluation/evaluation.h"
#include "solver/exhaustive.h"
#include "solver/solve.h"
#include "support/instance_count.h"
#include "support/test_main.h"

using namespace nest;
using namespace nest::test;

namespace {

/// Infinite where nothing fits.
double optimum(const Problem& p) {
  const Outcome out = solveExhaustively(p);
  return out.best() ? out.best()->evaluation.batchTime.value() : std::numeric_limits<double>::infinity();
}

/// How many of the instances the change made better; −1 with a message if one became worse (or, if `same`,
/// differs).
int improved(ChangedInstance (*change)(std::uint64_t), bool same = false) {
  // Fewer would not show that the changes do improve something.
  const int count = instancesFrom(120);
  int better = 0;
  for (int seed = 0; seed < count; ++seed) {
    const ChangedInstance c = change(static_cast<std::uint64_t>(seed));
    const double before = optimum(c.before), after = optimum(c.after);
    if (after > before * (1 + 1e-9) || (same && after < before * (1 - 1e-9))) {
      qWarning("seed %d: %.17g became %.17g; %s", seed, before, after, describe(c.before).c_str());
      return -1;
    }
    better += after < before * (1 - 1e-9);
  }
  return better;
}

}  // namespace

/// STATEMENT.md §5, "True, and tested", of the cost model itself: on the exhaustive optimum.
class TestOracleProperties : public QObject {
  Q_OBJECT
private slots:
  void moreBandwidthNeverWorsens() { QVERIFY(improved(moreBandwidth) > 10); }
  void lessLatencyNeverWorsens() { QVERIFY(improved(lessLatency) > 10); }
  void moreMemoryNeverWorsens() { QVERIFY(improved(moreMemory) > 5); }
  void fasterDevicesNeverWorsen() { QVERIFY(improved(fasterDevices) > 50); }
  void aLargerSearchNeverWorsens() { QVERIFY(improved(largerSearch) > 5); }
  void hostOrderDoesNotMatter() { QCOMPARE(improved(hostsInOtherOrder, true), 0); }
  void thePapersBoundIsNeverBelow() { QVERIFY(improved(pipelineObjective) > 5); }
  void splittingALayerNeverWorsens() { QVERIFY(improved(splitLayer) > 5); }
};
NEST_TEST(TestOracleProperties)
#include "test_oracle_properties.moc"
