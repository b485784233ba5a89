#include "formats/networks/astra_sim.h"

#include <algorithm>
#include <charconv>
#include <iterator>

#include "formats/format.h"
#include "text/decimal.h"
#include "text/yaml_tree.h"
#include "units/text.h"

namespace nest {
namespace {

constexpr std::size_t kMostAstraSimBytes = 1u << 20, kMostDimensions = 8;
constexpr long long kMostNpus = 1 << 20, kMostNpuProduct = 1LL << 62;
constexpr const char* kTooLarge = "at most 1,048,576 NPUs are read";

const char* nameOf(AstraSimNetwork::Shape s) {
  return s == AstraSimNetwork::Shape::Ring             ? "Ring"
         : s == AstraSimNetwork::Shape::FullyConnected ? "FullyConnected"
                                                       : "Switch";
}

std::vector<const YamlValue*> listOf(SourceText& s, const YamlValue& root, const char* key) {
  const YamlValue* v = root.find(key);
  if (!v) {
    s.error(root.place, "astra-key-missing", std::string("the key \"") + key + "\" is missing");
    return {};
  }
  std::vector<const YamlValue*> out;
  if (v->kind == YamlValue::Kind::Scalar) out.push_back(v);
  for (const YamlValue& x : v->items) out.push_back(&x);
  if (out.empty())
    s.error(v->place, "astra-list", std::string(key) + " is a list with one entry per dimension");
  if (out.size() > kMostDimensions) {
    s.error(v->place, "astra-too-large", "at most 8 dimensions are supported");
    out.resize(kMostDimensions);
  }
  return out;
}

void fill(SourceText& s, const YamlValue& root, AstraSimNetwork& n) {
  if (root.kind != YamlValue::Kind::Map)
    return s.error(root.place, "astra-map",
                   "an ASTRA-sim network is a map with topology, npus_count, bandwidth and latency");
  const auto shapes = listOf(s, root, "topology"), counts = listOf(s, root, "npus_count"),
             rates = listOf(s, root, "bandwidth"), delays = listOf(s, root, "latency");
  for (const auto& e : root.entries)
    if (e.key != "topology" && e.key != "npus_count" && e.key != "bandwidth" && e.key != "latency")
      s.warning(e.place, "astra-key", "the key " + quoted(e.key) + " is ignored");
  if (s.failed()) return;
  for (const auto* list : {&counts, &rates, &delays})
    if (list->size() != shapes.size())
      return s.error(list->front()->place, "astra-lengths",
                     "the lists differ in length: " + std::to_string(shapes.size()) +
                         " dimensions in topology, " + std::to_string(list->size()) + " here");
  long long npus = 1;
  for (std::size_t d = 0; d < shapes.size(); ++d) {
    AstraSimNetwork::Dimension x;
    bool known = false;
    for (auto shape : {AstraSimNetwork::Shape::Ring, AstraSimNetwork::Shape::FullyConnected,
                       AstraSimNetwork::Shape::Switch})
      if (shapes[d]->scalar == nameOf(shape)) x.shape = shape, known = true;
    if (!known)
      s.error(shapes[d]->place, "astra-topology",
              "unknown topology " + quoted(shapes[d]->scalar) +
                  "; expected one of: Ring, FullyConnected and Switch");
    const auto count = readWhole(counts[d]->scalar, 1, kMostNpuProduct);
    if (count && *count > kMostNpus) return s.error(counts[d]->place, "astra-too-large", kTooLarge);
    if (count)
      x.npus = static_cast<int>(*count);
    else
      s.error(counts[d]->place, "astra-count",
              "npus_count must be an integer of 1 or more (found " + quoted(counts[d]->scalar) + ")");
    const auto rate = readDecimal(rates[d]->scalar, 9), delay = readDecimal(delays[d]->scalar, -9);
    if (rate && *rate > 0)
      x.bandwidth = BytesPerSecond(*rate);
    else
      s.error(rates[d]->place, "astra-bandwidth",
              "bandwidth is " + quoted(rates[d]->scalar) + "; expected: a positive number of GB/s");
    if (delay && *delay >= 0)
      x.latency = Seconds(*delay);
    else
      s.error(delays[d]->place, "astra-latency",
              "latency is " + quoted(delays[d]->scalar) + "; expected: a number of ns, zero or more");
    npus *= x.npus;
    if (npus > kMostNpus) return s.error(counts[d]->place, "astra-too-large", kTooLarge);
    n.dimensions.push_back(x);
  }
}

/// Links that a transfer crosses in a dimension, at most.
double hops(const AstraSimNetwork::Dimension& d) {
  switch (d.shape) {
    case AstraSimNetwork::Shape::Ring:
      return std::max(1, d.npus / 2);
    case AstraSimNetwork::Shape::FullyConnected:
      return 1;
    case AstraSimNetwork::Shape::Switch:
      break;
  }
  return 2;
}

}  // namespace

Reading<AstraSimNetwork> readAstraSim(std::string_view text, const std::string& file) {
  SourceText source(text, file);
  AstraSimNetwork network;
  const YamlValue root = readYamlTree(source, kMostAstraSimBytes, "ASTRA-sim network YAML");
  if (!source.failed()) fill(source, root, network);
  Reading<AstraSimNetwork> result;
  if (!source.failed()) result.value = std::move(network);
  result.diagnostics = source.take();
  return result;
}

std::string writeAstraSim(const AstraSimNetwork& n) {
  std::string shapes, counts, rates, delays;
  for (const auto& d : n.dimensions) {
    const char* comma = shapes.empty() ? "" : ", ";
    shapes += comma + std::string(nameOf(d.shape));
    counts += comma + std::to_string(d.npus);
    rates += comma + writeDecimal(d.bandwidth.value(), 9);
    delays += comma + writeDecimal(d.latency.value(), -9);
  }
  return "topology: [ " + shapes + " ]\nnpus_count: [ " + counts + " ]\nbandwidth: [ " + rates +
         " ]  # GB/s\nlatency: [ " + delays + " ]  # ns\n";
}

LevelsSource levelsOf(const AstraSimNetwork& n) {
  LevelsSource out;
  for (std::size_t i = 0; i < n.dimensions.size(); ++i) {
    const auto& d = n.dimensions[i];
    LevelSpec l;
    l.name = (d.shape == AstraSimNetwork::Shape::Ring             ? "ring"
              : d.shape == AstraSimNetwork::Shape::FullyConnected ? "mesh"
                                                                  : "switch") +
             std::to_string(i);
    l.fanout = d.npus;
    l.bandwidth = d.bandwidth;
    l.latency = d.latency * hops(d);
    out.levels.push_back(l);
  }
  return out;
}

Reading<AstraSimNetwork> astraSimOf(const Hierarchy& h) {
  Reading<AstraSimNetwork> result;
  if (!h.isRegular()) {
    result.diagnostics.push_back(
        error("astra-irregular", {"", 0, 0, "/cluster"},
              "ASTRA-sim describes regular clusters only; the groups of this one differ in size",
              h.unplanned().any()
                  ? "hosts that plans must not use are left out; write all with `cluster.plan_on = all`"
                  : "exclude devices until the groups are equal"));
    return result;
  }
  // Levels are derived by sums; what they err by in the last place is no figure to print.
  const auto rounded = [](double v) {
    char digits[32];
    const auto written = std::to_chars(digits, std::end(digits), v, std::chars_format::general, 10);
    std::from_chars(digits, written.ptr, v);
    return v;
  };
  AstraSimNetwork n;
  int inner = 1;
  for (int l = 0; l < h.levelCount(); ++l) {
    const int size = h.uniformGroupSize(l);
    n.dimensions.push_back({AstraSimNetwork::Shape::Switch, size / inner,
                            BytesPerSecond(rounded(h.level(l).bandwidth.value())),
                            Seconds(rounded(h.level(l).latency.value() / 2))});
    inner = size;
  }
  if (h.unplanned().any())
    result.diagnostics.push_back(warning("states-lost", {"", 0, 0, "/cluster/states"},
                                         "an ASTRA-sim network has no states of hosts; only what plans may "
                                         "use is written: " +
                                             inWords(h.unplanned()),
                                         "write all hosts with `cluster.plan_on = all`"));
  if (!h.hasUniformDevices())
    result.diagnostics.push_back(
        warning("astra-devices", {"", 0, 0, "/cluster"},
                "an ASTRA-sim network says nothing of devices: that they differ in speed or memory is lost",
                "export it as cluster-text, graphml or dot to keep that"));
  result.value = std::move(n);
  return result;
}

const Format& astraSimFormat() {
  static constexpr Format format = {
      .key = "astra-sim",
      .name = "ASTRA-sim network YAML",
      .suffixes = "yml yaml",
      .fileNames = "",
      .example =
          "topology: [ Switch, Ring ]\n"
          "npus_count: [ 8, 4 ]\n"
          "bandwidth: [ 450, 50 ]      # GB/s\n"
          "latency: [ 936, 1000 ]      # ns",
      .remarks = "",
      .claims = [](const FileLook& f) { return f.has("npus_count"); },
      .read = ReadNetwork([](std::string_view text, const std::string& file) {
        auto network = readAstraSim(text, file);
        Reading<NetworkFile> out;
        if (network) out.value = {levelsOf(*network)};
        out.diagnostics = std::move(network.diagnostics);
        return out;
      }),
      .write = [](const ClusterSource&, const Hierarchy& hierarchy) -> Reading<std::string> {
        auto network = astraSimOf(hierarchy);
        if (!network) return {std::nullopt, std::move(network.diagnostics)};
        return {writeAstraSim(*network), std::move(network.diagnostics)};
      }};
  return format;
}

}  // namespace nest
