#pragma once

#include <initializer_list>

#include "formats/launch/launch_export.h"

namespace nest {

/// What the writers of training frameworks need of a plan, checked once: one strategy, one recompute policy,
/// d | B.
class LaunchPlan {
public:
  LaunchPlan(const ReportSource& source, const Plan& plan, const LaunchTarget& target);

  const ReportSource& source;
  const Plan& plan;
  const LaunchTarget& target;
  Strategy strategy;  ///< of all stages
  Recompute recompute = Recompute::None;
  int microbatchCount = 0;  ///< m
  int worldSize = 0;
  Diagnostics out;

  int stages() const { return plan.stageCount(); }
  int data() const { return plan.dataDegree(); }
  bool hasShardGroups() const {
    return plan.shardDegree() < plan.dataDegree();
  }  ///< of fewer than all replicas
  int chunks() const { return plan.chunksPerStage(); }
  const Job& job() const { return m_job; }  ///< with the batch that the plan takes
  /// What the plan's selective recompute repeats; the attention's core where that was measured.
  SelectiveRecompute selective() const;
  /// Selective recompute, and of work that this model has.
  bool recomputesParts() const;

  /// Notes a reason why the target cannot express the plan.
  void refuse(std::string code, std::string message, std::string remedy = {});
  void require(bool holds, const char* code, std::string message, std::string remedy = {});
  void warn(std::string code, std::string message, std::string remedy = {});
  /// Refuses number formats that the target has no setting for, and fp8 on devices without it.
  void checkPrecision(std::initializer_list<NumberFormat> known);
  /// Refuses schedules other than the usual one of the plan's chunks.
  void requireUsualSchedule();
  /// Warns where the framework's optimizer or accelerators are others than the plan's.
  void warnOfStandIns();
  /// Refuses models that are no decoders of attention and MLPs in turn: the target's flags build nothing
  /// else.
  void checkDecoder();
  /// Ranks in the launcher's own order do not land on the plan's devices: a host file has to place them.
  void warnOfPlacement();
  /// Layers of the pipeline's parts in the order data flows: part q·s + i is chunk q of stage i.
  std::vector<std::vector<LayerIndex>> parts() const;
  LayerKind kindOf(LayerIndex l) const { return source.problem->graph->layers[l.at()].kind; }

  /// "# TP2 · PP4 · DP2; 16 ranks, data-parallel degree 2": what files begin with.
  std::string head() const;
  Reading<std::string> finish(std::string text);

private:
  Job m_job;
};

/// What Megatron's core cannot run of the plan, and what its settings leave out of the model; shared by
/// Megatron-LM and Megatron-Bridge.
void checkMegatron(LaunchPlan&);
void warnOfMegatronModel(LaunchPlan&);
/// One option of a framework's files.
struct LaunchSetting {
  std::string name, value;  ///< "true", "false", a number, a list, or a word
  bool isWord = false;      ///< the value is a text
};
/// What Megatron-LM's flags and the recipes over its core call alike, with '_' between words: the model's
/// sizes and details, recompute, and what the prices assume. Nothing of what is usual there.
std::vector<LaunchSetting> megatronSettings(LaunchPlan&);
/// What the model computes beside its sizes: rotary positions, its router.
std::vector<LaunchSetting> modelDetails(LaunchPlan&);
/// "optim_grads": what of the training state a ZeRO stage shards.
const char* megatronSharding(int zero);
/// "Et*2|t*3|tL": E embedding, t decoder layer, L loss; an error is noted when a layer has no letter.
std::string megatronLayout(LaunchPlan&);
/// TransformerEngine's recipe of the job's format; of plain fp8 the one that casts each operand once, as the
/// plan counts: delayed scaling, and from Blackwell on MXFP8.
const char* fp8Recipe(const LaunchPlan&);

}  // namespace nest
