// For one (b, σ, d, s, v, z): finds the windows under the largest load that could still matter, then for each
// layout (d_in, P) the sites of its stages, skips sites that have occurred before, and solves the rest by the
// DP.
#include "solver/common.h"
#include "solver/uniform_search.h"

#include <algorithm>
#include <unordered_set>

#include "solver/bounds/chunk_bounds.h"
#include "solver/bounds/depth_prices.h"
#include "solver/bounds/sync_reach.h"
#include "solver/models/chunk_chain_model.h"
#include "solver/models/line_model.h"
#include "solver/space/chunk_cuts.h"
#include "solver/stage/messages.h"

namespace nest::solver {
namespace {

/// Two sets of sites have the same signature if every value that a stage's cost depends on is equal.
std::string signatureOf(const std::vector<StageSite>& sites, const std::optional<TiedPlace>& tied) {
  std::string text;
  const auto add = [&](const auto& value) {
    text.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  for (const StageSite& s : sites) {
    for (int v : {s.levelIn, s.levelOut, s.tensorSet, s.contextSet, s.expertSet, s.denseSet,
                  s.expertGradientSet, s.copySet})
      add(v);
    add(s.speed);
    add(s.memory);
  }
  add(tied ? tied->level : -1);
  return text;
}

}  // namespace

CandidatePlan UniformSearch::foundOf(const Entry& e, int zero) const {
  CandidatePlan f;
  f.microbatchIndex = e.group->sums->microbatchIndex();
  f.dataDegree = e.group->dataDegree;
  f.batch = e.batch, f.microbatchCount = e.microbatchCount;
  f.zero = zero;
  f.chunks = e.chunks;
  f.schedule = e.schedule->kind();
  f.strategies.assign(at(e.stages), e.group->sums->strategyIndex());
  f.devices = devicesOf(e);
  return f;
}

ChainConfiguration UniformSearch::configurationOf(const Entry& e, int zero) const {
  ChainConfiguration c;
  c.problem = &m_problem;
  c.space = &m_space;
  if (!m_rules.empty()) c.rules = &m_rules;
  c.order = &m_order;
  c.sums = e.group->sums;
  c.shapes = &m_shapes;
  c.dataDegree = e.group->dataDegree;
  c.stages = e.stages;
  c.chunks = e.chunks;
  c.schedule = e.schedule;
  c.microbatchCount = e.microbatchCount;
  c.zero = zero;
  c.shardDegree = c.dataDegree;
  if (m_budget) c.memoryLimit = m_budget->memory;
  return c;
}

std::vector<UniformSearch::TiedCase> UniformSearch::tiedCases(int stages) const {
  const auto& tied = m_problem.profile->tied;
  const auto usable = [&](LayerIndex x) { return x.value >= 0 && x.value < m_order.layerCount(); };
  if (!tied || stages == 1 || !usable(tied->first) || !usable(tied->second)) return {{}};
  if (std::all_of(tied->parameters.begin(), tied->parameters.end(), [](double p) { return p == 0; }))
    return {{}};
  const int first = tied->first.value, second = tied->second.value, last = m_order.layerCount() - 1;
  const bool chain = m_order.isChain();
  const auto least = [&](int layer) { return chain && layer == last ? stages - 1 : 0; };
  const auto most = [&](int layer) { return chain && layer == 0 ? 0 : stages - 1; };
  std::vector<TiedCase> cases;
  for (int i = least(first); i <= most(first); ++i)
    for (int j = least(second); j <= most(second); ++j)
      if (!chain || ((first > second || i <= j) && (second > first || j <= i)))
        cases.push_back({std::pair(i, j)});
  return cases;
}

CutRules UniformSearch::rulesOf(const TiedCase& tied) const {
  if (!tied.stages) return m_rules;
  return m_rules.with({{m_problem.profile->tied->first, StageIndex(tied.stages->first)},
                       {m_problem.profile->tied->second, StageIndex(tied.stages->second)}});
}

std::optional<TiedPlace> UniformSearch::tiedPlace(const TiedCase& tied, const BlockLayout& layout,
                                                  int width) const {
  if (!tied.apart()) return std::nullopt;
  const auto [i, j] = *tied.stages;
  const int early = std::min(i, j), distance = std::abs(i - j) * width;
  return TiedPlace{i, j,
                   m_shapes.highestLevelCrossed(early * width, width, distance, layout.outer, layout.stride)};
}

double UniformSearch::mostLoad(const Entry& e, int zero, double hops, double limit, double tail) const {
  if (limit == kInfinity) return kInfinity;
  const Target target = targetOf(e);
  const ObjectiveWeights& w = target.bound;
  const double left = limit * kRoundUp - tail - w.sum * (e.group->sums->leastAny.back() + hops);
  double most = w.max > 0 ? left / w.max : kInfinity;
  // The sum contains the largest load, which may therefore exceed the least sum, but not this limit.
  if (w.sum > 0) most = std::min(most, (limit * kRoundUp - tail) / (w.sum + w.max));
  if (!target.byLoad() && w.max > 1) {
    const double fills = leastFill(m_problem, *e.group->sums, target, zero, m_order.last());
    most = std::min(most, (limit * kRoundUp - tail - fills) / (w.max - 1));
  }
  return most;
}

double UniformSearch::leastTail(const Entry& e, int zero, const StageWindows& windows) const {
  return e.group->tailPerLoad[at(zero)] *
         (m_order.isChain() ? e.group->sums->leastAny[at(windows.first(1))] : windows.leastFirst());
}

bool UniformSearch::openWindows(StageWindows& windows, const Entry& e, int zero, double limit) const {
  const double hops = windows.hopsBefore(e.stages);
  windows.limitLoad(mostLoad(e, zero, hops, limit, 0));
  const bool chain = m_order.isChain();
  if (chain ? !windows.findWindows() : !windows.mayBegin(0, 0)) return false;
  // The first stage exchanges at least the gradients of the layers that no other stage can hold.
  const double tail = leastTail(e, zero, windows);
  if (limit == kInfinity || tail <= 1e-3 * limit) return true;
  windows.limitLoad(mostLoad(e, zero, hops, limit, tail));
  return chain ? windows.findWindows() : windows.mayBegin(0, 0);
}

// Uses the hops of any layout, so that all layouts share the result. It is computed once the layouts have
// cost more than it does.
bool UniformSearch::openLeastWork(StageWindows& windows, const Entry& e, int zero, double limit,
                                  long long spent) const {
  if (windows.knowsLeastWork() || !m_order.isChain() || spent * 6 < m_order.last() ||
      !m_watch.bounds().uses(SearchBound::LeastSums))
    return true;
  windows.setHops(windows.leastHops());
  if (!openWindows(windows, e, zero, limit)) return false;
  if (spent * 6 < windows.windowPairs()) return true;
  const BoundLedger::Timer timer(m_watch.bounds(), SearchBound::LeastSums);
  const bool fits = windows.findLeastWork(m_watch);
  m_watch.bounds().count(SearchBound::LeastSums, !fits);
  return fits;
}

// Any plan is better than no limit, because without one the DP would expand every cut.
std::optional<PipelineCut> UniformSearch::cutEvenly(const ChainCosts& costs, StageWindows& windows,
                                                    const CutRules& rules,
                                                    const ObjectiveWeights& weights) const {
  PipelineCut cut;
  cut.cuts = windows.evenCuts();
  double sum = 0, most = 0, tail = 0, before = 0;
  for (int i = 0; i + 1 < static_cast<int>(cut.cuts.size()); ++i) {
    const int from = cut.cuts[at(i)], to = cut.cuts[at(i) + 1];
    if (to <= from || !rules.mayForm(from, to) || !rules.mayBegin(i, from)) return std::nullopt;
    const Part part{from, to};
    const auto f = costs.best(i, {&part, 1});
    if (f.policy < 0) return std::nullopt;
    cut.policies.push_back(f.policy);
    sum += f.sum;
    most = std::max(most, f.max);
    tail = std::max(tail, std::max(0.0, f.sync - before) + f.step);
    before += costs.backward(i, part);
    cut.memory = std::max(cut.memory, f.memory);
  }
  if (cut.policies.empty()) return std::nullopt;
  cut.time = weights.time(sum, most, tail);
  return cut;
}

void UniformSearch::processChain(Entry& e, int index, int zero) {
  const Strategy& strategy = e.group->sums->strategy();
  const int width = strategy.width();
  const auto cases = tiedCases(e.stages);
  CandidatePlan blank = foundOf(e, zero);
  blank.candidate = index;
  if (e.bound[at(zero)] > m_incumbents->limit(blank) * kRoundUp) return;

  struct Open {
    ChainConfiguration context;
    StageWindows windows;
  };
  std::vector<Open> open;  // for one h: one per policy that all stages must share
  const auto openAll = [&](int shardDegree) {
    open.clear();
    for (const auto& policy : m_space.sharedPolicies()) {
      auto context = configurationOf(e, zero);
      context.sharedPolicy = policy;
      context.shardDegree = shardDegree;
      Open o{context, StageWindows(context, room())};
      if (openWindows(o.windows, e, zero, limitFor(e, blank)))
        open.push_back(std::move(o));
      else if (shardDegree == e.group->dataDegree)
        noteShortage(e, context);
    }
  };

  std::unordered_set<std::string> seen;
  const long long before = m_watch.states();
  int shardDegree = 0;
  // Only h = d is possible, so the windows need no layout.
  if (zero == 0 || m_problem.search.shardGroups == ShardGroups::All) {
    openAll(shardDegree = e.group->dataDegree);
    if (open.empty()) return;
  }
  for (const BlockLayout& layout :
       m_space.layouts(e.group->dataDegree, width * e.stages, zero, {&strategy, 1})) {
    if (layout.shardDegree() != shardDegree) {
      openAll(shardDegree = layout.shardDegree());
      seen.clear();
    }
    if (open.empty() || !maySyncWithin(limitFor(e, blank), e, zero, layout)) continue;
    const auto sites = placeStages(m_shapes, strategy, layout, e.stages);
    for (const TiedCase& tied : cases) {
      const auto place = tiedPlace(tied, layout, layout.inner * width);
      // On a line blocks of other sizes stand apart from each other, however cheap their groups may be.
      std::string signature = signatureOf(sites, place);
      if (m_room) signature += std::to_string(layout.inner);
      if (cases.size() == 1 && !seen.insert(std::move(signature)).second) continue;
      const CutRules rules = rulesOf(tied);
      for (Open& o : open) {
        if (m_watch.shouldStop()) return;
        o.context.tied = place;
        const ChainCosts costs(o.context, sites);
        if (!openLeastWork(o.windows, e, zero, limitFor(e, blank), m_watch.states() - before)) continue;
        o.windows.setHops(costs.leastHops());
        auto cut = solveSite(e, zero, costs, o.windows, rules, limitFor(e, blank));
        if (cut && m_room && m_watch.bounds().uses(SearchBound::Crossings)) {
          cut = solveOnLines(e, zero, o.context, o.windows, sites, layout, rules, limitFor(e, blank));
          m_watch.bounds().count(SearchBound::Crossings, !cut);
        }
        if (!cut) continue;
        CandidatePlan found = blank;
        found.layout = layout;
        found.time = cut->time * e.weight;
        found.cut = std::move(*cut);
        found.memory = found.cut.memory;
        note(e, CandidateResult::Solved, found.time);
        m_incumbents->offer(std::move(found));
      }
    }
  }
}

// On irregular clusters groups straddle hosts in ways that no bound over all places captures, and with
// padding there are hundreds of d with equal m. The tensor groups and one gradient group of each stage
// determine most of the cost, long before all groups of all stages are placed. Gradient groups are the
// slowest to place, and the first stages hide least, so the bound is checked after 1, 4, 16, … stages with
// the groups known by then.
bool UniformSearch::maySyncWithin(double limit, const Entry& e, int zero, const BlockLayout& l) {
  if (m_shapes.isRegular() || !m_order.isChain() || limit == kInfinity ||
      !m_problem.cluster->hasUniformDevices() || !m_watch.bounds().uses(SearchBound::SyncReach))
    return true;
  const BoundLedger::Timer timer(m_watch.bounds(), SearchBound::SyncReach);
  const bool may = maySync(limit, e, zero, l);
  m_watch.bounds().count(SearchBound::SyncReach, !may);
  return may;
}

bool UniformSearch::maySync(double limit, const Entry& e, int zero, const BlockLayout& l) {
  LayerSums& sums = *e.group->sums;
  const Strategy& s = sums.strategy();
  const int h = l.shardDegree(), a = s.width();
  GradientFloor floor = GradientFloor::of(m_shapes, s, e.group->dataDegree, {h});
  const bool isOne = floor.choices.size() == 1;
  const GradientFloor::Choice anywhere = floor.choices.front();
  std::vector<StageReach> stages(at(e.stages));
  for (int i = 0; i < e.stages; ++i) stages[at(i)].load = loadAt(sums, l, i * l.inner * a);
  const auto setRates = [&](StageReach& stage) {
    const StageFloor here(m_problem, sums, floor, zero);
    stage.dense = here.tailPerDense(), stage.expert = here.tailPerExpert();
  };
  if (isOne) {
    setRates(stages.front());
    for (StageReach& stage : stages) stage.dense = stages.front().dense, stage.expert = stages.front().expert;
  }
  const auto mayReach = [&] {
    return mayFinishWithin(limit, sums, stages, targetOf(e).bound, 2 * (e.stages - 1) * sums.leastTransfer);
  };
  if (!mayReach()) return false;
  const bool inside = h <= l.inner;
  const int blocks = inside ? 1 : h / l.inner, replicas = inside ? h : l.inner;  // of one shard group
  for (int i = 0, next = 1; isOne && i < e.stages; ++i) {
    const int begin = i * l.inner * a;
    GradientFloor::Kind& dense = floor.choices.front().dense;
    dense = anywhere.dense;
    dense.shardPerByte = std::max(
        dense.shardPerByte, m_shapes.perByteOf({begin, blocks, l.stride, replicas * s.context, s.tensor}));
    if (h < e.group->dataDegree)
      dense.copiesPerByte = std::max(
          dense.copiesPerByte,
          m_shapes.perByteOf({begin, l.outer / blocks, blocks * l.stride, l.inner / replicas, h * a}) /
              dense.shards);
    setRates(stages[at(i)]);
    if (i + 1 < next && i + 1 < e.stages) continue;
    if (!mayReach()) return false;
    next *= 4;
  }
  return true;
}

// GroupShapes already has the tensor and context groups of the stage, run by run. Where they differ, the one
// that takes longest over all layers counts.
const std::vector<double>* UniformSearch::loadAt(LayerSums& sums, const BlockLayout& l, int begin) {
  const Strategy& s = sums.strategy();
  const int t = s.tensor, c = s.context;
  if (t * c == 1) return nullptr;
  const auto runs = [&](int count, int stride, int inner) {
    return RankPattern{begin, l.outer, l.stride, count, stride, inner, 1};
  };
  const int tensor = m_shapes.setOfRuns(runs(l.inner * c, t, 1), t, 1),
            context = m_shapes.setOfRuns(runs(l.inner, s.width(), t), c, t);
  const auto slowestOf = [](const std::vector<const ExchangeSums*>& tables) {
    const ExchangeSums* most = nullptr;
    for (const auto* table : tables)
      if (!most || table->upTo[0].back() > most->upTo[0].back()) most = table;
    return most;
  };
  const auto* tensors = slowestOf(sums.exchange(GroupKind::Tensor, tensor));
  const auto* contexts = slowestOf(sums.exchange(GroupKind::Context, context));
  const auto [it, isNew] = m_loads.try_emplace({&sums, tensors, contexts});
  std::vector<double>& load = it->second;
  if (!isNew) return &load;
  const auto extra = [&](Exchange kind, const ExchangeSums* here, const ExchangeSums& least, int r, int from,
                         int to) {
    const double shown = 1 - m_problem.assumptions.overlap[at(static_cast<int>(kind))];
    return here ? std::max(0.0, shown * (here->between(r, from, to) - least.between(r, from, to))) : 0;
  };
  load.assign(sums.leastAny.size(), 0);
  for (int x = 0; x + 1 < static_cast<int>(load.size()); ++x) {
    double least = kInfinity;
    for (int r = 0; r < kRecomputeCount; ++r)
      if (m_problem.search.recompute[at(r)] && hasPolicy(sums, Part{x, x + 1}, r))
        least = std::min(least, extra(Exchange::Tensor, tensors, sums.leastTensor, r, x, x + 1) +
                                    extra(Exchange::Context, contexts, sums.leastContext, r, x, x + 1));
    load[at(x + 1)] = load[at(x)] + between(sums.leastAny, Part{x, x + 1}) +
                      (least < kInfinity ? least * (1 - kRoundingOfDifferences) : 0);
  }
  return &load;
}

// Any plan suffices: this offers the first layout's even cut.
void UniformSearch::offerEven(Entry& e, int index, int zero) {
  const Strategy& strategy = e.group->sums->strategy();
  CandidatePlan found = foundOf(e, zero);
  found.candidate = index;
  for (const BlockLayout& layout :
       m_space.layouts(e.group->dataDegree, strategy.width() * e.stages, zero, {&strategy, 1}))
    for (const auto& policy : m_space.sharedPolicies()) {
      const TiedCase tied = tiedCases(e.stages).front();
      auto context = configurationOf(e, zero);
      context.sharedPolicy = policy;
      context.shardDegree = layout.shardDegree();
      context.tied = tiedPlace(tied, layout, layout.inner * strategy.width());
      const ChainCosts costs(context, placeStages(m_shapes, strategy, layout, e.stages));
      StageWindows windows(context, room());
      windows.setHops(costs.leastHops());
      if (!openWindows(windows, e, zero, kInfinity)) continue;
      auto cut = cutEvenly(costs, windows, rulesOf(tied), targetOf(e).weights);
      if (!cut) continue;
      found.layout = layout;
      found.time = cut->time * e.weight;
      found.cut = std::move(*cut);
      found.memory = found.cut.memory;
      m_incumbents->offer(std::move(found));
      return;
    }
}

std::optional<PipelineCut> UniformSearch::solveSite(const Entry& e, int zero, const ChainCosts& costs,
                                                    StageWindows& windows, const CutRules& rules,
                                                    double limit) {
  if (e.bound[at(zero)] > limit * e.weight * kRoundUp || !openWindows(windows, e, zero, limit))
    return std::nullopt;
  ++m_tuples;
  const Target target = targetOf(e);
  auto even = cutEvenly(costs, windows, rules, target.weights);
  if (even && even->time * kRoundUp < limit) {
    limit = even->time * kRoundUp;
    if (!openWindows(windows, e, zero, limit)) return std::nullopt;
  } else {
    even.reset();
  }
  const ChainModel::Floor floor{windows.leastMax(), leastTail(e, zero, windows)};
  if (target.bound.time(windows.leastSum(), floor.max, floor.tail) > limit * kRoundUp) return std::nullopt;
  return bestCut(costs, windows, rules, target, limit, floor, m_watch, m_storage);
}

bool UniformSearch::isLong(const Entry& e) const {
  return m_order.isChain() && m_order.layerCount() > m_tuning.longChain && e.chunks == 1 &&
         targetOf(e).byLoad();
}

/// A quick bound from what is in flight at each stage: (6.11) with one kind of stage.
double UniformSearch::deepBound(const Entry& e, int zero, double limit) const {
  if (!m_watch.bounds().uses(SearchBound::DepthPrices)) return 0;
  const LayerSums& sums = *e.group->sums;
  const Strategy& strategy = sums.strategy();
  const std::vector<StageFloor> floors{
      {m_problem, sums,
       GradientFloor::of(m_shapes, strategy, e.group->dataDegree,
                         m_space.shardDegrees(e.group->dataDegree, zero, {&strategy, 1})),
       zero}};
  const double hops = 2 * (e.stages - 1) * sums.leastTransfer,
               leastMax = std::max(sums.slowestLayer, sums.leastAny.back() / e.stages);
  const DepthPrices prices(m_problem, m_order, floors, targetOf(e),
                           {strategy.width() * e.stages, limit, leastMax, mostLoad(e, zero, hops, limit, 0),
                            room(), e.stages, e.stages});
  const BoundLedger::Timer timer(m_watch.bounds(), SearchBound::DepthPrices);
  const double bound = prices.bound(m_watch);
  m_watch.bounds().count(SearchBound::DepthPrices, bound > limit);
  return bound;
}

// Where memory forces recompute, (6.3) is far too low, and one long chain takes seconds. Therefore the bound
// on what each depth can hold is tested first, with a plan to begin from.
bool UniformSearch::sharpen(Entry& e, int index, int zero) {
  if (m_budget || !isLong(e) || m_watch.checkClock() || m_sharpened.contains({index, zero})) return false;
  if (m_incumbents->limit() == kInfinity) offerEven(e, index, zero);
  const double limit = limitFor(e, foundOf(e, zero));
  if (limit == kInfinity) return false;
  m_sharpened.emplace(index, zero);
  double& bound = e.bound[at(zero)];
  // Stays finite if nothing is within the limit, because the log ranks candidates by their bounds.
  bound = std::max(bound, std::min(deepBound(e, zero, limit), limit * (1 + 1e-9)) * e.weight);
  return true;
}

// The least costs of stages at any place prune most candidates, under any h or under the layout's own.
double UniformSearch::interleavedBound(const Entry& e, int zero, const std::vector<int>& shardDegrees) {
  ChunkConfiguration c;
  c.microbatchIndex = e.group->sums->microbatchIndex();
  c.dataDegree = e.group->dataDegree;
  c.microbatchCount = e.microbatchCount;
  c.stages = e.stages;
  c.chunks = e.chunks;
  c.zero = zero;
  c.schedule = e.schedule;
  c.target = targetOf(e);
  c.sums = {e.group->sums};
  double least = kInfinity;
  for (auto& cuts : interleavedCuts(m_problem, e.stages, e.chunks)) {
    c.cuts = std::move(cuts);
    const ChunkBounds bounds(m_problem, m_space, m_order, m_shapes, c, {{c.dataDegree, shardDegrees}}, room(),
                             m_watch);
    const int units = e.stages * e.group->sums->strategy().width();
    if (bounds.leastUnits() <= bounds.mostUnits()) least = std::min(least, bounds.quick(units));
  }
  return least;
}

void UniformSearch::processInterleaved(Entry& e, int index, int zero) {
  const Strategy& strategy = e.group->sums->strategy();
  CandidatePlan found = foundOf(e, zero);
  const auto limit = [&] { return limitFor(e, found) * kRoundUp; };
  const auto shardDegrees = m_space.shardDegrees(e.group->dataDegree, zero, {&strategy, 1});
  if (interleavedBound(e, zero, shardDegrees) > limit()) return;
  int shardDegree = 0;
  double bound = 0;
  for (const BlockLayout& layout :
       m_space.layouts(e.group->dataDegree, strategy.width() * e.stages, zero, {&strategy, 1})) {
    if (m_watch.poll()) return;
    found = foundOf(e, zero);
    if (layout.shardDegree() != shardDegree)
      bound = interleavedBound(e, zero, {shardDegree = layout.shardDegree()});
    if (std::max(bound, e.bound[at(zero)] / e.weight) > limit()) continue;
    ++m_tuples;
    auto context = configurationOf(e, zero);
    context.shardDegree = layout.shardDegree();
    if (!solveInterleaved(context, m_rules, layout, found, m_watch)) continue;
    if (m_room && found.time <= limit() && m_watch.bounds().uses(SearchBound::Crossings)) {
      found = foundOf(e, zero);
      const bool fits = solveInterleaved(context, m_rules, layout, found, m_watch, m_room);
      const int innermost = m_room->levelOf(2LL * layout.inner * strategy.width());
      if (fits) found.time += secondsOfCrossings(e, layout, innermost, 1);  // the sites have one of them
      m_watch.bounds().count(SearchBound::Crossings, !fits || found.time > limit());
      if (!fits) continue;
    }
    const bool fits = found.time <= limit();
    found.time *= e.weight;
    note(e, CandidateResult::Solved, found.time);
    found.candidate = index;
    if (fits) m_incumbents->offer(std::move(found));
  }
}

}  // namespace nest::solver
