#include "formats/results/outcome_json.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "calibration/calibration.h"
#include "diagnostics/field_change.h"
#include "evaluation/unsearched.h"
#include "formats/networks/network_check.h"
#include "formats/results/plan_json.h"
#include "program/prediction_interval.h"
#include "program/program.h"
#include "run/run_unit.h"
#include "scenario/scenario.h"
#include "text/json_layout.h"
#include "units/at.h"
#include "words/headline.h"
#include "words/metric_words.h"
#include "words/outcome_words.h"

namespace nest {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kOutcomeVersion = 1;

Json levelName(const Problem& p, int level) {
  if (level < 0 || level >= p.cluster->levelCount()) return nullptr;
  return p.cluster->level(level).name;
}

void addModel(Json& j, const ReportSource& source) {
  if (!source.architecture) return;
  j["parameters"] = parameterCount(*source.architecture);
  j["active_parameters"] = activeParameterCount(*source.architecture);
  if (source.kernels && source.kernels->freezes())
    j["trained_parameters"] = trainedParameterCount(*source.architecture, *source.kernels);
}

/// The largest part of the time, and the largest that is not compute, each with its share.
void addLimit(Json& j, const std::vector<TimeShare>& shares) {
  const auto add = [&j](const char* key, const char* shareKey, const TimeShare* s) {
    j[key] = s ? Json(nameOf(s->part)) : Json(nullptr);
    j[shareKey] = s ? Json(s->share) : Json(nullptr);
  };
  add("bound_by", "bound_by_share", shares.empty() ? nullptr : &shares.front());
  add("largest_overhead", "largest_overhead_share", largestOverhead(shares));
}

/// What the time of a run goes to beside its work.
void addSplit(Json& j, const RunPrediction& p) {
  j["failures"] = p.failures;
  j["checkpoints_s"] = p.checkpoints.value();
  j["restarts_s"] = p.restarts.value();
  j["repeated_work_s"] = p.lostWork.value();
}

/// The same run, event by event.
Json simulationJson(const RunForecast& f, const RunPrediction& simulated) {
  Json j{{"goodput", simulated.goodput(f.times->work)}};
  if (!f.work) return j;
  j["total_time_s"] = simulated.total.value();
  addSplit(j, simulated);
  return j;
}

Json runJson(const RunForecast& f) {
  Json j = Json::object();
  j["checkpoint_bytes"] = f.checkpoint.all.value();
  j["hosts"] = f.checkpoint.hosts;
  j["reserved_devices"] = f.reservedDevices;
  if (f.total) j["total_time_s"] = f.total->value();
  if (f.work) j["work_s"] = f.work->value();
  if (f.prediction) {
    const RunPrediction& p = *f.prediction;
    j["mtbf_s"] = f.times->mtbf.value();
    j["restart_s"] = f.times->restart.value();
    j["checkpoint_blocks_s"] = f.times->blocked.value();
    j["checkpoint_written_s"] = f.times->written.value();
    j["checkpoint_interval_s"] = p.interval.value();
    j["finishes"] = p.finishes;
    j["goodput"] = p.goodput(f.times->work);
    if (f.work) addSplit(j, p);
    if (const auto simulated = simulateBriefly(*f.times)) j["simulated"] = simulationJson(f, *simulated);
  }
  if (f.money) j["money"] = *f.money;
  if (f.energy) j["energy_kwh"] = *f.energy;
  if (f.carbon) j["carbon_kg"] = *f.carbon;
  if (!f.missing.empty()) j["missing"] = f.missing;
  return j;
}

void addMetrics(Json& j, const ReportSource& source, const RankedPlan& r) {
  const PlanMetrics m = metricsOf(*source.problem, source.architecture, r);
  j["summary"] = summaryOf(r.plan);
  j["program"] = toText(m.program);
  const PredictionCell* cell = m.program.program ? cellBehind(m.error, m.program.program->id) : nullptr;
  j["prediction_error"] = cell ? Json{{"interval", m.error.time},
                                      {"difference_interval", cell->difference},
                                      {"share", kIntervalShare},
                                      {"mean_absolute_error", cell->mean},
                                      {"runs", m.error.runs},
                                      {"of", nameOf(cell->behind)},
                                      {"meaning", words::intervalMeaning(m.program, m.error)}}
                               : Json(nullptr);
  j["may_not_fit"] = m.mayNotFit;
  j["batch_time_s"] = m.batchTime.value();
  j["simulated_time_s"] = m.simulated.value() > 0 ? Json(m.simulated.value()) : Json(nullptr);
  j["global_batch"] = r.evaluation.globalBatch;
  j["samples_per_s"] = m.samplesPerSecond;
  j["tokens_per_s"] = m.tokensPerSecond;
  j["mfu"] = m.mfu ? Json(*m.mfu) : Json(nullptr);
  if (m.mfu) {
    j["mfu_convention"] = words::mfuConvention(m);
    j["mfu_peak_flops_per_s"] = m.peak.rate.value();
  }
  if (m.trainingTime) j["training_time_s"] = m.trainingTime->value();
  if (m.deviceHours) j["device_hours"] = *m.deviceHours;
  if (m.run) j["run"] = runJson(*m.run);
  j["devices_used"] = m.devicesUsed;
  j["devices"] = m.deviceCount;
  addLimit(j, m.shares());
  j["idle"] = {{"share", m.bubble.idle()},
               {"fill_and_drain_share", m.bubble.fillAndDrain},
               {"imbalance_share", m.bubble.imbalance}};
  Json split = Json::object();
  for (int k = 0; k < kTimePartCount; ++k)
    if (m.split[k].value() > 0) split[nameOf(static_cast<TimePart>(k))] = m.split[k].value();
  j["time_split_s"] = split;
  j["peak_memory_bytes"] = m.peakMemory.value();
  j["headroom_kept_bytes"] = m.headroom.value();
  j["memory_capacity_bytes"] = m.capacity.value();
  j["pipeline_time_s"] = r.evaluation.pipelineTime.value();
  j["nest_time_s"] = r.evaluation.nestTime.value();
  j["microbatches_per_pipeline"] = r.evaluation.microbatchCount;
}

Json loadJson(const Problem& p, const StageEvaluation& s) {
  Json exchange = Json::object();
  for (int k = 0; k < kExchangeCount; ++k) exchange[nameOf(static_cast<Exchange>(k))] = s.exchange[k].value();
  Json levels = Json::object();
  levels["activation"] = levelName(p, s.activationLevel);
  levels["gradient"] = levelName(p, s.gradientLevel);
  levels["tensor"] = levelName(p, s.tensorLevel);
  levels["context"] = levelName(p, s.contextLevel);
  levels["expert"] = levelName(p, s.expertLevel);
  levels["data"] = levelName(p, s.dataLevel);
  return {{"total_s", s.load.value()},
          {"forward_s", s.forward.value()},
          {"backward_s", s.backward.value()},
          {"recompute_s", s.recompute.value()},
          {"exchange_s", exchange},
          {"recompute_exchange_s", s.recomputeExchange.value()},
          {"hidden_s", s.hidden.value()},
          {"activation_in_s", s.activationIn.value()},
          {"gradient_in_s", s.gradientIn.value()},
          {"activation_bytes", s.activationBytes.value()},
          {"gradient_bytes", s.gradientBytes.value()},
          {"data_bytes", s.dataBytes.value()},
          {"levels_crossed", levels}};
}

Json memoryJson(const MemoryUse& m) {
  Json j{{"total_bytes", m.predicted().value()}};
  for (int k = 0; k < kMemoryPartCount; ++k)
    if (const auto part = MemoryPart(k); part != MemoryPart::Headroom)
      j[std::string(wordsOf(part).id) + "_bytes"] = m[part].value();
  j["headroom_kept_bytes"] = m[MemoryPart::Headroom].value();
  j["capacity_bytes"] = m.capacity.value();
  j["headroom_bytes"] = m.headroom().value();
  return j;
}

/// Devices of a stage as inclusive ranges of the locality order, one or more per block, and the hosts they
/// are in.
void addDevices(Json& j, const Problem& p, const Plan& plan, int stage) {
  const Placement placement(plan);
  const int n = p.cluster->deviceCount();
  std::vector<int> devices;
  for (int r = 0; r < placement.replicas(); ++r)
    for (int q = 0; q < placement.ranks(stage); ++q) {
      // A hand-made plan may reach beyond the cluster; the evaluation says so.
      const long long position = 1LL * (r / plan.dataInner) * plan.blockStride + placement.stageBegin(stage) +
                                 1LL * (r % plan.dataInner) * placement.ranks(stage) + q;
      if (!plan.deviceOrder.empty() && position >= static_cast<long long>(plan.deviceOrder.size())) continue;
      devices.push_back(placement.device(stage, r, q).value);
    }
  Json ranges = Json::array(), hosts = Json::array();
  for (std::size_t i = 0; i < devices.size();) {
    std::size_t end = i + 1;
    while (end < devices.size() && devices[end] == devices[end - 1] + 1) ++end;
    ranges.push_back({devices[i], devices[end - 1]});
    i = end;
  }
  std::string last;
  for (int d : devices) {
    if (d < 0 || d >= n) continue;
    const std::string host = p.cluster->identity(DeviceIndex(d)).host;
    if (host != last) hosts.push_back(host);
    last = host;
  }
  j["device_count"] = static_cast<int>(devices.size());
  j["device_ranges"] = std::move(ranges);
  j["hosts"] = std::move(hosts);
}

Json layersJson(const LayerGraph& graph, const std::vector<LayerIndex>& layers, bool names) {
  Json list = Json::array();
  for (const LayerIndex l : layers) {
    if (!names)
      list.push_back(l.value);
    else if (l.value >= 0 && l.value < graph.layerCount())
      list.push_back(graph.layers[l.at()].name);
  }
  return list;
}

Json stagesJson(const Problem& p, const RankedPlan& r) {
  Json stages = Json::array();
  const std::size_t count = std::min(r.plan.stages.size(), r.evaluation.stages.size());
  for (std::size_t i = 0; i < count; ++i) {
    const StagePlan& plan = r.plan.stages[i];
    const StageEvaluation& s = r.evaluation.stages[i];
    Json j{{"stage", static_cast<int>(i)}};
    j["layers"] = layersJson(*p.graph, plan.layers(), false);
    j["layer_names"] = layersJson(*p.graph, plan.layers(), true);
    addDevices(j, p, r.plan, static_cast<int>(i));
    j["strategy"] = toText(plan.strategy);
    j["recompute"] = nameOf(plan.recompute);
    j["load"] = loadJson(p, s);
    addLimit(j, sharesOf(s));
    j["sync_s"] = s.sync.value();
    j["exposed_sync_s"] = s.exposed.value();
    j["step_s"] = s.step.value();
    j["parameters_per_device"] = s.parameters;
    if (s.frozen > 0) j["frozen_parameters_per_device"] = s.frozen;
    j["in_flight"] = s.inFlight;
    j["memory"] = memoryJson(s.memory);
    if (s.hostMemory > Bytes(0)) j["host_memory_bytes"] = s.hostMemory.value();
    stages.push_back(std::move(j));
  }
  return stages;
}

void addPlan(Json& j, const ReportSource& source, const RankedPlan& r) {
  if (r.evaluation.feasible() || hasCosts(r.evaluation)) addMetrics(j, source, r);
  j["feasible"] = r.evaluation.feasible();
  if (!r.evaluation.feasible()) j["violations"] = violationsJson(r.evaluation);
  j["plan"] = planJson(r.plan);
  j["stages"] = stagesJson(*source.problem, r);
  if (const auto check = checkOnNetwork(source.cluster, *source.problem, r.plan, source.until))
    j["network"] = networkCheckJson(*check, r.evaluation.batchTime);
}

/// `best`: the step time of the plan that is recommended.
Json shortPlans(const ReportSource& source, const std::vector<RankedPlan>& plans, std::size_t from,
                Seconds best) {
  Json list = Json::array();
  for (std::size_t i = from; i < plans.size(); ++i) {
    const PlanMetrics m = metricsOf(*source.problem, source.architecture, plans[i]);
    // The front compares by the most that any device holds, the fullest or not.
    const Bytes peak = predictedPeak(plans[i].evaluation);
    list.push_back({{"summary", summaryOf(plans[i].plan)},
                    {"batch_time_s", m.batchTime.value()},
                    {"simulated_time_s", m.simulated.value()},
                    {"devices_used", m.devicesUsed},
                    {"peak_memory_bytes", peak.value()},
                    {"may_not_fit", m.mayNotFit},
                    {"within_error", words::isWithinError(m, best)},
                    {"plan", planJson(plans[i].plan)}});
  }
  return list;
}

Json missJson(const ReportSource& source, const NearestMiss& miss) {
  Json j{{"stage", miss.stage}, {"shortfall_bytes", miss.shortfall.value()}, {"remedies", Json::array()}};
  for (const std::string& remedy : miss.remedies) j["remedies"].push_back(adviceText(remedy));
  j["summary"] = summaryOf(miss.plan);
  j["plan"] = planJson(miss.plan);
  j["stages"] = stagesJson(*source.problem, {miss.plan, miss.evaluation, Seconds(0)});
  return j;
}

Json statisticsJson(const Outcome& o) {
  std::map<std::string, long long> fates;
  for (const Candidate& c : o.log.candidates) ++fates[nameOf(c.result)];
  if (const auto listed = static_cast<long long>(o.log.candidates.size()); listed < o.statistics.candidates)
    fates["not-listed"] = o.statistics.candidates - listed;
  return {{"candidates", o.statistics.candidates},
          {"tuples", o.statistics.tuples},
          {"states", o.statistics.states},
          {"elapsed_s", o.statistics.elapsed.value()},
          {"peak_memory_bytes", o.statistics.peakMemory.value()},
          {"candidates_by_fate", fates}};
}

}  // namespace

bool hasCosts(const Evaluation& e) {
  return std::any_of(e.stages.begin(), e.stages.end(),
                     [](const StageEvaluation& s) { return s.load > Seconds(0); });
}

nlohmann::ordered_json violationsJson(const Evaluation& e) {
  Json list = Json::array();
  for (const Violation& v : e.violations) {
    Json j{{"code", nameOf(v.kind)}, {"message", v.message}};
    if (v.stage >= 0) j["stage"] = v.stage;
    if (v.shortfall.value() > 0) j["shortfall_bytes"] = v.shortfall.value();
    list.push_back(std::move(j));
  }
  return list;
}

Json diagnosticsJson(const Diagnostics& all) {
  Json list = Json::array();
  for (const Diagnostic& d : all) {
    Json j{{"severity", d.severity == Severity::Error     ? "error"
                        : d.severity == Severity::Warning ? "warning"
                                                          : "note"},
           {"code", d.code}};
    if (!d.where.file.empty()) j["file"] = d.where.file;
    if (d.where.line > 0) j["line"] = d.where.line;
    if (d.where.column > 0) j["column"] = d.where.column;
    if (!d.where.pointer.empty()) j["pointer"] = d.where.pointer;
    j["message"] = d.message;
    if (!d.remedy.empty()) j["remedy"] = adviceText(d.remedy);
    list.push_back(std::move(j));
  }
  return list;
}

nlohmann::ordered_json notSearchedJson(const std::vector<NotSearched>& all) {
  Json list = Json::array();
  for (const NotSearched& n : all) {
    Json j{{"kind", nameOf(n.kind)}, {"what", n.what}};
    if (!n.field.empty()) j["pointer"] = n.field;
    if (!n.change.empty()) j["change"] = adviceText(n.change);
    if (!n.reason.empty()) j["reason"] = n.reason;
    list.push_back(std::move(j));
  }
  return list;
}

/// The hosts that plans leave out because of their state, if there are any.
static void addUnplanned(Json& j, const UnplannedHosts& u) {
  if (!u.any()) return;
  Json& out = j["unplanned_hosts"];
  out = {{"words", inWords(u)}, {"all_hosts", u.allHosts}, {"hosts", u.hosts}};
  for (int s = 0; s < kHostStateCount; ++s)
    if (u.byState[at(s)] > 0)
      out["by_state"][std::string(nameOf(static_cast<HostState>(s)))] = u.byState[at(s)];
  if (u.partlyHosts > 0)
    out["partly_used"] = {
        {"hosts", u.partlyHosts}, {"devices", u.devicesOfThese}, {"planned_devices", u.usedOfThese}};
}

ReportSource reportSource(const Scenario& s, const Problem& problem, Until until) {
  const TransformerArchitecture* architecture = s.model.architecture ? &*s.model.architecture : nullptr;
  const bool isMeasured = !architecture || s.model.profile;
  auto assumed = noteUnstated(s, false);
  return {s.name,
          &problem,
          architecture,
          isMeasured ? nullptr : &s.model.analytic,
          &s.cluster,
          std::move(until),
          assumed ? std::move(assumed->message) : std::string()};
}

std::string writeOutcome(const ReportSource& source, const Outcome& o, const Outcome* free) {
  Json j{{"format", "nest-outcome"}, {"version", kOutcomeVersion}};
  j["scenario"] = source.scenario;
  if (!source.assumed.empty()) j["assumed"] = source.assumed;
  addModel(j, source);
  j["status"] = nameOf(o.status);
  if (o.cutShort()) j["stopped_by"] = nameOf(o.stopCause);
  j["verdict"] = words::verdict(o);
  if (o.goalGap) j["goal_gap"] = *o.goalGap;
  j["lower_bound_s"] = o.lowerBound > Seconds() ? Json(o.lowerBound.value()) : Json(nullptr);
  j["proven_over"] = nameOf(o.range);
  const auto gap = o.gap();
  j["gap"] = gap ? Json(*gap) : Json(nullptr);
  j["finished_search"] = nameOf(o.finished);
  j["proven_plans"] = o.provenPlans;
  j["not_searched"] = notSearchedJson(o.notSearched);
  addUnplanned(j, source.problem->cluster->unplanned());
  if (const RankedPlan* best = o.best()) {
    j["headline"] = headlineOf(metricsOf(*source.problem, source.architecture, *best), best->plan, o);
    addPlan(j, source, *best);
  }
  const Seconds fastest = o.best() ? o.best()->evaluation.batchTime : Seconds(0);
  j["alternatives"] = shortPlans(source, o.plans, 1, fastest);
  j["alternatives_reach"] = o.allPlansProven() ? "exact" : "met";
  j["front"] = shortPlans(source, o.front, 0, fastest);
  j["front_reach"] = nameOf(o.frontReach);
  if (o.nearestMiss) j["nearest_miss"] = missJson(source, *o.nearestMiss);
  if (free) {
    j["free"] = {{"status", nameOf(free->status)}, {"statistics", statisticsJson(*free)}};
    if (free->cutShort()) j["free"]["stopped_by"] = nameOf(free->stopCause);
    if (const RankedPlan* best = free->best()) {
      j["free"]["summary"] = summaryOf(best->plan);
      j["free"]["batch_time_s"] = best->evaluation.batchTime.value();
      j["free"]["plan"] = planJson(best->plan);
    }
  }
  j["statistics"] = statisticsJson(o);
  if (!o.diagnostics.empty()) j["diagnostics"] = diagnosticsJson(o.diagnostics);
  return layOut(j);
}

std::string writeEvaluation(const ReportSource& source, const RankedPlan& r, const Calibration* c) {
  Json j{{"format", "nest-outcome"}, {"version", kOutcomeVersion}};
  j["scenario"] = source.scenario;
  if (!source.assumed.empty()) j["assumed"] = source.assumed;
  addModel(j, source);
  j["status"] = r.evaluation.feasible() ? "evaluated" : "infeasible";
  addUnplanned(j, source.problem->cluster->unplanned());
  addPlan(j, source, r);
  if (const Diagnostics notes = unsearched(*source.problem, r.plan); !notes.empty())
    j["diagnostics"] = diagnosticsJson(notes);
  if (c) {
    Json& of = j["calibration"];
    of["predicted_s"] = c->predicted.value();
    if (c->measured) {
      of["measured_s"] = c->measured->value();
      of["predicted_by_measured"] = c->predictedByMeasured();
    }
    of["factor"] = c->factor;
    of["rescaled_s"] = c->rescaled.value();
    of["notes"] = c->notes;
  }
  return layOut(j);
}

}  // namespace nest
