#include <algorithm>
#include <cctype>
#include <map>

#include "formats/format.h"
#include "formats/networks/host_list.h"
#include "formats/networks/slurm_hostlist.h"
#include "formats/networks/text_lines.h"
#include "units/at.h"
#include "units/letters.h"
#include "units/text.h"

namespace nest {
namespace {

/// A table with a head: one column names hosts, one may count devices, others may name where they stand.
class InventoryReader {
public:
  InventoryReader(std::string_view text, const std::string& file)
      : m_source(text, file), m_hosts(m_source, "an inventory") {}

  Reading<SlurmTopology> run() {
    if (!m_source.isReadable(kMostHostListBytes, "an inventory")) return {std::nullopt, m_source.take()};
    const auto lines = linesOf(m_source.text());
    std::size_t l = 0;
    while (l < lines.size() && (lines[l].text.empty() || lines[l].text.front() == '#')) ++l;
    if (l < lines.size()) readHead(lines[l]);
    if (!m_source.failed() && m_host < 0)
      m_source.error(m_source.whole(), "inventory-head", "no column is named host",
                     "name the columns in the first line, for example host,rack,gpus");
    const bool hasHead = !m_source.failed();
    for (++l; hasHead && l < lines.size(); ++l)
      if (!lines[l].text.empty() && lines[l].text.front() != '#') row(lines[l]);
    return m_hosts.finish();
  }

  /// Column heads of this line; empty if it has none for hosts.
  static bool isHead(std::string_view line) {
    InventoryReader reader(line, {});
    reader.readHead({line, 0});
    // Tables of many kinds have a name; one of hosts counts their devices.
    const bool isHost =
        reader.m_host >= 0 && text::lower(reader.cells({line, 0})[at(reader.m_host)].text) != "name";
    return reader.m_host >= 0 && (reader.m_devices >= 0 || (isHost && !reader.m_groups.empty()));
  }

private:
  static char separatorOf(std::string_view head) {
    for (char c : {',', ';', '\t'})
      if (head.find(c) != std::string_view::npos) return c;
    return ',';
  }

  std::vector<TextPart> cells(const TextPart& line) const {
    std::vector<TextPart> out;
    std::size_t at = 0;
    while (at <= line.text.size()) {
      const bool isQuoted = at < line.text.size() && line.text[at] == '"';
      const std::size_t from = at + (isQuoted ? 1 : 0);
      std::size_t end = isQuoted ? line.text.find('"', from) : line.text.find(m_separator, from);
      end = std::min(end, line.text.size());
      out.push_back({text::trimmed(line.text.substr(from, end - from)), line.offset + from});
      const std::size_t next = line.text.find(m_separator, end);
      if (next == std::string_view::npos) break;
      at = next + 1;
    }
    return out;
  }

  void readHead(const TextPart& line) {
    static constexpr std::string_view kHosts[] = {"host",      "hostname", "host_name", "node",
                                                  "node_name", "name",     "server",    "instance"};
    m_separator = separatorOf(line.text);
    std::vector<std::pair<int, int>> places;
    const int domain = *rankOfPlace("nvlink_domain");
    const auto head = cells(line);
    std::string ignored;
    for (std::size_t c = 0; c < head.size(); ++c) {
      std::string name = text::lower(head[c].text);
      std::replace(name.begin(), name.end(), ' ', '_');
      std::replace(name.begin(), name.end(), '-', '_');
      const int column = static_cast<int>(c);
      if (m_host < 0 && std::find(std::begin(kHosts), std::end(kHosts), name) != std::end(kHosts))
        m_host = column;
      else if (m_devices < 0 && (name == "gpu" || countsDevices(name)))
        m_devices = column;
      else if (m_model < 0 && namesDevice(name))
        m_model = column;
      else if (m_state < 0 && statesHosts(name))
        m_state = column;
      else if (const auto place = rankOfPlace(name))
        places.emplace_back(*place, column);
      else
        ignored += (ignored.empty() ? "" : ", ") + quoted(head[c].text);
    }
    std::sort(places.begin(), places.end());
    for (const auto& [rank, column] : places) {
      m_groups.push_back(column);
      m_isDomain = rank >= domain;
    }
    m_columns = head.size();
    if (!ignored.empty())
      m_source.note(m_source.place(line.offset), "inventory-columns",
                    "these columns are ignored: " + ignored);
  }

  void row(const TextPart& line) {
    const auto all = cells(line);
    if (std::all_of(all.begin(), all.end(), [](const TextPart& c) { return c.text.empty(); })) return;
    if (all.size() != m_columns)
      return m_source.error(
          m_source.place(line.offset), "inventory-row",
          "the row has " + std::to_string(all.size()) + " cells and the head " + std::to_string(m_columns));
    HostList::Host host;
    const TextPart& name = all[at(m_host)];
    for (int c : m_groups) host.groups.emplace_back(all[at(c)].text);
    noteRepeatedNames(host.groups, name);
    if (m_isDomain && !host.groups.empty()) {
      host.nvlinkDomain = host.groups.back();
      host.groups.pop_back();
    }
    if (m_devices >= 0 && !all[at(m_devices)].text.empty()) {
      const TextPart& cell = all[at(m_devices)];
      host.devices = deviceCountIn(cell.text);
      if (!host.devices)
        return m_source.error(m_source.place(cell.offset), "inventory-devices",
                              "the number of devices is " + quoted(cell.text) +
                                  "; expected: a whole number from 0 to " + text::count(kMostDevicesOfHost));
    }
    if (m_model >= 0) host.device = all[at(m_model)].text;
    if (m_state >= 0 && !all[at(m_state)].text.empty()) {
      const TextPart& cell = all[at(m_state)];
      host.word = cell.text;
      host.state = writtenState(cell.text);
      if (!host.state)
        return m_source.error(m_source.place(cell.offset), "host-state",
                              "the state of " + quoted(name.text) + " is " + quoted(cell.text) +
                                  ", which is not a known state of a host",
                              kWrittenStates);
    }
    const Hostlist list = expandHostlist(name.text);
    if (!list.error.empty())
      return m_source.error(m_source.place(name.offset), "slurm-hostlist",
                            list.error + " in " + quoted(name.text));
    for (const std::string& one : list.names) {
      host.name = one;
      m_hosts.add(host, m_source.place(name.offset));
    }
  }

  /// A name that stands in two wider groups is that of two groups; whoever numbers racks through knows
  /// better.
  void noteRepeatedNames(const std::vector<std::string>& groups, const TextPart& host) {
    for (std::size_t k = 1; k < groups.size(); ++k) {
      if (groups[k].find_first_not_of("0123456789") == std::string::npos) continue;
      const auto [known, isNew] = m_wider.emplace(std::pair(k, groups[k]), groups[k - 1]);
      if (isNew || known->second == groups[k - 1] || m_saidRepeated) continue;
      m_saidRepeated = true;
      m_source.note(m_source.place(host.offset), "inventory-names-repeat",
                    quoted(groups[k]) + " stands in " + quoted(known->second) + " and in " +
                        quoted(groups[k - 1]) +
                        "; names count within the wider group, so these are two groups");
    }
  }

  SourceText m_source;
  HostList m_hosts;
  std::map<std::pair<std::size_t, std::string>, std::string> m_wider;  ///< the first group around each name
  bool m_saidRepeated = false;
  char m_separator = ',';
  int m_host = -1, m_devices = -1, m_model = -1, m_state = -1;
  std::vector<int> m_groups;
  std::size_t m_columns = 0;
  bool m_isDomain = false;
};

}  // namespace

const Format& inventoryFormat() {
  static constexpr Format format = {
      .key = "inventory",
      .name = "inventory (CSV)",
      .suffixes = "csv tsv",
      .fileNames = "",
      .example = "host,rack,leaf,gpus\ngpu00,r1,leaf0,8\ngpu01,r1,leaf0,8\ngpu02,r2,leaf1,8",
      .remarks =
          R"(Columns host, gpus, state, and where a host stands (region, datacenter, zone, pod, row, spine, block, rack, leaf, nvlink_domain).)",
      .claims =
          [](const FileLook& f) {
            for (const TextPart& line : linesOf(f.text))
              if (!line.text.empty() && line.text.front() != '#') return InventoryReader::isHead(line.text);
            return false;
          },
      .read = ReadHostTree(
          [](std::string_view text, const std::string& file) { return InventoryReader(text, file).run(); })};
  return format;
}

}  // namespace nest
