#pragma once

#include <optional>
#include <string>
#include <string_view>

/// What schedulers, inventories and clouds write about hosts: names, counts, places and types.
namespace nest {

/// Letters, digits and what host names and host lists have besides.
bool isHostWord(std::string_view);
/// Hosts have up to 16 devices; 72 in an NVLink domain that counts as one host. A larger number stands for
/// something else, such as a port (2222, 29500).
inline constexpr int kMostDevicesOfHost = 1024;
/// nullopt: no whole number from 0 to kMostDevicesOfHost.
std::optional<int> deviceCountIn(std::string_view);
/// Whether a column or a variable of this name says how many devices a host has.
bool countsDevices(std::string_view name);
/// Whether it says what they are called ("gpu_model").
bool namesDevice(std::string_view name);
/// Whether it says if hosts can be used ("state", "node_state").
bool statesHosts(std::string_view name);
/// Whether it says where a host stands: 0 for the widest place ("region"), more for narrower ones ("rack").
std::optional<int> rankOfPlace(std::string_view name);

/// What "gpu:h100:8(S:0-1),shard:16" of Slurm promises: gpu counts, mps and shard do not.
struct Gres {
  int devices = 0;     ///< 0 of "(null)", and of other resources alone
  int partitions = 0;  ///< of devices ("gpu:1g.10gb:7")
  std::string type;    ///< of the devices: "h100"; of several types the one with the most devices
  int others = 0;      ///< how many of the devices are of other types
};
/// nullopt: it is no such text.
std::optional<Gres> readGres(std::string_view gres);

/// The device among the features of a node ("a100,ib,nvme"), where Gres has no type; empty: none.
std::string deviceInFeatures(std::string_view features);

/// Devices of a cloud's instance type ("p5.48xlarge", "a3-megagpu-8g", "BM.GPU.H100.8",
/// "Standard_ND96isr_H100_v5"), its catalog device, and whether NVLink joins the instances of a domain.
struct InstanceType {
  int devices = 0;
  std::string_view device = {};  ///< catalog id; empty: not known
  bool hasNvlinkDomains = false;
};
/// nullopt: no type that is known to have devices.
std::optional<InstanceType> findInstanceType(std::string_view type);

}  // namespace nest
