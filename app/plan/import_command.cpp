#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>

#include "cluster/devices/device_catalog.h"
#include "cluster/levels/device_change.h"
#include "commands.h"
#include "fields/field.h"
#include "files.h"
#include "formats/import_files.h"
#include "scenario/search_menus.h"
#include "units/text.h"

namespace nest::cli {
namespace {

Diagnostic misuse(std::string message, std::string remedy = "see nest-plan import --help") {
  return error("command-line", {"", 0, 0, ""}, std::move(message), std::move(remedy));
}

bool isClusterInOneLine(const std::string& text) {
  return recognise(text) == findFormat("cluster-text");
}

/// A cluster in one line may stand where a file does.
std::vector<NamedText> readAll(const std::vector<std::string>& paths, Diagnostics& out) {
  std::vector<NamedText> files;
  for (const std::string& path : paths) {
    if (isClusterInOneLine(path) && !std::filesystem::exists(path)) {
      files.push_back({path, path});
      continue;
    }
    auto text = readTextFile(path);
    out.insert(out.end(), text.diagnostics.begin(), text.diagnostics.end());
    if (text) files.push_back({path, std::move(*text)});
  }
  return files;
}

struct TypedLevel {
  int level = 0;
  text::BandwidthText bandwidth;
  std::optional<Seconds> latency;
};

/// "1=50GB/s,2us"; "1=nccl.txt" goes to `files`.
std::optional<TypedLevel> readLevel(const std::string& s, std::vector<NamedText>& files, Diagnostics& out) {
  const auto equals = s.find('=');
  const auto comma = s.find(',', equals == std::string::npos ? 0 : equals);
  const bool isDigit = equals == 1 && s[0] >= '0' && s[0] <= '9';
  const auto bandwidth =
      isDigit ? text::readBandwidth(s.substr(2, comma == std::string::npos ? comma : comma - 2))
              : std::nullopt;
  if (isDigit && !bandwidth && std::filesystem::exists(s.substr(2))) {
    for (NamedText& f : readAll({s.substr(2)}, out)) {
      if (!readerOf<ReadMeasurement>(recognise(f.text, f.path)))
        out.push_back(misuse("--level takes the output of nccl-tests, which " + f.path + " is not"));
      f.level = s[0] - '0';
      files.push_back(std::move(f));
    }
    return std::nullopt;
  }
  const auto latency = comma == std::string::npos ? std::nullopt : text::readTime(s.substr(comma + 1));
  if (!isDigit || !bandwidth || !(bandwidth->value.value() > 0) || (comma != std::string::npos && !latency)) {
    out.push_back(
        misuse("\"" + s + "\" is not LEVEL=BANDWIDTH[,LATENCY] or LEVEL=FILE",
               "write for example --level 1=50GB/s,2us, or --level 1=nccl.txt for the output of nccl-tests"));
    return std::nullopt;
  }
  if (s.substr(2, comma == std::string::npos ? comma : comma - 2).find_first_not_of("0123456789., ") ==
      std::string::npos)
    out.push_back(note("bandwidth-unit", {},
                       "--level " + s + " names no unit; it counts with " +
                           text::bandwidth(bandwidth->value) + " per device, one way"));
  return TypedLevel{s[0] - '0', *bandwidth, latency};
}

/// Typed figures over what the file left open.
void setLevel(const TypedLevel& typed, int joinedLevels, ClusterSource& cluster, Diagnostics& out) {
  auto* levels = std::get_if<LevelsSource>(&cluster.network);
  const int count = levels ? static_cast<int>(levels->levels.size()) : joinedLevels;
  if (count == 0)
    return out.push_back(
        misuse("--level sets values of levels; this network is a graph, whose links have their own",
               "change the links"));
  const int least = levels ? 0 : 1;  // joined hosts say themselves what is inside them
  if (typed.level < least || typed.level >= count)
    return out.push_back(misuse("--level takes a level from " + std::to_string(least) + " to " +
                                std::to_string(count - 1) + " here, not " + std::to_string(typed.level)));
  if (!levels) return;  // the hosts were joined with it
  LevelSpec& level = levels->levels[typed.level];
  level.bandwidth = typed.bandwidth.value;
  level.shownAs = typed.bandwidth.unit;
  if (typed.latency) level.latency = *typed.latency;
  level.origin = Origin::Typed;
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

/// The one that is named, else that of the scenario at hand.
DeviceSpec deviceOf(const Arguments& args, const std::optional<Scenario>& base,
                    const std::vector<NamedText>& files) {
  if (const auto id = args.value("--device")) return *findDevice(*id);
  if (base) return base->cluster.device;
  for (const NamedText& f : files)
    if (const auto read = readerOf<ReadScenario>(recognise(f.text, f.path)))
      if (const auto scenario = read(f.text, f.path, loaderBeside(f.path))) return scenario->cluster.device;
  return *findDevice("h100-sxm");
}

/// The option that sets a field which no file states; empty: there is none.
std::string optionOf(const std::string& field) {
  if (field == "/cluster/device") return "--device";
  if (field == "/program") return "--program";
  if (field == "/job/global_batch") return "--batch";
  if (field == "/job/sequence_length") return "--sequence";
  return {};
}

std::vector<std::string> deviceIds() {
  std::vector<std::string> ids;
  for (const DeviceSpec& d : deviceCatalog()) ids.push_back(d.id);
  return ids;
}

int importNamed(const Arguments& args) {
  Diagnostics out;
  const auto ofField = [&](const char* option, const char* key) {
    const Field* f = findField(key);
    return wholeNumber(args, option, std::llround(f->least), std::llround(f->most), out);
  };
  const auto batch = ofField("--batch", "/job/global_batch");
  const auto sequence = ofField("--sequence", "/job/sequence_length");
  const auto scale = wholeNumber(args, "--devices", 1, 1 << 24, out);
  const auto perHost = wholeNumber(args, "--devices-per-host", 1, 4096, out);
  auto files = readAll(args.files, out);
  readHosts(args.values("--hosts"), files, out);
  if (const auto line = args.value("--network")) {
    if (!isClusterInOneLine(*line))
      out.push_back(misuse("--network takes a cluster in one line, not \"" + *line + '"',
                           "write for example --network 'host:8@450GB/s rack:4@50GB/s'"));
    files.push_back({"--network", *line});
  }
  std::vector<TypedLevel> levels;
  for (const std::string& s : args.values("--level")) {
    const auto level = readLevel(s, files, out);
    if (!level) continue;
    if (std::any_of(levels.begin(), levels.end(),
                    [&](const TypedLevel& l) { return l.level == level->level; }))
      out.push_back(misuse("--level gives level " + std::to_string(level->level) + " twice"));
    levels.push_back(*level);
  }
  if (hasErrors(out)) return report(out), kBadInput;

  std::optional<Scenario> base;
  NamedText baseText;
  if (const auto into = args.value("--into")) {
    const auto text = readTextFile(*into);
    if (text) baseText = {*into, *text};
    auto reading = text ? readScenario(*text, *into, loaderBeside(*into))
                        : Reading<Scenario>{std::nullopt, text.diagnostics};
    report(reading.diagnostics);
    if (!reading) return kBadInput;
    base = std::move(*reading);
  }
  const bool changes = args.has("--device") || batch || sequence || args.has("--program") || !levels.empty();
  if (files.empty() && (!base || !changes || perHost)) {
    out.push_back(
        misuse("a file name is missing, and nothing else changes",
               "give a network, a model or a log, or with --into SCENARIO one of --device, --batch, "
               "--sequence, --program, --level"));
    return report(out), kBadInput;
  }
  if (scale && std::none_of(files.begin(), files.end(), [](const NamedText& f) {
        return recognise(f.text, f.path) == findFormat("nest-artifact");
      }))
    return report({misuse("--devices chooses a size of a NEST artifact's input, and none is given")}),
           kBadInput;
  const auto device = deviceOf(args, base, files);
  ImportOptions options;
  if (perHost) options.devicesPerHost = static_cast<int>(*perHost);
  if (scale) options.scale = static_cast<int>(*scale);
  options.choosesDevice = !args.has("--device");
  for (const TypedLevel& l : levels) options.levels[l.level] = {l.bandwidth.value, l.latency};
  auto imported = importFiles(files, device, loaderBeside(args.files.empty() ? "." : args.files[0]), options);
  report(imported.diagnostics, Notes::Shown);
  if (!imported) return kBadInput;
  for (const Imported::Part& p : imported->parts)
    std::cerr << p.path << ": " << p.format->name << (p.holds.empty() ? "" : ": " + p.holds) << '\n';
  // What is typed of the cluster comes before what measurements fit to it.
  const Scenario* from = imported->scenario ? &*imported->scenario : base ? &*base : nullptr;
  if (from && !imported->cluster) {
    imported->cluster = from->cluster;
    if (args.has("--device"))
      for (const KeptLink& kept : changeDevice(*imported->cluster, device))
        if (std::none_of(levels.begin(), levels.end(), [](const TypedLevel& l) { return l.level == 0; }))
          report({noteOn(kept, device)}, Notes::Shown);
  }
  for (const TypedLevel& l : levels)
    if (imported->cluster) setLevel(l, imported->joinedLevels, *imported->cluster, out);
  if (hasErrors(out)) return report(out), kBadInput;
  auto scenario = assemble(*imported, base ? &*base : nullptr, programOption(args));
  report(scenario.diagnostics, Notes::Shown);
  if (!scenario) return kBadInput;
  if (batch) scenario->job.globalBatch = static_cast<int>(*batch);
  if (sequence) scenario->job.sequenceLength = static_cast<int>(*sequence);
  scenario->unstated = unstatedBy(*imported, *scenario, base ? ImportBase::Open : ImportBase::None);
  // Whoever names a scenario with --into knows that its other values stay.
  std::erase_if(scenario->unstated,
                [&](const UnstatedValue& v) { return v.kept || args.has(optionOf(v.field)); });
  if (!base)
    if (const auto told = noteUnstated(*scenario, false, optionOf)) report({*told}, Notes::Shown);
  if (!base && imported->leavesSearchOpen()) report(proposeSearch(*scenario), Notes::Shown);
  for (Diagnostic& d : faultsOf(*scenario, *imported, files, base ? &baseText : nullptr))
    out.push_back(std::move(d));
  if (hasErrors(out)) return report(out, Notes::Shown), kBadInput;
  scenario->model.reference.clear();  // the scenario may be written to another folder than the model's
  std::string replaces = args.value("--into").value_or("");
  for (const Imported::Part& p : imported->parts)
    if (replaces.empty() && readerOf<ReadScenario>(p.format)) replaces = p.path;
  if (!hasErrors(out))
    for (const Diagnostic& d :
         writeTextFile(args.value("--output").value_or("-"), writeScenario(*scenario), replaces))
      out.push_back(d);
  report(out, Notes::Shown);
  return hasErrors(out) ? kBadInput : kDone;
}

}  // namespace

Command importCommand() {
  return {
      .name = "import",
      .summary = "make a scenario from network and model files, logs and benchmarks",
      .usage = {"FILE…", "--into SCENARIO --device ID"},
      .description =
          R"(Makes a scenario from the files given: a network and a model, or either put into a scenario that exists. A host's own
topology (nvidia-smi, NCCL, hwloc, amd-smi) and a tree of hosts (Slurm, a cloud, Kubernetes, an inventory) together
become the whole cluster; a list of hosts (slurm.conf, gres.conf, sinfo, a host file) with a tree or an InfiniBand
fabric says how many devices each host has. What files leave open is filled from the device and reported; --level sets a
level's bandwidth and latency (0 = inside the host). With joined hosts, a level 1 of 150 GB/s or more is an NVLink
domain across hosts.

Hosts of several kinds: give each kind's file and say which hosts it describes, by --hosts or by its name
(node[0-15].xml, gpu07.txt); one file without such a name describes all hosts that are left:
  nest-plan import topology.conf --hosts 'node[0-15]=a100.xml' --hosts 'node[16-31]=h100.xml' config.json
NCCL files name the devices' generation: slower ones get their share of the device's speed and their own memory, as a
note says. With joined hosts --level sets the switches' values (1 = leaf). Labels, Gres, instance types and models that
a file names decide the device where --device is absent; of several kinds the fastest does, and hosts of the others get
their share of its speed and their own memory.

A log of Megatron-LM, torchtitan, NeMo, nanotron or MaxText, or torchtitan's configuration, gives the program and, as
far as it prints them, the degrees (as constraints), batch and sequence length. Output of nccl-tests gives bandwidth
and latency of the level that its ranks and hosts span, with origin measured; a table of AIConfigurator sets the rates
of the device, Galvatron's bandwidths set levels. Where the level may be one of several, say which:
  nest-plan import config.json --network 'host:8@450GB/s rack:4@50GB/s' run.log --level 1=all_reduce.txt)",
      .options =
          {{"--into", 0, "SCENARIO",
            "keep its job, search and all that the files do not bring; without a file, change what --device, "
            "--batch, --sequence or --program say"},
           {"--device", 0, "ID",
            "the accelerator, by its catalog id (default: what the files name, else that of the scenario, "
            "else "
            "h100-sxm)",
            false, deviceIds()},
           {"--level", 0, "L=BW[,LAT]",
            "for example --level 1=50GB/s,2us, or --level 1=FILE of nccl-tests output", true},
           {"--network", 0, "LINE",
            "a cluster in one line, for example --network 'host:8@450GB/s rack:4@50GB/s,2us'"},
           {"--hosts", 0, "LIST=FILE", "FILE is the topology of the hosts in the Slurm host list LIST", true},
           {"--devices-per-host", 0, "N",
            "of a Slurm topology, which does not say (default: usual for the device, with a warning)"},
           {"--devices", 0, "N",
            "which of the cluster sizes in a NEST artifact's input (default: the smallest)"},
           programSpec("what runs the plan (default: ideal, in which nothing overlaps, or that of --into)"),
           {"--batch", 0, "N", "global batch"},
           {"--sequence", 0, "N", "sequence length"},
           {"--output", 'o', "FILE", "where the scenario goes (default: standard output)"}},
      .notes = "nest-plan formats lists the files that are read, with an example each.",
      .exits = {{0, "done"}, {2, "bad input"}},
      .leastFiles = 0,
      .mostFiles = 100,
      .run = importNamed};
}

}  // namespace nest::cli
