#include <algorithm>
#include <cmath>
#include <map>

#include "solver/bounds/chunk_bounds.h"
#include "solver/bounds/depth_prices.h"
#include "solver/bounds/least_work.h"
#include "solver/bounds/load_ranges.h"
#include "solver/bounds/per_stage_bounds.h"
#include "solver/bounds/search_bounds.h"
#include "solver/bounds/windows.h"
#include "solver/exhaustive.h"
#include "solver/space/chunk_cuts.h"
#include "solver/watch.h"
#include "support/instance_count.h"
#include "support/random_instance.h"
#include "support/test_main.h"

using namespace nest;
using namespace nest::test;
using namespace nest::planner;

namespace {

Hierarchy cluster(std::vector<int> fanouts) {
  HierarchyInput in;
  in.device.memory.value = Bytes(80e9);
  in.fanouts = std::move(fanouts);
  double bandwidth = 400e9, latency = 1e-6;
  for (std::size_t l = 0; l < in.fanouts.size(); ++l, bandwidth /= 5, latency *= 3)
    in.levels.push_back({"level", BytesPerSecond(bandwidth), Seconds(latency)});
  return *Hierarchy::build(in);
}

/// n_ℓ, f_ℓ and the reduce-scatter time from nothing but levelBetween.
double reduceScatterByHand(const Hierarchy& h, const std::vector<int>& positions, double bytes) {
  const double n = static_cast<double>(positions.size());
  if (positions.size() < 2) return 0;
  const auto steps = [](double k) { return std::ceil(std::log2(k) - 1e-12); };
  int outer = 0;
  for (int p : positions) outer = std::max(outer, h.levelBetween(positions.front(), p));
  const auto& top = h.level(outer);
  const double flat = steps(n) * top.latency.value() + (n - 1) / n * bytes / top.bandwidth.value();
  double nested = 0, share = bytes;
  for (int l = 0; l <= outer; ++l) {
    std::map<int, int> ranks;
    std::map<int, std::map<int, int>> parts;
    for (int p : positions) {
      ++ranks[h.groupOf(l, p)];
      ++parts[h.groupOf(l, p)][l == 0 ? p : h.groupOf(l - 1, p)];
    }
    std::size_t most = 0;
    int fewest = 1 << 30;
    for (const auto& [g, members] : parts) most = std::max(most, members.size());
    for (const auto& [g, count] : ranks) fewest = std::min(fewest, count);
    const double k = static_cast<double>(most);
    nested += steps(k) * h.level(l).latency.value() + (k - 1) / k * share / h.level(l).bandwidth.value();
    share = bytes / fewest;
  }
  return std::min(flat, nested);
}

std::vector<int> positionsOf(const RankPattern& p) {
  std::vector<int> out;
  for (int o = 0; o < p.outer; ++o)
    for (int j = 0; j < p.count; ++j)
      for (int k = 0; k < p.inner; ++k)
        out.push_back(p.base + o * p.outerStride + j * p.stride + k * p.innerStride);
  return out;
}

double slowestReduceScatter(GroupShapes& shapes, const RankPattern& p, double bytes) {
  double slowest = 0;
  for (int g : shapes.set(shapes.setOfGroups(p, 1)))
    slowest = std::max(slowest, shapes.rates(g).reduceScatter(bytes));
  return slowest;
}

/// The profile of a short chain for a long one of the same layers: each tensor as the short one's in its
/// place.
std::shared_ptr<const Profile> profileOfRepeated(const Profile& of, const LayerGraph& graph,
                                                 const LayerGraph& longer) {
  const int tensors = static_cast<int>(graph.tensors.size());
  Profile p(of.strategies(), of.microbatches(), graph.classCount, static_cast<int>(longer.tensors.size()));
  for (int s = 0; s < static_cast<int>(of.strategies().size()); ++s)
    for (int b = 0; b < static_cast<int>(of.microbatches().size()); ++b) {
      for (int c = 0; c < graph.classCount; ++c)
        if (const LayerCost* cost = of.cost(c, s, b)) p.setCost(c, s, b, *cost);
      for (int t = 0; tensors > 0 && t < static_cast<int>(longer.tensors.size()); ++t)
        p.setTensorBytes(t, s, b, of.tensorBytes(t % tensors, s, b));
    }
  p.tied = of.tied;
  return std::make_shared<const Profile>(std::move(p));
}

/// The instance with the first layer in place of each, or with a class of its own for each of these.
Problem withLayersAlike(Problem p, int layers, bool apart) {
  const Profile& of = *p.profile;
  auto graph = LayerGraph::chain(std::vector<Layer>(static_cast<std::size_t>(layers), p.graph->layers[0]));
  graph.classCount = apart ? layers : 1;
  const int tensors = static_cast<int>(graph.tensors.size());
  Profile profile(of.strategies(), of.microbatches(), graph.classCount, tensors);
  for (int s = 0; s < static_cast<int>(of.strategies().size()); ++s)
    for (int b = 0; b < static_cast<int>(of.microbatches().size()); ++b) {
      if (const LayerCost* cost = of.cost(p.graph->layers[0].classId, s, b))
        for (int c = 0; c < graph.classCount; ++c) profile.setCost(c, s, b, *cost);
      if (!p.graph->tensors.empty())
        for (int t = 0; t < tensors; ++t) profile.setTensorBytes(t, s, b, of.tensorBytes(0, s, b));
    }
  for (int x = 0; x < layers; ++x) graph.layers[static_cast<std::size_t>(x)].classId = apart ? x : 0;
  p.graph = std::make_shared<const LayerGraph>(std::move(graph));
  p.profile = std::make_shared<const Profile>(std::move(profile));
  p.constraints = {};
  return p;
}

}  // namespace

class TestPlannerBounds : public QObject {
  Q_OBJECT
private slots:
  /// Long patterns are shortened by whole periods: the same cost as counted rank by rank.
  void shapesMatchCountingRanks() {
    Dice dice(7);
    const std::vector<std::vector<int>> all = {{8, 4, 32}, {6, 4, 43}, {5, 3, 7, 4}, {4, 64}, {97}};
    for (int round = 0; round < 4000; ++round) {
      const Hierarchy h = cluster(all[static_cast<std::size_t>(round) % all.size()]);
      GroupShapes shapes(h);
      RankPattern p;
      p.stride = dice.between(1, 9);
      p.count = dice.between(1, 24);
      const int run = p.stride * p.count;
      if (run > h.deviceCount()) continue;
      p.outer = dice.between(1, std::max(1, h.deviceCount() / (run + 1)));
      p.outerStride = run + dice.between(0, std::max(0, h.deviceCount() / p.outer - run));
      if ((p.outer - 1) * p.outerStride + run > h.deviceCount()) continue;
      p.base = dice.between(0, h.deviceCount() - ((p.outer - 1) * p.outerStride + run));
      const std::vector<int> positions = positionsOf(p);
      const double bytes = std::pow(10, dice.between(2, 9));
      const double slowest = slowestReduceScatter(shapes, p, bytes);
      const double byHand = reduceScatterByHand(h, positions, bytes);
      QVERIFY2(std::abs(slowest - byHand) <= 1e-12 * byHand, qPrintable(QString("round %1").arg(round)));
      QVERIFY(shapes.cheapest(static_cast<int>(positions.size()), p.stride).reduceScatter(bytes) <=
              byHand * (1 + 1e-12));
    }
  }

  /// Runs that straddle hosts cost more than groups that could lie anywhere, and no less than the best place.
  void runsCostTheLeastOfTheirPlaces() {
    Dice dice(11);
    const std::vector<std::vector<int>> all = {{8, 4, 32}, {6, 4, 43}, {5, 3, 7, 4}, {4, 64}, {97}};
    int above = 0;
    for (int round = 0; round < 600; ++round) {
      const Hierarchy h = cluster(all[static_cast<std::size_t>(round) % all.size()]);
      GroupShapes shapes(h);
      const int stride = dice.between(1, 5), ranks = dice.between(2, 19);
      const GroupRates cheapest = shapes.cheapest(ranks, stride), run = shapes.cheapestRun(ranks, stride);
      QVERIFY(run.reduceScatter(1e10) >= cheapest.reduceScatter(1e10) * (1 - 1e-12));
      above += run.nestedPerByte > cheapest.nestedPerByte * 1.01;
      for (const double bytes : {1e2, 1e6, 1e10}) {
        double least = std::numeric_limits<double>::infinity(), ring = least;
        for (int p = 0; p + (ranks - 1) * stride < std::min(500, h.deviceCount()); ++p)
          for (const GroupRates* r :
               shapes.ratesOf(shapes.setOfRuns(RankPattern{p, 1, 0, 1, 0, 1, 1}, ranks, stride))) {
            least = std::min(least, r->reduceScatter(bytes));
            ring = std::min(ring, r->time(CollectiveKind::RingExchange, bytes));
            QVERIFY(run.time(CollectiveKind::AllToAll, bytes) <=
                    r->time(CollectiveKind::AllToAll, bytes) * (1 + 1e-12));
          }
        QVERIFY(run.reduceScatter(bytes) <= least * (1 + 1e-12));
        QVERIFY(run.time(CollectiveKind::RingExchange, bytes) <= ring * (1 + 1e-12));
      }
    }
    QVERIFY2(above > 100, qPrintable(QString::number(above)));
  }

  /// Ranks alone in their groups are taken in one step, whatever stands beside them.
  void longRowsMatchCountingRanks() {
    Dice dice(9);
    const std::vector<std::vector<int>> all = {{8, 8, 16}, {4, 4, 4, 8}, {16, 2, 40}, {6, 4, 30}, {640}};
    long long looked = 0, ranks = 0;
    for (int round = 0; round < 1500; ++round) {
      const Hierarchy h = cluster(all[static_cast<std::size_t>(round) % all.size()]);
      GroupShapes shapes(h);
      RankPattern p;
      p.inner = dice.between(1, 3);
      p.stride = dice.between(1, 40);
      if (p.stride < p.inner) continue;
      p.count = dice.between(1, h.deviceCount() / p.stride);
      const int run = p.stride * (p.count - 1) + p.inner;
      p.outer = dice.between(1, std::min(4, h.deviceCount() / run));
      p.outerStride = dice.between(run, h.deviceCount() / p.outer);
      p.base = dice.between(0, h.deviceCount() - ((p.outer - 1) * p.outerStride + run));
      const std::vector<int> positions = positionsOf(p);
      const double bytes = std::pow(10, dice.between(2, 9));
      const double slowest = slowestReduceScatter(shapes, p, bytes);
      const double byHand = reduceScatterByHand(h, positions, bytes);
      QVERIFY2(std::abs(slowest - byHand) <= 1e-12 * byHand, qPrintable(QString("round %1").arg(round)));
      looked += shapes.looked(), ranks += static_cast<long long>(positions.size());
    }
    QVERIFY(looked < ranks);
    const Hierarchy h = cluster({8, 32, 32});
    for (const int stride : {1, 24}) {
      GroupShapes shapes(h);
      shapes.setOfGroups({0, 1, 0, 300, stride, 1, 1}, 1);
      QVERIFY(shapes.looked() < 100);
    }
  }

  void levelsMatchPairByPair() {
    Dice dice(8);
    const std::vector<std::vector<int>> all = {{8, 4, 8}, {6, 4, 9}, {5, 3, 7}, {64}};
    for (int round = 0; round < 3000; ++round) {
      const Hierarchy h = cluster(all[static_cast<std::size_t>(round) % all.size()]);
      GroupShapes shapes(h);
      const int a = dice.between(1, 4), b = dice.between(1, 4), inner = dice.between(1, 4);
      const int width = inner * (a + b);
      const int outer = dice.between(1, h.deviceCount() / width);
      const int stride = dice.between(width, h.deviceCount() / outer);
      const int base = dice.between(0, h.deviceCount() - ((outer - 1) * stride + width));
      int level = 0;
      for (int o = 0; o < outer; ++o)
        for (int j = 0; j < inner; ++j)
          for (int q = 0; q < std::max(a, b); ++q)
            level = std::max(level,
                             h.levelBetween(base + o * stride + j * a + q * a / std::max(a, b),
                                            base + inner * a + o * stride + j * b + q * b / std::max(a, b)));
      QCOMPARE(shapes.reachBetween(base, a, base + inner * a, b, inner, outer, stride), level);
    }
  }

  /// Of a chain of thousands of layers, bounds on every number of units together take little memory.
  void boundsOfLongChainsStaySmall() {
    Problem p = randomInstance(500001, uniformStrategyChain());
    std::vector<Layer> layers;
    while (layers.size() < 3000) layers.insert(layers.end(), p.graph->layers.begin(), p.graph->layers.end());
    auto graph = LayerGraph::chain(std::move(layers));
    graph.classCount = p.graph->classCount;
    p.profile = profileOfRepeated(*p.profile, *p.graph, graph);
    p.graph = std::make_shared<const LayerGraph>(std::move(graph));
    p.constraints = {};
    const LayerOrder order(*p.graph);
    GroupShapes shapes(*p.cluster);
    const SearchSpace space(p);
    const CutRules rules(p.constraints, order);
    LayerSums sums(p, order, shapes, space.microbatches().front(), space.strategies().front());
    const int d = 1, width = sums.strategy().width();
    const std::vector<LayerSums*> all = {&sums};
    const auto shards = space.shardDegrees(d, 0, strategiesOf(all));
    const Target target = targetOf(p.search.objective, scheduleOf(usualSchedule(1)), 8, 1, 1);
    const Control control;
    Watch watch(control, 0);
    PerStageBounds bounds(p, order, rules, shapes, all, {{d, shards}}, 0, target, watch);
    for (int units = width; units <= 4000; units += width) {
      const double time = bounds.time(0, order.last(), units, 0, 0, 0);
      QVERIFY(time >= bounds.whole(units, 0) * (1 - 1e-9));
      QVERIFY(bounds.time(0, order.last() / 2, units, 0, 0, 0) <= time);
    }
    QVERIFY2(bounds.bytes() < std::size_t(32) << 20, qPrintable(QString::number(bounds.bytes())));
  }

  /// Stages of layers that are alike are listed once for many cuts: the bounds are those of layers that are
  /// told apart.
  void layersAlikeAreListedOnce() {
    InstanceFeatures features;
    features.dags = features.constraints = false;
    int checked = 0;
    for (std::uint64_t seed = 520000; seed < 520200; ++seed) {
      std::vector<double> found;
      for (const bool apart : {false, true}) {
        const Problem p = withLayersAlike(randomInstance(seed, features), 40, apart);
        const LayerOrder order(*p.graph);
        GroupShapes shapes(*p.cluster);
        const SearchSpace space(p);
        const CutRules rules(p.constraints, order);
        if (space.microbatches().empty() || space.strategies().empty() || space.zeroStages().empty())
          continue;
        const int b = space.microbatches().front(), z = space.zeroStages().front();
        std::vector<std::unique_ptr<LayerSums>> sums;
        std::vector<LayerSums*> all;
        for (int k : space.strategies())
          all.push_back(sums.emplace_back(std::make_unique<LayerSums>(p, order, shapes, b, k)).get());
        if (std::any_of(all.begin(), all.end(), [](const LayerSums* s) { return !s->offered(); })) continue;
        const auto shards = space.shardDegrees(1, z, strategiesOf(all));
        const Target target = targetOf(p.search.objective, scheduleOf(usualSchedule(1)), 16, 1, 1);
        const Control control;
        Watch watch(control, 0);
        PerStageBounds bounds(p, order, rules, shapes, all, {{1, shards}}, z, target, watch);
        const int units = 12;
        const double time = 2 * bounds.whole(units, 0);
        if (!(time > 0) || time == kNever ||
            !bounds.priceUnits(units, time, 4 * p.cluster->device().memory.value.value(), 500'000, watch))
          continue;
        found.push_back(std::min(1e300, bounds.upTo(units, time)));
        for (int cut = 1; cut < order.cutCount(); ++cut)
          found.push_back(std::min(1e300, bounds.time(0, cut, units / 2, 0, 0, 0)));
      }
      for (std::size_t k = 0; 2 * k < found.size(); ++k)
        QVERIFY2(std::abs(found[k] - found[found.size() / 2 + k]) <= 1e-9 * found[k],
                 qPrintable(QString("seed %1, %2: %3 and %4")
                                .arg(seed)
                                .arg(k)
                                .arg(found[k])
                                .arg(found[found.size() / 2 + k])));
      checked += !found.empty();
    }
    QVERIFY2(checked > 50, qPrintable(QString::number(checked)));
  }

  /// No feasible plan beats the bound of its configuration, nor the bound for free strategies, nor leaves its
  /// windows.
  void boundsAreBelowEveryPlan() {
    InstanceFeatures features;
    features.mostPlans = 3000;
    features.shardGroups = features.foldedExperts = true;
    int checked = 0, ruled = 0, split = 0, straddling = 0, placed = 0, tight = 0, tightOfOne = 0;
    const auto end = 500000 + static_cast<std::uint64_t>(instancesFrom(400));
    for (std::uint64_t seed = 500000; seed < end; ++seed) {
      features.schedules = seed % 4 >= 2;
      // Bounds know which cuts are asked for, and which layers are pinned.
      features.constraints = seed % 2 == 0;
      Problem p = randomInstance(seed, features);
      const int layers = p.graph->layerCount();
      if (seed % 5 == 0 && p.graph->isChain() && !p.profile->tied)
        p = withLayersAlike(std::move(p), layers, false);
      const LayerOrder order(*p.graph);
      GroupShapes shapes(*p.cluster);
      const SearchSpace space(p);
      const CutRules rules(p.constraints, order);
      double roomiest = 0;
      for (int i = 0; i < p.cluster->deviceCount(); ++i)
        roomiest = std::max(roomiest, p.cluster->factor(DeviceIndex(i)).memory.value());
      std::map<std::pair<int, int>, std::unique_ptr<LayerSums>> sums;
      for (int b : space.microbatches())
        for (int k : space.strategies()) sums[{b, k}] = std::make_unique<LayerSums>(p, order, shapes, b, k);
      const auto priceDepths = [&](const std::vector<StageFloor>& floors, const Target& target,
                                   const Plan& plan, const Evaluation& e, int units) {
        const double time = e.batchTime.value() * (1 + 1e-12),
                     low = e.maxLoad.value() * (1 - 0.5 * (checked % 2)) * (1 - 1e-12),
                     high = e.maxLoad.value() * (1 + 0.2 * (checked % 3));
        const DepthPrices deep(p, order, floors, target,
                               {units, time * (1 + 1e-9), low, high, roomiest * kMemoryRounding,
                                plan.stageCount(), plan.stageCount()});
        const Control control;
        Watch watch(control, 0);
        const double bound = deep.bound(watch);
        [&] { QVERIFY(bound <= time); }();
        (floors.size() > 1 ? tight : tightOfOne) += bound > 0.9 * time;
      };
      visitPlans(p, [&](const Plan& plan) {
        // The sums are those of schedules that hide nothing.
        if (plan.pipelineSchedule().coversExchanges()) return true;
        const Evaluation e = evaluate(p, plan);
        if (!e.feasible()) return true;
        const double time = e.batchTime.value() * (1 + 1e-12);
        const int b = p.profile->microbatchIndex(plan.microbatch);
        const int k = p.profile->strategyIndex(plan.stages.front().strategy);
        const bool uniform = std::all_of(plan.stages.begin(), plan.stages.end(), [&](const StagePlan& s) {
          return s.strategy == plan.stages.front().strategy;
        });
        if (uniform) {
          const LayerSums& s = *sums[{b, k}];
          const StageFloor floor(
              p, s,
              GradientFloor::of(shapes, s.strategy(), plan.dataDegree(),
                                space.shardDegrees(plan.dataDegree(), plan.zero, {&s.strategy(), 1})),
              plan.zero);
          const double bound =
              lowerBound(floor,
                         targetOf(p.search.objective, plan.pipelineSchedule(), e.microbatchCount,
                                  plan.stageCount(), plan.chunksPerStage()),
                         plan.stageCount());
          if (bound > time) qWarning("seed %d: bound %.12g above %.12g", int(seed), bound, time);
          [&] { QVERIFY(bound <= time); }();
          if (plan.chunksPerStage() == 1 && order.isChain())
            insideWindows(p, order, rules, shapes, space, *sums[{b, k}], plan, e, roomiest);
          if (const Target target = targetOf(p.search.objective, plan.pipelineSchedule(), e.microbatchCount,
                                             plan.stageCount(), 1);
              plan.chunksPerStage() == 1 && order.isChain() && target.byLoad())
            priceDepths({floor}, target, plan, e, plan.stageCount() * s.strategy().width());
          if (plan.chunksPerStage() == 1)
            sharesOut(p, order, shapes, space, *sums[{b, k}], plan, e, roomiest);
        }
        if (plan.chunksPerStage() == 1) {
          std::vector<LayerSums*> all;
          for (int strategy : space.strategies()) all.push_back(sums[{b, strategy}].get());
          const auto shards = space.shardDegrees(plan.dataDegree(), plan.zero, strategiesOf(all));
          const Target target =
              targetOf(p.search.objective, plan.pipelineSchedule(), e.microbatchCount, 1, 1);
          const Control control;
          Watch watch(control, 0);
          PerStageBounds bounds(p, order, rules, shapes, all, {{plan.dataDegree(), shards}}, plan.zero,
                                target, watch);
          const int units = plan.pipelineWidth() / plan.dataInner;
          [&] { QVERIFY(bounds.time(0, order.last(), units, 0, 0, 0) <= time); }();
          [&] { QVERIFY(e.maxLoad.value() <= bounds.mostLoad(units, time) * (1 + 1e-9)); }();
          const LeastWork least(order, *p.graph, all);
          [&] { QVERIFY(least.time(target.bound, units, plan.stageCount()) <= time); }();
          [&] { QVERIFY(bounds.upTo(units, time * (1 + 1e-9)) <= time); }();
          // Of several d of which the plan's is one.
          const int twice = 2 * plan.dataDegree();
          PerStageBounds several(
              p, order, rules, shapes, all,
              {{plan.dataDegree(), shards}, {twice, space.shardDegrees(twice, plan.zero, strategiesOf(all))}},
              plan.zero, target, watch);
          [&] { QVERIFY(several.leastBytes() <= bounds.leastBytes()); }();
          [&] { QVERIFY(several.upTo(units, time * (1 + 1e-9)) <= time); }();
          if (order.isChain() && target.byLoad()) {
            std::vector<StageFloor> floors;
            for (const LayerSums* s : all)
              floors.emplace_back(p, *s, GradientFloor::of(shapes, s->strategy(), plan.dataDegree(), shards),
                                  plan.zero);
            priceDepths(floors, target, plan, e, units + checked % 2);
          }
          const bool priced = bounds.priceUnits(units + checked % 3, time * (1 + 1e-9),
                                                roomiest * kMemoryRounding, checked % 2 ? 3 : 500'000, watch);
          [&] { QVERIFY(priced == order.isChain()); }();
          [&] { QVERIFY(bounds.upTo(units, time * (1 + 1e-9)) <= time); }();
          [&] { QVERIFY(e.maxLoad.value() <= bounds.mostLoad(units, time) * (1 + 1e-9)); }();
          if (priced) belowEachSplit(bounds, plan, e, target, units, time);
          bounds.sharpen(units + 3, time * (1 + 1e-9), roomiest * kMemoryRounding, true, watch);
          [&] { QVERIFY(bounds.whole(units, 0) <= time); }();
          if (order.isChain()) belowEachSplit(bounds, plan, e, target, units, time);
          const BlockLayout layout{plan.dataInner, plan.dataOuter, plan.blockStride, plan.shardReplicas};
          const double anywhere = bounds.whole(units, 0);
          bounds.standOn(layout, units, time * (1 + 1e-9), roomiest * kMemoryRounding, watch);
          [&] { QVERIFY(bounds.whole(units, 0) <= time); }();
          [&] { QVERIFY(e.maxLoad.value() <= bounds.mostLoad(units, time) * (1 + 1e-9)); }();
          if (order.isChain()) belowEachSplit(bounds, plan, e, target, units, time);
          placed += bounds.whole(units, 0) > anywhere * (1 + 1e-6);
          bounds.standAnywhere();
          straddling += order.isChain() && StageSites(p, shapes, *sums[{b, k}],
                                                      StageSites::firstBlocks(plan.dataDegree()), units)
                                                   .classes() > 1;
          for (const int more : {0, 1, 3})
            [&] { QVERIFY(bounds.upTo(units + more, time * (1 + 1e-9)) <= time); }();
          [&] { QVERIFY(bounds.time(0, order.last(), units, 0, 0, 0) <= time); }();
          [&] { QVERIFY(e.maxLoad.value() <= bounds.mostLoad(units, time) * (1 + 1e-9)); }();
        }
        ++checked;
        split += !plan.pipelineSchedule().fillsByLoad() && plan.chunksPerStage() == 1;
        ruled += !p.constraints.layerPins.empty() || !p.constraints.requiredCuts.empty();
        return !QTest::currentTestFailed();
      });
      if (QTest::currentTestFailed()) return;
    }
    QVERIFY(checked > 20000);
    qInfo(
        "%d plans, %d of them pinned or cut, %d that split backward; %d straddle, %d are placed; sharp: %d, "
        "%d with one strategy",
        checked, ruled, split, straddling, placed, tight, tightOfOne);
    QVERIFY(ruled > 200);
    QVERIFY(split > 200);
    QVERIFY2(straddling > 200, qPrintable(QString::number(straddling)));
    QVERIFY2(placed > 200, qPrintable(QString::number(placed)));
    QVERIFY2(tight > 200, qPrintable(QString::number(tight)));
    QVERIFY2(tightOfOne > 200, qPrintable(QString::number(tightOfOne)));
  }

  void interleavedBoundsAreBelowEveryPlan() {
    InstanceFeatures features;
    features.mostPlans = 3000;
    features.dags = features.constraints = false;
    features.shardGroups = features.foldedExperts = true;
    features.interleaved = 1;
    features.freeStrategies = 0.7;
    features.threeStages = features.schedules = true;
    int checked = 0;
    const auto end = 510000 + static_cast<std::uint64_t>(instancesFrom(400));
    for (std::uint64_t seed = 510000; seed < end; ++seed) {
      const Problem p = randomInstance(seed, features);
      const LayerOrder order(*p.graph);
      GroupShapes shapes(*p.cluster);
      const SearchSpace space(p);
      std::map<std::pair<int, bool>, std::vector<std::unique_ptr<LayerSums>>> sums;
      for (int b : space.microbatches())
        for (int k : space.strategies())
          for (const bool covered : {false, true})
            sums[{b, covered}].push_back(std::make_unique<LayerSums>(p, order, shapes, b, k, covered));
      visitPlans(p, [&](const Plan& plan) {
        if (plan.chunksPerStage() == 1) return true;
        const Evaluation e = evaluate(p, plan);
        if (!e.feasible()) return true;
        std::vector<LayerSums*> all;
        for (const auto& s :
             sums[{p.profile->microbatchIndex(plan.microbatch), plan.pipelineSchedule().coversExchanges()}])
          all.push_back(s.get());
        aboveInterleavedBounds(p, order, shapes, space, std::move(all), plan, e);
        ++checked;
        return !QTest::currentTestFailed();
      });
      if (QTest::currentTestFailed()) return;
    }
    qInfo("%d plans", checked);
    QVERIFY(checked > 5000);
  }

private:
  /// What a stage adds to Σ x and to the largest y.
  static void count(const StageEvaluation& stage, const Target& target, double& sum, double& max) {
    const double load = stage.load.value(), fill = stage.fill.value();
    sum += target.byLoad() ? load : fill;
    max = std::max(max, target.byLoad() ? load : load - fill / target.microbatchCount);
  }
  static double largestY(const Plan& plan, const Evaluation& e, const Target& target, int stages) {
    double sum = 0, max = 0;
    for (int i = 0; i < std::min(stages, plan.stageCount()); ++i) count(e.stages[i], target, sum, max);
    return max;
  }
  /// Stages behind as they are, those in front as the bound has them.
  static void belowEachSplit(PerStageBounds& bounds, const Plan& plan, const Evaluation& e,
                             const Target& target, int units, double time) {
    double sum = 0, max = 0;
    int cut = 0, front = units;
    for (const StagePlan& s : plan.stages) cut += static_cast<int>(s.layers().size());
    for (int i = plan.stageCount() - 1; i >= 0; --i) {
      count(e.stages[i], target, sum, max);
      front -= plan.stages[i].strategy.width();
      cut -= static_cast<int>(plan.stages[i].layers().size());
      QVERIFY(bounds.time(plan.stageCount() - i, cut, front, max, sum, 0) <= time);
      if (i > 0)
        QVERIFY(bounds.leastMax(plan.stageCount() - i, cut, front) <=
                largestY(plan, e, target, i) * (1 + 1e-9));
    }
  }

  static void aboveInterleavedBounds(const Problem& p, const LayerOrder& order, const GroupShapes& shapes,
                                     const SearchSpace& space, std::vector<LayerSums*> sums, const Plan& plan,
                                     const Evaluation& e) {
    double roomiest = 0;
    for (int i = 0; i < p.cluster->deviceCount(); ++i)
      roomiest = std::max(roomiest, p.cluster->factor(DeviceIndex(i)).memory.value());
    ChunkConfiguration c;
    c.dataDegree = plan.dataDegree();
    c.stages = plan.stageCount();
    c.chunks = plan.chunksPerStage();
    c.zero = plan.zero;
    c.microbatchCount = e.microbatchCount;
    c.cuts = {0};
    for (int part = 0; part < c.stages * c.chunks; ++part) {
      const auto stage = static_cast<std::size_t>(plan.pipelineSchedule().stageOf(part, c.stages));
      const auto& chunk = plan.stages[stage].chunks[part / c.stages];
      c.cuts.push_back(c.cuts.back() + static_cast<int>(chunk.size()));
    }
    const auto offered = interleavedCuts(p, c.stages, c.chunks);
    QVERIFY(std::find(offered.begin(), offered.end(), c.cuts) != offered.end());
    c.sums = std::move(sums);
    c.schedule = &plan.pipelineSchedule();
    c.target = targetOf(p.search.objective, *c.schedule, c.microbatchCount, c.stages, c.chunks);
    const double time = e.batchTime.value() * (1 + 1e-12);
    c.limit = time * (1 + 1e-9);
    const Control control;
    Watch watch(control, 0);
    const ChunkBounds bounds(p, space, order, shapes, c, roomiest * kMemoryRounding, watch);
    const int units = plan.pipelineWidth() / plan.dataInner;
    QVERIFY(bounds.leastUnits() <= units && units <= bounds.mostUnits());
    QVERIFY(bounds.quick(units) <= time);
    QVERIFY(bounds.upTo(units, time * (1 + 1e-9)) <= time);
    QVERIFY(bounds.upTo(units, time * 1.3) <= time);
    const auto shardingOf = [&](int d) {
      return Sharding{d, space.shardDegrees(d, c.zero, strategiesOf(c.sums))};
    };
    const ChunkBounds several(p, space, order, shapes, c,
                              {shardingOf(c.dataDegree), shardingOf(2 * c.dataDegree)},
                              roomiest * kMemoryRounding, watch);
    QVERIFY(several.upTo(units, time * (1 + 1e-9)) <= time);
    const ChunkBounds::Prefixes prefixes(bounds, units);
    QVERIFY(prefixes.time(c.stages, units, 0, 0, 0) <= time);
    QVERIFY(prefixes.leastMax(c.stages, units) <= e.maxLoad.value() * (1 + 1e-12));
    QVERIFY(e.maxLoad.value() <= prefixes.mostLoad(time) * (1 + 1e-12));
    QVERIFY(prefixes.leastTail(e.maxLoad.value()) <= e.tail.value() * (1 + 1e-12));
    // Each split of the pipeline: stages behind as they are, those in front as the bound has them.
    double sum = 0, max = 0;
    int front = units;
    for (int i = c.stages - 1; i >= 0; --i) {
      count(e.stages[i], c.target, sum, max);
      front -= plan.stages[i].strategy.width();
      QVERIFY(prefixes.time(i, front, max, sum, 0) <= time);
    }
  }

  static ChainConfiguration contextOf(const Problem& p, const LayerOrder& order, GroupShapes& shapes,
                                      const SearchSpace& space, LayerSums& sums, const Plan& plan,
                                      const Evaluation& e) {
    ChainConfiguration c;
    c.problem = &p;
    c.space = &space;
    c.order = &order;
    c.sums = &sums;
    c.shapes = &shapes;
    c.dataDegree = plan.dataDegree();
    c.stages = plan.stageCount();
    c.schedule = &plan.pipelineSchedule();
    c.microbatchCount = e.microbatchCount;
    c.zero = plan.zero;
    c.shardDegree = plan.shardDegree();
    return c;
  }

  /// What the load limit says of cuts and of the first stage, on any graph.
  static void sharesOut(const Problem& p, const LayerOrder& order, GroupShapes& shapes,
                        const SearchSpace& space, LayerSums& sums, const Plan& plan, const Evaluation& e,
                        double roomiest) {
    const ChainConfiguration c = contextOf(p, order, shapes, space, sums, plan, e);
    StageWindows reach(c, roomiest * kMemoryRounding);
    reach.limitLoad(e.maxLoad.value() * (1 + 1e-12));
    std::vector<bool> held(order.layerCount(), false);
    for (int i = 0; i <= plan.stageCount(); ++i) {
      int cut = 0;
      const auto is = [&](int x) { return order.holds(cut, x) == held[x]; };
      while (true) {
        bool same = true;
        for (int x = 0; x < order.layerCount(); ++x) same = same && is(x);
        if (same) break;
        QVERIFY(++cut < order.cutCount());
      }
      if (i < plan.stageCount()) QVERIFY(reach.mayBegin(i, cut));
      if (i == 1) QVERIFY(reach.leastFirst() <= sums.leastAny[cut] * (1 + 1e-9));
      if (i == plan.stageCount()) break;
      for (const LayerIndex x : plan.stages[i].layers()) held[x.at()] = true;
    }
  }

  static void insideWindows(const Problem& p, const LayerOrder& order, const CutRules& rules,
                            GroupShapes& shapes, const SearchSpace& space, LayerSums& sums, const Plan& plan,
                            const Evaluation& e, double roomiest) {
    ChainConfiguration c = contextOf(p, order, shapes, space, sums, plan, e);
    c.rules = &rules;
    StageWindows reach(c, roomiest);
    reach.limitLoad(e.maxLoad.value() * (1 + 1e-9));
    QVERIFY(reach.findWindows());
    int cut = 0;
    for (int i = 0; i < plan.stageCount(); ++i) {
      QVERIFY(reach.first(i) <= cut && cut <= reach.last(i));
      cut += static_cast<int>(plan.stages[i].chunks.front().size());
    }
    const auto even = reach.evenCuts();
    QVERIFY(!even.empty());
    QVERIFY(reach.leastMax() <= e.maxLoad.value() * (1 + 1e-9));
    const Target target = c.target();
    if (!target.byLoad()) return;
    // Ranges of the largest load, of which one holds the plan's.
    const double time = e.batchTime.value() * (1 + 1e-9), most = e.maxLoad.value();
    reach.limitLoad(3 * most);
    QVERIFY(reach.findWindows());
    LoadRanges ranges(reach, target, 0.2 * most, 0);
    const Control control;
    Watch watch(control, 0);
    QVERIFY(ranges.narrow(0.05, time, watch));
    QVERIFY(ranges.bound() <= time);
    const auto all = ranges.takeAll(0.05, time, watch);
    QVERIFY(all && all->low <= most * (1 + 1e-12) && most <= all->high * (1 + 1e-12));
    QVERIFY(ranges.bound() > time);
    // Ended inside, a range is not lost for a bound: nothing is known.
    std::stop_source stop;
    stop.request_stop();
    Control ended;
    ended.stop = stop.get_token();
    Watch over(ended, 0);
    QVERIFY(!ranges.windows(all->high, over).knowsLeastWork());
    const StageWindows& windows = ranges.windows(all->high, watch);
    double sum = 0;
    for (int i = 0, to = 0; i < plan.stageCount(); ++i) {
      QVERIFY(windows.leastWork(i, to) <= sum * (1 + 1e-9));
      sum += e.stages[i].load.value();
      to += static_cast<int>(plan.stages[i].chunks.front().size());
    }
  }
};

NEST_TEST(TestPlannerBounds)
#include "test_planner_bounds.moc"
