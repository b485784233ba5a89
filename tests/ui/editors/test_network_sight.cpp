#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QLabel>
#include <QMouseEvent>
#include <QPainter>
#include <QSettings>
#include <QtTest/QTest>
#include <cmath>
#include <cstdlib>
#include <set>

#include "editors/network/topology_view.h"
#include "figures/paint/phrases.h"
#include "figures/topology/rank_colours.h"
#include "figures/topology/topology_figure.h"
#include "support/desk.h"
#include "ui/editors/network_fixture.h"
#include "ui/figures/large_network.h"
#include "ui/figures/text_recorder.h"

using namespace nest;
using test::sample;
using test::thousands;
using Opened = test::OpenedNetwork;

namespace {

std::vector<int> hosts(const NetworkCanvas& canvas) {
  std::vector<int> out;
  for (const int n : canvas.scene().shown())
    if (canvas.scene().node(n).kind == NodeKind::Host) out.push_back(n);
  return out;
}

void showThousands(NetworkCanvas& canvas) {
  canvas.resize(1000, 700);
  canvas.setGraph(thousands(), {}, false);
  canvas.setFolding(Folding::Nothing);
  canvas.setVisible(true);
  QVERIFY(QTest::qWaitForWindowExposed(&canvas));
}

}  // namespace

/// What is seen of a drawn network: colours, numbers, names, tips and the legend.
class TestNetworkSight : public QObject {
  Q_OBJECT
private slots:
  /// Over a drawing of thousands only what the mouse is on is painted, and the picture is the same.
  void theMouseRepaintsNoThousands() {
    NetworkCanvas canvas;
    showThousands(canvas);
    const auto places = hosts(canvas);
    QVERIFY(places.size() > 20);
    // Not through the cursor of the screen, which a busy machine may move later.
    const auto moveTo = [&](const QPoint& at) {
      QMouseEvent move(QEvent::MouseMove, at, canvas.mapToGlobal(at), Qt::NoButton, {}, {});
      QApplication::sendEvent(&canvas, &move);
    };
    (void)canvas.grab();
    moveTo({1, 1});
    (void)canvas.grab();
    const int before = canvas.wholePaints();
    QVERIFY(before > 0);
    const QImage without = canvas.grab().toImage();
    for (std::size_t k = 0; k < places.size(); k += places.size() / 20) {
      moveTo(canvas.toWidget(canvas.scene().box(places[k]).topLeft()).toPoint() + QPoint(1, 1));
      QVERIFY(canvas.grab().toImage() != without);
    }
    QCOMPARE(canvas.wholePaints(), before);
    moveTo({1, 1});
    QVERIFY(canvas.grab().toImage() == without);
    // What is pointed at in other views stands out; all else steps back, painted once.
    for (const int host : {places[1], places[9], places[17]}) {
      canvas.setLit(canvas.scene().contentsOf(host), {});
      const QImage shown = canvas.grab().toImage();
      NetworkMarks marks;
      marks.litHovered.assign(canvas.graph().nodes.size(), 0);
      for (const int d : canvas.scene().contentsOf(host)) marks.litHovered[std::size_t(d)] = 1;
      QImage whole(shown.size(), shown.format());
      whole.fill(Theme::of(Theme::Kind::Light).color(Theme::Role::Canvas));
      QPainter p(&whole);
      p.translate(canvas.toWidget({0, 0}));
      p.scale(canvas.scale(), canvas.scale());
      NetworkPainter(p, canvas.scene(), marks, canvas.seen(), canvas.scale(), Theme::of(Theme::Kind::Light))
          .paint();
      p.end();
      int other = 0;
      const auto free = canvas.fittedArea().toRect().adjusted(2, 2, -2, -2);
      for (int y = free.top(); y < free.bottom(); ++y)
        for (int x = free.left(); x < free.right(); ++x) {
          const QColor a = shown.pixelColor(x, y), b = whole.pixelColor(x, y);
          other +=
              std::abs(a.red() - b.red()) + std::abs(a.green() - b.green()) + std::abs(a.blue() - b.blue()) >
              24;
        }
      QVERIFY2(other * 1000 < free.width() * free.height(), qPrintable(QString::number(other)));
    }
    QVERIFY(canvas.wholePaints() <= before + 1);
    canvas.select({places[3]}, {});
    (void)canvas.grab();
    QVERIFY(canvas.wholePaints() > before + 1);
  }
  /// A pan over thousands paints what comes into sight, as the whole picture has it; names follow.
  void aPanRepaintsNoThousands() {
    NetworkCanvas canvas;
    showThousands(canvas);
    (void)canvas.grab();
    for (const double zoom : {1.0, 4.0, 5.0}) {
      int before = canvas.wholePaints();
      canvas.zoomBy(zoom, {500, 350});
      QTRY_VERIFY((void(canvas.grab()), canvas.wholePaints() > before));
      before = canvas.wholePaints();
      for (const QPointF by : {QPointF(37, 0), QPointF(-80, 21), QPointF(0, -64), QPointF(11, 12)}) {
        canvas.panBy(by);
        (void)canvas.grab();
      }
      QCOMPARE(canvas.wholePaints(), before);
      const QImage shifted = canvas.grab().toImage();
      QTRY_VERIFY((void(canvas.grab()), canvas.wholePaints() > before));
      const QImage whole = canvas.grab().toImage();
      int other = 0;
      for (int y = 0; y < whole.height(); ++y)
        for (int x = 0; x < whole.width(); ++x) other += whole.pixel(x, y) != shifted.pixel(x, y);
      QVERIFY2(other * 50 < whole.width() * whole.height(), qPrintable(QString::number(other)));
      if (const QString dir = qEnvironmentVariable("NEST_PICTURES"); !dir.isEmpty()) {
        shifted.save(dir + QStringLiteral("/pan-%1-shifted.png").arg(zoom));
        whole.save(dir + QStringLiteral("/pan-%1-whole.png").arg(zoom));
      }
    }
    const int before = canvas.wholePaints();
    canvas.panBy({0.5, 0});  // between pixels
    (void)canvas.grab();
    QCOMPARE(canvas.wholePaints(), before + 1);
  }
  /// While the wheel turns over thousands what is painted grows; it is painted again when the hand rests.
  void aZoomRepaintsNoThousands() {
    NetworkCanvas canvas;
    showThousands(canvas);
    const auto coarse = [&] {
      return canvas.grab().toImage().scaled(50, 35, Qt::IgnoreAspectRatio, Qt::SmoothTransformation);
    };
    (void)coarse();
    const auto middle = canvas.fittedArea().center();
    for (const double factor : {1.2, 1.2, 0.8, 0.9}) {
      const int before = canvas.wholePaints();
      canvas.zoomBy(std::sqrt(factor), middle);
      (void)canvas.grab();
      canvas.zoomBy(std::sqrt(factor), middle);
      canvas.panBy({3, -2});
      const QImage grown = coarse();
      QCOMPARE(canvas.wholePaints(), before);
      QTRY_VERIFY((void(canvas.grab()), canvas.wholePaints() > before));
      const QImage whole = coarse();
      int other = 0;
      for (int y = 0; y < whole.height(); ++y)
        for (int x = 0; x < whole.width(); ++x)
          other += std::abs(whole.pixelColor(x, y).lightness() - grown.pixelColor(x, y).lightness()) > 40;
      QVERIFY2(other * 10 < whole.width() * whole.height(), qPrintable(QString::number(other)));
      if (const QString dir = qEnvironmentVariable("NEST_PICTURES"); !dir.isEmpty()) {
        grown.save(dir + QStringLiteral("/zoom-%1-grown.png").arg(factor));
        whole.save(dir + QStringLiteral("/zoom-%1-whole.png").arg(factor));
      }
    }
  }
  /// A host that is selected among thousands of boxes does not cover what is in it.
  void aClickAmongThousandsMarksWhatItHits() {
    NetworkCanvas canvas;
    showThousands(canvas);
    const int host = hosts(canvas)[5];
    canvas.select({host}, {});
    const QPoint at = canvas.toWidget(canvas.scene().box(host).topLeft()).toPoint() + QPoint(1, 1);
    QTest::mouseMove(&canvas, at);
    const QImage marked = canvas.grab().toImage();
    canvas.select({}, {});
    QVERIFY(canvas.grab().toImage() != marked);
    QTest::mouseClick(&canvas, Qt::LeftButton, {}, at);
    QCOMPARE(canvas.selectedNodes(), std::vector{host});
    QVERIFY(canvas.grab().toImage() == marked);
  }
  /// However large it is.
  void theWholeDrawingFits() {
    NetworkGraph wide = thousands();
    for (std::size_t n = 0; n < wide.nodes.size(); ++n) wide.nodes[n].x = 1000.0 * static_cast<double>(n);
    NetworkCanvas canvas;
    canvas.resize(1000, 700);
    canvas.setGraph(wide, {}, false);
    canvas.setFolding(Folding::Nothing);
    canvas.fit();
    const QRectF bounds = canvas.scene().bounds();
    QVERIFY(bounds.width() > 4e6);
    QVERIFY(QRectF(canvas.rect())
                .contains(QRectF(canvas.toWidget(bounds.topLeft()), canvas.toWidget(bounds.bottomRight()))));
  }
  void aMarkedHostStandsAroundItsDevices() {
    NetworkCanvas canvas;
    showThousands(canvas);
    const int host = hosts(canvas)[5];
    const auto centres = [&] {
      const QImage shown = canvas.grab().toImage();
      QStringList out;
      for (const int d : canvas.scene().contentsOf(host))
        out << shown.pixelColor(canvas.toWidget(canvas.scene().centre(d)).toPoint()).name();
      return out;
    };
    const QStringList before = centres();
    QVERIFY(before.size() > 4);
    canvas.select({host}, {});
    QCOMPARE(centres(), before);
  }
  void devicesAreColouredByTheirGroups() {
    QSettings().clear();
    test::Desk desk("gpt3-175b-h100-1024.nest.json");
    const auto colours = [](const NetworkEditor& editor) {
      return editor.canvas().grab(QRect(0, 0, 600, 400)).toImage();
    };
    TopologyView view(desk.services());
    const NetworkEditor& editor = *view.editor();
    const auto& placement = *static_cast<const TopologyFigure*>(view.figure());
    const auto choose = [&view](const QString& label) {
      for (auto* a : view.findChildren<QAction*>())
        if (a->text() == label && a->isCheckable()) a->trigger();
    };
    desk.show(view);
    view.setEditing(true);
    QApplication::processEvents();  // it takes the keyboard
    const QImage byStage = colours(editor);
    choose(QStringLiteral("TP group"));
    QTRY_COMPARE(editor.canvas().scene().colouredBy(), Together::Tensor);
    QCOMPARE(placement.colouredBy(), Together::Tensor);  // one choice for both
    QVERIFY(colours(editor) != byStage);
    const View::State kept = view.state();
    choose(QStringLiteral("Stage"));
    QTRY_COMPARE(editor.canvas().scene().colouredBy(), Together::Stage);
    QCOMPARE(placement.colouredBy(), Together::Stage);
    QCOMPARE(colours(editor), byStage);
    view.setState(kept);
    QCOMPARE(editor.canvas().scene().colouredBy(), Together::Tensor);
    // A choice under which every group is one rank shows stages, and waits for a plan that it suits.
    view.setState({{"colour", "stage"}});
    const auto* box = view.findChild<QComboBox*>(QStringLiteral("colour"));
    QCOMPARE(box->findData(QString::fromLatin1(nameOf(Together::Expert))), -1);
    TopologyView waiting(desk.services());
    waiting.setState({{"colour", nameOf(Together::Expert)}});
    desk.show(waiting);
    waiting.setEditing(true);
    QApplication::processEvents();
    QCOMPARE(colours(*waiting.editor()), byStage);
    QCOMPARE(waiting.editor()->canvas().scene().colouredBy(), Together::Expert);
    const FigureOption offered = colourOption(desk.context, Together::Expert);
    QCOMPARE(offered.value, std::string(nameOf(Together::Stage)));
    // The next window begins with what the user chose, not with what a slide showed.
    QCOMPARE(TopologyView(desk.services()).editor()->canvas().scene().colouredBy(), Together::Stage);
    QSettings().clear();
  }
  void aDeviceTellsItsRank() {
    test::Desk desk;
    NetworkEditor editor(desk.services());
    desk.show(editor);
    const auto& nodes = editor.canvas().graph().nodes;
    const auto device = std::find_if(nodes.begin(), nodes.end(),
                                     [](const NetworkNode& n) { return n.kind == NodeKind::Device; });
    const QString tip = editor.canvas().scene().tipOf(static_cast<int>(device - nodes.begin()), -1);
    for (const char* word : {"Stage", "Replica", "Rank in the replica", "TP group", "Memory at the peak"})
      QVERIFY2(tip.contains(QLatin1String(word)), qPrintable(tip));
  }
  void theFirstViewLeavesTheLegendFree() {
    Opened o(sample("llama2-7b-h100-128.nest.json"));
    o.editor.resize(1200, 330);  // the height decides
    o.draw();
    auto& canvas = o.canvas();
    const QRectF all = canvas.scene().bounds();
    QVERIFY(canvas.toWidget(all.bottomRight()).y() <= canvas.height() - NetworkCanvas::kKeyHeight);
    QVERIFY(canvas.toWidget(all.topLeft()).y() >= 0);
  }
  void joinedHostsCountAndTheirNamesFit() {
    Opened o;
    GraphSource joined;
    const auto add = [&](const char* id, NodeKind kind, const char* host, double x, double y) {
      NetworkNode n;
      n.id = n.name = id, n.kind = kind, n.host = host, n.x = x, n.y = y;
      joined.graph.nodes.push_back(n);
    };
    add("the one spine of a long name at the left", NodeKind::Switch, "", 0, 0);
    for (const char* h : {"a0", "a1"}) {
      const double x = h[1] == '0' ? 0 : 3000;
      add((std::string(h) + ":nvswitch").c_str(), NodeKind::Switch, "", x, 100);
      add((std::string(h) + ":GPU0").c_str(), NodeKind::Device, h, x, 200);
    }
    for (auto [a, b] : {std::pair{0, 1}, {0, 3}, {1, 2}, {3, 4}}) {
      NetworkLink l;
      l.from = a, l.to = b, l.bandwidth = BytesPerSecond(1e9);
      joined.graph.links.push_back(l);
    }
    o.document.edit({}, "Join", [&](Scenario& s) { s.cluster.network = joined; });
    o.canvas().fit();
    bool said = false;
    for (auto* label : o.editor.findChildren<QLabel*>())
      said = said || label->text().startsWith("2 devices, 2 hosts, 1 switch, 2 parts inside hosts, 4 links");
    QVERIFY(said);
    const QFontMetricsF metrics(Theme::font(11, true));
    QVERIFY(o.canvas().toWidget({0, 0}).x() >=
            metrics.horizontalAdvance("the one spine of a long name at the left") / 2);
  }
  void stagesAreNumberedAndExplainedWhereBoxesAreSmall_data() {
    QTest::addColumn<std::string>("file");
    QTest::addColumn<QSize>("size");
    QTest::newRow("hundreds in sight") << std::string("gpt3-175b-h100-1024.nest.json") << QSize(1500, 900);
    QTest::newRow("few in a small window") << std::string("llama2-7b-h100-128.nest.json") << QSize(560, 420);
  }
  void stagesAreNumberedAndExplainedWhereBoxesAreSmall() {
    QFETCH(const std::string, file);
    QFETCH(const QSize, size);
    test::Desk desk(file);
    NetworkEditor editor(desk.services());
    desk.show(editor, size);
    const NetworkCanvas& canvas = editor.canvas();
    const int stages = desk.context.shownPlan()->stageCount();
    QVERIFY(stages > 3 && canvas.scale() < 0.55);
    test::TextRecorder recorder(size);
    FigureStyle style;
    QPainter painter(&recorder);
    editor.figure()->paint(painter, QRectF(QPointF(), size), desk.context, style);
    painter.end();
    std::set<QString> legend, inBoxes;
    double lowest = 0;
    for (const auto& word : recorder.words()) lowest = std::max(lowest, word.box.bottom());
    for (const auto& word : recorder.words())
      (word.box.bottom() > lowest - 12 ? legend : inBoxes).insert(word.text);
    for (int s = 1; s <= stages; ++s) {
      QVERIFY2(legend.contains(QString::number(s)), qPrintable(QString::number(s)));
      QVERIFY2(inBoxes.contains(QString::number(s)), qPrintable(QString::number(s)));
    }
    // Host names where they fit, as on a poster.
    test::TextRecorder large(QSize(4200, 2600));
    QPainter poster(&large);
    editor.figure()->paint(poster, QRectF(0, 0, 4200, 2600), desk.context, style);
    poster.end();
    QVERIFY(std::any_of(large.words().begin(), large.words().end(),
                        [](const auto& word) { return word.text == QStringLiteral("host0"); }));
  }
  void whatDoesNotFitIsSaidAboveTheDrawing() {
    test::Desk desk("llama3-70b-a100-16-too-small.nest.json");
    NetworkEditor editor(desk.services());
    desk.show(editor, {900, 600});
    test::TextRecorder page(editor.size());
    editor.render(&page);
    QString all;
    for (const auto& word : page.words()) all += word.text + u' ';
    QVERIFY2(all.contains(QStringLiteral("Does not fit")), qPrintable(all));
  }

  void theBusiestLinkStandsBesideTheStepAndIsElided() {
    test::Desk desk("llama2-7b-h100-128.nest.json");
    desk.document.edit({}, "Draw", [](Scenario& s) {
      GraphSource drawn;
      drawn.graph = graph::fromLevels(std::get<LevelsSource>(s.cluster.network));
      s.cluster.network = std::move(drawn);
    });
    desk.solveIt();
    NetworkEditor editor(desk.services());
    desk.show(editor, {1800, 600});
    QTRY_VERIFY(!editor.trafficText().isEmpty());
    const QString step = timeText(desk.context.plan->evaluation.batchTime);
    QVERIFY2(editor.trafficText().contains(QStringLiteral(" of a step of ") + step),
             qPrintable(editor.trafficText()));
    for (const int width : {1800, 540}) {
      editor.resize(width, 600);
      test::TextRecorder page(editor.size());
      editor.render(&page);
      QString status;
      for (const auto& word : page.words())
        if (word.text.contains(QStringLiteral("devices, "))) status = word.text;
      QCOMPARE(editor.width(), width);
      QVERIFY2(status.endsWith(u'…') == (width == 540), qPrintable(status));
    }
    for (const auto* label : editor.findChildren<QLabel*>())
      if (label->text().contains(editor.trafficText()))
        QVERIFY(label->toolTip().contains(editor.trafficText().toHtmlEscaped()));
  }
};
NEST_TEST(TestNetworkSight)
#include "test_network_sight.moc"
