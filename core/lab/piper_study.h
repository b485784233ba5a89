#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diagnostics/diagnostic.h"
#include "model/layer_graph.h"
#include "model/profile.h"
#include "problem/job.h"
#include "solver/control.h"
#include "solver/outcome.h"

namespace nest {

/// One optimum of the other planner, as its recorded table has it.
struct PeerOptimum {
  double memoryGib = 0;
  int devices = 0;
  std::optional<double> secondsPerSample;  ///< steady state; empty: it found nothing that fits
  int stages = 0;
};

/// {"columns": …, "rows": [[memory_gib, devices, seconds_per_sample, stages], …], "infeasible": [[memory_gib,
/// devices], …]}.
Reading<std::vector<PeerOptimum>> readPeerOptima(std::string_view text, const std::string& file);

/// How a measured profile is planned for; everything that the profile itself does not say.
struct PeerSetting {
  std::shared_ptr<const LayerGraph> graph;
  std::shared_ptr<const Profile> profile;
  OptimizerRegime optimizer;                            ///< what the importer's parameter counts stand for
  BytesPerSecond bandwidth{25.0 * 1024 * 1024 * 1024};  ///< flat, as that planner assumes
  int batch = 1920;                                     ///< samples per batch
};

/// One way to run this planner, each lifting one more of the differences between the two models.
struct PeerVariant {
  std::string name;  ///< "whole batch", "steady state", "peer's memory rule", "strategy per stage"
  OutcomeStatus status = OutcomeStatus::Failed;
  std::optional<Plan> plan;
  double steadySecondsPerSample = 0;  ///< largest load ÷ (replicas · microbatch)
  double batchSecondsPerSample = 0;   ///< batch time ÷ samples, fill, drain, sync and step included
  double gap = 0;                     ///< (time − lower bound) ÷ time, where the search was stopped
};

struct PeerRow {
  PeerOptimum peer;
  std::vector<PeerVariant> variants;
  std::string explanation;  ///< what makes the difference, in figures
};

struct PeerStudyOptions {
  bool strategyPerStage = true;   ///< ask that variant too
  double secondsPerVariant = 20;  ///< deadline of each solve; 0: none
};

/// Our planner on the peer's profile, memory and device counts. Stopped early: the rows done so far.
///
/// "whole batch" plans as always: fill, drain, sync and step count. "steady state" makes the batch so large
/// that only the slowest stage counts, which is what the peer minimises. "peer's memory rule" also adds up
/// the workspaces of all layers of a stage, as the peer does (one recompute policy for all stages). "strategy
/// per stage" instead frees the tensor degree of each stage, and "peer's memory rule, strategy per stage"
/// lifts both. What then remains is what the peer may and we may not: another data-parallel degree for each
/// stage.
std::vector<PeerRow> peerStudy(const PeerSetting&, const std::vector<PeerOptimum>&,
                               const PeerStudyOptions& = {}, const Control& = {});

/// One of them; nullopt: its cluster cannot be formed.
std::optional<PeerRow> peerRow(const PeerSetting&, const PeerOptimum&, const PeerStudyOptions&,
                               const Control& = {});

std::string peerTable(const std::vector<PeerRow>&);

}  // namespace nest
