#include "calibration/layer_overlay.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "model/overlay.h"
#include "units/at.h"
#include "units/letters.h"
#include "units/text.h"

namespace nest {
namespace {

Diagnostics misfit(std::string message, std::string remedy) {
  return {error("layer-times", {"", 0, 0, "/model"}, std::move(message), std::move(remedy))};
}

struct Mean {
  Seconds forward, backward;
  int count = 0;

  void add(const LayerTimes::Layer& l) {
    forward += l.forward;
    backward += l.backward;
    ++count;
  }
};

/// Without a measured backward pass that one keeps its ratio to the forward pass.
LayerCost measuredCost(LayerCost cost, const Mean& mean) {
  const Seconds forward = mean.forward / double(mean.count);
  const double share = cost.forward > Seconds(0) ? forward / cost.forward : 1;
  for (RecomputeCost& r : cost.recompute) r.extraBackward *= share;
  cost.recompute[at(Recompute::Full)].extraBackward = forward;
  cost.forward = forward;
  const Seconds backward =
      mean.backward > Seconds(0) ? mean.backward / double(mean.count) : cost.backward * share;
  if (cost.weightGradient && cost.backward > Seconds(0)) *cost.weightGradient *= backward / cost.backward;
  cost.backward = backward;
  cost.origin = Origin::Measured;
  return cost;
}

/// The costs that a plan's blocks have: of one strategy and microbatch size.
struct Blocks {
  Setting setting;
  Problem problem;
  Strategy strategy;
  int microbatch = 1, s = -1, b = -1;
  std::vector<int> layers;  ///< those that are blocks

  int classOf(int layer) const { return problem.graph->layers[at(layer)].classId; }
  bool areAlike() const {
    return std::all_of(layers.begin(), layers.end(),
                       [this](int l) { return classOf(l) == classOf(layers.front()); });
  }
  const LayerCost* cost(int classId) const { return problem.profile->cost(classId, s, b); }
  std::string name() const { return toText(strategy) + " with MBS " + text::count(microbatch); }

  /// The model with other costs of theirs; those that `change` leaves alone stay as they are.
  Reading<ModelSource> laidOver(const std::string& provenance,
                                const std::function<void(int classId, LayerCost&)>& change) const {
    const LayerGraph& graph = *problem.graph;
    const int tensors = static_cast<int>(graph.tensors.size());
    GraphAndProfile measured{graph, Profile({strategy}, {microbatch}, graph.classCount, tensors)};
    for (int id = 0; id < graph.classCount; ++id)
      if (const LayerCost* own = cost(id)) {
        LayerCost changed = *own;
        change(id, changed);
        measured.profile.setCost(id, 0, 0, std::move(changed));
      }
    for (int t = 0; t < tensors; ++t)
      measured.profile.setTensorBytes(t, 0, 0, problem.profile->tensorBytes(t, s, b));
    measured.profile.provenance = provenance;
    ModelSource model = setting.model;
    if (model.profile && model.graph) {
      auto joined = overlayMeasured({*model.graph, *model.profile}, measured);
      if (!joined) return {std::nullopt, std::move(joined.diagnostics)};
      measured = std::move(*joined);
    }
    model.graph = std::make_shared<const LayerGraph>(std::move(measured.graph));
    model.profile = std::make_shared<const Profile>(std::move(measured.profile));
    return {std::move(model), {}};
  }
};

Reading<Blocks> blocksOf(const Setting& setting, const Strategy& strategy, int microbatch) {
  auto problem = buildProblem(setting);
  if (!problem) return {std::nullopt, std::move(problem.diagnostics)};
  Blocks out{setting, std::move(*problem), strategy, microbatch, -1, -1, {}};
  for (int i = 0; i < out.problem.graph->layerCount(); ++i)
    if (out.problem.graph->layers[at(i)].kind == LayerKind::Block) out.layers.push_back(i);
  out.s = out.problem.profile->strategyIndex(strategy);
  out.b = out.problem.profile->microbatchIndex(microbatch);
  if (out.layers.empty()) return {std::nullopt, misfit("the model has no blocks", "give a transformer")};
  if (out.s < 0 || out.b < 0)
    return {std::nullopt, misfit("the profile has no costs for " + out.name(), "allow them in the search")};
  if (!out.cost(out.classOf(out.layers.front())))
    return {std::nullopt,
            misfit("the model cannot be divided as " + toText(strategy), "give the plan that was measured")};
  return {std::move(out), {}};
}

/// Of a plan: those of the one strategy that all its stages have.
Reading<Blocks> blocksOf(const Setting& setting, const Plan& plan) {
  for (const StagePlan& s : plan.stages)
    if (s.strategy != plan.stages.front().strategy)
      return {std::nullopt,
              misfit("the stages of this plan have several strategies, and a measurement covers one",
                     "give a plan with one strategy")};
  return blocksOf(setting, plan.stages.empty() ? Strategy{} : plan.stages.front().strategy, plan.microbatch);
}

Diagnostic severalKinds() {
  return misfit(
             "the layers that were measured have no numbers, and the blocks of this model are of several "
             "kinds",
             "annotate each block with its number, as in layer_0")
      .front();
}

/// What the table says of microbatches of the scenario's sequences.
Reading<std::vector<BlockTable::Time>> timesFor(const Scenario& scenario, const BlockTable& table) {
  std::vector<BlockTable::Time> rows;
  std::string lengths;
  for (const BlockTable::Time& t : table.times) {
    if (t.sequenceLength == scenario.job.sequenceLength) rows.push_back(t);
    const std::string length = text::count(t.sequenceLength);
    if (lengths.find(length) == std::string::npos) lengths += (lengths.empty() ? "" : ", ") + length;
  }
  if (!rows.empty()) return {std::move(rows), {}};
  return {std::nullopt,
          misfit("the table is of sequences of " + lengths + " tokens, the scenario trains on " +
                     text::count(scenario.job.sequenceLength),
                 "profile with the scenario's sequence length, or set that of the table")};
}

/// One factor on all compute: what blocks without tensor parallelism take ÷ what is estimated.
Reading<ModelSource> withFactor(const Scenario& scenario, const Plan& plan,
                                const std::vector<BlockTable::Time>& rows, std::vector<std::string>& notes) {
  Setting alone = scenario;
  alone.model.calibration = 1;
  alone.constraints = {};
  alone.job.microbatches.clear();
  for (const BlockTable::Time& t : rows) alone.job.microbatches.push_back(t.microbatch);
  double sum = 0, least = 0, most = 0;
  for (const BlockTable::Time& t : rows) {
    const auto blocks = blocksOf(alone, Strategy{}, t.microbatch);
    if (!blocks) return {std::nullopt, blocks.diagnostics};
    if (!blocks->areAlike()) return {std::nullopt, {severalKinds()}};
    const double ratio = t.forward / blocks->cost(blocks->classOf(blocks->layers.front()))->forward;
    sum += std::log(ratio);
    least = least > 0 ? std::min(least, ratio) : ratio;
    most = std::max(most, ratio);
  }
  ModelSource model = scenario.model;
  model.calibration = std::exp(sum / double(rows.size()));
  notes.push_back("forward, a block without tensor parallelism takes " + text::number(least, 3) + " to " +
                  text::number(most, 3) + " times its estimate (MBS " + text::count(rows.front().microbatch) +
                  " to " + text::count(rows.back().microbatch) + "); all compute is multiplied by " +
                  text::number(model.calibration, 3) + ", in place of " +
                  text::number(scenario.model.calibration, 3));
  notes.push_back("of " + summaryOf(plan) +
                  " itself the table has no row: the factor corrects only a bias that all plans share");
  return {std::move(model), {}};
}

Reading<ModelSource> withActivations(const Scenario& scenario, const Plan& plan, const BlockTable& table,
                                     std::vector<std::string>& notes) {
  const auto blocks = blocksOf(scenario, plan);
  if (!blocks) return {std::nullopt, blocks.diagnostics};
  const Strategy& own = blocks->strategy;
  std::string all;
  for (const BlockTable::Memory& m : table.memory) {
    const bool isOwn = m.tensor == own.tensor && (m.tensor == 1 || m.sequenceParallel == own.sequence) &&
                       m.sequenceLength == scenario.job.sequenceLength && own.context == 1 && own.expert == 1;
    all += (all.empty() ? "TP " : ", TP ") + text::count(m.tensor) + (m.sequenceParallel ? " + SP" : "") +
           " on " + text::count(m.sequenceLength) + " tokens";
    if (!isOwn) continue;
    if (!blocks->areAlike()) return {std::nullopt, {severalKinds()}};
    const Bytes kept = m.perSample * double(blocks->microbatch);
    const int block = blocks->classOf(blocks->layers.front());
    constexpr auto kNone = static_cast<std::size_t>(Recompute::None);
    notes.push_back("a block of " + blocks->name() + " keeps " + text::memory(kept) +
                    " for the backward pass (estimated " +
                    text::memory(blocks->cost(block)->recompute[kNone].stash) + ") without recompute");
    notes.push_back("measured is this strategy and microbatch size without recompute; others stay estimated");
    return blocks->laidOver("Measured: activations of a block (Galvatron)", [&](int id, LayerCost& cost) {
      if (id == block) cost.recompute[kNone].stash = kept;
    });
  }
  return {std::nullopt, misfit("the table has no activations of " + toText(own) + " on " +
                                   text::count(scenario.job.sequenceLength) + " tokens",
                               "it has " + all)};
}

/// "Llama-2 7B" is the "llama2-7b" of a file's name, and of "meta-llama/Llama-2-7b-hf".
bool areOneModel(const std::string& one, const std::string& other) {
  const auto plain = [](const std::string& name) {
    std::string out = text::lower(name);
    std::erase_if(out, [](char c) { return !(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9'); });
    return out;
  };
  const std::string a = plain(one), b = plain(other);
  return a.find(b) != std::string::npos || b.find(a) != std::string::npos;
}

/// Whether some stage holds so many blocks: a rank's trace shows those of its own.
bool isOfStage(const Blocks& blocks, const Plan& plan, int count) {
  return std::any_of(plan.stages.begin(), plan.stages.end(), [&](const StagePlan& stage) {
    const auto layers = stage.layers();
    return std::count_if(layers.begin(), layers.end(), [&](LayerIndex l) {
             return std::binary_search(blocks.layers.begin(), blocks.layers.end(), l.value);
           }) == count;
  });
}

}  // namespace

Reading<ModelSource> withLayerTimes(const Scenario& scenario, const Plan& plan, const LayerTimes& times,
                                    std::vector<std::string>& notes) {
  if (std::string other = otherDevice(times.device, scenario.cluster.device, true); !other.empty())
    return {std::nullopt, misfit(std::move(other), "trace the devices of this scenario")};
  Setting setting = scenario;
  setting.model.calibration = 1;
  const auto blocks = blocksOf(setting, plan);
  if (!blocks) return {std::nullopt, blocks.diagnostics};
  if (times.layers.size() > blocks->layers.size())
    return {std::nullopt, misfit("the trace has " + text::count(static_cast<int>(times.layers.size())) +
                                     " layers called " + times.annotation + ", the model " +
                                     text::count(static_cast<int>(blocks->layers.size())) + " blocks",
                                 "trace the model of this scenario, one annotation for each block")};
  // Numbers count from 0 or 1, over all blocks or over those of one stage.
  const int first = times.layers.front().number, count = static_cast<int>(blocks->layers.size());
  const bool isOrdered = first < 0 || first > 1 || times.layers.back().number - first >= count;
  if (first < 0 && !blocks->areAlike()) return {std::nullopt, {severalKinds()}};
  std::map<int, Mean> byClass;
  Mean all;
  for (std::size_t k = 0; k < times.layers.size(); ++k) {
    const int place = isOrdered ? static_cast<int>(k) : times.layers[k].number - std::min(first, 1);
    byClass[blocks->classOf(blocks->layers[at(std::min(place, count - 1))])].add(times.layers[k]);
    all.add(times.layers[k]);
  }

  Seconds forward, backward;
  int known = 0;
  for (const auto& [id, mean] : byClass)
    if (const LayerCost* cost = blocks->cost(id)) {
      forward += cost->forward;
      backward += cost->backward;
      ++known;
    }
  const auto beside = [&](Seconds measured, const char* pass, Seconds estimated) {
    return text::time(measured / double(all.count)) + pass + " (estimated " +
           text::time(estimated / double(known)) + ')';
  };
  auto model =
      blocks->laidOver("Measured: kernels of " +
                           (first < 0 ? std::string("blocks") : text::count(all.count) + " traced layers") +
                           " (" + times.annotation + (times.device.empty() ? ")" : ") on " + times.device),
                       [&](int id, LayerCost& cost) {
                         if (const auto mean = byClass.find(id); mean != byClass.end())
                           cost = measuredCost(cost, mean->second);
                       });
  if (!model) return model;
  notes.push_back("a block of " + blocks->name() + " takes " + beside(all.forward, " forward", forward) +
                  " and " +
                  (all.backward > Seconds(0) ? beside(all.backward, " backward", backward)
                                             : "backward changes in the same ratio") +
                  ", kernels alone, exchanges left out");
  if (first >= 0 && all.count < count && !isOfStage(*blocks, plan, all.count))
    notes.push_back("the trace has " + text::count(all.count) + " layers, the model " + text::count(count) +
                    " blocks, and no stage of the plan holds so few: is it a trace of this model?");
  notes.push_back(
      "measured is this strategy and microbatch size; others stay estimated, so trace those that are to be "
      "compared");
  if (scenario.model.calibration != 1)
    notes.push_back("the calibration factor " + text::number(scenario.model.calibration, 4) +
                    " is taken back: times are measured now");
  return model;
}

Reading<ModelSource> withBlockTable(const Scenario& scenario, const Plan& plan, const BlockTable& table,
                                    std::vector<std::string>& notes) {
  if (const auto& a = scenario.model.architecture; a && !areOneModel(table.model, a->name))
    notes.push_back("the file is named for " + table.model + ", the scenario's model is " + a->name +
                    ": is it a profile of this model?");
  if (!table.memory.empty()) return withActivations(scenario, plan, table, notes);
  const auto rows = timesFor(scenario, table);
  if (!rows) return {std::nullopt, rows.diagnostics};
  const bool isAlone = std::all_of(plan.stages.begin(), plan.stages.end(),
                                   [](const StagePlan& s) { return s.strategy == Strategy{}; });
  for (const BlockTable::Time& t : *rows)
    if (isAlone && t.microbatch == plan.microbatch)
      return withLayerTimes(scenario, plan, {"table of blocks", "", {{-1, t.forward, Seconds(0), 1}}}, notes);
  return withFactor(scenario, plan, *rows, notes);
}

}  // namespace nest
