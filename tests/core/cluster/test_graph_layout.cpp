#include <QMap>
#include <QtTest/QTest>
#include <algorithm>
#include <map>

#include "cluster/graph/generators.h"
#include "cluster/graph/graph_edit.h"
#include "support/test_main.h"

using namespace nest;

namespace {

using Values = QMap<QString, double>;

bool apart(const graph::Box& a, const graph::Box& b) {
  return a.x >= b.x + b.width || b.x >= a.x + a.width || a.y >= b.y + b.height || b.y >= a.y + a.height;
}

/// Whose boxes lie on each other; nothing but a host around its devices may.
std::string overlapIn(const NetworkGraph& g) {
  const auto contents = graph::hostContents(g);
  std::vector<graph::Box> boxes;
  for (int i = 0; i < static_cast<int>(g.nodes.size()); ++i) boxes.push_back(graph::boxOf(g, i, contents));
  for (std::size_t a = 0; a < boxes.size(); ++a)
    for (std::size_t b = a + 1; b < boxes.size(); ++b) {
      const auto holds = [&](std::size_t host, std::size_t device) {
        const auto& in = contents[host];
        return std::binary_search(in.begin(), in.end(), static_cast<int>(device));
      };
      if (!holds(a, b) && !holds(b, a) && !apart(boxes[a], boxes[b]))
        return g.nodes[a].name + " on " + g.nodes[b].name;
    }
  return {};
}

std::vector<std::string> rowOf(const NetworkGraph& g, double y) {
  std::map<double, std::string> byPlace;
  for (const auto& n : g.nodes)
    if (n.kind == NodeKind::Switch && n.y == y) byPlace[n.x] = n.name;
  std::vector<std::string> out;
  for (const auto& [x, name] : byPlace) out.push_back(name);
  return out;
}

const NetworkNode& named(const NetworkGraph& g, const std::string& name) {
  return *std::find_if(g.nodes.begin(), g.nodes.end(), [&](const auto& n) { return n.name == name; });
}

NetworkGraph made(const char* id, const std::map<std::string, double>& values) {
  NetworkGraph g = *generateNetwork(id, values).value;
  if (graph::needsLayout(g)) graph::layOut(g);
  return g;
}

int node(NetworkGraph& g, NodeKind kind, const std::string& name, const std::string& host = {}) {
  NetworkNode n;
  n.id = n.name = name, n.kind = kind, n.host = host;
  g.nodes.push_back(n);
  return static_cast<int>(g.nodes.size()) - 1;
}

void join(NetworkGraph& g, int a, int b, double gigabytes) {
  (void)graph::connect(g, a, b, BytesPerSecond(gigabytes * 1e9), Seconds(1e-6));
}

}  // namespace

class TestGraphLayout : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void nothingLiesOnAnother_data() {
    QTest::addColumn<QByteArray>("id");
    QTest::addColumn<Values>("values");
    const auto row = [](const char* id, const Values& values) {
      QTest::newRow(id) << QByteArray(id) << values;
    };
    row("rail-optimised", {{"pods", 3}, {"hosts_per_pod", 2}, {"spines", 5}});
    row("spine-leaf", {{"leaves", 6}, {"hosts_per_leaf", 1}, {"spines", 7}});
    row("fat-tree", {{"k", 6}});
    row("dragonfly", {{"groups", 4}, {"routers", 3}});
    row("hgx-pod", {{"hosts", 5}});
    row("torus-2d", {{"x", 5}, {"y", 4}});
    row("torus-3d", {{"x", 4}, {"y", 3}, {"z", 3}});
    row("ring", {{"devices", 12}});
    row("tpu-slice", {{"slices", 2}});
  }
  void nothingLiesOnAnother() {
    QFETCH(QByteArray, id);
    QFETCH(Values, values);
    std::map<std::string, double> given;
    for (auto it = values.begin(); it != values.end(); ++it) given[it.key().toStdString()] = it.value();
    const std::string overlap = overlapIn(made(id.constData(), given));
    QVERIFY2(overlap.empty(), overlap.c_str());
  }

  /// Switches that join the same things stand in one row above these, in order.
  void railsAndSpinesStandInRows() {
    const NetworkGraph g = made("rail-optimised", {{"pods", 2}, {"hosts_per_pod", 4}, {"spines", 3}});
    const auto rails = rowOf(g, named(g, "pod0.rail0").y);
    QCOMPARE(rails.size(), std::size_t(16));
    QVERIFY(std::is_sorted(rails.begin(), rails.end()));
    QCOMPARE(rowOf(g, named(g, "spine0").y), (std::vector<std::string>{"spine0", "spine1", "spine2"}));
    QVERIFY(named(g, "spine0").y < named(g, "pod0.rail0").y);
    QVERIFY(named(g, "pod0.rail7").x < named(g, "pod1.rail0").x);
  }

  void coresStandInTheOrderOfWhatTheyJoin() {
    NetworkGraph g = made("fat-tree", {{"k", 4}});
    // Core 3 joins the second aggregation switches: renamed to come first, it does not stand first.
    const double first = named(g, "core0").x, last = named(g, "core3").x;
    QVERIFY(first < last);
    auto shuffled = g;
    for (auto& n : shuffled.nodes) n.x = n.y = 0;
    const auto place = [&](const std::string& name) {
      return static_cast<std::size_t>(&named(shuffled, name) - shuffled.nodes.data());
    };
    const std::size_t a = place("core0"), b = place("core3");
    for (auto& l : shuffled.links)
      for (int* end : {&l.from, &l.to})
        *end = *end == static_cast<int>(a)   ? static_cast<int>(b)
               : *end == static_cast<int>(b) ? static_cast<int>(a)
                                             : *end;
    graph::layOut(shuffled);
    QVERIFY(named(shuffled, "core3").x < named(shuffled, "core0").x);
  }

  /// Devices of a host that only a switch tells of stand beside each other: no line passes one of them.
  void devicesOfASwitchStandInOneRow() {
    for (const int count : {4, 8}) {
      NetworkGraph g;
      const int above = node(g, NodeKind::Switch, "nvswitch");
      for (int k = 0; k < count; ++k)
        join(g, above, node(g, NodeKind::Device, "device" + std::to_string(k)), 450);
      graph::layOut(g);
      for (int k = 1; k < count; ++k)
        QCOMPARE(named(g, "device" + std::to_string(k)).y, named(g, "device0").y);
    }
  }

  /// Hosts on switches that form a ring: no link passes a switch that it does not join.
  void ringsGoThereAndBack() {
    NetworkGraph g;
    std::vector<int> ring;
    for (int k = 0; k < 8; ++k) {
      ring.push_back(node(g, NodeKind::Switch, "switch" + std::to_string(k)));
      join(g, node(g, NodeKind::Device, "device" + std::to_string(k)), ring.back(), 50);
    }
    for (std::size_t k = 0; k < 8; ++k) join(g, ring[k], ring[(k + 1) % 8], 100);
    graph::layOut(g);
    const auto upper = rowOf(g, named(g, "switch0").y), lower = rowOf(g, named(g, "switch7").y);
    QCOMPARE(upper, (std::vector<std::string>{"switch0", "switch1", "switch2", "switch3"}));
    QCOMPARE(lower, (std::vector<std::string>{"switch7", "switch6", "switch5", "switch4"}));
    QCOMPARE(named(g, "switch0").x, named(g, "switch7").x);
  }

  /// Groups that are joined among themselves are not broken in two.
  void groupsStayInOneRow() {
    const NetworkGraph g = made("dragonfly", {{"groups", 4}, {"routers", 4}, {"hosts_per_router", 1}});
    for (int group = 0; group < 4; ++group)
      for (int r = 1; r < 4; ++r) {
        const std::string name = "group" + std::to_string(group) + ".router";
        QCOMPARE(named(g, name + std::to_string(r)).y, named(g, name + "0").y);
      }
  }

  /// Also where each stands in one row with the inner switch of its devices, which may come first.
  void aMeshStandsInTwoRows() {
    NetworkGraph g;
    std::vector<int> mesh;
    for (int k = 0; k < 12; ++k) {
      int inner = k % 2 ? node(g, NodeKind::Switch, "inner" + std::to_string(k)) : -1;
      mesh.push_back(node(g, NodeKind::Switch, "router" + std::to_string(k)));
      if (inner < 0) inner = node(g, NodeKind::Switch, "inner" + std::to_string(k));
      for (int d = 0; d < 4; ++d) {
        const int device = node(g, NodeKind::Device, "device" + std::to_string(k) + ":" + std::to_string(d));
        join(g, device, inner, 450), join(g, device, mesh.back(), 50);
      }
      for (int other = 0; other < k; ++other)
        join(g, mesh[static_cast<std::size_t>(other)], mesh.back(), 100);
    }
    graph::layOut(g);
    const std::string overlap = overlapIn(g);
    QVERIFY2(overlap.empty(), overlap.c_str());
    std::map<double, int> rows;
    for (const int router : mesh) ++rows[g.nodes[static_cast<std::size_t>(router)].y];
    QCOMPARE(rows.size(), std::size_t(2));
    QCOMPARE(rows.begin()->second, 6);
  }

  /// Inner switches, then rails over them, then the spine: whatever order the file has them in.
  void switchesStandAboveWhatTheyJoin() {
    NetworkGraph g;
    std::vector<int> rails, inner;
    const int spine = node(g, NodeKind::Switch, "spine");
    for (int k = 0; k < 4; ++k) rails.push_back(node(g, NodeKind::Switch, "rail" + std::to_string(k)));
    for (const char* host : {"a", "b", "c"}) {
      inner.push_back(node(g, NodeKind::Switch, std::string("nvswitch ") + host));
      for (int k = 0; k < 4; ++k) {
        const int device = node(g, NodeKind::Device, host + std::to_string(k));
        join(g, device, inner.back(), 450);
        join(g, device, rails[k], 50);
      }
    }
    for (const int rail : rails) join(g, rail, spine, 100);
    graph::layOut(g);
    const std::string overlap = overlapIn(g);
    QVERIFY2(overlap.empty(), overlap.c_str());
    QCOMPARE(rowOf(g, named(g, "rail0").y), (std::vector<std::string>{"rail0", "rail1", "rail2", "rail3"}));
    QCOMPARE(rowOf(g, named(g, "nvswitch a").y).size(), std::size_t(3));
    QVERIFY(named(g, "spine").y < named(g, "rail0").y);
    QVERIFY(named(g, "rail0").y < named(g, "nvswitch a").y);
    QVERIFY(named(g, "nvswitch a").y < named(g, "a0").y);
  }
};
NEST_TEST(TestGraphLayout)
#include "test_graph_layout.moc"
