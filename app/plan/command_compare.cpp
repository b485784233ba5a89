#include <algorithm>
#include <charconv>
#include <iostream>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "solver/baselines/baselines.h"
#include "solver/even_hosts.h"
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
    const bool counts = !value.empty() && ec == std::errc() && stop == value.data() + value.size() &&
                        number >= (key == "z" ? 0 : 1);
    std::optional<int>* slot = key == "t"   ? &out.tensor
                               : key == "c" ? &out.context
                               : key == "e" ? &out.expert
                               : key == "p" ? &out.stages
                               : key == "d" ? &out.data
                               : key == "b" ? &out.microbatch
                               : key == "z" ? &out.zero
                                            : nullptr;
    if (slot && *slot)
      wrong.push_back(error("command-line", {}, "--manual says " + key + " twice", "give each degree once"));
    else if (slot && counts)
      *slot = number;
    else
      wrong.push_back(error("command-line", {}, "\"" + part + "\" is not a valid degree",
                            "write --manual t=8,p=4 with t, c, e, p, d, b or z"));
  }
  return wrong;
}

std::vector<std::string> methodNames() {
  std::vector<std::string> names;
  for (const BaselineKind k : BaselineOptions{}.kinds) names.emplace_back(nameOf(k));
  return names;
}

/// All of them where none is named.
std::vector<BaselineKind> kindsNamed(const std::vector<std::string>& names) {
  std::vector<BaselineKind> out;
  for (const BaselineKind k : BaselineOptions{}.kinds)
    if (names.empty() || std::find(names.begin(), names.end(), nameOf(k)) != names.end()) out.push_back(k);
  return out;
}

int compare(const Arguments& args) {
  Diagnostics misuse;
  BaselineOptions options;
  if (const auto v = wholeNumber(args, "--seed", 0, 1LL << 53, misuse))
    options.seed = static_cast<std::uint64_t>(*v);
  if (const auto v = wholeNumber(args, "--walks", 1, 10000, misuse)) options.walks = static_cast<int>(*v);
  if (const auto v = wholeNumber(args, "--steps", 1, 10000000, misuse)) options.steps = static_cast<int>(*v);
  if (const auto v = args.value("--manual"))
    for (Diagnostic& d : readDegrees(*v, options.manual)) misuse.push_back(std::move(d));
  options.kinds = kindsNamed(args.values("--only"));
  const auto leavesOut = [&](BaselineKind kind, const char* option) {
    if (args.has(option) &&
        std::find(options.kinds.begin(), options.kinds.end(), kind) == options.kinds.end())
      misuse.push_back(error("command-line", {},
                             std::string(option) + " is of " + nameOf(kind) + ", which --only leaves out",
                             "leave one of them out"));
  };
  leavesOut(BaselineKind::Manual, "--manual");
  for (const char* option : {"--seed", "--walks", "--steps"}) leavesOut(BaselineKind::RandomWalk, option);
  const Limits limits = limitsOf(args, misuse);
  if (hasErrors(misuse)) return report(misuse), kBadInput;

  const bool json = args.has("--json");
  const auto input = readInput(args);
  if (!input) return kBadInput;
  Outcome exact;
  std::vector<BaselineResult> baselines;
  {
    Watch watch(limits);
    exact = solveOnEvenHosts(input->problem, watch.control());
    baselines = runBaselines(input->problem, watch.control(), options);
  }
  if (json)
    std::cout << layOut(report::comparisonJson(input->problem, exact, baselines)) << std::flush;
  else
    std::cout << report::comparisonText(input->problem, exact, baselines) << std::flush;
  return exitCodeOf(exact);
}

}  // namespace

Command compareCommand() {
  return {
      .name = "compare",
      .summary = "run the baselines and the exact search",
      .usage = {"SCENARIO"},
      .description =
          R"(Solves the scenario exactly and by five other methods, and judges every plan by the same evaluator:
  Manual            hand rules: tensor degree up to one host, then the fewest stages that fit, equal layers
  MCMC              a Metropolis walk over degrees, cuts and placement order; seeded, best of 10 (FlexFlow, TopoOpt)
  Network-unaware   the exact search as if every level were level 0 (Phaze)
  Memory-unaware    the exact search without the memory check; what does not fit does not run (Alpa)
  Equal split       every degree with equal layer counts (Calculon))",
      .options = withHostStates(
          withLimits({{"--json", 0, "", "print the comparison as JSON"},
                      {"--only", 0, "METHOD", "only this method", true, methodNames()},
                      {"--manual", 0, "DEGREES",
                       "degrees for Manual: t, c, e, p, d, b, z, as in t=8,p=4; what is left out "
                       "follows the hand rules"},
                      {"--seed", 0, "N", "seed of MCMC"},
                      {"--walks", 0, "N", "walks of MCMC"},
                      {"--steps", 0, "N", "steps of each walk of MCMC"}})),
      .exits = {{0, "done"},
                {1, "no plan fits"},
                {2, "bad input"},
                {3, "the exact search was stopped before a plan was found"}},
      .leastFiles = 1,
      .mostFiles = 1,
      .run = compare};
}

}  // namespace nest::cli
