#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/graph/network_graph.h"
#include "diagnostics/diagnostic.h"

namespace nest {

/// One field of a generator's form. Values are in the unit shown: GB/s one way, µs, or plain numbers.
struct GeneratorParameter {
  enum class Unit { Count, GigabytesPerSecond, Microseconds, Ratio, Switch };
  std::string name;   ///< key, "hosts_per_leaf"
  std::string label;  ///< "Hosts per leaf"
  Unit unit = Unit::Count;
  double initial = 1, least = 1, most = 1;
};

struct NetworkGenerator {
  std::string id;    ///< "fat-tree"
  std::string name;  ///< "Fat tree"
  std::string what;  ///< one sentence
  std::vector<GeneratorParameter> parameters;
};

/// All of them, in the order of a menu. Each also has lost_devices, lost_links and seed: so many devices and
/// links, drawn by the seed, are marked failed.
const std::vector<NetworkGenerator>& networkGenerators();
const NetworkGenerator* findGenerator(std::string_view id);  ///< nullptr if there is none

/// `values` by parameter name; those absent take their initial value. Errors: unknown generator or parameter,
/// values out of range, more than 200,000 devices or 2,000,000 links.
Reading<NetworkGraph> generateNetwork(std::string_view id, const std::map<std::string, double>& values = {});

}  // namespace nest
