#include <QtTest/QTest>
#include <algorithm>
#include <cmath>
#include <map>

#include "cluster/graph/generators.h"
#include "cluster/graph/routing.h"
#include "support/test_main.h"

using namespace nest;

namespace {
int nodeOf(const NetworkGraph& g, const std::string& id) {
  for (std::size_t i = 0; i < g.nodes.size(); ++i)
    if (g.nodes[i].id == id) return int(i);
  qFatal("no such node");
}
Bytes loadOf(const NetworkGraph& g, const RoutedTraffic& r, const std::string& from, const std::string& to) {
  const int a = nodeOf(g, from), b = nodeOf(g, to);
  for (const auto& l : r.links) {
    if (l.a == a && l.b == b) return l.forward;
    if (l.a == b && l.b == a) return l.backward;
  }
  qFatal("no such link");
}

/// Bytes over each link one way, found without any shortcut: all distances by relaxing until nothing changes,
/// then every flow of its own, node by node.
std::map<std::pair<int, int>, double> carriedOneByOne(const NetworkGraph& g,
                                                      const std::vector<NodeFlow>& flows) {
  const auto links = routeTraffic(g, {}, {})->links;
  struct Way {
    int from, to;
    double cost;
  };
  std::vector<Way> ways;
  for (const auto& l : links) {
    const double latency = [&] {
      double least = 1e9;
      for (const auto& x : g.links)
        if (std::minmax(x.from, x.to) == std::minmax(l.a, l.b)) least = std::min(least, x.latency.value());
      return least == 1e9 ? 0 : least;
    }();
    if (l.forwardRate.value() > 0) ways.push_back({l.a, l.b, latency + 1e6 / l.forwardRate.value()});
    if (l.backwardRate.value() > 0) ways.push_back({l.b, l.a, latency + 1e6 / l.backwardRate.value()});
  }
  std::map<std::pair<int, int>, double> out;
  for (const auto& f : flows) {
    if (f.from == f.to) continue;
    std::vector<double> far(g.nodes.size(), 1e300), amount(g.nodes.size(), 0);
    far[std::size_t(f.to)] = 0;
    for (bool changed = true; changed;) {
      changed = false;
      for (const auto& w : ways)
        if (far[std::size_t(w.to)] + w.cost < far[std::size_t(w.from)])
          far[std::size_t(w.from)] = far[std::size_t(w.to)] + w.cost, changed = true;
    }
    std::vector<int> order(g.nodes.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = int(i);
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return far[std::size_t(a)] > far[std::size_t(b)]; });
    amount[std::size_t(f.from)] = f.bytes.value();
    for (int v : order) {
      if (!(amount[std::size_t(v)] > 0) || v == f.to) continue;
      std::vector<Way> next;
      for (const auto& w : ways)
        if (w.from == v && far[std::size_t(w.to)] < far[std::size_t(v)] &&
            far[std::size_t(w.to)] + w.cost <= far[std::size_t(v)] * (1 + 1e-9))
          next.push_back(w);
      for (const auto& w : next) {
        out[{v, w.to}] += amount[std::size_t(v)] / double(next.size());
        amount[std::size_t(w.to)] += amount[std::size_t(v)] / double(next.size());
      }
    }
  }
  return out;
}

/// Each device sends to the next two and to one far away.
std::vector<NodeFlow> someOfEach(const NetworkGraph& g) {
  std::vector<int> devices;
  for (std::size_t i = 0; i < g.nodes.size(); ++i)
    if (g.nodes[i].kind == NodeKind::Device) devices.push_back(int(i));
  std::vector<NodeFlow> out;
  const auto n = devices.size();
  for (std::size_t i = 0; i < n; ++i)
    for (const std::size_t far : {std::size_t(1), std::size_t(2), n / 2 + 1})
      out.push_back({devices[i], devices[(i + far) % n], Bytes(1e6 * double(i % 7 + far % 5 + 1))});
  return out;
}
}  // namespace

class TestRouting : public QObject {
  Q_OBJECT
private slots:
  void equalCostPathsShareTheLoad() {
    const auto g = generateNetwork("spine-leaf", {{"spines", 4}});
    QVERIFY(g);
    const auto r = routeTraffic(*g, {}, {{nodeOf(*g, "host0.gpu0"), nodeOf(*g, "host4.gpu0"), Bytes(8e9)}});
    QVERIFY(r);
    for (const char* spine : {"spine0", "spine1", "spine2", "spine3"}) {
      QCOMPARE(loadOf(*g, *r, "leaf0", spine).value(), 2e9);
      QCOMPARE(loadOf(*g, *r, spine, "leaf1").value(), 2e9);
      QCOMPARE(loadOf(*g, *r, "leaf1", spine).value(), 0.0);
    }
    QCOMPARE(loadOf(*g, *r, "host0.gpu0", "leaf0").value(), 8e9);
    QVERIFY(std::abs(r->bound.value() - 8.0 / 50) < 1e-12);
    QVERIFY(nameOfLink(*g, r->links[std::size_t(r->busiest)]).find("gpu0") != std::string::npos);
    QCOMPARE(r->routed.value(), 8e9);
  }
  void insideAHostTheFastSwitchIsTaken() {
    const auto g = generateNetwork("hgx-pod", {{"hosts", 2}});
    const auto r = routeTraffic(*g, {}, {{nodeOf(*g, "host0.gpu0"), nodeOf(*g, "host0.gpu5"), Bytes(45e9)}});
    QVERIFY(r);
    QCOMPARE(loadOf(*g, *r, "host0.gpu0", "host0").value(), 45e9);
    QCOMPARE(loadOf(*g, *r, "host0.gpu0", "fabric").value(), 0.0);
    QVERIFY(std::abs(r->bound.value() - 0.1) < 1e-12);
  }
  void bytesAreKeptOnATorus() {
    // What leaves the senders arrives: the sum over links is bytes times hops.
    const auto g = generateNetwork("torus-2d", {{"x", 6}, {"y", 6}});
    std::vector<NodeFlow> flows;
    for (int k = 0; k < 36; ++k) flows.push_back({k, (k + 15) % 36, Bytes(1e6 * (k + 1))});
    const auto r = routeTraffic(*g, {}, flows);
    QVERIFY(r);
    double carried = 0, expected = 0;
    for (const auto& l : r->links) carried += l.forward.value() + l.backward.value();
    for (const auto& f : flows) {
      const int dx = std::abs(f.from % 6 - f.to % 6), dy = std::abs(f.from / 6 - f.to / 6);
      expected += f.bytes.value() * (std::min(dx, 6 - dx) + std::min(dy, 6 - dy));
    }
    QVERIFY(std::abs(carried / expected - 1) < 1e-12);
  }
  void aDirectedLinkCarriesOneWay() {
    NetworkGraph g;
    for (const char* id : {"a", "b", "c"}) {
      NetworkNode n;
      n.id = n.name = id;
      n.kind = NodeKind::Device;
      g.nodes.push_back(n);
    }
    g.links = {{0, 1, BytesPerSecond(1e9), Seconds(0), 1, true},
               {1, 2, BytesPerSecond(1e9), Seconds(0), 1, true},
               {2, 0, BytesPerSecond(1e9), Seconds(0), 1, true}};
    const auto r = routeTraffic(g, {}, {{1, 0, Bytes(5e9)}});
    QVERIFY(r);
    QCOMPARE(loadOf(g, *r, "a", "b").value(), 0.0);
    QCOMPARE(loadOf(g, *r, "b", "c").value(), 5e9);
    QCOMPARE(loadOf(g, *r, "c", "a").value(), 5e9);
    g.links.pop_back();
    QVERIFY(!routeTraffic(g, {}, {{1, 0, Bytes(5e9)}}));
  }
  void shortcutsCarryWhatEachFlowAloneWould_data() {
    QTest::addColumn<QString>("generator");
    for (const auto& g : networkGenerators()) QTest::newRow(g.id.c_str()) << QString::fromStdString(g.id);
    QTest::newRow("a tree with a chain") << QString();
  }
  void shortcutsCarryWhatEachFlowAloneWould() {
    QFETCH(QString, generator);
    NetworkGraph g;
    if (generator.isEmpty()) {
      for (int i = 0; i < 9; ++i) {
        NetworkNode n;
        n.id = n.name = std::to_string(i);
        n.kind = i < 6 ? NodeKind::Device : NodeKind::Switch;
        g.nodes.push_back(n);
      }
      const auto join = [&](int a, int b) {
        g.links.push_back({a, b, BytesPerSecond(1e9 * (1 + a % 3)), Seconds(1e-6), 1});
      };
      for (const auto& [a, b] : {std::pair(0, 6), {1, 6}, {2, 7}, {3, 7}, {6, 8}, {7, 8}, {3, 4}, {4, 5}})
        join(a, b);
    } else {
      g = *generateNetwork(generator.toStdString());
    }
    auto flows = someOfEach(g);
    if (flows.size() > 60) flows.resize(60);
    const auto r = routeTraffic(g, {}, flows);
    QVERIFY(r && r->complete);
    QCOMPARE(r->routed, r->total);
    auto expected = carriedOneByOne(g, flows);
    double carried = 0;
    for (const auto& l : r->links) {
      const double there = expected[{l.a, l.b}], back = expected[{l.b, l.a}];
      QVERIFY(std::abs(l.forward.value() - there) <= 1e-9 * there);
      QVERIFY(std::abs(l.backward.value() - back) <= 1e-9 * back);
      carried += there + back;
    }
    QVERIFY(carried > 0);
  }
  void theWorkGrowsWithTheNetworkAndNotWithItsSquare() {
    const auto visits = [](double leaves) {
      const auto g = generateNetwork(
          "spine-leaf", {{"leaves", leaves}, {"hosts_per_leaf", 32}, {"devices_per_host", 8}, {"spines", 8}});
      const auto r = routeTraffic(*g, {}, someOfEach(*g));
      if (!r || !r->complete) qFatal("not routed");
      return double(r->visits) / double(g->nodes.size() + g->links.size());
    };
    QVERIFY(visits(8) > 0);
    QVERIFY2(visits(64) < 2 * visits(8), qPrintable(QString::number(visits(64) / visits(8))));
  }
  void badFlowsAreRefused() {
    const auto g = generateNetwork("ring", {});
    QVERIFY(!routeTraffic(*g, {}, {{0, 99, Bytes(1)}}));
    QVERIFY(!routeTraffic(*g, {}, {{0, 1, Bytes(std::nan(""))}}));
    const auto nothing = routeTraffic(*g, {}, {{0, 0, Bytes(1)}});
    QVERIFY(nothing);
    QCOMPARE(nothing->busiest, -1);
  }
};
NEST_TEST(TestRouting)
#include "test_routing.moc"
