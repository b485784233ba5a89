// Per (b, d, z) and units U, for every cut: Σ over its layers of min_σ load_σ(x)·(w_sum + θ·a_σ/U) for kSteps
// values of θ; a bound is the largest over θ of that plus (w_max − θ)·max (per_stage_bounds.h says why).
// Tables are filled when first asked for. Cost: kSteps × cuts × strategies per U.
#include "solver/bounds/per_stage_bounds.h"

#include <algorithm>
#include <limits>

namespace nest::planner {
namespace {
constexpr std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}
constexpr double kNever = std::numeric_limits<double>::infinity();
}  // namespace

PerStageBounds::PerStageBounds(const Problem& problem, const LayerOrder& order, const GroupShapes& shapes,
                               const std::vector<LayerSums*>& sums, int dataDegree,
                               const std::vector<int>& shardDegrees, int zero, ObjectiveWeights weights)
    : m_problem(&problem), m_order(&order), m_weights(weights) {
  m_tailPerLoad = kNever;
  m_leastWidth = std::numeric_limits<int>::max();
  std::vector<double> bytes(at(order.layerCount()), kNever);
  for (const LayerSums* s : sums) {
    const StageFloor& floor = m_floors.emplace_back(
        problem, *s, GradientFloor::of(shapes, s->strategy(), dataDegree, shardDegrees), zero);
    std::vector<double> perLayer(at(order.layerCount()), 0);
    for (int c = 1; c < order.cutCount(); ++c) {
      const int p = order.parent(c), x = order.added(c);
      if (!s->usable(x)) {
        perLayer[at(x)] = kNever;
        continue;
      }
      const Part part{p, c};
      const StageSize size = sizeOf(*s, {&part, 1}, false);
      perLayer[at(x)] = s->leastAny[at(c)] - s->leastAny[at(p)] + floor.data(size);
      double kept = kNever;
      for (int r = 0; r < kRecomputeCount; ++r)
        if (hasPolicy(*s, {&part, 1}, r)) kept = std::min(kept, between(s->stash[at(r)], part));
      bytes[at(x)] =
          std::min(bytes[at(x)], s->strategy().width() * (size.dense * floor.memoryPerDense() +
                                                          size.expert * floor.memoryPerExpert() + kept));
    }
    m_perLayer.push_back(std::move(perLayer));
    m_width.push_back(s->strategy().width());
    m_leastWidth = std::min(m_leastWidth, s->strategy().width());
    // The ratio counts against leastAny; with data exchange in the loads it would be a smaller one.
    m_tailPerLoad = std::min(m_tailPerLoad, zero >= 2 ? 0 : floor.tailPerLoad());
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

double PerStageBounds::theta(int step, int units) const {
  const double theta = m_weights.max * step / (kSteps - 1);
  if (units <= m_leastWidth) return theta + m_tailPerLoad;
  return theta + std::min(m_tailPerLoad, theta * m_leastWidth / (units - m_leastWidth));
}

void PerStageBounds::fillTable(int units, int step, double* row) const {
  std::vector<double> factor;
  for (int a : m_width) factor.push_back(m_weights.sum + theta(step, units) * a / units);
  std::vector<double> perLayer(at(m_order->layerCount()), kNever);
  for (std::size_t k = 0; k < factor.size(); ++k)
    for (std::size_t x = 0; x < perLayer.size(); ++x)
      perLayer[x] = std::min(perLayer[x], m_perLayer[k][x] * factor[k]);
  for (int c = 1; c < m_order->cutCount(); ++c)
    row[c] = row[m_order->parent(c)] + perLayer[at(m_order->added(c))];
}

const std::vector<double>& PerStageBounds::table(int units) {
  if (at(units) >= m_tables.size()) m_tables.resize(at(units) + 1);
  auto& t = m_tables[at(units)];
  if (!t.empty()) return t;
  const std::size_t cuts = at(m_order->cutCount());
  t.assign(cuts * kSteps, 0);
  for (int step = 0; step < kSteps; ++step) fillTable(units, step, &t[cuts * at(step)]);
  return t;
}

double PerStageBounds::whole(int units) {
  if (units < m_leastWidth || units <= m_closedUnits) return kNever;
  const int all = m_order->last();
  double bound = quick(units);
  std::vector<double> row(at(m_order->cutCount()), 0.0);
  for (int step = 0; step < kSteps; ++step) {
    fillTable(units, step, row.data());
    bound = std::max(bound, row[at(all)]);
  }
  if (knows(units)) bound = std::max(bound, m_prefixes->time(0, all, units, 0, 0));
  return bound;
}

std::size_t PerStageBounds::bytes() const {
  std::size_t sum = m_prefixes ? m_prefixes->bytes() : 0;
  for (const auto& t : m_perLayer) sum += t.size() * sizeof(double);
  for (const auto& t : m_tables) sum += t.size() * sizeof(double);
  return sum;
}

double PerStageBounds::time(int behind, int cut, int units, double max, double sum, double tail) {
  if (cut == 0) return m_weights.time(sum, max, tail);
  if (units < m_leastWidth) return kNever;
  const double even = m_unitWork[at(cut)] / units;
  double bound = m_weights.time(sum + m_work[at(cut)], std::max(max, even), tail);
  if (units <= kMostUnits) {
    const auto& t = table(units);
    const std::size_t cuts = at(m_order->cutCount());
    for (int step = 0; step < kSteps; ++step) {
      const double theta = m_weights.max * step / (kSteps - 1);
      bound =
          std::max(bound, m_weights.sum * sum + (m_weights.max - theta) * max + t[cuts * at(step) + at(cut)]);
    }
  }
  if (knows(units)) bound = std::max(bound, m_prefixes->time(behind, cut, units, max, sum));
  return bound;
}

double PerStageBounds::leastMax(int behind, int cut, int units) const {
  if (cut == 0) return 0;
  const double even = units > 0 ? m_unitWork[at(cut)] / units : 0;
  return knows(units) ? std::max(even, m_prefixes->leastMax(behind, cut, units)) : even;
}

double PerStageBounds::leastTail(int units, double mostLoad) const {
  if (!m_order->isChain() || mostLoad == kNever) return 0;
  double least = kNever;
  for (std::size_t k = 0; k < m_width.size(); ++k) {
    if (m_width[k] > units) continue;
    const double others = (units - m_width[k]) * mostLoad * (1 + 1e-12);
    int end = 1;
    while (end < m_order->last() && m_unitWork.back() - m_unitWork[at(end)] > others) ++end;
    const LayerSums& s = m_floors[k].sums();
    if (s.leastAny[at(end)] > mostLoad * (1 + 1e-12) || (end < m_order->last() && m_width[k] == units))
      continue;
    least = std::min(least, m_floors[k].tail({s.dense[at(end)], s.expert[at(end)], 0}));
  }
  return least * (1 - 1e-12);
}

double PerStageBounds::quick(int units) const {
  return m_weights.time(m_work.back(), m_unitWork.back() / units, 0);
}

void PerStageBounds::sharpen(int microbatchCount, int mostUnits, double limit, double capacity,
                             Watch& watch) {
  if (!m_order->isChain() || mostUnits <= m_closedUnits) return;
  if (knows(mostUnits)) return;
  // More units only lower what a stage must do, so the widest pipeline leaves the largest load open.
  const StagePrefixes::Limits limits{mostUnits, mostLoad(mostUnits, limit), capacity};
  m_prefixes = std::make_unique<StagePrefixes>(*m_problem, *m_order, m_floors, microbatchCount, m_weights,
                                               limits, watch);
  if (!m_prefixes->complete()) return m_prefixes.reset();
  bool closed = true;
  for (int u = m_leastWidth; u <= mostUnits && closed; ++u)
    closed = m_prefixes->time(0, m_order->last(), u, 0, 0) >= limit;
  if (!closed) return;
  m_closedUnits = mostUnits;
  m_prefixes.reset();
}

double PerStageBounds::mostLoad(int units, double limit) {
  if (limit == kNever) return kNever;
  const int whole = m_order->last();
  double most = limit / std::max(1e-300, m_weights.sum + m_weights.max);
  std::vector<double> row(at(m_order->cutCount()), 0.0);
  for (int step = 0; step + 1 < kSteps; ++step) {
    const double theta = m_weights.max * step / (kSteps - 1);
    if (!(m_weights.max > theta)) continue;
    fillTable(units, step, row.data());
    most = std::min(most, (limit - row[at(whole)]) / (m_weights.max - theta));
  }
  if (knows(units)) most = std::min(most, m_prefixes->mostLoad(units, limit));
  return most;
}

}  // namespace nest::planner
