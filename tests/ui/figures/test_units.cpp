// Every number in every figure has its unit, or is a count, an index or a tick of an axis that names the
// unit.
#include <QPainter>
#include <QRegularExpression>
#include <set>

#include "catalogue/registry.h"
#include "figures/plan/cut_figure.h"
#include "reading.h"
#include "support/desk.h"
#include "support/random_instance.h"
#include "support/test_main.h"

using namespace nest;
using namespace nest::test;

namespace {

/// What of a text is a number without its unit; empty: nothing. `hasAxis`: the figure names a unit for ticks
/// and for values that stand alone.
QString bareNumber(const QString& text, bool hasAxis) {
  static const QRegularExpression number(
      QStringLiteral("(?<![\\w.,\\-–−:#/])−?\\d[\\d,]*(\\.\\d+)?(e[+-]?\\d+)?(?![\\w.]*\\d)"));
  static const QRegularExpression unit(QStringLiteral(
      "^( ?(%|°)|( [kMGT])? device-hours| failures\\b| "
      "([kMGT]?B|KiB|MiB|GiB|TiB|PiB|bytes?|ns|µs|ms|s|min|h|d|[KMGT]?[Bb]/s|MWh|[kMGTPE]?FLOPs?(/s)?)\\b)"));
  // Things that are counted, and signs between two numbers of one kind.
  static const QRegularExpression counted(QStringLiteral(
      "^( ?[×:–/]| (devices?|hosts?|layers?|stages?|chunks?|microbatch(es)?|ranks?|groups?|"
      "replicas?|plans?|idle|of|others?|more|samples(/s)?|tokens(/s)?|runs?|leaf|leaves|trays?|"
      "racks?|pods?|spines?|on|slower|faster|is)\\b)"));
  static const QRegularExpression lone(QStringLiteral("^[−+]?\\d[\\d,]*(\\.\\d+)?(e[+-]?\\d+)?$"));
  if (lone.match(text).hasMatch()) return text.contains(u'.') && !hasAxis ? text : QString();
  auto all = number.globalMatch(text);
  while (all.hasNext()) {
    const auto found = all.next();
    const QString rest = text.mid(found.capturedEnd()), before = text.left(found.capturedStart());
    if (unit.match(rest).hasMatch()) continue;
    const bool whole = !found.captured().contains(u'.') && !found.captured().contains(u'e');
    // "Stage 3", "block 7", "on 1,024 H100": the word before says what is numbered or counted.
    static const QRegularExpression named(QStringLiteral("[\\w)×,;:–] ?$"));
    if (whole && (counted.match(rest).hasMatch() || named.match(before).hasMatch() || before.endsWith(u'×')))
      continue;
    // "27.7 of 80 GiB": the unit of both stands behind the second.
    static const QRegularExpression portion(QStringLiteral("^ of [\\d,.]+ (KiB|MiB|GiB|TiB)\\b"));
    if (portion.match(rest).hasMatch()) continue;
    return found.captured() + rest.left(12);
  }
  return {};
}

/// The first number without a unit that is written in a figure or in its text.
QString bareNumberIn(const Figure& figure, const PlanContext& c, const QSize& size, bool standalone) {
  TextRecorder page(size);
  QPainter painter(&page);
  FigureStyle style;
  style.standalone = standalone;
  figure.paint(painter, QRectF(QPointF(0, 0), size), c, style);
  painter.end();
  static const QRegularExpression axis(QStringLiteral(
      "\\((s|ms|µs|days|hours|minutes|[MGT]iB|([kMGT] )?(device-hours|money|MWh))\\)$|^(s|ms|µs)$|%"));
  bool hasAxis = false;
  for (const auto& w : page.words()) hasAxis = hasAxis || axis.match(w.text).hasMatch();
  const QString name = c.scenario ? QString::fromStdString(c.scenario->name) : QString();
  const auto judge = [&](QString text, bool withAxis) {
    const QString bare = bareNumber(text.remove(name), withAxis);
    return bare.isEmpty() ? QString() : QStringLiteral("\"%1\" in \"%2\"").arg(bare, text);
  };
  for (const auto& w : page.words())
    if (const QString bare = judge(w.text, hasAxis); !bare.isEmpty()) return bare;
  for (const QString& line : figure.asText(c).split(u'\n'))
    if (const QString bare = judge(line, false); !bare.isEmpty()) return bare;
  return {};
}

/// In all its options, each set alone, on large and small pages.
void everyNumberHasItsUnit(Figure& figure, const PlanContext& c, const QString& where) {
  const auto look = [&](const QString& option) {
    for (const auto& [size, standalone] :
         {std::pair(QSize(1200, 700), true), {QSize(936, 620), true}, {QSize(520, 360), false}}) {
      const QString bare = bareNumberIn(figure, c, size, standalone);
      QVERIFY2(bare.isEmpty(), qPrintable(QStringLiteral("%1, %2 %3, %4: %5")
                                              .arg(where, figure.id(), option)
                                              .arg(size.width())
                                              .arg(bare)));
    }
  };
  look({});
  for (const FigureOption& o : figure.offeredOptions(c)) {
    const std::vector<std::string> names = [&] {
      std::vector<std::string> out;
      for (const auto& choice : o.choices) out.push_back(choice.name);
      if (o.isSwitch()) out = {FigureOption::kOn, FigureOption::kOff};
      return out;
    }();
    for (const std::string& name : names) {
      if (name == o.value) continue;
      figure.setOption(o.key, name);
      look(QString::fromStdString(o.key + "=" + name));
      figure.setOption(o.key, o.value);
    }
  }
}

std::unique_ptr<CutFigure> cutsOf(const PlanContext& c) {
  auto cuts = std::make_unique<CutFigure>();
  const Plan& plan = *c.shownPlan();
  if (plan.chunksPerStage() == 1)
    cuts->setDraft(
        CutFigure::Draft{plan, *c.shownEvaluation(), CutFigure::edgesOf(*c.problem, plan), 1, true});
  return cuts;
}

}  // namespace

class TestUnits : public QObject {
  Q_OBJECT
private slots:
  void aNumberWithoutUnitIsNoticed() {
    for (const char* bare : {"468 free", "53.9 free", "0.457 free", "12.3", "peak 7.5, then less"})
      QVERIFY2(!bareNumber(QString::fromUtf8(bare), false).isEmpty(), bare);
    for (const char* good : {"468 MiB free", "53.9 GiB", "12", "1,024", "stage 3", "block 7–12", "12 stages",
                             "27.7 of 80 GiB", "idle 16.8 % (fill and drain 4.4 %)", "2 × 50 GB/s, 2 µs",
                             "TP2 · PP4", "< 0.01 %", "oversubscribed 4 : 1"})
      QVERIFY2(bareNumber(QString::fromUtf8(good), false).isEmpty(), good);
    QVERIFY(bareNumber(QStringLiteral("12.3"), true).isEmpty());  // beside an axis in ms
  }

  void ofAllSamples_data() {
    QTest::addColumn<QString>("sample");
    for (const char* name :
         {"teaching-6-layers-2x2", "llama2-7b-h100-128", "gpt3-175b-h100-1024", "mixtral-8x7b-tpuv4-512",
          "llama3-70b-h100-1024", "llama3-70b-a100-16-too-small"})
      QTest::newRow(name) << QLatin1String(name) + QStringLiteral(".nest.json");
  }
  void ofAllSamples() {
    QFETCH(QString, sample);
    const Desk desk(sample.toStdString());
    for (const auto& figure : planFigures()) everyNumberHasItsUnit(*figure, desk.context, sample);
    everyNumberHasItsUnit(*cutsOf(desk.context), desk.context, sample);
  }

  /// Stages whose free memory is of another magnitude than their neighbours', and too many for long labels.
  void ofPlansThatNearlyFillTheirDevices() {
    Dice dice(20261126);
    for (int k = 0; k < 3; ++k) {
      ContextShape s;
      s.fanouts = {8, 4, 8}, s.stages = dice.between(8, 16), s.tensor = 8;
      s.blocks = 2 * s.stages + dice.between(0, 5);
      s.microbatches = dice.between(8, 64);
      const PlanContext roomy = contextOf(s);
      const Evaluation& e = *roomy.shownEvaluation();
      s.memoryGiB = e.stages[e.fullestStage()].memory.total().value() / (1 << 30) + 0.3;
      const PlanContext c = contextOf(s);
      QVERIFY(c.plan);
      for (const auto& figure : planFigures()) everyNumberHasItsUnit(*figure, c, QString::number(k));
      everyNumberHasItsUnit(*cutsOf(c), c, QString::number(k));
    }
  }
};
NEST_TEST(TestUnits)
#include "test_units.moc"
