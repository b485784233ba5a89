#pragma once

#include <array>
#include <string>
#include <vector>

#include "cost/memory_parts.h"
#include "plan/plan.h"
#include "problem/job.h"
#include "problem/problem.h"

namespace nest {

/// Bytes on a device of a stage at the peak, by part (STATEMENT.md (4.9)).
struct MemoryUse : PerMemoryPart<Bytes> {
  Bytes capacity;

  Bytes total() const { return sumBefore(kMemoryPartCount); }
  /// Everything but the headroom, which is left free because predictions err.
  Bytes predicted() const { return sumBefore(static_cast<int>(MemoryPart::Headroom)); }
  /// What the allocator hands out: neither headroom nor reserve.
  Bytes handedOut() const { return sumBefore(static_cast<int>(MemoryPart::Reserve)); }
  Bytes headroom() const { return capacity - total(); }

private:
  Bytes sumBefore(int end) const {
    Bytes sum;
    for (std::size_t k = 0; k < static_cast<std::size_t>(end); ++k) sum += (*this)[k];
    return sum;
  }
};

/// The costs of one stage. Times are per microbatch unless stated otherwise.
struct StageEvaluation {
  Seconds forward, backward, recompute;    ///< compute on the slowest device of the stage
  Seconds weightGradient;                  ///< part of `backward` that computes weight gradients
  Seconds recomputeExchange;               ///< part of `exchange` that recompute repeats
  PerExchange<Seconds> exchange{};         ///< full durations, before overlap; Data: ZeRO ≥ 2 traffic
  PerExchange<Seconds> forwardExchange{};  ///< part of `exchange` in the forward pass
  PerExchange<Seconds> hiddenExchange{};   ///< part of `exchange` that overlaps with compute
  Seconds hidden;                          ///< their sum; load = compute + Σ exchange − hidden
  Seconds activationIn, gradientIn;        ///< the two parts of exchange[Pipeline]
  Seconds load;
  Seconds forwardPass, weightPass;  ///< parts of `load`: f and w, with the visible part of their exchanges
  Seconds fill;                     ///< g: what the stage adds to fill and drain under the plan's schedule
  Seconds sync, exposed, step;      ///< once per batch
  Seconds hiddenSync;               ///< part of `sync` hidden by the stage's own passes
  int activationLevel = -1, gradientLevel = -1;  ///< network level crossed; −1 if nothing is transferred
  int tensorLevel = -1, contextLevel = -1, expertLevel = -1, dataLevel = -1;  ///< outermost level spanned
  Bytes activationBytes, gradientBytes;  ///< sent by one rank across the boundary
  Bytes dataBytes;                       ///< gradient bytes of one rank, dense and expert
  double parameters = 0;                 ///< on one device
  double frozen = 0;                     ///< those of them that are not trained
  double inFlight = 0;                   ///< stashed microbatches (chunks if interleaved)
  MemoryUse memory;
  Bytes hostMemory;     ///< optimizer state of one device in its host's memory
  int firstDevice = 0;  ///< position of the stage in block 0
  int devices = 0;      ///< over all blocks
};

/// A reason why a plan is infeasible.
struct Violation {
  enum class Kind {
    Memory,
    HostMemory,
    Microbatch,
    Batch,
    Devices,
    ShardGroup,
    Placement,
    ExpertGroup,
    Degrees,
    Stages,
    Strategy,
    Recompute,
    Chunks,
    Layers,
    Constraint,
    Program
  };
  Kind kind{};
  int stage = -1;  ///< −1 for the whole plan
  std::string message;
  Bytes shortfall;  ///< of memory
};
const char* nameOf(Violation::Kind);  ///< name in files: "memory", "shard-group", …

/// A plan's cost under the model of STATEMENT.md §4. No plan is refused: problems are listed in `violations`,
/// and everything that can still be computed is.
struct Evaluation {
  Seconds batchTime;               ///< T, the requested objective
  Seconds pipelineTime, nestTime;  ///< both objectives
  /// By which plans are compared: batchTime × Problem::weightOf().
  Seconds ranked;
  int globalBatch = 0;      ///< sequences of the step
  int microbatchCount = 0;  ///< m
  std::vector<StageEvaluation> stages;
  Seconds sumLoad, maxLoad, tail;  ///< tail = max_i (exposed_i + step_i)
  Seconds sumFill, maxRest;  ///< Σ g_i, max_i (m·load_i − g_i): pipelineTime is their sum plus the tail
  std::vector<Violation> violations;

  bool feasible() const { return violations.empty(); }
  int slowestStage() const;  ///< argmax load; −1 if there are no stages
  int fullestStage() const;  ///< argmin headroom
};

/// Independent of the solver: enumerates the groups and pairs of the placement as they are, and shares no
/// sums with the DP. O(devices · stages) at worst; a few milliseconds at 16,384 devices.
Evaluation evaluate(const Problem& problem, const Plan& plan);

/// Appended to predicted memory wherever it is shown: " (+ 8 GiB headroom)"; empty without headroom.
std::string besideHeadroom(Bytes headroom);

}  // namespace nest
