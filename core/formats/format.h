#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cluster/levels/cluster_source.h"
#include "formats/networks/drawn_network.h"
#include "formats/scenario/scenario_json.h"

namespace nest {

class Hierarchy;
struct InfinibandFabric;
struct HostTopology;
struct ImportedProfile;
struct Measurement;
struct Plan;
struct SlurmTopology;
struct TransformerArchitecture;

using NetworkSource = std::variant<LevelsSource, GraphSource>;

/// What a network file holds.
struct NetworkFile {
  NetworkSource network;
  std::vector<StateOfNode> states = {};  ///< of the nodes of a graph
};

// What reads a format; the signature says what its files bring. `file` names the file in diagnostics. Value
// or errors, never both, all errors at once; no access to disk.
using ReadScenario = Reading<Scenario> (*)(std::string_view text, const std::string& file,
                                           const ReferenceLoader&);
using ReadPlan = Reading<Plan> (*)(std::string_view text, const std::string& file);
using ReadModel = Reading<TransformerArchitecture> (*)(std::string_view text, const std::string& file);
/// `devices`: which of a file's cluster sizes is taken, where it has several.
using ReadProfile = Reading<ImportedProfile> (*)(std::string_view text, const std::string& file,
                                                 std::optional<int> devices);
using ReadNetwork = Reading<NetworkFile> (*)(std::string_view text, const std::string& file);
/// The hosts, and how they are connected where the file tells.
using ReadHostTree = Reading<SlurmTopology> (*)(std::string_view text, const std::string& file);
/// Hosts and switches with every cable between them.
using ReadFabric = Reading<InfinibandFabric> (*)(std::string_view text, const std::string& file);
/// The inside of one host; `device` fills what the file leaves open.
using ReadHost = Reading<HostTopology> (*)(std::string_view text, const std::string& file,
                                           const DeviceSpec& device);
/// What a run has left behind: scenario/measurement.h.
using ReadMeasurement = Reading<Measurement> (*)(std::string_view text, const std::string& file);

/// Errors: what the format cannot say of this cluster.
using WriteNetwork = Reading<std::string> (*)(const ClusterSource&, const Hierarchy&);

/// A file that is to be told, by its content first. Looks at no more than the first 256 KiB (JSON: 1 MiB).
struct FileLook {
  FileLook(std::string_view text, std::string_view fileName);

  /// JSON has a key or string of that name anywhere; enough to tell the shapes of JSON apart, also of broken
  /// ones.
  bool names(std::string_view key) const;
  /// Text other than JSON has this part, given in lower case.
  bool has(std::string_view part) const;

  std::string_view json;  ///< behind byte order mark and blanks; empty if it is none
  std::string text;       ///< in lower case; empty if it is JSON
  std::string word;  ///< first of the text, up to a blank, =, {, [ or ", comments of all formats left out
  std::string file;  ///< in lower case
};

/// A file format that people bring: recognition, dialogs, help and import follow from this object.
struct Format {
  std::string_view key;        ///< "astra-sim": names it in commands, and its folder of tests/data
  std::string_view name;       ///< "ASTRA-sim network"
  std::string_view suffixes;   ///< that such files usually have, apart by blanks: "yml yaml"
  std::string_view fileNames;  ///< ends of names that tell it where the content does not: "topology.conf"
  std::string_view example;    ///< a small file, or what tells one, with … for what is left out
  std::string_view remarks;    ///< what else to know, in whole sentences; may be empty
  bool (*claims)(const FileLook&);
  std::variant<ReadScenario, ReadPlan, ReadModel, ReadProfile, ReadNetwork, ReadHostTree, ReadFabric,
               ReadHost, ReadMeasurement>
      read;
  WriteNetwork write = nullptr;  ///< of networks; nullptr: the format is only read

  /// Its files bring what such a function reads.
  template <class Read>
  bool is() const {
    return std::holds_alternative<Read>(read);
  }
  bool isNetwork() const {
    return is<ReadNetwork>() || is<ReadHostTree>() || is<ReadFabric>() || is<ReadHost>();
  }
};

/// What reads the files if they bring this, else nullptr, as where the format is not known.
template <class Read>
Read readerOf(const Format* f) {
  return f && f->is<Read>() ? std::get<Read>(f->read) : nullptr;
}

/// All formats, grouped by what they bring. Of two that claim a file the earlier has it.
std::span<const Format* const> formats();
/// nullptr: there is none.
const Format* findFormat(std::string_view key);

/// No more of a text is looked at to recognise it.
inline constexpr std::size_t kMostRecognised = 1u << 20;
/// Never fails: broken files are told by what they were meant to be. nullptr: none claims the file.
const Format* recognise(std::string_view text, std::string_view fileName = {});

/// What a file is that no format claims, and what to give in its place; both empty where nothing is known of
/// it.
struct Unsupported {
  std::string_view is, remedy;
};
Unsupported unsupported(std::string_view text);

/// "Slurm topology.conf, Slurm topology.yaml, …": those with `isWanted`.
std::string namesOfFormats(bool (*isWanted)(const Format&));

}  // namespace nest
