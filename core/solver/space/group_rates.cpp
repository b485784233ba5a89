// One group of ranks on n_ℓ parts of f_ℓ ranks or more at each level: what its exchanges cost (STATEMENT.md
// §4). The steps of a gather come from core/cost; their sums per byte are the search's own.
#include <algorithm>
#include <bit>

#include "cost/collective.h"
#include "solver/space/group_shapes.h"
#include "units/at.h"

namespace nest::solver {
namespace {

int ceilLog2(int n) {
  int bits = 0;
  while ((1LL << bits) < n) ++bits;
  return bits;
}

void keepHighest(std::vector<std::pair<double, double>>& all) {
  std::sort(all.begin(), all.end(), [](const auto& x, const auto& y) { return x > y; });
  std::vector<std::pair<double, double>> kept;
  for (const auto& p : all)
    if (kept.empty() || p.second > kept.back().second) kept.push_back(p);
  all = std::move(kept);
}

}  // namespace

double GroupRates::time(CollectiveKind kind, double bytes) const {
  if (ranks < 2 || !(bytes > 0)) return 0;
  switch (kind) {
    case CollectiveKind::AllReduce:
      return 2 * reduceScatter(bytes);
    case CollectiveKind::AllGather:
    case CollectiveKind::ReduceScatter:
      return reduceScatter(bytes);
    case CollectiveKind::RingExchange:
      return ringLatency + ringPerByte * bytes;
    case CollectiveKind::AllToAll:
      break;
  }
  double most = 0;
  for (const auto& [latency, perByte] : allToAll) most = std::max(most, latency + perByte * bytes);
  return most;
}

bool GroupRates::atLeast(const GroupRates& o) const {
  if (flatLatency < o.flatLatency || flatPerByte < o.flatPerByte || nestedLatency < o.nestedLatency ||
      nestedPerByte < o.nestedPerByte || ringLatency < o.ringLatency || ringPerByte < o.ringPerByte)
    return false;
  return std::all_of(o.allToAll.begin(), o.allToAll.end(), [this](const auto& b) {
    return std::any_of(allToAll.begin(), allToAll.end(),
                       [&](const auto& a) { return a.first >= b.first && a.second >= b.second; });
  });
}

GroupRates GroupShapes::ratesOf(const std::vector<int>& most, const std::vector<int>& fewest, int outer,
                                int ranks) const {
  GroupRates r;
  r.ranks = ranks;
  r.outerLevel = outer;
  if (ranks < 2) return r;
  const auto& top = m_cluster.level(outer);
  const GatherStep flat = gatherStep(top, outer, ranks, ranks);
  r.flatLatency = flat.latency.value();
  r.flatPerByte = flat.share / flat.bandwidth.value();
  r.ringLatency = (ranks - 1.0) * top.latency.value();
  r.ringPerByte = (ranks - 1.0) / top.sustained().value();
  double share = 1;
  for (int l = 0; l <= outer; ++l) {
    const GatherStep step = gatherStep(m_cluster.level(l), l, most[at(l)], ranks);
    r.nestedLatency += step.latency.value();
    r.nestedPerByte += step.share * share / step.bandwidth.value();
    share = 1.0 / fewest[at(l)];
  }
  return r;
}

int GroupShapes::intern(std::vector<int> most, std::vector<int> fewest, int outer, int ranks,
                        std::vector<std::pair<double, double>> allToAll) {
  most.resize(static_cast<std::size_t>(outer) + 1);
  fewest.resize(static_cast<std::size_t>(outer) + 1);
  GroupRates r = ratesOf(most, fewest, outer, ranks);
  r.allToAll = std::move(allToAll);
  std::vector<int> key = most;
  key.insert(key.end(), fewest.begin(), fewest.end());
  key.push_back(ranks);
  for (const auto& pair : r.allToAll)
    for (const double value : {pair.first, pair.second}) {
      const auto bits = std::bit_cast<std::uint64_t>(value);
      key.push_back(static_cast<int>(bits));
      key.push_back(static_cast<int>(bits >> 32));
    }
  const auto [it, isNew] = m_shapeIds.try_emplace(std::move(key), static_cast<int>(m_rates.size()));
  if (isNew) m_rates.push_back(std::move(r));
  return it->second;
}

std::vector<std::pair<double, double>> GroupShapes::allToAllOf(const std::vector<int>& positions) const {
  std::vector<std::pair<double, double>> all;
  const double n = static_cast<double>(positions.size());
  for (int p : positions) {
    double latency = 0, perByte = 0;
    std::ptrdiff_t before = 0;
    for (int l = 0; l < m_cluster.levelCount(); ++l) {
      const auto [begin, end] = m_cluster.groupSpan(l, m_cluster.groupOf(l, p));
      const auto within = std::lower_bound(positions.begin(), positions.end(), end) -
                          std::lower_bound(positions.begin(), positions.end(), begin);
      const double more = static_cast<double>(within - before) - (l == 0 ? 1 : 0);
      latency += more * m_cluster.level(l).latency.value();
      perByte += more / (n * m_cluster.level(l).sustained().value());
      before = within;
    }
    // N_{-1} = 1 counts the rank itself once, at no cost; its own share of the bytes stays where it is.
    all.emplace_back(latency, perByte);
  }
  keepHighest(all);
  return all;
}

// Proof of cheapest(): let c_ℓ be the most ranks that a level-ℓ group can hold, N_ℓ the number of level-ℓ
// groups occupied. (1 − 1/n_ℓ)/f_{ℓ−1} ≥ (N_{ℓ−1} − N_ℓ)/n, because n_ℓ ≥ N_{ℓ−1}/N_ℓ and f_{ℓ−1} ≤
// n/N_{ℓ−1}; summed over ℓ ≥ k this is (N_{k−1} − 1)/n ≥ 1/c_{k−1} − 1/n. As 1/B_ℓ does not shrink with ℓ,
// the sum weighted by it is least when every tail is, which is Σ (1/c_{ℓ−1} − 1/c_ℓ)/B_ℓ; flat and all-to-all
// likewise. Steps: Σ ⌈log₂ n_ℓ⌉ ≥ ⌈log₂ n⌉, one of them at least as far out as the innermost level whose
// groups can hold n ranks.
template <class Visit>
void GroupShapes::visitCheapest(int ranks, int spacing, Visit visit) const {
  long long held = 1;
  for (int l = 0; l < m_cluster.levelCount() && held < ranks; ++l) {
    const long long room = (m_cluster.largestGroupSize(l) + spacing - 1LL) / spacing;
    const long long now = std::max(held, std::min<long long>(ranks, room));
    visit(l, held, now);
    held = now;
  }
}

double GroupShapes::cheapestPerByte(int ranks, int spacing) const {
  double perByte = 0;
  visitCheapest(ranks, spacing, [&](int l, long long held, long long now) {
    perByte += (1.0 / static_cast<double>(held) - 1.0 / static_cast<double>(now)) /
               m_cluster.level(l).sustained(ranks).value();
  });
  return perByte;
}

GroupRates GroupShapes::cheapest(int ranks, int spacing) const {
  GroupRates r;
  r.ranks = ranks;
  if (ranks < 2) return r;
  double latency = 0, perByte = 0;
  visitCheapest(ranks, spacing, [&](int l, long long held, long long now) {
    const auto& level = m_cluster.level(l);
    latency += static_cast<double>(now - held) * level.latency.value();
    perByte += static_cast<double>(now - held) / (ranks * level.sustained().value());
    r.outerLevel = l;
  });
  r.nestedPerByte = cheapestPerByte(ranks, spacing);
  const auto& outer = m_cluster.level(r.outerLevel);
  r.flatPerByte = r.nestedPerByte;
  r.flatLatency = r.nestedLatency =
      (ceilLog2(ranks) - 1) * m_cluster.level(0).latency.value() + outer.latency.value();
  r.ringLatency = (ranks - 1.0) * outer.latency.value();
  r.ringPerByte = (ranks - 1.0) / outer.sustained().value();
  r.allToAll.emplace_back(latency, perByte);
  return r;
}

}  // namespace nest::solver
