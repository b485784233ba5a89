#include <QtTest/QTest>
#include <algorithm>

#include "cluster/levels/hierarchy.h"
#include "support/test_main.h"

using namespace nest;

namespace {
HierarchyInput input(std::vector<int> fanouts) {
  HierarchyInput in;
  in.device.memory.value = Bytes(80e9);
  in.fanouts = std::move(fanouts);
  for (std::size_t l = 0; l < in.fanouts.size(); ++l)
    in.levels.push_back(
        {"level " + std::to_string(l), BytesPerSecond(100e9 / double(l + 1)), Seconds(1e-6 * double(l + 1))});
  return in;
}
}  // namespace

class TestHierarchy : public QObject {
  Q_OBJECT
private slots:
  void regularLevels() {
    const auto h = Hierarchy::build(input({2, 3, 2}));
    QVERIFY(h);
    QCOMPARE(h->deviceCount(), 12);
    QCOMPARE(h->levelBetween(0, 0), 0);
    QCOMPARE(h->levelBetween(0, 1), 0);
    QCOMPARE(h->levelBetween(1, 2), 1);
    QCOMPARE(h->levelBetween(5, 6), 2);
    QVERIFY(h->isRegular());
    QCOMPARE(h->uniformGroupSize(1), 6);
    QCOMPARE(h->identity(DeviceIndex(3)).host, std::string("host1"));
  }
  /// Nobody named the hosts: they go by the name of their level, in a form that host files can hold.
  void unnamedHostsGoByTheirLevel() {
    const std::pair<const char*, const char*> names[] = {
        {"host", "host1"},    {"hosts", "host1"},   {"tray", "tray1"}, {"NVLink domain", "NVLink-domain1"},
        {"rack", "rack1"},    {"NVL72", "NVL72-1"}, {"·", "host1"},    {"level 0", "host1"},
        {"a/b (c)", "a-b-c1"}};
    for (const auto& [level, host] : names) {
      auto in = input({4, 3});
      in.levels.front().name = level;
      QCOMPARE(Hierarchy::build(in)->groupName(0, 1), std::string(host));
      QCOMPARE(Hierarchy::build(in)->identity(DeviceIndex(5)).host, std::string(host));
      in.excluded = {0};
      QCOMPARE(Hierarchy::build(in)->groupName(0, 0), std::string(host));  // the first full one
      in.identities.resize(12, {"mine", 0, 0});
      QCOMPARE(Hierarchy::build(in)->groupName(0, 0), std::string("mine"));
    }
  }
  /// A level-0 group that holds several hosts is none of them.
  void aGroupOfSeveralHostsGoesByItsLevel() {
    auto in = input({4, 2});
    in.levels.front().name = "rack";
    for (int i = 0; i < 8; ++i) in.identities.push_back({"node" + std::to_string(i / 2), i % 2, i});
    const auto h = Hierarchy::build(in);
    QCOMPARE(h->groupName(0, 1), std::string("rack 1"));
    QCOMPARE(h->identity(DeviceIndex(5)).host, std::string("node2"));
  }
  void hostOrderDoesNotMatter() {
    auto a = input({1, 1});
    a.fanouts.clear();
    a.gaps = {0, 1, 0, 0, 1};  // hosts of 2, 3, 1
    auto b = a;
    b.gaps = {1, 0, 1, 0, 0};  // hosts of 1, 2, 3
    const auto x = Hierarchy::build(a), y = Hierarchy::build(b);
    QVERIFY(x && y);
    for (int i = 0; i < 6; ++i)
      for (int j = 0; j < 6; ++j) QCOMPARE(x->levelBetween(i, j), y->levelBetween(i, j));
    QCOMPARE(x->groupSpan(0, 0), std::pair(0, 3));
    QCOMPARE(y->identity(DeviceIndex(0)).host, std::string("host2"));
  }
  void excludedDevicesLeaveTheOrder() {
    auto in = input({4, 2});
    in.excluded = {1};
    const auto h = Hierarchy::build(in);
    QVERIFY(h);
    QCOMPARE(h->deviceCount(), 7);
    QCOMPARE(h->groupSpan(0, 0), std::pair(0, 4));  // the full host comes first now
    QCOMPARE(h->identity(DeviceIndex(0)).host, std::string("host1"));
    QCOMPARE(h->identity(DeviceIndex(5)).slot, 2);
  }
  void levelsNeverGetFasterOutwards() {
    auto in = input({2, 2});
    in.levels[1].bandwidth = BytesPerSecond(900e9);
    in.levels[1].latency = Seconds(0);
    const auto h = Hierarchy::build(in);
    QVERIFY(h);
    QCOMPARE(h->level(1).bandwidth, h->level(0).bandwidth);
    QCOMPARE(h->level(1).latency, h->level(0).latency);
    QCOMPARE(h.diagnostics.size(), std::size_t(2));
  }
  void badInputGetsAllItsErrors() {
    auto in = input({2, 0});
    in.levels[0].bandwidth = BytesPerSecond(-1);
    in.levels[1].latency = Seconds(-1);
    const auto h = Hierarchy::build(in);
    QVERIFY(!h);
    QCOMPARE(h.diagnostics.size(), std::size_t(3));
    QCOMPARE(h.diagnostics[0].where.pointer, std::string("/cluster/levels/0/bandwidth"));
  }
  void devicesKeepTheirFactors() {
    auto in = input({2, 2});
    in.factors = {{}, {0.5, Bytes(0)}, {}, {1, Bytes(40e9)}};
    const auto h = Hierarchy::build(in);
    QVERIFY(h);
    QCOMPARE(h->slowest(0, 4), 0.5);
    QCOMPARE(h->smallestMemory(0, 4).value(), 40e9);
    QCOMPARE(h->deviceCount(), 4);
  }
  /// A slow device moves its host behind the others, but is not called another one.
  void slowDevicesKeepTheirNames() {
    auto in = input({2, 3});
    const auto alike = Hierarchy::build(in);
    in.factors.assign(6, {});
    in.factors[1].speed = 0.5;
    const auto h = Hierarchy::build(in);
    QVERIFY(alike && h);
    std::vector<int> sources;
    for (int p = 0; p < 6; ++p) {
      const DeviceIdentity now = h->identity(DeviceIndex(p));
      QCOMPARE(now, alike->identity(DeviceIndex(now.source)));
      QCOMPARE(h->factor(DeviceIndex(p)).speed, now.source == 1 ? 0.5 : 1.0);
      sources.push_back(now.source);
    }
    QVERIFY(!std::is_sorted(sources.begin(), sources.end()));
    std::sort(sources.begin(), sources.end());
    QCOMPARE(sources, (std::vector<int>{0, 1, 2, 3, 4, 5}));
  }
};
NEST_TEST(TestHierarchy)
#include "test_hierarchy.moc"
