#include <algorithm>
#include <iostream>

#include "cluster/device_catalog.h"
#include "command_line.h"
#include "commands.h"
#include "files.h"
#include "formats/import_files.h"
#include "units/text.h"

namespace nest::cli {
namespace {

Diagnostic misuse(std::string message, std::string remedy = "see nest-plan import --help") {
  return error("command-line", {"", 0, 0, ""}, std::move(message), std::move(remedy));
}

/// "1=50GB/s,2us": figures of one level, typed over what the file left open.
void setLevel(const std::string& s, Scenario& scenario, Diagnostics& out) {
  auto* levels = std::get_if<LevelsSource>(&scenario.cluster.network);
  const auto equals = s.find('=');
  const auto comma = s.find(',', equals == std::string::npos ? 0 : equals);
  const std::string number = s.substr(0, equals);
  const bool digit = equals == 1 && number[0] >= '0' && number[0] <= '9';
  if (!levels)
    return out.push_back(
        misuse("--level sets figures of levels; this network is a graph, whose links have their own",
               "change the links"));
  if (!digit || static_cast<std::size_t>(number[0] - '0') >= levels->levels.size())
    return out.push_back(misuse("--level takes LEVEL=BANDWIDTH[,LATENCY] with a level from 0 to " +
                                std::to_string(levels->levels.size() - 1) + ", not \"" + s + '"'));
  LevelSpec& level = levels->levels[static_cast<std::size_t>(number[0] - '0')];
  const auto bandwidth =
      text::readBandwidth(s.substr(equals + 1, comma == std::string::npos ? comma : comma - equals - 1));
  const auto latency =
      comma == std::string::npos ? std::optional(level.latency) : text::readTime(s.substr(comma + 1));
  if (!bandwidth || !(bandwidth->value.value() > 0) || !latency)
    return out.push_back(
        misuse("\"" + s + "\" is not LEVEL=BANDWIDTH[,LATENCY]", "write for example --level 1=50GB/s,2us"));
  level.bandwidth = bandwidth->value;
  level.shownAs = bandwidth->unit;
  level.latency = *latency;
  level.origin = Origin::Typed;
}

const DeviceSpec* deviceOf(const Arguments& args, Diagnostics& out) {
  const std::string id = args.value("--device").value_or("h100-sxm");
  const DeviceSpec* device = findDevice(id);
  if (device) return device;
  std::string all;
  for (const DeviceSpec& d : deviceCatalog()) all += (all.empty() ? "" : ", ") + d.id;
  out.push_back(misuse("there is no device \"" + id + "\" in the catalog", "it holds " + all));
  return nullptr;
}

std::vector<NamedText> readAll(const std::vector<std::string>& paths, Diagnostics& out) {
  std::vector<NamedText> files;
  for (const std::string& path : paths) {
    auto text = readTextFile(path);
    out.insert(out.end(), text.diagnostics.begin(), text.diagnostics.end());
    if (text) files.push_back({path, std::move(*text)});
  }
  return files;
}

/// "node[0-15]=a.xml": a host's topology and the hosts it stands for.
void readHosts(const std::vector<std::string>& given, std::vector<NamedText>& files, Diagnostics& out) {
  for (const std::string& s : given) {
    const auto equals = s.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == s.size()) {
      out.push_back(misuse("--hosts takes HOSTLIST=FILE, not \"" + s + '"',
                           "write for example --hosts 'node[0-15]=a.xml'"));
      continue;
    }
    const std::string hosts = s.substr(0, equals), path = s.substr(equals + 1);
    const auto known =
        std::find_if(files.begin(), files.end(), [&](const NamedText& f) { return f.path == path; });
    if (known != files.end()) {
      known->hosts += (known->hosts.empty() ? "" : ",") + hosts;
      continue;
    }
    for (NamedText& f : readAll({path}, out)) {
      f.hosts = hosts;
      files.push_back(std::move(f));
    }
  }
}

}  // namespace

int importCommand(const Words& words) {
  const std::vector<OptionSpec> known = {
      {"--into", 0, true},     {"--device", 0, true},   {"--level", 0, true, true}, {"--batch", 0, true},
      {"--sequence", 0, true}, {"--output", 'o', true}, {"--hosts", 0, true, true}, {"--devices", 0, true}};
  const auto args = parseArguments(words, known, 1, 100);
  if (!args) return report(args.diagnostics), kBadInput;
  Diagnostics out;
  const auto batch = wholeNumber(*args, "--batch", 1, 1 << 24, out);
  const auto sequence = wholeNumber(*args, "--sequence", 1, 1 << 26, out);
  const auto scale = wholeNumber(*args, "--devices", 1, 1 << 24, out);
  const DeviceSpec* device = deviceOf(*args, out);
  auto files = readAll(args->files, out);
  readHosts(args->values("--hosts"), files, out);
  if (hasErrors(out)) return report(out), kBadInput;

  std::optional<Scenario> base;
  if (const auto into = args->value("--into")) {
    const auto text = readTextFile(*into);
    auto reading = text ? readScenario(*text, *into, loaderBeside(*into))
                        : Reading<Scenario>{std::nullopt, text.diagnostics};
    report(reading.diagnostics);
    if (!reading) return kBadInput;
    base = std::move(*reading);
    if (!args->has("--device")) device = &base->cluster.device;
  }
  auto imported = importFiles(files, *device, loaderBeside(args->files[0]),
                              scale ? std::optional(static_cast<int>(*scale)) : std::nullopt);
  report(imported.diagnostics, false, true);
  if (!imported) return kBadInput;
  for (const Imported::Part& p : imported->parts)
    std::cerr << p.path << ": " << nameOf(p.kind) << (p.holds.empty() ? "" : ": " + p.holds) << '\n';
  auto scenario = assemble(*imported, base ? &*base : nullptr);
  if (!scenario) return report(scenario.diagnostics), kBadInput;
  for (const std::string& s : args->values("--level")) setLevel(s, *scenario, out);
  if (batch) scenario->job.globalBatch = static_cast<int>(*batch);
  if (sequence) scenario->job.sequenceLength = static_cast<int>(*sequence);
  scenario->model.reference.clear();  // the scenario may be written to another folder than the model's
  if (!hasErrors(out))
    for (const Diagnostic& d : writeTextFile(args->value("--output").value_or("-"), writeScenario(*scenario)))
      out.push_back(d);
  report(out);
  return hasErrors(out) ? kBadInput : kDone;
}

}  // namespace nest::cli
