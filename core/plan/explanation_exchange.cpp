#include <algorithm>

#include "plan/explanation_parts.h"

namespace nest::explanation {
namespace {

bool happens(Phase phase, Recompute r) {
  if (phase == Phase::RecomputeSelective) return r == Recompute::Selective;
  if (phase == Phase::RecomputeFull) return r == Recompute::Full;
  return true;
}

void addFigures(const Scene& s, int level, CostTerm& t) {
  if (level < 0) return;
  t.level = level;
  t.inputs.push_back(s.bandwidth(level));
  t.inputs.push_back(s.latency(level));
}

/// Every collective of the stage over one kind of group, with how often it runs per microbatch.
CostTerm groupTerm(const Scene& s, int stage, GroupKind group, Exchange kind, TermKind termKind, int level) {
  const double value = s.figures(stage).exchange[static_cast<std::size_t>(kind)].value();
  const std::string name = nameOf(group);
  CostTerm t = term(stageId(stage) + "/" + name,
                    std::string(1, static_cast<char>(name[0] - 'a' + 'A')) + name.substr(1) + " exchange",
                    value, TermUnit::Time, termKind, stage);
  t.formula = "slowest group's Σ over layers of times · collective";
  addFigures(s, level, t);
  for (const LayerRun& r : s.runs[static_cast<std::size_t>(stage)])
    for (const Collective& c : r.cost->collectives) {
      if (c.group != group || !happens(c.phase, s.stage(stage).recompute)) continue;
      const std::string what = std::string(nameOf(c.kind)) + ", " + nameOf(c.phase);
      t.inputs.push_back(
          s.profiled("times", r.name + ": " + what, c.times * r.count, TermUnit::Count, r.cost->origin));
      t.inputs.push_back(
          s.profiled("D", r.name + ": " + what, c.bytes.value(), TermUnit::Memory, r.cost->origin));
    }
  return t;
}

CostTerm transferTerm(const Scene& s, int stage, const char* name, const char* label, Seconds value,
                      Bytes bytes, int level) {
  CostTerm t =
      term(stageId(stage) + "/" + name, label, value.value(), TermUnit::Time, TermKind::Pipeline, stage);
  t.formula = "α + D/B";
  if (level < 0) return t;
  t.inputs = {s.profiled("D", "bytes that one rank sends across the boundary", bytes.value(),
                         TermUnit::Memory, Origin::Estimated)};
  addFigures(s, level, t);
  if (s.plan.chunksPerStage() > 1) {
    t.formula = "Σ over the stage's chunks of α + D/B";
    return t;
  }
  const NetworkLevel& l = s.problem.cluster->level(level);
  CostTerm latency =
      term(t.id + "/latency", "Latency", l.latency.value(), TermUnit::Time, TermKind::Pipeline, stage);
  latency.formula = "α";
  CostTerm wire = term(t.id + "/bytes", "Bytes on the wire", (bytes / l.bandwidth).value(), TermUnit::Time,
                       TermKind::Pipeline, stage);
  wire.formula = "D/B";
  latency.level = wire.level = level;
  t.combine = Combine::Sum;
  t.children = {std::move(latency), std::move(wire)};
  return t;
}

const char* dataFormula(int zero, bool load) {
  if (load) return zero >= 3 ? "RS(G) + 2·AG(W)" : "RS(G)";
  switch (zero) {
    case 0:
      return "2·RS(G)";
    case 1:
      return "RS(G) + AG(W)";
    case 2:
      return "AG(W)";
    default:
      return "0";
  }
}

void addDataInputs(const Scene& s, int stage, CostTerm& t) {
  const StageEvaluation& f = s.figures(stage);
  const OptimizerRegime& o = s.problem.job.optimizer;
  addFigures(s, f.dataLevel, t);
  t.inputs.push_back(counted("S", "ranks of a dense gradient group", s.denseShards(stage)));
  t.inputs.push_back({"G", "gradient bytes of one rank", f.dataBytes.value(), TermUnit::Memory,
                      Origin::Estimated, s.problem.profile->provenance});
  t.inputs.push_back({"W", "weight bytes of one rank", f.parameters * o.weightBytes, TermUnit::Memory,
                      Origin::Estimated, s.problem.profile->provenance});
}

}  // namespace

std::vector<CostTerm> exchangeTerms(const Scene& s, int stage) {
  const StageEvaluation& f = s.figures(stage);
  const auto of = [&](Exchange k) { return f.exchange[static_cast<std::size_t>(k)].value(); };
  std::vector<CostTerm> out;
  if (of(Exchange::Tensor) > 0)
    out.push_back(groupTerm(s, stage, GroupKind::Tensor, Exchange::Tensor, TermKind::Tensor, f.tensorLevel));
  if (of(Exchange::Context) > 0)
    out.push_back(
        groupTerm(s, stage, GroupKind::Context, Exchange::Context, TermKind::Context, f.contextLevel));
  if (of(Exchange::Expert) > 0)
    out.push_back(groupTerm(s, stage, GroupKind::Expert, Exchange::Expert, TermKind::Expert, f.expertLevel));
  if (f.activationIn.value() > 0)
    out.push_back(transferTerm(s, stage, "activation", "Activation in", f.activationIn, f.activationBytes,
                               f.activationLevel));
  if (f.gradientIn.value() > 0)
    out.push_back(
        transferTerm(s, stage, "gradient", "Gradient in", f.gradientIn, f.gradientBytes, f.gradientLevel));
  if (of(Exchange::Data) > 0) {
    CostTerm t = term(stageId(stage) + "/data", "Data exchange, every microbatch", of(Exchange::Data),
                      TermUnit::Time, TermKind::Data, stage);
    t.formula = dataFormula(s.plan.zero, true);
    addDataInputs(s, stage, t);
    out.push_back(std::move(t));
  }
  return out;
}

CostTerm syncTerm(const Scene& s, int stage) {
  CostTerm t = term(stageId(stage) + "/sync", "Gradient exchange", s.figures(stage).sync.value(),
                    TermUnit::Time, TermKind::Data, stage);
  t.formula = dataFormula(s.plan.zero, false);
  addDataInputs(s, stage, t);
  return t;
}

}  // namespace nest::explanation
