#include <algorithm>
#include <unordered_map>

#include "formats/format.h"
#include "formats/networks/host_list.h"
#include "formats/networks/slurm_hostlist.h"
#include "text/json_parts.h"
#include "text/json_text.h"
#include "text/yaml_tree.h"

namespace nest {
namespace {

constexpr std::size_t kMostTopographBytes = 4u << 20, kMostTopographNames = 200'000;
constexpr std::string_view kDomain = "accelerator.topology.test/domain";

/// NVIDIA/topograph, docs/modeling.md: a map of switches with those below, and blocks of nodes on leaf
/// switches.
class ModelReader {
public:
  ModelReader(std::string_view text, const std::string& file)
      : m_source(text, file), m_hosts(m_source, "a topograph model") {}

  Reading<SlurmTopology> run() {
    const YamlValue root = readYamlTree(m_source, kMostTopographBytes, "a topograph model");
    if (!m_source.failed()) read(root);
    return m_hosts.finish();
  }

private:
  void read(const YamlValue& root) {
    if (const YamlValue* switches = root.find("switches"))
      for (const auto& s : switches->entries)
        if (const YamlValue* below = s.value.find("switches"))
          for (const YamlValue& child : below->items)
            if (!m_parent.emplace(child.scalar, s.key).second)
              m_source.error(child.place, "topograph-two-parents",
                             "the switch " + nest::quoted(child.scalar) + " stands below " +
                                 nest::quoted(m_parent[child.scalar]) + " and below " + nest::quoted(s.key));
    const YamlValue* blocks = root.find("blocks");
    if (!blocks || blocks->kind != YamlValue::Kind::Sequence)
      return m_source.error(root.place, "topograph-blocks",
                            "a topograph model needs a list \"blocks\" with the nodes");
    for (const YamlValue& b : blocks->items) block(b);
  }

  void block(const YamlValue& b) {
    const YamlValue *leaf = b.find("switch"), *nodes = b.find("nodes"), *notes = b.find("annotations");
    if (!nodes) return m_source.error(b.place, "topograph-blocks", "a block needs \"nodes\"");
    HostList::Host host;
    if (leaf) {
      host.groups = groupsAbove(leaf->scalar, m_parent);
      if (host.groups.empty())
        return m_source.error(
            leaf->place, "topograph-cycle",
            "the switch " + nest::quoted(leaf->scalar) + " stands more than 8 deep, or within itself");
    }
    if (const YamlValue* domain = notes ? notes->find(kDomain) : nullptr) host.nvlinkDomain = domain->scalar;
    std::vector<const YamlValue*> lists;
    if (nodes->kind == YamlValue::Kind::Scalar) lists.push_back(nodes);
    for (const YamlValue& n : nodes->items) lists.push_back(&n);
    for (const YamlValue* n : lists) {
      const Hostlist list = expandHostlist(n->scalar, kMostTopographNames);
      if (!list.error.empty())
        m_source.error(n->place, "slurm-hostlist", list.error + " in " + nest::quoted(n->scalar));
      for (const std::string& name : list.names) {
        host.name = name;
        m_hosts.add(host, n->place);
      }
    }
  }

  SourceText m_source;
  HostList m_hosts;
  std::unordered_map<std::string, std::string> m_parent;
};

/// docs/engines/graph.md: instances with the switches above them, nearest first.
Reading<SlurmTopology> readGraph(std::string_view text, const std::string& file) {
  SourceText source(text, file);
  HostList hosts(source, "an answer of topograph");
  auto read = readJsonText(text, file);
  if (!read) return {std::nullopt, std::move(read.diagnostics)};
  const nlohmann::json& list = partOf(read->root(), "instances");
  if (!list.is_array())
    source.error(read->placeOf(""), "topograph-instances", "expected a list \"instances\"");
  for (std::size_t i = 0; list.is_array() && i < list.size(); ++i) {
    HostList::Host host;
    host.name = textOf(list[i], {"id"});
    if (const auto& layers = partOf(list[i], "network_layers"); layers.is_array()) {
      for (const auto& layer : layers) host.groups.push_back(textOf(layer));
      std::reverse(host.groups.begin(), host.groups.end());
    }
    host.nvlinkDomain = textOf(partOf(list[i], "labels"), {"accelerator.topograph.run/domain"});
    hosts.add(std::move(host), read->placeOf(jsonPointer("/instances", i)));
  }
  return hosts.finish();
}

}  // namespace

const Format& topographFormat() {
  static constexpr Format format = {
      .key = "topograph",
      .name = "topograph model",
      .suffixes = "yaml yml json",
      .fileNames = "",
      .example = R"(switches:
  spine: {switches: [leaf0, leaf1]}
blocks:
- {switch: leaf0, nodes: ["gpu[00-03]"]}
- {switch: leaf1, nodes: ["gpu[04-07]"]})",
      .remarks = "Also the JSON of its graph engine. Its Slurm output is a topology.conf or topology.yaml.",
      .claims =
          [](const FileLook& f) {
            return f.names("network_layers") ||
                   ((f.word == "switches:" || f.word == "blocks:") && f.has("blocks:") && f.has("nodes:"));
          },
      .read = ReadHostTree([](std::string_view text, const std::string& file) {
        const auto begin = text.find_first_not_of("\xEF\xBB\xBF \t\r\n");
        return begin != std::string_view::npos && text[begin] == '{' ? readGraph(text, file)
                                                                     : ModelReader(text, file).run();
      })};
  return format;
}

}  // namespace nest
