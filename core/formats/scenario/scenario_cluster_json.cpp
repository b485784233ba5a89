#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "cluster/devices/device_catalog.h"
#include "cluster/devices/device_json.h"
#include "formats/networks/cluster_text.h"
#include "formats/networks/host_changes.h"
#include "formats/networks/network_json.h"
#include "formats/networks/slurm_hostlist.h"
#include "formats/scenario/scenario_parts.h"
#include "text/json_quantities.h"
#include "units/at.h"

namespace nest {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kMostOfCluster = 1e300;

DeviceSpec readDeviceOf(const ScenarioReader& r, JsonFields& cluster) {
  cluster.requireKey(
      "device", "a device of the catalog by its id, for example \"h100-sxm\", or an object with its values");
  const nlohmann::json* v = cluster.any("device");
  if (!v) return {};
  if (v->is_string()) {
    const std::string id = v->get<std::string>();
    if (const DeviceSpec* known = findDevice(id)) return *known;
    std::string all;
    for (const DeviceSpec& d : deviceCatalog()) all += (all.empty() ? "" : ", ") + d.id;
    cluster.report(Severity::Error, "device-unknown", "device",
                   '"' + id + "\" is not in the device catalog; it holds " + all,
                   "name one of these, or give the values of the device, here or in a catalog of your own "
                   "(samples/catalogs)");
    return {};
  }
  DeviceSpec device;
  r.section(cluster, "device", [&](JsonFields& f) {
    const auto id = f.string("id");
    const DeviceSpec* base = id ? findDevice(*id) : nullptr;
    DeviceSpec start = base ? *base : DeviceSpec{};
    if (!base) start.id = "custom";
    device = readDevice(f, r.text, start, Origin::Typed, r.out);
  });
  return device;
}

Json deviceJson(const DeviceSpec& device) {
  if (const DeviceSpec* known = findDevice(device.id); known && *known == device) return device.id;
  return Json(deviceToJson(device));
}

LevelSpec readLevel(JsonFields& f, std::size_t number) {
  LevelSpec spec;
  spec.name = f.string("name").value_or("level " + std::to_string(number));
  f.requireKey("fanout", "how many groups of the level inside (devices, for the first)");
  spec.fanout = intField(f, "fanout").value_or(1);
  if (!f.has("bandwidth")) f.requireKey("bandwidth_bytes_per_s", "what one device sustains, one way");
  if (const auto b = bandwidthField(f, "bandwidth")) {
    spec.bandwidth = b->value;
    spec.shownAs = b->unit;
  }
  if (const auto unit = f.oneOf("bandwidth_unit", {"GB/s", "Gb/s"}))
    spec.shownAs =
        *unit == "Gb/s" ? text::BandwidthUnit::GigabitsPerSecond : text::BandwidthUnit::GigabytesPerSecond;
  spec.latency = timeField(f, "latency").value_or(defaultLatency(static_cast<int>(number)));
  spec.oversubscription = f.number("oversubscription", -kMostOfCluster, kMostOfCluster).value_or(1);
  spec.origin = originField(f).value_or(Origin::Typed);
  return spec;
}

Json levelJson(const LevelSpec& l) {
  Json j{{"name", l.name}, {"fanout", l.fanout}, {"bandwidth_bytes_per_s", l.bandwidth.value()}};
  if (l.shownAs == text::BandwidthUnit::GigabitsPerSecond) j["bandwidth_unit"] = "Gb/s";
  j["latency_s"] = l.latency.value();
  if (l.oversubscription != 1) j["oversubscription"] = l.oversubscription;
  if (l.origin != Origin::Typed) j["origin"] = std::string(nameOf(l.origin));
  return j;
}

/// Levels written as one line; its columns become columns of the file.
LevelsSource readLine(const ScenarioReader& r, JsonFields& cluster) {
  const auto line = cluster.string("network");
  if (!line) return {};
  auto reading = readClusterText(*line);
  for (Diagnostic& d : reading.diagnostics) {
    const int column = d.where.column;
    d.where = cluster.placeOf("network");
    if (d.where.column > 0)
      d.where.column += column;  // the opening quote stands before the text's first column
    r.out.push_back(std::move(d));
  }
  return reading ? std::move(*reading) : LevelsSource{};
}

LevelsSource readLevels(const ScenarioReader& r, JsonFields& cluster) {
  LevelsSource s;
  if (cluster.has("network")) {
    s = readLine(r, cluster);
  } else {
    std::size_t number = 0;
    r.objects(cluster, "levels", [&](JsonFields& f) { s.levels.push_back(readLevel(f, number++)); });
  }
  if (cluster.has("host_sizes")) s.hostSizes = r.integers(cluster, "host_sizes");
  s.hostNames = r.strings(cluster, "host_names");
  if (cluster.has("exceptions")) s.exceptions.clear();
  r.objects(cluster, "exceptions", [&](JsonFields& f) {
    LevelsSource::Exception e;
    f.requireKey("device", "the number of the device, from 0");
    e.device = intField(f, "device").value_or(0);
    e.factor.speed = f.number("speed", -kMostOfCluster, kMostOfCluster).value_or(1);
    e.factor.memory = memoryField(f, "memory").value_or(Bytes(0));
    s.exceptions.push_back(e);
  });
  return s;
}

void writeLevels(const LevelsSource& s, Json& j) {
  j["levels"] = Json::array();
  for (const LevelSpec& l : s.levels) j["levels"].push_back(levelJson(l));
  if (!s.hostSizes.empty()) j["host_sizes"] = s.hostSizes;
  if (!s.hostNames.empty()) j["host_names"] = s.hostNames;
  for (const auto& e : s.exceptions) {
    Json x{{"device", e.device}, {"speed", e.factor.speed}};
    if (e.factor.memory.value() > 0) x["memory_bytes"] = e.factor.memory.value();
    j["exceptions"].push_back(std::move(x));
  }
}

NetworkNode readNode(JsonFields& f) {
  NetworkNode n;
  f.requireKey("id", "a name that no other node has");
  n.id = f.string("id").value_or("");
  n.name = f.string("name").value_or(n.id);
  f.requireKey("kind", "device, host or switch");
  const auto kind = f.oneOf("kind", {"device", "host", "switch"});
  n.kind = kind == "device" ? NodeKind::Device : kind == "host" ? NodeKind::Host : NodeKind::Switch;
  n.host = f.string("host").value_or("");
  n.x = f.number("x", -kMostOfCluster, kMostOfCluster).value_or(0);
  n.y = f.number("y", -kMostOfCluster, kMostOfCluster).value_or(0);
  n.speed = f.number("speed", -kMostOfCluster, kMostOfCluster).value_or(1);
  n.memory = memoryField(f, "memory").value_or(Bytes(0));
  n.failed = f.boolean("failed").value_or(false);
  return n;
}

Json nodeJson(const NetworkNode& n) {
  Json j{{"id", n.id}};
  if (n.name != n.id) j["name"] = n.name;
  j["kind"] = n.kind == NodeKind::Device ? "device" : n.kind == NodeKind::Host ? "host" : "switch";
  if (!n.host.empty()) j["host"] = n.host;
  if (n.x != 0) j["x"] = n.x;
  if (n.y != 0) j["y"] = n.y;
  if (n.speed != 1) j["speed"] = n.speed;
  if (n.memory.value() != 0) j["memory_bytes"] = n.memory.value();
  if (n.failed) j["failed"] = true;
  return j;
}

class GraphReader {
public:
  GraphReader(const ScenarioReader& r, NetworkGraph& graph) : m_r(r), m_graph(graph) {}

  void run(JsonFields& f) {
    m_r.objects(f, "nodes", [&](JsonFields& node) { add(node); });
    m_r.objects(f, "links", [&](JsonFields& link) { m_graph.links.push_back(readLink(link)); });
  }

private:
  void add(JsonFields& f) {
    NetworkNode n = readNode(f);
    if (!n.id.empty() && !m_numbers.emplace(n.id, static_cast<int>(m_graph.nodes.size())).second)
      f.report(Severity::Error, "node-twice", "id", "another node is also called \"" + n.id + '"');
    m_graph.nodes.push_back(std::move(n));
  }

  int end(JsonFields& f, const char* key) {
    f.requireKey(key, "the id of a node");
    const auto id = f.string(key);
    if (!id) return 0;
    const auto it = m_numbers.find(*id);
    if (it != m_numbers.end()) return it->second;
    f.report(Severity::Error, "node-unknown", key, "no node is called \"" + *id + '"');
    return 0;
  }

  NetworkLink readLink(JsonFields& f) {
    NetworkLink l;
    l.from = end(f, "from");
    l.to = end(f, "to");
    if (!f.has("bandwidth")) f.requireKey("bandwidth_bytes_per_s", "the one-way bandwidth of one link");
    if (const auto b = bandwidthField(f, "bandwidth")) l.bandwidth = b->value;
    l.latency = timeField(f, "latency").value_or(Seconds(0));
    l.count = intField(f, "count").value_or(1);
    l.directed = f.boolean("directed").value_or(false);
    l.failed = f.boolean("failed").value_or(false);
    l.origin = originField(f).value_or(Origin::Typed);
    return l;
  }

  const ScenarioReader& m_r;
  NetworkGraph& m_graph;
  std::map<std::string, int, std::less<>> m_numbers;
};

Json linkJson(const NetworkGraph& g, const NetworkLink& l) {
  const auto id = [&](int n) { return g.nodes[n].id; };
  Json j{{"from", id(l.from)},
         {"to", id(l.to)},
         {"bandwidth_bytes_per_s", l.bandwidth.value()},
         {"latency_s", l.latency.value()}};
  if (l.count != 1) j["count"] = l.count;
  if (l.directed) j["directed"] = true;
  if (l.failed) j["failed"] = true;
  if (l.origin != Origin::Typed) j["origin"] = std::string(nameOf(l.origin));
  return j;
}

Json graphJson(const NetworkGraph& g) {
  Json nodes = Json::array(), links = Json::array();
  for (const NetworkNode& n : g.nodes) nodes.push_back(nodeJson(n));
  for (const NetworkLink& l : g.links) links.push_back(linkJson(g, l));
  return {{"nodes", nodes}, {"links", links}};
}

std::vector<double> readCuts(const ScenarioReader& r, JsonFields& cluster) {
  std::vector<double> cuts;
  const nlohmann::json* list = cluster.array("cuts_bytes_per_s");
  for (std::size_t i = 0; list && i < list->size(); ++i) {
    if ((*list)[i].is_number())
      cuts.push_back((*list)[i].get<double>());
    else
      r.out.push_back(error("json-type",
                            r.text.placeOf(jsonPointer(cluster.pointerTo("cuts_bytes_per_s"), i)),
                            "a cut is a bandwidth in bytes per second"));
  }
  return cuts;
}

}  // namespace

namespace {

constexpr std::string_view kPlannedOnNames[] = {"free", "spare", "working", "all"};

/// The hosts of an entry of "states": a host list, or names as they are.
std::vector<std::string> readHosts(const ScenarioReader& r, JsonFields& f) {
  f.requireKey("hosts", "a host list (\"gpu[00-03,07]\"), or an array of host names");
  const nlohmann::json* hosts = f.any("hosts");
  if (!hosts) return {};
  if (hosts->is_array()) return r.strings(f, "hosts");
  const auto text = f.string("hosts");
  if (!text) return {};
  Hostlist list = expandHostlist(*text);
  if (!list.error.empty())
    f.report(Severity::Error, "slurm-hostlist", "hosts", list.error + " in \"" + *text + '"',
             "write a host list (\"gpu[00-03,07]\"), or an array of host names");
  return std::move(list.names);
}

void readStates(const ScenarioReader& r, JsonFields& cluster, ClusterSource& source) {
  r.objects(cluster, "states", [&](JsonFields& f) {
    StateOfHost state;
    f.requireKey("state", "free, busy, down, drained, reserved or spare");
    if (const auto name = f.oneOf("state", {"free", "busy", "down", "drained", "reserved", "spare"}))
      for (int s = 0; s < kHostStateCount; ++s)
        if (nameOf(static_cast<HostState>(s)) == *name) state.state = static_cast<HostState>(s);
    state.word = f.string("word").value_or("");
    if (f.has("devices")) {
      state.devices = r.integers(f, "devices");
      std::sort(state.devices.begin(), state.devices.end());
      if (state.devices.empty() || state.devices.front() < 0 ||
          std::adjacent_find(state.devices.begin(), state.devices.end()) != state.devices.end())
        f.report(Severity::Error, "host-state-device", "devices",
                 "\"devices\" lists numbers of devices inside the host, from 0 and each once",
                 "leave it out for whole hosts");
    }
    for (std::string& host : readHosts(r, f)) {
      source.states.push_back(state);
      source.states.back().host = std::move(host);
    }
  });
  for (const auto& [key, state] :
       {std::pair("free_hosts", HostState::Free), {"taken_hosts", HostState::Busy}})
    if (const auto hosts = cluster.string(key); hosts && !hosts->empty() && !hasErrors(r.out)) {
      const Diagnostics wrong = changeHosts(source, *hosts, state, cluster.placeOf(key));
      r.out.insert(r.out.end(), wrong.begin(), wrong.end());
    }
  if (const auto on = cluster.oneOf("plan_on", kPlannedOnNames))
    source.plannedOn = static_cast<PlannedOn>(
        std::find(std::begin(kPlannedOnNames), std::end(kPlannedOnNames), *on) - std::begin(kPlannedOnNames));
}

/// Hosts of one state that follow each other are one entry.
void writeStates(const ClusterSource& c, Json& j) {
  for (std::size_t i = 0, end = 0; i < c.states.size(); i = end) {
    const StateOfHost& first = c.states[i];
    std::vector<std::string> hosts;
    for (end = i; end < c.states.size() && c.states[end].state == first.state &&
                  c.states[end].word == first.word && c.states[end].devices == first.devices;
         ++end)
      hosts.push_back(c.states[end].host);
    Json entry;
    const std::string list = compressHostlist(hosts);
    if (expandHostlist(list).names == hosts)
      entry["hosts"] = list;
    else
      entry["hosts"] = hosts;
    if (!first.devices.empty()) entry["devices"] = first.devices;
    entry["state"] = std::string(nameOf(first.state));
    if (!first.word.empty()) entry["word"] = first.word;
    j["states"].push_back(std::move(entry));
  }
  if (c.plannedOn != PlannedOn::Free) j["plan_on"] = std::string(kPlannedOnNames[at(c.plannedOn)]);
}

}  // namespace

ClusterSource readCluster(const ScenarioReader& r, JsonFields& f) {
  ClusterSource source;
  source.device = readDeviceOf(r, f);
  const int forms = int(f.has("levels")) + int(f.has("network")) + int(f.has("graph"));
  if (forms != 1)
    f.report(Severity::Error, "cluster-form", "levels",
             forms == 0 ? "the cluster has no network" : "the cluster is described more than once",
             "give exactly one of \"levels\", \"network\" (one line) and \"graph\"");
  if (f.has("graph")) {
    GraphSource graph;
    r.section(f, "graph", [&](JsonFields& g) { GraphReader(r, graph.graph).run(g); });
    graph.cuts = readCuts(r, f);
    graph.importedFrom = f.string("imported_from").value_or("");
    source.network = std::move(graph);
  } else {
    source.network = readLevels(r, f);
  }
  readStates(r, f, source);
  return source;
}

Json clusterJson(const ClusterSource& source) {
  Json j{{"device", deviceJson(source.device)}};
  if (const auto* levels = std::get_if<LevelsSource>(&source.network)) {
    writeLevels(*levels, j);
    writeStates(source, j);
    return j;
  }
  const auto& graph = std::get<GraphSource>(source.network);
  j["graph"] = graphJson(graph.graph);
  if (!graph.cuts.empty()) j["cuts_bytes_per_s"] = graph.cuts;
  if (!graph.importedFrom.empty()) j["imported_from"] = graph.importedFrom;
  writeStates(source, j);
  return j;
}

std::string writeNetwork(const NetworkGraph& g) {
  return graphJson(g).dump(1) + '\n';
}

Reading<NetworkGraph> readNetwork(std::string_view text, const std::string& file) {
  Reading<NetworkGraph> result;
  auto parsed = readJsonText(text, file);
  result.diagnostics = std::move(parsed.diagnostics);
  if (!parsed) return result;
  if (!parsed->root().is_object()) {
    result.diagnostics.push_back(
        error("not-a-network", parsed->placeOf(""), "a network is a JSON object with nodes and links"));
    return result;
  }
  const ReferenceLoader none = [](const std::string&) { return Reading<std::string>{}; };
  const ScenarioReader reader{*parsed, none, result.diagnostics};
  NetworkGraph graph;
  JsonFields fields = reader.fields(parsed->root(), {});
  GraphReader(reader, graph).run(fields);
  if (!hasErrors(result.diagnostics)) result.value = std::move(graph);
  return result;
}

}  // namespace nest
