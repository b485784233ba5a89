#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "diagnostics/diagnostic.h"
#include "options/command.h"

namespace nest::cli {

/// A command line split into options and the rest.
struct Arguments {
  std::vector<std::string> files;
  std::map<std::string, std::vector<std::string>> options;

  bool has(const std::string& name) const { return options.count(name) > 0; }
  std::optional<std::string> value(const std::string& name) const;
  std::vector<std::string> values(const std::string& name) const;
};

/// Every misuse at once: unknown options (with all that are known), missing values, values that are no
/// choice of their option (case and hyphens do not count), the wrong number of files. "--name=value", "--name
/// value", "-o value"; "--" ends the options.
Reading<Arguments> parseArguments(const std::vector<std::string>& words, const Command&);

/// A whole number, or any number, of an option; complains into `out`.
std::optional<long long> wholeNumber(const Arguments&, const std::string& option, long long least,
                                     long long most, Diagnostics& out);
std::optional<double> number(const Arguments&, const std::string& option, double least, double most,
                             Diagnostics& out);

}  // namespace nest::cli
