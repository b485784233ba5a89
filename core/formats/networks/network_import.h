#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "cluster/levels/cluster_source.h"
#include "diagnostics/diagnostic.h"

namespace nest {

enum class NetworkFormat {
  Unknown,
  SlurmConf,
  SlurmYaml,
  NvidiaTopo,
  NcclXml,
  AstraSim,
  SimGrid,
  GraphMl,
  Dot
};
const char* nameOf(NetworkFormat);  ///< "Slurm topology.conf"

/// From the first bytes of the text, and the name where the text leaves it open. Cheap.
NetworkFormat recogniseNetwork(std::string_view text, std::string_view file = {});

struct ImportedNetwork {
  NetworkFormat format = NetworkFormat::Unknown;
  std::variant<LevelsSource, GraphSource> network;
};

/// Reads whichever of the network formats the text is in. What the file leaves open is filled from `device`
/// and said in a note. Errors: the reader's; "network-format" when it is none of them.
Reading<ImportedNetwork> importNetwork(std::string_view text, const std::string& file,
                                       const DeviceSpec& device);

}  // namespace nest
