// Two ways. On chains with one strategy memory does not depend on the network: for each (b, σ, d, s, z) the
// least capacity that admits a plan is found by bisection over greedy windows, and only where it can beat the
// least so far. That is quick but blind to cuts, pins and what single devices hold. In general, a plan that
// lacks at most x bytes is one that fits where x bytes less are kept free: bisection over x, each step a
// search.
#include "solver/proof/nearest_miss.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "cluster/devices/device_catalog.h"
#include "problem/reserved_memory.h"
#include "program/prediction_error.h"
#include "solver/common.h"
#include "solver/mixed_search.h"
#include "units/text.h"

namespace nest::solver {
namespace {

constexpr double kGiB = 1024.0 * 1024 * 1024;

struct Lean {
  double capacity = kInfinity;
  ChainConfiguration context;
};

class MissSearch {
public:
  MissSearch(const Problem& p, const LayerOrder& order, GroupShapes& shapes, const SearchSpace& space,
             UniformSearch& search, Watch& watch)
      : m_problem(p), m_order(order), m_shapes(shapes), m_space(space), m_search(search), m_watch(watch) {}

  /// The least capacity over all configurations of the space; or, of those that `enough` suffices for, any.
  Lean leanest(double enough = kInfinity) {
    Lean best;
    m_enough = enough;
    for (int b : m_space.microbatches())
      for (int k : m_space.strategies()) {
        LayerSums& sums = m_search.sumsOf(b, k);
        if (!sums.offered()) continue;
        const auto heaviest = heaviestLayers(m_problem, sums, m_unlike);
        for (int d : m_space.dataDegrees(b, sums.strategy().width(), sums.strategy())) {
          visit(sums, heaviest, d, best);
          if (suffices(best) || m_watch.checkClock()) return best;
        }
      }
    return best;
  }

  std::vector<int> cuts(const Lean& lean) const {
    StageWindows windows(lean.context, lean.capacity);
    std::vector<int> all = {0};
    if (!windows.findWindows()) return {};
    for (int i = 1; i <= lean.context.stages; ++i) all.push_back(windows.last(i));
    return all;
  }

private:
  bool suffices(const Lean& best) const { return m_enough < kInfinity && best.capacity <= m_enough; }

  void visit(LayerSums& sums, const std::vector<LayerAlone>& heaviest, int d, Lean& best) {
    const Strategy& strategy = sums.strategy();
    const int width = strategy.width();
    const int most = std::min(m_order.layerCount(), m_problem.cluster->deviceCount() / (d * width));
    for (const int z : m_space.zeroStages()) {
      const StageFloor floor(m_problem, sums, GradientFloor::of(m_shapes, strategy, d, {d}), z);
      const double alone = leastStageMemory(floor, heaviest), all = leastTotalMemory(m_problem, floor, 0);
      const double reserve = m_problem.assumptions.reserve.value();
      for (int s = 1; s <= most; ++s) {
        if (m_watch.shouldStop() || suffices(best)) return;
        if (std::max(alone, all / s + reserve) > std::min(m_enough, best.capacity) * kRoundUp) continue;
        if (m_watch.checkClock()) return;
        if (!m_space.stageCountAllowed(s) || !m_space.devicesAllowed(static_cast<long long>(d) * width * s) ||
            !m_space.zeroAllowed(z, d * strategy.context > 1, s) || !m_space.mayCombine(strategy, z, s) ||
            m_space.layouts(d, width * s, z, {&strategy, 1}).empty())
          continue;
        for (const auto& policy : m_space.sharedPolicies()) consider(sums, d, s, z, policy, best);
      }
    }
  }

  void consider(LayerSums& sums, int d, int s, int z, std::optional<int> policy, Lean& best) {
    ChainConfiguration c;
    c.problem = &m_problem;
    c.space = &m_space;
    c.order = &m_order;
    c.sums = &sums;
    c.shapes = &m_shapes;
    c.dataDegree = d;
    c.stages = s;
    c.schedule = &scheduleOf(usualSchedule(1));
    c.zero = z;
    c.shardDegree = d;
    c.sharedPolicy = policy;
    const auto batches =
        m_problem.batchChoices(m_problem.profile->microbatches()[at(sums.microbatchIndex())], d);
    c.microbatchCount = batches.empty() ? 1 : batches.back().microbatches;  // what holds least in flight
    StageWindows windows(c, 0);
    const auto fits = [&](double capacity) {
      windows.limitMemory(capacity);
      return windows.findWindows();
    };
    double high = std::min({1e18, m_enough, best.capacity * (1 - 1e-9)});
    if (!fits(high)) return;
    for (double low = 0; m_enough == kInfinity && high - low > 1e-9 * high;) {
      const double mid = (low + high) / 2;
      (fits(mid) ? high : low) = mid;
    }
    best.capacity = high;
    best.context = c;
  }

  const Problem& m_problem;
  const LayerOrder& m_order;
  GroupShapes& m_shapes;
  const SearchSpace& m_space;
  UniformSearch& m_search;
  Watch& m_watch;
  std::vector<int> m_unlike = layersUnlike(*m_problem.graph);
  double m_enough = kInfinity;
};

/// A search within another one, of a problem of its own.
struct Inner {
  Inner(Problem changed, const LayerOrder& layers, Watch& outer)
      : problem(std::move(changed)), order(layers), control(outer.same()) {}

  const Problem problem;
  const LayerOrder& order;
  const Control control;
  Watch watch{control, 0};
  GroupShapes shapes{*problem.cluster};
  const SearchSpace space{problem};
  Incumbents best{1};
  UniformSearch search{problem, order, shapes, space, best, watch};
};

/// The fastest plan if every device could hand out `extra` bytes more; nullopt if there is none.
struct Answer {
  std::optional<Plan> plan;
  long long states = 0;
};
Answer planWith(Problem problem, const LayerOrder& order, double extra, Watch& outer) {
  if (outer.poll()) return {};
  problem.assumptions.reserve =
      problem.assumptions.reserve - Bytes(extra * problem.assumptions.allocatorFactor);
  auto inner = std::make_unique<Inner>(std::move(problem), order, outer);
  if (inner->search.run() && choosesStrategies(inner->problem, inner->space) &&
      inner->problem.leastBatch() == inner->problem.mostBatch())
    MixedSearch(inner->problem, order, inner->shapes, inner->space, inner->search, inner->best, inner->watch)
        .run();
  inner->best.sort(inner->problem);
  Answer answer;
  answer.states = inner->watch.states();
  if (const auto& best = inner->best.best(); !best.empty())
    answer.plan = planOf(inner->problem, order, best.front());
  if (outer.poll()) outer.leave(std::move(inner));
  return answer;
}

/// What the stage that lacks most lacks; nothing if more than memory is wrong with the plan.
std::optional<NearestMiss> missOf(const Problem& problem, Plan plan) {
  NearestMiss miss;
  miss.plan = std::move(plan);
  miss.evaluation = evaluate(problem, miss.plan);
  for (const Violation& v : miss.evaluation.violations) {
    if (v.kind != Violation::Kind::Memory) return std::nullopt;
    if (v.shortfall > miss.shortfall) {
      miss.stage = v.stage;
      miss.shortfall = v.shortfall;
    }
  }
  return miss.stage < 0 ? std::nullopt : std::optional(std::move(miss));
}

/// The plan that lacks least, to a millionth, or the best one met until that has cost too many states;
/// `known`: one to begin from.
std::optional<NearestMiss> leastMiss(const Problem& problem, const LayerOrder& order, Watch& watch,
                                     std::optional<NearestMiss> known) {
  constexpr double kAmple = 1e18, kEnough = 1e-6;
  constexpr long long kFreeStates = 300'000;
  const long long most = kFreeStates + 5 * watch.states();
  const bool isQuick = known.has_value();
  long long states = 0;
  if (!known) {
    const Answer any = planWith(problem, order, kAmple, watch);
    states = any.states;
    if (any.plan) known = missOf(problem, *any.plan);
    if (!known) return known;
  }
  // What the quick way found lacks hardly more than the least: larger and larger steps down, then by halves.
  double least = 0, step = isQuick ? kEnough : 0.5;
  while (!watch.checkClock() && states < most) {
    const double lacks = known->shortfall.value();
    if (lacks - least <= kEnough * lacks) break;
    const double middle = least > 0 ? (least + lacks) / 2 : lacks * (1 - step);
    step = std::min(0.5, 8 * step);
    const Answer nearer = planWith(problem, order, middle, watch);
    states += nearer.states;
    std::optional<NearestMiss> miss = nearer.plan ? missOf(problem, *nearer.plan) : std::nullopt;
    if (miss && miss->shortfall < known->shortfall)
      known = std::move(miss);
    else
      least = middle;
  }
  return known;
}

/// Whether the quick way sees all that matters.
bool isPlain(const Problem& p, const LayerOrder& order) {
  const Constraints& c = p.constraints;
  const auto offered = SearchSpace(p).schedules();
  const bool usual = std::any_of(offered.begin(), offered.end(), [](const ScheduleChoice& o) {
    return o.schedule->kind() == usualSchedule(1);
  });
  return order.isChain() && usual && c.shard == Bound{} && c.requiredCuts.empty() &&
         c.forbiddenCuts.empty() && c.layerPins.empty() && c.stagePins.empty() &&
         p.cluster->hasUniformDevices() && !p.limitsHostMemory();
}

/// Whether memory would suffice under other options; `devices`: how many times as many.
bool wouldFit(Problem problem, const LayerOrder& order, Watch& watch, int devices) {
  if (watch.poll()) return false;
  if (devices > 1) {
    HierarchyInput more;
    more.device = problem.cluster->device();
    more.levels = {problem.cluster->level(problem.cluster->levelCount() - 1)};
    more.fanouts = {std::min(1 << 20, problem.cluster->deviceCount() * devices)};
    auto cluster = Hierarchy::build(more);
    if (!cluster) return false;
    problem.cluster = std::make_shared<const Hierarchy>(std::move(*cluster));
  }
  if (!isPlain(problem, order)) return planWith(problem, order, 0, watch).plan.has_value();
  auto inner = std::make_unique<Inner>(std::move(problem), order, watch);
  const double room = mostRoom(inner->problem);
  MissSearch misses(inner->problem, order, inner->shapes, inner->space, inner->search, watch);
  const bool fits = misses.leanest(room).capacity <= room;
  if (watch.poll()) watch.leave(std::move(inner));
  return fits;
}

/// The least whole multiple of the devices, up to 16, with which one fits; 0: none. Doubled first, so that
/// few searches show that none does.
int enoughTimes(Problem problem, const LayerOrder& order, Watch& watch) {
  problem.constraints.devices = {};
  for (int most = 2; most <= 16; most *= 2) {
    if (!wouldFit(problem, order, watch, most)) continue;
    for (int factor = most / 2 + 1; factor < most; ++factor)
      if (wouldFit(problem, order, watch, factor)) return factor;
    return most;
  }
  return 0;
}

/// Rounded up to three digits, so that what is printed suffices.
std::string memoryThatSuffices(double bytes) {
  const double gibibytes = bytes / kGiB, digit = std::pow(10, std::floor(std::log10(gibibytes)) - 2);
  return text::number(std::ceil(gibibytes / digit / kMemoryRounding) * digit, 6) + " GiB";
}

/// The device of the catalog with the least memory that suffices, of the same family and no slower; empty:
/// there is none.
std::string roomierDevice(const DeviceSpec& now, double bytes) {
  const DeviceSpec* best = nullptr;
  for (const DeviceSpec& d : deviceCatalog())
    if (deviceFamily(d.id) == deviceFamily(now.id) && d.memory.value.value() >= bytes &&
        d.peak.value >= now.peak.value && (!best || d.memory.value < best->memory.value))
      best = &d;
  return best ? best->id : std::string();
}

std::vector<std::string> remedies(const Problem& problem, const LayerOrder& order, Watch& watch,
                                  double capacity) {
  std::vector<std::string> all;
  const std::string device = roomierDevice(problem.cluster->device(), capacity);
  all.push_back("devices with at least " + memoryThatSuffices(capacity) + " of memory" +
                (device.empty() ? "" : ": `cluster.device = " + device + '`'));
  for (int z = 1; z <= 3; ++z) {
    const auto& offered = problem.search.zeroStages;
    if (std::find(offered.begin(), offered.end(), z) != offered.end()) continue;
    Problem more = problem;
    more.search.zeroStages.push_back(z);
    more.constraints.zero = {};
    if (!wouldFit(more, order, watch, 1)) continue;
    all.push_back("ZeRO-" + std::to_string(z) + ": `search.zero_stages += " + std::to_string(z) + '`');
    break;
  }
  for (int r = 1; r < kRecomputeCount; ++r) {
    if (problem.search.recompute[at(r)]) continue;
    Problem more = problem;
    more.search.recompute[at(r)] = true;
    if (!wouldFit(more, order, watch, 1)) continue;
    const std::string policy = nameOf(static_cast<Recompute>(r));
    all.push_back(policy + " recompute: `search.recompute += " + policy + '`');
    break;
  }
  if (const int factor = enoughTimes(problem, order, watch); factor > 0)
    all.push_back(factor == 2 ? std::string("twice the devices")
                              : std::to_string(factor) + " times the devices");
  const Constraints& c = problem.constraints;
  const bool bounded = c.tensor.most || c.stages.most || c.data.least || c.zero.most || c.devices.most;
  if (bounded) {
    Problem more = problem;
    more.constraints = {};
    if (wouldFit(more, order, watch, 1)) all.push_back("looser bounds on the degrees");
  }
  return all;
}

/// The plan that lacks least by the quick way.
std::optional<NearestMiss> quickMiss(const Problem& problem, const LayerOrder& order, GroupShapes& shapes,
                                     const SearchSpace& space, UniformSearch& search, Watch& watch) {
  MissSearch misses(problem, order, shapes, space, search, watch);
  const Lean lean = misses.leanest();
  if (lean.capacity == kInfinity) return std::nullopt;
  const auto cuts = misses.cuts(lean);
  if (cuts.empty()) return std::nullopt;

  CandidatePlan found;
  found.microbatchIndex = lean.context.sums->microbatchIndex();
  found.dataDegree = lean.context.dataDegree;
  if (const auto all =
          problem.batchChoices(problem.profile->microbatches()[at(found.microbatchIndex)], found.dataDegree);
      !all.empty())
    found.batch = all.back().batch;
  found.zero = lean.context.zero;
  found.schedule = lean.context.schedule->kind();
  found.strategies.assign(lean.context.stages, lean.context.sums->strategyIndex());
  const Strategy& strategy = lean.context.sums->strategy();
  found.layout =
      space.layouts(found.dataDegree, strategy.width() * lean.context.stages, found.zero, {&strategy, 1})
          .front();
  const ChainCosts costs(lean.context, placeStages(shapes, strategy, found.layout, lean.context.stages));
  found.cut.cuts = cuts;
  for (int i = 0; i < lean.context.stages; ++i) {
    const Part part{cuts[at(i)], cuts[static_cast<std::size_t>(i) + 1]};
    int leanest = 0;
    double least = kInfinity;
    for (int r = 0; r < kRecomputeCount; ++r)
      if (costs.offers(i, {&part, 1}, r))
        if (const double bytes = costs.memory(i, {&part, 1}, r); bytes < least) least = bytes, leanest = r;
    found.cut.policies.push_back(leanest);
  }
  return missOf(problem, planOf(problem, order, found));
}

}  // namespace

std::optional<NearestMiss> findNearestMiss(const Problem& problem, const LayerOrder& order,
                                           GroupShapes& shapes, const SearchSpace& space,
                                           UniformSearch& search, Watch& watch) {
  auto miss =
      isPlain(problem, order) ? quickMiss(problem, order, shapes, space, search, watch) : std::nullopt;
  miss = leastMiss(problem, order, watch, std::move(miss));
  if (!miss) return std::nullopt;  // something else forbids every plan
  double fullest = 0;
  for (const StageEvaluation& s : miss->evaluation.stages)
    fullest = std::max(fullest, memoryToHandOut(problem.assumptions, s.memory.handedOut()).value());
  miss->remedies = remedies(problem, order, watch, fullest);
  return miss;
}

}  // namespace nest::solver
