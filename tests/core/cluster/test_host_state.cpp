#include <QtTest/QTest>

#include "cluster/devices/device_catalog.h"
#include "cluster/graph/graph_edit.h"
#include "cluster/levels/cluster_source.h"
#include "support/test_main.h"

using namespace nest;

namespace {

/// 2 leaves of 4 hosts of 4 devices.
ClusterSource cluster() {
  ClusterSource c;
  c.device = *findDevice("h100-sxm");
  LevelsSource levels;
  levels.levels = {{"host", 4, BytesPerSecond(450e9), {}, Seconds(1e-6)},
                   {"leaf", 4, BytesPerSecond(50e9), {}, Seconds(2e-6)},
                   {"spine", 2, BytesPerSecond(12e9), {}, Seconds(3e-6)}};
  c.network = levels;
  return c;
}

ClusterSource drawn() {
  ClusterSource c = cluster();
  c.network = GraphSource{graph::fromLevels(std::get<LevelsSource>(c.network)), {}, {}};
  return c;
}

std::string hostsOf(const Hierarchy& h) {
  std::string out, last;
  for (int d = 0; d < h.deviceCount(); ++d)
    if (const std::string host = h.identity(DeviceIndex(d)).host; host != last) out += (last = host) + ' ';
  return out;
}

std::string codesOf(const Reading<Hierarchy>& r) {
  std::string out;
  for (const Diagnostic& d : r.diagnostics)
    if (d.severity == Severity::Error) out += d.code + ' ';
  return out;
}

}  // namespace

class TestHostState : public QObject {
  Q_OBJECT
private slots:
  void plansLeaveOutWhatIsNotFree() {
    for (ClusterSource c : {cluster(), drawn()}) {
      c.states = {{"host1", {}, HostState::Busy, "alloc"},
                  {"host2", {}, HostState::Down, "down*"},
                  {"host6", {}, HostState::Spare, ""},
                  {"host7", {}, HostState::Free, "idle"}};
      auto h = deriveHierarchy(c);
      QVERIFY(h);
      QCOMPARE(h->deviceCount(), 20);
      const std::string hosts = hostsOf(*h);
      for (const char* out : {"host1 ", "host2 ", "host6 "}) QVERIFY(hosts.find(out) == std::string::npos);
      QCOMPARE(inWords(h->unplanned()),
               std::string("3 of 8 hosts are not planned on: 1 busy, 1 down and 1 spare"));
      c.plannedOn = PlannedOn::Spare;
      QCOMPARE(deriveHierarchy(c)->deviceCount(), 24);
      c.plannedOn = PlannedOn::Working;
      QCOMPARE(deriveHierarchy(c)->deviceCount(), 28);
      QCOMPARE(inWords(deriveHierarchy(c)->unplanned()),
               std::string("1 of 8 hosts is not planned on: 1 down"));
      c.plannedOn = PlannedOn::All;
      QCOMPARE(deriveHierarchy(c)->deviceCount(), 32);
      QVERIFY(!deriveHierarchy(c)->unplanned().any());
      // Excluded devices leave in addition.
      c.plannedOn = PlannedOn::Free;
      QCOMPARE(deriveHierarchy(c, {0, 4})->deviceCount(), 19);
    }
  }
  void aHostMayBeUsedInPart() {
    for (ClusterSource c : {cluster(), drawn()}) {
      c.states = {{"host3", {0, 2}, HostState::Busy, "MIXED"}};
      const auto h = deriveHierarchy(c);
      QVERIFY(h);
      QCOMPARE(h->deviceCount(), 30);
      std::string numbers;
      for (int d = 0; d < 30; ++d)
        if (const auto who = h->identity(DeviceIndex(d)); who.host == "host3")
          numbers += std::to_string(who.slot);
      QCOMPARE(numbers, std::string("13"));
      QCOMPARE(inWords(h->unplanned()), std::string("1 host is used in part: 2 of 4 devices"));
    }
  }
  void allErrorsAtOnce() {
    ClusterSource c = cluster();
    c.states = {{"host1", {}, HostState::Busy, ""},  {"gpu99", {}, HostState::Busy, ""},
                {"host1", {}, HostState::Down, ""},  {"host2", {0, 9}, HostState::Busy, ""},
                {"gpu100", {}, HostState::Down, ""}, {"host1", {}, HostState::Down, ""}};
    QCOMPARE(codesOf(deriveHierarchy(c)),
             std::string("host-state-device host-state-unknown host-state-twice "));
    QVERIFY(!deriveHierarchy(c));
    c.states.clear();
    for (const std::string& host : hostNames(c)) c.states.push_back({host, {}, HostState::Busy, ""});
    QCOMPARE(c.states.size(), std::size_t(8));
    const auto none = deriveHierarchy(c);
    QVERIFY(!none);
    QVERIFY(codesOf(none).starts_with("no-free-host"));
    QCOMPARE(none.diagnostics.front().message, std::string("no host is free: 8 busy"));
  }
  /// A host that has failed in the drawing, and a state for it, do not contradict each other.
  void failedHostsKeepTheirState() {
    ClusterSource c = drawn();
    auto& g = std::get<GraphSource>(c.network).graph;
    for (NetworkNode& n : g.nodes)
      if (n.id == "host5" || n.host == "host5") n.failed = true;
    c.states = {{"host5", {}, HostState::Down, "down"}};
    QVERIFY(deriveHierarchy(c));
    QCOMPARE(deriveHierarchy(c)->deviceCount(), 28);
    const auto names = hostNames(c);
    QVERIFY(std::find(names.begin(), names.end(), "host5") != names.end());
  }
  void statesFollowEdits() {
    ClusterSource before = drawn();
    before.states = {{"host1", {}, HostState::Busy, "alloc"}, {"host2", {}, HostState::Down, ""}};
    ClusterSource after = before;
    auto& g = std::get<GraphSource>(after.network).graph;
    for (NetworkNode& n : g.nodes)
      if (n.id == "host1") n.name = "renamed";
    std::vector<int> gone;
    for (int i = 0; i < static_cast<int>(g.nodes.size()); ++i)
      if (g.nodes[i].id == "host2") gone.push_back(i);
    graph::remove(g, gone);
    carryHostStates(before, after);
    QCOMPARE(after.states.size(), std::size_t(1));
    QCOMPARE(after.states.front().host, std::string("renamed"));
    QVERIFY(deriveHierarchy(after));
    // Levels: a new name of the inner level, and fewer hosts.
    ClusterSource typed = cluster();
    typed.states = {{"host1", {}, HostState::Busy, ""}, {"host7", {}, HostState::Busy, ""}};
    ClusterSource fewer = typed;
    auto& levels = std::get<LevelsSource>(fewer.network).levels;
    levels[0].name = "tray", levels[2].fanout = 1;
    carryHostStates(typed, fewer);
    QCOMPARE(fewer.states.size(), std::size_t(1));
    QCOMPARE(fewer.states.front().host, std::string("tray1"));
  }
  void settingAStateReplacesWhatWas() {
    ClusterSource c = cluster();
    c.states = {{"host1", {0}, HostState::Busy, "a"},
                {"host1", {1}, HostState::Down, "b"},
                {"host2", {}, HostState::Busy, ""}};
    setHostState(c, {"host1", "host4"}, HostState::Reserved, "maint");
    QCOMPARE(c.states, (std::vector<StateOfHost>{{"host1", {}, HostState::Reserved, "maint"},
                                                 {"host2", {}, HostState::Busy, ""},
                                                 {"host4", {}, HostState::Reserved, "maint"}}));
    setHostState(c, {"host1", "host2", "host3"}, HostState::Free);
    QCOMPARE(c.states.size(), std::size_t(1));
  }
};
NEST_TEST(TestHostState)
#include "test_host_state.moc"
