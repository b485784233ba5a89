#include "cluster/graph/generators.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "cluster/graph/generator_shapes.h"
#include "units/text.h"

namespace nest {
namespace {

using Unit = GeneratorParameter::Unit;

GeneratorParameter count(std::string name, std::string label, double initial, double least = 1,
                         double most = 100000) {
  return {std::move(name), std::move(label), Unit::Count, initial, least, most};
}
GeneratorParameter rate(std::string name, std::string label, double initial) {
  return {std::move(name), std::move(label), Unit::GigabytesPerSecond, initial, 1e-3, 1e6};
}
GeneratorParameter delay(std::string name, std::string label, double initial) {
  return {std::move(name), std::move(label), Unit::Microseconds, initial, 0, 1e6};
}

const std::vector<GeneratorParameter> kHost = {count("devices_per_host", "Devices per host", 8, 1, 1024),
                                               rate("host_bandwidth", "Bandwidth inside the host", 450),
                                               delay("host_latency", "Latency inside the host", 1)};
const std::vector<GeneratorParameter> kNic = {rate("nic_bandwidth", "Network bandwidth per device", 50),
                                              delay("link_latency", "Latency of a network link", 1)};
const std::vector<GeneratorParameter> kLosses = {count("lost_devices", "Lost devices", 0, 0),
                                                 count("lost_links", "Lost links", 0, 0),
                                                 count("seed", "Seed of the losses", 1, 0, 1e9)};
const std::vector<GeneratorParameter> kGrid = {rate("link_bandwidth", "Bandwidth of a link", 50),
                                               delay("link_latency", "Latency of a link", 1)};

using Parameters = std::vector<GeneratorParameter>;
Parameters all(std::initializer_list<Parameters> parts) {
  Parameters out;
  for (const auto& p : parts) out.insert(out.end(), p.begin(), p.end());
  out.insert(out.end(), kLosses.begin(), kLosses.end());
  return out;
}

std::vector<NetworkGenerator> makeGenerators() {
  const auto sides = [](int n, double initial) {
    Parameters p;
    static const char* const axis[] = {"x", "y", "z"};
    for (int i = 0; i < n; ++i)
      p.push_back(count(axis[i], std::string("Devices along ") + axis[i], initial, 1, 100000));
    return p;
  };
  return {
      {"hgx-pod", "HGX pod",
       "Hosts of eight devices on an inner switch, all joined by one non-blocking network switch",
       all({{count("hosts", "Hosts", 16)}, kHost, kNic})},
      {"rail-optimised", "Rail-optimised pods",
       "Device i of every host of a pod hangs on rail switch i of the pod; spines join the rails",
       all({{count("pods", "Pods", 4),
             count("hosts_per_pod", "Hosts per pod", 16),
             count("spines", "Spine switches", 4, 1, 1024),
             {"oversubscription", "Oversubscription at the rails", Unit::Ratio, 1, 0.1, 1000}},
            kHost,
            kNic})},
      {"spine-leaf", "Spine and leaf", "Hosts under leaf switches, each leaf joined to every spine",
       all({{count("leaves", "Leaf switches", 4),
             count("hosts_per_leaf", "Hosts per leaf", 4),
             count("spines", "Spine switches", 2, 1, 1024),
             {"oversubscription", "Oversubscription at the leaves", Unit::Ratio, 1, 0.1, 1000}},
            kHost,
            kNic})},
      {"fat-tree", "Fat tree",
       "The k-ary fat tree: k pods of k/2 edge and k/2 aggregation switches, (k/2)² cores, k³/4 hosts",
       all({{count("k", "Ports per switch, k (even)", 8, 2, 64)}, kHost, kNic})},
      {"torus-2d", "2-D torus", "A grid of devices with wrap-around links", all({sides(2, 8), kGrid})},
      {"torus-3d", "3-D torus", "A cube of devices with wrap-around links", all({sides(3, 4), kGrid})},
      {"mesh-2d", "2-D mesh", "A grid of devices", all({sides(2, 8), kGrid})},
      {"mesh-3d", "3-D mesh", "A cube of devices", all({sides(3, 4), kGrid})},
      {"dragonfly", "Dragonfly",
       "Groups of routers that are fully joined inside; global links join the groups evenly",
       all({{count("groups", "Groups", 9, 1, 4096), count("routers", "Routers per group", 4, 1, 256),
             count("hosts_per_router", "Hosts per router", 2, 1, 256),
             count("global_links", "Global links per router", 2, 1, 256),
             rate("local_bandwidth", "Bandwidth of a local link", 100),
             rate("global_bandwidth", "Bandwidth of a global link", 50)},
            kHost,
            kNic})},
      {"tpu-slice", "TPU slices",
       "Slices of chips on a 3-D torus, four chips a host; the hosts' network joins the slices",
       all({{count("slices", "Slices", 2, 1, 4096)},
            sides(3, 4),
            {rate("link_bandwidth", "Bandwidth of a chip link", 50),
             delay("link_latency", "Latency of a chip link", 1),
             count("chips_per_host", "Chips per host", 4, 1, 16),
             rate("host_bandwidth", "Bandwidth from chip to host", 16),
             rate("nic_bandwidth", "Network bandwidth per host", 25),
             delay("network_latency", "Latency of a network link", 5)}})},
      {"ring", "Ring", "Devices in a ring", all({{count("devices", "Devices", 8, 1, 100000)}, kGrid})},
  };
}

void loseDevices(NetworkGraph& g, int devices, int links, unsigned seed) {
  std::mt19937 random(seed);
  const auto draw = [&](std::vector<int> from, int howMany, auto&& mark) {
    for (int k = 0; k < howMany && !from.empty(); ++k) {
      const std::size_t i =
          random() % from.size();  // plain modulo: the same draw with every standard library
      mark(from[i]);
      from.erase(from.begin() + static_cast<std::ptrdiff_t>(i));
    }
  };
  std::vector<int> who;
  for (std::size_t i = 0; i < g.nodes.size(); ++i)
    if (g.nodes[i].kind == NodeKind::Device) who.push_back(static_cast<int>(i));
  draw(who, devices, [&](int i) { g.nodes[i].failed = true; });
  std::vector<int> what(g.links.size());
  for (std::size_t i = 0; i < what.size(); ++i) what[i] = static_cast<int>(i);
  draw(what, links, [&](int i) { g.links[i].failed = true; });
}

}  // namespace

const std::vector<NetworkGenerator>& networkGenerators() {
  static const std::vector<NetworkGenerator> generators = makeGenerators();
  return generators;
}

const NetworkGenerator* findGenerator(std::string_view id) {
  for (const NetworkGenerator& g : networkGenerators())
    if (g.id == id) return &g;
  return nullptr;
}

Reading<NetworkGraph> generateNetwork(std::string_view id, const std::map<std::string, double>& values) {
  Reading<NetworkGraph> result;
  const auto at = [](std::string_view field) {
    return Place{"", 0, 0, "/cluster/generator/" + std::string(field)};
  };
  const NetworkGenerator* generator = findGenerator(id);
  if (!generator) {
    std::string known;
    for (const NetworkGenerator& g : networkGenerators()) known += (known.empty() ? "" : ", ") + g.id;
    result.diagnostics.push_back(
        error("unknown-generator", at("id"),
              "there is no network generator \"" + std::string(id) + "\"; known are " + known));
    return result;
  }
  std::map<std::string, double> v;
  for (const GeneratorParameter& p : generator->parameters) v[p.name] = p.initial;
  for (const auto& [name, value] : values) {
    const auto p = std::find_if(generator->parameters.begin(), generator->parameters.end(),
                                [&, key = name](const auto& x) { return x.name == key; });
    if (p == generator->parameters.end()) {
      result.diagnostics.push_back(
          error("unknown-parameter", at(name), generator->name + " has no parameter \"" + name + '"'));
    } else if (!(value >= p->least && value <= p->most)) {
      result.diagnostics.push_back(
          error("parameter-range", at(name),
                p->label + " must lie between " + text::number(p->least) + " and " + text::number(p->most)));
    } else if (p->unit == Unit::Count && value != std::floor(value)) {
      result.diagnostics.push_back(error("parameter-whole", at(name), p->label + " must be a whole number"));
    } else {
      v[name] = value;
    }
  }
  if (id == "fat-tree" && std::fmod(v["k"], 2) != 0)
    result.diagnostics.push_back(error("parameter-even", at("k"), "k of a fat tree must be even"));
  if (hasErrors(result.diagnostics)) return result;
  auto graph = shapeNetwork(id, v);
  if (!graph) {
    result.diagnostics.push_back(error("network-too-large", at("id"),
                                       "this network would have more than 200,000 devices or 2,000,000 links",
                                       "reduce the counts"));
    return result;
  }
  loseDevices(*graph, static_cast<int>(v["lost_devices"]), static_cast<int>(v["lost_links"]),
              static_cast<unsigned>(v["seed"]));
  result.value = std::move(*graph);
  return result;
}

}  // namespace nest
