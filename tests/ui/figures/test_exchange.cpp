#include <QTest>
#include <cmath>

#include "evaluation/explanation.h"
#include "figures/paint/figure_report.h"
#include "figures/paint/phrases.h"
#include "figures/plan/exchange_figure.h"
#include "figures/plan/exchange_text.h"
#include "figures/topology/topology_figure.h"
#include "plan_contexts.h"
#include "support/test_main.h"

using namespace nest;

namespace {

/// Sixteen ranks of TP in two hosts.
PlanContext wideTensor() {
  test::ContextShape shape;
  shape.fanouts = {8, 4}, shape.stages = 2, shape.tensor = 16, shape.inner = 1, shape.microbatches = 8;
  shape.parametersPerBlock = 1.2e9;
  return test::contextOf(shape);
}

QImage pictureOf(const Figure& f, const PlanContext& c, const FigureStyle& style,
                 const QSize& size = {900, 560}) {
  QImage image(size, QImage::Format_RGB32);
  QPainter painter(&image);
  f.paint(painter, QRectF(QPointF(), size), c, style);
  return image;
}

}  // namespace

/// One exchange of a plan, step by step.
class TestExchange : public QObject {
  Q_OBJECT
private slots:
  /// The rows are the steps of the term that the inspector shows, and end at its value.
  void rowsAddUpToTheTerm() {
    const PlanContext c = wideTensor();
    const ExchangeFigure f;
    const auto rows = f.rowsIn({0, 0, 1000, 600}, c, false);
    const CostTerm root = explain(*c.problem, *c.shownPlan(), *c.shownEvaluation());
    const CostTerm* term = root.find(f.shownId(c));
    QVERIFY(term && term->run);
    QCOMPARE(rows.size(), 8U);  // three rounds in the host, one between the hosts, and back
    QCOMPARE(rows.size(), term->run->steps.size());
    Seconds sum;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      QCOMPARE(rows[k].begin, sum);
      sum += rows[k].latency + rows[k].wire;
      QVERIFY(std::abs((rows[k].end - sum).value()) < 1e-12 * term->value);
      QCOMPARE(rows[k].level, k == 3 || k == 4 ? 1 : 0);
    }
    QVERIFY(std::abs(sum.value() - term->value) < 1e-9 * term->value);
    const QString said = f.asText(c);
    QVERIFY2(said.contains(timeText(Seconds(term->value))), qPrintable(said));
    QVERIFY2(said.contains(QStringLiteral("Step 4 over rack")), qPrintable(said));
    QVERIFY2(said.contains(QStringLiteral("TP all-reduce")), qPrintable(said));
  }

  /// What has no room is summed by level, never dropped.
  void rowsFold() {
    const PlanContext c = wideTensor();
    const ExchangeFigure f;
    const auto all = f.rowsIn({0, 0, 1000, 600}, c, false), few = f.rowsIn({0, 0, 480, 230}, c, false);
    QCOMPARE(few.size(), 4U);
    QCOMPARE(few.front().first, 0U);
    QCOMPARE(few.front().last, 2U);
    QCOMPARE(few.back().end, all.back().end);
    Seconds whole, folded;
    Bytes sent, foldedBytes;
    for (const auto& r : all) whole += r.latency, sent += r.bytes;
    for (const auto& r : few) folded += r.latency, foldedBytes += r.bytes;
    QVERIFY(std::abs(whole / folded - 1) < 1e-12 && std::abs(sent / foldedBytes - 1) < 1e-12);
  }

  void anotherExchangeOfAnotherStage() {
    const PlanContext c = wideTensor();
    ExchangeFigure f;
    const std::string first = f.shownId(c);
    QVERIFY(first.starts_with("stage1/tensor"));
    f.showStage(1, c);
    const std::string second = f.shownId(c);
    QCOMPARE(second, "stage2" + first.substr(6));
    const auto options = f.offeredOptions(c);
    QCOMPARE(options.size(), 1U);
    QCOMPARE(options[0].value, second);
    QVERIFY(options[0].choices.size() >= 3);  // two of TP, and what comes from the other stage
    for (const auto& choice : options[0].choices) {
      QVERIFY(choice.name.starts_with("stage2/"));
      f.setOption("exchange", choice.name);
      QCOMPARE(f.shownId(c), choice.name);
      QVERIFY(!f.rowsIn({0, 0, 900, 500}, c, false).empty());
    }
    f.setOption("exchange", "no such exchange");
    QCOMPARE(f.shownId(c), first);
  }

  /// What has run is filled, what runs is marked, and the levels stand out in the topology.
  void itIsPlayed() {
    const PlanContext c = wideTensor();
    const ExchangeFigure f;
    const TopologyFigure network;
    FigureStyle style;
    const QImage whole = pictureOf(f, c, style), idle = pictureOf(network, c, style);
    const auto at = [&](double share) {
      style.exchange = f.beginning(c);
      style.exchange->at = share * style.exchange->replay->end();
      return std::pair(pictureOf(f, c, style), pictureOf(network, c, style));
    };
    const auto early = at(0.05), late = at(0.6);
    QVERIFY(early.first != whole && early.first != late.first);
    QVERIFY(early.second != idle && early.second != late.second);
    QCOMPARE(at(0.05), early);
    FigureReport report;
    style.report = &report;
    (void)pictureOf(network, c, style);
    QVERIFY2(report.sentence.contains(QStringLiteral("of 8")), qPrintable(report.sentence));
    QCOMPARE(instantText(*style.exchange, c), report.sentence);
    style.exchange->at = style.exchange->replay->end();
    QVERIFY(instantText(*style.exchange, c).endsWith(QStringLiteral("done")));
    // Paper has no playhead.
    style = {};
    style.standalone = true;
    const QImage paper = pictureOf(f, c, style);
    style.exchange = f.beginning(c);
    QCOMPARE(pictureOf(f, c, style), paper);
  }

  /// Steps are levels to the other views, and have a number of their own here.
  void stepsAreWalked() {
    const PlanContext c = wideTensor();
    const ExchangeFigure f;
    using Step = InteractiveFigure::Step;
    auto item = f.step(std::nullopt, Step::Down, c);
    for (int k = 0; k < 3; ++k) item = f.step(item, Step::Down, c);
    QVERIFY(item->kind == ItemKind::Level);
    QCOMPARE(item->index, 1);
    QVERIFY2(f.describe(*item, c).startsWith(QStringLiteral("Step 4 over rack")),
             qPrintable(f.describe(*item, c)));
    const auto hit = f.locate(*item, {0, 0, 900, 560}, c);
    QVERIFY(hit && f.hit(hit->area.center(), {0, 0, 900, 560}, c)->item == *item);
    QCOMPARE(f.step(item, Step::Last, c)->other, 7);
  }

  void aPlanThatSendsNothing() {
    test::ContextShape shape;
    shape.fanouts = {1}, shape.stages = 1, shape.tensor = 1, shape.inner = 1, shape.microbatches = 4;
    shape.parametersPerBlock = 1e7;
    const PlanContext c = test::contextOf(shape);
    const ExchangeFigure f;
    QVERIFY(!f.hasContent(c));
    QVERIFY2(f.asText(c).contains(QStringLiteral("Nothing is exchanged")), qPrintable(f.asText(c)));
    QVERIFY(!f.hasContent({}) && f.shownId({}).empty());
  }
};
NEST_TEST(TestExchange)
#include "test_exchange.moc"
