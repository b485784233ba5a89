#pragma once

#include <string>
#include <vector>

#include "cluster/levels/cluster_source.h"
#include "diagnostics/diagnostic.h"

namespace nest {

/// A level that a change of the device left as it was.
struct KeptLink {
  std::string level;
  BytesPerSecond bandwidth;
  Origin origin = Origin::Typed;
  BytesPerSecond own;  ///< what the catalog has of the new device
};

/// Another device in the same hosts. Of typed levels those follow it that had a catalog's or an estimated
/// value, or the very value that the catalog has for the old device: the innermost level its own link, the
/// others its host link, where the catalog knows them. Host sizes, measured levels and drawn links stay.
/// Returns the innermost level if it keeps a bandwidth that is not the new device's own.
std::vector<KeptLink> changeDevice(ClusterSource&, const DeviceSpec& to);

/// "level host keeps 400 GB/s, which was typed; B200 180 GB SXM itself has 900 GB/s".
Diagnostic noteOn(const KeptLink&, const DeviceSpec& of);

}  // namespace nest
