#include <QtTest/QTest>

#include "evaluation/traffic.h"
#include "solver/exhaustive.h"
#include "support/random_instance.h"
#include "support/test_main.h"

using namespace nest;

namespace {

/// Two hosts of two devices; one all-reduce of 100 bytes a layer; 7 bytes between layers; 5 parameters a
/// layer.
Problem twoHosts(CollectiveKind kind = CollectiveKind::AllReduce) {
  Problem p;
  HierarchyInput in;
  in.device.memory.value = Bytes(1e12);
  in.levels = {{"host", BytesPerSecond(100), Seconds(1)}, {"rack", BytesPerSecond(10), Seconds(2)}};
  in.fanouts = {2, 2};
  p.cluster = std::make_shared<const Hierarchy>(*Hierarchy::build(in));
  p.graph = std::make_shared<const LayerGraph>(
      LayerGraph::chain({{"a", LayerKind::Block, 0}, {"b", LayerKind::Block, 0}}));
  Profile profile({Strategy{}, Strategy{2, false, 1, 1}, Strategy{1, false, 1, 4}}, {1}, 1, 1);
  for (int s = 0; s < 3; ++s) {
    LayerCost cost;
    cost.denseParameters = 5;
    const auto group = s == 2 ? GroupKind::Expert : GroupKind::Tensor;
    cost.collectives = {{kind, group, Phase::Forward, Bytes(100), 1}};
    profile.setCost(0, s, 0, cost);
    profile.setTensorBytes(0, s, 0, Bytes(7));
  }
  p.profile = std::make_shared<const Profile>(profile);
  p.job.globalBatch = 4;
  return p;
}

StagePlan stageOf(std::vector<int> layers, Strategy strategy = {}) {
  StagePlan s;
  s.chunks.emplace_back();
  for (const int x : layers) s.chunks.back().push_back(LayerIndex(x));
  s.strategy = strategy;
  return s;
}

}  // namespace

class TestTraffic : public QObject {
  Q_OBJECT
private slots:
  void tensorAndPipelineByHand() {
    const Problem p = twoHosts();
    Plan plan;
    plan.stages = {stageOf({0}, {2, false, 1, 1}), stageOf({1}, {2, false, 1, 1})};
    const Traffic t(p, plan);
    // 4 microbatches · all-reduce 2·½·100 bytes · 4 ranks, inside the hosts.
    QCOMPARE(t.total(Exchange::Tensor, 0).value(), 4 * 100 * 4.0);
    QCOMPARE(t.total(Exchange::Tensor, 1).value(), 0.0);
    // 4 microbatches · 7 bytes · 2 ranks, forward and back.
    QCOMPARE(t.total(Exchange::Pipeline, 1).value(), 4 * 7 * 2 * 2.0);
    QCOMPARE(t.total(Exchange::Data).value(), 0.0);

    const TrafficMatrix hosts = t.matrix(groupBuckets(*p.cluster, 0));
    QCOMPARE(hosts.buckets(), 2);
    QCOMPARE(hosts.bytes[hosts.cell(0, 0)].value(), 800.0);
    QCOMPARE(hosts.bytes[hosts.cell(0, 1)].value(), 56.0);
    QCOMPARE(int(hosts.level[hosts.cell(0, 1)]), 1);
    // 4 messages of 7 bytes: 4·2 + 28/10.
    QCOMPARE(hosts.time[hosts.cell(0, 1)].value(), 10.8);

    const TrafficMatrix devices = t.matrix(evenBuckets(*p.cluster), {false, false, false, true, false});
    QCOMPARE(devices.buckets(), 4);
    QCOMPARE(devices.bytes[devices.cell(0, 2)].value(), 28.0);
    QCOMPARE(devices.bytes[devices.cell(3, 1)].value(), 28.0);
    QCOMPARE(int(devices.level[devices.cell(0, 1)]), -1);
  }
  void gradientsByZeroStage() {
    const Problem p = twoHosts();
    Plan plan;
    plan.dataInner = 4;
    plan.stages = {stageOf({0, 1})};
    // 10 parameters on 4 ranks: ¾ of them times bytes a parameter times passes; m = 1. Level by level: half
    // of them within each host, a quarter through every port.
    const double each[] = {2 * 4.0, 4 + 2.0, 4 + 2.0, 4 + 2 * 2.0};
    for (int z = 0; z <= 3; ++z) {
      plan.zero = z;
      const Traffic t(p, plan);
      QCOMPARE(t.total(Exchange::Data).value(), 4 * 0.75 * 10 * each[z]);
      QCOMPARE(t.total(Exchange::Data, 1).value(), 4 * 0.25 * 10 * each[z]);
      const TrafficMatrix devices = t.matrix(evenBuckets(*p.cluster));
      for (const auto& [from, to] : {std::pair{0, 2}, std::pair{1, 3}, std::pair{2, 0}, std::pair{3, 1}})
        QCOMPARE(devices.bytes[devices.cell(from, to)].value(), 0.25 * 10 * each[z]);
    }
    // Sharded over pairs in one host: there and back within a pair, half the gradients between the pairs.
    plan.shardReplicas = 2;
    for (int z = 1; z <= 3; ++z) {
      plan.zero = z;
      const Traffic t(p, plan);
      QCOMPARE(t.total(Exchange::Data, 0).value(), 4 * 0.5 * 10 * each[z]);
      QCOMPARE(t.total(Exchange::Data, 1).value(), 4 * 2 * 0.5 * 10 * 4.0 / 2);
    }
  }
  /// From ZeRO-2 on gradients are scattered for every microbatch; weights are gathered so from ZeRO-3 on.
  void gradientsByZeroStageAndMicrobatch() {
    const Problem p = twoHosts();
    Plan plan;
    plan.dataInner = 2;
    plan.stages = {stageOf({0, 1})};
    // Two microbatches, 10 parameters on 2 ranks: half of them, 4 bytes a gradient and 2 a weight.
    const double each[] = {2 * 4.0, 4 + 2.0, 2 * 4 + 2.0, 2 * 4 + 2 * 2 * 2.0};
    const double messages[] = {2, 2, 3, 6};
    for (int z = 0; z <= 3; ++z) {
      plan.zero = z;
      const Traffic t(p, plan);
      QCOMPARE(t.total(Exchange::Data).value(), 2 * 0.5 * 10 * each[z]);
      double sent = 0;
      t.visitFlows([&](const Flow& f) { sent += f.messages; });
      QCOMPARE(sent, 2 * messages[z]);
    }
    Problem reduced = p;
    reduced.assumptions.zeroAllReduces = true;
    plan.zero = 1;
    QCOMPARE(Traffic(reduced, plan).total(Exchange::Data).value(), 2 * 0.5 * 10 * (2 * 4 + 2.0));
  }
  /// Tied tables in two stages: their gradients pass between the two, in the bytes of gradients.
  void tiedTablesSumTheirGradients() {
    Problem p = twoHosts();
    p.graph = std::make_shared<const LayerGraph>(
        LayerGraph::chain({{"a", LayerKind::Embedding, 0}, {"b", LayerKind::Head, 0}}));
    Profile profile = *p.profile;
    profile.tied = TiedParameters{LayerIndex(0), LayerIndex(1), {3, 3, 3}};
    p.profile = std::make_shared<const Profile>(profile);
    Plan plan;
    plan.stages = {stageOf({0}), stageOf({1})};
    const Traffic t(p, plan);
    // 3 gradients of 4 bytes, there and back.
    QCOMPARE(t.total(Exchange::Data).value(), 2 * 3 * 4.0);
    plan.stages = {stageOf({0, 1})};
    QCOMPARE(Traffic(p, plan).total(Exchange::Data).value(), 0.0);
  }
  /// One rank holds the whole table, each of the two others half of it: each half goes there and back.
  void tiedTablesOfDifferentDegreesAreExchangedWhole() {
    Problem p = twoHosts();
    p.graph = std::make_shared<const LayerGraph>(
        LayerGraph::chain({{"a", LayerKind::Embedding, 0}, {"b", LayerKind::Head, 0}}));
    Profile profile = *p.profile;
    profile.tied = TiedParameters{LayerIndex(0), LayerIndex(1), {6, 3, 3}};
    p.profile = std::make_shared<const Profile>(profile);
    Plan plan;
    plan.stages = {stageOf({0}), stageOf({1}, {2, false, 1, 1})};
    QCOMPARE(Traffic(p, plan).total(Exchange::Data).value(), 2 * 6 * 4.0);
    plan.stages = {stageOf({0}, {2, false, 1, 1}), stageOf({1})};
    QCOMPARE(Traffic(p, plan).total(Exchange::Data).value(), 2 * 6 * 4.0);
  }
  void allToAllMeetsEveryone() {
    const Problem p = twoHosts(CollectiveKind::AllToAll);
    Plan plan;
    plan.dataInner = 4;
    plan.stages = {stageOf({0, 1}, {1, false, 1, 4})};
    const Traffic t(p, plan);
    // Two layers, 25 bytes from each to each: one peer inside, two outside.
    QCOMPARE(t.total(Exchange::Expert, 0).value(), 2 * 25 * 4.0);
    QCOMPARE(t.total(Exchange::Expert, 1).value(), 2 * 25 * 8.0);
    const TrafficMatrix hosts = t.matrix(groupBuckets(*p.cluster, 0), {false, false, true, false, false});
    QCOMPARE(hosts.bytes[hosts.cell(0, 0)].value(), 100.0);
    QCOMPARE(hosts.bytes[hosts.cell(0, 1)].value(), 200.0);
  }
  void oneLevelAlone() {
    const Problem p = twoHosts();
    Plan plan;
    plan.stages = {stageOf({0}, {2, false, 1, 1}), stageOf({1}, {2, false, 1, 1})};
    const Traffic t(p, plan);
    const TrafficMatrix inside = t.matrix(groupBuckets(*p.cluster, 0), kEveryExchange, 0);
    QCOMPARE(inside.bytes[inside.cell(0, 0)].value(), 800.0);
    QCOMPARE(int(inside.level[inside.cell(0, 1)]), -1);
    const TrafficMatrix between = t.matrix(groupBuckets(*p.cluster, 0), kEveryExchange, 1);
    QCOMPARE(int(between.level[between.cell(0, 0)]), -1);
    QCOMPARE(between.bytes[between.cell(0, 1)].value(), 56.0);
    // Each host sends its half; of what stays inside, too.
    QCOMPARE(t.across(1), (std::vector<Bytes>{Bytes(56), Bytes(56)}));
    QCOMPARE(t.across(0), (std::vector<Bytes>{Bytes(800), Bytes(800)}));
    QCOMPARE(t.across(0, {false, false, false, true, false}), (std::vector<Bytes>{Bytes(0), Bytes(0)}));
  }
  /// What each device spends sending is the sum over what it sends, level by level.
  void sendingTimesAreThoseOfTheFlows() {
    test::InstanceFeatures features;
    features.shardGroups = features.foldedExperts = true;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      const Problem p = test::randomInstance(seed, features);
      int left = 10;
      visitPlans(p, [&](const Plan& plan) {
        const Traffic t(p, plan);
        ExchangeMask kinds = kEveryExchange;
        kinds[static_cast<Exchange>(seed % kExchangeCount)] = false;
        std::vector<std::vector<double>> sum(p.cluster->levelCount(),
                                             std::vector<double>(p.cluster->deviceCount(), 0));
        t.visitFlows([&](const Flow& f) {
          if (!kinds[f.kind]) return;
          const int l = p.cluster->levelBetween(f.source, f.destination);
          const NetworkLevel& level = p.cluster->level(l);
          sum[l][f.source] +=
              f.messages * level.latency.value() + f.bytes.value() / level.sustained().value();
        });
        const auto times = t.sendingTimes(kinds);
        bool ok = times.size() == sum.size();
        for (std::size_t l = 0; ok && l < sum.size(); ++l)
          for (std::size_t d = 0; ok && d < sum[l].size(); ++d)
            ok = std::abs(times[l][d].value() - sum[l][d]) <= 1e-9 * std::max(1e-30, sum[l][d]);
        if (!ok) qCritical("seed %llu: %s", static_cast<unsigned long long>(seed), summaryOf(plan).c_str());
        [&] { QVERIFY(ok); }();
        return ok && --left > 0;
      });
    }
  }
  /// Totals, flows and matrices of any coarseness tell the same.
  void viewsAgree() {
    test::InstanceFeatures features;
    features.shardGroups = features.foldedExperts = true;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
      const Problem p = test::randomInstance(seed, features);
      int left = 20;
      visitPlans(p, [&](const Plan& plan) {
        const Traffic t(p, plan);
        double flows = 0;
        PerExchange<double> byKind{};
        t.visitFlows([&](const Flow& f) {
          flows += f.bytes.value();
          byKind[f.kind] += f.bytes.value();
        });
        const auto same = [](double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(a, b); };
        bool ok = same(flows, t.total().value());
        for (std::size_t k = 0; k < byKind.size(); ++k)
          ok = ok && same(byKind[k], t.total(static_cast<Exchange>(k)).value());
        for (const int most : {1, 3, 512}) {
          double cells = 0;
          for (const Bytes b : t.matrix(evenBuckets(*p.cluster, most)).bytes) cells += b.value();
          ok = ok && same(cells, flows);
        }
        if (!ok) qCritical("seed %llu: %s", static_cast<unsigned long long>(seed), summaryOf(plan).c_str());
        [&] { QVERIFY(ok); }();
        return ok && --left > 0;
      });
    }
  }
  void impossiblePlansHaveNone() {
    const Problem p = twoHosts();
    Plan plan;
    plan.dataInner = 100;
    plan.stages = {stageOf({0, 1})};
    QCOMPARE(Traffic(p, plan).total().value(), 0.0);
    QCOMPARE(Traffic(p, plan).matrix(evenBuckets(*p.cluster)).buckets(), 4);
    QCOMPARE(Traffic(p, Plan{}).total().value(), 0.0);
  }
};
NEST_TEST(TestTraffic)
#include "test_traffic.moc"
