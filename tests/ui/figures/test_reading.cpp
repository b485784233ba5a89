// What stands in a figure can be read: nothing struck through, too small, cut off or said unevenly.
#include <QImage>
#include <QLineF>
#include <QPainter>
#include <QRegularExpression>
#include <algorithm>
#include <set>

#include "catalogue/registry.h"
#include "figures/paint/figure_painter.h"
#include "figures/paint/frame.h"
#include "figures/paint/phrases.h"
#include "figures/plan/communication_figure.h"
#include "figures/plan/kinds.h"
#include "figures/plan/memory_figure.h"
#include "figures/plan/memory_layout.h"
#include "figures/plan/plan_pair_figure.h"
#include "figures/plan/stages_figure.h"
#include "figures/plan/stages_layout.h"
#include "figures/plan/timeline_figure.h"
#include "figures/study/comparison_figure.h"
#include "figures/study/curve_figure.h"
#include "figures/study/sweep_figure.h"
#include "figures/topology/topology_figure.h"
#include "inspector/selection_facts.h"
#include "plan_contexts.h"
#include "problem/reserved_memory.h"
#include "reading.h"
#include "support/desk.h"
#include "support/test_main.h"
#include "words/metric_words.h"

using namespace nest;
using namespace nest::test;

class TestReading : public QObject {
  Q_OBJECT
private slots:
  // A dense plan has no expert groups, and groups of one rank would give every device a colour of its own.
  void coloursAreOfferedThatTellRanksApart() {
    const auto offered = [](int tensor) {
      const TopologyFigure figure;
      std::set<std::string> out;
      for (const FigureOption& o : figure.offeredOptions(planOn(2, {8, 4}, tensor)))
        if (o.key == "colour")
          for (const auto& choice : o.choices) out.insert(choice.name);
      return out;
    };
    QCOMPARE(offered(8), (std::set<std::string>{"stage", "tp", "dp", "shard", "tp-rank", "memory", "busy"}));
    QCOMPARE(offered(1), (std::set<std::string>{"stage", "dp", "shard", "memory", "busy"}));
  }

  /// Of a search that was stopped the best plan found may be slower than one made by hand.
  void aPlanByHandMayBeFaster() {
    PlanContext c = contextOf({.memoryGiB = 1000});
    const RankedPlan shown = *c.plan;
    c.byHand = true;
    const auto told = [&](double factor) {
      auto outcome = std::make_shared<Outcome>();
      RankedPlan best = shown;
      best.evaluation.batchTime = shown.evaluation.batchTime * factor;
      outcome->plans = {best};
      c.outcome = outcome;
      return bannerOf(c);
    };
    QVERIFY2(told(0.5).endsWith(QStringLiteral(", 100 % slower than the best plan")), qPrintable(told(0.5)));
    QVERIFY2(told(2).endsWith(QStringLiteral(", 50 % faster than the best plan found")), qPrintable(told(2)));
  }

  void numbersStayWithTheirUnits() {
    const QString text =
        QStringLiteral("Searching, 20.6 % after 6.76 s; best so far 17.1 s on 2,048 devices");
    for (double width = 80; width < 420; width += 7) {
      const QStringList lines = FigurePainter::lines(text, width, 13);
      QCOMPARE(lines.join(u' '), text);
      for (const QString& line : lines)
        for (const char* unit : {"%", "s", "s;", "devices"})
          QVERIFY2(line.section(u' ', 0, 0) != QLatin1String(unit), qPrintable(lines.join(u'\n')));
    }
  }

  void boxesGoByTheNameOfTheirLevel() {
    const auto said = [](const char* level, const char* pattern) {
      PlanContext c = planOn(2, {8, 4});
      auto problem = std::make_shared<Problem>(*c.problem);
      std::vector<NetworkLevel> levels{c.problem->cluster->level(0), c.problem->cluster->level(1)};
      levels.front().name = level;
      problem->cluster = std::make_shared<Hierarchy>(c.problem->cluster->withLevels(levels));
      c.problem = problem;
      return matching(wordsOf(TopologyFigure(), c, {1000, 640}), pattern).size();
    };
    QCOMPARE(said("tray", "^32 . H100 SXM, 4 trays"), 1);
    QVERIFY(said("tray", "^tray[0-3]") > 0);
    QCOMPARE(said("tray", "host"), 0);
    QCOMPARE(said("leaf", ", 4 leaves"), 1);
    QCOMPARE(said("box", ", 4 boxes"), 1);
    QCOMPARE(said("bay", ", 4 bays"), 1);
    QCOMPARE(said("assembly", ", 4 assemblies"), 1);
    QCOMPARE(said("NVL72", ", 4 . NVL72"), 1);
    QCOMPARE(said("host", ", 4 hosts"), 1);
  }

  /// What is read of a stage adds up to its time, and abbreviations are written as anywhere.
  void thePartsOfAStageAddUp() {
    test::Desk desk;
    desk.document.edit({}, QStringLiteral("Overlap"),
                       [](Scenario& s) { s.assumptions.overlap[std::size_t(Exchange::Tensor)] = 0.5; });
    desk.solveIt();
    const auto& stages = desk.context.plan->evaluation.stages;
    QVERIFY(stages[0].hidden > Seconds(0));
    const QStringList lines = StagesFigure().asText(desk.context).split(u'\n');
    int read = 0;
    for (const QString& line : lines) {
      if (!QRegularExpression(QStringLiteral("^Stage \\d+: ")).match(line).hasMatch()) continue;
      double sum = 0;
      for (const QString& part : line.split(QStringLiteral("; ")).mid(2)) {
        const QRegularExpressionMatch m =
            QRegularExpression(QStringLiteral("([\\d.]+ \\S+)( \\+ [\\d.]+ \\S+ hidden behind compute)?$"))
                .match(part);
        if (part.endsWith(QStringLiteral("per step"))) continue;
        QVERIFY2(m.hasMatch(), qPrintable(part));
        QCOMPARE(m.captured(2).isEmpty(), !part.startsWith(QStringLiteral("TP ")));
        sum += text::readTime(m.captured(1).replace(QChar(0xb5), QStringLiteral("u")).toStdString())->value();
      }
      const double whole = stages[std::size_t(read++)].load.value();
      QVERIFY2(std::abs(sum / whole - 1) < 0.01, qPrintable(line));
      QVERIFY2(line.contains(QStringLiteral("TP communication")), qPrintable(line));
    }
    QCOMPARE(read, int(stages.size()));
  }

  /// "Reserve" and "Headroom" are two fields: each has its own row, and the rows add up.
  void headroomIsNoReserve() {
    test::Desk desk;
    const auto tip = [&] {
      return MemoryFigure().locate({ItemKind::Stage, 0}, QRectF(0, 0, 1200, 800), desk.context)->tip;
    };
    const QString reserve =
        QRegularExpression(QStringLiteral("Reserve&nbsp;.*?</td></tr>")).match(tip()).captured();
    QVERIFY(!reserve.isEmpty() && !tip().contains(QStringLiteral("eadroom")));
    desk.document.edit({}, QStringLiteral("Keep free"), [](Scenario& s) { s.assumptions.headroom = 0.01; });
    desk.solveIt();
    QVERIFY(desk.context.problem->assumptions.headroom > 0);
    QVERIFY2(tip().contains(reserve), qPrintable(tip()));
    QVERIFY(tip().contains(QStringLiteral(">Peak&nbsp;")) &&
            tip().contains(QStringLiteral(">Headroom&nbsp;")));
  }

  /// The change over the bars of two plans runs into nothing, however alike or unlike their steps are.
  void aChangeOverBarsStandsFree() {
    const PlanContext c = planOn(16, {8, 4, 4}), other = planOn(4, {8, 4, 4});
    PlanPairFigure pair(QStringLiteral("pair"));
    for (const PlanContext* second : {&c, &other})
      for (const int width : {360, 480, 800}) {
        pair.setSides({QStringLiteral("Before"), c.plan, c.problem},
                      {QStringLiteral("Now"), second->plan, second->problem});
        const Words words = wordsOf(pair, c, {width, 420});
        int found = 0;
        for (const auto& w : words) {
          if (!QRegularExpression(QStringLiteral("^[+−]?[\\d.]+ %( tokens/s)?$")).match(w.text).hasMatch())
            continue;
          ++found;
          for (const auto& one : words)
            QVERIFY2(&w == &one || !w.box.adjusted(-2, 0, 0, 0).intersects(one.box),
                     qPrintable(QString::number(width) + u' ' + one.text));
        }
        QCOMPARE(found, 1);
      }
  }

  /// Headroom is no memory in use: figures, their text and the inspector tell it apart from what is
  /// predicted.
  void headroomIsNoMemoryInUse() {
    test::Desk desk;
    const MemoryUse plain = desk.context.plan->evaluation.stages.front().memory;
    const QString used = memoryText(plain.predicted());
    desk.document.edit({}, QStringLiteral("Keep free"), [](Scenario& s) { s.assumptions.headroom = 0.01; });
    desk.solveIt();
    const PlanContext& c = desk.context;
    const MemoryUse& use = c.plan->evaluation.stages.front().memory;
    QVERIFY(use.total() > plain.total());
    QCOMPARE(memoryText(use.predicted()), used);
    const QString words = phrase(words::memory(use));
    QVERIFY2(words.contains(QStringLiteral("(+ ")) && words.startsWith(used.section(u' ', 0, 0)),
             qPrintable(words));
    QVERIFY(MemoryFigure().describe({ItemKind::Stage, 0}, c).contains(words));
    PlanPairFigure pair(QStringLiteral("pair"));
    pair.setSides({QStringLiteral("A"), c.plan, c.problem}, {QStringLiteral("B"), c.plan, c.problem});
    QVERIFY2(pair.asText(c).contains(words), qPrintable(pair.asText(c)));
    for (const auto& item :
         {std::optional<SelectionItem>(), std::optional(SelectionItem{ItemKind::Stage, 0})}) {
      QStringList told;
      for (const auto& [name, value] : factsOf(c, item).rows) told << value;
      QVERIFY2(told.join(u'\n').contains(item ? words : QStringLiteral(" headroom)")),
               qPrintable(told.join(u'\n')));
    }
    const QString device = TopologyFigure().locate({ItemKind::Device, 0}, QRectF(0, 0, 1200, 800), c)->tip;
    QVERIFY2(device.contains(used), qPrintable(device));
    QVERIFY(!nameOf(MemoryPart::Headroom).isEmpty());
    const auto parts = memoryParts(use);
    QCOMPARE(parts[int(MemoryPart::Headroom)],
             reservedOn(c.problem->assumptions, use.capacity).headroom.value());
    QCOMPARE(parts[int(MemoryPart::Reserve)], plain[MemoryPart::Reserve].value());
  }

  /// Stages count from 1, ranks and replicas from 0: where they stand together, each says so.
  void aDeviceTipSaysFromWhereItCounts() {
    const PlanContext c = planOn(4, {8, 4, 4});
    const auto hit = TopologyFigure().locate({ItemKind::Device, 9}, QRectF(0, 0, 1200, 800), c);
    QVERIFY(hit);
    for (const char* part : {"2 of 1–4", "0 of 0–3", "1 of 0–7", "0 of 0–3, 8 ranks"})
      QVERIFY2(hit->tip.contains(QString::fromUtf8(part)), qPrintable(hit->tip));
  }

  void nothingIsTooSmallToDrawOn() {
    const PlanContext c = planOn(4, {8, 4, 4});
    const SelectionItem item{ItemKind::Device, 5};
    FigureStyle style;
    style.selected = style.hovered = item;
    for (const QSize& size : {QSize(1, 1), QSize(20, 300), QSize(300, 20), QSize(90, 60)}) {
      QImage page(size, QImage::Format_RGB32);
      QPainter painter(&page);
      for (const auto& f : planFigures()) {
        f->paint(painter, QRectF(QPointF(0, 0), size), c, style);
        (void)f->hit(QPointF(size.width(), size.height()) / 2, QRectF(QPointF(0, 0), size), c);
        (void)f->locate(item, QRectF(QPointF(0, 0), size), c);
      }
      QVERIFY(painter.isActive());
    }
  }

  void thePaceStrikesNoValueThrough() {
    const PlanContext c = planOn(4, {8, 4, 4});
    const Evaluation& e = *c.shownEvaluation();
    int inTheWay = 0;
    for (const QSize size : {QSize(900, 300), QSize(900, 400), QSize(900, 640), QSize(1600, 1000)}) {
      const StagesLayout m = layoutStages(QRectF(QPointF(0, 0), size), c, false, false);
      const auto yOf = [&](int i) {
        return m.plot.bottom() - e.stages[i].load.value() / m.axis.largest * m.plot.height();
      };
      const double pace = yOf(e.slowestStage());
      for (int i = 0; i < 4; ++i) inTheWay += pace > yOf(i) - 18 && pace < yOf(i) - 3;
      for (const auto& w : wordsOf(StagesFigure(), c, size)) {
        if (w.box.left() < m.plot.left()) continue;  // ticks
        QVERIFY2(w.box.top() > pace || w.box.bottom() < pace, qPrintable(w.text));
      }
    }
    QVERIFY(inTheWay > 0);  // or this tests nothing
  }

  void columnsHaveFewTicks() {
    const PlanContext c = planOn(4, {8, 4, 4});
    for (const double height : {300.0, 1200.0, 3000.0}) {
      const QRectF area(0, 0, 1200, height);
      QVERIFY(layoutStages(area, c, false, false).axis.ticks.size() <= 11);
      QVERIFY(layoutMemory(area, c, false, false).axis.ticks.size() <= 11);
    }
  }

  /// What is free may be less than the prediction errs by.
  void memorySaysThatAPlanMayNotFit() {
    PlanContext c = test::contextOf({});
    const auto doubt = QStringLiteral("may not fit");
    QVERIFY(!MemoryFigure().asText(c).contains(doubt));
    auto problem = std::make_shared<Problem>(*c.problem);
    const MemoryUse& full = c.plan->evaluation.stages[c.plan->evaluation.fullestStage()].memory;
    problem->memoryError = 1.01 * (full.capacity / full.predicted() - 1);
    c.problem = problem;
    QVERIFY2(MemoryFigure().asText(c).contains(doubt), qPrintable(MemoryFigure().asText(c)));
  }

  /// Also where every other chunk lies on the stages in reverse.
  void theRibbonHasLayersInOrder() {
    PlanContext c = test::contextOf({});
    auto ranked = std::make_shared<RankedPlan>(*c.plan);
    Plan& plan = ranked->plan;
    const int stages = plan.stageCount(), layers = c.problem->graph->layerCount();
    for (const ScheduleKind kind : {ScheduleKind::Interleaved, ScheduleKind::ZbV, ScheduleKind::DualPipeV}) {
      plan.schedule = kind;
      for (StagePlan& s : plan.stages) s.chunks.assign(2, {});
      for (int x = 0; x < layers; ++x) {
        const int part = x * 2 * stages / layers;
        const int stage = plan.pipelineSchedule().stageOf(part, stages);
        plan.stages[static_cast<std::size_t>(stage)]
            .chunks[static_cast<std::size_t>(part / stages)]
            .push_back(LayerIndex(x));
      }
      c.plan = ranked;
      const StagesLayout m = layoutStages(QRectF(0, 0, 900, 600), c, false, false);
      QCOMPARE(static_cast<int>(m.layers.size()), layers);
      for (int x = 0; x < layers; ++x) QCOMPARE(m.layers[static_cast<std::size_t>(x)].layer, x);
    }
  }

  void layersAreNamedByTheirRuns() {
    const PlanContext c = planOn(4, {8, 4, 4});
    const LayerGraph& graph = *c.problem->graph;
    const auto spanOf = [&](std::vector<int> numbers) {
      std::vector<LayerIndex> layers;
      for (int x : numbers) layers.emplace_back(x);
      return layerSpan(graph, layers);
    };
    QCOMPARE(spanOf({0, 1, 2, 3}), QStringLiteral("embedding, block 0–2"));
    QCOMPARE(spanOf({4}), QStringLiteral("block 3"));
    QCOMPARE(spanOf({1, 2, 9, 10}), QStringLiteral("block 0–1, block 8–9"));
    QCOMPARE(spanOf({}), QStringLiteral("none"));
  }

  /// Where a run of layers has no room for words, its stage's number links it to its column.
  void narrowRunsCarryTheirStage() {
    const PlanContext c = planOn(64, {8, 4, 32});
    const QSize size(1600, 700);
    const StagesLayout m = layoutStages(QRectF(QPointF(0, 0), size), c, false, false);
    std::set<QString> numbers;
    for (const auto& w : wordsOf(StagesFigure(), c, size))
      if (m.ribbon.contains(w.box.center())) numbers.insert(w.text);
    for (int s : {1, 30, 62}) QVERIFY(numbers.count(stageNumber(s)));
  }

  void aNarrowSentenceKeepsItsFirstClause() {
    const PlanContext c = planOn(4, {8, 4, 4});
    for (const int width : {260, 320, 420, 900}) {
      const Words words = wordsOf(CommunicationFigure(), c, {width, 400});
      const QStringList said = matching(words, "per step,|per step$");
      QVERIFY2(!said.isEmpty(), qPrintable(QString::number(width)));
      QVERIFY(!said.first().contains(QChar(0x2026)));
    }
  }

  void siblingsSayEquallyMuch() {
    const PlanContext c = planOn(1, {8, 4, 12});
    for (int width = 500; width < 1900; width += 100) {
      TopologyFigure f;
      f.setFolding(Folding::Nothing);
      std::set<qsizetype> details;
      for (const QString& header : matching(wordsOf(f, c, {width, 800}), "^rack \\d+"))
        details.insert(header.count(u'·'));
      QVERIFY2(details.size() <= 1, qPrintable(QString::number(width)));
    }
  }

  void nothingIsTooSmallToRead() {
    for (const auto& fanouts : {std::vector<int>{8, 4, 4}, {8, 4, 32}, {8, 4, 16, 32}})
      for (const QSize size : {QSize(600, 400), QSize(1260, 620), QSize(1900, 1000)}) {
        const PlanContext c = planOn(4, fanouts);
        for (const auto& w : wordsOf(TopologyFigure(), c, size))
          QVERIFY2(w.box.height() / 0.74 >= 8, qPrintable(w.text));
      }
  }

  void aTallTimelineIsFilled() {
    const PlanContext c = planOn(1, {8});
    TimelineFigure f;
    double zero = 0, legend = 0;
    for (const auto& w : wordsOf(f, c, {1800, 1100})) {
      if (w.text == QStringLiteral("0")) zero = std::max(zero, w.box.bottom());
      if (w.text == QStringLiteral("Bubble")) legend = w.box.top();
    }
    QVERIFY2(legend - zero < 60, qPrintable(QStringLiteral("%1 to %2").arg(zero).arg(legend)));
  }

  void theSentenceIsOfTheParallelismThatIsShown() {
    const PlanContext c = planOn(4, {8, 4, 4});
    CommunicationFigure f;
    const auto said = [&](std::optional<Exchange> kind, int level) {
      auto options = f.shown();
      options.kind = kind, options.level = level;
      f.setOptions(options);
      return matching(wordsOf(f, c, {1000, 640}), "(per step|is sent)");
    };
    constexpr int kEvery = CommunicationFigure::Options::kEveryLevel;
    QVERIFY(said({}, kEvery).front().contains(QStringLiteral("of it TP")));
    const auto says = [&](Exchange kind, int level, const char* pattern) {
      return !said(kind, level).filter(QRegularExpression(QLatin1String(pattern))).isEmpty();
    };
    QVERIFY(says(Exchange::Tensor, kEvery, "^TP: .* per step, .* % of all; all of it inside a host$"));
    QVERIFY(says(Exchange::Pipeline, kEvery, "^PP: .* per step, .* % of all; .* cross the rack level$"));
    QVERIFY(says(Exchange::Tensor, 0, "^TP: .* per step stay inside a host, 100 % of all that does$"));
    QVERIFY(says(Exchange::Expert, kEvery, "^EP: nothing is sent$"));
  }
  void oneLevelIsLookedAtAlone() {
    const PlanContext c = planOn(4, {8, 4, 4});
    CommunicationFigure f;
    auto options = f.shown();
    options.groups = 0;
    const SelectionItem within{ItemKind::Pair, 0, 0, 0};
    f.setOptions(options);
    QVERIFY(!f.describe(within, c).contains(QStringLiteral("nothing")));
    options.level = 2;
    f.setOptions(options);
    QVERIFY(f.describe(within, c).contains(QStringLiteral("nothing")));
    QVERIFY(!matching(wordsOf(f, c, {1000, 640}), "over pod").isEmpty());
    QVERIFY(!matching(wordsOf(f, c, {1000, 640}), "cross the pod level, .* of it").isEmpty());
    options.level = 0;
    f.setOptions(options);
    QVERIFY(matching(wordsOf(f, c, {1000, 640}), "the pod level").isEmpty());
    options.level = 7;  // of a larger cluster: every level
    f.setOptions(options);
    QVERIFY(!f.describe(within, c).contains(QStringLiteral("nothing")));

    TopologyFigure t;
    t.setTraffic(TopologyFigure::kAllTraffic);
    t.setTrafficLevel(2);
    const QRectF area(0, 0, 1000, 640);
    QVERIFY(t.locate({ItemKind::Group, 1, 1}, area, c)->tip.contains(QStringLiteral("Sent over pod")));
    QVERIFY(
        !t.locate({ItemKind::Group, 0, 2}, area, c)->tip.contains(QStringLiteral("Traffic of this level")));
    QVERIFY(!matching(wordsOf(t, c, {1000, 640}), "in (each )?rack").isEmpty());
    t.setTrafficLevel(-1);
    QVERIFY(
        t.locate({ItemKind::Group, 0, 2}, area, c)->tip.contains(QStringLiteral("Traffic of this level")));
  }

  /// Columns end at their numbers; what is hidden behind compute stands beside them, hollow.
  void columnsEndAtTheirNumbers() {
    PlanContext c = planOn(4, {8, 4, 4});
    QCOMPARE(matching(wordsOf(StagesFigure(), c, {1000, 640}), "^Hidden behind compute$").size(), 0);
    auto problem = std::make_shared<Problem>(*c.problem);
    problem->assumptions.overlap = {0.9, 0, 0, 1, 0};
    auto ranked = std::make_shared<RankedPlan>(*c.plan);
    ranked->evaluation = evaluate(*problem, ranked->plan);
    c.problem = problem, c.plan = ranked;
    const QSize size(1000, 1400);
    QCOMPARE(matching(wordsOf(StagesFigure(), c, size), "^Hidden behind compute$").size(), 1);
    QCOMPARE(matching(wordsOf(StagesFigure(), c, size), "^Time per microbatch \\(ms\\)$").size(), 1);
    QImage page(size, QImage::Format_RGB32);
    QPainter painter(&page);
    StagesFigure().paint(painter, QRectF(QPointF(0, 0), size), c, {});
    painter.end();
    const StagesLayout m = layoutStages(QRectF(QPointF(0, 0), size), c, false, false);
    for (int i = 0; i < 4; ++i) {
      const StageEvaluation& e = ranked->evaluation.stages[std::size_t(i)];
      const double scale = m.plot.height() / m.axis.largest;
      const QRectF column = m.column(i);
      const auto isCanvas = [&](double x, double y) {
        return page.pixelColor(int(x), int(y)) == Theme::of(Theme::Kind::Light).color(Theme::Role::Canvas);
      };
      const double top = m.plot.bottom() - e.load.value() * scale;
      QVERIFY(!isCanvas(column.left() + 4, top + 3) && isCanvas(column.left() + 4, top - 3));
      // Beside it a frame around nothing, as high as what is hidden.
      const double x = column.right() + 1 + std::min(14.0, column.width() * 0.22) / 2;
      const double hidden = m.plot.bottom() - e.hidden.value() * scale;
      int framed = 0;
      for (double y = hidden - 2; y < m.plot.bottom(); ++y) framed += !isCanvas(x, y);
      QVERIFY2(e.hidden.value() * scale > 8 && framed > 0 && framed < e.hidden.value() * scale / 2,
               qPrintable(QStringLiteral("%1 of %2").arg(framed).arg(e.hidden.value() * scale)));
    }
  }

  /// Time and idle time are of the run that is drawn; what the formula says, which stands everywhere else, is
  /// named beside them.
  void theIdleShareStandsWithItsStepTime() {
    const auto said = [](const PlanContext& c) {
      return matching(wordsOf(TimelineFigure(), c, {1600, 640}), "per step").join(u'\n');
    };
    const PlanContext c = planOn(4, {8, 4, 4});
    QVERIFY2(QRegularExpression(QStringLiteral(" per step simulated, idle [^;]+; by formula %1, idle ")
                                    .arg(timeText(c.plan->evaluation.batchTime)))
                 .match(said(c))
                 .hasMatch(),
             qPrintable(said(c)));
    const QString simple = said(planOn(1, {8}));
    QVERIFY2(simple.endsWith(QStringLiteral(" per step")), qPrintable(simple));
  }

  void plurals() {
    QCOMPARE(plural(1, QStringLiteral("microbatch")), QStringLiteral("1 microbatch"));
    QCOMPARE(plural(16, QStringLiteral("microbatch")), QStringLiteral("16 microbatches"));
    QCOMPARE(plural(1024, QStringLiteral("device")), QStringLiteral("1,024 devices"));
  }

  void clausesAreLeftOutWhole() {
    const PlanContext c = planOn(4, {8, 4, 4});
    for (int width = 700; width > 200; width -= 20)
      for (const auto& word : wordsOf(TimelineFigure(), c, {width, 400}))
        QVERIFY2(word.text.count(u'(') == word.text.count(u')'), qPrintable(word.text));
  }
};
NEST_TEST(TestReading)
#include "test_reading.moc"
