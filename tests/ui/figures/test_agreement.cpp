// Figures agree with their numbers: over random plans and pairs of plans, and over every sample.
#include <QDir>
#include <cmath>

#include "figures/paint/phrases.h"
#include "figures/plan/kinds.h"
#include "figures/plan/plan_pair_figure.h"
#include "figures/plan/stages_figure.h"
#include "figures/plan/waterfall_figure.h"
#include "formats/results/summary_text.h"
#include "reading.h"
#include "solver/baselines/baselines.h"
#include "solver/exhaustive.h"
#include "support/desk.h"
#include "support/random_instance.h"
#include "support/test_main.h"
#include "words/headline.h"
#include "words/metric_words.h"
#include "words/outcome_words.h"

using namespace nest;
using namespace nest::test;

namespace {

constexpr int kPairs = 200;
constexpr double kRounding = 1e-9;

bool near(double a, double b) {
  return std::abs(a - b) <= kRounding * std::max(std::abs(a), std::abs(b));
}

int sign(double v) {
  return (v > 0) - (v < 0);
}

struct RandomPair {
  std::shared_ptr<const Problem> first, second;
  std::shared_ptr<const RankedPlan> a, b;
};

std::shared_ptr<const RankedPlan> judged(const Problem& p, const Plan& plan) {
  return std::make_shared<const RankedPlan>(RankedPlan{plan, evaluate(p, plan), Seconds(0)});
}

/// Two plans of one instance, whether they fit or not; every third pair trains another batch or sequence.
RandomPair randomPair(int seed) {
  InstanceFeatures features;
  features.mostPlans = 400;
  features.schedules = seed % 2 == 0;
  auto problem = std::make_shared<Problem>(randomInstance(static_cast<std::uint64_t>(seed), features));
  std::vector<Plan> plans;
  (void)visitPlans(*problem, [&](const Plan& p) {
    plans.push_back(p);
    return true;
  });
  Dice dice(static_cast<std::uint64_t>(seed));
  const auto any = [&]() -> const Plan& { return plans[dice.next() % plans.size()]; };
  auto other = std::make_shared<Problem>(*problem);
  if (seed % 3 == 1) other->job.sequenceLength *= 2;
  if (seed % 3 == 2) other->search.objective = Objective::Nest;
  return {problem, other, judged(*problem, any()), judged(*other, any())};
}

void setSides(PlanPairFigure& f, const RandomPair& p) {
  f.setSides({QStringLiteral("A"), p.a, p.first}, {QStringLiteral("B"), p.b, p.second});
}

}  // namespace

class TestAgreement : public QObject {
  Q_OBJECT
private slots:
  /// What is stacked in a bar is the step, and solid bars of a microbatch are its number.
  void thePartsOfABarAreTheWhole() {
    int hidden = 0, chunked = 0;
    for (int seed = 0; seed < kPairs; ++seed) {
      const Evaluation e = randomPair(seed).b->evaluation;
      chunked += e.stages.size() > 1;
      for (std::size_t i = 0; i < e.stages.size(); ++i) {
        const StepParts parts = stepParts(e, static_cast<int>(i));
        QVERIFY2(near(parts.total(), e.batchTime.value()), qPrintable(QString::number(seed)));
        QVERIFY(parts.imbalance >= 0 && parts.fillAndDrain >= 0);
        double shown = 0, behind = 0;
        for (const double t : shownParts(e.stages[i])) shown += t;
        for (const double t : hiddenParts(e.stages[i])) behind += t;
        shown -= (e.stages[i].sync + e.stages[i].step).value();
        QVERIFY2(near(shown, e.stages[i].load.value()) ||
                     std::abs(shown - e.stages[i].load.value()) < kRounding * e.batchTime.value(),
                 qPrintable(QString::number(seed)));
        QVERIFY(near(behind, e.stages[i].hidden.value()));
        hidden += behind > 0;
      }
    }
    QVERIFY(hidden > 50 && chunked > 50);  // or this tests little
  }

  /// The bars of a waterfall lead from one time to the other, each as long as its term, on any page.
  void theWaterfallLeadsFromOneTimeToTheOther() {
    const QSizeF sizes[] = {{1100, 680}, {420, 300}, {1600, 900}, {260, 500}};
    int broken = 0, seen = 0;
    for (int seed = 0; seed < kPairs; ++seed) {
      const RandomPair pair = randomPair(seed);
      WaterfallFigure figure;
      figure.setSides({QStringLiteral("A"), pair.a, pair.first}, {QStringLiteral("B"), pair.b, pair.second});
      const auto columns = figure.columnsIn({{0, 0}, sizes[seed % 4]}, {}, seed % 2 == 0);
      const StepDifference& d = figure.difference();
      QCOMPARE(columns.size(), d.isKnown() ? figure.steps().size() + 2 : std::size_t(0));
      if (columns.empty()) continue;
      ++seen;
      QCOMPARE(columns.front().high, d.before.value());
      QCOMPARE(columns.back().high, d.after.value());
      broken += columns.front().low > 0;
      const double scale = columns.front().bar.height() / (columns.front().high - columns.front().low);
      for (std::size_t i = 0; i < figure.steps().size(); ++i) {
        const double size = std::abs((figure.steps()[i].to - figure.steps()[i].from).value());
        QVERIFY(near(columns[i + 1].high - columns[i + 1].low, size) || size < 1e-12);
        const double height = columns[i + 1].bar.height();
        QVERIFY2(height <= 1.5 || std::abs(height - size * scale) < 0.01 * height + 0.01,
                 qPrintable(QString::number(seed)));
      }
    }
    QVERIFY(seen > kPairs / 2 && broken > 5 && broken < seen);  // or this tests little
  }

  /// The higher bars are those of the plan that takes longer; all bars of a plan end at its step.
  void theHigherBarsAreTheSlowerPlans() {
    const QSizeF sizes[] = {{1100, 680}, {420, 300}, {1600, 900}, {260, 500}};
    int unlike = 0, folded = 0;
    for (int seed = 0; seed < kPairs; ++seed) {
      const RandomPair pair = randomPair(seed);
      PlanPairFigure figure;
      setSides(figure, pair);
      const Pace a = paceOf(*pair.first, *pair.a), b = paceOf(*pair.second, *pair.b);
      const PaceMeasure m = measureOf(a, b);
      QCOMPARE(m, figure.measure());
      const double times[] = {comparedTime(a, m).value(), comparedTime(b, m).value()};
      double heights[2] = {};
      std::size_t stages = 0;
      for (const auto& bar : figure.barsIn({{0, 0}, sizes[seed % 4]}, {}, seed % 2 == 0)) {
        double& height = heights[bar.side];
        QVERIFY(height == 0 || near(height, bar.box.height()));
        height = bar.box.height();
        const Evaluation& e = (bar.side == 0 ? pair.a : pair.b)->evaluation;
        QVERIFY(near(bar.parts.total(), e.batchTime.value()));
        stages += static_cast<std::size_t>(bar.last - bar.first + 1);
        folded += bar.last > bar.first;
      }
      QCOMPARE(stages, pair.a->evaluation.stages.size() + pair.b->evaluation.stages.size());
      QVERIFY2(near(heights[0] * times[1], heights[1] * times[0]), qPrintable(QString::number(seed)));
      if (near(times[0], times[1])) continue;
      ++unlike;
      QCOMPARE(sign(heights[1] - heights[0]), sign(times[1] - times[0]));
      const double change = paceChange(a, b, m);
      QCOMPARE(sign(heights[1] - heights[0]), (m == PaceMeasure::BatchTime ? 1 : -1) * sign(change));
      QCOMPARE(isFaster(a, b), heights[0] < heights[1]);
    }
    QVERIFY(unlike > kPairs / 2);
  }

  /// The number over a bar of Stages stands over what is solid, and no higher bar has a smaller number.
  void stagesStandInTheOrderOfTheirNumbers() {
    ContextShape shape;
    shape.stages = 5, shape.blocks = 23, shape.fanouts = {8, 4, 5};
    PlanContext c = contextOf(shape);
    auto problem = std::make_shared<Problem>(*c.problem);
    for (const double share : {0.0, 0.4, 1.0}) {
      problem->assumptions.overlap = {share, share, share, share, share};
      c.problem = problem;
      c.plan = judged(*problem, c.plan->plan);
      const Evaluation& e = c.plan->evaluation;
      QCOMPARE(e.stages[1].hidden > Seconds(0), share > 0);
      for (const QSize size : {QSize(900, 300), QSize(900, 640)}) {
        const Words words = wordsOf(StagesFigure(), c, size);
        std::vector<double> bottoms;
        for (const StageEvaluation& s : e.stages) {
          const QString number = phrase(text::number(s.load.value() * (e.maxLoad.value() >= 1 ? 1 : 1e3)));
          for (const auto& w : words)
            if (w.text == number) {
              bottoms.push_back(w.box.bottom());
              break;
            }
        }
        QCOMPARE(bottoms.size(), e.stages.size());
        for (std::size_t i = 0; i < bottoms.size(); ++i)
          for (std::size_t j = 0; j < bottoms.size(); ++j)
            if (e.stages[i].load < e.stages[j].load * (1 - kRounding))
              QVERIFY2(bottoms[i] >= bottoms[j] - 0.5, qPrintable(QStringLiteral("%1 %2").arg(i).arg(j)));
      }
    }
  }

  /// Headline, figures and command line state one step time and one list of shares.
  void everySampleHasOneNumber_data() {
    QTest::addColumn<QString>("sample");
    const QDir all(QStringLiteral(NEST_SOURCE_DIR) + QStringLiteral("/samples"));
    for (const QString& name : all.entryList({QStringLiteral("*.nest.json")}))
      QTest::newRow(qPrintable(name)) << name;
    for (const QString& name :
         QDir(all.filePath(QStringLiteral("published"))).entryList({QStringLiteral("*.nest.json")}))
      QTest::newRow(qPrintable(name)) << QStringLiteral("published/") + name;
  }
  void everySampleHasOneNumber() {
    QFETCH(QString, sample);
    Desk desk(sample.toStdString());
    if (!desk.context.plan) {
      QVERIFY(sample.contains(QStringLiteral("too-small")));
      return;
    }
    const PlanContext& c = desk.context;
    const auto& architecture = c.scenario->model.architecture;
    const TransformerArchitecture* known = architecture ? &*architecture : nullptr;
    const PlanMetrics m = metricsOf(*c.problem, known, *c.plan);
    const std::string time = text::time(c.plan->evaluation.batchTime);
    const std::string shares = words::of(m.shares(), words::kOfStep);
    const std::string headline = headlineOf(m, c.plan->plan, *c.outcome);
    QVERIFY2(headline.starts_with(time) && headline.find(shares) != std::string::npos, headline.c_str());
    const std::string summary = summaryText({c.scenario->name, c.problem.get(), known}, *c.outcome);
    QVERIFY2(summary.find(words::of(m.shares(), words::kOfStep, kTimePartCount)) != std::string::npos,
             summary.c_str());
    QVERIFY2(summary.find(time) != std::string::npos, summary.c_str());
    double sum = 0;
    for (const TimeShare& s : m.shares()) sum += s.share;
    QVERIFY(near(sum, 1));

    PlanPairFigure pair;
    BaselineOptions manual;
    manual.kinds = {BaselineKind::Manual, BaselineKind::MemoryUnaware};
    for (const BaselineResult& b : runBaselines(*c.problem, {}, manual)) {
      if (!b.plan) continue;
      const auto other = std::make_shared<const RankedPlan>(*b.plan);
      pair.setSides({QStringLiteral("Before"), c.plan, c.problem}, {QStringLiteral("Now"), other, c.problem});
      const Pace x = paceOf(*c.problem, *c.plan), y = paceOf(*c.problem, *other);
      const QString said = phrase(paceChangeText(x, y, PaceMeasure::BatchTime));
      QVERIFY2(said.startsWith(phrase(time)) && pair.asText(c).contains(said), qPrintable(pair.asText(c)));
      const bool runs = other->evaluation.feasible();
      QVERIFY(runs || pair.asText(c).contains(QStringLiteral("; now ") +
                                              phrase(words::obstacleTo(other->evaluation))));
      const Words words = wordsOf(pair, c, {1100, 680});
      QCOMPARE(matching(words, "^(\\S+|\\S*< [\\d.]+) %$").value(0),
               phrase(text::signedPercent(paceChange(x, y, PaceMeasure::BatchTime))));
      double heights[2] = {};
      for (const auto& bar : pair.barsIn({0, 0, 1100, 680}, c, false)) heights[bar.side] = bar.box.height();
      QCOMPARE(sign(heights[1] - heights[0]), near(x.batchTime.value(), y.batchTime.value())
                                                  ? sign(heights[1] - heights[0])
                                                  : sign((y.batchTime - x.batchTime).value()));
    }
  }
};
NEST_TEST(TestAgreement)
#include "test_agreement.moc"
