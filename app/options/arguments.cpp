#include "options/arguments.h"

#include <cctype>
#include <charconv>
#include <cmath>
#include <type_traits>

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

std::string joined(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& n : names) out += (out.empty() ? "" : ", ") + n;
  return out;
}

std::string listOf(const std::vector<OptionSpec>& known) {
  std::vector<std::string> names;
  for (const OptionSpec& o : known) names.push_back(o.name);
  return joined(names);
}

/// The choice that is meant, whatever its case, hyphens and blanks: "What-if" is "whatif".
std::optional<std::string> choiceCalled(const std::vector<std::string>& choices, const std::string& name) {
  const auto plain = [](const std::string& s) {
    std::string out;
    for (const char c : s)
      if (c != '-' && c != ' ') out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return out;
  };
  for (const std::string& c : choices)
    if (plain(c) == plain(name)) return c;
  return std::nullopt;
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
  const auto shown = [](T x) {
    if constexpr (std::is_integral_v<T>)
      return std::to_string(x);
    else
      return text::exact(x);
  };
  out.push_back(misuse(option + " takes " + what + " from " + shown(least) + " to " + shown(most) +
                       ", not \"" + *s + '"'));
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

Reading<Arguments> parseArguments(const std::vector<std::string>& words, const Command& command) {
  Reading<Arguments> result;
  const auto& known = command.options;
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
          misuse("unknown option " + word.substr(0, equals),
                 known.empty() ? "none is known here" : "known here are " + listOf(known)));
      continue;
    }
    auto& values = a.options[option->name];
    if (!values.empty() && !option->repeats)
      result.diagnostics.push_back(misuse(option->name + " is given twice"));
    if (!option->takesValue()) {
      if (equals != std::string::npos) result.diagnostics.push_back(misuse(option->name + " takes no value"));
      values.emplace_back();
    } else {
      const bool follows = i + 1 < words.size() && !find(known, words[i + 1]);
      values.push_back(equals != std::string::npos ? word.substr(equals + 1)
                       : follows                   ? words[++i]
                                                   : std::string());
    }
    if (option->takesValue() && values.back().empty()) {
      result.diagnostics.push_back(
          misuse(option->name + " needs a value",
                 option->choices.empty() ? "see --help" : "one of " + joined(option->choices)));
      continue;
    }
    if (option->choices.empty()) continue;
    if (const auto choice = choiceCalled(option->choices, values.back()))
      values.back() = *choice;
    else
      result.diagnostics.push_back(misuse(option->name + " does not take \"" + values.back() + '"',
                                          "expected one of " + joined(option->choices)));
  }
  if (a.files.size() < command.leastFiles) result.diagnostics.push_back(misuse("a file name is missing"));
  if (a.files.size() > command.mostFiles)
    result.diagnostics.push_back(
        misuse("too many arguments, beginning with \"" + a.files[command.mostFiles] + '"'));
  if (result.diagnostics.empty()) result.value = std::move(a);
  return result;
}

std::optional<long long> wholeNumber(const Arguments& a, const std::string& option, long long least,
                                     long long most, Diagnostics& out) {
  return bounded<long long>(a, option, least, most, "a whole number", out);
}

std::optional<double> number(const Arguments& a, const std::string& option, double least, double most,
                             Diagnostics& out) {
  return bounded<double>(a, option, least, most, "a number", out);
}

}  // namespace nest::cli
