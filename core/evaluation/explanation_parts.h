#pragma once

#include <optional>
#include <string>
#include <vector>

#include "evaluation/explanation.h"
#include "evaluation/placed_stage.h"

namespace nest::explanation {

/// The layers of one class in a stage, costed under the stage's strategy.
struct LayerRun {
  int classId = 0;
  int count = 0;
  std::string name;  ///< "31 × block", or the layer's own name
  const LayerCost* cost = nullptr;
};

/// What all terms of one plan use.
struct Scene {
  const Problem& problem;
  const Plan& plan;
  const Evaluation& evaluation;
  PlacedPlan placed;
  std::vector<std::vector<LayerRun>> runs;  ///< per stage

  Scene(const Problem&, const Plan&, const Evaluation&);
  const StagePlan& stage(int i) const { return plan.stages[i]; }
  const StageEvaluation& figures(int i) const { return evaluation.stages[i]; }
  const StageWork& work(int i) const { return placed.works[i]; }
  double speed(int i) const { return placed.stages[i].speed; }  ///< of its slowest device
  std::vector<LayerRun> runsOf(const std::vector<LayerIndex>& layers, const Strategy&) const;
  int denseShards(int stage) const { return plan.shardDegree() * stage_(stage).context; }
  double expertShards(int stage) const {
    const Strategy& s = stage_(stage);
    return static_cast<double>(plan.shardDegree()) * (s.foldedExperts ? s.width() : s.context) / s.expert;
  }

  TermInput profiled(std::string symbol, std::string meaning, double value, TermUnit unit, Origin) const;
  /// The bandwidth that a collective with `ranks` ranks sustains.
  TermInput bandwidth(int level, int ranks = 1) const;
  TermInput latency(int level) const;

private:
  const Strategy& stage_(int i) const { return stage(i).strategy; }
};

std::string stageId(int stage);  ///< "stage1" for the first
/// The exchange whose time a term of this kind is; nullopt if it is not the time of one.
std::optional<Exchange> exchangeOf(TermKind);
CostTerm term(std::string id, std::string label, double value, TermUnit unit, TermKind kind, int stage);
CostTerm referenceTo(const CostTerm& whole, double factor = 1);
TermInput counted(std::string symbol, std::string meaning, double value);
TermInput typed(std::string symbol, std::string meaning, double value, TermUnit unit);

/// `which`: "forward", "backward" or "recompute".
CostTerm computeTerm(const Scene&, int stage, const char* which);
/// The exchanges that are not zero, in the order of enum Exchange; the pipeline's are split into activations
/// and gradients.
std::vector<CostTerm> exchangeTerms(const Scene&, int stage);
CostTerm syncTerm(const Scene&, int stage);
CostTerm memoryTerm(const Scene&, int stage);

}  // namespace nest::explanation
