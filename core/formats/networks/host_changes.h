#pragma once

#include <string_view>

#include "cluster/levels/cluster_source.h"
#include "diagnostics/diagnostic.h"

namespace nest {

/// What if these hosts, given as a host list ("gpu[04-07]"), had this state? Errors, at `place`: it is no
/// host list; hosts that the cluster does not have.
Diagnostics changeHosts(ClusterSource&, std::string_view hosts, HostState, const Place& place);

}  // namespace nest
