#include "formats/networks/graphml.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <pugixml.hpp>

#include "formats/networks/graph_attributes.h"
#include "formats/networks/network_import.h"
#include "text/xml_source.h"
#include "units/letters.h"

namespace nest {
namespace {

constexpr XmlFormat kGraphMlFormat{"GraphML", "graphml", "not-graphml", 32u << 20, true};
constexpr int kMostGraphMlDepth = 64;
constexpr std::size_t kMostGraphMlKeys = 256;

class GraphMlReader {
public:
  GraphMlReader(std::string_view text, const std::string& file) : m_source(text, file), m_graph(m_source) {}

  Reading<DrawnNetwork> run() {
    pugi::xml_document document;
    const auto root = readXml(m_source, document, kGraphMlFormat);
    if (!root) return {std::nullopt, m_source.take()};
    readKeys(root);
    int graphs = 0;
    for (const auto graph : root.children("graph")) {
      if (++graphs > 1)
        m_source.warning(at(graph), "further-graph", "only the first graph of the file is read");
      else
        readNodes(graph, 0);
    }
    if (graphs == 0) m_source.error(at(root), "no-graph", "the file holds no <graph>");
    for (const auto& [graph, edge] : m_edges) readEdge(graph, edge);
    return m_graph.finish();
  }

private:
  Place at(const pugi::xml_node& n) const { return placeOf(m_source, n); }

  void readKeys(const pugi::xml_node& root) {
    for (const auto key : root.children("key")) {
      if (m_keys.size() >= kMostGraphMlKeys)
        return m_source.error(at(key), "too-many-keys", "at most 256 keys are read");
      const std::string id = key.attribute("id").value();
      // Keys of yEd's own data have no name; what of it is used is read from its elements.
      const bool isGraphics = *key.attribute("yfiles.type").value();
      const std::string name = *key.attribute("attr.name").value() ? key.attribute("attr.name").value()
                               : isGraphics                        ? std::string()
                                                                   : id;
      if (!m_keys.emplace(id, name).second)
        m_source.error(at(key), "key-twice", "the key " + quoted(id) + " is declared twice");
      if (const auto preset = key.child("default"))
        addDefault(m_defaults[key.attribute("for").value()], name, preset);
    }
  }

  using Defaults = std::vector<std::pair<std::string, pugi::xml_node>>;

  /// Of what is read alone, and each name once: defaults are looked at for every node and edge.
  static void addDefault(Defaults& all, std::string name, const pugi::xml_node& preset) {
    name = text::lower(name);
    if (!GraphAssembly::reads(name)) return;
    const auto known = std::find_if(all.begin(), all.end(), [&](const auto& d) { return d.first == name; });
    if (known == all.end())
      all.emplace_back(name, preset);
    else
      known->second = preset;
  }

  GraphAssembly::Attributes attributes(const pugi::xml_node& element, const char* kind) {
    GraphAssembly::Attributes out, drawn;
    for (const char* what : {"all", kind})
      for (const auto& [name, preset] : m_defaults[what])
        out.push_back({name, preset.child_value(), at(preset)});
    for (const auto data : element.children("data")) {
      const auto key = m_keys.find(data.attribute("key").value());
      if (key == m_keys.end())
        m_source.error(at(data), "unknown-key",
                       "the key " + quoted(data.attribute("key").value()) + " is not declared",
                       "add a <key> element for it");
      else if (key->second.empty())
        addDrawn(data, drawn);
      else
        out.push_back({key->second, data.child_value(), at(data)});
    }
    // The last of them counts least, and all count less than attributes of the user's own.
    std::reverse(drawn.begin(), drawn.end());
    drawn.insert(drawn.end(), std::make_move_iterator(out.begin()), std::make_move_iterator(out.end()));
    return drawn;
  }

  /// What yEd keeps of a drawing: the label, the place, and whether a line has arrows at one end alone.
  void addDrawn(const pugi::xml_node& data, GraphAssembly::Attributes& out) {
    const auto shape = data.first_child();
    const auto add = [&](const char* name, const char* value) {
      if (*value) out.push_back({name, value, at(shape)});
    };
    add("label", shape.child("y:NodeLabel").child_value());
    const auto place = shape.child("y:Geometry");
    add("x", place.attribute("x").value());
    add("y", place.attribute("y").value());
    if (const auto arrows = shape.child("y:Arrows")) {
      const bool atSource = std::string_view(arrows.attribute("source").value()) != "none",
                 atTarget = std::string_view(arrows.attribute("target").value()) != "none";
      if (atSource == atTarget) add("direction", "both");
    }
  }

  void readNodes(const pugi::xml_node& graph, int depth) {
    if (depth > kMostGraphMlDepth)
      return m_source.error(at(graph), "graph-too-deep", "graphs are nested more than 64 deep");
    for (const auto child : graph.children()) {
      const std::string_view name = child.name();
      if (name == "node") {
        m_graph.describeOnce(child.attribute("id").value(), attributes(child, "node"), at(child));
        if (const auto inner = child.child("graph")) readNodes(inner, depth + 1);
      } else if (name == "edge") {
        m_edges.emplace_back(graph, child);
      } else if (name == "hyperedge") {
        m_source.error(at(child), "hyperedge", "hyperedges are not read",
                       "use a switch node and one edge to each end");
      }
      if (!m_graph.fits()) return;
    }
  }

  void readEdge(const pugi::xml_node& graph, const pugi::xml_node& edge) {
    if (!m_graph.fits()) return;
    const std::string_view preset = graph.attribute("edgedefault").value(),
                           own = edge.attribute("directed").value();
    m_graph.linkKnown(edge.attribute("source").value(), edge.attribute("target").value(),
                      own.empty() ? preset == "directed" : own == "true", attributes(edge, "edge"), at(edge));
  }

  SourceText m_source;
  GraphAssembly m_graph;
  std::map<std::string, std::string> m_keys;  ///< id → attribute name
  std::map<std::string, Defaults> m_defaults;
  std::vector<std::pair<pugi::xml_node, pugi::xml_node>> m_edges;
};

void appendData(pugi::xml_node element, const std::vector<std::pair<std::string, std::string>>& attributes,
                const char* prefix) {
  for (const auto& [name, value] : attributes) {
    auto data = element.append_child("data");
    data.append_attribute("key") = (prefix + name).c_str();
    data.text() = value.c_str();
  }
}

struct TextWriter : pugi::xml_writer {
  std::string text;
  void write(const void* data, std::size_t size) override {
    text.append(static_cast<const char*>(data), size);
  }
};

}  // namespace

Reading<DrawnNetwork> readGraphMl(std::string_view text, const std::string& file) {
  return GraphMlReader(text, file).run();
}

std::string writeGraphMl(const DrawnNetwork& drawn) {
  const NetworkGraph& g = drawn.graph;
  pugi::xml_document document;
  auto root = document.append_child("graphml");
  root.append_attribute("xmlns") = "http://graphml.graphdrawing.org/xmlns";
  const auto key = [&](const char* prefix, const char* kind, const char* name, const char* type) {
    auto k = root.append_child("key");
    k.append_attribute("id") = (std::string(prefix) + name).c_str();
    k.append_attribute("for") = kind;
    k.append_attribute("attr.name") = name;
    k.append_attribute("attr.type") = type;
  };
  for (const char* name : {"kind", "label", "host", "state", "state_word"}) key("n_", "node", name, "string");
  for (const char* name : {"hbm_gib", "speed", "x", "y"}) key("n_", "node", name, "double");
  key("n_", "node", "failed", "boolean");
  for (const char* name : {"gbps", "lat_us"}) key("e_", "edge", name, "double");
  key("e_", "edge", "count", "int");
  key("e_", "edge", "failed", "boolean");
  key("e_", "edge", "origin", "string");
  auto graph = root.append_child("graph");
  graph.append_attribute("edgedefault") = "undirected";
  std::size_t nextState = 0;
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    auto node = graph.append_child("node");
    node.append_attribute("id") = g.nodes[i].id.c_str();
    appendData(node, attributesOf(drawn, i, nextState), "n_");
  }
  for (const NetworkLink& l : g.links) {
    auto edge = graph.append_child("edge");
    edge.append_attribute("source") = g.nodes[l.from].id.c_str();
    edge.append_attribute("target") = g.nodes[l.to].id.c_str();
    if (l.directed) edge.append_attribute("directed") = "true";
    appendData(edge, attributesOf(l), "e_");
  }
  TextWriter out;
  document.save(out, " ", pugi::format_indent | pugi::format_save_file_text, pugi::encoding_utf8);
  return out.text;
}

const Format& graphMlFormat() {
  static constexpr Format format = {
      .key = "graphml",
      .name = "GraphML",
      .suffixes = "graphml xml",
      .fileNames = ".graphml",
      .example =
          R"(<graphml><key id="k" for="node" attr.name="kind"/><key id="b" for="edge" attr.name="gbps"/>
<graph edgedefault="undirected"><node id="d0"><data key="k">device</data></node><node id="s0"/>
<edge source="d0" target="s0"><data key="b">450</data></edge></graph></graphml>)",
      .remarks = "Attributes as for DOT.",
      .claims = [](const FileLook& f) { return f.word.starts_with('<') && f.has("<graphml"); },
      .read = ReadNetwork(
          [](std::string_view text, const std::string& file) { return asNetwork(readGraphMl(text, file)); }),
      .write = [](const ClusterSource& cluster, const Hierarchy&) -> Reading<std::string> {
        return {writeGraphMl(drawnNetwork(cluster)), {}};
      }};
  return format;
}

}  // namespace nest
