#include "scenario/layer_overlay.h"

#include <algorithm>
#include <map>

#include "model/overlay.h"
#include "units/text.h"

namespace nest {
namespace {

struct Mean {
  Seconds forward, backward;
  int count = 0;

  void add(const LayerTimes::Layer& l) {
    forward += l.forward;
    backward += l.backward;
    ++count;
  }
};

LayerCost measuredCost(LayerCost cost, const Mean& mean) {
  const Seconds forward = mean.forward / double(mean.count);
  const double share = cost.forward > Seconds(0) ? forward / cost.forward : 1;
  for (RecomputeCost& r : cost.recompute) r.extraBackward *= share;
  cost.recompute[static_cast<std::size_t>(Recompute::Full)].extraBackward = forward;
  cost.forward = forward;
  cost.backward = mean.backward / double(mean.count);
  cost.origin = Origin::Measured;
  return cost;
}

}  // namespace

Reading<ModelSource> withLayerTimes(const Scenario& scenario, const Plan& plan, const LayerTimes& times,
                                    std::vector<std::string>& told) {
  Reading<ModelSource> result;
  const auto fail = [&result](std::string message, std::string remedy) {
    result.diagnostics.push_back(
        error("layer-times", {"", 0, 0, "/model"}, std::move(message), std::move(remedy)));
    return result;
  };
  Setting setting = scenario;
  setting.model.calibration = 1;
  const auto problem = buildProblem(setting);
  if (!problem) {
    result.diagnostics = problem.diagnostics;
    return result;
  }
  const LayerGraph& graph = *problem.value->graph;
  const Profile& profile = *problem.value->profile;
  std::vector<int> blocks;
  for (int i = 0; i < graph.layerCount(); ++i)
    if (graph.layers[static_cast<std::size_t>(i)].kind == LayerKind::Block) blocks.push_back(i);
  if (times.layers.size() > blocks.size())
    return fail("the trace has " + text::count(static_cast<int>(times.layers.size())) + " layers called " +
                    times.annotation + ", the model " + text::count(static_cast<int>(blocks.size())) +
                    " blocks",
                "trace the model of this scenario, one annotation for each block");
  for (const StagePlan& s : plan.stages)
    if (s.strategy != plan.stages.front().strategy)
      return fail("the stages of this plan have several strategies, a trace tells of one",
                  "give a plan with one strategy");
  const Strategy strategy = plan.stages.empty() ? Strategy{} : plan.stages.front().strategy;
  const int s = profile.strategyIndex(strategy), b = profile.microbatchIndex(plan.microbatch);
  if (s < 0 || b < 0)
    return fail(
        "the profile has no costs for " + toText(strategy) + " with MBS " + text::count(plan.microbatch),
        "allow them in the search");

  // Numbers count from 0 or 1, over all blocks or over those of one stage.
  const int first = times.layers.front().number;
  const bool isOrdered = first > 1 || times.layers.back().number - first >= static_cast<int>(blocks.size());
  std::map<int, Mean> byClass;
  Mean all;
  for (std::size_t k = 0; k < times.layers.size(); ++k) {
    const std::size_t at =
        isOrdered ? k : static_cast<std::size_t>(times.layers[k].number - std::min(first, 1));
    const int layer = blocks[std::min(at, blocks.size() - 1)];
    byClass[graph.layers[static_cast<std::size_t>(layer)].classId].add(times.layers[k]);
    all.add(times.layers[k]);
  }

  const int tensors = static_cast<int>(graph.tensors.size());
  GraphAndProfile measured{graph, Profile({strategy}, {plan.microbatch}, graph.classCount, tensors)};
  Seconds forward, backward;
  int known = 0;
  for (int id = 0; id < graph.classCount; ++id) {
    const LayerCost* cost = profile.cost(id, s, b);
    if (!cost) continue;
    const auto mean = byClass.find(id);
    measured.profile.setCost(id, 0, 0, mean == byClass.end() ? *cost : measuredCost(*cost, mean->second));
    if (mean == byClass.end()) continue;
    forward += cost->forward;
    backward += cost->backward;
    ++known;
  }
  if (known == 0)
    return fail("the model cannot be divided as " + toText(strategy), "give the plan that was traced");
  for (int t = 0; t < tensors; ++t) measured.profile.setTensorBytes(t, 0, 0, profile.tensorBytes(t, s, b));
  measured.profile.provenance = "Measured: kernels of " + text::count(all.count) + " traced layers (" +
                                times.annotation + (times.device.empty() ? ")" : ") on " + times.device);
  measured.profile.tied.reset();

  ModelSource model = setting.model;
  if (model.profile && model.graph) {
    auto joined = overlayMeasured({*model.graph, *model.profile}, measured);
    if (!joined) {
      result.diagnostics = std::move(joined.diagnostics);
      return result;
    }
    measured = std::move(*joined);
  }
  model.graph = std::make_shared<const LayerGraph>(std::move(measured.graph));
  model.profile = std::make_shared<const Profile>(std::move(measured.profile));
  told.push_back("a block of " + toText(strategy) + " with MBS " + text::count(plan.microbatch) + " takes " +
                 text::time(all.forward / double(all.count)) + " forward (estimated " +
                 text::time(forward / double(known)) + ") and " +
                 text::time(all.backward / double(all.count)) + " backward (estimated " +
                 text::time(backward / double(known)) + "), kernels alone, exchanges left out");
  told.push_back(
      "measured is this strategy and microbatch size; others stay estimated, so trace those that are to be "
      "compared");
  if (scenario.model.calibration != 1)
    told.push_back("the calibration factor " + text::number(scenario.model.calibration, 4) +
                   " is taken back: times are measured now");
  result.value = std::move(model);
  return result;
}

}  // namespace nest
