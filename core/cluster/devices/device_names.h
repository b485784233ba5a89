#pragma once

#include <string>
#include <string_view>

#include "cluster/devices/device_spec.h"

namespace nest {

/// What a driver, a label, Slurm's Gres or a cloud calls a device, in the catalog.
struct NamedDevice {
  const DeviceSpec* device = nullptr;  ///< nullptr: the catalog has none like it
  bool isExact = true;                 ///< false: `device` is the nearest (an A100 PCIe for an A100 SXM)
};
/// Of "NVIDIA-H100-80GB-HBM3", "nvidia_a100-sxm4-40gb", "gpu:h100", "nvidia-tesla-a100",
/// "AMD_Instinct_MI300X_OAM", "tpu-v5-lite-podslice", or a catalog id.
NamedDevice deviceCalled(std::string_view name);

/// Whether a name is that of a part of a device (MIG): "1g.10gb", "NVIDIA-A100-SXM4-80GB-MIG-3g.40gb".
bool isPartition(std::string_view name);

/// Whether `device` is what `named` stands for: the same entry of the catalog, or a variant of it
/// (h100-sxm-500w is an h100-sxm).
bool isSameDevice(const DeviceSpec& device, const DeviceSpec& named);

/// Generation of an NVIDIA device as drivers count it (80: A100, 90: H100, 100: B200); 0: another maker's.
int architectureOf(const DeviceSpec&);
/// The catalog's usual device of a generation; nullptr: it has none.
const DeviceSpec* usualOfArchitecture(int architecture);

}  // namespace nest
