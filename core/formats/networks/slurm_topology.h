#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cluster/levels/cluster_source.h"
#include "diagnostics/diagnostic.h"

namespace nest {

/// What a Slurm topology file says, or another that says as much: which hosts stand together, and of some how
/// many devices each has. It carries no bandwidth.
struct SlurmTopology {
  enum class Kind { Tree, Block, Ring, Torus, Flat };
  struct Group {
    std::string name;
    int parent = -1;                 ///< −1: at the top
    std::vector<std::string> hosts;  ///< leaf switches, blocks, rings
    friend bool operator==(const Group&, const Group&) = default;
  };

  Kind kind = Kind::Tree;
  std::string name;  ///< of the topology (topology.yaml)
  std::vector<Group> groups;
  std::vector<int> blockSizes;        ///< hosts per level of blocks, smallest first
  std::array<int, 3> sides{0, 0, 0};  ///< of a torus, x fastest

  std::string from = "a Slurm topology";         ///< what the file is, for messages
  std::unordered_map<std::string, int> devices;  ///< of each host, where the file tells
  std::optional<int> devicesOfOthers;            ///< of each host that `devices` leaves out, where told
  std::unordered_map<std::string, std::string> deviceNames;  ///< of each host, as the file calls its devices
  std::string deviceNameOfOthers;   ///< of the hosts that `deviceNames` leaves out; may be empty
  std::vector<StateOfHost> states;  ///< of the hosts whose state the file states, free ones included
  std::unordered_map<std::string, Place> places;  ///< where the file names each host, if it is a list
  bool isListOnly = false;                        ///< it names hosts, but not how they are connected
  bool areNvlinkDomains = false;  ///< NVLink joins the devices of the innermost groups across their hosts

  /// Devices of a host; `usual` where the file does not tell.
  int devicesOf(const std::string& host, int usual) const;
  /// Whether it tells the devices of every host.
  bool tellsDevices() const;
  /// Network levels outside the host: 1 for flat, ring and torus; depth of the switches; blocks and their
  /// joins.
  int levelCount() const;
  std::size_t hostCount() const;
  friend bool operator==(const SlurmTopology&, const SlurmTopology&) = default;
};

/// topology.conf (slurm.schedmd.com/topology.conf.html): SwitchName/Switches/Nodes, BlockName/BlockSizes,
/// RingName; keys in any case, comments, continuation lines, host lists. Errors: a host in two groups,
/// unknown or cyclic switches, and what expandHostlist refuses. Up to 16 MiB.
Reading<SlurmTopology> readSlurmTopologyConf(std::string_view text, const std::string& file = {});

/// topology.yaml: a list of topologies; the one marked cluster_default is read, else the first. Up to 1 MiB.
Reading<SlurmTopology> readSlurmTopologyYaml(std::string_view text, const std::string& file = {});

/// The figures that the file leaves open, one per level, innermost (inside the host) first. To be asked for.
struct SlurmFigures {
  struct Level {
    std::string name;
    BytesPerSecond bandwidth;  ///< one way, per device
    Seconds latency;
    Origin origin = Origin::Estimated;
  };
  int devicesPerHost = 8;
  std::vector<Level> levels;
};

/// From the device: its link inside the host, and across the hosts of an NVLink domain; its usual share of
/// the host's network outside; no oversubscription.
SlurmFigures defaultFigures(const SlurmTopology&, const DeviceSpec&);

/// NVLink reaches across the hosts of the innermost groups: the file says so, or they are Slurm blocks of
/// devices that are built so (GB200, GB300).
bool hasNvlinkDomains(const SlurmTopology&, const DeviceSpec&);

/// The cluster: typed levels with host names where the tree is regular enough (missing hosts included), a
/// network where it is not, or for tori. `figures.levels` must have 1 + levelCount() entries. A note names
/// the assumed figures.
Reading<std::variant<LevelsSource, GraphSource>> networkOf(const SlurmTopology&, const SlurmFigures&);

}  // namespace nest
