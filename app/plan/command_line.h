#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "diagnostics/diagnostic.h"
#include "log/program_log.h"

namespace nest::cli {

/// One option that a command takes.
struct OptionSpec {
  std::string name;  ///< "--json"
  char letter = 0;   ///< 'o' for -o
  bool takesValue = false;
  bool repeats = false;
};

/// A command line split into options and the rest.
struct Arguments {
  std::vector<std::string> files;
  std::map<std::string, std::vector<std::string>> options;

  bool has(const std::string& name) const { return options.count(name) > 0; }
  std::optional<std::string> value(const std::string& name) const;
  std::vector<std::string> values(const std::string& name) const;
};

/// Every misuse at once: unknown options (with the nearest known one), missing values, the wrong number of
/// files.
/// "--name=value", "--name value", "-o value", "--" ends the options.
Reading<Arguments> parseArguments(const std::vector<std::string>& words, const std::vector<OptionSpec>& known,
                                  std::size_t leastFiles, std::size_t mostFiles);

/// Takes --log-level LEVEL and --log-file FILE, which every command knows, out of the words.
Reading<LogOptions> takeLogOptions(std::vector<std::string>& words);

/// A whole number or figure of an option; complains into `out`.
std::optional<long long> wholeNumber(const Arguments&, const std::string& option, long long least,
                                     long long most, Diagnostics& out);
std::optional<double> figure(const Arguments&, const std::string& option, double least, double most,
                             Diagnostics& out);

}  // namespace nest::cli
