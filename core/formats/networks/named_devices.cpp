#include "formats/networks/named_devices.h"

#include <algorithm>

#include "formats/networks/host_list.h"
#include "text/source_text.h"
#include "units/text.h"

namespace nest {
namespace {

double peakOf(const DeviceKind& k) {
  return k.known.device ? k.known.device->peak.value.value() : 0;
}

}  // namespace

NamedDevice deviceOrInstance(const std::string& name) {
  const auto type = findInstanceType(name);
  return deviceCalled(type && !type->device.empty() ? std::string(type->device) : name);
}

std::vector<DeviceKind> deviceKindsOf(const SlurmTopology& t, int usual) {
  std::vector<DeviceKind> kinds;
  std::unordered_map<std::string, std::size_t> kindOf;  // by name
  for (const auto& group : t.groups)
    for (const std::string& host : group.hosts) {
      const auto own = t.deviceNames.find(host);
      const std::string& name = own == t.deviceNames.end() ? t.deviceNameOfOthers : own->second;
      if (name.empty()) continue;
      const auto [number, isNew] = kindOf.emplace(name, kinds.size());
      if (isNew) {
        const NamedDevice known = deviceOrInstance(name);
        const auto same = std::find_if(kinds.begin(), kinds.end(),
                                       [&](const DeviceKind& k) { return k.known.device == known.device; });
        number->second = static_cast<std::size_t>(same - kinds.begin());
        if (same == kinds.end())
          kinds.push_back({name, known, 0, 0, {}});
        else
          ++same->otherNames;
      }
      DeviceKind& kind = kinds[number->second];
      ++kind.hosts;
      kind.devices += t.devicesOf(host, usual);
      kind.hostNames.push_back(host);
    }
  std::stable_sort(kinds.begin(), kinds.end(),
                   [](const DeviceKind& a, const DeviceKind& b) { return peakOf(a) > peakOf(b); });
  return kinds;
}

Diagnostics weighKinds(const std::vector<DeviceKind>& kinds, const DeviceSpec& device,
                       std::unordered_map<std::string, DeviceFactor>& factors) {
  Diagnostics out;
  if (kinds.size() < 2) return out;
  for (const DeviceKind& k : kinds) {
    if (!k.known.device || isSameDevice(device, *k.known.device)) continue;
    const DeviceSpec& own = *k.known.device;
    const double share = peakOf(k) / device.peak.value.value();
    const std::string who = text::count(k.devices) + " devices in " + text::count(k.hosts) +
                            (k.hosts == 1 ? " host (" : " hosts (") + quoted(k.name) + ")";
    if (!(share <= 1)) {
      out.push_back(warning("device-kinds", {}, who + " are faster than " + device.name + ", and count as it",
                            "choose " + own.name + " under Cluster (--device " + own.id + ')'));
      continue;
    }
    for (const std::string& host : k.hostNames) factors[host] = {share, own.memory.value};
    out.push_back(note("device-kinds", {},
                       who + " count as " + own.name + ": " + text::number(share) + " of the speed of " +
                           device.name + ", " + text::memory(own.memory.value),
                       "change speed and memory of these devices if they are others"));
  }
  if (!factors.empty())
    out.push_back(note("device-kinds-links", {},
                       "the cluster has devices of several kinds; links count with what the slowest have",
                       "set the bandwidths under Cluster (--level) if exchanges stay within one kind"));
  return out;
}

DeviceSpec withSlowestLinks(const DeviceSpec& device, const std::vector<DeviceKind>& kinds) {
  DeviceSpec out = device;
  const auto limit = [](Sourced<BytesPerSecond>& own, const Sourced<BytesPerSecond>& other) {
    if (other.value.value() > 0 && other.value < own.value) own = other;
  };
  if (kinds.size() > 1)
    for (const DeviceKind& k : kinds) {
      if (!k.known.device) continue;
      limit(out.linkBandwidth, k.known.device->linkBandwidth);
      limit(out.hostLinkBandwidth, k.known.device->hostLinkBandwidth);
    }
  return out;
}

void setFactors(NetworkSource& network, const std::unordered_map<std::string, DeviceFactor>& factors) {
  if (factors.empty()) return;
  if (auto* graph = std::get_if<GraphSource>(&network)) {
    for (NetworkNode& n : graph->graph.nodes) {
      if (n.kind != NodeKind::Device) continue;
      const auto factor = factors.find(n.host.starts_with("host:") ? n.host.substr(5) : n.host);
      if (factor != factors.end()) n.speed = factor->second.speed, n.memory = factor->second.memory;
    }
    return;
  }
  auto& levels = std::get<LevelsSource>(network);
  int device = 0;
  for (std::size_t h = 0; h < levels.hostNames.size(); ++h) {
    const int size = levels.hostSizes.empty() ? levels.levels.front().fanout : levels.hostSizes[h];
    const auto factor = factors.find(levels.hostNames[h]);
    for (int d = 0; d < size; ++d, ++device)
      if (factor != factors.end()) levels.exceptions.push_back({device, factor->second});
  }
}

}  // namespace nest
