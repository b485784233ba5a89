// The minimum is over the last stage y…x with strategy σ, width a, and k stages behind:
//   Q_λ(k, x, u) = min ( Q_λ(k + 1, y, u − a) + w_sum·γ(y, x, σ) + λ·a·load(y, x, σ) );
// M is computed in the same way (stage_prefixes.h).
#include "solver/bounds/stage_prefixes.h"

#include <numeric>
#include <tuple>

#include "solver/common.h"
#include "solver/stage/messages.h"
#include "solver/watch.h"

namespace nest::solver {
namespace {

// The rates let λ·u reach w_max for the widest pipeline, and for narrower prefixes as far as the values go.
PrefixTable<float>::Rates ratesOf(const ObjectiveWeights& weights, int units) {
  constexpr double kRatio = 1.5;
  PrefixTable<float>::Rates rates{};
  double rate = weights.max / units / (kRatio * kRatio);
  for (std::size_t j = 1; j < rates.size(); ++j, rate *= kRatio) rates[j] = rate;
  return rates;
}
}  // namespace

StagePrefixes::StagePrefixes(const Problem& problem, const LayerOrder& order, const CutRules& rules,
                             const std::vector<StageFloor>& floors, int zero, const Target& target,
                             const Limits& limits, std::vector<StageSites> sites, Watch& watch)
    : m_problem(problem),
      m_order(order),
      m_rules(rules),
      m_zero(zero),
      m_ledger(watch.bounds()),
      m_target(target),
      m_weights(problem, target),
      m_limits(limits),
      m_sites(std::move(sites)),
      m_fewest(fewestStages(problem, order, rules, floors, target, limits.load, limits.capacity)),
      m_alike(layersAlike(problem, order, rules, floors)) {
  std::vector<double> leastBytes(at(order.cutCount()), kInfinity);
  for (const StageFloor& f : floors) {
    m_narrow = std::min(m_narrow, f.sums().strategy().width());
    for (std::size_t c = 0; c < leastBytes.size(); ++c)
      leastBytes[c] = std::min(leastBytes[c], f.sums().boundary[c]);
  }
  m_mostBehind = std::clamp(limits.units / m_narrow - 1, 0, m_mostBehind);
  while (m_mostBehind > 0 && bytes() > kMostBytes) --m_mostBehind;
  if (bytes() > kTooManyBytes) return;
  m_spans.assign(at(m_mostBehind + 1), std::vector<Span>(leastBytes.size()));
  for (const StageFloor& f : floors) {
    const int devices = f.sums().strategy().width() + m_narrow;
    auto &sent = m_sent.emplace_back(leastBytes.size(), 0.0),
         &received = m_received.emplace_back(leastBytes.size(), 0.0);
    for (std::size_t c = 1; c + 1 < leastBytes.size(); ++c) {
      sent[c] = leastTransfer(problem, devices, f.sums().boundary[c]);
      received[c] = leastTransfer(problem, devices, leastBytes[c]);
    }
  }
  m_byWidth.resize(floors.size());
  std::iota(m_byWidth.begin(), m_byWidth.end(), std::size_t{0});
  std::sort(m_byWidth.begin(), m_byWidth.end(), [&](std::size_t a, std::size_t b) {
    const auto key = [&](std::size_t k) {
      const LayerSums& s = floors[k].sums();
      return std::tuple(s.strategy().width(), s.leastAny.back(), k);
    };
    return key(a) < key(b);
  });
  const double certain = 1 - kFloatRounding * (order.layerCount() + 4);
  m_table = PrefixTable<float>(m_weights, ratesOf(m_weights, limits.units), rows(), certain, false);
  if (looksClosely()) m_bands = LoadBands(m_weights, limits.leastMax, limits.load, rows(), certain);
  for (int behind = m_mostBehind; behind >= 0; --behind) {
    fill(behind, floors, watch);
    if (watch.shouldStop()) return;
  }
  m_complete = true;
}

StageFill StagePrefixes::fillOf(const StageFloor& f, const Part& part, double work, double data,
                                double received) const {
  if (!m_weights.fills()) return {work + data, work + data};
  return m_weights.of(LeastPasses::of(f.sums(), m_zero, part, work, received), data,
                      m_limits.load * kRoundUp);
}

/// Among stages with the same width and layers, only those count that no other one dominates at every place.
void StagePrefixes::list(int to, InFlight inFlight, const std::vector<Span>& fronts, int mostUnits,
                         const std::vector<StageFloor>& floors, Watch& watch) {
  struct Least {
    StageFill fill;
    double tail;
    bool beats(const Least& o) const { return fill.x <= o.fill.x && fill.y <= o.fill.y && tail <= o.tail; }
  };
  const double most = m_limits.load * kRoundUp;
  const bool dominance = m_ledger.uses(SearchBound::Dominance);
  BoundLedger::Tally compared(m_ledger, SearchBound::Dominance);
  const bool mayRepeat = to < m_order.last() && m_alike[at(to + 1)] > 0;
  m_stages.clear();
  m_added.clear();
  m_reach = 0;
  m_ends.assign(floors.size(), 0);
  std::vector<Least> kept;
  for (auto begin = m_byWidth.begin(), end = begin; begin != m_byWidth.end(); begin = end) {
    const int a = floors[*begin].sums().strategy().width();
    if (a > m_limits.units) return;
    end = std::find_if(begin, m_byWidth.end(),
                       [&](std::size_t k) { return floors[k].sums().strategy().width() != a; });
    const bool alone = end - begin == 1;
    int from = to;
    for (std::ptrdiff_t left = end - begin; left > 0 && --from >= 0;) {
      if (!mayRepeat && fronts[at(from)].least > mostUnits - a) continue;
      if (!m_rules.mayStand(from, to)) continue;
      kept.clear();
      for (auto it = begin; it != end; ++it) {
        if (m_ends[*it]) continue;
        if (watch.shouldStop()) return;
        const std::size_t k = *it;
        const StageFloor& f = floors[k];
        const Part part{from, to};
        const double least = between(f.sums().leastAny, part);
        if (least > most) {
          m_ends[k] = 1, --left;
          continue;
        }
        const StageSize size = f.size(part);
        const double beside = m_sent[k][at(to)] + m_received[k][at(from)], data = f.data(size),
                     tail = from == 0 ? f.tail(size) : 0, atLeast = least + beside + data;
        const auto isBeaten = [&](const StageFill& fill) {
          return dominance && std::any_of(kept.begin(), kept.end(), [&](const Least& o) {
                   return o.beats({fill, tail});
                 });
        };
        compared.calls += dominance;
        if (!m_weights.fills() && isBeaten({atLeast, atLeast})) {
          ++compared.closed;
          continue;
        }
        const double own =
            f.work(m_problem.search.recompute, f.fixedMemory(size), inFlight, part, m_limits.capacity);
        if (own == kInfinity) {
          m_ends[k] = 1, --left;
          continue;
        }
        const double work = own + beside, load = work + data;
        if (load > most) continue;
        const auto fillIf = [&](double extra) {
          return fillOf(f, part, work, data + extra, m_received[k][at(from)]);
        };
        const StageFill cheapest = fillIf(0);
        if (isBeaten(cheapest)) {
          ++compared.closed;
          continue;
        }
        m_stages.push_back({to - from, a, k, m_added.size()});
        double furthest = 0;
        for (int c = 0; c < (m_sites.empty() ? 1 : m_sites[k].classes()); ++c) {
          const double extra = m_sites.empty() ? 0 : m_sites[k].extra(c, part, m_problem.search.recompute);
          auto& added = m_added.emplace_back();
          furthest = std::max(furthest, extra);
          if (load + extra > most) continue;
          const StageFill fill = extra > 0 ? fillIf(extra) : cheapest;
          added.emplace(m_table.added(a, fill, tail),
                        m_bands.empty() ? LoadBands::Added() : m_bands.added(fill, tail));
        }
        if (!alone && load + furthest <= most)
          kept.push_back({furthest > 0 ? fillIf(furthest) : cheapest, tail});
      }
    }
    m_reach = std::max(m_reach, to - std::max(from, 0));
  }
}

void StagePrefixes::growTo(std::size_t row) {
  m_table.grow(row + 1);
  if (looksClosely()) m_bands.grow(row + 1);
}

// Only the rows of (6.15) are used.
void StagePrefixes::fill(int behind, const std::vector<StageFloor>& floors, Watch& watch) {
  growTo(row(behind, 0, m_limits.units));
  m_table.open(row(behind, 0, 0));
  if (!m_bands.empty()) m_bands.open(row(behind, 0, 0));
  const int before = std::min(behind + 1, m_mostBehind);
  std::vector<Span>& spans = m_spans[at(behind)];
  const std::vector<Span>& fronts = m_spans[at(before)];
  spans[0] = {0, 0};
  m_stages.clear();
  m_reach = m_order.last();
  InFlight last{-1};
  int to = 1;
  const bool leavesOut = m_ledger.uses(SearchBound::Rows);
  while (leavesOut && behind < m_mostBehind && m_fewest[at(to)] > behind) ++to;
  if (leavesOut) {
    m_ledger.countCalls(SearchBound::Rows, m_order.last());
    m_ledger.countClosed(SearchBound::Rows, to - 1);
  }
  for (; to < m_order.cutCount(); ++to) {
    const int stages = leavesOut ? std::min(std::max(behind, m_fewest[at(to)]), m_order.layerCount()) : 0,
              mostUnits = m_limits.units - stages * m_narrow;
    const InFlight inFlight = leastInFlight(m_target, std::max(behind, m_rules.leastBehind(to)), m_fewest[0]);
    const bool repeats =
        m_reach <= m_alike[at(to - 1)] && m_alike[at(to)] > 0 && inFlight.count == last.count;
    if (!repeats) list(to, last = inFlight, fronts, mostUnits, floors, watch);
    if (watch.shouldStop()) return;
    growTo(row(behind, to, m_limits.units));
    for (const Stage& stage : m_stages) {
      const int from = to - stage.layers;
      const Span& span = fronts[at(from)];
      const int count = std::min(span.most, mostUnits - stage.width) - span.least + 1;
      if (count <= 0) continue;
      if (watch.shouldStopAfter(at(count))) return;
      const std::size_t front = row(before, from, span.least),
                        here = row(behind, to, span.least + stage.width);
      const auto add = [&](std::size_t inFront, std::size_t after, const Added& added, int times) {
        m_table.add(inFront, after, added.table, times);
        if (!m_bands.empty()) m_bands.add(inFront, after, added.bands, times);
      };
      if (m_sites.empty()) {
        add(front, here, *m_added[stage.added], count);
        continue;
      }
      const std::uint8_t* classOf = m_sites[stage.floor].classOf() + span.least;
      for (int u = 0; u < count; ++u)
        if (const auto& of = m_added[stage.added + classOf[u]]) add(front + at(u), here + at(u), *of, 1);
    }
    Span& span = spans[at(to)];
    for (int u = 0; u <= mostUnits; ++u)
      if (m_table.reached(row(behind, to, u))) span = {std::min(span.least, u), u};
  }
}

}  // namespace nest::solver
