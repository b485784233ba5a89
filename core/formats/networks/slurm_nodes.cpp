#include <algorithm>

#include "formats/format.h"
#include "formats/networks/host_list.h"
#include "formats/networks/slurm_hostlist.h"
#include "formats/networks/text_lines.h"
#include "text/decimal.h"
#include "text/json_parts.h"
#include "text/json_text.h"
#include "units/letters.h"

namespace nest {
namespace {

constexpr std::size_t kMostBytes = 64u << 20;

/// slurm.conf, gres.conf and what scontrol show nodes prints: records of Key=Value that begin with NodeName
/// (in gres.conf also with Name). What has no "=" is of no interest here.
class SlurmNodesReader {
public:
  SlurmNodesReader(std::string_view text, const std::string& file)
      : m_source(text, file), m_hosts(m_source, "a list of Slurm's nodes") {}

  Reading<SlurmTopology> run() {
    if (!m_source.isReadable(kMostBytes, "a list of Slurm's nodes")) return {std::nullopt, m_source.take()};
    for (const TextPart& line : linesOf(m_source.text()))
      for (const TextPart& word : wordsOf(line, "#")) take(word);
    endRecord();
    if (m_detects && m_hosts.empty() && !m_source.failed())
      m_source.error(
          m_source.whole(), "gres-autodetect",
          "AutoDetect finds the devices when Slurm starts; the file does not tell how many there are",
          "give the output of scontrol show nodes");
    return m_hosts.finish();
  }

private:
  void take(const TextPart& word) {
    const auto equals = word.text.find('=');
    if (equals == std::string_view::npos) return;
    const std::string key = text::lower(word.text.substr(0, equals));
    const TextPart value{word.text.substr(equals + 1), word.offset + equals + 1};
    if (key == "partitionname" || key == "nodeset" || key == "downnodes") {
      endRecord();
      m_isOther = true;
    } else if (key == "nodename" || (key == "name" && !m_record.ofGres)) {
      // gres.conf: NodeName and Name stand in one record.
      endRecord();
      m_isOther = false;
    }
    if (m_isOther) return;
    if (key == "nodename")
      m_record.names = value;
    else if (key == "name")
      m_record.resource = value.text;
    else if (key == "state")
      m_record.isOut = isOutOfSlurm(value.text);
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

  std::optional<int> devices() {
    if (!m_record.gres.text.empty()) {
      const auto told = devicesOfGres(m_record.gres.text);
      if (!told)
        m_source.error(m_source.place(m_record.gres.offset), "slurm-gres",
                       "Gres is " + nest::quoted(m_record.gres.text) + "; expected: gpu:TYPE:COUNT");
      return told;
    }
    if (m_record.resource.empty()) return std::nullopt;
    if (text::lower(m_record.resource) != "gpu") return std::nullopt;
    if (!m_record.count.text.empty()) {
      const auto count = readWhole(m_record.count.text, 0, 4096);
      if (!count)
        m_source.error(m_source.place(m_record.count.offset), "slurm-gres",
                       "Count is " + nest::quoted(m_record.count.text) + "; expected: a whole number");
      return count ? std::optional(static_cast<int>(*count)) : std::nullopt;
    }
    if (m_record.file.text.empty()) return std::nullopt;
    const Hostlist files = expandHostlist(m_record.file.text, 4096);
    if (!files.error.empty())
      m_source.error(m_source.place(m_record.file.offset + files.offset), "slurm-gres",
                     files.error + " in " + nest::quoted(m_record.file.text));
    return files.error.empty() ? std::optional(static_cast<int>(files.names.size())) : std::nullopt;
  }

  void endRecord() {
    const Record record = m_record;
    const auto told = devices();
    m_record = {};
    if (!record.resource.empty() && text::lower(record.resource) != "gpu") return;
    if (record.names.text.empty()) {
      // A line of gres.conf for every host: one a type, or one a file.
      if (told) m_hosts.setDevicesOfOthers(m_everywhere += *told);
      return;
    }
    if (text::lower(record.names.text) == "default") {
      m_default = told;
      return;
    }
    if (!told && !record.gres.text.empty()) return;  // reported
    // In slurm.conf a node without Gres has none; in gres.conf each line adds to its nodes.
    const auto count = told                      ? told
                       : m_default               ? m_default
                       : record.resource.empty() ? std::optional(0)
                                                 : told;
    m_hosts.addList(record.names.text, count, m_source.place(record.names.offset), record.isOut);
  }

  struct Record {
    TextPart names, gres, file, count;
    std::string_view resource;
    bool isOut = false;
    bool ofGres = false;  ///< NodeName was there; a Name that follows belongs to it
  };
  SourceText m_source;
  HostList m_hosts;
  Record m_record;
  std::optional<int> m_default;
  int m_everywhere = 0;
  bool m_isOther = false, m_detects = false;
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
    const auto devices = devicesOfGres(gres);
    if (!devices)
      source.error(place, "slurm-gres", "gres is " + nest::quoted(gres) + "; expected: gpu:TYPE:COUNT");
    hosts.add({textOf(nodes[i], {"name"}), {}, devices, {}, isOutOfSlurm(partOf(nodes[i], "state").dump())},
              place);
  }
  return hosts.finish();
}

/// sinfo's table, whatever columns were asked for: NODELIST (or HOSTNAMES) and GRES count.
class SinfoReader {
public:
  SinfoReader(std::string_view text, const std::string& file)
      : m_source(text, file), m_hosts(m_source, "a list of Slurm's nodes") {}

  Reading<SlurmTopology> run() {
    if (!m_source.isReadable(kMostBytes, "sinfo's table")) return {std::nullopt, m_source.take()};
    int names = -1, gres = -1, state = -1;
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
        state = column("state");
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
      std::optional<int> devices;
      if (gres >= 0) {
        const TextPart& g = words[gres];
        devices = devicesOfGres(g.text);
        if (!devices)
          m_source.error(m_source.place(g.offset), "slurm-gres",
                         "GRES is " + nest::quoted(g.text) + "; expected: gpu:TYPE:COUNT");
      }
      m_hosts.addList(name.text, devices, m_source.place(name.offset),
                      state >= 0 && isOutOfSlurm(words[state].text));
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
          R"(slurm.conf, gres.conf or what scontrol show nodes prints: the hosts and their GPUs, not how they are connected. Beside a
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
      .remarks = "The hosts and, with the column GRES (sinfo -o '%N %G'), their GPUs.",
      .claims =
          [](const FileLook& f) {
            const std::string_view head = std::string_view(f.text).substr(0, f.text.find('\n'));
            return (head.find("nodelist") != std::string_view::npos ||
                    head.find("hostnames") != std::string_view::npos) &&
                   head.find(',') == std::string_view::npos && head.find('=') == std::string_view::npos;
          },
      .read = ReadHostTree(
          [](std::string_view text, const std::string& file) { return SinfoReader(text, file).run(); })};
  return format;
}

}  // namespace nest
