#pragma once

#include <string_view>
#include <vector>

#include "cluster/devices/device_spec.h"
#include "diagnostics/diagnostic.h"

namespace nest {

/// The devices of resources/devices.json in its order, and a user's own behind them; each is read when it is
/// first asked for. Memory is what vendors call GB and mean as GiB (HBM stacks come in powers of two); what
/// driver and error correction keep of it belongs to the reserve. Bandwidths are one way. Thread safe.
const std::vector<DeviceSpec>& deviceCatalog();

/// By id or name, case and punctuation ignored ("A100-80GB", "h100 sxm", "TPUv4"); nullptr if unknown.
const DeviceSpec* findDevice(std::string_view id);

/// Reads one entry of the catalog: {"id", "name", "aliases", "like", figures…}. It has the figures of `like`
/// where it states none.
Reading<DeviceSpec> readCatalogDevice(std::string_view text, const std::string& file, const DeviceSpec& like);

}  // namespace nest
