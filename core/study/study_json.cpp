#include <nlohmann/json.hpp>

#include "diagnostics/field_change.h"
#include "formats/results/outcome_json.h"
#include "formats/results/plan_json.h"
#include "measures/pace.h"
#include "study/json_list.h"
#include "study/study_report.h"

namespace nest::report {
namespace {

using Json = nlohmann::ordered_json;

Json seconds(Seconds s) {
  return s.value() > 0 ? Json(s.value()) : Json();
}

Json unitOf(TermUnit u) {
  switch (u) {
    case TermUnit::Time:
      return "s";
    case TermUnit::Memory:
      return "bytes";
    case TermUnit::Bandwidth:
      return "bytes_per_s";
    case TermUnit::Parameters:
      return "parameters";
    case TermUnit::Fraction:
      return "fraction";
    case TermUnit::Count:
      break;
  }
  return "count";
}

/// Its key in scenario files; the device count has none there.
std::string keyOf(const Parameter& p) {
  return p.field ? p.field->pointer() : "devices";
}

}  // namespace

void addPlan(Json& j, const RankedPlan& r) {
  j["batch_time_s"] = r.evaluation.batchTime.value();
  if (r.simulated.value() > 0) j["simulated_time_s"] = r.simulated.value();
  j["devices"] = r.plan.devicesUsed();
  j["summary"] = summaryOf(r.plan);
  j["plan"] = planJson(r.plan);
}

Json summaryJson(const Outcome& o) {
  Json j{{"status", nameOf(o.status)}};
  if (const RankedPlan* best = o.best()) addPlan(j, *best);
  j["lower_bound_s"] = seconds(o.lowerBound);
  if (o.cutShort()) j["stopped_by"] = nameOf(o.stopCause);
  return j;
}

const char* statusOf(const BaselineResult& b) {
  if (!b.searched) return "not-searched";
  if (b.runs()) return b.complete ? "found" : nameOf(OutcomeStatus::BestSoFar);
  return nameOf(b.complete ? OutcomeStatus::Infeasible : OutcomeStatus::Stopped);
}

namespace {

/// The growths of the terms add up to that of the whole.
Json stepDifferenceJson(const StepDifference& d) {
  Json j{{"measure", d.measure == PaceMeasure::BatchTime ? "step" : "token"},
         {"before_s", d.before.value()},
         {"after_s", d.after.value()}};
  j["terms"] = listOf(d.terms, [](const PartChange& t) {
    return Json{{"term", nameOf(t.part)},
                {"before_s", t.before.value()},
                {"after_s", t.after.value()},
                {"change_s", t.growth().value()}};
  });
  return j;
}

Json factsJson(const std::vector<PlanFact>& facts) {
  return listOf(facts, [](const PlanFact& f) {
    return Json{{"fact", nameOf(f.kind)}, {"before", f.before}, {"after", f.after}};
  });
}

}  // namespace

Json diffJson(const PlanDiff& d) {
  Json j;
  j["changes"] = listOf(d.changes, [](const PlanChange& c) {
    return Json{{"what", nameOf(c.kind)}, {"stage", c.stage}, {"sentence", c.sentence}};
  });
  j["time"] = stepDifferenceJson(d.time);
  j["facts"] = factsJson(d.facts);
  j["time_ratio"] = d.timeRatio;
  j["time_delta_s"] = d.timeDelta.value();
  j["memory_delta_bytes"] = d.memoryDelta.value();
  j["devices_delta"] = d.devicesDelta;
  return j;
}

Json comparisonJson(const Problem& problem, const Outcome& exact,
                    const std::vector<BaselineResult>& baselines) {
  Json j{{"format", "nest-comparison"}, {"version", 1}};
  j["exact"] = summaryJson(exact);
  j["baselines"] = listOf(baselines, [&](const BaselineResult& b) {
    Json k{{"method", nameOf(b.kind)},      {"runs", b.runs()}, {"complete", b.complete},
           {"status", statusOf(b)},         {"note", b.note},   {"evaluated", b.evaluated},
           {"elapsed_s", b.elapsed.value()}};
    if (b.plan) {
      addPlan(k, *b.plan);
      k["violations"] = violationsJson(b.plan->evaluation);
      if (const RankedPlan* best = exact.best())
        k["difference"] =
            diffJson(diff(problem, best->plan, best->evaluation, b.plan->plan, b.plan->evaluation));
    }
    return k;
  });
  return j;
}

Json improvementsJson(const std::vector<Improvement>& all) {
  return listOf(all, [](const Improvement& i) {
    return Json{{"what", i.what},
                {"parameter", keyOf(i.parameter)},
                {"from", i.from},
                {"to", i.to},
                {"factor", i.from > 0 ? Json(i.to / i.from) : Json()},
                {"status", nameOf(i.status)},
                {"batch_time_s", seconds(i.batchTime)},
                {"measure", nameOf(i.measure)},
                {"change", i.batchTime.value() > 0 ? Json(i.change) : Json()},
                {"difference", diffJson(i.plan)}};
  });
}

Json breakEvensJson(const std::vector<BreakEven>& all) {
  return listOf(all, [](const BreakEven& b) {
    return Json{{"sentence", b.sentence},
                {"parameter", keyOf(b.parameter)},
                {"at", b.at},
                {"factor", b.factor},
                {"value", b.value},
                {"difference", diffJson(b.difference)},
                {"plan", planJson(b.plan)}};
  });
}

Json answersJson(const Problem& problem, const std::vector<FailureResponse>& all) {
  return listOf(all, [&](const FailureResponse& r) {
    Json j{{"answer", nameOf(r.answer)}, {"status", nameOf(r.status)}};
    if (!r.plan) {
      j["obstacle"] = adviceText(r.obstacle);
      return j;
    }
    j["tokens_per_s"] = r.tokensPerSecond;
    j["change"] = r.change;
    j["global_batch"] = r.plan->evaluation.globalBatch;
    j["devices_idle"] = r.devicesIdle;
    if (r.answer == FailureAnswer::Shrink) j["replicas_dropped"] = r.replicasDropped;
    if (r.answer == FailureAnswer::Swap) {
      j["spare_hosts_needed"] = r.sparesNeeded;
      j["uses_idle_devices"] = r.usesIdle;
    }
    j["restart_s"] = r.restart.isKnown() ? Json(r.restart.total().value()) : Json(nullptr);
    if (r.restart.isKnown())
      j["restart"] = {{"detection_s", r.restart.detection.value()},
                      {"replacement_s", r.restart.replacement.value()},
                      {"start_s", r.restart.start.value()},
                      {"read_s", r.restart.read.value()}};
    else
      j["missing"] = r.restart.missing;
    if (r.moved) {
      Json over = Json::object();
      for (std::size_t l = 0; l < r.moved->overLevel.size(); ++l)
        over[problem.cluster->level(static_cast<int>(l)).name] = r.moved->overLevel[l].value();
      j["moved_bytes"] = {{"over_level", std::move(over)}, {"from_store", r.moved->fromStore.value()}};
    }
    addPlan(j, *r.plan);
    return j;
  });
}

Json sparesJson(const SpareAdvice& s) {
  Json j{{"confidence", s.confidence}, {"hosts", s.hosts}};
  if (!s.pooled.missing.empty()) {
    j["missing"] = s.pooled.missing;
    return j;
  }
  j["hosts_in_repair"] = s.pooled.failed;
  j["needed"] = s.pooled.needed;
  j["covered"] = s.pooled.covered;
  if (s.elsewhere) {
    j["leaves"] = s.elsewhere->leaves;
    j["needed_under_each_leaf"] = s.ofLeaf.needed;
    j["change_under_another_leaf"] = s.elsewhere->change;
  }
  return j;
}

Json spareBenefitJson(const SpareBenefit& b) {
  if (!b.missing.empty()) return {{"missing", b.missing}};
  Json j{{"hosts_away", b.hostsAway},
         {"cheapest", b.cheapest},
         {"within", b.within},
         {"complete", b.isComplete}};
  j["left"] = listOf(b.left, [](const ThroughputLeft& l) {
    return Json{{"hosts_away", l.hosts},
                {"share", l.share},
                {"answer", l.answer ? Json(nameOf(*l.answer)) : Json(nullptr)}};
  });
  j["choices"] = listOf(b.choices, [](const SpareChoice& c) {
    Json one{{"spare_hosts", c.spares}, {"share", c.share}, {"tokens_per_s", c.tokensPerSecond}};
    if (c.total) one["total_time_s"] = c.total->value();
    if (c.deviceHours) one["device_hours"] = *c.deviceHours;
    if (c.money) one["money"] = *c.money;
    if (c.energy) one["energy_kwh"] = *c.energy;
    return one;
  });
  if (!b.missingForDays.empty()) j["missing"] = b.missingForDays;
  return j;
}

void addOtherBatch(Json& j, const std::optional<OtherBatch>& other) {
  if (other)
    j["other_batch"] = {
        {"tolerance", kOtherBatch}, {"change", other->change}, {"global_batch", other->batch}};
}

Json failuresJson(const Problem& problem, const std::vector<Failure>& all) {
  return listOf(all, [&](const Failure& f) {
    Json one{{"what", f.what},
             {"devices_lost", f.positions.size()},
             {"status", nameOf(f.status)},
             {"batch_time_s", seconds(f.batchTime)},
             {"change", f.batchTime.value() > 0 ? Json(f.change) : Json()},
             {"devices_idle", f.devicesIdle},
             {"difference", diffJson(f.plan)},
             {"answers", answersJson(problem, f.answers)}};
    addOtherBatch(one, f.otherBatch);
    return one;
  });
}

Json failureStudyJson(const Problem& problem, const RankedPlan& present, const FailureStudy& all) {
  Json j{{"format", "nest-failures"},
         {"version", 1},
         {"summary", summaryOf(present.plan)},
         {"batch_time_s", present.evaluation.batchTime.value()},
         {"tokens_per_s", paceOf(problem, present).tokensPerSecond()},
         {"failures", failuresJson(problem, all.single)}};
  for (std::size_t i = 0; i < all.given.size(); ++i) {
    Json one{{"what", all.given[i].what},
             {"devices_lost", all.given[i].positions.size()},
             {"answers", answersJson(problem, all.answers[i])}};
    addOtherBatch(one, all.otherBatch[i]);
    j["failures"].push_back(std::move(one));
  }
  j["spares"] = sparesJson(all.spares);
  j["spare_benefit"] = spareBenefitJson(all.benefit);
  return j;
}

Json counterfactualJson(const Counterfactual& c) {
  Json j{{"demand", c.demand}, {"answer", adviceText(c.answer)}, {"already_met", c.alreadyMet}};
  if (!c.notSearched.empty()) j["not_searched"] = notSearchedJson(c.notSearched);
  if (!c.alreadyMet) j["outcome"] = summaryJson(c.outcome);
  if (c.difference) {
    j["causes"] = listOf(c.causes, [](const PartChange& one) {
      return Json{
          {"part", nameOf(one.part)}, {"before_s", one.before.value()}, {"after_s", one.after.value()}};
    });
    j["difference"] = diffJson(*c.difference);
  }
  return j;
}

Json explanationJson(const CostTerm& t, int depth) {
  Json j{{"id", t.id},           {"label", t.label},      {"value", t.value}, {"unit", unitOf(t.unit)},
         {"formula", t.formula}, {"kind", nameOf(t.kind)}};
  if (t.factor != 1) j["factor"] = t.factor;
  if (t.stage >= 0) j["stage"] = t.stage;
  if (t.level >= 0) j["level"] = t.level;
  if (t.reference) j["reference"] = true;
  if (!t.inputs.empty())
    j["inputs"] = listOf(t.inputs, [](const TermInput& i) {
      Json k{{"symbol", i.symbol},
             {"meaning", i.meaning},
             {"value", i.value},
             {"unit", unitOf(i.unit)},
             {"origin", std::string(i.source())}};
      if (!i.words.empty()) k["words"] = i.words;
      if (!i.citation.empty()) k["citation"] = i.citation;
      return k;
    });
  if (depth > 0 && !t.children.empty())
    j["children"] = listOf(t.children, [&](const CostTerm& c) { return explanationJson(c, depth - 1); });
  return j;
}

Json scalingJson(const std::vector<ScalingPoint>& all) {
  return listOf(all, [](const ScalingPoint& p) {
    Json j{{"device_count", p.devices},
           {"samples_per_s", p.outcome.best() ? Json(p.samplesPerSecond) : Json()},
           {"efficiency", p.outcome.best() ? Json(p.efficiency) : Json()},
           {"outcome", summaryJson(p.outcome)}};
    if (p.change) j["difference"] = diffJson(*p.change);
    return j;
  });
}

Json fewestDevicesJson(const FewestDevices& f) {
  using Answer = FewestDevices::Answer;
  const bool suffice = f.answer == Answer::Suffice;
  Json j{{"answer", nameOf(f.answer)}};
  j["reachable"] = f.answer == Answer::Open ? Json() : Json(suffice);
  j["complete"] = f.complete;
  j["sentence"] = f.sentence;
  if (f.plan) addPlan(j, *f.plan);
  if (!suffice) j["fastest_s"] = seconds(f.fastest);
  j["tried"] = listOf(f.tried, [](const auto& t) {
    return Json{{"devices", t.first}, {"batch_time_s", seconds(t.second)}};
  });
  return j;
}

Json devicesJson(const std::vector<DeviceAnswer>& all) {
  return listOf(all, [](const DeviceAnswer& a) {
    return Json{{"device", a.device.id},
                {"name", a.device.name},
                {"meets", a.decided() ? Json(a.meets) : Json()},
                {"level_bandwidths_bytes_per_s",
                 listOf(a.bandwidths, [](BytesPerSecond b) { return Json(b.value()); })},
                {"problem", hasErrors(a.diagnostics) ? Json(a.diagnostics.front().message) : Json()},
                {"outcome", summaryJson(a.outcome)}};
  });
}

}  // namespace nest::report
