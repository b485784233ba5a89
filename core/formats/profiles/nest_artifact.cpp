#include "formats/profiles/nest_artifact.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "cluster/devices/device_catalog.h"
#include "formats/format.h"
#include "formats/unused_parts.h"
#include "text/json_fields.h"

namespace nest {
namespace {

using nlohmann::json;
constexpr double kMostArtifact = 1e18;
constexpr double kArtifactBytesPerParameter = 2;
constexpr std::size_t kMostArtifactNodes = 4096, kMostArtifactEdges = 65'536;

struct Node {
  double activation = 0, parameters = 0, forward = 0, backward = 0;
};

struct Edge {
  long long from = 0, to = 0;
  double bytes = 0;
};

/// Costs and edges of one width.
struct Width {
  std::map<long long, Node> nodes;
  std::vector<Edge> edges;

  double into(long long node) const {
    double sum = 0;
    for (const Edge& e : edges)
      if (e.to == node) sum += e.bytes;
    return sum;
  }
};

class ArtifactReader {
public:
  ArtifactReader(const JsonText& text, std::optional<int> devices, Diagnostics& out)
      : m_text(text), m_devices(devices), m_out(out) {}

  std::optional<ImportedProfile> run() {
    const json& root = m_text.root();
    const bool isWrapped = root.contains("dp_input") && root["dp_input"].is_object();
    const std::string pointer = isWrapped ? "/dp_input" : "";
    JsonFields f(m_text, isWrapped ? root["dp_input"] : root, pointer, m_out);
    JsonFields top(m_text, root, "", m_out);
    readMeta(top);
    for (const char* k : {"nodes", "edges", "bws", "latency_per_level", "maxMemoryPerDevice", "mbsInBatch"})
      f.requireKey(k, "what the artifact's solver reads");
    readSettings(f);
    const json* nodes = f.object("nodes");
    const json* edges = f.object("edges");
    if (!nodes || !edges || hasErrors(m_out)) return std::nullopt;
    for (const auto& [key, list] : nodes->items())
      readNodes(key, list, jsonPointer(f.pointerTo("nodes"), key));
    for (const auto& [key, list] : edges->items())
      readEdges(key, list, jsonPointer(f.pointerTo("edges"), key));
    if (hasErrors(m_out)) return std::nullopt;
    if (m_widths.empty()) {
      f.report(Severity::Error, "artifact-empty", "nodes", "The file has no nodes");
      return std::nullopt;
    }
    auto cluster = readCluster(f, top, isWrapped);
    if (hasErrors(m_out)) return std::nullopt;
    auto result = build(f);
    if (!result) return std::nullopt;
    result->cluster = std::move(cluster);
    noteOddities(f);
    addUnused(isWrapped ? root["dp_input"] : root,
              {"nodes", "edges", "bws", "latency_per_level", "devices_per_level", "maxMemoryPerDevice",
               "maxDevices", "mbsInBatch", "ep_degree", "cp_degree", "sp_enabled", "activationRecomputation",
               "optimizerAlgorithm", "meta", "scales", "ilp_latency_ms"});
    if (isWrapped) addUnused(root, {"dp_input", "meta", "scales", "ilp_latency_ms"});
    m_unused.report(m_out, m_text.placeOf(""));
    if (top.has("ilp_latency_ms"))
      top.report(
          Severity::Note, "artifact-ilp", "ilp_latency_ms",
          "The times of overlapped operators (ilp_latency_ms) are left out; the sequential ones are used");
    return result;
  }

private:
  void addUnused(const json& object, std::initializer_list<std::string_view> used, const char* before = "") {
    for (const auto& [key, value] : object.items())
      if (std::find(used.begin(), used.end(), key) == used.end()) m_unused.add(before + key);
  }

  void readMeta(JsonFields& top) {
    const json* meta = top.object("meta");
    if (!meta) return;
    JsonFields f(m_text, *meta, "/meta", m_out);
    m_name = f.string("model").value_or("");
    m_setup = f.string("setup").value_or("");
    m_microbatch = static_cast<int>(f.integer("micro_batch_size", 1, 1'000'000).value_or(1));
    m_sequence = static_cast<int>(f.integer("sequence_length", 1, 100'000'000).value_or(0));
    addUnused(*meta, {"model", "setup", "micro_batch_size", "sequence_length", "caution"}, "meta.");
    if (const auto caution = f.string("caution"))
      f.report(Severity::Note, "artifact-caution", "caution", "The file warns: " + caution->substr(0, 300));
  }

  void readSettings(JsonFields& f) {
    m_expert = static_cast<int>(f.integer("ep_degree", 1, 65'536).value_or(1));
    m_context = static_cast<int>(f.integer("cp_degree", 1, 65'536).value_or(1));
    m_sequenceParallel = f.boolean("sp_enabled").value_or(false);
    m_recompute = f.boolean("activationRecomputation").value_or(false);
    m_batch = f.number("mbsInBatch", 1, 1e9).value_or(1);
    m_optimizer = f.oneOf("optimizerAlgorithm", {"SGD", "Adam"}).value_or("SGD");
    m_memory = f.number("maxMemoryPerDevice", 1, kMostArtifact).value_or(1);
  }

  int widthOf(const std::string& key, const std::string& pointer) {
    const bool isNumber =
        !key.empty() && key.size() <= 6 && key.find_first_not_of("0123456789") == std::string::npos;
    const int width = isNumber ? std::atoi(key.c_str()) : 0;
    if (width < 1)
      m_out.push_back(error("artifact-width", m_text.placeOf(pointer), "widths are whole numbers from 1"));
    return width;
  }

  const json* objectAt(const json& list, std::size_t i, const std::string& pointer) {
    if (list[i].is_object()) return &list[i];
    m_out.push_back(error("json-type", m_text.placeOf(pointer), "an object is expected here"));
    return nullptr;
  }

  void readNodes(const std::string& key, const json& list, const std::string& pointer) {
    const int width = widthOf(key, pointer);
    if (width < 1) return;
    if (!list.is_array() || list.empty() || list.size() > kMostArtifactNodes) {
      m_out.push_back(
          error("artifact-size", m_text.placeOf(pointer), "a width has a list of 1 to 4,096 nodes"));
      return;
    }
    for (std::size_t i = 0; i < list.size(); ++i) {
      const json* value = objectAt(list, i, jsonPointer(pointer, i));
      if (!value) continue;
      JsonFields f(m_text, *value, jsonPointer(pointer, i), m_out);
      for (const char* k : {"id", "optimalLatencyFw", "optimalLatencyBw", "parameterSize", "activationSize"})
        f.requireKey(k, "a number");
      const auto id = f.integer("id", -1, 1'000'000);
      addUnused(*value, {"id", "optimalLatencyFw", "optimalLatencyBw", "parameterSize", "activationSize"});
      Node n;
      n.activation = f.number("activationSize", 0, kMostArtifact).value_or(0);
      n.parameters = f.number("parameterSize", 0, kMostArtifact).value_or(0);
      n.forward = f.number("optimalLatencyFw", 0, 1e12).value_or(0) * 1e-3;
      n.backward = f.number("optimalLatencyBw", 0, 1e12).value_or(0) * 1e-3;
      if (id && !m_widths[width].nodes.emplace(*id, n).second)
        f.report(Severity::Error, "artifact-node-twice", "id",
                 "Two nodes have the number " + std::to_string(*id));
    }
  }

  void readEdges(const std::string& key, const json& list, const std::string& pointer) {
    const int width = widthOf(key, pointer);
    if (width < 1) return;
    if (!list.is_array() || list.size() > kMostArtifactEdges || !m_widths.contains(width)) {
      m_out.push_back(error("artifact-size", m_text.placeOf(pointer),
                            "edges are lists of at most 65,536 under widths that have nodes"));
      return;
    }
    for (std::size_t i = 0; i < list.size(); ++i) {
      const json* value = objectAt(list, i, jsonPointer(pointer, i));
      if (!value) continue;
      JsonFields f(m_text, *value, jsonPointer(pointer, i), m_out);
      for (const char* k : {"sourceId", "destId", "communicationCost"}) f.requireKey(k, "a number");
      const auto from = f.integer("sourceId", -1, 1'000'000), to = f.integer("destId", -1, 1'000'000);
      const auto bytes = f.number("communicationCost", 0, kMostArtifact);
      addUnused(*value, {"sourceId", "destId", "communicationCost"});
      if (!from || !to || !bytes) continue;
      const auto& nodes = m_widths[width].nodes;
      if (!nodes.contains(*from) || !nodes.contains(*to))
        f.report(Severity::Error, "artifact-edge", nodes.contains(*from) ? "destId" : "sourceId",
                 "No such node");
      else
        m_widths[width].edges.push_back({*from, *to, *bytes});
    }
  }

  /// The object that says how many devices each level has: the merged file itself, or one of "scales".
  std::pair<const json*, std::string> scaleIn(JsonFields& f, JsonFields& top, bool isWrapped) {
    if (!isWrapped) return {&m_text.root(), f.pointer()};
    const json* scales = top.object("scales");
    const json* chosen = nullptr;
    std::string pointer;
    std::map<int, std::string> offered;
    static const json kNone = json::object();
    for (const auto& [key, scale] : (scales ? *scales : kNone).items())
      if (scale.is_object()) offered.emplace(std::atoi(key.substr(0, 8).c_str()), key);
    const auto at = m_devices ? offered.find(*m_devices) : offered.begin();
    if (at != offered.end()) {
      chosen = &(*scales)[at->second];
      pointer = jsonPointer("/scales", at->second);
    }
    std::string all;
    for (const auto& [n, key] : offered) all += (all.empty() ? "" : ", ") + std::to_string(n);
    if (!chosen)
      top.report(Severity::Error, "artifact-scale", "scales",
                 m_devices ? "no scale of the file has " + std::to_string(*m_devices) + " devices"
                           : "the file has no scale with devices_per_level",
                 all.empty() ? "" : "its scales are " + all);
    else if (!m_devices && offered.size() > 1)
      top.report(Severity::Note, "artifact-scale", "scales",
                 "of the scales " + all + " devices the smallest is read",
                 "choose another with nest-plan import --devices");
    return {chosen, pointer};
  }

  std::vector<double> numbers(JsonFields& f, const char* key) {
    std::vector<double> out;
    const json* list = f.array(key);
    for (std::size_t i = 0; list && i < list->size(); ++i) {
      const json& v = (*list)[i];
      if (v.is_number() && v.get<double>() >= 0 && v.get<double>() < kMostArtifact)
        out.push_back(v.get<double>());
      else
        f.report(Severity::Error, "json-range", key,
                 '"' + std::string(key) + "\" must list numbers of at least 0");
    }
    return out;
  }

  std::optional<ClusterSource> readCluster(JsonFields& f, JsonFields& top, bool isWrapped) {
    const auto bandwidths = numbers(f, "bws"), latencies = numbers(f, "latency_per_level");
    const auto [scale, pointer] = scaleIn(f, top, isWrapped);
    if (!scale) return std::nullopt;
    JsonFields s(m_text, *scale, pointer, m_out);
    s.requireKey("devices_per_level", "devices, then groups, of each level");
    const auto fanouts = numbers(s, "devices_per_level");
    if (hasErrors(m_out)) return std::nullopt;
    if (fanouts.empty() || fanouts.size() > 16 || bandwidths.size() < fanouts.size() ||
        latencies.size() < fanouts.size()) {
      s.report(Severity::Error, "artifact-levels", "devices_per_level",
               "bws, latency_per_level and devices_per_level must list the same 1 to 16 levels");
      return std::nullopt;
    }
    LevelsSource levels;
    for (std::size_t l = 0; l < fanouts.size(); ++l) {
      LevelSpec level;
      level.name = l == 0 ? "host" : "level " + std::to_string(l);
      level.fanout = static_cast<int>(std::clamp(fanouts[l], 1.0, 1e6));
      level.bandwidth = BytesPerSecond(bandwidths[l]);
      level.latency = Seconds(latencies[l]);
      levels.levels.push_back(level);
      if (l > 0 && bandwidths[l] > bandwidths[l - 1])
        f.report(Severity::Note, "artifact-bandwidth", "bws",
                 "Level " + std::to_string(l) +
                     " is faster than the one inside it; transfers run at the slower one");
    }
    ClusterSource cluster;
    const DeviceSpec* known = findDevice(m_setup.substr(0, m_setup.find('_')));
    cluster.device = known ? *known : *findDevice("h100-sxm");
    if (!known)
      f.report(Severity::Note, "artifact-device", "maxMemoryPerDevice",
               "The file does not name its device: the optimizer step is priced on an H100");
    cluster.device.id = "custom";
    cluster.device.name = known ? known->name + " of the artifact" : "device of the artifact";
    cluster.device.memory = {Bytes(m_memory), Origin::Typed, "maxMemoryPerDevice"};
    cluster.network = std::move(levels);
    return cluster;
  }

  LayerCost costOf(const Node& n, double input) const {
    LayerCost c;
    c.origin = Origin::Measured;
    c.forward = Seconds(n.forward);
    c.backward = Seconds(n.backward);
    c.denseParameters = n.parameters / kArtifactBytesPerParameter;
    c.recompute[std::size_t(Recompute::None)] = {true, Bytes(n.activation), Seconds(0), Bytes(0)};
    c.recompute[std::size_t(Recompute::Selective)].available = false;
    if (m_recompute)
      c.recompute[std::size_t(Recompute::Full)] = {true, Bytes(std::min(input, n.activation)),
                                                   Seconds(n.forward), Bytes(n.activation)};
    else
      c.recompute[std::size_t(Recompute::Full)].available = false;
    return c;
  }

  std::optional<ImportedProfile> build(JsonFields& f) {
    std::vector<Strategy> strategies;
    for (const auto& [width, unused] : m_widths)
      strategies.push_back({width, m_sequenceParallel && width > 1, m_context, m_expert});
    ProfileBuilder builder(strategies, {m_microbatch});
    // As the artifact does: layers and edges are those of the smallest width.
    const Width& smallest = m_widths.begin()->second;
    std::map<long long, int> layers;
    for (const auto& [id, unused] : smallest.nodes)
      layers[id] = builder.addLayer(id < 0 ? "embedding" : "block " + std::to_string(id + 1),
                                    id < 0 ? LayerKind::Embedding : LayerKind::Block);
    int s = 0;
    for (const auto& [width, costs] : m_widths) {
      for (const auto& [id, node] : costs.nodes)
        if (const auto at = layers.find(id); at != layers.end())
          builder.setCost(at->second, s, 0, costOf(node, costs.into(id)));
      ++s;
    }
    for (const Edge& e : smallest.edges) {
      std::vector<Bytes> bytes;
      for (const auto& [width, costs] : m_widths) {
        const auto same = std::find_if(costs.edges.begin(), costs.edges.end(),
                                       [&](const Edge& x) { return x.from == e.from && x.to == e.to; });
        bytes.emplace_back(same == costs.edges.end() ? e.bytes : same->bytes);
      }
      builder.addEdge(layers[e.from], layers[e.to], std::move(bytes));
    }
    auto result = builder.build(f.placeOf("edges"), m_out);
    if (!result) return std::nullopt;
    result->name = m_name.empty() ? "NEST artifact" : m_name;
    result->profile.provenance = "the NEST artifact, exchanges inside layers included";
    Job job;
    // Each of the ep groups of a pipeline works on its own microbatch.
    job.globalBatch = static_cast<int>(std::min(1e9, m_batch * m_expert * m_microbatch));
    job.microbatches = {m_microbatch};
    if (m_sequence > 0) job.sequenceLength = m_sequence;
    job.optimizer = {m_optimizer == "SGD" ? "sgd" : "adam-fp16-grads", 2, 2,
                     m_optimizer == "SGD" ? 0.0 : 12.0};
    result->job = job;
    result->tellsBatch = true, result->tellsSequence = m_sequence > 0;
    return result;
  }

  void noteOddities(JsonFields& f) {
    const Width& first = m_widths.begin()->second;
    const Width& last = m_widths.rbegin()->second;
    const bool isFlat =
        m_widths.size() > 1 && std::all_of(first.nodes.begin(), first.nodes.end(), [&](const auto& n) {
          const auto at = last.nodes.find(n.first);
          return at != last.nodes.end() && at->second.forward >= 0.95 * n.second.forward &&
                 at->second.parameters >= 0.95 * n.second.parameters;
        });
    if (isFlat)
      f.report(Severity::Note, "artifact-flat-widths", "nodes",
               "A wider group holds and computes no less on each device: more devices bring nothing");
    const bool isShort = std::all_of(first.nodes.begin(), first.nodes.end(),
                                     [](const auto& n) { return n.second.forward < 1e-5; });
    if (isShort)
      f.report(Severity::Note, "artifact-short-times", "nodes",
               "All forward times are below 10 µs if read as milliseconds; the file's time unit is doubtful");
    if (m_expert > 1)
      f.report(
          Severity::Note, "artifact-experts", "ep_degree",
          "The file does not distinguish expert parameters from others: all are synchronised as dense ones");
    if (m_recompute)
      f.report(Severity::Note, "artifact-recompute", "activationRecomputation",
               "Recomputation here keeps every layer's input and runs its forward again; the artifact keeps "
               "a stage's input "
               "and charges the backward time");
  }

  const JsonText& m_text;
  std::optional<int> m_devices;
  Diagnostics& m_out;
  std::string m_name, m_setup, m_optimizer;
  int m_microbatch = 1, m_sequence = 0, m_expert = 1, m_context = 1;
  bool m_sequenceParallel = false, m_recompute = false;
  double m_batch = 1, m_memory = 0;
  std::map<int, Width> m_widths;
  UnusedParts m_unused;
};

}  // namespace

Reading<ImportedProfile> readNestArtifact(std::string_view text, const std::string& file,
                                          std::optional<int> devices) {
  const auto jsonText = readJsonText(text, file);
  Diagnostics out = jsonText.diagnostics;
  if (!jsonText) return {std::nullopt, out};
  if (!jsonText->root().is_object()) {
    out.push_back(
        error("artifact-not-object", jsonText->placeOf(""), "a DP input of the NEST artifact is an object"));
    return {std::nullopt, out};
  }
  auto result = ArtifactReader(*jsonText, devices, out).run();
  if (hasErrors(out)) result.reset();
  return {std::move(result), std::move(out)};
}

const Format& artifactFormat() {
  static constexpr Format format = {.key = "nest-artifact",
                                    .name = "NEST artifact input",
                                    .suffixes = "json",
                                    .fileNames = "",
                                    .example = R"({"dp_input": {"bws": […], "nodes": […]}, "scales": …})",
                                    .remarks = "import --devices N takes one of the scales.",
                                    .claims =
                                        [](const FileLook& f) {
                                          return f.names("dp_input") || f.names("latency_per_level") ||
                                                 (f.names("TMPCs") && f.names("bws"));
                                        },
                                    .read = &readNestArtifact};
  return format;
}

}  // namespace nest
