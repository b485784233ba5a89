#include "formats/networks/simgrid.h"

#include <algorithm>
#include <map>
#include <pugixml.hpp>

#include "cluster/graph/generator_shapes.h"
#include "formats/networks/network_import.h"
#include "text/counted_names.h"
#include "text/decimal.h"
#include "text/xml_source.h"
#include "units/letters.h"
#include "units/text.h"

namespace nest {
namespace {

constexpr XmlFormat kSimGridFormat{"a SimGrid platform", "platform", "not-simgrid", 4u << 20};
constexpr long long kMostSimGridHosts = NetworkBuilder::kMostDevices, kMostWhole = 1LL << 62;

using Numbers = std::vector<int>;

/// A whole number with blanks around it, as lists have them.
std::optional<long long> wholeIn(std::string_view s, long long least, long long most) {
  return readWhole(text::trimmed(s), least, most);
}

class SimGridReader {
public:
  SimGridReader(std::string_view text, const std::string& file) : m_source(text, file) {}

  Reading<NetworkGraph> run() {
    if (const auto platform = readXml(m_source, m_document, kSimGridFormat)) read(platform);
    Reading<NetworkGraph> result;
    if (!m_source.failed()) {
      result.value = m_builder.take();
      if (!result.value)
        m_source.error(m_source.whole(), "network-too-large",
                       "the cluster would have more than 200,000 hosts or 2,000,000 links");
    }
    result.diagnostics = m_source.take();
    return result;
  }

private:
  Place at(const pugi::xml_node& n) const { return placeOf(m_source, n); }

  void read(const pugi::xml_node& platform) {
    std::vector<pugi::xml_node> clusters;
    find(platform, clusters, 0);
    if (m_source.failed()) return;
    if (clusters.empty())
      return m_source.error(at(platform), "simgrid-no-cluster",
                            "the platform has no <cluster>; zones written by hand are not read",
                            "give the network as GraphML or DOT");
    if (clusters.size() > 1)
      return m_source.error(at(clusters[1]), "simgrid-clusters",
                            "the platform has " + std::to_string(clusters.size()) + " clusters; one is read",
                            "keep one, or describe the whole as GraphML");
    if (m_outside)
      m_source.warning(at(m_outside), "simgrid-outside",
                       std::string("<") + m_outside.name() +
                           "> and whatever else stands outside the <cluster> is left out",
                       "describe the whole as GraphML if it takes part");
    readCluster(clusters.front());
    if (!m_source.failed()) noteUnused();
  }

  void find(const pugi::xml_node& zone, std::vector<pugi::xml_node>& out, int depth) {
    if (depth > 16) return m_source.error(at(zone), "simgrid-too-deep", "zones are nested more than 16 deep");
    for (const auto child : zone.children()) {
      const std::string_view name = child.name();
      if (name == "cluster")
        out.push_back(child);
      else if (name == "zone" || name == "AS")
        find(child, out, depth + 1);
      else if (!m_outside && (name == "host" || name == "cabinet" || name == "peer"))
        m_outside = child;
    }
  }

  void readCluster(const pugi::xml_node& c) {
    m_cluster = c;
    const auto radical = radicals(c.attribute("radical").value());
    m_rate = rate("bw");
    m_latency = seconds("lat");
    if (m_source.failed()) return;
    for (long long r : radical)
      m_hosts.push_back(c.attribute("prefix").value() + std::to_string(r) + c.attribute("suffix").value());
    const std::string topology = c.attribute("topology").value();
    const std::string parameters = c.attribute("topo_parameters").value();
    if (topology.empty() || topology == "FLAT")
      flat();
    else if (topology == "FAT_TREE")
      fatTree(parameters);
    else if (topology == "TORUS")
      torus(parameters);
    else if (topology == "DRAGONFLY")
      dragonfly(parameters);
    else
      m_source.error(
          at(c), "simgrid-topology",
          "unknown topology " + quoted(topology) + "; expected one of: FLAT, FAT_TREE, TORUS and DRAGONFLY");
  }

  /// Attributes of a cluster that are not used. The speed of its hosts is that of the chosen device.
  void noteUnused() {
    static constexpr std::string_view kUsed[] = {"id",  "prefix",   "suffix",          "radical", "bw",
                                                 "lat", "topology", "topo_parameters", "bb_bw"};
    std::map<std::string, int> others;
    for (const auto a : m_cluster.attributes())
      if (std::find(std::begin(kUsed), std::end(kUsed), std::string_view(a.name())) == std::end(kUsed))
        others.emplace(a.name(), 1);
    if (!others.empty())
      m_source.note(at(m_cluster), "simgrid-unused", "these attributes are not used: " + countedNames(others),
                    "choose the device under Cluster (--device), which has a speed");
  }

  std::vector<long long> radicals(std::string_view s) {
    std::vector<long long> out;
    std::size_t from = 0;
    while (from <= s.size()) {
      const std::size_t end = std::min(s.find(',', from), s.size());
      const std::string_view part = s.substr(from, end - from);
      const auto dash = part.find('-');
      const auto first = wholeIn(part.substr(0, dash), 0, kMostWhole),
                 last =
                     dash == std::string_view::npos ? first : wholeIn(part.substr(dash + 1), 0, kMostWhole);
      if (!first || !last || *last < *first) {
        m_source.error(at(m_cluster), "simgrid-radical",
                       "radical is " + quoted(s) + "; expected numbers and ranges like \"0-15,20\"");
        return {};
      }
      if (static_cast<long long>(out.size()) + *last - *first + 1 > kMostSimGridHosts) {
        tooLarge();
        return {};
      }
      for (long long r = *first; r <= *last; ++r) out.push_back(r);
      from = end + 1;
    }
    return out;
  }

  /// "50GBps", "10Gbps", "1e9": bytes/s; bits where the unit's b is small.
  double rate(const char* name) {
    const std::string_view s = text::trimmed(m_cluster.attribute(name).value());
    struct Unit {
      std::string_view name;
      double scale;
    };
    static constexpr Unit units[] = {{"kBps", 1e3},
                                     {"MBps", 1e6},
                                     {"GBps", 1e9},
                                     {"TBps", 1e12},
                                     {"KiBps", 1024.0},
                                     {"MiBps", 1048576.0},
                                     {"GiBps", 1073741824.0},
                                     {"TiBps", 1099511627776.0},
                                     {"Kibps", 128.0},
                                     {"Mibps", 131072.0},
                                     {"Gibps", 134217728.0},
                                     {"Tibps", 137438953472.0},
                                     {"kbps", 1e3 / 8},
                                     {"Mbps", 1e6 / 8},
                                     {"Gbps", 1e9 / 8},
                                     {"Tbps", 1e12 / 8},
                                     {"Bps", 1},
                                     {"bps", 1.0 / 8},
                                     {"", 1}};
    return quantity(s, name, units, "a positive rate like \"50GBps\"", true);
  }
  double seconds(const char* name) {
    const std::string_view s = text::trimmed(m_cluster.attribute(name).value());
    struct Unit {
      std::string_view name;
      double scale;
    };
    static constexpr Unit units[] = {{"ps", 1e-12}, {"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3},
                                     {"s", 1},      {"m", 60},    {"", 1}};
    return quantity(s, name, units, "a time like \"1us\"", false);
  }
  template <class Units>
  double quantity(std::string_view s, const char* name, const Units& units, const char* allowed,
                  bool positive) {
    const std::size_t digits = std::min(s.find_first_not_of("0123456789.eE+-"), s.size());
    for (std::size_t n :
         {digits, digits > 0 ? digits - 1 : 0}) {  // "1e" may belong to the unit, as in no unit known today
      const auto v = readDecimal(s.substr(0, n));
      if (!v || *v < 0 || (positive && *v == 0)) continue;
      for (const auto& u : units)
        if (s.substr(n) == u.name && *v * u.scale < 1e18) return *v * u.scale;
    }
    m_source.error(at(m_cluster), "simgrid-attribute",
                   std::string(name) + " is " + quoted(s) + "; expected: " + allowed);
    return 1;
  }

  /// "2;4,4;1,2;1,2" as numbers between separators; empty with an error if it is anything else.
  std::vector<Numbers> parameterLists(const std::string& s, std::size_t lists, const char* shape) {
    std::vector<Numbers> out(1);
    std::size_t from = 0;
    while (from <= s.size()) {
      const std::size_t end = std::min(s.find_first_of(",;", from), s.size());
      const auto n = wholeIn(std::string_view(s).substr(from, end - from), 1, kMostWhole);
      if (n && *n > kMostSimGridHosts) {
        tooLarge();
        return {};
      }
      if (!n || out.back().size() >= 16 || out.size() > 8) {
        bad(s, shape);
        return {};
      }
      out.back().push_back(static_cast<int>(*n));
      if (end < s.size() && s[end] == ';') out.emplace_back();
      from = end + 1;
    }
    if (lists > 0 && out.size() != lists) {
      bad(s, shape);
      return {};
    }
    return out;
  }
  void tooLarge() {
    m_source.error(at(m_cluster), "network-too-large",
                   "the cluster is too large: at most 200,000 hosts are read");
  }
  void bad(const std::string& s, const char* shape) {
    m_source.error(at(m_cluster), "simgrid-parameters",
                   "topo_parameters is " + quoted(s) + "; expected " + shape);
  }

  bool matches(double hosts) {
    if (hosts == static_cast<double>(m_hosts.size())) return true;
    m_source.error(at(m_cluster), "simgrid-host-count",
                   "topo_parameters describe " + text::number(hosts, 7) + " hosts, radical names " +
                       std::to_string(m_hosts.size()));
    return false;
  }

  int device(std::size_t k, const std::pair<double, double>& place = {}) {
    return m_builder.addDevice(m_hosts[k], m_hosts[k], place.first, place.second);
  }
  void link(int a, int b, int times = 1) { m_builder.link(a, b, m_rate / 1e9, m_latency * 1e6, times); }

  void flat() {
    const int hub = m_builder.addSwitch("switch");
    for (std::size_t k = 0; k < m_hosts.size(); ++k) link(device(k), hub);
    if (m_cluster.attribute("bb_bw"))
      m_source.warning(at(m_cluster), "simgrid-backbone",
                       "the backbone (bb_bw) is shared by all hosts; it is not part of the levels",
                       "lower bw to the share that a host keeps");
  }

  /// Parallel ports generalised fat tree (Zahavi 2010): two nodes of neighbouring levels are joined when
  /// their digits agree everywhere but at the level between them.
  void fatTree(const std::string& s) {
    const char* shape = "\"levels;down,…;up,…;parallel,…\"";
    const auto p = parameterLists(s, 4, shape);
    if (p.empty()) return;
    const auto levels = static_cast<std::size_t>(p[0][0]);
    if (p[0].size() != 1 || levels > 8 || p[1].size() != levels || p[2].size() != levels ||
        p[3].size() != levels)
      return bad(s, shape);
    double hosts = 1, switches = 0, links = 0;
    for (int d : p[1]) hosts *= d;
    if (!matches(hosts)) return;
    for (std::size_t l = 1; l <= levels; ++l) {
      double n = 1;
      for (std::size_t i = 0; i < levels; ++i) n *= i < l ? p[2][i] : p[1][i];
      switches += n;
      links += n * p[1][l - 1];
    }
    if (switches + links > 2e6) return m_builder.refuse();
    std::vector<int> below;
    for (std::size_t k = 0; k < m_hosts.size(); ++k) below.push_back(device(k));
    for (std::size_t l = 0; l < levels; ++l) {
      // Node numbers are mixed-radix: digit i counts up[i] below this level, down[i] from it on; digit 0
      // fastest.
      std::size_t inner = 1, outer = 1;
      for (std::size_t i = 0; i < levels; ++i)
        (i < l ? inner : outer) *= i == l ? 1 : at(i < l ? p[2][i] : p[1][i]);
      const std::size_t down = at(p[1][l]), up = at(p[2][l]);
      std::vector<int> above;
      for (std::size_t k = 0; k < inner * up * outer; ++k)
        above.push_back(m_builder.addSwitch("level" + std::to_string(l + 1) + "." + std::to_string(k)));
      for (std::size_t o = 0; o < outer; ++o)
        for (std::size_t d = 0; d < down; ++d)
          for (std::size_t u = 0; u < up; ++u)
            for (std::size_t i = 0; i < inner; ++i)
              link(below[i + inner * (d + down * o)], above[i + inner * (u + up * o)], p[3][l]);
      below = std::move(above);
    }
  }
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  void torus(const std::string& s) {
    const auto p = parameterLists(s, 1, "\"x,y,…\"");
    if (p.empty()) return;
    double hosts = 1;
    for (int side : p[0]) hosts *= side;
    if (!matches(hosts)) return;
    std::vector<int> nodes;
    const GridPlaces places(p[0], true);
    for (std::size_t k = 0; k < m_hosts.size(); ++k) nodes.push_back(device(k, places.of(k)));
    std::size_t stride = 1;
    for (int length : p[0]) {
      const std::size_t side = at(length);
      for (std::size_t k = 0; k < nodes.size(); ++k) {
        const std::size_t c = k / stride % side;
        if (c + 1 < side)
          link(nodes[k], nodes[k + stride]);
        else if (side > 2)
          link(nodes[k], nodes[k - stride * (side - 1)]);
      }
      stride *= side;
    }
  }

  /// Cray Cascade (Faanes et al. 2012) as SimGrid lays it out: routers of a chassis fully joined, same slots
  /// of the chassis of a group fully joined, one bundle between each two groups.
  void dragonfly(const std::string& s) {
    const char* shape = "\"groups,links;chassis,links;routers,links;hosts\"";
    const auto p = parameterLists(s, 4, shape);
    if (p.empty()) return;
    if (p[0].size() != 2 || p[1].size() != 2 || p[2].size() != 2 || p[3].size() != 1) return bad(s, shape);
    const int groups = p[0][0], chassis = p[1][0], slots = p[2][0], hosts = p[3][0];
    if (!matches(static_cast<double>(groups) * chassis * slots * hosts)) return;
    const double perGroup = static_cast<double>(chassis) * slots;
    if (static_cast<double>(groups) * perGroup * (chassis + slots) + static_cast<double>(groups) * groups >
        2e6)
      return m_builder.refuse();
    std::vector<int> routers;
    const int size = chassis * slots;
    for (int r = 0; r < groups * size; ++r) {
      const int node = m_builder.addSwitch("router" + std::to_string(r));
      routers.push_back(node);
      for (int h = 0; h < hosts; ++h) link(device(at(r) * at(hosts) + at(h)), node);
      const int slot = r % slots, first = r - r % size;
      for (int q = r - slot; q < r; ++q) link(routers[at(q)], node, p[2][1]);
      for (int q = first + slot; q < r; q += slots) link(routers[at(q)], node, p[1][1]);
    }
    for (int i = 0; i < groups; ++i)
      for (int j = i + 1; j < groups; ++j)
        link(routers[at(i * size + j % size)], routers[at(j * size + i % size)], p[0][1]);
  }

  SourceText m_source;
  pugi::xml_document m_document;
  pugi::xml_node m_cluster;
  pugi::xml_node m_outside;  ///< the first computer that stands outside clusters
  NetworkBuilder m_builder;
  std::vector<std::string> m_hosts;
  double m_rate = 1, m_latency = 0;
};

}  // namespace

Reading<NetworkGraph> readSimGrid(std::string_view text, const std::string& file) {
  return SimGridReader(text, file).run();
}

const Format& simGridFormat() {
  static constexpr Format format = {
      .key = "simgrid",
      .name = "SimGrid platform",
      .suffixes = "xml",
      .fileNames = "",
      .example =
          R"(<platform version="4.1"><cluster id="ft" prefix="n" radical="0-15" suffix="" speed="1Tf" bw="50GBps"
 lat="1us" topology="FAT_TREE" topo_parameters="2;4,4;1,2;1,2"/></platform>)",
      .remarks = "Also TORUS, DRAGONFLY and flat clusters; one cluster a file.",
      .claims =
          [](const FileLook& f) {
            return f.word.starts_with('<') && f.has("<platform") && !f.has("<graphml");
          },
      .read = ReadNetwork(
          [](std::string_view text, const std::string& file) { return asNetwork(readSimGrid(text, file)); })};
  return format;
}

}  // namespace nest
