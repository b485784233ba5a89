#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>

#include "cluster/devices/device_names.h"
#include "formats/format.h"
#include "formats/networks/host_list.h"
#include "text/counted_names.h"
#include "text/decimal.h"
#include "text/json_parts.h"
#include "text/json_text.h"
#include "units/letters.h"
#include "units/text.h"

namespace nest {
namespace {

using nlohmann::json;

/// Labels that say where a node is connected, each family outermost first.
constexpr std::array kFamilies = {
    // topograph: tier 0 is nearest to the node; then its earlier names
    std::array{"fabric.topograph.run/tier-4", "fabric.topograph.run/tier-3", "fabric.topograph.run/tier-2",
               "fabric.topograph.run/tier-1", "fabric.topograph.run/tier-0"},
    std::array{"network.topology.nvidia.com/datacenter", "network.topology.nvidia.com/core",
               "network.topology.nvidia.com/spine", "network.topology.nvidia.com/block",
               "network.topology.nvidia.com/leaf"},
    std::array{"topology.k8s.aws/network-node-layer-1", "topology.k8s.aws/network-node-layer-2",
               "topology.k8s.aws/network-node-layer-3", "topology.k8s.aws/network-node-layer-4", ""},
    std::array{"cloud.google.com/gce-topology-cluster", "cloud.google.com/gce-topology-block",
               "cloud.google.com/gce-topology-subblock", "", ""},
    std::array{"topology.gke.io/cluster", "topology.gke.io/rack", "", "", ""},
    std::array{"oci.oraclecloud.com/rdma.hpc_island_id", "oci.oraclecloud.com/rdma.network_block_id",
               "oci.oraclecloud.com/rdma.local_block_id", "", ""},
    std::array{"topology.nebius.com/gpu-cluster-id", "topology.nebius.com/tier-3",
               "topology.nebius.com/tier-2", "topology.nebius.com/tier-1", "topology.nebius.com/tier-0"},
    std::array{"backend.coreweave.cloud/fabric", "backend.coreweave.cloud/superpod",
               "backend.coreweave.cloud/leafgroup", "", ""},
    std::array{"ib.coreweave.cloud/fabric", "ib.coreweave.cloud/superpod", "ib.coreweave.cloud/leafgroup", "",
               ""},
    std::array{"cloud.provider.com/topology-block", "cloud.provider.com/topology-rack", "", "", ""},
};
constexpr const char* kDevices[] = {"nvidia.com/gpu", "amd.com/gpu",           "habana.ai/gaudi",
                                    "google.com/tpu", "aws.amazon.com/neuron", "gpu.intel.com/i915"};
constexpr const char* kDomains[] = {"nvidia.com/gpu.clique", "accelerator.topograph.run/domain",
                                    "ds.coreweave.com/nvlink.domain",
                                    "topology.nebius.com/nvl-instance-group-id"};
/// Labels that name the devices.
constexpr const char* kProducts[] = {"nvidia.com/gpu.product",
                                     "amd.com/gpu.product-name",
                                     "beta.amd.com/gpu.product-name",
                                     "gpu.nvidia.com/model",
                                     "gpu.nvidia.com/class",
                                     "cloud.google.com/gke-accelerator",
                                     "cloud.google.com/gke-tpu-accelerator",
                                     "karpenter.k8s.aws/instance-gpu-name"};
constexpr const char* kInstanceTypes[] = {"node.kubernetes.io/instance-type",
                                          "beta.kubernetes.io/instance-type"};
/// How often a device is offered: by NVIDIA's device plugin, by Google.
constexpr const char* kReplicas[] = {"nvidia.com/gpu.replicas",
                                     "cloud.google.com/gke-max-shared-clients-per-gpu"};
constexpr int kMostOfHost = 16;  ///< whole devices; more are known of no host
/// Of shared devices, which offer themselves many times; what is left of them is checked like all others.
constexpr long long kMostOffered = 1'000'000;
/// Taints that Kubernetes and its autoscalers put on a node that takes no work.
constexpr const char* kOutOfService[] = {"node.kubernetes.io/", "node.cloudprovider.kubernetes.io/",
                                         "ToBeDeletedByClusterAutoscaler"};
/// Labels that every node has, and that say nothing of where it stands.
constexpr const char* kNoPlaces[] = {"kubernetes.io/",
                                     "beta.kubernetes.io/",
                                     "node.kubernetes.io/",
                                     "node-role.kubernetes.io/",
                                     "nvidia.com/",
                                     "amd.com/",
                                     "beta.amd.com/",
                                     "feature.node.kubernetes.io/",
                                     "gpu.nvidia.com/",
                                     "karpenter.",
                                     "failure-domain.beta.kubernetes.io/"};

const json& membersOf(const json& v) {
  static const json none = json::object();
  return v.is_object() ? v : none;
}

/// A quantity is a text; what converted it may have made a number of it.
std::optional<long long> countIn(const json& object, const char* key, long long least, long long most) {
  const json& v = partOf(object, key);
  if (v.is_number_integer() && v.get<long long>() >= least && v.get<long long>() <= most)
    return v.get<long long>();
  return readWhole(textOf(v), least, most);
}

bool startsWithAny(std::string_view s, std::span<const char* const> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(), [s](const char* p) { return s.starts_with(p); });
}

/// Where a label's last words say that a host stands, widest first: "example.com/topology-rack", "x/tier-1".
std::optional<int> rankOfLabel(const std::string& label) {
  std::string name = text::lower(label.substr(label.find_last_of('/') + 1));
  std::replace(name.begin(), name.end(), '-', '_');
  std::replace(name.begin(), name.end(), '.', '_');
  if (const auto tier = name.rfind("tier_"); tier != std::string::npos)
    if (const auto number = readWhole(name.substr(tier + 5), 0, 9)) return 100 - static_cast<int>(*number);
  for (std::size_t at = 0; at != std::string::npos; at = name.find('_', at + 1)) {
    std::string rest = name.substr(at + (at > 0 ? 1 : 0));
    for (const char* tail : {"_id", "_name"})
      if (rest.ends_with(tail)) rest.resize(rest.size() - std::string_view(tail).size());
    if (const auto rank = rankOfPlace(rest)) return rank;
  }
  return std::nullopt;
}

class NodesReader {
public:
  NodesReader(std::string_view text, const std::string& file)
      : m_source(text, file), m_hosts(m_source, "a list of Kubernetes nodes"), m_text(text), m_file(file) {}

  Reading<SlurmTopology> run() {
    auto read = readJsonText(m_text, m_file);
    if (!read) return {std::nullopt, std::move(read.diagnostics)};
    const json& root = read->root();
    if (textOf(root, {"kind"}) == "Node") {
      node(root, read->placeOf(""));
    } else if (const json& items = partOf(root, "items"); items.is_array()) {
      m_listsNodes = std::any_of(items.begin(), items.end(),
                                 [](const json& i) { return textOf(i, {"kind"}) == "Node"; });
      for (std::size_t i = 0; i < items.size(); ++i) node(items[i], read->placeOf(jsonPointer("/items", i)));
    } else {
      m_source.error(read->placeOf(""), "kubernetes-nodes", "expected a list of nodes under \"items\"",
                     "give what kubectl get nodes -o json prints");
    }
    if (std::none_of(m_nodes.begin(), m_nodes.end(), [](const Node& n) { return !n.host.groups.empty(); }))
      findPlaces();
    addRequests();
    for (Node& n : m_nodes) m_hosts.add(std::move(n.host), n.place);
    noteOthers();
    return m_hosts.finish();
  }

private:
  void node(const json& n, const Place& place) {
    if (const std::string kind = textOf(n, {"kind"}); kind == "Pod" && m_listsNodes)
      return pod(n, place);
    else if (!kind.empty() && kind != "Node")
      return m_source.error(place, "kubernetes-nodes", "this is a " + kind + ", not a Node",
                            "give what kubectl get nodes -o json prints");
    const json &labels = partOf(partOf(n, "metadata"), "labels"),
               &capacity = partOf(partOf(n, "status"), "capacity");
    HostList::Host host;
    host.name = textOf(partOf(n, "metadata"), {"name"});
    countDevices(host, labels, capacity, partOf(partOf(n, "status"), "allocatable"));
    for (const char* label : kProducts)
      if (host.device.empty()) host.device = textOf(labels, {label});
    for (const char* label : kInstanceTypes)
      if (const std::string type = textOf(labels, {label}); host.device.empty() && findInstanceType(type))
        host.device = type;
    if (host.device.ends_with("-SHARED")) host.device.resize(host.device.size() - 7);
    for (const auto& family : kFamilies) {
      for (const char* label : family)
        if (const std::string value = *label ? textOf(labels, {label}) : std::string(); !value.empty())
          host.groups.push_back(value);
      if (!host.groups.empty()) break;
    }
    if (!host.groups.empty())
      if (const std::string zone = textOf(labels, {"topology.kubernetes.io/zone"}); !zone.empty())
        host.groups.insert(host.groups.begin(), zone);
    for (const char* label : kDomains)
      if (host.nvlinkDomain.empty()) host.nvlinkDomain = textOf(labels, {label});
    findState(host, n);
    m_nodes.push_back({std::move(host), place, &labels});
  }

  void countDevices(HostList::Host& host, const json& labels, const json& capacity, const json& allocatable) {
    int devices = 0, offered = 0;
    for (const char* resource : kDevices)
      if (const auto count = countIn(capacity, resource, 1, kMostOffered)) {
        devices += static_cast<int>(*count);
        offered += static_cast<int>(countIn(allocatable, resource, 0, kMostOffered).value_or(*count));
      }
    for (const auto& [resource, count] : membersOf(capacity).items())
      if (resource.starts_with("nvidia.com/mig-"))
        host.partitions +=
            static_cast<int>(countIn(capacity, resource.c_str(), 0, kMostDevicesOfHost).value_or(0));
    // What NVIDIA's discovery counts are whole devices, however they are offered.
    const int physical =
        static_cast<int>(countIn(labels, "nvidia.com/gpu.count", 0, kMostDevicesOfHost).value_or(0));
    const bool isRenamed = membersOf(capacity).contains("nvidia.com/gpu.shared");
    if (devices == 0 && host.partitions == 0) devices = offered = physical;
    if (isPartition(textOf(labels, {kProducts[0]})) ||
        !textOf(labels, {"cloud.google.com/gke-gpu-partition-size"}).empty()) {
      host.partitions = std::max(host.partitions, devices);
      devices = offered = 0;
    }
    if (devices == 0 && host.partitions == 0) noteResources(capacity);
    if (isRenamed) host.sharedBy = 2;
    for (const char* label : kReplicas)
      if (const auto replicas = countIn(labels, label, 2, kMostDevicesOfHost);
          replicas && devices > 0 && devices % *replicas == 0 && (physical == 0 || devices > physical)) {
        host.sharedBy = static_cast<int>(*replicas);
        devices /= host.sharedBy;
        offered /= host.sharedBy;
        break;
      }
    // Sharing that no label states.
    if (physical > 0 && devices > physical) {
      host.sharedBy = std::max(2, devices / physical);
      offered = devices = physical;
    }
    if (offered < devices && m_lacking++ == 0) m_firstLacking = host.name;
    if (devices > kMostOfHost && m_crowded++ == 0) m_firstCrowded = host.name;
    host.devices = devices;
    host.withheld = std::max(0, devices - offered);
  }

  void noteResources(const json& capacity) {
    for (const auto& [resource, count] : membersOf(capacity).items())
      if (resource.find('/') != std::string::npos && resource.find("hugepages") == std::string::npos &&
          !resource.starts_with("rdma/") && textOf(count) != "0")
        ++m_resources[resource];
  }

  void findState(HostList::Host& host, const json& n) {
    // The first cause is the one that is shown; a node that is not ready has taints as well.
    const auto set = [&host](HostState state, const std::string& word) {
      if (host.state && host.state->state != HostState::Free) return;
      host.state = StateWord{state, false};
      host.word = word;
    };
    const json& spec = partOf(n, "spec");
    if (const json& conditions = partOf(partOf(n, "status"), "conditions"); conditions.is_array())
      for (const json& c : conditions)
        if (textOf(c, {"type"}) == "Ready")
          textOf(c, {"status"}) == "True" ? set(HostState::Free, "Ready") : set(HostState::Down, "not ready");
    if (const json& cordoned = partOf(spec, "unschedulable"); cordoned.is_boolean() && cordoned.get<bool>())
      set(HostState::Drained, "cordoned");
    if (const json& taints = partOf(spec, "taints"); taints.is_array())
      for (const json& t : taints) {
        const std::string key = textOf(t, {"key"});
        if (textOf(t, {"effect"}) == "PreferNoSchedule") continue;
        const std::string word = key.substr(key.find('/') + 1);
        if (startsWithAny(key, kOutOfService))
          set(word == "not-ready" || word == "unreachable" || word == "network-unavailable" ||
                      word == "out-of-service" || word == "shutdown"
                  ? HostState::Down
                  : HostState::Drained,
              word);
        else if (host.devices.value_or(0) > 0 && key.find("gpu") == std::string::npos &&
                 key.find("tpu") == std::string::npos && key.find("accelerator") == std::string::npos)
          ++m_taints[key];
      }
  }

  /// Devices that the containers of a pod request of its node. A pod that has ended requests none.
  void pod(const json& p, const Place& place) {
    m_hasPods = true;
    const json& spec = partOf(p, "spec");
    const std::string node = textOf(spec, {"nodeName"}), phase = textOf(partOf(p, "status"), {"phase"});
    if (node.empty() || phase == "Succeeded" || phase == "Failed") return;
    const auto requested = [this](const json& container) {
      const json& resources = partOf(container, "resources");
      int sum = 0;
      for (const char* resource : kDevices) {
        const auto limit = countIn(partOf(resources, "limits"), resource, 0, kMostDevicesOfHost);
        sum += static_cast<int>(countIn(partOf(resources, "requests"), resource, 0, kMostDevicesOfHost)
                                    .value_or(limit.value_or(0)));
      }
      for (const char* part : {"requests", "limits"})
        for (const auto& [resource, count] : membersOf(partOf(resources, part)).items())
          if (resource.starts_with("nvidia.com/") && resource != kDevices[0] && textOf(count) != "0")
            m_shares.insert(resource);
      return sum;
    };
    int together = 0, first = 0;
    if (const json& all = partOf(spec, "containers"); all.is_array())
      for (const json& c : all) together += requested(c);
    // Init containers run one by one, before the others.
    if (const json& all = partOf(spec, "initContainers"); all.is_array())
      for (const json& c : all) first = std::max(first, requested(c));
    if (const int devices = std::max(together, first); devices > 0) {
      const auto [of, isNew] = m_requests.emplace(node, Request{0, place});
      of->second.devices += devices;
    }
  }

  /// Requests of pods for nodes that the file does not have are an error: it would lack these hosts.
  void addRequests() {
    if (!m_hasPods) return;
    std::set<std::string> known;
    for (Node& n : m_nodes) {
      known.insert(n.host.name);
      const auto of = m_requests.find(n.host.name);
      n.host.inUse = DevicesInUse{of == m_requests.end() ? 0 : of->second.devices, {}};
      if (n.host.sharedBy > 1)
        n.host.inUse->count = (n.host.inUse->count + n.host.sharedBy - 1) / n.host.sharedBy;
      if (n.host.inUse->count > 0 && n.host.word.empty()) n.host.word = "pods";
      if (n.host.inUse->count > 0 && n.host.word == "Ready") n.host.word = "Ready, pods";
      if (!n.host.state && n.host.inUse->count == 0) n.host.inUse.reset();
    }
    for (const auto& [node, request] : m_requests)
      if (!known.count(node))
        m_source.error(request.place, "kubernetes-pod",
                       "this pod runs on the node " + nest::quoted(node) + ", which the file does not list",
                       "give all nodes with the pods: kubectl get nodes,pods -A -o json");
    if (!m_shares.empty()) {
      std::string names;
      for (const std::string& s : m_shares) names += (names.empty() ? "" : ", ") + s;
      m_source.note(m_source.whole(), "kubernetes-shares",
                    "requests of pods for these resources are not counted as devices in use: " + names,
                    "set hosts that they keep busy to busy");
    }
  }

  /// No provider's labels are there: those that repeat between hosts may say where they stand.
  void findPlaces() {
    struct Label {
      std::string name;
      std::optional<int> rank;
      std::vector<std::string> values;
      std::size_t count = 0;  ///< of different values
    };
    std::map<std::string, Label> labels;
    std::vector<Node*> hosts;
    for (Node& n : m_nodes)
      if (n.host.devices.value_or(0) > 0) hosts.push_back(&n);
    for (const Node* n : hosts)
      for (const auto& [name, value] : membersOf(*n->labels).items())
        if (!startsWithAny(name, kNoPlaces) && value.is_string())
          labels[name].values.push_back(value.get<std::string>());
    std::vector<Label> places;
    std::map<std::string, int> others;  // how many values each has
    for (auto& [name, label] : labels) {
      label.name = name;
      // A zone is a building and more; it says nothing of the switches in it.
      if (!name.starts_with("topology.kubernetes.io/")) label.rank = rankOfLabel(name);
      label.count = std::set<std::string>(label.values.begin(), label.values.end()).size();
      if (label.count < 2 || label.count == label.values.size()) continue;
      if (label.rank && label.values.size() == hosts.size())
        places.push_back(label);
      else
        others.emplace(name, static_cast<int>(label.count));
    }
    std::stable_sort(places.begin(), places.end(), [](const Label& a, const Label& b) {
      return std::pair(a.count, *a.rank) < std::pair(b.count, *b.rank);
    });
    const auto isWithin = [](const Label& inner, const Label& outer) {
      std::map<std::string, std::string> above;
      for (std::size_t i = 0; i < inner.values.size(); ++i)
        if (above.emplace(inner.values[i], outer.values[i]).first->second != outer.values[i]) return false;
      return true;
    };
    std::string names;
    const Label* outer = nullptr;
    for (const Label& place : places) {
      if (outer && (!isWithin(place, *outer) || place.count == outer->count)) {
        others.emplace(place.name, static_cast<int>(place.count));
        continue;
      }
      outer = &place;
      names += (names.empty() ? "" : ", ") + place.name;
      for (std::size_t i = 0; i < hosts.size(); ++i) hosts[i]->host.groups.push_back(place.values[i]);
    }
    if (!names.empty())
      m_source.note(m_source.whole(), "kubernetes-places",
                    "these labels are taken for where the hosts stand, outermost first: " + names,
                    "leave labels out of the file that are none");
    if (!others.empty())
      m_source.note(m_source.whole(), "kubernetes-labels",
                    "these labels repeat between hosts and are not used: " + countedNames(others, " values"),
                    "if one says where a host stands, name it fabric.topograph.run/tier-0 (nearest to the "
                    "host), tier-1, …");
  }

  void noteOthers() {
    if (m_lacking > 0)
      m_source.note(m_source.whole(), "kubernetes-allocatable",
                    (m_lacking == 1 ? "the host " + nest::quoted(m_firstLacking) + " offers"
                                    : text::count(m_lacking) + " hosts, the first of them " +
                                          nest::quoted(m_firstLacking) + ", offer") +
                        " fewer devices than " + (m_lacking == 1 ? "it has" : "they have") +
                        " (allocatable, capacity): as many of the last ones count as down",
                    "set which devices are down under Topology");
    if (m_crowded > 0)
      m_source.warning(m_source.whole(), "kubernetes-crowded",
                       (m_crowded == 1 ? "the host " + nest::quoted(m_firstCrowded) + " has"
                                       : text::count(m_crowded) + " hosts, the first of them " +
                                             nest::quoted(m_firstCrowded) + ", have") +
                           " more than " + std::to_string(kMostOfHost) +
                           " devices; they may be shares of devices (vGPU, time-slicing)",
                       "set the label nvidia.com/gpu.count to the number of whole devices");
    if (!m_taints.empty())
      m_source.note(m_source.whole(), "kubernetes-taints",
                    "hosts with these taints count: " + countedNames(m_taints, " hosts"),
                    "leave hosts out of the file that take no such work");
    if (!m_resources.empty())
      m_source.note(m_source.whole(), "kubernetes-resources",
                    "these resources of hosts without devices are not known as devices: " +
                        countedNames(m_resources, " hosts"));
  }

  struct Node {
    HostList::Host host;
    Place place;
    const json* labels;
  };
  struct Request {
    int devices = 0;
    Place place;  ///< of the first pod
  };
  std::vector<Node> m_nodes;
  std::map<std::string, Request> m_requests;  ///< of pods, by node
  std::set<std::string> m_shares;             ///< of devices, that pods request
  bool m_listsNodes = false, m_hasPods = false;
  std::map<std::string, int> m_taints, m_resources;
  int m_lacking = 0, m_crowded = 0;
  std::string m_firstLacking, m_firstCrowded;
  SourceText m_source;
  HostList m_hosts;
  std::string_view m_text;
  std::string m_file;
};

}  // namespace

const Format& kubernetesNodesFormat() {
  static constexpr Format format = {
      .key = "kubernetes-nodes",
      .name = "Kubernetes nodes",
      .suffixes = "json",
      .fileNames = "",
      .example = R"({"apiVersion": "v1", "kind": "NodeList", "items": [{"kind": "Node",
  "metadata": {"name": "gpu0", "labels": {"network.topology.nvidia.com/leaf": "leaf0"}},
  "status": {"capacity": {"nvidia.com/gpu": "8"}}}]})",
      .remarks =
          R"(What kubectl get nodes -o json prints, or kubectl get nodes,pods -A -o json to know which GPUs are in use: the labels of topograph, AWS, Google, Oracle, Nebius and CoreWeave that say where a
node is connected, or others named for places (…/rack), the GPUs of its capacity and what they are called,
nvidia.com/gpu.clique as NVLink domain.)",
      .claims =
          [](const FileLook& f) {
            return f.names("apiVersion") && !f.names("HyperNode") &&
                   (f.names("NodeList") || f.names("nodeInfo") ||
                    (f.names("Node") && (f.names("capacity") || f.names("labels"))));
          },
      .read = ReadHostTree(
          [](std::string_view text, const std::string& file) { return NodesReader(text, file).run(); })};
  return format;
}

}  // namespace nest
