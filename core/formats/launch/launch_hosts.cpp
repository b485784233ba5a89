#include "formats/launch/launch_hosts.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "cluster/levels/cluster_source.h"
#include "formats/launch/launch_export.h"
#include "text/source_text.h"
#include "units/letters.h"
#include "units/text.h"

namespace nest {
namespace {

constexpr std::size_t kLongestDnsName = 253;

bool isLetterOrDigit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// The variable by which a runtime restricts a process to some devices.
const char* deviceVariableOf(const DeviceSpec& device) {
  if (device.name.starts_with("MI")) return "HIP_VISIBLE_DEVICES";
  if (device.name.starts_with("TPU")) return "TPU_VISIBLE_CHIPS";
  if (device.name.starts_with("Trainium")) return "NEURON_RT_VISIBLE_CORES";
  return "CUDA_VISIBLE_DEVICES";
}

/// Where a host's name was given.
Place placeOf(const ReportSource& source, const DeviceIdentity& d) {
  const auto* levels = source.cluster ? std::get_if<LevelsSource>(&source.cluster->network) : nullptr;
  if (levels)
    for (std::size_t i = 0; i < levels->hostNames.size(); ++i)
      if (levels->hostNames[i] == d.host) return {"", 0, 0, "/cluster/host_names/" + std::to_string(i)};
  return {"", 0, 0, "/cluster"};
}

/// As readers, drawings and generators call hosts that nobody named: "host", "host12", "slice3.host12".
bool isPlaceholder(std::string_view name) {
  constexpr std::string_view kHost = "host";
  if (const auto dot = name.rfind('.'); dot != name.npos) name.remove_prefix(dot + 1);
  return name.starts_with(kHost) && name.find_first_not_of("0123456789", kHost.size()) == name.npos;
}

/// What a drawing or a file calls its hosts; others go by the name of their level (standInHost).
std::set<std::string_view> givenNames(const NetworkGraph& g) {
  std::set<std::string_view> out;
  for (const NetworkNode& n : g.nodes) {
    if (n.kind == NodeKind::Host) out.insert(n.name.empty() ? n.id : n.name);
    if (!n.host.empty()) out.insert(n.host);
  }
  return out;
}

constexpr const char* kRename =
    "rename the host: letters, digits, '.', '-' and '_', beginning with a letter or digit";

void checkNames(const ReportSource& source, const std::vector<DeviceIdentity>& ranks, Diagnostics& out) {
  std::set<std::string> seen;
  std::set<std::pair<std::string, int>> places;
  std::unordered_map<std::string, std::string> spelled;
  for (const DeviceIdentity& d : ranks) {
    const std::string& other = spelled.emplace(text::lower(d.host), d.host).first->second;
    if (other != d.host && seen.insert('\n' + d.host).second)
      out.push_back(error("host-name-duplicate", placeOf(source, d),
                          "the hosts " + quoted(other) + " and " + quoted(d.host) +
                              " differ only in case, and host names ignore case",
                          "give each host a name of its own"));
    if (!places.emplace(d.host, d.slot).second && seen.insert('\n' + d.host).second)
      out.push_back(
          error("host-name-duplicate", placeOf(source, d),
                "several hosts are named " + quoted(d.host) + ", so a host file cannot distinguish them",
                "give each host a name of its own"));
    if (!seen.insert(d.host).second || isHostName(d.host)) continue;
    out.push_back(error("host-name", placeOf(source, d),
                        "the host of device " + std::to_string(d.source) + " is named " + quoted(d.host) +
                            ", which no host file can hold",
                        kRename));
  }
}

}  // namespace

bool HostRanks::takesDevicesInOrder() const {
  for (std::size_t k = 0; k < devices.size(); ++k)
    if (devices[k] != static_cast<int>(k)) return false;
  return true;
}

bool HostRanks::isConsecutive() const {
  return ranks.back() - ranks.front() + 1 == static_cast<int>(ranks.size());
}

const HostRanks* RankMap::firstWithListedDevices() const {
  for (const HostRanks& h : hosts)
    if (!h.takesDevicesInOrder()) return &h;
  return nullptr;
}

std::string RankMap::deepSpeedExclusions() const {
  std::string out;
  for (const HostRanks& h : hosts) {
    std::vector<int> missing;
    for (int slot = 0; slot < *std::max_element(h.devices.begin(), h.devices.end()); ++slot)
      if (std::find(h.devices.begin(), h.devices.end(), slot) == h.devices.end()) missing.push_back(slot);
    if (!missing.empty()) out += (out.empty() ? "" : "@") + h.name + ':' + joinedNumbers(missing);
  }
  return out;
}

bool isHostName(std::string_view s) {
  return !s.empty() && s.size() <= kLongestDnsName && isLetterOrDigit(s.front()) &&
         std::all_of(s.begin(), s.end(), [](char c) { return isLetterOrDigit(c) || c == '.' || c == '-'; });
}

std::string joinedNumbers(const std::vector<int>& all) {
  std::string out;
  for (const int n : all) out += (out.empty() ? "" : ",") + std::to_string(n);
  return out;
}

Reading<RankMap> mapRanks(const ReportSource& source, const Plan& plan) {
  const Hierarchy& cluster = *source.problem->cluster;
  Reading<RankMap> result;
  std::vector<DeviceIdentity> ranks;
  for (const DeviceIndex d : devicesByRank(plan)) {
    if (d.value < 0 || d.value >= cluster.deviceCount()) {
      result.diagnostics.push_back(error("devices", {},
                                         "the plan uses device " + text::count(d.value) +
                                             " of a cluster of " + text::count(cluster.deviceCount()),
                                         "solve the scenario again"));
      return result;
    }
    ranks.push_back(cluster.identity(d));
  }
  checkNames(source, ranks, result.diagnostics);
  if (hasErrors(result.diagnostics)) return result;
  RankMap map;
  map.deviceVariable = deviceVariableOf(cluster.device());
  std::unordered_map<std::string, int> numbers;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const auto [it, isNew] = numbers.emplace(ranks[r].host, static_cast<int>(map.hosts.size()));
    if (isNew) map.hosts.push_back({ranks[r].host, {}, {}});
    HostRanks& host = map.hosts[it->second];
    host.ranks.push_back(static_cast<int>(r));
    host.devices.push_back(ranks[r].slot);
    map.hostOf.push_back(it->second);
    map.deviceOf.push_back(ranks[r].slot);
  }
  result.value = std::move(map);
  return result;
}

Diagnostics inventedHosts(const ReportSource& source, const RankMap& map) {
  if (!source.cluster) return {};
  const auto* levels = std::get_if<LevelsSource>(&source.cluster->network);
  if (levels && !levels->hostNames.empty()) return {};
  std::set<std::string_view> given;
  if (const auto* drawn = std::get_if<GraphSource>(&source.cluster->network))
    given = givenNames(drawn->graph);
  std::vector<const std::string*> invented;
  for (const HostRanks& h : map.hosts)
    if (levels || isPlaceholder(h.name) || !given.contains(h.name)) invented.push_back(&h.name);
  if (invented.empty()) return {};
  const std::string &first = *invented.front(), &last = *invented.back();
  const std::string names = first == last ? first : first + " to " + last;
  return {warning(
      "hosts-unnamed", {"", 0, 0, "/cluster"},
      (levels ? "the cluster names no hosts: " + names
              : "the network gives no names of its own to " + names + ": they") +
          " stand for hosts of yours",
      levels ? "put their names in place of these, give them as cluster/host_names in the scenario, or "
               "import a file that lists them (sinfo, slurm.conf, a host file)"
             : "put their names in place of these, or name the hosts of the network")};
}

std::string slurmHostFile(const RankMap& map) {
  std::string text;
  for (const int h : map.hostOf) text += map.hosts[h].name + '\n';
  return text;
}

std::string rankFile(const RankMap& map, int coresPerHost) {
  std::string text;
  std::vector<int> local(map.hosts.size());
  for (std::size_t r = 0; r < map.hostOf.size(); ++r) {
    const auto h = static_cast<std::size_t>(map.hostOf[r]);
    const int k = local[h]++, ranks = static_cast<int>(map.hosts[h].ranks.size());
    std::string cores = std::to_string(map.deviceOf[r]);
    if (coresPerHost >= ranks) {
      const int first = k * coresPerHost / ranks, last = (k + 1) * coresPerHost / ranks - 1;
      cores = std::to_string(first) + (last > first ? '-' + std::to_string(last) : std::string());
    }
    text += "rank " + std::to_string(r) + '=' + map.hosts[h].name + " slot=" + cores + '\n';
  }
  return text;
}

Reading<std::string> hostFile(const RankMap& map) {
  std::string text;
  if (map.needsDeviceLists())
    text += "# Open MPI: start every rank through visible-devices.sh, which names the devices of each host\n";
  if (const std::string left = map.deepSpeedExclusions(); !left.empty())
    text += "# DeepSpeed: count the devices left out, too, and add --exclude " + left + '\n';
  for (const HostRanks& h : map.hosts) {
    if (!h.isConsecutive())
      return {std::nullopt,
              {error("hosts-interleave", {},
                     "the ranks of host " + h.name +
                         " do not follow each other, which slots in rank order cannot say",
                     "use slurm-hostfile or rankfile")}};
    text += h.name + " slots=" + std::to_string(h.ranks.size()) + '\n';
  }
  return {std::move(text), {}};
}

std::string visibleDevicesScript(const RankMap& map) {
  std::string text =
      "#!/bin/sh\n"
      "# Runs a command on the devices that the plan uses of this host, in the order of its ranks:\n"
      "#   srun …, mpirun … or torchrun's own command line behind it\n"
      "for name in \"$SLURMD_NODENAME\" \"$(hostname)\" \"$(hostname -s)\"; do\n"
      "  case \"$name\" in\n";
  for (const HostRanks& h : map.hosts)
    text +=
        "    (\"" + h.name + "\") devices=" + joinedNumbers(h.devices) + " ;;\n";  // one may be named "esac"
  text +=
      "    *) continue ;;\n"
      "  esac\n"
      "  export " +
      map.deviceVariable +
      "=\"$devices\"\n"
      "  exec \"$@\"\n"
      "done\n"
      "echo \"$0: the plan does not use host $(hostname)\" >&2\n"
      "exit 1\n";
  return text;
}

}  // namespace nest
