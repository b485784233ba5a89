// Q_λ(k, x, u) = min over the last stage y…x of strategy σ, width a, with k stages behind:
//   Q_λ(k + 1, y, u − a) + w_sum·γ(y, x, σ) + λ·a·load(y, x, σ);
// M likewise. A stage's load is its least one anywhere: best groups, nearest neighbours, the fastest policy
// that fits with k + 1 microbatches in flight. Single precision, rounding allowed for. Cost: k × cuts ×
// stages under the load limit × strategies × units × kRates, the last two in straight loops.
#include "solver/bounds/stage_prefixes.h"

#include <array>
#include <optional>

#include "solver/common.h"
#include "solver/stage/messages.h"
#include "solver/watch.h"

namespace nest::planner {
namespace {

// λ·u reaches w_max for the widest pipeline, and for narrower prefixes as far as the values go.
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
      m_target(target),
      m_weights(problem, target),
      m_limits(limits),
      m_sites(std::move(sites)),
      m_fewest(fewestStages(problem, order, rules, floors, target, limits.load, limits.capacity)) {
  while (m_mostBehind > 0 && bytes() > kMostBytes) --m_mostBehind;
  if (bytes() > kTooManyBytes) return;
  int narrow = std::numeric_limits<int>::max();
  std::vector<double> leastBytes(at(order.cutCount()), kNever);
  for (const StageFloor& f : floors) {
    narrow = std::min(narrow, f.sums().strategy().width());
    for (std::size_t c = 0; c < leastBytes.size(); ++c)
      leastBytes[c] = std::min(leastBytes[c], f.sums().boundary[c]);
  }
  for (const StageFloor& f : floors) {
    const int devices = f.sums().strategy().width() + narrow;
    auto &sent = m_sent.emplace_back(leastBytes.size(), 0.0),
         &received = m_received.emplace_back(leastBytes.size(), 0.0);
    for (std::size_t c = 1; c + 1 < leastBytes.size(); ++c) {
      sent[c] = leastTransfer(problem, devices, f.sums().boundary[c]);
      received[c] = leastTransfer(problem, devices, leastBytes[c]);
    }
  }
  const double certain = 1 - 4e-7 * (order.layerCount() + 4);
  m_table = PrefixTable<float>(m_weights, ratesOf(m_weights, limits.units), rows(), certain, false);
  if (looksClosely()) m_bands = LoadBands(m_weights, limits.leastMax, limits.load, rows(), certain);
  for (int behind = m_mostBehind; behind >= 0; --behind) {
    fill(behind, floors, watch);
    if (watch.over()) return;
  }
  m_complete = true;
}

StageFill StagePrefixes::fillOf(const StageFloor& f, const Part& part, double work, double data,
                                double received) const {
  if (!m_weights.fills()) return {work + data, work + data};
  return m_weights.of(LeastPasses::of(f.sums(), m_zero, part, work, received), data, m_limits.load * kSlack);
}

void StagePrefixes::fill(int behind, const std::vector<StageFloor>& floors, Watch& watch) {
  m_table.open(row(behind, 0, 0));
  if (!m_bands.empty()) m_bands.open(row(behind, 0, 0));
  const int before = std::min(behind + 1, m_mostBehind);
  // With nothing behind, only whole pipelines are asked about; unless that row stands for all.
  for (int to = behind == 0 && m_mostBehind > 0 ? m_order.last() : 1; to < m_order.cutCount(); ++to) {
    const InFlight inFlight = leastInFlight(m_target, std::max(behind, m_rules.leastBehind(to)), m_fewest[0]);
    for (std::size_t k = 0; k < floors.size(); ++k) {
      if (watch.over()) return;
      const StageFloor& f = floors[k];
      const auto& least = f.sums().leastAny;
      const int a = f.sums().strategy().width();
      for (int from = to - 1; from >= 0; --from) {
        if (least[at(to)] - least[at(from)] > m_limits.load * kSlack) break;
        if (!m_rules.mayStand(from, to)) continue;
        const Part part{from, to};
        const StageSize size = f.size(part);
        const double own =
            f.work(m_problem.search.recompute, f.fixedMemory(size), inFlight, part, m_limits.capacity);
        if (own == kNever) break;  // nor does a longer stage fit
        const double work = own + m_sent[k][at(to)] + m_received[k][at(from)], data = f.data(size),
                     load = work + data;
        if (load > m_limits.load * kSlack) continue;
        const double tail = from == 0 ? f.tail(size) : 0;
        const int count = std::min(from == 0 ? 1 : m_limits.units, m_limits.units - a + 1);
        const std::size_t front = row(before, from, 0), here = row(behind, to, a);
        struct Added {
          PrefixTable<float>::Added table;
          LoadBands::Added bands{};
        };
        const auto addedIf = [&](double extra) {
          const StageFill fill = fillOf(f, part, work, data + extra, m_received[k][at(from)]);
          Added added{m_table.added(a, fill, tail)};
          if (!m_bands.empty()) added.bands = m_bands.added(fill, tail);
          return added;
        };
        const auto add = [&](std::size_t inFront, std::size_t after, const Added& added, int times) {
          m_table.add(inFront, after, added.table, times);
          if (!m_bands.empty()) m_bands.add(inFront, after, added.bands, times);
        };
        if (m_sites.empty()) {
          add(front, here, addedIf(0), count);
          continue;
        }
        const StageSites& sites = m_sites[k];
        std::array<std::optional<Added>, StageSites::kMostClasses> added;
        for (int c = 0; c < sites.classes(); ++c)
          if (const double extra = sites.extra(c, part, m_problem.search.recompute);
              load + extra <= m_limits.load * kSlack)
            added[at(c)] = addedIf(extra);
        for (int u = 0; u < count; ++u)
          if (const auto& of = added[sites.classOf()[u]]) add(front + at(u), here + at(u), *of, 1);
      }
    }
  }
}

}  // namespace nest::planner
