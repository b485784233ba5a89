// What stands in figures of several plans can be read, and says what it is of.
#include "figures/plan/plan_pair_figure.h"
#include "figures/study/comparison_figure.h"
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
    QCOMPARE(matching(words, "^This plan: .*; Manual: 25(\\.0)? % slower; Greedy cannot run$").size(), 1);
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

  /// What overlaps with compute is told apart, and makes no bar higher.
  void hiddenTimeHasItsLegend() {
    const PlanContext c = planOn(4, {8, 4, 4});
    auto problem = std::make_shared<Problem>(*c.problem);
    auto plan = std::make_shared<RankedPlan>(*c.plan);
    PlanPairFigure pair(QStringLiteral("pair"));
    const auto found = [&](int width) {
      pair.setSides({QStringLiteral("Before"), c.plan, c.problem}, {QStringLiteral("Now"), plan, problem});
      return matching(wordsOf(pair, c, {width, 560}), "^Hidden behind compute$").size();
    };
    QCOMPARE(found(1000), 0);
    problem->assumptions.overlap[Exchange::Tensor] = 0.5;
    plan->evaluation = evaluate(*problem, plan->plan);
    QVERIFY(plan->evaluation.stages[1].hidden > Seconds(0));
    for (const int width : {600, 1000}) QCOMPARE(found(width), 1);
  }

  /// The larger batch takes longer and trains faster: tokens a second tell so.
  void otherBatchesAreComparedByTokens() {
    const PlanContext c = planOn(4, {8, 4, 4});
    const PlanMetrics m = metricsOf(*c.problem, nullptr, *c.plan);
    ComparisonFigure f;
    f.setRows({{QStringLiteral("A"), m, QStringLiteral("t8"), {}, {Seconds(7.74), 1536, 4096}},
               {QStringLiteral("B"), m, QStringLiteral("t8"), {}, {Seconds(14.02), 3072, 4096}}});
    const Words words = wordsOf(f, c, {1000, 400});
    QCOMPARE(matching(words, "^B: 897 k tokens/s; global batches differ; A: 813 k tokens/s \\(.9").size(), 1);
    QCOMPARE(matching(words, "^Time per token").size(), 1);
    QVERIFY(matching(words, "slower").isEmpty());
    f.setRows({{QStringLiteral("A"), m, QStringLiteral("t8"), {}, {Seconds(16.1), 1536, 8192}},
               {QStringLiteral("B"), m, QStringLiteral("t8"), {}, {Seconds(35.7), 1536, 16384}}});
    QCOMPARE(matching(wordsOf(f, c, {1000, 400}),
                      "^A: 782 k tokens/s; sequence lengths differ; B: 705 k tokens/s \\(.9")
                 .size(),
             1);
  }

  /// A sentence about plans counts those that run, and says how many do not.
  void plansThatDoNotRunAreNotCountedAsEqual() {
    const PlanContext c = planOn(4, {8, 4, 4});
    const PlanMetrics m = metricsOf(*c.problem, nullptr, *c.plan);
    const auto row = [&](const char* name, double seconds, const char* obstacle) {
      return ComparisonFigure::Row{
          QLatin1String(name), m, QStringLiteral("t8"), QLatin1String(obstacle), {Seconds(seconds), 64}};
    };
    const auto said = [&](std::vector<ComparisonFigure::Row> rows) {
      ComparisonFigure f;
      f.setRows(std::move(rows));
      return matching(wordsOf(f, c, {1400, 400}), "^(This plan: |None)").value(0);
    };
    const auto own = row("This plan", 16.1, "");
    const auto equal = row("Kept", 16.1, ""), short1 = row("Slide 3", 17.4, "does not fit");
    const auto short2 = row("Greedy", 9, "does not fit"), odd = row("Manual", 8, "cannot run");
    QCOMPARE(said({own}), QStringLiteral("This plan: 16.1 s per step"));
    QCOMPARE(said({own, equal}), QStringLiteral("This plan: 16.1 s per step; Kept is as fast"));
    QCOMPARE(said({own, short1}), QStringLiteral("This plan: 16.1 s per step; Slide 3 does not fit"));
    QCOMPARE(said({short1, own, equal, equal}),
             QStringLiteral("This plan: 16.1 s per step; 2 others are as fast; Slide 3 does not fit"));
    QCOMPARE(
        said({own, short1, odd, short2}),
        QStringLiteral("This plan: 16.1 s per step; 3 others do not run (2 × does not fit, 1 × cannot run)"));
    QCOMPARE(said({own, row("Slow", 32.2, ""), odd}),
             QStringLiteral("This plan: 16.1 s per step; Slow: 100 % slower; Manual cannot run"));
    QCOMPARE(said({short1, odd}), QStringLiteral("None of these plans runs"));
  }
};
NEST_TEST(TestComparedReading)
#include "test_compared_reading.moc"
