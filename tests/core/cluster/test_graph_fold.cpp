#include <QtTest/QTest>
#include <algorithm>

#include "cluster/graph/generators.h"
#include "cluster/graph/graph_edit.h"
#include "cluster/graph/graph_fold.h"
#include "support/test_main.h"

using namespace nest;

namespace {
NetworkGraph pods() {
  LevelsSource levels;
  levels.levels.resize(3);
  levels.levels[0] = {"host", 8, BytesPerSecond(450e9), {}, Seconds(2e-6)};
  levels.levels[1] = {"rack", 4, BytesPerSecond(50e9), {}, Seconds(4e-6)};
  levels.levels[2] = {"spine", 3, BytesPerSecond(12.5e9), {}, Seconds(8e-6)};
  return graph::fromLevels(levels);
}
int foldedNode(const NetworkGraph& g, const std::string& name) {
  for (std::size_t i = 0; i < g.nodes.size(); ++i)
    if (g.nodes[i].name == name) return static_cast<int>(i);
  return -1;
}
int drawn(const graph::Folding& f) {
  int n = 0;
  for (std::size_t i = 0; i < f.shownAs.size(); ++i) n += !f.hides(static_cast<int>(i));
  return n;
}
int alike(const NetworkGraph& g, const graph::Folding& f, const std::string& name) {
  return f.alike[foldedNode(g, name)];
}
}  // namespace

class TestGraphFold : public QObject {
  Q_OBJECT
private slots:
  void aRegularTreeIsDrawnOnceAtEachLevel() {
    const auto g = pods();
    const auto f = graph::foldAlike(g);
    QCOMPARE(drawn(f), 8 + 3);  // one host with its devices, one rack, the spine
    QCOMPARE(alike(g, f, "rack 0"), 3);
    QCOMPARE(alike(g, f, "host0"), 4);
    QCOMPARE(alike(g, f, "spine 0"), 1);
    QCOMPARE(f.shownAs[std::size_t(foldedNode(g, "host11:5"))], foldedNode(g, "host0:5"));
    // Every link is stood for by one that is drawn.
    const auto d = graph::drawFolded(g, f);
    QCOMPARE(d.graph.links.size(), std::size_t(8 + 2));
    QVERIFY(!graph::needsLayout(d.graph));
    QCOMPARE(d.nodes.size(), d.graph.nodes.size());
  }
  void oneFailureStandsAlone() {
    auto g = pods();
    g.nodes[std::size_t(foldedNode(g, "host5:2"))].failed = true;
    const auto f = graph::foldAlike(g);
    QCOMPARE(alike(g, f, "host5"), 1);
    QCOMPARE(alike(g, f, "host4"), 3);
    QCOMPARE(alike(g, f, "rack 1"), 1);
    QCOMPARE(alike(g, f, "rack 0"), 2);
    QCOMPARE(drawn(f), (8 + 2) + (2 * 9 + 1) + 1);
  }
  void aSlowerLinkTellsApart() {
    auto g = pods();
    for (auto& l : g.links)
      if (l.from == foldedNode(g, "host9")) l.bandwidth = l.bandwidth * 0.5;
    const auto f = graph::foldAlike(g);
    QCOMPARE(alike(g, f, "host9"), 1);
    QCOMPARE(alike(g, f, "host8"), 3);
  }
  /// What a plan places on the devices tells hosts apart, wherever in a host it stands.
  void whatIsPlacedTellsApart() {
    const auto g = pods();
    std::vector<int> kinds(g.nodes.size(), 0);
    for (int host = 0; host < 12; ++host)
      for (int d = 0; d < 8; ++d) {
        const bool second = host % 2 == 1 && (host == 3 ? d > 0 : d < 7);
        kinds[std::size_t(foldedNode(g, "host" + std::to_string(host) + ":" + std::to_string(d)))] =
            1 + second;
      }
    const auto f = graph::foldAlike(g, {}, kinds);
    QCOMPARE(alike(g, f, "rack 0"), 3);
    QCOMPARE(alike(g, f, "host0"), 2);
    QCOMPARE(alike(g, f, "host1"), 2);
    for (std::size_t n = 0; n < kinds.size(); ++n) QCOMPARE(kinds[std::size_t(f.shownAs[n])], kinds[n]);
    std::set<std::string> open;
    graph::unfoldFor(g, foldedNode(g, "host11:3"), open, kinds);
    QVERIFY(!graph::foldAlike(g, open, kinds).hides(foldedNode(g, "host11:3")));
  }
  void unfoldedSiblingsAreDrawnOneByOne() {
    const auto g = pods();
    const auto f = graph::foldAlike(g, {"rack 0"});
    QCOMPARE(alike(g, f, "rack 2"), 1);
    QCOMPARE(alike(g, f, "host8"), 4);
    QCOMPARE(drawn(f), 3 * (1 + 9) + 1);
    std::set<std::string> open;
    graph::unfoldFor(g, foldedNode(g, "host10:3"), open);
    QVERIFY(!graph::foldAlike(g, open).hides(foldedNode(g, "host10:3")));
    QVERIFY(open.contains("rack 0"));
  }
  void whatIsLinkedWithItsSiblingsStaysApart() {
    for (const char* id : {"torus-2d", "mesh-2d", "mesh-3d", "ring"}) {
      const auto made = generateNetwork(id);
      QVERIFY(made);
      QVERIFY2(!graph::foldAlike(*made.value).hidesAny(), id);
    }
  }
  void everyGeneratorFoldsToSomethingSmaller_data() {
    QTest::addColumn<QString>("id");
    for (const auto& g : networkGenerators()) QTest::newRow(g.id.c_str()) << QString::fromStdString(g.id);
  }
  void everyGeneratorFoldsToSomethingSmaller() {
    QFETCH(QString, id);
    const auto made = generateNetwork(id.toStdString());
    QVERIFY(made);
    const auto f = graph::foldAlike(*made.value);
    // Nothing is lost: what the drawn nodes stand for are all nodes, of the same kind.
    for (std::size_t i = 0; i < f.shownAs.size(); ++i) {
      QCOMPARE(f.shownAs[std::size_t(f.shownAs[i])], f.shownAs[i]);
      QCOMPARE(made.value->nodes[std::size_t(f.shownAs[i])].kind, made.value->nodes[i].kind);
    }
    QVERIFY(drawn(f) <= static_cast<int>(made.value->nodes.size()));
    for (std::size_t l = 0; l < f.linkShownAs.size(); ++l)
      QCOMPARE(f.linkShownAs[std::size_t(f.linkShownAs[l])], f.linkShownAs[l]);
  }
};
NEST_TEST(TestGraphFold)
#include "test_graph_fold.moc"
