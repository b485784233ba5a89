#pragma once

#include <chrono>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "diagnostics/diagnostic.h"
#include "options/arguments.h"
#include "platform/process.h"
#include "program/program.h"
#include "scenario/scenario.h"
#include "solver/control.h"
#include "solver/outcome.h"

namespace nest {
struct ReportSource;
}

namespace nest::cli {

/// Exit codes of nest-plan. kStopped: ended early, before all was known, with what was found until then.
enum ExitCode { kDone = 0, kNoPlanFits = 1, kBadInput = 2, kStopped = 3 };
ExitCode exitCodeOf(const Outcome&);

Command solveCommand();
Command evaluateCommand();
Command checkCommand();
Command compareCommand();
Command whyCommand();
Command improveCommand();
Command failuresCommand();
Command matrixCommand();
Command inverseCommand();
Command studyCommand();
Command importCommand();
Command exportCommand();
Command formatsCommand();
Command fieldsCommand();
Command sweepCommand();
Command reportCommand();
Command lessonsCommand();
Command gradeCommand();

enum class Notes { Left, Shown };
/// Findings go to standard error, one a line. All that is reported is also kept for printReported().
void report(const Diagnostics&, Notes = Notes::Left);
/// With errors among all that was reported, prints {"format": "nest-diagnostics", "diagnostics": […]}. main()
/// calls it for a command with --json that printed nothing, so that every refusal is JSON.
void printReported();

/// What --json prints, behind the name and version of its format (resources/schemas/results.schema.json).
nlohmann::ordered_json named(const char* format, nlohmann::ordered_json content);

/// A scenario with its problem; empty after its errors were reported (the command then ends with kBadInput).
struct Input {
  Scenario scenario;
  Problem problem;
  const TransformerArchitecture* architecture() const {
    return scenario.model.architecture ? &*scenario.model.architecture : nullptr;
  }
};
/// The first of the files, under what --program, --free-hosts, --taken-hosts and --plan-on change of it.
std::optional<Input> readInput(const Arguments&);

/// Everything that is to be said about a scenario's text, warnings and notes included. `changes`: the options
/// that readInput() follows; may be null.
Reading<Input> readInputText(const std::string& text, const std::string& path,
                             const Arguments* changes = nullptr);

/// Adds --free-hosts, --taken-hosts and --plan-on: what if hosts were in other states?
std::vector<OptionSpec> withHostStates(std::vector<OptionSpec>);

/// --program, with every program's id as its choices.
OptionSpec programSpec(const char* help);
/// The program that it names; nullptr: none.
const nest::Program* programOption(const Arguments&);

/// The options that every command that searches takes: --deadline and --work-limit.
struct Limits {
  double deadlineSeconds = 0;  ///< 0: none
  std::optional<long long> work;
};
std::vector<OptionSpec> withLimits(std::vector<OptionSpec>);  ///< adds them
Limits limitsOf(const Arguments&, Diagnostics& misuse);

/// Progress on a terminal after 300 ms, a stop within 50 ms of SIGINT (Ctrl+C) or SIGTERM (a second one ends
/// the program), the limits of the options. One for all searches of a command: a stop ends them all.
class Watch {
public:
  explicit Watch(const Limits&);
  ~Watch();
  Control control();
  void clear();  ///< the progress on the terminal, before something else is written there
  void stop() { m_stop.request_stop(); }

private:
  std::stop_source m_stop;
  std::optional<std::chrono::steady_clock::time_point> m_deadline;
  std::shared_ptr<WorkLimit> m_work;
  std::chrono::steady_clock::time_point m_begin;
  bool m_shown = false;
  Interrupts m_interrupts;
};

/// What a report of its outcome is written from; both outlive it.
ReportSource sourceOf(const Input&, Watch&);

}  // namespace nest::cli
