#include <algorithm>

#include "evaluation/explanation_parts.h"
#include "evaluation/plan_check.h"
#include "units/text.h"

namespace nest::explanation {

Scene::Scene(const Problem& p, const Plan& pl, const Evaluation& e) : problem(p), plan(pl), evaluation(e) {
  PlanCheck check = checkPlan(p, pl);
  check.placeable = check.placeable && check.countable;
  placed = placePlan(p, pl, check);
  for (int i = 0; i < plan.stageCount(); ++i) runs.push_back(runsOf(stage(i).layers(), stage(i).strategy));
}

std::vector<LayerRun> Scene::runsOf(const std::vector<LayerIndex>& layers, const Strategy& strategy) const {
  const int s = problem.profile->strategyIndex(strategy);
  const int b = problem.profile->microbatchIndex(plan.microbatch);
  std::vector<LayerRun> out;
  if (s < 0 || b < 0) return out;
  for (const LayerIndex x : layers) {
    if (x.value < 0 || x.value >= problem.graph->layerCount()) continue;
    const Layer& layer = problem.graph->layers[x.at()];
    const auto same =
        std::find_if(out.begin(), out.end(), [&](const LayerRun& r) { return r.classId == layer.classId; });
    if (same != out.end()) {
      ++same->count;
      continue;
    }
    if (const LayerCost* cost = problem.profile->cost(layer.classId, s, b))
      out.push_back({layer.classId, 1, layer.name, cost});
  }
  for (LayerRun& r : out)
    if (r.count > 1) r.name = "as " + r.name;  // the factor shows how many there are
  return out;
}

TermInput Scene::profiled(std::string symbol, std::string meaning, double value, TermUnit unit,
                          Origin origin) const {
  return {std::move(symbol), std::move(meaning), value, unit, origin, problem.profile->provenance};
}

TermInput Scene::bandwidth(int level, int ranks) const {
  const NetworkLevel& l = problem.cluster->level(level);
  return {
      "B" + std::to_string(level),
      "bandwidth of level " + l.name +
          (l.efficiency == 1 ? ""
                             : ", " + text::percent(l.efficiency) + " of " + text::bandwidth(l.bandwidth)) +
          (l.crowding > 0 && ranks > 1 ? ", among " + std::to_string(ranks) + " ranks" : ""),
      l.sustained(ranks).value(),
      TermUnit::Bandwidth,
      l.origin,
      {}};
}

TermInput Scene::latency(int level) const {
  const NetworkLevel& l = problem.cluster->level(level);
  return {"α" + std::to_string(level),
          "latency of level " + l.name,
          l.latency.value(),
          TermUnit::Time,
          l.origin,
          {}};
}

std::string stageId(int stage) {
  return "stage" + std::to_string(stage + 1);
}

std::optional<Exchange> exchangeOf(TermKind kind) {
  switch (kind) {
    case TermKind::Tensor:
      return Exchange::Tensor;
    case TermKind::Context:
      return Exchange::Context;
    case TermKind::Expert:
      return Exchange::Expert;
    case TermKind::Pipeline:
      return Exchange::Pipeline;
    case TermKind::Data:
      return Exchange::Data;
    default:
      return {};
  }
}

CostTerm term(std::string id, std::string label, double value, TermUnit unit, TermKind kind, int stage) {
  CostTerm t;
  t.id = std::move(id);
  t.label = std::move(label);
  t.value = value;
  t.unit = unit;
  t.kind = kind;
  t.stage = stage;
  return t;
}

CostTerm referenceTo(const CostTerm& whole, double factor) {
  CostTerm t = whole;
  t.children.clear();
  t.inputs.clear();
  t.combine = Combine::None;
  t.reference = true;
  t.factor = factor;
  return t;
}

TermInput counted(std::string symbol, std::string meaning, double value) {
  return {std::move(symbol), std::move(meaning), value, TermUnit::Count, Origin::Typed, {}, true};
}

TermInput typed(std::string symbol, std::string meaning, double value, TermUnit unit) {
  return {std::move(symbol), std::move(meaning), value, unit, Origin::Typed, {}};
}

CostTerm computeTerm(const Scene& s, int stage, const char* which) {
  const std::string name = which;
  const StageEvaluation& f = s.figures(stage);
  const auto seconds = [&](const LayerCost& c) {
    if (name == "forward") return c.forward;
    if (name == "backward") return c.backward;
    return c.recompute[s.stage(stage).recompute].extraBackward;
  };
  const Seconds value = name == "forward" ? f.forward : name == "backward" ? f.backward : f.recompute;
  const std::string label = name == "forward"    ? "Forward compute"
                            : name == "backward" ? "Backward compute"
                                                 : "Recompute";
  CostTerm t =
      term(stageId(stage) + "/" + name, label, value.value(), TermUnit::Time, TermKind::Compute, stage);
  t.formula = "Σ over layers of seconds ÷ speed";
  t.combine = Combine::Sum;
  const double speed = s.speed(stage);
  for (const LayerRun& r : s.runs[stage]) {
    const Seconds one = seconds(*r.cost);
    if (!(one.value() > 0)) continue;
    CostTerm c = term(t.id + "/class" + std::to_string(r.classId), r.name, one.value() / speed,
                      TermUnit::Time, TermKind::Compute, stage);
    c.factor = r.count;
    c.formula = "seconds of one layer ÷ speed of the slowest device";
    c.inputs = {s.profiled("seconds", name + " of one layer, one microbatch", one.value(), TermUnit::Time,
                           r.cost->origin),
                typed("speed", "speed factor of the slowest device", speed, TermUnit::Fraction)};
    t.children.push_back(std::move(c));
  }
  if (t.children.empty()) t.combine = Combine::None;
  return t;
}

}  // namespace nest::explanation
