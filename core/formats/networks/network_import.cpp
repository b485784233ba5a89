#include "formats/networks/network_import.h"

#include <algorithm>
#include <cctype>

#include "formats/networks/astra_sim.h"
#include "formats/networks/dot.h"
#include "formats/networks/graphml.h"
#include "formats/networks/nccl_xml.h"
#include "formats/networks/nvidia_topo.h"
#include "formats/networks/simgrid.h"
#include "formats/networks/slurm_topology.h"

namespace nest {
namespace {

constexpr std::size_t kLooked = 64u << 10;  ///< bytes looked at; comments may come first

std::string lower(std::string_view s) {
  std::string out(s);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

bool endsWith(std::string_view s, std::string_view end) {
  return s.size() >= end.size() && s.substr(s.size() - end.size()) == end;
}
bool holds(const std::string& s, std::string_view part) {
  return s.find(part) != std::string::npos;
}

/// The first word that is no comment of any of the formats and no beginning of a YAML document.
std::string firstWord(const std::string& s) {
  std::size_t at = s.compare(0, 3, "\xef\xbb\xbf") == 0 ? 3 : 0;
  while (at < s.size()) {
    if (std::isspace(static_cast<unsigned char>(s[at])))
      ++at;
    else if (s[at] == '#' || s.compare(at, 2, "//") == 0 || s.compare(at, 3, "---") == 0)
      at = std::min(s.find('\n', at), s.size());
    else if (s.compare(at, 2, "/*") == 0)
      at = s.find("*/", at) == std::string::npos ? s.size() : s.find("*/", at) + 2;
    else
      break;
  }
  const std::size_t end = std::min(s.find_first_of(" \t\r\n={\"[", at), s.size());
  return s.substr(at, end - at);
}

template <class T>
void take(Reading<ImportedNetwork>& out, Reading<T>&& from) {
  out.diagnostics.insert(out.diagnostics.end(), from.diagnostics.begin(), from.diagnostics.end());
}

}  // namespace

const char* nameOf(NetworkFormat f) {
  switch (f) {
    case NetworkFormat::SlurmConf:
      return "Slurm topology.conf";
    case NetworkFormat::SlurmYaml:
      return "Slurm topology.yaml";
    case NetworkFormat::NvidiaTopo:
      return "nvidia-smi topo -m";
    case NetworkFormat::NcclXml:
      return "NCCL topology XML";
    case NetworkFormat::AstraSim:
      return "ASTRA-sim network YAML";
    case NetworkFormat::SimGrid:
      return "SimGrid platform";
    case NetworkFormat::GraphMl:
      return "GraphML";
    case NetworkFormat::Dot:
      return "DOT";
    case NetworkFormat::Unknown:
      break;
  }
  return "unknown";
}

/// A head with GPU0, and below it what joins two devices: a list of pairs has no such words.
bool isNvidiaMatrix(const std::string& head) {
  if (!holds(head, "gpu0")) return false;
  for (const char* word : {"cpu affinity", " x ", "\tx", "nv1", "nv2", "nv4", "nv6", "nv8", "pix", "pxb",
                           "phb", " sys", "\tsys", " soc", "\tsoc", "| x"})
    if (holds(head, word)) return true;
  return false;
}

NetworkFormat recogniseNetwork(std::string_view text, std::string_view file) {
  const std::string head = lower(text.substr(0, kLooked)), word = firstWord(head), name = lower(file);
  if (!word.empty() && word[0] == '<') {
    if (holds(head, "<graphml")) return NetworkFormat::GraphMl;
    if (holds(head, "<platform")) return NetworkFormat::SimGrid;
    if (holds(head, "<system") || holds(head, "<graphs")) return NetworkFormat::NcclXml;
    return endsWith(name, ".graphml") ? NetworkFormat::GraphMl : NetworkFormat::Unknown;
  }
  if (word == "graph" || word == "digraph" || word == "strict") return NetworkFormat::Dot;
  if ((word == "include" && holds(head, "switchname")) || word == "switchname" || word == "blockname" ||
      word == "blocksizes" || word == "ringname")
    return NetworkFormat::SlurmConf;
  if (holds(head, "npus_count")) return NetworkFormat::AstraSim;
  // Kubernetes objects and AMD's tools have words in common with these.
  if (holds(head, "apiversion:") || holds(head, "rocm system management") || holds(head, "link type table") ||
      word == "nodename")
    return NetworkFormat::Unknown;
  if (word == "-" && holds(head, "topology")) return NetworkFormat::SlurmYaml;
  if (isNvidiaMatrix(head)) return NetworkFormat::NvidiaTopo;
  if (endsWith(name, "topology.conf")) return NetworkFormat::SlurmConf;
  if (endsWith(name, "topology.yaml")) return NetworkFormat::SlurmYaml;
  if (endsWith(name, ".dot") || endsWith(name, ".gv")) return NetworkFormat::Dot;
  return NetworkFormat::Unknown;
}

Reading<ImportedNetwork> importNetwork(std::string_view text, const std::string& file,
                                       const DeviceSpec& device) {
  Reading<ImportedNetwork> out;
  const NetworkFormat format = recogniseNetwork(text, file);
  const auto graph = [&](Reading<NetworkGraph> g) {
    if (g) out.value = ImportedNetwork{format, GraphSource{std::move(*g), {}, nameOf(format)}};
    take(out, std::move(g));
  };
  const auto slurm = [&](Reading<SlurmTopology> t) {
    if (t) {
      auto network = networkOf(*t, defaultFigures(*t, device));
      if (network) out.value = ImportedNetwork{format, std::move(*network)};
      take(out, std::move(network));
    }
    out.diagnostics.insert(out.diagnostics.begin(), t.diagnostics.begin(), t.diagnostics.end());
  };
  const auto host = [&](Reading<HostTopology> h) {
    if (h) out.value = ImportedNetwork{format, clusterOf(*h)};
    take(out, std::move(h));
  };
  switch (format) {
    case NetworkFormat::SlurmConf:
      slurm(readSlurmTopologyConf(text, file));
      break;
    case NetworkFormat::SlurmYaml:
      slurm(readSlurmTopologyYaml(text, file));
      break;
    case NetworkFormat::NvidiaTopo:
      host(readNvidiaTopo(text, file, hostFiguresOf(device)));
      break;
    case NetworkFormat::NcclXml:
      host(readNcclXml(text, file));
      break;
    case NetworkFormat::AstraSim: {
      auto network = readAstraSim(text, file);
      if (network) out.value = ImportedNetwork{format, levelsOf(*network)};
      take(out, std::move(network));
      break;
    }
    case NetworkFormat::SimGrid:
      graph(readSimGrid(text, file));
      break;
    case NetworkFormat::GraphMl:
      graph(readGraphMl(text, file));
      break;
    case NetworkFormat::Dot:
      graph(readDot(text, file));
      break;
    case NetworkFormat::Unknown:
      out.diagnostics.push_back(
          error("network-format", {file, 0, 0, {}},
                "this is none of the network formats that are read: Slurm topology.conf and topology.yaml, "
                "nvidia-smi topo -m, NCCL topology XML, ASTRA-sim, SimGrid, GraphML, DOT"));
  }
  return out;
}

}  // namespace nest
