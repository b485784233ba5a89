// What the parts of an import make together: files decide, then the program, then what was measured.
#include <algorithm>

#include "calibration/calibration.h"
#include "calibration/kernel_fit.h"
#include "calibration/link_fit.h"
#include "cluster/devices/device_facts.h"
#include "cluster/levels/scale_up.h"
#include "fields/field.h"
#include "fields/program_setting.h"
#include "formats/import_files.h"
#include "scenario/scenario_name.h"
#include "units/amount.h"
#include "units/text.h"

namespace nest {
namespace {

/// Whether a level's bandwidth is that of a data sheet, which promises more than exchanges reach.
bool hasNominalBandwidths(const ClusterSource& cluster) {
  // The levels of a graph have the least certain origin of its links.
  if (const auto* drawn = std::get_if<GraphSource>(&cluster.network))
    return std::any_of(drawn->graph.links.begin(), drawn->graph.links.end(),
                       [](const NetworkLink& l) { return l.origin == Origin::Catalog; });
  const auto derived = deriveHierarchy(cluster);
  for (int l = 0; derived && l < derived->levelCount(); ++l)
    if (derived->level(l).origin == Origin::Catalog) return true;
  return false;
}

/// A new scenario on a data sheet's bandwidths counts with what the device's links are known to sustain.
void assumeLinkEfficiency(Scenario& s, Diagnostics& out) {
  const Sourced<double>& efficiency = s.cluster.device.linkEfficiency;
  if (!hasNominalBandwidths(s.cluster) || efficiency.value == 1) return;
  s.assumptions.linkEfficiency = efficiency.value;
  out.push_back(note("link-efficiency-assumed", {"", 0, 0, "/assumptions/link_efficiency"},
                     "collectives count with " + text::percent(efficiency.value) +
                         " of the bandwidths, which are datasheet values" +
                         (efficiency.citation.empty() ? "" : " (" + efficiency.citation + ")"),
                     "`assumptions.link_efficiency = 1` if yours are measured"));
}

/// Bandwidths that were typed count in full; that of a data sheet is more than collectives achieve.
void noteTypedDatasheet(const Scenario& s, Diagnostics& out) {
  const DeviceSpec& device = s.cluster.device;
  const auto* levels = std::get_if<LevelsSource>(&s.cluster.network);
  if (!levels || s.assumptions.linkEfficiency != 1 || device.linkEfficiency.value == 1) return;
  std::string names;
  for (std::size_t l = 0; l < levels->levels.size(); ++l) {
    const LevelSpec& level = levels->levels[l];
    const Sourced<BytesPerSecond>& sheet = l == 0 ? device.linkBandwidth : device.hostLinkBandwidth;
    if (level.origin == Origin::Typed && level.bandwidth == sheet.value)
      names += (names.empty() ? "" : ", ") + level.name + " (" + text::bandwidth(level.bandwidth) + ")";
  }
  if (names.empty()) return;
  out.push_back(
      note("link-efficiency-not-assumed", {"", 0, 0, "/assumptions/link_efficiency"},
           "typed bandwidths count in full, and these are " + device.name + "'s datasheet values: " + names,
           "`assumptions.link_efficiency = " + text::number(device.linkEfficiency.value) +
               "` unless you measured them" +
               (device.linkEfficiency.citation.empty() ? "" : " (" + device.linkEfficiency.citation + ")")));
}

/// A network between hosts that is known to slow down with the ranks of a group.
void assumeCrowding(Scenario& s) {
  if (s.cluster.device.crowding) s.assumptions.crowding = s.cluster.device.crowding->value;
}

/// What runs the plan is in none of these files.
void suggestProgram(const Scenario& s, Diagnostics& out) {
  const bool isTpu = s.cluster.device.id.starts_with("tpu-");
  const Program* usual = findProgram(isTpu ? "maxtext" : "megatron-core-2025");
  out.push_back(
      note("program-ideal", {"", 0, 0, "/program"},
           "the files do not say what runs the plan: times are those of an ideal program, in which nothing "
           "overlaps",
           "name it in the field Program (--program)" +
               (usual ? "; with " + s.cluster.device.name + " it may be " + usual->id : std::string())));
}

/// As a cluster in one line has it: "900GB/s".
std::string typedRate(BytesPerSecond b) {
  return text::exact(b.value() / 1e9) + "GB/s";
}

/// NVLink joins the hosts of a rack (of Grace, 18 with four devices each). Few files of a network say so.
void warnOfRack(const Scenario& s, Diagnostics& out) {
  const DeviceSpec& device = s.cluster.device;
  const int rack = factsOf(device.id).domainSize;
  if (rack == 0) return;
  const auto cluster = deriveHierarchy(s.cluster, s.constraints.excludedDevices);
  if (!cluster || cluster->deviceCount() <= device.usualHostSize ||
      scaleUpSize(*cluster) > device.usualHostSize)
    return;
  out.push_back(warning(
      "rack-not-stated", {"", 0, 0, "/cluster/network"},
      device.name + " devices come in racks of " + text::count(rack) +
          " that NVLink joins, but this network has NVLink domains of " + text::count(scaleUpSize(*cluster)) +
          ": tensor groups stay inside them, and experts exchange tokens between them over adapters",
      "name the racks, as in --network 'host:" + text::count(device.usualHostSize) + '@' +
          typedRate(device.linkBandwidth.value) + " rack:" + text::count(rack / device.usualHostSize) + '@' +
          typedRate(device.linkBandwidth.value) + " fabric:8@" + typedRate(device.hostLinkBandwidth.value) +
          "', unless NVLink ends at the host"));
}

/// What was measured, as far as that needs no plan. Nothing of it is silent.
void layOver(const Imported::Measured& m, bool keepsProgram, Scenario& s, Diagnostics& out) {
  const auto take = [&](Diagnostics more) {
    for (Diagnostic& d : more) {
      d.where.file = m.path;
      out.push_back(std::move(d));
    }
  };
  Diagnostics told;
  if (const auto* run = std::get_if<TrainingRun>(&m.measurement.of)) {
    takeOver(run->settings, keepsProgram, s, told);
    const auto cluster = deriveHierarchy(s.cluster, s.constraints.excludedDevices);
    if (const auto& ran = run->settings.devices; ran && cluster && *ran != cluster->deviceCount())
      told.push_back(warning("run-devices", {"", 0, 0, "/cluster/network"},
                             "the cluster has " + text::count(cluster->deviceCount()) +
                                 " devices, the run had " + text::count(*ran),
                             "give the network that it ran on"));
    if (run->lines > 0)
      told.push_back(
          note("run-time", {}, "its step time is not used: it is that of one plan",
               "solve, then calibrate with nest-plan evaluate SCENARIO PLAN --measured " + m.path));
  } else if (const auto* times = std::get_if<std::vector<CollectiveTimes>>(&m.measurement.of)) {
    std::vector<std::string> lines;
    told = setLinks(s.cluster, s.constraints.excludedDevices, s.assumptions, *times, m.level, lines);
    if (!hasErrors(told))
      for (std::string& line : lines)
        told.push_back(note("link-measured", {"", 0, 0, "/cluster/network"}, std::move(line)));
  } else if (const auto* kernels = std::get_if<KernelTimes>(&m.measurement.of)) {
    std::vector<std::string> lines;
    told = setKernels(s, *kernels, lines);
    for (std::string& line : lines)
      told.push_back(note("kernels-measured", {"", 0, 0, "/cluster/device"}, std::move(line)));
  } else if (const auto* machine = std::get_if<MachineTimes>(&m.measurement.of)) {
    std::vector<std::string> lines;
    told = setMachine(s, *machine, lines);
    for (std::string& line : lines)
      told.push_back(note("machine-measured", {"", 0, 0, "/cluster"}, std::move(line)));
  } else {
    told.push_back(error(
        "trace-needs-plan", {},
        "what was measured of layers is laid over the costs of one plan, which is not known here",
        "open it in the window, which takes it once the plan is found; or nest-plan evaluate SCENARIO PLAN "
        "--measured " +
            m.path + " --calibrated NEW"));
  }
  take(std::move(told));
}

/// What the levels inside are is told before those around them are fitted.
std::vector<const Imported::Measured*> innermostFirst(const std::vector<Imported::Measured>& all) {
  std::vector<const Imported::Measured*> out;
  for (const Imported::Measured& m : all) out.push_back(&m);
  const auto width = [](const Imported::Measured* m) {
    const auto* times = std::get_if<std::vector<CollectiveTimes>>(&m->measurement.of);
    if (!times) return std::pair(-1, 0);
    const int hosts = times->front().hosts();
    return std::pair(m->level.value_or(hosts > 1), hosts);
  };
  std::stable_sort(out.begin(), out.end(), [&](const auto* a, const auto* b) { return width(a) < width(b); });
  return out;
}

/// The file that brought what stands at `pointer` of the scenario; nullptr: none did.
const NamedText* sourceOf(const std::string& pointer, const Imported& parts,
                          const std::vector<NamedText>& files, const NamedText* scenario) {
  const auto with = [&](auto holds) -> const NamedText* {
    for (std::size_t i = 0; i < parts.parts.size() && i < files.size(); ++i)
      if (const Format* f = parts.parts[i].format; f && holds(*f)) return &files[i];
    return nullptr;
  };
  const auto isProfile = [](const Format& f) { return f.is<ReadProfile>(); };
  const NamedText* source = nullptr;
  if (pointer.starts_with("/cluster"))
    source = with([](const Format& f) { return f.isNetwork(); });
  else if (pointer.starts_with("/model"))
    source = with([](const Format& f) { return f.is<ReadModel>() || f.is<ReadProfile>(); });
  if (source) return source;
  return scenario ? scenario : with(isProfile);
}

}  // namespace

Diagnostics faultsOf(const Scenario& s, const Imported& parts, const std::vector<NamedText>& files,
                     const NamedText* base) {
  const NamedText* scenario = base;
  for (std::size_t i = 0; i < parts.parts.size() && i < files.size(); ++i)
    if (readerOf<ReadScenario>(parts.parts[i].format)) scenario = &files[i];
  Diagnostics out;
  auto problem = buildProblem(s);
  for (Diagnostic& d : problem.diagnostics) {
    if (d.severity != Severity::Error) continue;
    const NamedText* source = sourceOf(d.where.pointer, parts, files, scenario);
    if (source && source == scenario) d = locatedIn(source->text, source->path, {std::move(d)}).front();
    if (source && d.where.file.empty()) d.where = {source->path, 0, 0, {}};
    out.push_back(std::move(d));
  }
  return out;
}

Reading<Scenario> assemble(const Imported& parts, const Scenario* base, const Program* program) {
  Reading<Scenario> result;
  Scenario s;
  const Scenario* from = parts.scenario ? &*parts.scenario : base;
  if (from) s = *from;
  if (parts.cluster) s.cluster = *parts.cluster;
  if (parts.model) setModel(s, *parts.model);
  if (!from && !parts.cluster)
    result.diagnostics.push_back(error("import-no-cluster", {}, "no file gives a network",
                                       "add a network file, or a line like host:8@450GB/s rack:4@50GB/s"));
  if (!from && !parts.model)
    result.diagnostics.push_back(
        error("import-no-model", {}, "no file gives a model", "add a config.json or a profile"));
  if (!result.diagnostics.empty()) return result;
  // A name that an import made stays true; one that somebody wrote stays.
  if (from && (from->name.empty() || from->name == nameByContent(*from)))
    s.name = parts.model ? nameByContent(parts.modelName, s) : nameByContent(s);
  if (!from) {
    if (parts.job) s.job = *parts.job;
    const TransformerArchitecture* a = s.model.architecture ? &*s.model.architecture : nullptr;
    s.name = nameByContent(parts.modelName, s);
    if (a && a->maxPositions > 0) s.job.sequenceLength = std::min(s.job.sequenceLength, a->maxPositions);
    assumeLinkEfficiency(s, result.diagnostics);
    noteTypedDatasheet(s, result.diagnostics);
    assumeCrowding(s);
    if (!program && !parts.tells.program) suggestProgram(s, result.diagnostics);
  }
  if (parts.cluster) warnOfRack(s, result.diagnostics);
  if (program) setProgram(s, *program);
  for (const Imported::Measured* m : innermostFirst(parts.measured))
    layOver(*m, program != nullptr, s, result.diagnostics);
  if (!hasErrors(result.diagnostics)) result.value = std::move(s);
  return result;
}

std::vector<UnstatedValue> unstatedBy(const Imported& parts, const Scenario& made, ImportBase base) {
  if (parts.scenario) return made.unstated;
  const bool keeps = base != ImportBase::None;
  std::vector<UnstatedValue> out;
  const auto add = [&](const char* field, bool isUnstated) {
    if (!isUnstated) return;
    const UnstatedValue assumed{field, false};
    const bool was = std::find(made.unstated.begin(), made.unstated.end(), assumed) != made.unstated.end();
    out.push_back({field, base == ImportBase::Open && !was});
  };
  const bool keepsCluster = !parts.cluster && keeps;
  add("/cluster/devices", keepsCluster);
  add("/cluster/device", keepsCluster || (!parts.tells.device && base != ImportBase::Open));
  add("/model", !parts.model && keeps);
  add("/program", !parts.tells.program && keeps);
  add("/job/global_batch", !parts.tells.batch);
  add("/job/sequence_length", !parts.tells.sequence);
  add("/job/training_tokens", made.job.trainingTokens && keeps);
  return out;
}

}  // namespace nest
