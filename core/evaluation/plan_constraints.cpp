#include <algorithm>
#include <string>

#include "evaluation/plan_check.h"
#include "plan/stage_work.h"
#include "problem/runs_schedule.h"
#include "program/program.h"
#include "units/numbering.h"

namespace nest {
namespace {

class ConstraintChecker {
public:
  ConstraintChecker(const Problem& problem, const Plan& plan, std::vector<Violation>& out)
      : m_problem(problem), m_plan(plan), m_out(out), m_part(partOfLayers(problem, plan)) {}

  void run() {
    const Constraints& c = m_problem.constraints;
    bound(c.microbatch, m_plan.microbatch, "microbatch size");
    bound(c.data, m_plan.dataDegree(), "data-parallel degree");
    bound(c.dataInner, m_plan.dataInner, "data-parallel degree inside a block");
    bound(c.stages, m_plan.stageCount(), "number of stages");
    bound(c.chunks, m_plan.chunksPerStage(), "number of virtual pipeline stages (VPP)");
    bound(c.zero, m_plan.zero, "ZeRO stage");
    if (m_plan.zero > 0) bound(c.shard, m_plan.shardDegree(), "number of replicas of a shard group");
    long long devices = 0;
    for (const StagePlan& s : m_plan.stages)
      devices += static_cast<long long>(m_plan.dataDegree()) * s.strategy.width();
    bound(c.devices, devices, "number of devices");
    for (int i = 0; i < m_plan.stageCount(); ++i) {
      const Strategy& s = m_plan.stages[i].strategy;
      bound(c.tensor, s.tensor, "tensor degree", i);
      bound(c.context, s.context, "context degree", i);
      bound(c.expert, s.expert, "expert degree", i);
    }
    cuts();
    pins();
    if (c.megatronExpressible) megatron();
    if (const Program* p = m_problem.program.program; p && m_problem.search.preset == SearchPreset::Runnable)
      program(*p);
  }

private:
  void add(int stage, std::string message) {
    m_out.push_back({Violation::Kind::Constraint, stage, std::move(message), {}});
  }

  void bound(const Bound& b, long long value, const char* what, int stage = -1) {
    if ((!b.least || value >= *b.least) && (!b.most || value <= *b.most)) return;
    std::string message = stage < 0 ? std::string() : text::stageName(StageIndex(stage)) + ": ";
    message += std::string("the ") + what + " is " + std::to_string(value) + ", it must be ";
    if (b.least && b.most && *b.least == *b.most)
      message += std::to_string(*b.least);
    else if (b.least && value < *b.least)
      message += "at least " + std::to_string(*b.least);
    else
      message += "at most " + std::to_string(*b.most);
    add(stage, std::move(message));
  }

  std::string layerName(LayerIndex x) const {
    return x.value >= 0 && x.value < m_problem.graph->layerCount() ? m_problem.graph->layers[x.at()].name
                                                                   : text::layerName(x);
  }

  /// The index of the part that begins at a layer; −1 if none does.
  int beginsPart(LayerIndex x) const {
    if (x.value < 0 || x.value >= m_problem.graph->layerCount() || m_part[x.at()] < 0) return -1;
    const int part = m_part[x.at()];
    const auto lowest = std::find(m_part.begin(), m_part.end(), part) - m_part.begin();
    return lowest == x.value ? part : -1;
  }

  void cuts() {
    for (const LayerIndex x : m_problem.constraints.requiredCuts)
      // The model's first layer always begins a stage.
      if (beginsPart(x) < 0 || (beginsPart(x) == 0 && x.value > 0))
        add(-1, beginsPart(x) < 0 ? "a stage must begin at " + layerName(x)
                                  : "a stage other than the first must begin at " + layerName(x));
    for (const LayerIndex x : m_problem.constraints.forbiddenCuts)
      if (const int part = beginsPart(x); part > 0)
        add(part % m_plan.stageCount(), "no stage may begin at " + layerName(x));
  }

  void pins() {
    for (const auto& pin : m_problem.constraints.layerPins) {
      const bool known = pin.layer.value >= 0 && pin.layer.value < m_problem.graph->layerCount();
      const int part = known ? m_part[pin.layer.at()] : -1;
      if (part < 0 || m_plan.pipelineSchedule().stageOf(part, m_plan.stageCount()) != pin.stage.value)
        add(pin.stage.value < m_plan.stageCount() ? pin.stage.value : -1,
            layerName(pin.layer) + " must be in " + text::stageName(pin.stage));
    }
    for (const auto& pin : m_problem.constraints.stagePins) {
      if (pin.stage.value < 0 || pin.stage.value >= m_plan.stageCount()) continue;
      const StagePlan& s = m_plan.stages[pin.stage.at()];
      const std::string name = text::stageName(pin.stage);
      if (pin.recompute && *pin.recompute != s.recompute)
        add(pin.stage.value, name + " must use recompute policy " + nameOf(*pin.recompute));
      if (pin.strategy && *pin.strategy != s.strategy)
        add(pin.stage.value, name + " must use strategy " + toText(*pin.strategy));
    }
  }

  /// Checks what the program runs.
  void program(const Program& p) {
    const bool pipeline = m_plan.stageCount() > 1;
    const StagePlan& first = m_plan.stages.front();
    const auto any = [&](auto&& of) { return std::any_of(m_plan.stages.begin(), m_plan.stages.end(), of); };
    const auto tensor = [](const StagePlan& s) { return s.strategy.tensor > 1; };
    const auto context = [](const StagePlan& s) { return s.strategy.context > 1; };
    const auto refuse = [&](PlanFeature feature, bool has, const char* what) {
      if (has && !p.runs(feature))
        m_out.push_back({Violation::Kind::Program, -1, p.name + " does not run " + what, {}});
    };
    if (const PipelineSchedule& schedule = m_plan.pipelineSchedule();
        schedule.kind() != ScheduleKind::Interleaved && !runsSchedule(m_problem, schedule))
      m_out.push_back(
          {Violation::Kind::Program, -1, p.name + " does not run " + std::string(schedule.label()), {}});
    refuse(PlanFeature::Context, any(context), "context parallelism");
    refuse(PlanFeature::ContextBesideExperts, any([](const StagePlan& s) {
             return s.strategy.context > 1 && s.strategy.expert > 1 && !s.strategy.foldedExperts;
           }),
           "CP with EP that does not include the context ranks");
    refuse(PlanFeature::Tensor, any(tensor), "tensor parallelism");
    refuse(PlanFeature::TensorInPipeline, pipeline && any(tensor), "TP in a pipeline");
    refuse(PlanFeature::TensorUnderZero3, m_plan.zero > 2 && any(tensor), "TP under ZeRO-3");
    refuse(PlanFeature::Pipeline, pipeline, "pipelines");
    refuse(PlanFeature::ShardedPipeline, pipeline && m_plan.zero > 1, "pipelines under ZeRO-2 or 3");
    refuse(PlanFeature::OneStageUnderZero1, !pipeline && m_plan.zero == 1, "ZeRO-1 without pipelines");
    refuse(PlanFeature::Interleaving, m_plan.schedule == ScheduleKind::Interleaved,
           "virtual pipeline stages (VPP)");
    refuse(PlanFeature::DifferingStages, any([&](const StagePlan& s) {
             return s.strategy != first.strategy || s.recompute != first.recompute;
           }),
           "stages with a strategy or a recompute policy of their own");
    refuse(PlanFeature::SelectiveRecompute,
           any([](const StagePlan& s) { return s.recompute == Recompute::Selective; }),
           "selective recompute");
  }

  /// Checks what Megatron-LM's flags can express: one strategy and one recompute policy, its default rank
  /// order, at most ZeRO-1 with a pipeline, whole microbatches, a layout of consecutive layers.
  void megatron() {
    const StagePlan& first = m_plan.stages.front();
    for (const StagePlan& s : m_plan.stages) {
      if (s.strategy != first.strategy) return add(-1, "Megatron-LM has one strategy for all stages");
      if (s.recompute != first.recompute)
        return add(-1, "Megatron-LM has one recompute policy for all stages");
    }
    if (!m_plan.pipelineSchedule().isInMegatron())
      add(-1, "Megatron-LM does not run " + std::string(m_plan.pipelineSchedule().label()));
    if (m_plan.dataOuter != 1)
      add(-1, "Megatron-LM keeps all replicas of a stage together: d_in must equal d");
    if (m_plan.zero > 1 && m_plan.stageCount() > 1)
      add(-1, "Megatron-LM joins a pipeline with ZeRO-0 or 1 only");
    if (m_problem.batchOf(m_plan.globalBatch) %
            (static_cast<long long>(m_plan.microbatch) * m_plan.dataDegree()) !=
        0)
      add(-1, "Megatron-LM needs a global batch that microbatch size × data degree divides");
    if (m_plan.stageCount() > 1 && !m_problem.graph->isChain())
      add(-1, "Megatron-LM cuts only a chain of layers into stages");
    // Devices may be left out, because a launcher starts no rank on them.
    if (!std::is_sorted(m_plan.deviceOrder.begin(), m_plan.deviceOrder.end()))
      return add(-1, "Megatron-LM places ranks in the order of the devices");
  }

  const Problem& m_problem;
  const Plan& m_plan;
  std::vector<Violation>& m_out;
  std::vector<int> m_part;
};

}  // namespace

void checkConstraints(const Problem& problem, const Plan& plan, std::vector<Violation>& out) {
  ConstraintChecker(problem, plan, out).run();
}

}  // namespace nest
