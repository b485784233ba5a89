#include "formats/device_choice.h"

#include <algorithm>
#include <utility>

#include "cluster/devices/device_catalog.h"
#include "text/source_text.h"
#include "units/text.h"

namespace nest {
namespace {

/// A card in place of the catalog's module. A generation alone names no device.
bool isNearest(const DeviceKind& kind) {
  return !kind.known.isExact && !kind.name.starts_with("SM ");
}

/// The device is one of this kind. A generation alone does not distinguish its devices.
bool isOf(const DeviceKind& kind, const DeviceSpec& device) {
  const DeviceSpec& named = *kind.known.device;
  return isSameDevice(device, named) || (kind.name.starts_with("gfx942") && device.id == "mi325x") ||
         (kind.name.starts_with("SM ") && architectureOf(device) == architectureOf(named));
}

std::string hostsOf(const DeviceKind& k) {
  return k.hosts == 0 ? std::string() : " (" + text::count(k.hosts) + (k.hosts == 1 ? " host)" : " hosts)");
}

std::string advice(const DeviceSpec& other) {
  return "choose " + other.name + " under Cluster (--device " + other.id + ')';
}

}  // namespace

DeviceChoice chooseDevice(const std::vector<DeviceKind>& named, DeviceSpec device, bool chooses) {
  DeviceChoice out{std::move(device), false, {}};
  const DeviceSpec& chosen = out.device;
  const DeviceKind* fastest = !named.empty() && named.front().known.device ? &named.front() : nullptr;
  if (fastest && chosen.id == "custom") {
    out.isTold = true;
    out.notes.push_back(note("device-differs", {},
                             "the file names " + quoted(fastest->name) + hostsOf(*fastest) +
                                 "; the cluster keeps " + chosen.name + ", whose values were typed"));
  } else if (fastest && chooses) {
    out.isTold = true;
    const bool isNew = !isOf(*fastest, chosen);
    if (isNew) out.device = *fastest->known.device;
    if (isNew || isNearest(*fastest))
      out.notes.push_back(note("device-from-file", {},
                               "the devices are " + quoted(fastest->name) + hostsOf(*fastest) + ": " +
                                   (isNearest(*fastest) ? "the nearest in the catalog is " : "") +
                                   chosen.name,
                               "choose another under Cluster (--device), if they are not"));
  } else if (fastest && named.size() == 1 && !isOf(*fastest, chosen)) {
    const DeviceSpec& other = *fastest->known.device;
    out.notes.push_back(warning("device-differs", {},
                                "the file names " + quoted(fastest->name) + ", " +
                                    (isNearest(*fastest) ? "nearest to " : "which is ") + other.name +
                                    "; the cluster gets " + chosen.name,
                                advice(other) + ", if the file is right"));
  }
  const bool isNamed = std::any_of(named.begin(), named.end(),
                                   [&](const DeviceKind& k) { return k.known.device && isOf(k, chosen); });
  if (named.size() > 1 && fastest && !isNamed && chosen.id != "custom")
    out.notes.push_back(warning("device-differs", {},
                                "none of the hosts has " + chosen.name + "; the file names " +
                                    quoted(fastest->name) + hostsOf(*fastest) + " and others",
                                advice(*fastest->known.device)));
  for (const DeviceKind& k : named)
    if (!k.known.device)
      out.notes.push_back(
          warning("device-unknown", {},
                  "the devices " + quoted(k.name) +
                      (k.otherNames > 0 ? " and " + text::count(k.otherNames) + " others" : std::string()) +
                      hostsOf(k) + " are not in the catalog, and count as " + chosen.name,
                  "choose the nearest device under Cluster (--device), and correct its values"));
  return out;
}

Diagnostics otherMaker(const Format& format, const DeviceSpec& device) {
  const bool ofAmd = format.key == "amd-topo", ofNvidia = format.key == "nvidia-topo";
  const bool isAmd = device.id.starts_with("mi"), isNvidia = architectureOf(device) > 0;
  if (device.id == "custom" || !((ofAmd && !isAmd) || (ofNvidia && !isNvidia))) return {};
  return {warning("device-differs", {},
                  std::string("the file is of ") + (ofAmd ? "AMD's" : "NVIDIA's") +
                      " devices; the cluster gets " + device.name,
                  std::string("choose the device under Cluster (--device ") +
                      (ofAmd ? "mi300x" : "h100-sxm") + ", for example)")};
}

}  // namespace nest
