#include <algorithm>
#include <cmath>
#include <map>

#include "solver/bounds/depth_prices.h"
#include "solver/bounds/least_work.h"
#include "solver/bounds/per_stage_bounds.h"
#include "solver/bounds/search_bounds.h"
#include "solver/bounds/windows.h"
#include "solver/exhaustive.h"
#include "solver/watch.h"
#include "stage_sums.h"
#include "support/instance_count.h"
#include "support/random_instance.h"
#include "support/test_main.h"

using namespace nest;
using namespace nest::test;
using namespace nest::solver;

namespace {

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
  /// Whether a long chain has many stretches of layers alike, few, or one.
  void maximaOfLongChains() {
    constexpr int kLayers = 700;
    const LayerOrder order(LayerGraph::chain(std::vector<Layer>(kLayers)));
    for (const int stretch : {1, 3, 60, 350, kLayers}) {
      std::vector<double> values;
      for (int x = 0; x < kLayers; ++x) values.push_back(x / stretch * 7 % 11);
      const RangeMaximum most(order, values);
      for (int from = 0; from < kLayers; from += 13) {
        QCOMPARE(most(from, from), 0.0);
        double least = 0;
        for (int to = from + 1; to <= kLayers; ++to)
          QCOMPARE(most(from, to), least = std::max(least, values[static_cast<std::size_t>(to) - 1]));
      }
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
        if (!(time > 0) || time == kInfinity ||
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

  /// What the layers that may hold most hold is what any of them holds, under every sharding.
  void someHeaviestLayerHoldsMost() {
    int left = 0;
    for (std::uint64_t seed = 530000; seed < 530200; ++seed) {
      const Problem p = randomInstance(seed, uniformStrategyChain());
      const LayerOrder order(*p.graph);
      GroupShapes shapes(*p.cluster);
      const SearchSpace space(p);
      const std::vector<int> layers = layersUnlike(*p.graph);
      for (const int b : space.microbatches())
        for (const int k : space.strategies()) {
          const LayerSums sums(p, order, shapes, b, k);
          const auto heaviest = heaviestLayers(p, sums, layers);
          left += static_cast<int>(layers.size() - heaviest.size());
          for (const int z : {0, 1, 2, 3})
            for (const int d : {1, 2, 8}) {
              const StageFloor floor(p, sums, GradientFloor::of(shapes, sums.strategy(), d, {d}), z);
              double most = 0;
              for (const int x : layers)
                most = std::max(most, leastStageMemory(floor, heaviestLayers(p, sums, {x})));
              QCOMPARE(leastStageMemory(floor, heaviest), most);
            }
        }
    }
    QVERIFY2(left > 200, qPrintable(QString::number(left)));
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
          std::vector<const LeastLayers*> leastLayers;
          for (const LayerSums* s : all) leastLayers.push_back(&s->leastLayers);
          const LeastWork least(*p.graph, leastLayers);
          [&] { QVERIFY(least.time(target.bound, units, plan.stageCount(), watch.bounds()) <= time); }();
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

private:
  static double largestY(const Plan& plan, const Evaluation& e, const Target& target, int stages) {
    double sum = 0, max = 0;
    for (int i = 0; i < std::min(stages, plan.stageCount()); ++i) addStage(e.stages[i], target, sum, max);
    return max;
  }
  /// Stages behind as they are, those in front as the bound has them.
  static void belowEachSplit(PerStageBounds& bounds, const Plan& plan, const Evaluation& e,
                             const Target& target, int units, double time) {
    double sum = 0, max = 0;
    int cut = 0, front = units;
    for (const StagePlan& s : plan.stages) cut += static_cast<int>(s.layers().size());
    for (int i = plan.stageCount() - 1; i >= 0; --i) {
      addStage(e.stages[i], target, sum, max);
      front -= plan.stages[i].strategy.width();
      cut -= static_cast<int>(plan.stages[i].layers().size());
      QVERIFY(bounds.time(plan.stageCount() - i, cut, front, max, sum, 0) <= time);
      if (i > 0)
        QVERIFY(bounds.leastMax(plan.stageCount() - i, cut, front) <=
                largestY(plan, e, target, i) * (1 + 1e-9));
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
    const Control control;
    Watch watch(control, 0);
    // Ended inside, nothing is known.
    std::stop_source stop;
    stop.request_stop();
    Control ended;
    ended.stop = stop.get_token();
    Watch over(ended, 0);
    reach.findLeastWork(over);
    QVERIFY(!reach.knowsLeastWork());
    reach.findLeastWork(watch);
    double sum = 0;
    for (int i = 0, to = 0; i < plan.stageCount(); ++i) {
      QVERIFY(reach.leastWork(i, to) <= sum * (1 + 1e-9));
      sum += e.stages[i].load.value();
      to += static_cast<int>(plan.stages[i].chunks.front().size());
    }
  }
};

NEST_TEST(TestPlannerBounds)
#include "test_planner_bounds.moc"
