// What the questions about a run cost: failures under three answers, what spares buy, and a step of a what-if
// with the run switched on and off. Run it at the root of the project.
//
//   bench_run [SCENARIO] [--runs N]
//
// SCENARIO: samples/llama3-70b-h100-1024.nest.json, to which a run is added if it has none. Processor times
// of the whole process, medians of N runs (5), which alternate.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "files/file_reader.h"
#include "formats/scenario/scenario_json.h"
#include "measures/metrics.h"
#include "study/quiet_solve.h"
#include "study/sensitivity.h"

using namespace nest;

namespace {

double processorSeconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

struct Case {
  std::string name;
  double goal;  ///< seconds; 0: none
  std::function<void()> work;
  std::vector<double> seconds = {};

  double median() const {
    std::vector<double> sorted = seconds;
    std::sort(sorted.begin(), sorted.end());
    return sorted[sorted.size() / 2];
  }
};

/// The rates of the Llama 3 report, and a store of 200 GB/s.
RunOptions publishedRun() {
  RunOptions r;
  r.deviceFailures = 0.01724, r.hostFailures = 0.01997;
  r.detection = Seconds(60), r.replacement = Seconds(120), r.start = Seconds(180);
  r.repair = Seconds(86400);
  r.storeWrite = BytesPerSecond(2e11);
  r.pricePerDeviceHour = 2.5;
  return r;
}

/// What a slider does: the field is set, the problem is built again and solved, and the plan is measured.
void whatIfStep(const Scenario& scenario, const Problem& problem, const RankedPlan& present) {
  const auto field = fieldAt(scenario, "/cluster/levels/1/bandwidth");
  const Parameter bandwidth{field};
  const auto there = problemAt(scenario, problem, bandwidth, 1.1 * *valueOf(scenario, problem, bandwidth));
  const Outcome o = quietSolve(*there, {}, &present.plan);
  if (o.best()) (void)metricsOf(*there, nullptr, *o.best());
}

}  // namespace

int main(int argc, char** argv) {
  std::string file = "samples/llama3-70b-h100-1024.nest.json";
  int runs = 5;
  for (int i = 1; i < argc; ++i)
    if (std::strcmp(argv[i], "--runs") == 0 && i + 1 < argc)
      runs = std::max(1, std::atoi(argv[++i]));
    else
      file = argv[i];
  const auto text = readText(file);
  auto read = text ? readScenario(*text, file, loaderBeside(file)) : Reading<Scenario>();
  if (!read) return std::fprintf(stderr, "%s is not a scenario\n", file.c_str()), 2;
  Scenario on = std::move(*read);
  if (!on.run.hasFailures()) on.run = publishedRun();
  Scenario off = on;
  off.run = {};
  const Problem problem = *buildProblem(on), without = *buildProblem(off);
  const Outcome o = quietSolve(problem, {});
  if (!o.best()) return std::fprintf(stderr, "no plan\n"), 1;
  const RankedPlan present = *o.best();

  std::vector<Case> cases;
  cases.push_back({"failures under three answers", 2, [&] { rankFailures(on, problem, present); }});
  cases.push_back({"what spares buy", 0, [&] { spareBenefit(problem, present, 0.999); }});
  cases.push_back({"what-if step, run off", 0, [&] { whatIfStep(off, without, present); }});
  cases.push_back({"what-if step, run on", 0, [&] { whatIfStep(on, problem, present); }});
  for (int i = 0; i <= runs; ++i)
    for (Case& c : cases) {
      const double begin = processorSeconds();
      c.work();
      if (i > 0) c.seconds.push_back(processorSeconds() - begin);  // the first one warms up
    }
  cases.back().goal = cases[cases.size() - 2].median() + 0.010;
  std::printf("%s, %d devices, %d runs\n", on.name.c_str(), problem.cluster->deviceCount(), runs);
  bool isMissed = false;
  for (const Case& c : cases) {
    std::printf("%-30s %8.1f ms", c.name.c_str(), 1e3 * c.median());
    if (c.goal > 0) std::printf("  goal %.1f ms%s", 1e3 * c.goal, c.median() > c.goal ? "  MISSED" : "");
    std::printf("\n");
    isMissed = isMissed || (c.goal > 0 && c.median() > c.goal);
  }
  return isMissed ? 1 : 0;
}
