#include <algorithm>

#include "formats/format.h"
#include "formats/networks/slurm_parts.h"
#include "text/decimal.h"
#include "text/yaml_tree.h"

namespace nest {
namespace {

constexpr std::size_t kMostSlurmYamlBytes = 1u << 20;

class YamlReader {
public:
  YamlReader(std::string_view text, const std::string& file) : m_source(text, file), m_assembly(m_source) {}

  Reading<SlurmTopology> run() {
    const YamlValue root = readYamlTree(m_source, kMostSlurmYamlBytes, "topology.yaml");
    if (!m_source.failed()) read(root);
    if (m_source.failed()) return {std::nullopt, m_source.take()};
    return m_assembly.finish();
  }

private:
  void read(const YamlValue& root) {
    if (root.kind != YamlValue::Kind::Sequence || root.items.empty())
      return m_source.error(
          root.place, "slurm-yaml-list",
          "topology.yaml is a list of topologies, each beginning with \"- topology: NAME\"");
    const YamlValue* chosen = &root.items.front();
    for (const YamlValue& t : root.items) {
      if (t.kind != YamlValue::Kind::Map || !t.find("topology"))
        return m_source.error(t.place, "slurm-yaml-topology",
                              "a topology is a map with the key \"topology\"");
      if (const auto* preset = t.find("cluster_default");
          preset && (preset->scalar == "true" || preset->scalar == "yes"))
        chosen = &t;
    }
    if (root.items.size() > 1)
      m_source.note(chosen->place, "slurm-yaml-chosen",
                    "of " + std::to_string(root.items.size()) + " topologies, " +
                        quoted(chosen->find("topology")->scalar) + " is read");
    topology(*chosen);
  }

  void topology(const YamlValue& t) {
    m_assembly.setName(t.find("topology")->scalar);
    int kinds = 0;
    for (const auto& e : t.entries) {
      if (e.key == "topology" || e.key == "cluster_default") continue;
      ++kinds;
      if (e.key == "tree")
        members(e.value, SlurmTopology::Kind::Tree, "switches", "switch");
      else if (e.key == "block")
        blocks(e.value);
      else if (e.key == "ring")
        members(e.value, SlurmTopology::Kind::Ring, "rings", "ring");
      else if (e.key == "torus3d")
        tori(e.value);
      else if (e.key == "flat")
        m_assembly.setFlat(e.place);
      else
        m_source.error(e.place, "slurm-yaml-key",
                       "the key " + quoted(e.key) +
                           " is not known; expected one of: topology, cluster_default, tree, block, ring, "
                           "torus3d and flat");
    }
    if (kinds == 0)
      m_source.error(t.place, "slurm-yaml-kind",
                     "the topology has none of tree, block, ring, torus3d and flat");
  }

  void members(const YamlValue& v, SlurmTopology::Kind kind, const char* list, const char* name) {
    const YamlValue* all = v.find(list);
    if (!all || all->kind != YamlValue::Kind::Sequence)
      return m_source.error(v.place, "slurm-yaml-members", std::string("expected a list \"") + list + '"');
    for (const YamlValue& m : all->items) {
      const YamlValue *own = m.find(name), *nodes = m.find("nodes"), *children = m.find("children");
      if (!own || own->kind != YamlValue::Kind::Scalar || own->scalar.empty()) {
        m_source.error(m.place, "slurm-name", std::string("expected \"") + name + ": NAME\"");
        continue;
      }
      for (const auto& e : m.entries)
        if (e.key != name && e.key != "nodes" && !(kind == SlurmTopology::Kind::Tree && e.key == "children"))
          m_source.warning(e.place, "slurm-yaml-key", "the key " + quoted(e.key) + " is ignored");
      const auto isBlank = [](const YamlValue* part) {
        return !part || part->kind == YamlValue::Kind::Null ||
               (part->kind == YamlValue::Kind::Scalar && part->scalar.empty());
      };
      if (isBlank(nodes) && isBlank(children)) {
        m_assembly.addEmpty(kind, own->scalar, own->place);
        continue;
      }
      if (!nodes == (kind != SlurmTopology::Kind::Tree || !children)) {
        m_source.error(m.place, "slurm-members",
                       quoted(own->scalar) + " needs either nodes" +
                           (kind == SlurmTopology::Kind::Tree ? " or children" : ""));
        continue;
      }
      const YamlValue& who = nodes ? *nodes : *children;
      m_assembly.add(kind, own->scalar, own->place, who.scalar, who.place, nodes != nullptr);
    }
  }

  void blocks(const YamlValue& v) {
    members(v, SlurmTopology::Kind::Block, "blocks", "block");
    const YamlValue* sizes = v.find("block_sizes");
    if (!sizes) return;
    std::vector<int> out;
    std::vector<const YamlValue*> values;
    if (sizes->kind == YamlValue::Kind::Scalar) values.push_back(sizes);
    for (const YamlValue& s : sizes->items) values.push_back(&s);
    for (const YamlValue* s : values) {
      const auto n = readWhole(s->scalar, 1, 1'000'000);
      if (!n)
        return m_source.error(s->place, "slurm-block-sizes",
                              "block_sizes lists whole numbers of 1 or more; found " + quoted(s->scalar));
      out.push_back(static_cast<int>(*n));
    }
    if (!out.empty()) m_assembly.setBlockSizes(std::move(out), sizes->place);
  }

  void tori(const YamlValue& v) {
    const YamlValue* all = v.find("toruses");
    if (!all || all->items.size() != 1)
      return m_source.error(v.place, "slurm-yaml-members", "expected a list \"toruses\" with one torus");
    const YamlValue& t = all->items.front();
    for (const auto& e : t.entries)
      if (e.key != "name" && e.key != "dims" && e.key != "nodes")
        m_source.warning(e.place, "slurm-yaml-key", "the key " + quoted(e.key) + " is ignored");
    const YamlValue *dims = t.find("dims"), *nodes = t.find("nodes"), *name = t.find("name");
    if (!dims || !nodes)
      return m_source.error(t.place, "slurm-members", "a torus needs dims and nodes; regions are not read");
    std::array<int, 3> sides{1, 1, 1};
    const char* const axes[] = {"x", "y", "z"};
    for (std::size_t i = 0; i < 3; ++i) {
      const YamlValue* side = dims->find(axes[i]);
      const auto n = side ? readWhole(side->scalar, 1, 200'000) : std::nullopt;
      if (!n)
        return m_source.error(side ? side->place : dims->place, "slurm-torus-size",
                              "dims needs x, y and z, whole numbers of 1 or more");
      sides[i] = static_cast<int>(*n);
    }
    m_assembly.setTorus(sides, t.place);
    m_assembly.add(SlurmTopology::Kind::Torus, name ? name->scalar : "torus", t.place, nodes->scalar,
                   nodes->place, true);
  }

  SourceText m_source;
  SlurmAssembly m_assembly;
};

}  // namespace

Reading<SlurmTopology> readSlurmTopologyYaml(std::string_view text, const std::string& file) {
  return YamlReader(text, file).run();
}

const Format& slurmYamlFormat() {
  static constexpr Format format = {.key = "slurm-yaml",
                                    .name = "Slurm topology.yaml",
                                    .suffixes = "yaml yml",
                                    .fileNames = "topology.yaml",
                                    .example = R"(- topology: fabric
  tree: {switches: [{switch: leaf0, nodes: "gpu[00-03]"}]})",
                                    .remarks = "",
                                    .claims =
                                        [](const FileLook& f) {
                                          // Kubernetes objects are lists with topologies, too.
                                          return f.word == "-" && f.has("topology") &&
                                                 !f.has("apiversion:") && !f.has("npus_count");
                                        },
                                    .read = &readSlurmTopologyYaml};
  return format;
}

}  // namespace nest
