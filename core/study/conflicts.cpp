#include "study/conflicts.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fields/field.h"
#include "log/log.h"
#include "scenario/scenario.h"
#include "scenario/search_menus.h"
#include "schedule/pipeline_schedule.h"
#include "solver/even_hosts.h"
#include "study/quiet_solve.h"
#include "units/numbering.h"
#include "units/text.h"

namespace nest {
namespace {

constexpr std::size_t kMostTried = 64;

struct Demanded {
  std::string pointer, words;
  std::function<void(Constraints&)> drop;
};

std::string rangeOf(const Bound& b) {
  if (b.least && b.most && *b.least == *b.most) return std::to_string(*b.least);
  std::string out = b.least ? "at least " + std::to_string(*b.least) : std::string();
  if (b.most) out += (out.empty() ? "at most " : ", at most ") + std::to_string(*b.most);
  return out;
}

std::string nameIn(const Problem& p, LayerIndex x) {
  return x.value >= 0 && x.value < p.graph->layerCount() ? p.graph->layers[x.at()].name : text::layerName(x);
}

void addBounds(const Problem& p, std::vector<Demanded>& all) {
  Setting now;
  now.constraints = p.constraints;
  for (const Field& f : fields()) {
    if (f.kind() != FieldKind::Bound) continue;
    const auto b = std::get<Bound>(f.access.get(now, 0));
    if (!b.least && !b.most) continue;
    all.push_back(
        {f.key.substr(f.key.rfind('/') + 1),
         f.one.empty() ? f.noun + ' ' + rangeOf(b) : rangeOf(b) + ' ' + (b.most == 1 ? f.one : f.noun),
         [&f](Constraints& k) {
           Setting s;
           s.constraints = std::move(k);
           f.access.set(s, 0, Bound{});
           k = std::move(s.constraints);
         }});
  }
}

template <class T, class Words>
void addList(const char* key, std::vector<T> Constraints::*list, const Constraints& c, Words words,
             std::vector<Demanded>& all) {
  for (std::size_t i = 0; i < (c.*list).size(); ++i)
    all.push_back({std::string(key) + "/" + std::to_string(i), words((c.*list)[i]),
                   [list, i](Constraints& k) { (k.*list).erase((k.*list).begin() + std::ptrdiff_t(i)); }});
}

std::vector<Demanded> demandsOf(const Problem& p) {
  const Constraints& c = p.constraints;
  std::vector<Demanded> all;
  addBounds(p, all);
  addList(
      "required_cuts", &Constraints::requiredCuts, c,
      [&](LayerIndex x) { return "a stage begins at " + nameIn(p, x); }, all);
  addList(
      "forbidden_cuts", &Constraints::forbiddenCuts, c,
      [&](LayerIndex x) { return "no stage begins at " + nameIn(p, x); }, all);
  addList(
      "layer_pins", &Constraints::layerPins, c,
      [&](const Constraints::LayerPin& pin) {
        return nameIn(p, pin.layer) + " in " + text::stageName(pin.stage);
      },
      all);
  addList(
      "stage_pins", &Constraints::stagePins, c,
      [](const Constraints::StagePin& pin) {
        std::string what = pin.recompute ? "recompute " + std::string(nameOf(*pin.recompute)) : "";
        if (pin.strategy) what += (what.empty() ? "" : " and ") + toText(*pin.strategy);
        return what + " in " + text::stageName(pin.stage);
      },
      all);
  if (c.megatronExpressible)
    all.push_back({"megatron_expressible", "expressible in Megatron-LM",
                   [](Constraints& k) { k.megatronExpressible = false; }});
  return all;
}

Diagnostic conflict(const std::string& pointer, std::string message, std::string remedy) {
  return warning("constraint-conflict", {"", 0, 0, "/constraints" + (pointer.empty() ? "" : "/" + pointer)},
                 std::move(message), std::move(remedy));
}

/// "TP2 · PP2 · DP1 · MBS1 takes 480 ms".
std::string planWords(const RankedPlan& r) {
  return summaryOf(r.plan) + " takes " + text::time(r.evaluation.batchTime);
}

/// No schedule on offer runs as many microbatches as there can be, not even on the fewest stages.
std::optional<Diagnostic> scheduleRefusal(const Problem& p) {
  const auto& sizes = p.profile->microbatches();
  const auto& named = p.search.schedules;
  const bool oneStage =
      std::find(named.begin(), named.end(), ScheduleKind::OneForwardOneBackward) != named.end();
  if (sizes.empty() || oneStage) return std::nullopt;
  const int stages = std::max(2, p.constraints.stages.least.value_or(2));
  const int microbatches = p.microbatchCount(*std::min_element(sizes.begin(), sizes.end()), 1);
  std::string reasons;
  for (const ScheduleKind kind : named) {
    const PipelineSchedule& s = scheduleOf(kind);
    const auto why = s.refusals(stages, s.takesChunks(1) ? 1 : 2, microbatches);
    if (why.empty()) return std::nullopt;
    reasons += (reasons.empty() ? "" : "; ") + why.front();
  }
  return warning(
      "schedule-refuses", {"", 0, 0, "/search/schedules"}, reasons,
      "train larger batches, offer smaller microbatches or other schedules, or allow fewer stages");
}

/// Chunks alone leave no plan: no number of stages shares out the blocks so.
std::optional<Diagnostic> chunksRefusal(const Problem& p, const Control& control) {
  const auto& offered = p.search.chunksPerStage;
  if (std::find(offered.begin(), offered.end(), 1) != offered.end()) return std::nullopt;
  Problem whole = p;
  whole.search.chunksPerStage = {1};
  const Outcome o = quietSolve(std::move(whole), control);
  if (!o.best()) return std::nullopt;
  return warning(
      "chunks-refuse", {"", 0, 0, "/search/chunks_per_stage"},
      "no number of stages divides the blocks into chunks as asked; with VPP 1 " + planWords(*o.best()),
      "add 1 to search.chunks_per_stage");
}

}  // namespace

Diagnostics conflictsOf(const Problem& problem, const Control& control) {
  Diagnostics out;
  const auto demands = demandsOf(problem);
  Problem free = problem;
  free.constraints = {};
  const Outcome without = quietSolve(free, control);
  if (studyStopped(control)) return out;
  if (hasErrors(without.diagnostics)) return out;  // which say why
  if (!without.best()) {
    if (auto refusal = scheduleRefusal(problem); !without.nearestMiss && refusal)
      out.push_back(std::move(*refusal));
    else if (auto chunks = without.nearestMiss ? std::nullopt : chunksRefusal(free, control))
      out.push_back(std::move(*chunks));
    else if (!without.nearestMiss)
      out.push_back(
          warning("nothing-divides", {"", 0, 0, "/job/global_batch"},
                  "no combination of degrees divides the global batch and the devices",
                  "change the global batch, offer smaller microbatches, or let the last one be padded"));
    return out;
  }
  for (std::size_t i = 0; i < demands.size() && i < kMostTried && !studyStopped(control); ++i) {
    Problem less = problem;
    demands[i].drop(less.constraints);
    if (const Outcome o = quietSolve(std::move(less), control); o.best())
      out.push_back(
          conflict(demands[i].pointer,
                   "\"" + demands[i].words + "\" leaves no plan; without it " + planWords(*o.best()),
                   "loosen or remove it"));
  }
  if (out.empty() && !studyStopped(control))
    out.push_back(
        conflict({},
                 "no single constraint is to blame, they contradict each other; without all of them " +
                     planWords(*without.best()),
                 "loosen or remove several"));
  return out;
}

void lookBeyond(const Setting& setting, Outcome& o, const Control& control) {
  const RankedPlan* best = o.best();
  if (!best && !o.nearestMiss) return;
  struct Switch {
    const char *option, *what;
    bool SearchOptions::*on;
  };
  constexpr Switch kSwitches[] = {
      {"expert_parallel", "expert parallelism", &SearchOptions::expertParallel},
      {"context_parallel", "context parallelism", &SearchOptions::contextParallel}};
  Diagnostics beyond = notTried(setting, best ? best->plan : o.nearestMiss->plan);
  for (const Switch& s : kSwitches) {
    const auto named = [&](const Diagnostic& d) {
      return d.where.pointer == std::string("/search/") + s.option;
    };
    if (best || studyStopped(control) || std::none_of(beyond.begin(), beyond.end(), named)) continue;
    Setting wider = setting;
    wider.search.*s.on = true;
    auto problem = buildProblem(wider);
    const Outcome found = problem ? quietSolve(std::move(*problem), control) : Outcome{};
    if (!found.best()) continue;
    o.nearestMiss->remedies.insert(
        o.nearestMiss->remedies.begin(),
        std::string(s.what) + " (`search." + s.option + " = true`): " + planWords(*found.best()));
    std::erase_if(beyond, named);
  }
  std::move(beyond.begin(), beyond.end(), std::back_inserter(o.diagnostics));
}

Outcome solveAndExplain(const Problem& problem, const Control& control, const Plan* start) {
  Outcome o = solveOnEvenHosts(problem, control, start);
  logLine(LogLevel::Debug, fmt::format("solve: {}, {} candidates, {} configurations, {} states, {:.1f} ms",
                                       nameOf(o.status), o.statistics.candidates, o.statistics.tuples,
                                       o.statistics.states, o.statistics.elapsed.value() * 1e3));
  if (o.status == OutcomeStatus::Infeasible && !o.nearestMiss)
    for (Diagnostic& d : conflictsOf(problem, control)) o.diagnostics.push_back(std::move(d));
  return o;
}

}  // namespace nest
