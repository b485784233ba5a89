// Figures on pages of a column's width, and of a screen's: what they are about is on them, can be read, and
// nothing runs into anything.
#include <QPainter>
#include <cmath>

#include "figures/plan/cut_figure.h"
#include "figures/plan/placement_figure.h"
#include "figures/plan/plan_pair_figure.h"
#include "plan_contexts.h"
#include "support/test_main.h"
#include "text_recorder.h"

using namespace nest;

namespace {

using Words = std::vector<test::TextRecorder::Word>;
constexpr QSize kPageColumn(321, 227);  ///< 85 × 60 mm
constexpr QSize kSlide(1280, 720);

Words wordsOn(const Figure& f, const PlanContext& c, const QSize& size) {
  test::TextRecorder page(size);
  QPainter painter(&page);
  FigureStyle style;
  style.standalone = true;
  f.paint(painter, QRectF(QPointF(0, 0), size), c, style);
  painter.end();
  return page.words();
}

QStringList textsOf(const Words& words) {
  QStringList out;
  for (const auto& w : words) out += w.text;
  return out;
}

/// The plan itself, drawn by hand.
CutFigure::Draft draftOf(const PlanContext& c) {
  CutFigure::Draft draft;
  draft.plan = c.plan->plan;
  draft.evaluation = c.plan->evaluation;
  draft.edges = CutFigure::edgesOf(*c.problem, draft.plan);
  draft.best = draft.evaluation.stages;
  return draft;
}

/// With memory that is kept free.
PlanContext contextWithHeadroom() {
  PlanContext c = test::contextOf({});
  auto problem = std::make_shared<Problem>(*c.problem);
  problem->assumptions.headroom = 0.1;
  auto plan = std::make_shared<RankedPlan>(*c.plan);
  plan->evaluation = evaluate(*problem, plan->plan);
  c.problem = problem;
  c.plan = plan;
  return c;
}

}  // namespace

class TestSmallPages : public QObject {
  Q_OBJECT
private slots:
  void placementKeepsItsStages() {
    test::ContextShape shape;
    shape.fanouts = {8, 4, 512};
    const PlanContext c = test::contextOf(shape);
    for (const QSize& size : {QSize(250, 200), kPageColumn, QSize(460, 300), kSlide}) {
      const QStringList texts = textsOf(wordsOn(PlacementFigure(), c, size));
      const QString all = texts.join(u'|');
      QVERIFY2(
          texts.contains(QStringLiteral("Stages")) || texts.contains(QStringLiteral("Stages on each host")),
          qPrintable(all));
      for (const char* stage : {"1", "2"}) QVERIFY2(texts.contains(QLatin1String(stage)), qPrintable(all));
      QVERIFY2(!texts.contains(QStringLiteral("…")), qPrintable(all));
    }
  }

  /// Its type grows with it, or would be lost in it.
  void aLargePageIsALargePrint() {
    const PlanContext c = test::contextOf({});
    const auto titleOn = [&](const QSize& size) {
      return wordsOn(PlacementFigure(), c, size).front().box.height();
    };
    const double usual = titleOn(kSlide);
    QCOMPARE(titleOn({1600, 1000}), usual);
    QVERIFY(titleOn({3840, 2160}) > 2 * usual);
    QCOMPARE(titleOn({3840, 500}), usual);  // a strip has room for no larger type
  }

  /// What "Before" stands over is narrower than the word.
  void sidesOfANarrowPairKeepTheirNames() {
    const PlanContext c = test::contextOf({});
    PlanPairFigure pair;
    pair.setSides({QStringLiteral("Before"), c.plan, c.problem}, {QStringLiteral("Now"), c.plan, c.problem});
    test::TextRecorder page({160, 400});
    QPainter painter(&page);
    pair.paint(painter, QRectF(0, 0, 160, 400), c, {});
    painter.end();
    const QStringList texts = textsOf(page.words());
    for (const char* name : {"Before", "Now"})
      QVERIFY2(texts.contains(QLatin1String(name)), qPrintable(texts.join(u'|')));
  }

  /// Hosts whose names differ at their ends can be told apart.
  void longHostNamesKeepTheirEnds() {
    const PlanContext c = test::contextOf({});
    for (const QString& text : textsOf(wordsOn(PlacementFigure(), c, {210, 300})))
      if (text.startsWith(QLatin1String("host"))) QVERIFY2(!text.endsWith(QChar(0x2026)), qPrintable(text));
  }

  void aSingleDeviceIsNoSpan() {
    test::ContextShape shape;
    shape.fanouts = {1};
    shape.stages = shape.tensor = 1;
    shape.blocks = 2;
    shape.memoryGiB = 2000;
    const PlanContext c = test::contextOf(shape);
    const QStringList texts = textsOf(wordsOn(PlacementFigure(), c, kSlide));
    QVERIFY2(texts.contains(QStringLiteral("0")) && !texts.contains(QStringLiteral("0 – 0")),
             qPrintable(texts.join(u'|')));
    QVERIFY(PlacementFigure().asText(c).contains(QStringLiteral("device 0:")));
  }

  void labelsOfManyCutsStayApart() {
    for (const int stages : {4, 8, 16}) {
      test::ContextShape shape;
      shape.fanouts = {8, 4, 16};
      shape.stages = stages;
      const PlanContext c = test::contextOf(shape);
      CutFigure f;
      f.setDraft(draftOf(c));
      const Words words = wordsOn(f, c, kPageColumn);
      for (std::size_t i = 0; i < words.size(); ++i)
        for (std::size_t j = i + 1; j < words.size(); ++j)
          QVERIFY2(!words[i].box.adjusted(-1, 0, 1, 0).intersects(words[j].box) ||
                       std::abs(words[i].box.center().y() - words[j].box.center().y()) > 4,
                   qPrintable(words[i].text + u'/' + words[j].text));
    }
  }

  /// The line of the plan to beat passes through no number.
  void numbersStandClearOfTheBestPlan() {
    const PlanContext c = test::contextOf({});
    for (const double share : {0.98, 0.9, 0.8, 0.7, 0.6, 0.5}) {
      CutFigure::Draft draft = draftOf(c);
      draft.evaluation.stages[1].load = draft.evaluation.stages[1].load * share;
      CutFigure f;
      f.setDraft(draft);
      const QString now = QString::fromStdString(text::time(draft.evaluation.stages[1].load));
      QRectF number, whole;
      for (const auto& w : wordsOn(f, c, kSlide))
        if (w.text == now) number = w.box;
      QVERIFY2(!number.isNull(), qPrintable(now));
      draft.evaluation.stages[1].load = draft.best[1].load;
      f.setDraft(draft);
      for (const auto& w : wordsOn(f, c, kSlide))
        if (std::abs(w.box.center().x() - number.center().x()) < 20 &&
            w.text == QString::fromStdString(text::time(draft.best[1].load)))
          whole = w.box;
      QVERIFY(!whole.isNull());
      const double line = whole.center().y() + 9;  // the number of that bar stands above its end
      QVERIFY2(
          number.bottom() < line || number.top() > line,
          qPrintable(
              QStringLiteral("%1: %2 in %3–%4").arg(share).arg(line).arg(number.top()).arg(number.bottom())));
    }
  }

  void headroomIsMarked() {
    const PlanContext c = contextWithHeadroom(), none = test::contextOf({});
    CutFigure cuts;
    cuts.setDraft(draftOf(c));
    QVERIFY(textsOf(wordsOn(cuts, c, kSlide)).contains(QStringLiteral("capacity 80 GiB · pale: headroom")));
    cuts.setDraft(draftOf(none));
    QVERIFY(textsOf(wordsOn(cuts, none, kSlide)).contains(QStringLiteral("capacity 80 GiB")));
    PlanPairFigure pair;
    pair.setSides({QStringLiteral("A"), c.plan, c.problem}, {QStringLiteral("B"), none.plan, none.problem});
    QVERIFY(textsOf(wordsOn(pair, c, kSlide)).contains(QStringLiteral("Headroom")));
    pair.setSides({QStringLiteral("A"), none.plan, none.problem},
                  {QStringLiteral("B"), none.plan, none.problem});
    QVERIFY(!textsOf(wordsOn(pair, none, kSlide)).contains(QStringLiteral("Headroom")));
  }
};

NEST_TEST(TestSmallPages)
#include "test_small_pages.moc"
