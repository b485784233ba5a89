#include <algorithm>
#include <charconv>
#include <iostream>
#include <nlohmann/json.hpp>

#include "command_line.h"
#include "commands.h"
#include "solver/baselines/baselines.h"
#include "solver/solve.h"
#include "study/counterfactual.h"
#include "study/study_report.h"
#include "text/json_layout.h"

namespace nest::cli {
namespace {

/// "t=8,p=4": degrees for the Manual baseline.
Diagnostics readDegrees(const std::string& text, ManualDegrees& out) {
  Diagnostics wrong;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    begin = end + 1;
    const std::size_t eq = part.find('=');
    const std::string key = part.substr(0, eq), value = eq == std::string::npos ? "" : part.substr(eq + 1);
    int number = 0;
    const auto [stop, ec] = std::from_chars(value.data(), value.data() + value.size(), number);
    const bool whole =
        !value.empty() && ec == std::errc() && stop == value.data() + value.size() && number >= 0;
    std::optional<int>* slot = key == "t"   ? &out.tensor
                               : key == "c" ? &out.context
                               : key == "e" ? &out.expert
                               : key == "p" ? &out.stages
                               : key == "d" ? &out.data
                               : key == "b" ? &out.microbatch
                               : key == "z" ? &out.zero
                                            : nullptr;
    if (slot && whole)
      *slot = number;
    else
      wrong.push_back(error("command-line", {}, "\"" + part + "\" is no degree",
                            "write --manual t=8,p=4 with t, c, e, p, d, b or z"));
  }
  return wrong;
}

std::vector<BaselineKind> kindsNamed(const std::vector<std::string>& names, Diagnostics& wrong) {
  const BaselineOptions all;
  if (names.empty()) return all.kinds;
  std::vector<BaselineKind> out;
  for (const std::string& name : names) {
    const auto it =
        std::find_if(all.kinds.begin(), all.kinds.end(), [&](BaselineKind k) { return name == nameOf(k); });
    if (it != all.kinds.end())
      out.push_back(*it);
    else
      wrong.push_back(error("command-line", {}, "there is no baseline \"" + name + "\"",
                            "Manual, MCMC, Network-unaware, Memory-unaware or Equal split"));
  }
  return out;
}

}  // namespace

int compareCommand(const Words& words) {
  const auto args = parseArguments(words,
                                   withLimits({{"--json"},
                                               {"--seed", 0, true},
                                               {"--walks", 0, true},
                                               {"--steps", 0, true},
                                               {"--manual", 0, true},
                                               {"--only", 0, true, true}}),
                                   1, 1);
  if (!args) return report(args.diagnostics), kBadInput;
  Diagnostics misuse;
  BaselineOptions options;
  if (const auto v = wholeNumber(*args, "--seed", 0, 1LL << 53, misuse))
    options.seed = static_cast<std::uint64_t>(*v);
  if (const auto v = wholeNumber(*args, "--walks", 1, 10000, misuse)) options.walks = static_cast<int>(*v);
  if (const auto v = wholeNumber(*args, "--steps", 1, 10000000, misuse)) options.steps = static_cast<int>(*v);
  if (const auto v = args->value("--manual"))
    for (Diagnostic& d : readDegrees(*v, options.manual)) misuse.push_back(std::move(d));
  options.kinds = kindsNamed(args->values("--only"), misuse);
  const Limits limits = limitsOf(*args, misuse);
  if (hasErrors(misuse)) return report(misuse), kBadInput;

  const bool json = args->has("--json");
  const auto input = readInput(args->files[0], json);
  if (!input) return kBadInput;
  Outcome exact;
  std::vector<BaselineResult> baselines;
  {
    Watch watch(limits);
    exact = solve(input->problem, watch.control());
    baselines = runBaselines(input->problem, watch.control(), options);
  }
  if (json)
    std::cout << layOut(report::comparisonJson(input->problem, exact, baselines)) << std::flush;
  else
    std::cout << report::comparisonText(input->problem, exact, baselines) << std::flush;
  return exitCodeOf(exact);
}

}  // namespace nest::cli
