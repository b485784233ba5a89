// How long the best whole plans through the cells of a DP table take, and how far the limits of work reach
// that the window (200,000 units) and paper (15,000) set: processor seconds, and the peak memory of the
// process so far.
//   bench_dp_table [LAYERS STAGES]...
// Without numbers: the tables of 32 to 1,000 layers on 8 to 64 stages, each layer with values of its own.
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <utility>
#include <vector>

#include "analytic/transformer.h"
#include "bench_models.h"
#include "cluster/devices/device_catalog.h"
#include "solver/dp_through.h"

using namespace nest;

namespace {

double processorSeconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

double peakGibibytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / (1024 * 1024);
}

Problem chainOf(int layers, int stages) {
  HierarchyInput in;
  in.device = *findDevice("h100-sxm");
  in.fanouts = {8, stages};
  in.levels = {{"host", BytesPerSecond(450e9), Seconds(2e-6)}, {"rack", BytesPerSecond(50e9), Seconds(5e-6)}};
  Problem p;
  p.cluster = std::make_shared<const Hierarchy>(*Hierarchy::build(in));
  p.job.globalBatch = 4 * stages;
  p.job.sequenceLength = 4096;
  p.job.microbatches = {1};
  const TransformerArchitecture model = bench::llama("chain", 2048, 8192, layers - 2, 16);
  auto [graph, profile] = analyticProfile(model, p.cluster->device(), p.job, {Strategy{8, true, 1, 1}});
  // Layers that differ, or most ways to cut them would be the same.
  Profile varied(profile.strategies(), profile.microbatches(), graph.layerCount(),
                 static_cast<int>(graph.tensors.size()));
  std::uint64_t state = 42;
  for (int x = 0; x < graph.layerCount(); ++x) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    const double factor = 0.7 + 0.6 * static_cast<double>(state >> 40) / static_cast<double>(1 << 24);
    LayerCost c = *profile.cost(graph.layers[static_cast<std::size_t>(x)].classId, 0, 0);
    c.forward *= factor, c.backward *= factor, c.denseParameters *= 1.4 - 0.4 * factor;
    varied.setCost(x, 0, 0, c);
    graph.layers[static_cast<std::size_t>(x)].classId = x;
  }
  for (int t = 0; t < static_cast<int>(graph.tensors.size()); ++t)
    varied.setTensorBytes(t, 0, 0, profile.tensorBytes(t, 0, 0));
  graph.classCount = graph.layerCount();
  p.graph = std::make_shared<const LayerGraph>(std::move(graph));
  p.profile = std::make_shared<const Profile>(std::move(varied));
  return p;
}

Plan evenPlan(const Problem& p, int stages) {
  Plan plan;
  plan.stages.resize(static_cast<std::size_t>(stages));
  const int layers = p.graph->layerCount();
  for (int i = 0; i < stages; ++i) {
    StagePlan& s = plan.stages[static_cast<std::size_t>(i)];
    s.strategy = {8, true, 1, 1};
    s.chunks.resize(1);
    for (int x = i * layers / stages; x < (i + 1) * layers / stages; ++x) s.chunks.front().emplace_back(x);
  }
  plan.microbatch = 1;
  return plan;
}

void measure(int layers, int stages) {
  const Problem p = chainOf(layers, stages);
  std::string why;
  double before = processorSeconds();
  std::shared_ptr<const DpProbe> probe = DpProbe::of(p, evenPlan(p, stages), why);
  if (!probe) {
    std::printf("%5d layers, %3d stages: %s\n", layers, stages, why.c_str());
    return;
  }
  std::printf("%5d layers, %3d stages: table %.2f s", layers, stages, processorSeconds() - before);
  for (const long long units : {15'000LL, 200'000LL}) {
    Control control;
    control.work = std::make_shared<WorkLimit>(units);
    before = processorSeconds();
    const bool ended = DpThrough::of(probe, control) != nullptr;
    std::printf("; %lld units %s after %.2f s", units, ended ? "done" : "given up",
                processorSeconds() - before);
    std::fflush(stdout);
  }
  std::printf("; peak %.2f GiB\n", peakGibibytes());
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::pair<int, int>> cases;
  for (int k = 1; k + 1 < argc; k += 2) cases.emplace_back(std::atoi(argv[k]), std::atoi(argv[k + 1]));
  if (cases.empty()) cases = {{32, 8}, {128, 16}, {128, 64}, {400, 16}, {1000, 8}, {1000, 16}, {1000, 64}};
  for (const auto& [layers, stages] : cases) measure(layers, stages);
}
