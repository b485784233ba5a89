// STATEMENT.md §4 for one stage, from differences of LayerSums: load = compute + Σ exchange − hidden, sync,
// step and memory. Each exchange counts the slowest of a set of group shapes. With chunks, the costs are sums
// over the parts, the stash is that of the largest chunk, and messages with all parameters count once.
// Policies are tried from the least recompute on. Cost: O(parts × policies × shapes) per stage.
#include "solver/stage/stage_costs.h"

#include <algorithm>

#include "cost/stage_cost.h"
#include "schedule/pipeline_schedule.h"
#include "solver/common.h"
#include "solver/stage/messages.h"

namespace nest::solver {
namespace {

template <class Message>
double slowestGroup(const std::vector<const GroupRates*>& groups, Message message) {
  double most = 0;
  for (const auto* g : groups) most = std::max(most, message(*g));
  return most;
}

double slowestGroup(const std::vector<const ExchangeSums*>& groups, int policy, const Part& p) {
  return slowest(groups, policy, p.from, p.to);
}
double slowestGroup(const std::vector<const ExchangeSums*>& groups, int policy, Parts parts) {
  double most = 0;
  for (const auto* g : groups) {
    double all = 0;
    for (const Part& p : parts) all += g->between(policy, p.from, p.to);
    most = std::max(most, all);
  }
  return most;
}
/// The forward part of the exchange in the slowest group.
template <class P>
double forwardInSlowest(const std::vector<const ExchangeSums*>& groups, int policy, const P& parts) {
  double most = -1, forward = 0;
  for (const auto* g : groups) {
    const double all = slowestGroup({g}, policy, parts);
    if (all <= most) continue;
    most = all;
    forward = between(g->forward, parts);
  }
  return forward;
}

}  // namespace

Target targetOf(Objective objective, const PipelineSchedule& schedule, int m, int stages, int chunks) {
  Target t;
  t.microbatchCount = m, t.chunks = chunks, t.covered = schedule.coversExchanges();
  if (objective == Objective::Nest) {
    t.weights = {0, m + (stages - 1.0) / (schedule.fillsByLoad() ? chunks : 1)};
  } else if (schedule.fillsByLoad()) {
    const LoadWeights weights = schedule.weights(m, chunks);
    t.weights = {weights.sum, weights.max};
  } else {
    // Because 0 ≤ g ≤ load: Σ g + max (m·load − g) ≥ m·max load, and load − g/m ≥ load·(1 − 1/m).
    t.weights = {1, double(m)};
    t.bound = {0, double(m)};
    t.share = 1 - 1.0 / m;
    t.filling = &schedule;
    return t;
  }
  t.bound = t.weights;
  return t;
}

namespace {

// A shard group is h neighbouring replicas of a block, with inner/h groups in each block, or several whole
// blocks.
void placeShards(GroupShapes& shapes, const Strategy& s, const BlockLayout& l, int begin, StageSite& site) {
  const int t = s.tensor, c = s.context, a = s.width(), e = s.expert, h = l.shardDegree();
  const bool inside = h <= l.inner;
  const int blocks = inside ? 1 : h / l.inner, replicas = inside ? h : l.inner;  // of one group
  const GroupShapes::Repeat groups = {l.outer / blocks, blocks * l.stride},
                            parts = {l.inner / replicas, h * a};
  const auto members = [&](int count, int stride, int inner, int innerStride) {
    return RankPattern{begin, blocks, l.stride, count, stride, inner, innerStride};
  };
  site.denseSet = shapes.setOfGroups(members(replicas * c, t, 1, 1), {groups, parts, {t, 1}});
  site.expertGradientSet =
      s.foldedExperts ? shapes.setOfGroups(members(replicas * a / e, e, 1, 1), {groups, parts, {e, 1}})
      : e == 1        ? site.denseSet
               : shapes.setOfGroups(members(replicas / e, e * a, c, t), {groups, parts, {e, a}, {t, 1}});
  site.copySet = shapes.setOfGroups({begin, groups.count, groups.stride, parts.count, parts.stride, 1, 1},
                                    {{blocks, l.stride}, {replicas * a, 1}});
}

}  // namespace

StageSite placeStage(GroupShapes& shapes, const Strategy& s, const BlockLayout& layout, int begin) {
  const int t = s.tensor, c = s.context, a = s.width(), e = s.expert;
  const auto runs = [&](int count, int stride, int inner) {
    return RankPattern{begin, layout.outer, layout.stride, count, stride, inner, 1};
  };
  StageSite site;
  site.tensorSet = shapes.setOfRuns(runs(layout.inner * c, t, 1), t, 1);
  site.contextSet = shapes.setOfRuns(runs(layout.inner, a, t), c, t);
  site.expertSet = s.foldedExperts ? shapes.setOfRuns(runs(layout.inner * a / e, e, 1), e, 1)
                                   : shapes.setOfRuns(runs(layout.inner / e, e * a, a), e, a);
  if (layout.shardDegree() < layout.inner * layout.outer) {
    placeShards(shapes, s, layout, begin, site);
  } else {
    site.denseSet = shapes.setOfGroups(runs(layout.inner * c, t, 1), t);
    RankPattern experts{begin, layout.outer, layout.stride, layout.inner / e, e * a, c, t};
    if (c == 1) experts.innerStride = 1;
    site.expertGradientSet = s.foldedExperts ? shapes.setOfGroups(runs(layout.inner * a / e, e, 1), e)
                             : e == 1        ? site.denseSet
                                             : shapes.setOfGroups(experts, t, e, a);
  }
  const Hierarchy& cluster = shapes.cluster();
  site.memory = cluster.device().memory.value.value();
  if (!cluster.hasUniformDevices()) {
    site.memory = kInfinity;
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
        shapes.highestLevelCrossed((i - 1) * width, width, width, layout.outer, layout.stride);
  }
  return sites;
}

StageCosts::StageCosts(const Context& context)
    : m_context(context),
      m_weight(context.problem->job.optimizer.weightBytes),
      m_gathered(StateBytes::of(context.problem->job.optimizer, context.problem->assumptions, context.zero)
                     .gathered),
      m_gradient(context.problem->job.optimizer.gradientBytes),
      m_reserve(context.problem->assumptions.reserve.value()),
      m_overlap(context.problem->assumptions.overlap),
      m_syncOverlap(syncOverlap(context.problem->assumptions, context.zero)) {
  if (const auto& host = context.problem->cluster->device().hostMemory)
    m_hostMemory = host->value.value() * kMemoryRounding;
  if (context.target.covered)
    for (const Exchange e : {Exchange::Expert, Exchange::Pipeline}) m_overlap[at(static_cast<int>(e))] = 1;
  const Strategy& s = context.sums->strategy();
  m_denseShards = context.shardDegree * s.context;
  m_expertShards = std::max(1, s.expertShards(context.shardDegree));
  m_denseRates = ParameterRates::of(*context.problem, context.zero, m_denseShards);
  m_expertRates = ParameterRates::of(*context.problem, context.zero, m_expertShards);
}

int StageCosts::addSlot(const StageSite& site) {
  Slot slot;
  slot.site = site;
  slot.kept = keptBesideReserve(m_context.problem->assumptions, site.memory);
  slot.site.memory = std::min(site.memory, m_context.memoryLimit) * kMemoryRounding;
  LayerSums& sums = *m_context.sums;
  slot.tensor = &sums.exchange(GroupKind::Tensor, site.tensorSet);
  slot.context = &sums.exchange(GroupKind::Context, site.contextSet);
  slot.expert = &sums.exchange(GroupKind::Expert, site.expertSet);
  slot.dense = &m_context.shapes->ratesOf(site.denseSet);
  slot.experts = &m_context.shapes->ratesOf(site.expertGradientSet);
  if (site.copySet >= 0) slot.copies = &m_context.shapes->ratesOf(site.copySet);
  m_slots.push_back(slot);
  return static_cast<int>(m_slots.size()) - 1;
}

template <class P>
StageSize StageCosts::size(const Surroundings& around, const P& parts) const {
  StageSize s = sizeOf(*m_context.sums, parts, m_gathered > 0);
  if (around.copy) s.addCopy(*m_context.problem, *m_context.sums);
  return s;
}

double StageCosts::fixedMemory(const StageSize& s) const {
  return stateBytes(s, m_denseRates, m_expertRates) + m_reserve + s.gathered() * m_gathered;
}

double StageCosts::memory(int slot, const Surroundings& around, Parts parts, int policy) const {
  const StageSize s = size(around, parts);
  if (!fitsHost(s)) return kInfinity;
  return fixedMemory(s) + activationBytes(*m_context.sums, parts, policy, around.inFlight) +
         m_slots[at(slot)].kept;
}

bool StageCosts::fitsHost(const StageSize& s) const {
  return s.dense * m_denseRates.hostMemory + s.expert * m_expertRates.hostMemory <= m_hostMemory;
}

StageCosts::Prepared StageCosts::prepare(int slot, const Surroundings& around, Parts parts) const {
  return parts.size() == 1 ? prepareAs(slot, around, parts.front()) : prepareAs(slot, around, parts);
}

// In the group in which the whole message takes longest.
std::pair<double, double> StageCosts::scatterAndGather(const std::vector<const GroupRates*>& groups,
                                                       double trained, double frozen) const {
  const auto messages = GradientMessages::of(m_context.zero, m_context.problem->assumptions.zeroAllReduces);
  double slowest = 0, scatter = 0, gather = 0;
  for (const auto* g : groups) {
    const double whole =
        gradientSeconds(messages.perMicrobatch, *g, trained * m_gradient, (trained + frozen) * m_weight);
    if (whole <= slowest) continue;
    slowest = whole;
    scatter = g->reduceScatter(trained * m_gradient);
    gather = messages.weightsBeforeForward * g->reduceScatter((trained + frozen) * m_weight);
  }
  return {scatter, gather};
}

template <class P>
StageCosts::Prepared StageCosts::prepareAs(int slotNumber, const Surroundings& around, const P& parts) const {
  const Slot& slot = m_slots[at(slotNumber)];
  const LayerSums& sums = *m_context.sums;
  const auto messages = GradientMessages::of(m_context.zero, m_context.problem->assumptions.zeroAllReduces);
  const StageSize s = size(around, parts);
  const double fixed = fixedMemory(s), own = between(sums.compute, parts);
  // The two kinds of parameters are exchanged one after the other, each in the slowest of its groups.
  const auto exchanged = [&](auto message) {
    return slowestGroup(*slot.dense,
                        [&](const GroupRates& g) { return message(g, s.dense, s.frozenDense); }) +
           slowestGroup(*slot.experts,
                        [&](const GroupRates& g) { return message(g, s.expert, s.frozenExpert); });
  };
  double data = -1;  // the same under every policy
  Prepared p;
  p.target = &m_context.target;
  p.pipelineOverlap = m_overlap[at(static_cast<int>(Exchange::Pipeline))];
  if (!fitsHost(s)) return p;
  for (int r = 0; r < kRecomputeCount; ++r) {
    if (!around.policies[at(r)] || !hasPolicy(sums, parts, r)) continue;
    const double bytes = fixed + activationBytes(sums, parts, r, around.inFlight) + slot.kept;
    if (bytes > slot.site.memory) continue;
    if (data < 0)
      data = m_context.zero < 2 ? 0 : exchanged([&](const GroupRates& g, double trained, double frozen) {
        return gradientSeconds(messages.perMicrobatch, g, trained * m_gradient,
                               (trained + frozen) * m_weight);
      });
    const double exchange[] = {slowestGroup(*slot.tensor, r, parts), slowestGroup(*slot.context, r, parts),
                               slowestGroup(*slot.expert, r, parts), 0, data};
    Prepared::Choice c{r, (own + between(sums.extra[at(r)], parts)) / slot.site.speed, 0, 0, bytes};
    for (std::size_t k = 0; k < m_overlap.size(); ++k) {
      c.whole += exchange[k];
      c.hidden += exchange[k] * m_overlap[k];
    }
    p.choices[at(p.count++)] = c;
    if (r == 0 && sums.noneIsFastest && p.byLoad()) break;
  }
  if (p.count == 0) return p;
  if (!p.byLoad()) {
    const auto dense = scatterAndGather(*slot.dense, s.dense, s.frozenDense),
               expert = scatterAndGather(*slot.experts, s.expert, s.frozenExpert);
    const double ofData = m_context.zero < 2 ? 0 : m_overlap[at(static_cast<int>(Exchange::Data))];
    const double gather = m_context.zero < 2 ? 0 : dense.second + expert.second;
    p.weight = between(sums.weightGradient, parts) / slot.site.speed;
    p.scatter = m_context.zero < 2 ? 0 : dense.first + expert.first;
    p.scatterHidden = p.scatter * ofData;
    p.forward = between(sums.forward, parts) / slot.site.speed;
    for (int k = 0; k < p.count; ++k) {
      Prepared::Choice& c = p.choices[at(k)];
      const double forward[] = {forwardInSlowest(*slot.tensor, c.policy, parts),
                                forwardInSlowest(*slot.context, c.policy, parts),
                                forwardInSlowest(*slot.expert, c.policy, parts), 0, gather};
      for (std::size_t e = 0; e < m_overlap.size(); ++e) {
        c.forward += forward[e];
        c.forwardHidden += forward[e] * m_overlap[e];
      }
    }
  }
  p.sync = around.tiedSync + exchanged([&](const GroupRates& g, double trained, double) {
             return gradientSeconds(messages.perStep, g, trained * m_gradient, trained * m_weight);
           });
  if (slot.copies)
    for (const double shard : {s.dense * m_gradient / m_denseShards, s.expert * m_gradient / m_expertShards})
      p.sync += slowestGroup(*slot.copies, [&](const GroupRates& g) { return 2 * g.reduceScatter(shard); });
  p.sync -= m_syncOverlap * std::min(p.sync, around.passes * own / slot.site.speed);
  p.step = s.dense * m_denseRates.step + s.expert * m_expertRates.step;
  return p;
}

StageCosts::Figures StageCosts::Prepared::under(const Choice& c, const Transfers& transfers) const {
  const double hidden = c.hidden + transfers.all * pipelineOverlap;
  Figures f{c.compute + c.whole + transfers.all - std::min(hidden, c.compute)};
  f.sum = f.max = f.load;
  if (!byLoad()) {
    const double covered = hidden > c.compute ? c.compute / hidden : 1;
    const double inForward =
        c.forward + transfers.forward - covered * (c.forwardHidden + transfers.forward * pipelineOverlap);
    f.sum = target->filling->fill({f.load, forward + inForward, weight + scatter - covered * scatterHidden},
                                  target->chunks);
    f.max = f.load - f.sum / target->microbatchCount;
  }
  f.sync = sync;
  f.step = step;
  f.memory = c.memory;
  f.policy = c.policy;
  return f;
}

StageCosts::Figures StageCosts::Prepared::with(const Transfers& transfers) const {
  Figures best;
  best.load = kInfinity;
  for (int k = 0; k < count; ++k)
    if (const Figures f = under(choices[at(k)], transfers); f.load < best.load) best = f;
  return best;
}

}  // namespace nest::solver
