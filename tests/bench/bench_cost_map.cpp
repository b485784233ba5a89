// What each field of a scenario costs the solver, over the whole range that it allows, the others as they
// are: cliffs show as spikes. Each value in a process of its own: its processor time for the solve and its
// peak memory.
//
//   bench_cost_map SCENARIO… [--field WORD] [--deadline SECONDS] [--values N] [--all]
//
// Only spikes are printed (ten times the scenario's own time and more than a tenth of a second, more than
// 300 MB, or what was not proven), with --all every value.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "fields/field.h"
#include "files/file_reader.h"
#include "formats/scenario/scenario_json.h"
#include "scenario/scenario.h"
#include "solver/even_hosts.h"

using namespace nest;

namespace {

struct Options {
  std::vector<std::string> files;
  std::string field;
  double deadline = 10;
  int values = 7;
  bool all = false;
};

/// What a child tells of one solve.
struct Cost {
  double seconds = 0, megabytes = 0, gap = 0;
  long long candidates = 0, states = 0;
  char status[24] = "no problem";
};

double processorSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) { return double(t.tv_sec) + 1e-6 * double(t.tv_usec); };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

Cost costOf(const Setting& setting, double deadline) {
  int ends[2];
  if (pipe(ends) != 0) return {};
  const pid_t child = fork();
  if (child == 0) {
    Cost cost;
    const double begin = processorSeconds();
    if (auto problem = buildProblem(setting).value) {
      problem->search.deadlineSeconds = deadline;
      const Outcome outcome = solveOnEvenHosts(*problem);
      const auto& s = outcome.statistics;
      cost.seconds = processorSeconds() - begin;
      cost.megabytes = s.peakMemory.value() / 1e6;
      cost.gap = outcome.best() ? outcome.gap().value_or(1) : 0;
      cost.candidates = s.candidates;
      cost.states = s.states;
      std::snprintf(cost.status, sizeof cost.status, "%s", nameOf(outcome.status));
    }
    _exit(write(ends[1], &cost, sizeof cost) == sizeof cost ? 0 : 1);
  }
  close(ends[1]);
  Cost cost;
  if (read(ends[0], &cost, sizeof cost) != sizeof cost)
    std::snprintf(cost.status, sizeof cost.status, "died");
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return cost;
}

/// Even in the logarithm where the range is wide, else even; whole numbers where the field has such.
std::vector<double> valuesOf(const Field& field, int count) {
  const bool whole = field.kind() != FieldKind::Number;
  const double most = std::min(field.most, 1e15);
  double least = field.least;
  std::set<double> values = {least, most};
  if (least <= 0) values.insert(least = whole ? 1 : std::min(1e-6, most / 10));
  for (int k = 1; k + 1 < count; ++k) {
    const double share = double(k) / (count - 1);
    const double v = most / least > 100 ? least * std::pow(most / least, share)
                                        : field.least + (most - field.least) * share;
    values.insert(whole ? std::round(v) : v);
  }
  return {values.begin(), values.end()};
}

void print(const Cost& base, const Cost& c, const std::string& what, bool all) {
  const bool spike = (c.seconds > 10 * base.seconds && c.seconds > 0.1) || c.megabytes > 300 || c.gap > 0 ||
                     std::string(c.status) == "died";
  if (!all && !spike) return;
  std::printf("  %c %-58s %9.1f ms %7.1f MB %9lld candidates %10lld states  %s", spike ? '!' : ' ',
              what.c_str(), 1e3 * c.seconds, c.megabytes, c.candidates, c.states, c.status);
  if (c.gap > 0) std::printf(", gap %.1f %%", 100 * c.gap);
  std::printf("\n");
  std::fflush(stdout);
}

void mapOf(const std::string& file, const Options& options) {
  const auto text = readText(file);
  if (!text.value) return void(std::printf("%s cannot be read\n", file.c_str()));
  const auto scenario = readScenario(*text.value, file, loaderBeside(file));
  if (!scenario.value) return void(std::printf("%s is no scenario\n", file.c_str()));
  const Setting& setting = scenario.value->setting();
  const Cost base = costOf(setting, options.deadline);
  std::printf("%s\n", file.c_str());
  print(base, base, "as it is", true);
  const auto wanted = [&](const std::string& name) { return name.find(options.field) != std::string::npos; };
  for (const FieldAt& at : numericFieldsOf(setting)) {
    if (!wanted(at.pointer())) continue;
    for (const double v : valuesOf(*at.field, options.values)) {
      Setting changed = setting;
      setNumber(changed, at, v);
      char value[32];
      std::snprintf(value, sizeof value, " = %.6g", v);
      print(base, costOf(changed, options.deadline), at.pointer() + value, options.all);
    }
  }
  for (const Field& field : fields()) {
    if (!wanted(field.key) || field.count(setting) != 1 || field.key.find('*') != std::string::npos) continue;
    const auto attempt = [&](const FieldValue& value, const std::string& word) {
      Setting changed = setting;
      field.access.set(changed, 0, value);
      print(base, costOf(changed, options.deadline), field.key + " = " + word, options.all);
    };
    if (field.kind() == FieldKind::Flag)
      for (const bool on : {false, true}) attempt(on, on ? "true" : "false");
    if (field.kind() == FieldKind::Choice)
      for (std::size_t k = 0; k < field.options.size(); ++k) attempt(double(k), field.options[k]);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string a = argv[i];
    if (a == "--field" && i + 1 < argc)
      options.field = argv[++i];
    else if (a == "--deadline" && i + 1 < argc)
      options.deadline = std::atof(argv[++i]);
    else if (a == "--values" && i + 1 < argc)
      options.values = std::max(2, std::atoi(argv[++i]));
    else if (a == "--all")
      options.all = true;
    else
      options.files.push_back(a);
  }
  for (const auto& file : options.files) mapOf(file, options);
}
