#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "formats/networks/host_words.h"
#include "formats/networks/slurm_topology.h"
#include "formats/networks/state_words.h"
#include "text/source_text.h"

namespace nest {

/// Collects hosts one by one, as inventories, schedulers and cloud providers list them, each with the groups
/// that it stands in, and makes the tree of them.
class HostList {
public:
  /// `from`: what the file is, for messages ("an Ansible inventory").
  HostList(SourceText& source, std::string from) : m_source(source) { m_out.from = std::move(from); }

  struct Host {
    std::string name;
    std::vector<std::string> groups = {};    ///< outermost first; empty names: not known
    std::optional<int> devices = {};         ///< 0: left out, and counted in a note
    std::string nvlinkDomain = {};           ///< whose devices NVLink joins across hosts
    std::optional<StateWord> state = {};     ///< absent: the file does not state it
    std::string word = {};                   ///< what the file calls its state: "alloc"
    std::optional<DevicesInUse> inUse = {};  ///< absent: not known
    int withheld = 0;                        ///< devices that it has and does not offer: they are broken
    std::string device = {};                 ///< what the file calls its devices: "NVIDIA-H100-80GB-HBM3"
    int partitions = 0;                      ///< parts of devices (MIG), which are none
    int sharedBy = 1;                        ///< how often each device is offered (time-slicing)
  };
  /// A host that was there before must say the same, or leave it open.
  void add(Host, const Place&);
  /// The devices of each host of a Slurm or pdsh host list.
  void addList(std::string_view hosts, std::optional<int> devices, const Place&);
  /// The same of a host without its name.
  void addList(std::string_view hosts, const Host&, const Place&);
  /// Takes a state of Slurm from a file's text; an error where it is none.
  void readState(Host&, std::string_view text, const Place&);
  /// Of a host that was added.
  void setState(const std::string& host, StateWord, const std::string& word);
  void setDevicesOfOthers(int devices, std::string device) {
    m_out.devicesOfOthers = devices;
    m_out.deviceNameOfOthers = std::move(device);
  }

  bool empty() const { return m_hosts.empty(); }
  /// Tiers whose every group holds a single group, or a single host, are left out. Hosts without groups
  /// beside others that have some are left out with a warning; where none has any the result is a mere list.
  /// An error where there are neither hosts nor devices.
  Reading<SlurmTopology> finish();

private:
  struct Known {
    Host host;
    Place place;
  };
  std::string leftOut() const;
  void mergeState(const Host& from, Host& into, const Place& first, const Place&);
  std::optional<StateOfHost> stateOf(const Host&);
  void fillStates();
  void addWithheld(const Host&, std::optional<StateOfHost> state);
  void noteOut();
  void noteParts();
  void placeNvlinkDomains();
  void dropRedundantTiers();
  void group();

  SourceText& m_source;
  SlurmTopology m_out;
  std::vector<Known> m_hosts;
  std::unordered_map<std::string, std::size_t> m_number;
  std::unordered_map<std::string, Place> m_withoutDevices;
  struct Parted {
    int hosts = 0, parts = 0;
    std::string first;
    Place place;
  };
  Parted m_partitioned, m_shared, m_mixed, m_partly, m_off;
};

inline constexpr std::size_t kMostHostListBytes = 16u << 20;

/// The group and those that it stands in, outermost first, as `parents` has them. Empty: more than 8 deep, or
/// within itself.
std::vector<std::string> groupsAbove(std::string group,
                                     const std::unordered_map<std::string, std::string>& parents);

}  // namespace nest
