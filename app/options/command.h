#pragma once

#include <string>
#include <vector>

namespace nest::cli {

struct Arguments;

/// One option that a command takes. This is what the parser, --help, the manual pages and the shells'
/// completion are made from.
struct OptionSpec {
  std::string name;        ///< "--output"
  char letter = 0;         ///< 'o' for -o
  std::string value = {};  ///< what help calls its value, "FILE"; empty: it takes none
  std::string help = {};   ///< what it does; no line breaks, no full stop
  bool repeats = false;
  std::vector<std::string> choices = {};  ///< all that the value may be; empty: anything of that name

  bool takesValue() const { return !value.empty(); }
};

/// One way to end.
struct ExitMeaning {
  int code;
  std::string meaning;  ///< "no plan fits"
};

/// A command of a program, or a program without commands: all that is said of it, and what runs it.
struct Command {
  std::string name;     ///< "solve"
  std::string summary;  ///< one line, lower case, no full stop
  /// Operands and the options without which they mean nothing, a line for each form: "SCENARIO [PLAN] --as
  /// FORMAT". The other options are added by themselves.
  std::vector<std::string> usage = {};
  /// Paragraphs, parted by empty lines; lines that begin with a blank stay as they are.
  std::string description = {};
  std::vector<OptionSpec> options = {};
  std::string notes = {};  ///< stands behind the options, as the description before them
  std::vector<ExitMeaning> exits = {};
  std::size_t leastFiles = 0, mostFiles = 0;
  int (*run)(const Arguments&) = nullptr;
  std::vector<Command> parts = {};  ///< commands of its own, which then do all the work: "study scaling"
};

/// A program: `whole` has its name, description and own options; with commands, those do the work.
struct Program {
  Command whole;
  std::string version;
  std::vector<Command> commands = {};
  std::vector<OptionSpec> everywhere = {};  ///< options that each of its commands takes as well
};

/// What --help prints for a program or one of its commands; `path` is how it is called: "nest-plan solve".
std::string helpText(const std::string& path, const Command&);
std::string helpText(const Program&);

/// The text in lines of at most 120 columns (UTF-8 characters): the first begins at column `first`, all
/// others behind `indent` blanks.
std::string wrapped(const std::string& text, std::size_t first, std::size_t indent);

}  // namespace nest::cli
