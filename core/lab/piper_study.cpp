#include "lab/piper_study.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "evaluation/evaluation.h"
#include "study/quiet_solve.h"
#include "units/text.h"
#include "words/outcome_words.h"

namespace nest {

Reading<std::vector<PeerOptimum>> readPeerOptima(std::string_view text, const std::string& file) {
  Reading<std::vector<PeerOptimum>> result;
  const auto wrong = [&](const char* message) {
    result.diagnostics.push_back(error("peer-optima", {file, 0, 0, {}}, message,
                                       "give rows of [memory_gib, devices, seconds_per_sample, stages]"));
    return result;
  };
  const auto table = nlohmann::json::parse(text, nullptr, false);
  if (!table.is_object() || !table.contains("rows") || !table["rows"].is_array())
    return wrong("the table has no rows");
  std::vector<PeerOptimum> out;
  const auto usable = [](const nlohmann::json& row, std::size_t length) {
    return row.is_array() && row.size() >= length &&
           std::all_of(row.begin(), row.end(), [](const auto& v) { return v.is_number(); }) &&
           row[0].template get<double>() > 0 && row[1].template get<double>() >= 1 &&
           row[1].template get<double>() <= 1 << 20;
  };
  for (const auto& row : table["rows"]) {
    if (!usable(row, 4)) return wrong("a row is not four numbers");
    out.push_back({row[0].get<double>(), row[1].get<int>(), row[2].get<double>(), row[3].get<int>()});
  }
  for (const auto& row : table.value("infeasible", nlohmann::json::array())) {
    if (!usable(row, 2)) return wrong("an infeasible entry is not two numbers");
    out.push_back({row[0].get<double>(), row[1].get<int>(), std::nullopt, 0});
  }
  std::stable_sort(out.begin(), out.end(), [](const PeerOptimum& a, const PeerOptimum& b) {
    return a.memoryGib != b.memoryGib ? a.memoryGib < b.memoryGib : a.devices < b.devices;
  });
  result.value = std::move(out);
  return result;
}

namespace {

/// So many batches' worth of samples that fill and drain no longer count.
constexpr int kSteadyFactor = 2000;
constexpr const char* kPeersMemory = "peer's memory rule";
constexpr const char* kPeersMemoryFree = "peer's memory rule, strategy per stage";

Reading<Hierarchy> flatCluster(const PeerSetting& s, const PeerOptimum& row) {
  HierarchyInput in;
  in.device.id = in.device.name = "measured";
  in.device.memory = {Bytes(row.memoryGib * 1024 * 1024 * 1024)};
  in.device.memoryBandwidth = {BytesPerSecond(1e18)};  // the peer charges no optimizer step
  in.levels = {{"flat", s.bandwidth, Seconds(0)}};
  in.fanouts = {row.devices};
  return Hierarchy::build(in);
}

Problem problemOf(const PeerSetting& s, Hierarchy cluster) {
  Problem p;
  p.cluster = std::make_shared<const Hierarchy>(std::move(cluster));
  p.graph = s.graph;
  p.profile = s.profile;
  p.job.globalBatch = s.batch;
  p.job.microbatches = s.profile->microbatches();
  p.job.optimizer = s.optimizer;
  p.assumptions.reserve = Bytes(0);
  p.search.preset = SearchPreset::Free;
  p.search.padLastMicrobatch = true;
  p.search.zeroStages = {0};  // the peer shards nothing over replicas
  return p;
}

PeerVariant ask(const char* name, Problem problem, const PeerStudyOptions& options, const Control& control) {
  problem.search.deadlineSeconds = options.secondsPerVariant;
  const Outcome o = quietSolve(problem, control);
  PeerVariant v;
  v.name = name;
  v.status = o.status;
  const RankedPlan* best = o.best();
  if (!best) return v;
  v.plan = best->plan;
  v.gap = o.gap().value_or(1);
  v.steadySecondsPerSample =
      best->evaluation.maxLoad.value() / (best->plan.dataDegree() * best->plan.microbatch);
  v.batchSecondsPerSample = best->evaluation.batchTime.value() / problem.job.globalBatch;
  return v;
}

/// A profile that charges every layer's workspace for good, as parameters of the same bytes. Their gradients
/// do not count in a steady state.
std::shared_ptr<const Profile> withWorkspacesKept(const PeerSetting& s, std::size_t policy) {
  Profile kept = *s.profile;
  const double bytes = s.optimizer.weightBytes + s.optimizer.gradientBytes + s.optimizer.optimizerBytes;
  for (int c = 0; c < s.graph->classCount; ++c)
    for (int k = 0; k < static_cast<int>(kept.strategies().size()); ++k)
      for (int b = 0; b < static_cast<int>(kept.microbatches().size()); ++b)
        if (const LayerCost* cost = s.profile->cost(c, k, b)) {
          LayerCost more = *cost;
          more.denseParameters += more.recompute[policy].workspace.value() / bytes;
          more.recompute[policy].workspace = Bytes(0);
          kept.setCost(c, k, b, std::move(more));
        }
  return std::make_shared<const Profile>(std::move(kept));
}

PeerVariant askByPeersMemory(const PeerSetting& s, Problem problem, const PeerStudyOptions& options,
                             const Control& control) {
  PeerVariant best;
  const char* name = problem.search.strategyPerStage ? kPeersMemoryFree : kPeersMemory;
  for (std::size_t r = 0; r < kRecomputeCount; ++r) {
    problem.profile = withWorkspacesKept(s, r);
    problem.search.recompute.fill(false);
    problem.search.recompute[r] = true;
    PeerVariant v = ask(name, problem, options, control);
    const bool better = v.plan && (!best.plan || v.steadySecondsPerSample < best.steadySecondsPerSample);
    if (better || best.name.empty()) best = std::move(v);
  }
  return best;
}

std::string share(double ours, double theirs) {
  return text::signedPercent(ours / theirs - 1);
}

/// What one data-parallel degree for all stages costs a plan beside one for each.
std::string whatOneDegreeCosts(const Plan& plan, int devices) {
  const int idle = devices - plan.devicesUsed();
  return "its stages may also differ in data-parallel degree and recompute, which balances them better" +
         (idle > 0 ? " and uses the " + text::count(idle) + " of " + text::count(devices) +
                         " devices that ours leaves idle"
                   : "");
}

std::string explained(const PeerRow& r) {
  const auto variant = [&](std::string_view name) -> const PeerVariant* {
    for (const PeerVariant& v : r.variants)
      if (v.name == name && v.plan) return &v;
    return nullptr;
  };
  const PeerVariant &whole = r.variants.front(), *steady = variant("steady state"),
                    *memory = variant(kPeersMemory), *free = variant("strategy per stage"),
                    *memoryFree = variant(kPeersMemoryFree);
  if (!whole.plan)
    return whole.status != OutcomeStatus::Infeasible ? "stopped before a plan was found"
           : r.peer.secondsPerSample                 ? "no plan fits with one DP degree for all stages"
                                                     : "no plan fits, for the peer either";
  std::string out;
  const auto add = [&](const std::string& sentence) { out += (out.empty() ? "" : "; ") + sentence; };
  add("fill, drain and sync add " +
      text::percent(whole.batchSecondsPerSample / whole.steadySecondsPerSample - 1) +
      " to per step, which the peer leaves out");
  if (steady && memory && memory->steadySecondsPerSample > steady->steadySecondsPerSample * (1 + 1e-6))
    add("counting one layer's workspace at a time gains " +
        text::percent(1 - steady->steadySecondsPerSample / memory->steadySecondsPerSample));
  else if (steady && std::any_of(r.variants.begin(), r.variants.end(), [](const PeerVariant& v) {
             return v.name == kPeersMemory && v.status == OutcomeStatus::Infeasible;
           }))
    add("by the peer's memory rule, which adds up the workspaces of all layers, nothing fits here either");
  if (steady && free && free->steadySecondsPerSample < steady->steadySecondsPerSample * (1 - 1e-6))
    add("a tensor degree for each stage gains " +
        text::percent(1 - free->steadySecondsPerSample / steady->steadySecondsPerSample));
  if (!r.peer.secondsPerSample || !memory) return out;
  const PeerVariant* nearest = memoryFree ? memoryFree : memory;
  if (memoryFree && memoryFree->steadySecondsPerSample < memory->steadySecondsPerSample * (1 - 1e-6))
    add("by the peer's memory rule a tensor degree for each stage gains " +
        text::percent(1 - memoryFree->steadySecondsPerSample / memory->steadySecondsPerSample));
  const double rest = nearest->steadySecondsPerSample / *r.peer.secondsPerSample;
  if (rest > 1 + 1e-4)
    add("by the same memory rule the peer is " + text::percent(1 - 1 / rest) + " faster than ours: " +
        (memoryFree ? whatOneDegreeCosts(*nearest->plan, r.peer.devices)
                    : "each of its stages has its own tensor and data-parallel degree, and recompute"));
  else if (rest < 1 - 1e-4)
    add("by the same memory rule ours is still " + text::percent(1 - rest) +
        " faster: a steady state leaves out gradient exchanges, of which the peer may charge each sample its "
        "part, and its search need not hold this plan");
  else
    add("by the same memory rule the two agree");
  return out;
}

}  // namespace

std::optional<PeerRow> peerRow(const PeerSetting& setting, const PeerOptimum& optimum,
                               const PeerStudyOptions& options, const Control& control) {
  auto cluster = flatCluster(setting, optimum);
  if (!cluster) return std::nullopt;
  PeerRow row;
  row.peer = optimum;
  Problem whole = problemOf(setting, std::move(*cluster));
  Problem steady = whole;
  steady.job.globalBatch = setting.batch * kSteadyFactor;
  row.variants.push_back(ask("whole batch", whole, options, control));
  row.variants.push_back(ask("steady state", steady, options, control));
  row.variants.push_back(askByPeersMemory(setting, steady, options, control));
  if (options.strategyPerStage) {
    steady.search.strategyPerStage = true;
    row.variants.push_back(ask("strategy per stage", steady, options, control));
    row.variants.push_back(askByPeersMemory(setting, steady, options, control));
  }
  if (!studyStopped(control)) row.explanation = explained(row);
  return row;
}

std::vector<PeerRow> peerStudy(const PeerSetting& setting, const std::vector<PeerOptimum>& optima,
                               const PeerStudyOptions& options, const Control& control) {
  std::vector<PeerRow> out;
  for (std::size_t i = 0; i < optima.size() && !studyStopped(control); ++i) {
    reportStudy(control, "Peer's optima", i, optima.size());
    auto row = peerRow(setting, optima[i], options, control);
    if (studyStopped(control)) break;
    if (row) out.push_back(std::move(*row));
  }
  return out;
}

std::string peerTable(const std::vector<PeerRow>& rows) {
  std::string out =
      "Steady-state milliseconds per sample on the measured profile, against the other planner's optimum\n\n";
  for (const PeerRow& r : rows) {
    out += text::number(r.peer.memoryGib) + " GiB, " + text::count(r.peer.devices) + " devices: ";
    out += r.peer.secondsPerSample ? "the peer " + text::number(*r.peer.secondsPerSample * 1e3, 5) + " ms, " +
                                         std::to_string(r.peer.stages) + " stages\n"
                                   : "the peer finds nothing that fits\n";
    for (const PeerVariant& v : r.variants) {
      out += "    " + v.name + ": ";
      if (!v.plan) {
        out += std::string(words::of(v.status)) + "\n";
        continue;
      }
      out += text::number(v.steadySecondsPerSample * 1e3, 5) + " ms";
      if (r.peer.secondsPerSample)
        out += " (" + share(v.steadySecondsPerSample, *r.peer.secondsPerSample) + ")";
      out += ", " + summaryOf(*v.plan) +
             (v.status == OutcomeStatus::Optimal
                  ? ""
                  : ", " + std::string(words::of(v.status)) + ", gap " + text::percent(v.gap)) +
             "\n";
    }
    out += "    " + r.explanation + "\n";
  }
  return out;
}

}  // namespace nest
