#include "formats/networks/host_list.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "cluster/devices/device_names.h"
#include "formats/networks/slurm_hostlist.h"
#include "units/at.h"
#include "units/letters.h"
#include "units/text.h"

namespace nest {
namespace {

constexpr std::size_t kMostListedHosts = 200'000, kMostHostGroups = 8;

}  // namespace

void HostList::add(Host host, const Place& place) {
  if (host.name.empty()) return m_source.error(place, "host-name", "a host has no name");
  std::erase(host.groups, std::string());
  if (host.devices && (*host.devices < 0 || *host.devices > kMostDevicesOfHost))
    return m_source.error(place, "host-devices",
                          "the host " + quoted(host.name) + " has " + std::to_string(*host.devices) +
                              " devices; expected: 0 to " + text::count(kMostDevicesOfHost),
                          "give the number of devices; a port has no place in this file");
  const auto count = [&](Parted& all, int parts) {
    if (all.hosts++ == 0) all.first = host.name, all.place = place;
    all.parts += parts;
  };
  const bool isNew = m_number.count(host.name) == 0 && m_withoutDevices.count(host.name) == 0;
  if (isNew && host.partitions > 0) count(m_partitioned, host.partitions);
  if (isNew && host.sharedBy > 1) count(m_shared, 0);
  if (host.devices == 0) {
    m_withoutDevices.emplace(host.name, place);
    return;
  }
  const auto [known, fresh] = m_number.emplace(host.name, m_hosts.size());
  if (fresh) {
    if (m_hosts.size() == kMostListedHosts)
      m_source.error(place, "hosts-too-many", "at most 200,000 hosts are read");
    if (m_hosts.size() > kMostListedHosts) return;
    m_hosts.push_back({std::move(host), place});
    return;
  }
  if (known->second >= m_hosts.size()) return;
  Host& other = m_hosts[known->second].host;
  if (other.devices && host.devices && other.devices != host.devices)
    m_source.error(place, "host-twice",
                   "the host " + quoted(host.name) + " has " + std::to_string(*other.devices) +
                       " devices in one place and " + std::to_string(*host.devices) + " in another",
                   "name each host once");
  else if (!other.groups.empty() && !host.groups.empty() && other.groups != host.groups)
    m_source.error(place, "host-twice",
                   "the host " + quoted(host.name) + " stands in " + quoted(other.groups.back()) +
                       " and in " + quoted(host.groups.back()),
                   "name each host once");
  if (!other.devices) other.devices = host.devices;
  if (other.groups.empty()) other.groups = std::move(host.groups);
  if (other.device.empty()) other.device = std::move(host.device);
  mergeState(host, other, m_hosts[known->second].place, place);
}

/// A host that is in use in part may be said to be so twice, once with its devices.
void HostList::mergeState(const Host& from, Host& into, const Place& first, const Place& place) {
  if (from.state && into.state && *from.state != *into.state)
    return m_source.error(place, "host-state-twice",
                          "the host " + quoted(from.name) + " is " + quoted(into.word) +
                              (first.line > 0 ? " in line " + std::to_string(first.line) : " in one place") +
                              " and " + quoted(from.word) + " here",
                          "keep the state that holds now");
  if (!into.state) into.state = from.state, into.word = from.word;
  if (!into.inUse) into.inUse = from.inUse;
}

void HostList::addList(std::string_view hosts, std::optional<int> devices, const Place& place) {
  Host host;
  host.devices = devices;
  addList(hosts, host, place);
}

void HostList::addList(std::string_view hosts, const Host& like, const Place& place) {
  const Hostlist list = expandHostlist(hosts, kMostListedHosts);
  if (!list.error.empty()) {
    Place where = place;
    if (where.column > 0) where.column += static_cast<int>(list.offset);
    return m_source.error(where, "slurm-hostlist", list.error + " in " + quoted(hosts));
  }
  for (const std::string& name : list.names) {
    Host host = like;
    host.name = name;
    add(std::move(host), place);
  }
}

void HostList::readState(Host& host, std::string_view text, const Place& place) {
  std::string unknown;
  host.word = text::trimmed(text);
  host.state = slurmState(text, &unknown);
  if (!host.state)
    m_source.error(
        place, "host-state",
        (unknown.empty() ? "the state is empty" : quoted(unknown) + " is not a state of Slurm's nodes"),
        kSlurmStates);
}

void HostList::setState(const std::string& host, StateWord state, const std::string& word) {
  const auto known = m_number.find(host);
  if (known == m_number.end() || known->second >= m_hosts.size()) return;
  Host& out = m_hosts[known->second].host;
  out.state = state;
  out.word = word;
}

/// What is known of a host and the use of its devices, as one state. nullopt: nothing is stated.
std::optional<StateOfHost> HostList::stateOf(const Host& host) {
  if (!host.state && !host.inUse) return std::nullopt;
  const StateWord word = host.state.value_or(StateWord{});
  StateOfHost out{host.name, {}, word.state, host.word};
  const bool isShared = word.isMixed || word.state == HostState::Free;
  if (!isShared) return out;
  if (!host.inUse || !host.devices) return out;
  const int devices = *host.devices, used = std::min(devices, host.inUse->count);
  out.state = used > 0 ? HostState::Busy : HostState::Free;
  if (used == 0 || used == devices) return out;
  for (const int slot : host.inUse->numbers)
    if (slot < devices) out.devices.push_back(slot);
  if (static_cast<int>(out.devices.size()) == used) return out;
  out.devices.clear();
  for (int slot = 0; slot < used; ++slot) out.devices.push_back(slot);
  return out;
}

void HostList::fillStates() {
  const auto count = [](Parted& all, const Known& k, int parts) {
    if (all.hosts++ == 0) all.first = k.host.name, all.place = k.place;
    all.parts += parts;
  };
  for (const Known& k : m_hosts) {
    auto state = stateOf(k.host);
    if (k.host.withheld > 0 && k.host.devices) {
      addWithheld(k.host, std::move(state));
      continue;
    }
    if (!state) continue;
    if (k.host.state && k.host.state->isMixed && (!k.host.inUse || !k.host.devices)) count(m_mixed, k, 0);
    if (k.host.state && k.host.state->isOff && state->state == HostState::Free) count(m_off, k, 0);
    if (!state->devices.empty() && k.host.inUse->numbers.empty())
      count(m_partly, k, static_cast<int>(state->devices.size()));
    m_out.states.push_back(std::move(*state));
  }
}

/// Which devices are withheld is not known: the last ones that nothing uses. Such a host has no other state
/// unless it is in use, for whole hosts include these devices.
void HostList::addWithheld(const Host& host, std::optional<StateOfHost> state) {
  const bool isOut = state && state->state != HostState::Free;
  if (isOut) m_out.states.push_back(*state);
  if (isOut && state->devices.empty()) return;
  StateOfHost down{host.name, {}, HostState::Down, "not allocatable"};
  for (int slot = *host.devices - 1; slot >= 0 && static_cast<int>(down.devices.size()) < host.withheld;
       --slot)
    if (!isOut || !std::binary_search(state->devices.begin(), state->devices.end(), slot))
      down.devices.insert(down.devices.begin(), slot);
  if (static_cast<int>(down.devices.size()) == *host.devices) down.devices.clear();
  m_out.states.push_back(std::move(down));
}

/// NVLink domains become the innermost groups. Groups that cut a domain in parts (a leaf switch per rail) are
/// left out.
void HostList::placeNvlinkDomains() {
  if (m_hosts.empty() ||
      std::any_of(m_hosts.begin(), m_hosts.end(), [](const Known& k) { return k.host.nvlinkDomain.empty(); }))
    return;
  std::map<std::string, const std::vector<std::string>*> groupsOf;
  std::size_t shared = kMostHostGroups;
  for (const Known& k : m_hosts) {
    const auto& groups = k.host.groups;
    const auto& others = *groupsOf.emplace(k.host.nvlinkDomain, &groups).first->second;
    const auto differs = std::mismatch(groups.begin(), groups.end(), others.begin(), others.end()).first;
    if (&groups != &others || shared > groups.size())
      shared = std::min(shared, static_cast<std::size_t>(differs - groups.begin()));
  }
  for (Known& k : m_hosts) {
    k.host.groups.resize(std::min(shared, k.host.groups.size()));
    k.host.groups.push_back(k.host.nvlinkDomain);
  }
  m_out.areNvlinkDomains = true;
}

/// A tier says nothing where each of its groups holds one group of the next, or one host.
void HostList::dropRedundantTiers() {
  if (m_hosts.empty()) return;
  const std::size_t depth = m_hosts.front().host.groups.size();
  if (std::any_of(m_hosts.begin(), m_hosts.end(),
                  [&](const Known& k) { return k.host.groups.size() != depth; }))
    return;
  const auto groupsAt = [&](std::size_t tiers) {
    std::set<std::vector<std::string>> paths;
    for (const Known& k : m_hosts)
      paths.emplace(k.host.groups.begin(), k.host.groups.begin() + static_cast<std::ptrdiff_t>(tiers));
    return paths.size();
  };
  std::vector<std::size_t> kept;
  for (std::size_t tier = 0; tier < depth; ++tier)
    if (groupsAt(tier + 1) < (tier + 1 < depth ? groupsAt(tier + 2) : m_hosts.size())) kept.push_back(tier);
  if (kept.empty()) kept.push_back(depth - 1);
  if (kept.back() + 1 < depth) m_out.areNvlinkDomains = false;
  for (Known& k : m_hosts) {
    std::vector<std::string> groups;
    for (std::size_t tier : kept) groups.push_back(std::move(k.host.groups[tier]));
    k.host.groups = std::move(groups);
  }
}

void HostList::group() {
  std::map<std::vector<std::string>, int> known;
  std::set<std::string> names;
  for (Known& k : m_hosts) {
    std::vector<std::string> path;
    int parent = -1;
    for (const std::string& g : k.host.groups) {
      if (g.empty()) continue;
      path.push_back(g);
      const auto [number, fresh] = known.emplace(path, static_cast<int>(m_out.groups.size()));
      if (fresh) {
        // Racks are often numbered within their row: such names are told apart by what they stand in.
        std::string name = g;
        for (std::size_t above = path.size() - 1; !names.insert(name).second && above-- > 0;)
          name = path[above] + '/' + name;
        m_out.groups.push_back({name, parent, {}});
      }
      parent = number->second;
    }
    m_out.groups[parent].hosts.push_back(k.host.name);
  }
}

std::string HostList::leftOut() const {
  const auto first =
      std::min_element(m_withoutDevices.begin(), m_withoutDevices.end(), [](const auto& a, const auto& b) {
        return std::tie(a.second.line, a.first) < std::tie(b.second.line, b.first);
      });
  if (m_withoutDevices.size() == 1)
    return "the host " + quoted(first->first) + " has no devices and is left out";
  return text::count(static_cast<long long>(m_withoutDevices.size())) +
         " hosts have no devices and are left out, the first of them " + quoted(first->first);
}

void HostList::noteOut() {
  EnumArray<HostState, int, kHostStateCount> counts{};
  EnumArray<HostState, std::set<std::string>, kHostStateCount> words;
  std::string first;
  std::set<std::string_view> hosts;
  for (const StateOfHost& s : m_out.states) {
    if (s.state == HostState::Free) continue;
    if (first.empty()) first = s.host;
    hosts.insert(s.host);
    ++counts[s.state];
    if (!s.word.empty() && s.word != nameOf(s.state)) words[s.state].insert(s.word);
  }
  if (first.empty()) return;
  std::string out;
  const int all = static_cast<int>(hosts.size());
  for (int s = 0; s < kHostStateCount; ++s) {
    if (counts[at(s)] == 0) continue;
    out += (out.empty() ? "" : ", ") + text::count(counts[at(s)]) + ' ' +
           std::string(nameOf(static_cast<HostState>(s)));
    std::string called;
    for (const std::string& w : words[at(s)]) called += (called.empty() ? " (" : ", ") + w;
    if (!called.empty()) out += called + ')';
  }
  const auto place =
      std::find_if(m_hosts.begin(), m_hosts.end(), [&](const Known& k) { return k.host.name == first; });
  m_source.note(
      place->place, "hosts-out",
      (all == 1 ? "the host " + quoted(first) + " is not free: "
                : text::count(all) + " hosts are not free, the first of them " + quoted(first) + ": ") +
          out,
      "plans leave them out; to use them as well, set their state to free, or "
      "`cluster.plan_on = all`");
}

void HostList::noteParts() {
  const auto hosts = [](const Parted& p) {
    return p.hosts == 1 ? "the host " + quoted(p.first)
                        : text::count(p.hosts) + " hosts, the first of them " + quoted(p.first) + ',';
  };
  if (m_partitioned.hosts > 0)
    m_source.warning(m_partitioned.place, "hosts-partitioned",
                     "devices of " + hosts(m_partitioned) + " are cut into " +
                         text::count(m_partitioned.parts) +
                         " partitions (MIG), which do not count: no plan can exchange between them",
                     "switch MIG off on these hosts, or describe the cluster by its levels");
  if (m_shared.hosts > 0)
    m_source.note(m_shared.place, "hosts-shared",
                  "devices of " + hosts(m_shared) + " are offered several times each (time-slicing, MPS); " +
                      "each counts once");
  if (m_mixed.hosts > 0)
    m_source.note(m_mixed.place, "hosts-mixed",
                  hosts(m_mixed) + (m_mixed.hosts == 1 ? " is" : " are") +
                      " in use in part, and the file does not state which devices are: the whole " +
                      (m_mixed.hosts == 1 ? "host counts" : "hosts count") + " as busy",
                  "give the output of scontrol show nodes -d, or sinfo -O NodeHost,StateLong,Gres,GresUsed");
  if (m_off.hosts > 0)
    m_source.warning(m_off.place, "hosts-off",
                     hosts(m_off) + (m_off.hosts == 1 ? " is" : " are") +
                         " powered down or starting; Slurm starts such hosts for a job, which then waits, so "
                         "that they count as free",
                     "set their state to down if plans are not to use them");
  if (m_partly.hosts > 0)
    m_source.note(m_partly.place, "hosts-partly-used",
                  "the file states how many devices of " + hosts(m_partly) +
                      " are in use, and not which: the first ones are assumed to be",
                  "for Slurm, scontrol show nodes -d states which");
}

Reading<SlurmTopology> HostList::finish() {
  for (const Known& k : m_hosts)
    if (k.host.devices && m_withoutDevices.count(k.host.name))
      m_source.error(k.place, "host-twice",
                     "the host " + quoted(k.host.name) + " has " + std::to_string(*k.host.devices) +
                         " devices in one place and none in another",
                     "name each host once");
  std::erase_if(m_hosts, [&](const Known& k) { return m_withoutDevices.count(k.host.name) > 0; });
  if (!m_withoutDevices.empty()) m_source.note(m_source.whole(), "hosts-without-devices", leftOut());
  fillStates();
  noteOut();
  noteParts();
  const auto hasGroups = [](const Known& k) { return !k.host.groups.empty(); };
  placeNvlinkDomains();
  if (std::any_of(m_hosts.begin(), m_hosts.end(), hasGroups)) {
    const auto first = std::stable_partition(m_hosts.begin(), m_hosts.end(), hasGroups);
    if (first != m_hosts.end())
      m_source.warning(
          first->place, "host-without-group",
          (m_hosts.end() - first == 1
               ? "the host " + quoted(first->host.name) + " is left out, as " + m_out.from +
                     " does not say where it is connected"
               : text::count(m_hosts.end() - first) + " hosts are left out, as " + m_out.from +
                     " does not say where they are connected; the first of them " + quoted(first->host.name)),
          "add what the other hosts have");
    m_hosts.erase(first, m_hosts.end());
  } else {
    m_out.isListOnly = true;
    for (Known& k : m_hosts) k.host.groups = {"network"};
  }
  for (const Known& k : m_hosts)
    if (k.host.groups.size() > kMostHostGroups) {
      m_source.error(k.place, "host-groups",
                     "hosts stand in at most " + std::to_string(kMostHostGroups) + " groups");
      break;
    }
  if (m_hosts.empty() && !m_out.devicesOfOthers && !m_source.failed())
    m_source.error(m_source.whole(), "no-hosts",
                   m_withoutDevices.empty() ? "the file names no hosts" : "none of the hosts has devices");
  Reading<SlurmTopology> result;
  if (!m_source.failed()) {
    dropRedundantTiers();
    group();
    for (const Known& k : m_hosts) {
      if (k.host.devices) m_out.devices[k.host.name] = *k.host.devices;
      if (!k.host.device.empty()) m_out.deviceNames[k.host.name] = k.host.device;
      m_out.places.emplace(k.host.name, k.place);
    }
    if (m_out.levelCount() > 7)
      m_source.error(m_source.whole(), "slurm-too-deep", "groups stand more than 7 deep");
    else
      result.value = std::move(m_out);
  }
  result.diagnostics = m_source.take();
  return result;
}

std::vector<std::string> groupsAbove(std::string group,
                                     const std::unordered_map<std::string, std::string>& parents) {
  constexpr std::size_t kMostDepth = 8;
  std::vector<std::string> out{std::move(group)};
  for (auto above = parents.find(out.front()); above != parents.end(); above = parents.find(out.front())) {
    if (out.size() == kMostDepth) return {};
    out.insert(out.begin(), above->second);
  }
  return out;
}

}  // namespace nest
