#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "cluster/devices/device_spec.h"
#include "model/strategy.h"
#include "schedule/pipeline_schedule.h"
#include "units/enum_array.h"
#include "units/index.h"
#include "units/quantity.h"

namespace nest {

/// Bytes per parameter for weights, gradients and optimizer state (STATEMENT.md §4).
struct OptimizerRegime {
  std::string id = "adam-fp32-grads";  ///< "adam-fp32-grads", "adam-fp16-grads", "sgd", "custom"
  double weightBytes = 2, gradientBytes = 4, optimizerBytes = 12;

  static OptimizerRegime megatron() { return {}; }
  static OptimizerRegime zeroPaper() { return {"adam-fp16-grads", 2, 2, 12}; }
  static OptimizerRegime sgd() { return {"sgd", 2, 2, 0}; }
  friend bool operator==(const OptimizerRegime&, const OptimizerRegime&) = default;
};

/// What is to be trained, apart from the model itself.
struct Job {
  int globalBatch = 1024;                     ///< sequences per optimizer step, B
  double batchTolerance = 0;                  ///< share by which a plan's batch may differ from B
  int sequenceLength = 4096;                  ///< tokens
  std::vector<int> microbatches = {1, 2, 4};  ///< sizes on offer, ascending
  OptimizerRegime optimizer;
  NumberFormat format = NumberFormat::Bf16;
  std::optional<double> trainingTokens;  ///< for days to train and device-hours

  friend bool operator==(const Job&, const Job&) = default;
};

/// Kinds of exchange that may overlap with compute.
enum class Exchange { Tensor, Context, Expert, Pipeline, Data };
inline constexpr int kExchangeCount = 5;
template <class T>
using PerExchange = EnumArray<Exchange, T, kExchangeCount>;
const char* nameOf(Exchange);

/// Named inputs of the cost model; every one is shown to the user.
struct Assumptions {
  /// Share of each exchange hidden behind compute. In a stage's load, an exchange of total E counts E·(1−f);
  /// all that is hidden in one stage never exceeds its compute. The end-of-batch sync is not affected: see
  /// exposed_i.
  PerExchange<double> overlap{};
  /// Of the exchange at the end of a batch, as much as the stage's own last backward and next forward passes
  /// take can hide behind them (hiddenSync); this share of it does.
  double syncOverlap = 0;
  /// Share of the bandwidth of every level that exchanges sustain. 1: the levels' figures are what was
  /// measured; data sheets promise more than is reached (DeviceSpec::linkEfficiency).
  double linkEfficiency = 1;
  /// If more than 0, exchanges run at the outermost level that the cluster has, wherever their ranks are, and
  /// sustain this share of its bandwidth in place of linkEfficiency (programs that make no use of the host's
  /// own links). 0: each at its level.
  double flatExchange = 0;
  /// With ZeRO stage 1 gradients are all-reduced whole, behind the last backward pass, and nothing of the
  /// sync is hidden (STATEMENT.md (10.6)).
  bool zeroAllReduces = false;
  /// Seconds per byte that each further rank of a group adds to its reduce-scatters and all-gathers at levels
  /// beyond the innermost (STATEMENT.md (10.7)).
  double crowding = 0;
  /// Bytes per parameter that gradients take in memory; 0: as many as are exchanged
  /// (OptimizerRegime::gradientBytes).
  double heldGradientBytes = 0;
  /// Times that the optimizer step goes through its gradients to clip them: 1 for their norm, 3 where they
  /// are also scaled, read and written; 0: they are not clipped, or it is not counted.
  double clippingPasses = 0;
  /// Share of the optimizer state, master weights included, that stands in the host's memory and is updated
  /// there (STATEMENT.md (10.12)).
  double offloadedOptimizer = 0;
  /// Gradients go to the host, are applied there and come back as weights at the same time, part by part;
  /// false: one after the other.
  bool overlapsOptimizerCopies = false;
  /// Parameters a second that a host updates for one of its devices while it does so for all; 0: not counted.
  double hostUpdateRate = 0;
  /// ZeRO-3 gathers blocks one by one and what is in no block once for the whole step, each into a buffer of
  /// the exchange beside the parameters that are used (PyTorch FSDP2, STATEMENT.md (10.10)); false: the
  /// largest layer.
  bool gathersGroups = false;
  /// Memory that the allocator reserves ÷ what it hands out.
  double allocatorFactor = 1;
  /// Share of each device's memory that a plan must leave free, so that it still fits where its prediction
  /// errs.
  double headroom = 0;
  Bytes reserve{2.0 * 1024 * 1024 * 1024};  ///< memory kept free on each device: context, fragmentation, NCCL

  friend bool operator==(const Assumptions&, const Assumptions&) = default;
};

enum class Objective { Pipeline, Nest };
/// What the best plan has least of. All but the first are of the whole run (RunOptions).
enum class Goal {
  TimePerToken,  ///< the step time, where all plans have one batch
  Days,
  Money,
  Energy,
};
enum class SearchPreset { Runnable, Free };
/// Over how many replicas ZeRO may shard (STATEMENT.md (3.5)).
enum class ShardGroups {
  All,     ///< all of them
  Levels,  ///< or as many as share a group of some network level
  Every,   ///< or any number that the placement admits
};

/// Whether experts are split over tensor ranks (t_e = t) or folded over them (t_e = 1).
enum class ExpertFolding {
  No,    ///< split
  Both,  ///< either is on offer
  Only,  ///< folded wherever that differs
};

/// What is searched (STATEMENT.md §3, §5).
struct SearchOptions {
  SearchPreset preset = SearchPreset::Runnable;
  Objective objective = Objective::Pipeline;
  Goal goal = Goal::TimePerToken;
  bool strategyPerStage = false;   ///< free strategy per stage
  bool padLastMicrobatch = false;  ///< b·d need not divide B; m = ⌈B/(b·d)⌉
  std::vector<int> zeroStages = {0, 1, 2, 3};
  ShardGroups shardGroups = ShardGroups::All;
  PerRecompute<bool> recompute = {true, true, true};
  std::vector<int> chunksPerStage = {1};  ///< v on offer; {1} = no interleaving
  /// Schedules on offer; each with those of chunksPerStage that it takes, or with the chunks that it always
  /// has.
  std::vector<ScheduleKind> schedules = {ScheduleKind::OneForwardOneBackward, ScheduleKind::Interleaved};
  bool sequenceParallel = true;  ///< offer sequence parallelism where t > 1
  bool contextParallel = false, expertParallel = true;
  ExpertFolding expertFolding = ExpertFolding::No;
  int topPlans = 10;           ///< how many distinct plans to return
  double deadlineSeconds = 0;  ///< 0 = none
  int threads = 1;

  friend bool operator==(const SearchOptions&, const SearchOptions&) = default;
};

struct Bound {
  std::optional<int> least, most;  ///< inclusive; both equal = fixed

  bool allows(int v) const { return (!least || v >= *least) && (!most || v <= *most); }
  friend bool operator==(const Bound&, const Bound&) = default;
};

/// What the user demands of any plan.
struct Constraints {
  Bound tensor, context, expert, data, dataInner, stages, microbatch, devices, chunks, zero;
  Bound shard;                            ///< replicas of a shard group, where z ≥ 1
  std::vector<LayerIndex> requiredCuts;   ///< a stage must begin at these layers
  std::vector<LayerIndex> forbiddenCuts;  ///< no stage may begin at these
  struct LayerPin {
    LayerIndex layer;
    StageIndex stage;
    friend bool operator==(const LayerPin&, const LayerPin&) = default;
  };
  std::vector<LayerPin> layerPins;  ///< this layer must be in this stage
  struct StagePin {
    StageIndex stage;
    std::optional<Recompute> recompute;
    std::optional<Strategy> strategy;
    friend bool operator==(const StagePin&, const StagePin&) = default;
  };
  std::vector<StagePin> stagePins;
  std::vector<int> excludedDevices;  ///< input numbers; already removed from the Hierarchy of a Problem
  bool megatronExpressible = false;

  friend bool operator==(const Constraints&, const Constraints&) = default;
};

}  // namespace nest
