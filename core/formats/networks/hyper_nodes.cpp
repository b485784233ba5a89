#include <algorithm>
#include <unordered_map>

#include "formats/format.h"
#include "formats/networks/host_list.h"
#include "text/yaml_tree.h"

namespace nest {
namespace {

constexpr std::size_t kMostHyperNodeBytes = 4u << 20;

/// Volcano's HyperNodes (topology.volcano.sh), one a document or a list of them: each names its members,
/// nodes or other HyperNodes. JSON is YAML, too.
class HyperNodeReader {
public:
  HyperNodeReader(std::string_view text, const std::string& file)
      : m_source(text, file), m_hosts(m_source, "a list of HyperNodes") {}

  Reading<SlurmTopology> run() {
    for (const YamlValue& document : readYamlTrees(m_source, kMostHyperNodeBytes, "a list of HyperNodes")) {
      if (const YamlValue* items = document.find("items"))
        for (const YamlValue& item : items->items) read(item);
      else if (document.kind != YamlValue::Kind::Null)
        read(document);
    }
    if (!m_source.failed()) addHosts();
    return m_hosts.finish();
  }

private:
  struct Member {
    std::string name;
    Place place;
  };

  static std::string scalar(const YamlValue* v) {
    return v && v->kind == YamlValue::Kind::Scalar ? v->scalar : std::string();
  }

  void read(const YamlValue& object) {
    const YamlValue *metadata = object.find("metadata"), *spec = object.find("spec");
    if (scalar(object.find("kind")) != "HyperNode")
      return m_source.error(object.place, "hypernode-kind",
                            "expected a HyperNode; found " + quoted(scalar(object.find("kind"))),
                            "keep the HyperNodes only");
    const std::string name = metadata ? scalar(metadata->find("name")) : std::string();
    const YamlValue* members = spec ? spec->find("members") : nullptr;
    if (name.empty() || !members || members->kind != YamlValue::Kind::Sequence)
      return m_source.error(object.place, "hypernode-members",
                            "a HyperNode needs metadata.name and a list spec.members");
    if (!m_known.emplace(name, 0).second)
      return m_source.error(metadata->place, "hypernode-twice",
                            "the HyperNode " + quoted(name) + " is duplicated");
    for (const YamlValue& m : members->items) {
      const YamlValue *selector = m.find("selector"),
                      *exact = selector ? selector->find("exactMatch") : nullptr;
      const Member member{exact ? scalar(exact->find("name")) : std::string(), m.place};
      if (member.name.empty()) {
        m_source.error(m.place, "hypernode-selector",
                       "a member of " + quoted(name) +
                           " is selected by a pattern or by labels; expected: exactMatch with a name",
                       "write the members out by name");
      } else if (scalar(m.find("type")) == "HyperNode") {
        if (!m_parent.emplace(member.name, name).second)
          m_source.error(m.place, "hypernode-two-parents",
                         "the HyperNode " + quoted(member.name) + " is a member of " +
                             quoted(m_parent[member.name]) + " and of " + quoted(name));
        m_inner.push_back(member);
      } else {
        m_nodes.emplace_back(name, member);
      }
    }
  }

  void addHosts() {
    for (const Member& m : m_inner)
      if (!m_known.count(m.name))
        m_source.error(m.place, "hypernode-unknown", "the HyperNode " + quoted(m.name) + " is not described",
                       "add it");
    for (const auto& [group, member] : m_nodes) {
      std::vector<std::string> groups = groupsAbove(group, m_parent);
      if (groups.empty())
        return m_source.error(
            member.place, "hypernode-cycle",
            "the HyperNode " + quoted(group) + " stands more than 8 deep, or within itself");
      m_hosts.add({member.name, std::move(groups)}, member.place);
    }
  }

  SourceText m_source;
  HostList m_hosts;
  std::unordered_map<std::string, int> m_known;
  std::unordered_map<std::string, std::string> m_parent;
  std::vector<Member> m_inner;
  std::vector<std::pair<std::string, Member>> m_nodes;  ///< with the HyperNode that they are members of
};

}  // namespace

const Format& hyperNodeFormat() {
  static constexpr Format format = {
      .key = "volcano-hypernode",
      .name = "Volcano HyperNodes",
      .suffixes = "yaml yml json",
      .fileNames = "",
      .example = R"(apiVersion: topology.volcano.sh/v1alpha1
kind: HyperNode
metadata: {name: leaf0}
spec: {tier: 1, members: [{type: Node, selector: {exactMatch: {name: gpu0}}}]})",
      .remarks =
          "Also several, with --- between them, or what kubectl get hypernodes prints as YAML or JSON.",
      .claims = [](const FileLook& f) { return f.has("kind: hypernode") || f.names("HyperNode"); },
      .read = ReadHostTree(
          [](std::string_view text, const std::string& file) { return HyperNodeReader(text, file).run(); })};
  return format;
}

}  // namespace nest
