#include <algorithm>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>
#include <utility>

#include "commands.h"
#include "fields/program_setting.h"
#include "files.h"
#include "formats/networks/host_changes.h"
#include "formats/results/outcome_json.h"
#include "formats/scenario/scenario_json.h"
#include "platform/process.h"
#include "text/json_layout.h"
#include "text/printable.h"
#include "units/text.h"

namespace nest::cli {
namespace {

/// By this run of the program.
Diagnostics& reported() {
  static Diagnostics all;
  return all;
}

}  // namespace

void report(const Diagnostics& all, Notes notes) {
  for (const Diagnostic& d : all)
    if (notes == Notes::Shown || d.severity != Severity::Note)
      std::cerr << printable(toText(d), false) << '\n';
  reported().insert(reported().end(), all.begin(), all.end());
}

void printReported() {
  if (hasErrors(reported()))
    std::cout << layOut(named("nest-diagnostics", {{"diagnostics", diagnosticsJson(reported())}}));
}

nlohmann::ordered_json named(const char* format, nlohmann::ordered_json content) {
  nlohmann::ordered_json j{{"format", format}, {"version", 1}};
  j.update(content);
  return j;
}

namespace {

constexpr const char* kPlanOn[] = {"free", "spare", "working", "all"};  // PlannedOn

Diagnostics changeStates(Scenario& scenario, const Arguments& args) {
  Diagnostics out;
  for (const auto& [option, state] :
       {std::pair("--free-hosts", HostState::Free), {"--taken-hosts", HostState::Busy}})
    for (const std::string& hosts : args.values(option))
      for (Diagnostic& d : changeHosts(scenario.cluster, hosts, state, {"", 0, 0, option}))
        out.push_back(std::move(d));
  if (args.has("--plan-on") && scenario.cluster.states.empty())
    out.push_back(error("command-line", {"", 0, 0, "--plan-on"},
                        "no host of the cluster has a state, so this changes nothing", "leave it out"));
  if (const auto on = args.value("--plan-on"))
    scenario.cluster.plannedOn =
        static_cast<PlannedOn>(std::find(std::begin(kPlanOn), std::end(kPlanOn), *on) - std::begin(kPlanOn));
  return out;
}

}  // namespace

std::vector<OptionSpec> withHostStates(std::vector<OptionSpec> known) {
  known.push_back({"--free-hosts", 0, "HOSTS",
                   "what if these hosts were free: a host list, as in gpu[04-07]; may be repeated", true});
  known.push_back({"--taken-hosts", 0, "HOSTS",
                   "what if these hosts were taken: plans leave them out; may be repeated", true});
  known.push_back({"--plan-on",
                   0,
                   "STATES",
                   "hosts that plans may use: free ones (as usual), spares, too, all that work, or all",
                   false,
                   {std::begin(kPlanOn), std::end(kPlanOn)}});
  return known;
}

Reading<Input> readInputText(const std::string& text, const std::string& path, const Arguments* changes) {
  Reading<Input> result;
  auto scenario = readScenario(text, path, loaderBeside(path));
  result.diagnostics = std::move(scenario.diagnostics);
  if (!scenario) return result;
  if (changes) {
    if (const nest::Program* program = programOption(*changes)) setProgram(*scenario, *program);
    const Diagnostics wrong = changeStates(*scenario, *changes);
    result.diagnostics.insert(result.diagnostics.end(), wrong.begin(), wrong.end());
    if (hasErrors(wrong)) return result;
  }
  auto problem = buildProblem(*scenario);
  if (auto told = noteUnstated(*scenario, false)) problem.diagnostics.push_back(std::move(*told));
  for (Diagnostic& d : locatedIn(text, path, std::move(problem.diagnostics))) {
    if (d.where.file.empty()) d.where.file = path;
    result.diagnostics.push_back(std::move(d));
  }
  if (problem) result.value = Input{std::move(*scenario), std::move(*problem)};
  return result;
}

std::optional<Input> readInput(const Arguments& args) {
  const std::string& path = args.files[0];
  const auto text = readTextFile(path);
  if (!text) {
    report(text.diagnostics);
    return std::nullopt;
  }
  auto input = readInputText(*text, path, &args);
  report(input.diagnostics);
  return std::move(input.value);
}

ReportSource sourceOf(const Input& input, Watch& watch) {
  return reportSource(input.scenario, input.problem, watch.control().until());
}

ExitCode exitCodeOf(const Outcome& o) {
  if (o.best()) return kDone;
  switch (o.status) {
    case OutcomeStatus::Stopped:
      return kStopped;
    case OutcomeStatus::Failed:
      return kBadInput;
    default:
      return kNoPlanFits;
  }
}

OptionSpec programSpec(const char* help) {
  OptionSpec spec{"--program", 0, "ID", help};
  for (const auto& [id, name] : nest::programNames()) spec.choices.push_back(id);
  return spec;
}

const nest::Program* programOption(const Arguments& args) {
  return findProgram(args.value("--program").value_or(""));
}

std::vector<OptionSpec> withLimits(std::vector<OptionSpec> known) {
  known.push_back(
      {"--deadline", 0, "SECONDS", "stop then with the best so far, its lower bound and the gap (0: none)"});
  known.push_back(
      {"--work-limit", 0, "N", "stop after N units of search work instead: the same result on any machine"});
  return known;
}

Limits limitsOf(const Arguments& args, Diagnostics& misuse) {
  return {number(args, "--deadline", 0, 1e8, misuse).value_or(0),
          wholeNumber(args, "--work-limit", 0, 1'000'000'000'000'000'000, misuse)};
}

Watch::Watch(const Limits& limits)
    : m_begin(std::chrono::steady_clock::now()), m_interrupts([this] { m_stop.request_stop(); }) {
  if (limits.deadlineSeconds > 0)
    m_deadline = m_begin + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                               std::chrono::duration<double>(std::min(limits.deadlineSeconds, 1e8)));
  if (limits.work) m_work = std::make_shared<WorkLimit>(*limits.work);
}

Watch::~Watch() {
  clear();
}

void Watch::clear() {
  if (std::exchange(m_shown, false)) std::fprintf(stderr, "\r\033[K");
}

Control Watch::control() {
  Control c;
  c.stop = m_stop.get_token();
  c.deadline = m_deadline;
  c.work = m_work;
  const bool terminal = isTerminal(StandardStream::Error);
  c.progress = [this, terminal](const Progress& p) {
    const auto elapsed = std::chrono::steady_clock::now() - m_begin;
    if (!terminal || elapsed < std::chrono::milliseconds(300)) return;
    const std::string best = p.best ? text::time(*p.best) : std::string("none yet");
    std::fprintf(stderr, p.settled ? "\r\033[K%.*s: %s, optimum %s" : "\r\033[K%.*s: %s, best %s",
                 static_cast<int>(p.phase.size()), p.phase.data(), text::percent(p.fraction).c_str(),
                 best.c_str());
    m_shown = true;
  };
  return c;
}

}  // namespace nest::cli
