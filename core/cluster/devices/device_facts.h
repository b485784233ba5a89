#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace nest {

/// What an entry of resources/devices.json says of a device in addition to its numbers (DeviceSpec). Each has
/// that of the entry that it is "like" where it says nothing itself, but for its words.
struct DeviceFacts {
  std::string id;
  std::string family;    ///< "Blackwell": devices whose predictions err in the same way
  int architecture = 0;  ///< "cuda_architecture" of an NVIDIA device: 90; 0: another maker's
  bool isUsual = false;  ///< the device that such an architecture usually is
  int domainSize = 0;    ///< devices that NVLink joins beyond a host: 72 in a rack; 0: it ends there
  std::vector<std::string> words;  ///< by which drivers, schedulers and clouds name it: "gb300"
};

/// Those of the catalog, in its order.
const std::vector<DeviceFacts>& deviceFacts();
/// Of a catalog id, or of a variant of one ("h100-sxm-mine"); an empty one where neither is known.
const DeviceFacts& factsOf(std::string_view deviceId);

}  // namespace nest
