#include <algorithm>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "files.h"
#include "files/file_writer.h"
#include "formats/profiles/piper.h"
#include "lab/lab_report.h"
#include "lab/piper_study.h"
#include "lab/ranking.h"
#include "lab/study_rows.h"
#include "lab/validation.h"
#include "sharded.h"
#include "study/study_report.h"
#include "text/json_layout.h"

namespace nest::cli {
namespace {

/// Whether a row of a study was stopped before it had a plan.
template <class Row, class Status>
bool anyStopped(const std::vector<Row>& rows, Status status) {
  return std::any_of(rows.begin(), rows.end(),
                     [&](const Row& r) { return status(r) == OutcomeStatus::Stopped; });
}

/// Whether a study is to go row by row into files; what of the options that forbids goes to `misuse`.
bool goesToFiles(const Arguments& args, ShardOptions& options, Diagnostics& misuse) {
  options = shardOptions(args, misuse);
  const auto wrong = [&](std::string message) {
    misuse.push_back(error("command-line", {}, std::move(message), "see nest-plan study --help"));
  };
  if (!options.base.empty()) {
    for (const char* option : {"--deadline", "--work-limit", "--csv"})
      if (args.has(option)) wrong(std::string(option) + " does not go with -o, whose rows are always whole");
    if (args.has("--merge")) refuseBesideMerge(args, misuse);
    if (args.has("--json")) wrong("-o writes what --json prints: leave one of them out");
    return true;
  }
  for (const char* option : {"--shard", "--merge", "--restart", "--threads"})
    if (args.has(option)) wrong(std::string(option) + " needs -o for the rows");
  return false;
}

/// BASE.shard-i-of-n.jsonl, as many as there are.
std::vector<std::string> shardsBeside(const std::string& base) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(base).parent_path();
  const std::string begin = fs::path(base).filename().string() + ".shard-";
  std::vector<std::string> out;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder.empty() ? fs::path(".") : folder, none))
    if (const std::string name = entry.path().filename().string();
        name.starts_with(begin) && name.ends_with(".jsonl"))
      out.push_back((folder / name).string());
  std::sort(out.begin(), out.end());
  return out;
}

int runRowByRow(const StudyRows& study, const Arguments& args, const ShardOptions& options) {
  using Row = std::pair<std::size_t, std::string>;
  std::map<std::size_t, Row> rows;
  const auto add = [&](const std::string& path) {
    auto journal = readStudyJournal(study, path);
    if (journal)
      for (auto& [index, row] : journal->rows) rows.insert_or_assign(index, Row{index, std::move(row)});
    return journal;
  };
  ShardedWork work{.noun = "study",
                   .words = wordsWithoutShards({"study", study.name()}, args),
                   .key = study.key(),
                   .size = study.size(),
                   .head = journalHead(study)};
  work.look = [&](const std::string& path) -> Reading<ShardedWork::Known> {
    rows.clear();
    const auto journal = add(path);
    if (!journal) return {std::nullopt, journal.diagnostics};
    return {ShardedWork::Known{rows.size(), journal->bytes}, journal.diagnostics};
  };
  work.run = [&](const Shard& shard, int threads, const ShardedWork::Take& take, const Control& control) {
    rows = runRows<Row>(
        study.size(), shard, std::move(rows), threads,
        [&](std::size_t index) {
          return Row{index, study.solve(index, control)};
        },
        [&](const Row& row, std::size_t done, std::size_t) {
          take(journalLine(row.first, row.second), "row " + std::to_string(row.first + 1), done);
        },
        control);
    return rows.size();
  };
  work.write = [&](const std::string& base, const std::string&) {
    std::vector<std::string> all;
    for (const auto& [index, row] : rows) all.push_back(row.second);
    if (const Diagnostics failed = writeFile(base + ".json", study.whole(all)); !failed.empty())
      return report(failed), static_cast<int>(kBadInput);
    std::cerr << countedRows(all.size()) << " in " << base << ".json\n";
    return static_cast<int>(kDone);
  };
  work.join = [&](const std::string& base, const std::vector<std::string>& journals) {
    rows.clear();
    Diagnostics out;
    for (const std::string& path : journals) {
      auto journal = add(path);
      std::move(journal.diagnostics.begin(), journal.diagnostics.end(), std::back_inserter(out));
    }
    report(out);
    if (hasErrors(out)) return static_cast<int>(kBadInput);
    if (rows.size() == study.size()) return work.write(base, {});
    std::cerr << countedRows(study.size() - rows.size()) << " of " << study.size()
              << " are missing: run the shards that did not finish again\n";
    return static_cast<int>(kStopped);
  };
  if (args.has("--merge")) return work.join(options.base, shardsBeside(options.base));
  return runSharded(work, options);
}

/// What studies that search take besides.
std::vector<OptionSpec> withFiles(std::vector<OptionSpec> own) {
  own.push_back({"--output", 'o', "BASE",
                 "write what --json prints to BASE.json, row by row, to be resumed; BASE.jsonl on the way"});
  own.push_back({"--merge", 0, "", "join the journals of shards next to BASE into BASE.json"});
  return withShards(withLimits(std::move(own)));
}

int paper(const Arguments& args) {
  Diagnostics misuse;
  ShardOptions shards;
  const bool toFiles = goesToFiles(args, shards, misuse);
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
    if (text) {
      auto tables = readPublishedTables(*text, *path);
      misuse.insert(misuse.end(), tables.diagnostics.begin(), tables.diagnostics.end());
      if (tables) options.published = std::move(*tables);
      published = std::move(*text);
    }
  }
  if (hasErrors(misuse)) return report(misuse), kBadInput;
  if (toFiles) return runRowByRow(*rowsOfPaper(options, published), args, shards);

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
  const int fewest = from.value_or(64), most = to.value_or(16384);
  if (fewest > most)
    misuse.push_back(error("command-line", {},
                           "--from " + std::to_string(fewest) + " is more than --to " + std::to_string(most),
                           "give the fewest devices, then the most"));
  ShardOptions shards;
  const bool toFiles = goesToFiles(args, shards, misuse);
  if (hasErrors(misuse)) return report(misuse), kBadInput;
  const auto input = readInput(args);
  if (!input) return kBadInput;
  std::vector<int> counts;
  for (long long n = fewest; n <= most; n *= 2) counts.push_back(static_cast<int>(n));
  if (toFiles) return runRowByRow(*rowsOfScaling(input->scenario, input->problem, counts), args, shards);
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
  if (args.has("--errors") && args.has("--json"))
    return report({error("command-line", {}, "--errors prints JSON without --json", "leave --json out")}),
           kBadInput;
  PublishedOptions options;
  options.program = programOption(args);
  ValidationReport all;
  for (const std::string& file : args.files) {
    const auto text = readTextFile(file);
    if (!text) return report(text.diagnostics), kBadInput;
    const auto validation = runValidation(*text, file, options);
    report(validation.diagnostics);
    if (!validation) return kBadInput;
    all.rows.insert(all.rows.end(), validation->rows.begin(), validation->rows.end());
  }
  std::cout << (args.has("--errors") ? errorsJson(cellsOf(heldOutRuns(all)))
                : args.has("--json") ? validationJson(all)
                                     : toText(all))
            << std::flush;
  return kDone;
}

int ranking(const Arguments& args) {
  PublishedOptions options;
  options.program = programOption(args);
  const bool json = args.has("--json");
  const auto text = readTextFile(args.files[0]);
  if (!text) return report(text.diagnostics), kBadInput;
  const auto replayed = replayRanking(*text, args.files[0], options);
  report(replayed.diagnostics, Notes::Shown);
  if (!replayed) return kBadInput;
  return std::cout << (json ? rankingJson(*replayed) : toText(*replayed)) << std::flush, kDone;
}

int piper(const Arguments& args) {
  Diagnostics misuse;
  PeerStudyOptions options;
  options.strategyPerStage = args.has("--per-stage");
  options.secondsPerVariant = number(args, "--seconds", 0, 1e6, misuse).value_or(options.secondsPerVariant);
  const Limits limits = limitsOf(args, misuse);
  ShardOptions shards;
  const bool toFiles = goesToFiles(args, shards, misuse);
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
  if (toFiles) return runRowByRow(*rowsOfPeers(setting, *optima, options, *text + *table), args, shards);
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
      .options = withFiles({{"--published", 0, "FILE",
                             "the reference's readme_tables.json; its ratios are then shown next to ours"},
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
          .options = withFiles({{"--from", 0, "N", "the fewest devices (64)"},
                                {"--to", 0, "N", "the most devices (16384)"},
                                {"--json", 0, "", "print the curve as JSON"}}),
          .leastFiles = 1,
          .mostFiles = 1,
          .run = scaling};
}

Command validationCommand() {
  return {
      .name = "validation",
      .summary = "published training runs, predicted against measured",
      .usage = {"FILE…"},
      .description =
          R"(Published training runs (tables like samples/published/training_runs.json), predicted against measured. A row, or its
set for all rows, may say hidden, heads, kv_heads, ffn, layers, vocab, seq, experts, top_k or model (a Hugging Face
configuration), device, host (devices joined by their own links), host_link_GBps (a device, one way, between hosts),
shard (replicas that share what ZeRO shards), t, p, v, c, e, zero, gpus, global_batch, microbatch, recompute,
sequence_parallel, flash, dropout (false: nothing is dropped), format, convention (model, causal, sc21), program (what
ran it) or year of the software, overlap_tensor, overlap_context, overlap_expert, overlap_pipeline, overlap_data,
overlap_sync (shares hidden; sync: the end of a step), settings (an object: fields of the scenario by key, nest-plan
fields, that the run sets in addition to its program), fitted (true: in view when constants were chosen); measured is
any of tflops_per_gpu, iter_s, mfu, tokens_per_s_per_gpu. Each run is predicted as the scenario that it is, by import
and evaluate.)",
      .options =
          {programSpec("predict all runs under this program in place of their own"),
           {"--json", 0, "", "print rows, means and intervals as JSON"},
           {"--errors", 0, "",
            "print the intervals around predictions that hold 80 % of the runs that no constant was fitted "
            "on, as JSON (resources/prediction_errors.json)"}},
      .leastFiles = 1,
      .mostFiles = 100,
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
what the pick, and the best of the first five, cost against the best (regret).
{"sets": [{"id", "program", "device", "model": a Hugging Face configuration, "seq", "global_batch",
"columns": [hosts (of 8), tp, pp, dp, microbatch, zero, sequence_parallel, recompute, kernel, step_s or
tokens_per_s_per_gpu, memory, fields of the scenario by key (nest-plan fields)], "rows": […], "failed_columns",
"failed"}]}; step_s may be "out of memory".)",
      .options = {programSpec("predict all sweeps under this program in place of their own"),
                  {"--json", 0, "", "print the sweeps as JSON"}},
      .leastFiles = 1,
      .mostFiles = 1,
      .run = ranking};
}

Command piperCommand() {
  return {
      .name = "piper",
      .summary = "a profile of the Piper planner against that planner's optima",
      .usage = {"PROFILE --optima FILE"},
      .description =
          R"(A measured profile of the Piper planner, solved at each memory and device count of a table of that planner's optima:
our steady-state seconds per sample against its own, and what makes the difference.)",
      .options = withFiles({{"--optima", 0, "FILE", "the table of optima"},
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
  for (Command& part : study.parts) {
    part.exits = study.exits;
    if (std::any_of(part.options.begin(), part.options.end(),
                    [](const OptionSpec& o) { return o.name == "--submit"; }))
      part.notes = "Spread over the machines of a Slurm cluster, as sweeps are:\n\n  nest-plan study " +
                   part.name +
                   R"( … -o out --submit slurm --tasks 16 --sbatch --partition=cpu

writes and submits an array of jobs, waits for it and joins the rows: out.json holds what --json prints of a run on one
machine, byte for byte. The same command resumes what was interrupted.)";
  }
  return study;
}

}  // namespace nest::cli
