#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "analytic/transformer.h"
#include "measures/metrics.h"
#include "solver/outcome.h"
#include "units/until.h"

namespace nest {

struct Calibration;
struct ClusterSource;
struct Scenario;

/// What a report of a plan is made from. `architecture` may be null (measured profiles): then there is no
/// MFU.
struct ReportSource {
  std::string scenario;  ///< its name
  const Problem* problem = nullptr;
  const TransformerArchitecture* architecture = nullptr;
  /// What an analytic profile took for granted; null where costs were measured.
  const AnalyticOptions* kernels = nullptr;
  /// What `problem`'s cluster was derived from. If it is a graph, the plan is checked on it; may be null.
  const ClusterSource* cluster = nullptr;
  Until until = {};          ///< ends that check; what it has by then is reported
  std::string assumed = {};  ///< noteUnstated() of the scenario: "assumed: …"; empty: nothing was
};
/// Of a scenario and its problem, both of which must outlive it.
ReportSource reportSource(const Scenario&, const Problem&, Until = {});

/// Whether anything of a plan could be priced; if not, its figures are left out of reports.
bool hasCosts(const Evaluation&);

/// The answer of a solve for other programs: the model's parameters and those that one token uses, status,
/// the figures of the best plan (batch_time_s, simulated_time_s, samples_per_s, tokens_per_s, mfu with
/// mfu_convention, bound_by …), every stage (layers, devices and hosts, load and memory split), the plan
/// itself, alternatives ("exact": no better ones were left out; "met": the best of those met), Pareto front
/// (front_reach, see FrontReach), lower bound, gap, search statistics, and when nothing fits the nearest miss
/// with its remedies. Keys end in their units. `free`: the outcome of the same scenario under the preset
/// "free", to stand beside it; may be null.
std::string writeOutcome(const ReportSource&, const Outcome&, const Outcome* free = nullptr);

/// The same figures for one plan that was given, with its violations; `calibration`: a measured step time
/// beside them, may be null.
std::string writeEvaluation(const ReportSource&, const RankedPlan&, const Calibration* calibration = nullptr);

/// "stage" is left out where a violation is of the whole plan.
nlohmann::ordered_json violationsJson(const Evaluation&);
nlohmann::ordered_json diagnosticsJson(const Diagnostics&);
nlohmann::ordered_json notSearchedJson(const std::vector<NotSearched>&);

}  // namespace nest
