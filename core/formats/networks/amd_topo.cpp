#include <algorithm>
#include <cctype>
#include <map>

#include "formats/format.h"
#include "formats/networks/nvidia_topo.h"
#include "formats/networks/text_lines.h"
#include "text/decimal.h"
#include "text/source_text.h"
#include "units/letters.h"
#include "units/text.h"

namespace nest {
namespace {

constexpr std::size_t kMostAmdBytes = 1u << 20, kMostAmdDevices = 128;

/// "GPU0", or a PCI address: "0000:0c:00.0".
bool isDevice(std::string_view s) {
  if (s.starts_with("GPU") && s.size() > 3)
    return std::all_of(s.begin() + 3, s.end(), [](unsigned char c) { return std::isdigit(c); });
  return s.size() >= 12 && s[4] == ':' && s[7] == ':' && s[10] == '.';
}

/// The tables of amd-smi topology and rocm-smi --showtopo; of the latter also each alone. Read are the types
/// of the links, their hops and bandwidths, and the NUMA nodes.
class AmdReader {
public:
  AmdReader(std::string_view text, const std::string& file, const DeviceSpec& device)
      : m_source(text, file), m_device(device), m_figures(hostFiguresOf(device)) {}

  Reading<HostTopology> run() {
    if (!m_source.isReadable(kMostAmdBytes, "amd-smi topology")) return {std::nullopt, m_source.take()};
    for (const TextPart& line : linesOf(m_source.text())) read(line);
    if (!m_source.failed()) check();
    if (!m_source.failed()) build();
    return resultOf(m_source, std::move(m_out));
  }

private:
  struct Table {
    std::vector<std::vector<TextPart>> rows;
  };

  void read(const TextPart& line) {
    const auto words = wordsOf(line);
    if (words.empty()) return;
    if (line.text.find("Numa Node:") != std::string_view::npos && words[0].text.starts_with("GPU[")) {
      const auto number =
          readWhole(words[0].text.substr(4, words[0].text.find(']') - 4), 0, kMostAmdDevices - 1);
      const auto numa = readWhole(words.back().text, -1, 1024);
      if (number && numa) m_numa[static_cast<int>(*number)] = static_cast<int>(*numa);
      return;
    }
    if (std::all_of(words.begin(), words.end(), [](const TextPart& w) { return isDevice(w.text); })) {
      if (words.size() > kMostAmdDevices)
        return m_source.error(m_source.place(line.offset), "amd-too-large", "at most 128 GPUs are read");
      if (m_heads.empty())
        for (const TextPart& w : words) m_heads.emplace_back(w.text);
      m_at = words.size() == m_heads.size() ? &m_tables[m_title] : nullptr;
      if (!m_at)
        m_source.error(m_source.place(line.offset), "amd-heads",
                       "this table has " + std::to_string(words.size()) + " columns and the first one " +
                           std::to_string(m_heads.size()));
      return;
    }
    if (!isDevice(words[0].text) || !m_at) {
      m_title = text::lower(line.text);
      m_at = nullptr;
      return;
    }
    if (words.size() != m_heads.size() + 1)
      return m_source.error(m_source.place(line.offset), "amd-row",
                            "the row has " + std::to_string(words.size() - 1) + " of " +
                                std::to_string(m_heads.size()) + " entries");
    m_at->rows.push_back({words.begin() + 1, words.end()});
  }

  /// The table whose title has this word; without titles, the one whose entries are links.
  const Table* table(std::string_view title) const {
    for (const auto& [name, t] : m_tables)
      if (name.find(title) != std::string::npos) return &t;
    if (title == "link type")
      for (const auto& [name, t] : m_tables)
        for (const auto& row : t.rows)
          for (const TextPart& w : row)
            if (w.text == "XGMI" || w.text == "PCIE") return &t;
    return nullptr;
  }

  void check() {
    if (m_heads.empty())
      return m_source.error(m_source.whole(), "amd-no-table",
                            "no table with GPU0 GPU1 … at its head was found",
                            "give the whole output of amd-smi topology or rocm-smi --showtopo");
    for (const auto& [name, t] : m_tables)
      if (!t.rows.empty() && t.rows.size() != m_heads.size())
        m_source.error(m_source.place(t.rows.front().front().offset), "amd-row",
                       "the table has " + std::to_string(t.rows.size()) + " rows and " +
                           std::to_string(m_heads.size()) + " columns");
    const Table* types = table("link type");
    if (!types || types->rows.empty())
      return m_source.error(m_source.whole(), "amd-no-links", "the table of link types is missing",
                            "give the whole output of amd-smi topology or rocm-smi --showtopo");
    for (std::size_t i = 0; !m_source.failed() && i < types->rows.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) {
        const TextPart &a = types->rows[i][j], &b = types->rows[j][i];
        if (a.text != "XGMI" && a.text != "PCIE" && a.text != "N/A")
          m_source.error(m_source.place(a.offset), "amd-entry",
                         "unknown link " + quoted(a.text) + "; expected one of: XGMI and PCIE");
        else if (a.text != b.text)
          m_source.error(m_source.place(a.offset), "amd-asymmetric",
                         m_heads[i] + " and " + m_heads[j] + " are joined differently each way");
      }
  }

  void link(int a, int b, BytesPerSecond rate, Seconds latency, Origin origin) {
    m_out.graph.links.push_back({a, b, rate, latency, 1, false, false, origin});
  }
  int add(const std::string& id, NodeKind kind) { return m_out.add(id, kind); }

  /// "50000-50000", MB/s; nothing where the driver does not tell.
  static std::optional<double> bandwidth(std::string_view s) {
    const auto most =
        readWhole(s.substr(s.find('-') == std::string_view::npos ? 0 : s.find('-') + 1), 1, 10'000'000);
    return most ? std::optional(static_cast<double>(*most) * 1e6) : std::nullopt;
  }

  void build() {
    m_out.format = "amd-smi topology";
    const std::size_t count = m_heads.size();
    for (std::size_t i = 0; i < count; ++i) add("GPU" + std::to_string(i), NodeKind::Device);
    const Table &types = *table("link type"), *hops = table("hops"), *rates = table("bw table");
    if (!rates) rates = table("bandwidth");
    const auto isDirect = [&](std::size_t i, std::size_t j) {
      return types.rows[i][j].text == "XGMI" &&
             (!hops || hops->rows.size() != count || hops->rows[i][j].text == "1");
    };
    bool isAssumed = false;
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t j = i + 1; j < count; ++j) {
        if (!isDirect(i, j)) continue;
        auto rate = rates && rates->rows.size() == count ? bandwidth(rates->rows[i][j].text) : std::nullopt;
        const Origin origin = rate ? Origin::Measured : Origin::Estimated;
        if (!rate) {
          std::size_t peers = 0;
          for (std::size_t k = 0; k < count; ++k) peers += k != i && isDirect(i, k) ? 1 : 0;
          rate = m_device.linkBandwidth.value.value() / static_cast<double>(std::max<std::size_t>(1, peers));
          isAssumed = true;
        }
        if (*rate > 0)
          link(static_cast<int>(i), static_cast<int>(j), BytesPerSecond(*rate), m_device.linkLatency.value,
               origin);
      }
    const int root = add("system", NodeKind::Switch);
    std::map<int, int> sockets;
    for (std::size_t i = 0; i < count; ++i) {
      const auto numa = m_numa.find(static_cast<int>(i));
      int socket = root;
      if (numa != m_numa.end()) {
        const auto [known, fresh] = sockets.emplace(numa->second, 0);
        if (fresh) {
          known->second = add("numa" + std::to_string(numa->second), NodeKind::Switch);
          link(root, known->second, m_figures.socket, m_figures.socketLatency * 0.5, Origin::Estimated);
        }
        socket = known->second;
      }
      link(static_cast<int>(i), socket, m_figures.pcie, m_figures.pcieLatency * 0.5, Origin::Estimated);
      const int nic = add("nic" + std::to_string(i), NodeKind::Switch);
      link(static_cast<int>(i), nic, m_figures.pcie, m_figures.pcieLatency * 0.5, Origin::Estimated);
      m_out.adapters.push_back({"nic" + std::to_string(i),
                                nic,
                                m_figures.adapter,
                                m_figures.adapterLatency,
                                Origin::Estimated,
                                {}});
    }
    findNearestDevices(m_out);
    if (isAssumed)
      m_source.note(m_source.whole(), "amd-bandwidth-assumed",
                    "the tables give no bandwidth; each device's links to its neighbours share " +
                        text::bandwidth(m_device.linkBandwidth.value),
                    "check the links' bandwidths");
    m_source.note(
        m_source.whole(), "amd-adapters-assumed",
        "the tables show no network adapters and no PCIe switches; one adapter per device is assumed, at " +
            text::bandwidth(m_figures.adapter),
        "for these give what RCCL writes with NCCL_TOPO_DUMP_FILE");
  }

  SourceText m_source;
  const DeviceSpec& m_device;
  HostLinkFigures m_figures;
  HostTopology m_out;
  std::vector<std::string> m_heads;
  std::map<std::string, Table> m_tables;  ///< by title, in lower case
  std::map<int, int> m_numa;
  std::string m_title;
  Table* m_at = nullptr;
};

}  // namespace

const Format& amdTopoFormat() {
  static constexpr Format format = {
      .key = "amd-topo",
      .name = "amd-smi topology",
      .suffixes = "txt",
      .fileNames = "",
      .example =
          "LINK TYPE TABLE:\n"
          "       GPU0   GPU1\n"
          "GPU0   SELF   XGMI\n"
          "GPU1   XGMI   SELF",
      .remarks = "Also what rocm-smi --showtopo prints, or its table of link types alone.",
      .claims =
          [](const FileLook& f) {
            return f.has("link type table") || f.has("link type between two gpus") ||
                   (f.has("rocm system management") && f.has("between two gpus")) ||
                   (f.has("gpu0") && f.has("xgmi") && !f.has("cpu affinity") && !f.has("<"));
          },
      .read = ReadHost([](std::string_view text, const std::string& file, const DeviceSpec& device) {
        return AmdReader(text, file, device).run();
      })};
  return format;
}

}  // namespace nest
