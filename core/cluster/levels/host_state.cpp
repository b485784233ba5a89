#include "cluster/levels/host_state.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include "cluster/levels/cluster_source.h"
#include "cluster/levels/level_abstraction.h"
#include "cluster/levels/stand_in_host.h"
#include "units/at.h"
#include "units/text.h"

namespace nest {
namespace {

constexpr std::array<std::string_view, kHostStateCount> kHostStateNames = {"free",    "busy",     "down",
                                                                           "drained", "reserved", "spare"};

/// "gpu0, gpu1 and 7 more", in quotation marks.
std::string quotedFirst(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 3;
  std::string out;
  const std::size_t shown = names.size() > kMost + 1 ? kMost : names.size();
  for (std::size_t i = 0; i < shown; ++i)
    out += (i == 0 ? "\"" : i + 1 == names.size() ? " and \"" : ", \"") + names[i] + '"';
  if (shown < names.size())
    out += " and " + text::count(static_cast<long long>(names.size() - shown)) + " more";
  return out;
}

std::string typedName(const LevelsSource& s, std::size_t host) {
  return host < s.hostNames.size() ? s.hostNames[host]
         : s.levels.empty()        ? std::string()
                                   : standInHost(s.levels.front().name, static_cast<long long>(host));
}

std::size_t typedHosts(const LevelsSource& s) {
  if (!s.hostNames.empty()) return s.hostNames.size();
  if (!s.hostSizes.empty()) return s.hostSizes.size();
  double hosts = 1;
  for (std::size_t l = 1; l < s.levels.size(); ++l) hosts *= std::max(0, s.levels[l].fanout);
  return hosts > 1 << 20 ? 0 : static_cast<std::size_t>(hosts);
}

/// The host of each device of `in`, by the number of its first appearance.
struct HostsOfInput {
  std::vector<std::string> names;
  std::unordered_map<std::string, int> numbers;
  std::vector<std::vector<std::pair<int, int>>> devices;  ///< slot and input number

  explicit HostsOfInput(const HierarchyInput& in) {
    if (!in.identities.empty()) {
      for (std::size_t i = 0; i < in.identities.size(); ++i)
        add(in.identities[i].host, in.identities[i].slot, static_cast<int>(i));
      return;
    }
    int total = 1;
    for (const int f : in.fanouts) total *= f;
    const int size = in.fanouts.front();
    for (int i = 0; i < total; i += size) {
      const std::string name = standInHost(in.levels.front().name, i / size);
      for (int slot = 0; slot < size; ++slot) add(name, slot, i + slot);
    }
  }

private:
  void add(const std::string& host, int slot, int input) {
    if (names.empty() || names.back() != host) {
      const auto [known, fresh] = numbers.emplace(host, static_cast<int>(names.size()));
      if (fresh) {
        names.push_back(host);
        devices.emplace_back();
      }
      m_last = known->second;
    }
    devices[at(m_last)].emplace_back(slot, input);
  }
  int m_last = 0;
};

/// Hosts that the drawing names and that may have no working device.
std::unordered_set<std::string> drawnHosts(const ClusterSource& c) {
  std::unordered_set<std::string> out;
  const auto* drawn = std::get_if<GraphSource>(&c.network);
  if (!drawn) return out;
  std::unordered_map<std::string, std::string> nameOf;
  for (const NetworkNode& n : drawn->graph.nodes)
    if (n.kind == NodeKind::Host) {
      nameOf[n.id] = n.name.empty() ? n.id : n.name;
      out.insert(nameOf[n.id]);
    }
  for (const NetworkNode& n : drawn->graph.nodes)
    if (n.kind == NodeKind::Device && !n.host.empty() && !nameOf.count(n.host)) out.insert(n.host);
  return out;
}

Place atState(std::size_t number) {
  return {"", 0, 0, "/cluster/states/" + std::to_string(number)};
}

}  // namespace

std::string_view nameOf(HostState s) {
  return kHostStateNames[static_cast<std::size_t>(s)];
}

bool isPlannedOn(HostState s, PlannedOn on) {
  switch (on) {
    case PlannedOn::Free:
      return s == HostState::Free;
    case PlannedOn::Spare:
      return s == HostState::Free || s == HostState::Spare;
    case PlannedOn::Working:
      return s != HostState::Down && s != HostState::Drained;
    case PlannedOn::All:
      break;
  }
  return true;
}

std::string countsInWords(const EnumArray<HostState, int, kHostStateCount>& counts) {
  std::vector<std::string> parts;
  for (int s = 0; s < kHostStateCount; ++s)
    if (counts[at(s)] > 0)
      parts.push_back(text::count(counts[at(s)]) + ' ' + std::string(kHostStateNames[at(s)]));
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i)
    out += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
  return out;
}

std::string inWords(const UnplannedHosts& u) {
  std::string out;
  if (u.hosts > 0)
    out = text::count(u.hosts) + " of " + text::count(u.allHosts) + (u.allHosts == 1 ? " host" : " hosts") +
          (u.hosts == 1 ? " is" : " are") + " not planned on: " + countsInWords(u.byState);
  if (u.partlyHosts > 0)
    out += (out.empty() ? "" : "; ") + text::count(u.partlyHosts) +
           (u.partlyHosts == 1 ? " host is" : " hosts are") + " used in part: " + text::count(u.usedOfThese) +
           " of " + text::count(u.devicesOfThese) + " devices";
  return out;
}

std::vector<std::string> hostNames(const ClusterSource& c) {
  std::vector<std::string> out;
  if (const auto* typed = std::get_if<LevelsSource>(&c.network)) {
    for (std::size_t h = 0; h < typedHosts(*typed); ++h)
      if (typed->hostSizes.empty() || (h < typed->hostSizes.size() && typed->hostSizes[h] > 0))
        out.push_back(typedName(*typed, h));
    return out;
  }
  const auto input = hierarchyFromGraph(std::get<GraphSource>(c.network), c.device);
  if (input) out = HostsOfInput(*input).names;
  std::unordered_set<std::string> known(out.begin(), out.end());
  std::vector<std::string> failed;
  for (const std::string& name : drawnHosts(c))
    if (!known.count(name)) failed.push_back(name);
  std::sort(failed.begin(), failed.end());
  out.insert(out.end(), failed.begin(), failed.end());
  return out;
}

void setHostState(ClusterSource& c, const std::vector<std::string>& hosts, HostState state,
                  const std::string& word) {
  const std::unordered_set<std::string> changed(hosts.begin(), hosts.end());
  std::unordered_set<std::string> placed;
  std::vector<StateOfHost> states;
  for (StateOfHost& s : c.states)
    if (!changed.count(s.host))
      states.push_back(std::move(s));
    else if (state != HostState::Free && placed.insert(s.host).second)
      states.push_back({s.host, {}, state, word});
  for (const std::string& host : hosts)
    if (state != HostState::Free && placed.insert(host).second) states.push_back({host, {}, state, word});
  c.states = std::move(states);
}

const StateOfHost* stateOf(const ClusterSource& c, std::string_view host) {
  const auto found =
      std::find_if(c.states.begin(), c.states.end(), [host](const StateOfHost& s) { return s.host == host; });
  return found == c.states.end() ? nullptr : &*found;
}

void carryHostStates(const ClusterSource& before, ClusterSource& after) {
  if (after.states.empty() || after.states != before.states || before.network == after.network) return;
  std::unordered_map<std::string, std::string> renamed;
  const auto* typed = std::get_if<LevelsSource>(&before.network);
  const auto* typedAfter = std::get_if<LevelsSource>(&after.network);
  const auto* drawn = std::get_if<GraphSource>(&before.network);
  const auto* drawnAfter = std::get_if<GraphSource>(&after.network);
  if (typed && typedAfter) {
    const std::size_t hosts = std::min(typedHosts(*typed), typedHosts(*typedAfter));
    for (std::size_t h = 0; h < hosts; ++h) renamed.emplace(typedName(*typed, h), typedName(*typedAfter, h));
  } else if (drawn && drawnAfter) {
    std::unordered_map<std::string, const NetworkNode*> nodes;
    for (const NetworkNode& n : drawnAfter->graph.nodes) nodes.emplace(n.id, &n);
    for (const NetworkNode& n : drawn->graph.nodes) {
      const auto same = nodes.find(n.id);
      if (same == nodes.end()) continue;
      if (n.kind == NodeKind::Host)
        renamed.emplace(n.name.empty() ? n.id : n.name,
                        same->second->name.empty() ? n.id : same->second->name);
      else if (n.kind == NodeKind::Device && !n.host.empty())
        renamed.emplace(n.host, same->second->host);
    }
  }
  const std::vector<std::string> names = hostNames(after);
  const std::unordered_set<std::string> known(names.begin(), names.end());
  for (StateOfHost& s : after.states)
    if (const auto to = renamed.find(s.host); to != renamed.end() && !known.count(s.host))
      s.host = to->second;
  std::erase_if(after.states, [&](const StateOfHost& s) { return !known.count(s.host); });
}

void leaveOutUnplanned(const ClusterSource& c, HierarchyInput& in, Diagnostics& out) {
  if (c.states.empty()) return;
  const HostsOfInput hosts(in);
  const auto drawn = drawnHosts(c);
  std::vector<HostState> state(std::accumulate(hosts.devices.begin(), hosts.devices.end(), std::size_t(0),
                                               [](std::size_t n, const auto& d) { return n + d.size(); }),
                               HostState::Free);
  std::vector<char> isTold(state.size(), 0);
  std::vector<std::string> unknown, twice;
  std::size_t firstUnknown = 0, firstTwice = 0;
  for (std::size_t i = 0; i < c.states.size(); ++i) {
    const StateOfHost& s = c.states[i];
    const auto host = hosts.numbers.find(s.host);
    if (host == hosts.numbers.end()) {
      if (drawn.count(s.host)) continue;
      if (unknown.empty()) firstUnknown = i;
      unknown.push_back(s.host);
      continue;
    }
    const auto& devices = hosts.devices[at(host->second)];
    bool differs = false;
    std::size_t matched = 0;
    for (const auto& [slot, input] : devices) {
      if (!s.devices.empty() && !std::binary_search(s.devices.begin(), s.devices.end(), slot)) continue;
      ++matched;
      differs = differs || (isTold[at(input)] && state[at(input)] != s.state);
      state[at(input)] = s.state;
      isTold[at(input)] = 1;
    }
    if (differs && twice.empty()) firstTwice = i;
    if (differs) twice.push_back(s.host);
    // Failed devices of a drawing have left the input.
    if (matched < s.devices.size() && drawn.empty())
      out.push_back(error("host-state-device", atState(i),
                          "the state of \"" + s.host + "\" names device " + std::to_string(s.devices.back()) +
                              "; the host has " + text::count(static_cast<long long>(devices.size())) +
                              (devices.size() == 1 ? " device" : " devices, counted from 0"),
                          "correct the list of devices, or leave it out for the whole host"));
  }
  if (!unknown.empty())
    out.push_back(error("host-state-unknown", atState(firstUnknown),
                        "the cluster has no host " + quotedFirst(unknown) +
                            (unknown.size() == 1 ? ", whose state is given" : ", whose states are given"),
                        "correct the name, or remove its state"));
  if (!twice.empty())
    out.push_back(error("host-state-twice", atState(firstTwice),
                        "the host " + quotedFirst(twice) + (twice.size() == 1 ? " has" : " have") +
                            " two states that contradict each other",
                        "keep the one that holds now"));
  UnplannedHosts& u = in.unplanned;
  u.allHosts = static_cast<int>(hosts.names.size());
  for (const auto& devices : hosts.devices) {
    int used = 0;
    for (const auto& [slot, input] : devices)
      if (isPlannedOn(state[at(input)], c.plannedOn))
        ++used;
      else
        in.excluded.push_back(input);
    if (used == static_cast<int>(devices.size())) continue;
    if (used == 0) {
      ++u.hosts;
      ++u.byState[state[at(devices.front().second)]];
    } else {
      ++u.partlyHosts;
      u.usedOfThese += used;
      u.devicesOfThese += static_cast<int>(devices.size());
    }
  }
  std::sort(in.excluded.begin(), in.excluded.end());
  in.excluded.erase(std::unique(in.excluded.begin(), in.excluded.end()), in.excluded.end());
  if (u.hosts == u.allHosts && u.allHosts > 0)
    out.push_back(error("no-free-host", {"", 0, 0, "/cluster/states"},
                        "no host is free: " + countsInWords(u.byState),
                        "set the state of hosts to free, or plan on hosts in other states "
                        "(`cluster.plan_on = all`)"));
}

}  // namespace nest
