#pragma once

#include <string_view>
#include <vector>

#include "cluster/devices/device_spec.h"
#include "diagnostics/diagnostic.h"

namespace nest {

/// The devices of resources/devices.json, in its order; built into the program. Memory is what vendors call
/// GB and mean as GiB (HBM stacks come in powers of two); what driver and error correction keep of it belongs
/// to the reserve. Bandwidths are one way. Thread safe.
const std::vector<DeviceSpec>& deviceCatalog();

/// By id or name, case and punctuation ignored ("A100-80GB", "h100 sxm", "TPUv4"); nullptr if unknown.
const DeviceSpec* findDevice(std::string_view id);

/// Reads a catalog: {"devices": [{"id", "name", "aliases", "like", figures…}]}. A device `like` one above it
/// has the figures of that one where it states none.
Reading<std::vector<DeviceSpec>> readDeviceCatalog(std::string_view text, const std::string& file);

}  // namespace nest
