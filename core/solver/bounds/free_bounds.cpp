// Per (b, d, z) and units U, for every cut: Σ over its layers of min_σ load_σ(x)·(w_sum + θ·a_σ/U) for kSteps
// values of θ; a bound is the largest over θ of that plus (w_max − θ)·max (free_bounds.h says why). Tables
// are filled when first asked for. Cost: kSteps × cuts × strategies per U.
#include "solver/bounds/free_bounds.h"

#include <algorithm>
#include <limits>

namespace nest::planner {
namespace {
constexpr std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}
constexpr double kNever = std::numeric_limits<double>::infinity();
}  // namespace

FreeBounds::FreeBounds(const Problem& problem, const LayerOrder& order, const GroupShapes& shapes,
                       const std::vector<LayerSums*>& sums, int dataDegree, int zero,
                       ObjectiveWeights weights)
    : m_problem(&problem),
      m_order(&order),
      m_shapes(&shapes),
      m_sums(sums),
      m_dataDegree(dataDegree),
      m_zero(zero),
      m_weights(weights) {
  const OptimizerRegime& regime = problem.job.optimizer;
  const double shownData = 1 - problem.assumptions.overlap[at(static_cast<int>(Exchange::Data))];
  m_tailPerLoad = kNever;
  m_leastWidth = std::numeric_limits<int>::max();
  std::vector<double> bytes(at(order.layerCount()), kNever);
  for (const LayerSums* s : sums) {
    const GradientFloor floor = GradientFloor::of(shapes, s->strategy(), dataDegree);
    const double perDense = zero < 2 ? 0
                                     : shownData * floor.dense.nestedPerByte *
                                           (regime.gradientBytes + (zero == 3 ? 2 * regime.weightBytes : 0));
    const double perExpert = zero < 2 ? 0
                                      : shownData * floor.expert.nestedPerByte *
                                            (regime.gradientBytes + (zero == 3 ? 2 * regime.weightBytes : 0));
    const auto dense = ParameterRates::of(problem, zero, floor.denseShards),
               expert = ParameterRates::of(problem, zero, floor.expertShards);
    std::vector<double> perLayer(at(order.layerCount()), 0);
    for (int c = 1; c < order.cutCount(); ++c) {
      const int p = order.parent(c), x = order.added(c);
      const double d = s->dense[at(c)] - s->dense[at(p)], e = s->expert[at(c)] - s->expert[at(p)];
      if (!s->usable(x)) {
        perLayer[at(x)] = kNever;
        continue;
      }
      perLayer[at(x)] = s->leastAny[at(c)] - s->leastAny[at(p)] + perDense * d + perExpert * e;
      double kept = kNever;
      for (int r = 0; r < kRecomputeCount; ++r)
        if (s->missing[at(r)][at(c)] == s->missing[at(r)][at(p)])
          kept = std::min(kept, s->stash[at(r)][at(c)] - s->stash[at(r)][at(p)]);
      bytes[at(x)] =
          std::min(bytes[at(x)], s->strategy().width() * (d * dense.memory + e * expert.memory + kept));
    }
    m_perLayer.push_back(std::move(perLayer));
    m_width.push_back(s->strategy().width());
    m_floor.push_back(floor);
    m_leastWidth = std::min(m_leastWidth, s->strategy().width());
    // The ratio counts against leastAny; with data exchange in the loads it would be a smaller one.
    m_tailPerLoad = std::min(m_tailPerLoad, zero >= 2 ? 0 : tailPerLoad(problem, *s, floor, zero));
  }
  for (double v : bytes) m_leastBytes += v;
  m_work.assign(at(order.cutCount()), 0);
  m_unitWork = m_work;
  for (int c = 1; c < order.cutCount(); ++c) {
    const int p = order.parent(c), x = order.added(c);
    double least = kNever, unit = kNever;
    for (std::size_t k = 0; k < m_width.size(); ++k) {
      least = std::min(least, m_perLayer[k][at(x)]);
      unit = std::min(unit, m_perLayer[k][at(x)] * m_width[k]);
    }
    m_work[at(c)] = m_work[at(p)] + least;
    m_unitWork[at(c)] = m_unitWork[at(p)] + unit;
  }
}

double FreeBounds::theta(int step, int units) const {
  const double theta = m_weights.max * step / (kSteps - 1);
  if (units <= m_leastWidth) return theta + m_tailPerLoad;
  return theta + std::min(m_tailPerLoad, theta * m_leastWidth / (units - m_leastWidth));
}

const std::vector<double>& FreeBounds::table(int units) {
  if (at(units) >= m_tables.size()) m_tables.resize(at(units) + 1);
  auto& t = m_tables[at(units)];
  if (!t.empty()) return t;
  const std::size_t cuts = at(m_order->cutCount());
  t.assign(cuts * kSteps, 0);
  for (int step = 0; step < kSteps; ++step) {
    std::vector<double> factor;
    for (int a : m_width) factor.push_back(m_weights.sum + theta(step, units) * a / units);
    std::vector<double> perLayer(at(m_order->layerCount()), kNever);
    for (std::size_t k = 0; k < factor.size(); ++k)
      for (std::size_t x = 0; x < perLayer.size(); ++x)
        perLayer[x] = std::min(perLayer[x], m_perLayer[k][x] * factor[k]);
    double* row = &t[cuts * at(step)];
    for (int c = 1; c < m_order->cutCount(); ++c)
      row[c] = row[m_order->parent(c)] + perLayer[at(m_order->added(c))];
  }
  return t;
}

double FreeBounds::time(int behind, int cut, int units, double max, double sum, double tail) {
  if (cut == 0) return m_weights.time(sum, max, tail);
  if (units < m_leastWidth) return kNever;
  const double even = m_unitWork[at(cut)] / units;
  double bound = m_weights.time(sum + m_work[at(cut)], std::max(max, even), tail);
  const auto& t = table(units);
  const std::size_t cuts = at(m_order->cutCount());
  for (int step = 0; step < kSteps; ++step) {
    const double theta = m_weights.max * step / (kSteps - 1);
    bound =
        std::max(bound, m_weights.sum * sum + (m_weights.max - theta) * max + t[cuts * at(step) + at(cut)]);
  }
  if (m_prefixes) bound = std::max(bound, m_prefixes->time(behind, cut, units, max, sum));
  return m_closed ? kNever : bound;
}

double FreeBounds::leastMax(int behind, int cut, int units) const {
  if (cut == 0) return 0;
  const double even = units > 0 ? m_unitWork[at(cut)] / units : 0;
  return m_prefixes ? std::max(even, m_prefixes->leastMax(behind, cut, units)) : even;
}

double FreeBounds::leastTail(int units, double mostLoad) const {
  if (!m_order->isChain() || mostLoad == kNever) return 0;
  double least = kNever;
  for (std::size_t k = 0; k < m_width.size(); ++k) {
    if (m_width[k] > units) continue;
    const double others = (units - m_width[k]) * mostLoad * (1 + 1e-12);
    int end = 1;
    while (end < m_order->last() && m_unitWork.back() - m_unitWork[at(end)] > others) ++end;
    const LayerSums& s = *m_sums[k];
    if (s.leastAny[at(end)] > mostLoad * (1 + 1e-12) || (end < m_order->last() && m_width[k] == units))
      continue;
    least = std::min(least,
                     leastSyncAndStep(*m_problem, m_floor[k], m_zero, s.dense[at(end)], s.expert[at(end)]));
  }
  return least * (1 - 1e-12);
}

double FreeBounds::quick(int units) const {
  return m_weights.time(m_work.back(), m_unitWork.back() / units, 0);
}

void FreeBounds::sharpen(int microbatchCount, int mostUnits, double limit, double capacity) {
  if (m_sharp || !m_order->isChain()) return;
  m_sharp = true;
  // More units only lower what a stage must do, so the widest pipeline leaves the largest load open.
  const FreePrefixes::Limits limits{mostUnits, mostLoad(mostUnits, limit), capacity};
  m_prefixes = std::make_unique<FreePrefixes>(*m_problem, *m_order, *m_shapes, m_sums, m_dataDegree, m_zero,
                                              microbatchCount, m_weights, limits);
  m_closed = true;
  for (int u = m_leastWidth; u <= mostUnits && m_closed; ++u)
    m_closed = m_prefixes->time(0, m_order->last(), u, 0, 0) >= limit;
  if (m_closed) m_prefixes.reset();
}

double FreeBounds::mostLoad(int units, double limit) {
  if (limit == kNever) return kNever;
  const int whole = m_order->last();
  double most = limit / std::max(1e-300, m_weights.sum + m_weights.max);
  const auto& t = table(units);
  for (int step = 0; step + 1 < kSteps; ++step) {
    const double theta = m_weights.max * step / (kSteps - 1);
    if (m_weights.max > theta)
      most = std::min(most,
                      (limit - t[at(m_order->cutCount()) * at(step) + at(whole)]) / (m_weights.max - theta));
  }
  if (m_prefixes) most = std::min(most, m_prefixes->mostLoad(units, limit));
  return most;
}

}  // namespace nest::planner
