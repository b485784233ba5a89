#include <QtTest/QTest>
#include <cmath>

#include "cluster/graph/generators.h"
#include "evaluation/evaluation.h"
#include "evaluation/routed_plan.h"
#include "support/test_main.h"

using namespace nest;

namespace {

/// Two layers on eight hosts of two devices, with a leaf for every two hosts; 4 MB between the layers.
Problem problemOn(const GraphSource& source, const std::vector<int>& excluded = {}) {
  Problem p;
  DeviceSpec device;
  device.memory.value = Bytes(1e12);
  auto cluster = deriveHierarchy({device, source}, excluded);
  if (!cluster) qFatal("%s", toText(cluster.diagnostics.front()).c_str());
  p.cluster = std::make_shared<const Hierarchy>(*cluster);
  p.graph = std::make_shared<const LayerGraph>(
      LayerGraph::chain({{"a", LayerKind::Block, 0}, {"b", LayerKind::Block, 0}}));
  Profile profile({Strategy{}}, {1}, 1, 1);
  profile.setCost(0, 0, 0, LayerCost{});
  profile.setTensorBytes(0, 0, 0, Bytes(4e6));
  p.profile = std::make_shared<const Profile>(profile);
  p.job.globalBatch = 6;
  return p;
}

GraphSource network() {
  const auto g = generateNetwork("spine-leaf", {{"leaves", 4},
                                                {"hosts_per_leaf", 2},
                                                {"devices_per_host", 2},
                                                {"spines", 2},
                                                {"oversubscription", 4}});
  return {*g, {}, {}};
}

Plan twoStages(std::vector<int> devices) {
  Plan plan;
  for (int i : {0, 1}) {
    StagePlan s;
    s.chunks = {{LayerIndex(i)}};
    plan.stages.push_back(s);
  }
  for (int d : devices) plan.deviceOrder.push_back(DeviceIndex(d));
  return plan;
}

}  // namespace

class TestRoutedPlan : public QObject {
  Q_OBJECT
private slots:
  void thePipelineCrossesTheLinksBetweenItsDevices() {
    const auto source = network();
    const Problem p = problemOn(source);
    // Inside a host: 6 microbatches of 4 MB each way over links of 450 GB/s.
    const auto inside = routePlan(source, p, twoStages({0, 1}));
    QVERIFY(inside);
    QVERIFY(std::abs(inside->bound.value() - 24e6 / 450e9) < 1e-15);
    QCOMPARE(inside->routed.value(), 48e6);
    // To the far leaf: 50 GB/s out of the device, half of it over each uplink of 25.
    const auto across = routePlan(source, p, twoStages({0, 15}));
    QVERIFY(across);
    QVERIFY(std::abs(across->bound.value() - 24e6 / 50e9) < 1e-15);
    for (const auto& l : across->links)
      if (source.graph.nodes[std::size_t(l.b)].name == "leaf0" ||
          source.graph.nodes[std::size_t(l.a)].name == "leaf0")
        QVERIFY(l.forward.value() == 0 || l.forward.value() == 12e6 || l.forward.value() == 24e6);
  }
  /// The price sends over every rail; what is drawn takes none longer than that.
  void anExchangeUsesEveryRail() {
    const auto g = generateNetwork("rail-optimised", {{"pods", 1}, {"hosts_per_pod", 2}, {"spines", 1}});
    QVERIFY(g);
    const GraphSource source{*g, {}, {}};
    Problem p = problemOn(source);
    Profile profile({Strategy{}}, {1}, 1, 1);
    LayerCost cost;
    cost.denseParameters = 1e9;
    profile.setCost(0, 0, 0, cost);
    p.profile = std::make_shared<const Profile>(profile);
    p.job.globalBatch = 16;
    Plan plan;
    plan.dataInner = p.cluster->deviceCount();
    QCOMPARE(plan.dataInner, 16);
    plan.stages.resize(1);
    plan.stages[0].chunks = {{LayerIndex(0), LayerIndex(1)}};
    const Seconds priced = evaluate(p, plan).stages[0].sync;
    const auto routed = routePlan(source, p, plan);
    QVERIFY(routed && routed->complete && routed->bound.value() > 0);
    QVERIFY2(routed->bound < priced,
             nameOfLink(source.graph, routed->links[std::size_t(routed->busiest)]).c_str());
    int rails = 0;
    for (const auto& l : routed->links) {
      const auto isRail = [&](int node) {
        return source.graph.nodes[std::size_t(node)].name.find("rail") != std::string::npos;
      };
      if (!(l.forward + l.backward > Bytes(0)) || isRail(l.a) == isRail(l.b)) continue;
      ++rails;
      // Half of what 8 ranks keep of 4 bytes a parameter twice, at 50 GB/s: each way.
      QVERIFY(std::abs(l.forwardTime().value() / (1e9 * 2 * 4 * 2 / 8 / 2 / 50e9) - 1) < 1e-9);
      QCOMPARE(l.forward.value(), l.backward.value());
    }
    QCOMPARE(rails, 16);
  }
  void excludedDevicesKeepTheirPlace() {
    const auto source = network();
    const Problem p = problemOn(source, {0, 1});
    const auto r = routePlan(source, p, twoStages({0, 1}));
    QVERIFY(r);
    for (const auto& l : r->links)
      if (l.time().value() > 0) {
        const std::string name = nameOfLink(source.graph, l);
        QVERIFY2(name.find("host0") == std::string::npos, name.c_str());
      }
  }
  void anotherNetworkIsRefused() {
    const auto source = network();
    const Problem p = problemOn(source);
    const auto small = generateNetwork("ring", {{"devices", 4}});
    QVERIFY(!routePlan({*small, {}, {}}, p, twoStages({0, 15})));
  }
  void stopsWhenAsked() {
    const auto source = network();
    const Problem p = problemOn(source);
    std::stop_source stop;
    QVERIFY(routePlan(source, p, twoStages({0, 1}), nullptr, {stop.get_token(), {}})->complete);
    stop.request_stop();
    const auto stopped = routePlan(source, p, twoStages({0, 1}), nullptr, {stop.get_token(), {}});
    QVERIFY(!stopped && stopped.diagnostics.empty());
    const auto routed = routeTraffic(source.graph, {}, {{0, 1, Bytes(1)}}, {stop.get_token(), {}});
    QVERIFY(routed && !routed->complete);
    QCOMPARE(routed->routed, Bytes(0));
    const Until past{{}, std::chrono::steady_clock::now() - std::chrono::seconds(1)};
    const auto late = routeTraffic(source.graph, {}, {{0, 1, Bytes(1)}}, past);
    QVERIFY(late && !late->complete);
  }
};
NEST_TEST(TestRoutedPlan)
#include "test_routed_plan.moc"
