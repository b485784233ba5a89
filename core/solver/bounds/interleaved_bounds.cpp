// Per stage and strategy one least load; per U a table over (stages in front, units they take) for each of
// kRates values of λ, filled stage by stage. Cost: stages × U × strategies × kRates.
#include "solver/bounds/interleaved_bounds.h"

#include <algorithm>
#include <limits>

#include "cost/stage_cost.h"
#include "schedule/pipeline_schedule.h"
#include "solver/models/interleaved.h"

namespace nest::planner {
namespace {
constexpr std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}
constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr double kCertain = 1 - 1e-12;

/// Calls `visit(from, to, part)` for each part of a stage.
template <class Visit>
void forParts(const InterleavedConfiguration& c, int stage, Visit visit) {
  for (int part = stage; part + 1 < static_cast<int>(c.cuts.size()); part += c.stages)
    visit(c.cuts[at(part)], c.cuts[at(part) + 1], part);
}
}  // namespace

InterleavedBounds::InterleavedBounds(const Problem& problem, const SearchSpace& space,
                                     const LayerOrder& order, const GroupShapes& shapes,
                                     const InterleavedConfiguration& c, double capacity)
    : m_stages(c.stages), m_weights(c.weights), m_leastBoundary(at(order.cutCount()), kNever) {
  if (const auto tied = tiedPlaceOf(problem, c.cuts, c.stages)) m_copyIn = tied->secondStage;
  for (const LayerSums* s : c.sums) {
    m_width.push_back(s->strategy().width());
    m_floor.push_back(GradientFloor::of(shapes, s->strategy(), c.dataDegree));
    for (std::size_t cut = 0; cut < m_leastBoundary.size(); ++cut)
      m_leastBoundary[cut] = std::min(m_leastBoundary[cut], s->boundary[cut]);
    double dense = 0, expert = 0;
    forParts(c, 0, [&](int from, int to, int) {
      dense += s->dense[at(to)] - s->dense[at(from)];
      expert += s->expert[at(to)] - s->expert[at(from)];
    });
    m_first.push_back(leastSyncAndStep(problem, m_floor.back(), c.zero, dense, expert));
  }
  for (int i = 0; i < m_stages; ++i) {
    int narrow = std::numeric_limits<int>::max(), wide = 0;
    for (int k = 0; k < static_cast<int>(m_width.size()); ++k) {
      m_least.push_back(leastLoad(problem, space, order, c, i, k, capacity));
      if (m_least.back() == kNever) continue;
      narrow = std::min(narrow, m_width[at(k)]);
      wide = std::max(wide, m_width[at(k)]);
    }
    if (wide == 0) {  // nothing can form this stage
      m_leastUnits = 1, m_mostUnits = 0;
      return;
    }
    m_leastUnits += narrow;
    m_mostUnits += wide;
  }
}

double InterleavedBounds::leastTransfers(const Problem& problem, const InterleavedConfiguration& c, int stage,
                                         int strategy) const {
  const Hierarchy& cluster = *problem.cluster;
  const int narrow = *std::min_element(m_width.begin(), m_width.end());
  const auto& level = cluster.level(narrowestLevel(cluster, m_width[at(strategy)] + narrow));
  const auto seconds = [&](double bytes) {
    return bytes > 0 ? level.latency.value() + bytes / level.sustained().value() : 0.0;
  };
  const auto& own = c.sums[at(strategy)]->boundary;
  const int last = c.stages * c.chunks - 1;
  double sum = 0;
  forParts(c, stage, [&](int from, int to, int part) {
    if (part > 0) sum += seconds(m_leastBoundary[at(from)]);
    if (part < last) sum += seconds(own[at(to)]);
  });
  return (1 - problem.assumptions.overlap[at(static_cast<int>(Exchange::Pipeline))]) * sum;
}

double InterleavedBounds::leastLoad(const Problem& problem, const SearchSpace& space, const LayerOrder& order,
                                    const InterleavedConfiguration& c, int stage, int strategy,
                                    double capacity) const {
  const LayerSums& s = *c.sums[at(strategy)];
  if (!space.strategyAllowed(stage, s.strategy())) return kNever;
  const OptimizerRegime& regime = problem.job.optimizer;
  const GradientFloor& floor = m_floor[at(strategy)];
  double dense = 0, expert = 0, largest = 0;
  std::array<double, kRecomputeCount> work{}, stash{}, workspace{};
  auto policies = space.policies(stage);
  bool usable = true;
  forParts(c, stage, [&](int from, int to, int) {
    for (int x = from; x < to; ++x) usable = usable && s.usable(x);
    dense += s.dense[at(to)] - s.dense[at(from)];
    expert += s.expert[at(to)] - s.expert[at(from)];
    largest = std::max(largest, s.largestLayer(from, to));
    for (std::size_t r = 0; r < policies.size(); ++r) {
      policies[r] = policies[r] && s.missing[r][at(to)] == s.missing[r][at(from)];
      work[r] += s.least[r][at(to)] - s.least[r][at(from)];
      stash[r] = std::max(stash[r], s.stash[r][at(to)] - s.stash[r][at(from)]);
      workspace[r] = std::max(workspace[r], s.workspace[r](from, to));
    }
    if (m_copyIn != stage) return;
    const auto& tied = *problem.profile->tied;
    if (!order.holds(to, tied.second.value) || order.holds(from, tied.second.value)) return;
    const double copy = tied.parameters[at(s.strategyIndex())];
    dense += copy;
    largest = std::max(largest, s.layerParameters[tied.second.at()] + copy);
  });
  if (!usable) return kNever;
  const double fixed = dense * ParameterRates::of(problem, c.zero, floor.denseShards).memory +
                       expert * ParameterRates::of(problem, c.zero, floor.expertShards).memory +
                       (c.zero == 3 ? largest * regime.weightBytes : 0) + problem.assumptions.reserve.value();
  const int inFlight =
      scheduleOf(usualSchedule(c.chunks)).stashesInFlight(stage, c.stages, c.microbatchCount, c.chunks);
  double least = kNever;
  for (std::size_t r = 0; r < policies.size(); ++r)
    if (policies[r] && fixed + inFlight * stash[r] + workspace[r] <= capacity / kCertain)
      least = std::min(least, work[r]);
  if (least == kNever) return kNever;
  if (c.zero >= 2) {
    const double bytes = (1 - problem.assumptions.overlap[at(static_cast<int>(Exchange::Data))]) *
                         (regime.gradientBytes + (c.zero == 3 ? 2 * regime.weightBytes : 0));
    least += bytes * (floor.dense.nestedPerByte * dense + floor.expert.nestedPerByte * expert);
  }
  return least + leastTransfers(problem, c, stage, strategy);
}

double InterleavedBounds::quick(int units) const {
  double sum = 0, max = 0, even = 0, first = kNever;
  for (int i = 0; i < m_stages; ++i) {
    double fastest = kNever, mixed = kNever;
    for (std::size_t k = 0; k < m_width.size(); ++k) {
      const double load = least(i, static_cast<int>(k));
      if (load == kNever) continue;
      fastest = std::min(fastest, load);
      const double mix = load * (m_weights.sum + m_weights.max * m_width[k] / units);
      mixed = std::min(mixed, mix);
      if (i == 0) first = std::min(first, m_first[k]);
    }
    sum += fastest;
    max = std::max(max, fastest);
    even += mixed;
  }
  return std::max(m_weights.time(sum, max, first), even + first) * kCertain;
}

InterleavedBounds::Prefixes::Prefixes(const InterleavedBounds& b, int all)
    : m_bounds(&b), m_stages(b.m_stages), m_all(all), m_weights(b.m_weights) {
  // λ·U reaches w_max for the whole pipeline, and goes further for the narrower ones in front.
  const double even = m_weights.max / all;
  m_rate = {0, even / 2, even};
  while (static_cast<int>(m_rate.size()) < kRates) m_rate.push_back(m_rate.back() * 1.5);
  const std::size_t rows = row(m_stages, all) + 1;
  m_most.assign(rows, kNever);
  m_least.assign(rows * kRates, kNever);
  m_first.assign(rows * kRates, kNever);
  m_most[0] = 0;
  std::fill_n(m_least.begin(), kRates, 0.0);
  std::fill_n(m_first.begin(), kRates, 0.0);
  for (int i = 0; i < m_stages; ++i)
    for (std::size_t k = 0; k < b.m_width.size(); ++k) {
      const double load = b.least(i, static_cast<int>(k));
      if (load == kNever) continue;
      const int a = b.m_width[k];
      double cost[kRates];
      for (int j = 0; j < kRates; ++j) cost[j] = load * (m_weights.sum + m_rate[at(j)] * a);
      const double first = i == 0 ? b.m_first[k] : 0;
      for (int u = 0; u + a <= all; ++u) {
        const std::size_t front = row(i, u), here = row(i + 1, u + a);
        if (m_most[front] == kNever) continue;
        m_most[here] = std::min(m_most[here], std::max(m_most[front], load));
        for (std::size_t j = 0; j < kRates; ++j) {
          m_least[here * kRates + j] =
              std::min(m_least[here * kRates + j], m_least[front * kRates + j] + cost[j]);
          m_first[here * kRates + j] =
              std::min(m_first[here * kRates + j], m_first[front * kRates + j] + cost[j] + first);
        }
      }
    }
}

double InterleavedBounds::Prefixes::time(int stage, int units, double max, double sum, double tail) const {
  const std::size_t here = row(stage, units);
  if (m_most[here] == kNever) return kNever;
  const double most = std::max(max, m_most[here]);
  double bound = 0;
  for (std::size_t j = 0; j < kRates && m_rate[j] * units <= m_weights.max * (1 + 1e-15); ++j)
    bound = std::max(bound, (m_weights.max - m_rate[j] * units) * most +
                                std::max(m_least[here * kRates + j] + tail, m_first[here * kRates + j]));
  return (bound + m_weights.sum * sum) * kCertain;
}

double InterleavedBounds::Prefixes::leastTail(double mostLoad) const {
  double least = kNever;
  for (std::size_t k = 0; k < m_bounds->m_width.size(); ++k)
    if (m_bounds->least(0, static_cast<int>(k)) <= mostLoad / kCertain)
      least = std::min(least, m_bounds->m_first[k]);
  return least * kCertain;
}

double InterleavedBounds::Prefixes::mostLoad(double limit) const {
  const std::size_t here = row(m_stages, m_all);
  if (m_most[here] == kNever) return 0;
  double most = limit / std::max(1e-300, m_weights.sum + m_weights.max);
  for (std::size_t j = 0; j < kRates && m_rate[j] * m_all < m_weights.max; ++j)
    most =
        std::min(most, (limit - m_first[here * kRates + j] * kCertain) / (m_weights.max - m_rate[j] * m_all));
  return most / kCertain;
}

}  // namespace nest::planner
