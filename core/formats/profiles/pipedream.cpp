#include "formats/profiles/pipedream.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>

#include "formats/format.h"
#include "formats/unused_parts.h"
#include "text/source_text.h"
#include "units/letters.h"

namespace nest {
namespace {

constexpr std::size_t kMostPipedreamBytes = 8u << 20;
constexpr int kMostPipedreamNodes = 4096;
constexpr int kMostPipedreamEdges = 65'536;
constexpr double kPipedreamBytesPerParameter = 4;

std::vector<std::string_view> fieldsOf(std::string_view line) {
  std::vector<std::string_view> out;
  for (;;) {
    const auto at = line.find(" -- ");
    out.push_back(text::trimmed(line.substr(0, at)));
    if (at == std::string_view::npos) return out;
    line.remove_prefix(at + 4);
  }
}

std::optional<double> numberIn(std::string_view s) {
  s = text::trimmed(s);
  double v = 0;
  const auto [end, code] = std::from_chars(s.data(), s.data() + s.size(), v);
  if (code != std::errc() || end != s.data() + s.size() || !std::isfinite(v) || v < 0 || v > 1e18)
    return std::nullopt;
  return v;
}

/// A number, or the sum of "[a; b]".
std::optional<double> sizeIn(std::string_view s) {
  s = text::trimmed(s);
  if (!s.starts_with('[')) return numberIn(s);
  if (!s.ends_with(']')) return std::nullopt;
  s = s.substr(1, s.size() - 2);
  double sum = 0;
  while (!s.empty()) {
    const auto end = s.find(';');
    const auto v = numberIn(s.substr(0, end));
    if (!v) return std::nullopt;
    sum += *v;
    s.remove_prefix(end == std::string_view::npos ? s.size() : end + 1);
  }
  return sum;
}

class GraphTextReader {
public:
  explicit GraphTextReader(SourceText& source) : m_source(source), m_builder({Strategy{}}, {1}) {}

  std::optional<ImportedProfile> run() {
    std::string_view rest = m_source.text();
    for (int line = 1; !rest.empty(); ++line) {
      const std::string_view text = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(rest.size(), text.size() + 1));
      const Place where = m_source.placeOfLine(line);
      if (text::trimmed(text).empty()) continue;
      if (text.front() == '\t' || text.front() == ' ')
        edge(text, where);
      else
        node(text, where);
    }
    if (m_builder.layerCount() == 0 && !m_source.failed())
      m_source.error(m_source.whole(), "pipedream-empty", "the graph has no nodes");
    link();
    if (m_source.failed()) return std::nullopt;
    Diagnostics out;
    auto result = m_builder.build(m_source.whole(), out);
    for (const auto& d : out) m_source.error(d.where, d.code, d.message, d.remedy);
    if (!result) return std::nullopt;
    result->name = "PipeDream profile";
    result->profile.provenance = "Measured, from a PipeDream graph";
    Job job;
    job.microbatches = {1};
    job.optimizer = {"custom", kPipedreamBytesPerParameter, kPipedreamBytesPerParameter, 0};
    result->job = job;
    m_source.note(
        m_source.whole(), "pipedream-stash",
        "PipeDream measures what layers put out, not what they keep: the output counts as the stash");
    if (m_hasStages)
      m_source.note(m_source.whole(), "pipedream-stages", "the stages that the file assigns are left out");
    m_unused.report(m_source);
    return result;
  }

private:
  void node(std::string_view line, const Place& where) {
    const auto parts = fieldsOf(line);
    if (parts.size() < 3 || parts[0].empty()) {
      m_source.error(where, "pipedream-node", "A node line is \"id -- name -- key=value, …\"");
      return;
    }
    if (m_builder.layerCount() >= kMostPipedreamNodes) {
      m_source.error(where, "pipedream-size", "more than 4,096 nodes");
      return;
    }
    const std::string id(parts[0]), name(parts[1].substr(0, 200));
    const int layer = m_builder.addLayer(name, layerKindNamed(name));
    if (!m_numbers.emplace(id, layer).second)
      m_source.error(where, "pipedream-node-twice", "the node " + quoted(id) + " is duplicated");
    const auto value = figuresOf(parts[2], where);
    m_hasStages = m_hasStages || parts.size() > 3;
    LayerCost c;
    c.origin = Origin::Measured;
    c.forward = Seconds(value[0] * 1e-3);
    c.backward = Seconds(value[1] * 1e-3);
    c.denseParameters = value[3] / kPipedreamBytesPerParameter;
    c.recompute[0] = {true, Bytes(value[2]), Seconds(0), Bytes(0)};
    c.recompute[1].available = c.recompute[2].available = false;
    m_builder.setCost(layer, 0, 0, c);
    m_outputs.push_back(Bytes(value[2]));
  }

  std::array<double, 4> figuresOf(std::string_view text, const Place& where) {
    static constexpr std::array<std::string_view, 4> kKeys = {"forward_compute_time", "backward_compute_time",
                                                              "activation_size", "parameter_size"};
    std::array<double, 4> out{};
    for (std::size_t k = 0; k < kKeys.size(); ++k) {
      const auto at = text.find(std::string(kKeys[k]) + '=');
      if (at == std::string_view::npos) {
        m_source.error(where, "pipedream-figure", '"' + std::string(kKeys[k]) + "\" is missing");
        continue;
      }
      const std::string_view rest = text.substr(at + kKeys[k].size() + 1);
      const auto v = sizeIn(rest.substr(0, rest.find(',')));
      if (!v)
        m_source.error(where, "pipedream-figure",
                       '"' + std::string(kKeys[k]) + "\" must be a number of at least 0");
      out[k] = v.value_or(0);
    }
    // "[a; b]" holds no comma.
    for (std::string_view rest = text; !rest.empty();) {
      const std::string_view part = text::trimmed(rest.substr(0, rest.find(',')));
      rest.remove_prefix(std::min(rest.size(), std::min(rest.find(','), rest.size()) + 1));
      const std::string_view key = part.substr(0, part.find('='));
      if (part.find('=') != std::string_view::npos &&
          std::find(kKeys.begin(), kKeys.end(), key) == kKeys.end())
        m_unused.add(key);
    }
    return out;
  }

  void edge(std::string_view line, const Place& where) {
    const auto parts = fieldsOf(line);
    if (parts.size() != 2) {
      m_source.error(where, "pipedream-edge", "an edge line is a tab and \"id -- id\"");
    } else if (m_edges.size() >= kMostPipedreamEdges) {
      m_source.error(where, "pipedream-size", "more than 65,536 edges");
    } else {
      m_edges.push_back({std::string(parts[0]), std::string(parts[1]), where});
    }
  }

  /// Edges may stand before their nodes.
  void link() {
    for (const auto& [from, to, where] : m_edges) {
      const auto a = m_numbers.find(from), b = m_numbers.find(to);
      if (a == m_numbers.end() || b == m_numbers.end())
        m_source.error(where, "pipedream-edge",
                       "no node is called " + quoted(a == m_numbers.end() ? from : to));
      else
        m_builder.addEdge(a->second, b->second, {m_outputs[a->second]});
    }
  }

  struct Edge {
    std::string from, to;
    Place where;
  };
  SourceText& m_source;
  ProfileBuilder m_builder;
  std::map<std::string, int> m_numbers;
  std::vector<Bytes> m_outputs;
  std::vector<Edge> m_edges;
  UnusedParts m_unused;
  bool m_hasStages = false;
};

}  // namespace

Reading<ImportedProfile> readPipeDream(std::string_view text, const std::string& file) {
  SourceText source(text, file);
  if (!source.isReadable(kMostPipedreamBytes, "a PipeDream graph", "put layers together"))
    return {std::nullopt, source.take()};
  auto result = GraphTextReader(source).run();
  if (source.failed()) result.reset();
  return {std::move(result), source.take()};
}

const Format& pipeDreamFormat() {
  static constexpr Format format = {
      .key = "pipedream",
      .name = "PipeDream graph.txt",
      .suffixes = "txt",
      .fileNames = "",
      .example =
          "node1 -- Embedding -- forward_compute_time=0.4, backward_compute_time=0.5, "
          "activation_size=8e6, parameter_size=1e8\n"
          "node2 -- Block -- forward_compute_time=4.0, backward_compute_time=8.0, "
          "activation_size=8e6, parameter_size=5e7\n"
          "\tnode1 -- node2",
      .remarks = "Times in ms, sizes in bytes.",
      .claims = [](const FileLook& f) { return f.has("forward_compute_time"); },
      .read = ReadProfile([](std::string_view text, const std::string& file, std::optional<int>) {
        return readPipeDream(text, file);
      })};
  return format;
}

}  // namespace nest
