// Figures of thousands of items: what is written can be read, and the mouse finds what it is on.
#include <QPainter>
#include <QRegularExpression>
#include <algorithm>
#include <cmath>

#include "figures/study/accuracy_figure.h"
#include "figures/study/curve_figure.h"
#include "figures/study/front_figure.h"
#include "figures/study/sweep_figure.h"
#include "plan_contexts.h"
#include "support/test_main.h"
#include "text_recorder.h"

using namespace nest;

namespace {

using Words = std::vector<test::TextRecorder::Word>;

constexpr QSize kPage(1400, 850);
constexpr int kMany = 10000;

Words wordsIn(const Figure& f, const PlanContext& c) {
  test::TextRecorder page(kPage);
  QPainter painter(&page);
  f.paint(painter, QRectF(QPointF(0, 0), kPage), c, {});
  painter.end();
  return page.words();
}

/// Nothing else that a chart writes stands between its axes.
Words within(const Words& words, const QRectF& plot, const char* pattern) {
  const QRegularExpression form{QLatin1String(pattern)};
  Words out;
  for (const auto& w : words)
    if (plot.contains(w.box) && form.match(w.text).hasMatch()) out.push_back(w);
  return out;
}

void keepApart(const Words& words) {
  for (std::size_t i = 0; i < words.size(); ++i)
    for (std::size_t j = i + 1; j < words.size(); ++j)
      QVERIFY2(!words[i].box.intersects(words[j].box), qPrintable(words[i].text + u'/' + words[j].text));
}

StudyRecord curve() {
  StudyRecord r;
  r.quantity = "Throughput, samples/s", r.acrossName = "devices", r.heldBatch = 1536;
  for (int i = 0; i < kMany; ++i) {
    const double x = 64 * std::pow(2.0, 8.0 * i / kMany) + i, y = 0.13 * x / (1 + x / 20000.0);
    r.across.push_back({x, std::to_string(static_cast<int>(x)), false});
    r.results.push_back({y, std::to_string(y), "TP 8 · DP " + std::to_string(i), i % 3 == 1 ? "DP" : "", {}});
  }
  return r;
}

constexpr int kApart = 10;

/// Falling memory, rising time: thousands of fast plans, and some slow ones that stand apart.
PlanContext front(int many = kMany) {
  PlanContext c = test::contextOf({});
  auto outcome = std::make_shared<Outcome>(*c.outcome);
  for (int i = 0; i < many; ++i) {
    const int slow = i - (many - kApart);
    const double share = slow < 0 ? 0.3 * i / many : 0.4 + 0.6 * slow / kApart;
    outcome->front.push_back(*c.plan);
    outcome->front.back().plan.blockStride += i;  // another plan
    outcome->front.back().evaluation.batchTime = c.plan->evaluation.batchTime * std::pow(10.0, share);
    for (auto& s : outcome->front.back().evaluation.stages)
      s.memory[MemoryPart::Stash] = s.memory[MemoryPart::Stash] * (1 - share);
  }
  outcome->front.front() = *c.plan;
  outcome->frontReach = FrontReach::Complete;
  c.outcome = outcome;
  return c;
}

/// Wherever an item stands, the mouse finds it, or one that stands there as well.
void findsWhatIsThere(const ListFigure& f, const PlanContext& c) {
  const QRectF area(QPointF(0, 0), kPage);
  const int count = f.count(c);
  QCOMPARE(count, kMany);
  for (const int i : {0, 1, count / 7, count / 2, count - 2, count - 1}) {
    const auto wanted = f.locate(ListFigure::itemOf(i), area, c);
    QVERIFY(wanted);
    const auto found = f.hit(wanted->area.center(), area, c);
    QVERIFY(found);
    const QPointF off = found->area.center() - wanted->area.center();
    QVERIFY2(std::hypot(off.x(), off.y()) < 1e-6, qPrintable(QString::number(i)));
  }
}

}  // namespace

class TestCrowded : public QObject {
  Q_OBJECT
private slots:
  void numbersOfPlansStandBesideEachOther() {
    const PlanContext c = test::contextOf({});
    CurveFigure f;
    f.setRecord(curve());
    const Words words = wordsIn(f, c);
    const QRectF plot(60, 60, 1330, 720);
    const Words numbers = within(words, plot, "^\\d+$");
    QVERIFY(numbers.size() > 10);
    keepApart(numbers);
    keepApart(within(words, plot, "^\\d+: "));
  }

  /// Not the fastest alone: wherever there is room.
  void slowPlansOfAFrontAreNamed() {
    const PlanContext c = front();
    const Words names = within(wordsIn(FrontFigure(), c), {60, 60, 1330, 720}, "^\\d+(: .*)?$");
    keepApart(names);
    QVERIFY2(names.size() >= kApart, qPrintable(QString::number(names.size())));
  }

  void plansOfOneSummaryHaveNamesOfTheirOwn() {
    PlanContext c = front(20);
    const FrontFigure f;
    QVERIFY(!f.asText(c).contains(QStringLiteral("layers ")));
    QVERIFY(!f.asText(c).contains(QStringLiteral("recompute")));
    auto outcome = std::make_shared<Outcome>(*c.outcome);
    auto& stages = outcome->front.back().plan.stages;
    stages[1].chunks.front().insert(stages[1].chunks.front().begin(), stages[0].chunks.front().back());
    stages[0].chunks.front().pop_back();
    c.outcome = outcome;
    const auto isCut = [&] {
      QStringList names;
      for (const auto& w : within(wordsIn(f, c), {60, 60, 1330, 720}, "layers \\d")) names << w.text;
      return names.removeDuplicates(), names.size() > 1;
    };
    QVERIFY(isCut());
    QVERIFY(!f.asText(c).contains(QStringLiteral("recompute")));
    stages[0].recompute = Recompute::Full;
    c.outcome = std::make_shared<Outcome>(*outcome);
    QVERIFY(isCut());
    QCOMPARE(f.asText(c).count(QStringLiteral("recompute full|")), 1);
  }

  /// Of plans that take as long, the front has the one of less memory, which need not be the one chosen.
  void theChosenPlanIsMarkedBesideTheFront() {
    PlanContext c = front(20);
    const FrontFigure f;
    QCOMPARE(f.count(c), 20);
    QVERIFY(!f.asText(c).contains(QStringLiteral("the plan shown")));
    auto chosen = std::make_shared<RankedPlan>(*c.plan);
    chosen->plan.zero += 1;
    c.plan = chosen;
    QCOMPARE(f.count(c), 21);
    QCOMPARE(f.asText(c).count(QStringLiteral("the plan shown")), 1);
    const QRectF area(QPointF(0, 0), kPage);
    const auto place = f.locate(ListFigure::itemOf(20), area, c);
    QVERIFY(place && place->tip.contains(QStringLiteral("not on the front")));
    QImage page(kPage, QImage::Format_RGB32);
    QPainter painter(&page);
    f.paint(painter, area, c, {});
    painter.end();
    const QColor accent = Theme::of(Theme::Kind::Light).color(Theme::Role::Accent);
    int ring = 0;
    for (double angle = 0; angle < 6.28; angle += 0.2)
      for (const double r : {6.0, 7.0, 8.0}) {
        const QColor here = page.pixelColor(
            (place->area.center() + QPointF(r * std::cos(angle), r * std::sin(angle))).toPoint());
        ring += std::abs(here.red() - accent.red()) + std::abs(here.blue() - accent.blue()) < 40;
      }
    QVERIFY2(ring > 20, qPrintable(QString::number(ring)));
    chosen->evaluation.violations.push_back({});  // one that does not run has no place among these
    QCOMPARE(f.count(c), 20);
  }

  /// Rims of marks that stand close would leave little of each but their rims.
  void denseMarksStayDark_data() {
    QTest::addColumn<int>("plans");
    for (const int n : {50, 100, 200, 400, 401, 3000}) QTest::newRow(qPrintable(QString::number(n))) << n;
  }
  void denseMarksStayDark() {
    QFETCH(int, plans);
    const PlanContext c = front(plans);
    const FrontFigure f;
    const QRectF area(QPointF(0, 0), kPage);
    QImage page(kPage, QImage::Format_RGB32);
    QPainter painter(&page);
    f.paint(painter, area, c, {});
    painter.end();
    int dark = 0;
    for (int i = 1; i < plans; ++i)
      dark += page.pixelColor(f.locate(ListFigure::itemOf(i), area, c)->area.center().toPoint()).lightness() <
              110;
    QVERIFY2(dark >= plans * 0.95, qPrintable(QString::number(dark)));
  }

  void theMouseFindsWhatItIsOn() {
    const PlanContext c = front();
    findsWhatIsThere(FrontFigure(), c);
    CurveFigure line;
    line.setRecord(curve());
    findsWhatIsThere(line, c);
    SweepFigure grid;
    StudyRecord r = curve();
    r.upName = "bandwidth", r.across.resize(100), r.up = r.across;
    grid.setRecord(r);
    findsWhatIsThere(grid, c);
    AccuracyFigure runs;
    RunPoints points;
    for (int i = 0; i < kMany; ++i) {
      RunPoint p;
      p.measured = i % 29 == 7 ? 0 : 0.3 * std::pow(100.0, std::fmod(i * 0.618, 1.0));
      p.predicted = (p.measured > 0 ? p.measured : 1.0 + i % 5) * (1 + 0.3 * std::sin(i * 1.7));
      points.points.push_back(p);
    }
    runs.setRuns(points, QStringLiteral("runs"));
    findsWhatIsThere(runs, c);
  }
};
NEST_TEST(TestCrowded)
#include "test_crowded.moc"
