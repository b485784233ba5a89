#include <QTest>
#include <array>

#include "measures/pace.h"
#include "support/test_main.h"

using namespace nest;

/// Seconds of steps that train other batches or sequences are not compared.
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
  void otherBatchesAreComparedByTokens() {
    const Pace before{Seconds(7.74), 1536, 4096}, after{Seconds(14.02), 3072, 4096};
    const PaceMeasure m = measureOf(before, after);
    QCOMPARE(m, PaceMeasure::Throughput);
    QCOMPARE(paceChangeText(before, after, m), std::string("813 k → 897 k tokens/s (+10.4 %)"));
    QCOMPARE(paceText(after, m), std::string("897 k tokens/s"));
    QCOMPARE(workChangeText(before, after), std::string("global batch 1,536 → 3,072"));
    QVERIFY(isFaster(after, before));  // though its step takes longer
    QVERIFY(!isFaster(before, after));
    QVERIFY(qAbs(after.perToken().value() * 3072 * 4096 - 14.02) < 1e-12);
  }
  /// Twice the tokens in 2.22 times the time: 11 % more a token, not 122 %.
  void otherSequencesAreComparedByTokens() {
    const Pace before{Seconds(16.1), 1536, 8192}, after{Seconds(35.7), 1536, 16384};
    const PaceMeasure m = measureOf(before, after);
    QCOMPARE(m, PaceMeasure::Throughput);
    QCOMPARE(paceChangeText(before, after, m), std::string("782 k → 705 k tokens/s (−9.80 %)"));
    QCOMPARE(workChangeText(before, after), std::string("sequence length 8,192 → 16,384"));
    QCOMPARE(workDifference(std::array{before, after}), std::string("sequence lengths differ"));
    QVERIFY(isFaster(before, after));
    QVERIFY(comparedTime(before, m) < comparedTime(after, m));
    // The same tokens in shorter sequences are other work, too.
    QCOMPARE(measureOf(Pace{Seconds(1), 64, 1024}, Pace{Seconds(1), 32, 2048}), PaceMeasure::Throughput);
    QCOMPARE(workDifference(std::array{Pace{Seconds(1), 64, 1024}, Pace{Seconds(1), 32, 2048}}),
             std::string("global batches and sequence lengths differ"));
  }
};
NEST_TEST(TestPace)
#include "test_pace.moc"
