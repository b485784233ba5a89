#include "formats/networks/dot.h"

#include <algorithm>
#include <optional>

#include "formats/networks/dot_tokens.h"
#include "formats/networks/graph_attributes.h"
#include "formats/networks/network_import.h"
#include "units/letters.h"

namespace nest {
namespace {

constexpr std::size_t kMostDotBytes = 32u << 20;
constexpr int kMostDotDepth = 64;
constexpr std::size_t kMostAttributes = 256;

struct DotSetting {
  std::string name, value;
  std::size_t offset;
};
using Settings = std::vector<DotSetting>;

/// Recursive descent over: graph, statements, attribute lists, subgraphs (depth limited).
class DotReader {
public:
  DotReader(std::string_view text, const std::string& file)
      : m_source(text, file), m_lexer(m_source), m_graph(m_source) {}

  Reading<DrawnNetwork> run() {
    if (!m_source.isReadable(kMostDotBytes, "DOT")) return {std::nullopt, m_source.take()};
    advance();
    if (isKeyword("strict")) advance();
    if (isKeyword("digraph"))
      m_directed = true;
    else if (!isKeyword("graph")) {
      fail("not-dot", "DOT begins with graph or digraph");
      return {std::nullopt, m_source.take()};
    }
    advance();
    if (m_token.kind == DotToken::Kind::Id) advance();
    if (m_token.is('[')) {
      m_source.error(here(), "not-dot", "this is GML: DOT goes on with {",
                     "save the graph as GraphML or DOT");
      return {std::nullopt, m_source.take()};
    }
    if (expect('{')) {
      Scope scope;
      statements(scope, 0);
      if (expect('}') && m_token.kind != DotToken::Kind::End)
        m_source.warning(here(), "further-graph", "only the first graph of the file is read");
    }
    return m_graph.finish();
  }

private:
  struct Scope {
    Settings node, edge;
    std::vector<int> members;  ///< nodes named inside, for subgraphs as edge ends
  };

  void advance() { m_token = m_lexer.next(); }
  bool isKeyword(const char* word) const {
    return m_token.kind == DotToken::Kind::Id && !m_token.isQuoted && text::lower(m_token.text) == word;
  }
  Place here() const { return m_source.place(m_token.offset); }

  std::string found() const {
    switch (m_token.kind) {
      case DotToken::Kind::End:
        return "the end of the file";
      case DotToken::Kind::Arrow:
        return "\"->\"";
      case DotToken::Kind::Line:
        return "\"--\"";
      default:
        return quoted(m_token.text);
    }
  }
  void fail(const char* code, const std::string& wanted) {
    m_source.error(here(), code, wanted + "; found " + found());
    m_stop = true;  // after a syntax error the rest says little
  }
  bool expect(char c) {
    if (m_stop) return false;
    if (m_token.is(c)) {
      advance();
      return true;
    }
    fail("dot-syntax", std::string("expected \"") + c + '"');
    return false;
  }

  void statements(Scope& scope, int depth) {
    while (!m_stop && m_graph.fits() && m_token.kind != DotToken::Kind::End && !m_token.is('}')) {
      statement(scope, depth);
      if (m_token.is(';') || m_token.is(',')) advance();
    }
    if (!m_graph.fits()) m_stop = true;
  }

  void statement(Scope& scope, int depth) {
    if (isKeyword("graph") || isKeyword("node") || isKeyword("edge")) {
      const std::string what = text::lower(m_token.text);
      advance();
      // Those of the graph itself place and draw it.
      const Settings settings = attributeLists(what != "graph");
      if (what != "graph") add(settings, what == "node" ? scope.node : scope.edge);
      return;
    }
    const std::size_t begin = m_token.offset;
    bool wasGroup = false;
    auto ends = operand(scope, depth, wasGroup);
    if (m_stop) return;
    if (m_token.is('=') && !wasGroup) {  // an attribute of the graph itself
      advance();
      if (m_token.kind == DotToken::Kind::Id)
        advance();
      else
        fail("dot-syntax", "expected a value");
      return;
    }
    if (m_token.kind == DotToken::Kind::Arrow || m_token.kind == DotToken::Kind::Line)
      return edges(scope, depth, std::move(ends.nodes), ends.pending, begin);
    if (!wasGroup) {
      const int node = makeNode(ends.pending, scope, begin);
      m_graph.describe(node, placed(attributeLists()));
    }
  }

  struct Ends {
    std::vector<int> nodes;
    std::string pending;  ///< id of a single node that is not made yet (it may turn out to be `name = value`)
  };

  Ends operand(Scope& scope, int depth, bool& wasGroup) {
    Ends out;
    if (isKeyword("subgraph") || m_token.is('{')) {
      wasGroup = true;
      if (isKeyword("subgraph")) {
        advance();
        if (m_token.kind == DotToken::Kind::Id) advance();
      }
      if (depth >= kMostDotDepth) {
        fail("dot-too-deep", "subgraphs are nested more than 64 deep");
        return out;
      }
      if (!expect('{')) return out;
      Scope inner{scope.node, scope.edge, {}};
      statements(inner, depth + 1);
      expect('}');
      std::sort(inner.members.begin(), inner.members.end());
      inner.members.erase(std::unique(inner.members.begin(), inner.members.end()), inner.members.end());
      scope.members.insert(scope.members.end(), inner.members.begin(), inner.members.end());
      out.nodes = std::move(inner.members);
      return out;
    }
    wasGroup = false;
    if (m_token.kind != DotToken::Kind::Id) {
      fail("dot-syntax", "expected a node, an attribute list or \"}\"");
      return out;
    }
    out.pending = m_token.text;
    advance();
    for (int k = 0; k < 2 && m_token.is(':'); ++k) {  // port and compass point
      advance();
      if (m_token.kind == DotToken::Kind::Id)
        advance();
      else
        fail("dot-syntax", "expected a port");
    }
    return out;
  }

  int makeNode(const std::string& id, Scope& scope, std::size_t offset) {
    const bool fresh = !m_graph.hasNode(id);
    const int node = m_graph.node(id, m_source.place(offset));
    if (fresh) m_graph.describe(node, placed(scope.node));
    scope.members.push_back(node);
    return node;
  }

  void edges(Scope& scope, int depth, std::vector<int> group, const std::string& pending, std::size_t begin) {
    std::vector<std::vector<int>> chain;
    if (group.empty() && !pending.empty()) group = {makeNode(pending, scope, begin)};
    chain.push_back(std::move(group));
    while (!m_stop && (m_token.kind == DotToken::Kind::Arrow || m_token.kind == DotToken::Kind::Line)) {
      if ((m_token.kind == DotToken::Kind::Arrow) != m_directed)
        m_source.warning(
            here(), "edge-operator",
            m_directed ? "a digraph joins nodes with \"->\"; this edge is taken as one-way all the same"
                       : "a graph joins nodes with \"--\"; this edge is taken as both ways all the same");
      advance();
      const std::size_t at = m_token.offset;
      bool wasGroup = false;
      auto ends = operand(scope, depth, wasGroup);
      if (m_stop) return;
      if (!wasGroup) ends.nodes = {makeNode(ends.pending, scope, at)};
      chain.push_back(std::move(ends.nodes));
    }
    Settings settings = scope.edge;
    add(attributeLists(), settings);
    const auto attributes = placed(settings);
    const Place place = m_source.place(begin);
    for (std::size_t i = 1; i < chain.size(); ++i)
      for (int a : chain[i - 1])
        for (int b : chain[i]) {
          if (!m_graph.fits()) return;
          m_graph.link(a, b, m_directed, attributes, place);
        }
  }

  Settings attributeLists(bool counts = true) {
    Settings out;
    std::size_t count = 0;
    while (!m_stop && m_token.is('[')) {
      advance();
      while (!m_stop && m_token.kind == DotToken::Kind::Id) {
        DotSetting s{m_token.text, "true", m_token.offset};
        advance();
        if (m_token.is('=')) {
          advance();
          s.offset = m_token.offset;
          if (m_token.kind != DotToken::Kind::Id) {
            fail("dot-syntax", "expected a value");
            break;
          }
          s.value = m_token.text;
          advance();
        }
        s.name = text::lower(s.name);
        if (GraphAssembly::reads(s.name))
          add({std::move(s)}, out);
        else if (counts && !isDrawing(s.name))
          m_graph.ignore(s.name);
        if (++count > kMostAttributes) fail("dot-syntax", "at most 256 attributes are read");
        if (m_token.is(',') || m_token.is(';')) advance();
      }
      expect(']');
    }
    return out;
  }

  /// What Graphviz alone reads begins like this; a note names the attributes that are left over.
  static bool isDrawing(std::string_view name) {
    return name.starts_with("label") || name.starts_with("font") || name.starts_with("arrow") ||
           name.starts_with("lhead") || name.starts_with("ltail") || name.starts_with("pen") ||
           name.starts_with("image") || name.starts_with("_") || name.ends_with("url") ||
           name.ends_with("href") || name.ends_with("tooltip") || name.ends_with("target") ||
           name.ends_with("clip") || name == "sides" || name == "skew" || name == "distortion" ||
           name == "orientation" || name == "regular" || name == "nojustify" || name == "root" ||
           name == "pin" || name == "splines" || name == "nodesep" || name == "ranksep" ||
           name == "overlap" || name == "compound" || name == "concentrate" || name == "dpi" ||
           name == "ratio" || name == "rotate" || name == "center" || name == "colorscheme" ||
           name == "gradientangle" || name == "showboxes" || name == "sep" || name == "esep";
  }
  /// Later settings of one name win, as the language says. Only what is read is kept, so that a file full of
  /// defaults costs no more than one without.
  static void add(const Settings& settings, Settings& into) {
    for (const DotSetting& s : settings) {
      const std::string& name = s.name;
      const auto known =
          std::find_if(into.begin(), into.end(), [&](const DotSetting& k) { return k.name == name; });
      if (known == into.end())
        into.push_back({name, s.value, s.offset});
      else
        *known = {name, s.value, s.offset};
    }
  }

  /// Views into `settings`.
  GraphAssembly::Attributes placed(const Settings& settings) {
    GraphAssembly::Attributes out;
    for (const DotSetting& s : settings) out.push_back({s.name, s.value, m_source.place(s.offset)});
    return out;
  }

  SourceText m_source;
  DotLexer m_lexer;
  GraphAssembly m_graph;
  DotToken m_token;
  bool m_directed = false, m_stop = false;
};

std::string escaped(std::string_view s) {
  std::string out = "\"";
  for (char c : s) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

void append(std::string& out, const std::vector<std::pair<std::string, std::string>>& attributes) {
  out += " [";
  for (std::size_t i = 0; i < attributes.size(); ++i)
    out += (i ? ", " : "") + attributes[i].first + '=' + escaped(attributes[i].second);
  out += "];\n";
}

}  // namespace

Reading<DrawnNetwork> readDot(std::string_view text, const std::string& file) {
  return DotReader(text, file).run();
}

std::string writeDot(const DrawnNetwork& drawn) {
  const NetworkGraph& g = drawn.graph;
  const bool directed =
      std::any_of(g.links.begin(), g.links.end(), [](const NetworkLink& l) { return l.directed; });
  std::string out = directed ? "digraph network {\n" : "graph network {\n";
  std::size_t nextState = 0;
  for (std::size_t i = 0; i < g.nodes.size(); ++i) {
    out += "  " + escaped(g.nodes[i].id);
    append(out, attributesOf(drawn, i, nextState));
  }
  for (const NetworkLink& l : g.links) {
    out += "  " + escaped(g.nodes[l.from].id) + (directed ? " -> " : " -- ") + escaped(g.nodes[l.to].id);
    auto attributes = attributesOf(l);
    if (directed && !l.directed) attributes.emplace_back("direction", "both");
    append(out, attributes);
  }
  return out + "}\n";
}

const Format& dotFormat() {
  static constexpr Format format = {
      .key = "dot",
      .name = "DOT",
      .suffixes = "dot gv",
      .fileNames = ".dot .gv",
      .example = "graph { d0 [kind=device]; s0 [kind=switch]; d0 -- s0 [gbps=450, lat_us=1]; }",
      .remarks =
          R"(Attributes of nodes: kind (device, host, switch), label, host, hbm_gib, speed or tflops, x, y, failed, state
(of hosts or devices: free, busy, down, drained, reserved, spare, or what sinfo prints) and state_word; of links: gbps (GB/s one way) or bandwidth ("400 Gb/s"), lat_us, count, failed, direction (one-way, both).)",
      .claims =
          [](const FileLook& f) { return f.word == "graph" || f.word == "digraph" || f.word == "strict"; },
      .read = ReadNetwork(
          [](std::string_view text, const std::string& file) { return asNetwork(readDot(text, file)); }),
      .write = [](const ClusterSource& cluster, const Hierarchy&) -> Reading<std::string> {
        return {writeDot(drawnNetwork(cluster)), {}};
      }};
  return format;
}

}  // namespace nest
