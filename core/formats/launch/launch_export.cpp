#include "formats/launch/launch_export.h"

#include <algorithm>
#include <map>

#include "formats/launch/launch_parts.h"
#include "units/text.h"

namespace nest {
namespace {

struct Target {
  LaunchTarget target;
  const char* name;
  const char* what;
};

constexpr Target kTargets[kLaunchTargetCount] = {
    {LaunchTarget::Megatron, "megatron", "flags of Megatron-LM as a shell array"},
    {LaunchTarget::DeepSpeed, "deepspeed", "DeepSpeed configuration, JSON"},
    {LaunchTarget::TorchTitan, "torchtitan", "torchtitan configuration, TOML"},
    {LaunchTarget::Nanotron, "nanotron", "nanotron configuration, YAML"},
    {LaunchTarget::HostFile, "hostfile", "hosts and slots in rank order, for Open MPI and DeepSpeed"},
    {LaunchTarget::SlurmHostFile, "slurm-hostfile",
     "one host per rank, for SLURM_HOSTFILE and srun -m arbitrary"},
    {LaunchTarget::RankFile, "rankfile", "host and CPU core of each rank, for Open MPI"},
    {LaunchTarget::ChromeTrace, "chrome-trace", "the simulated schedule, for Perfetto and chrome://tracing"},
};

/// Identities by rank; empty, with an error, when the plan reaches beyond the cluster.
std::vector<DeviceIdentity> identitiesByRank(const ReportSource& source, const Plan& plan, Diagnostics& out) {
  std::vector<DeviceIdentity> all;
  for (const DeviceIndex d : devicesByRank(plan)) {
    if (d.value < 0 || d.value >= source.problem->cluster->deviceCount()) {
      out.push_back(error("devices", {},
                          "the plan uses device " + text::count(d.value) + " of a cluster of " +
                              text::count(source.problem->cluster->deviceCount()),
                          "solve the scenario again"));
      return {};
    }
    all.push_back(source.problem->cluster->identity(d));
  }
  return all;
}

Reading<std::string> hostFile(const std::vector<DeviceIdentity>& ranks, Diagnostics out) {
  std::vector<std::pair<std::string, int>> runs;
  for (const DeviceIdentity& d : ranks) {
    if (runs.empty() || runs.back().first != d.host) runs.emplace_back(d.host, 0);
    ++runs.back().second;
  }
  std::map<std::string, int> seen;
  for (const auto& run : runs) ++seen[run.first];
  for (const auto& [host, times] : seen)
    if (times > 1) {
      out.push_back(error(
          "hosts-interleave", {},
          "the ranks of host " + host + " do not follow each other, which slots in rank order cannot say",
          "use slurm-hostfile or rankfile"));
      return {std::nullopt, std::move(out)};
    }
  std::string text;
  for (const auto& [host, slots] : runs) text += host + " slots=" + std::to_string(slots) + '\n';
  return {std::move(text), std::move(out)};
}

std::string slurmHostFile(const std::vector<DeviceIdentity>& ranks) {
  std::string text;
  for (const DeviceIdentity& d : ranks) text += d.host + '\n';
  return text;
}

std::string rankFile(const std::vector<DeviceIdentity>& ranks) {
  std::string text;
  for (std::size_t r = 0; r < ranks.size(); ++r)
    text +=
        "rank " + std::to_string(r) + '=' + ranks[r].host + " slot=" + std::to_string(ranks[r].slot) + '\n';
  return text;
}

Reading<std::string> placementFile(LaunchTarget target, const ReportSource& source, const Plan& plan) {
  Diagnostics out;
  const auto ranks = identitiesByRank(source, plan, out);
  if (hasErrors(out)) return {std::nullopt, std::move(out)};
  if (target == LaunchTarget::HostFile) return hostFile(ranks, std::move(out));
  if (target == LaunchTarget::RankFile)
    out.push_back(
        note("rankfile-slot", {}, "slot=N binds a rank to CPU core N of its host; it chooses no device",
             "let ranks take devices by their local rank: within a host every order costs the same"));
  return {target == LaunchTarget::SlurmHostFile ? slurmHostFile(ranks) : rankFile(ranks), std::move(out)};
}

Reading<std::string> trace(const ReportSource& source, const Plan& plan) {
  const Evaluation e = evaluate(*source.problem, plan);
  const auto kind =
      plan.chunksPerStage() > 1 ? ScheduleKind::Interleaved : ScheduleKind::OneForwardOneBackward;
  return {writeChromeTrace(source, plan, simulate(*source.problem, plan, e, kind, true)), {}};
}

}  // namespace

const char* nameOf(LaunchTarget t) {
  return kTargets[static_cast<std::size_t>(t)].name;
}
const char* describe(LaunchTarget t) {
  return kTargets[static_cast<std::size_t>(t)].what;
}

std::optional<LaunchTarget> launchTargetNamed(std::string_view name) {
  for (const Target& t : kTargets)
    if (name == t.name) return t.target;
  return std::nullopt;
}

std::vector<DeviceIndex> devicesByRank(const Plan& plan) {
  const Placement placement(plan);
  std::vector<DeviceIndex> devices;
  for (int stage = 0; stage < plan.stageCount(); ++stage)
    for (int r = 0; r < placement.replicas(); ++r)
      for (int q = 0; q < placement.ranks(stage); ++q) devices.push_back(placement.device(stage, r, q));
  return devices;
}

Reading<std::string> writeLaunch(LaunchTarget target, const ReportSource& source, const Plan& plan) {
  switch (target) {
    case LaunchTarget::HostFile:
    case LaunchTarget::SlurmHostFile:
    case LaunchTarget::RankFile:
      return placementFile(target, source, plan);
    case LaunchTarget::ChromeTrace:
      return trace(source, plan);
    default:
      break;
  }
  LaunchPlan launch(source, plan, nameOf(target));
  switch (target) {
    case LaunchTarget::Megatron:
      return writeMegatron(launch);
    case LaunchTarget::DeepSpeed:
      return writeDeepSpeed(launch);
    case LaunchTarget::TorchTitan:
      return writeTorchTitan(launch);
    default:
      return writeNanotron(launch);
  }
}

LaunchPlan::LaunchPlan(const ReportSource& s, const Plan& p, const char* target)
    : source(s), plan(p), m_target(target) {
  worldSize = plan.devicesUsed();
  microbatchCount = source.problem->microbatchCount(plan.microbatch, plan.dataDegree());
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
          "its stages have different strategies", "search with strategy_per_stage off");
  require(allStages([&](const StagePlan& x) { return x.recompute == recompute; }), "recompute-per-stage",
          "its stages have different recompute policies",
          "set the constraint megatron_expressible, or offer one policy in search.recompute");
  require(job().globalBatch % (plan.microbatch * plan.dataDegree()) == 0, "padded-batch",
          "its microbatches do not divide the global batch", "search with pad_last_microbatch off");
}

void LaunchPlan::refuse(std::string code, std::string message, std::string remedy) {
  out.push_back(error(std::move(code), {}, std::string(m_target) + " cannot express this plan: " + message,
                      std::move(remedy)));
}

void LaunchPlan::require(bool holds, const char* code, std::string message, std::string remedy) {
  if (!holds) refuse(code, std::move(message), std::move(remedy));
}

void LaunchPlan::warn(std::string code, std::string message, std::string remedy) {
  out.push_back(warning(std::move(code), {}, std::move(message), std::move(remedy)));
}

void LaunchPlan::warnOfPlacement() {
  const auto devices = devicesByRank(plan);
  for (std::size_t r = 0; r < devices.size(); ++r)
    if (devices[r].value != static_cast<int>(r)) {
      warn("placement",
           "rank " + std::to_string(r) + " stands on device " + std::to_string(devices[r].value) +
               ", not on the device of its number",
           "launch with the plan's slurm-hostfile or rankfile, or the exchanges cross other levels than "
           "planned");
      return;
    }
}

std::vector<std::vector<LayerIndex>> LaunchPlan::parts() const {
  std::vector<std::vector<LayerIndex>> all;
  for (int q = 0; q < chunks(); ++q)
    for (const StagePlan& s : plan.stages) all.push_back(s.chunks[static_cast<std::size_t>(q)]);
  return all;
}

Reading<std::string> LaunchPlan::finish(std::string text) {
  Reading<std::string> result;
  if (!hasErrors(out)) result.value = std::move(text);
  result.diagnostics = std::move(out);
  return result;
}

}  // namespace nest
