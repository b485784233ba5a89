// Lines (STATEMENT.md §3) on which blocks of one size straddle few groups. A block of w devices stands in m
// chunks of w/m devices, each inside a group; groups give as many chunks as they hold, or the same number
// each. What is left of groups behind their chunks is joined where chunks do not suffice.
#include "solver/space/lines.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

#include "solver/space/line_automaton.h"
#include "units/at.h"

namespace nest::solver {
namespace {

constexpr int kMostChunks = 4;            ///< of a block
constexpr std::size_t kMostJoined = 300;  ///< groups, whose rests are joined pair by pair

using Parts = std::vector<Line::Part>;

long long devicesOf(const Parts& parts) {
  return std::accumulate(parts.begin(), parts.end(), 0LL,
                         [](long long sum, const Line::Part& p) { return sum + p.taken; });
}

/// Each group gives as many chunks as it holds; first those that hold whole blocks.
Parts wholeChunks(const Line& line, const std::vector<int>& groups, int chunk, int perBlock) {
  Parts parts;
  for (const int g : groups)
    if (const int n = line.room(g) / chunk; n > 0) parts.push_back({g, n * chunk});
  std::stable_sort(parts.begin(), parts.end(), [&](const auto& a, const auto& b) {
    return (a.taken / chunk % perBlock == 0) > (b.taken / chunk % perBlock == 0);
  });
  return parts;
}

/// All of each group; those that chunks fill first, then in turn the one whose rest ends a chunk with least
/// left over.
Parts joinedRests(const Line& line, std::vector<int> groups, int chunk) {
  Parts parts;
  const auto full =
      std::stable_partition(groups.begin(), groups.end(), [&](int g) { return line.room(g) % chunk == 0; });
  for (auto g = groups.begin(); g != full; ++g) parts.push_back({*g, line.room(*g)});
  groups.erase(groups.begin(), full);
  int open = 0;  // devices of the chunk that is begun
  while (!groups.empty()) {
    const auto waste = [&](int g) {
      const int end = (open + line.room(g)) % chunk, lacks = open == 0 ? 0 : chunk - open;
      return std::pair(line.room(g) < lacks, end);
    };
    const auto next =
        std::min_element(groups.begin(), groups.end(), [&](int a, int b) { return waste(a) < waste(b); });
    parts.push_back({*next, line.room(*next)});
    open = (open + line.room(*next)) % chunk;
    groups.erase(next);
  }
  return parts;
}

/// The stages of one block in groups that hold them whole, such that boundaries cross groups where that costs
/// least; empty: groups do not hold all of them.
Parts cheapestCrossings(const Line& line, const std::vector<int>& groups, const LineUse& use) {
  const int stages = static_cast<int>(use.crossings.size()) + 1;
  std::vector<std::pair<int, int>> capacities;
  for (const int g : groups) capacities.emplace_back(line.room(g) / use.cell, 1);
  const LineAutomaton automaton = LineAutomaton::grouped(std::move(capacities), stages);
  constexpr double kNone = std::numeric_limits<double>::infinity();
  // From the last stage to the first: what it costs to come to a node, and from where.
  std::vector<std::vector<int>> before(at(stages), std::vector<int>(automaton.nodes.size(), -1));
  std::vector<double> cost(automaton.nodes.size(), kNone);
  for (const int n : automaton.begins)
    if (!automaton.nodes[at(n)].isDear) cost[at(n)] = 0;
  for (int i = stages - 2; i >= 0; --i) {
    std::vector<double> next(cost.size(), kNone);
    for (std::size_t n = 0; n < cost.size(); ++n) {
      if (cost[n] == kNone) continue;
      for (const int front : automaton.nodes[n].next) {
        const LineAutomaton::Node& node = automaton.nodes[at(front)];
        const double own = cost[n] + (node.crosses ? use.crossings[at(i)] : 0);
        if (node.isDear || own >= next[at(front)]) continue;
        next[at(front)] = own;
        before[at(i)][at(front)] = static_cast<int>(n);
      }
    }
    cost = std::move(next);
  }
  const auto best = std::min_element(cost.begin(), cost.end());
  if (best == cost.end() || *best == kNone) return {};
  std::vector<int> pieces = {1};  // stages
  for (int i = 0, n = static_cast<int>(best - cost.begin()); i + 1 < stages; ++i) {
    if (automaton.nodes[at(n)].crosses)
      pieces.push_back(1);
    else
      ++pieces.back();
    n = before[at(i)][at(n)];
  }
  // The longest stands in the largest group.
  std::vector<std::size_t> order(pieces.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return pieces[a] > pieces[b]; });
  Parts parts(pieces.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    const int taken = pieces[order[k]] * use.cell;
    if (k >= groups.size() || line.room(groups[k]) < taken) return {};  // groups that counted as larger ones
    parts[order[k]] = {groups[k], taken};
  }
  return parts;
}

}  // namespace

Line::Line(const Hierarchy& cluster, int level, int unit, const std::vector<char>& usable)
    : m_cluster(cluster), m_level(level) {
  const bool cutsHosts = unit > 1 && unit <= cluster.largestGroupSize(0);
  m_kept.resize(at(cluster.groupCount(level)));
  for (int h = 0; h < cluster.groupCount(0); ++h) {
    const auto [begin, end] = cluster.groupSpan(0, h);
    auto& kept = m_kept[at(cluster.groupOf(level, begin))];
    const std::size_t before = kept.size();
    for (int p = begin; p < end; ++p)
      if (usable.empty() || usable[at(p)]) kept.push_back(p);
    if (cutsHosts) kept.resize(before + (kept.size() - before) / at(unit) * at(unit));
  }
}

std::vector<int> Line::positions(const std::vector<Part>& parts, long long most) const {
  // By the outermost level first, the order in which its groups are named.
  const int levels = m_cluster.levelCount();
  std::vector<std::pair<std::vector<int>, const Part*>> order;
  std::vector<std::map<int, int>> named(at(levels));
  for (const Part& part : parts) {
    if (part.taken <= 0) continue;
    const int first = m_kept[at(part.group)].front();
    auto& [key, which] = order.emplace_back();
    which = &part;
    for (int l = levels - 2; l >= m_level; --l) {
      auto& known = named[at(l)];
      key.push_back(
          known.try_emplace(m_cluster.groupOf(l, first), static_cast<int>(known.size())).first->second);
    }
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<int> out;
  for (const auto& [key, part] : order) {
    const auto& kept = m_kept[at(part->group)];
    const long long taken =
        std::min({static_cast<long long>(part->taken), static_cast<long long>(kept.size()),
                  most - static_cast<long long>(out.size())});
    if (taken > 0) out.insert(out.end(), kept.begin(), kept.begin() + taken);
  }
  return out;
}

std::vector<std::vector<Line::Part>> partsFor(const Line& line, const LineUse& use) {
  std::vector<int> groups(at(line.groups()));
  std::iota(groups.begin(), groups.end(), 0);
  std::erase_if(groups, [&](int g) { return line.room(g) == 0; });
  std::stable_sort(groups.begin(), groups.end(), [&](int a, int b) { return line.room(a) > line.room(b); });
  std::vector<Parts> all;
  const auto add = [&](Parts parts) {
    if (devicesOf(parts) >= use.devices && std::find(all.begin(), all.end(), parts) == all.end())
      all.push_back(std::move(parts));
  };
  if (groups.empty()) return all;
  const int largest = line.room(groups.front());
  for (int m = 1; m <= kMostChunks; ++m) {
    if (use.cell % m != 0) continue;
    const int chunk = use.cell / m;
    if (chunk > largest || chunk % std::min(use.unit, chunk) != 0) continue;
    add(wholeChunks(line, groups, chunk, m));
    if (groups.size() <= kMostJoined) add(joinedRests(line, groups, chunk));
    int before = -1;  // groups that give so many
    for (int k = largest / chunk; k >= 1; --k) {
      Parts same;
      for (const int g : groups)
        if (line.room(g) >= k * chunk) same.push_back({g, k * chunk});
      if (static_cast<int>(same.size()) == before) continue;
      before = static_cast<int>(same.size());
      add(std::move(same));
    }
  }
  if (!use.crossings.empty() && use.cell <= largest) add(cheapestCrossings(line, groups, use));
  Parts whole;
  for (const int g : groups) whole.push_back({g, line.room(g)});
  add(whole);
  std::reverse(whole.begin(), whole.end());
  add(std::move(whole));
  return all;
}

}  // namespace nest::solver
