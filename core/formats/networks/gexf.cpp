#include <map>
#include <pugixml.hpp>

#include "formats/format.h"
#include "formats/networks/graph_attributes.h"
#include "formats/networks/network_import.h"
#include "text/xml_source.h"

namespace nest {
namespace {

constexpr XmlFormat kGexfFormat{"GEXF", "gexf", "not-gexf", 64u << 20};

/// gexf.net, 1.2 and 1.3; attributes by the names that GraphML files have. An edge's weight is no bandwidth.
class GexfReader {
public:
  GexfReader(std::string_view text, const std::string& file) : m_source(text, file), m_graph(m_source) {}

  Reading<DrawnNetwork> run() {
    if (const auto gexf = readXml(m_source, m_document, kGexfFormat)) read(gexf.child("graph"));
    return m_graph.finish();
  }

private:
  Place at(const pugi::xml_node& n) const { return placeOf(m_source, n); }

  void read(const pugi::xml_node& graph) {
    for (const auto all : graph.children("attributes"))
      for (const auto a : all.children("attribute")) {
        const std::string key = std::string(all.attribute("class").value()) + ' ' + a.attribute("id").value();
        m_names[key] = a.attribute("title").value();
        if (const auto preset = a.child("default")) m_defaults[key] = preset.child_value();
      }
    for (const auto n : graph.child("nodes").children("node")) {
      auto attributes = attributesOf(n, "node");
      if (const auto label = n.attribute("label"))
        attributes.insert(attributes.begin(), {"label", label.value(), at(n)});
      if (const auto place = n.child("viz:position")) {
        attributes.push_back({"x", place.attribute("x").value(), at(n)});
        attributes.push_back({"y", place.attribute("y").value(), at(n)});
      }
      m_graph.describeOnce(n.attribute("id").value(), attributes, at(n));
      if (!m_graph.fits()) return;
    }
    const bool isDirected = std::string_view(graph.attribute("defaultedgetype").value()) == "directed";
    for (const auto e : graph.child("edges").children("edge")) {
      const std::string_view own = e.attribute("type").value();
      auto attributes = attributesOf(e, "edge");
      if (const auto weight = e.attribute("weight")) attributes.push_back({"weight", weight.value(), at(e)});
      if (!m_graph.linkKnown(e.attribute("source").value(), e.attribute("target").value(),
                             own.empty() ? isDirected : own == "directed", attributes, at(e)))
        return;
    }
  }

  GraphAssembly::Attributes attributesOf(const pugi::xml_node& element, const char* kind) {
    GraphAssembly::Attributes out;
    for (const auto& [key, value] : m_defaults)
      if (key.starts_with(std::string(kind) + ' ')) out.push_back({m_names[key], value, at(element)});
    for (const auto v : element.child("attvalues").children("attvalue")) {
      const std::string key = std::string(kind) + ' ' + v.attribute("for").value();
      std::erase_if(out, [&](const auto& a) { return a.name == m_names[key]; });
      out.push_back({m_names[key], v.attribute("value").value(), at(v)});
    }
    return out;
  }

  SourceText m_source;
  GraphAssembly m_graph;
  pugi::xml_document m_document;
  std::map<std::string, std::string> m_names, m_defaults;  ///< by "node" or "edge" and id
};

}  // namespace

const Format& gexfFormat() {
  static constexpr Format format = {
      .key = "gexf",
      .name = "GEXF",
      .suffixes = "gexf",
      .fileNames = ".gexf",
      .example =
          R"(<gexf version="1.2"><graph defaultedgetype="undirected">
<attributes class="node"><attribute id="0" title="kind" type="string"/></attributes>
<attributes class="edge"><attribute id="0" title="gbps" type="double"/></attributes>
<nodes><node id="d0"><attvalues><attvalue for="0" value="device"/></attvalues></node><node id="s0"/></nodes>
<edges><edge source="d0" target="s0"><attvalues><attvalue for="0" value="450"/></attvalues></edge></edges></graph></gexf>)",
      .remarks = "Attributes as for DOT.",
      .claims = [](const FileLook& f) { return f.word.starts_with('<') && f.has("<gexf"); },
      .read = ReadNetwork([](std::string_view text, const std::string& file) {
        return asNetwork(GexfReader(text, file).run());
      })};
  return format;
}

}  // namespace nest
