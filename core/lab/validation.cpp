#include "lab/validation.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "text/json_layout.h"
#include "units/text.h"

namespace nest {
namespace {

/// The rows whose figures were in view when the A100's constants were chosen; all others are predictions.
bool isFittedOn(const PublishedRun& r) {
  return r.isInView || r.set == "megatron-a100" || (r.set == "korthikanti-time" && r.stages <= 8) ||
         (r.set == "ptd-vs-zero3" && r.zero == 3 && r.model.layers == 96 && r.devices < 1536);
}

/// What keeps the planner from offering a row's plan.
std::string remarkOn(const Evaluation& e) {
  if (e.feasible()) return {};
  const Violation* worst = nullptr;
  for (const Violation& v : e.violations)
    if (v.kind == Violation::Kind::Memory && (!worst || v.shortfall > worst->shortfall)) worst = &v;
  if (!worst) return "  unequal chunks";
  return "  does not fit: " + worst->message;
}

/// Korthikanti's figure 1 counts the blocks alone, evenly over all devices: 18 bytes a parameter.
double blockBytes(const PublishedRun& r) {
  TransformerArchitecture blocks = r.model;
  blocks.vocabulary = blocks.maxPositions = 0;
  const OptimizerRegime regime;
  return parameterCount(blocks) * (regime.weightBytes + regime.gradientBytes + regime.optimizerBytes) /
         (r.tensor * r.stages);
}

double predictedBy(const PublishedRun& r, const PublishedPlan& p) {
  const double seconds = p.evaluation.batchTime.value();
  const StageEvaluation& first = p.evaluation.stages.front();
  switch (r.quantity) {
    case PublishedQuantity::TflopsPerDevice:
      return countedFlops(r, r.convention) / (seconds * r.devices);
    case PublishedQuantity::BatchSeconds:
      return seconds;
    case PublishedQuantity::ModelUtilization:
      return countedFlops(r, r.convention) /
             (seconds * r.devices * p.problem->cluster->device().peak.value.value());
    case PublishedQuantity::TokensPerSecondPerDevice:
      return double(r.globalBatch) * r.sequence / (seconds * r.devices);
    case PublishedQuantity::ParameterBytes:
      return blockBytes(r);
    case PublishedQuantity::ActivationBytes:
      break;
  }
  // The published figure leaves out what the embedding keeps.
  const auto policy = static_cast<std::size_t>(r.recompute);
  const int strategy = p.problem->profile->strategyIndex(p.plan.stages.front().strategy);
  return first.memory[MemoryPart::Stash].value() -
         first.inFlight * p.problem->profile->cost(0, strategy, 0)->recompute[policy].stash.value();
}

double meanOf(const std::vector<ValidationRow>& rows, auto&& wanted) {
  double sum = 0;
  int count = 0;
  for (const ValidationRow& r : rows) {
    if (!isThroughput(r.run.quantity) || !wanted(r)) continue;
    sum += std::abs(r.throughputError());
    ++count;
  }
  return count > 0 ? sum / count : 0;
}

std::string valueText(PublishedQuantity q, double v) {
  switch (q) {
    case PublishedQuantity::TflopsPerDevice:
      return text::flops(FlopsPerSecond(v));
    case PublishedQuantity::BatchSeconds:
      return text::time(Seconds(v));
    case PublishedQuantity::ModelUtilization:
      return text::percent(v);
    case PublishedQuantity::TokensPerSecondPerDevice:
      return text::number(v);
    case PublishedQuantity::ParameterBytes:
    case PublishedQuantity::ActivationBytes:
      break;
  }
  return text::memory(Bytes(v));
}

}  // namespace

double ValidationReport::meanThroughputError() const {
  return meanOf(rows, [](const ValidationRow&) { return true; });
}
double ValidationReport::meanThroughputError(bool fitted) const {
  return meanOf(rows, [fitted](const ValidationRow& r) { return r.isFitted == fitted; });
}
double ValidationReport::largestMemoryError() const {
  double largest = 0;
  for (const ValidationRow& r : rows)
    if (r.run.quantity == PublishedQuantity::ActivationBytes)
      largest = std::max(largest, std::abs(r.error()));
  return largest;
}
double ValidationReport::calibration() const {
  double sum = 0;
  int count = 0;
  for (const ValidationRow& r : rows)
    if (isThroughput(r.run.quantity)) sum += std::log1p(r.throughputError()), ++count;
  return count > 0 ? std::exp(sum / count) : 1;
}

Reading<ValidationReport> runValidation(std::string_view trainingResults, const std::string& file,
                                        const PublishedOptions& options) {
  auto runs = readPublishedResults(trainingResults, file);
  Diagnostics out = std::move(runs.diagnostics);
  if (!runs) return {std::nullopt, out};
  ValidationReport report;
  for (const PublishedRun& run : *runs) {
    const Place where{file, 0, 0, run.set};
    auto ran = planOf(run, options);
    if (!ran) {
      const Diagnostic& why = ran.diagnostics.front();
      const Diagnostic told =
          warning("published-configuration", where, run.label + ": " + why.message, why.remedy);
      if (std::find(out.begin(), out.end(), told) == out.end()) out.push_back(told);
      continue;
    }
    ValidationRow row;
    row.run = run;
    row.program = ran->problem->program;
    row.device = ran->problem->cluster->device().id;
    row.plan = ran->plan;
    row.evaluation = ran->evaluation;
    row.predicted = predictedBy(run, *ran);
    row.isFitted = isFittedOn(run);
    report.rows.push_back(std::move(row));
  }
  if (report.rows.empty() && !runs->empty()) {
    out.push_back(error("published-none", {file, 0, 0, {}}, "none of the runs could be predicted"));
    return {std::nullopt, out};
  }
  return {std::move(report), out};
}

namespace {

/// Each set's rows, their mean error and its size.
std::string setTable(const ValidationReport& report) {
  std::vector<std::string> sets;
  for (const ValidationRow& r : report.rows)
    if (isThroughput(r.run.quantity) && (sets.empty() || sets.back() != r.run.set)) sets.push_back(r.run.set);
  if (sets.size() < 2) return {};
  std::string out = fmt::format("\n{:<28}  {:<16}  {:>4}  {:>10}  {:>13}\n", "Throughput", "Device", "Runs",
                                "Mean error", "Mean absolute");
  for (const std::string& set : sets) {
    double sum = 0, size = 0;
    int rows = 0;
    std::string device;
    for (const ValidationRow& r : report.rows) {
      if (r.run.set != set || !isThroughput(r.run.quantity)) continue;
      sum += r.throughputError(), size += std::abs(r.throughputError()), ++rows;
      device = r.run.device;
    }
    out += fmt::format("{:<28}  {:<16}  {:>4}  {:>10}  {:>13}\n", set, device, rows,
                       text::signedPercent(sum / rows), text::percent(size / rows));
  }
  return out;
}

}  // namespace

std::vector<ValidatedRuns> errorsOf(const ValidationReport& report) {
  std::vector<ValidatedRuns> out;
  for (const ValidationRow& r : report.rows) {
    if (!isThroughput(r.run.quantity) || r.isFitted || !r.program.program) continue;
    const std::string& program = r.program.program->id;
    const std::string family = deviceFamily(r.device);
    const bool experts = r.run.model.experts.has_value();
    auto it = std::find_if(out.begin(), out.end(), [&](const ValidatedRuns& v) {
      return v.program == program && v.family == family && v.experts == experts;
    });
    if (it == out.end()) it = out.insert(out.end(), {program, family, experts, {}});
    it->error.time += std::abs(r.throughputError());
    ++it->error.runs;
  }
  // Three digits: the file stays the same where only rounding differs.
  for (ValidatedRuns& v : out) v.error.time = std::round(v.error.time / v.error.runs * 1000) / 1000;
  return out;
}

std::string errorsJson(const std::vector<ValidatedRuns>& all) {
  nlohmann::ordered_json j{{"about",
                            "How far predicted throughput was from runs of samples/published that no "
                            "constant was fitted on. Written by "
                            "nest-plan study validation --errors samples/published/*_runs.json."}};
  j["errors"] = nlohmann::ordered_json::array();
  for (const ValidatedRuns& v : all)
    j["errors"].push_back({{"program", v.program},
                           {"devices", v.family},
                           {"experts", v.experts},
                           {"mean_absolute_error", v.error.time},
                           {"runs", v.error.runs}});
  return layOut(j);
}

std::string toText(const ValidationReport& report) {
  std::string out = fmt::format("{:<18}  {:<48}  {:<34}  {:<24}  {:>14}  {:>14}  {:>8}\n", "Set", "Run",
                                "Plan", "Quantity", "Predicted", "Published", "Error");
  for (const ValidationRow& r : report.rows) {
    out += fmt::format("{:<18}  {:<48}  {:<34}  {:<24}  {:>14}  {:>14}  {:>8}{}{}\n", r.run.set, r.run.label,
                       summaryOf(r.plan), nameOf(r.run.quantity), valueText(r.run.quantity, r.predicted),
                       valueText(r.run.quantity, r.run.published), text::signedPercent(r.error()),
                       r.isFitted ? "  fitted" : "", remarkOn(r.evaluation));
  }
  out +=
      "\nErrors are predicted ÷ published − 1. Means are of throughput, also where times were published: a "
      "plus is a prediction that is too fast.\n";
  out += setTable(report);
  const auto counted = [&](bool fitted) {
    return std::count_if(report.rows.begin(), report.rows.end(), [&](const ValidationRow& r) {
      return isThroughput(r.run.quantity) && r.isFitted == fitted;
    });
  };
  // Never together: how well constants reproduce what they were fitted on says little of a new run.
  out += "\nThroughput, mean absolute error\n";
  for (const bool fitted : {false, true})
    if (const auto rows = counted(fitted); rows > 0)
      out += fmt::format("  {:<46}{:>4} rows  {:>8}\n",
                         fitted ? "runs that constants were fitted on" : "unseen runs", rows,
                         text::percent(report.meanThroughputError(fitted)));
  if (std::any_of(report.rows.begin(), report.rows.end(),
                  [](const auto& r) { return r.run.quantity == PublishedQuantity::ActivationBytes; }))
    out += fmt::format("Activation memory, largest error: {}\n", text::percent(report.largestMemoryError()));
  if (std::any_of(report.rows.begin(), report.rows.end(), [](const auto& r) { return r.isFitted; }))
    out +=
        "\"fitted\": constants of the device or program were chosen with these rows in view; all others are "
        "predictions with the same constants.\n";
  return out;
}

}  // namespace nest
