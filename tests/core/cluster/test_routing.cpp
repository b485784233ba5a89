#include <QtTest/QTest>
#include <cmath>

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
