#include <algorithm>
#include <iostream>

#include "command_line.h"
#include "commands.h"
#include "files.h"
#include "formats/results/outcome_json.h"
#include "formats/results/plan_json.h"
#include "formats/results/summary_text.h"
#include "formats/scenario/scenario_json.h"
#include "plan/schedule.h"
#include "scenario/calibration.h"
#include "solver/solve.h"
#include "study/conflicts.h"
#include "text/text_table.h"
#include "units/text.h"

namespace nest::cli {
namespace {

ReportSource sourceOf(const Input& input, Watch& watch) {
  return {input.scenario.name, &input.problem, input.architecture(), &input.scenario.cluster,
          watch.control().until()};
}

/// The same scenario under the preset "free"; nothing if it already is.
std::optional<Outcome> solveFreely(const Input& input, Control control) {
  Scenario scenario = input.scenario;
  if (scenario.search.preset == SearchPreset::Free) return std::nullopt;
  scenario.search.preset = SearchPreset::Free;
  auto problem = buildProblem(scenario);
  if (!problem) return std::nullopt;
  problem->search.deadlineSeconds = input.problem.search.deadlineSeconds;
  control.deadline.reset();  // it has as long again
  return solve(*problem, control);
}

/// The value of --measured; --calibrated needs it.
Reading<std::optional<Seconds>> measuredTime(const Arguments& args) {
  Reading<std::optional<Seconds>> result;
  const auto text = args.value("--measured");
  const auto time = text ? text::readTime(*text, Seconds(1)) : std::nullopt;
  if (text && !(time && time->value() > 0))
    result.diagnostics.push_back(error("command-line", {},
                                       "--measured takes the time of one step, not \"" + *text + '"',
                                       "write for example --measured 12.3s"));
  else if (!text && args.has("--calibrated"))
    result.diagnostics.push_back(error("command-line", {}, "--calibrated needs a measured step time",
                                       "add for example --measured 12.3s"));
  else
    result.value = time;
  return result;
}

const char* reachInWords(FrontReach reach) {
  switch (reach) {
    case FrontReach::Exact:
      return "the whole front: none is missing";
    case FrontReach::Stepped:
      return "the fastest plan within each of a falling row of device counts, and of memory limits; between "
             "them there may be more";
    case FrontReach::Met:
      break;
  }
  return "of the plans met during the search; there may be more";
}

/// A line for each plan of the Pareto front, the fastest first.
std::string frontText(const Outcome& o) {
  std::string out =
      "Pareto front of time, devices and peak memory (" + std::string(reachInWords(o.frontReach)) + ")\n";
  TextTable table({{"time"}, {"devices"}, {"peak memory"}, {"plan", TextTable::Align::Left}});
  for (const RankedPlan& r : o.front) {
    Bytes peak;
    for (const StageEvaluation& s : r.evaluation.stages) peak = std::max(peak, s.memory.total());
    table.add({text::time(r.evaluation.batchTime), text::count(r.plan.devicesUsed()), text::memory(peak),
               summaryOf(r.plan)});
  }
  return out + table.text(2);
}

}  // namespace

int solveCommand(const Words& words) {
  const auto args =
      parseArguments(words, withLimits({{"--json"}, {"--output", 'o', true}, {"--free"}, {"--front"}}), 1, 1);
  if (!args) return report(args.diagnostics), kBadInput;
  Diagnostics misuse;
  Limits limits = limitsOf(*args, misuse);
  if (hasErrors(misuse)) return report(misuse), kBadInput;

  const bool json = args->has("--json");
  auto input = readInput(args->files[0], json);
  if (!input) return kBadInput;
  if (args->has("--deadline")) input->problem.search.deadlineSeconds = limits.deadlineSeconds;
  limits.deadlineSeconds = input->problem.search.deadlineSeconds;
  Watch watch(limits);
  Control control = watch.control();
  control.widerFront = args->has("--front");
  if (control.widerFront)  // one plan alone has no front
    input->problem.search.topPlans = std::max(2, input->problem.search.topPlans);
  const Outcome outcome = solveAndExplain(input->problem, control);
  // The file first: who reads the report may stop reading before its end.
  Diagnostics unwritten;
  if (const auto path = args->value("--output"); path && outcome.best())
    unwritten = writeTextFile(*path, writePlan(outcome.best()->plan));
  const auto free = args->has("--free") ? solveFreely(*input, watch.control()) : std::nullopt;
  const ReportSource source = sourceOf(*input, watch);
  const Outcome* beside = free ? &*free : nullptr;
  const std::string told =
      json ? writeOutcome(source, outcome, beside) : summaryText(source, outcome, beside);
  watch.clear();
  std::cout << told;
  if (args->has("--front") && !json && !outcome.front.empty()) std::cout << "\n" << frontText(outcome);
  std::cout << std::flush;
  if (!unwritten.empty()) return report(unwritten), kBadInput;
  return exitCodeOf(outcome);
}

int evaluateCommand(const Words& words) {
  const auto args =
      parseArguments(words, {{"--json"}, {"--measured", 0, true}, {"--calibrated", 0, true}}, 2, 2);
  if (!args) return report(args.diagnostics), kBadInput;
  const auto measured = measuredTime(*args);
  if (!measured) return report(measured.diagnostics), kBadInput;
  const bool json = args->has("--json");
  const auto input = readInput(args->files[0], json);
  const auto text = readTextFile(args->files[1]);
  Reading<Plan> plan;
  if (text)
    plan = readPlan(*text, args->files[1]);
  else
    plan.diagnostics = text.diagnostics;
  report(plan.diagnostics, json && input);
  if (!input || !plan) return kBadInput;

  RankedPlan ranked{*plan, evaluate(input->problem, *plan), Seconds(0)};
  if (ranked.evaluation.feasible()) {
    ranked.simulated = simulate(input->problem, *plan, ranked.evaluation, false).total;
  }
  std::optional<Calibration> calibration;
  if (*measured) {
    auto reading = calibrationFor(input->scenario, *plan, **measured);
    report(reading.diagnostics, json);
    if (!reading) return kBadInput;
    calibration = *reading;
  }
  Watch watch({input->problem.search.deadlineSeconds, {}});
  const ReportSource source = sourceOf(*input, watch);
  const Calibration* beside = calibration ? &*calibration : nullptr;
  std::cout << (json ? writeEvaluation(source, ranked, beside) : evaluationText(source, ranked, beside))
            << std::flush;
  if (const auto path = args->value("--calibrated"); path && calibration) {
    Scenario calibrated = input->scenario;
    calibrated.model.calibration = calibration->factor;
    const Diagnostics failed = writeTextFile(*path, writeScenario(calibrated));
    if (!failed.empty()) return report(failed), kBadInput;
  }
  return ranked.evaluation.feasible() ? kDone : kNoPlanFits;
}

}  // namespace nest::cli
