#include <QtTest/QTest>
#include <limits>

#include "measures/score.h"
#include "support/test_main.h"

using namespace nest;

/// What a plan of one's own is worth against the best: 0 to 100.
class TestScore : public QObject {
  Q_OBJECT
private slots:
  void aPlanScoresItsShareOfTheBest() {
    Evaluation e;
    for (const auto& [seconds, score] :
         {std::pair(2.0, 100), {2.0000001, 99}, {2.02, 99}, {2.5, 80}, {3.0, 66}, {4.0, 50}, {1e6, 0}}) {
      e.batchTime = Seconds(seconds);
      QCOMPARE(scoreOf(e, Seconds(2)), score);
    }
  }
  void aPlanThatDoesNotRunScoresNothing() {
    Evaluation e;
    e.batchTime = Seconds(2);
    e.violations.emplace_back();
    QVERIFY(!e.feasible());
    QCOMPARE(scoreOf(e, Seconds(2)), 0);
    for (const double none : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
      Evaluation without;
      without.batchTime = Seconds(none);
      QVERIFY(without.feasible());
      QCOMPARE(scoreOf(without, Seconds(2)), 0);
    }
  }
};
NEST_TEST(TestScore)
#include "test_score.moc"
