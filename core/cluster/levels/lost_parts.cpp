#include "cluster/levels/lost_parts.h"

#include <algorithm>

#include "cluster/graph/connected_network.h"
#include "cluster/graph/graph_edit.h"
#include "cluster/levels/level_abstraction.h"
#include "units/at.h"
#include "units/text.h"

namespace nest {
namespace {

std::string shownName(const NetworkNode& n) {
  return n.name.empty() ? n.id : n.name;
}

/// Nodes that are marked, hosts of which every device is as one part.
std::vector<LostPart> wholeParts(const NetworkGraph& g, const std::vector<char>& marked) {
  const auto contents = graph::hostContents(g);
  std::vector<char> told(g.nodes.size(), 0);
  std::vector<LostPart> out;
  for (std::size_t h = 0; h < g.nodes.size(); ++h) {
    if (g.nodes[h].kind != NodeKind::Host) continue;
    const auto& inside = contents[h];
    const bool all = !inside.empty() &&
                     std::all_of(inside.begin(), inside.end(), [&](int d) { return marked[at(d)] != 0; });
    if (!marked[h] && !all) continue;
    for (const int d : inside) told[at(d)] = 1;
    told[h] = 1;
    out.push_back({shownName(g.nodes[h]), static_cast<int>(inside.size())});
  }
  for (std::size_t n = 0; n < g.nodes.size(); ++n)
    if (marked[n] && !told[n])
      out.push_back({shownName(g.nodes[n]), g.nodes[n].kind == NodeKind::Device ? 1 : 0});
  return out;
}

std::string joined(const std::vector<LostPart>& parts, std::size_t most) {
  std::string out;
  const std::size_t shown = parts.size() > most + 1 ? most : parts.size();
  for (std::size_t i = 0; i < shown; ++i)
    out += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i].name;
  if (shown < parts.size())
    out += " and " + text::count(static_cast<long long>(parts.size() - shown)) + " more";
  return out;
}

bool anyFailed(const NetworkGraph& g) {
  return std::any_of(g.nodes.begin(), g.nodes.end(), [](const NetworkNode& n) { return n.failed; }) ||
         std::any_of(g.links.begin(), g.links.end(), [](const NetworkLink& l) { return l.failed; });
}

}  // namespace

LostParts failedParts(const NetworkGraph& whole, const NetworkGraph& left) {
  LostParts out;
  std::vector<char> failed(whole.nodes.size(), 0), cutOff(failed);
  for (std::size_t n = 0; n < failed.size(); ++n) {
    failed[n] = whole.nodes[n].failed;
    cutOff[n] = n < left.nodes.size() && left.nodes[n].failed && !failed[n];
  }
  out.failed = wholeParts(whole, failed);
  out.cutOff = wholeParts(whole, cutOff);
  for (const NetworkLink& l : whole.links)
    if (l.failed && !failed[at(l.from)] && !failed[at(l.to)])
      out.failed.push_back(
          {shownName(whole.nodes[at(l.from)]) + " – " + shownName(whole.nodes[at(l.to)]), 0});
  return out;
}

NetworkGraph drawnWithout(const ClusterSource& source, const std::vector<int>& excluded) {
  const auto* typed = std::get_if<LevelsSource>(&source.network);
  NetworkGraph g = typed ? graph::fromLevels(*typed) : std::get<GraphSource>(source.network).graph;
  if (excluded.empty()) return g;
  std::vector<int> devices;
  if (!typed) devices = devicesInOrder(std::get<GraphSource>(source.network), source.device);
  for (std::size_t n = 0; n < g.nodes.size() && typed; ++n)
    if (g.nodes[n].kind == NodeKind::Device) devices.push_back(static_cast<int>(n));
  for (const int k : excluded)
    if (k >= 0 && at(k) < devices.size()) g.nodes[at(devices[at(k)])].failed = true;
  const auto contents = graph::hostContents(g);
  for (std::size_t h = 0; h < g.nodes.size(); ++h)
    if (!contents[h].empty() &&
        std::all_of(contents[h].begin(), contents[h].end(), [&](int d) { return g.nodes[at(d)].failed; }))
      g.nodes[h].failed = true;
  return g;
}

LostParts failedParts(const ClusterSource& source, const std::vector<int>& excluded) {
  const auto* drawn = std::get_if<GraphSource>(&source.network);
  const bool any = drawn && anyFailed(drawn->graph);
  if (!any && excluded.empty()) return {};
  const auto network = any ? connectedNetwork(drawn->graph, source.device) : Reading<ConnectedNetwork>{};
  return failedParts(drawnWithout(source, excluded), network ? network->left : NetworkGraph{});
}

std::string inWords(const LostParts& lost, std::size_t most) {
  std::string out;
  if (!lost.failed.empty()) out = joined(lost.failed, most) + " failed";
  if (!lost.cutOff.empty())
    out += (out.empty() ? "" : "; ") + joined(lost.cutOff, most) +
           (lost.cutOff.size() == 1 ? " is cut off" : " are cut off");
  return out;
}

}  // namespace nest
