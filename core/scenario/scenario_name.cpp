#include "scenario/scenario_name.h"

#include <variant>

#include "scenario/scenario.h"
#include "units/text.h"

namespace nest {
namespace {

long long deviceCount(const Setting& s) {
  if (const auto* graph = std::get_if<GraphSource>(&s.cluster.network)) return graph->graph.deviceCount();
  const auto& levels = std::get<LevelsSource>(s.cluster.network);
  long long count = levels.hostSizes.empty() ? 1 : 0;
  for (const int size : levels.hostSizes) count += size;
  if (levels.hostSizes.empty())
    for (const LevelSpec& l : levels.levels) count *= l.fanout;
  return count;
}

/// "H100 80 GB SXM" is the H100 to everybody; "TPU v4" is not the TPU.
std::string shortName(const std::string& device) {
  std::string name = device.substr(0, device.find_first_of(",("));
  for (std::size_t at = name.find(' '); at != std::string::npos; at = name.find(' ', at + 1)) {
    const std::string next = name.substr(at + 1);
    const bool isSize = next.find_first_not_of("0123456789.") != 0 && next.find(" GB") != std::string::npos &&
                        next.find_first_not_of("0123456789.") == next.find(" GB");
    if (isSize || next.rfind("SXM", 0) == 0 || next.rfind("PCIe", 0) == 0) {
      name.resize(at);
      break;
    }
  }
  while (!name.empty() && name.back() == ' ') name.pop_back();
  return name.empty() ? device : name;
}

}  // namespace

std::string nameByContent(const std::string& model, const Setting& s) {
  return (model.empty() ? std::string("Imported model") : model) + " on " + text::count(deviceCount(s)) +
         ' ' + shortName(s.cluster.device.name);
}

std::string nameByContent(const Setting& s) {
  return nameByContent(s.model.architecture ? s.model.architecture->name : std::string(), s);
}

void followContent(Scenario& now, const Scenario& before) {
  if (now.name == before.name && before.name == nameByContent(before)) now.name = nameByContent(now);
}

}  // namespace nest
