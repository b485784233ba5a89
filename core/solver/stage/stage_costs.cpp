// STATEMENT.md §4 for a stage from … to, from differences of LayerSums: load = compute + Σ exchange − hidden,
// sync, step and memory; the slowest of a set of group shapes for each exchange. Policies are tried from the
// least recompute on and the fastest that fits is taken. Cost: O(policies × shapes) per stage.
#include "solver/stage/stage_costs.h"

#include <algorithm>
#include <limits>

#include "schedule/pipeline_schedule.h"

namespace nest::planner {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

template <class Message>
double slowestGroup(const std::vector<const GroupRates*>& groups, Message message) {
  double most = 0;
  for (const auto* g : groups) most = std::max(most, message(*g));
  return most;
}

/// The gradient message of one group: what is exchanged once per batch, and with each microbatch.
double perBatch(const GroupRates& g, int zero, double gradients, double weights) {
  switch (zero) {
    case 0:
      return 2 * g.reduceScatter(gradients);
    case 1:
      return g.reduceScatter(gradients) + g.reduceScatter(weights);
    case 2:
      return g.reduceScatter(weights);
    default:
      return 0;
  }
}
double perMicrobatch(const GroupRates& g, int zero, double gradients, double weights) {
  if (zero < 2) return 0;
  return g.reduceScatter(gradients) + (zero == 3 ? 2 * g.reduceScatter(weights) : 0);
}

}  // namespace

ObjectiveWeights objectiveWeights(Objective objective, int m, int stages, int chunks) {
  if (objective == Objective::Nest) return {0, m + (stages - 1.0) / chunks};
  const LoadWeights weights = scheduleOf(usualSchedule(chunks)).weights(m, chunks);
  return {weights.sum, weights.max};
}

ParameterRates ParameterRates::of(const Problem& problem, int zero, int shards) {
  const OptimizerRegime& r = problem.job.optimizer;
  const double bandwidth = problem.cluster->device().memoryBandwidth.value.value();
  ParameterRates p;
  p.memory = r.weightBytes / (zero >= 3 ? shards : 1) + r.gradientBytes / (zero >= 2 ? shards : 1) +
             r.optimizerBytes / (zero >= 1 ? shards : 1);
  if (bandwidth > 0)
    p.step = (r.gradientBytes + r.weightBytes + 2 * r.optimizerBytes) / bandwidth / (zero >= 1 ? shards : 1);
  return p;
}

StageSite placeStage(GroupShapes& shapes, const Strategy& s, const BlockLayout& layout, int begin) {
  const int t = s.tensor, c = s.context, a = s.width(), e = s.expert;
  const auto runs = [&](int count, int stride, int inner) {
    return RankPattern{begin, layout.outer, layout.stride, count, stride, inner, 1};
  };
  StageSite site;
  site.tensorSet = shapes.setOfRuns(runs(layout.inner * c, t, 1), t, 1);
  site.contextSet = shapes.setOfRuns(runs(layout.inner, a, t), c, t);
  site.expertSet = shapes.setOfRuns(runs(layout.inner / e, e * a, a), e, a);
  site.denseSet = shapes.setOfGroups(runs(layout.inner * c, t, 1), t);
  RankPattern experts{begin, layout.outer, layout.stride, layout.inner / e, e * a, c, t};
  if (c == 1) experts.innerStride = 1;
  site.expertGradientSet = e == 1 ? site.denseSet : shapes.setOfGroups(experts, t, e, a);
  const Hierarchy& cluster = shapes.cluster();
  site.memory = cluster.device().memory.value.value();
  if (!cluster.hasUniformDevices()) {
    site.memory = kNever;
    for (int o = 0; o < layout.outer; ++o) {
      const int first = o * layout.stride + begin, end = first + layout.inner * a;
      site.speed = std::min(site.speed, cluster.slowest(first, end));
      site.memory = std::min(site.memory, cluster.smallestMemory(first, end).value());
    }
  }
  return site;
}

std::vector<StageSite> placeStages(GroupShapes& shapes, const Strategy& s, const BlockLayout& layout,
                                   int stages) {
  const int width = layout.inner * s.width();
  std::vector<StageSite> sites;
  for (int i = 0; i < stages; ++i) {
    sites.push_back(placeStage(shapes, s, layout, i * width));
    if (i == 0) continue;
    sites[at(i)].levelIn = sites[at(i - 1)].levelOut =
        shapes.reach((i - 1) * width, width, width, layout.outer, layout.stride);
  }
  return sites;
}

StageCosts::StageCosts(const Context& context, const std::vector<StageSite>& sites)
    : m_context(context),
      m_overlap(context.problem->assumptions.overlap),
      m_syncOverlap(context.problem->assumptions.syncOverlap) {
  const Problem& p = *context.problem;
  const Strategy& s = context.sums->strategy();
  m_stages.reserve(sites.size());
  m_denseRates = ParameterRates::of(p, context.zero, context.dataDegree * s.context);
  m_expertRates = ParameterRates::of(p, context.zero, context.dataDegree * s.context / s.expert);
  m_weight = p.job.optimizer.weightBytes;
  m_gradient = p.job.optimizer.gradientBytes;
  for (std::size_t i = 0; i < sites.size(); ++i) {
    Stage& stage = m_stages[at(addSlot(sites[i]))];
    stage.policies = context.space->policies(static_cast<int>(i));
    if (context.sharedPolicy)
      for (int r = 0; r < kRecomputeCount; ++r)
        stage.policies[at(r)] = stage.policies[at(r)] && r == *context.sharedPolicy;
    stage.inFlight = std::min(context.microbatchCount, context.stages - static_cast<int>(i));
    m_equalSpeeds = m_equalSpeeds && stage.site.speed == sites.front().speed;
    const double bytes = context.sums->leastBoundary;
    const double hops = transfer(sites[i].levelIn, bytes) + transfer(sites[i].levelOut, bytes);
    m_leastHops.push_back((1 - m_overlap[at(static_cast<int>(Exchange::Pipeline))]) * hops);
  }
}

double StageCosts::transfer(int level, double bytes) const {
  if (level < 0 || !(bytes > 0)) return 0;
  const auto& l = m_context.problem->cluster->level(level);
  return l.latency.value() + bytes / l.sustained().value();
}

bool StageCosts::hasCopy(int stage, int from, int to) const {
  if (!m_context.tied || stage != m_context.tied->secondStage) return false;
  const int second = m_context.problem->profile->tied->second.value;
  return m_context.order->holds(to, second) && !m_context.order->holds(from, second);
}

void StageCosts::addLayers(Shares& s, bool copies, int from, int to) const {
  const LayerSums& sums = *m_context.sums;
  s.dense += sums.dense[at(to)] - sums.dense[at(from)];
  s.expert += sums.expert[at(to)] - sums.expert[at(from)];
  if (m_context.zero == 3) s.largest = std::max(s.largest, sums.largestLayer(from, to));
  if (!copies) return;
  const auto& tied = *m_context.problem->profile->tied;
  const double copy = tied.parameters[at(sums.strategyIndex())];
  s.dense += copy;
  s.largest = std::max(s.largest, sums.layerParameters[tied.second.at()] + copy);
}

void StageCosts::finish(Shares& s, const Stage& stage) const {
  const int zero = m_context.zero;
  s.fixedMemory = s.dense * m_denseRates.memory + s.expert * m_expertRates.memory +
                  m_context.problem->assumptions.reserve.value() + (zero == 3 ? s.largest * m_weight : 0);
  if (zero < 2) return;
  s.data = slowestGroup(stage.dense,
                        [&](const GroupRates& g) {
                          return perMicrobatch(g, zero, s.dense * m_gradient, s.dense * m_weight);
                        }) +
           slowestGroup(stage.experts, [&](const GroupRates& g) {
             return perMicrobatch(g, zero, s.expert * m_gradient, s.expert * m_weight);
           });
}

StageCosts::Shares StageCosts::shares(const Stage& stage, bool copy, int from, int to) const {
  Shares s;
  addLayers(s, copy, from, to);
  finish(s, stage);
  return s;
}

double StageCosts::memory(int inFlight, const Shares& s, int from, int to, int policy) const {
  const LayerSums& sums = *m_context.sums;
  const auto& stash = sums.stash[at(policy)];
  return s.fixedMemory + inFlight * (stash[at(to)] - stash[at(from)]) + sums.workspace[at(policy)](from, to);
}

std::array<double, kExchangeCount> StageCosts::exchanges(const Stage& stage, const Shares& s, int from,
                                                         int to, int policy) const {
  return {slowest(stage.tensor, policy, from, to), slowest(stage.context, policy, from, to),
          slowest(stage.expert, policy, from, to), 0, s.data};
}

double StageCosts::loadOf(const Stage& stage, const Shares& s, int from, int to, int policy) const {
  const LayerSums& sums = *m_context.sums;
  const auto& extra = sums.extra[at(policy)];
  const double compute =
      (sums.compute[at(to)] - sums.compute[at(from)] + extra[at(to)] - extra[at(from)]) / stage.site.speed;
  auto exchange = exchanges(stage, s, from, to, policy);
  exchange[at(static_cast<int>(Exchange::Pipeline))] = transfer(stage.site.levelIn, sums.boundary[at(from)]) +
                                                       transfer(stage.site.levelOut, sums.boundary[at(to)]);
  return hiddenLoad(compute, exchange);
}

int StageCosts::addSlot(const StageSite& site) {
  Stage stage;
  stage.site = site;
  stage.site.memory = std::min(site.memory, m_context.memoryLimit) * kMemoryRounding;
  LayerSums& sums = *m_context.sums;
  stage.tensor = sums.exchange(GroupKind::Tensor, site.tensorSet);
  stage.context = sums.exchange(GroupKind::Context, site.contextSet);
  stage.expert = sums.exchange(GroupKind::Expert, site.expertSet);
  for (int g : m_context.shapes->set(site.denseSet)) stage.dense.push_back(&m_context.shapes->rates(g));
  for (int g : m_context.shapes->set(site.expertGradientSet))
    stage.experts.push_back(&m_context.shapes->rates(g));
  m_stages.push_back(std::move(stage));
  return static_cast<int>(m_stages.size()) - 1;
}

StageCosts::Prepared::Choice StageCosts::choiceOf(int policy, double compute, double bytes,
                                                  const std::array<double, kExchangeCount>& exchange) const {
  Prepared::Choice c{policy, compute, 0, 0, bytes};
  for (std::size_t k = 0; k < exchange.size(); ++k) {
    c.whole += exchange[k];
    c.hidden += exchange[k] * m_overlap[k];
  }
  return c;
}

StageCosts::Prepared StageCosts::prepare(int slot, const Surroundings& around, int from, int to) const {
  const Stage& stage = m_stages[at(slot)];
  const LayerSums& sums = *m_context.sums;
  const Shares s = shares(stage, around.copy, from, to);
  Prepared p;
  p.pipelineOverlap = m_overlap[at(static_cast<int>(Exchange::Pipeline))];
  for (int r = 0; r < kRecomputeCount; ++r) {
    if (!around.policies[at(r)] || sums.missing[at(r)][at(to)] != sums.missing[at(r)][at(from)]) continue;
    const double bytes = memory(around.inFlight, s, from, to, r);
    if (bytes > stage.site.memory) continue;
    const auto& extra = sums.extra[at(r)];
    const double compute =
        (sums.compute[at(to)] - sums.compute[at(from)] + extra[at(to)] - extra[at(from)]) / stage.site.speed;
    p.choices[at(p.count++)] = choiceOf(r, compute, bytes, exchanges(stage, s, from, to, r));
    if (r == 0 && sums.noneIsFastest) break;
  }
  if (p.count == 0) return p;
  const Figures fixed = fixedPart(stage, s, passes(stage, from, to), around.tiedSync);
  p.sync = fixed.sync;
  p.step = fixed.step;
  return p;
}

StageCosts::Figures StageCosts::Prepared::under(const Choice& c, double transfers) const {
  Figures f{c.compute + c.whole + transfers - std::min(c.hidden + transfers * pipelineOverlap, c.compute)};
  f.sync = sync;
  f.step = step;
  f.memory = c.memory;
  f.policy = c.policy;
  return f;
}

StageCosts::Figures StageCosts::Prepared::with(double transfers) const {
  Figures best;
  best.load = kNever;
  for (int k = 0; k < count; ++k)
    if (const Figures f = under(choices[at(k)], transfers); f.load < best.load) best = f;
  return best;
}

double StageCosts::hiddenLoad(double compute, const std::array<double, kExchangeCount>& exchange) const {
  double whole = 0, hidden = 0;
  for (std::size_t k = 0; k < exchange.size(); ++k) {
    whole += exchange[k];
    hidden += exchange[k] * m_overlap[k];
  }
  return compute + whole - std::min(hidden, compute);
}

bool StageCosts::offers(int i, int from, int to, int policy) const {
  const auto& missing = m_context.sums->missing[at(policy)];
  return m_stages[at(i)].policies[at(policy)] && missing[at(to)] == missing[at(from)];
}

double StageCosts::load(int i, int from, int to, int policy) const {
  const Stage& stage = m_stages[at(i)];
  if (!offers(i, from, to, policy)) return kNever;
  const Shares s = shares(stage, hasCopy(i, from, to), from, to);
  if (memory(stage.inFlight, s, from, to, policy) > stage.site.memory) return kNever;
  return loadOf(stage, s, from, to, policy);
}

double StageCosts::tiedSync(int i) const {
  const auto& tied = m_context.tied;
  if (!tied || (i != tied->firstStage && i != tied->secondStage)) return 0;
  const auto& own = m_context.problem->profile->tied->parameters;
  const double bytes =
      (tied->share < 0 ? own[at(m_context.sums->strategyIndex())] : tied->share) * m_gradient;
  if (!(bytes > 0)) return 0;
  const auto& level = m_context.problem->cluster->level(tied->level);
  return 2 * (level.latency.value() + 0.5 * bytes / level.sustained().value());
}

StageCosts::Figures StageCosts::fixedPart(int i, int from, int to) const {
  const Stage& stage = m_stages[at(i)];
  return fixedPart(stage, shares(stage, hasCopy(i, from, to), from, to), passes(stage, from, to),
                   tiedSync(i));
}

double StageCosts::passes(const Stage& stage, int from, int to) const {
  const auto& compute = m_context.sums->compute;
  return (compute[at(to)] - compute[at(from)]) / stage.site.speed;
}

StageCosts::Figures StageCosts::fixedPart(const Stage& stage, const Shares& s, double passes,
                                          double tiedSync) const {
  Figures f;
  f.sync = slowestGroup(stage.dense,
                        [&](const GroupRates& g) {
                          return perBatch(g, m_context.zero, s.dense * m_gradient, s.dense * m_weight);
                        }) +
           slowestGroup(stage.experts,
                        [&](const GroupRates& g) {
                          return perBatch(g, m_context.zero, s.expert * m_gradient, s.expert * m_weight);
                        }) +
           tiedSync;
  f.sync -= m_syncOverlap * std::min(f.sync, passes);
  f.step = s.dense * m_denseRates.step + s.expert * m_expertRates.step;
  return f;
}

StageCosts::Figures StageCosts::best(int i, int from, int to) const {
  const Stage& stage = m_stages[at(i)];
  const Shares s = shares(stage, hasCopy(i, from, to), from, to);
  Figures f;
  f.load = kNever;
  for (int r = 0; r < kRecomputeCount; ++r) {
    if (!offers(i, from, to, r)) continue;
    if (memory(stage.inFlight, s, from, to, r) > stage.site.memory) continue;
    const double load = loadOf(stage, s, from, to, r);
    if (load < f.load) f.load = load, f.policy = r;
    if (r == 0 && m_context.sums->noneIsFastest) break;
  }
  if (f.policy < 0) return f;
  const Figures fixed = fixedPart(stage, s, passes(stage, from, to), tiedSync(i));
  f.sync = fixed.sync;
  f.step = fixed.step;
  return f;
}

double StageCosts::memory(int i, int from, int to, int policy) const {
  const Stage& stage = m_stages[at(i)];
  return memory(stage.inFlight, shares(stage, hasCopy(i, from, to), from, to), from, to, policy);
}

}  // namespace nest::planner
