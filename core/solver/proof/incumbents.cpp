// The best k plans of different degrees in an ordered list; the k-th time is the limit of the search. Plans
// that tie with the last stay, and so do equally fast placements of the same degrees, until sort() chooses by
// the rules of STATEMENT.md §5. Cost: k per offer.
#include "solver/proof/incumbents.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "solver/common.h"

namespace nest::solver {

double Incumbents::limit() const {
  return m_best.size() < m_size ? std::numeric_limits<double>::infinity() : m_best.back().time;
}

double Incumbents::limit(const CandidatePlan& degrees) const {
  for (const CandidatePlan& f : m_best)
    if (f.sameDegrees(degrees)) return f.time;
  return limit();
}

void Incumbents::offer(CandidatePlan found) {
  m_all.push_back(found);
  const auto key = [](const auto& f, int stages) { return std::tuple(f.devices, stages, f.zero); };
  const bool faster = found.time < m_lead.time * (1 - kEqualTimes);
  if (faster || (found.time <= m_lead.time * (1 + kEqualTimes) &&
                 key(found, found.stages()) < key(m_lead, m_lead.stages)))
    m_lead = {std::min(found.time, m_lead.time), found.devices, found.stages(), found.zero};
  const auto same = std::find_if(m_best.begin(), m_best.end(),
                                 [&](const CandidatePlan& f) { return f.sameDegrees(found); });
  if (same != m_best.end()) {
    if (!(found.time < same->time * (1 - kEqualTimes))) {
      if (found.time <= same->time * (1 + kEqualTimes)) m_equal.push_back(std::move(found));
      return;
    }
    m_best.erase(same);
  }
  const auto place =
      std::upper_bound(m_best.begin(), m_best.end(), found,
                       [](const CandidatePlan& a, const CandidatePlan& b) { return a.time < b.time; });
  m_best.insert(place, std::move(found));
  // Plans that tie with the last one stay until the end: the tie rules choose between them.
  while (m_best.size() > m_size && m_best.back().time > m_best[m_size - 1].time * (1 + kEqualTimes))
    m_best.pop_back();
}

void Incumbents::sort(const Problem& problem, const std::function<void(CandidatePlan&)>& settle) {
  if (settle)
    for (CandidatePlan& f : m_best) {
      settle(f);
      for (CandidatePlan& other : m_equal) {
        if (!other.sameDegrees(f) || other.time > f.time * (1 + kEqualTimes)) continue;
        settle(other);
        if (precedes(problem, other, f)) std::swap(f, other);
      }
    }
  std::stable_sort(m_best.begin(), m_best.end(),
                   [&](const CandidatePlan& a, const CandidatePlan& b) { return a.time < b.time; });
  // Within a run of equal times the rules decide.
  for (auto begin = m_best.begin(); begin != m_best.end();) {
    auto end = begin;
    while (end != m_best.end() && end->time <= begin->time * (1 + kEqualTimes)) ++end;
    std::stable_sort(begin, end,
                     [&](const CandidatePlan& a, const CandidatePlan& b) { return precedes(problem, a, b); });
    begin = end;
  }
  if (settle && m_best.size() > m_size) m_best.resize(m_size);
}

bool precedes(const Problem& problem, const CandidatePlan& a, const CandidatePlan& b) {
  if (a.time < b.time * (1 - kEqualTimes)) return true;
  if (b.time < a.time * (1 - kEqualTimes)) return false;
  const auto degrees = [&](const CandidatePlan& f) {
    std::vector<std::tuple<int, int, int, bool, bool>> all;
    for (const int k : f.strategies) {
      const Strategy& s = problem.profile->strategies()[at(k)];
      all.emplace_back(s.tensor, s.context, s.expert, s.sequence, s.foldedExperts);
    }
    return all;
  };
  const auto first = [](const CandidatePlan& f) {
    // The caller's own plan is shown only where it is faster than all others.
    return std::tuple(!f.given.stages.empty(), f.devices, f.stages(), f.zero,
                      Preference(f.cut.policies, f.cut.cuts));
  };
  if (first(a) != first(b)) return first(a) < first(b);
  const auto rest = [&](const CandidatePlan& f) {
    return std::tuple(f.microbatchIndex, degrees(f), -f.layout.shardDegree(), -f.layout.inner,
                      f.layout.stride, f.schedule, -f.batch);
  };
  return rest(a) < rest(b);
}

Plan planOf(const Problem& problem, const LayerOrder& order, const CandidatePlan& f) {
  if (!f.given.stages.empty()) return f.given;
  Plan plan;
  if (f.batch > 0 && f.batch != problem.job.globalBatch) plan.globalBatch = f.batch;
  plan.microbatch = problem.profile->microbatches()[at(f.microbatchIndex)];
  plan.dataInner = f.layout.inner;
  plan.dataOuter = f.layout.outer;
  plan.blockStride = f.layout.stride;
  plan.zero = f.zero;
  plan.shardReplicas = f.layout.shard;
  plan.schedule = f.schedule;
  for (int i = 0; i < f.stages(); ++i) {
    StagePlan stage;
    stage.strategy = problem.profile->strategies()[at(f.strategies[at(i)])];
    stage.recompute = static_cast<Recompute>(f.cut.policies[at(i)]);
    for (int q = 0; q < f.chunks; ++q) {
      const std::size_t part = at(plan.pipelineSchedule().partOf(i, q, f.stages()));
      stage.chunks.push_back(order.between(f.cut.cuts[part], f.cut.cuts[part + 1]));
    }
    plan.stages.push_back(std::move(stage));
  }
  return plan;
}

}  // namespace nest::solver
