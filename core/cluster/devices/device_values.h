#pragma once

#include <optional>
#include <vector>

#include "cluster/devices/device_spec.h"
#include "units/measure.h"

namespace nest {

/// One number of a DeviceSpec: its key in files, what it is called and means, and what is allowed.
struct DeviceValue {
  const char *key, *label, *meaning;
  Measure measure;
  double least, most;
  bool optional;  ///< a device may have none
  std::optional<Sourced<double>> (*get)(const DeviceSpec&);
  void (*set)(DeviceSpec&, const Sourced<double>&);
};

/// All of them, in the order in which they are shown. A new number of a device is one more entry.
const std::vector<DeviceValue>& deviceValues();

}  // namespace nest
