#pragma once

#include <vector>

#include "cluster/devices/device_spec.h"
#include "diagnostics/diagnostic.h"
#include "formats/format.h"
#include "formats/networks/named_devices.h"

namespace nest {

/// The device of an imported cluster.
struct DeviceChoice {
  DeviceSpec device;
  bool isTold = false;  ///< files name it, or a device with typed values that was kept in its place
  Diagnostics notes;    ///< without the file
};

/// `named`: what the files call their devices, the fastest first. `chooses`: nobody asked for `device`, so
/// that what files name goes before it; else the two are compared, and a warning reports a difference.
DeviceChoice chooseDevice(const std::vector<DeviceKind>& named, DeviceSpec device, bool chooses);

/// A warning if the file comes from the tools of another maker than the device; they show no others' devices.
Diagnostics otherMaker(const Format&, const DeviceSpec&);

}  // namespace nest
