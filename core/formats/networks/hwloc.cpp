#include <algorithm>
#include <map>
#include <pugixml.hpp>
#include <sstream>

#include "formats/format.h"
#include "formats/networks/nvidia_topo.h"
#include "text/decimal.h"
#include "text/xml_source.h"

namespace nest {
namespace {

constexpr XmlFormat kHwlocFormat{"hwloc topology XML", "topology", "not-hwloc", 64u << 20};
constexpr int kMostHwlocDepth = 64;
constexpr std::size_t kMostHwlocDevices = 128;
constexpr double kHwlocHop = 0.5e-6;

/// What lstopo writes of a host (hwloc 2 and 3): packages, PCI bridges with the rate of their links, GPUs,
/// adapters; NVLink and Infinity Fabric where hwloc was built with NVML or ROCm SMI, as a matrix of
/// bandwidths.
class HwlocReader {
public:
  HwlocReader(std::string_view text, const std::string& file, const DeviceSpec& device)
      : m_source(text, file), m_figures(hostFiguresOf(device)) {}

  Reading<HostTopology> run() {
    if (const auto topology = readXml(m_source, m_document, kHwlocFormat)) read(topology);
    if (!m_source.failed()) findNearestDevices(m_out);
    return resultOf(m_source, std::move(m_out));
  }

private:
  Place at(const pugi::xml_node& n) const { return placeOf(m_source, n); }

  void read(const pugi::xml_node& topology) {
    m_out.format = "hwloc topology";
    m_root = add("system", NodeKind::Switch);
    for (const auto object : topology.children("object")) walk(object, m_root, 0);
    if (m_source.failed()) return;
    if (m_out.deviceCount() == 0)
      return m_source.error(at(topology), "no-devices", "the file shows no GPU",
                            "call lstopo with --whole-io on a host with GPUs");
    for (const auto& d : topology.children())
      if (std::string_view(d.name()).starts_with("distances2")) readDistances(d);
    if (m_fabricLinks == 0)
      m_source.warning(
          at(topology), "hwloc-no-nvlink",
          "the file shows no links between GPUs other than PCIe; NVLink, if there is any, is missing",
          "use lstopo of a hwloc built with NVML or ROCm SMI, nvidia-smi topo -m or NCCL_TOPO_DUMP_FILE");
    m_source.note(at(topology), "hwloc-figures-assumed",
                  "the file gives no speed for adapters and between packages; usual values are assumed",
                  "check the links' bandwidths");
  }

  int add(const std::string& id, NodeKind kind) { return m_out.add(id, kind); }
  void link(int a, int b, BytesPerSecond rate, Seconds latency) {
    m_out.graph.links.push_back({a, b, rate, latency, 1, false, false, Origin::Estimated});
  }

  /// pci_link_speed is in GB/s; 0 where it is not known.
  BytesPerSecond rateOf(const pugi::xml_node& pci, BytesPerSecond parent) const {
    const auto rate = readDecimal(pci.attribute("pci_link_speed").as_string("0"), 9);
    return rate && *rate > 0 && *rate < 1e13 ? BytesPerSecond(*rate) : parent;
  }

  static bool isGpu(const pugi::xml_node& pci) {
    const std::string_view type = pci.attribute("pci_type").value();  // "0302 [10de:2330] [10de:16c1] a1"
    const std::string_view vendor = type.size() > 9 ? type.substr(6, 4) : std::string_view();
    if (vendor != "10de" && vendor != "1002" && vendor != "8086" && vendor != "1da3") return false;
    const std::string_view kind = type.substr(0, 4);
    return kind == "0302" || kind == "0380" || kind == "1200" || (kind == "0300" && vendor != "8086");
  }

  void walk(const pugi::xml_node& object, int parent, int depth, BytesPerSecond rate = {}) {
    if (depth > kMostHwlocDepth)
      return m_source.error(at(object), "hwloc-too-deep", "objects are nested more than 64 deep");
    const std::string_view type = object.attribute("type").value();
    int here = parent;
    BytesPerSecond inner = rate;
    if (type == "Package" || type == "Socket") {
      here = add("socket" + std::to_string(m_sockets++), NodeKind::Switch);
      link(m_root, here, m_figures.socket, m_figures.socketLatency * 0.5);
    } else if (type == "Bridge" && object.attribute("pci_busid")) {
      inner = rateOf(object, rate.value() > 0 ? rate : m_figures.pcie);
      here = add("pci " + std::string(object.attribute("pci_busid").value()), NodeKind::Switch);
      link(parent, here, inner, Seconds(kHwlocHop));
    } else if (type == "PCIDev") {
      return readDevice(object, parent, rateOf(object, rate.value() > 0 ? rate : m_figures.pcie));
    }
    for (const auto child : object.children("object")) walk(child, here, depth + 1, inner);
  }

  void readDevice(const pugi::xml_node& pci, int parent, BytesPerSecond rate) {
    if (isGpu(pci)) {
      if (m_gpus.size() == kMostHwlocDevices)
        return m_source.error(at(pci), "hwloc-too-large", "at most 128 GPUs are read");
      const int node = add("GPU" + std::to_string(m_gpus.size()), NodeKind::Device);
      link(parent, node, rate, Seconds(kHwlocHop));
      m_gpus.push_back(node);
      m_byIndex[pci.attribute("gp_index").value()] = node;
      for (const auto os : pci.children("object")) {
        m_byIndex[os.attribute("gp_index").value()] = node;
        for (const auto info : os.children("info"))
          if (m_out.deviceName.empty() && std::string_view(info.attribute("name").value()) == "GPUModel")
            m_out.deviceName = info.attribute("value").value();
      }
      return;
    }
    for (const auto os : pci.children("object")) {
      const std::string name = os.attribute("name").value();
      const bool isFabric = name.starts_with("mlx") || name.starts_with("bnxt_re") ||
                            name.starts_with("irdma") || name.starts_with("rdmap") ||
                            name.starts_with("efa") || name.starts_with("hfi") || name.starts_with("ionic");
      if (!isFabric || m_out.adapters.size() == kMostHwlocDevices) continue;
      const int node = add(name, NodeKind::Switch);
      link(parent, node, rate, Seconds(kHwlocHop));
      m_out.adapters.push_back(
          {name, node, std::min(m_figures.adapter, rate), m_figures.adapterLatency, Origin::Estimated, {}});
    }
  }

  /// MB/s from each object to each; the diagonal has no meaning.
  void readDistances(const pugi::xml_node& d) {
    const std::string_view name = d.attribute("name").value();
    if (name != "NVLinkBandwidth" && name != "XGMIBandwidth") return;
    std::vector<int> ends;
    for (const auto part : d.children("indexes")) {
      std::istringstream words{std::string(part.child_value())};
      for (std::string w; words >> w;) {
        const auto gpu = m_byIndex.find(w.substr(w.find(':') == std::string::npos ? 0 : w.find(':') + 1));
        ends.push_back(gpu == m_byIndex.end() ? -1 : gpu->second);
      }
    }
    std::vector<double> values;
    for (const auto part : d.children("u64values")) {
      std::istringstream words{std::string(part.child_value())};
      for (std::string w; words >> w;)
        values.push_back(static_cast<double>(readWhole(w, 0, 1LL << 50).value_or(0)) * 1e6);
    }
    if (ends.size() > 2 * kMostHwlocDevices || values.size() != ends.size() * ends.size())
      return m_source.error(at(d), "hwloc-distances",
                            std::string(name) + " has " + std::to_string(values.size()) + " values for " +
                                std::to_string(ends.size()) + " objects");
    // What is no GPU in it is an NVSwitch; all of a host act as one.
    int hub = -1;
    for (std::size_t i = 0; i < ends.size(); ++i) {
      if (ends[i] < 0) continue;
      double toSwitches = 0;
      for (std::size_t j = 0; j < ends.size(); ++j) {
        const double rate = values[i * ends.size() + j];
        if (i == j || rate <= 0) continue;
        if (ends[j] < 0)
          toSwitches += rate;
        else if (i < j && ends[i] != ends[j])
          link(ends[i], ends[j], BytesPerSecond(rate), m_figures.nvlinkLatency), ++m_fabricLinks;
      }
      if (toSwitches <= 0) continue;
      if (hub < 0) hub = add("nvswitch", NodeKind::Switch);
      link(ends[i], hub, BytesPerSecond(toSwitches), m_figures.nvlinkLatency * 0.5), ++m_fabricLinks;
    }
  }

  SourceText m_source;
  pugi::xml_document m_document;
  HostLinkFigures m_figures;
  HostTopology m_out;
  int m_root = 0, m_sockets = 0, m_fabricLinks = 0;
  std::vector<int> m_gpus;
  std::map<std::string, int> m_byIndex;  ///< GPUs by the gp_index of their PCI or OS device
};

}  // namespace

const Format& hwlocFormat() {
  static constexpr Format format = {
      .key = "hwloc",
      .name = "hwloc XML",
      .suffixes = "xml",
      .fileNames = "",
      .example =
          R"(<topology version="2.0"><object type="Machine"><object type="Package"><object type="Bridge" bridge_type="0-1">
<object type="PCIDev" gp_index="7" pci_busid="0000:17:00.0" pci_type="0302 [10de:2330] [10de:16c1] a1" pci_link_speed="63.0"/>
</object></object></object></topology>)",
      .remarks = "What lstopo --of xml writes of a host; NVLink where hwloc was built with NVML.",
      .claims =
          [](const FileLook& f) { return f.word.starts_with('<') && (f.has("<topology") || f.has("hwloc")); },
      .read = ReadHost([](std::string_view text, const std::string& file, const DeviceSpec& device) {
        return HwlocReader(text, file, device).run();
      })};
  return format;
}

}  // namespace nest
