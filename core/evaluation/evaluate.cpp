#include <algorithm>
#include <array>
#include <climits>

#include "cost/stage_cost.h"
#include "evaluation/evaluation.h"
#include "evaluation/placed_stage.h"
#include "evaluation/plan_check.h"
#include "plan/stage_work.h"
#include "problem/reserved_memory.h"
#include "units/at.h"
#include "units/numbering.h"
#include "units/text.h"

namespace nest {
namespace {

void computeTerms(const StageWork& work, const PlacedStage& placed, StageEvaluation& out) {
  double forward = 0, backward = 0, recompute = 0, weightGradient = 0;
  for (const ChunkWork& c : work.chunks) {
    forward += c.forward;
    backward += c.backward;
    recompute += c.recompute;
    weightGradient += c.weightGradient;
  }
  out.forward = Seconds(forward / placed.speed);
  out.backward = Seconds(backward / placed.speed);
  out.recompute = Seconds(recompute / placed.speed);
  out.weightGradient = Seconds(weightGradient / placed.speed);
}

void exchangeTerms(const PlacedStage& placed, const PerExchange<double>& overlap, StageEvaluation& out) {
  constexpr std::array<Exchange, 3> kKinds = {Exchange::Tensor, Exchange::Context, Exchange::Expert};
  for (const PlacedChunk& c : placed.chunks) {
    for (std::size_t g = 0; g < kKinds.size(); ++g) {
      out.exchange[at(kKinds[g])] += c.group[g].total();
      out.forwardExchange[at(kKinds[g])] += c.group[g].forward;
      out.recomputeExchange += c.group[g].recompute;
    }
    out.activationIn += c.activationIn;
    out.gradientIn += c.gradientIn;
  }
  out.exchange[at(Exchange::Pipeline)] = out.activationIn + out.gradientIn;
  out.exchange[at(Exchange::Data)] = placed.gradients.load;
  out.forwardExchange[at(Exchange::Pipeline)] = out.activationIn;
  out.forwardExchange[at(Exchange::Data)] = placed.gradients.perMicrobatch.forward;

  const Seconds compute = out.forward + out.backward + out.recompute;
  out.hiddenExchange = hiddenExchange(compute, out.exchange, overlap);
  for (const Seconds h : out.hiddenExchange) out.hidden += h;
  out.load = compute;
  for (const Seconds e : out.exchange) out.load += e;
  out.load -= out.hidden;
  // The visible share of each kind of exchange is the same in every pass.
  const auto shown = [&](Exchange e) {
    const Seconds whole = out.exchange[at(e)];
    return whole > Seconds() ? 1 - out.hiddenExchange[at(e)] / whole : 1.0;
  };
  out.forwardPass = out.forward;
  for (int e = 0; e < kExchangeCount; ++e)
    out.forwardPass += out.forwardExchange[at(Exchange(e))] * shown(Exchange(e));
  out.weightPass = out.weightGradient + placed.gradients.perMicrobatch.weightGradient * shown(Exchange::Data);

  out.tensorLevel = placed.groupLevel[at(GroupKind::Tensor)];
  out.contextLevel = placed.groupLevel[at(GroupKind::Context)];
  out.expertLevel = placed.groupLevel[at(GroupKind::Expert)];
  out.dataLevel = placed.dataLevel;
  out.activationLevel = placed.activationLevel;
  out.gradientLevel = placed.gradientLevel;
  out.activationBytes = placed.activationBytes;
  out.gradientBytes = placed.gradientBytes;
}

void memoryTerms(const Problem& problem, const Plan& plan, int i, const StageWork& work,
                 const PlacedStage& placed, int microbatches, StageEvaluation& out) {
  const ModelState state = modelStateOf(plan, i, work);
  const OptimizerRegime& regime = problem.job.optimizer;
  out.parameters = work.dense + work.expert;
  out.frozen = work.frozenDense + work.frozenExpert;
  out.dataBytes = Bytes((out.parameters - out.frozen) * regime.gradientBytes);
  const PipelineSchedule& schedule = plan.pipelineSchedule();
  const int stages = plan.stageCount(), chunks = static_cast<int>(work.chunks.size());
  out.inFlight = schedule.stashesInFlight(i, stages, microbatches, chunks);
  const StateBytes held = StateBytes::of(regime, problem.assumptions, plan.zero);
  const ReservedMemory reserved = reservedOn(problem.assumptions, placed.memory);
  const double stash = schedule.stashesWholeStages() ? work.wholeStash : work.largestStash;
  out.memory[MemoryPart::Weights] = held.weights.of(state);
  out.memory[MemoryPart::Gradients] = held.gradients.of(state);
  out.memory[MemoryPart::Optimizer] = held.optimizer.of(state);
  out.memory[MemoryPart::Stash] = Bytes(out.inFlight * stash);
  out.memory[MemoryPart::Workspace] = Bytes(work.workspace);
  out.memory[MemoryPart::Gathered] = held.gatheredOf(state);
  out.memory[MemoryPart::Reserve] = reserved.base + reserved.allocator;
  out.memory[MemoryPart::Headroom] = reserved.headroom;
  out.memory.capacity = placed.memory;
  out.sync = placed.gradients.sync() + placed.tied;
  out.hiddenSync = hiddenSync(out.sync, schedule.coveringPasses(stages) * (out.forward + out.backward),
                              syncOverlap(problem.assumptions, plan.zero));
  out.step = StepRate::of(regime, problem.assumptions, problem.cluster->device(), plan.zero).of(state);
  out.hostMemory = held.host.of(state);
}

void placeTerms(const Plan& plan, StageEvaluation& out, int i, long long& begin) {
  // Degrees entered by hand may multiply beyond an int.
  const auto clamped = [](long long v) { return static_cast<int>(std::min<long long>(v, INT_MAX)); };
  const long long width = static_cast<long long>(plan.dataInner) * plan.stages[at(i)].strategy.width();
  out.firstDevice = clamped(begin);
  begin = std::min<long long>(begin + width, INT_MAX);
  out.devices = clamped(width * plan.dataOuter);
}

/// Computes batch times, and the part of each stage's sync that the backward passes of earlier stages hide.
void batchTerms(const Problem& problem, const Plan& plan, const std::vector<StageWork>& works,
                const std::vector<PlacedStage>& placed, Evaluation& out) {
  const int m = out.microbatchCount, v = plan.chunksPerStage();
  const PipelineSchedule& schedule = plan.pipelineSchedule();
  std::vector<StagePasses> passes;
  double covered = 0;
  for (std::size_t i = 0; i < out.stages.size(); ++i) {
    StageEvaluation& s = out.stages[i];
    s.exposed = std::max(Seconds(), s.sync - s.hiddenSync - Seconds(covered));
    if (!works[i].chunks.empty()) covered += works[i].chunks.front().backward / placed[i].speed;
    out.sumLoad += s.load;
    out.maxLoad = std::max(out.maxLoad, s.load);
    out.tail = std::max(out.tail, s.exposed + s.step);
    passes.push_back({s.load.value(), s.forwardPass.value(), s.weightPass.value()});
    s.fill = Seconds(schedule.fill(passes.back(), v));
    out.sumFill += s.fill;
    out.maxRest = std::max(out.maxRest, m * s.load - s.fill);
  }
  out.pipelineTime = schedule.time(passes, out.tail, m, v);
  out.nestTime = nestBatchTime(out.maxLoad, out.tail, m, plan.stageCount(), schedule.fillsByLoad() ? v : 1);
  out.batchTime = problem.search.objective == Objective::Nest ? out.nestTime : out.pipelineTime;
  // A plan that breaks rules may name more devices than an int counts.
  const long long devices =
      std::min<long long>(static_cast<long long>(plan.dataOuter) * plan.pipelineWidth(), INT_MAX);
  out.ranked = out.batchTime * problem.weightOf(static_cast<int>(devices), out.globalBatch);
}

void checkHostMemory(const Problem& problem, Evaluation& out) {
  const auto& known = problem.cluster->device().hostMemory;
  if (!known) return;
  for (std::size_t i = 0; i < out.stages.size(); ++i) {
    const Bytes needed = out.stages[i].hostMemory;
    if (needed <= known->value * kMemoryRounding) continue;
    out.violations.push_back({Violation::Kind::HostMemory, static_cast<int>(i),
                              text::stageName(StageIndex(static_cast<int>(i))) + " needs " +
                                  text::memory(needed) + " of its host's memory for each device, " +
                                  text::memory(needed - known->value) + " more than there is",
                              needed - known->value});
  }
}

void checkMemory(Evaluation& out) {
  for (std::size_t i = 0; i < out.stages.size(); ++i) {
    const MemoryUse& m = out.stages[i].memory;
    if (m.total() <= m.capacity * kMemoryRounding) continue;
    const Bytes shortfall = m.total() - m.capacity;
    out.violations.push_back({Violation::Kind::Memory, static_cast<int>(i),
                              text::stageName(StageIndex(static_cast<int>(i))) + " needs " +
                                  text::memory(m.predicted()) + " a device" +
                                  besideHeadroom(m[MemoryPart::Headroom]) + ", " + text::memory(shortfall) +
                                  " more than there is",
                              shortfall});
  }
}

}  // namespace

const char* nameOf(Violation::Kind kind) {
  constexpr std::array kNames = {"memory",  "host-memory", "microbatch", "batch",
                                 "devices", "shard-group", "placement",  "expert-group",
                                 "degrees", "stages",      "strategy",   "recompute",
                                 "chunks",  "layers",      "constraint", "program"};
  static_assert(kNames.size() == static_cast<std::size_t>(Violation::Kind::Program) + 1);
  return kNames[static_cast<std::size_t>(kind)];
}

int Evaluation::slowestStage() const {
  const auto it = std::max_element(stages.begin(), stages.end(),
                                   [](const auto& a, const auto& b) { return a.load < b.load; });
  return it == stages.end() ? -1 : static_cast<int>(it - stages.begin());
}

int Evaluation::fullestStage() const {
  const auto it = std::min_element(stages.begin(), stages.end(), [](const auto& a, const auto& b) {
    return a.memory.headroom() < b.memory.headroom();
  });
  return it == stages.end() ? -1 : static_cast<int>(it - stages.begin());
}

Evaluation evaluate(const Problem& problem, const Plan& plan) {
  Evaluation out;
  PlanCheck check = checkPlan(problem, plan);
  out.violations = std::move(check.violations);
  out.globalBatch = problem.batchOf(plan.globalBatch);
  out.microbatchCount = check.microbatches;
  if (!check.countable) return out;

  const auto [works, placed, pairs] = placePlan(problem, plan, check);
  out.stages.resize(plan.stages.size());
  long long begin = 0;
  for (int i = 0; i < plan.stageCount(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    computeTerms(works[k], placed[k], out.stages[k]);
    exchangeTerms(placed[k], overlapUnder(plan.pipelineSchedule(), problem.assumptions), out.stages[k]);
    memoryTerms(problem, plan, i, works[k], placed[k], check.microbatches, out.stages[k]);
    placeTerms(plan, out.stages[k], i, begin);
  }
  batchTerms(problem, plan, works, placed, out);
  checkMemory(out);
  checkHostMemory(problem, out);
  return out;
}

std::string besideHeadroom(Bytes headroom) {
  return headroom > Bytes(0) ? " (+ " + text::memory(headroom) + " headroom)" : std::string();
}

}  // namespace nest
