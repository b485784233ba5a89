#include <algorithm>
#include <iostream>

#include "cluster/devices/device_catalog.h"
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

struct TypedLevel {
  int level = 0;
  text::BandwidthText bandwidth;
  std::optional<Seconds> latency;
};

/// "1=50GB/s,2us".
std::optional<TypedLevel> readLevel(const std::string& s, Diagnostics& out) {
  const auto equals = s.find('=');
  const auto comma = s.find(',', equals == std::string::npos ? 0 : equals);
  const bool isDigit = equals == 1 && s[0] >= '0' && s[0] <= '9';
  const auto bandwidth =
      isDigit ? text::readBandwidth(s.substr(2, comma == std::string::npos ? comma : comma - 2))
              : std::nullopt;
  const auto latency = comma == std::string::npos ? std::nullopt : text::readTime(s.substr(comma + 1));
  if (!isDigit || !bandwidth || !(bandwidth->value.value() > 0) || (comma != std::string::npos && !latency)) {
    out.push_back(
        misuse("\"" + s + "\" is not LEVEL=BANDWIDTH[,LATENCY]", "write for example --level 1=50GB/s,2us"));
    return std::nullopt;
  }
  return TypedLevel{s[0] - '0', *bandwidth, latency};
}

/// Typed figures over what the file left open.
void setLevel(const TypedLevel& typed, int joinedLevels, Scenario& scenario, Diagnostics& out) {
  auto* levels = std::get_if<LevelsSource>(&scenario.cluster.network);
  const int count = levels ? static_cast<int>(levels->levels.size()) : joinedLevels;
  if (count == 0)
    return out.push_back(
        misuse("--level sets figures of levels; this network is a graph, whose links have their own",
               "change the links"));
  const int least = levels ? 0 : 1;  // joined hosts say themselves what is inside them
  if (typed.level < least || typed.level >= count)
    return out.push_back(misuse("--level takes a level from " + std::to_string(least) + " to " +
                                std::to_string(count - 1) + " here, not " + std::to_string(typed.level)));
  if (!levels) return;  // the hosts were joined with it
  LevelSpec& level = levels->levels[static_cast<std::size_t>(typed.level)];
  level.bandwidth = typed.bandwidth.value;
  level.shownAs = typed.bandwidth.unit;
  if (typed.latency) level.latency = *typed.latency;
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
  const std::vector<OptionSpec> known = {{"--into", 0, true},        {"--device", 0, true},
                                         {"--level", 0, true, true}, {"--batch", 0, true},
                                         {"--sequence", 0, true},    {"--output", 'o', true},
                                         {"--hosts", 0, true, true}, {"--devices", 0, true},
                                         {"--network", 0, true},     {"--devices-per-host", 0, true}};
  const auto args = parseArguments(words, known, 1, 100);
  if (!args) return report(args.diagnostics), kBadInput;
  Diagnostics out;
  const auto batch = wholeNumber(*args, "--batch", 1, 1 << 24, out);
  const auto sequence = wholeNumber(*args, "--sequence", 1, 1 << 26, out);
  const auto scale = wholeNumber(*args, "--devices", 1, 1 << 24, out);
  const auto perHost = wholeNumber(*args, "--devices-per-host", 1, 4096, out);
  const DeviceSpec* device = deviceOf(*args, out);
  auto files = readAll(args->files, out);
  readHosts(args->values("--hosts"), files, out);
  if (const auto line = args->value("--network")) {
    if (recognise(*line) != FileKind::ClusterText)
      out.push_back(misuse("--network takes a cluster in one line, not \"" + *line + '"',
                           "write for example --network 'host:8@450GB/s rack:4@50GB/s'"));
    files.push_back({"--network", *line});
  }
  std::vector<TypedLevel> levels;
  for (const std::string& s : args->values("--level"))
    if (const auto level = readLevel(s, out)) levels.push_back(*level);
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
  ImportOptions options;
  if (perHost) options.devicesPerHost = static_cast<int>(*perHost);
  if (scale) options.scale = static_cast<int>(*scale);
  for (const TypedLevel& l : levels) options.levels[l.level] = {l.bandwidth.value, l.latency};
  auto imported = importFiles(files, *device, loaderBeside(args->files[0]), options);
  report(imported.diagnostics, false, true);
  if (!imported) return kBadInput;
  for (const Imported::Part& p : imported->parts)
    std::cerr << p.path << ": " << nameOf(p.kind) << (p.holds.empty() ? "" : ": " + p.holds) << '\n';
  auto scenario = assemble(*imported, base ? &*base : nullptr);
  if (!scenario) return report(scenario.diagnostics), kBadInput;
  for (const TypedLevel& l : levels) setLevel(l, imported->joinedLevels, *scenario, out);
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
