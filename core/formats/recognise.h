#pragma once

#include <string>
#include <string_view>

namespace nest {

/// The kinds of file that people bring.
enum class FileKind {
  Scenario,
  Plan,
  Outcome,
  HuggingFaceConfig,
  MeasuredProfile,  ///< this program's own JSON
  PiperProfile,
  NestArtifact,  ///< DP input of the NEST paper's artifact
  PipeDreamGraph,
  SlurmTopologyConf,
  SlurmTopologyYaml,
  NvidiaSmiTopology,
  NcclTopologyXml,
  AstraNetworkYaml,
  SimGridPlatform,
  GraphMl,
  Dot,
  ClusterText,
  Unknown
};
const char* nameOf(FileKind);  ///< "Slurm topology.conf"

bool isNetwork(FileKind);  ///< importNetwork reads it

/// Tells a file by its content, and where that leaves a doubt by its name. Looks at no more than the first 64
/// KiB (JSON: 1 MiB); never fails: broken files are told by what they were meant to be. O(length looked at).
FileKind recognise(std::string_view text, std::string_view fileName = {});

/// What is wrong with a file of Unknown kind, and what to give in its place; null where nothing is known of
/// it.
struct Misgiven {
  const char* is = nullptr;
  const char* remedy = nullptr;
};
Misgiven misgiven(std::string_view text);

}  // namespace nest
