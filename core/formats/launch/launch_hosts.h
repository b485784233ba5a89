#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "formats/results/outcome_json.h"

namespace nest {

/// What one host runs of a plan.
struct HostRanks {
  std::string name;
  std::vector<int> ranks;    ///< global ranks, ascending; the k-th has local rank k
  std::vector<int> devices;  ///< the device that each of them runs on

  /// Launchers give local rank k device k; false where the plan has another device there, as on a host with a
  /// failed device.
  bool takesDevicesInOrder() const;
  bool isConsecutive() const;  ///< no rank of another host stands between its ranks
};

/// Where the global ranks of a plan run.
struct RankMap {
  std::vector<HostRanks> hosts;       ///< in the order of their first ranks
  std::vector<int> hostOf, deviceOf;  ///< by rank; hostOf counts in `hosts`
  std::string deviceVariable;         ///< the environment variable that lists a process's devices

  /// The first host whose devices a launcher would take in another order; null: none.
  const HostRanks* firstWithListedDevices() const;
  bool needsDeviceLists() const { return firstWithListedDevices() != nullptr; }
  /// "host0:3@host4:0,1": devices below the last one used that the plan leaves out; empty: none.
  std::string deepSpeedExclusions() const;
};

/// Errors, with place and remedy: the plan reaches beyond the cluster; a host whose name no host file can
/// hold, or that two hosts share.
Reading<RankMap> mapRanks(const ReportSource&, const Plan&);
/// A warning where the names of the hosts are made up; none, where the cluster has names of its own.
Diagnostics inventedHosts(const ReportSource&, const RankMap&);

/// Letters, digits, '.', '-' and '_', beginning with a letter, digit or '_'; at most 253 bytes.
bool isHostName(std::string_view);

std::string joinedNumbers(const std::vector<int>&);  ///< "0,1,4"

/// Host files; texts end with a line break.
std::string slurmHostFile(const RankMap&);
/// `coresPerHost`: shared out evenly among a host's ranks, as ranges that Open MPI 4 and 5 both read; 0: not
/// known, each rank is bound to one core.
std::string rankFile(const RankMap&, int coresPerHost = 0);
Reading<std::string> hostFile(const RankMap&);
/// A shell script that runs its arguments on the plan's devices of the host it is on.
std::string visibleDevicesScript(const RankMap&);

}  // namespace nest
