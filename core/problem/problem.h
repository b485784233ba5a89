#pragma once

#include <cstdint>
#include <memory>
#include <string>

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
  RunOptions run;           ///< no plan depends on it
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

  /// Microbatches per pipeline, m; 0 if b·d does not divide B and padding is not allowed.
  int microbatchCount(int microbatch, int dataDegree) const {
    const long long per = static_cast<long long>(microbatch) * dataDegree;
    const long long batch = job.globalBatch;
    if (batch % per == 0) return static_cast<int>(batch / per);
    return search.padLastMicrobatch ? static_cast<int>((batch + per - 1) / per) : 0;
  }
};

}  // namespace nest
