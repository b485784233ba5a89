#pragma once

#include <nlohmann/json_fwd.hpp>

#include "cluster/device_spec.h"
#include "formats/json_fields.h"

namespace nest {

/// Reads a device as the catalog and scenarios write it. A figure is a number, or {"value", "origin",
/// "source"}; bare numbers get `bareOrigin`. Fields that are absent keep what `base` says. Peak, memory,
/// memory bandwidth and link bandwidth must come from the one or the other.
DeviceSpec readDevice(JsonFields& fields, const JsonText& text, const DeviceSpec& base, Origin bareOrigin,
                      Diagnostics& out);

/// Every field, figures with origin and citation; readDevice of it gives the same device.
nlohmann::json deviceToJson(const DeviceSpec& device);

}  // namespace nest
