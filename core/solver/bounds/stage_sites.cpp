// For every layout and number of units u in front, uses the groups that begin at position d_in·u of every
// block.
#include "solver/bounds/stage_sites.h"

#include <algorithm>

#include "solver/common.h"

namespace nest::solver {

std::vector<BlockLayout> StageSites::firstBlocks(int dataDegree) {
  std::vector<BlockLayout> all;
  for (int inner = 1; inner <= dataDegree; ++inner)
    if (dataDegree % inner == 0) all.push_back({inner, 1, 0});
  return all;
}

StageSites::StageSites(const Problem& problem, GroupShapes& shapes, LayerSums& sums,
                       std::span<const BlockLayout> layouts, int units) {
  const Strategy& s = sums.strategy();
  const int t = s.tensor, c = s.context, a = s.width();
  std::vector<std::vector<std::pair<int, int>>> known = {{}};  // sets of tensor and of context groups
  for (int u = 0; u + a <= units; ++u) {
    std::vector<std::pair<int, int>> sites;
    for (const BlockLayout& l : layouts) {
      if (!s.fitsExperts(l.inner)) continue;
      if ((u + a) * static_cast<long long>(l.inner) > shapes.cluster().deviceCount()) break;
      const auto runs = [&](int count, int stride, int within) {
        return RankPattern{u * l.inner, l.outer, l.stride, count, stride, within, 1};
      };
      sites.emplace_back(shapes.setOfRuns(runs(l.inner * c, t, 1), t, 1),
                         shapes.setOfRuns(runs(l.inner, a, t), c, t));
    }
    std::sort(sites.begin(), sites.end());
    sites.erase(std::unique(sites.begin(), sites.end()), sites.end());
    auto it = std::find(known.begin(), known.end(), sites);
    if (it == known.end() && known.size() < kMostClasses) it = known.insert(it, sites);
    m_classOf.push_back(static_cast<std::uint8_t>(it == known.end() ? 0 : it - known.begin()));
  }
  // The slowest of several tables counts. The one that is slowest over all layers gives a bound.
  const auto add = [&](Exchange kind, const std::vector<const ExchangeSums*>& tables,
                       const ExchangeSums& least, Extra& extra) {
    const double shown = 1 - problem.assumptions.overlap[at(static_cast<int>(kind))];
    for (int r = 0; r < kRecomputeCount; ++r) {
      const ExchangeSums* most = nullptr;
      for (const auto* table : tables)
        if (!most || table->upTo[at(r)].back() > most->upTo[at(r)].back()) most = table;
      if (!most) continue;
      for (std::size_t cut = 0; cut < extra[at(r)].size(); ++cut)
        extra[at(r)][cut] += shown * (most->upTo[at(r)][cut] - least.upTo[at(r)][cut]);
    }
  };
  std::vector<std::uint8_t> numbers;
  m_classes.emplace_back();  // the relaxed stage
  for (const auto& sites : known) {
    std::vector<Extra> all;
    for (const auto& [tensor, context] : sites) {
      Extra& extra = all.emplace_back();
      extra.fill(std::vector<double>(sums.compute.size(), 0.0));
      add(Exchange::Tensor, sums.exchange(GroupKind::Tensor, tensor), sums.leastTensor, extra);
      add(Exchange::Context, sums.exchange(GroupKind::Context, context), sums.leastContext, extra);
    }
    const bool relaxed = std::any_of(all.begin(), all.end(), [](const Extra& e) {
      return std::all_of(e.begin(), e.end(), [](const auto& upTo) { return upTo.back() <= 0; });
    });
    numbers.push_back(relaxed || all.empty() ? 0 : static_cast<std::uint8_t>(m_classes.size()));
    if (numbers.back() > 0) m_classes.push_back(std::move(all));
  }
  for (std::uint8_t& number : m_classOf) number = numbers[number];
}

double StageSites::extra(int ofClass, const Part& p, const Policies& policies) const {
  double least = kInfinity;
  for (const Extra& extra : m_classes[at(ofClass)])
    for (int r = 0; r < kRecomputeCount; ++r)
      if (policies[at(r)]) least = std::min(least, between(extra[at(r)], p));
  return least < kInfinity ? std::max(0.0, least * (1 - kRoundingOfDifferences)) : 0;
}

}  // namespace nest::solver
