#include "cluster/levels/irregularities.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include "cluster/graph/graph_forest.h"
#include "cluster/levels/lost_parts.h"
#include "units/at.h"
#include "units/text.h"

namespace nest {
namespace {

constexpr std::size_t kMost = 200;

/// Begins of the groups of a level in the order of the input, and the end.
std::vector<int> groupStarts(const HierarchyInput& in, int level) {
  std::vector<int> starts{0};
  for (std::size_t i = 0; i < in.gaps.size(); ++i)
    if (in.gaps[i] > level) starts.push_back(static_cast<int>(i) + 1);
  starts.push_back(static_cast<int>(in.gaps.size()) + 1);
  return starts;
}

/// Up to so many groups are named one by one where no size is usual.
constexpr std::size_t kFewGroups = 8;

/// The value that more than half of them share, or nothing.
template <class T>
const T* usual(const std::vector<T>& values) {
  std::map<T, std::pair<std::size_t, const T*>> counts;
  for (const T& v : values) {
    auto& c = counts[v];
    c.second = &v;
    if (++c.first * 2 > values.size()) return c.second;
  }
  return nullptr;
}

std::string groupName(const LevelAbstraction& a, int level, int begin, int index) {
  const auto& in = a.input;
  if (in.levels[at(level)].name == "host" || (level == 0 && in.levels.size() > 1))
    return in.identities[at(begin)].host;
  if (at(level) < in.groupNames.size() && at(index) < in.groupNames[at(level)].size() &&
      !in.groupNames[at(level)][at(index)].empty())
    return in.groupNames[at(level)][at(index)];
  return in.levels[at(level)].name + ' ' + std::to_string(index);
}

/// Groups of one group only join others further out. Where a third or more do, they are another kind and
/// not the rest of a group that lost its members.
void leaveOutPassing(std::vector<int>& members, std::vector<int>& devices, std::vector<int>& begins,
                     std::vector<int>& numbers) {
  const auto passing = static_cast<std::size_t>(std::count(members.begin(), members.end(), 1));
  if (3 * passing < members.size()) return;
  std::size_t kept = 0;
  for (std::size_t g = 0; g < members.size(); ++g) {
    if (members[g] == 1) continue;
    members[kept] = members[g], devices[kept] = devices[g];
    begins[kept] = begins[g], numbers[kept++] = numbers[g];
  }
  for (auto* list : {&members, &devices, &begins, &numbers}) list->resize(kept);
}

void sizes(const LevelAbstraction& a, std::vector<std::string>& out) {
  const auto& in = a.input;
  std::vector<char> runs(in.levels.size(), 0);  // hop runs differ in size by nature
  for (const DendrogramNode& n : a.dendrogram.nodes)
    if (n.tier == DendrogramNode::Tier::HopRun) runs[at(n.level)] = 1;
  std::unordered_map<std::string, int> devicesOf;
  for (const auto& who : in.identities) ++devicesOf[who.host];
  for (int l = 0; l + 1 < static_cast<int>(in.levels.size()); ++l) {
    if (runs[at(l)]) continue;
    const auto groups = groupStarts(in, l);
    const auto inner = l == 0 ? std::vector<int>{} : groupStarts(in, l - 1);
    std::vector<int> members, devices, begins, numbers;
    std::size_t k = 0;
    for (std::size_t g = 0; g + 1 < groups.size(); ++g) {
      int n = groups[g + 1] - groups[g];
      if (l > 0)
        for (n = 0; k + 1 < inner.size() && inner[k] < groups[g + 1]; ++k) ++n;
      // One alone of a host that joins at a level further out is no group to compare with.
      if (l == 0 && n == 1 && devicesOf[in.identities[at(groups[g])].host] > 1) continue;
      members.push_back(n), devices.push_back(groups[g + 1] - groups[g]);
      begins.push_back(groups[g]), numbers.push_back(static_cast<int>(g));
    }
    if (l > 0) leaveOutPassing(members, devices, begins, numbers);
    const int* of = usual(members);
    if (!of && !members.empty() && members.size() <= kFewGroups)
      of = &*std::max_element(members.begin(), members.end());  // too few for a usual size: the full one
    if (!of) {
      if (!members.empty())
        out.push_back("the groups of level \"" + in.levels[at(l)].name + "\" differ in size; none is usual");
      continue;
    }
    // As many devices in fewer groups: made up otherwise, and nothing is missing.
    int full = 0;
    for (std::size_t g = 0; g < members.size(); ++g)
      if (members[g] == *of) full = std::max(full, devices[g]);
    const std::string what = l == 0 ? "devices" : "groups of level \"" + in.levels[at(l - 1)].name + '"';
    for (std::size_t g = 0; g < members.size() && out.size() < kMost; ++g)
      if (members[g] > *of || (members[g] < *of && devices[g] < full))
        out.push_back(groupName(a, l, begins[g], numbers[g]) + " has " + std::to_string(members[g]) +
                      (members[g] < *of ? " of " + std::to_string(*of) + ' ' + what
                                        : ' ' + what + " where " + std::to_string(*of) +
                                              (*of == 1 ? " is usual" : " are usual")));
  }
}

/// Groups of one level and size whose links outwards carry less than those of most.
void uplinks(const LevelAbstraction& a, const std::vector<int>& position, std::vector<std::string>& out) {
  const auto& all = a.dendrogram.nodes;
  std::map<std::pair<int, int>, std::vector<int>> alike;
  for (std::size_t n = 0; n < all.size(); ++n)
    if (all[n].parent >= 0 && !all[at(all[n].parent)].isOrdered() &&
        all[n].level != all[at(all[n].parent)].level)
      alike[{all[n].level, all[n].devices}].push_back(static_cast<int>(n));
  const auto first = [&](int n) {
    while (all[at(n)].device < 0) n = all[at(n)].children.front();
    return position[at(n)];
  };
  for (const auto& [key, groups] : alike) {
    std::vector<long long> cuts;
    for (int n : groups) cuts.push_back(std::llround(all[at(n)].cut / 1e6));
    const long long* of = usual(cuts);
    if (!of) continue;
    for (std::size_t i = 0; i < groups.size() && out.size() < kMost; ++i) {
      if (cuts[i] >= *of) continue;
      const auto& who = a.input.identities[at(first(groups[i]))];
      const std::string name =
          key.first < 0    ? who.host + " device " + std::to_string(who.slot)
          : key.first == 0 ? who.host
                           : "the level \"" + a.input.levels[at(key.first)].name + "\" group of " + who.host;
      out.push_back(name + " has links of " + text::bandwidth(BytesPerSecond(all[at(groups[i])].cut)) +
                    " where " + text::bandwidth(BytesPerSecond(static_cast<double>(*of) * 1e6)) +
                    " are usual");
    }
  }
}

void losses(const NetworkGraph& whole, const NetworkGraph& left, std::vector<std::string>& out) {
  const LostParts lost = failedParts(whole, left);
  for (const LostPart& p : lost.failed)
    if (out.size() < kMost) out.push_back(p.name + " has failed and is left out");
  for (const LostPart& p : lost.cutOff)
    if (out.size() < kMost) out.push_back(p.name + " is cut off by what has failed and left out");
}

}  // namespace

std::vector<std::string> hostIds(const NetworkGraph& graph) {
  std::unordered_map<std::string, std::string> ids;  // by id, or by a name that is no id
  for (const NetworkNode& n : graph.nodes)
    if (n.kind == NodeKind::Host) ids[n.id] = n.id;
  std::unordered_map<std::string, int> shared;  // names of several hosts that are no id
  const auto isId = [&](const std::string& s) {
    const auto known = ids.find(s);
    return known != ids.end() && known->second == s;
  };
  for (const NetworkNode& n : graph.nodes)
    if (n.kind == NodeKind::Host && !isId(n.name) && !ids.emplace(n.name, n.id).second) ++shared[n.name];
  std::vector<std::string> out(graph.nodes.size());
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const NetworkNode& n = graph.nodes[i];
    if (n.kind != NodeKind::Device) continue;
    if (shared.count(n.host)) continue;  // its link says which
    const auto known = ids.find(n.host);
    out[i] = known == ids.end() ? n.host : known->second;
  }
  const auto join = [&](int device, int host) {
    if (graph.nodes[at(device)].kind == NodeKind::Device && graph.nodes[at(host)].kind == NodeKind::Host &&
        out[at(device)].empty())
      out[at(device)] = graph.nodes[at(host)].id;
  };
  for (const NetworkLink& l : graph.links) join(l.from, l.to), join(l.to, l.from);
  return out;
}

std::vector<std::string> hostNames(const NetworkGraph& graph, const Fabric& fabric,
                                   const LevelAbstraction& levels) {
  std::unordered_map<std::string, std::string> shown;
  for (const NetworkNode& n : graph.nodes)
    if (n.kind == NodeKind::Host) shown.emplace(n.id, n.name.empty() ? n.id : n.name);
  std::vector<std::string> out;
  for (const int v : levels.deviceNodes) {
    std::string name = graph.nodes[at(v)].host;
    for (int i = fabric.firstArc[at(v)]; name.empty() && i < fabric.firstArc[at(v) + 1]; ++i) {
      const NetworkNode& n = graph.nodes[at(fabric.arcs[at(i)].to)];
      if (n.kind == NodeKind::Host) name = n.id;
    }
    if (const auto known = shown.find(name); known != shown.end()) name = known->second;
    out.push_back(std::move(name));
  }
  return out;
}

void nameLevels(LevelAbstraction& a) {
  auto& levels = a.input.levels;
  std::vector<std::string> tier(levels.size());
  for (const DendrogramNode& n : a.dendrogram.nodes)
    if (n.level >= 0 && !n.tierName.empty()) tier[at(n.level)] = n.tierName;
  // Level 0 is the host where its groups lie inside hosts and hardly any host falls into several.
  bool isHost = levels.size() > 1 || a.input.identities.size() > 1;
  std::size_t groups = 1, hosts = 1;
  for (std::size_t i = 0; i < a.input.gaps.size() && isHost; ++i) {
    const bool sameHost = a.input.identities[i].host == a.input.identities[i + 1].host;
    isHost = sameHost || a.input.gaps[i] > 0;
    groups += a.input.gaps[i] > 0;
    hosts += !sameHost;
  }
  isHost = isHost && 2 * groups <= 3 * hosts;
  std::size_t open = 0;
  for (std::size_t l = 0; l < levels.size(); ++l) open += tier[l].empty() && !(l == 0 && isHost);
  static const std::vector<std::vector<std::string>> names = {{},
                                                              {"fabric"},
                                                              {"leaf", "spine"},
                                                              {"leaf", "pod", "core"},
                                                              {"leaf", "pod", "zone", "core"},
                                                              {"leaf", "row", "pod", "zone", "core"}};
  std::size_t next = 0;
  for (std::size_t l = 0; l < levels.size(); ++l) {
    if (!levels[l].name.empty()) continue;
    if (l == 0 && isHost && tier[l].empty())
      levels[l].name = "host";
    else if (!tier[l].empty())
      levels[l].name = tier[l];
    else
      levels[l].name = open < names.size() ? names[open][next++] : "level " + std::to_string(l);
  }
}

std::vector<std::vector<std::string>> namesOfSwitches(const NetworkGraph& graph, const LevelAbstraction& a) {
  const graph::Forest forest = graph::forestOf(graph);
  // A switch beside which another one joins the same nodes is not the name of what they join.
  std::vector<int> above(graph.nodes.size(), 0);
  for (const NetworkLink& l : graph.links)
    for (const auto& [below, other] : {std::pair(l.from, l.to), std::pair(l.to, l.from)})
      above[at(below)] += graph.nodes[at(other)].kind == NodeKind::Switch &&
                          forest.parent[at(other)] != below && forest.parent[at(below)] >= 0;
  struct Span {
    int first = 1 << 30, last = -1, count = 0;
    auto operator<=>(const Span&) const = default;
  };
  std::vector<Span> spans(graph.nodes.size());
  for (std::size_t k = 0; k < a.deviceNodes.size(); ++k)
    for (int n = forest.parent[at(a.deviceNodes[k])]; n >= 0; n = forest.parent[at(n)]) {
      Span& s = spans[at(n)];
      s.first = std::min(s.first, static_cast<int>(k)), s.last = std::max(s.last, static_cast<int>(k)),
      ++s.count;
    }
  std::map<Span, std::vector<int>> switches;
  for (std::size_t n = 0; n < graph.nodes.size(); ++n)
    if (graph.nodes[n].kind == NodeKind::Switch && spans[n].count > 0 &&
        std::all_of(forest.children[n].begin(), forest.children[n].end(),
                    [&](int child) { return above[at(child)] <= 1; }))
      switches[spans[n]].push_back(static_cast<int>(n));
  std::map<Span, std::size_t> used;
  std::vector<std::vector<std::string>> out(a.input.levels.size());
  for (int l = 1; at(l) < out.size(); ++l) {
    const auto starts = groupStarts(a.input, l);
    for (std::size_t g = 0; g + 1 < starts.size(); ++g) {
      const Span span{starts[g], starts[g + 1] - 1, starts[g + 1] - starts[g]};
      const auto found = switches.find(span);
      const std::size_t k = used[span]++;  // one below the other around the same devices
      const bool one = found != switches.end() && k < found->second.size();
      out[at(l)].push_back(one ? graph.nodes[at(found->second[k])].name : std::string());
    }
  }
  return out;
}

std::vector<std::string> findIrregularities(const NetworkGraph& graph, const NetworkGraph& whole,
                                            const Fabric& fabric, const LevelAbstraction& a) {
  std::vector<int> position(fabric.deviceCount());
  for (std::size_t k = 0; k < a.dendrogram.order.size(); ++k)
    position[at(a.dendrogram.order[k])] = static_cast<int>(k);
  std::vector<std::string> out;
  sizes(a, out);
  uplinks(a, position, out);
  losses(whole, graph, out);
  return out;
}

}  // namespace nest
