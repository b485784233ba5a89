#include <deque>
#include <nlohmann/json.hpp>

#include "formats/format.h"
#include "formats/networks/graph_attributes.h"
#include "formats/networks/network_import.h"
#include "text/json_text.h"

namespace nest {
namespace {

using nlohmann::json;

/// networkx.readwrite.json_graph.node_link_data: edges stand under "links", from version 3.4 on under
/// "edges".
class NodeLinkReader {
public:
  NodeLinkReader(std::string_view text, const std::string& file)
      : m_source(text, file), m_graph(m_source), m_text(text), m_file(file) {}

  Reading<DrawnNetwork> run() {
    auto read = readJsonText(m_text, m_file);
    if (!read) return {std::nullopt, std::move(read.diagnostics)};
    m_json = &*read;
    take(read->root());
    return m_graph.finish();
  }

private:
  Place at(const std::string& pointer) const { return m_json->placeOf(pointer); }

  static std::string textOf(const json& v) { return v.is_string() ? v.get<std::string>() : v.dump(); }

  void take(const json& root) {
    const char* const key = root.is_object() && root.contains("edges") ? "edges" : "links";
    if (!root.is_object() || !root.contains("nodes") || !root["nodes"].is_array() || !root.contains(key) ||
        !root[key].is_array())
      return m_source.error(at(""), "node-link", "expected lists \"nodes\" and \"edges\" (or \"links\")");
    const json &nodes = root["nodes"], &edges = root[key];
    const bool isDirected = root.contains("directed") && root["directed"] == true;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const std::string pointer = jsonPointer("/nodes", i);
      if (!nodes[i].is_object() || !nodes[i].contains("id"))
        return m_source.error(at(pointer), "node-without-id", "a node needs an id");
      m_graph.describeOnce(textOf(nodes[i]["id"]), attributesOf(nodes[i], pointer), at(pointer));
      if (!m_graph.fits()) return;
    }
    for (std::size_t i = 0; i < edges.size(); ++i) {
      const std::string pointer = jsonPointer(jsonPointer("", key), i);
      if (!edges[i].is_object() || !edges[i].contains("source") || !edges[i].contains("target"))
        return m_source.error(at(pointer), "node-link", "an edge needs source and target");
      if (!m_graph.linkKnown(textOf(edges[i]["source"]), textOf(edges[i]["target"]), isDirected,
                             attributesOf(edges[i], pointer), at(pointer)))
        return;
    }
  }

  GraphAssembly::Attributes attributesOf(const json& object, const std::string& pointer) {
    m_values.clear();
    GraphAssembly::Attributes out;
    for (const auto& [name, value] : object.items())
      if (!value.is_null() && !value.is_structured() && name != "id" && name != "source" &&
          name != "target" && name != "key")
        out.push_back({name, m_values.emplace_back(textOf(value)), at(jsonPointer(pointer, name))});
    return out;
  }

  SourceText m_source;
  GraphAssembly m_graph;
  std::string_view m_text;
  std::string m_file;
  const JsonText* m_json = nullptr;
  std::deque<std::string> m_values;  ///< that attributes point to
};

}  // namespace

const Format& nodeLinkFormat() {
  static constexpr Format format = {
      .key = "node-link",
      .name = "networkx JSON",
      .suffixes = "json",
      .fileNames = "",
      .example =
          R"({"directed": false, "nodes": [{"id": "d0", "kind": "device"}, {"id": "s0"}],
 "edges": [{"source": "d0", "target": "s0", "gbps": 450}]})",
      .remarks = "What networkx.node_link_data gives. Attributes as for DOT.",
      .claims =
          [](const FileLook& f) {
            return f.names("nodes") && (f.names("links") || f.names("edges")) && f.names("source") &&
                   f.names("target");
          },
      .read = ReadNetwork([](std::string_view text, const std::string& file) {
        return asNetwork(NodeLinkReader(text, file).run());
      })};
  return format;
}

}  // namespace nest
