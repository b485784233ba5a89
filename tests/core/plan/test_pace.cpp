#include <QTest>

#include "plan/pace.h"
#include "support/test_main.h"

using namespace nest;

/// Seconds of batches of two sizes are not compared.
class TestPace : public QObject {
  Q_OBJECT
private slots:
  void equalBatchesAreToldInSeconds() {
    const Pace before{Seconds(16.9), 1024}, after{Seconds(13.52), 1024};
    QCOMPARE(measureOf(before, after), PaceMeasure::BatchTime);
    QCOMPARE(paceChangeText(before, after, PaceMeasure::BatchTime),
             std::string("16.9 s → 13.5 s per step (−20 %)"));
    QVERIFY(isFaster(after, before));
  }
  void otherBatchesAreToldInSamples() {
    const Pace before{Seconds(7.74), 1536}, after{Seconds(14.02), 3072};
    const PaceMeasure m = measureOf(before, after);
    QCOMPARE(m, PaceMeasure::Throughput);
    QCOMPARE(paceChangeText(before, after, m), std::string("198 → 219 samples/s (+10.4 %)"));
    QCOMPARE(paceText(after, m), std::string("219 samples/s"));
    QVERIFY(isFaster(after, before));  // though its batch takes longer
    QVERIFY(!isFaster(before, after));
    QVERIFY(qAbs(after.perSample().value() * 3072 - 14.02) < 1e-12);
  }
};
NEST_TEST(TestPace)
#include "test_pace.moc"
