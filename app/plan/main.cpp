#include <exception>
#include <iostream>
#include <iterator>
#include <string_view>

#include "command_line.h"
#include "commands.h"
#include "files/descriptor.h"
#include "help.h"
#include "printable_output.h"
#include "standard_output.h"
#include "study_help.h"

namespace nest::cli {
namespace {

const Command kCommands[] = {
    {"solve", "find the best plan of a scenario", kSolveHelp, solveCommand},
    {"evaluate", "cost a given plan on a scenario", kEvaluateHelp, evaluateCommand},
    {"compare", "run the baselines beside the exact search", kCompareHelp, compareCommand},
    {"why", "explain the best plan's figures, or answer what speaks against another", kWhyHelp, whyCommand},
    {"improve", "rank single improvements, break-even points and failures", kImproveHelp, improveCommand},
    {"inverse", "fewest devices, or which device, that meet a batch time", kInverseHelp, inverseCommand},
    {"study", "the paper's comparison, scaling curves, other planners", kStudyHelp, studyCommand},
    {"check", "say what files are and all that is wrong with them", kCheckHelp, checkCommand},
    {"import", "make a scenario of networks and models as they are", kImportHelp, importCommand},
    {"formats", "the files that are read, with an example each", kFormatsHelp, formatsCommand},
    {"export", "write a plan so that it runs, or a cluster for another program", kExportHelp, exportCommand},
    {"fields", "the fields of a scenario, with what each may be", kFieldsHelp, fieldsCommand},
    {"sweep", "solve a scenario over a grid of field values", kSweepHelp, sweepCommand},
};

void overview(std::ostream& out) {
  out << "nest-plan: where to place the training of a large model on a datacenter\n\n"
         "Usage: nest-plan COMMAND [OPTIONS] FILE…\n\nCommands:\n";
  for (const Command& c : kCommands) {
    std::string name = c.name;
    name.resize(10, ' ');
    out << "  " << name << "  " << c.summary << '\n';
  }
  out << "\nnest-plan COMMAND --help tells a command's options and file formats. Every command takes\n"
         "  --log-level LEVEL  what to log, at least: "
      << kLogLevels
      << " (default: warning)\n"
         "  --log-file FILE    append the log to FILE, from info on, instead of writing it to standard "
         "error\n\n"
         "Exit codes: 0 done; 1 no plan fits (says why and what would make it fit); 2 bad input or "
         "unwritable "
         "output (says where and why); 3 interrupted.\n";
}

int run(Words words) {
  auto log = takeLogOptions(words);
  if (log) {
    log->program = "nest-plan";
    log.diagnostics = startLog(*log);
  }
  if (hasErrors(log.diagnostics)) return report(log.diagnostics), kBadInput;
  if (words.empty()) {
    overview(std::cerr);
    return kBadInput;
  }
  if (words[0] == "--help" || words[0] == "-h" || words[0] == "help") {
    if (words.size() < 2) return overview(std::cout), kDone;
    for (const Command& c : kCommands)
      if (words[1] == c.name) return std::cout << c.help, kDone;
  }
  if (words[0] == "--version") {
    std::cout << "nest-plan " NEST_VERSION "\n";
    return kDone;
  }
  for (const Command& c : kCommands) {
    if (words[0] != c.name) continue;
    const Words rest(words.begin() + 1, words.end());
    for (const std::string& w : rest) {
      if (w == "--") break;
      if (w == "--help" || w == "-h") return std::cout << c.help, kDone;
    }
    return c.run(rest);
  }
  std::cerr << "error: there is no command \"" << words[0] << "\" [command-line]\n\n";
  overview(std::cerr);
  return kBadInput;
}

}  // namespace
}  // namespace nest::cli

int main(int argc, char** argv) {
  nest::holdStandardStreams();
  const nest::cli::PrintableOutput errors(std::cerr);
  nest::cli::StandardOutput output;
  int code = nest::cli::kBadInput;
  try {
    const nest::cli::PrintableOutput printable(std::cout);
    code = nest::cli::run({argv + 1, argv + argc});
  } catch (const std::bad_alloc&) {
    std::cerr << "error: out of memory; the input asks for more than this machine has [out-of-memory]\n";
  } catch (const std::exception& e) {
    std::cerr << "error: " << e.what()
              << "; this is a defect of the program, please report it with the input [internal]\n";
  }
  const nest::Diagnostics lost = output.finish();
  nest::cli::report(lost);
  return lost.empty() ? code : nest::cli::kBadInput;
}
