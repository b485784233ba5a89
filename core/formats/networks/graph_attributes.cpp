#include "formats/networks/graph_attributes.h"

#include <algorithm>
#include <cctype>

#include "formats/networks/state_words.h"
#include "text/counted_names.h"
#include "text/decimal.h"
#include "units/at.h"
#include "units/letters.h"
#include "units/text.h"

namespace nest {
namespace {

constexpr std::size_t kMostGraphNodes = 500'000, kMostLinks = 1'000'000;
constexpr double kGibi = 1024.0 * 1024.0 * 1024.0;

/// A number of at least `least` (or above it), reported otherwise.
std::optional<double> figure(SourceText& s, const GraphAssembly::Attribute& a, int power, double least,
                             bool above, const char* allowed) {
  const auto v = readDecimal(text::trimmed(a.value), power);
  if (v && (above ? *v > least : *v >= least)) return v;
  s.error(a.place, "attribute-value",
          std::string(a.name) + " is " + quoted(a.value) + "; expected: " + allowed);
  return std::nullopt;
}

bool hasUnit(std::string_view s) {
  return std::any_of(s.begin(), s.end(),
                     [](unsigned char c) { return std::isalpha(c) && c != 'e' && c != 'E'; });
}

bool flag(SourceText& s, const GraphAssembly::Attribute& a) {
  const std::string v = text::lower(text::trimmed(a.value));
  if (v == "true" || v == "1" || v == "yes") return true;
  if (v != "false" && v != "0" && v != "no" && !v.empty())
    s.error(a.place, "attribute-value",
            std::string(a.name) + " is " + quoted(a.value) + "; expected one of: true and false");
  return false;
}

const char* nameOf(NodeKind k) {
  return k == NodeKind::Device ? "device" : k == NodeKind::Host ? "host" : "switch";
}

}  // namespace

void GraphAssembly::noteIgnored() {
  static constexpr std::string_view kDrawing[] = {
      "id",        "color",   "fillcolor",  "style",       "shape",       "fontsize",  "fontname",
      "fontcolor", "width",   "height",     "penwidth",    "arrowhead",   "arrowtail", "arrowsize",
      "pos",       "rank",    "tooltip",    "xlabel",      "headlabel",   "taillabel", "labelloc",
      "margin",    "image",   "url",        "href",        "peripheries", "fixedsize", "constraint",
      "minlen",    "len",     "labelfloat", "layer",       "group",       "ordering",  "z",
      "size",      "key",     "decorate",   "headport",    "tailport",    "samehead",  "sametail",
      "bgcolor",   "rankdir", "class",      "description", "comment"};
  for (const std::string_view name : kDrawing) m_ignored.erase(std::string(name));
  if (m_ignored.empty()) return;
  m_source.note(m_source.whole(), "attributes-ignored",
                "these attributes are not used: " + countedNames(m_ignored),
                "nodes have kind, host, state, hbm_gib, speed; links gbps, bandwidth, lat_us, count");
}

bool GraphAssembly::reads(std::string_view name) {
  static constexpr std::string_view all[] = {
      "kind", "label",     "name",   "host",  "hbm_gib", "speed",     "tflops",
      "x",    "y",         "pos_x",  "pos_y", "failed",  "state",     "state_word",
      "gbps", "bandwidth", "lat_us", "dir",   "count",   "direction", "origin"};
  return std::find(std::begin(all), std::end(all), name) != std::end(all);
}

bool GraphAssembly::fits() {
  if (m_tooLarge) return false;
  if (m_graph.nodes.size() <= kMostGraphNodes && m_graph.links.size() <= kMostLinks) return true;
  m_tooLarge = true;
  m_source.error(
      m_source.whole(), "network-too-large",
      "at most " + text::count(kMostGraphNodes) + " nodes and " + text::count(kMostLinks) + " links are read",
      "describe a network of this size by levels");
  return false;
}

int GraphAssembly::node(const std::string& id, const Place& place) {
  const auto [at, fresh] = m_number.emplace(id, static_cast<int>(m_graph.nodes.size()));
  if (fresh) {
    NetworkNode n;
    n.id = n.name = id;
    m_graph.nodes.push_back(std::move(n));
    if (id.empty()) m_source.error(place, "node-without-id", "a node needs an id");
  }
  return at->second;
}

void GraphAssembly::describe(int number, const Attributes& attributes) {
  NetworkNode& n = m_graph.nodes[at(number)];
  bool isLabelled = false;
  for (const Attribute& a : attributes) {
    const std::string name = text::lower(a.name);
    if (name == "kind") {
      const std::string v = text::lower(text::trimmed(a.value));
      if (v == "device" || v == "gpu" || v == "accelerator")
        n.kind = NodeKind::Device;
      else if (v == "host" || v == "node" || v == "server")
        n.kind = NodeKind::Host;
      else if (v == "switch" || v == "router")
        n.kind = NodeKind::Switch;
      else
        m_source.error(a.place, "attribute-value",
                       "kind is " + quoted(a.value) + "; expected one of: device, host and switch");
    } else if (name == "label" || name == "name") {
      // A label goes before a name; "\\N" is Graphviz' word for the id.
      const std::string text(text::trimmed(a.value));
      if (!text.empty() && (name == "label" || !isLabelled)) n.name = text == "\\N" ? n.id : text;
      isLabelled = isLabelled || name == "label";
    } else if (name == "host") {
      n.host = std::string(a.value);
    } else if (name == "hbm_gib") {
      if (const auto v = figure(m_source, a, 0, 0, false, "a memory size in GiB"))
        n.memory = Bytes(*v * kGibi);
    } else if (name == "speed") {
      const auto v = figure(m_source, a, 0, 0, true, "a share of the usual rate in (0, 1]");
      if (v && *v > 1)
        m_source.error(a.place, "attribute-value",
                       "speed is " + quoted(a.value) + "; expected: a share of the usual rate in (0, 1]");
      else if (v)
        n.speed = *v;
    } else if (name == "tflops") {
      if (const auto v = figure(m_source, a, 0, 0, true, "a positive rate in TFLOP/s"))
        m_tflops.emplace_back(number, *v);
    } else if (name == "x" || name == "y" || name == "pos_x" || name == "pos_y") {
      if (const auto v = figure(m_source, a, 0, -1e12, false, "a number"))
        (name.back() == 'x' ? n.x : n.y) = *v;
    } else if (name == "failed") {
      n.failed = flag(m_source, a);
    } else if (name == "state") {
      SaidState& said = m_states[number];
      said.state = text::trimmed(a.value);
      said.place = a.place;
    } else if (name == "state_word") {
      m_states[number].word = text::trimmed(a.value);
    } else {
      ignore(name);
    }
  }
}

/// Hosts and devices have states; a switch that is "up" says nothing here.
std::vector<StateOfNode> GraphAssembly::takeStates() {
  std::vector<StateOfNode> out;
  std::unordered_map<std::string, std::size_t> ofHosts;  // by id
  const auto fail = [&](const SaidState& said, std::string message, std::string remedy) {
    m_source.error(said.place, "attribute-value", std::move(message), std::move(remedy));
  };
  for (const auto& [number, said] : m_states) {
    const NetworkNode& n = m_graph.nodes[at(number)];
    if (said.state.empty()) continue;
    if (n.kind == NodeKind::Switch) {
      ignore("state");
      continue;
    }
    const auto word = writtenState(said.state);
    if (!word) {
      fail(said, "state is " + quoted(said.state) + ", which is not a state of hosts", kWrittenStates);
      continue;
    }
    if (n.kind == NodeKind::Host) ofHosts.emplace(n.id, out.size());
    const bool isPlain = text::lower(said.state) == nest::nameOf(word->state);
    out.push_back({number, word->state, said.word.empty() && !isPlain ? said.state : said.word});
  }
  for (const StateOfNode& s : out) {
    const NetworkNode& n = m_graph.nodes[at(s.node)];
    const auto host = n.kind == NodeKind::Device ? ofHosts.find(n.host) : ofHosts.end();
    if (host == ofHosts.end()) continue;
    const StateOfNode& whole = out[host->second];
    const auto word = slurmState(whole.word);
    if (whole.state == s.state || (word && word->isMixed)) continue;
    fail(m_states[s.node],
         "the device " + quoted(n.id) + " is " + std::string(nest::nameOf(s.state)) + " and its host " +
             quoted(n.host) + " is " + std::string(nest::nameOf(whole.state)),
         "give the state of the host alone, or of its devices alone");
  }
  return out;
}

void GraphAssembly::link(int from, int to, bool directed, const Attributes& attributes, const Place& place) {
  NetworkLink l;
  l.from = from;
  l.to = to;
  l.directed = directed;
  l.latency = Seconds(1e-6);
  bool rated = false;
  const bool hasGbps = std::any_of(attributes.begin(), attributes.end(),
                                   [](const Attribute& a) { return text::lower(a.name) == "gbps"; });
  for (const Attribute& a : attributes) {
    const std::string name = text::lower(a.name);
    if (name == "gbps") {
      rated = true;
      if (const auto v = text::readBandwidth(a.value); hasUnit(a.value) && v && v->value.value() > 0)
        l.bandwidth = v->value;
      else if (const auto number = figure(m_source, a, 9, 0, true, "a positive one-way bandwidth in GB/s"))
        l.bandwidth = BytesPerSecond(*number), doubtUnit(a, *number);
    } else if (name == "bandwidth" && !hasGbps) {
      rated = true;
      if (const auto v = text::readBandwidth(a.value); hasUnit(a.value) && v && v->value.value() > 0)
        l.bandwidth = v->value;
      else
        m_source.error(a.place, "attribute-value",
                       "bandwidth is " + quoted(a.value) + "; expected: a rate with its unit, like 400 Gb/s",
                       "or give gbps, a number of GB/s");
    } else if (name == "lat_us") {
      if (const auto v = text::readTime(a.value); hasUnit(a.value) && v)
        l.latency = *v;
      else if (const auto number = figure(m_source, a, -6, 0, false, "a latency in µs, zero or more"))
        l.latency = Seconds(*number);
    } else if (name == "dir") {  // Graphviz' own
      const std::string v = text::lower(text::trimmed(a.value));
      if (v == "none" || v == "both") l.directed = false;
      if (v == "back") std::swap(l.from, l.to);
    } else if (name == "count") {
      if (const auto v = readWhole(text::trimmed(a.value), 1, 1'000'000))
        l.count = static_cast<int>(*v);
      else
        m_source.error(a.place, "attribute-value",
                       "count is " + quoted(a.value) + "; expected: a whole number of 1 or more");
    } else if (name == "failed") {
      l.failed = flag(m_source, a);
    } else if (name == "direction") {
      const std::string v = text::lower(text::trimmed(a.value));
      if (v == "one-way" || v == "both")
        l.directed = v == "one-way";
      else
        m_source.error(a.place, "attribute-value",
                       "direction is " + quoted(a.value) + "; expected one of: one-way and both");
    } else if (name == "origin") {
      const std::string v = text::lower(text::trimmed(a.value));
      bool known = false;
      for (Origin o : {Origin::Typed, Origin::Measured, Origin::Estimated, Origin::Catalog})
        if (v == nest::nameOf(o)) l.origin = o, known = true;
      if (!known)
        m_source.error(
            a.place, "attribute-value",
            "origin is " + quoted(a.value) + "; expected one of: typed, measured, estimated and catalog");
    } else if (name != "label" && name != "name" && name != "x" && name != "y" &&
               !(name == "bandwidth" && hasGbps)) {
      ignore(name);
    }
  }
  if (!rated) m_unrated.emplace_back(m_graph.links.size(), place);
  m_graph.links.push_back(l);
}

/// These are rates of ports in Gb/s; in GB/s no link is known to have them. Told once.
void GraphAssembly::doubtUnit(const Attribute& a, double rate) {
  if (m_doubtsUnit || (rate != 400e9 && rate != 800e9 && rate != 1600e9 && rate != 3200e9)) return;
  m_doubtsUnit = true;
  const std::string number(text::trimmed(a.value));
  m_source.warning(a.place, "gbps-unit",
                   "gbps counts in GB/s, so that this link has " + number +
                       " GB/s; a port of so many Gb/s has " + text::number(rate / 8e9) + " GB/s",
                   "where gigabits are meant, give bandwidth with its unit: " + number + " Gb/s");
}

void GraphAssembly::describeOnce(const std::string& id, const Attributes& attributes, const Place& place) {
  if (hasNode(id)) m_source.error(place, "node-twice", "the node " + quoted(id) + " is described twice");
  describe(node(id, place), attributes);
}

bool GraphAssembly::linkKnown(const std::string& from, const std::string& to, bool directed,
                              const Attributes& attributes, const Place& place) {
  for (const std::string& end : {from, to})
    if (!hasNode(end)) {
      m_source.error(place, "unknown-node",
                     "the edge ends at " + quoted(end) + ", which is not a node of the file");
      return fits();  // further edges are checked
    }
  link(node(from, {}), node(to, {}), directed, attributes, place);
  return fits();
}

/// A drawing that says nothing of a cluster gets one error, not one for each line of it.
void GraphAssembly::checkFigures() {
  const bool hasDevice = std::any_of(m_graph.nodes.begin(), m_graph.nodes.end(),
                                     [](const NetworkNode& n) { return n.kind == NodeKind::Device; });
  if (!hasDevice && m_unrated.size() == m_graph.links.size() && m_unrated.size() > 1)
    return m_source.error(
        m_unrated.front().second, "no-network",
        "the graph describes no cluster: no node is a device, and none of its " +
            text::count(static_cast<long long>(m_unrated.size())) + " links has a bandwidth",
        "mark the accelerators with the attribute kind=device and give each link gbps, GB/s one way");
  for (const auto& [number, place] : m_unrated) {
    const NetworkLink& l = m_graph.links[number];
    m_source.error(place, "link-without-bandwidth",
                   "the link " + quoted(m_graph.nodes[at(l.from)].id) + " – " +
                       quoted(m_graph.nodes[at(l.to)].id) + " has no bandwidth",
                   "give it the attribute gbps, its one-way bandwidth in GB/s");
  }
  if (!hasDevice && !m_source.failed())
    m_source.error(m_source.whole(), "no-devices", "no node is a device",
                   "mark the accelerators with the attribute kind=device");
}

Reading<DrawnNetwork> GraphAssembly::finish() {
  double fastest = 0;
  for (const auto& [n, tflops] : m_tflops) fastest = std::max(fastest, tflops);
  for (const auto& [n, tflops] : m_tflops) m_graph.nodes[at(n)].speed = tflops / fastest;
  fits();
  checkFigures();
  auto states = takeStates();
  noteIgnored();
  Reading<DrawnNetwork> result;
  if (!m_source.failed()) result.value = {std::move(m_graph), std::move(states)};
  result.diagnostics = m_source.take();
  return result;
}

std::vector<std::pair<std::string, std::string>> attributesOf(const NetworkNode& n) {
  std::vector<std::pair<std::string, std::string>> out{{"kind", nameOf(n.kind)}};
  if (n.name != n.id) out.emplace_back("label", n.name);
  if (!n.host.empty()) out.emplace_back("host", n.host);
  if (n.memory.value() != 0) out.emplace_back("hbm_gib", writeDecimal(n.memory.value() / kGibi));
  if (n.speed != 1) out.emplace_back("speed", writeDecimal(n.speed));
  if (n.x != 0) out.emplace_back("x", writeDecimal(n.x));
  if (n.y != 0) out.emplace_back("y", writeDecimal(n.y));
  if (n.failed) out.emplace_back("failed", "true");
  return out;
}

std::vector<std::pair<std::string, std::string>> attributesOf(const DrawnNetwork& drawn, std::size_t node,
                                                              std::size_t& next) {
  auto out = attributesOf(drawn.graph.nodes[node]);
  while (next < drawn.states.size() && at(drawn.states[next].node) < node) ++next;
  if (next == drawn.states.size() || at(drawn.states[next].node) != node) return out;
  const StateOfNode& s = drawn.states[next];
  out.emplace_back("state", std::string(nest::nameOf(s.state)));
  if (!s.word.empty()) out.emplace_back("state_word", s.word);
  return out;
}

std::vector<std::pair<std::string, std::string>> attributesOf(const NetworkLink& l) {
  std::vector<std::pair<std::string, std::string>> out{{"gbps", writeDecimal(l.bandwidth.value(), 9)},
                                                       {"lat_us", writeDecimal(l.latency.value(), -6)}};
  if (l.count != 1) out.emplace_back("count", std::to_string(l.count));
  if (l.failed) out.emplace_back("failed", "true");
  if (l.origin != Origin::Typed) out.emplace_back("origin", std::string(nest::nameOf(l.origin)));
  return out;
}

}  // namespace nest
