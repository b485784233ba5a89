#include "solver/bounds/line_crossings.h"

#include <algorithm>
#include <utility>

#include "units/at.h"

namespace nest::solver {
std::vector<LineCrossings::Kind> LineCrossings::kindsOf(const Strategy& s, const BlockLayout& layout) {
  const int t = s.tensor, c = s.context, e = s.expert, a = s.width(), d = layout.inner * layout.outer;
  const auto groups = [&](int ranks, int stride, int StageSite::*set) {
    const long long run = static_cast<long long>(ranks) * stride;
    return Kind{{0, 1, 0, ranks, stride, 1, 1}, run, static_cast<long long>(d) * a / run, {set}};
  };
  std::vector<Kind> kinds = {groups(t, 1, &StageSite::tensorSet), groups(c, t, &StageSite::contextSet),
                             groups(e, s.foldedExperts ? 1 : a, &StageSite::expertSet)};
  // The gradients of all replicas, which stand in one block.
  if (layout.outer == 1 && layout.shardDegree() == d) {
    Kind dense = groups(d * c, t, &StageSite::denseSet);
    Kind experts = groups(d * a / e, e, &StageSite::expertGradientSet);
    if (!s.foldedExperts && e == 1)
      dense.sets.push_back(&StageSite::expertGradientSet);
    else if (!s.foldedExperts)
      experts.group = {0, 1, 0, d / e, e * a, c, t};
    // Two ranks of each have one of another group between them, or the ends of the run do.
    if (e > 1 && (s.foldedExperts || d > e)) kinds.push_back(std::move(experts));
    kinds.push_back(std::move(dense));
  }
  std::erase_if(kinds, [](const Kind& k) { return k.group.count * k.group.inner < 2; });
  return kinds;
}

LineCrossings::LineCrossings(GroupShapes& shapes, const LineRoom& room, const Strategy& s,
                             const BlockLayout& layout, Sites sites)
    : m_shapes(shapes), m_kinds(kindsOf(s, layout)), m_sites(std::move(sites)) {
  const int levels = shapes.cluster().levelCount(), stages = static_cast<int>(m_sites.size());
  const long long devices = static_cast<long long>(layout.inner) * layout.outer * s.width();
  struct Change {
    int stages, spanned;
    std::function<void(StageSite&)> apply;
  };
  std::vector<Change> some;
  const auto ask = [&](long long without, int spanned, const std::function<void(StageSite&)>& change) {
    if (without == 0)
      for (StageSite& site : m_sites) change(site);
    else if (without < stages)
      some.push_back({stages - static_cast<int>(without), spanned, change});
  };
  // What stands inside a group stands inside those further out: of one kind the levels that no stage stays
  // inside come first.
  for (const Kind& kind : m_kinds)
    for (int l = 0; l + 1 < levels; ++l)
      ask(room.runsInside(l, kind.run) / kind.runs, kind.runs == 1 ? l : -1,
          [this, &kind, l](StageSite& site) { raise(site, kind, l); });
  for (const bool speed : {true, false}) {
    const auto& values = speed ? room.speeds() : room.memories();
    for (std::size_t k = 0; k + 1 < values.size(); ++k)
      ask(values[k].devices / devices, -1, [speed, next = values[k + 1].value](StageSite& site) {
        double& value = speed ? site.speed : site.memory;
        value = std::min(value, next);
      });
  }
  for (const Change& change : some) {
    m_demands.push_back({change.stages, m_sites, change.spanned});
    for (StageSite& site : m_demands.back().dear) change.apply(site);
  }
}

void LineCrossings::raise(StageSite& site, const Kind& kind, int level) const {
  for (const auto set : kind.sets) site.*set = m_shapes.setAnywhere(kind.group, level);
}

LineCrossings::Sites LineCrossings::straddling(int level) const {
  Sites all = m_sites;
  for (const Kind& kind : m_kinds)
    if (kind.runs == 1)
      for (StageSite& site : all) raise(site, kind, level);
  return all;
}

}  // namespace nest::solver
