// What fails keeps its name, and what is left keeps its own, in every view.
#include <QLabel>

#include "cluster/graph/graph_edit.h"
#include "cluster/levels/lost_parts.h"
#include "document/carried_selection.h"
#include "document/scenario_document.h"
#include "editors/network/network_canvas.h"
#include "editors/network/network_editor.h"
#include "editors/network/network_selection.h"
#include "editors/network/topology_view.h"
#include "figures/topology/topology_figure.h"
#include "inspector/selection_facts.h"
#include "support/desk.h"
#include "views/failure_strip.h"

using namespace nest;
using test::Desk;

namespace {

constexpr auto kThousand = "gpt3-175b-h100-1024.nest.json";

/// Input numbers of the devices of a host of eight.
std::vector<int> devicesOfHost(int host) {
  std::vector<int> out;
  for (int k = 0; k < 8; ++k) out.push_back(host * 8 + k);
  return out;
}

/// Two hosts below "switch 2" and one below "switch 3", both below "switch 4"; two devices in each host.
void drawUsersNetwork(Desk& desk) {
  NetworkGraph g;
  const auto add = [&](NodeKind kind, const std::string& name, const std::string& host = {}) {
    NetworkNode n;
    n.kind = kind, n.id = n.name = name, n.host = host;
    n.x = 50.0 * double(g.nodes.size()), n.y = kind == NodeKind::Switch ? 0 : 200;
    g.nodes.push_back(n);
    return int(g.nodes.size()) - 1;
  };
  const int s2 = add(NodeKind::Switch, "switch 2"), s3 = add(NodeKind::Switch, "switch 3"),
            s4 = add(NodeKind::Switch, "switch 4");
  const auto join = [&](int a, int b, double gbps) {
    g.links.push_back({a, b, BytesPerSecond(gbps * 1e9), Seconds(2e-6), 1});
  };
  for (int h = 0; h < 4; ++h) {
    const std::string name = "host" + std::to_string(h);
    const int host = add(NodeKind::Host, name);
    for (int k = 0; k < 2; ++k) join(add(NodeKind::Device, name + ":" + std::to_string(k), name), host, 450);
    join(host, h < 2 ? s2 : s3, 50);
  }
  join(s2, s4, 25), join(s3, s4, 25);
  desk.document.edit({}, QStringLiteral("Draw"), [&](Scenario& s) {
    s.cluster.network = GraphSource{g, {}, {}};
  });
  desk.solveIt();
}

QStringList groupNames(const Desk& desk, int level) {
  QStringList out;
  for (int g = 0; g < desk.context.problem->cluster->groupCount(level); ++g)
    out << QString::fromStdString(desk.context.problem->cluster->groupName(level, g));
  return out;
}

QString factsText(const Facts& f) {
  QString out = f.title;
  for (const auto& [name, value] : f.rows) out += u'\n' + name + QStringLiteral(": ") + value;
  return out;
}

}  // namespace

class TestFailures : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void groupsKeepTheirNamesWhenOneGrowsSmaller() {
    Desk desk(kThousand);
    const QStringList before = groupNames(desk, 1);
    QCOMPARE(before.front(), QStringLiteral("leaf 0"));
    failDevices(desk.document, devicesOfHost(0), QStringLiteral("host0"));
    desk.solveIt();
    const QStringList after = groupNames(desk, 1);
    QCOMPARE(after.size(), before.size());
    QVERIFY(after != before);  // the order is another one
    const Hierarchy& h = *desk.context.problem->cluster;
    for (int g = 0; g < after.size(); ++g) {
      const QString host = QString::fromStdString(h.identity(DeviceIndex(h.groupSpan(1, g).first)).host);
      QCOMPARE(after[g], QStringLiteral("leaf %1").arg(host.mid(4).toInt() / 4));
    }
  }

  void whatFailedIsNamedInWordsAndSeen() {
    Desk desk(kThousand);
    failDevices(desk.document, devicesOfHost(0), QStringLiteral("host0"));
    desk.solveIt();
    const LostParts lost = lostPartsOf(desk.document.scenario());
    QCOMPARE(inWords(lost), std::string("host0 failed"));
    QCOMPARE(lost.failed.front().devices, 8);
    TopologyView topology(desk.services());
    desk.show(topology);
    QVERIFY(topology.findChild<FailureStrip*>()->text().contains(QStringLiteral("host0 failed")));
    QVERIFY(topology.figure()->asText(desk.context).contains(QStringLiteral("host0 failed")));
    NetworkEditor network(desk.services());
    desk.show(network);
    int failed = 0;
    for (const NetworkNode& n : network.canvas().graph().nodes)
      if (n.failed) {
        QVERIFY2(n.name == "host0" || n.host == "host0", n.name.c_str());
        ++failed;
      }
    QCOMPARE(failed, 9);
    QCOMPARE(network.canvas().graph().nodes.front().name, std::string("host0"));
  }

  void oneDeviceIsNamedByItsHost() {
    Desk desk(kThousand);
    failDevices(desk.document, {9}, QStringLiteral("a device"));
    QCOMPARE(inWords(lostPartsOf(desk.document.scenario())), std::string("host1:1 failed"));
  }

  void drawnSwitchesKeepTheirNames() {
    Desk desk;
    drawUsersNetwork(desk);
    QCOMPARE(groupNames(desk, 1), QStringList({QStringLiteral("switch 2"), QStringLiteral("switch 3")}));
    const QString told = factsText(factsOf(desk.context, SelectionItem{ItemKind::Group, 1, 1}));
    QVERIFY2(told.startsWith(QStringLiteral("switch 3")), qPrintable(told));
    QVERIFY2(!told.contains(QStringLiteral("typed")), qPrintable(told));
    QVERIFY(told.contains(QStringLiteral("derived")));
    // In a drawing what fails in Topology fails in the drawing.
    failDevices(desk.document, {0, 1}, QStringLiteral("host0"));
    desk.solveIt();
    QVERIFY(desk.document.scenario().constraints.excludedDevices.empty());
    QCOMPARE(inWords(lostPartsOf(desk.document.scenario())), std::string("host0 failed"));
    QStringList names = groupNames(desk, 1);
    names.sort();
    QCOMPARE(names, QStringList({QStringLiteral("switch 2"), QStringLiteral("switch 3")}));
    TopologyFigure figure;
    QVERIFY(figure.asText(desk.context).contains(QStringLiteral("host0 failed")));
  }

  void whatIsCutOffHasNotFailed() {
    Desk desk;
    drawUsersNetwork(desk);
    desk.document.edit({}, QStringLiteral("Fail"), [](Scenario& s) {
      auto& g = std::get<GraphSource>(s.cluster.network).graph;
      for (auto& l : g.links)
        if (g.nodes[std::size_t(l.from)].name == "host2" && g.nodes[std::size_t(l.to)].name == "switch 3")
          l.failed = true;
    });
    desk.solveIt();
    const LostParts lost = lostPartsOf(desk.document.scenario());
    QCOMPARE(inWords(lost), std::string("host2 – switch 3 failed; host2 is cut off"));
    NetworkEditor network(desk.services());
    desk.show(network);
    const auto& nodes = network.canvas().graph().nodes;
    const auto seats = NetworkSelection(network.canvas().graph(), desk.context).seats();
    for (std::size_t n = 0; n < nodes.size(); ++n)
      if (nodes[n].kind == NodeKind::Device)
        QCOMPARE(seats[n].stage == Seat::kCutOff, nodes[n].host == "host2");
    for (const auto& d : buildProblem(desk.document.scenario()).diagnostics)
      QVERIFY2(d.message.find("host2:0 has failed") == std::string::npos, d.message.c_str());
  }

  void theSelectionStaysWithItsDevice() {
    Desk desk(kThousand);
    const auto before = desk.context.problem->cluster;
    failDevices(desk.document, devicesOfHost(0), QStringLiteral("host0"));
    desk.solveIt();
    const auto after = desk.context.problem->cluster;
    QVERIFY(!carriedOver({ItemKind::Group, 0, 0}, *before, *after));  // host0
    QVERIFY(!carriedOver({ItemKind::Device, 3}, *before, *after));
    const auto host4 = carriedOver({ItemKind::Group, 4, 0}, *before, *after);
    QVERIFY(host4);
    QCOMPARE(after->groupName(0, host4->index), std::string("host4"));
    const auto leaf0 = carriedOver({ItemKind::Group, 0, 1}, *before, *after);
    QVERIFY(leaf0 && leaf0->index != 0);
    const auto pair = carriedOver({ItemKind::Pair, 32, -1, 40}, *before, *after);
    QVERIFY(pair);
    QCOMPARE(after->identity(DeviceIndex(pair->index)).host, std::string("host4"));
    QVERIFY(carriedOver({ItemKind::Stage, 2}, *before, *after) == SelectionItem({ItemKind::Stage, 2}));
  }
};
NEST_TEST(TestFailures)
#include "test_failures.moc"
