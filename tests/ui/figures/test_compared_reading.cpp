// What stands in figures of several plans can be read, and says what it is of.
#include "figures/comparison_figure.h"
#include "figures/plan_pair_figure.h"
#include "plan_contexts.h"
#include "reading.h"
#include "support/test_main.h"

using namespace nest;
using namespace nest::test;

class TestComparedReading : public QObject {
  Q_OBJECT
private slots:
  void comparedPlansKeepApart() {
    const PlanContext c = planOn(4, {8, 4, 4});
    const PlanMetrics best = metricsOf(*c.problem, nullptr, *c.plan);
    PlanMetrics slower = best;
    slower.batchTime = best.batchTime * 1.25;
    ComparisonFigure f;
    f.setRows({{QStringLiteral("Manual"), slower, QStringLiteral("t8"), {}, {slower.batchTime, 64}},
               {QStringLiteral("This plan"), best, QStringLiteral("t4"), {}, {best.batchTime, 64}},
               {QStringLiteral("Greedy"),
                best,
                QStringLiteral("t2"),
                QStringLiteral("cannot run"),
                {best.batchTime, 64}},
               {QStringLiteral("MCMC"), slower, QStringLiteral("t1"), {}, {slower.batchTime, 64}}});
    const QSize low(600, static_cast<int>(ComparisonFigure::leastHeight(4)));
    const Words words = wordsOf(f, c, low);
    for (const char* name :
         {"^Manual$", "^This plan$", "^Greedy$", "^MCMC$", "^25(\\.0)? % slower$", "^cannot run$"})
      QVERIFY2(!matching(words, name).isEmpty(), name);
    for (std::size_t i = 0; i < words.size(); ++i)
      for (std::size_t j = i + 1; j < words.size(); ++j) {
        const QRectF both = words[i].box & words[j].box;
        QVERIFY2(both.width() < 1 || both.height() < 1, qPrintable(words[i].text + u'/' + words[j].text));
      }
    QCOMPARE(matching(words, "^This plan: .*; Manual: 25(\\.0)? % slower$").size(), 1);
  }

  /// Every tick has its number, and the title of the axis stands below them.
  void axisTitlesLeaveTheNumbersAlone() {
    const PlanContext c = planOn(4, {8, 4, 4});
    const PlanMetrics m = metricsOf(*c.problem, nullptr, *c.plan);
    PlanMetrics five = m;
    five.batchTime = Seconds(5);
    ComparisonFigure f;
    f.setRows({{QStringLiteral("This plan"), five, QStringLiteral("t4"), {}, {Seconds(5), 64}},
               {QStringLiteral("Manual"), five, QStringLiteral("t4"), {}, {Seconds(5), 64}},
               {QStringLiteral("MCMC"), five, QStringLiteral("t4"), {}, {Seconds(6), 64}}});
    const Words words = wordsOf(f, c, {860, 400});
    QCOMPARE(matching(words, "^[0-5]$").size(), 6);
    QCOMPARE(matching(words, "^Step time \\(s\\)$").size(), 1);
    QCOMPARE(matching(words, "; Manual is as fast; MCMC: 20(\\.0)? % slower").size(), 1);
  }

  /// As in Stages: what stands over a bar that is higher is said to be less.
  void timesOfTwoPlansAreSaidToBeAfterOverlap() {
    const PlanContext c = planOn(16, {8, 4, 4});
    auto plan = std::make_shared<RankedPlan>(*c.plan);
    PlanPairFigure pair(QStringLiteral("pair"));
    const auto found = [&](const char* pattern, int width) {
      pair.setSides({QStringLiteral("Before"), c.plan, c.problem}, {QStringLiteral("Now"), plan, c.problem});
      return matching(wordsOf(pair, c, {width, 500}), pattern).size();
    };
    constexpr const char* kSaid = "efore overlap, numbers after it \\(|^Time after overlap$";
    QCOMPARE(found(kSaid, 1000), 0);
    StageEvaluation& stage = plan->evaluation.stages[3];
    stage.hidden = stage.load * 0.2;
    for (const int width : {600, 1000}) QCOMPARE(found(kSaid, width), 2);
  }

  /// The larger batch takes longer and trains faster: samples a second tell so.
  void otherBatchesAreComparedBySamples() {
    const PlanContext c = planOn(4, {8, 4, 4});
    const PlanMetrics m = metricsOf(*c.problem, nullptr, *c.plan);
    ComparisonFigure f;
    f.setRows({{QStringLiteral("A"), m, QStringLiteral("t8"), {}, {Seconds(7.74), 1536}},
               {QStringLiteral("B"), m, QStringLiteral("t8"), {}, {Seconds(14.02), 3072}}});
    const Words words = wordsOf(f, c, {1000, 400});
    QCOMPARE(matching(words, "^B: 219 samples/s; global batches differ; A: 198 samples/s \\(.9").size(), 1);
    QCOMPARE(matching(words, "^Time per sample").size(), 1);
    QVERIFY(matching(words, "slower").isEmpty());
  }
};
NEST_TEST(TestComparedReading)
#include "test_compared_reading.moc"
