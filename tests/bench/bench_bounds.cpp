// What each bound of the solver is worth (core/solver/README.md has the table): scenarios are solved with all
// bounds and then without each one that was asked. Run it at the root of the project.
//
//   bench_bounds [SCENARIO…] [--only TEXT] [--runs N] [--seconds S] [--without NAME]… [--detail]
//
// SCENARIO: files to solve in place of tests/bench/bound_scenarios.json, whose entries change a file of
// samples/ (an RFC 7396 merge patch); with "lines" other sets and orders of hosts are searched, too, and a
// search has ended where these leave no gap. Every search has S seconds of processor time (1); searches that
// end before are repeated N times (3), and the median counts. Times are processor times of the searching
// thread.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "formats/scenario/scenario_json.h"
#include "solver/even_hosts.h"
#include "solver/search_bound.h"
#include "solver/solve.h"
#include "solver/tuning.h"

using namespace nest;

namespace {

struct Options {
  std::vector<std::string> files, without;
  std::string only;
  int runs = 3;
  double seconds = 1;
  bool detail = false;
};

double processorSeconds(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// Asks a search on another thread to stop once that has had its processor time.
class Budget {
public:
  Budget(std::stop_source& stop, double seconds) {
    clockid_t clock{};
    pthread_getcpuclockid(pthread_self(), &clock);
    const double end = processorSeconds(clock) + seconds;
    m_watcher = std::jthread([&stop, clock, end](const std::stop_token& over) {
      while (!over.stop_requested() && processorSeconds(clock) < end)
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
      if (!over.stop_requested()) stop.request_stop();
    });
  }

private:
  std::jthread m_watcher;
};

struct Result {
  double seconds = 0, gap = 0;  ///< 1: no plan or no bound
  double time = 0;              ///< of the best plan; 0: none
  long long states = 0;
  bool finished = false;
  BoundUses uses;
};

struct Named {
  std::string name;
  Problem problem;
  bool onLines = false;  ///< other sets and orders of hosts, too
};

Result solved(const Named& scenario, const BoundSwitches& without, const Options& options) {
  Tuning tuning;
  tuning.withoutBounds = without;
  Result r;
  std::vector<double> seconds;
  for (int i = 0; i < options.runs; ++i) {
    std::stop_source stop;
    Control control;
    control.stop = stop.get_token();
    control.front = FrontEffort::None;
    const double begin = processorSeconds(CLOCK_THREAD_CPUTIME_ID);
    Outcome o;
    {
      const Budget budget(stop, options.seconds);
      o = scenario.onLines ? solveOnEvenHosts(scenario.problem, control, nullptr, tuning)
                           : solve(scenario.problem, control, nullptr, tuning);
      seconds.push_back(processorSeconds(CLOCK_THREAD_CPUTIME_ID) - begin);
    }
    r.finished = !o.cutShort() && o.status != OutcomeStatus::WithinGap;
    r.gap = r.finished ? 0 : o.gap().value_or(1);
    r.time = o.best() ? o.best()->evaluation.batchTime.value() : 0;
    r.states = o.statistics.states;
    r.uses = o.statistics.bounds;
    if (o.cutShort()) break;
  }
  std::sort(seconds.begin(), seconds.end());
  r.seconds = seconds[seconds.size() / 2];
  return r;
}

std::string textOf(const std::string& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

void add(std::vector<Named>& all, const std::string& name, const std::string& text, const std::string& path,
         bool onLines = false) {
  const auto scenario = readScenario(text, path, [&](const std::string& file) {
    return Reading<std::string>{textOf((std::filesystem::path(path).parent_path() / file).string()), {}};
  });
  auto problem = scenario ? buildProblem(*scenario) : Reading<Problem>{};
  if (!problem) {
    std::printf("%s: no scenario\n", name.c_str());
    for (const auto& d : scenario.diagnostics) std::printf("  %s\n", toText(d).c_str());
    for (const auto& d : problem.diagnostics) std::printf("  %s\n", toText(d).c_str());
    return;
  }
  problem->search.topPlans = 1;
  problem->search.deadlineSeconds = 0;
  all.push_back({name, std::move(*problem.value), onLines});
}

std::vector<Named> scenariosOf(const Options& options) {
  std::vector<Named> all;
  const auto isAsked = [&](const std::string& name) { return name.find(options.only) != std::string::npos; };
  for (const std::string& file : options.files)
    if (isAsked(file)) add(all, std::filesystem::path(file).stem().stem().string(), textOf(file), file);
  if (!options.files.empty()) return all;
  const auto list = nlohmann::json::parse(textOf("tests/bench/bound_scenarios.json"), nullptr, false);
  if (!list.is_array())
    std::puts("tests/bench/bound_scenarios.json is not here: run this at the project's root");
  for (const auto& entry : list) {
    const auto from = entry.value("from", ""), name = entry.value("name", "");
    if (!isAsked(name)) continue;
    auto scenario = nlohmann::json::parse(textOf(from), nullptr, false);
    scenario.merge_patch(entry["change"]);
    add(all, name, scenario.dump(), from, entry.value("lines", false));
  }
  return all;
}

/// Over the scenarios in which a bound was asked.
struct Worth {
  int asked = 0, faster = 0, slower = 0;  ///< without it, by more than 5 %
  BoundUse use;
  int finishedWith = 0, finishedWithout = 0;
  double with = 0, without = 0;  ///< seconds, where both ended
  double gapWith = 0, gapWithout = 0;
  int gaps = 0;  ///< where one did not end
  long long statesWith = 0, statesWithout = 0;
};

void compare(Worth& w, const Result& with, const Result& without, SearchBound b) {
  const BoundUse& use = with.uses[static_cast<std::size_t>(b)];
  ++w.asked;
  w.use.calls += use.calls, w.use.closed += use.closed, w.use.seconds += use.seconds;
  w.finishedWith += with.finished, w.finishedWithout += without.finished;
  if (with.finished && without.finished) {
    w.with += with.seconds, w.without += without.seconds;
    w.statesWith += with.states, w.statesWithout += without.states;
    w.faster += without.seconds < with.seconds / 1.05;
    w.slower += without.seconds > with.seconds * 1.05;
  } else {
    ++w.gaps;
    w.gapWith += with.gap, w.gapWithout += without.gap;
  }
}

void print(SearchBound b, const Worth& w) {
  std::printf("| %s %s | %d | %.3g | %.1f %% | %.2f | %.2f → %.2f | %d / %d | %.3g → %.3g | %d → %d |",
              nameOf(b), equationOf(b), w.asked, double(w.use.calls),
              w.use.calls > 0 ? 100.0 * double(w.use.closed) / double(w.use.calls) : 0.0, w.use.seconds,
              w.with, w.without, w.slower, w.faster, double(w.statesWith), double(w.statesWithout),
              w.finishedWith, w.finishedWithout);
  if (w.gaps > 0)
    std::printf(" %.2f → %.2f %% (%d) |\n", 100 * w.gapWith / w.gaps, 100 * w.gapWithout / w.gaps, w.gaps);
  else
    std::printf(" |\n");
}

Options optionsOf(int argc, char** argv) {
  Options o;
  for (int i = 1; i < argc; ++i) {
    const std::string a = argv[i];
    const bool more = i + 1 < argc;
    if (a == "--runs" && more)
      o.runs = std::max(1, std::atoi(argv[++i]));
    else if (a == "--seconds" && more)
      o.seconds = std::atof(argv[++i]);
    else if (a == "--only" && more)
      o.only = argv[++i];
    else if (a == "--without" && more)
      o.without.emplace_back(argv[++i]);
    else if (a == "--detail")
      o.detail = true;
    else
      o.files.push_back(a);
  }
  return o;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = optionsOf(argc, argv);
  const auto isAsked = [&](SearchBound b) {
    return options.without.empty() ||
           std::find(options.without.begin(), options.without.end(), nameOf(b)) != options.without.end();
  };
  std::vector<Worth> all(kBoundCount);
  int count = 0;
  double seconds = 0;
  for (const Named& s : scenariosOf(options)) {
    const Result with = solved(s, {}, options);
    ++count, seconds += with.seconds;
    std::printf("%-48s %8.1f ms  %9lld states  %s", s.name.c_str(), 1e3 * with.seconds, with.states,
                with.finished ? "solved" : "gap ");
    if (!with.finished) std::printf("%.2f %%", 100 * with.gap);
    std::printf("  %.6g s\n", with.time);
    for (std::size_t k = 0; k < kBoundCount; ++k) {
      const auto b = static_cast<SearchBound>(k);
      if (with.uses.size() <= k || with.uses[k].calls == 0 || !isAsked(b)) continue;
      const Result without = solved(s, BoundSwitches().set(k), options);
      compare(all[k], with, without, b);
      if (with.finished && without.finished && std::abs(with.time - without.time) > 1e-9 * with.time)
        std::printf("    DIFFERENT OPTIMUM without %s: %.9g s\n", nameOf(b), without.time);
      if (options.detail)
        std::printf("    without %-14s %8.1f ms  %9lld states  gap %.2f %%  %.6g s\n", nameOf(b),
                    1e3 * without.seconds, without.states, 100 * without.gap, without.time);
    }
    std::fflush(stdout);
  }
  std::printf("\n%d scenarios, %.1f s with all bounds\n\n", count, seconds);
  std::puts(
      "| bound | asked in | calls | closed | its tables, s | all, s: with → without it | slower / faster "
      "without "
      "| states | solved | gap of the others |");
  std::puts("|---|---|---|---|---|---|---|---|---|---|");
  for (std::size_t k = 0; k < kBoundCount; ++k)
    if (all[k].asked > 0) print(static_cast<SearchBound>(k), all[k]);
}
