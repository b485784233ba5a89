#pragma once

#include "cluster/levels/cluster_source.h"

namespace nest {

/// Another device in the same hosts. Of typed levels those follow it that had a catalog's or an estimated
/// value, or the very value that the catalog has for the old device: the innermost level its own link, the
/// others its host link, where the catalog knows them. Host sizes, measured levels and drawn links stay.
void changeDevice(ClusterSource&, const DeviceSpec& to);

}  // namespace nest
