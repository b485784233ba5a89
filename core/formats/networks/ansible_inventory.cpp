#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "formats/format.h"
#include "formats/networks/host_list.h"
#include "formats/networks/slurm_hostlist.h"
#include "formats/networks/text_lines.h"
#include "text/yaml_tree.h"
#include "units/letters.h"
#include "units/text.h"

namespace nest {
namespace {

constexpr std::size_t kMostYaml = 4u << 20;

/// Ansible's inventories [docs.ansible.com, "How to build your inventory"]. As INI: hosts in [groups], their
/// variables behind them; [group:children] and [group:vars]. As YAML: a map of groups, each with maps of
/// hosts, vars and children.
class AnsibleReader {
public:
  AnsibleReader(std::string_view text, const std::string& file)
      : m_source(text, file), m_hosts(m_source, "an Ansible inventory") {}

  Reading<SlurmTopology> run() {
    if (!m_source.isReadable(kMostHostListBytes, "an Ansible inventory"))
      return {std::nullopt, m_source.take()};
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
  struct Stated {
    std::optional<StateWord> state;
    std::string word;
  };
  struct Named {
    std::string name, group;  ///< no group: in none but "all"
    std::optional<int> devices;
    std::string model;  ///< of its devices; may be empty
    Place place;
    Stated state = {};
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
      // As in YAML, these are no groups of their own.
      if (head.find(':') == std::string_view::npos && (m_group == "all" || m_group == "ungrouped"))
        m_group.clear();
      m_part =
          head.find(':') == std::string_view::npos ? "hosts" : std::string(head.substr(head.find(':') + 1));
      return;
    }
    if (m_part == "children") {
      m_parents[std::string(words[0].text)].insert(m_group);
    } else if (m_part == "vars") {
      if (const auto count = devicesIn(words)) m_devicesOf[m_group] = count;
      if (const std::string model = modelIn(words); !model.empty()) m_modelOf[m_group] = model;
      if (Stated state = stateIn(words); state.state) m_stateOf[m_group] = std::move(state);
    } else {
      const auto at = [&](std::size_t offset) { return m_source.place(words[0].offset + offset); };
      for (const TextPart& w : words) noteVariable(w.text.substr(0, w.text.find('=')));
      for (std::string& name : expand(words[0].text, at))
        m_all.push_back({std::move(name), m_group, devicesIn({words.begin() + 1, words.end()}),
                         modelIn({words.begin() + 1, words.end()}), at(0),
                         stateIn({words.begin() + 1, words.end()})});
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
        if (const std::string model = modelIn(part); !model.empty()) m_modelOf[group.key] = model;
        if (Stated state = stateIn(part); state.state) m_stateOf[group.key] = std::move(state);
      } else if (key == "children") {
        for (const auto& child : part.entries) readGroup(child, name);
      } else if (key == "hosts") {
        for (const auto& host : part.entries) {
          for (const auto& variable : host.value.entries) noteVariable(variable.key);
          for (std::string& one : expand(host.key, [&](std::size_t) { return host.place; }))
            m_all.push_back({std::move(one), name, devicesIn(host.value), modelIn(host.value), host.place,
                             stateIn(host.value)});
        }
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

  std::optional<int> devicesOf(std::string_view variable, std::string_view value, const Place& place) {
    const auto count = deviceCountIn(value);
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

  /// Groups show here where hosts stand.
  void noteVariable(std::string_view name) {
    if (rankOfPlace(name)) m_places.emplace(name);
  }

  static std::string modelIn(const std::vector<TextPart>& words) {
    for (const TextPart& w : words)
      if (const auto equals = w.text.find('=');
          equals != std::string_view::npos && namesDevice(w.text.substr(0, equals)))
        return std::string(w.text.substr(equals + 1));
    return {};
  }
  static std::string modelIn(const YamlValue& variables) {
    for (const auto& v : variables.entries)
      if (namesDevice(v.key)) return v.value.scalar;
    return {};
  }

  /// Roles have variables named state, too ("state=present"): only other names must say a state.
  Stated stateFrom(std::string_view variable, std::string_view value, const Place& place) {
    Stated out{writtenState(value), std::string(value)};
    if (out.state) return out;
    if (variable.find('_') != std::string_view::npos)
      m_source.error(
          place, "host-state",
          std::string(variable) + " is " + quoted(value) + ", which is not a known state of a host",
          kWrittenStates);
    else
      m_source.note(place, "ansible-state",
                    std::string(variable) + " is " + quoted(value) +
                        ", which is not a known state of a host; it is not used",
                    kWrittenStates);
    return {};
  }
  Stated stateIn(const std::vector<TextPart>& words) {
    for (const TextPart& w : words)
      if (const auto equals = w.text.find('=');
          equals != std::string_view::npos && statesHosts(w.text.substr(0, equals)))
        return stateFrom(w.text.substr(0, equals), w.text.substr(equals + 1), m_source.place(w.offset));
    return {};
  }
  Stated stateIn(const YamlValue& variables) {
    for (const auto& v : variables.entries)
      if (statesHosts(v.key)) return stateFrom(v.key, v.value.scalar, v.value.place);
    return {};
  }
  Stated inheritedState(const std::string& group, int depth) const {
    if (const auto own = m_stateOf.find(group); own != m_stateOf.end()) return own->second;
    if (const auto parents = m_parents.find(group); parents != m_parents.end() && depth < 8)
      for (const std::string& p : parents->second)
        if (Stated found = inheritedState(p, depth + 1); found.state) return found;
    const auto all = m_stateOf.find("all");
    return all == m_stateOf.end() ? Stated{} : all->second;
  }

  std::optional<int> devicesIn(const YamlValue& variables) {
    for (const auto& v : variables.entries)
      if (countsDevices(v.key)) return devicesOf(v.key, v.value.scalar, v.value.place);
    return std::nullopt;
  }

  std::string inheritedModel(const std::string& group, int depth) const {
    if (const auto own = m_modelOf.find(group); own != m_modelOf.end()) return own->second;
    if (const auto parents = m_parents.find(group); parents != m_parents.end() && depth < 8)
      for (const std::string& p : parents->second)
        if (std::string found = inheritedModel(p, depth + 1); !found.empty()) return found;
    const auto all = m_modelOf.find("all");
    return all == m_modelOf.end() ? std::string() : all->second;
  }

  /// Groups of hosts that run no jobs: "kube-master", "slurm_login", "etcd".
  static bool isManagement(const std::string& group) {
    static const std::set<std::string> kRoles = {
        "master",   "masters",      "manager",       "managers",   "mgmt",        "management",   "admin",
        "head",     "login",        "logins",        "bastion",    "jump",        "jumphost",     "gateway",
        "frontend", "control",      "plane",         "controller", "controllers", "controlplane", "etcd",
        "nfs",      "storage",      "monitor",       "monitoring", "metric",      "metrics",      "proxy",
        "lb",       "loadbalancer", "loadbalancers", "registry",   "database",    "db",           "slurmctld",
        "slurmdbd", "deploy",       "provisioner",   "cache"};
    std::string word;
    const std::string lower = text::lower(group) + '-';
    bool isRole = false;
    for (const char c : lower) {
      if (std::isalnum(static_cast<unsigned char>(c))) {
        word += c;
        continue;
      }
      // "gpu-servers" compute.
      if (word == "gpu" || word == "gpus" || word == "compute" || word == "worker" || word == "workers" ||
          word == "dgx" || word == "hgx")
        return false;
      isRole = isRole || kRoles.count(word) > 0;
      word.clear();
    }
    return isRole;
  }

  /// Hosts that stand in groups of managers alone, beside others that do not, are no places for devices,
  /// unless they say that they have some.
  void leaveOutManagers() {
    std::map<std::string, std::pair<bool, bool>> of;  // of each host: in a group of managers, in another
    std::map<std::string, bool> hasDevices;
    for (const Named& h : m_all) {
      if (h.devices) hasDevices[h.name] = true;
      if (h.group.empty()) continue;
      (isManagement(h.group) ? of[h.name].first : of[h.name].second) = true;
    }
    const bool hasOthers = std::any_of(of.begin(), of.end(), [](const auto& o) { return o.second.second; });
    const auto isManager = [&](const std::string& name) {
      const auto known = of.find(name);
      return known != of.end() && known->second.first && !known->second.second && !hasDevices[name];
    };
    if (!hasOthers) return;
    std::set<std::string> managers;
    for (const Named& h : m_all)
      if (isManager(h.name)) managers.insert(h.name);
    if (managers.empty()) return;
    std::string names;
    int shown = 0;
    for (const std::string& name : managers)
      if (++shown <= 3) names += (names.empty() ? "" : ", ") + quoted(name);
    if (managers.size() > 3) names += ", …";
    m_source.note(m_source.whole(), "ansible-managers",
                  text::count(static_cast<long long>(managers.size())) +
                      (managers.size() == 1 ? " host stands" : " hosts stand") +
                      " only in groups of managers and " + (managers.size() == 1 ? "is" : "are") +
                      " left out: " + names,
                  "give such a host gpus=8, if it has devices");
    std::erase_if(m_all, [&](const Named& h) { return managers.count(h.name) > 0; });
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
    leaveOutManagers();
    std::string places;
    for (const std::string& p : m_places) places += (places.empty() ? "" : ", ") + p;
    if (!places.empty())
      m_source.note(m_source.whole(), "ansible-places",
                    "these variables of hosts are not used, as groups say where hosts stand: " + places,
                    "make a group of each place, or give a table with the columns host, " + places);
    std::map<std::string, std::set<std::string>> groupsOf;
    std::map<std::string, std::optional<int>> ownDevices;
    std::map<std::string, std::string> ownModel;
    std::map<std::string, Stated> ownState;
    std::set<std::string> groups;
    for (const Named& h : m_all) {
      auto& own = groupsOf[h.name];
      if (!h.group.empty()) own.insert(h.group), groups.insert(h.group);
      if (h.devices) ownDevices[h.name] = h.devices;
      if (!h.model.empty()) ownModel[h.name] = h.model;
      if (h.state.state && !ownState.emplace(h.name, h.state).second &&
          ownState[h.name].state != h.state.state)
        m_source.error(h.place, "host-state-twice",
                       "the host " + quoted(h.name) + " is " + quoted(ownState[h.name].word) +
                           " in one place and " + quoted(h.state.word) + " here",
                       "keep the state that holds now");
    }
    const auto isOne = [](const auto& of) { return of.second.size() == 1; };
    const bool isTree = std::all_of(groupsOf.begin(), groupsOf.end(), isOne) &&
                        std::all_of(m_parents.begin(), m_parents.end(), isOne);
    const bool counts = isTree && groups.size() > 1;
    if (!counts && groups.size() > 1)
      m_source.note(m_source.whole(), "ansible-groups",
                    "hosts stand in several groups, so the groups are not places; they are ignored");
    for (const Named& h : m_all) {
      const auto own = h.devices ? h.devices : ownDevices[h.name];
      // A host may have its variables under "all", and its place in a group.
      const auto& itsGroups = groupsOf[h.name];
      std::string at = itsGroups.size() == 1 ? *itsGroups.begin() : h.group;
      HostList::Host host{h.name, {}, own ? own : inherited(at, 0)};
      host.device = ownModel.count(h.name) > 0 ? ownModel[h.name] : inheritedModel(at, 0);
      Stated state = ownState.count(h.name) > 0 ? ownState[h.name] : inheritedState(at, 0);
      host.state = state.state;
      host.word = std::move(state.word);
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
  std::map<std::string, std::string> m_modelOf;
  std::map<std::string, Stated> m_stateOf;
  std::set<std::string> m_places;
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

}  // namespace

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

}  // namespace nest
