#include <QtTest/QTest>
#include <cmath>

#include "run/goodput.h"
#include "support/test_main.h"

using namespace nest;

namespace {

constexpr double kHour = 3600, kDay = 86400;

RunTimes runOf(double work, double mtbf, double blocked, double written, double restart) {
  return {Seconds(work), Seconds(mtbf), Seconds(blocked), Seconds(written), Seconds(restart), Seconds(1), {}};
}

double lost(const RunTimes& t) {
  return 1 - predictRun(t).goodput(t.work);
}

}  // namespace

class TestGoodput : public QObject {
  Q_OBJECT
private slots:
  /// The formula and the simulation share nothing but the interval.
  void theFormulaAgreesWithASimulation() {
    for (const double mtbf : {0.5, 3.1, 49.0})
      for (const double blocked : {0.0, 10.0, 300.0})
        for (const double written : {0.0, 120.0, 600.0})
          for (const double restart : {300.0, 1800.0}) {
            if (blocked + written == 0) continue;
            const RunTimes t = runOf((mtbf > 10 ? 100 : 15) * kDay, mtbf * kHour, blocked, written, restart);
            const RunPrediction p = predictRun(t), s = simulateRun(t, 60, 7);
            QVERIFY(p.finishes);
            QVERIFY2(std::abs(p.total / s.total - 1) < 0.01,
                     qPrintable(QStringLiteral("M %1 h, blocked %2, written %3, restart %4: %5 against %6")
                                    .arg(mtbf)
                                    .arg(blocked)
                                    .arg(written)
                                    .arg(restart)
                                    .arg(p.total.value())
                                    .arg(s.total.value())));
            QVERIFY(std::abs(p.restarts / p.total - s.restarts / s.total) < 0.01);
            QVERIFY(std::abs(p.failures / s.failures - 1) < 0.02);
            QVERIFY(std::abs((p.total - t.work - p.checkpoints - p.restarts - p.lostWork) / p.total) < 1e-12);
          }
  }

  /// 419 unexpected interruptions in 54 days on 16,384 H100 (Llama 3, arXiv 2407.21783, table 5).
  void whatLlama3WouldLose() {
    const double mtbf = 54 * kDay / 419, long_ = 1e9;
    const auto share = [&](int devices, double blocked, double restart) {
      return std::round(1000 * lost(runOf(long_, mtbf * 16384 / devices, blocked, 0, restart))) / 10;
    };
    QCOMPARE(share(16384, 10, 300), 6.7);
    QCOMPARE(share(16384, 60, 600), 14.7);
    QCOMPARE(share(16384, 300, 1800), 33.2);
    QCOMPARE(share(1024, 10, 300), 1.2);
    QCOMPARE(share(1024, 60, 600), 2.9);
    QCOMPARE(share(1024, 300, 1800), 6.6);
  }

  void noIntervalIsBetterThanTheBest() {
    for (const double written : {0.0, 400.0}) {
      RunTimes t = runOf(30 * kDay, 3 * kHour, 40, written, 600);
      const RunPrediction best = predictRun(t);
      for (const double factor : {0.5, 0.8, 1.25, 2.0}) {
        t.interval = best.interval * factor;
        if (*t.interval < t.written) continue;
        QVERIFY(predictRun(t).total > best.total);
      }
      // A copy that is still being written when the next one is due would never count.
      t.interval = Seconds(written / 2);
      if (written > 0) QCOMPARE(predictRun(t).interval.value(), written);
    }
  }

  void aShortRunHasWholeIntervals() {
    const RunTimes t = runOf(2.5 * kHour, 5 * kHour, 120, 0, 600);
    const RunPrediction p = predictRun(t);
    const double intervals = t.work / p.interval;
    QVERIFY(intervals < 10);
    QCOMPARE(intervals, std::round(intervals));
    RunTimes other = t;
    for (const double n : {intervals - 1, intervals + 1}) {
      if (n < 1) continue;
      other.interval = t.work / n;
      QVERIFY(predictRun(other).total >= p.total);
    }
  }

  void whatNeverFailsLosesNothing() {
    RunTimes t = runOf(kDay, HUGE_VAL, 60, 0, 600);
    QCOMPARE(predictRun(t).total.value(), kDay);
    t.interval = Seconds(kHour);
    QCOMPARE(predictRun(t).total.value(), kDay + 24 * 60);
    QCOMPARE(predictRun(t).failures, 0.0);
  }

  void aRestartLongerThanTheTimeBetweenFailuresDoesNotGetThrough() {
    QVERIFY(!predictRun(runOf(kDay, 600, 10, 0, 3000)).finishes);
    QVERIFY(!predictRun(runOf(kDay, 1, 10, 0, 1e6)).finishes);
    QVERIFY(predictRun(runOf(kDay, 600, 10, 0, 300)).finishes);
  }
};
NEST_TEST(TestGoodput)
#include "test_goodput.moc"
