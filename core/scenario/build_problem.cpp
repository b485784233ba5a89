#include <algorithm>
#include <cmath>

#include "cluster/levels/scale_up.h"
#include "fields/program_setting.h"
#include "model/overlay.h"
#include "model/strategy_subset.h"
#include "run/goal.h"
#include "scenario/check.h"
#include "scenario/program_effects.h"
#include "scenario/scenario.h"
#include "scenario/search_menus.h"
#include "units/text.h"

namespace nest {
namespace {

Place entry(const char* pointer) {
  return {"", 0, 0, pointer};
}

void append(Diagnostics& out, Diagnostics more) {
  out.insert(out.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

/// Every compute second of the profile times `factor`; exchanges and sizes stay.
void calibrate(Profile& profile, int classCount, double factor) {
  for (int k = 0; k < classCount; ++k)
    for (int s = 0; s < static_cast<int>(profile.strategies().size()); ++s)
      for (int b = 0; b < static_cast<int>(profile.microbatches().size()); ++b) {
        const LayerCost* cost = profile.cost(k, s, b);
        if (!cost) continue;
        LayerCost scaled = *cost;
        scaled.forward *= factor;
        scaled.backward *= factor;
        if (scaled.weightGradient) *scaled.weightGradient *= factor;
        for (RecomputeCost& r : scaled.recompute) r.extraBackward *= factor;
        profile.setCost(k, s, b, std::move(scaled));
      }
}

Diagnostics checkModel(const ModelSource& m, const Job& job) {
  Diagnostics out;
  if (!m.architecture && !m.profile)
    out.push_back(error("no-model", entry("/model"), "the scenario names no model",
                        "give a config.json, an architecture or a profile"));
  if (m.profile && !m.graph)
    out.push_back(
        error("profile-without-graph", entry("/model"), "the profile does not say which layers it is for"));
  if (m.architecture && m.architecture->maxPositions > 0 && job.sequenceLength > m.architecture->maxPositions)
    out.push_back(warning("sequence-beyond-positions", entry("/job/sequence_length"),
                          "sequences of " + text::count(job.sequenceLength) + " tokens exceed the model's " +
                              text::count(m.architecture->maxPositions) + " positions"));
  return out;
}

/// Under the preset "runnable" a tensor degree divides the host, measured or not.
void keepRunnable(const Setting& setting, const Hierarchy& cluster, GraphAndProfile& model,
                  Diagnostics& out) {
  const Profile& profile = model.profile;
  if (setting.search.preset != SearchPreset::Runnable) return;
  const int host = scaleUpSize(cluster);
  std::vector<int> kept;
  for (std::size_t k = 0; k < profile.strategies().size(); ++k)
    if (holdsTensorGroups(host, profile.strategies()[k].tensor)) kept.push_back(static_cast<int>(k));
  if (kept.size() == profile.strategies().size()) return;
  const std::string domain =
      text::count(host) + (host == 1 ? " device of a " : " devices of a ") + scaleUpName(cluster);
  if (kept.empty()) {
    out.push_back(error("no-strategies", entry("/search/preset"),
                        "no tensor degree of the profile divides the " + domain,
                        "search with the preset \"free\""));
    return;
  }
  out.push_back(
      note("strategies-left-out", entry("/search/preset"),
           text::count(static_cast<int>(profile.strategies().size() - kept.size())) +
               " of the profile's strategies are left out: their tensor degree does not divide the " + domain,
           "search with the preset \"free\" to use them"));
  model.profile = withStrategies(model.graph, profile, kept);
}

/// A switch of the search leaves the same strategies out, whether they are estimated or measured. One that
/// would leave none of a profile's is reported, and not followed.
void keepSwitchedOn(const Setting& setting, GraphAndProfile& model, Diagnostics& out) {
  const SearchOptions& search = setting.search;
  const auto leaveOut = [&](bool asked, const char* option, const char* why, const char* remedy, auto isOut) {
    const auto& all = model.profile.strategies();
    std::vector<int> kept;
    for (std::size_t k = 0; k < all.size(); ++k)
      if (!isOut(all[k])) kept.push_back(static_cast<int>(k));
    if (!asked || kept.size() == all.size()) return;
    const std::string pointer = std::string("/search/") + option;
    if (kept.empty()) {
      out.push_back(note(
          "switch-without-effect", entry(pointer.c_str()),
          std::string("the strategies of the profile are searched although ") + why + ": it has no others",
          remedy));
      return;
    }
    const auto count = static_cast<int>(all.size() - kept.size());
    out.push_back(note("strategies-left-out", entry(pointer.c_str()),
                       text::count(count) + " of the profile's strategies " +
                           (count == 1 ? "is left out: " : "are left out: ") + why,
                       remedy));
    model.profile = withStrategies(model.graph, model.profile, kept);
  };
  leaveOut(!search.sequenceParallel, "sequence_parallel", "sequence parallelism is off",
           "`search.sequence_parallel = true` to search it", [](const Strategy& k) { return k.sequence; });
  leaveOut(!search.contextParallel, "context_parallel", "context parallelism is off",
           "`search.context_parallel = true` to search it", [](const Strategy& k) { return k.context > 1; });
  leaveOut(!search.expertParallel, "expert_parallel", "expert parallelism is off",
           "`search.expert_parallel = true` to search it", [](const Strategy& k) { return k.expert > 1; });
  const auto isFolded = [](const Strategy& k) { return k.foldedExperts; };
  const auto& all = model.profile.strategies();
  leaveOut(search.expertFolding == ExpertFolding::No, "folded_experts", "folded experts are off",
           "`search.folded_experts = also` to search them", isFolded);
  leaveOut(search.expertFolding == ExpertFolding::Only && std::any_of(all.begin(), all.end(), isFolded),
           "folded_experts", "their experts are split over tensor ranks",
           "`search.folded_experts = also` to search them", [&](const Strategy& k) {
             return !isFolded(k) && (k.tensor > 1 || (k.context > 1 && k.expert > 1));
           });
}

/// A constraint narrows the search, and switches nothing on.
Diagnostic noStrategies(const Setting& s) {
  const auto off = [](const char* degree, const Bound& bound, const char* option, const char* what) {
    return error("no-strategies", {"", 0, 0, std::string("/search/") + option},
                 std::string("the constraints ask for ") + degree + ' ' +
                     (bound.most == bound.least ? "" : "at least ") + std::to_string(*bound.least) +
                     ", and " + what + " is off",
                 std::string("`search.") + option + " = true` to search it");
  };
  const Constraints& c = s.constraints;
  const Program& program = programOf(s);
  for (const auto& [bound, feature, what] :
       {std::tuple(&c.context, PlanFeature::Context, "CP"), {&c.tensor, PlanFeature::Tensor, "TP"}})
    if (bound->least.value_or(1) > 1 && s.search.preset == SearchPreset::Runnable && !program.runs(feature))
      return error(
          "no-strategies", entry("/constraints"),
          std::string("the constraints ask for ") + what + ", which " + program.name + " does not run",
          "remove the bound, or search with the preset \"free\"");
  if (c.context.least.value_or(1) > 1 && !s.search.contextParallel)
    return off("CP", c.context, "context_parallel", "context parallelism");
  if (c.expert.least.value_or(1) > 1 && !s.search.expertParallel)
    return off("EP", c.expert, "expert_parallel", "expert parallelism");
  return error("no-strategies", entry("/constraints"),
               "no strategy of the search satisfies the constraints on tensor, context and expert degrees",
               "widen the bounds, or search with the preset \"free\"");
}

/// Graph and profile of the scenario: measured where there are measurements, analytic elsewhere.
std::optional<GraphAndProfile> modelOf(const Setting& setting, const Hierarchy& cluster, Diagnostics& out) {
  const ModelSource& model = setting.model;
  std::optional<GraphAndProfile> measured;
  if (model.profile) measured = GraphAndProfile{*model.graph, *model.profile};
  if (!model.architecture) {
    if (measured) {
      keepSwitchedOn(setting, *measured, out);
      keepRunnable(setting, cluster, *measured, out);
    }
    return measured;
  }
  auto strategies = strategiesOnOffer(*model.architecture, setting.search, setting.constraints, setting.job,
                                      scaleUpSize(cluster), cluster.deviceCount());
  if (setting.search.preset == SearchPreset::Runnable)
    std::erase_if(strategies, [&](const Strategy& s) {
      const Program& program = programOf(setting);
      return (s.tensor > 1 && !program.runs(PlanFeature::Tensor)) ||
             (s.context > 1 && !program.runs(PlanFeature::Context));
    });
  if (strategies.empty()) {
    out.push_back(noStrategies(setting));
    return std::nullopt;
  }
  GraphAndProfile analytic =
      analyticProfile(*model.architecture, setting.cluster.device, setting.job, strategies, model.analytic);
  applyNetworkOf(setting, cluster, analytic);
  if (!measured) return analytic;
  auto both = overlayMeasured(analytic, *measured);
  append(out, std::move(both.diagnostics));
  return std::move(both.value);
}

void addModel(const Setting& setting, Problem& problem, Diagnostics& out) {
  const ModelSource& model = setting.model;
  // Strategies and profile see the network as exchanges count it.
  std::optional<GraphAndProfile> made = modelOf(setting, *problem.cluster, out);
  if (!made) return;
  const LayerGraph* graph = &made->graph;
  Profile* profile = &made->profile;
  if (graph->layerCount() == 0) out.push_back(error("no-layers", entry("/model"), "the model has no layers"));
  const auto& offered = profile->microbatches();
  const bool common =
      std::any_of(setting.job.microbatches.begin(), setting.job.microbatches.end(),
                  [&](int b) { return std::find(offered.begin(), offered.end(), b) != offered.end(); });
  if (!common) {
    std::string list;
    for (int b : offered) list += (list.empty() ? "" : ", ") + std::to_string(b);
    out.push_back(error("microbatch-not-measured", entry("/job/microbatches"),
                        "the profile holds none of the microbatch sizes to try; it holds " + list,
                        "offer one of these"));
  }
  problem.isMeasured = !model.architecture || model.profile;
  if (!problem.isMeasured) {
    problem.couldSplitContext = splitsContext(*model.architecture);
    problem.couldSplitExperts = model.architecture->experts.has_value();
  }
  if (model.calibration != 1) calibrate(*profile, graph->classCount, model.calibration);
  if (!model.graph)  // only now is it known which layers there are
    append(out, checkLayers(setting.constraints, graph->layerCount()));
  problem.graph = std::make_shared<const LayerGraph>(std::move(made->graph));
  problem.profile = std::make_shared<const Profile>(std::move(made->profile));
}

/// What a goal needs is asked for by name.
void weighForGoal(Problem& problem, Diagnostics& out) {
  for (const std::string& key : missingForGoal(problem)) {
    std::string name = key.substr(1);
    std::replace(name.begin(), name.end(), '/', '.');
    out.push_back(error("goal-needs", entry(key.c_str()),
                        "the goal cannot be computed without `" + name + "`",
                        "give `" + name + "`, or `search.goal = time-per-token`"));
  }
  if (!hasErrors(out)) weighDevices(problem);
}

}  // namespace

Reading<Problem> buildProblem(const Setting& setting) {
  Reading<Problem> result;
  Diagnostics& out = result.diagnostics;
  append(out, checkSetting(setting));
  append(out, checkLayers(setting.constraints, setting.model.graph ? setting.model.graph->layerCount() : 0));
  Reading<Hierarchy> cluster = deriveHierarchy(setting.cluster, setting.constraints.excludedDevices);
  append(out, std::move(cluster.diagnostics));
  if (const auto& least = setting.constraints.devices.least;
      cluster && cluster->unplanned().any() && least && *least > cluster->deviceCount())
    out.push_back(error("devices-not-free", entry("/constraints/devices"),
                        "the constraints ask for " + text::count(*least) + " devices, and plans may use " +
                            text::count(cluster->deviceCount()) + ": " + inWords(cluster->unplanned()),
                        "ask for fewer devices, set hosts to free, or `cluster.plan_on = all`"));
  append(out, checkModel(setting.model, setting.job));
  if (const NumberFormatSpec& f = specOf(setting.job.format);
      f.isNarrow() && !setting.cluster.device.narrowPeak(f.rate) && setting.model.architecture) {
    const std::string rate = nameOf(f.rate);
    out.push_back(warning(
        "no-" + rate, entry("/job/format"),
        setting.cluster.device.name + " has no " + rate + " rate: compute is priced at its 16-bit rate",
        "use bf16, or give the device a peak_" + rate + "_flops_per_s"));
  }
  if (const NumberFormatSpec& f = specOf(setting.job.format);
      f.rate == ProductRate::Fp4 && setting.cluster.device.narrowPeak(f.rate) && setting.model.architecture)
    out.push_back(
        warning("fp4-not-validated", entry("/job/format"),
                "of four published dense runs in nvfp4 one is predicted 4 % too slow, the others 7 to 21 % "
                    "too fast, and the interval is that of runs in other formats: no rate that products "
                    "in " + f.id + " sustain is published",
                "measure the program's own steps, and calibrate with them"));
  if (setting.job.format == NumberFormat::Bf16 && !setting.cluster.device.hasBf16 &&
      setting.model.architecture)
    out.push_back(warning("no-bf16", entry("/job/format"),
                          setting.cluster.device.name + " has no bf16: compute is priced at its fp16 rate",
                          "use fp16"));
  // A number out of its range is often wrong for the cluster as well; once is enough.
  const auto isTold = [&out](std::size_t i) {
    return std::any_of(out.begin(), out.begin() + std::ptrdiff_t(i), [&](const Diagnostic& o) {
      const bool same = o.where.pointer == out[i].where.pointer;
      return (o.code == out[i].code && same) ||
             (o.code == "out-of-range" && (same || o.where.pointer.starts_with(out[i].where.pointer + "_")));
    });
  };
  Diagnostics once;
  for (std::size_t i = 0; i < out.size(); ++i)
    if (!isTold(i)) once.push_back(out[i]);
  out = std::move(once);
  if (hasErrors(out)) return result;

  Problem problem;
  problem.cluster = std::make_shared<const Hierarchy>(asProgramUses(*cluster, setting.assumptions));
  problem.job = setting.job;
  problem.assumptions = setting.assumptions;
  problem.run = setting.run;
  problem.program = programUse(setting);
  if (const auto& a = setting.model.architecture;
      a && !setting.model.profile && setting.model.calibration == 1 && changedFromProgram(setting).empty())
    problem.error = predictionErrorOf(setting.program, setting.cluster.device.id, a->experts.has_value());
  // A program that keeps headroom says by it how far its memory errs.
  problem.memoryError = usualSetting(setting.program).assumptions.headroom;
  problem.search = setting.search;
  problem.constraints = setting.constraints;
  addModel(setting, problem, out);
  if (!hasErrors(out)) weighForGoal(problem, out);
  if (!hasErrors(out)) result.value = std::move(problem);
  return result;
}

}  // namespace nest
