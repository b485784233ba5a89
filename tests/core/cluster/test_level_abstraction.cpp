#include <QtTest/QTest>
#include <cmath>
#include <random>
#include <set>

#include "cluster/devices/device_catalog.h"
#include "cluster/graph/generators.h"
#include "cluster/graph/graph_edit.h"
#include "cluster/levels/level_abstraction.h"
#include "support/test_main.h"

using namespace nest;

namespace {

DeviceSpec device() {
  DeviceSpec d;
  d.memory.value = Bytes(80e9);
  d.linkBandwidth.value = BytesPerSecond(450e9);
  return d;
}

GraphSource generated(const char* id, std::map<std::string, double> values) {
  auto g = generateNetwork(id, values);
  if (!g) {
    for (const auto& d : g.diagnostics) qWarning("%s", toText(d).c_str());
    qFatal("the generator refused");
  }
  return {*g, {}, {}};
}

LevelAbstraction levelsOf(const GraphSource& s) {
  auto a = abstractLevels(s, device());
  if (!a) {
    for (const auto& d : a.diagnostics) qWarning("%s", toText(d).c_str());
    qFatal("no levels");
  }
  return *a;
}

/// "host 8 450 GB/s, …": name, largest group and bandwidth of each level.
QString inWords(const LevelAbstraction& a) {
  const auto h = Hierarchy::build(a.input);
  if (!h) return "refused";
  QString out;
  for (int l = 0; l < h->levelCount(); ++l)
    out += QString("%1%2 %3 %4")
               .arg(l ? ", " : "", QString::fromStdString(h->level(l).name))
               .arg(h->largestGroupSize(l))
               .arg(h->level(l).bandwidth.value() / 1e9);
  return out;
}

}  // namespace

class TestLevelAbstraction : public QObject {
  Q_OBJECT
private slots:
  void generatedNetworks_data() {
    QTest::addColumn<QString>("id");
    QTest::addColumn<QString>("values");
    QTest::addColumn<QString>("levels");
    QTest::newRow("pod") << "hgx-pod"
                         << "hosts=4"
                         << "host 8 450, fabric 32 50";
    QTest::newRow("one host") << "hgx-pod"
                              << "hosts=1"
                              << "host 8 450";
    QTest::newRow("one device") << "hgx-pod"
                                << "hosts=1 devices_per_host=1"
                                << "device 1 450";
    QTest::newRow("spine-leaf, non-blocking: the tiers differ by latency")
        << "spine-leaf"
        << ""
        << "host 8 450, leaf 32 50, spine 128 50";
    QTest::newRow("spine-leaf, oversubscribed") << "spine-leaf"
                                                << "oversubscription=4"
                                                << "host 8 450, leaf 32 50, spine 128 12.5";
    QTest::newRow("rails, oversubscribed") << "rail-optimised"
                                           << "pods=3 hosts_per_pod=5 oversubscription=2"
                                           << "host 8 450, leaf 40 50, spine 120 25";
    QTest::newRow("fat tree") << "fat-tree"
                              << "k=4 devices_per_host=1"
                              << "leaf 2 50, pod 4 50, core 16 50";
    QTest::newRow("plane") << "torus-2d"
                           << "x=4 y=8"
                           << "line 4 50, plane 32 50";
    QTest::newRow("cube") << "torus-3d"
                          << "x=6 y=4 z=4"
                          << "line 4 50, plane 16 50, cube 96 50";
    QTest::newRow("mesh") << "mesh-2d"
                          << "x=5 y=3"
                          << "line 3 50, plane 15 50";
    QTest::newRow("ring") << "ring"
                          << "devices=16"
                          << "1 hop 2 50, 3 hops 4 50, beyond 16 25";
    QTest::newRow("slices") << "tpu-slice"
                            << ""
                            << "line 4 50, plane 16 50, cube 64 50, fabric 128 6.25";
  }
  void generatedNetworks() {
    QFETCH(QString, id);
    QFETCH(QString, values);
    QFETCH(QString, levels);
    std::map<std::string, double> v;
    for (const QString& pair : values.split(' ', Qt::SkipEmptyParts))
      v[pair.section('=', 0, 0).toStdString()] = pair.section('=', 1).toDouble();
    const auto a = levelsOf(generated(id.toUtf8().constData(), v));
    QCOMPARE(inWords(a), levels);
    QVERIFY(a.irregularities.empty());
    std::set<int> once(a.deviceNodes.begin(), a.deviceNodes.end());
    QCOMPARE(once.size(), a.input.identities.size());
  }

  void hostsKeepTheirNames() {
    const auto a = levelsOf(generated("spine-leaf", {}));
    const auto h = Hierarchy::build(a.input);
    QVERIFY(h);
    QCOMPARE(h->identity(DeviceIndex(9)).host, std::string("host1"));
    QCOMPARE(h->identity(DeviceIndex(9)).slot, 1);
  }

  void aPathLatencyAddsUp() {
    const auto a = levelsOf(generated("spine-leaf", {{"host_latency", 0.5}, {"link_latency", 2}}));
    QVERIFY(std::abs(a.input.levels[0].latency.value() - 1e-6) < 1e-15);
    QVERIFY(std::abs(a.input.levels[1].latency.value() - 4e-6) < 1e-15);
    QVERIFY(std::abs(a.input.levels[2].latency.value() - 8e-6) < 1e-15);
  }

  void oversubscriptionIsTold() {
    const auto a = levelsOf(generated("spine-leaf", {{"oversubscription", 4}}));
    QCOMPARE(a.input.levels[2].oversubscription, 4.0);
    QCOMPARE(a.input.levels[1].oversubscription, 1.0);
    // The levels price a shared uplink, a lone transfer does not feel it.
    QVERIFY(std::abs(a.distortion.atGigabyte - 4) < 0.01);
    QVERIFY(std::abs(a.distortion.whenAllSend - 1) < 1e-9);
  }

  /// Levels that are drawn give themselves back: a shared uplink is no fault to be warned of, unlike groups
  /// in one level are.
  void onlyUnlikeGroupsAreWarnedOf() {
    LevelsSource typed;
    typed.levels = {{"host", 8, BytesPerSecond(450e9), {}, Seconds(2e-6)},
                    {"leaf", 4, BytesPerSecond(12.5e9), {}, Seconds(4e-6)},
                    {"spine", 4, BytesPerSecond(12.5e9), {}, Seconds(6e-6), 4}};
    GraphSource drawn;
    drawn.graph = graph::fromLevels(typed);
    const auto warned = [](const GraphSource& s) {
      const auto levels = abstractLevels(s, *findDevice("h100-sxm"));
      return std::any_of(levels.diagnostics.begin(), levels.diagnostics.end(),
                         [](const Diagnostic& d) { return d.code == "levels-distort"; });
    };
    const auto a = levelsOf(drawn);
    QVERIFY(a.distortion.atGigabyte > 2);
    QVERIFY(std::abs(a.distortion.whenAllSend - 1) < 1e-9);
    QVERIFY(!warned(drawn));
    for (NetworkLink& l : drawn.graph.links)  // one leaf's uplink loses most of its width
      if (drawn.graph.nodes[std::size_t(l.from)].name == "leaf 0") l.count = 4;
    drawn.cuts = {100e9};  // and the user has put all fabric into one level
    QVERIFY(levelsOf(drawn).distortion.whenAllSend > 2);
    QVERIFY(warned(drawn));
  }

  void exactLevelsDoNotDistort() {
    const auto a = levelsOf(generated("hgx-pod", {{"hosts", 4}}));
    QVERIFY(!a.distortion.sampled);
    QCOMPARE(a.distortion.pairs, 32LL * 31);
    QVERIFY(std::abs(a.distortion.atMegabyte - 1) < 1e-12);
    QVERIFY(std::abs(a.distortion.atGigabyte - 1) < 1e-12);
  }

  /// The pair that the levels misjudge most is one of the host that differs, by both of its ends.
  void theWorstPairIsNamedByBothEnds() {
    for (const int odd : {0, 1, 3}) {
      auto s = generated("hgx-pod", {{"hosts", 4}});
      const std::string host = "host" + std::to_string(odd);
      for (NetworkLink& l : s.graph.links)
        for (const int end : {l.from, l.to})
          if (s.graph.nodes[std::size_t(end)].host == host && l.bandwidth == BytesPerSecond(450e9))
            l.count = 3;
      s.cuts = {100e9};  // all hosts in one level
      const auto a = levelsOf(s);
      QVERIFY(a.distortion.atGigabyte > 2);
      const auto hostAt = [&](int input) { return a.input.identities[std::size_t(input)].host; };
      QCOMPARE(hostAt(a.distortion.worstFrom), host);
      QCOMPARE(hostAt(a.distortion.worstTo), host);
      QVERIFY(a.distortion.worstFrom != a.distortion.worstTo);
    }
  }

  void lostDevicesAreNamed() {
    auto s = generated("hgx-pod", {{"hosts", 10}});
    for (auto& n : s.graph.nodes)
      if (n.id == "host7.gpu2" || n.id == "host7.gpu5") n.failed = true;
    const auto a = levelsOf(s);
    QVERIFY(std::count(a.irregularities.begin(), a.irregularities.end(), "host7 has 6 of 8 devices") == 1);
    QCOMPARE(a.input.identities.size(), std::size_t(78));
    const auto h = Hierarchy::build(a.input);
    QVERIFY(h);
    QCOMPARE(h->identity(DeviceIndex(77)).host, std::string("host7"));
  }

  /// Hosts whose devices join at different levels are kinds of hosts, not irregular ones.
  void kindsOfHostsAreNotIrregular() {
    NetworkGraph g;
    const auto link = [&g](int a, int b, double bandwidth) {
      NetworkLink l;
      l.from = a, l.to = b, l.bandwidth = BytesPerSecond(bandwidth), l.latency = Seconds(1e-6);
      g.links.push_back(l);
    };
    const int spine = graph::addNode(g, NodeKind::Switch, 0, 0, "spine");
    for (const bool fast : {false, true}) {
      const int leaf = graph::addNode(g, NodeKind::Switch, 0, 0, fast ? "new" : "old");
      link(leaf, spine, 1600e9);
      for (int h = 0; h < 4; ++h) {
        const std::string name = (fast ? "h" : "a") + std::to_string(h);
        const int inner = graph::addNode(g, NodeKind::Switch, 0, 0, name + ":nvswitch");
        link(inner, leaf, fast ? 200e9 : 100e9);
        for (int d = 0; d < 8; ++d) {
          const int device = graph::addNode(g, NodeKind::Device, 0, 0, name + ":" + std::to_string(d));
          g.nodes[std::size_t(device)].host = name;
          link(device, inner, fast ? 370e9 : 240e9);
        }
      }
    }
    const auto a = levelsOf({g, {}, {}});
    QVERIFY(a.input.levels.size() > 2);
    QVERIFY(a.irregularities.empty());
  }

  void lostUplinksAreNamedAndSlowTheirLevel() {
    auto s = generated("spine-leaf", {});
    for (auto& l : s.graph.links)
      if (s.graph.nodes[std::size_t(l.from)].id == "leaf2" && s.graph.nodes[std::size_t(l.to)].id == "spine1")
        l.failed = true;
    const auto a = levelsOf(s);
    QCOMPARE(inWords(a), QString("host 8 450, leaf 32 50, spine 128 25"));
    bool named = false;
    for (const auto& i : a.irregularities)
      named = named || i.find("800 GB/s where 1,600 GB/s are usual") != std::string::npos;
    QVERIFY(named);
  }

  void cutsMoveTheLevels() {
    auto s = generated("spine-leaf", {{"oversubscription", 4}});
    s.cuts = {30e9};
    QCOMPARE(inWords(levelsOf(s)), QString("leaf 32 50, spine 128 12.5"));
    s.cuts = {100e9, 30e9};
    QCOMPARE(inWords(levelsOf(s)), QString("host 8 450, leaf 32 50, spine 128 12.5"));
    s.cuts = {1};
    QCOMPARE(inWords(levelsOf(s)), QString("fabric 128 12.5"));
  }

  void aTorusWithAHoleFallsBackToHops() {
    auto s = generated("torus-2d", {{"x", 6}, {"y", 6}, {"lost_devices", 1}});
    const auto a = levelsOf(s);
    QCOMPARE(a.input.identities.size(), std::size_t(35));
    QCOMPARE(a.input.levels.front().name, std::string("1 hop"));
    QCOMPARE(a.input.levels.back().name, std::string("beyond"));
    QVERIFY(Hierarchy::build(a.input));
  }

  void snakeNeighboursAreLinked() {
    const auto s = generated("mesh-3d", {{"x", 3}, {"y", 5}, {"z", 4}});
    const auto a = levelsOf(s);
    std::set<std::pair<int, int>> linked;
    for (const auto& l : s.graph.links) linked.insert({l.from, l.to}), linked.insert({l.to, l.from});
    for (std::size_t i = 1; i < a.deviceNodes.size(); ++i)
      QVERIFY(linked.count({a.deviceNodes[i - 1], a.deviceNodes[i]}));
  }

  void theOrderOfTheFileDoesNotMatter() {
    auto s = generated("spine-leaf", {{"oversubscription", 4}, {"lost_devices", 3}});
    auto t = s;
    const int n = int(t.graph.nodes.size());
    std::reverse(t.graph.nodes.begin(), t.graph.nodes.end());
    for (auto& l : t.graph.links) l.from = n - 1 - l.from, l.to = n - 1 - l.to;
    const auto x = Hierarchy::build(levelsOf(s).input), y = Hierarchy::build(levelsOf(t).input);
    QVERIFY(x && y);
    for (int i = 0; i < x->deviceCount(); ++i)
      for (int j = 0; j < i; ++j) QCOMPARE(x->levelBetween(i, j), y->levelBetween(i, j));
    for (int l = 0; l < x->levelCount(); ++l)
      QCOMPARE(x->level(l).bandwidth.value(), y->level(l).bandwidth.value());
  }

  void whatOnlyFailuresCutOffIsLeftOut() {
    LevelsSource typed;
    typed.levels = {{"host", 4, BytesPerSecond(450e9), {}, Seconds(2e-6)},
                    {"leaf", 2, BytesPerSecond(50e9), {}, Seconds(4e-6)},
                    {"spine", 3, BytesPerSecond(12.5e9), {}, Seconds(6e-6)}};
    GraphSource s;
    s.graph = graph::fromLevels(typed);
    const auto named = [&](const char* name) {
      return static_cast<int>(std::find_if(s.graph.nodes.begin(), s.graph.nodes.end(),
                                           [&](const auto& n) { return n.name == name; }) -
                              s.graph.nodes.begin());
    };
    s.graph.nodes[std::size_t(named("leaf 1"))].failed = true;
    const auto r = abstractLevels(s, device());
    QVERIFY(r);
    QCOMPARE(r->deviceNodes.size(), std::size_t(16));
    QCOMPARE(devicesInOrder(s, device()), r->deviceNodes);
    for (int v : r->deviceNodes) QVERIFY(s.graph.nodes[std::size_t(v)].host != "host2");
    QVERIFY(std::any_of(r.diagnostics.begin(), r.diagnostics.end(), [](const Diagnostic& d) {
      return d.code == "cut-off" && d.message.starts_with("8 devices are");
    }));
    const auto problems = graph::problemsOf(s.graph);
    QCOMPARE(problems.size(), std::size_t(2));
    for (const auto& p : problems) QVERIFY(p.diagnostic.severity == Severity::Warning);
    // A host box that failed alone takes what hangs on it along, said once.
    s.graph.nodes[std::size_t(named("leaf 1"))].failed = false;
    s.graph.nodes[std::size_t(named("host0"))].failed = true;
    QCOMPARE(abstractLevels(s, device())->deviceNodes.size(), std::size_t(20));
    QCOMPARE(graph::problemsOf(s.graph).size(), std::size_t(1));
    // What was never joined is an error, whatever else has failed.
    s.graph.links.erase(s.graph.links.end() - 1);
    const auto apart = abstractLevels(s, device());
    QVERIFY(!apart && apart.diagnostics.back().code == "network-disconnected");
  }

  void badNetworksAreRefused() {
    GraphSource s;
    QVERIFY(!abstractLevels(s, device()));
    for (const char* id : {"a", "b"}) {
      NetworkNode n;
      n.id = n.name = id;
      n.kind = NodeKind::Device;
      s.graph.nodes.push_back(n);
    }
    auto r = abstractLevels(s, device());
    QVERIFY(!r);
    QCOMPARE(r.diagnostics.front().code, std::string("network-disconnected"));
    s.graph.links = {{0, 5, BytesPerSecond(1e9), Seconds(0)},
                     {0, 1, BytesPerSecond(std::nan("")), Seconds(-1)}};
    r = abstractLevels(s, device());
    QVERIFY(!r);
    QCOMPARE(r.diagnostics.size(), std::size_t(3));
    s.graph.links = {{0, 1, BytesPerSecond(1e9), Seconds(0), 1, true}};
    QVERIFY(!abstractLevels(s, device()));  // no way back
    s.graph.links.push_back({1, 0, BytesPerSecond(2e9), Seconds(0), 1, true});
    const auto both = abstractLevels(s, device());
    QVERIFY(both);
    QCOMPARE(both->input.levels[0].bandwidth.value(), 1e9);
  }

  void widestPathsAreThoseOfTheGraph_data() {
    QTest::addColumn<int>("widths");
    QTest::newRow("two widths") << 2;
    QTest::newRow("ten widths") << 10;
    QTest::newRow("nearly all differ") << 1000000;
  }
  void widestPathsAreThoseOfTheGraph() {
    QFETCH(int, widths);
    std::mt19937 random(5);
    for (int round = 0; round < 60; ++round) {
      const int n = 3 + int(random() % 40), links = n + int(random() % (20 * unsigned(n)));
      NetworkGraph g;
      std::vector<std::vector<double>> widest(std::size_t(n), std::vector<double>(std::size_t(n), 0));
      for (int i = 0; i < n; ++i) {
        NetworkNode node;
        node.id = node.name = "n" + std::to_string(i);
        node.kind = i < 2 || random() % 2 ? NodeKind::Device : NodeKind::Switch;
        g.nodes.push_back(node);
      }
      for (int k = 0; k < links; ++k) {
        const int a = k < n - 1 ? k + 1 : int(random() % unsigned(n)),
                  b = k < n - 1 ? int(random() % unsigned(k + 1)) : int(random() % unsigned(n));
        g.links.push_back({a, b, BytesPerSecond(1e9 * (1 + int(random() % unsigned(widths)))), Seconds(1e-6),
                           1, false, false, Origin::Typed});
      }
      const auto fabric = prepareFabric(g, device());
      QVERIFY(fabric);
      for (const auto& e : fabric->edges)
        widest[std::size_t(e.a)][std::size_t(e.b)] = widest[std::size_t(e.b)][std::size_t(e.a)] = e.width();
      for (std::size_t k = 0; k < std::size_t(n); ++k)
        for (std::size_t i = 0; i < std::size_t(n); ++i)
          for (std::size_t j = 0; j < std::size_t(n); ++j)
            widest[i][j] = std::max(widest[i][j], std::min(widest[i][k], widest[k][j]));
      const auto d = buildDendrogram(*fabric);
      QCOMPARE(d.parts, 1);
      QCOMPARE(std::set<int>(d.order.begin(), d.order.end()).size(), std::size_t(fabric->deviceCount()));
      for (int i = 0; i < fabric->deviceCount(); ++i)
        for (int j = 0; j < i; ++j) {
          int a = i, b = j;
          while (a != b) (a < b ? a : b) = d.nodes[std::size_t(std::min(a, b))].parent;
          const double path = widest[std::size_t(fabric->devices[std::size_t(i)])]
                                    [std::size_t(fabric->devices[std::size_t(j)])];
          const double ratio = d.nodes[std::size_t(a)].width / path;
          QVERIFY2(ratio <= 1 + 1e-12 && ratio >= 1 / 1.05, qPrintable(QString::number(ratio)));
        }
      QVERIFY(Hierarchy::build(levelsOf({g, {}, {}}).input));
    }
  }

  void tenThousandDevices() {
    const auto s = generated(
        "spine-leaf", {{"leaves", 40}, {"hosts_per_leaf", 32}, {"spines", 16}, {"oversubscription", 2}});
    const auto a = levelsOf(s);
    QCOMPARE(inWords(a), QString("host 8 450, leaf 256 50, spine 10240 25"));
    QVERIFY(a.distortion.sampled);
    QBENCHMARK {
      (void)abstractLevels(s, device());
    }
  }
};
NEST_TEST(TestLevelAbstraction)
#include "test_level_abstraction.moc"
