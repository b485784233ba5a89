#include <algorithm>
#include <map>
#include <unordered_map>

#include "cluster/devices/device_names.h"
#include "formats/format.h"
#include "formats/networks/host_list.h"
#include "formats/networks/slurm_hostlist.h"
#include "formats/networks/text_lines.h"
#include "text/decimal.h"
#include "text/json_parts.h"
#include "text/json_text.h"
#include "units/letters.h"
#include "units/text.h"

namespace nest {
namespace {

constexpr std::size_t kMostSlurmNodeBytes = 64u << 20;

/// A host counts with one type of device.
void noteOtherTypes(SourceText& source, const Gres& gres, std::string_view hosts, const Place& place) {
  if (gres.others > 0)
    source.warning(place, "gres-types",
                   std::to_string(gres.others) + " of the " + std::to_string(gres.devices) + " devices of " +
                       nest::quoted(hosts) + " are of another type than " + nest::quoted(gres.type) +
                       ", and count as it",
                   "change speed and memory of these devices under Cluster");
}

/// slurm.conf, gres.conf and what scontrol show nodes prints: records of Key=Value that begin with NodeName
/// (in gres.conf also with Name). What has no "=" is of no interest here.
class SlurmNodesReader {
public:
  SlurmNodesReader(std::string_view text, const std::string& file)
      : m_source(text, file), m_hosts(m_source, "a list of Slurm's nodes") {}

  Reading<SlurmTopology> run() {
    if (!m_source.isReadable(kMostSlurmNodeBytes, "a list of Slurm's nodes"))
      return {std::nullopt, m_source.take()};
    for (const TextPart& line : linesOf(m_source.text())) {
      const auto words = wordsOf(line, "#");
      if (words.size() > 1 && text::lower(words[0].text) == "include") {
        m_source.warning(m_source.place(words[1].offset), "slurm-include",
                         "the file includes " + nest::quoted(words[1].text) + ", which is not read",
                         "give one file with what both say of nodes, or the output of scontrol show nodes");
        continue;
      }
      for (const TextPart& word : words) take(word);
    }
    endRecord();
    addSummed();
    for (const DownNodes& down : m_down)
      for (const std::string& name : expandHostlist(down.names.text).names)
        m_hosts.setState(name, down.state, down.word);
    if (m_detects && m_hosts.empty() && !m_source.failed())
      m_source.error(
          m_source.whole(), "gres-autodetect",
          "AutoDetect finds the devices when Slurm starts; the file does not say how many there are",
          "give the output of scontrol show nodes");
    return m_hosts.finish();
  }

private:
  struct Record {
    TextPart names, gres, file, count, state, used;
    std::string_view resource, type, features, allocated, configured;
    bool ofGres = false;     ///< NodeName was there; a Name that follows belongs to it
    bool isRunning = false;  ///< scontrol prints it, not slurm.conf
  };

  void take(const TextPart& word) {
    const auto equals = word.text.find('=');
    if (equals == std::string_view::npos) return;
    const std::string key = text::lower(word.text.substr(0, equals));
    const TextPart value{word.text.substr(equals + 1), word.offset + equals + 1};
    if (key == "partitionname" || key == "nodeset" || key == "downnodes") {
      endRecord();
      m_isOther = true;
      m_ofDown = key == "downnodes";
      if (m_ofDown) m_down.push_back({value});
    } else if (key == "nodename" || (key == "name" && !m_record.ofGres)) {
      // gres.conf: NodeName and Name stand in one record.
      endRecord();
      m_isOther = false;
    }
    if (m_isOther && m_ofDown && key == "state") {
      HostList::Host host;
      m_hosts.readState(host, value.text, m_source.place(value.offset));
      if (host.state) m_down.back() = {m_down.back().names, *host.state, "DownNodes " + host.word};
    }
    if (m_isOther) return;
    if (key == "nodename")
      m_record.names = value;
    else if (key == "name")
      m_record.resource = value.text;
    else if (key == "state")
      m_record.state = value;
    else if (key == "gresused")
      m_record.used = value;
    else if (key == "alloctres")
      m_record.allocated = value.text;
    else if (key == "cfgtres")
      m_record.configured = value.text;
    else if (key == "cpualloc" || key == "cputot")
      m_record.isRunning = true;
    else if (key == "type")
      m_record.type = value.text;
    else if (key == "feature" || key == "features" || key == "availablefeatures")
      m_record.features = value.text;
    else if (key == "gres")
      m_record.gres = value;
    else if (key == "file")
      m_record.file = value;
    else if (key == "count")
      m_record.count = value;
    else if (key == "autodetect" && text::lower(value.text) != "off")
      m_detects = true;
    m_record.ofGres = m_record.ofGres || key == "nodename";
  }

  /// `told`: what Gres says besides.
  std::optional<int> devices(Gres& told) {
    if (!m_record.gres.text.empty()) {
      const auto gres = readGres(m_record.gres.text);
      if (!gres)
        m_source.error(m_source.place(m_record.gres.offset), "slurm-gres",
                       "Gres is " + nest::quoted(m_record.gres.text) + "; expected: gpu:TYPE:COUNT");
      told = gres.value_or(Gres{});
      return gres ? std::optional(gres->devices) : std::nullopt;
    }
    if (m_record.resource.empty()) return std::nullopt;
    if (text::lower(m_record.resource) != "gpu") return std::nullopt;
    const auto count = countOrFiles();
    if (!isPartition(m_record.type)) {
      told.type = m_record.type;
      return count;
    }
    told.partitions = count.value_or(1);
    return 0;
  }

  /// Devices by Count, or one for each File. Slurm starts with no file in which the two differ.
  std::optional<int> countOrFiles() {
    std::optional<int> count, files;
    if (!m_record.count.text.empty()) {
      const auto read = readWhole(m_record.count.text, 0, kMostDevicesOfHost);
      if (!read) {
        m_source.error(m_source.place(m_record.count.offset), "slurm-gres",
                       "Count is " + nest::quoted(m_record.count.text) +
                           "; expected: a whole number from 0 to " + text::count(kMostDevicesOfHost));
        return std::nullopt;
      }
      count = static_cast<int>(*read);
    }
    if (!m_record.file.text.empty()) {
      const Hostlist list = expandHostlist(m_record.file.text, 4096);
      if (!list.error.empty()) {
        m_source.error(m_source.place(m_record.file.offset + list.offset), "slurm-gres",
                       list.error + " in " + nest::quoted(m_record.file.text));
        return std::nullopt;
      }
      files = static_cast<int>(list.names.size());
    }
    if (count && files && *count != *files)
      m_source.error(m_source.place(m_record.count.offset), "slurm-gres",
                     "Count is " + std::to_string(*count) + ", but File names " + std::to_string(*files) +
                         (*files == 1 ? " device" : " devices"),
                     "correct one of them, or leave Count out");
    return count ? count : files;
  }

  void endRecord() {
    const Record record = m_record;
    Gres gres;
    const auto told = devices(gres);
    m_record = {};
    if (!record.resource.empty() && text::lower(record.resource) != "gpu") return;
    if (record.names.text.empty()) {
      // A line of gres.conf for every host: one a type, or one a file.
      if (told) m_hosts.setDevicesOfOthers(m_everywhere += *told, gres.type);
      return;
    }
    if (text::lower(record.names.text) == "default") {
      m_default = told;
      m_defaultType = gres.type;
      return;
    }
    if (!told && !record.gres.text.empty()) return;  // reported
    if (told && !record.resource.empty()) return addToHosts(record.names, *told, gres);
    // In slurm.conf a node without Gres has none; in gres.conf each line adds to its nodes.
    const auto count = told                      ? told
                       : m_default               ? m_default
                       : record.resource.empty() ? std::optional(0)
                                                 : told;
    const Place place = m_source.place(record.names.offset);
    HostList::Host host;
    host.devices = count;
    host.device = told || !m_default ? gres.type : m_defaultType;
    if (host.device.empty()) host.device = deviceInFeatures(record.features);
    host.partitions = gres.partitions;
    readState(record, host);
    noteOtherTypes(m_source, gres, record.names.text, place);
    m_hosts.addList(record.names.text, host, place);
  }

  /// slurm.conf says UNKNOWN of nodes whose state is found out when Slurm starts.
  void readState(const Record& record, HostList::Host& host) {
    if (record.state.text.empty() || (!record.isRunning && text::lower(record.state.text) == "unknown"))
      return;
    m_hosts.readState(host, record.state.text, m_source.place(record.state.offset));
    if (!record.used.text.empty()) {
      host.inUse = readGresUsed(record.used.text);
      if (!host.inUse)
        m_source.error(
            m_source.place(record.used.offset), "slurm-gres",
            "GresUsed is " + nest::quoted(record.used.text) + "; expected: gpu:TYPE:COUNT(IDX:0-3)");
      return;
    }
    // Only what CfgTRES counts is also counted in AllocTRES, which leaves out what is not in use.
    if (devicesInTres(record.configured))
      host.inUse = DevicesInUse{devicesInTres(record.allocated).value_or(0), {}};
    else if (const auto used = devicesInTres(record.allocated))
      host.inUse = DevicesInUse{*used, {}};
  }

  /// Each line of gres.conf adds to its hosts: one a file, or one a type.
  void addToHosts(const TextPart& names, int devices, const Gres& gres) {
    const Place place = m_source.place(names.offset);
    const Hostlist list = expandHostlist(names.text);
    if (!list.error.empty())
      return m_source.error(m_source.place(names.offset + list.offset), "slurm-hostlist",
                            list.error + " in " + nest::quoted(names.text));
    for (const std::string& name : list.names) {
      const auto [known, isNew] = m_numberOf.emplace(name, m_summed.size());
      if (isNew) m_summed.push_back({name, place, {}, 0, 0});
      Summed& host = m_summed[known->second];
      host.devices += devices;
      host.partitions += gres.partitions;
      if (devices > 0) host.types[gres.type] += devices;
    }
  }
  void addSummed() {
    for (const Summed& s : m_summed) {
      HostList::Host host;
      host.name = s.name;
      host.devices = s.devices;
      host.partitions = s.partitions;
      Gres gres;
      gres.devices = s.devices;
      int most = 0;
      for (const auto& [type, count] : s.types)
        if (count > most) most = count, gres.type = type;
      gres.others = s.devices - most;
      if (!gres.type.empty()) noteOtherTypes(m_source, gres, s.name, s.place);
      host.device = gres.type;
      m_hosts.add(std::move(host), s.place);
    }
  }

  struct Summed {
    std::string name;
    Place place;
    std::map<std::string, int> types;
    int devices, partitions;
  };
  struct DownNodes {
    TextPart names;
    StateWord state = {HostState::Down, false};
    std::string word = "DownNodes";
  };
  SourceText m_source;
  HostList m_hosts;
  Record m_record;
  std::vector<DownNodes> m_down;
  std::vector<Summed> m_summed;  ///< of gres.conf
  std::unordered_map<std::string, std::size_t> m_numberOf;
  std::optional<int> m_default;
  std::string m_defaultType;
  int m_everywhere = 0;
  bool m_isOther = false, m_ofDown = false, m_detects = false;
};

/// What scontrol show nodes --json prints.
Reading<SlurmTopology> readNodesJson(std::string_view text, const std::string& file) {
  SourceText source(text, file);
  HostList hosts(source, "a list of Slurm's nodes");
  auto read = readJsonText(text, file);
  if (!read) return {std::nullopt, std::move(read.diagnostics)};
  const nlohmann::json& nodes = partOf(read->root(), "nodes");
  if (!nodes.is_array())
    source.error(read->placeOf(""), "slurm-nodes", "expected a list \"nodes\"",
                 "give the output of scontrol show nodes");
  for (std::size_t i = 0; nodes.is_array() && i < nodes.size(); ++i) {
    const Place place = read->placeOf(jsonPointer("/nodes", i));
    const std::string gres = textOf(nodes[i], {"gres"});
    const auto told = readGres(gres);
    if (!told)
      source.error(place, "slurm-gres", "gres is " + nest::quoted(gres) + "; expected: gpu:TYPE:COUNT");
    HostList::Host host;
    host.name = textOf(nodes[i], {"name"});
    if (told) {
      host.devices = told->devices;
      host.device = told->type;
      host.partitions = told->partitions;
      noteOtherTypes(source, *told, host.name, place);
    }
    const nlohmann::json& features = partOf(nodes[i], "features");
    for (const nlohmann::json& f : features.is_array() ? features : nlohmann::json::array({features}))
      if (host.device.empty()) host.device = deviceInFeatures(textOf(f));
    // Releases before 23.02 have the flags in a list of their own.
    std::string words;
    for (const char* key : {"state", "state_flags"}) {
      const nlohmann::json& state = partOf(nodes[i], key);
      for (const nlohmann::json& s : state.is_array() ? state : nlohmann::json::array({state}))
        if (const std::string one = textOf(s); !one.empty()) words += (words.empty() ? "" : "+") + one;
    }
    if (!words.empty()) hosts.readState(host, words, place);
    if (const std::string used = textOf(nodes[i], {"gres_used"}); !used.empty()) {
      host.inUse = readGresUsed(used);
      if (!host.inUse)
        source.error(place, "slurm-gres",
                     "gres_used is " + nest::quoted(used) + "; expected: gpu:TYPE:COUNT(IDX:0-3)");
    } else if (devicesInTres(textOf(nodes[i], {"tres"}))) {
      host.inUse = DevicesInUse{devicesInTres(textOf(nodes[i], {"tres_used"})).value_or(0), {}};
    }
    hosts.add(std::move(host), place);
  }
  return hosts.finish();
}

/// sinfo's table, whatever columns were asked for: NODELIST (or HOSTNAMES) and GRES count.
class SinfoReader {
public:
  SinfoReader(std::string_view text, const std::string& file)
      : m_source(text, file), m_hosts(m_source, "a list of Slurm's nodes") {}

  Reading<SlurmTopology> run() {
    if (!m_source.isReadable(kMostSlurmNodeBytes, "sinfo's table")) return {std::nullopt, m_source.take()};
    int names = -1, gres = -1, state = -1, features = -1, used = -1;
    std::size_t columns = 0;
    for (const TextPart& line : linesOf(m_source.text())) {
      const auto words = wordsOf(line, "#");
      const auto column = [&](std::string_view head) {
        const auto at = std::find_if(words.begin(), words.end(),
                                     [&](const TextPart& w) { return text::lower(w.text) == head; });
        return at == words.end() ? -1 : static_cast<int>(at - words.begin());
      };
      if (const int head = std::max(column("nodelist"), column("hostnames")); head >= 0) {
        names = head;
        gres = column("gres");
        state =
            std::max({column("state"), column("statecompact"), column("statelong"), column("statecomplete")});
        used = column("gres_used");
        features = std::max({column("avail_features"), column("features"), column("avail_fe")});
        columns = words.size();
        continue;
      }
      if (names < 0 || words.empty()) continue;
      // A reason, the last column of some formats, may have blanks.
      if (words.size() < columns) {
        if (words.size() + 1 == columns && static_cast<std::size_t>(names) == columns - 1)
          continue;  // a partition without nodes
        m_source.error(
            m_source.place(line.offset), "sinfo-row",
            "the row has " + std::to_string(words.size()) + " of " + std::to_string(columns) + " columns");
        continue;
      }
      const TextPart& name = words[names];
      HostList::Host host;
      if (gres >= 0) {
        const TextPart& g = words[gres];
        const auto told = readGres(g.text);
        if (!told) {
          m_source.error(m_source.place(g.offset), "slurm-gres",
                         "GRES is " + nest::quoted(g.text) + "; expected: gpu:TYPE:COUNT");
        } else {
          host.devices = told->devices;
          host.device = told->type;
          host.partitions = told->partitions;
          noteOtherTypes(m_source, *told, name.text, m_source.place(name.offset));
        }
      }
      if (features >= 0 && host.device.empty()) host.device = deviceInFeatures(words[features].text);
      if (state >= 0) m_hosts.readState(host, words[state].text, m_source.place(words[state].offset));
      if (used >= 0) {
        host.inUse = readGresUsed(words[used].text);
        if (!host.inUse)
          m_source.error(
              m_source.place(words[used].offset), "slurm-gres",
              "GRES_USED is " + nest::quoted(words[used].text) + "; expected: gpu:TYPE:COUNT(IDX:0-3)");
      }
      m_hosts.addList(name.text, host, m_source.place(name.offset));
    }
    if (names < 0)
      m_source.error(m_source.whole(), "sinfo-head", "no row of column heads with NODELIST was found",
                     "give the output of sinfo -o '%N %G'");
    return m_hosts.finish();
  }

private:
  SourceText m_source;
  HostList m_hosts;
};

}  // namespace

const Format& slurmNodesFormat() {
  static constexpr Format format = {
      .key = "slurm-nodes",
      .name = "Slurm nodes",
      .suffixes = "conf txt",
      .fileNames = "slurm.conf gres.conf",
      .example = "NodeName=gpu[00-15] CPUs=112 Gres=gpu:h100:8",
      .remarks =
          R"(slurm.conf, gres.conf or what scontrol show nodes prints: the hosts and their GPUs, not how they are connected. With a
topology.conf they say how many devices each host has.)",
      .claims =
          [](const FileLook& f) {
            if (f.names("nodes") && f.names("gres")) return true;
            return !f.has("switchname=") && !f.has("blockname=") &&
                   ((f.has("nodename=") && (f.has("gres=") || f.has("name=gpu") || f.has("cpualloc=") ||
                                            f.has("partitionname=") || f.word == "nodename")) ||
                    f.has("name=gpu") || f.has("\nautodetect=") || f.word == "autodetect");
          },
      .read = ReadHostTree([](std::string_view text, const std::string& file) {
        const auto begin = text.find_first_not_of("\xEF\xBB\xBF \t\r\n");
        return begin != std::string_view::npos && text[begin] == '{' ? readNodesJson(text, file)
                                                                     : SlurmNodesReader(text, file).run();
      })};
  return format;
}

const Format& sinfoFormat() {
  static constexpr Format format = {
      .key = "sinfo",
      .name = "sinfo table",
      .suffixes = "txt",
      .fileNames = "",
      .example = "NODELIST GRES\ngpu[00-15] gpu:h100:8(S:0-1)",
      .remarks = "The hosts with their states and, with the column GRES (sinfo -o '%N %T %G'), their GPUs.",
      .claims =
          [](const FileLook& f) {
            // sinfo --long prints the date first; people add comments, or keep the command.
            std::string_view rest = f.text;
            for (int line = 0; line < 5 && !rest.empty(); ++line) {
              const std::string_view head = rest.substr(0, rest.find('\n'));
              rest.remove_prefix(std::min(rest.size(), head.size() + 1));
              if ((head.find("nodelist") != std::string_view::npos ||
                   head.find("hostnames") != std::string_view::npos) &&
                  head.find_first_of(",=#$%") == std::string_view::npos)
                return true;
            }
            return false;
          },
      .read = ReadHostTree(
          [](std::string_view text, const std::string& file) { return SinfoReader(text, file).run(); })};
  return format;
}

}  // namespace nest
