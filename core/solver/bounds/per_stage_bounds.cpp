// Per (b, d, z) and units U, the tables contain for every cut Σ over its layers of min_σ load_σ(x)·(w_sum +
// θ·a_σ/U), for kSteps values of θ. A bound is the largest over θ of that plus (w_max − θ)·max.
#include "solver/bounds/per_stage_bounds.h"

#include <algorithm>
#include <map>

#include "solver/common.h"
#include "solver/watch.h"

namespace nest::solver {

PerStageBounds::PerStageBounds(const Problem& problem, const LayerOrder& order, const CutRules& rules,
                               GroupShapes& shapes, const std::vector<LayerSums*>& all,
                               const std::vector<Sharding>& shardings, int zero, const Target& target,
                               Watch& watch)
    : m_ledger(&watch.bounds()),
      m_problem(&problem),
      m_order(&order),
      m_rules(&rules),
      m_shapes(&shapes),
      m_dataDegree(shardings.size() == 1 ? shardings.front().dataDegree : 0),
      m_zero(zero),
      m_target(target),
      m_weights(target.bound),
      m_whole(problem, target),
      m_classOf(at(order.layerCount())),
      m_mostStages(problem.constraints.stages.most.value_or(order.layerCount())) {
  auto& sums = m_sums = all;
  std::stable_sort(sums.begin(), sums.end(), [](const LayerSums* a, const LayerSums* b) {
    return a->strategy().width() < b->strategy().width();
  });
  m_tailPerLoad = kInfinity;
  m_leastWidth = sums.front()->strategy().width();
  for (const LayerSums* s : sums) {
    const StageFloor& floor =
        m_floors.emplace_back(problem, *s, GradientFloor::of(shapes, s->strategy(), shardings, watch), zero);
    m_width.push_back(s->strategy().width());
    // The ratio relates to leastAny; with gradient exchange in the loads it would be smaller.
    m_tailPerLoad = std::min(m_tailPerLoad, zero >= 2 ? 0 : floor.tailPerLoad());
  }
  std::map<int, std::size_t> classes;
  std::vector<double> bytes, work, unitWork;  // per class
  m_work.assign(at(order.cutCount()), 0);
  m_unitWork = m_work;
  for (int c = 1; c < order.cutCount(); ++c) {
    const int x = order.added(c);
    const auto [it, isNew] = classes.try_emplace(problem.graph->layers[at(x)].classId, classes.size());
    m_classOf[at(x)] = it->second;
    if (isNew) {
      auto& loads = m_perClass.emplace_back();
      bytes.push_back(kInfinity), work.push_back(kInfinity), unitWork.push_back(kInfinity);
      for (std::size_t k = 0; k < sums.size(); ++k) {
        loads.push_back(kInfinity);
        if (!sums[k]->usable(x)) continue;
        const Part part{order.parent(c), c};
        const StageFloor& floor = m_floors[k];
        const StageSize size = sizeOf(*sums[k], part, false);
        loads.back() = between(sums[k]->leastAny, part) + floor.data(size);
        double kept = kInfinity;
        for (int r = 0; r < kRecomputeCount; ++r)
          if (hasPolicy(*sums[k], part, r)) kept = std::min(kept, between(sums[k]->stash[at(r)], part));
        bytes.back() = std::min(bytes.back(), m_width[k] * (floor.stateBytes(size) + kept));
        work.back() = std::min(work.back(), loads.back());
        unitWork.back() = std::min(unitWork.back(), loads.back() * m_width[k]);
      }
    }
    m_work[at(c)] = m_work[at(order.parent(c))] + work[it->second];
    m_unitWork[at(c)] = m_unitWork[at(order.parent(c))] + unitWork[it->second];
  }
  m_layersOf.assign(classes.size(), 0);
  for (const std::size_t k : m_classOf) {
    ++m_layersOf[k];
    m_leastBytes += bytes[k];
  }
  if (!isLong()) return;
  const std::size_t count = classes.size();
  m_layersBefore.assign(at(order.cutCount()) * count, 0);
  for (int c = 1; c < order.cutCount(); ++c) {
    std::copy_n(m_layersBefore.begin() + order.parent(c) * static_cast<std::ptrdiff_t>(count), count,
                m_layersBefore.begin() + c * static_cast<std::ptrdiff_t>(count));
    ++m_layersBefore[at(c) * count + m_classOf[at(order.added(c))]];
  }
}

double PerStageBounds::theta(int step, int units) const {
  const double theta = m_weights.max * step / (kSteps - 1);
  if (units <= m_leastWidth) return theta + m_tailPerLoad;
  return theta + std::min(m_tailPerLoad, theta * m_leastWidth / (units - m_leastWidth));
}

double PerStageBounds::leastOf(std::size_t layerClass, int units, double perLoad, double perUnit) const {
  const auto& loads = m_perClass[layerClass];
  double least = kInfinity;
  for (std::size_t k = 0; k < loads.size() && m_width[k] <= units; ++k)
    least = std::min(least, loads[k] * (perLoad + perUnit * m_width[k]));
  return least;
}

double PerStageBounds::total(int units, double perLoad, double perUnit) const {
  double all = 0;
  for (std::size_t c = 0; c < m_perClass.size(); ++c)
    all += m_layersOf[c] * leastOf(c, units, perLoad, perUnit);
  return all;
}

const std::vector<double>& PerStageBounds::table(int units) {
  if (at(units) >= m_tables.size()) m_tables.resize(at(units) + 1);
  auto& t = m_tables[at(units)];
  if (!t.empty()) return t;
  const std::size_t cuts = at(m_order->cutCount());
  if (isLong()) {
    for (int step = 0; step < kSteps; ++step)
      for (std::size_t c = 0; c < m_perClass.size(); ++c)
        t.push_back(leastOf(c, units, m_weights.sum, theta(step, units) / units));
    m_tableBytes += t.size() * sizeof(double);
    return t;
  }
  if (m_tableBytes + cuts * kSteps * sizeof(double) > kMostTableBytes) return t;
  t.assign(cuts * kSteps, 0);
  m_tableBytes += t.size() * sizeof(double);
  std::vector<double> perClass(m_perClass.size());
  for (int step = 0; step < kSteps; ++step) {
    for (std::size_t c = 0; c < perClass.size(); ++c)
      perClass[c] = leastOf(c, units, m_weights.sum, theta(step, units) / units);
    double* row = &t[cuts * at(step)];
    for (int c = 1; c < m_order->cutCount(); ++c)
      row[c] = row[m_order->parent(c)] + perClass[m_classOf[at(m_order->added(c))]];
  }
  return t;
}

double PerStageBounds::before(const std::vector<double>& table, int step, int cut) const {
  if (!isLong()) return table[at(m_order->cutCount()) * at(step) + at(cut)];
  const std::size_t count = m_perClass.size();
  double sum = 0;
  for (std::size_t c = 0; c < count; ++c)
    if (const int layers = m_layersBefore[at(cut) * count + c]; layers > 0)
      sum += layers * table[at(step) * count + c];
  return sum;
}

double PerStageBounds::upTo(int units, double limit) const {
  if (isClosed(units)) return kInfinity;
  // max is also at least the mean load of `stages` stages.
  const int stages = mostStages(units);
  double bound = 0, withTail = 0;
  for (int step = 0; step < kSteps && uses(SearchBound::LayerWork); ++step) {
    const double share = m_weights.max * step / (kSteps - 1);
    bound = std::max(bound, total(units, m_weights.sum + (m_weights.max - share) / stages, share / units));
    withTail = std::max(withTail, total(units, m_weights.sum, theta(step, units) / units));
  }
  const double most = mostLoadUpTo(units, limit);
  bound = std::max(withTail, bound + leastTail(units, most));
  if (uses(SearchBound::LayerWork) && closes(SearchBound::LayerWork, bound, limit)) return bound;
  if (units <= m_deep.units) {
    bound = std::max(bound, m_deep.time);
    m_ledger->countClosed(SearchBound::DepthPrices, bound > limit);
  }
  if (isPriced(units) && limit < kInfinity) {
    const double priced = m_prices->upTo(units, most);
    closes(SearchBound::UnitPrices, priced, limit);
    bound = std::max(bound, priced);
  }
  return bound;
}

double PerStageBounds::whole(int units, double hops) const {
  if (isClosed(units)) return kInfinity;
  double bound = 0;
  for (int step = 0; step < kSteps && uses(SearchBound::LayerWork); ++step)
    bound = std::max(bound, total(units, m_weights.sum, theta(step, units) / units) + m_weights.sum * hops);
  if (at(units) < m_times.size()) bound = std::max(bound, m_times[at(units)]);
  if (m_placed) bound = std::max(bound, m_placed->whole(units, *m_ledger));
  return bound;
}

void PerStageBounds::dropTables() {
  m_prefixes.reset();
  m_tables.clear();
  m_tables.shrink_to_fit();
  m_tableBytes = 0;
}

std::size_t PerStageBounds::bytes() const {
  return m_tableBytes + (m_prefixes ? m_prefixes->bytes() : 0);
}

double PerStageBounds::time(int behind, int cut, int units, double max, double sum, double tail,
                            double enough) {
  if (cut == 0) return m_weights.time(sum, max, tail);
  if (units < leastUnits(cut)) return kInfinity;
  const bool byLayer = uses(SearchBound::LayerWork);
  double bound = m_weights.time(byLayer ? sum + m_work[at(cut)] : sum,
                                byLayer ? std::max(max, m_unitWork[at(cut)] / units) : max, tail);
  if (byLayer && closes(SearchBound::LayerWork, bound, enough)) return bound;
  // The sharpest bound comes first.
  bool closed = false;
  visitTables(units, [&](const StagePrefixes& t) {
    if (closed) return;
    bound = std::max(bound, t.time(behind, cut, units, max, sum, enough, *m_ledger));
    closed = bound > enough;
  });
  if (closed) return bound;
  if (m_prices) {
    bound = std::max(bound, m_prices->time(cut, units, max, sum));
    if (closes(SearchBound::UnitPrices, bound, enough)) return bound;
  }
  if (units > kMostUnits || !byLayer) return bound;
  const auto& t = table(units);
  for (int step = 0; step < kSteps && !t.empty(); ++step) {
    const double theta = m_weights.max * step / (kSteps - 1);
    bound = std::max(bound, m_weights.sum * sum + (m_weights.max - theta) * max + before(t, step, cut));
  }
  m_ledger->countClosed(SearchBound::LayerWork, bound > enough);
  return bound;
}

double PerStageBounds::leastMax(int behind, int cut, int units) const {
  if (cut == 0) return 0;
  double most = units > 0 && uses(SearchBound::LayerWork) ? m_unitWork[at(cut)] / units * m_target.share : 0;
  visitTables(units, [&](const StagePrefixes& t) {
    most = std::max(most, t.leastMax(behind, cut, units) * m_target.share / m_whole.share);
  });
  return most;
}

double PerStageBounds::leastTail(int units, double mostLoad) const {
  if (!m_order->isChain() || mostLoad == kInfinity) return 0;
  double least = kInfinity;
  for (std::size_t k = 0; k < m_width.size(); ++k) {
    if (m_width[k] > units) continue;
    const double others = (units - m_width[k]) * mostLoad * kRoundUp;
    const auto enough =
        std::partition_point(m_unitWork.begin() + 1, m_unitWork.end() - 1,
                             [&](double before) { return m_unitWork.back() - before > others; });
    // Layers without work can also be in the one stage that there is room for.
    const int end = m_width[k] == units ? m_order->last() : static_cast<int>(enough - m_unitWork.begin());
    const LayerSums& s = m_floors[k].sums();
    if (s.leastAny[at(end)] > mostLoad * kRoundUp) continue;
    least = std::min(least, m_floors[k].tail({s.dense[at(end)], s.expert[at(end)], 0}));
  }
  return least * kRoundDown;
}

double PerStageBounds::leastMax(int units) const {
  if (!uses(SearchBound::LayerWork)) return 0;
  const int stages = mostStages(units);
  double slowest = 0;
  for (std::size_t c = 0; c < m_perClass.size(); ++c) slowest = std::max(slowest, leastOf(c, units, 1, 0));
  return std::max({slowest, m_unitWork.back() / units, m_work.back() / stages}) * kRoundDown;
}

std::vector<StageSites> PerStageBounds::sitesOf(std::span<const BlockLayout> layouts, int units) const {
  if (!uses(SearchBound::Sites)) return {};
  const BoundLedger::Timer timer(*m_ledger, SearchBound::Sites);
  std::vector<StageSites> all;
  bool differ = false;
  for (LayerSums* s : m_sums)
    differ = all.emplace_back(*m_problem, *m_shapes, *s, layouts, units).classes() > 1 || differ;
  m_ledger->count(SearchBound::Sites, differ);
  return differ ? all : std::vector<StageSites>();
}

void PerStageBounds::standOn(const BlockLayout& layout, int units, double limit, double capacity,
                             Watch& watch) {
  m_placed.reset();
  if (!m_order->isChain() || isClosed(units) || limit == kInfinity || !uses(SearchBound::WholeStages)) return;
  auto sites = sitesOf({&layout, 1}, units);
  if (sites.empty()) return;
  const BoundLedger::Timer timer(*m_ledger, SearchBound::WholeStages);
  m_placed = std::make_unique<StagePrefixes>(
      *m_problem, *m_order, *m_rules, m_floors, m_zero, m_target,
      StagePrefixes::Limits{units, mostLoad(units, limit), capacity,
                            uses(SearchBound::LoadBands) ? leastMax(units) * m_whole.share : 0},
      std::move(sites), watch);
  if (!m_placed->complete()) m_placed.reset();
}

bool PerStageBounds::priceDepths(int mostUnits, double limit, double capacity, Watch& watch) {
  // A few units less make little difference.
  constexpr double kNear = 0.998;
  if (!isLong() || !m_target.byLoad() || !uses(SearchBound::DepthPrices) ||
      (mostUnits <= m_deep.units && mostUnits >= kNear * m_deep.units))
    return false;
  const DepthPrices prices(*m_problem, *m_order, m_floors, m_target,
                           {mostUnits, limit, leastMax(mostUnits), mostLoad(mostUnits, limit), capacity,
                            m_problem->constraints.stages.least.value_or(1), mostStages(mostUnits)});
  const BoundLedger::Timer timer(*m_ledger, SearchBound::DepthPrices);
  m_deep = {mostUnits, prices.bound(watch)};
  m_ledger->countCalls(SearchBound::DepthPrices, 1);
  return true;
}

bool PerStageBounds::priceUnits(int mostUnits, double limit, double capacity, std::size_t mostKept,
                                Watch& watch) {
  if (!m_order->isChain() || limit == kInfinity) return false;
  if (priceDepths(mostUnits, limit, capacity, watch)) return true;
  if (isPriced(mostUnits) || !uses(SearchBound::UnitPrices)) return false;
  const UnitPrices::Limits limits{
      mostUnits, limit, leastMax(mostUnits) * m_whole.share, mostLoad(mostUnits, limit), capacity, mostKept};
  if (!(limits.mostLoad > 0)) return false;
  const BoundLedger::Timer timer(*m_ledger, SearchBound::UnitPrices);
  m_prices =
      std::make_unique<UnitPrices>(*m_problem, *m_order, *m_rules, m_floors, m_zero, m_target, limits, watch);
  if (!m_prices->complete()) m_prices.reset();
  return m_prices != nullptr;
}

void PerStageBounds::sharpen(int mostUnits, double limit, double capacity, bool sites, Watch& watch) {
  if (!m_order->isChain() || isClosed(mostUnits) || knows(mostUnits) || !uses(SearchBound::WholeStages))
    return;
  // More units only reduce what each stage must do, so the limit for the widest pipeline applies to all.
  const StagePrefixes::Limits limits{
      mostUnits, mostLoad(mostUnits, limit), capacity,
      sites && uses(SearchBound::LoadBands) ? leastMax(mostUnits) * m_whole.share : 0};
  auto placed = sites && m_dataDegree > 0 ? sitesOf(StageSites::firstBlocks(m_dataDegree), mostUnits)
                                          : std::vector<StageSites>();
  const BoundLedger::Timer timer(*m_ledger, SearchBound::WholeStages);
  m_prefixes.reset();  // frees its memory before the larger table is allocated
  m_prefixes = std::make_unique<StagePrefixes>(*m_problem, *m_order, *m_rules, m_floors, m_zero, m_target,
                                               limits, std::move(placed), watch);
  if (!m_prefixes->complete()) return m_prefixes.reset();
  bool closed = true;
  if (m_times.size() <= at(mostUnits)) m_times.resize(at(mostUnits) + 1, 0);
  for (int u = m_leastWidth; u <= mostUnits; ++u) {
    m_times[at(u)] = std::max(m_times[at(u)], m_prefixes->whole(u, *m_ledger));
    closed = closed && m_times[at(u)] >= limit;
  }
  if (!closed) return;
  m_closedUnits = mostUnits;
  m_prefixes.reset();
}

double PerStageBounds::mostLoad(int units, double limit) const {
  double most = mostLoadUpTo(units, limit);
  if (limit == kInfinity) return most;
  visitTables(units,
              [&](const StagePrefixes& t) { most = std::min(most, t.most(units, limit) / m_whole.share); });
  return most;
}

double PerStageBounds::mostLoadUpTo(int units, double limit) const {
  if (limit == kInfinity) return kInfinity;
  double most = limit / std::max(1e-300, m_weights.sum + m_weights.max);
  for (int step = 0; step + 1 < kSteps && uses(SearchBound::LayerWork); ++step) {
    const double theta = m_weights.max * step / (kSteps - 1);
    if (!(m_weights.max > theta)) continue;
    most = std::min(most, (limit - total(units, m_weights.sum, this->theta(step, units) / units)) /
                              (m_weights.max - theta));
  }
  if (isPriced(units)) most = std::min(most, m_prices->most(units, limit) / m_whole.share);
  return most;
}

}  // namespace nest::solver
