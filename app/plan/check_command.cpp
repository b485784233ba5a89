#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

#include "cluster/devices/device_catalog.h"
#include "commands.h"
#include "files.h"
#include "formats/import_files.h"
#include "formats/results/outcome_json.h"
#include "formats/results/plan_json.h"
#include "formats_help.h"
#include "text/json_layout.h"
#include "units/text.h"

namespace nest::cli {
namespace {

struct Checked {
  std::string what;  ///< what the file holds, in words; empty if it is broken
  Diagnostics diagnostics;
};

Checked checkScenario(const std::string& text, const std::string& path) {
  auto input = readInputText(text, path);
  if (!input) return {"", std::move(input.diagnostics)};
  const Problem& p = input->problem;
  return {input->scenario.name + ": " + text::count(p.cluster->deviceCount()) + " devices on " +
              std::to_string(p.cluster->levelCount()) + " levels, " + text::count(p.graph->layerCount()) +
              " layers, " + std::to_string(p.profile->strategies().size()) + " strategies on offer",
          std::move(input.diagnostics)};
}

Checked checkPlan(const std::string& text, const std::string& path) {
  auto plan = readPlan(text, path);
  return {plan ? summaryOf(*plan) : std::string(), std::move(plan.diagnostics)};
}

/// Networks and models: what import would make of them, with a usual device for what they leave open.
Checked checkPart(const std::string& text, const std::string& path) {
  auto imported = importFiles({{path, text}}, *findDevice("h100-sxm"), loaderBeside(path));
  return {imported ? imported->parts[0].holds : std::string(), std::move(imported.diagnostics)};
}

Checked checkOne(FileKind kind, const std::string& text, const std::string& path) {
  switch (kind) {
    case FileKind::Scenario:
      return checkScenario(text, path);
    case FileKind::Plan:
    case FileKind::Outcome:
      return checkPlan(text, path);
    default:
      return checkPart(text, path);
  }
}

int check(const Arguments& args) {
  const bool json = args.has("--json");
  bool broken = false;
  nlohmann::ordered_json files = nlohmann::ordered_json::array();
  for (const std::string& path : args.files) {
    const auto text = readTextFile(path);
    const FileKind kind = text ? recognise(*text, path) : FileKind::Unknown;
    const Checked checked = text ? checkOne(kind, *text, path) : Checked{"", text.diagnostics};
    const bool bad = hasErrors(checked.diagnostics);
    broken = broken || bad;
    report(checked.diagnostics, false, true);
    if (!json && !bad) std::cout << path << ": " << nameOf(kind) << ": " << checked.what << '\n';
    nlohmann::ordered_json j{{"file", path}, {"kind", nameOf(kind)}, {"ok", !bad}};
    if (!bad) j["holds"] = checked.what;
    j["diagnostics"] = diagnosticsJson(checked.diagnostics);
    files.push_back(std::move(j));
  }
  if (json) std::cout << layOut({{"format", "nest-check"}, {"version", 1}, {"files", files}});
  return broken ? kBadInput : kDone;
}

int formats(const Arguments&) {
  std::cout << kFormats << '\n';
  return kDone;
}

}  // namespace

Command checkCommand() {
  return {
      .name = "check",
      .summary = "identify files and report every error in them",
      .usage = {"FILE…"},
      .description =
          R"(Says what each file is and everything that is wrong with it: file, line and column, what is expected, what to do.

nest-plan formats lists the files that are read, with an example each.)",
      .options = {{"--json", 0, "", "print what was found as JSON"}},
      .exits = {{0, "all files are good (warnings and notes aside)"}, {2, "at least one is not"}},
      .leastFiles = 1,
      .mostFiles = 10000,
      .run = check};
}

Command formatsCommand() {
  return {.name = "formats",
          .summary = "the files that are read, with an example each",
          .usage = {""},
          .description = kFormats,
          .exits = {{0, "done"}, {2, "bad input"}},
          .run = formats};
}

}  // namespace nest::cli
