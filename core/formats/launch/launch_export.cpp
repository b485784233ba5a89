#include "formats/launch/launch_export.h"

#include <algorithm>
#include <functional>

#include "formats/launch/launch_hosts.h"
#include "formats/launch/launch_parts.h"
#include "formats/launch/launch_recipes.h"
#include "units/text.h"

namespace nest {
namespace {

/// What only a wrapper around each rank can say.
Diagnostic deviceListWarning(const RankMap& map) {
  const HostRanks& host = *map.firstWithListedDevices();
  return warning(
      "visible-devices", {},
      "the ranks of host " + host.name + " run on its devices " + joinedNumbers(host.devices) +
          ", but launchers take devices by local rank, from 0",
      "start every rank through the script of the export visible-devices, which sets " + map.deviceVariable);
}

/// A file made of where the ranks run; `listsDevices`: it names the devices of each rank, too.
Reading<std::string> placementFile(const ReportSource& source, const Plan& plan, bool listsDevices,
                                   const std::function<Reading<std::string>(const RankMap&)>& write) {
  auto map = mapRanks(source, plan);
  Diagnostics out = std::move(map.diagnostics);
  if (!map) return {std::nullopt, std::move(out)};
  const Diagnostics invented = inventedHosts(source, *map);
  out.insert(out.end(), invented.begin(), invented.end());
  if (!listsDevices && map->needsDeviceLists()) out.push_back(deviceListWarning(*map));
  auto file = write(*map);
  out.insert(out.end(), file.diagnostics.begin(), file.diagnostics.end());
  return {std::move(file.value), std::move(out)};
}

}  // namespace

const LaunchTarget& hostFileTarget() {
  static constexpr LaunchTarget target = {
      .id = "hostfile",
      .label = "Host file",
      .about = "hosts and slots in rank order, for Open MPI and DeepSpeed",
      .help = "hosts and slots in rank order (Open MPI, DeepSpeed)",
      .file = "hostfile",
      .write = [](const ReportSource& source, const Plan& plan, int) {
        return placementFile(source, plan, false, [](const RankMap& map) { return hostFile(map); });
      }};
  return target;
}

const LaunchTarget& slurmHostFileTarget() {
  static constexpr LaunchTarget target = {
      .id = "slurm-hostfile",
      .label = "Slurm host file",
      .about = "one host per rank, for SLURM_HOSTFILE and srun -m arbitrary",
      .help = "one host per rank, for SLURM_HOSTFILE and srun -m arbitrary: places every rank exactly",
      .file = "slurm-hostfile",
      .write = [](const ReportSource& source, const Plan& plan, int) {
        return placementFile(source, plan, false, [](const RankMap& map) {
          return Reading<std::string>{slurmHostFile(map), {}};
        });
      }};
  return target;
}

const LaunchTarget& rankFileTarget() {
  static constexpr LaunchTarget target = {
      .id = "rankfile",
      .label = "Rank file",
      .about = "host and CPU core of each rank, for Open MPI",
      .help =
          "host and slot of each rank, for mpirun --rankfile FILE (Open MPI 4) or --map-by "
          "rankfile:file=FILE\n"
          "(Open MPI 5); slots are CPU cores, shared out with --cores-per-host N; local ranks choose devices",
      .file = "rankfile",
      .write =
          [](const ReportSource& source, const Plan& plan, int coresPerHost) {
            return placementFile(source, plan, false, [coresPerHost](const RankMap& map) {
              Reading<std::string> file{rankFile(map, coresPerHost), {}};
              if (coresPerHost == 0)
                file.diagnostics.push_back(warning("rankfile-slot", {},
                                                   "slot=N binds each rank to the one CPU core N of its "
                                                   "host, where its data loaders run, too; "
                                                   "it chooses no device",
                                                   "give --cores-per-host N, which shares the cores out"));
              return file;
            });
          },
      .takesCores = true};
  return target;
}

const LaunchTarget& visibleDevicesTarget() {
  static constexpr LaunchTarget target = {
      .id = "visible-devices",
      .label = "Visible devices",
      .about = "shell script that runs each rank on the plan's devices of its host",
      .help =
          "a shell script to start ranks through: it restricts each host to the plan's devices, as is\n"
          "needed where a device has failed or is excluded",
      .file = "visible-devices.sh",
      .write = [](const ReportSource& source, const Plan& plan, int) {
        return placementFile(source, plan, true, [](const RankMap& map) {
          return Reading<std::string>{visibleDevicesScript(map), {}};
        });
      }};
  return target;
}

const LaunchTarget& chromeTraceTarget() {
  static constexpr LaunchTarget target = {
      .id = "chrome-trace",
      .label = {},
      .about = "the simulated schedule, for Perfetto and chrome://tracing",
      .help = "the simulated schedule, for Perfetto and chrome://tracing",
      .file = "chrome-trace",
      .write = [](const ReportSource& source, const Plan& plan, int) {
        const Evaluation e = evaluate(*source.problem, plan);
        return Reading<std::string>{writeChromeTrace(source, plan, simulate(*source.problem, plan, e)), {}};
      }};
  return target;
}

std::vector<DeviceIndex> devicesByRank(const Plan& plan) {
  const Placement placement(plan);
  std::vector<DeviceIndex> devices;
  for (int stage = 0; stage < plan.stageCount(); ++stage)
    for (int r = 0; r < placement.replicas(); ++r)
      for (int q = 0; q < placement.ranks(stage); ++q) devices.push_back(placement.device(stage, r, q));
  return devices;
}

Reading<std::string> writeLaunch(const LaunchTarget& target, const ReportSource& source, const Plan& plan,
                                 int coresPerHost) {
  if (!target.program) return target.write(source, plan, coresPerHost);
  LaunchPlan launch(source, plan, target);
  return target.program->write(launch);
}

LaunchPlan::LaunchPlan(const ReportSource& s, const Plan& p, const LaunchTarget& t)
    : source(s), plan(p), target(t), m_job(s.problem->job) {
  m_job.globalBatch = source.problem->batchOf(plan.globalBatch);
  worldSize = plan.devicesUsed();
  microbatchCount = source.problem->microbatchCount(plan.microbatch, plan.dataDegree(), plan.globalBatch);
  if (plan.stages.empty()) {
    refuse("no-stages", "the plan has no stages");
    return;
  }
  strategy = plan.stages.front().strategy;
  recompute = plan.stages.front().recompute;
  const auto allStages = [&](auto&& holds) {
    return std::all_of(plan.stages.begin(), plan.stages.end(), holds);
  };
  require(allStages([&](const StagePlan& x) { return x.strategy == strategy; }), "strategy-per-stage",
          "its stages have different strategies", "`search.strategy_per_stage = false`");
  require(allStages([&](const StagePlan& x) { return x.recompute == recompute; }), "recompute-per-stage",
          "its stages have different recompute policies",
          "`constraints.megatron_expressible = true`, or offer one policy in `search.recompute`");
  require(job().globalBatch % (plan.microbatch * plan.dataDegree()) == 0, "padded-batch",
          "its microbatches do not divide the global batch", "`search.pad_last_microbatch = false`");
  warnOfStandIns();
}

SelectiveRecompute LaunchPlan::selective() const {
  return source.kernels ? source.kernels->selectiveRecompute : SelectiveRecompute::AttentionCore;
}

bool LaunchPlan::recomputesParts() const {
  if (recompute != Recompute::Selective || !source.kernels) return recompute == Recompute::Selective;
  const bool isLatent = source.architecture && source.architecture->latent;
  return selective() == SelectiveRecompute::AttentionCore      ? !source.kernels->flashAttention
         : selective() == SelectiveRecompute::LatentProjection ? isLatent
                                                               : true;
}

void LaunchPlan::warnOfStandIns() {
  const OptimizerRegime& o = job().optimizer;
  if (o.id == "custom")
    warn("optimizer",
         "the file trains with Adam; the plan counts an optimizer of its own, with " +
             text::number(o.weightBytes) + ", " + text::number(o.gradientBytes) + " and " +
             text::number(o.optimizerBytes) +
             " bytes per parameter for weights, gradients and optimizer state",
         "set that optimizer in the framework, or `job.optimizer = adam-fp32-grads`");
  const std::string& device = source.problem->cluster->device().name;
  for (const char* kind : {"TPU", "Trainium", "Gaudi"})
    if (device.starts_with(kind))
      warn("accelerator", std::string(target.id) + " is written for GPUs; " + device +
                              " needs a port of it that takes these settings");
}

void LaunchPlan::refuse(std::string code, std::string message, std::string remedy) {
  out.push_back(error(std::move(code), {}, std::string(target.id) + " cannot express this plan: " + message,
                      std::move(remedy)));
}

void LaunchPlan::require(bool holds, const char* code, std::string message, std::string remedy) {
  if (!holds) refuse(code, std::move(message), std::move(remedy));
}

void LaunchPlan::warn(std::string code, std::string message, std::string remedy) {
  out.push_back(warning(std::move(code), {}, std::move(message), std::move(remedy)));
}

void LaunchPlan::checkPrecision(std::initializer_list<NumberFormat> known) {
  const NumberFormat format = job().format;
  const DeviceSpec& device = source.problem->cluster->device();
  if (std::find(known.begin(), known.end(), format) == known.end())
    refuse("format", std::string("it trains in ") + nameOf(format) + ", which has no setting there",
           "`job.format = bf16`");
  else if (const NumberFormatSpec& f = specOf(format); f.isNarrow() && !device.narrowPeak(f.rate))
    refuse(std::string(nameOf(f.rate)) + "-device",
           "it trains in " + f.id + ", and " + device.name + " has no " + nameOf(f.rate) + " products",
           "`job.format = bf16`");
  else if (format == NumberFormat::Bf16 && !device.hasBf16)
    refuse("bf16-device", "it trains in bf16, and " + device.name + " has no bf16 products",
           "`job.format = fp16`");
}

void LaunchPlan::requireUsualSchedule() {
  const PipelineSchedule& schedule = plan.pipelineSchedule();
  require(schedule.kind() == usualSchedule(chunks()), "schedule", "it runs " + std::string(schedule.label()),
          "`search.schedules := 1f1b`");
}

void LaunchPlan::checkDecoder() {
  const TransformerArchitecture* a = source.architecture;
  if (!a) return;
  const auto any = [&](auto&& of) { return std::any_of(a->variants.begin(), a->variants.end(), of); };
  const char* what =
      a->encoder       ? "an encoder in addition to its decoder"
      : a->patchInputs ? "images for tokens"
      : a->mixer != Mixer::Attention || any([](const BlockVariant& v) { return v.mixer != Mixer::Attention; })
          ? "layers without attention"
      : any([](const BlockVariant& v) { return v.heads + v.keyValueHeads + v.headDim + v.intermediate > 0; })
          ? "blocks of different sizes"
      : any([](const BlockVariant& v) { return v.feed == Feed::None; }) ? "blocks without an MLP"
      : a->sparse                                                       ? "attention with an indexer"
      : a->parallelBlock                                                ? "attention in parallel with its MLP"
      : a->attentionGate                                                ? "a gate of the attention's output"
      : a->experts && a->experts->latent > 0 ? "experts that work in a narrower space"
                                             : nullptr;
  if (what)
    refuse("model", std::string("its model has ") + what + ", for which this export has no flags",
           "take the parallel degrees from the plan and the model from a recipe of its own");
  const LaunchRecipe* recipe = recipeOf(a);
  const bool isInRecipe = recipe && target.program->recipe && recipe->*target.program->recipe;
  const bool windows = any([](const BlockVariant& v) { return v.window > 0; });
  if (!what && !isInRecipe && (windows || a->blockNorms != 2 || a->wideQueryKeyNorm || a->attentionSinks))
    warn("model-details",
         "the flags leave out what this family has besides: windows of some layers, further norms, sinks of "
         "attention",
         "add them as the framework's own recipe for the family does");
}

void LaunchPlan::warnOfPlacement() {
  const auto map = mapRanks(source, plan);
  for (const Diagnostic& d : map.diagnostics) out.push_back(warning(d.code, d.where, d.message, d.remedy));
  if (map && map->needsDeviceLists()) out.push_back(deviceListWarning(*map));
  const auto devices = devicesByRank(plan);
  for (std::size_t r = 0; map && r < devices.size(); ++r) {
    const DeviceIdentity d = source.problem->cluster->identity(devices[r]);
    if (d.source == static_cast<int>(r)) continue;
    warn("placement",
         "rank " + std::to_string(r) + " runs on device " + std::to_string(d.source) + " (" + d.host +
             "), not on the device of its number",
         "launch with the plan's slurm-hostfile or rankfile, or communication crosses other levels than "
         "planned");
    return;
  }
}

std::vector<std::vector<LayerIndex>> LaunchPlan::parts() const {
  std::vector<std::vector<LayerIndex>> all;
  for (int p = 0; p < stages() * chunks(); ++p) {
    const int stage = plan.pipelineSchedule().stageOf(p, stages());
    all.push_back(plan.stages[stage].chunks[p / stages()]);
  }
  return all;
}

std::string LaunchPlan::head() const {
  return "# " + summaryOf(plan) + "; " + text::count(worldSize) + " ranks, data-parallel degree " +
         text::count(data()) + '\n';
}

Reading<std::string> LaunchPlan::finish(std::string text) {
  Reading<std::string> result;
  if (!hasErrors(out)) result.value = std::move(text);
  result.diagnostics = std::move(out);
  return result;
}

}  // namespace nest
