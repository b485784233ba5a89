#include <QtTest/QTest>
#include <cmath>
#include <limits>
#include <random>

#include "cluster/graph/generators.h"
#include "cluster/levels/level_abstraction.h"
#include "formats/networks/astra_sim.h"
#include "formats/networks/dot.h"
#include "formats/networks/graphml.h"
#include "formats/networks/simgrid.h"
#include "support/test_main.h"
#include "test_paths.h"
#include "text/decimal.h"

using namespace nest;

namespace {

std::string data(const std::string& name) {
  return nest::test::readFile(std::string(NEST_TEST_DATA) + '/' + name);
}

/// Every field of every node and link away from its default, figures without short decimals.
NetworkGraph oddGraph() {
  NetworkGraph g;
  const char* ids[] = {"plain", "with blank", "quote\"back\\slash", "<angle & amp>", "näme", "-1.5", "graph"};
  std::mt19937_64 random(7);
  for (const char* id : ids) {
    NetworkNode n;
    n.id = id;
    n.name = std::string("shown ") + id;
    n.kind = NodeKind(g.nodes.size() % 3);
    n.host = g.nodes.empty() ? "" : ids[1];
    n.x = double(random()) / 1e15;
    n.y = -double(random()) / 1e22;
    n.speed = double(random() % 1000 + 1) / 1001;
    n.memory = Bytes(double(random() % 1000000007));
    n.failed = g.nodes.size() == 4;
    g.nodes.push_back(n);
  }
  for (int i = 0; i < 60; ++i) {
    const double rate =
        std::ldexp(1 + double(random() % 4503599627370496) / 4503599627370496, int(random() % 60));
    g.links.push_back({int(random() % 7), int(random() % 7), BytesPerSecond(rate),
                       Seconds(double(random()) / 1e25), int(random() % 9 + 1), random() % 2 == 0,
                       random() % 5 == 0, Origin(random() % 4)});
  }
  return g;
}

QString graphLevels(const NetworkGraph& g) {
  DeviceSpec d;
  d.memory.value = Bytes(1e9);
  const auto a = abstractLevels({g, {}, {}}, d);
  if (!a) qFatal("%s", toText(a.diagnostics.front()).c_str());
  const auto h = Hierarchy::build(a->input);
  QString out;
  for (int l = 0; l < h->levelCount(); ++l)
    out += QString("%1%2 %3")
               .arg(l ? ", " : "")
               .arg(h->largestGroupSize(l))
               .arg(h->level(l).bandwidth.value() / 1e9);
  return out;
}

}  // namespace

class TestNetworkFormats : public QObject {
  Q_OBJECT
private slots:
  void dotDefaultsOfOneNameReplaceEachOther() {
    std::string text = "graph { node [kind=switch]; edge [gbps=1, GBPS=2, color=red]; ";
    for (int i = 0; i < 400; ++i) text += "node [colour" + std::to_string(i) + "=x]; edge [w=1]; ";
    const auto g = readDot(text + "Node [Kind=device]; a -- b; b -- c [Gbps=3] }");
    QVERIFY(g);
    QCOMPARE(g->graph.deviceCount(), 3);
    QCOMPARE(g->graph.links[0].bandwidth.value(), 2e9);
    QCOMPARE(g->graph.links[1].bandwidth.value(), 3e9);
  }
  void decimalsKeepTheirBits() {
    std::mt19937_64 random(3);
    for (int i = 0; i < 100000; ++i) {
      const auto bits = random();
      double v;
      static_assert(sizeof v == sizeof bits);
      std::memcpy(&v, &bits, sizeof v);
      if (!std::isfinite(v) || std::abs(v) > 1e290 || (v != 0 && std::abs(v) < 1e-290)) continue;
      for (int power : {-9, -6, 0, 9}) {
        const auto back = readDecimal(writeDecimal(v, power), power);
        QVERIFY(back.has_value());
        QCOMPARE(*back, v);
      }
    }
    QCOMPARE(QString::fromStdString(writeDecimal(37.5e9, 9)), QString("37.5"));
    QCOMPARE(QString::fromStdString(writeDecimal(1e-6, -6)), QString("1"));
    QCOMPARE(QString::fromStdString(writeDecimal(5e-7, -6)), QString("0.5"));
    for (const char* bad : {"", "nan", "inf", "0x10", "1e999", "1 2", "--1", "1e", "."})
      QVERIFY2(!readDecimal(bad), bad);
  }

  void graphsSurviveBothFormats() {
    const NetworkGraph odd = oddGraph();
    const auto xml = readGraphMl(writeGraphMl({odd})), dot = readDot(writeDot({odd}));
    QVERIFY2(bool(xml), xml ? "" : toText(xml.diagnostics.front()).c_str());
    QVERIFY2(bool(dot), dot ? "" : toText(dot.diagnostics.front()).c_str());
    QVERIFY(xml->graph == odd && xml->states.empty());
    QVERIFY(dot->graph == odd && dot->states.empty());
    for (const auto& generator : networkGenerators()) {
      const auto g = generateNetwork(generator.id, {{"lost_links", 2}});
      QVERIFY(g);
      QVERIFY(readGraphMl(writeGraphMl({*g}))->graph == *g);
      QVERIFY(readDot(writeDot({*g}))->graph == *g);
    }
  }

  void graphMlDefaultsAndDirections() {
    const auto g = readGraphMl(data("graphml/small.graphml"));
    QVERIFY(g);
    QCOMPARE(g->graph.deviceCount(), 2);
    QCOMPARE(int(g->graph.nodes[2].kind), int(NodeKind::Switch));
    QVERIFY(!g->graph.links[0].directed && g->graph.links[1].directed);
    QCOMPARE(graphLevels(g->graph), QString("2 80"));
  }
  /// Other programs mean gigabits by gbps: what only a port can have is doubted, once.
  void gigabitsAreNotTakenInSilence() {
    const auto doubts = [](const std::string& edge) {
      const auto g =
          readDot("graph { a [kind=device]; b [kind=device]; a -- s " + edge + "; b -- s " + edge + " }");
      return g ? static_cast<int>(std::count_if(g.diagnostics.begin(), g.diagnostics.end(),
                                                [](const Diagnostic& d) { return d.code == "gbps-unit"; }))
               : -1;
    };
    QCOMPARE(doubts("[gbps=400]"), 1);
    QCOMPARE(doubts("[gbps=800.0]"), 1);
    QCOMPARE(doubts("[gbps=450]"), 0);
    QCOMPARE(doubts("[gbps=\"400 GB/s\"]"), 0);
    QCOMPARE(doubts("[bandwidth=\"400 Gb/s\"]"), 0);
  }
  void dotSubgraphsAndStrings() {
    const auto g = readDot(data("dot/small.dot"));
    QVERIFY(g);
    QCOMPARE(g->graph.nodes.size(), std::size_t(3));
    QCOMPARE(g->graph.nodes[1].name, std::string("device 1"));
    QCOMPARE(g->graph.nodes[1].memory.value(), 80 * 1024.0 * 1024 * 1024);
    QCOMPARE(g->graph.links.size(), std::size_t(2));
    QCOMPARE(g->graph.links[0].latency.value(), 0.5e-6);
    QCOMPARE(graphLevels(g->graph), QString("2 450"));
  }

  void simGridClusters_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<int>("switches");
    QTest::addColumn<int>("links");
    QTest::addColumn<QString>("levels");
    // Four leaves of four; each leaf has two uplinks of two parallel links.
    QTest::newRow("fat tree") << "simgrid/fat_tree.xml" << 4 + 2 << 16 + 8 << "4 50, 16 50";
    QTest::newRow("torus") << "simgrid/torus.xml" << 0 << 3 * 64 << "4 50, 16 50, 64 50";
    // 60 routers; green 10 a chassis, black 6 for each of 5 slots a group, blue 3 pairs.
    QTest::newRow("dragonfly") << "simgrid/dragonfly.xml" << 60 << 120 + 12 * 10 + 3 * 5 * 6 + 3 << "";
    QTest::newRow("flat") << "simgrid/flat.xml" << 1 << 5 << "5 1.25";
  }
  void simGridClusters() {
    QFETCH(QString, file);
    QFETCH(int, switches);
    QFETCH(int, links);
    QFETCH(QString, levels);
    const auto g = readSimGrid(data(file.toStdString()));
    QVERIFY(g);
    QCOMPARE(int(g->nodes.size()) - g->deviceCount(), switches);
    QCOMPARE(int(g->links.size()), links);
    if (!levels.isEmpty())
      QCOMPARE(graphLevels(*g), levels);
    else
      QVERIFY(!graphLevels(*g).isEmpty());
    QCOMPARE(
        g->nodes.back().kind == NodeKind::Device ? g->nodes.back().name.substr(0, 5) : std::string("node-"),
        std::string("node-"));
  }

  void astraSim() {
    const auto n = readAstraSim(data("astra-sim/h100.yml"));
    QVERIFY(n);
    QVERIFY(*readAstraSim(writeAstraSim(*n)) == *n);
    const LevelsSource levels = nest::levelsOf(*n);
    QCOMPARE(levels.levels[0].bandwidth.value(), 450e9);
    QCOMPARE(levels.levels[0].latency.value(), 2 * 936.25e-9);
    QCOMPARE(levels.levels[2].latency.value(), 16 * 3e-6);
    QCOMPARE(levels.levels[2].fanout, 32);
  }
  void whatIsTooLargeIsCalledSo() {
    const auto astra = [](const char* count) {
      return readAstraSim(std::string("topology: [ Switch ]\nnpus_count: [ ") + count +
                          " ]\nbandwidth: [ 50 ]\nlatency: [ 500 ]\n")
          .diagnostics.front()
          .message;
    };
    QCOMPARE(astra("2000000000"), std::string("at most 1,048,576 NPUs are read"));
    QCOMPARE(astra("0"), std::string("npus_count must be an integer of 1 or more (found \"0\")"));
    const auto simgrid = [](const char* attributes) {
      return readSimGrid(std::string("<platform version=\"4.1\"><cluster id=\"c\" prefix=\"n\" suffix=\"\" "
                                     "speed=\"1Tf\" bw=\"50GBps\" lat=\"1us\" ") +
                         attributes + "/></platform>")
          .diagnostics.front()
          .message;
    };
    const std::string tooLarge = "the cluster is too large: at most 200,000 hosts are read";
    QCOMPARE(simgrid("radical=\"0-2000000000\""), tooLarge);
    QCOMPARE(simgrid("radical=\"0-1\" topology=\"DRAGONFLY\" topo_parameters=\"3000000,1;1,1;1,1;1\""),
             tooLarge);
    QCOMPARE(simgrid("radical=\"0-x\""),
             std::string("radical is \"0-x\"; expected numbers and ranges like \"0-15,20\""));
  }
  void hierarchiesBecomeAstraSim() {
    HierarchyInput in;
    in.device.memory.value = Bytes(1);
    in.levels = {{"host", BytesPerSecond(450e9), Seconds(1e-6)},
                 {"rack", BytesPerSecond(50e9), Seconds(0.1e-6 + 0.2e-6 + 4.7e-6)}};
    in.fanouts = {8, 4};
    const auto n = astraSimOf(*Hierarchy::build(in));
    QVERIFY(n);
    QCOMPARE(n->dimensions[1].npus, 4);
    const LevelsSource back = nest::levelsOf(*n);
    QCOMPARE(back.levels[1].latency.value(), 5e-6);
    QVERIFY(writeAstraSim(*n).find("latency: [ 500, 2500 ]") != std::string::npos);
    in.excluded = {3};
    QVERIFY(!astraSimOf(*Hierarchy::build(in)));
    in.excluded.clear();
    in.factors.assign(32, {});
    in.factors[0].speed = 0.5;
    const auto differing = astraSimOf(*Hierarchy::build(in));
    QVERIFY(differing);
    QCOMPARE(differing.diagnostics.front().code, std::string("astra-devices"));
  }
};
NEST_TEST(TestNetworkFormats)
#include "test_network_formats.moc"
