#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <thread>

#include "cluster/devices/device_catalog.h"
#include "commands.h"
#include "diagnostics/field_change.h"
#include "evaluation/explanation.h"
#include "files.h"
#include "formats/results/outcome_json.h"
#include "scenario/setting_terms.h"
#include "study/conflicts.h"
#include "study/improvements.h"
#include "study/purchase_flips.h"
#include "study/study_report.h"
#include "text/json_layout.h"
#include "units/text.h"
#include "words/difference_words.h"
#include "words/outcome_words.h"

namespace nest::cli {
namespace {

/// The best plan of a scenario. Why there is none was reported; as JSON in the words of solve.
struct Solved {
  std::optional<RankedPlan> plan;
  int code = kDone;
};
Solved solved(const Input& input, Watch& watch, bool json) {
  const Outcome outcome = solveAndExplain(input.problem, watch.control());
  if (const RankedPlan* best = outcome.best()) return {*best, kDone};
  const words::NoPlan none = words::noPlan(outcome);
  std::cerr << none.title << (none.detail.empty() ? "" : ". ") << adviceText(none.detail) << ".\n";
  if (json) std::cout << writeOutcome(sourceOf(input, watch), outcome) << std::flush;
  return {std::nullopt, exitCodeOf(outcome)};
}

/// The parameters that --field names; what names none was reported.
std::optional<std::vector<Parameter>> parametersCalled(const Setting& s,
                                                       const std::vector<std::string>& keys) {
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
  if (hasErrors(wrong)) return report(wrong), std::nullopt;
  return out;
}

/// Where the time of the answer goes, on a line of its own.
std::string stepText(const Counterfactual& c) {
  const std::string terms = c.difference ? words::of(c.difference->time) : std::string();
  return terms.empty() ? terms : "    " + terms + "\n";
}

int why(const Arguments& args) {
  Diagnostics misuse;
  const int depth = static_cast<int>(wholeNumber(args, "--depth", 0, 64, misuse).value_or(3));
  const Limits limits = limitsOf(args, misuse);
  for (const char* option : {"--term", "--depth"})
    if (args.files.size() > 1 && args.has(option))
      misuse.push_back(error("command-line", {},
                             std::string(option) + " is of the formula, which no demand opens",
                             "leave out the option or the demands"));
  if (hasErrors(misuse)) return report(misuse), kBadInput;
  const bool json = args.has("--json");
  const auto input = readInput(args);
  if (!input) return kBadInput;
  Watch watch(limits);
  const auto [best, code] = solved(*input, watch, json);
  if (!best) return code;

  if (args.files.size() == 1) {
    CostTerm whole = explain(input->problem, best->plan, best->evaluation);
    if (input->architecture()) addConstants(whole, input->scenario);
    addProgram(whole, input->scenario);
    const std::string id = args.value("--term").value_or("batch");
    const CostTerm* term = whole.find(id);
    if (!term)
      return report({error("command-line", {}, "the plan has no term \"" + id + "\"",
                           "batch, memory, constants, program, stage1/load, stage2/memory, …")}),
             kBadInput;
    if (json)
      std::cout << layOut(named("nest-explanation", report::explanationJson(*term, depth)));
    else
      std::cout << summaryOf(best->plan) << "\n" << toText(*term, depth);
    return std::cout << std::flush, kDone;
  }

  std::vector<Demand> demands;
  Diagnostics wrong;
  for (std::size_t i = 1; i < args.files.size(); ++i) {
    auto demand = readDemand(input->problem, best->plan, args.files[i]);
    if (demand) demands.push_back(std::move(*demand.value));
    wrong.insert(wrong.end(), demand.diagnostics.begin(), demand.diagnostics.end());
  }
  if (demands.empty()) return report(wrong), kBadInput;
  nlohmann::ordered_json answers = nlohmann::ordered_json::array();
  bool open = false;
  for (const Demand& demand : demands) {
    const Counterfactual c = whyNot(input->problem, *best, demand, watch.control());
    open = open || (!c.alreadyMet && c.outcome.status == OutcomeStatus::Stopped);
    if (json)
      answers.push_back(report::counterfactualJson(c));
    else
      std::cout << adviceText(c.answer) << "\n" << stepText(c);
  }
  if (json) {
    nlohmann::ordered_json all{{"answers", std::move(answers)}};
    if (!wrong.empty()) all["diagnostics"] = diagnosticsJson(wrong);
    std::cout << layOut(named("nest-answers", std::move(all)));
  }
  std::cout << std::flush;
  report(wrong);
  return hasErrors(wrong) ? kBadInput : open ? kStopped : kDone;
}

int improve(const Arguments& args) {
  Diagnostics misuse;
  const double by = number(args, "--by", 0.1, 1000, misuse).value_or(25) / 100;
  const Limits limits = limitsOf(args, misuse);
  if (hasErrors(misuse)) return report(misuse), kBadInput;
  const bool json = args.has("--json");
  const auto input = readInput(args);
  if (!input) return kBadInput;
  const auto asked = parametersCalled(input->scenario, args.values("--field"));
  if (!asked) return kBadInput;
  Watch watch(limits);
  const auto [best, code] = solved(*input, watch, json);
  if (!best) return code;

  const Control control = watch.control();
  const Setting& setting = input->scenario;
  const auto improvements = rankImprovements(setting, input->problem, *best, by, control, *asked);
  std::vector<BreakEven> flips;
  bool flipsCutShort = false;
  if (args.has("--break-even"))
    for (const Parameter& p : asked->empty() ? usualParametersOf(setting) : *asked)
      for (BreakEven& b : breakEvens(setting, input->problem, *best, p, {}, control, &flipsCutShort))
        flips.push_back(std::move(b));
  std::vector<Failure> failures;
  if (args.has("--failures")) failures = rankFailures(setting, input->problem, *best, control);
  if (json) {
    nlohmann::ordered_json j{{"format", "nest-improvements"},
                             {"version", 1},
                             {"batch_time_s", best->evaluation.batchTime.value()}};
    j["improvements"] = report::improvementsJson(improvements);
    if (args.has("--break-even")) {
      j["break_even"] = report::breakEvensJson(flips);
      j["break_even_complete"] = !flipsCutShort;
    }
    if (args.has("--failures")) j["failures"] = report::failuresJson(input->problem, failures);
    std::cout << layOut(j);
  } else {
    std::cout << "Now " << text::time(best->evaluation.batchTime) << " per step with "
              << summaryOf(best->plan) << "\n\n"
              << report::improvementsText(improvements);
    if (args.has("--break-even")) std::cout << "\n" << report::breakEvensText(flips, flipsCutShort);
    if (args.has("--failures")) std::cout << "\n" << report::failuresText(failures);
  }
  const auto stopped = [](const auto& one) { return one.status == OutcomeStatus::Stopped; };
  const bool open = flipsCutShort || std::any_of(improvements.begin(), improvements.end(), stopped) ||
                    std::any_of(failures.begin(), failures.end(), stopped);
  return std::cout << std::flush, open ? kStopped : kDone;
}

/// The failures that --lost names, each with its answers; what names nothing was reported.
std::optional<std::vector<LostDevices>> lostBy(const Problem& problem,
                                               const std::vector<std::string>& texts) {
  std::vector<LostDevices> out;
  Diagnostics wrong;
  for (const std::string& text : texts) {
    auto lost = readLost(problem, text);
    for (Diagnostic& d : lost.diagnostics) {
      d.where.pointer = "--lost";
      wrong.push_back(std::move(d));
    }
    if (lost) out.push_back(std::move(*lost));
  }
  if (hasErrors(wrong)) return report(wrong), std::nullopt;
  return out;
}

int failures(const Arguments& args) {
  Diagnostics misuse;
  const double confidence = number(args, "--confidence", 0.1, 99.9999, misuse).value_or(99.9) / 100;
  const Limits limits = limitsOf(args, misuse);
  if (hasErrors(misuse)) return report(misuse), kBadInput;
  const bool json = args.has("--json");
  const auto input = readInput(args);
  if (!input) return kBadInput;
  const auto lost = lostBy(input->problem, args.values("--lost"));
  if (!lost) return kBadInput;
  Watch watch(limits);
  const auto [best, code] = solved(*input, watch, json);
  if (!best) return code;

  const Control control = watch.control();
  const FailureStudy all = studyFailures(input->scenario, input->problem, *best, *lost, confidence, control);
  if (json)
    std::cout << layOut(report::failureStudyJson(input->problem, *best, all));
  else
    std::cout << report::failureStudyText(input->problem, *best, all);
  return std::cout << std::flush, all.isComplete() ? kDone : kStopped;
}

int inverse(const Arguments& args) {
  Diagnostics misuse;
  const auto most = wholeNumber(args, "--most", 1, 1 << 20, misuse);
  const Limits limits = limitsOf(args, misuse);
  std::optional<Seconds> target;
  if (const auto v = args.value("--time")) {
    target = text::readTime(*v, Seconds(1));
    if (!target || !(target->value() > 0))
      misuse.push_back(error("command-line", {}, "\"" + *v + "\" is not a time",
                             "give a step time with its unit: --time 8.5s, --time 900ms"));
  }
  if (!args.has("--time") && !args.has("--devices"))
    misuse.push_back(error("command-line", {}, "the step time to meet is missing", "give --time 8.5s"));
  if (most && args.has("--devices"))
    misuse.push_back(error("command-line", {}, "--most counts devices, --devices keeps their number",
                           "leave one of them out"));
  if (hasErrors(misuse)) return report(misuse), kBadInput;
  const bool json = args.has("--json");
  const auto input = readInput(args);
  if (!input) return kBadInput;

  Watch watch(limits);
  if (args.has("--devices")) {
    if (!input->architecture())
      return report({error("no-architecture", {args.files[0], 0, 0, "/model"},
                           "a measured profile is of its own device", "name a config.json as the model")}),
             kBadInput;
    const auto answers = compareDevices(input->scenario, deviceCatalog(), target, watch.control());
    const auto meets = [](const DeviceAnswer& a) { return a.meets; };
    const auto decided = [](const DeviceAnswer& a) { return a.decided(); };
    const int code = std::any_of(answers.begin(), answers.end(), meets)     ? kDone
                     : std::all_of(answers.begin(), answers.end(), decided) ? kNoPlanFits
                                                                            : kStopped;
    if (json)
      std::cout << layOut(named("nest-devices", {{"devices", report::devicesJson(answers)}}));
    else
      std::cout << report::devicesText(answers, target.has_value());
    return std::cout << std::flush, code;
  }
  const FewestDevices answer =
      fewestDevices(input->problem, *target, static_cast<int>(most.value_or(0)), watch.control());
  if (json)
    std::cout << layOut(named("nest-fewest-devices", report::fewestDevicesJson(answer)));
  else
    std::cout << answer.sentence << "\n";
  std::cout << std::flush;
  return answer.answer == FewestDevices::Answer::Suffice ? kDone
         : answer.answer == FewestDevices::Answer::Open  ? kStopped
                                                         : kNoPlanFits;
}

/// The measure that a purchase is decided by: as given, or money where the scenario knows prices.
PurchaseMeasure measureOf(const Arguments& args, const PurchaseGrid& grid) {
  for (const PurchaseMeasure m : {PurchaseMeasure::Days, PurchaseMeasure::Money, PurchaseMeasure::Energy})
    if (args.value("--by") == nameOf(m)) return m;
  const auto first = grid.scenarioOf(0, 0);
  return first && first->run.pricePerDeviceHour ? PurchaseMeasure::Money : PurchaseMeasure::Days;
}

int matrix(const Arguments& args) {
  Diagnostics misuse;
  const auto threads = wholeNumber(args, "--threads", 1, 1024, misuse);
  const Limits limits = limitsOf(args, misuse);
  if (args.has("--json") && args.has("--csv"))
    misuse.push_back(
        error("command-line", {}, "--json and --csv print the same table", "leave one of them out"));
  if (hasErrors(misuse)) return report(misuse), kBadInput;
  const std::string& path = args.files[0];
  const auto text = readTextFile(path);
  if (!text) return report(text.diagnostics), kBadInput;
  const auto grid = PurchaseGrid::build(*text, path, loaderBeside(path));
  report(grid.diagnostics);
  if (!grid) return kBadInput;
  for (const std::string& field : args.values("--flip")) {
    const auto first = grid->scenarioOf(0, 0);
    if (const auto f = first ? fieldAt(*first, field) : std::nullopt; !f || !f->field->isNumeric())
      return report({error("command-line", {}, "the scenario has no numeric field \"" + field + '"',
                           "nest-plan fields lists them")}),
             kBadInput;
  }
  Watch watch(limits);
  const Control control = watch.control();
  const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  const int used = static_cast<int>(threads.value_or(cores));
  const PurchaseMatrix all = solvePurchase(*grid, measureOf(args, *grid), used, control);
  PurchaseFlips flips;
  if (!args.has("--csv")) flips.ofHosts = shortfallsOf(*grid, all, used, control);
  for (const std::string& field : args.values("--flip"))
    for (PurchaseFlip& f : flipsOf(*grid, all, field, control)) flips.ofFields.push_back(std::move(f));
  watch.clear();
  std::cout << (args.has("--json")  ? report::purchaseJson(*grid, all, flips)
                : args.has("--csv") ? report::purchaseCsv(*grid, all)
                                    : report::purchaseText(*grid, all, flips))
            << std::flush;
  const bool anyPlan = std::any_of(all.cells.begin(), all.cells.end(),
                                   [](const PurchaseCell& c) { return c.plan.has_value(); });
  return !all.isComplete || control.shouldStop() ? kStopped : anyPlan ? kDone : kNoPlanFits;
}

}  // namespace

Command whyCommand() {
  return {
      .name = "why",
      .summary = "explain the best plan's cost, or what speaks against another",
      .usage = {"SCENARIO [DEMAND]…"},
      .description =
          R"(Without a demand: the best plan's step time, opened into its formula, its parts and where each value comes from.

With demands: what would be if each were met, found by solving again.
  tp=4  cp=2  ep=4  dp=16  pp=8  mbs=2  vpp=2  zero=1  fsdp  shard=8  devices=512   (also <= and >=), joined by commas
  "layer 17 in stage 2"  "cut at layer 17"  "no cut at layer 17"  "recompute full"  "recompute full in stage 3"  "zb-h1"
Layers and stages count from 1.)",
      .options = withHostStates(withLimits(
          {{"--json", 0, "", "print the answers as JSON"},
           {"--depth", 0, "N", "levels of the formula to open (3)"},
           {"--term", 0, "ID",
            "begin there: batch, memory, constants, stage1/load, stage2/memory, stage1/tensor, …"}})),
      .exits = {{0, "answered"},
                {1, "nothing fits at all"},
                {2, "bad input"},
                {3, "stopped before a plan was found"}},
      .leastFiles = 1,
      .mostFiles = 64,
      .run = why};
}

Command improveCommand() {
  return {
      .name = "improve",
      .summary = "rank single improvements, break-even points and failures",
      .usage = {"SCENARIO"},
      .description =
          R"(Improves one parameter at a time (bandwidths, latencies, device memory and rates, overlaps, link efficiency, reserve,
device count, …), re-solves and ranks the gains in time per token, or in what the goal of the scenario counts: days,
money or energy of the run. Fields of the section "run" change no step: their gain is in days of the run.)",
      .options = withHostStates(
          withLimits({{"--json", 0, "", "print the ranking as JSON"},
                      {"--by", 0, "PERCENT", "by how much (25)"},
                      {"--field", 0, "KEY",
                       "only this parameter, which may be any numeric field (nest-plan fields lists them) or "
                       "\"devices\"; may be "
                       "repeated. Of one that is not better for being more or less, such as "
                       "job.sequence_length, the better of both "
                       "directions counts",
                       true},
                      {"--break-even", 0, "",
                       "also the nearest value of each parameter at which another plan becomes the best"},
                      {"--failures", 0, "",
                       "also what the loss of a device, a host, a group or half a level's bandwidth costs, "
                       "after planning again"}})),
      .exits = {{0, "done"}, {1, "no plan fits"}, {2, "bad input"}, {3, "stopped before all was decided"}},
      .leastFiles = 1,
      .mostFiles = 1,
      .run = improve};
}

Command failuresCommand() {
  return {
      .name = "failures",
      .summary = "what failures cost: swap, shrink or plan again, and how many spares to keep",
      .usage = {"SCENARIO [--lost PARTS]…"},
      .description =
          R"(Three answers to each failure, side by side: a spare takes the place (swap); the same plan with fewer
replicas (shrink: which and how many go is searched, and so is the batch within job.batch_tolerance); the best
plan on what is left (re-plan). Each with tokens/s, idle devices, the state that moves and the time until steps
run again, as far as the section "run" of the scenario gives it.

Without --lost: one device, host and group of each kind, and half the bandwidth of each level, the costliest
first.

With rates of failures and the time to repair: how many spare hosts are enough, and what each of them buys: the
throughput that is left on average over the run, and its time, device-hours and money.)",
      .options = withHostStates(withLimits(
          {{"--json", 0, "", "print the answers as JSON"},
           {"--lost", 0, "PARTS",
            "what fails: \"host3\", \"leaf 2\", \"device 17\", \"host3/0\"; several at once apart by commas; "
            "may be "
            "repeated",
            true},
           {"--confidence", 0, "PERCENT", "of the time that spare hosts are to be enough (99.9)"}})),
      .exits = {{0, "done"}, {1, "no plan fits"}, {2, "bad input"}, {3, "stopped before all was decided"}},
      .leastFiles = 1,
      .mostFiles = 1,
      .run = failures};
}

Command matrixCommand() {
  return {
      .name = "matrix",
      .summary = "which of several clusters to buy or rent for which jobs",
      .usage = {"SCENARIO"},
      .description =
          R"(The section "purchase" of a scenario lists the clusters that are offered and the jobs, each with the
sections of the scenario that it changes. Every job is planned on every cluster, for the least days or energy of
its whole run, with failures and checkpoints as far as the section "run" gives them. Money counts all devices of
an offer, used or not. Offers whose difference is inside the error of predicted differences are too close to
call. Below the table: at which price, in how few days and with how few of its hosts another offer is the choice.
samples/three-offers-three-jobs.nest.json is an example.)",
      .options = withLimits({{"--by",
                              0,
                              "MEASURE",
                              "what decides (money where prices are given, else days)",
                              false,
                              {"days", "money", "energy"}},
                             {"--flip", 0, "FIELD",
                              "also the values of this numeric field, between 1/16 and 16 times its own, at "
                              "which another offer "
                              "becomes the choice; may be repeated",
                              true},
                             {"--threads", 0, "N", "cells solved at once (all cores)"},
                             {"--csv", 0, "", "print a row for each cell as CSV"},
                             {"--json", 0, "", "print cells and choices as JSON"}}),
      .exits = {{0, "done"},
                {1, "no plan fits in any cell"},
                {2, "bad input"},
                {3, "stopped before all was decided"}},
      .leastFiles = 1,
      .mostFiles = 1,
      .run = matrix};
}

Command inverseCommand() {
  return {
      .name = "inverse",
      .summary = "fewest devices, or which device, that meet a step time",
      .usage = {"SCENARIO --time TIME", "SCENARIO --devices [--time TIME]"},
      .description =
          R"(The fewest devices whose best plan takes no longer than TIME per step ("8.5s", "900ms").)",
      .options = withHostStates(withLimits(
          {{"--time", 0, "TIME", "the step time to meet"},
           {"--devices", 0, "",
            "instead: every device of the catalog in place of the scenario's, in hosts of the same size, and "
            "which of them meet TIME. Levels that have the catalog's bandwidth of the scenario's device get "
            "that of the other; all else of the network stays"},
           {"--most", 0, "N", "consider up to N devices, the cluster repeated beyond its own count"},
           {"--json", 0, "", "print the answer as JSON"}})),
      .exits = {{0, "it can be met"}, {1, "it cannot"}, {2, "bad input"}, {3, "stopped before it was known"}},
      .leastFiles = 1,
      .mostFiles = 1,
      .run = inverse};
}

}  // namespace nest::cli
