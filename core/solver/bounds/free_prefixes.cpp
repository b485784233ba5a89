// Q_λ(k, x, u) = min over the last stage y…x of strategy σ, width a, with k stages behind:
//   Q_λ(k + 1, y, u − a) + load(y, x, σ)·(w_sum + λ·a);
// M likewise. A stage's load is its least one anywhere: best groups, nearest neighbours, the fastest policy
// that fits with k + 1 microbatches in flight. Single precision, rounding allowed for. Cost: k × cuts ×
// stages under the load limit × strategies × units × kRates, the last two in straight loops.
#include "solver/bounds/free_prefixes.h"

#include <algorithm>
#include <limits>

namespace nest::planner {
namespace {
constexpr std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}
constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr double kSlack = 1 + 1e-12;
constexpr float kFar = std::numeric_limits<float>::infinity();
constexpr double kRatio = 1.5;
}  // namespace

FreePrefixes::FreePrefixes(const Problem& problem, const LayerOrder& order, const GroupShapes& shapes,
                           const std::vector<LayerSums*>& sums, int dataDegree, int zero, int microbatchCount,
                           ObjectiveWeights weights, const Limits& limits)
    : m_problem(problem),
      m_order(order),
      m_dataDegree(dataDegree),
      m_zero(zero),
      m_microbatchCount(microbatchCount),
      m_weights(weights),
      m_limits(limits) {
  // λ·u reaches w_max for the widest pipeline, and for narrower prefixes as far as the values go.
  double rate = weights.max / limits.units / (kRatio * kRatio);
  m_rate.push_back(0);
  for (int j = 1; j < kRates; ++j, rate *= kRatio) m_rate.push_back(static_cast<float>(rate));
  m_certain = 1 - 4e-7 * (order.layerCount() + 4);

  int narrow = std::numeric_limits<int>::max();
  std::vector<double> leastBytes(at(order.cutCount()), kNever);
  for (const LayerSums* s : sums) {
    narrow = std::min(narrow, s->strategy().width());
    for (std::size_t c = 0; c < leastBytes.size(); ++c)
      leastBytes[c] = std::min(leastBytes[c], s->boundary[c]);
  }
  std::vector<Relaxed> all;
  for (const LayerSums* s : sums) all.push_back(relaxed(*s, shapes, leastBytes, narrow));
  const std::size_t rows = at(kMostBehind + 1) * at(order.cutCount()) * at(limits.units + 1);
  m_most.assign(rows, kFar);
  m_least.assign(rows * kRates, kFar);
  for (int behind = kMostBehind; behind >= 0; --behind) fill(behind, all);
}

void FreePrefixes::fill(int behind, const std::vector<Relaxed>& all) {
  const std::size_t origin = row(behind, 0, 0);
  m_most[origin] = 0;
  std::fill_n(&m_least[origin * kRates], kRates, 0.0F);
  const int inFlight = std::min(m_microbatchCount, behind + 1);
  for (int to = behind == 0 ? m_order.last() : 1; to < m_order.cutCount(); ++to)
    for (const Relaxed& r : all)
      for (int from = to - 1; from >= 0; --from) {
        if (r.sums->leastAny[at(to)] - r.sums->leastAny[at(from)] > m_limits.load * kSlack) break;
        const double least = load(r, inFlight, from, to);
        if (least == kNever) break;  // nor does a longer stage fit
        if (least <= m_limits.load * kSlack) addStage(r, behind, from, to, least);
      }
}

FreePrefixes::Relaxed FreePrefixes::relaxed(const LayerSums& sums, const GroupShapes& shapes,
                                            const std::vector<double>& leastBytes, int narrow) {
  const Strategy& s = sums.strategy();
  const OptimizerRegime& regime = m_problem.job.optimizer;
  const auto& overlap = m_problem.assumptions.overlap;
  Relaxed r;
  r.sums = &sums;
  r.floor = GradientFloor::of(shapes, s, m_dataDegree);
  r.dense = ParameterRates::of(m_problem, m_zero, r.floor.denseShards);
  r.expert = ParameterRates::of(m_problem, m_zero, r.floor.expertShards);
  if (m_zero >= 2) {
    const double bytes = (1 - overlap[at(static_cast<int>(Exchange::Data))]) *
                         (regime.gradientBytes + (m_zero == 3 ? 2 * regime.weightBytes : 0));
    r.dataDense = bytes * r.floor.dense.nestedPerByte;
    r.dataExpert = bytes * r.floor.expert.nestedPerByte;
  }
  // Ranks that match pairwise without leaving a group stand in that group, all of both stages.
  const Hierarchy& cluster = *m_problem.cluster;
  const auto& level = cluster.level(narrowestLevel(cluster, s.width() + narrow));
  const auto seconds = [&](double bytes) {
    if (!(bytes > 0)) return 0.0;
    return (1 - overlap[at(static_cast<int>(Exchange::Pipeline))]) *
           (level.latency.value() + bytes / level.sustained().value());
  };
  for (int c = 0; c < m_order.cutCount(); ++c) {
    const bool inside = c > 0 && c < m_order.last();
    r.sent.push_back(inside ? seconds(sums.boundary[at(c)]) : 0);
    r.received.push_back(inside ? seconds(leastBytes[at(c)]) : 0);
  }
  return r;
}

bool FreePrefixes::fits(const Relaxed& r, int policy, int inFlight, int from, int to) const {
  const LayerSums& s = *r.sums;
  const auto& missing = s.missing[at(policy)];
  if (!m_problem.search.recompute[at(policy)] || missing[at(to)] != missing[at(from)]) return false;
  double bytes = (s.dense[at(to)] - s.dense[at(from)]) * r.dense.memory +
                 (s.expert[at(to)] - s.expert[at(from)]) * r.expert.memory +
                 m_problem.assumptions.reserve.value();
  if (m_zero == 3) bytes += s.largestLayer(from, to) * m_problem.job.optimizer.weightBytes;
  bytes += inFlight * (s.stash[at(policy)][at(to)] - s.stash[at(policy)][at(from)]) +
           s.workspace[at(policy)](from, to);
  return bytes <= m_limits.capacity * kSlack;
}

double FreePrefixes::load(const Relaxed& r, int inFlight, int from, int to) const {
  const LayerSums& s = *r.sums;
  double least = kNever;
  for (int k = 0; k < kRecomputeCount; ++k) {
    const double own = s.least[at(k)][at(to)] - s.least[at(k)][at(from)];
    if (own < least && fits(r, k, inFlight, from, to)) least = own;
  }
  return least + r.dataDense * (s.dense[at(to)] - s.dense[at(from)]) +
         r.dataExpert * (s.expert[at(to)] - s.expert[at(from)]) + r.sent[at(to)] + r.received[at(from)];
}

void FreePrefixes::addStage(const Relaxed& r, int behind, int from, int to, double load) {
  const int a = r.sums->strategy().width(), before = std::min(behind + 1, kMostBehind);
  double first = 0;
  if (from == 0)
    first = leastSyncAndStep(m_problem, r.floor, m_zero, r.sums->dense[at(to)], r.sums->expert[at(to)]);
  float cost[kRates];
  for (int j = 0; j < kRates; ++j)
    cost[j] = static_cast<float>(load * (m_weights.sum + double(m_rate[at(j)]) * a) + first);
  const float most = static_cast<float>(load);
  const int units = from == 0 ? 0 : m_limits.units - a;
  for (int u = 0; u <= units && u + a <= m_limits.units; ++u) {
    const std::size_t front = row(before, from, u), here = row(behind, to, u + a);
    m_most[here] = std::min(m_most[here], std::max(m_most[front], most));
    const float* old = &m_least[front * kRates];
    float* now = &m_least[here * kRates];
    for (int j = 0; j < kRates; ++j) now[j] = std::min(now[j], old[j] + cost[j]);
  }
}

double FreePrefixes::time(int behind, int cut, int units, double max, double sum) const {
  const std::size_t here = row(std::min(behind, kMostBehind), cut, units);
  if (m_most[here] == kFar) return kNever;
  const double most = std::max(max, m_certain * double(m_most[here]));
  const float* least = &m_least[here * kRates];
  double bound = 0;
  for (int j = 0; j < kRates && m_rate[at(j)] * units <= m_weights.max; ++j)
    bound = std::max(bound,
                     (m_weights.max - double(m_rate[at(j)]) * units) * most + m_certain * double(least[j]));
  return bound + m_weights.sum * sum;
}

double FreePrefixes::leastMax(int behind, int cut, int units) const {
  return m_certain * double(m_most[row(std::min(behind, kMostBehind), cut, units)]);
}

double FreePrefixes::mostLoad(int units, double limit) const {
  const std::size_t here = row(0, m_order.last(), units);
  if (m_most[here] == kFar) return 0;
  double most = m_limits.load;
  for (int j = 0; j < kRates && m_rate[at(j)] * units < m_weights.max; ++j)
    most = std::min(most, (limit - m_certain * double(m_least[here * kRates + at(j)])) /
                              (m_weights.max - double(m_rate[at(j)]) * units));
  return most;
}

}  // namespace nest::planner
