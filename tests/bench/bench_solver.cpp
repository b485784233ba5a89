// The speed table of STATEMENT.md §6. Each case runs in a process of its own: time of solve() alone (median,
// least, most of several runs) and the peak memory of the whole process.
//
//   bench_solver [FILTER|=NAME] [--runs N] [--top K] [--deadline SECONDS] [--wider] [--divisors]
//
// --divisors: tensor degrees divide the host, as all did at first: to compare with programs of that time.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "analytic/transformer.h"
#include "bench_models.h"
#include "cluster/devices/device_catalog.h"
#include "solver/solve.h"
#include "units/text.h"

using namespace nest;
using bench::llama;
using bench::mixtral;

namespace {

struct Case {
  std::string name;
  double targetSeconds, targetMegabytes;
  std::function<Problem()> make;
};

TransformerArchitecture gpt3() {
  TransformerArchitecture a;
  a.family = "gpt2";
  a.name = "GPT-3 175B";
  a.hidden = 12288, a.intermediate = 49152, a.layers = 96, a.heads = 96, a.keyValueHeads = 96,
  a.headDim = 128;
  a.vocabulary = 50257, a.maxPositions = 2048;
  a.gatedMlp = false,
  a.tiedEmbeddings = a.learnedPositions = a.projectionBias = a.attentionBias = a.layerNorm = true;
  return a;
}

Hierarchy cluster(std::vector<int> fanouts) {
  static constexpr double kBandwidth[] = {450e9, 50e9, 25e9, 12.5e9}, kLatency[] = {2e-6, 5e-6, 8e-6, 12e-6};
  HierarchyInput in;
  in.device = *findDevice("h100-sxm");
  in.fanouts = std::move(fanouts);
  for (std::size_t l = 0; l < in.fanouts.size(); ++l)
    in.levels.push_back({"level " + std::to_string(l), BytesPerSecond(kBandwidth[l]), Seconds(kLatency[l])});
  return *Hierarchy::build(in);
}

/// Gives every layer a class of its own, with all figures within ±30 %.
void vary(LayerGraph& graph, Profile& profile) {
  Profile varied(profile.strategies(), profile.microbatches(), graph.layerCount(),
                 static_cast<int>(graph.tensors.size()));
  varied.tied = profile.tied;
  std::uint64_t state = 42;
  const auto factor = [&state] {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return 0.7 + 0.6 * static_cast<double>(state >> 40) / static_cast<double>(1 << 24);
  };
  for (int x = 0; x < graph.layerCount(); ++x) {
    Layer& layer = graph.layers[x];
    const double time = factor(), memory = factor(), bytes = factor();
    for (int k = 0; k < static_cast<int>(profile.strategies().size()); ++k)
      for (int b = 0; b < static_cast<int>(profile.microbatches().size()); ++b) {
        const LayerCost* cost = profile.cost(layer.classId, k, b);
        if (!cost) continue;
        LayerCost c = *cost;
        c.forward *= time, c.backward *= time;
        c.denseParameters *= memory, c.expertParameters *= memory;
        for (auto& r : c.recompute) r.stash *= memory, r.extraBackward *= time, r.workspace *= memory;
        for (auto& e : c.collectives) e.bytes *= bytes;
        varied.setCost(x, k, b, c);
      }
    layer.classId = x;
  }
  for (int t = 0; t < static_cast<int>(graph.tensors.size()); ++t)
    for (int k = 0; k < static_cast<int>(profile.strategies().size()); ++k)
      for (int b = 0; b < static_cast<int>(profile.microbatches().size()); ++b)
        varied.setTensorBytes(t, k, b, profile.tensorBytes(t, k, b));
  graph.classCount = graph.layerCount();
  profile = std::move(varied);
}

bool divisorsOnly = false;

/// `ask`: what is searched, and under which constraints.
Problem asked(const TransformerArchitecture& model, std::vector<int> fanouts, int batch, int sequence,
              bool varied, const std::function<void(Problem&)>& ask, bool single = false) {
  Problem p;
  const int host = fanouts.front();
  p.cluster = std::make_shared<const Hierarchy>(cluster(std::move(fanouts)));
  p.job.globalBatch = batch;
  p.job.sequenceLength = sequence;
  p.job.microbatches = {1, 2, 4};
  ask(p);
  auto strategies = strategiesOnOffer(model, p.search, p.constraints, p.job, host, p.cluster->deviceCount());
  if (single) strategies = {Strategy{host, true, 1, 1}};
  if (divisorsOnly) std::erase_if(strategies, [&](const Strategy& s) { return host % s.tensor != 0; });
  auto [graph, profile] = analyticProfile(model, p.cluster->device(), p.job, strategies);
  if (varied) vary(graph, profile);
  p.graph = std::make_shared<const LayerGraph>(std::move(graph));
  p.profile = std::make_shared<const Profile>(std::move(profile));
  return p;
}

Problem problem(const TransformerArchitecture& model, std::vector<int> fanouts, int batch, int sequence,
                bool varied, bool single = false, bool freeStrategy = false) {
  const auto ask = [&](Problem& p) {
    if (single) p.job.microbatches = {1};
    p.search.strategyPerStage = freeStrategy;
  };
  return asked(model, std::move(fanouts), batch, sequence, varied, ask, single);
}

/// Every tensor degree of a range, a strategy for each stage.
std::function<void(Problem&)> degrees(int least, int most) {
  return [=](Problem& p) {
    p.search.strategyPerStage = true;
    p.search.preset = SearchPreset::Free;
    p.constraints.tensor = {least, most};
    p.search.deadlineSeconds = 60;
  };
}

/// Layer `each`·i stands in stage i, for so many stages.
std::function<void(Problem&)> pinned(int stages, int each) {
  return [=](Problem& p) {
    p.search.strategyPerStage = true;
    p.search.deadlineSeconds = 60;
    for (int i = 0; i < stages; ++i) p.constraints.layerPins.push_back({LayerIndex(each * i), StageIndex(i)});
  };
}

/// All that a search can leave open.
void everything(Problem& p) {
  p.job.microbatches = {1};
  p.search.preset = SearchPreset::Free;
  p.search.strategyPerStage = p.search.padLastMicrobatch = p.search.contextParallel = true;
  p.search.chunksPerStage = {1, 2, 3, 7};
  p.search.shardGroups = ShardGroups::Levels;
  p.search.schedules = {ScheduleKind::OneForwardOneBackward, ScheduleKind::Interleaved, ScheduleKind::ZbH1,
                        ScheduleKind::ZbV, ScheduleKind::DualPipeV};
  p.search.deadlineSeconds = 60;
}

/// Cuts the chain into towers that stand side by side and meet in the last layer. With `crossing` they are
/// encoder and decoder: what ends a tower is read by all layers of the next but its first.
Problem sideBySide(Problem p, int towers, bool crossing) {
  LayerGraph g = *p.graph;
  const int last = g.layerCount() - 1, each = last / towers;
  for (Tensor& t : g.tensors) {
    const int end = t.producer.value + 1;
    if (end % each != 0 || end >= each * towers) continue;
    t.consumers.clear();
    for (int x = crossing ? end + 1 : last; x <= last; ++x) t.consumers.emplace_back(x);
  }
  p.graph = std::make_shared<const LayerGraph>(std::move(g));
  p.search.deadlineSeconds = 20;  // thousands of downsets take longer: then the gap is of interest
  return p;
}

std::vector<Case> cases() {
  const auto gpt = gpt3();
  const auto l70 = llama("Llama-3 70B", 8192, 28672, 80, 64),
             l405 = llama("Llama-3 405B", 16384, 53248, 126, 128);
  const auto mix = mixtral();
  const std::vector<int> small = {8, 4, 32}, small6 = {6, 4, 43}, large = {8, 32, 64}, large6 = {6, 32, 86},
                         huge = {8, 32, 32, 16}, huge6 = {6, 32, 32, 22};
  std::vector<Case> all;
  const auto add = [&](std::string name, double seconds, double megabytes, auto make) {
    all.push_back({std::move(name), seconds, megabytes, make});
  };
  for (const bool varied : {false, true}) {
    const std::string end = varied ? " ±30%" : "";
    add("gpt3 1024 one strategy" + end, 0.010, 50,
        [=] { return problem(gpt, small, 1536, 2048, varied, true); });
    add("gpt3 1024" + end, 0.050, 100, [=] { return problem(gpt, small, 1536, 2048, varied); });
    add("gpt3 1032 hosts of 6" + end, 0.050, 100, [=] { return problem(gpt, small6, 1536, 2048, varied); });
    for (const auto& [name, model] :
         {std::pair("llama70", l70), std::pair("llama405", l405), std::pair("mixtral", mix)}) {
      add(std::string(name) + " 16384" + end, 0.2, 150,
          [=] { return problem(model, large, 2048, 8192, varied); });
      add(std::string(name) + " 16512 hosts of 6" + end, 1, 150,
          [=] { return problem(model, large6, 2048, 8192, varied); });
      add(std::string(name) + " 131072" + end, varied ? 5 : 2, 250,
          [=] { return problem(model, huge, 16384, 8192, varied); });
    }
    add("llama405 135168 hosts of 6" + end, varied ? 5 : 2, 250,
        [=] { return problem(l405, huge6, 16384, 8192, varied); });
    add("gpt3 1024 free" + end, 5, 500, [=] { return problem(gpt, small, 1536, 2048, varied, false, true); });
    add("llama70 1024 free" + end, 5, 500,
        [=] { return problem(l70, small, 1024, 8192, varied, false, true); });
    add("mixtral 1024 free" + end, 5, 500,
        [=] { return problem(mix, small, 1024, 8192, varied, false, true); });
  }
  // No targets in STATEMENT.md: chunks together with a strategy for each stage.
  const auto chunked = [](Problem p, std::vector<int> chunks) {
    p.search.chunksPerStage = std::move(chunks);
    p.search.deadlineSeconds = 20;
    return p;
  };
  for (const bool varied : {false, true}) {
    const std::string end = varied ? " ±30%" : "";
    add("gpt3 1024 free, 1 or 2 chunks" + end, 5, 500, [=] {
      return chunked(problem(gpt, small, 1536, 2048, varied, false, true), {1, 2});
    });
    add("gpt3 1024 free, 1 to 4 chunks" + end, 5, 500, [=] {
      return chunked(problem(gpt, small, 1536, 2048, varied, false, true), {1, 2, 3, 4});
    });
    add("llama70 1024 free, 1 to 4 chunks" + end, 5, 500, [=] {
      return chunked(problem(l70, small, 1024, 8192, varied, false, true), {1, 2, 3, 4});
    });
    add("mixtral 1024 free, 1 to 4 chunks" + end, 5, 500, [=] {
      return chunked(problem(mix, small, 1024, 8192, varied, false, true), {1, 2, 3, 4});
    });
  }
  // Nor here: what downsets cost.
  const auto model = [l70](int layers) {
    auto m = l70;
    m.layers = layers;
    return m;
  };
  // Degrees without a common divisor, many pinned stages, everything at once.
  const std::vector<std::pair<std::string, std::vector<int>>> odd = {{"64", {16, 4}},
                                                                     {"60 hosts of 10", {10, 6}},
                                                                     {"256", {16, 16}},
                                                                     {"1020 hosts of 10", {10, 6, 17}},
                                                                     {"1024", {16, 4, 16}}};
  for (const bool varied : {false, true})
    for (const auto& [name, fanouts] : odd)
      for (const auto& [least, most] : {std::pair(9, 11), std::pair(5, 7), std::pair(3, 11)}) {
        const std::string end = " " + name + " free, TP " + std::to_string(least) + " to " +
                                std::to_string(most) + (varied ? " ±30%" : "");
        add("gpt3" + end, 5, 500,
            [=] { return asked(gpt, fanouts, 1536, 2048, varied, degrees(least, most)); });
        add("llama70" + end, 5, 500,
            [=] { return asked(l70, fanouts, 1024, 8192, varied, degrees(least, most)); });
      }
  for (const bool varied : {false, true})
    for (const int stages : {50, 100, 200, 500}) {
      auto deep = gpt;
      deep.layers = 1000, deep.hidden = 4096, deep.intermediate = 16384, deep.heads = 32,
      deep.keyValueHeads = 32;
      add("gpt3 1000 blocks, " + std::to_string(stages) + " pinned, 1024 free" + (varied ? " ±30%" : ""), 60,
          500, [=] { return asked(deep, small, 1536, 2048, varied, pinned(stages, 1000 / stages)); });
    }
  add("llama405 18432 free, everything", 60, 500, [=] {
    return asked(l405, {8, 384, 6}, 2048, 8192, false, everything);
  });
  add("encoder-decoder 2×48 1024", 5, 500,
      [=] { return sideBySide(problem(model(96), small, 1024, 8192, false), 2, true); });
  add("encoder-decoder 2×48 1024 free", 5, 500,
      [=] { return sideBySide(problem(model(96), small, 1024, 8192, false, false, true), 2, true); });
  add("two towers 2×24 1024", 5, 500,
      [=] { return sideBySide(problem(model(48), small, 1024, 8192, false), 2, false); });
  add("two towers 2×48 1024", 30, 500,
      [=] { return sideBySide(problem(model(96), small, 1024, 8192, false), 2, false); });
  add("two towers 2×24 1024 free", 5, 500,
      [=] { return sideBySide(problem(model(48), small, 1024, 8192, false, false, true), 2, false); });
  add("two towers 2×48 1024 free", 30, 500,
      [=] { return sideBySide(problem(model(96), small, 1024, 8192, false, false, true), 2, false); });
  add("two towers 2×48 1024 ±30%", 30, 500,
      [=] { return sideBySide(problem(model(96), small, 1024, 8192, true), 2, false); });
  add("three towers 3×16 64", 30, 500, [=] {
    return sideBySide(problem(model(48), {8, 8}, 256, 8192, false), 3, false);
  });
  add("three towers 3×32 64, 36,000 cuts", 60, 1000, [=] {
    return sideBySide(problem(model(96), {8, 8}, 256, 8192, false, true), 3, false);
  });
  return all;
}

double peakMegabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

void runCase(const Case& c, int runs, int top, double deadline, bool wider) {
  Problem p = c.make();
  if (top > 0) p.search.topPlans = top;
  if (deadline > 0) p.search.deadlineSeconds = deadline;
  Control control;
  control.front = wider ? FrontEffort::Wider : FrontEffort::Usual;
  const double before = peakMegabytes();
  std::vector<double> seconds, processor;
  Outcome outcome;
  for (int i = 0; i < runs; ++i) {
    const std::clock_t begin = std::clock();
    outcome = solve(p, control);
    processor.push_back(static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
    seconds.push_back(outcome.statistics.elapsed.value());
  }
  std::sort(seconds.begin(), seconds.end());
  std::sort(processor.begin(), processor.end());
  const double median = seconds[seconds.size() / 2], peak = peakMegabytes();
  std::printf(
      "%-36s %9.2f ms [%8.2f %8.2f] cpu %8.2f target %6.0f %s %6.1f MB (%.1f before) target %4.0f %s  %s\n",
      c.name.c_str(), 1e3 * median, 1e3 * seconds.front(), 1e3 * seconds.back(),
      1e3 * processor[processor.size() / 2], 1e3 * c.targetSeconds,
      median <= c.targetSeconds ? "ok  " : "OVER", peak, before, c.targetMegabytes,
      peak <= c.targetMegabytes ? "ok  " : "OVER", nameOf(outcome.status));
  const auto& s = outcome.statistics;
  std::printf("    %lld candidates, %lld tuples, %lld states; %s, %s\n", s.candidates, s.tuples, s.states,
              outcome.best() ? text::time(outcome.best()->evaluation.batchTime).c_str() : "nothing fits",
              outcome.best() ? summaryOf(outcome.best()->plan).c_str() : "");
  if (wider) std::printf("    %s front of %zu plans\n", nameOf(outcome.frontReach), outcome.front.size());
  if (outcome.status == OutcomeStatus::BestSoFar)
    std::printf("    lower bound %s, gap %.3f %%\n", text::time(outcome.lowerBound).c_str(),
                100 * outcome.gap().value_or(1));
  for (const auto& d : outcome.diagnostics) std::printf("    %s\n", toText(d).c_str());
}

}  // namespace

int main(int argc, char** argv) {
  std::string filter;
  int runs = 5, top = 0;
  double deadline = 0;
  bool wider = false;
  for (int i = 1; i < argc; ++i) {
    const std::string a = argv[i];
    if (a == "--runs" && i + 1 < argc)
      runs = std::max(1, std::atoi(argv[++i]));
    else if (a == "--top" && i + 1 < argc)
      top = std::atoi(argv[++i]);
    else if (a == "--deadline" && i + 1 < argc)
      deadline = std::atof(argv[++i]);
    else if (a == "--wider")
      wider = true;
    else if (a == "--divisors")
      divisorsOnly = true;
    else
      filter = a;
  }
  for (const Case& c : cases()) {
    if (filter.starts_with('=') ? c.name != filter.substr(1) : c.name.find(filter) == std::string::npos)
      continue;
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
      runCase(c, runs, top, deadline, wider);
      std::fflush(stdout);
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (status != 0) std::printf("%-36s ended with status %d\n", c.name.c_str(), status);
  }
}
