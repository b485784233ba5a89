#include <algorithm>
#include <array>

#include "formats/format.h"
#include "formats/networks/host_list.h"
#include "text/decimal.h"
#include "text/json_parts.h"
#include "text/json_text.h"

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
    std::array{"cloud.provider.com/topology-block", "cloud.provider.com/topology-rack", "", "", ""},
};
constexpr const char* kDevices[] = {"nvidia.com/gpu", "amd.com/gpu",           "habana.ai/gaudi",
                                    "google.com/tpu", "aws.amazon.com/neuron", "gpu.intel.com/i915"};
constexpr const char* kDomains[] = {"nvidia.com/gpu.clique", "accelerator.topograph.run/domain"};

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
      for (std::size_t i = 0; i < items.size(); ++i) node(items[i], read->placeOf(jsonPointer("/items", i)));
    } else {
      m_source.error(read->placeOf(""), "kubernetes-nodes", "expected a list of nodes under \"items\"",
                     "give what kubectl get nodes -o json prints");
    }
    return m_hosts.finish();
  }

private:
  void node(const json& n, const Place& place) {
    if (const std::string kind = textOf(n, {"kind"}); !kind.empty() && kind != "Node")
      return m_source.error(place, "kubernetes-nodes", "this is a " + kind + ", not a Node",
                            "give what kubectl get nodes -o json prints");
    const json &labels = partOf(partOf(n, "metadata"), "labels"),
               &capacity = partOf(partOf(n, "status"), "capacity");
    HostList::Host host;
    host.name = textOf(partOf(n, "metadata"), {"name"});
    host.devices = 0;
    for (const char* resource : kDevices)
      if (const auto count = readWhole(textOf(capacity, {resource}), 1, 4096))
        host.devices = *host.devices + static_cast<int>(*count);
    if (*host.devices == 0)
      if (const auto count = readWhole(textOf(labels, {"nvidia.com/gpu.count"}), 0, 4096))
        host.devices = static_cast<int>(*count);
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
    const json& cordoned = partOf(partOf(n, "spec"), "unschedulable");
    host.isOut = cordoned.is_boolean() && cordoned.get<bool>();
    m_hosts.add(std::move(host), place);
  }

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
          R"(What kubectl get nodes -o json prints: the labels of topograph, AWS, Google and Oracle that say where a node is connected,
the GPUs of its capacity, nvidia.com/gpu.clique as NVLink domain.)",
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
