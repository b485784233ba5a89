#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

#include "command_line.h"
#include "commands.h"
#include "files.h"
#include "formats/profiles/piper.h"
#include "study/piper_study.h"
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

int paperStudyCommand(const Words& words) {
  const auto args = parseArguments(words,
                                   withLimits({{"--json"},
                                               {"--published", 0, true},
                                               {"--model", 0, true, true},
                                               {"--devices", 0, true, true},
                                               {"--csv", 0, true},
                                               {"--seed", 0, true}}),
                                   0, 0);
  if (!args) return report(args.diagnostics), kBadInput;
  Diagnostics misuse;
  PaperOptions options;
  options.models = args->values("--model");
  for (const std::string& m : options.models)
    if (!paperScenario(m, false, 64))
      misuse.push_back(error("command-line", {}, "the paper has no model \"" + m + "\"",
                             "BERT-large, Llama-2 7B, Llama-3 70B, GPT-3 175B, Mixtral 8x7B"));
  std::vector<int> counts;
  for (const std::string& n : args->values("--devices")) {
    Arguments one;
    one.options["--devices"] = {n};
    if (const auto v = wholeNumber(one, "--devices", 32, 1 << 20, misuse))
      counts.push_back(static_cast<int>(*v));
  }
  if (!counts.empty()) options.treeDevices = options.leafDevices = counts;
  if (const auto v = wholeNumber(*args, "--seed", 0, 1LL << 53, misuse))
    options.baselines.seed = static_cast<std::uint64_t>(*v);
  const Limits limits = limitsOf(*args, misuse);
  std::string published;
  if (const auto path = args->value("--published")) {
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
  if (args->has("--json"))
    std::cout << layOut(report::paperJson(rows));
  else
    std::cout << paperTable(rows);
  std::cout << std::flush;
  if (const auto path = args->value("--csv"))
    if (const Diagnostics failed = writeTextFile(*path, paperCsv(rows)); !failed.empty())
      return report(failed), kBadInput;
  return anyStopped(rows, [](const PaperRow& r) { return r.exact.status; }) ? kStopped : kDone;
}

int scalingStudyCommand(const Words& words) {
  const auto args =
      parseArguments(words, withLimits({{"--json"}, {"--from", 0, true}, {"--to", 0, true}}), 1, 1);
  if (!args) return report(args.diagnostics), kBadInput;
  Diagnostics misuse;
  const auto from = wholeNumber(*args, "--from", 1, 1 << 20, misuse),
             to = wholeNumber(*args, "--to", 1, 1 << 20, misuse);
  const Limits limits = limitsOf(*args, misuse);
  if (hasErrors(misuse)) return report(misuse), kBadInput;
  const auto input = readInput(args->files[0], args->has("--json"));
  if (!input) return kBadInput;
  std::vector<int> counts;
  for (long long n = from.value_or(64); n <= to.value_or(16384); n *= 2)
    counts.push_back(static_cast<int>(n));
  std::vector<ScalingPoint> curve;
  {
    Watch watch(limits);
    curve = scalingCurve(input->problem, counts, watch.control());
  }
  if (args->has("--json"))
    std::cout << layOut(report::scalingJson(curve));
  else
    std::cout << report::scalingText(curve);
  std::cout << std::flush;
  return anyStopped(curve, [](const ScalingPoint& p) { return p.outcome.status; }) ? kStopped : kDone;
}

int validationStudyCommand(const Words& words) {
  const auto args = parseArguments(words, {}, 1, 1);
  if (!args) return report(args.diagnostics), kBadInput;
  const auto text = readTextFile(args->files[0]);
  if (!text) return report(text.diagnostics), kBadInput;
  const auto validation = runValidation(*text, args->files[0]);
  report(validation.diagnostics);
  if (!validation) return kBadInput;
  return std::cout << toText(*validation) << std::flush, kDone;
}

int piperStudyCommand(const Words& words) {
  const auto args = parseArguments(
      words, withLimits({{"--json"}, {"--optima", 0, true}, {"--per-stage"}, {"--seconds", 0, true}}), 1, 1);
  if (!args) return report(args.diagnostics), kBadInput;
  Diagnostics misuse;
  PeerStudyOptions options;
  options.strategyPerStage = args->has("--per-stage");
  options.secondsPerVariant = figure(*args, "--seconds", 0, 1e6, misuse).value_or(options.secondsPerVariant);
  const Limits limits = limitsOf(*args, misuse);
  if (!args->has("--optima"))
    misuse.push_back(error("command-line", {}, "which optima are to stand beside?", "give --optima FILE"));
  if (hasErrors(misuse)) return report(misuse), kBadInput;
  const auto text = readTextFile(args->files[0]), table = readTextFile(*args->value("--optima"));
  report(text.diagnostics);
  report(table.diagnostics);
  if (!text || !table) return kBadInput;
  const auto profile = readPiper(*text, args->files[0]);
  const auto optima = readPeerOptima(*table, *args->value("--optima"));
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
  if (args->has("--json"))
    std::cout << layOut(report::peerJson(rows));
  else
    std::cout << peerTable(rows);
  return std::cout << std::flush, kDone;
}

struct Study {
  const char* name;
  int (*run)(const Words&);
};

const Study kStudies[] = {{"paper", paperStudyCommand},
                          {"scaling", scalingStudyCommand},
                          {"validation", validationStudyCommand},
                          {"piper", piperStudyCommand}};

}  // namespace

int studyCommand(const Words& words) {
  std::string known;
  for (const Study& s : kStudies) {
    if (!words.empty() && words[0] == s.name) return s.run({words.begin() + 1, words.end()});
    known += (known.empty() ? "" : ", ") + std::string(s.name);
  }
  const std::string said = words.empty() ? "no study is named" : "there is no study \"" + words[0] + "\"";
  report({error("command-line", {}, said, "one of " + known)});
  return kBadInput;
}

}  // namespace nest::cli
