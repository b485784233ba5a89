#include <QtTest/QTest>
#include <cmath>
#include <map>
#include <set>

#include "cluster/graph/graph_edit.h"
#include "cluster/graph/graph_kinds.h"
#include "cluster/graph/implied_hosts.h"
#include "cluster/levels/cluster_source.h"
#include "support/test_main.h"

using namespace nest;

namespace {
NetworkGraph pod() {
  LevelsSource levels;
  levels.levels.resize(3);
  levels.levels[0] = {"host", 8, BytesPerSecond(450e9), {}, Seconds(2e-6)};
  levels.levels[1] = {"rack", 4, BytesPerSecond(50e9), {}, Seconds(4e-6)};
  levels.levels[2] = {"spine", 2, BytesPerSecond(12.5e9), {}, Seconds(8e-6)};
  return graph::fromLevels(levels);
}
int editedNode(const NetworkGraph& g, const std::string& name) {
  for (std::size_t i = 0; i < g.nodes.size(); ++i)
    if (g.nodes[i].name == name) return static_cast<int>(i);
  return -1;
}
}  // namespace

class TestGraphEdit : public QObject {
  Q_OBJECT
private slots:
  void levelsBecomeHostsAndSwitches() {
    const auto g = pod();
    QCOMPARE(g.deviceCount(), 64);
    QCOMPARE(
        std::count_if(g.nodes.begin(), g.nodes.end(), [](auto& n) { return n.kind == NodeKind::Switch; }), 3);
    QVERIFY(graph::problemsOf(g).empty());
    // What leaves a rack is its 32 devices' share of the spine.
    const int rack = editedNode(g, "rack 0"), spine = editedNode(g, "spine 0");
    double up = 0;
    for (const auto& l : g.links)
      if (l.from == rack && l.to == spine) up += l.bandwidth.value() * l.count;
    QCOMPARE(up, 32 * 12.5e9);
  }
  /// Drawn or typed, a host goes by one name in all views.
  void drawnHostsAreCalledAsTheirLevel() {
    for (const char* name : {"host", "tray", "NVL 72", "hosts", ""}) {
      LevelsSource levels;
      levels.levels.resize(2);
      levels.levels[0] = {name, 2, BytesPerSecond(450e9), {}, Seconds(2e-6)};
      levels.levels[1] = {"rack", 3, BytesPerSecond(50e9), {}, Seconds(4e-6)};
      const NetworkGraph g = graph::fromLevels(levels);
      ClusterSource typed;
      typed.network = levels;
      typed.device.memory.value = Bytes(80e9);
      const auto hierarchy = deriveHierarchy(typed);
      QVERIFY(hierarchy);
      int d = 0;
      for (const NetworkNode& n : g.nodes)
        if (n.kind == NodeKind::Device)
          QCOMPARE(QString::fromStdString(n.host),
                   QString::fromStdString(hierarchy->identity(DeviceIndex(d++)).host));
      QCOMPARE(d, 6);
    }
  }
  void layoutKeepsNodesApart() {
    const auto g = pod();
    QVERIFY(!graph::needsLayout(g));
    const auto inside = graph::hostContents(g);
    std::vector<graph::Box> boxes;
    for (std::size_t i = 0; i < g.nodes.size(); ++i)
      if (g.nodes[i].kind != NodeKind::Device) boxes.push_back(graph::boxOf(g, static_cast<int>(i), inside));
    for (std::size_t a = 0; a < boxes.size(); ++a)
      for (std::size_t b = a + 1; b < boxes.size(); ++b) {
        const bool apart =
            boxes[a].x + boxes[a].width <= boxes[b].x || boxes[b].x + boxes[b].width <= boxes[a].x ||
            boxes[a].y + boxes[a].height <= boxes[b].y || boxes[b].y + boxes[b].height <= boxes[a].y;
        QVERIFY2(apart, qPrintable(QString("boxes %1 and %2 overlap").arg(a).arg(b)));
      }
  }
  /// The program's own names are such as host files can hold.
  void hostsOfGroupedDevicesHaveNamesForHostFiles() {
    NetworkGraph g;
    for (int h = 0; h < 3; ++h) {
      const int device = graph::addNode(g, NodeKind::Device, 0, 0);
      const auto host = graph::groupIntoHost(g, {device});
      QVERIFY(host);
      QCOMPARE(g.nodes[*host].name, "host" + std::to_string(h + 1));
      QCOMPARE(g.nodes[device].host, g.nodes[*host].id);
    }
  }
  /// Each line of a host stands in the middle of its box, which is as wide as the widest and its padding.
  void aHostIsAsWideAsItsWidestLine() {
    for (const int devices : {1, 2, 3, 8, 16}) {
      NetworkGraph g;
      std::vector<std::vector<int>> neighbours;
      const auto add = [&](NodeKind kind, const std::string& name) {
        const int n = graph::addNode(g, kind, 0, 0, name);
        g.nodes[std::size_t(n)].id = name, g.nodes[std::size_t(n)].host = "h";
        neighbours.resize(std::size_t(n) + 1);
        return n;
      };
      const int inner = add(NodeKind::Switch, "h:nvswitch");
      for (int d = 0; d < devices; ++d) {
        const int n = add(NodeKind::Device, "h:" + std::to_string(d));
        (void)graph::connect(g, n, inner, BytesPerSecond(400e9), Seconds(1e-6));
        neighbours[std::size_t(n)].push_back(inner), neighbours[std::size_t(inner)].push_back(n);
      }
      const auto hosts = graph::impliedHosts(g);
      QCOMPARE(hosts.names.size(), std::size_t(1));
      const auto inside = graph::placeInside(g, hosts, 0, neighbours);
      std::map<double, std::pair<double, double>> lines;  // left and right, by height
      for (std::size_t k = 0; k < hosts.members[0].size(); ++k) {
        const auto kind = g.nodes[std::size_t(hosts.members[0][k])].kind;
        const double half = graph::kDeviceWidth * (kind == NodeKind::Device ? 0.5 : 1);
        const auto line = lines.try_emplace(inside.y[k], 1e300, -1e300).first;
        line->second = {std::min(line->second.first, inside.x[k] - half),
                        std::max(line->second.second, inside.x[k] + half)};
      }
      double widest = 0;
      for (const auto& [y, line] : lines) {
        QVERIFY(std::abs(line.first + line.second - inside.width) < 1e-9);
        widest = std::max(widest, line.second - line.first);
      }
      QVERIFY(std::abs(widest + 2 * graph::kHostPadding - inside.width) < 1e-9);
    }
  }
  void joinedHostsAreLaidOutAsBlocksUnderTheirLeaf() {
    NetworkGraph g;
    const int leaf = graph::addNode(g, NodeKind::Switch, 0, 0, "leaf");
    for (int h = 0; h < 8; ++h) {
      const std::string name = "a" + std::to_string(h);
      int inner[2];
      for (int k = 0; k < 2; ++k) {
        inner[k] = graph::addNode(g, NodeKind::Switch, 0, 0, name + ":" + (k ? "nvswitch" : "nic"));
        g.nodes[std::size_t(inner[k])].id = g.nodes[std::size_t(inner[k])].name;
      }
      (void)graph::connect(g, inner[0], leaf, BytesPerSecond(50e9), Seconds(1e-6));
      for (int d = 0; d < 8; ++d) {
        const int device = graph::addNode(g, NodeKind::Device, 0, 0, name + ":" + std::to_string(d));
        g.nodes[std::size_t(device)].host = name;
        for (int s : inner) (void)graph::connect(g, device, s, BytesPerSecond(400e9), Seconds(1e-6));
      }
    }
    const auto hosts = graph::impliedHosts(g);
    QCOMPARE(hosts.names.size(), std::size_t(8));
    QCOMPARE(hosts.members[3].size(), std::size_t(10));
    QCOMPARE(hosts.hostOf[std::size_t(leaf)], -1);
    graph::layOut(g);
    const auto contents = graph::hostContents(g);
    double left = 1e300, right = -1e300, top = 1e300, bottom = -1e300;
    std::vector<graph::Box> boxes;
    for (int i = 0; i < int(g.nodes.size()); ++i) {
      const auto b = graph::boxOf(g, i, contents);
      for (const auto& o : boxes)
        QVERIFY(b.x >= o.x + o.width || o.x >= b.x + b.width || b.y >= o.y + o.height ||
                o.y >= b.y + b.height);
      boxes.push_back(b);
      left = std::min(left, b.x), right = std::max(right, b.x + b.width);
      top = std::min(top, b.y), bottom = std::max(bottom, b.y + b.height);
    }
    for (std::size_t h = 0; h < hosts.members.size(); ++h) {  // nothing else stands within a host
      double l = 1e300, r = -1e300, t = 1e300, b = -1e300;
      for (int m : hosts.members[h]) {
        const auto& box = boxes[std::size_t(m)];
        l = std::min(l, box.x), r = std::max(r, box.x + box.width);
        t = std::min(t, box.y), b = std::max(b, box.y + box.height);
      }
      for (std::size_t i = 0; i < g.nodes.size(); ++i)
        QVERIFY(hosts.hostOf[i] == int(h) || g.nodes[i].x < l || g.nodes[i].x > r || g.nodes[i].y < t ||
                g.nodes[i].y > b);
    }
    const double aspect = (right - left) / (bottom - top);
    QVERIFY2(aspect > 0.7 && aspect < 3.5, std::to_string(aspect).c_str());
  }

  void duplicatesKeepTheirUplink() {
    auto g = pod();
    const int host = editedNode(g, "host3"), rack = editedNode(g, "rack 0");
    const auto made = graph::duplicate(g, {host}, 2, 100, 0);
    QCOMPARE(made.size(), std::size_t(18));
    QCOMPARE(g.deviceCount(), 80);
    QVERIFY(graph::problemsOf(g).empty());
    int uplinks = 0;
    for (const auto& l : g.links) uplinks += l.to == rack;
    QCOMPARE(uplinks, 6);
    std::set<std::string> ids;
    for (const auto& n : g.nodes) ids.insert(n.id);
    QCOMPARE(ids.size(), g.nodes.size());
    QCOMPARE(g.nodes[made.back()].host, g.nodes[made[9]].id);
    for (int n : made)  // what stands in a host bears its name
      if (const auto& node = g.nodes[std::size_t(n)]; node.kind == NodeKind::Device)
        QVERIFY2(node.name.starts_with(node.host + ':'), node.name.c_str());
  }
  void hostsApartAreJoinedByOneRepair() {
    for (const bool haveSwitch : {false, true}) {
      NetworkGraph g;
      const auto piece = graph::extract(pod(), {editedNode(pod(), "host3")});
      for (int k = 0; k < 3; ++k) graph::paste(g, piece, 300 * k, 0);
      if (haveSwitch) graph::addNode(g, NodeKind::Switch, 300, -100);
      const auto problems = graph::problemsOf(g);
      const auto joining = std::find_if(problems.begin(), problems.end(),
                                        [](const auto& p) { return p.repairVerb.starts_with("Join"); });
      QVERIFY(joining != problems.end());
      QCOMPARE(joining->repairVerb, haveSwitch ? std::string("Join all hosts by switch 1")
                                               : std::string("Join all hosts by a switch"));
      joining->repair(g);
      QVERIFY(graph::problemsOf(g).empty());
      QCOMPARE(std::count_if(g.nodes.begin(), g.nodes.end(),
                             [](const auto& n) { return n.kind == NodeKind::Switch; }),
               1);
    }
  }
  void whatAFailedSwitchCutsOffIsTold() {
    auto g = pod();
    g.nodes[std::size_t(editedNode(g, "rack 0"))].failed = true;
    const auto problems = graph::problemsOf(g);
    QVERIFY(!problems.empty());
    for (const auto& p : problems) {
      QCOMPARE(p.diagnostic.code, std::string("unreachable"));
      QVERIFY2(p.repairVerb.starts_with("Leave host"), p.repairVerb.c_str());
      p.repair(g);
    }
    QVERIFY(graph::problemsOf(g).empty());
  }
  void whatAFailureCutsOffIsLeftOut() {
    auto g = pod();
    const int host = editedNode(g, "host3");
    for (auto& l : g.links)
      if (l.from == host) l.failed = true;
    const auto problems = graph::problemsOf(g);
    QCOMPARE(problems.size(), std::size_t(1));
    QCOMPARE(problems.front().node, host);
    QCOMPARE(problems.front().repairVerb, std::string("Leave host3 out"));
    problems.front().repair(g);
    QVERIFY(graph::problemsOf(g).empty());
  }
  void removingAHostTakesItsDevicesAndLinks() {
    auto g = pod();
    const auto before = g.links.size();
    graph::remove(g, {editedNode(g, "host0")});
    QCOMPARE(g.deviceCount(), 56);
    QCOMPARE(g.links.size(), before - 9);
    QVERIFY(graph::problemsOf(g).empty());
  }
  void copyAndPasteBetweenNetworks() {
    auto g = pod();
    const auto piece = graph::extract(g, {editedNode(g, "host1"), editedNode(g, "rack 0")});
    QCOMPARE(piece.nodes.size(), std::size_t(10));
    QCOMPARE(piece.links.size(), std::size_t(9));
    NetworkGraph other;
    graph::paste(other, piece, 0, 0);
    QCOMPARE(other.deviceCount(), 8);
    QVERIFY(graph::problemsOf(other).empty());
    graph::paste(other, piece, 500, 0);
    QCOMPARE(other.deviceCount(), 16);
    QCOMPARE(graph::problemsOf(other).size(),
             std::size_t(1));  // two islands: a host that cannot reach the other
  }
  void aLeafWithoutUplinkIsNamedOnce() {
    auto g = pod();
    // Two copies of everything, apart: three islands, each with its own top.
    std::vector<int> all(g.nodes.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i);
    graph::duplicate(g, all, 2, 3000, 0);
    auto problems = graph::problemsOf(g);
    QCOMPARE(problems.size(), std::size_t(2));
    for (const auto& p : problems) {
      QCOMPARE(p.diagnostic.code, std::string("unreachable"));
      QCOMPARE(g.nodes[std::size_t(p.node)].kind, NodeKind::Switch);
      QVERIFY2(p.diagnostic.message.find(" devices behind it") != std::string::npos,
               p.diagnostic.message.c_str());
    }
    const std::size_t nodes = g.nodes.size();
    problems.front().repair(g);  // none stands above the others yet: one more switch joins all
    QCOMPARE(g.nodes.size(), nodes + 1);
    QVERIFY(graph::problemsOf(g).empty());
    // One more copy of a part, and the switch above is there: it is linked to it.
    const auto one = graph::duplicate(g, all, 1, 0, 3000);
    for (std::size_t l = g.links.size(); l-- > 0;)
      if (g.links[l].from >= one.front() && g.links[l].to < one.front())
        g.links.erase(g.links.begin() + long(l));
    problems = graph::problemsOf(g);
    QCOMPARE(problems.size(), std::size_t(1));
    QVERIFY2(problems.front().repairVerb.starts_with("Link "), problems.front().repairVerb.c_str());
    problems.front().repair(g);
    QCOMPARE(g.nodes.size(), nodes + 1 + one.size());
    QVERIFY(graph::problemsOf(g).empty());
  }
  void parallelLinksMerge() {
    NetworkGraph g;
    const int a = graph::addNode(g, NodeKind::Switch, 0, 0), b = graph::addNode(g, NodeKind::Switch, 100, 0);
    QVERIFY(graph::connect(g, a, b, BytesPerSecond(50e9), Seconds(1e-6)));
    QVERIFY(graph::connect(g, b, a, BytesPerSecond(50e9), Seconds(1e-6)));
    QCOMPARE(g.links.size(), std::size_t(1));
    QCOMPARE(g.links[0].count, 2);
    QVERIFY(!graph::connect(g, a, a, BytesPerSecond(1), Seconds(0)));
    QVERIFY(!graph::connect(g, a, 7, BytesPerSecond(1), Seconds(0)));
  }
  void problemsComeWithTheirRepair() {
    auto g = pod();
    graph::addNode(g, NodeKind::Switch, 0, 0);
    graph::addNode(g, NodeKind::Device, 0, 0);
    auto problems = graph::problemsOf(g);
    QCOMPARE(problems.size(), std::size_t(2));
    while (!problems.empty()) {
      QVERIFY(bool(problems.front().repair));
      problems.front().repair(g);
      const auto left = graph::problemsOf(g);
      QVERIFY(left.size() < problems.size());
      problems = left;
    }
    QCOMPARE(g.deviceCount(), 65);  // linked, not lost
  }
  /// Four devices of two speeds at one switch: each node and each link stands in exactly one kind.
  void kindsHoldEveryNodeAndLink() {
    NetworkGraph g;
    const int sw = graph::addNode(g, NodeKind::Switch, 0, 0, "switch");
    for (int d = 0; d < 4; ++d) {
      const int device = graph::addNode(g, NodeKind::Device, 0, 0, "d" + std::to_string(d));
      if (d == 3) g.nodes[std::size_t(device)].speed = 0.5;
      NetworkLink l;
      l.from = device, l.to = sw, l.bandwidth = BytesPerSecond(d < 3 ? 100e9 : 50e9);
      g.links.push_back(l);
    }
    std::map<graph::Kind::Of, std::multiset<int>> members;
    for (const graph::Kind& k : graph::kindsOf(g)) members[k.of].insert(k.members.begin(), k.members.end());
    QCOMPARE(members[graph::Kind::Of::Device], (std::multiset<int>{1, 2, 3, 4}));
    QCOMPARE(members[graph::Kind::Of::Switch], (std::multiset<int>{0}));
    QCOMPARE(members[graph::Kind::Of::Link], (std::multiset<int>{0, 1, 2, 3}));
  }
  void groupsAndAligns() {
    NetworkGraph g;
    for (int i = 0; i < 3; ++i) graph::addNode(g, NodeKind::Device, 100.0 * i * i, 10.0 * i);
    QVERIFY(graph::groupIntoHost(g, {0, 1, 2}));
    QCOMPARE(graph::hostContents(g)[3].size(), std::size_t(3));
    graph::align(g, {0, 1, 2}, graph::Alignment::DistributeX);
    QCOMPARE(g.nodes[1].x, 200.0);
    graph::align(g, {0, 1, 2}, graph::Alignment::Top);
    QCOMPARE(g.nodes[2].y, 0.0);
  }
};
NEST_TEST(TestGraphEdit)
#include "test_graph_edit.moc"
