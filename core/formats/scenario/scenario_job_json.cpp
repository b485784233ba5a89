#include <nlohmann/json.hpp>

#include "formats/scenario/scenario_parts.h"
#include "text/json_quantities.h"

namespace nest {
namespace {

using Json = nlohmann::ordered_json;

/// A choice of an enumeration by name; both directions from one list.
template <class T>
struct Named {
  const char* name;
  T value;
};

template <class T, std::size_t N>
const char* nameIn(const Named<T> (&all)[N], T value) {
  for (const auto& n : all)
    if (n.value == value) return n.name;
  return all[0].name;
}

template <class T, std::size_t N>
void choose(JsonFields& fields, std::string_view key, const Named<T> (&all)[N], T& value) {
  const auto s = fields.string(key);
  if (!s) return;
  std::string allowed;
  for (const auto& n : all) {
    if (*s == n.name) {
      value = n.value;
      return;
    }
    allowed += (allowed.empty() ? "" : ", ") + std::string(n.name);
  }
  fields.report(Severity::Error, "json-choice", key,
                '"' + *s + "\" is not known here; allowed are " + allowed);
}

constexpr Named<NumberFormat> kFormats[] = {{"bf16", NumberFormat::Bf16},
                                            {"fp16", NumberFormat::Fp16},
                                            {"fp8", NumberFormat::Fp8},
                                            {"fp32", NumberFormat::Fp32}};
constexpr Named<SearchPreset> kPresets[] = {{"runnable", SearchPreset::Runnable},
                                            {"free", SearchPreset::Free}};
constexpr Named<Objective> kObjectives[] = {{"pipeline", Objective::Pipeline}, {"nest", Objective::Nest}};

const OptimizerRegime kRegimes[] = {OptimizerRegime::megatron(), OptimizerRegime::zeroPaper(),
                                    OptimizerRegime::sgd()};

constexpr double kMost = 1e300;

template <class T>
void take(std::optional<T> read, T& into) {
  if (read) into = *read;
}

void readOptimizer(const ScenarioReader& r, JsonFields& job, OptimizerRegime& into) {
  const nlohmann::json* v = job.any("optimizer");
  if (!v) return;
  if (v->is_string()) {
    const std::string id = v->get<std::string>();
    for (const OptimizerRegime& known : kRegimes)
      if (known.id == id) {
        into = known;
        return;
      }
    job.report(
        Severity::Error, "json-choice", "optimizer",
        '"' + id +
            "\" is not a known regime; allowed are adam-fp32-grads, adam-fp16-grads, sgd, or an object",
        "give {\"id\": \"custom\", \"weight_bytes_per_parameter\": 2, \"gradient_bytes_per_parameter\": 4, "
        "\"optimizer_bytes_per_parameter\": 12}");
    return;
  }
  r.section(job, "optimizer", [&](JsonFields& f) {
    into.id = f.string("id").value_or("custom");
    take(f.number("weight_bytes_per_parameter", -kMost, kMost), into.weightBytes);
    take(f.number("gradient_bytes_per_parameter", -kMost, kMost), into.gradientBytes);
    take(f.number("optimizer_bytes_per_parameter", -kMost, kMost), into.optimizerBytes);
  });
}

Json optimizerJson(const OptimizerRegime& o) {
  for (const OptimizerRegime& known : kRegimes)
    if (known == o) return o.id;
  return {{"id", o.id},
          {"weight_bytes_per_parameter", o.weightBytes},
          {"gradient_bytes_per_parameter", o.gradientBytes},
          {"optimizer_bytes_per_parameter", o.optimizerBytes}};
}

}  // namespace

std::optional<Recompute> recomputeNamed(std::string_view name) {
  for (const Recompute r : {Recompute::None, Recompute::Selective, Recompute::Full})
    if (name == nameOf(r)) return r;
  return std::nullopt;
}

Job readJob(const ScenarioReader& r, JsonFields& f) {
  Job job;
  f.requireKey("global_batch", "the number of sequences per optimizer step");
  f.requireKey("sequence_length", "the number of tokens in a sequence");
  take(intField(f, "global_batch"), job.globalBatch);
  take(intField(f, "sequence_length"), job.sequenceLength);
  if (f.has("microbatches")) job.microbatches = r.integers(f, "microbatches");
  readOptimizer(r, f, job.optimizer);
  choose(f, "format", kFormats, job.format);
  job.trainingTokens = f.number("training_tokens", -kMost, kMost);
  return job;
}

Json jobJson(const Job& job) {
  Json j{{"global_batch", job.globalBatch},
         {"sequence_length", job.sequenceLength},
         {"microbatches", job.microbatches},
         {"optimizer", optimizerJson(job.optimizer)},
         {"format", nameIn(kFormats, job.format)}};
  if (job.trainingTokens) j["training_tokens"] = *job.trainingTokens;
  return j;
}

SearchOptions readSearch(const ScenarioReader& r, JsonFields& f) {
  SearchOptions s;
  choose(f, "preset", kPresets, s.preset);
  choose(f, "objective", kObjectives, s.objective);
  take(f.boolean("strategy_per_stage"), s.strategyPerStage);
  take(f.boolean("pad_last_microbatch"), s.padLastMicrobatch);
  if (f.has("zero_stages")) s.zeroStages = r.integers(f, "zero_stages");
  if (f.has("recompute")) {
    s.recompute = {};
    const auto names = r.strings(f, "recompute");
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (const auto policy = recomputeNamed(names[i]))
        s.recompute[static_cast<std::size_t>(*policy)] = true;
      else
        r.out.push_back(
            error("json-choice", r.text.placeOf(jsonPointer(f.pointerTo("recompute"), i)),
                  '"' + names[i] + "\" is not a recompute policy; allowed are none, selective, full"));
    }
  }
  if (f.has("chunks_per_stage")) s.chunksPerStage = r.integers(f, "chunks_per_stage");
  take(f.boolean("sequence_parallel"), s.sequenceParallel);
  take(f.boolean("context_parallel"), s.contextParallel);
  take(f.boolean("expert_parallel"), s.expertParallel);
  take(intField(f, "top_plans"), s.topPlans);
  take(f.number("deadline_s", -kMost, kMost), s.deadlineSeconds);
  take(intField(f, "threads"), s.threads);
  return s;
}

Json searchJson(const SearchOptions& s) {
  Json recompute = Json::array();
  for (int i = 0; i < kRecomputeCount; ++i)
    if (s.recompute[static_cast<std::size_t>(i)]) recompute.push_back(nameOf(static_cast<Recompute>(i)));
  return {{"preset", nameIn(kPresets, s.preset)},
          {"objective", nameIn(kObjectives, s.objective)},
          {"strategy_per_stage", s.strategyPerStage},
          {"pad_last_microbatch", s.padLastMicrobatch},
          {"zero_stages", s.zeroStages},
          {"recompute", recompute},
          {"chunks_per_stage", s.chunksPerStage},
          {"sequence_parallel", s.sequenceParallel},
          {"context_parallel", s.contextParallel},
          {"expert_parallel", s.expertParallel},
          {"top_plans", s.topPlans},
          {"deadline_s", s.deadlineSeconds},
          {"threads", s.threads}};
}

Assumptions readAssumptions(const ScenarioReader& r, JsonFields& f) {
  Assumptions a;
  r.section(f, "overlap", [&](JsonFields& overlap) {
    for (int k = 0; k < kExchangeCount; ++k)
      take(overlap.number(nameOf(static_cast<Exchange>(k)), -kMost, kMost),
           a.overlap[static_cast<std::size_t>(k)]);
    take(overlap.number("sync", -kMost, kMost), a.syncOverlap);
  });
  take(f.number("link_efficiency", -kMost, kMost), a.linkEfficiency);
  take(memoryField(f, "reserve"), a.reserve);
  return a;
}

Json assumptionsJson(const Assumptions& a) {
  Json overlap = Json::object();
  for (int k = 0; k < kExchangeCount; ++k)
    overlap[nameOf(static_cast<Exchange>(k))] = a.overlap[static_cast<std::size_t>(k)];
  // Only what differs from what files without them mean.
  const Assumptions usual;
  if (a.syncOverlap != usual.syncOverlap) overlap["sync"] = a.syncOverlap;
  Json j{{"overlap", overlap}, {"reserve_bytes", a.reserve.value()}};
  if (a.linkEfficiency != usual.linkEfficiency) j["link_efficiency"] = a.linkEfficiency;
  return j;
}

}  // namespace nest
