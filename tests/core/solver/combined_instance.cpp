#include "combined_instance.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>
#include <string>

#include "evaluation/evaluation.h"
#include "fields/field.h"
#include "formats/scenario/scenario_json.h"
#include "scenario/scenario.h"
#include "solver/exhaustive.h"

namespace nest::test {
namespace {

/// One of the plans that fit, each as likely as any; else none.
std::optional<Plan> planOf(const Problem& p, Dice& dice) {
  std::optional<Plan> kept;
  int fit = 0;
  visitPlans(p, [&](const Plan& plan) {
    if (dice.chance(0.1) && evaluate(p, plan).feasible() && dice.between(0, fit++) == 0) kept = plan;
    return true;
  });
  return kept;
}

/// The layers at which a part other than the first begins.
std::set<int> cutsOf(const Plan& plan) {
  std::set<int> cuts;
  const int stages = plan.stageCount();
  for (int k = 1; k < stages * plan.chunksPerStage(); ++k) {
    const auto& chunks =
        plan.stages[static_cast<std::size_t>(plan.pipelineSchedule().stageOf(k, stages))].chunks;
    cuts.insert(chunks[static_cast<std::size_t>(k / stages)].front().value);
  }
  return cuts;
}

void boundAround(Bound& b, int value, Dice& dice) {
  if (!dice.chance(0.25)) return;
  if (dice.chance(0.6)) b.least = std::max(0, value - dice.between(0, 1));
  if (dice.chance(0.6)) b.most = value + dice.between(0, 1);
}

double peakOf(const Evaluation& e) {
  double peak = 0;
  for (const StageEvaluation& s : e.stages) peak = std::max(peak, s.memory.total().value());
  return peak;
}

double logBetween(double low, double high, Dice& dice) {
  return low * std::pow(high / low, dice.unit());
}

/// Near what it was, or anywhere.
double numberFor(const Field& field, double now, Dice& dice) {
  const double most = std::min(field.most, 1e15), tiny = field.kind() == FieldKind::Whole ? 1 : most * 1e-12;
  if (now > 0 && dice.chance(0.7)) return std::clamp(now * logBetween(1.0 / 8, 8, dice), field.least, most);
  if (dice.chance(0.1)) return dice.chance(0.5) ? field.least : most;
  return std::clamp(logBetween(std::max(field.least, tiny), most, dice), field.least, most);
}

std::vector<int> someOf(const std::vector<int>& all, Dice& dice) {
  std::vector<int> some;
  for (const int v : all)
    if (dice.chance(0.5)) some.push_back(v);
  if (some.empty())
    some.push_back(all[static_cast<std::size_t>(dice.between(0, static_cast<int>(all.size()) - 1))]);
  return some;
}

void setAny(Setting& s, const Field& field, Dice& dice) {
  const auto set = [&](const FieldValue& v) { field.access.set(s, 0, v); };
  const FieldValue now = field.access.get(s, 0);
  switch (field.kind()) {
    case FieldKind::Whole:
    case FieldKind::Number: {
      const double* number = std::get_if<double>(&now);
      const double v = numberFor(field, number ? *number : field.usual, dice);
      set(field.kind() == FieldKind::Whole ? std::round(v) : v);
      break;
    }
    case FieldKind::Flag:
      set(dice.chance(0.5));
      break;
    case FieldKind::Choice:
      set(double(dice.between(0, static_cast<int>(field.options.size()) - 1)));
      break;
    case FieldKind::Flags: {
      std::vector<int> all(field.options.size());
      for (std::size_t k = 0; k < all.size(); ++k) all[k] = static_cast<int>(k);
      set(someOf(all, dice));
      break;
    }
    case FieldKind::Bound: {
      Bound b;
      boundAround(b, dice.between(static_cast<int>(field.least), 4), dice);
      set(b);
      break;
    }
    default:
      break;
  }
}

/// Which fields say something else than what is searched and what it costs, or make it too large.
bool isLeftAlone(const Field& f) {
  for (const char* key : {"/search/deadline_s", "/search/top_plans", "/search/threads",
                          "/job/sequence_length", "/job/global_batch", "/cluster/device/memory_bytes"})
    if (f.key == key) return true;
  return f.key.find('*') != std::string::npos || !f.access.set || !f.access.get;
}

/// Two or three levels; often hosts of different size, oversubscription, and devices that are slower or
/// smaller.
LevelsSource networkOf(Dice& dice) {
  LevelsSource n;
  const int levels = dice.between(2, 3), host = dice.between(1, 4);
  double bandwidth = logBetween(1e10, 1e12, dice), latency = 2e-6;
  int devices = 1;
  for (int l = 0; l < levels; ++l) {
    const int fanout = l == 0 ? host : dice.between(1, levels == 2 ? 4 : 2);
    n.levels.push_back(
        {"level " + std::to_string(l), fanout, BytesPerSecond(bandwidth), {}, Seconds(latency)});
    if (l > 0 && dice.chance(0.3)) n.levels.back().oversubscription = dice.between(1.0, 20.0);
    devices *= fanout;
    bandwidth /= logBetween(1, 30, dice);
    latency *= logBetween(1, 10, dice);
  }
  if (dice.chance(0.4) && host > 1)
    for (int h = 0; h < devices / host; ++h) n.hostSizes.push_back(dice.between(1, host));
  if (!n.hostSizes.empty()) devices = std::accumulate(n.hostSizes.begin(), n.hostSizes.end(), 0);
  if (dice.chance(0.3))
    for (int i = 0; i < devices; ++i)
      if (dice.chance(0.3))
        n.exceptions.push_back({i, {dice.chance(0.5) ? 1 : dice.between(0.4, 1.0), Bytes(0)}});
  return n;
}

std::string scenarioText(Dice& dice) {
  const bool experts = dice.chance(0.4);
  const int heads = dice.chance(0.5) ? 4 : 8, width = heads * 64 * dice.between(1, 4);
  std::string model = experts
                          ? R"("model_type": "mixtral", "num_local_experts": 4, "num_experts_per_tok": 2,)"
                          : R"("model_type": "llama",)";
  const auto field = [&](const char* name, int value) {
    model += " \"" + std::string(name) + "\": " + std::to_string(value) + ",";
  };
  field("hidden_size", width);
  field("intermediate_size", width * dice.between(2, 4));
  field("num_hidden_layers", dice.between(1, 4));
  field("num_attention_heads", heads);
  field("num_key_value_heads", dice.chance(0.5) ? heads : heads / 2);
  field("vocab_size", 1000 * dice.between(1, 64));
  field("max_position_embeddings", 4096);
  model += dice.chance(0.3) ? R"( "tie_word_embeddings": true)" : R"( "tie_word_embeddings": false)";
  const int batch = dice.between(1, 24);
  return R"({"format": "nest-scenario", "version": 1, "name": "any",
 "cluster": {"device": {"id": "any", "name": "Any", "usual_host_size": 2, "peak_flops_per_s": 100e12,
  "memory_bytes": 1e15, "memory_bandwidth_bytes_per_s": 1e12, "link_bandwidth_bytes_per_s": 100e9,
  "link_latency_s": 2e-6, "host_link_bandwidth_bytes_per_s": 10e9, "host_memory_bandwidth_bytes_per_s": 20e9},
 "network": "host:2@100GB/s,2us cluster:2@10GB/s,5us"}, "model": {"config": {)" +
         model + R"(}},
 "job": {"global_batch": )" +
         std::to_string(batch) + R"(, "sequence_length": 1024, "microbatches": [1, 2]},
 "assumptions": {"reserve_bytes": 0}})";
}

/// What the search may try, which single fields seldom say together.
void widen(Setting& s, Dice& dice) {
  SearchOptions& o = s.search;
  if (dice.chance(0.4)) o.preset = SearchPreset::Free;
  o.strategyPerStage = dice.chance(0.4);
  o.padLastMicrobatch = dice.chance(0.3);
  o.contextParallel = dice.chance(0.4);
  o.expertFolding = static_cast<ExpertFolding>(dice.between(0, 2));
  o.shardGroups = static_cast<ShardGroups>(dice.between(0, 2));
  o.zeroStages = someOf({0, 1, 2, 3}, dice);
  o.chunksPerStage = someOf({1, 1, 2, 3}, dice);
  std::erase_if(o.chunksPerStage, [n = 0](int v) mutable { return v == 1 && n++ > 0; });
  o.schedules.clear();
  for (const PipelineSchedule* one : plannedSchedules())
    if (dice.chance(0.6)) o.schedules.push_back(one->kind());
  if (o.schedules.empty()) o.schedules = {ScheduleKind::OneForwardOneBackward};
  o.topPlans = 5;
}

}  // namespace

Problem constrainedAroundAPlan(const Problem& from, std::uint64_t seed) {
  Problem p = from;
  p.constraints = {};
  Dice dice(seed ^ 0xc0117);
  const std::optional<Plan> plan = planOf(p, dice);
  if (!plan) return from;
  Constraints& c = p.constraints;
  const StagePlan& first = plan->stages.front();
  for (const auto& [bound, value] : {std::pair(&c.tensor, first.strategy.tensor),
                                     {&c.context, first.strategy.context},
                                     {&c.expert, first.strategy.expert},
                                     {&c.data, plan->dataDegree()},
                                     {&c.dataInner, plan->dataInner},
                                     {&c.stages, plan->stageCount()},
                                     {&c.microbatch, plan->microbatch},
                                     {&c.devices, plan->devicesUsed()},
                                     {&c.chunks, plan->chunksPerStage()},
                                     {&c.zero, plan->zero},
                                     {&c.shard, plan->shardDegree()}})
    if (dice.chance(0.4)) boundAround(*bound, value, dice);
  const std::set<int> cuts = cutsOf(*plan);
  const int layers = p.graph->layerCount();
  for (int x = 1; x < layers; ++x) {
    if (cuts.count(x) ? dice.chance(0.25) : false) c.requiredCuts.emplace_back(x);
    if (!cuts.count(x) && dice.chance(0.2)) c.forbiddenCuts.emplace_back(x);
  }
  for (int i = 0; i < plan->stageCount(); ++i) {
    const StagePlan& stage = plan->stages[static_cast<std::size_t>(i)];
    for (const LayerIndex x : stage.layers())
      if (dice.chance(0.15)) c.layerPins.push_back({x, StageIndex(i)});
    if (dice.chance(0.25)) {
      Constraints::StagePin pin{StageIndex(i), {}, {}};
      if (dice.chance(0.6)) pin.recompute = stage.recompute;
      if (!pin.recompute || dice.chance(0.4)) pin.strategy = stage.strategy;
      c.stagePins.push_back(pin);
    }
  }
  return p;
}

Problem problemOfAnyFields(std::uint64_t seed, long long mostPlans) {
  std::vector<const Field*> open;
  for (const Field& f : fields())
    if (!isLeftAlone(f)) open.push_back(&f);
  for (std::uint64_t attempt = 0;; ++attempt) {
    Dice dice(seed + 1000003ULL * attempt);
    auto read = readScenario(scenarioText(dice), "any.nest.json", {});
    if (!read.value) continue;
    Setting s = read.value->setting();
    s.cluster.network = networkOf(dice);
    widen(s, dice);
    for (int k = dice.between(0, 12); k > 0; --k)
      setAny(s, *open[static_cast<std::size_t>(dice.between(0, static_cast<int>(open.size()) - 1))], dice);
    const auto roomy = buildProblem(s);
    if (!roomy.value || roomy.value->graph->layerCount() > 20) continue;
    std::vector<double> peaks;
    long long plans = 0;
    const bool complete = visitPlans(*roomy.value, [&](const Plan& plan) {
      if (plans++ % 16 == 0)
        if (const Evaluation e = evaluate(*roomy.value, plan); !e.stages.empty()) peaks.push_back(peakOf(e));
      return plans <= mostPlans;
    });
    if (!complete || peaks.empty()) continue;
    if (dice.chance(0.8)) {
      double memory = 1e15;
      for (int k = dice.between(1, 3); k > 0; --k)
        memory = std::min(
            memory, peaks[static_cast<std::size_t>(dice.between(0, static_cast<int>(peaks.size()) - 1))]);
      // Of what stays free some grows with the memory.
      memory = std::clamp(memory * dice.between(0.7, 1.5), 1024.0, 1e15);
      s.cluster.device.memory.value = Bytes(memory);
      for (auto& e : std::get<LevelsSource>(s.cluster.network).exceptions)
        if (dice.chance(0.6)) e.factor.memory = Bytes(memory * dice.between(0.5, 1.5));
    }
    auto tight = buildProblem(s);
    if (tight.value) return std::move(*tight.value);
  }
}

}  // namespace nest::test
