#include <QElapsedTimer>
#include <QImage>
#include <QPainter>
#include <QRegularExpression>
#include <algorithm>
#include <memory>
#include <optional>

#include "catalogue/registry.h"
#include "cluster/devices/device_catalog.h"
#include "figures/paint/axis.h"
#include "figures/paint/list_figure.h"
#include "figures/paint/ticks.h"
#include "figures/plan/communication_figure.h"
#include "figures/plan/memory_figure.h"
#include "figures/plan/seat_map.h"
#include "figures/plan/stages_figure.h"
#include "figures/plan/timeline_figure.h"
#include "figures/topology/topology_figure.h"
#include "figures/topology/topology_layout.h"
#include "plan_contexts.h"
#include "support/test_main.h"
#include "text_recorder.h"

using namespace nest;

namespace {

const QRectF kArea(0, 0, 1000, 640);

test::ContextShape shapeOf(int stages, std::vector<int> fanouts, double memoryGiB = 80) {
  test::ContextShape s;
  s.stages = stages;
  s.fanouts = std::move(fanouts);
  s.blocks = std::max(30, stages * 2 - 2);
  s.memoryGiB = memoryGiB;
  return s;
}

QString plain(const QString& html) {
  QString out = html;
  static const QRegularExpression tag(QStringLiteral("<[^>]*>"));
  return out.replace(tag, QStringLiteral(" "));
}

}  // namespace

class TestFigures : public QObject {
  Q_OBJECT
private slots:
  void ticksAreRound() {
    QCOMPARE(roundTicks(91, 10), (std::vector<double>{0, 10, 20, 30, 40, 50, 60, 70, 80, 90}));
    QCOMPARE(roundTicks(3.8, 4), (std::vector<double>{0, 1, 2, 3}));
    QCOMPARE(roundTicks(1.3, 6), (std::vector<double>{0, 0.25, 0.5, 0.75, 1, 1.25}));
    QCOMPARE(tickLabel(0.25), QStringLiteral("0.25"));
    QCOMPARE(tickLabel(1000), QStringLiteral("1,000"));
    QCOMPARE(tickLabel(12500), QStringLiteral("12,500"));
    QCOMPARE(roundTicks(0, 5), (std::vector<double>{0}));
    QCOMPARE(wholeTicks(4, 10), (std::vector<int>{0, 1, 2, 3}));
    QCOMPARE(wholeTicks(100, 11), (std::vector<int>{0, 10, 20, 30, 40, 50, 60, 70, 80, 90}));
    QCOMPARE(wholeTicks(64, 1).size(), std::size_t(1));
    QCOMPARE(countedTicks(4, 10), (std::vector<int>{0, 1, 2, 3}));
    QCOMPARE(countedTicks(100, 11), (std::vector<int>{9, 19, 29, 39, 49, 59, 69, 79, 89, 99}));
    QCOMPARE(countedTicks(64, 1).size(), std::size_t(1));
    QCOMPARE(Axis::time(0.0125, 5).unitName, QStringLiteral("ms"));
  }

  void seatsInvertThePlacement_data() {
    QTest::addColumn<int>("stages");
    QTest::addColumn<int>("inner");
    QTest::newRow("packed") << 3 << 1;
    QTest::newRow("Megatron") << 4 << 4;
    QTest::newRow("idle devices") << 5 << 2;
  }
  void seatsInvertThePlacement() {
    QFETCH(int, stages);
    QFETCH(int, inner);
    test::ContextShape shape = shapeOf(stages, {8, 4, 4});
    shape.inner = inner;
    shape.tensor = 4;
    const auto problem = test::problemOf(shape);
    const Plan plan = test::planOf(shape, *problem);
    const SeatMap seats(plan, 128);
    const Placement placement(plan);
    int seated = 0;
    for (int s = 0; s < stages; ++s)
      for (int r = 0; r < placement.replicas(); ++r)
        for (int q = 0; q < placement.ranks(s); ++q, ++seated) {
          const Seat seat = seats.at(placement.device(s, r, q).value);
          QCOMPARE(seat.stage, s);
          QCOMPARE(seat.replica, r);
          QCOMPARE(seat.rank, q);
        }
    int idle = 0;
    for (int d = 0; d < 128; ++d) idle += seats.at(d).idle();
    QCOMPARE(idle, 128 - seated);
    QVERIFY(seats.at(-1).idle() && seats.at(128).idle());
  }

  void everyItemIsHitWhereItIsShown_data() {
    QTest::addColumn<int>("stages");
    QTest::newRow("1") << 1;
    QTest::newRow("4") << 4;
    QTest::newRow("16") << 16;
    QTest::newRow("64") << 64;
  }
  void everyItemIsHitWhereItIsShown() {
    QFETCH(int, stages);
    const PlanContext c = test::contextOf(shapeOf(stages, {8, 4, 16}, 600));
    QVERIFY(c.plan);
    StagesFigure stagesFigure;
    MemoryFigure memory;
    for (const InteractiveFigure* f :
         {static_cast<InteractiveFigure*>(&stagesFigure), static_cast<InteractiveFigure*>(&memory)})
      for (int i = 0; i < stages; ++i) {
        const auto shown = f->locate({ItemKind::Stage, i}, kArea, c);
        QVERIFY(shown);
        const auto hit = f->hit(shown->area.center(), kArea, c);
        QVERIFY2(hit, qPrintable(f->id()));
        QCOMPARE(hit->item.index, i);
        QVERIFY(kArea.contains(hit->area));
      }
    for (int x : {0, 5, c.problem->graph->layerCount() - 1}) {
      const auto shown = stagesFigure.locate({ItemKind::Layer, x}, kArea, c);
      QVERIFY(shown);
      if (shown->area.width() < 3) continue;
      QCOMPARE(stagesFigure.hit(shown->area.center(), kArea, c)->item, (SelectionItem{ItemKind::Layer, x}));
    }
  }

  void devicesAndGroupsAreHitInTheTopology() {
    const PlanContext c = test::contextOf(shapeOf(4, {8, 4, 4}));
    TopologyFigure f;
    f.setFolding(Folding::Nothing);
    for (int d = 0; d < 128; ++d) {
      const auto shown = f.locate({ItemKind::Device, d}, kArea, c);
      QVERIFY(shown);
      const auto hit = f.hit(shown->area.center(), kArea, c);
      QVERIFY(hit);
      QCOMPARE(hit->item, (SelectionItem{ItemKind::Device, d}));
    }
    const auto host = f.locate({ItemKind::Group, 5, 0}, kArea, c);
    QVERIFY(host);
    QCOMPARE(f.hit(host->area.topLeft() + QPointF(2, 2), kArea, c)->item,
             (SelectionItem{ItemKind::Group, 5, 0}));
    QVERIFY(!f.hit(QPointF(-5, -5), kArea, c));
  }

  void foldedSiblingsStandForOneAnother() {
    const PlanContext c = test::contextOf(shapeOf(4, {8, 4, 4}));
    TopologyFigure f;
    f.setFolding(Folding::Everything);
    // Four racks with the same four stages fold into one.
    const auto a = f.locate({ItemKind::Device, 3}, kArea, c),
               b = f.locate({ItemKind::Device, 3 + 96}, kArea, c);
    QVERIFY(a && b);
    QCOMPARE(a->area, b->area);
    const auto other = f.locate({ItemKind::Device, 3 + 8}, kArea, c);
    QVERIFY(other->area != a->area);
    test::TextRecorder page(kArea.size().toSize());
    QPainter painter(&page);
    f.paint(painter, kArea, c, {});
    painter.end();
    QVERIFY(std::any_of(page.words().begin(), page.words().end(),
                        [](const auto& w) { return w.text == QStringLiteral("×4"); }));
  }

  void titlesOfAxesStandClearOfTheWordsAboveTheBars_data() {
    QTest::addColumn<bool>("memory");
    QTest::addColumn<int>("height");
    for (const int height : {200, 230, 260, 320}) {
      QTest::addRow("memory, %d px", height) << true << height;
      QTest::addRow("stages, %d px", height) << false << height;
    }
  }
  void titlesOfAxesStandClearOfTheWordsAboveTheBars() {
    QFETCH(bool, memory);
    QFETCH(int, height);
    const PlanContext c = test::contextOf(shapeOf(2, {8, 4, 4}, 64));
    const QRectF area(0, 0, 420, height);
    test::TextRecorder page(area.size().toSize());
    QPainter painter(&page);
    if (memory)
      MemoryFigure().paint(painter, area, c, {});
    else
      StagesFigure().paint(painter, area, c, {});
    painter.end();
    const auto& words = page.words();
    const auto title = std::find_if(words.begin(), words.end(), [](const auto& w) {
      return w.text.startsWith(QStringLiteral("Memory of a device")) ||
             w.text.startsWith(QStringLiteral("Time per microbatch"));
    });
    QVERIFY(title != words.end());
    for (const auto& w : words) QVERIFY2(&w == &*title || !w.box.intersects(title->box), qPrintable(w.text));
  }

  void topologySaysTheMemoryInUse() {
    const auto textOf = [](double memory) {
      PlanContext c = test::contextOf(shapeOf(4, {8, 4, 4}));
      HierarchyInput in;
      in.device = *findDevice("h100-sxm");
      if (memory > 0) in.device.memory = Bytes(memory), in.device.id = "custom";
      in.fanouts = {8, 4, 4};
      for (const char* name : {"host", "rack", "pod"})
        in.levels.push_back({name, BytesPerSecond(50e9), Seconds(2e-6), 1, Origin::Typed});
      auto problem = std::make_shared<Problem>(*c.problem);
      problem->cluster = std::make_shared<Hierarchy>(std::move(*Hierarchy::build(in)));
      c.problem = problem;
      test::TextRecorder page(kArea.size().toSize());
      QPainter painter(&page);
      TopologyFigure().paint(painter, kArea, c, {});
      painter.end();
      QString out;
      for (const auto& w : page.words()) out += w.text + u' ';
      return out;
    };
    QVERIFY(textOf(0).contains(QStringLiteral("128 × H100 80 GB SXM, 16 hosts")));
    const QString other = textOf(128.0 * 1024 * 1024 * 1024);
    QVERIFY2(other.contains(QStringLiteral("128 × H100 80 GB SXM with 128 GiB of memory, 16 hosts")),
             qPrintable(other));
  }

  void trafficTintsTheLevels() {
    const PlanContext c = test::contextOf(shapeOf(4, {8, 4, 4}));
    TopologyFigure f;
    const auto paintAll = [&] {
      QImage image(kArea.size().toSize(), QImage::Format_RGB32);
      QPainter painter(&image);
      f.paint(painter, kArea, c, {});
      return image;
    };
    const QImage plainPicture = paintAll();
    f.setTraffic(TopologyFigure::kAllTraffic);
    const QImage tinted = paintAll();
    QVERIFY(tinted != plainPicture);
    const auto host = f.locate({ItemKind::Group, 0, 0}, kArea, c);
    QVERIFY(plain(host->tip).contains(QStringLiteral("Traffic of this level")));
    f.setTraffic(static_cast<int>(Exchange::Expert));  // there are no experts
    QVERIFY(paintAll() != tinted);
    f.setTraffic(TopologyFigure::kNoTraffic);
    QCOMPARE(paintAll(), plainPicture);
  }

  void zoomKeepsThePointerStill() {
    const PlanContext c = test::contextOf(shapeOf(4, {8, 4, 4}));
    TopologyFigure f;
    const auto before = f.locate({ItemKind::Device, 40}, kArea, c);
    f.zoomAt(before->area.center(), 3, kArea, c);
    const auto after = f.locate({ItemKind::Device, 40}, kArea, c);
    QVERIFY((before->area.center() - after->area.center()).manhattanLength() < 1e-6);
    QVERIFY(after->area.width() > 2.9 * before->area.width());
    f.fit();
    QCOMPARE(f.locate({ItemKind::Device, 40}, kArea, c)->area, before->area);
  }

  void cellsAreHitInTheHeatmap() {
    const PlanContext c = test::contextOf(shapeOf(4, {8, 4, 4}));
    CommunicationFigure f;
    const SelectionItem pair{ItemKind::Pair, 3, -1, 4};
    const auto shown = f.locate(pair, kArea, c);
    QVERIFY(shown);
    QCOMPARE(f.hit(shown->area.center(), kArea, c)->item, pair);
    QVERIFY(plain(shown->tip).contains(QStringLiteral("bytes")));
    QVERIFY(f.describe({ItemKind::Pair, 0, -1, 100}, c).contains(QStringLiteral("nothing")));
    auto options = f.shown();
    options.groups = 1;
    f.setOptions(options);
    QVERIFY(!f.locate(pair, kArea, c));
    QVERIFY(f.locate({ItemKind::Pair, 0, 1, 1}, kArea, c));
  }

  /// In a small pane the name of the whole network stands on its frame, not over what is placed in it.
  void namesOfNetworksCoverNoDevice() {
    const PlanContext c = test::contextOf(shapeOf(4, {8, 4, 4}));
    const Hierarchy& h = *c.problem->cluster;
    const QString outer = phrase(h.level(h.levelCount() - 1).name);
    int named = 0;
    for (const QSizeF size : {QSizeF(240, 150), QSizeF(300, 200), QSizeF(420, 240)}) {
      const QRectF area(QPointF(), size);
      TopologyFigure f;
      test::TextRecorder page(size.toSize());
      QPainter painter(&page);
      f.paint(painter, area, c, {});
      painter.end();
      for (const auto& w : page.words()) {
        if (w.text != outer) continue;
        ++named;
        for (int d = 0; d < h.deviceCount(); ++d)
          if (const auto hit = f.locate({ItemKind::Device, d}, area, c))
            QVERIFY(!hit->area.intersects(w.box));
      }
    }
    QVERIFY(named > 0);
  }

  void tasksAreHitInTheTimeline() {
    const PlanContext c = test::contextOf(shapeOf(4, {8, 4, 4}));
    TimelineFigure f;
    const auto row = f.locate({ItemKind::Stage, 2}, kArea, c);
    QVERIFY(row);
    const auto hit = f.hit(row->area.center(), kArea, c);
    QVERIFY(hit);
    QCOMPARE(hit->item.index, 2);
    QVERIFY(plain(hit->tip).contains(QStringLiteral("microbatch")));
    const double before = hit->area.width();
    f.zoomAt(hit->area.center(), 4, kArea, c);
    QVERIFY(f.hit(row->area.center(), kArea, c));
    f.fit();
    QCOMPARE(f.hit(row->area.center(), kArea, c)->area.width(), before);
  }

  void tipsCarryExactFigures() {
    const PlanContext c = test::contextOf(shapeOf(4, {8, 4, 4}));
    const auto& e = c.plan->evaluation.stages[1];
    const QString stage = plain(StagesFigure().locate({ItemKind::Stage, 1}, kArea, c)->tip);
    QVERIFY2(stage.contains(QString::fromStdString(text::precise(e.load))), qPrintable(stage));
    const QString memory = plain(MemoryFigure().locate({ItemKind::Stage, 1}, kArea, c)->tip);
    QVERIFY(memory.contains(
        QString::fromStdString(text::count(static_cast<long long>(e.memory.total().value() + 0.5)))));
  }

  /// One stage selected among 128 thin bars: they keep their colour within one outline.
  void selectedBarsKeepTheirColour() {
    const PlanContext c = test::contextOf({});
    MemoryFigure f;
    f.setOption("by", "device");
    const auto markedIn = [&](std::optional<SelectionItem> selected) {
      QImage image(1000, 640, QImage::Format_RGB32);
      FigureStyle style;
      style.selected = selected;
      QPainter painter(&image);
      f.paint(painter, kArea, c, style);
      painter.end();
      const QColor mark = style.theme->color(Theme::Role::Selection);
      int count = 0;
      for (int x = 0; x < image.width(); ++x) count += image.pixelColor(x, 480) == mark ? 1 : 0;
      return count;
    };
    QCOMPARE(markedIn(std::nullopt), 0);
    const int marked = markedIn(SelectionItem{ItemKind::Stage, 1});
    QVERIFY2(marked >= 1 && marked <= 16, qPrintable(QString::number(marked)));
  }

  /// A row of hosts ends where a stage ends.
  void rowsEndWithTheirStage() {
    for (const int stages : {2, 4, 8, 16}) {
      const PlanContext c = test::contextOf(shapeOf(stages, {8, 32, 4}));
      const auto classes = std::make_shared<const TopologyClasses>(c);
      for (const QSizeF size : {QSizeF(1000, 640), QSizeF(1200, 760), QSizeF(640, 900)}) {
        const TopologyLayout layout(classes, size, Folding::Nothing);
        const auto boxes = layout.childrenOf(layout.childrenOf(layout.root()).front());
        const auto stageOf = [&](std::size_t i) { return classes->seats().at(int(i) * 8).stage; };
        std::size_t run = 1;
        while (run < boxes.size() && stageOf(run) == stageOf(0)) ++run;
        std::size_t columns = 1;
        while (columns < boxes.size() && boxes[columns].rect.top() == boxes[0].rect.top()) ++columns;
        if (run == boxes.size()) continue;
        QVERIFY2(
            run % columns == 0 || columns % run == 0,
            qPrintable(
                QStringLiteral("%1 stages: %2 columns, %3 hosts a stage").arg(stages).arg(columns).arg(run)));
      }
    }
  }

  void statesAreSaid() {
    PlanContext empty;
    PlanContext unsolved = test::contextOf({});
    unsolved.plan.reset();
    unsolved.outcome.reset();
    PlanContext broken;
    broken.scenario = unsolved.scenario;
    broken.diagnostics = {error("x", {}, "bandwidth must be positive", "type a number above 0")};
    PlanContext miss = test::contextOf(shapeOf(4, {8, 4, 4}, 20));
    QVERIFY(miss.isNearestMiss());
    PlanContext searched = unsolved, replaced = test::contextOf(shapeOf(4, {8, 4, 4}));
    searched.search = replaced.search = std::make_shared<const SearchState>(
        SearchState{true, true, "stages", 0.4, Seconds(16.9), false, Seconds(2)});
    replaced.current = false;
    const auto searching = QStringLiteral("Searching stages, 40 % after 2 s; best so far 16.9 s");
    const auto words = [](const Figure& f, const PlanContext& c) {
      test::TextRecorder page(kArea.size().toSize());
      QPainter painter(&page);
      f.paint(painter, kArea, c, {});
      painter.end();
      QString out;
      for (const auto& w : page.words()) out += w.text + u' ';
      return out;
    };
    for (const auto& f : planFigures()) {
      QVERIFY(words(*f, empty).contains(QStringLiteral("Nothing is open")));
      QVERIFY(words(*f, broken).contains(QStringLiteral("bandwidth must be positive")));
      if (f->id() != QStringLiteral("topology")) {
        const QString said = words(*f, unsolved);  // true while a search runs, too
        QVERIFY2(said.contains(QStringLiteral("No plan yet")) && !said.contains(QStringLiteral("Solve ")),
                 qPrintable(said));
      }
      QVERIFY2(words(*f, miss).contains(QStringLiteral("Closest plan")), qPrintable(f->id()));
      if (f->id() != QStringLiteral("topology"))  // which shows the network meanwhile
        QVERIFY2(words(*f, searched).contains(searching), qPrintable(f->id()));
      // The headline reports the search that is to replace a plan: nothing in a figure moves for it.
      QCOMPARE(words(*f, replaced), words(*f, test::contextOf(shapeOf(4, {8, 4, 4}))));
      QVERIFY(!f->hit(kArea.center(), kArea, empty));
      QVERIFY(!f->step(std::nullopt, InteractiveFigure::Step::First, empty));
      QVERIFY(f->asText(empty).contains(QStringLiteral("Nothing is open")));
      QVERIFY(f->asText(miss).contains(f->title()));
    }
  }

  void textStaysWholeAndApart_data() {
    QTest::addColumn<int>("stages");
    QTest::addColumn<QList<int>>("fanouts");
    QTest::addColumn<QSize>("size");
    // 85 × 60 mm is a column of a journal.
    for (const QSize size : {QSize(321, 227), QSize(600, 400), QSize(1200, 700), QSize(2400, 1400)}) {
      const QByteArray at = QByteArray::number(size.width());
      QTest::newRow(("p1 n8 " + at).constData()) << 1 << QList<int>{8} << size;
      QTest::newRow(("p4 n128 " + at).constData()) << 4 << QList<int>{8, 4, 4} << size;
      QTest::newRow(("p16 n1024 " + at).constData()) << 16 << QList<int>{8, 4, 32} << size;
      QTest::newRow(("p64 n1024 " + at).constData()) << 64 << QList<int>{8, 4, 32} << size;
      QTest::newRow(("p8 n16384 " + at).constData()) << 8 << QList<int>{8, 4, 16, 32} << size;
    }
  }
  void textStaysWholeAndApart() {
    QFETCH(int, stages);
    QFETCH(QList<int>, fanouts);
    QFETCH(QSize, size);
    const PlanContext c = test::contextOf(shapeOf(stages, std::vector<int>(fanouts.begin(), fanouts.end())));
    const QRectF area(QPointF(0, 0), size);
    for (const bool standalone : {false, true})
      for (const auto& f : planFigures()) {
        if (!standalone && size.width() < 400) continue;  // no window is as small
        test::TextRecorder page(size);
        QPainter painter(&page);
        FigureStyle style;
        style.standalone = standalone;
        f->paint(painter, area, c, style);
        painter.end();
        QVERIFY(!page.words().empty());
        const auto& words = page.words();
        for (std::size_t i = 0; i < words.size(); ++i) {
          QVERIFY2(area.adjusted(-0.5, -0.5, 0.5, 0.5).contains(words[i].box),
                   qPrintable(f->id() + QStringLiteral(": ") + words[i].text));
          for (std::size_t j = i + 1; j < words.size(); ++j) {
            const QRectF both = words[i].box & words[j].box;
            QVERIFY2(both.width() < 1 || both.height() < 1,
                     qPrintable(QStringLiteral("%1: \"%2\" runs into \"%3\"")
                                    .arg(f->id(), words[i].text, words[j].text)));
          }
        }
      }
  }

  void longBatchesZoomAndPan() {
    test::ContextShape shape = shapeOf(100, {8, 4, 32}, 600);
    shape.microbatches = 1000;
    const PlanContext c = test::contextOf(shape);
    QVERIFY(c.plan);
    TimelineFigure f;
    QImage image(1200, 700, QImage::Format_RGB32);
    const QRectF area(0, 0, 1200, 700);
    for (int k = 0; k < 12; ++k) {
      QElapsedTimer timer;
      timer.start();
      QPainter painter(&image);
      f.paint(painter, area, c, {});
      painter.end();
      qInfo("timeline, 100 stages × 1,000 microbatches, zoom step %d: %.1f ms", k,
            static_cast<double>(timer.nsecsElapsed()) * 1e-6);
      const auto hit = f.hit(QPointF(600, 200), area, c);
      QVERIFY(hit);
      if (k > 1) f.zoomAt(QPointF(600, 200), 2.5, area, c);
      if (k > 1) f.panBy(QPointF(10, 0), area, c);
    }
  }

  /// What fits is not pushed out of sight, where no viewport that is kept would have it either.
  void aTopologyThatFitsStaysWhereItIs() {
    const PlanContext c = test::contextOf(shapeOf(16, {8, 4, 4}));
    TopologyFigure f;
    const QRectF area(0, 0, 1200, 700);
    const SelectionItem first{ItemKind::Device, 0};
    const auto place = [&] { return f.locate(first, area, c).value().area; };
    const QRectF before = place();
    f.panBy({0, -300}, area, c);
    QCOMPARE(place(), before);
    f.zoomAt(area.center(), 2, area, c);
    const QRectF closer = place();
    f.panBy({20, 10}, area, c);
    QCOMPARE(place().topLeft().toPoint(), (closer.topLeft() + QPointF(20, 10)).toPoint());
  }

  void hugeClustersDoNotHang() {
    const PlanContext c = test::contextOf(shapeOf(16, {8, 4, 16, 256}));
    QCOMPARE(c.problem->cluster->deviceCount(), 131072);
    QImage image(1200, 700, QImage::Format_RGB32);
    for (const auto& f : planFigures()) {
      if (auto* topology = dynamic_cast<TopologyFigure*>(f.get())) topology->setFolding(Folding::Nothing);
      for (int k = 0; k < 2; ++k) {
        QElapsedTimer timer;
        timer.start();
        QPainter painter(&image);
        f->paint(painter, QRectF(0, 0, 1200, 700), c, {});
        painter.end();
        qInfo("%s, 131,072 devices, %s paint: %.1f ms", qPrintable(f->id()), k == 0 ? "first" : "next",
              static_cast<double>(timer.nsecsElapsed()) * 1e-6);
      }
      const QRectF area(0, 0, 1200, 700);
      // Figures of bars and rows have free ground in the middle.
      const bool isSparse = f->id() == QStringLiteral("run") || f->id() == QStringLiteral("exchange");
      const auto first = f->step(std::nullopt, InteractiveFigure::Step::First, c);
      const auto part = isSparse && first ? f->locate(*first, area, c) : std::nullopt;
      QVERIFY(f->hit(part ? part->area.center() : QPointF(600, 350), area, c));
    }
  }
};
NEST_TEST(TestFigures)
#include "test_figures.moc"
