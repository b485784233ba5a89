// What the choice of hosts is worth, and how far it is proven: random half-busy clusters of 64 hosts, 8 a
// leaf, with a few models and numbers of devices; each planned in the network's order and on any line.
//
//   bench_lines [COUNT] [--without-crossings] [--detail] [--leaves N] [--busy SHARE]
//
// Gaps are (time − bound) ÷ time over all sets and orders of hosts; times are processor times.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <random>
#include <string>
#include <vector>

#include "analytic/transformer.h"
#include "bench_models.h"
#include "cluster/devices/device_catalog.h"
#include "solver/even_hosts.h"
#include "solver/search_bound.h"
#include "solver/solve.h"
#include "solver/tuning.h"

using namespace nest;
using bench::llama;
using bench::mixtral;

namespace {

struct Options {
  int count = 200, leaves = 8;
  double busy = 0.5;
  bool detail = false;
  Tuning tuning;
};

Problem halfBusy(std::mt19937_64& random, const Options& options, std::string& name) {
  HierarchyInput in;
  in.device = *findDevice("h100-sxm");
  in.fanouts = {8, 8, options.leaves};
  const double spine = random() % 2 ? 12.5e9 : 25e9;
  in.levels = {{"host", BytesPerSecond(450e9), Seconds(2e-6)},
               {"leaf", BytesPerSecond(50e9), Seconds(4e-6)},
               {"spine", BytesPerSecond(spine), Seconds(5e-6)}};
  std::uniform_real_distribution<double> share(0, 1);
  int hosts = 0;
  for (int h = 0; h < 8 * options.leaves; ++h)
    if (share(random) < options.busy)
      for (int i = 0; i < 8; ++i) in.excluded.push_back(8 * h + i);
    else
      ++hosts;
  Problem p;
  p.cluster = std::make_shared<const Hierarchy>(*Hierarchy::build(in));
  const TransformerArchitecture models[] = {llama("Llama-3 8B", 4096, 14336, 32, 32),
                                            llama("Llama-3 70B", 8192, 28672, 80, 64), mixtral()};
  const TransformerArchitecture& model = models[random() % 3];
  p.job.globalBatch = 64 << (random() % 3);
  p.job.sequenceLength = 4096;
  p.job.microbatches = {1, 2};
  const int parts[] = {0, 2, 3, 4};  // of all free hosts, or of an eighth, so many eighths and more
  const int part = parts[random() % 4];
  if (part > 0) {
    const int devices = std::max(1, hosts * (part + 3) / 8) * 8;
    p.constraints.devices = {devices, devices};
  }
  const auto strategies =
      strategiesOnOffer(model, p.search, p.constraints, p.job, 8, p.cluster->deviceCount());
  auto [graph, profile] = analyticProfile(model, p.cluster->device(), p.job, strategies);
  p.graph = std::make_shared<const LayerGraph>(std::move(graph));
  p.profile = std::make_shared<const Profile>(std::move(profile));
  p.search.topPlans = 1;
  name = model.name + ", " + std::to_string(hosts) + " hosts, batch " + std::to_string(p.job.globalBatch) +
         (part > 0 ? ", " + std::to_string(*p.constraints.devices.least) + " devices" : "");
  return p;
}

double processorSeconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

void print(const char* what, std::vector<double> values, double unit, const char* name) {
  if (values.empty()) return;
  std::sort(values.begin(), values.end());
  const auto at = [&](double q) {
    return unit * values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1))];
  };
  double sum = 0;
  for (const double v : values) sum += v;
  std::printf("%s: mean %.3g, half %.3g, 9 of 10 %.3g, most %.3g %s\n", what,
              unit * sum / static_cast<double>(values.size()), at(0.5), at(0.9), at(1), name);
}

Options optionsOf(int argc, char** argv) {
  Options o;
  for (int i = 1; i < argc; ++i) {
    const std::string a = argv[i];
    if (a == "--without-crossings")
      o.tuning.withoutBounds.set(static_cast<std::size_t>(SearchBound::Crossings));
    else if (a == "--detail")
      o.detail = true;
    else if (a == "--leaves" && i + 1 < argc)
      o.leaves = std::max(1, std::atoi(argv[++i]));
    else if (a == "--busy" && i + 1 < argc)
      o.busy = std::atof(argv[++i]);
    else
      o.count = std::max(1, std::atoi(argv[i]));
  }
  return o;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = optionsOf(argc, argv);
  std::mt19937_64 random(1);
  std::vector<double> gaps, saved, inOrder, onLines;
  int planned = 0, proven = 0, above = 0;
  for (int i = 0; i < options.count; ++i) {
    std::string name;
    const Problem p = halfBusy(random, options, name);
    double begin = processorSeconds();
    const Outcome ordered = solve(p, {}, nullptr, options.tuning);
    inOrder.push_back(processorSeconds() - begin);
    begin = processorSeconds();
    const Outcome o = solveOnEvenHosts(p, {}, nullptr, options.tuning);
    onLines.push_back(processorSeconds() - begin);
    if (!o.best()) continue;
    ++planned;
    const double time = o.best()->evaluation.batchTime.value(), gap = o.gap().value_or(1);
    proven += o.status == OutcomeStatus::Optimal;
    above += gap > 0.005;
    gaps.push_back(gap);
    if (ordered.best()) saved.push_back(1 - time / ordered.best()->evaluation.batchTime.value());
    if (options.detail)
      std::printf("%3d %-60s %-10s gap %.3f %%, saved %.3f %%, %.1f → %.1f ms, %s\n", i, name.c_str(),
                  nameOf(o.status), 100 * gap, saved.empty() ? 0 : 100 * saved.back(), 1e3 * inOrder.back(),
                  1e3 * onLines.back(), summaryOf(o.best()->plan).c_str());
  }
  std::printf("%d clusters, %d with a plan: %d proven, %d with a gap above 0.5 %%\n", options.count, planned,
              proven, above);
  print("gap", gaps, 100, "%");
  print("saved against the network's order", saved, 100, "%");
  print("in order", inOrder, 1e3, "ms");
  print("on any line", onLines, 1e3, "ms");
}
