#include "cluster/levels/cluster_source.h"

#include <cmath>

#include "cluster/levels/level_abstraction.h"
#include "cluster/levels/stand_in_host.h"

namespace nest {
namespace {

constexpr long long kMostDevices = 1 << 20;

Place at(std::string pointer) {
  return {"", 0, 0, "/cluster/" + std::move(pointer)};
}

std::string levelAt(std::size_t l, const char* field) {
  return "levels/" + std::to_string(l) + '/' + field;
}

/// Groups of level 0: the product of all outer fanouts; −1 if that is out of range.
long long hostCount(const LevelsSource& s) {
  long long hosts = 1;
  for (std::size_t l = 1; l < s.levels.size(); ++l) {
    if (s.levels[l].fanout < 1) return -1;
    hosts *= s.levels[l].fanout;
    if (hosts > kMostDevices) return -1;
  }
  return hosts;
}

void checkHosts(const LevelsSource& s, Diagnostics& out) {
  const long long hosts = hostCount(s);
  if (hosts < 0) return;  // reported with the fanouts
  const auto wrong = [&](std::size_t have) { return have != 0 && static_cast<long long>(have) != hosts; };
  if (wrong(s.hostSizes.size()))
    out.push_back(
        error("host-sizes-count", at("host_sizes"),
              std::to_string(s.hostSizes.size()) + " host sizes for " + std::to_string(hosts) + " hosts",
              "list one size per host, 0 for a host that is missing"));
  if (wrong(s.hostNames.size()))
    out.push_back(
        error("host-names-count", at("host_names"),
              std::to_string(s.hostNames.size()) + " host names for " + std::to_string(hosts) + " hosts",
              "list one name per host, or none"));
  long long devices = 0;
  for (std::size_t h = 0; h < s.hostSizes.size(); ++h) {
    if (s.hostSizes[h] < 0)
      out.push_back(
          error("host-size-negative", at("host_sizes/" + std::to_string(h)), "a host size is 0 or more"));
    devices += std::max(0, s.hostSizes[h]);
  }
  if (s.hostSizes.empty()) return;
  if (devices == 0) out.push_back(error("no-devices", at("host_sizes"), "no host has a device"));
  if (devices > kMostDevices)
    out.push_back(error("too-many-devices", at("host_sizes"), "at most 1,048,576 devices are supported"));
}

long long deviceCount(const LevelsSource& s) {
  if (!s.hostSizes.empty()) {
    long long n = 0;
    for (int size : s.hostSizes) n += size;
    return n;
  }
  return hostCount(s) * s.levels.front().fanout;
}

/// The gaps of a cluster whose hosts have the sizes typed: hosts stand in a regular tree, missing ones leave
/// no gap.
std::vector<std::uint8_t> irregularGaps(const LevelsSource& s) {
  std::vector<std::uint8_t> gaps;
  long long previous = -1;
  for (std::size_t h = 0; h < s.hostSizes.size(); ++h) {
    if (s.hostSizes[h] == 0) continue;
    if (previous >= 0) {
      long long group = 1;
      std::uint8_t level = 0;
      for (std::size_t l = 1; l < s.levels.size(); ++l) {
        if (previous / group == static_cast<long long>(h) / group) break;
        level = static_cast<std::uint8_t>(l);
        group *= s.levels[l].fanout;
      }
      gaps.push_back(level);
    }
    gaps.insert(gaps.end(), static_cast<std::size_t>(s.hostSizes[h] - 1), std::uint8_t(0));
    previous = static_cast<long long>(h);
  }
  return gaps;
}

std::vector<DeviceIdentity> identities(const LevelsSource& s, long long hosts) {
  std::vector<DeviceIdentity> all;
  for (long long h = 0; h < hosts; ++h) {
    const auto i = static_cast<std::size_t>(h);
    const int size = s.hostSizes.empty() ? s.levels.front().fanout : s.hostSizes[i];
    const std::string name = s.hostNames.empty() ? standInHost(s.levels.front().name, h) : s.hostNames[i];
    for (int slot = 0; slot < size; ++slot) all.push_back({name, slot, static_cast<int>(all.size())});
  }
  return all;
}

void addExceptions(const LevelsSource& s, HierarchyInput& in, Diagnostics& out) {
  const long long devices = deviceCount(s);
  if (!s.exceptions.empty()) in.factors.resize(devices);
  for (std::size_t i = 0; i < s.exceptions.size(); ++i) {
    const auto& e = s.exceptions[i];
    const std::string where = "exceptions/" + std::to_string(i);
    if (e.device < 0 || e.device >= devices)
      out.push_back(error("exception-device", at(where + "/device"),
                          "device " + std::to_string(e.device) + " does not exist; devices are 0 to " +
                              std::to_string(devices - 1)));
    else
      in.factors[e.device] = e.factor;
    if (!(e.factor.speed > 0 && e.factor.speed <= 1))
      out.push_back(error("exception-speed", at(where + "/speed"), "a speed factor lies in (0, 1]"));
    if (!(e.factor.memory.value() >= 0) || !std::isfinite(e.factor.memory.value()))
      out.push_back(error("exception-memory", at(where + "/memory_bytes"),
                          "device memory is 0 (the usual) or positive"));
  }
}

Reading<Hierarchy> derive(const ClusterSource& source, const LevelsSource& s,
                          const std::vector<int>& excluded) {
  Reading<Hierarchy> result;
  HierarchyInput in;
  in.device = source.device;
  in.excluded = excluded;
  for (std::size_t l = 0; l < s.levels.size(); ++l) {
    const LevelSpec& spec = s.levels[l];
    const bool sane = spec.oversubscription >= 1 && std::isfinite(spec.oversubscription);
    if (!sane)
      result.diagnostics.push_back(
          error("oversubscription", at(levelAt(l, "oversubscription")), "oversubscription is 1 or more"));
    in.levels.push_back({spec.name, sane ? spec.bandwidth / spec.oversubscription : spec.bandwidth,
                         spec.latency, spec.oversubscription, spec.origin});
    in.fanouts.push_back(spec.fanout);
  }
  checkHosts(s, result.diagnostics);
  const bool countable =
      !s.levels.empty() && s.levels.front().fanout >= 1 && hostCount(s) > 0 && deviceCount(s) <= kMostDevices;
  if (countable && !hasErrors(result.diagnostics)) {
    addExceptions(s, in, result.diagnostics);
    if (!s.hostSizes.empty() || !s.hostNames.empty()) in.identities = identities(s, hostCount(s));
    if (!s.hostSizes.empty()) {
      in.gaps = irregularGaps(s);
      in.fanouts.clear();
    }
    leaveOutUnplanned(source, in, result.diagnostics);
  }
  const bool broken = hasErrors(result.diagnostics);
  Reading<Hierarchy> built = Hierarchy::build(in);
  result.diagnostics.insert(result.diagnostics.end(), built.diagnostics.begin(), built.diagnostics.end());
  if (!broken) result.value = std::move(built.value);
  return result;
}

}  // namespace

Reading<Hierarchy> deriveHierarchy(const ClusterSource& source, const std::vector<int>& excluded) {
  if (const auto* levels = std::get_if<LevelsSource>(&source.network))
    return derive(source, *levels, excluded);
  Reading<Hierarchy> result;
  auto input = hierarchyFromGraph(std::get<GraphSource>(source.network), source.device);
  result.diagnostics = std::move(input.diagnostics);
  if (!input) return result;
  input->excluded = excluded;
  leaveOutUnplanned(source, *input, result.diagnostics);
  const bool broken = hasErrors(result.diagnostics);
  Reading<Hierarchy> built = Hierarchy::build(*input);
  result.diagnostics.insert(result.diagnostics.end(), built.diagnostics.begin(), built.diagnostics.end());
  if (!broken) result.value = std::move(built.value);
  return result;
}

}  // namespace nest
