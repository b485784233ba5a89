#include "formats/networks/nvidia_topo.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <numeric>

#include "formats/format.h"
#include "text/decimal.h"
#include "text/source_text.h"

namespace nest {
namespace {

constexpr std::size_t kMostNvidiaBytes = 1u << 20;
constexpr std::size_t kMostColumns = 128;
constexpr int kMostNvlinks = 18;  ///< per device, up to Blackwell

struct Word {
  std::string text;
  std::size_t offset = 0;
};

/// Behind an escape sequence "ESC[4m", also one that lost its escape in a paste ("[4m"); `at` if none begins
/// there.
std::size_t behindEscape(std::string_view all, std::size_t at) {
  std::size_t end = at + (all[at] == '\x1b' ? 1 : 0);
  if (end >= all.size() || all[end] != '[') return end;
  const std::size_t letter = std::min(all.find_first_not_of("0123456789;", end + 1), all.size());
  if (all[at] == '\x1b') return std::min(letter + 1, all.size());
  return letter < all.size() && all[letter] == 'm' ? letter + 1 : at;
}

/// Words of each line, escape sequences removed.
std::vector<std::vector<Word>> matrixLines(std::string_view all) {
  std::vector<std::vector<Word>> lines(1);
  Word word;
  const auto close = [&] {
    if (!word.text.empty()) lines.back().push_back(std::move(word));
    word = {};
  };
  for (std::size_t i = 0; i < all.size(); ++i) {
    const char c = all[i];
    if (const std::size_t behind = behindEscape(all, i); behind > i) {
      i = behind - 1;
    } else if (c == '\n') {
      close();
      lines.emplace_back();
    } else if (std::isspace(static_cast<unsigned char>(c))) {
      close();
    } else {
      if (word.text.empty()) word.offset = i;
      word.text += c;
    }
  }
  close();
  return lines;
}

bool startsWith(const std::string& s, std::string_view prefix) {
  return std::string_view(s).substr(0, prefix.size()) == prefix;
}
bool isDeviceName(const std::string& s) {
  return startsWith(s, "GPU") && readWhole(std::string_view(s).substr(3), 0, 100000);
}
bool isAdapterName(const std::string& s) {
  for (std::string_view prefix : {"NIC", "mlx5_", "mlx4_", "bnxt_re", "irdma", "efa_", "hfi1_", "ib"})
    if (startsWith(s, prefix) && readWhole(std::string_view(s).substr(prefix.size()), 0, 100000)) return true;
  return false;
}

/// How two parts of a host are joined, nearest first.
enum PathKind { kPix, kPxb, kPhb, kNode, kSys, kPathKinds };
const char* const kKindNames[] = {"PIX", "PXB", "PHB", "NODE", "SYS"};

/// Length of the cell that `s` begins with ("SYS", "NV18", "X"); 0: with none.
std::size_t cellLength(std::string_view s) {
  for (std::string_view kind : {"PIX", "PXB", "PHB", "NODE", "SYS", "SOC", "X"})
    if (s.starts_with(kind)) return kind.size();
  if (!s.starts_with("NV")) return 0;
  const std::size_t end = std::min(s.find_first_not_of("0123456789", 2), s.size());
  return end > 2 ? end : 0;
}
/// The same of a column's head ("GPU12", "NIC3", "mlx5_0").
std::size_t headLength(std::string_view s) {
  for (std::string_view prefix : {"GPU", "NIC", "mlx5_", "mlx4_"})
    if (s.starts_with(prefix)) {
      const std::size_t end = std::min(s.find_first_not_of("0123456789", prefix.size()), s.size());
      return end > prefix.size() ? end : 0;
    }
  return 0;
}

/// Terminals and forums drop tabs: "SYSSYS" are two cells, "SYS0-27" a cell and the CPUs. Returns how many
/// words were parted.
int partGlued(std::vector<Word>& words, std::size_t (*lengthOf)(std::string_view), bool mayHaveRest) {
  int parted = 0;
  std::vector<Word> out;
  for (Word& w : words) {
    std::vector<Word> parts;
    std::size_t at = 0;
    while (at < w.text.size()) {
      std::size_t length = lengthOf(std::string_view(w.text).substr(at));
      // What is left over may be the CPUs, but not behind the number of NVLinks.
      const bool isRest = length == 0 && mayHaveRest && !parts.empty() &&
                          !parts.back().text.starts_with("NV") &&
                          std::isdigit(static_cast<unsigned char>(w.text[at]));
      if (isRest) length = w.text.size() - at;
      if (length == 0) break;
      parts.push_back({w.text.substr(at, length), w.offset + at});
      at += length;
    }
    const bool isGlued = at == w.text.size() && parts.size() > 1;
    parted += isGlued ? 1 : 0;
    if (!isGlued) parts = {std::move(w)};
    for (Word& p : parts) out.push_back(std::move(p));
  }
  words = std::move(out);
  return parted;
}

class TopoReader {
public:
  TopoReader(std::string_view text, const std::string& file, const HostLinkFigures& f)
      : m_source(text, file), m_figures(f) {}

  Reading<HostTopology> run() {
    if (m_source.isReadable(kMostNvidiaBytes, "the output of nvidia-smi topo -m")) {
      auto lines = matrixLines(m_source.text());
      partLines(lines);
      readHeader(lines);
      if (!m_source.failed()) readDevices(lines);
      if (!m_source.failed()) readRows(lines);
      if (!m_source.failed()) readLegend(lines);
      if (!m_source.failed()) check();
    }
    if (!m_source.failed()) build();
    return resultOf(m_source, std::move(m_out));
  }

private:
  std::size_t at(int row, int column) const {
    return static_cast<std::size_t>(row) * m_names.size() + static_cast<std::size_t>(column);
  }
  int count() const { return static_cast<int>(m_names.size()); }

  void partLines(std::vector<std::vector<Word>>& lines) {
    int parted = 0;
    bool isMatrix = false;
    for (std::vector<Word>& words : lines) {
      if (words.empty()) continue;
      if (startsWith(words.front().text, "Legend")) break;
      if (!isMatrix && headLength(words.front().text) > 0) {
        parted += partGlued(words, headLength, false);
        isMatrix = isDeviceName(words.front().text);
      } else if (isMatrix) {
        parted += partGlued(words, cellLength, true);
      }
    }
    if (parted > 0)
      m_source.note(
          m_source.whole(), "topo-glued",
          std::to_string(parted) +
              (parted == 1
                   ? " cell holds several entries, as where a tab was dropped, and is read as such"
                   : " cells hold several entries, as where tabs were dropped, and are read as such"));
  }

  void readHeader(const std::vector<std::vector<Word>>& lines) {
    for (m_header = 0; m_header < lines.size(); ++m_header)
      if (!lines[m_header].empty() && isDeviceName(lines[m_header].front().text) &&
          (lines[m_header].size() == 1 || isDeviceName(lines[m_header][1].text) ||
           isAdapterName(lines[m_header][1].text) || lines[m_header][1].text == "CPU"))
        break;
    if (m_header == lines.size())
      return m_source.error(m_source.whole(), "topo-no-header",
                            "no row of column heads (GPU0 GPU1 …) was found",
                            "save the whole output of nvidia-smi topo -m");
    for (const Word& w : lines[m_header]) {
      if (!isDeviceName(w.text) && !isAdapterName(w.text) && !hasRow(lines, w.text)) break;
      if (std::find(m_names.begin(), m_names.end(), w.text) != m_names.end())
        m_source.error(m_source.place(w.offset), "topo-name-twice", quoted(w.text) + " heads two columns");
      if (m_names.size() >= kMostColumns)
        return m_source.error(m_source.place(w.offset), "topo-too-large",
                              "at most 128 devices and adapters are read");
      m_names.push_back(w.text);
    }
    m_kind.assign(m_names.size() * m_names.size(), -1);
    m_links.assign(m_kind.size(), 0);
    m_places.assign(m_kind.size(), {});
    m_numa.assign(m_names.size(), "");
  }

  /// "GPU 0: NVIDIA A100-SXM4-40GB (UUID: …)" of nvidia-smi -L, which people print above the matrix.
  void readDevices(const std::vector<std::vector<Word>>& lines) {
    for (std::size_t l = 0; l < m_header; ++l) {
      const auto& words = lines[l];
      if (words.size() < 3 || words[0].text != "GPU" || words[1].text.back() != ':') continue;
      std::string name;
      for (std::size_t w = 2; w < words.size() && !startsWith(words[w].text, "(UUID"); ++w)
        name += (name.empty() ? "" : " ") + words[w].text;
      if (m_out.deviceName.empty()) m_out.deviceName = name;
      if (name == m_out.deviceName) continue;
      m_source.warning(m_source.place(words[2].offset), "topo-mixed",
                       "the host has devices of the kinds " + quoted(m_out.deviceName) + " and " +
                           quoted(name) + "; all count as the first",
                       "choose the device under Cluster (--device)");
      break;
    }
  }

  /// Older drivers head columns with the adapters' own names ("mlx5_bond_0", "rdmap16s27"), which also head
  /// rows.
  bool hasRow(const std::vector<std::vector<Word>>& lines, const std::string& name) const {
    return name != "CPU" && name != "NUMA" && name != "GPU" &&
           std::any_of(lines.begin() + static_cast<std::ptrdiff_t>(m_header) + 1, lines.end(),
                       [&](const auto& words) { return words.size() > 1 && words.front().text == name; });
  }

  void readRows(const std::vector<std::vector<Word>>& lines) {
    std::vector<char> seen(m_names.size(), 0);
    for (std::size_t l = m_header + 1; l < lines.size(); ++l) {
      const auto& words = lines[l];
      if (words.empty()) continue;
      const auto name = std::find(m_names.begin(), m_names.end(), words.front().text);
      if (startsWith(words.front().text, "Legend")) break;
      if (name == m_names.end()) {
        if (isDeviceName(words.front().text) || isAdapterName(words.front().text))
          m_source.error(m_source.place(words.front().offset), "topo-row",
                         "the row " + quoted(words.front().text) + " has no column");
        continue;
      }
      const int row = static_cast<int>(name - m_names.begin());
      if (seen[row]++)
        m_source.error(m_source.place(words.front().offset), "topo-row",
                       "the row " + quoted(*name) + " is duplicated");
      if (words.size() < m_names.size() + 1) {
        m_source.error(m_source.place(words.front().offset), "topo-row-short",
                       "the row " + quoted(*name) + " has " + std::to_string(words.size() - 1) + " of " +
                           std::to_string(m_names.size()) + " entries");
        continue;
      }
      for (int c = 0; c < count(); ++c) entry(row, c, words[static_cast<std::size_t>(c) + 1]);
      if (words.size() > m_names.size() + 2) m_numa[row] = words[m_names.size() + 2].text;
    }
    for (std::size_t i = 0; i < seen.size(); ++i)
      if (!seen[i])
        m_source.error(m_source.whole(), "topo-row-missing", "the row " + quoted(m_names[i]) + " is missing");
  }

  /// "NIC0: mlx5_0" behind the matrix.
  void readLegend(const std::vector<std::vector<Word>>& lines) {
    m_shown = m_names;
    for (std::size_t l = m_header + 1; l < lines.size(); ++l) {
      if (lines[l].size() != 2 || lines[l][0].text.back() != ':') continue;
      const auto name =
          std::find(m_names.begin(), m_names.end(), lines[l][0].text.substr(0, lines[l][0].text.size() - 1));
      if (name != m_names.end() && isAdapterName(*name)) m_shown[name - m_names.begin()] = lines[l][1].text;
    }
  }

  void entry(int row, int column, const Word& w) {
    m_places[at(row, column)] = m_source.place(w.offset);
    if (row == column) {
      if (w.text != "X")
        m_source.error(m_source.place(w.offset), "topo-entry",
                       "the diagonal holds X; found " + quoted(w.text));
      return;
    }
    if (startsWith(w.text, "NV")) {
      const auto n = readWhole(std::string_view(w.text).substr(2), 1, 1000);
      if (!n)
        m_source.error(m_source.place(w.offset), "topo-entry",
                       "NV is followed by the number of links; found " + quoted(w.text));
      else
        m_links[at(row, column)] = static_cast<int>(*n);
      return;
    }
    for (const char* state : {"OK", "CNS", "GNS", "TNS", "NS", "DR", "U"})
      if (w.text == state) {
        if (!m_source.failed())
          m_source.error(
              m_source.place(w.offset), "topo-p2p",
              "this is the matrix of nvidia-smi topo -p2p: it shows which pairs may talk directly, "
              "not how they are joined",
              "give the output of nvidia-smi topo -m");
        return;
      }
    for (int k = 0; k < kPathKinds; ++k)
      if (w.text == kKindNames[k] || (k == kSys && w.text == "SOC")) m_kind[at(row, column)] = k;
    if (m_kind[at(row, column)] < 0)
      m_source.error(
          m_source.place(w.offset), "topo-entry",
          "unknown connection " + quoted(w.text) + "; expected one of: X, NV#, PIX, PXB, PHB, NODE and SYS",
          cellLength(w.text) > 0
              ? "a tab may be missing within this cell, column " + std::to_string(column + 1)
              : "save the whole output of nvidia-smi topo -m");
  }

  void check() {
    for (int i = 0; i < count(); ++i)
      for (int j = 0; j < i; ++j)
        if (m_kind[at(i, j)] != m_kind[at(j, i)] || m_links[at(i, j)] != m_links[at(j, i)])
          m_source.error(m_places[at(i, j)], "topo-asymmetric",
                         m_names[i] + " and " + m_names[j] + " are joined differently each way");
  }

  /// PCIe relation of a pair; where NVLink hides it, what the sockets say.
  int pcie(int i, int j) const {
    if (m_kind[at(i, j)] >= 0) return m_kind[at(i, j)];
    const auto &a = m_numa[i], &b = m_numa[j];
    return !a.empty() && a == b && a != "N/A" ? kNode : kSys;
  }

  void build() {
    NetworkGraph& g = m_out.graph;
    m_out.format = "nvidia-smi topo -m";
    for (int i = 0; i < count(); ++i) {
      NetworkNode n;
      n.id = m_names[i];
      n.name = m_shown[i];
      n.kind = isDeviceName(n.id) ? NodeKind::Device : NodeKind::Switch;
      n.host = n.kind == NodeKind::Device ? "host" : "";
      n.x = 80.0 * i;
      g.nodes.push_back(std::move(n));
      if (g.nodes.back().kind == NodeKind::Switch)
        m_out.adapters.push_back(
            {m_shown[i], i, m_figures.adapter, m_figures.adapterLatency, Origin::Estimated, {}});
    }
    buildNvlink();
    buildPcie();
    findNearestDevices(m_out);
    m_source.note(m_source.whole(), "topo-figures-assumed",
                  "the matrix carries no bandwidth; NVLink, PCIe and adapter bandwidths are assumed",
                  "check the links' bandwidths");
  }

  void link(int a, int b, BytesPerSecond rate, Seconds latency, int times = 1) {
    m_out.graph.links.push_back({a, b, rate, latency, times, false, false, Origin::Estimated});
  }

  int addSwitch(const std::string& id, double y) {
    NetworkNode n;
    n.id = n.name = id;
    n.y = y;
    m_out.graph.nodes.push_back(n);
    return static_cast<int>(m_out.graph.nodes.size()) - 1;
  }

  /// Devices that NVLink joins, directly or over others.
  std::vector<std::vector<int>> islands() const {
    std::vector<std::vector<int>> out;
    std::vector<char> seen(m_names.size(), 0);
    for (int i = 0; i < count(); ++i) {
      if (seen[i]) continue;
      std::vector<int> island;
      std::vector<int> front{i};
      seen[i] = 1;
      while (!front.empty()) {
        const int a = front.back();
        front.pop_back();
        island.push_back(a);
        for (int b = 0; b < count(); ++b)
          if (m_links[at(a, b)] > 0 && !seen[b]) {
            seen[b] = 1;
            front.push_back(b);
          }
      }
      std::sort(island.begin(), island.end());
      if (island.size() > 1) out.push_back(std::move(island));
    }
    return out;
  }

  /// Where the matrix shows a device more links than one has, all of them lead to an NVSwitch, which serves
  /// every pair with the links of its weaker end.
  void buildNvlink() {
    int hubs = 0;
    for (const std::vector<int>& island : islands()) {
      const auto linksOf = [&](int d) {
        return std::accumulate(island.begin(), island.end(), 0,
                               [&](int sum, int other) { return sum + m_links[at(d, other)]; });
      };
      if (std::any_of(island.begin(), island.end(), [&](int d) { return linksOf(d) > kMostNvlinks; })) {
        const int hub = addSwitch("nvswitch" + (hubs > 0 ? std::to_string(hubs) : std::string()), 80);
        ++hubs;
        for (int d : island) {
          int own = 0;
          for (int other : island) own = std::max(own, m_links[at(d, other)]);
          link(d, hub, m_figures.nvlink, m_figures.nvlinkLatency * 0.5, own);
        }
        continue;
      }
      for (int i : island)
        for (int j : island)
          if (i < j && m_links[at(i, j)] > 0)
            link(i, j, m_figures.nvlink, m_figures.nvlinkLatency, m_links[at(i, j)]);
    }
  }

  /// Single linkage over PIX, PXB, PHB, NODE, SYS: one switch for each group that a kind joins.
  void buildPcie() {
    std::vector<int> group(m_names.size()), top(m_names.size());
    std::iota(group.begin(), group.end(), 0);
    std::iota(top.begin(), top.end(), 0);  // node that stands for a group, by its representative
    const auto find = [&](int x) {
      while (group[x] != x) x = group[x];
      return x;
    };
    static const char* const names[] = {"bridge", "bridges", "root", "socket", "system"};
    for (int kind = kPix; kind < kPathKinds; ++kind) {
      std::vector<int> before(m_names.size());
      for (int i = 0; i < count(); ++i) before[i] = find(i);
      for (int i = 0; i < count(); ++i)
        for (int j = 0; j < i; ++j)
          if (pcie(i, j) <= kind && find(i) != find(j))
            group[std::max(find(i), find(j))] = std::min(find(i), find(j));
      std::map<int, std::vector<int>> joined;
      for (int i = 0; i < count(); ++i)
        if (before[i] == i) joined[find(i)].push_back(i);
      int number = 0;
      for (const auto& [root, parts] : joined) {
        if (parts.size() < 2) continue;
        const int hub = addSwitch(std::string(names[kind]) + std::to_string(number++), -60.0 * (kind + 1));
        for (int p : parts)
          link(top[p], hub, kind == kSys ? m_figures.socket : m_figures.pcie,
               (kind == kSys ? m_figures.socketLatency : m_figures.pcieLatency) * 0.5);
        top[root] = hub;
      }
    }
  }

  SourceText m_source;
  const HostLinkFigures& m_figures;
  std::size_t m_header = 0;
  std::vector<std::string> m_names, m_shown, m_numa;
  std::vector<int> m_kind, m_links;
  std::vector<Place> m_places;
  HostTopology m_out;
};

}  // namespace

HostLinkFigures hostFiguresOf(const DeviceSpec& device) {
  HostLinkFigures f;
  if (device.hostLinkBandwidth.value.value() > 0) f.adapter = device.hostLinkBandwidth.value;
  if (device.linkBandwidth.value.value() >= 900e9) f.nvlink = BytesPerSecond(50e9);
  return f;
}

Reading<HostTopology> readNvidiaTopo(std::string_view text, const std::string& file,
                                     const HostLinkFigures& figures) {
  return TopoReader(text, file, figures).run();
}

const Format& nvidiaTopoFormat() {
  static constexpr Format format = {
      .key = "nvidia-topo",
      .name = "nvidia-smi topo -m",
      .suffixes = "txt",
      .fileNames = "",
      .example =
          "        GPU0    GPU1    CPU Affinity\n"
          "GPU0     X      NV12    0-31\n"
          "GPU1    NV12     X      0-31",
      .remarks = "The matrix as printed, of one host.",
      .claims =
          [](const FileLook& f) {
            // A list of pairs has no word for what joins two devices; AMD's tools have other ones.
            if (!f.has("gpu0") || f.has("rocm system management") || f.has("link type table")) return false;
            constexpr std::string_view kJoins[] = {"cpu affinity", " x ",  "\tx",   "nv1", "nv2", "nv4",
                                                   "nv6",          "nv8",  "pix",   "pxb", "phb", " sys",
                                                   "\tsys",        " soc", "\tsoc", "| x"};
            return std::any_of(std::begin(kJoins), std::end(kJoins),
                               [&](std::string_view join) { return f.has(join); });
          },
      .read = ReadHost([](std::string_view text, const std::string& file, const DeviceSpec& device) {
        return readNvidiaTopo(text, file, hostFiguresOf(device));
      })};
  return format;
}

}  // namespace nest
