#include "formats/profiles/piper.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "formats/format.h"
#include "formats/unused_parts.h"
#include "text/json_fields.h"

namespace nest {
namespace {

using nlohmann::json;
constexpr double kMostPiper = 1e18;
constexpr double kPiperBytesPerParameter = 4;  // fp32 weights, and gradients of the same width
constexpr std::size_t kMostPiperNodes = 4096, kMostPiperEdges = 65'536;

struct Configuration {
  double time = 0, parameters = 0, a = 0, b = 0;
  std::map<long long, double> syncForward;  ///< by predecessor
};

struct PiperNode {
  std::string name;
  std::map<int, std::map<std::string, Configuration>> byDegree;
};

class PiperReader {
public:
  PiperReader(const JsonText& text, Diagnostics& out) : m_text(text), m_out(out) {}

  std::optional<ImportedProfile> run() {
    JsonFields top(m_text, m_text.root(), "", m_out);
    for (const char* key : {"nodes", "edges"}) top.requireKey(key, "a list");
    const json* nodes = top.array("nodes");
    const json* edges = top.array("edges");
    const auto batch = top.integer(top.has("mbsInBatch") ? "mbsInBatch" : "maxBatchSize", 1, 100'000'000);
    const auto devices = top.integer("maxDevices", 1, 1'000'000);
    const auto memory = top.number("maxMemoryPerDevice", 1, kMostPiper);
    const auto bandwidth = top.number("bandwidth", 1, kMostPiper);
    if (!nodes || !edges) return std::nullopt;
    if (nodes->empty() || nodes->size() > kMostPiperNodes || edges->size() > kMostPiperEdges) {
      top.report(Severity::Error, "piper-size", "nodes",
                 "a Piper file has 1 to " + std::to_string(kMostPiperNodes) + " nodes and at most " +
                     std::to_string(kMostPiperEdges) + " edges");
      return std::nullopt;
    }
    for (std::size_t i = 0; i < nodes->size(); ++i) readNode((*nodes)[i], jsonPointer("/nodes", i));
    if (hasErrors(m_out)) return std::nullopt;
    auto result = build(*edges);
    if (!result) return std::nullopt;
    addUnused(m_text.root(), {"nodes", "edges", "mbsInBatch", "maxBatchSize", "maxDevices",
                              "maxMemoryPerDevice", "bandwidth"});
    m_unused.report(m_out, m_text.placeOf(""));
    result->name = "Piper profile";
    result->profile.provenance = "Measured, from the Piper file " + m_text.file();
    Job job;
    job.globalBatch = static_cast<int>(batch.value_or(1));
    job.microbatches = {1};
    job.optimizer = {"custom", kPiperBytesPerParameter, kPiperBytesPerParameter, 0};
    result->job = job;
    result->tellsBatch = batch.has_value();
    if (devices && memory && bandwidth) result->cluster = flatCluster(int(*devices), *memory, *bandwidth);
    return result;
  }

private:
  void addUnused(const json& object, std::initializer_list<std::string_view> used) {
    for (const auto& [key, value] : object.items())
      if (std::find(used.begin(), used.end(), key) == used.end()) m_unused.add(key);
  }

  static ClusterSource flatCluster(int devices, double memory, double bandwidth) {
    ClusterSource c;
    c.device.id = "custom";
    c.device.name = "device of the Piper file";
    c.device.memory = {Bytes(memory), Origin::Typed, "maxMemoryPerDevice"};
    // Neither rate is in the file. Layers are measured and need none; only the optimizer step reads the
    // second.
    c.device.peak = {FlopsPerSecond(312e12), Origin::Estimated, "not in the file; A100"};
    c.device.memoryBandwidth = {BytesPerSecond(2e12), Origin::Estimated, "not in the file; A100"};
    c.device.linkBandwidth = {BytesPerSecond(bandwidth), Origin::Typed, "bandwidth"};
    LevelSpec level;
    level.name = "flat";
    level.fanout = devices;
    level.bandwidth = BytesPerSecond(bandwidth);
    c.network = LevelsSource{{level}, {}, {}, {}};
    return c;
  }

  void readNode(const json& value, const std::string& pointer) {
    if (!value.is_object()) {
      m_out.push_back(error("json-type", m_text.placeOf(pointer), "a node must be an object"));
      return;
    }
    JsonFields f(m_text, value, pointer, m_out);
    f.requireKey("id", "the node's number");
    f.requireKey("TMPCs", "its costs by tensor degree");
    const auto id = f.integer("id", -1'000'000, 1'000'000);
    PiperNode node;
    node.name = f.string("name").value_or("node " + std::to_string(id.value_or(0)));
    if (const json* degrees = f.object("TMPCs"))
      for (const auto& [key, list] : degrees->items()) readDegree(key, list, f.pointerTo("TMPCs"), node);
    addUnused(value, {"id", "name", "TMPCs"});
    if (!id) return;
    if (!m_numbers.emplace(*id, int(m_nodes.size())).second)
      f.report(Severity::Error, "piper-node-twice", "id", "Two nodes have the number " + std::to_string(*id));
    m_nodes.push_back(std::move(node));
  }

  void readDegree(const std::string& key, const json& list, const std::string& pointer, PiperNode& node) {
    const int degree =
        key.size() <= 6 && key.find_first_not_of("0123456789") == std::string::npos && !key.empty()
            ? std::atoi(key.c_str())
            : 0;
    if (degree < 1 || !list.is_array()) {
      m_out.push_back(error("piper-degree", m_text.placeOf(jsonPointer(pointer, key)),
                            "TMPCs lists costs under tensor degrees, whole numbers from 1"));
      return;
    }
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::string at = jsonPointer(jsonPointer(pointer, key), i);
      if (!list[i].is_object()) {
        m_out.push_back(error("json-type", m_text.placeOf(at), "a configuration must be an object"));
        continue;
      }
      JsonFields f(m_text, list[i], at, m_out);
      for (const char* k : {"timePerSample", "parameterSize", "memoryUsageA", "memoryUsageB"})
        f.requireKey(k, "a number");
      Configuration c;
      c.time = f.number("timePerSample", 0, 1e9).value_or(0);
      c.parameters = f.number("parameterSize", 0, kMostPiper).value_or(0);
      c.a = f.number("memoryUsageA", 0, kMostPiper).value_or(0);
      c.b = f.number("memoryUsageB", 0, kMostPiper).value_or(0);
      if (const json* sync = f.object("syncTimeFw"))
        for (const auto& [from, bytes] : sync->items())
          if (bytes.is_number() && bytes.get<double>() >= 0 && bytes.get<double>() < kMostPiper)
            c.syncForward[std::atoll(from.c_str())] = bytes.get<double>();
      addUnused(list[i], {"id", "timePerSample", "parameterSize", "memoryUsageA", "memoryUsageB",
                          "syncTimeFw", "syncTimeBw"});
      if (const json* sync = f.object("syncTimeBw"); sync && hasTimes(*sync)) m_unused.add("syncTimeBw");
      node.byDegree[degree][f.string("id").value_or("vanilla")] = std::move(c);
    }
    m_degrees.insert(degree);
  }

  /// Files list neighbours without any, too.
  static bool hasTimes(const json& sync) {
    return std::any_of(sync.begin(), sync.end(), [](const json& v) { return v != 0; });
  }

  LayerCost costOf(const std::map<std::string, Configuration>& variants) {
    const auto plain = variants.contains("vanilla") ? variants.find("vanilla") : variants.begin();
    const auto again = std::find_if(variants.begin(), variants.end(), [](const auto& v) {
      return v.first.find("recomp") != std::string::npos;
    });
    for (auto v = variants.begin(); v != variants.end(); ++v)
      if (v != plain && v != again) m_unused.add("the configuration " + v->first);
    const Configuration& c = plain->second;
    const bool hasRecompute = again != variants.end() && again != plain;
    // Recomputing a layer runs its forward once more.
    const double extra = hasRecompute ? std::max(0.0, again->second.time - c.time) : 0;
    const double forward = extra > 0 && extra < c.time ? extra : c.time / 3;
    LayerCost cost;
    cost.origin = Origin::Measured;
    cost.forward = Seconds(forward);
    cost.backward = Seconds(c.time - forward);
    cost.denseParameters = c.parameters / kPiperBytesPerParameter;
    const auto workspace = [&](const Configuration& v) {
      const double rest = v.b - 2 * v.parameters;
      if (rest < 0) m_isShort = true;
      return Bytes(std::max(0.0, rest));
    };
    cost.recompute[std::size_t(Recompute::None)] = {true, Bytes(c.a), Seconds(0), workspace(c)};
    cost.recompute[std::size_t(Recompute::Selective)].available = false;
    auto& full = cost.recompute[std::size_t(Recompute::Full)];
    full.available = hasRecompute;
    if (hasRecompute) full = {true, Bytes(again->second.a), Seconds(extra), workspace(again->second)};
    return cost;
  }

  std::optional<ImportedProfile> build(const json& edges) {
    std::vector<Strategy> strategies;
    for (const int t : m_degrees) strategies.push_back({t});
    ProfileBuilder builder(strategies, {1});
    for (const PiperNode& n : m_nodes) {
      const int layer = builder.addLayer(n.name, layerKindNamed(n.name));
      for (int s = 0; s < int(strategies.size()); ++s)
        if (const auto it = n.byDegree.find(strategies[std::size_t(s)].tensor);
            it != n.byDegree.end() && !it->second.empty())
          builder.setCost(layer, s, 0, costOf(it->second));
    }
    for (std::size_t i = 0; i < edges.size(); ++i)
      addEdge(edges[i], jsonPointer("/edges", i), strategies, builder);
    if (hasErrors(m_out)) return std::nullopt;
    auto result = builder.build(m_text.placeOf("/edges"), m_out);
    m_out.push_back(note(
        "piper-forward-share", m_text.placeOf("/nodes"),
        "times are forward and backward together: what recomputation adds counts as forward, else a third"));
    if (m_hasSync)
      m_out.push_back(
          note("piper-sync", m_text.placeOf("/nodes"),
               "the TP communication on cut edges (syncTimeFw) is added to the bytes of those edges"));
    if (m_isShort)
      m_out.push_back(note(
          "piper-memory", m_text.placeOf("/nodes"),
          "memoryUsageB is below weights and gradients for some nodes; their temporary buffers count as 0"));
    return result;
  }

  void addEdge(const json& value, const std::string& pointer, const std::vector<Strategy>& strategies,
               ProfileBuilder& builder) {
    if (!value.is_object()) {
      m_out.push_back(error("json-type", m_text.placeOf(pointer), "an edge must be an object"));
      return;
    }
    JsonFields f(m_text, value, pointer, m_out);
    for (const char* k : {"sourceId", "destId", "communicationCost"}) f.requireKey(k, "a number");
    const auto from = f.integer("sourceId", -1'000'000, 1'000'000),
               to = f.integer("destId", -1'000'000, 1'000'000);
    const auto bytes = f.number("communicationCost", 0, kMostPiper);
    addUnused(value, {"sourceId", "destId", "communicationCost"});
    if (!from || !to || !bytes) return;
    for (const auto& [key, id] : {std::pair{"sourceId", *from}, std::pair{"destId", *to}})
      if (!m_numbers.contains(id)) {
        f.report(Severity::Error, "piper-edge", key, "No node has the number " + std::to_string(id));
        return;
      }
    std::vector<Bytes> byStrategy;
    for (const Strategy& s : strategies) {
      double sync = 0;
      const auto& degrees = m_nodes[std::size_t(m_numbers[*to])].byDegree;
      if (const auto it = degrees.find(s.tensor); it != degrees.end()) {
        for (const auto& [id, variant] : it->second)
          if (const auto at = variant.syncForward.find(*from); at != variant.syncForward.end())
            sync = std::max(sync, at->second);
      }
      m_hasSync = m_hasSync || sync > 0;
      byStrategy.emplace_back(*bytes + sync);
    }
    builder.addEdge(m_numbers[*from], m_numbers[*to], std::move(byStrategy));
  }

  const JsonText& m_text;
  Diagnostics& m_out;
  std::vector<PiperNode> m_nodes;
  std::map<long long, int> m_numbers;
  std::set<int> m_degrees;
  UnusedParts m_unused;
  bool m_hasSync = false, m_isShort = false;
};

}  // namespace

Reading<ImportedProfile> readPiper(std::string_view text, const std::string& file) {
  const auto jsonText = readJsonText(text, file);
  Diagnostics out = jsonText.diagnostics;
  if (!jsonText) return {std::nullopt, out};
  if (!jsonText->root().is_object()) {
    out.push_back(
        error("piper-not-object", jsonText->placeOf(""), "a Piper file is an object with nodes and edges"));
    return {std::nullopt, out};
  }
  auto result = PiperReader(*jsonText, out).run();
  if (hasErrors(out)) result.reset();
  return {std::move(result), std::move(out)};
}

const Format& piperFormat() {
  static constexpr Format format = {
      .key = "piper",
      .name = "Piper profile",
      .suffixes = "json",
      .fileNames = "",
      .example = R"({"nodes": [{"TMPCs": …}], "edges": […], "bandwidth": 25e9, "mbsInBatch": 64, …})",
      .remarks = "",
      .claims = [](const FileLook& f) { return f.names("TMPCs") && !f.names("bws"); },
      .read = ReadProfile([](std::string_view text, const std::string& file, std::optional<int>) {
        return readPiper(text, file);
      })};
  return format;
}

}  // namespace nest
