#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cluster/levels/hierarchy.h"
#include "model/layer_graph.h"
#include "model/profile.h"
#include "problem/job.h"
#include "problem/run_options.h"
#include "program/prediction_error.h"
#include "program/program_use.h"

namespace nest {

/// Immutable snapshot of everything a solve depends on. Cheap to copy (shared parts), safe to share between
/// threads.
struct Problem {
  std::shared_ptr<const Hierarchy> cluster;  ///< excluded devices have left it
  std::shared_ptr<const LayerGraph> graph;
  std::shared_ptr<const Profile> profile;
  Job job;
  Assumptions assumptions;
  SearchOptions search;
  Constraints constraints;
  RunOptions run;  ///< no plan depends on it, unless SearchOptions::goal does
  /// By number of devices, what a second of a step counts at least under SearchOptions::goal (run/goal.h).
  /// Null: 1.
  std::shared_ptr<const std::vector<double>> deviceWeights;
  ProgramUse program;       ///< what runs the plan
  PredictionError error;    ///< of that program here; no runs: not validated
  double memoryError = 0;   ///< share by which the program's predicted memory is known to err; 0: not known
  bool isMeasured = false;  ///< a measured profile has the strategies; search options only narrow them
  /// Whether ranks could share a sequence or the experts of the model, if the search offered it; not known of
  /// a measured profile.
  bool couldSplitContext = false, couldSplitExperts = false;

  /// Whether such plans are searched: under the preset "runnable", those that the program runs.
  bool runs(PlanFeature feature) const {
    return search.preset != SearchPreset::Runnable || program.runs(feature);
  }

  /// Microbatches per pipeline, m; 0 if b·d does not divide the batch and padding is not allowed.
  int microbatchCount(int microbatch, int dataDegree, int planBatch = 0) const {
    const long long per = static_cast<long long>(microbatch) * dataDegree;
    const long long batch = batchOf(planBatch);
    if (batch % per == 0) return static_cast<int>(batch / per);
    return search.padLastMicrobatch ? static_cast<int>((batch + per - 1) / per) : 0;
  }

  /// Of a plan with Plan::globalBatch.
  int batchOf(int planBatch) const { return planBatch > 0 ? planBatch : job.globalBatch; }
  /// Inclusive; a plan's batch is in this range (STATEMENT.md (3.8)).
  int leastBatch() const;
  int mostBatch() const;
  struct BatchChoice {
    int batch = 0, microbatches = 0;
    bool isPadded = false;  ///< the last microbatch
  };
  /// The batches of the range that microbatches of this size on so many replicas take, the largest first. Of
  /// those with equally many microbatches, the largest.
  std::vector<BatchChoice> batchChoices(int microbatch, int dataDegree) const;

  /// Whether the memory of hosts can forbid a plan.
  bool limitsHostMemory() const {
    return assumptions.offloadedOptimizer > 0 && cluster->device().hostMemory.has_value();
  }

  /// What a second of a step counts in the comparison of plans: 1 for a plan of the job's batch, unless the
  /// goal depends on the number of devices.
  double weightOf(int devices, int batch) const {
    double weight = batch == job.globalBatch ? 1.0 : double(job.globalBatch) / batch;
    if (deviceWeights) weight *= (*deviceWeights)[std::min<std::size_t>(devices, deviceWeights->size() - 1)];
    return weight;
  }
};

}  // namespace nest
