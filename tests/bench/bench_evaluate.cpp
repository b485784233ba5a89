#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "evaluation/evaluation.h"
#include "evaluation/schedule.h"
#include "evaluation/traffic.h"

// What the evaluator, the simulation and the traffic of one plan take on large clusters.

using namespace nest;

namespace {

/// GPT-3-like: 96 blocks between an embedding and a head, tensor degree 8 with sequence parallelism and
/// experts of degree 4.
Problem problem(const std::vector<int>& fanouts, int hostLoss) {
  Problem p;
  HierarchyInput in;
  in.device.memory.value = Bytes(80e9);
  in.device.memoryBandwidth.value = BytesPerSecond(3.35e12);
  in.levels = {{"host", BytesPerSecond(450e9), Seconds(2e-6)},
               {"rack", BytesPerSecond(50e9), Seconds(5e-6)},
               {"pod", BytesPerSecond(25e9), Seconds(1e-5)}};
  in.fanouts = fanouts;
  for (int k = 0; k < hostLoss; ++k) in.excluded.push_back(k * 8 * 5);  // hosts of 7 among those of 8
  p.cluster = std::make_shared<const Hierarchy>(*Hierarchy::build(in));
  std::vector<Layer> layers;
  for (int x = 0; x < 98; ++x)
    layers.push_back({"layer",
                      x == 0    ? LayerKind::Embedding
                      : x == 97 ? LayerKind::Head
                                : LayerKind::Block,
                      x == 0    ? 0
                      : x == 97 ? 2
                                : 1});
  p.graph = std::make_shared<const LayerGraph>(LayerGraph::chain(layers));
  const Strategy s{8, true, 1, 4};
  Profile profile({s}, {1}, 3, 97);
  LayerCost c;
  c.forward = Seconds(1e-3);
  c.backward = Seconds(2e-3);
  c.denseParameters = 1e8;
  c.expertParameters = 1e8;
  for (auto& r : c.recompute) r.stash = Bytes(1e8);
  for (const auto phase : {Phase::Forward, Phase::Backward})
    c.collectives.insert(c.collectives.end(),
                         {{CollectiveKind::AllGather, GroupKind::Tensor, phase, Bytes(5e7), 2},
                          {CollectiveKind::ReduceScatter, GroupKind::Tensor, phase, Bytes(5e7), 2},
                          {CollectiveKind::AllToAll, GroupKind::Expert, phase, Bytes(2e7), 2}});
  for (int k = 0; k < 3; ++k) profile.setCost(k, 0, 0, c);
  for (int t = 0; t < 97; ++t) profile.setTensorBytes(t, 0, 0, Bytes(5e7));
  p.profile = std::make_shared<const Profile>(profile);
  p.job.globalBatch = 8192;
  p.job.microbatches = {1};
  return p;
}

Plan plan(const Problem& p, int stages, int degree, int inner) {
  Plan out;
  out.dataInner = inner;
  out.dataOuter = degree / inner;
  out.zero = 1;
  out.stages.resize(stages);
  for (int x = 0; x < 98; ++x) {
    auto& chunks = out.stages[x * stages / 98].chunks;
    chunks.resize(1);
    chunks[0].push_back(LayerIndex(x));
  }
  for (StagePlan& s : out.stages) s.strategy = p.profile->strategies().front();
  out.blockStride = out.pipelineWidth();
  return out;
}

template <class Work>
double median(const Work& work) {
  std::vector<double> times;
  for (int k = 0; k < 9; ++k) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

void row(const char* name, const std::vector<int>& fanouts, int hostLoss, int stages, int degree, int inner) {
  const Problem p = problem(fanouts, hostLoss);
  const Plan q = plan(p, stages, degree, inner);
  const Evaluation e = evaluate(p, q);
  const Traffic traffic(p, q);
  const auto buckets = evenBuckets(*p.cluster, 512);
  fmt::print("{:<34} {:>9.3f} {:>9.3f} {:>9.3f} {:>9.3f}\n", name, 1e3 * median([&] { evaluate(p, q); }),
             1e3 * median([&] { simulate(p, q, e, ScheduleKind::OneForwardOneBackward, false); }),
             1e3 * median([&] { Traffic(p, q); }), 1e3 * median([&] { traffic.matrix(buckets); }));
}

}  // namespace

int main() {
  fmt::print("{:<34} {:>9} {:>9} {:>9} {:>9}\n", "ms, median of 9", "evaluate", "simulate", "traffic",
             "512×512");
  row("1,024 devices, p8 d16", {8, 4, 32}, 0, 8, 16, 4);
  row("16,384 devices, p16 d128", {8, 16, 128}, 0, 16, 128, 8);
  row("16,384 devices, p1 d2048", {8, 16, 128}, 0, 1, 2048, 2048);
  row("16,374 devices, hosts of 7, p8 d128", {8, 16, 128}, 10, 8, 128, 8);
  row("131,072 devices, p16 d1024", {8, 16, 1024}, 0, 16, 1024, 8);
}
