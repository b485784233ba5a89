#include "options/log_options.h"

#include <algorithm>

namespace nest::cli {
namespace {

Diagnostic logMisuse(std::string message) {
  return error("command-line", {"", 0, 0, ""}, std::move(message), "see --help");
}

}  // namespace

std::vector<OptionSpec> logOptionSpecs(const std::string& usualLevel, const std::string& usualFile) {
  std::vector<std::string> levels;
  const std::string all = kLogLevels;
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = std::min(all.find(", ", at), all.size());
    levels.push_back(all.substr(at, end - at));
    at = end + 2;
  }
  return {{"--log-level", 0, "LEVEL", "the least to log: " + all + " (default: " + usualLevel + ")", false,
           levels},
          {"--log-file", 0, "FILE",
           "append the log to FILE, from info on, instead of writing it to " + usualFile}};
}

Reading<LogOptions> takeLogOptions(std::vector<std::string>& words) {
  LogOptions found;
  Diagnostics trouble;
  const auto end = std::find(words.begin(), words.end(), "--");
  std::vector<std::string> rest;
  for (auto word = words.begin(); word != words.end(); ++word) {
    const std::string name = word->substr(0, word->find('='));
    const bool isLevel = name == "--log-level";
    if (word >= end || (!isLevel && name != "--log-file")) {
      rest.push_back(*word);
      continue;
    }
    std::optional<std::string> value;
    if (name != *word)
      value = word->substr(name.size() + 1);
    else if (word + 1 < end)
      value = *++word;
    if (isLevel && !(value && isLogLevel(*value)))
      trouble.push_back(logMisuse(std::string("--log-level takes one of ") + kLogLevels));
    else if (!value || value->empty())
      trouble.push_back(logMisuse("--log-file needs a file to append to"));
    else if ((isLevel ? found.level : found.file).has_value())
      trouble.push_back(logMisuse(name + " is given twice"));
    else
      (isLevel ? found.level : found.file) = value;
  }
  if (found.level == "off" && found.file) trouble.push_back(logMisuse(kNoLogToWrite));
  words = std::move(rest);
  return {hasErrors(trouble) ? std::nullopt : std::optional(found), trouble};
}

}  // namespace nest::cli
