#include "formats/networks/nccl_xml.h"

#include <algorithm>
#include <map>
#include <pugixml.hpp>
#include <unordered_set>
#include <utility>

#include "cluster/devices/device_names.h"
#include "formats/format.h"
#include "text/decimal.h"
#include "text/xml_source.h"

namespace nest {
namespace {

constexpr XmlFormat kNcclXmlFormat{"NCCL topology XML", "system", "not-nccl", 16u << 20};
constexpr int kMostNcclDepth = 32;
constexpr std::size_t kMostNcclNodes = 10'000;
constexpr double kPcieShare = 0.75;  ///< of the raw rate, after encoding and packet heads
constexpr double kPciHop = 0.5e-6, kSwitchHop = 0.5e-6;

double nvlinkRate(long long sm) {
  return (sm >= 100 ? 40.1 : sm >= 90 ? 20.6 : sm == 86 ? 12.0 : sm >= 70 ? 20.0 : 18.0) * 1e9;
}

/// What NCCL reckons between sockets, by the processor (src/graph/topo.h); 16 GB/s where it is not told.
double socketRate(const pugi::xml_node& cpu) {
  const std::string_view arch = cpu.attribute("arch").value(), vendor = cpu.attribute("vendor").value();
  const int family = cpu.attribute("familyid").as_int(), model = cpu.attribute("modelid").as_int();
  if (arch == "arm64") return 6e9;
  if (arch == "ppc64") return 32e9;
  if (vendor == "GenuineIntel" && family == 6)
    return (model >= 0xCF ? 40.0 : model >= 0x8F ? 22.0 : model >= 0x55 ? 10.0 : 6.0) * 1e9;
  // 191: family 1Ah, Zen 5; 175: 19h, Zen 3 and 4; 143: 17h, Zen 1 and 2.
  if (vendor == "AuthenticAMD") return (family >= 191 ? 32.0 : family >= 175 ? 24.0 : 16.0) * 1e9;
  return 16e9;
}

/// What RCCL reckons per Infinity Fabric link of a generation ("gfx942", "942").
double xgmiRate(const pugi::xml_node& gpu) {
  const std::string_view gcn = gpu.attribute("gcn").value();
  return (gcn.find("94") != std::string_view::npos || gcn.find("95") != std::string_view::npos     ? 48.0
          : gcn.find("90a") != std::string_view::npos || gcn.find("910") != std::string_view::npos ? 36.0
                                                                                                   : 24.0) *
         1e9;
}

/// PCI classes of display controllers and, as newer accelerators have it, of processing accelerators.
bool isAccelerator(std::string_view pciClass) {
  return pciClass.starts_with("0x0302") || pciClass.starts_with("0x0300") || pciClass.starts_with("0x0380") ||
         pciClass.starts_with("0x1200");
}

class NcclReader {
public:
  NcclReader(std::string_view text, const std::string& file) : m_source(text, file) {}

  Reading<HostTopology> run() {
    if (const auto system = readXml(m_source, m_document, kNcclXmlFormat)) read(system);
    if (!m_source.failed()) findNearestDevices(m_out);
    return resultOf(m_source, std::move(m_out));
  }

private:
  Place at(const pugi::xml_node& n) const { return placeOf(m_source, n); }

  void read(const pugi::xml_node& system) {
    m_out.format = "NCCL topology";
    // Hosts that NVLink joins stand in one file, told apart by their hashes.
    std::map<std::string, std::vector<int>> sockets;
    for (const auto cpu : system.children("cpu")) sockets[cpu.attribute("host_hash").value()];
    const bool isOneHost = sockets.size() < 2;
    std::map<std::string, std::string> names;
    for (const auto cpu : system.children("cpu")) {
      const std::string hash = cpu.attribute("host_hash").value();
      std::vector<int>& own = sockets[hash];
      if (!isOneHost) {
        m_host = names.emplace(hash, "host" + std::to_string(names.size())).first->second;
        m_prefix = m_host + ' ';
      }
      const int node = add("cpu" + std::to_string(own.size()), NodeKind::Switch);
      for (int other : own) link(other, node, socketRate(cpu), kPciHop);
      own.push_back(m_socket = node);
      if (own.size() > 64) return m_source.error(at(cpu), "nccl-too-large", "more than 64 sockets");
      if (m_out.graph.nodes.size() > kMostNcclNodes) return tooLarge(cpu);
      for (const auto pci : cpu.children("pci")) readPci(pci, node, 0);
      for (const auto nic : cpu.children("nic")) readNic(nic, node, 0);
    }
    m_prefix.clear();
    linkNvlinks();
    if (m_isPartial && !m_source.failed())
      m_source.warning(at(system), "nccl-partial",
                       "the file places PCI devices and names no GPUs, as files made for NCCL_TOPO_FILE do; "
                       "its display controllers count as GPUs, joined by PCIe alone, and its adapters reach "
                       "the speed of their slots",
                       "for NVLink and adapter speeds use what NCCL_TOPO_DUMP_FILE writes");
    if (m_out.deviceCount() == 0 && !m_source.failed())
      m_source.error(at(system), "no-devices", "the file names no <gpu>");
  }

  int add(const std::string& id, NodeKind kind) { return m_out.add(m_prefix + id, kind, m_host); }
  void link(int a, int b, double rate, double latency, int times = 1) {
    m_out.graph.links.push_back(
        {a, b, BytesPerSecond(rate), Seconds(latency), times, false, false, Origin::Estimated});
  }

  /// A whole-number attribute; reported if it is there and no such number.
  long long whole(const pugi::xml_node& n, const char* name, long long absent, long long least,
                  long long most) {
    const auto a = n.attribute(name);
    if (!a || !*a.value()) return absent;
    if (const auto v = readWhole(a.value(), least, most)) return *v;
    m_source.error(at(n), "nccl-attribute",
                   std::string(name) + " of <" + n.name() + "> is " + quoted(a.value()) +
                       "; expected: a whole number from " + std::to_string(least) + " to " +
                       std::to_string(most));
    return absent;
  }

  /// Bytes/s of `link_speed="32.0 GT/s PCIe" link_width="16"`; 0: not stated (a virtual bridge), the parent's
  /// counts.
  double pcieRate(const pugi::xml_node& pci) {
    const std::string_view speed = pci.attribute("link_speed").value();
    const double width = static_cast<double>(whole(pci, "link_width", 16, 0, 255));
    if (width == 0 || width == 255) return 0;  // 255: the device does not know
    if (speed.empty() || speed.substr(0, 7) == "Unknown") return 0;
    const auto transfers = readDecimal(speed.substr(0, speed.find(' ')), 9);
    if (!transfers || *transfers < 0 || *transfers > 1e13) {
      m_source.error(at(pci), "nccl-attribute",
                     "link_speed is " + quoted(speed) + "; expected: a rate like \"32.0 GT/s PCIe\"");
      return 0;
    }
    return *transfers * width / 8 * kPcieShare;
  }

  void readPci(const pugi::xml_node& pci, int parent, double parentRate, int depth = 0) {
    if (depth > kMostNcclDepth)
      return m_source.error(at(pci), "nccl-too-deep", "PCI bridges are nested more than 32 deep");
    if (m_out.graph.nodes.size() > kMostNcclNodes) return tooLarge(pci);
    const std::string busid = pci.attribute("busid").value();
    if (busid.empty()) return m_source.error(at(pci), "nccl-busid", "<pci> needs a busid");
    double rate = pcieRate(pci);
    if (rate <= 0) rate = parentRate > 0 ? parentRate : 24e9;
    const auto gpu = pci.child("gpu");
    const std::string_view kind = pci.attribute("class").value();
    const bool isBare = !pci.first_child();
    if (gpu || (isBare && isAccelerator(kind))) return readGpu(gpu ? gpu : pci, busid, parent, rate);
    if (isBare && kind.starts_with("0x02")) return addAdapter("nic " + busid, parent, rate, 0, 0, false);
    const int node = addBridge(busid, at(pci));
    link(parent, node, rate, kPciHop);
    for (const auto child : pci.children("pci")) readPci(child, node, rate, depth + 1);
    for (const auto nic : pci.children("nic")) readNic(nic, node, rate);
  }

  /// NCCL takes bridges of one number for several, as some machines have them; only GPUs are link targets.
  int addBridge(const std::string& busid, const Place& where) {
    const int times = ++m_bridges[m_prefix + busid];
    if (times == 2)
      m_source.warning(
          where, "nccl-busid",
          "the busid " + quoted(busid) + " appears more than once; each counts as a device of its own");
    return add("pci " + busid + (times > 1 ? " (" + std::to_string(times) + ")" : ""), NodeKind::Switch);
  }

  void readGpu(const pugi::xml_node& gpu, const std::string& busid, int parent, double rate) {
    const int node =
        add("GPU" + std::to_string(whole(gpu, "dev", static_cast<long long>(m_gpus.size()), 0, 100000)),
            NodeKind::Device);
    if (!m_byBus.emplace(m_prefix + busid, node).second)
      return m_source.error(at(gpu), "nccl-busid", "the busid " + quoted(busid) + " is duplicated");
    if (!m_gpuIds.insert(m_out.graph.nodes[node].id).second)
      return m_source.error(at(gpu), "nccl-dev",
                            "two GPUs have the number dev=" + quoted(gpu.attribute("dev").value()));
    link(parent, node, rate, kPciHop);
    m_isPartial = m_isPartial || std::string_view(gpu.name()) == "pci";
    m_gpus.push_back({node, m_socket, whole(gpu, "sm", 80, 0, 10000), gpu, m_prefix});
    if (const std::string gcn = gpu.attribute("gcn").value(); !gcn.empty())
      takeName(gcn.starts_with("gfx") ? gcn : "gfx" + gcn, at(gpu));
    else if (gpu.attribute("sm"))
      takeArchitecture(static_cast<int>(m_gpus.back().sm), at(gpu));
    for (const auto c2c : gpu.children("c2c")) {
      const double megabytes = static_cast<double>(whole(c2c, "bw", 0, 0, 100'000'000)) *
                               static_cast<double>(whole(c2c, "count", 1, 1, 1000));
      if (megabytes > 0) link(parent, node, megabytes * 1e6, kPciHop);
    }
  }

  void takeName(const std::string& name, const Place& where) {
    if (m_out.deviceName.empty()) m_out.deviceName = name;
    if (name != m_out.deviceName && !std::exchange(m_hasToldMix, true))
      m_source.warning(where, "nccl-mixed",
                       "the file has GPUs of " + m_out.deviceName + " and of " + name +
                           "; all count as those of " + m_out.deviceName,
                       "give hosts of different GPUs as files of their own");
  }

  /// A host counts as its slowest GPU, as all devices of a stage wait for it.
  void takeArchitecture(int sm, const Place& where) {
    if (m_out.architecture == 0 || sm == m_out.architecture) {
      m_out.architecture = sm;
      return;
    }
    const auto nameOfSm = [](int number) {
      const DeviceSpec* usual = usualOfArchitecture(number);
      return "SM " + std::to_string(number) + (usual ? " (" + usual->name + ")" : std::string());
    };
    const int slower = std::min(sm, m_out.architecture);
    if (!std::exchange(m_hasToldMix, true))
      m_source.warning(where, "nccl-mixed",
                       "the file has GPUs of " + nameOfSm(m_out.architecture) + " and of " + nameOfSm(sm) +
                           "; all count as those of " + nameOfSm(slower),
                       "give hosts of different GPUs as files of their own");
    m_out.architecture = slower;
  }

  void readNic(const pugi::xml_node& nic, int parent, double rate) {
    for (const auto net : nic.children("net")) {
      if (m_out.graph.nodes.size() > kMostNcclNodes) return tooLarge(nic);
      std::string name = net.attribute("name").value();
      if (name.empty()) name = "net" + std::to_string(m_out.adapters.size());
      // Some adapters say −1; NCCL then reckons with 10 Gb/s.
      const long long stated = whole(net, "speed", 10000, -1, 100'000'000);
      const double megabits = stated > 0 ? static_cast<double>(stated) : 10000;
      if ((stated <= 0 || !*net.attribute("speed").value()) && !std::exchange(m_hasToldSpeed, true))
        m_source.warning(
            at(net), "nccl-speed",
            "the adapter " + quoted(name) + " states no speed; it counts with 10 Gb/s, as in NCCL",
            "write its speed in Mb/s into the file, or correct the links under Cluster");
      const auto latency = readDecimal(net.attribute("latency").as_string("0"), -6);
      if (!latency || *latency < 0)
        m_source.error(at(net), "nccl-attribute",
                       "latency is " + quoted(net.attribute("latency").value()) +
                           "; expected: a number of µs, zero or more");
      addAdapter(name, parent, rate, megabits, latency.value_or(0), stated > 0);
    }
  }

  /// `rate` of what it hangs on; `megabits` 0: not stated, so that its slot alone bounds it.
  void addAdapter(std::string name, int parent, double rate, double megabits, double latency, bool isStated) {
    name = m_prefix + name;
    while (!m_adapterNames.insert(name).second) name += "." + std::to_string(m_out.adapters.size());
    const double slot = rate > 0 ? rate : 10e9 / 8;
    const double speed = megabits > 0 ? megabits * 1e6 / 8 : slot;
    const int node = add(name.substr(m_prefix.size()), NodeKind::Switch);
    link(parent, node, rate > 0 ? rate : std::max(speed, 24e9), kPciHop);
    m_out.adapters.push_back({name,
                              node,
                              BytesPerSecond(speed),
                              Seconds(latency),
                              isStated ? Origin::Measured : Origin::Estimated,
                              {}});
  }

  void tooLarge(const pugi::xml_node& n) {
    if (!m_full) m_source.error(at(n), "nccl-too-large", "more than 10,000 PCI devices");
    m_full = true;
  }

  void linkNvlinks() {
    int hub = -1;
    std::map<std::pair<int, int>, std::pair<int, double>> direct;
    for (const auto& g : m_gpus)
      for (const auto nvlink : g.element.children()) {
        const std::string_view what = nvlink.name();
        if (what != "nvlink" && what != "xgmi") continue;
        const double rate = what == "xgmi" ? xgmiRate(g.element) : nvlinkRate(g.sm);
        const int count = static_cast<int>(whole(nvlink, "count", 1, 1, 1000));
        const std::string_view tclass = nvlink.attribute("tclass").value();
        const std::string target = nvlink.attribute("target").value();
        if (tclass.substr(0, 8) == "0x068000") {  // an NVSwitch; all switches of a host act as one
          if (hub < 0) hub = add("nvswitch", NodeKind::Switch);
          link(g.node, hub, rate, kSwitchHop, count);
        } else if (tclass.substr(0, 8) == "0x068001") {  // a processor with NVLink of its own, as POWER9
          link(g.node, g.socket, rate, kSwitchHop, count);
        } else if (const auto peer = m_byBus.find(g.prefix + target);
                   peer != m_byBus.end() && peer->second != g.node) {
          // Each end lists it.
          const auto [known, isNew] =
              direct.emplace(std::pair(std::min(g.node, peer->second), std::max(g.node, peer->second)),
                             std::pair(count, rate));
          if (!isNew && known->second.first != count)
            m_source.error(at(nvlink), "nccl-asymmetric",
                           m_out.graph.nodes[g.node].id + " and " + m_out.graph.nodes[peer->second].id +
                               " are joined differently each way: by " + std::to_string(count) +
                               " NVLinks and by " + std::to_string(known->second.first),
                           "give the file as NCCL_TOPO_DUMP_FILE writes it");
          known->second.second = std::min(known->second.second, rate);
        } else if (tclass.substr(0, 4) == "0x03") {
          m_source.warning(at(nvlink), "nccl-nvlink-target",
                           "the NVLink target " + quoted(target) +
                               (peer != m_byBus.end() ? " is the GPU itself" : " is not a GPU of this file") +
                               "; the link is left out");
        }
      }
    for (const auto& [ends, l] : direct) link(ends.first, ends.second, l.second, 2 * kSwitchHop, l.first);
  }

  struct Gpu {
    int node, socket;
    long long sm;
    pugi::xml_node element;
    std::string prefix;  ///< of its host
  };
  SourceText m_source;
  pugi::xml_document m_document;
  HostTopology m_out;
  std::map<std::string, int> m_byBus;    ///< GPUs
  std::map<std::string, int> m_bridges;  ///< how often each busid stands
  std::vector<Gpu> m_gpus;
  std::unordered_set<std::string> m_gpuIds, m_adapterNames;
  std::string m_host = "host", m_prefix;  ///< of the host that is read; ids of several hosts begin with it
  int m_socket = -1;
  bool m_full = false, m_isPartial = false, m_hasToldSpeed = false, m_hasToldMix = false;
};

}  // namespace

Reading<HostTopology> readNcclXml(std::string_view text, const std::string& file) {
  return NcclReader(text, file).run();
}

const Format& ncclFormat() {
  static constexpr Format format = {
      .key = "nccl-xml",
      .name = "NCCL topology XML",
      .suffixes = "xml",
      .fileNames = "",
      .example = R"(<system version="1"><cpu numaid="0"><pci busid="0000:01:00.0" class="0x030200"
 link_speed="32.0 GT/s PCIe" link_width="16"><gpu dev="0" sm="90"/></pci></cpu></system>)",
      .remarks =
          R"(Of one host, or of hosts that NVLink joins: what NCCL_TOPO_DUMP_FILE names; RCCL's xgmi links too.
A Slurm topology and the files of its hosts make a cluster: import --hosts 'gpu[00-15]=a.xml', or a.xml for all.)",
      .claims =
          [](const FileLook& f) {
            return f.word.starts_with('<') && (f.has("<system") || f.has("<graphs")) && !f.has("<graphml") &&
                   !f.has("<platform");
          },
      .read = ReadHost([](std::string_view text, const std::string& file, const DeviceSpec&) {
        return readNcclXml(text, file);
      })};
  return format;
}

}  // namespace nest
