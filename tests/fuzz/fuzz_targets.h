#pragma once

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/levels/cluster_source.h"
#include "formats/networks/astra_sim.h"
#include "formats/networks/cluster_text.h"
#include "formats/networks/dot.h"
#include "formats/networks/graphml.h"
#include "formats/networks/nccl_xml.h"
#include "formats/networks/network_json.h"
#include "formats/networks/nvidia_topo.h"
#include "formats/networks/simgrid.h"
#include "formats/networks/slurm_hostlist.h"
#include "formats/networks/slurm_topology.h"
#include "formats/profiles/profile_json.h"
#include "support/read_format.h"

/// What each fuzzer does with one text. The same bodies run over the kept findings in an ordinary test. A
/// broken promise is thrown, which ends a fuzzer.
namespace nest::fuzz {

struct BrokenPromise : std::logic_error {
  using std::logic_error::logic_error;
};

inline void require(bool holds, const char* what) {
  if (!holds) throw BrokenPromise(what);
}

inline void requireHonest(bool isRead, const Diagnostics& diagnostics) {
  require(isRead != hasErrors(diagnostics), "a value is there exactly when no error is");
  for (const Diagnostic& d : diagnostics)
    require(!d.code.empty() && !d.message.empty(), "a diagnostic has a code and a message");
}

template <class T>
void requireHonest(const Reading<T>& r) {
  requireHonest(r.value.has_value(), r.diagnostics);
}

/// Levels are derived only from what is small: the fuzzer is after the readers.
inline void requireLevels(const std::variant<LevelsSource, GraphSource>& network) {
  ClusterSource source;
  source.device.memory.value = Bytes(80e9);
  source.network = network;
  if (const auto* g = std::get_if<GraphSource>(&network);
      g && g->graph.nodes.size() + g->graph.links.size() > 400)
    return;
  if (const auto* l = std::get_if<LevelsSource>(&network)) {
    double devices = 1;
    for (const LevelSpec& s : l->levels) devices *= s.fanout;
    if (devices > 400) return;
  }
  requireHonest(deriveHierarchy(source));
}

template <class T, class Read, class Write>
void requireRoundTrip(const Reading<T>& first, Read read, Write write) {
  if (!first) return;
  const auto again = read(write(*first));
  require(again.value.has_value() && *again == *first, "what is written reads back the same");
}

struct Target {
  std::string name;  ///< key of the format, where it is one
  std::function<void(std::string_view)> run;
};

/// Those that have more to promise than to read or refuse.
inline std::vector<Target> specialTargets() {
  return {
      {"slurm-conf",
       [](std::string_view s) {
         const auto t = readSlurmTopologyConf(s);
         requireHonest(t);
         if (!t || t->hostCount() > 100) return;
         auto figures = defaultFigures(*t, {});
         figures.devicesPerHost = 2;
         const auto network = networkOf(*t, figures);
         requireHonest(network);
         if (network) requireLevels(*network);
       }},
      {"slurm-yaml",
       [](std::string_view s) {
         const auto t = readSlurmTopologyYaml(s);
         requireHonest(t);
         if (!t || t->hostCount() > 100) return;
         const auto network = networkOf(*t, defaultFigures(*t, {}));
         requireHonest(network);
         if (network) requireLevels(*network);
       }},
      {"hostlist",
       [](std::string_view s) {
         const Hostlist l = expandHostlist(s, 1000);
         require(l.error.empty() != l.names.empty(), "names exactly when no error");
       }},
      {"nvidia-topo",
       [](std::string_view s) {
         const auto h = readNvidiaTopo(s);
         requireHonest(h);
         if (h) requireLevels(clusterOf(*h));
       }},
      {"nccl-xml",
       [](std::string_view s) {
         const auto h = readNcclXml(s);
         requireHonest(h);
         if (!h) return;
         requireLevels(clusterOf(*h));
         static const auto tree = readSlurmTopologyConf(
             "SwitchName=l0 Nodes=a[0-1]\nSwitchName=l1 Nodes=b[0-1]\nSwitchName=s Switches=l[0-1]\n");
         const auto joined = joinHosts(*h, *tree, defaultFigures(*tree, {}));
         requireHonest(joined);
         if (joined) requireLevels(*joined);
       }},
      {"astra-sim",
       [](std::string_view s) {
         const auto n = readAstraSim(s);
         requireHonest(n);
         requireRoundTrip(
             n, [](const std::string& t) { return readAstraSim(t); }, writeAstraSim);
         if (n) requireLevels(levelsOf(*n));
       }},
      {"simgrid",
       [](std::string_view s) {
         const auto g = readSimGrid(s);
         requireHonest(g);
         if (g) requireLevels(GraphSource{*g, {}, {}});
       }},
      {"graphml",
       [](std::string_view s) {
         const auto g = readGraphMl(s);
         requireHonest(g);
         requireRoundTrip(
             g, [](const std::string& t) { return readGraphMl(t); }, writeGraphMl);
         if (g) requireLevels(GraphSource{g->graph, {}, {}});
       }},
      {"dot",
       [](std::string_view s) {
         const auto g = readDot(s);
         requireHonest(g);
         requireRoundTrip(
             g, [](const std::string& t) { return readDot(t); }, writeDot);
         if (g) requireLevels(GraphSource{g->graph, {}, {}});
       }},
      {"recognise",
       [](std::string_view s) {
         const Unsupported seems = unsupported(s);
         require(!seems.is.empty() || seems.remedy.empty(), "a remedy is for something that is named");
         if (const Format* f = recognise(s)) {
           const auto [isRead, diagnostics] = test::readAs(*f, s, "f");
           requireHonest(isRead, diagnostics);
         }
       }},
      {"cluster-text",
       [](std::string_view s) {
         const auto l = readClusterText(s);
         requireHonest(l);
         if (l) requireLevels(*l);
       }},
      {"profile",
       [](std::string_view s) {
         const auto p = readProfileJson(s, "p.json");
         requireHonest(p);
         requireRoundTrip(
             p, [](const std::string& t) { return readProfileJson(t, "p.json"); }, writeProfileJson);
       }},
      {"network_json",
       [](std::string_view s) {
         const auto g = readNetwork(s, "");
         requireHonest(g);
         requireRoundTrip(
             g, [](const std::string& t) { return readNetwork(t, ""); }, writeNetwork);
       }},
  };
}

inline const std::vector<Target>& targets() {
  static const std::vector<Target> all = [] {
    std::vector<Target> out = specialTargets();
    for (const Format* f : formats())
      if (std::none_of(out.begin(), out.end(), [&](const Target& t) { return t.name == f->key; }))
        out.push_back({std::string(f->key), [f](std::string_view s) {
                         const auto [isRead, diagnostics] = test::readAs(*f, s, "f");
                         requireHonest(isRead, diagnostics);
                       }});
    return out;
  }();
  return all;
}

}  // namespace nest::fuzz
