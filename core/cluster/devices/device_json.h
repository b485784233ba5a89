#pragma once

#include <nlohmann/json_fwd.hpp>

#include "cluster/devices/device_spec.h"
#include "text/json_fields.h"
#include "units/measure.h"

namespace nest {

/// Reads a device as the catalog and scenarios write it. A figure is a number, a text with its unit ("80
/// GiB", "450 GB/s", "2 us", "989 TFLOP/s"), or {"value", "origin", "source"}; bare ones get `bareOrigin`.
/// Fields that are absent keep what `base` says. Peak, memory, memory bandwidth and link bandwidth must come
/// from the one or the other.
DeviceSpec readDevice(JsonFields& fields, const JsonText& text, const DeviceSpec& base, Origin bareOrigin,
                      Diagnostics& out);

/// One such figure; nullopt: absent (no diagnostic) or wrong (one). Bare numbers count as typed.
std::optional<Sourced<double>> readFigure(JsonFields& fields, const JsonText& text, std::string_view key,
                                          Measure measure, double least, double most, Diagnostics& out);
nlohmann::json figureJson(const Sourced<double>& figure);

/// Every field, figures with origin and citation; readDevice of it gives the same device.
nlohmann::json deviceToJson(const DeviceSpec& device);

}  // namespace nest
