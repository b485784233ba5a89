#include "evaluation/explanation.h"

#include <algorithm>
#include <limits>

#include "cost/stage_cost.h"
#include "evaluation/explanation_parts.h"
#include "units/at.h"
#include "units/numbering.h"
#include "units/text.h"

namespace nest {
namespace {

using namespace explanation;

/// min(Σ f·E, compute): the part hidden by overlap.
CostTerm hiddenTerm(const Scene& s, int stage, const std::vector<CostTerm>& parts) {
  const std::string id = stageId(stage) + "/hidden";
  CostTerm t = term(id, "Hidden behind compute", s.figures(stage).hidden.value(), TermUnit::Time,
                    TermKind::Hidden, stage);
  t.formula = "min(Σ f·E, compute)";
  t.combine = Combine::Min;
  t.factor = -1;
  CostTerm overlap = term(id + "/overlap", "What may overlap", 0, TermUnit::Time, TermKind::Hidden, stage);
  CostTerm compute =
      term(id + "/compute", "Compute to hide behind", 0, TermUnit::Time, TermKind::Hidden, stage);
  overlap.formula = "Σ f·E";
  compute.formula = "forward + backward + recompute";
  overlap.combine = compute.combine = Combine::Sum;
  for (const CostTerm& p : parts) {
    if (p.kind == TermKind::Compute) {
      compute.children.push_back(referenceTo(p));
      continue;
    }
    const Exchange k = exchangeOf(p.kind).value();
    const double f = overlapUnder(s.plan.pipelineSchedule(), s.problem.assumptions)[at(k)];
    if (!(f > 0)) continue;
    overlap.children.push_back(referenceTo(p, f));
    overlap.inputs.push_back(typed("f", "share of it that may overlap", f, TermUnit::Fraction));
  }
  overlap.value = overlap.fromChildren();
  compute.value = compute.fromChildren();
  t.children = {std::move(overlap), std::move(compute)};
  return t;
}

CostTerm loadTerm(const Scene& s, int stage) {
  const StageEvaluation& f = s.figures(stage);
  CostTerm t = term(stageId(stage) + "/load", "Time per microbatch, " + text::stageName(StageIndex(stage)),
                    f.load.value(), TermUnit::Time, TermKind::Load, stage);
  t.formula = "compute + communication − hidden";
  t.combine = Combine::Sum;
  for (const char* which : {"forward", "backward", "recompute"}) {
    CostTerm c = computeTerm(s, stage, which);
    if (c.value > 0) t.children.push_back(std::move(c));
  }
  for (CostTerm& e : exchangeTerms(s, stage)) t.children.push_back(std::move(e));
  if (f.hidden.value() > 0) {
    CostTerm hidden = hiddenTerm(s, stage, t.children);
    t.children.push_back(std::move(hidden));
  }
  if (t.children.empty()) t.combine = Combine::None;
  return t;
}

/// The backward compute of every layer before the stage, which hides its gradient exchange.
CostTerm earlierBackwardTerm(const Scene& s, int stage) {
  CostTerm t = term(stageId(stage) + "/earlier", "Backward still running before it", 0, TermUnit::Time,
                    TermKind::Compute, stage);
  t.formula = "Σ backward of layers in earlier stages";
  t.combine = Combine::Sum;
  t.factor = -1;
  for (int j = 0; j < stage; ++j) {
    // If interleaved, only the first chunks are before this stage's first chunk.
    if (s.plan.chunksPerStage() == 1) {
      if (!(s.figures(j).backward.value() > 0)) continue;
      CostTerm c = term(stageId(j) + "/backward", "Backward compute of " + text::stageName(StageIndex(j)),
                        s.figures(j).backward.value(), TermUnit::Time, TermKind::Compute, j);
      c.formula = "Σ over its layers";
      c.reference = true;
      t.children.push_back(std::move(c));
      continue;
    }
    if (s.stage(j).chunks.empty()) continue;
    for (const LayerRun& r : s.runsOf(s.stage(j).chunks.front(), s.stage(j).strategy)) {
      CostTerm c = term(t.id + "/" + stageId(j) + "/class" + std::to_string(r.classId),
                        text::stageTitle(StageIndex(j)) + ", " + r.name,
                        r.cost->backward.value() / s.speed(j), TermUnit::Time, TermKind::Compute, j);
      c.formula = "backward of one layer ÷ speed";
      c.inputs = {
          s.profiled("backward", "of one layer", r.cost->backward.value(), TermUnit::Time, r.cost->origin)};
      c.factor = r.count;
      t.children.push_back(std::move(c));
    }
  }
  if (t.children.empty()) t.combine = Combine::None;
  t.value = t.children.empty() ? 0 : t.fromChildren();
  return t;
}

/// The formula of what the host does in the device's place, with its inputs (STATEMENT.md (10.12)).
std::string hostStepFormula(const Scene& s, const HostStep& host, const std::string& ofDevice, CostTerm& t) {
  const auto& link = s.problem.cluster->device().hostMemoryBandwidth;
  t.inputs.push_back(
      typed("ω", "share of the optimizer state in host memory", host.share, TermUnit::Fraction));
  std::vector<std::string> parts = {ofDevice};
  if (link) {
    parts.insert(parts.end(), {"ω·g ÷ host bandwidth", "ω·w ÷ host bandwidth"});
    t.inputs.push_back({"host bandwidth", "between the device and its host's memory", link->value.value(),
                        TermUnit::Bandwidth, link->origin, link->citation});
  } else {
    TermInput unknown =
        typed("host bandwidth", "between the device and its host's memory", 0, TermUnit::Count);
    unknown.words = "not known: copies are not counted";
    t.inputs.push_back(std::move(unknown));
  }
  TermInput rate = typed("U", "parameters a second that the host updates for one device",
                         host.updatesPerSecond, TermUnit::Parameters);
  if (host.updatesPerSecond > 0)
    parts.insert(parts.end() - (link ? 1 : 0), "ω ÷ U");
  else
    rate.words = "not known: the host's update is not counted";
  t.inputs.push_back(std::move(rate));
  std::string formula;
  for (const std::string& p : parts) formula += (formula.empty() ? "" : host.overlaps ? ", " : " + ") + p;
  return host.overlaps ? "max(" + formula + ")" : "(" + formula + ")";
}

CostTerm stepTerm(const Scene& s, int stage) {
  const auto& bandwidth = s.problem.cluster->device().memoryBandwidth;
  const StepRate rate =
      StepRate::of(s.problem.job.optimizer, s.problem.assumptions, s.problem.cluster->device(), s.plan.zero);
  const StepBytes step = StepBytes::of(s.problem.job.optimizer, s.problem.assumptions, s.plan.zero);
  CostTerm t = term(stageId(stage) + "/step", "Optimizer step", s.figures(stage).step.value(), TermUnit::Time,
                    TermKind::Tail, stage);
  std::string bytes;
  for (const StepTraffic& p : step.parts) {
    if (!(p.times > 0)) continue;
    bytes += (bytes.empty() ? "" : " + ") + (p.times == 1 ? "" : text::number(p.times) + "·") + p.symbol;
    t.inputs.push_back(typed(p.symbol, p.meaning, p.bytes, TermUnit::Memory));
  }
  const std::string ofDevice = "(" + bytes + ") ÷ memory bandwidth";
  t.inputs.push_back({"memory bandwidth", "of the device", bandwidth.value.value(), TermUnit::Bandwidth,
                      bandwidth.origin, bandwidth.citation});
  t.formula = (step.sharded ? "parameters ÷ S · " : "parameters · ") +
              (rate.host.share > 0 ? hostStepFormula(s, rate.host, ofDevice, t) : ofDevice);
  if (!(t.value > 0)) return t;
  const StageWork& p = s.work(stage);
  const double each = rate.perParameter().value();
  const auto add = [&](const char* kind, double count, double shards) {
    if (!(count > 0)) return;
    CostTerm c = term(t.id + "/" + kind, std::string(kind) + " parameters of one device", count,
                      TermUnit::Parameters, TermKind::Tail, stage);
    c.factor = each / (step.sharded ? shards : 1);
    c.inputs = {counted("S", "ranks that share them", step.sharded ? shards : 1)};
    c.formula = "Σ over layers";
    t.children.push_back(std::move(c));
  };
  add("dense", p.dense - p.frozenDense, s.denseShards(stage));
  add("expert", p.expert - p.frozenExpert, s.expertShards(stage));
  t.combine = t.children.empty() ? Combine::None : Combine::Sum;
  return t;
}

/// The part hidden by the stage's own last backward and next forward passes.
CostTerm hiddenSyncTerm(const Scene& s, int stage) {
  const StageEvaluation& f = s.figures(stage);
  CostTerm t = term(stageId(stage) + "/exposed/own", "Hidden behind its own passes", f.hiddenSync.value(),
                    TermUnit::Time, TermKind::Hidden, stage);
  t.formula = "f · min(reduction, passes)";
  const int passes = s.plan.pipelineSchedule().coveringPasses(s.plan.stageCount());
  t.factor = -1;
  t.inputs = {typed("f", "overlap of the gradient reduction at the end of a step",
                    syncOverlap(s.problem.assumptions, s.plan.zero), TermUnit::Fraction),
              {"sync", "gradient reduction", f.sync.value(), TermUnit::Time, Origin::Estimated, {}},
              {"passes",
               passes == 1 ? "its forward and backward, one microbatch"
                           : "its forward and backward, as many microbatches as stages",
               passes * (f.forward + f.backward).value(),
               TermUnit::Time,
               Origin::Estimated,
               {}}};
  return t;
}

CostTerm tailTerm(const Scene& s, int stage) {
  const StageEvaluation& f = s.figures(stage);
  const std::string id = stageId(stage) + "/tail";
  CostTerm exposed = term(stageId(stage) + "/exposed", "Exposed gradient reduction", f.exposed.value(),
                          TermUnit::Time, TermKind::Tail, stage);
  exposed.formula = "max(0, reduction − backward of earlier stages)";
  exposed.combine = Combine::PositiveSum;
  exposed.children = {syncTerm(s, stage), earlierBackwardTerm(s, stage)};
  if (f.hiddenSync > Seconds()) {
    exposed.formula = "max(0, reduction − own passes − backward of earlier stages)";
    exposed.children.insert(exposed.children.begin() + 1, hiddenSyncTerm(s, stage));
  }
  CostTerm t = term(id, "After the last microbatch, " + text::stageName(StageIndex(stage)),
                    (f.exposed + f.step).value(), TermUnit::Time, TermKind::Tail, stage);
  t.formula = "exposed + step";
  t.combine = Combine::Sum;
  t.children = {std::move(exposed), stepTerm(s, stage)};
  return t;
}

/// g: what a stage adds to fill and drain, from its passes.
CostTerm fillTerm(const Scene& s, int stage) {
  const StageEvaluation& f = s.figures(stage);
  CostTerm t = term(stageId(stage) + "/fill", "Fill and drain, " + text::stageName(StageIndex(stage)),
                    f.fill.value(), TermUnit::Time, TermKind::Batch, stage);
  const auto& runs = s.runs[at(stage)];
  const auto separate = std::count_if(runs.begin(), runs.end(),
                                      [](const LayerRun& r) { return r.cost->weightGradient.has_value(); });
  const bool measured = std::all_of(runs.begin(), runs.end(),
                                    [](const LayerRun& r) { return r.cost->origin == Origin::Measured; });
  t.formula = std::string(s.plan.pipelineSchedule().fillFormula());
  const auto pass = [&](const char* symbol, std::string meaning, Seconds value) {
    t.inputs.push_back({symbol,
                        std::move(meaning),
                        value.value(),
                        TermUnit::Time,
                        measured ? Origin::Measured : Origin::Estimated,
                        {}});
  };
  pass("f", "forward pass of one microbatch", f.forwardPass);
  pass("b", "its input gradients", f.load - f.forwardPass - f.weightPass);
  pass("w",
       separate == static_cast<std::ptrdiff_t>(runs.size()) ? "its weight gradients"
       : separate > 0
           ? "its weight gradients, half of backward for layers whose profile does not separate them"
           : "its weight gradients, half of backward: the profile does not separate them",
       f.weightPass);
  return t;
}

/// The time of a stage beyond fill and drain.
CostTerm restTerm(const Scene& s, int stage, const CostTerm& load, const CostTerm& fill) {
  const StageEvaluation& f = s.figures(stage);
  const int m = s.evaluation.microbatchCount;
  CostTerm t = term(stageId(stage) + "/rest", "All microbatches, " + text::stageName(StageIndex(stage)),
                    (m * f.load - f.fill).value(), TermUnit::Time, TermKind::Load, stage);
  t.formula = "m · load − g";
  t.combine = Combine::Sum;
  CostTerm whole = load;
  whole.factor = m;
  t.children = {std::move(whole), referenceTo(fill, -1)};
  return t;
}

struct Objectives {
  std::string formula;
  double ofSum = 0, ofMax = 0;  ///< T = ofSum · Σ load + ofMax · max load + tail
};

Objectives objectiveOf(const Problem& p, const Plan& plan, int m) {
  const PipelineSchedule& schedule = plan.pipelineSchedule();
  const int s = plan.stageCount(), v = schedule.fillsByLoad() ? plan.chunksPerStage() : 1;
  if (p.search.objective == Objective::Nest)
    return v > 1 ? Objectives{"T = max load · (m + (s − 1)/v) + tail", 0, m + (s - 1.0) / v}
                 : Objectives{"T = max load · (m + s − 1) + tail", 0, m + s - 1.0};
  const LoadWeights weights = schedule.fillsByLoad() ? schedule.weights(m, v) : LoadWeights{1, 1};
  return {std::string(schedule.timeFormula()), weights.sum, weights.max};
}

}  // namespace

CostTerm explain(const Problem& problem, const Plan& plan, const Evaluation& evaluation) {
  const Scene scene(problem, plan, evaluation);
  const int m = evaluation.microbatchCount;
  const Objectives objective = objectiveOf(problem, plan, m);
  CostTerm root =
      term("batch", "Step time", evaluation.batchTime.value(), TermUnit::Time, TermKind::Batch, -1);
  root.formula = objective.formula;
  root.inputs = {counted("m", "microbatches of a pipeline: B ÷ (b·d)", m),
                 counted("s", "stages", plan.stageCount()),
                 counted("v", "chunks of a stage", plan.chunksPerStage()),
                 counted("b", "sequences in a microbatch", plan.microbatch),
                 counted("d", "replicas", plan.dataDegree()),
                 typed("B", "sequences in the global batch", evaluation.globalBatch, TermUnit::Count)};
  if (plan.stages.empty() || evaluation.stages.size() != plan.stages.size()) return root;
  root.combine = Combine::Sum;

  CostTerm fill = term("batch/fill", "All stages, one microbatch", evaluation.sumLoad.value(), TermUnit::Time,
                       TermKind::Batch, -1);
  const bool byLoad = plan.pipelineSchedule().fillsByLoad() || problem.search.objective == Objective::Nest;
  fill.formula = "Σ load";
  fill.factor = objective.ofSum;
  CostTerm slowest = term("batch/slowest", "The slowest stage", evaluation.maxLoad.value(), TermUnit::Time,
                          TermKind::Batch, -1);
  slowest.formula = "max load";
  slowest.factor = objective.ofMax;
  if (!byLoad) {
    fill.label = "Fill and drain of all stages";
    fill.value = evaluation.sumFill.value();
    fill.formula = "Σ g";
    slowest.value = evaluation.maxRest.value();
    slowest.formula = "max(m · load − g)";
  }
  CostTerm tail = term("batch/tail", "After the last microbatch", evaluation.tail.value(), TermUnit::Time,
                       TermKind::Tail, -1);
  tail.formula = "max over stages of exposed + step";
  CostTerm memory = term("memory", "Memory of the fullest stage", 0, TermUnit::Memory, TermKind::Memory, -1);
  memory.formula = "max over stages";
  memory.factor = 0;
  fill.combine = Combine::Sum;
  slowest.combine = tail.combine = memory.combine = Combine::Max;
  for (int i = 0; i < plan.stageCount(); ++i) {
    CostTerm load = loadTerm(scene, i);
    if (byLoad) {
      slowest.children.push_back(referenceTo(load));
      fill.children.push_back(std::move(load));
    } else {
      CostTerm own = fillTerm(scene, i);
      slowest.children.push_back(restTerm(scene, i, load, own));
      fill.children.push_back(std::move(own));
    }
    tail.children.push_back(tailTerm(scene, i));
    memory.children.push_back(memoryTerm(scene, i));
  }
  memory.value = memory.fromChildren();
  root.children = {std::move(fill), std::move(slowest), std::move(tail), std::move(memory)};
  return root;
}

double CostTerm::fromChildren() const {
  if (combine == Combine::None) return value;
  double sum = 0, most = -std::numeric_limits<double>::infinity(), least = -most;
  for (const CostTerm& c : children) {
    const double v = c.factor * c.value;
    sum += v;
    most = std::max(most, v);
    least = std::min(least, v);
  }
  if (children.empty()) return 0;
  switch (combine) {
    case Combine::Max:
      return most;
    case Combine::Min:
      return least;
    case Combine::PositiveSum:
      return std::max(0.0, sum);
    default:
      return sum;
  }
}

const CostTerm* CostTerm::find(const std::string& name) const {
  if (id == name && !reference) return this;
  for (const CostTerm& c : children)
    if (const CostTerm* hit = c.find(name)) return hit;
  return nullptr;
}

std::string toText(const TermInput& i) {
  return i.words.empty() ? toText(i.value, i.unit) : i.words;
}

std::string toText(double value, TermUnit unit) {
  switch (unit) {
    case TermUnit::Time:
      return text::time(Seconds(value));
    case TermUnit::Memory:
      return text::memory(Bytes(value));
    case TermUnit::Bandwidth:
      return text::bandwidth(BytesPerSecond(value));
    case TermUnit::Parameters:
      return text::number(value) + " parameters";
    case TermUnit::Fraction:
      return text::percent(value);
    case TermUnit::Count:
      break;
  }
  return text::number(value, 6);
}

const char* nameOf(TermKind k) {
  switch (k) {
    case TermKind::Batch:
      return "batch";
    case TermKind::Load:
      return "load";
    case TermKind::Compute:
      return "compute";
    case TermKind::Tensor:
      return "tensor exchange";
    case TermKind::Context:
      return "context exchange";
    case TermKind::Expert:
      return "expert exchange";
    case TermKind::Pipeline:
      return "pipeline exchange";
    case TermKind::Data:
      return "data exchange";
    case TermKind::Hidden:
      return "overlap";
    case TermKind::Tail:
      return "tail";
    case TermKind::Memory:
      break;
  }
  return "memory";
}

namespace {
void write(const CostTerm& t, int depth, int indent, std::string& out) {
  out += std::string(static_cast<std::size_t>(indent) * 2, ' ');
  if (t.factor != 1 && t.factor != 0 && indent > 0) out += text::number(t.factor, 4) + " × ";
  out += t.label + ": " + toText(t.value, t.unit);
  if (!t.formula.empty()) out += "  [" + t.formula + "]";
  for (const TermInput& i : t.inputs) {
    out += "\n" + std::string(static_cast<std::size_t>(indent) * 2 + 4, ' ') + i.symbol + " = " + toText(i) +
           ", " + i.meaning + " (" + std::string(i.source());
    out += i.citation.empty() ? ")" : ": " + i.citation + ")";
  }
  out += "\n";
  if (depth <= 0) return;
  for (const CostTerm& c : t.children) write(c, depth - 1, indent + 1, out);
}
}  // namespace

std::string toText(const CostTerm& t, int depth) {
  std::string out;
  write(t, depth, 0, out);
  return out;
}

}  // namespace nest
