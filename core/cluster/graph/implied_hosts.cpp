#include "cluster/graph/implied_hosts.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "cluster/graph/graph_edit.h"
#include "units/at.h"

namespace nest::graph {
namespace {

constexpr double kMostWide = 1000;  ///< a row that is wider goes on in the next line

/// Members by their distance from what leads outwards; what nothing leads to stands last.
std::vector<std::vector<int>> rowsOf(const ImpliedHosts& hosts, int host,
                                     const std::vector<std::vector<int>>& neighbours) {
  const auto& members = hosts.members[at(host)];
  std::vector<std::vector<int>> rows(1);
  std::unordered_set<int> seen;
  for (int m : members)
    if (std::any_of(neighbours[at(m)].begin(), neighbours[at(m)].end(),
                    [&](int b) { return hosts.hostOf[at(b)] != host; }))
      rows.front().push_back(m), seen.insert(m);
  if (rows.front().empty()) rows.front().push_back(members.front()), seen.insert(members.front());
  for (;;) {
    std::vector<int> next;
    for (int m : rows.back())
      for (int b : neighbours[at(m)])
        if (hosts.hostOf[at(b)] == host && seen.insert(b).second) next.push_back(b);
    if (next.empty()) break;
    std::sort(next.begin(), next.end());
    rows.push_back(std::move(next));
  }
  std::vector<int> apart;
  for (int m : members)
    if (!seen.contains(m)) apart.push_back(m);
  if (!apart.empty()) rows.push_back(std::move(apart));
  return rows;
}

}  // namespace

ImpliedHosts impliedHosts(const NetworkGraph& g) {
  ImpliedHosts out;
  out.hostOf.assign(g.nodes.size(), -1);
  std::unordered_set<std::string> drawn;
  for (const NetworkNode& n : g.nodes)
    if (n.kind == NodeKind::Host) drawn.insert(n.id), drawn.insert(n.name);
  std::unordered_map<std::string, int> numbers;
  for (const NetworkNode& n : g.nodes)
    if (n.kind == NodeKind::Device && !n.host.empty() && !drawn.contains(n.host) &&
        numbers.emplace(n.host, static_cast<int>(out.names.size())).second)
      out.names.push_back(n.host);
  out.members.resize(out.names.size());
  for (std::size_t i = 0; i < g.nodes.size() && !numbers.empty(); ++i) {
    const NetworkNode& n = g.nodes[i];
    if (n.kind == NodeKind::Host) continue;
    const auto host = numbers.find(
        n.kind == NodeKind::Device ? n.host : n.id.substr(0, std::min(n.id.find(':'), n.id.size())));
    if (host == numbers.end() || (n.kind == NodeKind::Switch && n.id.find(':') == std::string::npos))
      continue;
    out.hostOf[i] = host->second;
    out.members[at(host->second)].push_back(static_cast<int>(i));
  }
  return out;
}

HostInside placeInside(const NetworkGraph& g, const ImpliedHosts& hosts, int host,
                       const std::vector<std::vector<int>>& neighbours) {
  struct Line {
    std::vector<int> nodes;
    double width = 0;
  };
  const auto widthOf = [&](int n) {
    return g.nodes[at(n)].kind == NodeKind::Device ? kDeviceWidth : 2 * kDeviceWidth;
  };
  std::vector<Line> lines;
  HostInside out;
  for (const auto& row : rowsOf(hosts, host, neighbours)) {
    lines.emplace_back();
    for (int n : row) {
      if (lines.back().width + widthOf(n) > kMostWide) lines.emplace_back();
      Line& line = lines.back();
      line.width += widthOf(n) + (line.nodes.empty() ? 0 : kGap);
      line.nodes.push_back(n);
      out.width = std::max(out.width, line.width);
    }
  }
  constexpr double kLine = kDeviceHeight + 2 * kGap;
  out.width += 2 * kHostPadding;
  out.height = kHostHeader + 2 * kHostPadding + static_cast<double>(lines.size()) * kLine - 2 * kGap;
  const auto& members = hosts.members[at(host)];
  out.x.resize(members.size()), out.y.resize(members.size());
  double y = kHostHeader + kHostPadding + kDeviceHeight / 2;
  for (const Line& line : lines) {
    double x = (out.width - line.width) / 2;
    for (int n : line.nodes) {
      const auto k =
          static_cast<std::size_t>(std::lower_bound(members.begin(), members.end(), n) - members.begin());
      out.x[k] = x + widthOf(n) / 2, out.y[k] = y;
      x += widthOf(n) + kGap;
    }
    y += kLine;
  }
  return out;
}

}  // namespace nest::graph
