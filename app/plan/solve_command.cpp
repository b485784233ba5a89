#include <algorithm>
#include <iostream>

#include "calibration/calibration.h"
#include "commands.h"
#include "evaluation/schedule.h"
#include "files.h"
#include "formats/format.h"
#include "formats/results/outcome_json.h"
#include "formats/results/plan_json.h"
#include "formats/results/summary_text.h"
#include "formats/scenario/scenario_json.h"
#include "measures/metrics.h"
#include "solver/even_hosts.h"
#include "study/conflicts.h"
#include "text/text_table.h"
#include "units/text.h"
#include "words/outcome_words.h"

namespace nest::cli {
namespace {

/// The same scenario under the preset "free"; nothing if it already is.
std::optional<Outcome> solveFreely(const Input& input, Control control) {
  Scenario scenario = input.scenario;
  if (scenario.search.preset == SearchPreset::Free || control.stopRequested()) return std::nullopt;
  scenario.search.preset = SearchPreset::Free;
  auto problem = buildProblem(scenario);
  if (!problem) return std::nullopt;
  problem->search.deadlineSeconds = input.problem.search.deadlineSeconds;
  control.deadline.reset();  // it has as long again
  return solveOnEvenHosts(*problem, control);
}

using Measured = std::variant<std::monostate, Seconds, Measurement>;

/// The value of --measured, a time or a file; --calibrated and --level need it.
Reading<Measured> measuredOf(const Arguments& args) {
  const auto misuse = [](std::string message, std::string remedy) -> Reading<Measured> {
    return {std::nullopt, {error("command-line", {}, std::move(message), std::move(remedy))}};
  };
  const auto value = args.value("--measured");
  if (!value) {
    for (const char* option : {"--calibrated", "--level"})
      if (args.has(option))
        return misuse(std::string(option) + " needs a measured step time, or a file with measurements",
                      "add for example --measured 12.3s or --measured run.log");
    return {Measured(), {}};
  }
  if (const auto time = text::readTime(*value, Seconds(1))) {
    if (args.has("--level"))
      return misuse("--level names what nccl-tests measured, and " + *value + " is a step time",
                    "leave it out");
    if (time->value() > 0) return {Measured(*time), {}};
  } else if (const auto file = readTextFile(*value)) {
    const Format* format = recognise(*file.value, *value);
    const auto read = readerOf<ReadMeasurement>(format);
    if (!read)
      return misuse(
          "--measured takes a time or what a run left behind; " + *value + " is " +
              (format ? "a " + std::string(format->name) : std::string("no format that the program knows")),
          "give one of: " + namesOfFormats([](const Format& f) { return f.is<ReadMeasurement>(); }));
    auto reading = read(*file.value, *value);
    if (reading && args.has("--level") && !std::holds_alternative<std::vector<CollectiveTimes>>(reading->of))
      return misuse(
          "--level names what nccl-tests measured, and " + *value + " is a " + std::string(format->name),
          "leave it out");
    Reading<Measured> out{std::nullopt, std::move(reading.diagnostics)};
    if (reading) out.value = std::move(*reading);
    return out;
  }
  return misuse("--measured takes the time of one step, or a file that can be read, not \"" + *value + '"',
                "write for example --measured 12.3s or --measured run.log");
}

/// --level: the number or the name of one of the scenario's.
std::optional<int> levelOf(const Arguments& args, const Problem& problem, Diagnostics& out) {
  const auto value = args.value("--level");
  if (!value) return std::nullopt;
  std::string all;
  for (int l = 0; l < problem.cluster->levelCount(); ++l) {
    const std::string& name = problem.cluster->level(l).name;
    if (*value == name || *value == std::to_string(l)) return l;
    all += (l > 0 ? ", " : "") + std::to_string(l) + " (" + name + ")";
  }
  out.push_back(error("command-line", {}, "the cluster has no level \"" + *value + '"', "it has " + all));
  return std::nullopt;
}

/// A line for each plan of the Pareto front, the fastest first.
std::string frontText(const Outcome& o) {
  std::string out =
      "Pareto front of step time, devices and peak memory: " + std::string(words::promiseOf(o.frontReach)) +
      ".\n";
  TextTable table({{"time"}, {"devices"}, {"peak memory"}, {"plan", TextTable::Align::Left}});
  for (const RankedPlan& r : o.front) {
    table.add({text::time(r.evaluation.batchTime), text::count(r.plan.devicesUsed()),
               text::memory(predictedPeak(r.evaluation)), summaryOf(r.plan)});
  }
  return out + table.text(2);
}

/// Where a report goes: behind a file that is written to standard output nothing else may stand.
std::ostream& reportBeside(const std::optional<std::string>& file) {
  return file == "-" ? std::cerr : std::cout;
}

int solve(const Arguments& args) {
  Diagnostics misuse;
  Limits limits = limitsOf(args, misuse);
  if (args.value("--output") == "-" && args.has("--json"))
    misuse.push_back(
        error("command-line", {}, "-o - and --json would both write to standard output",
              "name a file with -o, or leave it out: evaluate and export read what --json prints"));
  if (hasErrors(misuse)) return report(misuse), kBadInput;

  const bool json = args.has("--json");
  auto input = readInput(args);
  if (!input) return kBadInput;
  if (args.has("--deadline")) input->problem.search.deadlineSeconds = limits.deadlineSeconds;
  limits.deadlineSeconds = input->problem.search.deadlineSeconds;
  Watch watch(limits);
  Control control = watch.control();
  control.front = args.has("--front") ? FrontEffort::Wider : json ? FrontEffort::Usual : FrontEffort::None;
  if (control.front == FrontEffort::Wider)  // one plan alone has no front
    input->problem.search.topPlans = std::max(2, input->problem.search.topPlans);
  Outcome outcome = solveAndExplain(input->problem, control);
  lookBeyond(input->scenario, outcome, watch.control());
  // The file first: who reads the report may stop reading before its end.
  Diagnostics unwritten;
  if (const auto path = args.value("--output"); path && outcome.best())
    unwritten = writeTextFile(*path, writePlan(outcome.best()->plan));
  const auto free = args.has("--free") ? solveFreely(*input, watch.control()) : std::nullopt;
  const ReportSource source = sourceOf(*input, watch);
  const Outcome* beside = free ? &*free : nullptr;
  const std::string told =
      json ? writeOutcome(source, outcome, beside) : summaryText(source, outcome, beside);
  watch.clear();
  std::ostream& out = reportBeside(args.value("--output"));
  out << told;
  if (args.has("--front") && !json && !outcome.front.empty()) out << "\n" << frontText(outcome);
  out << std::flush;
  if (!unwritten.empty()) return report(unwritten), kBadInput;
  return exitCodeOf(outcome);
}

int evaluate(const Arguments& args) {
  const bool json = args.has("--json");
  if (json && args.value("--calibrated") == "-")
    return report({error("command-line", {}, "--calibrated - and --json would both write to standard output",
                         "name a file with --calibrated")}),
           kBadInput;
  const auto measured = measuredOf(args);
  report(measured.diagnostics, Notes::Shown);
  if (!measured) return kBadInput;
  const auto input = readInput(args);
  const auto text = readTextFile(args.files[1]);
  Reading<Plan> plan;
  if (text)
    plan = readPlan(*text, args.files[1]);
  else
    plan.diagnostics = text.diagnostics;
  report(plan.diagnostics);
  if (!input || !plan) return kBadInput;

  RankedPlan ranked{*plan, evaluate(input->problem, *plan), Seconds(0)};
  if (ranked.evaluation.feasible()) {
    ranked.simulated = simulate(input->problem, *plan, ranked.evaluation, false).total;
  }
  std::optional<Calibration> calibration;
  Diagnostics misuse;
  const auto level = levelOf(args, input->problem, misuse);
  if (hasErrors(misuse)) return report(misuse), kBadInput;
  if (!std::holds_alternative<std::monostate>(*measured.value)) {
    const auto* time = std::get_if<Seconds>(&*measured.value);
    auto reading =
        time ? calibrationFor(input->scenario, *plan, *time)
             : calibrationFor(input->scenario, *plan, std::get<Measurement>(*measured.value), level);
    report(reading.diagnostics);
    if (!reading) return kBadInput;
    calibration = *reading;
  }
  // The file first: who reads the report may stop reading before its end.
  Diagnostics unwritten;
  if (const auto path = args.value("--calibrated"); path && calibration) {
    calibration->scenario.model.reference.clear();  // it may be written to another folder than the model's
    unwritten = writeTextFile(*path, writeScenario(calibration->scenario), args.files[0]);
  }
  Watch watch({input->problem.search.deadlineSeconds, {}});
  const ReportSource source = sourceOf(*input, watch);
  const Calibration* beside = calibration ? &*calibration : nullptr;
  reportBeside(args.value("--calibrated"))
      << (json ? writeEvaluation(source, ranked, beside) : evaluationText(source, ranked, beside))
      << std::flush;
  if (!unwritten.empty()) return report(unwritten), kBadInput;
  return ranked.evaluation.feasible() ? kDone : kNoPlanFits;
}

}  // namespace

Command solveCommand() {
  return {
      .name = "solve",
      .summary = "find the best plan of a scenario",
      .usage = {"SCENARIO"},
      .description =
          R"(Finds the best plan over the search space of the scenario, names what lies beyond it, and prints it: times, throughput,
MFU, every stage with its load and its memory, the lower bound and what was searched. Ctrl+C ends with the best so far.)",
      .options = withHostStates(withLimits(
          {{"--json", 0, "", "print the outcome as JSON, all values in SI units, keys ending in their unit"},
           {"--output", 'o', "FILE",
            "also write the best plan alone, for evaluate and export; -: to standard output, and the report "
            "to "
            "standard error"},
           programSpec("what runs the plan, in place of the scenario's program: it sets what overlaps, which "
                       "kernels run and what memory is taken"),
           {"--free", 0, "", "also show the optimum without the rules of the preset \"runnable\""},
           {"--front", 0, "",
            "also search the Pareto front of time, devices and peak memory as far as possible (up to ten "
            "times as long), "
            "and list it. front_reach in JSON says how far it is exact, among plans with one strategy for "
            "all stages: "
            "\"exact\" is the whole front; \"stepped\" the fastest plan within each of a falling row of "
            "device counts and "
            "of memory limits; \"met\" only the best of the plans that the search encountered (as without "
            "it)"}})),
      .notes = R"(SCENARIO is a *.nest.json file ("-" reads standard input):
  {"format": "nest-scenario", "version": 1, "name": "…", "description": "…",
   "cluster": {"device": "h100-sxm", "network": "host:8@450GB/s rack:4@50GB/s,2us pod:32@12.5GB/s"},
   "model": {"path": "models/llama-2-7b.json"},
   "program": "megatron-core-2025",
   "job": {"global_batch": 1024, "sequence_length": 4096, "microbatches": [1, 2, 4]},
   "search": {"preset": "runnable", "objective": "pipeline", "zero_stages": [0, 1, 2, 3],
              "recompute": ["none", "selective", "full"]},
   "constraints": {"tensor": {"most": 8}, "stages": 4},
   "assumptions": {"reserve_bytes": "2 GiB", "overlap": {"data": 0}}}
Where a network is a graph, the best plan is also routed over its links (see nest-plan evaluate --help). A device may be
an object: {"id": "h100-sxm", "memory_bytes": "96 GiB", "sustained_rate": 0.85}. "model" may also hold "profile"
(measured costs, an object or a path: what it does not hold is estimated), "analytic" ({"flash_attention": false, …}:
the constants of the analytic profile) and "calibration" (measured ÷ predicted step time). A path names a file in the
scenario's own folder or below it, never elsewhere. resources/schemas/scenario.schema.json lists every key. Figures may
be numbers in the unit of their key, or texts with their own ("450 GB/s", "400 Gb/s", "2 us", "80 GiB"). The network is
one line, a list of levels, or a graph.

The result is one of: optimal; within a gap (where hosts differ or some stay idle, another set or order of hosts
may save so much, at most); best so far (stopped, with its gap); stopped without a plan (whether one fits is not
known); does not fit (the closest plan is shown, and what would make one fit).)",
      .exits = {{0, "a plan was found"},
                {1, "no plan fits"},
                {2, "bad input"},
                {3, "stopped before a plan was found"}},
      .leastFiles = 1,
      .mostFiles = 1,
      .run = solve};
}

Command evaluateCommand() {
  return {
      .name = "evaluate",
      .summary = "cost a given plan on a scenario",
      .usage = {"SCENARIO PLAN"},
      .description =
          R"(Costs a plan on a scenario under the same model that solve uses, and names everything that keeps it from running.
Where the cluster is a graph, the plan's traffic is routed over its links too: the busiest link, the time it needs at
least, how far the levels are from the network (distortion), and what is irregular.)",
      .options = withHostStates(
          {{"--json", 0, "", "print the evaluation as JSON"},
           {"--measured", 0, "TIME|FILE",
            "a step time that this plan was measured at, for example 12.3s, or the log of its run: shows "
            "predicted ÷ measured and the factor on all compute times that makes the two equal. Output of "
            "nccl-tests sets a level's bandwidth and latency, a PyTorch profiler trace or an Nsight Systems "
            "export the times of the layers, a Galvatron profile those of a block, its activations or "
            "levels, "
            "an AIConfigurator table the rates of the device"},
           {"--level", 0, "LEVEL",
            "which level nccl-tests measured, by number or name, where hosts and ranks leave it open"},
           {"--calibrated", 0, "FILE", "write the scenario with what was measured; needs --measured"}}),
      .notes = R"(PLAN is a plan file (from solve -o, or made by hand) or an outcome of solve --json:
  {"format": "nest-plan", "version": 1, "microbatch": 1, "data_inner": 8, "data_outer": 4, "block_stride": 32,
   "zero": 1, "stages": [{"layers": [0, 1, 2], "recompute": "none",
                          "strategy": {"tensor": 8, "sequence": true, "context": 1, "expert": 1}}, …]}
Layers are numbered from 0 in files. A stage of several chunks lists "chunks": [[0, 1], [4, 5]] in place of
"layers"; "schedule" next to "stages" names what runs them (zb-v, dualpipe-v: stage i of s has parts i and 2s - 1 - i).
"device_order" (optional) lists the devices in the order of the placement; without it they stand in the cluster's
locality order.)",
      .exits = {{0, "the plan can run"}, {1, "it cannot (says why)"}, {2, "bad input"}},
      .leastFiles = 2,
      .mostFiles = 2,
      .run = evaluate};
}

}  // namespace nest::cli
