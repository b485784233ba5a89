// Which of the catalog's devices is fastest for a scenario, each with the best plan on it.
#include <algorithm>
#include <cstdio>
#include <vector>

#include <cluster/devices/device_catalog.h>
#include <files/file_reader.h>
#include <formats/scenario/scenario_json.h>
#include <solver/even_hosts.h>
#include <units/text.h>

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: fastest SCENARIO\n"), 2;
  const auto text = nest::readText(argv[1]);
  auto scenario = text ? nest::readScenario(*text, argv[1], nest::loaderBeside(argv[1]))
                       : nest::Reading<nest::Scenario>{std::nullopt, text.diagnostics};
  for (const nest::Diagnostic& d : scenario.diagnostics)
    std::fprintf(stderr, "%s\n", nest::toText(d).c_str());
  if (!scenario) return 2;

  struct Row {
    double seconds;
    std::string line;
  };
  std::vector<Row> rows;
  for (const nest::DeviceSpec& device : nest::deviceCatalog()) {
    scenario->cluster.device = device;
    const auto problem = nest::buildProblem(*scenario);
    if (!problem) continue;  // its links or formats do not suit the scenario
    const nest::Outcome outcome = nest::solveOnEvenHosts(*problem);
    if (const nest::RankedPlan* best = outcome.best())
      rows.push_back({best->evaluation.batchTime.value(), nest::text::time(best->evaluation.batchTime) +
                                                              "  " + device.id + "  " +
                                                              nest::summaryOf(best->plan)});
  }
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.seconds < b.seconds; });
  for (const Row& r : rows) std::printf("%s\n", r.line.c_str());
  return rows.empty() ? 1 : 0;
}
