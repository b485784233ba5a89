#include "lab/validation.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <map>
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

std::vector<HeldOutRun> heldOutRuns(const ValidationReport& report) {
  std::vector<HeldOutRun> out;
  for (const ValidationRow& r : report.rows) {
    if (!isThroughput(r.run.quantity) || r.isFitted || !r.program.program) continue;
    const TransformerArchitecture& a = r.run.model;
    out.push_back(
        {.set = r.run.set,
         .program = r.program.program->id,
         .device = r.device,
         .experts = a.experts.has_value(),
         .model = fmt::format("{} {} {} {}", a.layers, a.hidden, parameterCount(a), nameOf(r.run.format)),
         .step = r.evaluation.batchTime.value(),
         .ratio = 1 + r.throughputError(),
         .throughputError = r.throughputError()});
  }
  return out;
}

namespace {

constexpr std::size_t kLeastRuns = 10, kLeastSets = 3, kLeastPairedSets = 5;

/// Values of one set: they weigh one together.
using SetValues = std::map<std::string, std::vector<double>>;

/// The smallest value that is at least the interval's share of all.
double intervalOf(const SetValues& sets) {
  const double count = static_cast<double>(sets.size());
  const double share = std::min(1.0, kIntervalShare * (1 + 1 / count));
  std::vector<std::pair<double, double>> values;  // and weight
  for (const auto& [name, all] : sets)
    for (const double v : all) values.emplace_back(v, 1 / (count * static_cast<double>(all.size())));
  std::sort(values.begin(), values.end());
  double held = 0;
  for (const auto& [value, weight] : values)
    if ((held += weight) >= share - 1e-9) return value;
  return values.empty() ? 0 : values.back().first;
}

/// How far the ratios of two runs of one model in one set are off, the slower over the faster by prediction.
SetValues differencesOf(const std::vector<const HeldOutRun*>& runs) {
  std::map<std::pair<std::string, std::string>, std::vector<const HeldOutRun*>> groups;
  for (const HeldOutRun* r : runs) groups[{r->set, r->program + ' ' + r->model}].push_back(r);
  SetValues out;
  for (const auto& [key, all] : groups)
    for (std::size_t i = 0; i < all.size(); ++i)
      for (std::size_t k = i + 1; k < all.size(); ++k) {
        const bool isSlower = all[i]->step > all[k]->step;
        const HeldOutRun& slow = *(isSlower ? all[i] : all[k]);
        const HeldOutRun& fast = *(isSlower ? all[k] : all[i]);
        out[key.first].push_back(std::abs(slow.ratio / fast.ratio - 1));
      }
  return out;
}

PredictionCell keyOf(const HeldOutRun& r, RunsBehind behind) {
  PredictionCell key;
  key.runs.experts = r.experts;
  key.behind = behind;
  if (behind == RunsBehind::SameProgram) key.runs.program = r.program;
  if (behind == RunsBehind::RelatedPrograms || behind == RunsBehind::RelatedElsewhere)
    key.lineage = programLineage(r.program);
  if (behind != RunsBehind::RelatedElsewhere && behind != RunsBehind::AnyProgram)
    key.runs.family = deviceFamily(r.device);
  return key;
}

double roundedUp(double share) {
  return std::ceil(share * 1000 - 1e-6) / 1000;
}

}  // namespace

std::vector<PredictionCell> cellsOf(const std::vector<HeldOutRun>& runs) {
  std::vector<PredictionCell> out;
  for (int level = 0; level < kRunsBehindCount; ++level) {
    const auto behind = static_cast<RunsBehind>(level);
    std::vector<PredictionCell> keys;
    for (const HeldOutRun& r : runs)
      if (const auto key = keyOf(r, behind); std::find(keys.begin(), keys.end(), key) == keys.end())
        keys.push_back(key);
    for (const PredictionCell& key : keys) {
      std::vector<const HeldOutRun*> own;
      SetValues off;
      double sum = 0;
      for (const HeldOutRun& r : runs)
        if (keyOf(r, behind) == key) {
          own.push_back(&r);
          off[r.set].push_back(std::abs(r.ratio - 1));
          sum += std::abs(r.throughputError);
        }
      if (behind != RunsBehind::AnyProgram && (own.size() < kLeastRuns || off.size() < kLeastSets)) continue;
      // Pairs of one set are fewer than sets: they come from the narrowest cell around that has enough.
      SetValues pairs = differencesOf(own);
      for (int wider = level + 1; pairs.size() < kLeastPairedSets && wider < kRunsBehindCount; ++wider) {
        const auto around = keyOf(*own.front(), static_cast<RunsBehind>(wider));
        std::vector<const HeldOutRun*> all;
        for (const HeldOutRun& r : runs)
          if (keyOf(r, static_cast<RunsBehind>(wider)) == around) all.push_back(&r);
        pairs = differencesOf(all);
      }
      PredictionCell cell = key;
      cell.sets = static_cast<int>(off.size());
      // Three digits: the file stays the same where only rounding differs.
      cell.runs.error = {roundedUp(intervalOf(off)), static_cast<int>(own.size())};
      cell.difference = roundedUp(intervalOf(pairs));
      cell.mean = std::round(sum / static_cast<double>(own.size()) * 1000) / 1000;
      out.push_back(std::move(cell));
    }
  }
  return out;
}

namespace {

nlohmann::ordered_json jsonOf(const PredictionCell& cell) {
  nlohmann::ordered_json j{{"of", nameOf(cell.behind)}};
  if (!cell.runs.program.empty()) j["program"] = cell.runs.program;
  if (!cell.lineage.empty()) j["lineage"] = cell.lineage;
  if (!cell.runs.family.empty()) j["devices"] = cell.runs.family;
  j["experts"] = cell.runs.experts;
  j["interval"] = cell.runs.error.time;
  j["difference_interval"] = cell.difference;
  j["mean_absolute_error"] = cell.mean;
  j["runs"] = cell.runs.error.runs;
  j["sets"] = cell.sets;
  return j;
}

}  // namespace

std::string errorsJson(const std::vector<PredictionCell>& all) {
  nlohmann::ordered_json j{{"about",
                            "How far predictions were from runs of samples/published that no constant was "
                            "fitted on. \"interval\": "
                            "80 % of runs took 1 - interval to 1 + interval of the predicted time; "
                            "\"difference_interval\": the same "
                            "of the ratio of two plans' times, of one model under one program. Written by "
                            "nest-plan study validation "
                            "--errors samples/published/*_runs.json."}};
  j["errors"] = nlohmann::ordered_json::array();
  for (const PredictionCell& cell : all) j["errors"].push_back(jsonOf(cell));
  return layOut(j);
}

namespace {

std::string unitOf(PublishedQuantity q) {
  switch (q) {
    case PublishedQuantity::TflopsPerDevice:
      return "flops_per_s_per_device";
    case PublishedQuantity::BatchSeconds:
      return "step_s";
    case PublishedQuantity::ModelUtilization:
      return "mfu";
    case PublishedQuantity::TokensPerSecondPerDevice:
      return "tokens_per_s_per_device";
    case PublishedQuantity::ParameterBytes:
      return "parameter_bytes";
    case PublishedQuantity::ActivationBytes:
      break;
  }
  return "activation_bytes";
}

nlohmann::ordered_json jsonOf(const ValidationRow& r) {
  nlohmann::ordered_json j{{"set", r.run.set},
                           {"run", r.run.label},
                           {"program", toText(r.program)},
                           {"device", r.device},
                           {"experts", r.run.model.experts.has_value()},
                           {"format", nameOf(r.run.format)},
                           {"devices", r.run.devices},
                           {"plan", summaryOf(r.plan)},
                           {"quantity", unitOf(r.run.quantity)},
                           {"predicted", r.predicted},
                           {"published", r.run.published},
                           {"error", r.error()},
                           {"fitted", r.isFitted},
                           {"fits", r.evaluation.feasible()}};
  if (isThroughput(r.run.quantity)) {
    j["throughput_error"] = r.throughputError();
    j["predicted_step_s"] = r.evaluation.batchTime.value();
    j["time_ratio"] = 1 + r.throughputError();
    const PredictionError e = predictionErrorOf(r.program.program ? r.program.program->id : std::string(),
                                                r.device, r.run.model.experts.has_value());
    j["interval"] = e.runs > 0 ? nlohmann::ordered_json(e.time) : nlohmann::ordered_json(nullptr);
  }
  return j;
}

}  // namespace

std::string validationJson(const ValidationReport& report) {
  nlohmann::ordered_json j{{"format", "nest-validation"}, {"version", 1}};
  j["rows"] = nlohmann::ordered_json::array();
  std::map<bool, int> counts;
  for (const ValidationRow& r : report.rows) {
    j["rows"].push_back(jsonOf(r));
    if (isThroughput(r.run.quantity)) ++counts[r.isFitted];
  }
  for (const bool fitted : {false, true})
    j[fitted ? "fitted" : "held_out"] = {
        {"runs", counts[fitted]},
        {"mean_absolute_error", counts[fitted] > 0
                                    ? nlohmann::ordered_json(report.meanThroughputError(fitted))
                                    : nlohmann::ordered_json(nullptr)}};
  j["cells"] = nlohmann::ordered_json::array();
  for (const PredictionCell& cell : cellsOf(heldOutRuns(report))) j["cells"].push_back(jsonOf(cell));
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
