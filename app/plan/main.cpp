#include <algorithm>
#include <exception>
#include <iostream>

#include "commands.h"
#include "options/log_options.h"
#include "options/own_catalogs.h"
#include "options/shell_files.h"
#include "platform/descriptor.h"
#include "platform/process.h"
#include "printable_output.h"
#include "standard_output.h"

namespace nest::cli {
namespace {

using Words = std::vector<std::string>;

Program program() {
  return {
      .whole =
          {.name = "nest-plan",
           .summary = "where to place the training of a large model on a datacenter",
           .usage = {"COMMAND [OPTION]… [FILE]…"},
           .description = "nest-plan COMMAND --help lists the options and file formats of a command.",
           .options = {{"--help", 'h', "", "show this help"},
                       {"--version", 0, "", "show the version"},
                       {"--write-manual", 0, "FOLDER",
                        "write the manual pages and the completion of bash, zsh and fish below this folder"}},
           .exits = {{0, "done"},
                     {1, "no plan fits (says why and what would make it fit)"},
                     {2, "bad input or unwritable output (says where and why)"},
                     {3, "stopped by a deadline, a limit or Ctrl+C before it knew"}},
           .mostFiles = 1},
      .version = NEST_VERSION,
      .commands = {solveCommand(), evaluateCommand(), compareCommand(), whyCommand(), improveCommand(),
                   failuresCommand(), matrixCommand(), inverseCommand(), studyCommand(), checkCommand(),
                   importCommand(), formatsCommand(), exportCommand(), fieldsCommand(), sweepCommand(),
                   reportCommand(), lessonsCommand(), gradeCommand()},
      .everywhere = logOptionSpecs("warning", "standard error")};
}

const Command* find(const std::vector<Command>& commands, const std::string& name) {
  for (const Command& c : commands)
    if (name == c.name) return &c;
  return nullptr;
}

int misused(const std::string& message, const std::string& remedy) {
  report({error("command-line", {}, message, remedy)});
  return kBadInput;
}

/// Also of words that cannot be read: their errors are JSON, too.
bool asksForJson(const Words& words) {
  return std::find(words.begin(), std::find(words.begin(), words.end(), "--"), "--json") != words.end();
}

/// Runs the command on the words behind its name; `path` is how it is called.
int run(const std::string& path, const Command& command, const Words& words) {
  const Command* part = words.empty() ? nullptr : find(command.parts, words[0]);
  if (part) return run(path + ' ' + part->name, *part, {words.begin() + 1, words.end()});
  for (const std::string& w : words) {
    if (w == "--") break;
    if (w == "--help" || w == "-h") return std::cout << helpText(path, command), kDone;
  }
  if (!command.parts.empty()) {
    std::string known;
    for (const Command& c : command.parts) known += (known.empty() ? "" : ", ") + c.name;
    return misused(words.empty() ? "no " + command.name + " is named"
                                 : "there is no " + command.name + " \"" + words[0] + '"',
                   "one of " + known);
  }
  const auto args = parseArguments(words, command);
  if (!args) return report(args.diagnostics), kBadInput;
  return command.run(*args);
}

int run(Words words) {
  auto log = takeLogOptions(words);
  if (log) {
    log->program = "nest-plan";
    log.diagnostics = startLog(*log);
  }
  if (hasErrors(log.diagnostics)) return report(log.diagnostics), kBadInput;
  const Diagnostics catalogs = loadOwnCatalogs();
  report(catalogs);
  if (hasErrors(catalogs)) return kBadInput;
  const Program program = cli::program();
  if (words.empty()) {
    std::cerr << helpText(program);
    return kBadInput;
  }
  if (const Command* c = find(program.commands, words[0]))
    return run(program.whole.name + ' ' + c->name, *c, {words.begin() + 1, words.end()});
  if (words[0] == "help") {
    const Command* c = words.size() > 1 ? find(program.commands, words[1]) : nullptr;
    std::cout << (c ? helpText(program.whole.name + ' ' + c->name, *c) : helpText(program));
    return kDone;
  }
  if (words[0].starts_with('-')) {
    const auto args = parseArguments(words, program.whole);
    if (!args) return report(args.diagnostics), kBadInput;
    if (!args->files.empty())
      return misused('"' + args->files[0] + "\" is not read behind " + args->options.begin()->first,
                     "name a command first, or leave it out");
    if (args->options.size() > 1)
      return misused(args->options.begin()->first + " and " + std::next(args->options.begin())->first +
                         " are two things to do",
                     "leave one of them out");
    if (args->has("--version")) return std::cout << "nest-plan " NEST_VERSION "\n", kDone;
    if (const auto folder = args->value("--write-manual")) {
      const Diagnostics failed = writeShellFiles(program, *folder);
      return report(failed), failed.empty() ? kDone : kBadInput;
    }
    return std::cout << helpText(program), kDone;
  }
  report({error("command-line", {}, "there is no command \"" + words[0] + '"')});
  std::cerr << '\n' << helpText(program);
  return kBadInput;
}

/// Runs the command line and returns the exit code, whatever happens in it.
int answer(const Words& words, const StandardOutput& output) {
  const PrintableOutput printable(std::cout);
  int code = kBadInput;
  try {
    code = run(words);
  } catch (const std::bad_alloc&) {
    report({error("out-of-memory", {}, "out of memory", "the input asks for more than this machine has")});
  } catch (const std::exception& e) {
    report(
        {error("internal", {}, e.what(), "this is a bug in the program; please report it with the input")});
  }
  std::cout << std::flush;
  if (asksForJson(words) && !output.hasWritten()) printReported();
  return code;
}

}  // namespace
}  // namespace nest::cli

int main(int argc, char** argv) {
  nest::holdStandardStreams();
  nest::surviveFullFiles();
  const nest::cli::PrintableOutput errors(std::cerr);
  nest::cli::StandardOutput output;
  const int code = nest::cli::answer({argv + 1, argv + argc}, output);
  const nest::Diagnostics lost = output.finish();
  nest::cli::report(lost);
  return lost.empty() ? code : nest::cli::kBadInput;
}
