#include "formats/networks/host_words.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "cluster/devices/device_names.h"
#include "text/decimal.h"
#include "units/letters.h"
#include "units/text.h"

namespace nest {

bool isHostWord(std::string_view s) {
  return !s.empty() && (std::isalnum(static_cast<unsigned char>(s.front())) || s.front() == '[') &&
         std::all_of(s.begin(), s.end(), [](unsigned char c) {
           return std::isalnum(c) ||
                  std::string_view("-_.[],").find(static_cast<char>(c)) != std::string_view::npos;
         });
}

std::optional<int> deviceCountIn(std::string_view s) {
  const auto n = readWhole(s, 0, kMostDevicesOfHost);
  return n ? std::optional(static_cast<int>(*n)) : std::nullopt;
}

bool countsDevices(std::string_view name) {
  static const std::set<std::string> names = {
      "gpus",    "gpu_count",     "num_gpus",       "ngpus",        "n_gpus",      "slots",
      "devices", "gpus_per_node", "nproc_per_node", "accelerators", "device_count"};
  return names.count(text::lower(name)) > 0;
}

bool namesDevice(std::string_view name) {
  static const std::set<std::string> names = {
      "gpu_model",   "gpu_type",    "gpu_name", "gpu_product",  "device",           "device_type",
      "device_name", "accelerator", "gpu_kind", "device_model", "accelerator_type", "accelerator_model"};
  return names.count(text::lower(name)) > 0;
}

bool statesHosts(std::string_view name) {
  static const std::set<std::string> names = {"state",       "status",      "node_state",   "host_state",
                                              "node_status", "host_status", "availability", "slurm_state"};
  return names.count(text::lower(name)) > 0;
}

std::optional<int> rankOfPlace(std::string_view name) {
  static constexpr std::string_view kPlaces[] = {
      "region", "datacenter", "data_center", "dc",     "site",          "building",  "zone",
      "hall",   "room",       "cluster",     "fabric", "core",          "island",    "superpod",
      "su",     "pod",        "row",         "spine",  "block",         "subblock",  "rack",
      "tor",    "leafgroup",  "leaf",        "switch", "nvlink_domain", "nvl_domain"};
  const auto place = std::find(std::begin(kPlaces), std::end(kPlaces), name);
  return place == std::end(kPlaces) ? std::nullopt
                                    : std::optional(static_cast<int>(place - std::begin(kPlaces)));
}

std::optional<Gres> readGres(std::string_view gres) {
  Gres out;
  if (gres.empty() || gres == "(null)" || gres == "N/A") return out;
  std::map<std::string, int> types;
  while (!gres.empty()) {
    // Commas stand in the sockets of "gpu:h100:8(S:0,2)", too.
    std::size_t end = 0;
    for (int open = 0; end < gres.size() && (open > 0 || gres[end] != ','); ++end)
      open += gres[end] == '(' ? 1 : gres[end] == ')' ? -1 : 0;
    std::string_view one = gres.substr(0, end);
    gres.remove_prefix(std::min(gres.size(), end + 1));
    one = one.substr(0, one.find('('));
    if (one != "gpu" && !one.starts_with("gpu:")) continue;
    const auto first = one.find(':'), last = one.rfind(':');
    int count = 1;
    std::string_view type;
    if (first != std::string_view::npos) {
      const auto number = readWhole(one.substr(last + 1), 0, kMostDevicesOfHost);
      if (!number && first != last) return std::nullopt;
      // gpu:8 has no type, and gpu:h100 is one of that type.
      count = static_cast<int>(number.value_or(1));
      type = number ? one.substr(first, last - first) : one.substr(first);
      type.remove_prefix(std::min<std::size_t>(1, type.size()));
    }
    if (isPartition(type)) {
      out.partitions += count;
      continue;
    }
    out.devices += count;
    if (!type.empty()) types[std::string(type)] += count;
  }
  int most = 0, named = 0;
  for (const auto& [type, count] : types) {
    named += count;
    if (count > most) most = count, out.type = type;
  }
  out.others = named - most;
  return out;
}

std::string deviceInFeatures(std::string_view features) {
  while (!features.empty()) {
    const std::string_view one = features.substr(0, features.find_first_of(",&|"));
    features.remove_prefix(std::min(features.size(), one.size() + 1));
    // Short names are also those of other things ("v4" of a processor).
    const DeviceSpec* device = deviceCalled(one).device;
    if (device && (architectureOf(*device) > 0 || device->id.starts_with("mi"))) return std::string(one);
  }
  return {};
}

std::optional<InstanceType> findInstanceType(std::string_view type) {
  // Where names do not end in the number of devices. AWS: docs.aws.amazon.com/ec2, accelerated computing;
  // Azure: learn.microsoft.com/azure/virtual-machines/sizes/gpu-accelerated.
  struct Named {
    std::string_view part;
    InstanceType type;
  };
  static constexpr Named kNamed[] = {
      {"p3.16xlarge", {8, {}}},
      {"p3dn.24xlarge", {8, "v100-32"}},
      {"p4d.24xlarge", {8, "a100-40"}},
      {"p4de.24xlarge", {8, "a100-80"}},
      {"p5.48xlarge", {8, "h100-sxm-efa"}},
      {"p5e.48xlarge", {8, "h200"}},
      {"p5en.48xlarge", {8, "h200"}},
      {"p6-b200.48xlarge", {8, "b200"}},
      {"p6-b300.48xlarge", {8, "b300"}},
      {"p6e-gb200.36xlarge", {4, "gb200", true}},
      {"p6e-gb300.36xlarge", {4, "gb300", true}},
      {"trn1.2xlarge", {1, {}}},
      {"trn1.32xlarge", {16, {}}},
      {"trn1n.32xlarge", {16, {}}},
      {"trn2.48xlarge", {16, "trainium2"}},
      {"trn2u.48xlarge", {16, "trainium2"}},
      {"nd96asr_v4", {8, "a100-40"}},
      {"nd96amsr_a100_v4", {8, "a100-80"}},
      {"nd96isr_h100_v5", {8, "h100-sxm"}},
      {"nd96isr_h200_v5", {8, "h200"}},
      {"nd96isr_mi300x_v5", {8, "mi300x"}},
      {"nd128isr_ndr_gb200_v6", {4, "gb200", true}},
      {"nd128isr_gb300_v6", {4, "gb300", true}},
      {"bm.gpu4.8", {8, "a100-40"}},
  };
  // Google's and Oracle's names end in it; what is before tells the device.
  static constexpr Named kCounted[] = {
      {"a2-highgpu-", {0, "a100-40"}},       {"a2-megagpu-", {0, "a100-40"}},
      {"a2-ultragpu-", {0, "a100-80"}},      {"a3-highgpu-", {0, "h100-sxm"}},
      {"a3-edgegpu-", {0, "h100-sxm"}},      {"a3-megagpu-", {0, "h100-sxm"}},
      {"a3-ultragpu-", {0, "h200"}},         {"a4-highgpu-", {0, "b200"}},
      {"a4x-highgpu-", {0, "gb200", true}},  {"a4x-maxgpu-", {0, "gb300", true}},
      {"bm.gpu.a100-v2.", {0, "a100-80"}},   {"bm.gpu.h100.", {0, "h100-sxm"}},
      {"bm.gpu.h200.", {0, "h200"}},         {"bm.gpu.b200.", {0, "b200"}},
      {"bm.gpu.gb200.", {0, "gb200", true}}, {"bm.gpu.gb300.", {0, "gb300", true}},
      {"bm.gpu.mi300x.", {0, "mi300x"}},     {"bm.gpu.mi355x.", {0, "mi355x"}},
      {"bm.gpu.l40s.", {0, "l40s"}},         {"bm.gpu", {0, {}}},
  };
  std::string name = text::lower(type);
  if (name.starts_with("standard_")) name.erase(0, 9);
  for (const Named& n : kNamed)
    if (name == n.part) return n.type;
  for (const Named& n : kCounted) {
    if (!name.starts_with(n.part)) continue;
    const auto from = n.part == "bm.gpu" ? name.find_last_of('.') + 1 : n.part.size();
    const auto end = std::min(name.find_first_not_of("0123456789", from), name.size());
    const auto count = readWhole(std::string_view(name).substr(from, end - from), 1, 64);
    if (!count) continue;
    InstanceType known = n.type;
    known.devices = static_cast<int>(*count);
    return known;
  }
  return std::nullopt;
}

}  // namespace nest
