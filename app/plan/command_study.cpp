#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "files.h"
#include "formats/profiles/piper.h"
#include "study/piper_study.h"
#include "study/ranking.h"
#include "study/study_report.h"
#include "study/validation.h"
#include "text/json_layout.h"

namespace nest::cli {
namespace {

/// Whether a row of a study was stopped before it had a plan.
template <class Row, class Status>
bool anyStopped(const std::vector<Row>& rows, Status status) {
  return std::any_of(rows.begin(), rows.end(),
                     [&](const Row& r) { return status(r) == OutcomeStatus::Stopped; });
}

int paper(const Arguments& args) {
  Diagnostics misuse;
  PaperOptions options;
  options.models = args.values("--model");
  for (const std::string& m : options.models)
    if (!paperScenario(m, false, 64))
      misuse.push_back(error("command-line", {}, "the paper has no model \"" + m + "\"",
                             "BERT-large, Llama-2 7B, Llama-3 70B, GPT-3 175B, Mixtral 8x7B"));
  std::vector<int> counts;
  for (const std::string& n : args.values("--devices")) {
    Arguments one;
    one.options["--devices"] = {n};
    if (const auto v = wholeNumber(one, "--devices", 32, 1 << 20, misuse))
      counts.push_back(static_cast<int>(*v));
  }
  if (!counts.empty()) options.treeDevices = options.leafDevices = counts;
  if (const auto v = wholeNumber(args, "--seed", 0, 1LL << 53, misuse))
    options.baselines.seed = static_cast<std::uint64_t>(*v);
  const Limits limits = limitsOf(args, misuse);
  std::string published;
  if (const auto path = args.value("--published")) {
    auto text = readTextFile(*path);
    misuse.insert(misuse.end(), text.diagnostics.begin(), text.diagnostics.end());
    if (text) published = std::move(*text);
  }
  if (hasErrors(misuse)) return report(misuse), kBadInput;
  options.published = published;

  std::vector<PaperRow> rows;
  {
    Watch watch(limits);
    rows = paperStudy(options, watch.control());
  }
  if (args.has("--json"))
    std::cout << layOut(named("nest-paper-study", {{"rows", report::paperJson(rows)}}));
  else
    std::cout << paperTable(rows);
  std::cout << std::flush;
  if (const auto path = args.value("--csv"))
    if (const Diagnostics failed = writeTextFile(*path, paperCsv(rows)); !failed.empty())
      return report(failed), kBadInput;
  return anyStopped(rows, [](const PaperRow& r) { return r.exact.status; }) ? kStopped : kDone;
}

int scaling(const Arguments& args) {
  Diagnostics misuse;
  const auto from = wholeNumber(args, "--from", 1, 1 << 20, misuse),
             to = wholeNumber(args, "--to", 1, 1 << 20, misuse);
  const Limits limits = limitsOf(args, misuse);
  if (hasErrors(misuse)) return report(misuse), kBadInput;
  const auto input = readInput(args.files[0], args.has("--json"));
  if (!input) return kBadInput;
  std::vector<int> counts;
  for (long long n = from.value_or(64); n <= to.value_or(16384); n *= 2)
    counts.push_back(static_cast<int>(n));
  std::vector<ScalingPoint> curve;
  {
    Watch watch(limits);
    curve = scalingCurve(input->problem, counts, watch.control());
  }
  if (args.has("--json"))
    std::cout << layOut(named("nest-scaling", {{"points", report::scalingJson(curve)}}));
  else
    std::cout << report::scalingText(curve);
  std::cout << std::flush;
  return anyStopped(curve, [](const ScalingPoint& p) { return p.outcome.status; }) ? kStopped : kDone;
}

int validation(const Arguments& args) {
  const auto text = readTextFile(args.files[0]);
  if (!text) return report(text.diagnostics), kBadInput;
  PublishedOptions options;
  options.program = programOption(args);
  const auto validation = runValidation(*text, args.files[0], options);
  report(validation.diagnostics);
  if (!validation) return kBadInput;
  if (args.has("--errors")) return std::cout << errorsJson(errorsOf(*validation)) << std::flush, kDone;
  return std::cout << toText(*validation) << std::flush, kDone;
}

int ranking(const Arguments& args) {
  PublishedOptions options;
  options.program = programOption(args);
  const bool json = args.has("--json");
  const auto text = readTextFile(args.files[0]);
  if (!text) return report(text.diagnostics, json), kBadInput;
  const auto replayed = replayRanking(*text, args.files[0], options);
  report(replayed.diagnostics, json);
  if (!replayed) return kBadInput;
  return std::cout << (json ? rankingJson(*replayed) : toText(*replayed)) << std::flush, kDone;
}

int piper(const Arguments& args) {
  Diagnostics misuse;
  PeerStudyOptions options;
  options.strategyPerStage = args.has("--per-stage");
  options.secondsPerVariant = figure(args, "--seconds", 0, 1e6, misuse).value_or(options.secondsPerVariant);
  const Limits limits = limitsOf(args, misuse);
  if (!args.has("--optima"))
    misuse.push_back(
        error("command-line", {}, "the file with the artifact's optima is missing", "give --optima FILE"));
  if (hasErrors(misuse)) return report(misuse), kBadInput;
  const auto text = readTextFile(args.files[0]), table = readTextFile(*args.value("--optima"));
  report(text.diagnostics);
  report(table.diagnostics);
  if (!text || !table) return kBadInput;
  const auto profile = readPiper(*text, args.files[0]);
  const auto optima = readPeerOptima(*table, *args.value("--optima"));
  report(profile.diagnostics);
  report(optima.diagnostics);
  if (!profile || !optima) return kBadInput;

  PeerSetting setting;
  setting.graph = std::make_shared<const LayerGraph>(profile->graph);
  setting.profile = std::make_shared<const Profile>(profile->profile);
  if (profile->job) {
    setting.optimizer = profile->job->optimizer;
    setting.batch = profile->job->globalBatch;
  }
  std::vector<PeerRow> rows;
  {
    Watch watch(limits);
    rows = peerStudy(setting, *optima, options, watch.control());
  }
  if (args.has("--json"))
    std::cout << layOut(named("nest-piper-study", {{"rows", report::peerJson(rows)}}));
  else
    std::cout << peerTable(rows);
  return std::cout << std::flush, kDone;
}

Command paperCommand() {
  return {
      .name = "paper",
      .summary = "the paper's comparison: two clusters, five models, every method",
      .usage = {""},
      .description =
          R"(Two clusters (TPUv4-like fat tree, H100 spine-leaf), five models: throughput of every method relative to Manual.)",
      .options = withLimits({{"--published", 0, "FILE",
                              "the reference's readme_tables.json; its ratios then stand beside ours"},
                             {"--model", 0, "NAME", "only this model", true},
                             {"--devices", 0, "N", "only clusters of so many devices", true},
                             {"--csv", 0, "FILE", "also write the table as CSV"},
                             {"--seed", 0, "N", "seed of MCMC"},
                             {"--json", 0, "", "print the rows as JSON"}}),
      .run = paper};
}

Command scalingCommand() {
  return {.name = "scaling",
          .summary = "the same job on N, 2N, 4N … devices",
          .usage = {"SCENARIO"},
          .description = "The same job on N, 2N, 4N … devices, with the plan's changes marked.",
          .options = withLimits({{"--from", 0, "N", "the fewest devices (64)"},
                                 {"--to", 0, "N", "the most devices (16384)"},
                                 {"--json", 0, "", "print the curve as JSON"}}),
          .leastFiles = 1,
          .mostFiles = 1,
          .run = scaling};
}

Command validationCommand() {
  return {
      .name = "validation",
      .summary = "published training runs, predicted beside measured",
      .usage = {"FILE"},
      .description =
          R"(Published training runs (a table like training_results.json), predicted beside measured. A row, or its set for
all rows, may say hidden, heads, kv_heads, ffn, layers, vocab, seq, experts, top_k or model (a Hugging Face
configuration), device, host (devices joined by their own links), t, p, v, c, e, zero, gpus, global_batch, microbatch, recompute, sequence_parallel, flash,
format, convention (model, causal, sc21), program (what ran it) or year of the software, overlap_tensor, overlap_context, overlap_expert,
overlap_pipeline, overlap_data, overlap_sync (shares hidden; sync: the end of a step), fitted (true: in view when
constants were chosen); measured is any of tflops_per_gpu, iter_s, mfu, tokens_per_s_per_gpu. Each run is predicted as the
scenario that it is, by import and evaluate.)",
      .options = {programSpec("predict all runs under this program in place of their own"),
                  {"--errors", 0, "",
                   "print how far programs err on runs that no constant was fitted on, as JSON "
                   "(resources/prediction_errors.json)"}},
      .leastFiles = 1,
      .mostFiles = 1,
      .run = validation};
}

Command rankingCommand() {
  return {
      .name = "ranking",
      .summary = "measured sweeps over configurations, replayed",
      .usage = {"FILE"},
      .description =
          R"(Measured sweeps over configurations of one model on one cluster, replayed: how well predictions order them (Kendall's
tau; pairs more than 10 % apart that are ordered rightly), whether the fastest plan that is predicted to fit ran, and
what the pick, and the best of the first five, cost beside the best (regret).
{"sets": [{"id", "program", "device", "model": a Hugging Face configuration, "seq", "global_batch",
"columns": [hosts (of 8), tp, pp, dp, microbatch, zero, sequence_parallel, recompute, kernel, step_s or
tokens_per_s_per_gpu, memory], "rows": […], "failed_columns", "failed"}]}; step_s may be "out of memory".)",
      .options = {programSpec("predict all sweeps under this program in place of their own"),
                  {"--json", 0, "", "print the sweeps as JSON"}},
      .leastFiles = 1,
      .mostFiles = 1,
      .run = ranking};
}

Command piperCommand() {
  return {
      .name = "piper",
      .summary = "a profile of the Piper planner beside that planner's optima",
      .usage = {"PROFILE --optima FILE"},
      .description =
          R"(A measured profile of the Piper planner, solved at each memory and device count of a table of that planner's optima:
our steady-state seconds per sample beside its own, and what makes the difference.)",
      .options = withLimits({{"--optima", 0, "FILE", "the table of optima"},
                             {"--per-stage", 0, "", "also free the tensor degree of each stage"},
                             {"--seconds", 0, "N", "deadline of each solve (20)"},
                             {"--json", 0, "", "print the rows as JSON"}}),
      .leastFiles = 1,
      .mostFiles = 1,
      .run = piper};
}

}  // namespace

Command studyCommand() {
  Command study{
      .name = "study",
      .summary = "the paper's comparison, scaling curves, other planners",
      .exits = {{0, "done"}, {2, "bad input"}, {3, "stopped before all rows were solved"}},
      .parts = {paperCommand(), scalingCommand(), validationCommand(), rankingCommand(), piperCommand()}};
  for (Command& part : study.parts) part.exits = study.exits;
  return study;
}

}  // namespace nest::cli
