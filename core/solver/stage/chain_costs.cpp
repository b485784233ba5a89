#include "solver/stage/chain_costs.h"

#include <algorithm>

#include "solver/common.h"
#include "solver/stage/messages.h"

namespace nest::solver {

Policies ChainConfiguration::policies(int stage) const {
  auto all = space->policies(stage);
  for (int r = 0; r < kRecomputeCount; ++r) all[at(r)] = all[at(r)] && (!sharedPolicy || *sharedPolicy == r);
  return all;
}

Target ChainConfiguration::target() const {
  return targetOf(problem->search.objective, *schedule, microbatchCount, stages, chunks);
}

void ChainCosts::addStage(StageCosts& costs, LayerSums& sums, const LayerSums& before,
                          const LayerSums& behind, const StageSite& site) {
  const ChainConfiguration& c = m_configuration;
  const int i = static_cast<int>(m_stages.size());
  Stage s{&costs, &sums, &before, &behind, costs.addSlot(site), site.levelIn, site.levelOut, {}};
  s.around.inFlight = c.inFlight(i);
  s.around.passes = c.schedule->coveringPasses(c.stages);
  s.around.policies = c.policies(i);
  m_stages.push_back(s);
  if (std::find(m_sums.begin(), m_sums.end(), &sums) == m_sums.end()) m_sums.push_back(&sums);
}

namespace {
StageCosts::Context contextOf(const ChainConfiguration& c, LayerSums* sums) {
  return {c.problem, sums, c.shapes, c.shardDegree, c.zero, c.memoryLimit, c.target()};
}
}  // namespace

ChainCosts::ChainCosts(const ChainConfiguration& c, const std::vector<StageSite>& sites)
    : m_configuration(c) {
  m_costs.push_back(std::make_unique<StageCosts>(contextOf(c, c.sums)));
  m_stages.reserve(sites.size());
  m_costs.back()->reserve(sites.size());
  for (const StageSite& site : sites) addStage(*m_costs[0], *c.sums, *c.sums, *c.sums, site);
  settleTied();
}

ChainCosts::ChainCosts(const ChainConfiguration& c, const std::vector<LayerSums*>& sums,
                       const BlockLayout& layout)
    : m_configuration(c) {
  int begin = 0;
  std::vector<StageSite> sites;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const Strategy& own = sums[i]->strategy();
    sites.push_back(placeStage(*c.shapes, own, layout, begin * layout.inner));
    if (i > 0) {
      const int wide = sums[i - 1]->strategy().width();
      sites[i].levelIn = sites[i - 1].levelOut =
          c.shapes->reachBetween((begin - wide) * layout.inner, wide, begin * layout.inner, own.width(),
                                 layout.inner, layout.outer, layout.stride);
    }
    begin += own.width();
  }
  for (std::size_t i = 0; i < sums.size(); ++i) {
    m_costs.push_back(std::make_unique<StageCosts>(contextOf(c, sums[i])));
    addStage(*m_costs.back(), *sums[i], *sums[i > 0 ? i - 1 : sums.size() - 1], *sums[(i + 1) % sums.size()],
             sites[i]);
  }
  if (c.chunks > 1 && !c.schedule->isFolded()) {
    const int first = sums.front()->strategy().width(), last = sums.back()->strategy().width();
    m_stages.front().levelIn = m_stages.back().levelOut = c.shapes->reachBetween(
        0, first, (begin - last) * layout.inner, last, layout.inner, layout.outer, layout.stride);
  }
  if (m_sums.size() > 1) boundBackward();
  settleTied();
}

void ChainCosts::boundBackward() {
  const LayerOrder& order = *m_configuration.order;
  m_leastBackward.assign(at(order.cutCount()), 0.0);
  m_mostBackward = m_leastBackward;
  for (int c = 1; c < order.cutCount(); ++c) {
    const Part layer{order.parent(c), c};
    double least = between(m_sums[0]->backward, layer), most = least;
    for (const LayerSums* s : m_sums) {
      least = std::min(least, between(s->backward, layer));
      most = std::max(most, between(s->backward, layer));
    }
    m_leastBackward[at(c)] = m_leastBackward[at(layer.from)] + least;
    m_mostBackward[at(c)] = m_mostBackward[at(layer.from)] + most;
  }
}

void ChainCosts::settleTied() {
  const auto& tied = m_configuration.tied;
  if (!tied) return;
  const TiedParameters& shared = *m_configuration.problem->profile->tied;
  Stage &first = m_stages[at(tied->firstStage)], &second = m_stages[at(tied->secondStage)];
  const double bytes = std::max(shared.trained(at(first.sums->strategyIndex())),
                                shared.trained(at(second.sums->strategyIndex()))) *
                       m_configuration.problem->job.optimizer.gradientBytes;
  first.around.tiedSync = second.around.tiedSync =
      tiedSeconds(*m_configuration.problem->cluster, tied->level, bytes);
}

bool ChainCosts::holdsCopy(int stage, Parts parts) const {
  if (!m_configuration.tied || stage != m_configuration.tied->secondStage) return false;
  const int second = m_configuration.problem->profile->tied->second.value;
  const LayerOrder& order = *m_configuration.order;
  return std::any_of(parts.begin(), parts.end(), [&](const Part& p) {
    return order.holds(p.to, second) && !order.holds(p.from, second);
  });
}

StageCosts::Prepared ChainCosts::prepare(int stage, Parts parts) const {
  const Stage& s = m_stages[at(stage)];
  if (!m_configuration.tied) return s.costs->prepare(s.slot, s.around, parts);
  auto around = s.around;
  around.copy = holdsCopy(stage, parts);
  return s.costs->prepare(s.slot, around, parts);
}

Transfers ChainCosts::transfers(int stage, const Part& part, int levelIn, int levelOut) const {
  const Stage& s = m_stages[at(stage)];
  const Hierarchy& cluster = *m_configuration.problem->cluster;
  const double activations = transferSeconds(cluster, levelIn, s.before->boundary[at(part.from)]);
  return {activations + transferSeconds(cluster, levelOut, s.sums->boundary[at(part.to)]), activations};
}

Transfers ChainCosts::transfers(int stage, Parts parts) const {
  const Stage& s = m_stages[at(stage)];
  const Hierarchy& cluster = *m_configuration.problem->cluster;
  if (parts.size() == 1) return transfers(stage, parts[0], s.levelIn, s.levelOut);
  // Nothing crosses the two ends of the model. Every other part of a folded pipeline comes from behind.
  Messages in, out, activationsIn, activationsOut;
  for (std::size_t q = 0; q < parts.size(); ++q) {
    const Part& p = parts[q];
    const bool back = m_configuration.schedule->isFolded() && q % 2 == 1;
    const double received = (back ? s.behind : s.before)->boundary[at(p.from)];
    (back ? out : in).add(received);
    (back ? activationsOut : activationsIn).add(received);
    (back ? in : out).add(s.sums->boundary[at(p.to)]);
  }
  return {transferSeconds(cluster, s.levelIn, in) + transferSeconds(cluster, s.levelOut, out),
          transferSeconds(cluster, s.levelIn, activationsIn) +
              transferSeconds(cluster, s.levelOut, activationsOut)};
}

double ChainCosts::memory(int stage, Parts parts, int policy) const {
  auto around = m_stages[at(stage)].around;
  around.copy = holdsCopy(stage, parts);
  return m_stages[at(stage)].costs->memory(m_stages[at(stage)].slot, around, parts, policy);
}

double ChainCosts::capacity(int stage) const {
  return m_stages[at(stage)].costs->memoryLimit(m_stages[at(stage)].slot);
}

bool ChainCosts::offers(int stage, Parts parts, int policy) const {
  const Stage& s = m_stages[at(stage)];
  return s.around.policies[at(policy)] && hasPolicy(*s.sums, parts, policy);
}

int ChainCosts::width(int stage) const {
  return m_stages[at(stage)].sums->strategy().width();
}

double ChainCosts::speed(int stage) const {
  return m_stages[at(stage)].costs->speed(m_stages[at(stage)].slot);
}

std::vector<double> ChainCosts::leastHops() const {
  const Problem& p = *m_configuration.problem;
  const double shown = m_configuration.schedule->coversExchanges()
                           ? 0
                           : 1 - p.assumptions.overlap[at(static_cast<int>(Exchange::Pipeline))];
  std::vector<double> hops;
  for (const Stage& s : m_stages)
    hops.push_back(shown * (transferSeconds(*p.cluster, s.levelIn, s.before->leastBoundary) +
                            transferSeconds(*p.cluster, s.levelOut, s.sums->leastBoundary)));
  return hops;
}

}  // namespace nest::solver
