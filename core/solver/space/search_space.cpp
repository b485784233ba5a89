// Lists what STATEMENT.md §3 leaves open, each list ascending: microbatches, strategies, degrees that divide,
// layouts (d_in | d, P rounded up to every group size). No pruning here but constraints and the device count.
#include "solver/space/search_space.h"

#include <algorithm>
#include <utility>

#include "problem/reserved_memory.h"
#include "problem/runs_schedule.h"
#include "solver/common.h"

namespace nest::solver {
namespace {

std::vector<int> ascending(std::vector<int> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

std::vector<int> divisors(int n) {
  std::vector<int> all;
  for (int k = 1; static_cast<long long>(k) * k <= n; ++k)
    if (n % k == 0) {
      all.push_back(k);
      if (k != n / k) all.push_back(n / k);
    }
  return ascending(std::move(all));
}

}  // namespace

double keptBesideReserve(const Assumptions& a, double memoryOfDevice) {
  const ReservedMemory reserved = reservedOn(a, Bytes(memoryOfDevice));
  return (reserved.headroom + reserved.allocator).value();
}

double mostRoom(const Problem& problem, double memory) {
  const Hierarchy& cluster = *problem.cluster;
  double most = 0, last = -1;
  for (int i = 0; i < (cluster.hasUniformDevices() ? 1 : cluster.deviceCount()); ++i) {
    const double own = cluster.factor(DeviceIndex(i)).memory.value();
    if (own == std::exchange(last, own)) continue;
    most =
        std::max(most, std::min(own, memory) * kMemoryRounding - keptBesideReserve(problem.assumptions, own));
  }
  return most;
}

SearchSpace::SearchSpace(const Problem& problem) : m_problem(&problem) {
  const Constraints& c = problem.constraints;
  for (int b : ascending(problem.job.microbatches)) {
    const int index = problem.profile->microbatchIndex(b);
    if (index >= 0 && b >= 1 && c.microbatch.allows(b)) m_microbatches.push_back(index);
  }
  const auto& offered = problem.profile->strategies();
  for (std::size_t i = 0; i < offered.size(); ++i) {
    const Strategy& s = offered[i];
    if (c.tensor.allows(s.tensor) && c.context.allows(s.context) && c.expert.allows(s.expert) &&
        mayCombine(s, 0, 1))
      m_strategies.push_back(static_cast<int>(i));
  }
  for (int z : ascending(problem.search.zeroStages))
    if (z >= 0 && z <= 3 && c.zero.allows(z)) m_zeroStages.push_back(z);
  for (int v : ascending(problem.search.chunksPerStage))
    if (v >= 1 && c.chunks.allows(v)) m_chunkCounts.push_back(v);
  for (const ScheduleKind kind : problem.search.schedules) {
    const PipelineSchedule& schedule = scheduleOf(kind);
    if (c.megatronExpressible && !schedule.isInMegatron()) continue;
    if (!runsSchedule(problem, schedule)) continue;
    const int fixed = schedule.fixedChunks();
    for (const int v : fixed > 0 ? std::vector<int>{fixed} : m_chunkCounts)
      if (schedule.takesChunks(v) && c.chunks.allows(v)) m_schedules.push_back({&schedule, v});
  }
  std::sort(m_schedules.begin(), m_schedules.end(), [](const ScheduleChoice& a, const ScheduleChoice& b) {
    return std::pair(a.chunks, a.schedule->kind()) < std::pair(b.chunks, b.schedule->kind());
  });
  m_oneStageOnly = (c.megatronExpressible && !problem.graph->isChain()) || !runs(PlanFeature::Pipeline);
}

std::vector<int> SearchSpace::dataDegrees(int microbatch, int width, const Strategy& strategy) const {
  const Problem& p = *m_problem;
  const int b = p.profile->microbatches()[at(microbatch)];
  const int most = p.cluster->deviceCount() / std::max(1, width);
  const bool pad = p.search.padLastMicrobatch && !p.constraints.megatronExpressible;
  std::vector<int> all;
  // Without bounds on them no divisors are looked for.
  const Bound& inner = p.constraints.dataInner;
  const auto isPlaced = [&](int d) {
    if (inner == Bound{}) return true;
    const auto parts = divisors(d);
    return std::any_of(parts.begin(), parts.end(), [&](int k) { return inner.allows(k); });
  };
  const auto take = [&](int d) {
    if (d <= most && strategy.fitsExperts(d) && p.constraints.data.allows(d) && isPlaced(d)) all.push_back(d);
  };
  const int leastBatch = p.leastBatch(), mostBatch = p.mostBatch();
  if (pad) {
    const int replicas = (mostBatch + b - 1) / b;
    for (int d = 1; d <= std::min(replicas, most); ++d) take(d);
  } else if (leastBatch < mostBatch) {
    for (int d = 1; d <= std::min(mostBatch / b, most); ++d)
      if (const int per = b * d; mostBatch / per * per >= leastBatch) take(d);
  } else if (p.job.globalBatch % b == 0) {
    for (int d : divisors(p.job.globalBatch / b)) take(d);
  }
  return all;
}

bool SearchSpace::devicesAllowed(long long devices) const {
  return devices <= m_problem->cluster->deviceCount() &&
         m_problem->constraints.devices.allows(static_cast<int>(devices));
}

bool SearchSpace::zeroAllowed(int zero, bool shards, int stages) const {
  if (zero > 0 && !shards) return false;
  if (stages == 1) return zero != 1 || runs(PlanFeature::OneStageUnderZero1);
  const bool pipelines = !m_problem->constraints.megatronExpressible && runs(PlanFeature::ShardedPipeline);
  return pipelines || zero <= 1;
}

bool SearchSpace::mayCombine(const Strategy& s, int zero, int stages) const {
  if (s.tensor > 1 && (!runs(PlanFeature::Tensor) || (stages > 1 && !runs(PlanFeature::TensorInPipeline)) ||
                       (zero > 2 && !runs(PlanFeature::TensorUnderZero3))))
    return false;
  return s.context == 1 || (runs(PlanFeature::Context) &&
                            (s.expert == 1 || s.foldedExperts || runs(PlanFeature::ContextBesideExperts)));
}

bool SearchSpace::stagesMayDiffer() const {
  return !m_problem->constraints.megatronExpressible && runs(PlanFeature::DifferingStages);
}

bool SearchSpace::stageCountDecidesNoZero() const {
  for (int z = 0; z < 4; ++z)
    if (zeroAllowed(z, true, 1) != zeroAllowed(z, true, 2)) return false;
  return true;
}

std::vector<int> SearchSpace::shardDegrees(int dataDegree, int zero,
                                           std::span<const Strategy> strategies) const {
  if (zero == 0 || m_problem->search.shardGroups == ShardGroups::All) return {dataDegree};
  auto all = divisors(dataDegree);
  std::reverse(all.begin(), all.end());
  const bool context =
      std::any_of(strategies.begin(), strategies.end(), [](const Strategy& s) { return s.context > 1; });
  std::erase_if(all, [&](int h) { return !m_problem->constraints.shard.allows(h) || (h == 1 && !context); });
  if (all.empty()) all = {dataDegree};  // bounds are asked all the same
  return all;
}

void SearchSpace::addShardGroups(const BlockLayout& l, std::span<const Strategy> strategies,
                                 std::vector<BlockLayout>& all) const {
  const Hierarchy& cluster = *m_problem->cluster;
  const auto inners = divisors(l.inner), outers = divisors(l.outer);
  std::vector<int> sizes;
  if (m_problem->search.shardGroups == ShardGroups::Every) {
    sizes = inners;
    for (const int k : outers) sizes.push_back(l.inner * k);
  } else if (m_problem->search.shardGroups == ShardGroups::Levels) {
    const auto most = [](const std::vector<int>& counts, long long size, long long room) {
      const auto it = std::find_if(counts.rbegin(), counts.rend(), [&](int n) { return n * size <= room; });
      return it == counts.rend() ? 0 : *it;
    };
    for (int level = 0; level < cluster.levelCount(); ++level) {
      const int room = cluster.largestGroupSize(level);
      for (const Strategy& s : strategies) sizes.push_back(most(inners, s.width(), room));
      if (l.outer > 1) sizes.push_back(l.inner * most(outers, l.stride, room));
    }
  }
  for (const int h : ascending(std::move(sizes))) {
    const bool shards = h > 1 || std::any_of(strategies.begin(), strategies.end(),
                                             [](const Strategy& s) { return s.context > 1; });
    if (h < 1 || h == l.inner * l.outer || !shards || !m_problem->constraints.shard.allows(h)) continue;
    const BlockLayout sharded{l.inner, l.outer, l.stride, h};
    if (std::any_of(strategies.begin(), strategies.end(),
                    [&](const Strategy& s) { return sharded.holds(s); }))
      all.push_back(sharded);
  }
}

std::vector<BlockLayout> SearchSpace::layouts(int dataDegree, int replicaWidth, int zero,
                                              std::span<const Strategy> strategies) const {
  const Hierarchy& cluster = *m_problem->cluster;
  const Constraints& c = m_problem->constraints;
  std::vector<BlockLayout> all;
  auto inners = divisors(dataDegree);
  std::reverse(inners.begin(), inners.end());
  for (int inner : inners) {
    const bool isUsed = std::any_of(strategies.begin(), strategies.end(), [&](const Strategy& s) {
      return BlockLayout{inner, dataDegree / inner, 0}.holds(s);
    });
    if (!isUsed || !c.dataInner.allows(inner)) continue;
    if (c.megatronExpressible && inner != dataDegree) continue;
    const int outer = dataDegree / inner;
    const long long width = static_cast<long long>(inner) * replicaWidth;
    if (outer == 1) {
      all.push_back({inner, 1, static_cast<int>(width)});
      continue;
    }
    std::vector<int> strides = {static_cast<int>(width)};
    for (int l = 0; l < cluster.levelCount() && !m_isPacked; ++l) {
      const long long size = cluster.largestGroupSize(l);
      const long long stride = (width + size - 1) / size * size;
      if (stride <= cluster.deviceCount()) strides.push_back(static_cast<int>(stride));
    }
    for (int stride : ascending(std::move(strides)))
      if ((outer - 1LL) * stride + width <= cluster.deviceCount()) all.push_back({inner, outer, stride});
  }
  if (zero == 0) return all;
  std::vector<BlockLayout> groups;
  if (m_problem->search.shardGroups != ShardGroups::All)
    for (const BlockLayout& l : all) addShardGroups(l, strategies, groups);
  if (!c.shard.allows(dataDegree)) all.clear();
  all.insert(all.end(), groups.begin(), groups.end());
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.shardDegree() > b.shardDegree(); });
  return all;
}

PerRecompute<bool> SearchSpace::policies(int stage) const {
  auto allowed = m_problem->search.recompute;
  if (!runs(PlanFeature::SelectiveRecompute)) allowed[Recompute::Selective] = false;
  for (const auto& pin : m_problem->constraints.stagePins)
    if (pin.stage.value == stage && pin.recompute)
      for (int r = 0; r < kRecomputeCount; ++r)
        allowed[at(r)] = allowed[at(r)] && static_cast<int>(*pin.recompute) == r;
  return allowed;
}

std::vector<std::optional<int>> SearchSpace::sharedPolicies() const {
  if (stagesMayDiffer()) return {std::nullopt};
  std::vector<std::optional<int>> all;
  for (int r = 0; r < kRecomputeCount; ++r)
    if (policies(-1)[at(r)]) all.emplace_back(r);
  return all;
}

bool SearchSpace::strategyAllowed(int stage, const Strategy& s) const {
  return std::all_of(
      m_problem->constraints.stagePins.begin(), m_problem->constraints.stagePins.end(),
      [&](const auto& pin) { return pin.stage.value != stage || !pin.strategy || *pin.strategy == s; });
}

bool choosesStrategies(const Problem& problem, const SearchSpace& space) {
  return problem.search.strategyPerStage && !problem.deviceWeights && space.stagesMayDiffer() &&
         space.strategies().size() > 1;
}

CutRules::CutRules(const Constraints& c, const LayerOrder& order) : m_order(&order), m_pins(c.layerPins) {
  const auto known = [&](LayerIndex x) { return x.value >= 0 && x.value < order.layerCount(); };
  for (const LayerIndex x : c.requiredCuts) {
    if (!known(x)) m_contradictory = true;
    m_required.push_back(x.value);
  }
  for (const LayerIndex x : c.forbiddenCuts)
    if (known(x)) m_forbidden.push_back(x.value);
  for (const auto& pin : m_pins)
    if (!known(pin.layer) || pin.stage.value < 0) m_contradictory = true;
  if (m_contradictory) m_pins.clear();
  rangePins();
}

// STATEMENT.md (6.8).
void CutRules::rangePins() {
  m_leastStages = 1;
  for (const auto& pin : m_pins) m_leastStages = std::max(m_leastStages, pin.stage.value + 1);
  if (!m_order->isChain() || m_pins.empty()) return;
  const int last = m_order->last(), stages = m_leastStages;
  m_earliest.assign(at(stages + 1), 0);
  m_latest.assign(at(stages + 1), last);
  for (const auto& pin : m_pins) {
    int& next = m_earliest[at(pin.stage.value + 1)];
    next = std::max(next, pin.layer.value + 1);
    int& own = m_latest[at(pin.stage.value)];
    own = std::min(own, pin.layer.value);
  }
  m_latest.front() = 0;
  for (int i = 1; i <= stages; ++i)
    m_earliest[at(i)] = std::max(m_earliest[at(i)], m_earliest[at(i - 1)] + 1);
  for (int i = stages; i-- > 1;) m_latest[at(i)] = std::min(m_latest[at(i)], m_latest[at(i + 1)] - 1);
  m_least.assign(at(last + 1), 0);
  m_most.assign(at(last + 1), 0);
  for (int cut = 0, least = 0, most = 0; cut <= last; ++cut) {
    while (latest(least) < cut) ++least;
    while (earliest(most + 1) <= cut) ++most;
    m_least[at(cut)] = least;
    m_most[at(cut)] = most;
  }
}

int CutRules::earliest(int stage) const {
  const int known = static_cast<int>(m_earliest.size()) - 1;
  return stage <= known ? m_earliest[at(stage)] : known < 0 ? stage : m_earliest.back() + stage - known;
}

int CutRules::latest(int stage) const {
  return stage < static_cast<int>(m_latest.size()) ? m_latest[at(stage)] : m_order->last();
}

int CutRules::mostEnd(int from) const {
  int end = m_order->last();
  for (const int x : m_required)
    if (x > from) end = std::min(end, x);
  return end;
}

int CutRules::leastBegin(int to) const {
  int begin = 0;
  for (const int x : m_required)
    if (x < to) begin = std::max(begin, x);
  return begin;
}

CutRules CutRules::with(std::vector<Constraints::LayerPin> morePins) const {
  CutRules rules = *this;
  rules.m_pins.insert(rules.m_pins.end(), morePins.begin(), morePins.end());
  rules.rangePins();
  return rules;
}

int CutRules::allowed(int cut, int step) const {
  while (cut > 0 && cut < m_order->last() &&
         std::find(m_forbidden.begin(), m_forbidden.end(), cut) != m_forbidden.end())
    cut += step;
  return cut;
}

bool CutRules::mayStand(int from, int to) const {
  if (!m_least.empty() &&
      std::max(m_least[at(from)], m_least[at(to)] - 1) > std::min(m_most[at(from)], m_most[at(to)] - 1))
    return false;
  return mayForm(from, to);
}

bool CutRules::mayBegin(int stage, int cut) const {
  if (!m_least.empty()) return m_least[at(cut)] <= stage && stage <= m_most[at(cut)];
  return std::all_of(m_pins.begin(), m_pins.end(), [&](const auto& pin) {
    return m_order->holds(cut, pin.layer.value) == (stage > pin.stage.value);
  });
}

bool CutRules::mayForm(int from, int to) const {
  if (m_required.empty() && m_forbidden.empty()) return true;
  const int first = m_order->firstBetween(from, to);
  for (int x : m_required)
    if ((x != first || (from == 0 && x > 0)) && m_order->holds(to, x) && !m_order->holds(from, x))
      return false;
  return from == 0 || std::find(m_forbidden.begin(), m_forbidden.end(), first) == m_forbidden.end();
}

}  // namespace nest::solver
