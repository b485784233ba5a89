#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "formats/format.h"
#include "formats/networks/host_list.h"
#include "formats/networks/slurm_hostlist.h"
#include "formats/networks/text_lines.h"
#include "text/decimal.h"
#include "text/yaml_tree.h"
#include "units/at.h"
#include "units/letters.h"

namespace nest {
namespace {

constexpr std::size_t kMostBytes = 16u << 20, kMostYaml = 4u << 20;
constexpr long long kMostDevices = 4096;

/// Letters, digits and what host names and host lists have besides.
bool isHostWord(std::string_view s) {
  return !s.empty() && (std::isalnum(static_cast<unsigned char>(s.front())) || s.front() == '[') &&
         std::all_of(s.begin(), s.end(), [](unsigned char c) {
           return std::isalnum(c) || c == '-' || c == '_' || c == '.' || c == '[' || c == ']' || c == ',';
         });
}

std::optional<int> countOf(std::string_view s) {
  const auto n = readWhole(s, 0, kMostDevices);
  return n ? std::optional(static_cast<int>(*n)) : std::nullopt;
}

/// "gpu00 slots=8 max_slots=8" (Open MPI, DeepSpeed), "gpu00:8" (MPICH), "gpu[00-15]" (pdsh, Slurm), "gpu00"
/// on lines of its own, once a slot (PBS).
struct HostLine {
  TextPart hosts;
  std::optional<int> slots;
  std::optional<TextPart> wrong;
};
std::optional<HostLine> hostLine(const TextPart& line) {
  const auto words = wordsOf(line, "#");
  if (words.empty()) return std::nullopt;
  HostLine out{words[0], {}, {}};
  if (const auto colon = out.hosts.text.rfind(':'); colon != std::string_view::npos) {
    out.slots = countOf(out.hosts.text.substr(colon + 1));
    if (!out.slots) out.wrong = words[0];
    out.hosts.text = out.hosts.text.substr(0, colon);
  }
  if (!isHostWord(out.hosts.text)) out.wrong = words[0];
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string word = text::lower(words[i].text);
    if (word.starts_with("slots=")) {
      out.slots = countOf(word.substr(6));
      if (!out.slots) out.wrong = words[i];
    } else if (!word.starts_with("max_slots=") && !word.starts_with("max-slots=") &&
               !word.starts_with("port=") && !word.starts_with("user=")) {
      out.wrong = words[i];
    }
  }
  return out;
}

Reading<SlurmTopology> readHostFile(std::string_view text, const std::string& file) {
  SourceText source(text, file);
  if (!source.isReadable(kMostBytes, "a host file")) return {std::nullopt, source.take()};
  HostList hosts(source, "a host file");
  std::vector<HostLine> lines;
  std::map<std::string, int> times;
  bool hasSlots = false;
  for (const TextPart& line : linesOf(text)) {
    auto read = hostLine(line);
    if (!read) continue;
    if (read->wrong)
      source.error(source.place(read->wrong->offset), "hostfile-line",
                   "expected a host and its slots, as \"gpu00 slots=8\"; found " + quoted(read->wrong->text));
    hasSlots = hasSlots || read->slots;
    ++times[std::string(read->hosts.text)];
    lines.push_back(std::move(*read));
  }
  if (lines.size() == 1 && !hasSlots &&
      lines[0].hosts.text.find_first_of("0123456789") == std::string_view::npos)
    source.error(source.place(lines[0].hosts.offset), "hostfile-line",
                 "expected hosts and their slots, as \"gpu00 slots=8\"; found one word");
  // A host once a slot, where no line gives slots.
  const bool repeats =
      !hasSlots && std::any_of(times.begin(), times.end(), [](const auto& t) { return t.second > 1; });
  if (!source.failed())
    for (const HostLine& l : lines)
      hosts.addList(l.hosts.text, repeats ? times[std::string(l.hosts.text)] : l.slots,
                    source.place(l.hosts.offset));
  return hosts.finish();
}

/// Every line that says something is one of a host file, and at least one can be nothing else.
bool isHostFile(const FileLook& f) {
  bool isCertain = f.file.find("host") != std::string::npos || f.file.find("nodes") != std::string::npos;
  int lines = 0;
  const auto all = linesOf(f.text);
  for (const TextPart& line : all) {
    // The look may end within a line.
    if (line.offset + line.text.size() == f.text.size() && lines > 100) break;
    const auto read = hostLine(line);
    if (!read) continue;
    if (read->wrong) return false;
    const std::string_view name = read->hosts.text;
    const bool hasNumber =
        std::any_of(name.begin(), name.end(), [](unsigned char c) { return std::isdigit(c); });
    if (!std::isalpha(static_cast<unsigned char>(name.front())) && !isCertain) return false;
    if (name.find('[') == std::string_view::npos && name.find(',') != std::string_view::npos) return false;
    isCertain =
        isCertain || read->slots || name.find('[') != std::string_view::npos || (hasNumber && lines > 0);
    ++lines;
  }
  return lines > 0 && isCertain;
}

/// Ansible's inventories [docs.ansible.com, "How to build your inventory"]. As INI: hosts in [groups], their
/// variables behind them; [group:children] and [group:vars]. As YAML: a map of groups, each with maps of
/// hosts, vars and children.
class AnsibleReader {
public:
  AnsibleReader(std::string_view text, const std::string& file)
      : m_source(text, file), m_hosts(m_source, "an Ansible inventory") {}

  Reading<SlurmTopology> run() {
    if (!m_source.isReadable(kMostBytes, "an Ansible inventory")) return {std::nullopt, m_source.take()};
    if (isYaml(m_source.text()))
      readYaml();
    else
      for (const TextPart& line : linesOf(m_source.text())) read(line);
    if (!m_hasGroups && !m_source.failed())
      m_source.error(m_source.whole(), "ansible-group", "the inventory has no group, as [rack1]",
                     "give a plain list of hosts as a host file");
    if (!m_source.failed()) addHosts();
    return m_hosts.finish();
  }

  static bool isYaml(std::string_view text) {
    for (const TextPart& line : linesOf(text))
      if (!line.text.empty() && line.text.front() != '#')
        return line.text == "---" || line.text.substr(0, line.text.find(" #")).ends_with(':');
    return false;
  }

private:
  struct Named {
    std::string name, group;  ///< no group: in none but "all"
    std::optional<int> devices;
    Place place;
  };

  void read(const TextPart& line) {
    const auto words = wordsOf(line, "#;");
    if (words.empty()) return;
    if (words[0].text.front() == '[') {
      const auto close = words[0].text.find(']');
      if (close == std::string_view::npos && !isHostWord(words[0].text))
        return m_source.error(m_source.place(words[0].offset), "ansible-group", "a group stands in [ ]");
      const std::string_view head = words[0].text.substr(1, close - 1);
      m_hasGroups = true;
      m_group = head.substr(0, head.find(':'));
      m_part =
          head.find(':') == std::string_view::npos ? "hosts" : std::string(head.substr(head.find(':') + 1));
      return;
    }
    if (m_part == "children") {
      m_parents[std::string(words[0].text)].insert(m_group);
    } else if (m_part == "vars") {
      if (const auto count = devicesIn(words)) m_devicesOf[m_group] = count;
    } else {
      const auto at = [&](std::size_t offset) { return m_source.place(words[0].offset + offset); };
      for (std::string& name : expand(words[0].text, at))
        m_all.push_back({std::move(name), m_group, devicesIn({words.begin() + 1, words.end()}), at(0)});
    }
  }

  void readYaml() {
    const YamlValue root = readYamlTree(m_source, kMostYaml, "an Ansible inventory");
    if (m_source.failed()) return;
    if (root.kind != YamlValue::Kind::Map)
      return m_source.error(root.place, "ansible-yaml",
                            "an inventory is a map of groups, as all: {hosts: …}");
    for (const auto& group : root.entries) readGroup(group, {});
  }

  void readGroup(const YamlValue::Entry& group, const std::string& above) {
    const bool isNamed = group.key != "all" && group.key != "ungrouped";
    const std::string name = isNamed ? group.key : std::string();
    m_hasGroups = true;
    if (isNamed && !above.empty()) m_parents[name].insert(above);
    for (const auto& [key, place, part] : group.value.entries) {
      if (part.kind != YamlValue::Kind::Map && part.kind != YamlValue::Kind::Null)
        m_source.error(part.place, "ansible-yaml", quoted(key) + " of a group is a map");
      if (key == "vars") {
        if (const auto count = devicesIn(part)) m_devicesOf[group.key] = count;
      } else if (key == "children") {
        for (const auto& child : part.entries) readGroup(child, name);
      } else if (key == "hosts") {
        for (const auto& host : part.entries)
          for (std::string& one : expand(host.key, [&](std::size_t) { return host.place; }))
            m_all.push_back({std::move(one), name, devicesIn(host.value), host.place});
      } else {
        m_source.error(place, "ansible-yaml", "a group has hosts, vars and children; found " + quoted(key));
      }
    }
  }

  /// "gpu[00:15].example.org": from and to, both in it; letters count, too.
  template <class PlaceAt>
  std::vector<std::string> expand(std::string_view word, PlaceAt at) {
    const auto open = word.find('['), colon = word.find(':', open), close = word.find(']', open);
    if (open == std::string_view::npos) return {std::string(word.substr(0, word.find(':')))};
    std::string list(word);
    if (colon != std::string_view::npos && close != std::string_view::npos && colon < close)
      list[colon] = '-';
    const Hostlist names = expandHostlist(list);
    if (!names.error.empty())
      m_source.error(at(names.offset), "slurm-hostlist", names.error + " in " + quoted(word));
    return names.names;
  }

  static bool countsDevices(std::string_view variable) {
    static const std::set<std::string> names = {"gpus",           "gpu_count",   "num_gpus", "ngpus",
                                                "n_gpus",         "slots",       "devices",  "gpus_per_node",
                                                "nproc_per_node", "accelerators"};
    return names.count(text::lower(variable)) > 0;
  }

  std::optional<int> devicesOf(std::string_view variable, std::string_view value, const Place& place) {
    const auto count = countOf(value);
    if (!count)
      m_source.error(place, "ansible-devices",
                     std::string(variable) + " is " + quoted(value) + "; expected: a whole number");
    return count;
  }

  std::optional<int> devicesIn(const std::vector<TextPart>& words) {
    for (const TextPart& w : words)
      if (const auto equals = w.text.find('=');
          equals != std::string_view::npos && countsDevices(w.text.substr(0, equals)))
        return devicesOf(w.text.substr(0, equals), w.text.substr(equals + 1), m_source.place(w.offset));
    return std::nullopt;
  }

  std::optional<int> devicesIn(const YamlValue& variables) {
    for (const auto& v : variables.entries)
      if (countsDevices(v.key)) return devicesOf(v.key, v.value.scalar, v.value.place);
    return std::nullopt;
  }

  std::optional<int> inherited(const std::string& group, int depth) const {
    if (const auto own = m_devicesOf.find(group); own != m_devicesOf.end()) return own->second;
    if (const auto parents = m_parents.find(group); parents != m_parents.end() && depth < 8)
      for (const std::string& p : parents->second)
        if (const auto found = inherited(p, depth + 1)) return found;
    const auto all = m_devicesOf.find("all");
    return all == m_devicesOf.end() ? std::nullopt : all->second;
  }

  /// Groups count as places only where every host stands in one group and every group in at most one other.
  void addHosts() {
    std::map<std::string, std::set<std::string>> groupsOf;
    std::map<std::string, std::optional<int>> ownDevices;
    std::set<std::string> groups;
    for (const Named& h : m_all) {
      auto& own = groupsOf[h.name];
      if (!h.group.empty()) own.insert(h.group), groups.insert(h.group);
      if (h.devices) ownDevices[h.name] = h.devices;
    }
    const auto isOne = [](const auto& of) { return of.second.size() == 1; };
    const bool isTree = std::all_of(groupsOf.begin(), groupsOf.end(), isOne) &&
                        std::all_of(m_parents.begin(), m_parents.end(), isOne);
    const bool counts = isTree && groups.size() > 1;
    if (!counts && groups.size() > 1)
      m_source.note(m_source.whole(), "ansible-groups",
                    "hosts stand in several groups, so that the groups are no places; they are ignored");
    for (const Named& h : m_all) {
      const auto own = h.devices ? h.devices : ownDevices[h.name];
      // A host may have its variables under "all", and its place in a group.
      const auto& itsGroups = groupsOf[h.name];
      std::string at = itsGroups.size() == 1 ? *itsGroups.begin() : h.group;
      HostList::Host host{h.name, {}, own ? own : inherited(at, 0)};
      while (counts && host.groups.size() < 8) {
        host.groups.insert(host.groups.begin(), at);
        const auto above = m_parents.find(at);
        if (above == m_parents.end()) break;
        at = *above->second.begin();
      }
      m_hosts.add(std::move(host), h.place);
    }
  }

  SourceText m_source;
  HostList m_hosts;
  std::string m_group, m_part = "hosts";
  bool m_hasGroups = false;
  std::vector<Named> m_all;
  std::map<std::string, std::set<std::string>> m_parents;
  std::map<std::string, std::optional<int>> m_devicesOf;
};

/// As INI a group's head, and a line of a host behind it; other INI files have "key = value" there. A
/// playbook is a list.
bool isAnsible(const FileLook& f) {
  if (AnsibleReader::isYaml(f.text))
    return f.has("hosts:") && !f.has("- hosts:") &&
           (f.has("children:") || f.has("ansible_") || f.has("all:"));
  bool hasGroup = false, hasHost = false;
  bool isOther = false;
  for (const TextPart& line : linesOf(f.text)) {
    const auto words = wordsOf(line, "#;");
    if (words.empty()) continue;
    if (words[0].text.front() == '[' && words[0].text.back() == ']' && words.size() == 1) {
      hasGroup = true;
      isOther = words[0].text.find(':') != std::string_view::npos;
    } else if (isOther) {
      continue;
    } else if (words[0].text.find_first_of("={}<>()\"|/") != std::string_view::npos ||
               (words.size() > 1 && words[1].text.find('=') == std::string_view::npos) ||
               (words.size() > 1 && words[1].text == "=")) {
      return false;
    } else {
      hasHost = true;
    }
  }
  return hasGroup && hasHost;
}

/// A table with a head: one column names hosts, one may count devices, others may name where they stand.
class InventoryReader {
public:
  InventoryReader(std::string_view text, const std::string& file)
      : m_source(text, file), m_hosts(m_source, "an inventory") {}

  Reading<SlurmTopology> run() {
    if (!m_source.isReadable(kMostBytes, "an inventory")) return {std::nullopt, m_source.take()};
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
    // Outermost first.
    static constexpr std::string_view kPlaces[] = {
        "region", "datacenter", "data_center",   "dc",        "site",     "building", "zone",
        "hall",   "room",       "cluster",       "fabric",    "core",     "superpod", "su",
        "pod",    "row",        "spine",         "block",     "subblock", "rack",     "tor",
        "leaf",   "switch",     "nvlink_domain", "nvl_domain"};
    static constexpr std::string_view kHosts[] = {"host",      "hostname", "host_name", "node",
                                                  "node_name", "name",     "server",    "instance"};
    static constexpr std::string_view kDevices[] = {
        "gpus",    "gpu",   "gpu_count",    "num_gpus",      "ngpus",
        "devices", "slots", "accelerators", "gpus_per_node", "device_count"};
    m_separator = separatorOf(line.text);
    std::vector<std::pair<std::size_t, int>> places;
    const auto head = cells(line);
    std::string ignored;
    for (std::size_t c = 0; c < head.size(); ++c) {
      std::string name = text::lower(head[c].text);
      std::replace(name.begin(), name.end(), ' ', '_');
      std::replace(name.begin(), name.end(), '-', '_');
      const int column = static_cast<int>(c);
      if (m_host < 0 && std::find(std::begin(kHosts), std::end(kHosts), name) != std::end(kHosts))
        m_host = column;
      else if (m_devices < 0 &&
               std::find(std::begin(kDevices), std::end(kDevices), name) != std::end(kDevices))
        m_devices = column;
      else if (const auto place = std::find(std::begin(kPlaces), std::end(kPlaces), name);
               place != std::end(kPlaces))
        places.emplace_back(place - std::begin(kPlaces), column);
      else
        ignored += (ignored.empty() ? "" : ", ") + quoted(head[c].text);
    }
    std::sort(places.begin(), places.end());
    for (const auto& [rank, column] : places) {
      m_groups.push_back(column);
      m_isDomain = kPlaces[rank].starts_with("nvl");
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
    if (m_isDomain && !host.groups.empty()) {
      host.nvlinkDomain = host.groups.back();
      host.groups.pop_back();
    }
    if (m_devices >= 0 && !all[at(m_devices)].text.empty()) {
      const TextPart& cell = all[at(m_devices)];
      host.devices = countOf(cell.text);
      if (!host.devices)
        return m_source.error(m_source.place(cell.offset), "inventory-devices",
                              "the number of devices is " + quoted(cell.text) + "; expected: a whole number");
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

  SourceText m_source;
  HostList m_hosts;
  char m_separator = ',';
  int m_host = -1, m_devices = -1;
  std::vector<int> m_groups;
  std::size_t m_columns = 0;
  bool m_isDomain = false;
};

}  // namespace

const Format& hostFileFormat() {
  static constexpr Format format = {
      .key = "host-list",
      .name = "host file",
      .suffixes = "txt",
      .fileNames = "hostfile machinefile",
      .example = "gpu00 slots=8\ngpu01 slots=8",
      .remarks =
          R"(Of MPI, DeepSpeed, PBS or pdsh: also gpu00:8, gpu[00-15], a host once a slot. Names the hosts, not how they are connected.)",
      .claims = &isHostFile,
      .read = &readHostFile};
  return format;
}

const Format& ansibleFormat() {
  static constexpr Format format = {
      .key = "ansible",
      .name = "Ansible inventory",
      .suffixes = "ini yaml yml",
      .fileNames = "inventory.ini inventory.yaml inventory.yml",
      .example = "[rack1]\ngpu[00:07] gpus=8\n[rack2]\ngpu[08:15] gpus=8",
      .remarks = "As INI or YAML. Groups count as places where each host stands in one.",
      .claims = &isAnsible,
      .read = ReadHostTree(
          [](std::string_view text, const std::string& file) { return AnsibleReader(text, file).run(); })};
  return format;
}

const Format& inventoryFormat() {
  static constexpr Format format = {
      .key = "inventory",
      .name = "inventory (CSV)",
      .suffixes = "csv tsv",
      .fileNames = "",
      .example = "host,rack,leaf,gpus\ngpu00,r1,leaf0,8\ngpu01,r1,leaf0,8\ngpu02,r2,leaf1,8",
      .remarks =
          R"(Columns host, gpus and where a host stands (region, datacenter, zone, pod, row, spine, block, rack, leaf, nvlink_domain).)",
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
