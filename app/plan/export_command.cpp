#include <algorithm>
#include <filesystem>

#include "commands.h"
#include "diagnostics/field_change.h"
#include "fields/program_setting.h"
#include "files.h"
#include "files/folder_writer.h"
#include "format_help.h"
#include "formats/format.h"
#include "formats/launch/launch_folder.h"
#include "formats/results/plan_json.h"
#include "study/conflicts.h"
#include "words/in_sentence.h"
#include "words/outcome_words.h"

namespace nest::cli {
namespace {

/// All that --as takes.
std::vector<std::string> targets() {
  std::vector<std::string> all;
  for (const LaunchTarget* t : launchTargets()) all.emplace_back(t->id);
  all.insert(all.end(), {"folder", "plan", "scenario"});
  for (const Format* f : formats())
    if (f->write) all.emplace_back(f->key);
  return all;
}

Diagnostic refused(std::string message, std::string remedy) {
  return error("export", {"", 0, 0, ""}, std::move(message), std::move(remedy));
}

/// `keepsReference`: else the model stands in the file itself.
Reading<std::string> exportScenario(Scenario scenario, bool keepsReference) {
  if (!keepsReference) scenario.model.reference.clear();
  return {writeScenario(scenario), {}};
}

/// The plan to export: the one given, or the best; an exit code where there is none.
int findPlan(const Arguments& args, const Input& input, const Limits& limits, Plan& plan) {
  if (args.files.size() > 1) {
    const auto text = readTextFile(args.files[1]);
    auto reading = text ? readPlan(*text, args.files[1]) : Reading<Plan>{std::nullopt, text.diagnostics};
    report(reading.diagnostics);
    if (!reading) return kBadInput;
    plan = std::move(*reading);
    const Evaluation e = evaluate(input.problem, plan);
    if (e.feasible()) return kDone;
    for (const Violation& v : e.violations)
      report({error(nameOf(v.kind), {args.files[1], 0, 0, ""}, v.message)});
    return kNoPlanFits;
  }
  Outcome outcome;
  {
    Watch watch(limits);
    outcome = solveAndExplain(input.problem, watch.control());
  }
  if (!outcome.best()) {
    const words::NoPlan none = words::noPlan(outcome);
    return report({refused(words::inSentence(none.title), words::inSentence(adviceText(none.detail)))}),
           exitCodeOf(outcome);
  }
  plan = outcome.best()->plan;
  return kDone;
}

/// The programs that a folder can start.
std::vector<std::string> frameworks() {
  std::vector<std::string> all;
  for (const LaunchTarget* t : launchTargets())
    if (t->program) all.emplace_back(t->id);
  return all;
}

/// By this file a folder of launch files is known; it comes first. What starts the plan comes last.
constexpr auto kMark = "ranks.txt", kStart = "run.sh";

/// A folder of this kind is written again, and files of another framework go; in any other nothing is
/// replaced.
int writeLaunchFiles(const std::string& path, const std::vector<LaunchFile>& launch) {
  namespace fs = std::filesystem;
  std::vector<FolderFile> files;
  for (const LaunchFile& f : launch) files.push_back({f.name, f.text, f.isProgram});
  std::stable_partition(files.begin(), files.end(), [](const FolderFile& f) { return f.name == kMark; });
  std::stable_partition(files.begin(), files.end(), [](const FolderFile& f) { return f.name != kStart; });
  const auto place = [&](const std::string& name) { return (fs::path(path) / name).string(); };
  std::error_code none;
  const bool isKnown = fs::exists(place(kMark), none);
  std::string others;
  for (const FolderFile& f : files) {
    if (wasRead(place(f.name)))
      return report({error("output-is-input", {place(f.name), 0, 0, ""},
                           "this file was read, and something else would take its place",
                           "give another folder with -o")}),
             kBadInput;
    if (!isKnown && fs::exists(place(f.name), none)) others += (others.empty() ? "" : ", ") + f.name;
  }
  if (!others.empty())
    return report({refused("the folder " + path + " has no " + kMark +
                               ", so it was not written by this command, and its " + others +
                               " would be replaced",
                           "give a new one with -o")}),
           kBadInput;
  std::vector<std::string> stale;
  for (const std::string& name : launchFileNames())
    if (isKnown &&
        std::none_of(files.begin(), files.end(), [&](const FolderFile& f) { return f.name == name; }))
      stale.push_back(name);
  const Diagnostics failed = nest::writeFolder(path, files, stale);
  report(failed);
  return failed.empty() ? kDone : kBadInput;
}

/// A warning where another program reads the files than the one that the scenario is predicted under.
Diagnostics foreignTo(const nest::Program& program, const LaunchTarget* target) {
  if (!target || !target->program || program.id == kIdealProgram) return {};
  const auto reads = [&](const nest::Program& p) {
    return std::find(p.launches.begin(), p.launches.end(), target->id) != p.launches.end();
  };
  if (reads(program)) return {};
  std::string readers;
  for (const nest::Program& p : nest::programs())
    if (reads(p)) readers += (readers.empty() ? "" : ", ") + p.id;
  return {warning(
      "launch-program", {"", 0, 0, "/program"},
      "the scenario's times are those of " + program.id + " (" + program.version +
          "), which does not read these " + std::string(target->id) + " files",
      "plan for the program that will run them, with solve --program or in the scenario: " + readers)};
}

int exportPlan(const Arguments& args) {
  Diagnostics misuse;
  const Limits limits = limitsOf(args, misuse);
  if (hasErrors(misuse)) return report(misuse), kBadInput;
  const std::string as = args.value("--as").value_or("");
  if (as.empty()) return report({refused("--as is missing", "see nest-plan export --help")}), kBadInput;
  const auto cores = wholeNumber(args, "--cores-per-host", 1, 100'000, misuse);
  const LaunchTarget* target = findLaunchTarget(as);
  if (cores && !(target && target->takesCores))
    misuse.push_back(
        refused("--cores-per-host is for rank files", "write --as rankfile --cores-per-host 112"));
  if (hasErrors(misuse)) return report(misuse), kBadInput;
  const Format* format = findFormat(as);
  const bool ofPlan = as != "scenario" && !(format && format->write);
  const bool hasPlan = args.files.size() > 1;
  if (hasPlan && !ofPlan)
    return report({refused("--as " + as + " writes no plan", "leave " + args.files[1] + " out")}), kBadInput;
  for (const char* limit : {"--deadline", "--work-limit"})
    if (args.has(limit) && (hasPlan || !ofPlan))
      return report({refused(std::string(limit) + " limits a search, and nothing is searched here",
                             "leave it out")}),
             kBadInput;
  if (args.has("--for") && as != "folder")
    return report(
               {refused("--for names the program that a folder starts", "write --as folder --for megatron")}),
           kBadInput;
  if (as == "folder" && args.value("--output").value_or("-") == "-")
    return report({refused("a folder needs a place", "add -o FOLDER")}), kBadInput;
  const auto input = readInput(args);
  if (!input) return kBadInput;
  const nest::Program& program = programOf(input->scenario);
  const LaunchTarget* framework = findLaunchTarget(
      args.value("--for").value_or(program.launches.empty() ? "megatron" : program.launches.front()));
  report(foreignTo(program, as == "folder" ? framework : target));

  Reading<std::string> written;
  if (format && format->write) {
    written = format->write(input->scenario.cluster, *input->problem.cluster);
  } else if (as == "scenario") {
    namespace fs = std::filesystem;
    const std::string to = args.value("--output").value_or("-");
    const auto folderOf = [](const std::string& path) {
      return fs::absolute(path).lexically_normal().parent_path();
    };
    written = exportScenario(input->scenario, to == "-" || folderOf(to) == folderOf(args.files[0]));
  } else {
    Plan plan;
    if (const int code = findPlan(args, *input, limits, plan); code != kDone) return code;
    const ReportSource source = reportSource(input->scenario, input->problem);
    if (as == "folder") {
      const auto folder = writeLaunchFolder(*framework, source, plan);
      report(folder.diagnostics);
      return folder ? writeLaunchFiles(*args.value("--output"), *folder) : kNoPlanFits;
    }
    written = target ? writeLaunch(*target, source, plan, static_cast<int>(cores.value_or(0)))
                     : Reading<std::string>{writePlan(plan), {}};
  }
  report(written.diagnostics);
  if (!written) return kNoPlanFits;
  const std::string replaces = as == "scenario"          ? args.files[0]
                               : as == "plan" && hasPlan ? args.files[1]
                                                         : std::string();
  const Diagnostics failed = writeTextFile(args.value("--output").value_or("-"), *written, replaces);
  report(failed);
  return failed.empty() ? kDone : kBadInput;
}

}  // namespace

Command exportCommand() {
  return {
      .name = "export",
      .summary = "write launch files for a plan, or a cluster for another program",
      .usage = {"SCENARIO [PLAN] --as FORMAT", "SCENARIO [PLAN] --as folder [--for PROGRAM] -o FOLDER"},
      .description =
          std::string(
              R"(Writes a plan so that it runs, or a cluster for another program. Without PLAN the scenario is solved first. What a
format cannot say is refused with every reason.

)") + launchTargetsText() +
          R"(  plan            the plan itself, for evaluate
  scenario        the scenario in its normal form
)" + writtenNetworks() +
          R"(
Ranks are numbered stage by stage, then replica, context, tensor fastest (Megatron's tp-cp-ep-dp-pp).)",
      .options = withHostStates(
          withLimits({{"--as", 0, "FORMAT", "what to write", false, targets()},
                      {"--for", 0, "PROGRAM", "the program that the folder starts", false, frameworks()},
                      {"--cores-per-host", 0, "N", "CPU cores of a host, to share out in a rank file"},
                      {"--output", 'o', "FILE",
                       "where it goes (default: standard output); of --as folder the folder"}})),
      .exits = {{0, "done"},
                {1, "no plan fits, or the format cannot express it (says why)"},
                {2, "bad input"},
                {3, "stopped before a plan was found"}},
      .leastFiles = 1,
      .mostFiles = 2,
      .run = exportPlan};
}

}  // namespace nest::cli
