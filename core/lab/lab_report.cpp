#include "lab/lab_report.h"

#include "formats/results/plan_json.h"
#include "study/json_list.h"
#include "study/study_report.h"

namespace nest::report {

using Json = nlohmann::ordered_json;

Json peerJson(const std::vector<PeerRow>& rows) {
  return listOf(rows, [](const PeerRow& r) {
    Json j{{"memory_bytes", r.peer.memoryGib * 1024 * 1024 * 1024}, {"device_count", r.peer.devices}};
    j["peer_seconds_per_sample"] = r.peer.secondsPerSample ? Json(*r.peer.secondsPerSample) : Json();
    j["peer_stages"] = r.peer.stages;
    j["variants"] = listOf(r.variants, [](const PeerVariant& v) {
      Json k{{"name", v.name}, {"status", nameOf(v.status)}};
      if (!v.plan) return k;
      k["steady_seconds_per_sample"] = v.steadySecondsPerSample;
      k["batch_seconds_per_sample"] = v.batchSecondsPerSample;
      k["gap"] = v.gap;
      k["plan"] = planJson(*v.plan);
      return k;
    });
    j["explanation"] = r.explanation;
    return j;
  });
}

Json paperJson(const std::vector<PaperRow>& rows) {
  return listOf(rows, [](const PaperRow& r) {
    Json j{{"cluster", r.cluster},
           {"model", r.model},
           {"device_count", r.devices},
           {"exact", summaryJson(r.exact)}};
    const auto ratio = [](const std::optional<double>& v) { return v ? Json(*v) : Json(); };
    j["ratio_exact"] = ratio(r.exactRatio());
    j["baselines"] = listOf(r.baselines, [&](const BaselineResult& b) {
      Json k{{"method", nameOf(b.kind)},        {"runs", b.runs()},
             {"complete", b.complete},          {"status", statusOf(b)},
             {"ratio", ratio(r.ratio(b.kind))}, {"note", b.note}};
      if (b.plan) addPlan(k, *b.plan);
      return k;
    });
    j["published"] = r.published;
    return j;
  });
}

}  // namespace nest::report
