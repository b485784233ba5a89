#include "command_line.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "units/text.h"

namespace nest::cli {
namespace {

Diagnostic misuse(std::string message, std::string remedy = "see --help") {
  return error("command-line", {"", 0, 0, ""}, std::move(message), std::move(remedy));
}

const OptionSpec* find(const std::vector<OptionSpec>& known, const std::string& word) {
  for (const OptionSpec& o : known)
    if (word == o.name || (o.letter != 0 && word == std::string("-") + o.letter)) return &o;
  return nullptr;
}

std::string listOf(const std::vector<OptionSpec>& known) {
  std::string out;
  for (const OptionSpec& o : known) out += (out.empty() ? "" : ", ") + o.name;
  return out;
}

template <class T>
std::optional<T> parsed(const std::string& s) {
  T v{};
  const auto [end, ec] = std::from_chars(s.data(), s.data() + s.size(), v);
  if (ec != std::errc() || end != s.data() + s.size()) return std::nullopt;
  return v;
}

template <class T>
std::optional<T> bounded(const Arguments& a, const std::string& option, T least, T most, const char* what,
                         Diagnostics& out) {
  const auto s = a.value(option);
  if (!s) return std::nullopt;
  const auto v = parsed<T>(*s);
  if (v && *v >= least && *v <= most) return v;
  out.push_back(misuse(option + " takes " + what + " from " + text::exact(double(least)) + " to " +
                       text::exact(double(most)) + ", not \"" + *s + '"'));
  return std::nullopt;
}

}  // namespace

std::optional<std::string> Arguments::value(const std::string& name) const {
  const auto it = options.find(name);
  return it == options.end() || it->second.empty() ? std::nullopt : std::optional(it->second.back());
}

std::vector<std::string> Arguments::values(const std::string& name) const {
  const auto it = options.find(name);
  return it == options.end() ? std::vector<std::string>() : it->second;
}

Reading<Arguments> parseArguments(const std::vector<std::string>& words, const std::vector<OptionSpec>& known,
                                  std::size_t leastFiles, std::size_t mostFiles) {
  Reading<Arguments> result;
  Arguments a;
  bool optionsEnded = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (optionsEnded || word.size() < 2 || word.front() != '-') {
      a.files.push_back(word);
      continue;
    }
    if (word == "--") {
      optionsEnded = true;
      continue;
    }
    const std::size_t equals = word.starts_with("--") ? word.find('=') : std::string::npos;
    const OptionSpec* option = find(known, word.substr(0, equals));
    if (!option) {
      result.diagnostics.push_back(
          misuse("unknown option " + word.substr(0, equals), "known here are " + listOf(known)));
      continue;
    }
    auto& values = a.options[option->name];
    if (!values.empty() && !option->repeats)
      result.diagnostics.push_back(misuse(option->name + " is given twice"));
    if (!option->takesValue) {
      if (equals != std::string::npos) result.diagnostics.push_back(misuse(option->name + " takes no value"));
      values.emplace_back();
    } else if (equals != std::string::npos) {
      values.push_back(word.substr(equals + 1));
    } else if (i + 1 < words.size()) {
      values.push_back(words[++i]);
    } else {
      result.diagnostics.push_back(misuse(option->name + " needs a value"));
    }
  }
  if (a.files.size() < leastFiles) result.diagnostics.push_back(misuse("a file name is missing"));
  if (a.files.size() > mostFiles)
    result.diagnostics.push_back(misuse("too many file names, beginning with \"" + a.files[mostFiles] + '"'));
  if (result.diagnostics.empty()) result.value = std::move(a);
  return result;
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
      trouble.push_back(misuse(std::string("--log-level takes one of ") + kLogLevels));
    else if (!value || value->empty())
      trouble.push_back(misuse("--log-file needs a file to append to"));
    else
      (isLevel ? found.level : found.file) = value;
  }
  words = std::move(rest);
  return {hasErrors(trouble) ? std::nullopt : std::optional(found), trouble};
}

std::optional<long long> wholeNumber(const Arguments& a, const std::string& option, long long least,
                                     long long most, Diagnostics& out) {
  return bounded<long long>(a, option, least, most, "a whole number", out);
}

std::optional<double> figure(const Arguments& a, const std::string& option, double least, double most,
                             Diagnostics& out) {
  return bounded<double>(a, option, least, most, "a number", out);
}

}  // namespace nest::cli
