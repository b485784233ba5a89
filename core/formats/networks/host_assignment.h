#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "formats/networks/slurm_topology.h"

namespace nest {

/// A file that describes the inside of a host, and which hosts it stands for.
struct HostFile {
  std::string path;
  std::string hosts;  ///< a host list; empty: told by the file's name
};

/// Host name → number of the file that describes it, for every host of the topology. A file without a list
/// describes the hosts that its name is a list of ("gpu07.xml", "gpu[00-15].xml"); one file that names none
/// describes all hosts that are left. Errors: lists that are none, hosts that the topology does not name, a
/// host with two files, hosts without one.
Reading<std::unordered_map<std::string, std::size_t>> assignHosts(const SlurmTopology&,
                                                                  const std::vector<HostFile>&);

}  // namespace nest
