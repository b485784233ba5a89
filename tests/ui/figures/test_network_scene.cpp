#include <QImage>
#include <QPainter>
#include <QTest>

#include "cluster/graph/generators.h"
#include "figures/paint/phrases.h"
#include "figures/topology/network_figure.h"
#include "figures/topology/network_painter.h"
#include "figures/topology/network_scene.h"
#include "large_network.h"
#include "support/random_instance.h"
#include "support/test_main.h"
#include "text_recorder.h"

using namespace nest;
using test::thousands;

Q_DECLARE_METATYPE(NetworkGraph)

namespace {

/// Two hosts of two devices below one switch.
NetworkGraph twoHosts() {
  LevelsSource levels;
  levels.levels.resize(2);
  levels.levels[0] = {"host", 2, BytesPerSecond(450e9), {}, Seconds(2e-6)};
  levels.levels[1] = {"leaf", 2, BytesPerSecond(50e9), {}, Seconds(4e-6)};
  return graph::fromLevels(levels);
}

int numberOf(const NetworkScene& scene, const std::string& name) {
  const auto& nodes = scene.graph().nodes;
  const auto it = std::find_if(nodes.begin(), nodes.end(), [&](const auto& n) { return n.name == name; });
  return it == nodes.end() ? -1 : static_cast<int>(it - nodes.begin());
}

QImage pictureOf(const NetworkScene& scene, const NetworkMarks& marks) {
  QImage image(400, 300, QImage::Format_RGB32);
  image.fill(Qt::white);
  QPainter p(&image);
  const QRectF all = scene.bounds().adjusted(-10, -10, 10, 10);
  const double scale = std::min(400 / all.width(), 300 / all.height());
  p.scale(scale, scale);
  p.translate(-all.topLeft());
  NetworkPainter(p, scene, marks, all, scale, Theme::of(Theme::Kind::Light)).paint();
  return image;
}

std::size_t at(int number) {
  return static_cast<std::size_t>(number);
}

/// Four hosts that are no nodes, of a device each.
NetworkGraph hostsUnderALeaf() {
  NetworkGraph g;
  NetworkNode leaf;
  leaf.kind = NodeKind::Switch;
  leaf.id = leaf.name = "leaf";
  g.nodes.push_back(leaf);
  for (int i = 1; i <= 4; ++i) {
    NetworkNode device;
    device.kind = NodeKind::Device;
    device.id = device.name = "node-" + std::to_string(i);
    device.host = device.id;
    g.nodes.push_back(device);
    NetworkLink link;
    link.from = 0, link.to = i, link.bandwidth = BytesPerSecond(i * 50e9);
    g.links.push_back(link);
  }
  return g;
}

/// Eight switches joined each with each, of two hosts that are no nodes.
NetworkGraph meshOfHostsThatAreNoNodes() {
  NetworkGraph g;
  const auto add = [&](NodeKind kind, const std::string& name) {
    NetworkNode n;
    n.kind = kind, n.id = n.name = name;
    if (kind == NodeKind::Device) n.host = name;
    g.nodes.push_back(n);
    return static_cast<int>(g.nodes.size()) - 1;
  };
  std::vector<int> routers;
  for (int r = 0; r < 8; ++r) {
    const int router = add(NodeKind::Switch, "router" + std::to_string(r));
    for (const int other : routers)
      (void)graph::connect(g, router, other, BytesPerSecond(25e9), Seconds(1e-6));
    for (const char* half : {"a", "b"})
      (void)graph::connect(g, add(NodeKind::Device, "node" + std::to_string(r) + half), router,
                           BytesPerSecond(25e9), Seconds(1e-6));
    routers.push_back(router);
  }
  return g;
}

}  // namespace

/// The network as a picture, without a widget.
class TestNetworkScene : public QObject {
  Q_OBJECT
private slots:
  void whatLiesAtAPlace() {
    NetworkScene scene;
    QVERIFY(!scene.setGraph(twoHosts(), {}, nullptr));
    const int host = numberOf(scene, "host0"), device = numberOf(scene, "host0:1");
    QVERIFY(host >= 0 && device >= 0);
    QCOMPARE(scene.nodeAt(scene.centre(device)), device);  // not the host around it
    QCOMPARE(scene.nodeAt(scene.box(host).topLeft() + QPointF(2, 2)), host);
    QCOMPARE(scene.nodeAt(scene.bounds().topLeft() - QPointF(50, 50)), -1);
    QCOMPARE(scene.shownLinks().size(), std::size_t(2));  // those inside hosts are implied
    const int link = scene.shownLinks().front();
    QCOMPARE(scene.linkAt(scene.middleOf(link), 1), link);
    QCOMPARE(scene.linkAt(scene.middleOf(link) + QPointF(0, 1000), 5), -1);
  }

  void aMovedNodeTakesItsLinksAlong() {
    NetworkScene scene;
    scene.setGraph(twoHosts(), {}, nullptr);
    const int leaf = numberOf(scene, "leaf 0");
    const QPointF there = scene.centre(leaf) + QPointF(300, -80);
    scene.moveTo({leaf}, {there});
    QCOMPARE(scene.centre(leaf), there);
    QVERIFY(scene.bounds().contains(scene.box(leaf)));
    const QPolygonF& path = scene.path(scene.shownLinks().front());
    QVERIFY(path.first() == there || path.last() == there);
    NetworkGraph moved = scene.graph();
    QVERIFY(scene.setGraph(moved, {}, nullptr));  // the same but for places
  }
  /// Routers that form a mesh: no line runs through a box that it does not join, or through a host's frame.
  void linesOfAMeshPassNoBox_data() {
    QTest::addColumn<NetworkGraph>("graph");
    QTest::newRow("dragonfly") << *generateNetwork("dragonfly", {{"groups", 4}, {"routers", 3}});
    QTest::newRow("larger dragonfly") << *generateNetwork("dragonfly", {{"groups", 9}, {"routers", 4}});
    QTest::newRow("too many to look at each")
        << *generateNetwork("dragonfly", {{"groups", 12}, {"routers", 10}});
    QTest::newRow("hosts that are no nodes") << meshOfHostsThatAreNoNodes();
  }
  void linesOfAMeshPassNoBox() {
    QFETCH(NetworkGraph, graph);
    NetworkScene scene;
    scene.setGraph(graph, {}, nullptr);
    scene.setFolding(Folding::Nothing);
    QVERIFY(scene.shownLinks().size() > 20);
    const auto& hostOf = scene.impliedHosts().hostOf;
    const auto holds = [](const QRectF& box, const QPolygonF& path) {
      if (!path.boundingRect().adjusted(-1, -1, 1, 1).intersects(box)) return false;
      for (int k = 0; k + 1 < path.size(); ++k)
        for (int t = 0; t <= 50; ++t)
          if (box.contains(QLineF(path[k], path[k + 1]).pointAt(t / 50.0))) return true;
      return false;
    };
    for (const int l : scene.shownLinks()) {
      const NetworkLink& link = scene.link(l);
      const QString name = scene.nameOf(link.from) + QStringLiteral(" – ") + scene.nameOf(link.to);
      const auto isAtAnEnd = [&](int n) {
        const auto& inside = scene.contentsOf(n);
        return n == link.from || n == link.to || std::any_of(inside.begin(), inside.end(), [&](int d) {
                 return d == link.from || d == link.to;
               });
      };
      for (const int n : scene.shown())
        if (!isAtAnEnd(n) && (scene.node(n).kind != NodeKind::Device || scene.node(n).host.empty()))
          QVERIFY2(!holds(scene.box(n), scene.path(l)),
                   qPrintable(name + QStringLiteral(" through ") + scene.nameOf(n)));
      for (int h = 0; h < int(scene.impliedHosts().names.size()); ++h)
        if (hostOf[at(link.from)] != h && hostOf[at(link.to)] != h)
          QVERIFY2(!holds(scene.impliedHostFrame(at(h)), scene.path(l)), qPrintable(name));
    }
  }

  /// Lines that go round others are fitted, too; they were cut at the edge of views and exports.
  void whatIsFittedHoldsEveryLine() {
    NetworkScene scene;
    scene.setGraph(*generateNetwork("torus-2d"), {}, nullptr);
    scene.setFolding(Folding::Nothing);
    QRectF boxes;
    for (const int n : scene.shown()) boxes |= scene.box(n);
    bool leaves = false;
    const auto agrees = [&] {
      return std::all_of(scene.shownLinks().begin(), scene.shownLinks().end(), [&](int l) {
        const QRectF path = scene.path(l).boundingRect();
        const auto holds = [&](const QRectF& all) {
          return all.contains(path.topLeft()) && all.contains(path.bottomRight());
        };
        leaves = leaves || !holds(boxes);
        return holds(scene.bounds());
      });
    };
    QVERIFY(agrees());
    QVERIFY(leaves);
    const int moved = scene.shown().front();
    scene.moveTo({moved}, {scene.centre(moved) - QPointF(200, 200)});
    QVERIFY(agrees());
  }

  /// What a frame looks at is what stands in it, also while a hand moves it.
  void whatIsInSight() {
    NetworkScene scene;
    scene.setGraph(thousands(), {}, nullptr);
    scene.setFolding(Folding::Nothing);
    const QRectF all = scene.bounds();
    const auto agrees = [&](const QRectF& area) {
      std::vector<int> nodes, links;
      for (const int n : scene.shown())
        if (scene.box(n).intersects(area)) nodes.push_back(n);
      for (const int l : scene.shownLinks())
        if (scene.path(l).boundingRect().adjusted(-1, -1, 1, 1).intersects(area)) links.push_back(l);
      return scene.nodesIn(area) == nodes && scene.linksIn(area) == links;
    };
    const QRectF part(all.left() + all.width() / 3, all.top() + all.height() / 4, all.width() / 5,
                      all.height() / 2);
    const QRectF beside = all.translated(all.width() + 500, 0);
    QVERIFY(agrees(all));
    QVERIFY(agrees(part));
    QVERIFY(scene.nodesIn(part).size() > 100 && scene.nodesIn(part).size() < scene.shown().size());
    QVERIFY(scene.nodesIn(beside).empty());
    const int moved = scene.nodesIn(part).back();
    QVERIFY(scene.node(moved).kind != NodeKind::Host);
    scene.moveTo({moved}, {beside.center()});
    QVERIFY(agrees(part));
    QVERIFY(agrees(beside));
    QCOMPARE(scene.nodesIn(beside).back(), moved);
  }
  /// Boxes between the pixels are left out of the painting, but none that has a pixel.
  void everyDeviceWithAPixelHasIt() {
    NetworkScene scene;
    scene.setGraph(thousands(), {}, nullptr);
    scene.setFolding(Folding::Nothing);
    const QRectF all = scene.bounds();
    const Theme& theme = Theme::of(Theme::Kind::Light);
    for (const double scale : {0.011, 0.03, 0.1, 0.31})
      for (const double ratio : {1.0, 2.0}) {
        QImage image(QSize(600, 400) * ratio, QImage::Format_RGB32);
        image.setDevicePixelRatio(ratio);
        image.fill(Qt::white);
        QPainter p(&image);
        p.scale(scale, scale);
        p.translate(-all.topLeft());
        NetworkPainter(p, scene, {}, all, scale, theme).paintGround();
        const QTransform pixels = p.deviceTransform();
        p.end();
        int seen = 0, missed = 0;
        for (const int n : scene.shown()) {
          if (scene.node(n).kind != NodeKind::Device) continue;
          const QRectF on = pixels.mapRect(scene.box(n));
          constexpr double kRounding = 0.02;
          for (int y = int(on.top() + 0.5 + kRounding); y < int(on.bottom() + 0.5 - kRounding); ++y)
            for (int x = int(on.left() + 0.5 + kRounding); x < int(on.right() + 0.5 - kRounding); ++x)
              if (image.rect().contains(x, y)) {
                ++seen;
                missed += image.pixel(x, y) != theme.color(Theme::Role::Idle).rgb();
              }
        }
        QVERIFY2(seen > 20, qPrintable(QString::number(scale)));
        QCOMPARE(missed, 0);
      }
  }

  void likeNodesAreOne() {
    NetworkScene scene;
    scene.setGraph(twoHosts(), {}, nullptr);
    QCOMPARE(scene.otherFolding(), Folding::Everything);
    scene.setFolding(Folding::Everything);
    QVERIFY(scene.isFolded());
    const int host = scene.shownAs(numberOf(scene, "host1"));
    QCOMPARE(scene.alike(host), 2);
    QCOMPARE(scene.behind(host).size(), std::size_t(2));
    QCOMPARE(scene.linksBehind(scene.shownLinks().front()).size(), std::size_t(2));
    scene.setUnfolded({scene.node(scene.siblingOf(host)).id});
    QCOMPARE(scene.alike(numberOf(scene, "host1")), 1);
  }

  /// What is drawn once carries the stage of every device that it stands for, whatever the plan.
  void foldedDevicesHoldOneStage() {
    test::Dice dice(20261126);
    int folded = 0;
    for (int k = 0; k < 12; ++k) {
      LevelsSource levels;
      levels.levels.resize(3);
      const int hosts = dice.between(2, 9), racks = dice.between(2, 9);
      levels.levels[0] = {"host", 8, BytesPerSecond(450e9), {}, Seconds(2e-6)};
      levels.levels[1] = {"rack", hosts, BytesPerSecond(50e9), {}, Seconds(4e-6)};
      levels.levels[2] = {"spine", racks, BytesPerSecond(12.5e9), {}, Seconds(8e-6)};
      const NetworkGraph g = graph::fromLevels(levels);
      // Stages in turn, of any width: several to a host, or several hosts to a stage; the rest is idle.
      const int stages = dice.between(1, 12), width = 1 << dice.between(0, 5);
      const int used = 8 * hosts * racks - dice.between(0, 7);
      std::vector<Seat> seats(g.nodes.size());
      int device = 0;
      for (std::size_t n = 0; n < g.nodes.size(); ++n)
        if (g.nodes[n].kind == NodeKind::Device) {
          if (device < used) seats[n] = {device / width % stages, 0, 0};
          ++device;
        }
      NetworkScene scene;
      scene.setFolding(Folding::Everything);
      scene.setGraph(g, seats, nullptr);
      folded += scene.isFolded();
      int drawn = 0;
      for (std::size_t n = 0; n < g.nodes.size(); ++n) {
        if (g.nodes[n].kind != NodeKind::Device || !scene.isShown(int(n))) continue;
        ++drawn;
        const auto& placed = scene.placedOn(int(n));
        for (const int m : scene.behind(int(n))) QCOMPARE(seats[at(m)].stage, placed ? placed->stage : -1);
        if (placed) {
          const QString tip = scene.tipOf(int(n), -1), stage = stageNumber(placed->stage);
          QVERIFY2(scene.sentenceOf(int(n)).contains(QStringLiteral("stage ") + stage) || !scene.plan(),
                   qPrintable(scene.sentenceOf(int(n))));
          QVERIFY2(tip.contains(QStringLiteral("Stage&nbsp;")) && !tip.contains(QStringLiteral("Stages")),
                   qPrintable(tip));
        }
      }
      QVERIFY(drawn >= std::min(stages, used / width));
    }
    QVERIFY(folded > 5);
  }

  /// Another plan on the same network folds it anew; the same one leaves it as it is.
  void anotherPlanFoldsAnew() {
    const NetworkGraph g = twoHosts();
    std::vector<Seat> one(g.nodes.size()), two(g.nodes.size());
    for (std::size_t n = 0; n < g.nodes.size(); ++n)
      if (g.nodes[n].kind == NodeKind::Device) {
        one[n] = {0, 0, 0};
        two[n] = {g.nodes[n].name.starts_with("host1") ? 1 : 0, 0, 0};
      }
    NetworkScene scene;
    scene.setFolding(Folding::Everything);
    scene.setGraph(g, one, nullptr);
    QCOMPARE(scene.alike(scene.shownAs(numberOf(scene, "host1"))), 2);
    QVERIFY(scene.setGraph(scene.graph(), one, nullptr));
    QVERIFY(!scene.setGraph(scene.graph(), two, nullptr));
    QCOMPARE(scene.alike(numberOf(scene, "host1")), 1);
    std::set<std::string> ids;
    scene.setGraph(scene.graph(), one, nullptr);
    scene.unfoldFor(numberOf(scene, "host1"), ids);
    scene.setUnfolded(ids);
    QVERIFY(scene.isShown(numberOf(scene, "host1")));
  }

  /// Where traffic is shown, links without any say nothing.
  void idleLinksHaveNoLabels() {
    NetworkScene scene;
    scene.setGraph(twoHosts(), {}, nullptr);
    const auto labels = [&] {
      test::TextRecorder page({800, 800});
      QPainter p(&page);
      const QRectF all = scene.bounds().adjusted(-10, -10, 10, 10);
      NetworkPainter(p, scene, {}, all, 1, Theme::of(Theme::Kind::Light)).paint();
      p.end();
      QStringList out;
      for (const auto& word : page.words()) out << word.text;
      return out.join(QLatin1Char(' '));
    };
    QVERIFY2(labels().contains(QStringLiteral("50 GB/s")), qPrintable(labels()));
    std::vector<LinkLoad> loads;
    for (const int l : scene.shownLinks()) {
      LinkLoad& load = loads.emplace_back();
      load.a = scene.graph().links[l].from;
      load.b = scene.graph().links[l].to;
    }
    loads.front().forward = Bytes(3 << 20);
    loads.front().forwardRate = BytesPerSecond(12 << 20);
    // The other way comes on top of neither the bytes nor the time.
    loads.front().backward = Bytes(1 << 20);
    loads.front().backwardRate = BytesPerSecond(12 << 20);
    scene.setLoads(std::move(loads), -1, {});
    const QString tip = scene.tipOf(-1, scene.shownLinks().front());
    QVERIFY2(tip.contains(QStringLiteral(": 3 MiB per step, busy 250 ms")) &&
                 tip.contains(QStringLiteral(": 1 MiB per step, busy 83.3 ms")),
             qPrintable(tip));
    QVERIFY2(labels().contains(QStringLiteral("3 MiB · 250 ms")), qPrintable(labels()));
    QVERIFY2(!labels().contains(QStringLiteral("0 B")), qPrintable(labels()));
  }

  /// Nor do those of others cover devices of hosts that are not drawn.
  void labelsOfLinksCoverNoDevice() {
    NetworkScene scene;
    scene.setGraph(hostsUnderALeaf(), {}, nullptr);
    test::TextRecorder page({800, 800});
    QPainter p(&page);
    const QRectF all = scene.bounds().adjusted(-10, -10, 10, 10);
    NetworkPainter(p, scene, {}, all, 1, Theme::of(Theme::Kind::Light)).paint();
    p.end();
    int labels = 0;
    for (const auto& word : page.words()) {
      if (!word.text.endsWith(QStringLiteral("B/s"))) continue;
      ++labels;
      for (int n = 1; n <= 4; ++n) QVERIFY2(!word.box.intersects(scene.box(n)), qPrintable(word.text));
    }
    QVERIFY(labels > 0);
  }

  /// Of two links that share a lane, each says what it carries where it is alone.
  void labelsStandOnTheirOwnLinks() {
    LevelsSource levels;
    levels.levels.resize(3);
    levels.levels[0] = {"host", 8, BytesPerSecond(450e9), {}, Seconds(2e-6)};
    levels.levels[1] = {"leaf", 4, BytesPerSecond(12.5e9), {}, Seconds(4e-6)};
    levels.levels[2] = {"spine", 4, BytesPerSecond(3.125e9), {}, Seconds(6e-6)};
    NetworkScene scene;
    scene.setGraph(graph::fromLevels(levels), {}, nullptr);
    const QRectF all = scene.bounds().adjusted(-10, -10, 10, 10);
    test::TextRecorder page(all.size().toSize());
    QPainter p(&page);
    p.translate(-all.topLeft());
    NetworkPainter(p, scene, {}, all, 1, Theme::of(Theme::Kind::Light)).paint();
    p.end();
    int labels = 0;
    for (const auto& word : page.words()) {
      if (!word.text.startsWith(QStringLiteral("32 × "))) continue;
      ++labels;
      int through = 0;
      for (const int l : scene.shownLinks())
        through += scene.distanceTo(l, word.box.center() + all.topLeft()) < 2;
      QVERIFY2(through <= 1, qPrintable(word.text));
    }
    QCOMPARE(labels, 4);
  }

  /// Nor the names of hosts that are not drawn.
  void labelsCoverNoNameOfAHost() {
    NetworkScene scene;
    scene.setGraph(hostsUnderALeaf(), {}, nullptr);
    const QRectF all = scene.bounds().adjusted(-10, -60, 10, 10);
    test::TextRecorder page(all.size().toSize());
    QPainter p(&page);
    p.translate(-all.topLeft());
    NetworkPainter(p, scene, {}, all, 1, Theme::of(Theme::Kind::Light)).paint();
    p.end();
    std::vector<QRectF> names, labels;
    for (const auto& word : page.words()) {
      if (word.text.startsWith(QStringLiteral("node-"))) names.push_back(word.box);
      if (word.text.endsWith(QStringLiteral("B/s"))) labels.push_back(word.box);
    }
    QVERIFY(names.size() >= 4 && !labels.empty());
    for (const QRectF& label : labels)
      for (const QRectF& name : names) QVERIFY(!label.intersects(name));
  }

  /// The title is the largest word of the page.
  void namesAreSmallerThanTheTitle() {
    NetworkScene scene;
    scene.setGraph(twoHosts(), {}, nullptr);
    test::TextRecorder page({1280, 720});
    QPainter p(&page);
    FigureStyle style;
    style.standalone = true;
    NetworkFigure(scene, [] { return QString(); }).paint(p, QRectF(0, 0, 1280, 720), {}, style);
    p.end();
    double title = 0, others = 0;
    for (const auto& word : page.words())
      (word.text == QStringLiteral("Network") ? title : others) =
          std::max(word.text == QStringLiteral("Network") ? title : others, word.box.height());
    QVERIFY2(others > 0 && others < 0.85 * title, qPrintable(QStringLiteral("%1 %2").arg(others).arg(title)));
  }

  /// On a page of a column's width the drawing has the room that no key needs.
  void aSmallPageIsTheDrawings() {
    NetworkScene scene;
    scene.setGraph(twoHosts(), {}, nullptr);
    QCOMPARE(networkKeyHeight(scene), 0.0);
    const NetworkFigure figure(scene, [] { return QString(); });
    for (const QSize& size : {QSize(321, 227), QSize(321, 321)}) {  // 85 × 60 and 85 × 85 mm
      QImage image(size, QImage::Format_RGB32);
      QPainter p(&image);
      FigureStyle style;
      style.standalone = true;
      figure.paint(p, QRectF(QPointF(0, 0), size), {}, style);
      p.end();
      constexpr int kHeading = 50;
      QRect ink;
      for (int y = kHeading; y < size.height(); ++y)
        for (int x = 0; x < size.width(); ++x)
          if (image.pixel(x, y) != image.pixel(1, 1)) ink |= QRect(x, y, 1, 1);
      QVERIFY2(ink.width() > 0.8 * size.width(), qPrintable(QString::number(ink.width())));
      QVERIFY(QRect({10, 0}, size - QSize(20, 10)).contains(ink));
    }
  }

  void marksStandOutOnScreenAndNotOnPaper() {
    NetworkScene scene;
    std::vector<Seat> seats(twoHosts().nodes.size());
    scene.setGraph(twoHosts(), seats, nullptr);
    const QImage plain = pictureOf(scene, {});
    NetworkMarks marks;
    marks.nodes = {numberOf(scene, "host0")};
    QVERIFY(pictureOf(scene, marks) != plain);
    QCOMPARE(pictureOf(scene, {}), plain);
    const NetworkFigure figure(scene, [] { return QString(); });
    QVERIFY(figure.asText({}).contains(QStringLiteral("host host0")));
  }
};
NEST_TEST(TestNetworkScene)
#include "test_network_scene.moc"
