#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

#include "cluster/devices/device_catalog.h"
#include "commands.h"
#include "files.h"
#include "format_help.h"
#include "formats/import_files.h"
#include "formats/results/outcome_json.h"
#include "solver/even_hosts.h"
#include "text/json_layout.h"
#include "text/printable.h"
#include "units/text.h"

namespace nest::cli {
namespace {

struct Checked {
  std::string what;  ///< what the file holds, in words; empty if it is broken
  Diagnostics diagnostics;
};

/// Says that solve has more to choose from than the order of all devices.
void addEvenHosts(const Hierarchy& cluster, const std::string& path, Diagnostics& out) {
  if (auto uneven = evenHostsNote(cluster)) {
    uneven->where.file = path;
    out.push_back(std::move(*uneven));
  }
}

Checked checkScenario(const std::string& text, const std::string& path) {
  auto input = readInputText(text, path);
  if (!input) return {"", std::move(input.diagnostics)};
  const Problem& p = input->problem;
  addEvenHosts(*p.cluster, path, input.diagnostics);
  const auto many = [](long long n, const char* one, const char* more) {
    return text::count(n) + (n == 1 ? one : more);
  };
  return {printable(input->scenario.name, false) + ": " +
              many(p.cluster->deviceCount(), " device on ", " devices on ") +
              many(p.cluster->levelCount(), " level, ", " levels, ") +
              many(p.graph->layerCount(), " layer, ", " layers, ") +
              many(static_cast<long long>(p.profile->strategies().size()), " strategy to search",
                   " strategies to search"),
          std::move(input.diagnostics)};
}

/// Networks and models: what import would make of them, with a usual device for what they leave open.
Checked checkPart(const std::string& text, const std::string& path) {
  ImportOptions options;
  options.choosesDevice = true;
  auto imported = importFiles({{path, text}}, *findDevice("h100-sxm"), loaderBeside(path), options);
  if (imported && imported->cluster)
    if (const auto cluster = deriveHierarchy(*imported->cluster))
      addEvenHosts(*cluster, path, imported.diagnostics);
  return {imported ? imported->parts[0].holds : std::string(), std::move(imported.diagnostics)};
}

Checked checkOne(const Format* format, const std::string& text, const std::string& path) {
  if (readerOf<ReadScenario>(format)) return checkScenario(text, path);
  const auto readPlan = readerOf<ReadPlan>(format);
  if (!readPlan) return checkPart(text, path);
  auto plan = readPlan(text, path);
  return {plan ? summaryOf(*plan) : std::string(), std::move(plan.diagnostics)};
}

int check(const Arguments& args) {
  const bool json = args.has("--json");
  bool broken = false;
  nlohmann::ordered_json files = nlohmann::ordered_json::array();
  for (const std::string& path : args.files) {
    const auto text = readTextFile(path);
    const Format* format = text ? recognise(*text, path) : nullptr;
    const std::string_view kind = format ? format->name : "unknown file";
    const Checked checked = text ? checkOne(format, *text, path) : Checked{"", text.diagnostics};
    const bool bad = hasErrors(checked.diagnostics);
    broken = broken || bad;
    report(checked.diagnostics, Notes::Shown);
    if (!json && !bad) std::cout << path << ": " << kind << ": " << checked.what << '\n';
    nlohmann::ordered_json j{{"file", path}, {"kind", kind}, {"ok", !bad}};
    if (!bad) j["holds"] = checked.what;
    j["diagnostics"] = diagnosticsJson(checked.diagnostics);
    files.push_back(std::move(j));
  }
  if (json) std::cout << layOut({{"format", "nest-check"}, {"version", 1}, {"files", files}});
  return broken ? kBadInput : kDone;
}

int printFormats(const Arguments&) {
  std::cout << formatsText() << '\n';
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
          .summary = "list the supported file formats, with an example each",
          .usage = {""},
          .description = formatsText(),
          .exits = {{0, "done"}, {2, "bad input"}},
          .run = printFormats};
}

}  // namespace nest::cli
