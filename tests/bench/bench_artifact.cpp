// The NEST artifact's own DP inputs, read and solved, beside the times recorded for its solver: whole
// processes, wall time and peak memory, and how many times longer the artifact took.
//
//   bench_artifact [FILTER] [--data FOLDER] [--runs N] [--top K]
//
// One plan is asked for, as the artifact gives; with more of them small inputs get a whole Pareto front too.
// FOLDER holds inputs/ and results.json (shared/reference/nest beside the repository). Recorded runs that
// ended in a crash or without a plan are listed and left out of the mean.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "formats/profiles/nest_artifact.h"
#include "scenario/scenario.h"
#include "solver/solve.h"

using namespace nest;

namespace {

struct Recorded {
  std::string input;  ///< below inputs/
  int devices = 0;
  double seconds = 0, megabytes = 0;
  bool solved = false;
};

std::string contents(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return std::move(out).str();
}

/// One entry for each input and device count, as the artifact ships and builds it.
std::vector<Recorded> recordedRuns(const std::filesystem::path& folder) {
  std::vector<Recorded> out;
  const auto rows = nlohmann::json::parse(contents(folder / "results.json"), nullptr, false);
  if (!rows.is_array()) return out;
  for (const auto& r : rows) {
    if (r.value("units", "") != "as_shipped" || r.value("latency", "") != "sequential") continue;
    const std::string mbs = std::to_string(r.value("mbs", 1));
    const auto& original = r.contains("original_build") && r["original_build"].is_object()
                               ? r["original_build"]
                               : nlohmann::json::object();
    const bool whole = original.value("status", "") == "ok";
    const auto& run = whole ? original : r;
    out.push_back({r.value("setup", "") + "/" + r.value("model", "") + "_mbs" + mbs + ".json",
                   r.value("devices", 0), run.value("wall_s", 0.0), run.value("peak_rss_mb", 0.0),
                   whole || r.value("status", "") == "ok"});
  }
  return out;
}

/// Reads and solves one input; what the whole process costs is seen from outside. Exit code 0 solved, 3
/// nothing fits, 1 anything else.
int solveInput(const std::filesystem::path& path, int devices, int top) {
  auto imported = readNestArtifact(contents(path), path.string(), devices);
  if (!imported || !imported->cluster || !imported->job) return 1;
  Scenario s;
  s.cluster = *imported->cluster;
  s.job = *imported->job;
  s.model.graph = std::make_shared<const LayerGraph>(std::move(imported->graph));
  s.model.profile = std::make_shared<const Profile>(std::move(imported->profile));
  auto problem = buildProblem(s);
  if (!problem) return 1;
  problem->search.topPlans = top;
  const Outcome o = solve(*problem);
  return o.status == OutcomeStatus::Optimal ? 0 : o.status == OutcomeStatus::Infeasible ? 3 : 1;
}

struct Measured {
  double seconds = 0, megabytes = 0;
  int code = 1;
};

Measured measured(const std::filesystem::path& path, int devices, int top) {
  const auto begin = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child == 0) _exit(solveInput(path, devices, top));
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(),
          static_cast<double>(usage.ru_maxrss) / 1024, WIFEXITED(status) ? WEXITSTATUS(status) : 1};
}

/// The median of several runs.
Measured median(const std::filesystem::path& path, int devices, int runs, int top) {
  std::vector<Measured> all;
  for (int i = 0; i < runs; ++i) all.push_back(measured(path, devices, top));
  std::sort(all.begin(), all.end(),
            [](const Measured& a, const Measured& b) { return a.seconds < b.seconds; });
  return all[all.size() / 2];
}

struct Sum {
  double logRatio = 0, least = INFINITY, most = 0, ours = 0, theirs = 0;
  int count = 0;

  void add(double our, double their) {
    const double ratio = their / our;
    logRatio += std::log(ratio);
    least = std::min(least, ratio);
    most = std::max(most, ratio);
    ours += our;
    theirs += their;
    ++count;
  }
};

}  // namespace

int main(int argc, char** argv) {
  std::filesystem::path folder = "../shared/reference/nest";
  std::string filter;
  int runs = 3, top = 1;
  for (int i = 1; i < argc; ++i) {
    const std::string a = argv[i];
    if (a == "--data" && i + 1 < argc)
      folder = argv[++i];
    else if (a == "--runs" && i + 1 < argc)
      runs = std::max(1, std::atoi(argv[++i]));
    else if (a == "--top" && i + 1 < argc)
      top = std::max(1, std::atoi(argv[++i]));
    else
      filter = a;
  }
  const auto all = recordedRuns(folder);
  if (all.empty()) {
    std::printf("skipped: %s holds no results.json of the NEST artifact; give --data FOLDER\n",
                folder.string().c_str());
    return 0;
  }
  std::printf("%-44s %7s  %10s %9s  %11s %10s  %8s\n", "Input", "Devices", "Ours", "Peak", "Artifact", "Peak",
              "Ratio");
  Sum time, memory;
  for (const Recorded& r : all) {
    if (r.input.find(filter) == std::string::npos || !std::filesystem::exists(folder / "inputs" / r.input))
      continue;
    const Measured m = median(folder / "inputs" / r.input, r.devices, runs, top);
    std::printf("%-44s %7d  %7.1f ms %6.1f MB  %9.2f s %7.0f MB  %7.0fx  %s%s\n", r.input.c_str(), r.devices,
                1e3 * m.seconds, m.megabytes, r.seconds, r.megabytes, r.seconds / m.seconds,
                m.code == 0   ? ""
                : m.code == 3 ? "nothing fits here"
                              : "failed here",
                r.solved ? "" : " (the artifact found no plan or crashed)");
    std::fflush(stdout);
    if (!r.solved || m.code == 1) continue;
    time.add(m.seconds, r.seconds);
    memory.add(m.megabytes, r.megabytes);
  }
  if (time.count == 0) return 0;
  std::printf(
      "\n%d runs that both finish: the artifact takes %.0f times as long (geometric mean; %.1f to %.0f), "
      "%.1f s for all beside %.2f s, and %.1f times the memory (%.1f to %.0f)\n",
      time.count, std::exp(time.logRatio / time.count), time.least, time.most, time.theirs, time.ours,
      std::exp(memory.logRatio / memory.count), memory.least, memory.most);
}
