#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

#include "formats/format.h"
#include "formats/networks/fabric.h"
#include "formats/networks/text_lines.h"
#include "text/decimal.h"
#include "text/source_text.h"
#include "units/letters.h"
#include "units/text.h"

namespace nest {
namespace {

constexpr std::size_t kMostInfinibandBytes = 128u << 20, kMostInfinibandNodes = 200'000;

/// What stands between `open` and `close` behind `from`; `from` moves behind it. nullopt: it is not there.
std::optional<std::string_view> between(std::string_view s, std::size_t& from, std::string_view open,
                                        std::string_view close) {
  const auto begin = s.find(open, from);
  if (begin == std::string_view::npos) return std::nullopt;
  const auto end = s.find(close, begin + open.size());
  if (end == std::string_view::npos) return std::nullopt;
  from = end + close.size();
  return s.substr(begin + open.size(), end - begin - open.size());
}

/// Bytes/s of a lane, by its name or by its Gb/s ("EDR", "25.78125", "HDR").
std::optional<double> laneRate(std::string_view s) {
  struct Speed {
    std::string_view name;
    double gigabits;
  };
  // Signalling rates and what is left of them behind the encoding (InfiniBand Architecture 1.7, 2.1).
  static constexpr Speed kSpeeds[] = {
      {"sdr", 2},       {"ddr", 4},   {"qdr", 8},      {"fdr10", 10},  {"fdr", 13.64},     {"edr", 25},
      {"hdr", 50},      {"ndr", 100}, {"xdr", 200},    {"2.5", 2},     {"5", 4},           {"5.0", 4},
      {"10", 8},        {"10.0", 8},  {"10.3125", 10}, {"14", 13.64},  {"14.0625", 13.64}, {"25", 25},
      {"25.78125", 25}, {"50", 50},   {"50.0", 50},    {"53.125", 50}, {"100", 100},       {"100.0", 100},
      {"106.25", 100},  {"200", 200}, {"200.0", 200},  {"212.5", 200}};
  const std::string name = text::lower(s);
  for (const Speed& x : kSpeeds)
    if (name == x.name) return x.gigabits * 1e9 / 8;
  return std::nullopt;
}

/// "4xEDR", "4X 25.78125 Gbps".
std::optional<double> linkRate(std::string_view width, std::string_view speed) {
  const auto lanes = readWhole(width.substr(0, width.find_first_of("xX")), 1, 16);
  const auto lane = laneRate(speed);
  if (!lanes || !lane) return std::nullopt;
  return static_cast<double>(*lanes) * *lane;
}

/// The host's part of an adapter's description: "gpu01 HCA-1", "gpu01 mlx5_0", "gpu01:mlx5_0", "'gpu01
/// HCA-1'".
std::string hostOf(std::string_view description) {
  const std::size_t begin = description.find_first_not_of(" '\"");
  if (begin == std::string_view::npos) return {};
  description.remove_prefix(begin);
  return std::string(description.substr(0, description.find_first_of(" :'\"")));
}

/// Whether a description is what the maker or the driver sets where no host has set its own: "MT4129
/// ConnectX7   Mellanox Technologies", "mlx5_0", "localhost HCA-1".
bool namesNoHost(std::string_view description) {
  const std::string host = text::lower(hostOf(description)), all = text::lower(description);
  if (host.empty() || host == "localhost" || host.starts_with("localhost.")) return true;
  if (all.find("mellanox technologies") != std::string::npos || host.starts_with("connectx")) return true;
  if (host.size() > 3 && host.starts_with("mt") && readWhole(std::string_view(host).substr(2), 1000, 99999))
    return true;
  for (const std::string_view device : {"mlx4_", "mlx5_", "hfi1_", "qib", "hca-"})
    if (host.starts_with(device) && readWhole(std::string_view(host).substr(device.size()), 0, 999))
      return true;
  return false;
}

/// "MF0;sw1:MQM8700/U1" is the switch sw1 of its maker's naming.
std::string switchOf(std::string_view description) {
  const auto semicolon = description.find(';');
  const auto colon = semicolon == std::string_view::npos ? semicolon : description.find(':', semicolon);
  return std::string(colon == std::string_view::npos
                         ? description
                         : description.substr(semicolon + 1, colon - semicolon - 1));
}

class InfinibandReader {
public:
  InfinibandReader(std::string_view text, const std::string& file) : m_source(text, file) {}

  Reading<InfinibandFabric> run() {
    if (!m_source.isReadable(kMostInfinibandBytes, "a fabric")) return {std::nullopt, m_source.take()};
    const std::string_view text = m_source.text();
    if (text.find("NodeGUID:") != std::string_view::npos) {
      m_out.from = "opensm-subnet.lst";
      each(&InfinibandReader::subnetLine);
    } else if (text.find("==>") != std::string_view::npos) {
      m_out.from = "iblinkinfo";
      each(&InfinibandReader::linkinfoLine);
    } else {
      m_out.from = "ibnetdiscover";
      each(&InfinibandReader::discoverLine);
    }
    return finish();
  }

private:
  struct Seen {
    std::string own, other, name, otherName, cable;
    double rate;
    bool isSwitch;
  };

  void each(void (InfinibandReader::*read)(const TextPart&)) {
    for (const TextPart& line : linesOf(m_source.text())) {
      if (m_out.nodes.size() > kMostInfinibandNodes)
        return m_source.error(m_source.whole(), "network-too-large", "more than 200,000 hosts and switches");
      (this->*read)(line);
    }
  }

  /// Adapters of a host count as one node; those of switches that compute (SHARP) and routers as none (−1).
  int node(bool isSwitch, const std::string& id, std::string_view description) {
    if (!isSwitch && text::lower(description).find("aggregation node") != std::string::npos) return -1;
    if (!isSwitch && namesNoHost(description)) {
      if (m_nameless.empty()) m_firstNameless = std::string(description);
      m_nameless.insert(id);
      return -1;
    }
    // Each adapter of a host has its own description, where it names the adapter at all.
    if (!isSwitch && m_out.from != "iblinkinfo" &&
        description.find_first_of(" :") != std::string_view::npos) {
      auto& ids = m_adaptersOf[std::string(description)];
      ids.insert(id);
    }
    std::string name = isSwitch ? switchOf(description) : hostOf(description);
    if (name.empty()) name = id;
    const auto [known, fresh] =
        m_number.emplace((isSwitch ? "s " : "h ") + (isSwitch ? id : name), m_out.nodes.size());
    if (fresh) {
      // Switches of one name exist, as parts of a chassis.
      const int times = ++m_names[name];
      m_out.nodes.push_back({isSwitch ? id : name, times > 1 ? name + " " + id : name, !isSwitch});
    }
    return static_cast<int>(known->second);
  }

  /// Each cable may stand at both its ends: `key` is the same of both.
  void link(int a, int b, double rate, std::string key) {
    if (a < 0 || b < 0 || a == b || !m_cables.insert(std::move(key)).second) return;
    const auto ends = std::minmax(a, b);
    const auto [known, fresh] =
        m_links.emplace(std::tuple(ends.first, ends.second, rate), m_out.links.size());
    if (fresh)
      m_out.links.push_back({ends.first, ends.second, BytesPerSecond(rate), 1});
    else
      ++m_out.links[known->second].count;
  }
  static std::string cable(std::string a, std::string b) { return a < b ? a + ' ' + b : b + ' ' + a; }

  void unreadable(const TextPart& line) {
    m_source.error(m_source.place(line.offset), "fabric-line",
                   "no line of " + m_out.from + ": " + quoted(line.text), "save its whole output");
  }

  /// { CA Ports:01 … NodeGUID:0002c9… {gpu01 HCA-1} LID:0001 PN:01 } { SW … } PHY=4x LOG=ACT SPD=25
  void subnetLine(const TextPart& line) {
    if (line.text.find_first_not_of(" \t") == std::string_view::npos) return;
    struct End {
      bool isSwitch = false;
      std::string guid, name, port;
    };
    std::array<End, 2> ends;
    std::size_t at = 0;
    for (End& e : ends) {
      const auto kind = between(line.text, at, "{ ", " ");
      const auto guid = between(line.text, at, "NodeGUID:", " ");
      const auto name = between(line.text, at, "{", "}");
      const auto port = between(line.text, at, "PN:", " ");
      if (!kind || !guid || !name || !port) return unreadable(line);
      e = {text::lower(*kind).starts_with("sw"), std::string(*guid), std::string(*name),
           std::string(*guid) + ':' + std::string(*port)};
    }
    const std::string tail = std::string(line.text.substr(at)) + ' ';
    at = 0;
    const auto width = between(tail, at, "PHY=", " ");
    const auto state = between(tail, at, "LOG=", " ");
    const auto speed = between(tail, at, "SPD=", " ");
    if (!width || !state || !speed) return unreadable(line);
    if (*state != "ACT") {
      ++m_inactive;
      return;
    }
    const auto rate = linkRate(*width, *speed);
    if (!rate) return wrongSpeed(line, std::string(*width) + " " + std::string(*speed));
    const int a = node(ends[0].isSwitch, ends[0].guid, ends[0].name),
              b = node(ends[1].isSwitch, ends[1].guid, ends[1].name);
    link(a, b, *rate, cable(ends[0].port, ends[1].port));
  }

  void wrongSpeed(const TextPart& line, const std::string& speed) {
    m_source.error(
        m_source.place(line.offset), "fabric-speed",
        "the speed " + quoted(speed) + " is not known; expected for example 4x EDR, or 4X 25.78125 Gbps");
  }

  /// Heads "Switch: 0x… NAME:" and "CA: NAME:", and below each its ports:
  /// LID PORT[ ] ==( 4X 25.78125 Gbps Active/ LinkUp)==> LID PORT[ ] "NAME" ( ). A LID tells a switch or a
  /// port of an adapter.
  void linkinfoLine(const TextPart& line) {
    const auto words = wordsOf(line);
    if (words.empty()) return;
    const std::string head = text::lower(words[0].text);
    if (head == "switch:" || head == "ca:") {
      std::string_view rest = line.text.substr(line.text.find(':') + 1);
      if (head == "switch:" && words.size() > 1)
        rest = rest.substr(std::min(rest.size(), rest.find(words[1].text) + words[1].text.size()));
      while (rest.ends_with(' ') || rest.ends_with(':')) rest.remove_suffix(1);
      while (rest.starts_with(' ')) rest.remove_prefix(1);
      m_isSwitch = head == "switch:";
      m_name = std::string(rest);
      return;
    }
    const auto arrow = line.text.find("==>"), open = line.text.find("==(");
    if (arrow == std::string_view::npos || open == std::string_view::npos || m_name.empty())
      return unreadable(line);
    const std::string_view state = line.text.substr(open + 3, arrow - open - 3);
    if (state.find("Active") == std::string_view::npos) {
      ++m_inactive;
      return;
    }
    // GUID LID PORT of an adapter, LID PORT of a switch.
    const auto own = endOf(wordsOf({line.text.substr(0, open), line.offset}));
    const auto other = endOf(wordsOf({line.text.substr(arrow + 3), line.offset}));
    const auto speed = wordsOf({state, line.offset});
    std::size_t at = arrow;
    const auto otherName = between(line.text, at, "\"", "\"");
    if (own.empty() || other.empty() || !otherName || speed.size() < 2) return unreadable(line);
    const auto rate = linkRate(speed[0].text, speed[1].text);
    if (!rate) return wrongSpeed(line, std::string(speed[0].text) + " " + std::string(speed[1].text));
    const std::string lid = own.substr(0, own.find(':')), otherLid = other.substr(0, other.find(':'));
    (m_isSwitch ? m_switches : m_adapters).insert(lid);
    m_seen.push_back({lid, otherLid, m_name, std::string(*otherName), cable(own, other), *rate, m_isSwitch});
  }

  /// "LID:PORT" of words like "0x0002c9… 5 1[ ]" and "5 1[ ] …".
  static std::string endOf(const std::vector<TextPart>& words) {
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
      const std::string_view port = words[i + 1].text.substr(0, words[i + 1].text.find('['));
      if (readWhole(words[i].text, 1, 65535) && readWhole(port, 0, 65535))
        return std::string(words[i].text) + ':' + std::string(port);
    }
    return {};
  }

  /// Switch 36 "S-0002c9…" # "MF0;sw1:…" …; below it [1] "H-0002c9…"[1](…) # "gpu01 HCA-1" lid 5 4xEDR
  void discoverLine(const TextPart& line) {
    if (line.text.empty() || line.text.front() == '#') return;
    if (line.text.front() == '[') {
      const auto closing = line.text.find(']');
      std::size_t at = 0;
      const auto other = between(line.text, at, "\"", "\"");
      const auto otherPort = between(line.text, at, "[", "]");
      if (!other || !otherPort || m_id.empty() || closing == std::string_view::npos) return unreadable(line);
      const auto words = wordsOf(line);
      const std::string_view speed = words.back().text;
      const auto x = speed.find('x');
      const auto rate =
          x == std::string_view::npos ? std::nullopt : linkRate(speed.substr(0, x + 1), speed.substr(x + 1));
      if (!rate) return wrongSpeed(line, std::string(speed));
      m_seen.push_back({m_id, std::string(*other), m_name,
                        std::string(between(line.text, at, "\"", "\"").value_or("")),
                        cable(m_id + ':' + std::string(line.text.substr(1, closing - 1)),
                              std::string(*other) + ':' + std::string(*otherPort)),
                        *rate, m_isSwitch});
      return;
    }
    const auto words = wordsOf(line);
    if (words.empty()) return;
    const std::string_view head = words[0].text;
    m_isSwitch = head == "Switch";
    if (!m_isSwitch && head != "Ca" && head != "Rt") {
      if (line.text.find('=') == std::string_view::npos) unreadable(line);
      return;
    }
    std::size_t at = 0;
    const auto id = between(line.text, at, "\"", "\"");
    const auto name = between(line.text, at, "\"", "\"");
    if (!id || !name) return unreadable(line);
    m_id = std::string(*id);
    m_name = std::string(*name);
    m_described[m_id] = m_name;
    if (m_isSwitch) m_switches.insert(m_id);
  }

  /// The other end of a cable: an adapter's is a switch; of a partial scan it may not be described.
  bool isSwitch(const Seen& s, const std::string& otherName) const {
    if (!s.isSwitch || m_switches.count(s.other) > 0 || s.other.starts_with("S-")) return true;
    if (s.other.starts_with("H-")) return false;
    return m_adapters.empty() ? otherName.find(';') != std::string::npos : m_adapters.count(s.other) == 0;
  }

  Reading<InfinibandFabric> finish() {
    for (const Seen& s : m_seen) {
      const auto described = m_described.find(s.other);
      const std::string& otherName = described == m_described.end() ? s.otherName : described->second;
      if (otherName.empty()) {  // a partial scan
        ++m_unknownEnds;
        continue;
      }
      const int a = node(s.isSwitch, s.own, s.name), b = node(isSwitch(s, otherName), s.other, otherName);
      link(a, b, s.rate, s.cable);
    }
    const auto hosts =
        std::count_if(m_out.nodes.begin(), m_out.nodes.end(), [](const auto& n) { return n.isHost; });
    if (!m_source.failed() && hosts == 0)
      m_source.error(m_source.whole(), "fabric-no-hosts",
                     m_nameless.empty()
                         ? std::string("no link to a host was found")
                         : "none of the " + text::count(static_cast<long long>(m_nameless.size())) +
                               " adapters has a description that names its host",
                     m_nameless.empty() ? "save its whole output"
                                        : "start rdma-ndd on the hosts, or set node_desc, and save it again");
    noteOthers();
    Reading<InfinibandFabric> result;
    if (!m_source.failed()) result.value = std::move(m_out);
    result.diagnostics = m_source.take();
    return result;
  }

  /// What the fabric has and the network does not.
  void noteOthers() {
    const auto counted = [](std::size_t n, const char* one, const char* many) {
      return text::count(static_cast<long long>(n)) + (n == 1 ? one : many);
    };
    if (m_source.failed()) return;
    if (!m_nameless.empty())
      m_source.warning(m_source.whole(), "fabric-nameless",
                       counted(m_nameless.size(), " adapter has no description that names its host and is",
                               " adapters have no description that names their host and are") +
                           " left out; the first is " + nest::quoted(m_firstNameless),
                       "start rdma-ndd on these hosts, or set node_desc, and save the output again");
    std::size_t twice = 0;
    std::string first;
    for (const auto& [description, ids] : m_adaptersOf)
      if (ids.size() > 1 && twice++ == 0) first = description;
    if (twice > 0)
      m_source.warning(m_source.whole(), "fabric-host-twice",
                       counted(twice, " description is that of several adapters",
                               " descriptions are those of several adapters") +
                           ", the first of them " + nest::quoted(first) +
                           ": hosts of one name count as one host",
                       "give each host a name of its own, and save the output again");
    if (m_inactive > 0)
      m_source.note(
          m_source.whole(), "fabric-inactive",
          counted(m_inactive, " port without an active link is", " ports without an active link are") +
              " left out");
    if (m_unknownEnds > 0)
      m_source.note(m_source.whole(), "fabric-partial",
                    counted(m_unknownEnds, " cable leads", " cables lead") +
                        " to what the file does not describe, and " + (m_unknownEnds == 1 ? "is" : "are") +
                        " left out",
                    "save the whole output of " + m_out.from);
  }

  SourceText m_source;
  InfinibandFabric m_out;
  std::set<std::string> m_nameless;  ///< adapters
  std::string m_firstNameless;
  std::map<std::string, std::set<std::string>> m_adaptersOf;  ///< by description
  std::size_t m_inactive = 0, m_unknownEnds = 0;
  std::map<std::string, std::size_t> m_number;
  std::map<std::string, int> m_names;
  std::map<std::string, std::string> m_described;
  std::map<std::tuple<int, int, double>, std::size_t> m_links;
  std::set<std::string> m_cables, m_switches, m_adapters;
  std::vector<Seen> m_seen;
  std::string m_id, m_name;  ///< of the node whose ports are read
  bool m_isSwitch = false;
};

}  // namespace

const Format& infinibandFormat() {
  static constexpr Format format = {
      .key = "infiniband",
      .name = "InfiniBand fabric",
      .suffixes = "txt lst",
      .fileNames = "opensm-subnet.lst",
      .example =
          "{ SW Ports:28 NodeGUID:0c42a10300a1b2c0 {MF0;leaf0:MQM8700/U1} LID:0001 PN:01 } "
          "{ CA Ports:01 NodeGUID:0c42a10300a1b301 {gpu00 mlx5_0} LID:0002 PN:01 } PHY=4x LOG=ACT SPD=50",
      .remarks =
          R"(What ibnetdiscover or iblinkinfo prints, or opensm-subnet.lst: every cable with its speed. It does not show devices: a list
of hosts with it (sinfo, a host file) says which hosts have how many.)",
      .claims =
          [](const FileLook& f) {
            return (f.has("nodeguid:") && f.has("phy=")) || (f.has(")==>") && f.has("==(")) ||
                   (f.has("switch\t") && f.has("\"s-")) || (f.has("ca\t") && f.has("\"h-")) ||
                   (f.has("vendid=0x") && f.has("devid=0x"));
          },
      .read = ReadFabric(
          [](std::string_view text, const std::string& file) { return InfinibandReader(text, file).run(); })};
  return format;
}

}  // namespace nest
