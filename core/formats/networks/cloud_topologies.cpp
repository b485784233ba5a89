#include <algorithm>
#include <map>
#include <span>

#include "formats/format.h"
#include "formats/networks/host_list.h"
#include "text/json_parts.h"
#include "text/json_text.h"
#include "units/letters.h"

namespace nest {
namespace {

using nlohmann::json;

/// What stands behind the last "/" of a resource's address.
std::string lastPart(const std::string& address) {
  return address.substr(address.find_last_of('/') + 1);
}

/// Reads the answers of one provider: a list of instances somewhere in a JSON text.
class InstanceReader {
public:
  using Take = void (*)(InstanceReader&, const json& instance, const Place&);

  InstanceReader(std::string_view text, const std::string& file, const char* from)
      : m_source(text, file), m_hosts(m_source, from), m_text(text), m_file(file) {}

  /// `keys`: how to get to the list; a list at the top needs none.
  Reading<SlurmTopology> run(std::initializer_list<const char*> keys, const char* wanted, Take take) {
    auto read = readJsonText(m_text, m_file);
    if (!read) return {std::nullopt, std::move(read.diagnostics)};
    const json* list = &read->root();
    std::string pointer;
    for (const char* key : keys)
      if (list->is_object() && list->contains(key)) {
        list = &(*list)[key];
        pointer = jsonPointer(pointer, key);
      }
    if (!list->is_array()) {
      m_source.error(read->placeOf(pointer), "cloud-instances",
                     std::string("expected a list of instances, as ") + wanted + " prints it");
      return {std::nullopt, m_source.take()};
    }
    for (std::size_t i = 0; i < list->size(); ++i) {
      const Place place = read->placeOf(jsonPointer(pointer, i));
      if ((*list)[i].is_object())
        take(*this, (*list)[i], place);
      else
        m_source.error(place, "cloud-instances", "an instance is an object");
    }
    return m_hosts.finish();
  }

  /// A word of the provider for the state of an instance. Words that say neither free nor out of service, as
  /// "UPDATING", are errors.
  struct InstanceState {
    std::string_view name;
    HostState state;
  };
  void readState(HostList::Host& host, const std::string& word, std::span<const InstanceState> all,
                 const Place& place) {
    if (word.empty()) return;
    host.word = word;
    const std::string name = text::lower(word);
    for (const InstanceState& s : all)
      if (text::lower(s.name) == name) host.state = StateWord{s.state, false};
    if (host.state) return;
    std::string known;
    for (const InstanceState& s : all) known += (known.empty() ? "" : ", ") + std::string(s.name);
    m_source.error(place, "host-state",
                   "the state of the instance " + nest::quoted(host.name) + " is " + nest::quoted(word) +
                       "; expected one of " + known,
                   "correct the state, or remove it where it is not known");
  }

  /// `type` tells the devices; one that is not known leaves them open.
  void add(HostList::Host host, const std::string& type, const Place& place) {
    if (const auto known = findInstanceType(type)) {
      host.devices = host.devices ? host.devices : known->devices;
      if (!known->hasNvlinkDomains) host.nvlinkDomain.clear();
      host.device = type;
    } else if (!type.empty()) {
      if (!host.devices && m_unknown.emplace(type, 1).second)
        m_source.warning(place, "instance-type",
                         "the devices of the instance type " + nest::quoted(type) + " are not known",
                         "set the devices of a host under Cluster (--devices-per-host)");
      if (!host.devices) host.nvlinkDomain.clear();
    }
    m_hosts.add(std::move(host), place);
  }

private:
  SourceText m_source;
  HostList m_hosts;
  std::string_view m_text;
  std::string m_file;
  std::map<std::string, int> m_unknown;
};

/// docs.aws.amazon.com: NetworkNodes stand outermost first, three or four of them.
void takeAws(InstanceReader& r, const json& instance, const Place& place) {
  HostList::Host host;
  host.name = textOf(instance, {"InstanceId"});
  if (const json& nodes = partOf(instance, "NetworkNodes"); nodes.is_array())
    for (const json& n : nodes) host.groups.push_back(textOf(n));
  host.nvlinkDomain = textOf(instance, {"CapacityBlockId"});
  // aws ec2 describe-instances has it; whoever joins both answers keeps it.
  static constexpr InstanceReader::InstanceState kStates[] = {
      {"RUNNING", HostState::Free},    {"PENDING", HostState::Down},  {"SHUTTING-DOWN", HostState::Down},
      {"TERMINATED", HostState::Down}, {"STOPPING", HostState::Down}, {"STOPPED", HostState::Down}};
  const json& state = partOf(instance, "State");
  r.readState(host, state.is_string() ? textOf(state) : textOf(state, {"Name"}), kStates, place);
  r.add(std::move(host), textOf(instance, {"InstanceType"}), place);
}

/// docs.cloud.google.com/compute, view instance topology: a subblock of A4X is an NVLink domain.
void takeGoogle(InstanceReader& r, const json& instance, const Place& place) {
  HostList::Host host;
  host.name = textOf(instance, {"name"});
  if (const json& t = partOf(partOf(instance, "resourceStatus"), "physicalHostTopology"); !t.empty()) {
    host.groups = {textOf(t, {"cluster"}), textOf(t, {"block"}), textOf(t, {"subblock"})};
    // Subblocks are numbered within their block.
    if (!host.groups.back().empty())
      host.nvlinkDomain = host.groups[0] + '/' + host.groups[1] + '/' + host.groups[2];
  }
  if (const json& all = partOf(instance, "guestAccelerators"); all.is_array()) {
    int sum = 0;
    for (const json& a : all)
      if (const auto count = a.find("acceleratorCount"); count != a.end() && count->is_number_unsigned())
        sum += static_cast<int>(std::min<std::uint64_t>(count->get<std::uint64_t>(), 1u << 16));
    if (sum > 0) host.devices = sum;
  }
  static constexpr InstanceReader::InstanceState kStates[] = {
      {"RUNNING", HostState::Free},   {"PENDING", HostState::Down},    {"PROVISIONING", HostState::Down},
      {"STAGING", HostState::Down},   {"STOPPING", HostState::Down},   {"PENDING_STOP", HostState::Down},
      {"STOPPED", HostState::Down},   {"SUSPENDING", HostState::Down}, {"SUSPENDED", HostState::Down},
      {"REPAIRING", HostState::Down}, {"TERMINATED", HostState::Down}, {"DEPROVISIONING", HostState::Down}};
  r.readState(host, textOf(instance, {"status"}), kStates, place);
  r.add(std::move(host), lastPart(textOf(instance, {"machineType"})), place);
}

/// docs.oracle.com, ComputeHost: the command line prints keys with dashes, the interface in camel case.
void takeOracle(InstanceReader& r, const json& instance, const Place& place) {
  HostList::Host host;
  host.name = textOf(instance, {"display-name", "displayName", "instance-id", "instanceId", "id"});
  host.groups = {textOf(instance, {"hpc-island-id", "hpcIslandId", "customerHPCIslandId"}),
                 textOf(instance, {"network-block-id", "networkBlockId", "customerNetworkBlock"}),
                 textOf(instance, {"local-block-id", "localBlockId", "customerLocalBlock"})};
  host.nvlinkDomain =
      textOf(instance, {"gpu-memory-fabric-id", "gpuMemoryFabricId", "customerGpuMemoryFabric"});
  static constexpr InstanceReader::InstanceState kStates[] = {
      {"ACTIVE", HostState::Free},      {"AVAILABLE", HostState::Free},   {"RUNNING", HostState::Free},
      {"OCCUPIED", HostState::Free},    {"CREATING", HostState::Down},    {"PROVISIONING", HostState::Down},
      {"STARTING", HostState::Down},    {"STOPPING", HostState::Down},    {"STOPPED", HostState::Down},
      {"INACTIVE", HostState::Down},    {"UPDATING", HostState::Drained}, {"MOVING", HostState::Drained},
      {"REPAIR", HostState::Drained},   {"DELETING", HostState::Down},    {"DELETED", HostState::Down},
      {"TERMINATING", HostState::Down}, {"TERMINATED", HostState::Down},  {"FAILED", HostState::Down},
      {"UNAVAILABLE", HostState::Down}};
  r.readState(host, textOf(instance, {"lifecycle-state", "lifecycleState"}), kStates, place);
  static constexpr InstanceReader::InstanceState kHealth[] = {{"HEALTHY", HostState::Free},
                                                              {"UNHEALTHY", HostState::Down}};
  if (const std::string health = textOf(instance, {"health", "health-status", "healthStatus"});
      !health.empty() && host.state == StateWord{})
    r.readState(host, health, kHealth, place);
  r.add(std::move(host), textOf(instance, {"shape", "platform"}), place);
}

Reading<SlurmTopology> readAws(std::string_view text, const std::string& file) {
  return InstanceReader(text, file, "an answer of AWS")
      .run({"Instances"}, "aws ec2 describe-instance-topology", takeAws);
}
Reading<SlurmTopology> readGoogle(std::string_view text, const std::string& file) {
  return InstanceReader(text, file, "an answer of Google Cloud")
      .run({"items"}, "gcloud compute instances list --format json", takeGoogle);
}
Reading<SlurmTopology> readOracle(std::string_view text, const std::string& file) {
  return InstanceReader(text, file, "an answer of Oracle Cloud")
      .run({"data", "items"}, "oci compute compute-host list --all", takeOracle);
}

}  // namespace

const Format& awsTopologyFormat() {
  static constexpr Format format = {
      .key = "aws-topology",
      .name = "AWS describe-instance-topology",
      .suffixes = "json",
      .fileNames = "",
      .example =
          R"({"Instances": [{"InstanceId": "i-1", "InstanceType": "p5.48xlarge", "NetworkNodes": ["nn-1", "nn-2", "nn-3"]},
 {"InstanceId": "i-2", "InstanceType": "p5.48xlarge", "NetworkNodes": ["nn-1", "nn-2", "nn-4"]}]})",
      .remarks = "",
      .claims = [](const FileLook& f) { return f.names("Instances") && f.names("NetworkNodes"); },
      .read = &readAws};
  return format;
}

const Format& googleTopologyFormat() {
  static constexpr Format format = {
      .key = "gcp-topology",
      .name = "Google Cloud instances",
      .suffixes = "json",
      .fileNames = "",
      .example = R"([{"name": "a3-0", "machineType": "a3-megagpu-8g",
  "resourceStatus": {"physicalHostTopology": {"cluster": "c1", "block": "b1", "subblock": "s1", "host": "h1"}}}])",
      .remarks = "What gcloud compute instances list --format json prints.",
      .claims = [](const FileLook& f) { return f.names("physicalHostTopology"); },
      .read = &readGoogle};
  return format;
}

const Format& oracleTopologyFormat() {
  static constexpr Format format = {
      .key = "oci-topology",
      .name = "Oracle Cloud compute hosts",
      .suffixes = "json",
      .fileNames = "",
      .example = R"({"data": {"items": [{"display-name": "gpu0", "shape": "BM.GPU.H100.8",
  "hpc-island-id": "i1", "network-block-id": "n1", "local-block-id": "l1"}]}})",
      .remarks = "What oci compute compute-host list --all prints.",
      .claims =
          [](const FileLook& f) {
            return f.names("local-block-id") || f.names("localBlockId") || f.names("customerLocalBlock");
          },
      .read = &readOracle};
  return format;
}

}  // namespace nest
