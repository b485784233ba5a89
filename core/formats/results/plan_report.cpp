#include "formats/results/plan_report.h"

#include <algorithm>
#include <array>

#include "calibration/calibration.h"
#include "cluster/levels/lost_parts.h"
#include "diagnostics/field_change.h"
#include "evaluation/unsearched.h"
#include "formats/networks/network_check.h"
#include "measures/schedule_difference.h"
#include "run/run_unit.h"
#include "text/printable.h"
#include "text/text_table.h"
#include "units/amount.h"
#include "units/numbering.h"
#include "units/text.h"
#include "words/headline.h"
#include "words/metric_words.h"
#include "words/outcome_words.h"
#include "words/run_words.h"

namespace nest {
namespace {

constexpr std::size_t kMostAlternatives = 5;

using Facts = std::vector<std::pair<std::string, std::string>>;

/// Nothing at all differs from very little.
std::string span(Seconds t) {
  return t.value() == 0 ? std::string("–") : text::time(t);
}
std::string room(Bytes b) {
  return b.value() == 0 ? std::string("–") : text::memory(b);
}

Seconds exchanged(const StageEvaluation& s, Exchange kind) {
  return s.exchange[kind];
}

/// "15 trillion tokens".
std::string tokensText(double tokens) {
  return tokens >= 1e12 ? text::rate(tokens / 1e12) + " trillion tokens"
                        : text::rate(tokens / 1e9) + " billion tokens";
}

bool anyOverlap(const Evaluation& e) {
  return std::any_of(e.stages.begin(), e.stages.end(),
                     [](const StageEvaluation& s) { return s.hidden.value() > 0; });
}

TextTable loadTable(const ReportSource& source, const RankedPlan& r) {
  std::vector<Exchange> kinds;
  for (int k = 0; k < kExchangeCount; ++k) {
    const auto kind = static_cast<Exchange>(k);
    if (std::any_of(r.evaluation.stages.begin(), r.evaluation.stages.end(),
                    [&](const StageEvaluation& s) { return exchanged(s, kind).value() > 0; }))
      kinds.push_back(kind);
  }
  using Align = TextTable::Align;
  std::vector<TextTable::Column> columns = {{"stage"},
                                            {"layers", Align::Left},
                                            {"devices"},
                                            {"strategy", Align::Left},
                                            {"recompute", Align::Left},
                                            {"time"},
                                            {"compute"},
                                            {"recompute"}};
  for (const Exchange k : kinds) columns.push_back({words::brief(k)});
  const bool overlaps = anyOverlap(r.evaluation);
  if (overlaps) columns.push_back({"overlap"});
  columns.push_back({"DP reduce"});
  columns.push_back({"time goes to", Align::Left});
  TextTable table(columns);
  const std::size_t count = std::min(r.plan.stages.size(), r.evaluation.stages.size());
  for (std::size_t i = 0; i < count; ++i) {
    const StageEvaluation& s = r.evaluation.stages[i];
    const StagePlan& stage = r.plan.stages[i];
    const auto layers = stage.layers();
    std::string named = text::layerNumbers(layers);
    const auto name = [&](LayerIndex l) {
      return l.at() < source.problem->graph->layers.size() ? source.problem->graph->layers[l.at()].name
                                                           : std::string("?");
    };
    if (!layers.empty())
      named += " (" + name(layers.front()) + (layers.size() > 1 ? " … " + name(layers.back()) : "") + ")";
    std::vector<std::string> row = {text::stageNumber(StageIndex(static_cast<int>(i))),
                                    named,
                                    text::count(s.devices),
                                    toText(stage.strategy),
                                    nameOf(stage.recompute),
                                    text::time(s.load),
                                    text::time(s.forward + s.backward),
                                    span(s.recompute)};
    for (const Exchange k : kinds) row.push_back(span(exchanged(s, k)));
    if (overlaps) row.push_back(span(s.hidden));
    row.push_back(span(s.sync));
    row.push_back(words::of(sharesOf(s), ""));
    table.add(std::move(row));
  }
  return table;
}

TextTable memoryTable(const Problem& problem, const Evaluation& e) {
  const bool keepsHeadroom = problem.assumptions.headroom > 0;
  std::vector<TextTable::Column> columns{{"stage"},     {"weights"},     {"gradients"},
                                         {"optimizer"}, {"activations"}, {"buffers"},
                                         {"gathered"},  {"reserve"},     {"total"}};
  if (keepsHeadroom) columns.push_back({"headroom"});
  columns.insert(columns.end(), {{"capacity"}, {"free"}});
  TextTable table(std::move(columns));
  for (std::size_t i = 0; i < e.stages.size(); ++i) {
    const MemoryUse& m = e.stages[i].memory;
    const Bytes headroom = m[MemoryPart::Headroom];
    std::vector<std::string> row{text::stageNumber(StageIndex(static_cast<int>(i))),
                                 text::memory(m[MemoryPart::Weights]),
                                 room(m[MemoryPart::Gradients]),
                                 room(m[MemoryPart::Optimizer]),
                                 room(m[MemoryPart::Stash]),
                                 room(m[MemoryPart::Workspace]),
                                 room(m[MemoryPart::Gathered]),
                                 room(m[MemoryPart::Reserve]),
                                 text::memory(m.predicted())};
    if (keepsHeadroom) row.push_back(text::memory(headroom));
    row.push_back(text::memory(m.capacity));
    row.push_back(text::memory(m.headroom()));
    table.add(std::move(row));
  }
  return table;
}

/// Where the plan's layer costs come from, where a measurement has part in them.
std::string originsOf(const Problem& problem, const Plan& plan) {
  int measured = 0, all = 0;
  const int b = problem.profile->microbatchIndex(plan.microbatch);
  for (const StagePlan& stage : plan.stages) {
    const int strategy = problem.profile->strategyIndex(stage.strategy);
    for (const LayerIndex l : stage.layers()) {
      if (b < 0 || strategy < 0 || l.at() >= problem.graph->layers.size()) continue;
      const LayerCost* cost = problem.profile->cost(problem.graph->layers[l.at()].classId, strategy, b);
      if (!cost) continue;
      ++all;
      if (cost->origin == Origin::Measured) ++measured;
    }
  }
  if (measured == all) return "measured";
  return measured == 0 ? "estimated"
                       : "measured for " + text::count(measured) + " of " + text::count(all) +
                             " layers, estimated for the others";
}

bool holdsMeasurements(const Problem& problem) {
  const Profile& p = *problem.profile;
  for (int k = 0; k < problem.graph->classCount; ++k)
    for (int s = 0; s < static_cast<int>(p.strategies().size()); ++s)
      for (int b = 0; b < static_cast<int>(p.microbatches().size()); ++b)
        if (const LayerCost* c = p.cost(k, s, b); c && c->origin == Origin::Measured) return true;
  return false;
}

/// A time on the line of another: one rounding where three digits cannot tell them apart ("1.3 s", "1.30 s").
std::string besideTime(Seconds t, Seconds other) {
  const std::string text = text::time(t), there = text::time(other);
  return text::readTime(text) == text::readTime(there) ? there : text;
}

Facts figures(const ReportSource& source, const RankedPlan& r, const PlanMetrics& m) {
  Facts out;
  out.emplace_back("plan", summaryOf(r.plan));
  out.emplace_back("program", words::programWith(m.program, m.error));
  if (!(m.batchTime > Seconds(0))) {
    out.emplace_back("step time", "not known: some stage has no costs");
    return out;
  }
  out.emplace_back(
      "step time",
      words::withError(m.batchTime, m.error) +
          (m.simulated.value() > 0 ? "; simulated " + besideTime(m.simulated, m.batchTime) : ""));
  if (m.simulated.value() > 0)
    if (const std::string why = differenceInWords(*source.problem, r.plan, r.evaluation, m.simulated);
        !why.empty())
      out.emplace_back("simulation", why);
  if (const std::string meaning = words::intervalMeaning(m.program, m.error); !meaning.empty())
    out.emplace_back("interval", meaning);
  out.emplace_back("throughput", samplesRate(m.samplesPerSecond) + ", " + tokensRate(m.tokensPerSecond));
  if (m.mfu) out.emplace_back("MFU", text::percent(*m.mfu) + " (" + words::mfuConvention(m) + ")");
  if (holdsMeasurements(*source.problem)) out.emplace_back("layer costs", originsOf(*source.problem, r.plan));
  out.emplace_back("devices", text::count(m.devicesUsed) + " of " + text::count(m.deviceCount) + " in use");
  if (const UnplannedHosts& u = source.problem->cluster->unplanned(); u.any())
    out.emplace_back("hosts", inWords(u));
  if (source.cluster)
    if (const auto lost = failedParts(*source.cluster, source.problem->constraints.excludedDevices);
        !lost.empty())
      out.emplace_back("lost", inWords(lost));
  if (m.trainingTime)
    out.emplace_back("training", text::time(*m.trainingTime) + ", " + text::amount(*m.deviceHours) +
                                     " device-hours for " + tokensText(*source.problem->job.trainingTokens));
  if (m.run)
    for (const auto& [name, text] : words::runLines(*m.run)) {
      out.emplace_back(name, adviceText(text));
      if (name == "useful time" && m.run->times)
        if (const auto simulated = simulateBriefly(*m.run->times))
          out.emplace_back("run simulated", words::usefulTime(*simulated, m.run->times->work));
    }
  out.emplace_back("time goes to", words::of(m.shares(), words::kOfStep, kTimePartCount));
  out.emplace_back("idle", words::of(m.bubble));
  if (m.fullestStage >= 0)
    out.emplace_back("fullest device",
                     words::memory(m) + ", in " + text::stageName(StageIndex(m.fullestStage)) +
                         (m.mayNotFit ? "; may not fit: memory predicted for this program errs by " +
                                            text::percent(source.problem->memoryError)
                                      : std::string()));
  return out;
}

void addTables(const ReportSource& source, const RankedPlan& r, PlanReport& out) {
  ReportPart load{.id = "stages"}, memory{.id = "memory"};
  // Exchanges stand there in full; what compute hides of them is no part of the time.
  load.title = std::string("Time of each stage, per microbatch (DP reduce once per step") +
               (anyOverlap(r.evaluation) ? "; time = compute + recompute + communication − overlap" : "") +
               ")";
  load.table = loadTable(source, r);
  memory.title = "Memory of one device of each stage";
  memory.table = memoryTable(*source.problem, r.evaluation);
  out.parts.push_back(std::move(load));
  out.parts.push_back(std::move(memory));
}

void addCalibration(const Calibration& c, Facts& out) {
  if (c.measured) {
    out.emplace_back("measured", text::time(*c.measured) + "; predicted ÷ measured " +
                                     text::number(c.predictedByMeasured()));
    out.emplace_back("calibration", text::number(c.factor, 4) + " (compute times × this give " +
                                        text::time(c.rescaled) + "; communication stays)");
  } else {
    out.emplace_back("with measured", text::time(c.rescaled) + " per step, " +
                                          text::signedPercent(c.rescaled / c.predicted - 1));
  }
  for (const std::string& line : c.notes) out.emplace_back("", line);
}

/// The plan on the links themselves, where the cluster is a graph.
void addNetwork(const ReportSource& source, const RankedPlan& r, PlanReport& out) {
  const auto check = checkOnNetwork(source.cluster, *source.problem, r.plan, source.until);
  if (!check) return;
  ReportPart part{.id = "network", .title = "On the network itself"};
  for (const auto& [title, line] : networkCheckLines(*check, r.evaluation.batchTime))
    part.facts.emplace_back(title, line);
  out.parts.push_back(std::move(part));
}

/// What "optimal" says nothing about: the options that the verdict counts and how a field adds them, then
/// what no field adds and why.
void addNotSearched(const Outcome& o, PlanReport& out) {
  ReportPart options{.id = "options", .title = "Options not searched, and how to add them"};
  ReportPart others{.id = "not-searched", .title = "Not searched, and why"};
  for (const NotSearched& n : o.notSearched)
    (n.change.empty() ? others : options)
        .items.push_back(n.what + ": " + (n.change.empty() ? n.reason : adviceText(n.change)));
  for (ReportPart* part : {&options, &others})
    if (!part->items.empty()) out.parts.push_back(std::move(*part));
}

ReportPart searchPart(const Outcome& o) {
  ReportPart out{.id = "search", .title = "Search"};
  out.facts.emplace_back("result", words::verdict(o));
  if (const auto gap = o.gap())
    out.facts.emplace_back("lower bound", text::time(o.lowerBound) + ", gap " + text::percent(*gap));
  else if (o.cutShort())
    out.facts.emplace_back("lower bound", o.lowerBound > Seconds() ? text::time(o.lowerBound) : "none yet");
  if (const std::string proven = words::proof(o); !proven.empty()) out.facts.emplace_back("proven", proven);
  out.facts.emplace_back("searched", text::count(o.statistics.candidates) + " candidates, " +
                                         text::count(o.statistics.tuples) + " configurations, " +
                                         text::count(o.statistics.states) + " states");
  out.facts.emplace_back("took", text::time(o.statistics.elapsed) + ", " +
                                     text::memory(o.statistics.peakMemory) + " at its peak");
  return out;
}

/// What the rules of the preset "runnable" cost.
ReportPart freePart(const Outcome& o, const Outcome& free) {
  ReportPart out{.id = "free", .title = "Without the rules of the preset \"runnable\""};
  if (!free.best()) {
    out.facts.emplace_back("best plan", words::of(free));
    return out;
  }
  const Seconds t = free.best()->evaluation.batchTime;
  out.facts.emplace_back("best plan", summaryOf(free.best()->plan) + " (" + words::of(free.status) + ")");
  const std::string change =
      o.best() ? ", " + text::signedPercent(t / o.best()->evaluation.batchTime - 1) : std::string();
  out.facts.emplace_back("step time", text::time(t) + change);
  return out;
}

/// Beside a best plan that may not fit, the fastest of the others that has room.
void addRoomier(const ReportSource& source, const Outcome& o, Facts& out) {
  const auto metrics = [&](const RankedPlan& r) {
    return metricsOf(*source.problem, source.architecture, r);
  };
  if (!metrics(o.plans.front()).mayNotFit) return;
  for (const RankedPlan& r : o.plans)
    if (const PlanMetrics m = metrics(r); !m.mayNotFit) {
      out.emplace_back("with room",
                       summaryOf(r.plan) + ", " + text::time(m.batchTime) + ", " + words::memory(m));
      return;
    }
  out.emplace_back("with room", "none of the plans found; raise the headroom to search for one");
}

void addAlternatives(const ReportSource& source, const Outcome& o, PlanReport& out) {
  if (o.plans.size() < 2) return;
  TextTable table({{"plan", TextTable::Align::Left},
                   {"step time"},
                   {"slower by"},
                   {"devices"},
                   {"fullest device"},
                   {"", TextTable::Align::Left}});
  for (std::size_t i = 1; i < std::min(o.plans.size(), kMostAlternatives + 1); ++i) {
    const PlanMetrics m = metricsOf(*source.problem, source.architecture, o.plans[i]);
    table.add({summaryOf(o.plans[i].plan), text::time(m.batchTime),
               text::percent(m.batchTime / o.plans[0].evaluation.batchTime - 1), text::count(m.devicesUsed),
               text::memory(m.peakMemory), words::remarkOn(m, o.plans[0].evaluation.batchTime)});
  }
  out.parts.push_back(
      {.id = "alternatives",
       .title = o.allPlansProven() ? "Next best" : "Next best of those found; others may be faster",
       .table = std::move(table)});
}

void addMiss(const ReportSource& source, const NearestMiss& miss, PlanReport& out) {
  ReportPart part{.id = "remedies", .lines = {"The closest plan is " + summaryOf(miss.plan) + "."}};
  if (!miss.remedies.empty()) part.lines.emplace_back("Each of these would make one fit:");
  for (const std::string& r : miss.remedies) part.items.push_back(adviceText(r));
  out.parts.push_back(std::move(part));
  addTables(source, {miss.plan, miss.evaluation, Seconds(0)}, out);
}

/// Whether parts of a plan could not be priced, so that its figures are less than the whole.
bool lacksCosts(const Evaluation& e) {
  using Broken = Violation::Kind;
  return std::any_of(e.violations.begin(), e.violations.end(), [](const Violation& v) {
    return v.kind == Broken::Microbatch || v.kind == Broken::Strategy || v.kind == Broken::Layers ||
           v.kind == Broken::Recompute;
  });
}

/// The scenario, and of a model with experts how many of its parameters a token uses.
void addTitle(const ReportSource& source, PlanReport& out) {
  std::string title = printable(source.scenario, false);
  if (source.architecture && source.architecture->experts)
    title += (title.empty() ? "" : ": ") + text::amountInWords(parameterCount(*source.architecture), 4) +
             " parameters, " + text::amountInWords(activeParameterCount(*source.architecture), 3) +
             " active per token";
  if (!title.empty()) out.title.push_back(std::move(title));
  if (!source.assumed.empty()) out.title.push_back(source.assumed);
}

std::vector<std::string> violationItems(const Evaluation& e) {
  std::vector<std::string> out;
  for (const Violation& v : e.violations)
    out.push_back(printable(v.message, false) + " [" + nameOf(v.kind) + ']');
  return out;
}

}  // namespace

Facts planFacts(const ReportSource& source, const RankedPlan& r) {
  return figures(source, r, metricsOf(*source.problem, source.architecture, r));
}

PlanReport briefReportOf(const ReportSource& source, const Outcome& o) {
  PlanReport out;
  addTitle(source, out);
  if (const RankedPlan* best = o.best()) {
    out.finding = headlineOf(metricsOf(*source.problem, source.architecture, *best), best->plan, o);
  } else {
    const words::NoPlan none = words::noPlan(o);
    out.finding = none.title + (none.detail.empty() ? "" : ". " + adviceText(none.detail)) + ".";
  }
  return out;
}

PlanReport reportOf(const ReportSource& source, const Outcome& o, const Outcome* free) {
  PlanReport out = briefReportOf(source, o);
  if (const RankedPlan* best = o.best()) {
    const PlanMetrics m = metricsOf(*source.problem, source.architecture, *best);
    ReportPart plan{.id = "plan", .isApart = true, .facts = figures(source, *best, m)};
    addRoomier(source, o, plan.facts);
    out.parts.push_back(std::move(plan));
    addTables(source, *best, out);
    addNetwork(source, *best, out);
    addAlternatives(source, o, out);
  } else if (o.nearestMiss) {
    addMiss(source, *o.nearestMiss, out);
  }
  ReportPart remarks{.id = "remarks"};
  for (const Diagnostic& d : o.diagnostics)
    if (d.severity != Severity::Note || o.best()) remarks.lines.push_back(printable(toText(d), false));
  if (!remarks.lines.empty()) out.parts.push_back(std::move(remarks));
  if (free) out.parts.push_back(freePart(o, *free));
  addNotSearched(o, out);
  out.parts.push_back(searchPart(o));
  return out;
}

PlanReport reportOf(const ReportSource& source, const RankedPlan& r, const Calibration* c) {
  PlanReport out;
  addTitle(source, out);
  const PlanMetrics m = metricsOf(*source.problem, source.architecture, r);
  const bool runs = r.evaluation.feasible();
  if (!runs) {
    out.parts.push_back(
        {.id = "violations", .lines = {"This plan cannot run:"}, .items = violationItems(r.evaluation)});
    if (!hasCosts(r.evaluation)) {
      out.parts.push_back({.id = "costs", .lines = {"No stage of it has costs."}});
      return out;
    }
    if (lacksCosts(r.evaluation))
      out.parts.push_back(
          {.id = "costs", .lines = {"The numbers cover only the part of it that has costs."}});
  }
  ReportPart remarks{.id = "remarks", .isApart = !runs};
  for (const Diagnostic& d : unsearched(*source.problem, r.plan))
    remarks.lines.push_back(printable(toText(d), false));
  const bool remarked = !remarks.lines.empty();
  if (remarked) out.parts.push_back(std::move(remarks));
  ReportPart plan{.id = "plan", .isApart = !runs && !remarked, .facts = figures(source, r, m)};
  if (c) addCalibration(*c, plan.facts);
  out.parts.push_back(std::move(plan));
  addTables(source, r, out);
  addNetwork(source, r, out);
  return out;
}

}  // namespace nest
