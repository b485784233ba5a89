#include "formats/networks/host_changes.h"

#include <algorithm>
#include <unordered_set>

#include "formats/networks/slurm_hostlist.h"
#include "text/counted_names.h"
#include "text/source_text.h"

namespace nest {

Diagnostics changeHosts(ClusterSource& cluster, std::string_view hosts, HostState state, const Place& place) {
  const std::vector<std::string> all = hostNames(cluster);
  const std::unordered_set<std::string> known(all.begin(), all.end());
  std::vector<std::string> named;
  // A drawn host may have a name that no host list can hold.
  if (known.count(std::string(hosts))) {
    named.emplace_back(hosts);
  } else {
    Hostlist list = expandHostlist(hosts);
    if (!list.error.empty())
      return {error("slurm-hostlist", place, list.error + " in " + quoted(hosts),
                    "write a host list, for example gpu[00-03,07]")};
    named = std::move(list.names);
  }
  std::vector<std::string> unknown;
  for (const std::string& host : named)
    if (!known.count(host)) unknown.push_back(host);
  if (!unknown.empty())
    return {error("host-state-unknown", place,
                  "the cluster has no host " + firstOf(unknown, 3) + "; it has " + firstOf(all, 4),
                  "name hosts of the cluster")};
  setHostState(cluster, named, state, state == HostState::Free ? "" : "what if");
  return {};
}

}  // namespace nest
