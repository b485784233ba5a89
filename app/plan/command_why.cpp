#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

#include "cluster/devices/device_catalog.h"
#include "command_line.h"
#include "commands.h"
#include "plan/explanation.h"
#include "plan/explanation_constants.h"
#include "study/conflicts.h"
#include "study/study_report.h"
#include "text/json_layout.h"
#include "units/text.h"
#include "words/outcome_words.h"

namespace nest::cli {
namespace {

/// The best plan of a scenario; why there is none was reported.
struct Solved {
  std::optional<RankedPlan> plan;
  int code = kDone;
};
Solved solved(const Input& input, Watch& watch) {
  const Outcome outcome = solveAndExplain(input.problem, watch.control());
  if (const RankedPlan* best = outcome.best()) return {*best, kDone};
  const words::NoPlan none = words::noPlan(outcome);
  std::cerr << none.title << (none.detail.empty() ? "" : ". ") << none.detail << ".\n";
  return {std::nullopt, exitCodeOf(outcome)};
}

/// The parameters that --field names; what names none was reported.
std::optional<std::vector<Parameter>> parametersCalled(const Setting& s, const std::vector<std::string>& keys,
                                                       bool json) {
  std::vector<Parameter> out;
  Diagnostics wrong;
  for (const std::string& key : keys) {
    auto f = fieldAt(s, key);
    if (f && f->field->isNumeric())
      out.push_back({std::move(f)});
    else if (key == "devices")
      out.emplace_back();
    else
      wrong.push_back(error("command-line", {}, "this scenario has no numeric field \"" + key + '"',
                            "nest-plan fields lists them"));
  }
  if (hasErrors(wrong)) return report(wrong, json), std::nullopt;
  return out;
}

}  // namespace

int whyCommand(const Words& words) {
  const auto args =
      parseArguments(words, withLimits({{"--json"}, {"--depth", 0, true}, {"--term", 0, true}}), 1, 64);
  if (!args) return report(args.diagnostics), kBadInput;
  Diagnostics misuse;
  const int depth = static_cast<int>(wholeNumber(*args, "--depth", 0, 64, misuse).value_or(3));
  const Limits limits = limitsOf(*args, misuse);
  if (hasErrors(misuse)) return report(misuse), kBadInput;
  const bool json = args->has("--json");
  const auto input = readInput(args->files[0], json);
  if (!input) return kBadInput;
  Watch watch(limits);
  const auto [best, code] = solved(*input, watch);
  if (!best) return code;

  if (args->files.size() == 1) {
    CostTerm whole = explain(input->problem, best->plan, best->evaluation);
    if (input->architecture())
      addConstants(whole, input->scenario.cluster.device, input->scenario.model.analytic.constants);
    const std::string id = args->value("--term").value_or("batch");
    const CostTerm* term = whole.find(id);
    if (!term)
      return report({error("command-line", {}, "the plan has no term \"" + id + "\"",
                           "batch, memory, constants, stage1/load, stage2/memory, …")}),
             kBadInput;
    if (json)
      std::cout << layOut(report::explanationJson(*term, depth));
    else
      std::cout << summaryOf(best->plan) << "\n" << toText(*term, depth);
    return std::cout << std::flush, kDone;
  }

  std::vector<Demand> demands;
  Diagnostics wrong;
  for (std::size_t i = 1; i < args->files.size(); ++i) {
    auto demand = readDemand(input->problem, best->plan, args->files[i]);
    if (demand) demands.push_back(std::move(*demand.value));
    wrong.insert(wrong.end(), demand.diagnostics.begin(), demand.diagnostics.end());
  }
  if (hasErrors(wrong)) return report(wrong, json), kBadInput;
  nlohmann::ordered_json answers = nlohmann::ordered_json::array();
  bool open = false;
  for (const Demand& demand : demands) {
    const Counterfactual c = whyNot(input->problem, *best, demand, watch.control());
    open = open || (!c.alreadyMet && c.outcome.status == OutcomeStatus::Stopped);
    if (json)
      answers.push_back(report::counterfactualJson(c));
    else
      std::cout << c.answer << "\n";
  }
  if (json) std::cout << layOut(answers);
  return std::cout << std::flush, open ? kStopped : kDone;
}

int improveCommand(const Words& words) {
  const auto args = parseArguments(
      words,
      withLimits(
          {{"--json"}, {"--by", 0, true}, {"--field", 0, true, true}, {"--break-even"}, {"--failures"}}),
      1, 1);
  if (!args) return report(args.diagnostics), kBadInput;
  Diagnostics misuse;
  const double by = figure(*args, "--by", 0.1, 1000, misuse).value_or(25) / 100;
  const Limits limits = limitsOf(*args, misuse);
  if (hasErrors(misuse)) return report(misuse), kBadInput;
  const bool json = args->has("--json");
  const auto input = readInput(args->files[0], json);
  if (!input) return kBadInput;
  const auto asked = parametersCalled(input->scenario, args->values("--field"), json);
  if (!asked) return kBadInput;
  Watch watch(limits);
  const auto [best, code] = solved(*input, watch);
  if (!best) return code;

  const Control control = watch.control();
  const Setting& setting = input->scenario;
  const auto improvements = rankImprovements(setting, input->problem, *best, by, control, *asked);
  std::vector<BreakEven> flips;
  bool flipsCutShort = false;
  if (args->has("--break-even"))
    for (const Parameter& p : asked->empty() ? usualParametersOf(setting) : *asked)
      for (BreakEven& b : breakEvens(setting, input->problem, *best, p, {}, control, &flipsCutShort))
        flips.push_back(std::move(b));
  std::vector<Failure> failures;
  if (args->has("--failures")) failures = rankFailures(setting, input->problem, *best, control);
  if (json) {
    nlohmann::ordered_json j{{"format", "nest-improvements"},
                             {"version", 1},
                             {"batch_time_s", best->evaluation.batchTime.value()}};
    j["improvements"] = report::improvementsJson(improvements);
    if (args->has("--break-even")) {
      j["break_even"] = report::breakEvensJson(flips);
      j["break_even_complete"] = !flipsCutShort;
    }
    if (args->has("--failures")) j["failures"] = report::failuresJson(failures);
    std::cout << layOut(j);
  } else {
    std::cout << "Now " << text::time(best->evaluation.batchTime) << " per step with "
              << summaryOf(best->plan) << "\n\n"
              << report::improvementsText(improvements);
    if (args->has("--break-even")) std::cout << "\n" << report::breakEvensText(flips, flipsCutShort);
    if (args->has("--failures")) std::cout << "\n" << report::failuresText(failures);
  }
  const auto stopped = [](const auto& one) { return one.status == OutcomeStatus::Stopped; };
  const bool open = flipsCutShort || std::any_of(improvements.begin(), improvements.end(), stopped) ||
                    std::any_of(failures.begin(), failures.end(), stopped);
  return std::cout << std::flush, open ? kStopped : kDone;
}

int inverseCommand(const Words& words) {
  const auto args = parseArguments(
      words, withLimits({{"--json"}, {"--time", 0, true}, {"--most", 0, true}, {"--devices"}}), 1, 1);
  if (!args) return report(args.diagnostics), kBadInput;
  Diagnostics misuse;
  const auto most = wholeNumber(*args, "--most", 1, 1 << 20, misuse);
  const Limits limits = limitsOf(*args, misuse);
  std::optional<Seconds> target;
  if (const auto v = args->value("--time")) {
    target = text::readTime(*v, Seconds(1));
    if (!target || !(target->value() > 0))
      misuse.push_back(error("command-line", {}, "\"" + *v + "\" is no time",
                             "a batch time with its unit: --time 8.5s, --time 900ms"));
  }
  if (!target && !args->has("--devices"))
    misuse.push_back(error("command-line", {}, "what is to be met?", "give --time 8.5s"));
  if (hasErrors(misuse)) return report(misuse), kBadInput;
  const bool json = args->has("--json");
  const auto input = readInput(args->files[0], json);
  if (!input) return kBadInput;

  Watch watch(limits);
  if (args->has("--devices")) {
    if (!input->architecture())
      return report({error("no-architecture", {args->files[0], 0, 0, "/model"},
                           "a measured profile is of its own device", "name a config.json as the model")}),
             kBadInput;
    const auto answers = compareDevices(input->scenario, deviceCatalog(), target, watch.control());
    const auto meets = [](const DeviceAnswer& a) { return a.meets; };
    const auto decided = [](const DeviceAnswer& a) { return a.decided(); };
    const int code = std::any_of(answers.begin(), answers.end(), meets)     ? kDone
                     : std::all_of(answers.begin(), answers.end(), decided) ? kNoPlanFits
                                                                            : kStopped;
    if (json)
      std::cout << layOut(report::devicesJson(answers));
    else
      std::cout << report::devicesText(answers, target.has_value());
    return std::cout << std::flush, code;
  }
  const FewestDevices answer =
      fewestDevices(input->problem, *target, static_cast<int>(most.value_or(0)), watch.control());
  if (json)
    std::cout << layOut(report::fewestDevicesJson(answer));
  else
    std::cout << answer.sentence << "\n";
  std::cout << std::flush;
  return answer.answer == FewestDevices::Answer::Suffice ? kDone
         : answer.answer == FewestDevices::Answer::Open  ? kStopped
                                                         : kNoPlanFits;
}

}  // namespace nest::cli
