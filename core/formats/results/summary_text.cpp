#include "formats/results/summary_text.h"

#include <algorithm>
#include <array>

#include "calibration/calibration.h"
#include "cluster/levels/lost_parts.h"
#include "diagnostics/field_change.h"
#include "evaluation/unsearched.h"
#include "formats/networks/network_check.h"
#include "measures/schedule_difference.h"
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

std::string titled(std::string_view title, const std::string& value) {
  std::string t(title);
  t.resize(std::max<std::size_t>(t.size() + 2, 16), ' ');
  return "  " + t + printable(value, false) + '\n';  // names may hold line breaks
}

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

std::string loadTable(const ReportSource& source, const RankedPlan& r) {
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
  return table.text(2);
}

std::string memoryTable(const Problem& problem, const Evaluation& e) {
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
  return table.text(2);
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

std::string figures(const ReportSource& source, const RankedPlan& r, const PlanMetrics& m) {
  std::string out;
  out += titled("plan", summaryOf(r.plan));
  out += titled("program", words::programWith(m.program, m.error));
  if (!(m.batchTime > Seconds(0))) return out + titled("step time", "not known: some stage has no costs");
  out += titled("step time",
                words::withError(m.batchTime, m.error) +
                    (m.simulated.value() > 0 ? "; simulated " + besideTime(m.simulated, m.batchTime) : ""));
  if (m.simulated.value() > 0)
    if (const std::string why = differenceInWords(*source.problem, r.plan, r.evaluation, m.simulated);
        !why.empty())
      out += titled("simulation", why);
  if (const std::string meaning = words::intervalMeaning(m.program, m.error); !meaning.empty())
    out += titled("interval", meaning);
  out += titled("throughput", samplesRate(m.samplesPerSecond) + ", " + tokensRate(m.tokensPerSecond));
  if (m.mfu) out += titled("MFU", text::percent(*m.mfu) + " (" + words::mfuConvention(m) + ")");
  if (holdsMeasurements(*source.problem)) out += titled("layer costs", originsOf(*source.problem, r.plan));
  out += titled("devices", text::count(m.devicesUsed) + " of " + text::count(m.deviceCount) + " in use");
  if (const UnplannedHosts& u = source.problem->cluster->unplanned(); u.any())
    out += titled("hosts", inWords(u));
  if (source.cluster)
    if (const auto lost = failedParts(*source.cluster, source.problem->constraints.excludedDevices);
        !lost.empty())
      out += titled("lost", inWords(lost));
  if (m.trainingTime)
    out += titled("training", text::time(*m.trainingTime) + ", " + text::amount(*m.deviceHours) +
                                  " device-hours for " + tokensText(*source.problem->job.trainingTokens));
  if (m.run)
    for (const auto& [name, text] : words::runLines(*m.run)) out += titled(name, adviceText(text));
  out += titled("time goes to", words::of(m.shares(), words::kOfStep, kTimePartCount));
  out += titled("idle", words::of(m.bubble));
  if (m.fullestStage >= 0)
    out += titled("fullest device",
                  words::memory(m) + ", in " + text::stageName(StageIndex(m.fullestStage)) +
                      (m.mayNotFit ? "; may not fit: memory predicted for this program errs by " +
                                         text::percent(source.problem->memoryError)
                                   : std::string()));
  return out;
}

std::string tables(const ReportSource& source, const RankedPlan& r) {
  // Exchanges stand there in full; what compute hides of them is no part of the time.
  return std::string("\nTime of each stage, per microbatch (DP reduce once per step") +
         (anyOverlap(r.evaluation) ? "; time = compute + recompute + communication − overlap" : "") + ")\n" +
         loadTable(source, r) + "\nMemory of one device of each stage\n" +
         memoryTable(*source.problem, r.evaluation);
}

std::string calibrationText(const Calibration& c) {
  std::string out;
  if (c.measured)
    out += titled("measured", text::time(*c.measured) + "; predicted ÷ measured " +
                                  text::number(c.predictedByMeasured())) +
           titled("calibration", text::number(c.factor, 4) + " (compute times × this give " +
                                     text::time(c.rescaled) + "; communication stays)");
  else
    out += titled("with measured",
                  text::time(c.rescaled) + " per step, " + text::signedPercent(c.rescaled / c.predicted - 1));
  for (const std::string& line : c.told) out += titled("", line);
  return out;
}

/// The plan on the links themselves, where the cluster is a graph.
std::string networkText(const ReportSource& source, const RankedPlan& r) {
  const auto check = checkOnNetwork(source.cluster, *source.problem, r.plan, source.until);
  if (!check) return {};
  std::string out = "\nOn the network itself\n";
  for (const auto& [title, line] : networkCheckLines(*check, r.evaluation.batchTime))
    out += titled(title, line);
  return out;
}

/// What "optimal" says nothing about: the options that the verdict counts and how a field adds them, then
/// what no field adds and why.
std::string notSearchedText(const Outcome& o) {
  std::string options, others;
  for (const NotSearched& n : o.notSearched) {
    std::string& list = n.change.empty() ? others : options;
    list += "  - " + n.what + ": " + (n.change.empty() ? n.reason : adviceText(n.change)) + '\n';
  }
  return (options.empty() ? "" : "\nOptions not searched, and how to add them\n" + options) +
         (others.empty() ? "" : "\nNot searched, and why\n" + others);
}

std::string searchText(const Outcome& o) {
  std::string out = "\nSearch\n";
  out += titled("result", words::verdict(o));
  if (const auto gap = o.gap())
    out += titled("lower bound", text::time(o.lowerBound) + ", gap " + text::percent(*gap));
  else if (o.cutShort())
    out += titled("lower bound", o.lowerBound > Seconds() ? text::time(o.lowerBound) : "none yet");
  if (const std::string proven = words::proof(o); !proven.empty()) out += titled("proven", proven);
  out += titled("searched", text::count(o.statistics.candidates) + " candidates, " +
                                text::count(o.statistics.tuples) + " configurations, " +
                                text::count(o.statistics.states) + " states");
  out += titled("took", text::time(o.statistics.elapsed) + ", " + text::memory(o.statistics.peakMemory) +
                            " at its peak");
  return out;
}

/// What the rules of the preset "runnable" cost.
std::string freeText(const Outcome& o, const Outcome& free) {
  std::string out = "\nWithout the rules of the preset \"runnable\"\n";
  if (!free.best()) return out + titled("best plan", words::of(free));
  const Seconds t = free.best()->evaluation.batchTime;
  out += titled("best plan", summaryOf(free.best()->plan) + " (" + words::of(free.status) + ")");
  const std::string change =
      o.best() ? ", " + text::signedPercent(t / o.best()->evaluation.batchTime - 1) : std::string();
  return out + titled("step time", text::time(t) + change);
}

/// Beside a best plan that may not fit, the fastest of the others that has room.
std::string roomierText(const ReportSource& source, const Outcome& o) {
  const auto metrics = [&](const RankedPlan& r) {
    return metricsOf(*source.problem, source.architecture, r);
  };
  if (!metrics(o.plans.front()).mayNotFit) return {};
  for (const RankedPlan& r : o.plans)
    if (const PlanMetrics m = metrics(r); !m.mayNotFit)
      return titled("with room",
                    summaryOf(r.plan) + ", " + text::time(m.batchTime) + ", " + words::memory(m));
  return titled("with room", "none of the plans found; raise the headroom to search for one");
}

std::string alternatives(const ReportSource& source, const Outcome& o) {
  if (o.plans.size() < 2) return {};
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
  return (o.allPlansProven() ? "\nNext best\n" : "\nNext best of those found; others may be faster\n") +
         table.text(2);
}

std::string missText(const ReportSource& source, const NearestMiss& miss) {
  std::string out = "The closest plan is " + summaryOf(miss.plan) + ".\n";
  if (!miss.remedies.empty()) {
    out += "Each of these would make one fit:\n";
    for (const std::string& r : miss.remedies) out += "  - " + adviceText(r) + '\n';
  }
  return out + tables(source, {miss.plan, miss.evaluation, Seconds(0)});
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
std::string titleOf(const ReportSource& source) {
  std::string out = printable(source.scenario, false);
  if (source.architecture && source.architecture->experts)
    out += (out.empty() ? "" : ": ") + text::amountInWords(parameterCount(*source.architecture), 4) +
           " parameters, " + text::amountInWords(activeParameterCount(*source.architecture), 3) +
           " active per token";
  if (!out.empty()) out += '\n';
  return source.assumed.empty() ? out : out + source.assumed + '\n';
}

std::string violationsText(const Evaluation& e) {
  std::string out;
  for (const Violation& v : e.violations) {
    out += "  - " + printable(v.message, false);
    out += std::string(" [") + nameOf(v.kind) + "]\n";
  }
  return out;
}

}  // namespace

std::string summaryText(const ReportSource& source, const Outcome& o, const Outcome* free) {
  std::string out = titleOf(source);
  const RankedPlan* best = o.best();
  if (best) {
    const PlanMetrics m = metricsOf(*source.problem, source.architecture, *best);
    out += headlineOf(m, best->plan, o) + "\n\n" + figures(source, *best, m) + roomierText(source, o) +
           tables(source, *best) + networkText(source, *best) + alternatives(source, o);
  } else {
    const words::NoPlan none = words::noPlan(o);
    out += none.title + (none.detail.empty() ? "" : ". " + adviceText(none.detail)) + ".\n";
    if (o.nearestMiss) out += missText(source, *o.nearestMiss);
  }
  for (const Diagnostic& d : o.diagnostics)
    if (d.severity != Severity::Note || best) out += printable(toText(d), false) + '\n';
  if (free) out += freeText(o, *free);
  return out + notSearchedText(o) + searchText(o);
}

std::string evaluationText(const ReportSource& source, const RankedPlan& r, const Calibration* c) {
  std::string out = titleOf(source);
  const PlanMetrics m = metricsOf(*source.problem, source.architecture, r);
  if (!r.evaluation.feasible()) {
    out += "This plan cannot run:\n" + violationsText(r.evaluation);
    if (!hasCosts(r.evaluation)) return out + "No stage of it has costs.\n";
    if (lacksCosts(r.evaluation)) out += "The numbers cover only the part of it that has costs.\n";
    out += '\n';
  }
  for (const Diagnostic& d : unsearched(*source.problem, r.plan)) out += printable(toText(d), false) + '\n';
  return out + figures(source, r, m) + (c ? calibrationText(*c) : std::string()) + tables(source, r) +
         networkText(source, r);
}

}  // namespace nest
