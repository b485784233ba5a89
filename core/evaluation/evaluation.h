#pragma once

#include <array>
#include <string>
#include <vector>

#include "cost/memory_parts.h"
#include "plan/plan.h"
#include "problem/job.h"
#include "problem/problem.h"

namespace nest {

/// What a device of a stage holds, bytes, at the peak (STATEMENT.md (4.9)).
struct MemoryUse : PerMemoryPart<Bytes> {
  Bytes capacity;

  Bytes total() const { return sumBefore(kMemoryPartCount); }
  /// All but what is left free because predictions err.
  Bytes predicted() const { return sumBefore(static_cast<int>(MemoryPart::Headroom)); }
  /// What the allocator hands out: no reserve either.
  Bytes handedOut() const { return sumBefore(static_cast<int>(MemoryPart::Reserve)); }
  Bytes headroom() const { return capacity - total(); }

private:
  Bytes sumBefore(int end) const {
    Bytes sum;
    for (std::size_t k = 0; k < static_cast<std::size_t>(end); ++k) sum += (*this)[k];
    return sum;
  }
};

/// One stage's share of the batch time. All per microbatch unless said otherwise.
struct StageEvaluation {
  Seconds forward, backward, recompute;    ///< compute, slowest device of the stage
  Seconds weightGradient;                  ///< of `backward`, what makes weight gradients
  Seconds recomputeExchange;               ///< of `exchange`, the part that recompute repeats
  PerExchange<Seconds> exchange{};         ///< full durations, before overlap; Data: ZeRO ≥ 2 traffic
  PerExchange<Seconds> forwardExchange{};  ///< of `exchange`, the part in the forward pass
  PerExchange<Seconds> hiddenExchange{};   ///< of `exchange`, what overlaps with compute
  Seconds hidden;                          ///< their sum; load = compute + Σ exchange − hidden
  Seconds activationIn, gradientIn;        ///< the two parts of exchange[Pipeline]
  Seconds load;
  Seconds forwardPass, weightPass;  ///< of load: f and w, with what their exchanges show
  Seconds fill;                     ///< g: what the stage adds to fill and drain under the plan's schedule
  Seconds sync, exposed, step;      ///< once per batch
  Seconds hiddenSync;               ///< of sync, what the stage's own passes hide
  int activationLevel = -1, gradientLevel = -1;  ///< network level crossed; −1: no transfer
  int tensorLevel = -1, contextLevel = -1, expertLevel = -1, dataLevel = -1;  ///< outermost level spanned
  Bytes activationBytes, gradientBytes;  ///< sent by one rank across the boundary
  Bytes dataBytes;                       ///< gradient bytes of one rank, dense and expert
  double parameters = 0;                 ///< on one device
  double inFlight = 0;                   ///< stashed microbatches (chunks when interleaved)
  MemoryUse memory;
  int firstDevice = 0;  ///< position of the stage in block 0
  int devices = 0;      ///< over all blocks
};

/// A reason why a plan cannot run.
struct Violation {
  enum class Kind {
    Memory,
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
  int stage = -1;  ///< −1: the whole plan
  std::string message;
  Bytes shortfall;  ///< of memory
};
const char* nameOf(Violation::Kind);  ///< in files: "memory", "shard-group", …

/// A plan's cost under the model of STATEMENT.md §4. Never refuses a plan: what is wrong stands in
/// `violations`, and whatever can still be computed is.
struct Evaluation {
  Seconds batchTime;               ///< T, the objective asked for
  Seconds pipelineTime, nestTime;  ///< both objectives
  int microbatchCount = 0;         ///< m
  std::vector<StageEvaluation> stages;
  Seconds sumLoad, maxLoad, tail;  ///< tail = max_i (exposed_i + step_i)
  Seconds sumFill, maxRest;  ///< Σ g_i, max_i (m·load_i − g_i): pipelineTime is their sum and the tail
  std::vector<Violation> violations;

  bool feasible() const { return violations.empty(); }
  int slowestStage() const;  ///< argmax load; −1 without stages
  int fullestStage() const;  ///< argmin headroom
};

/// Independent of the solver: enumerates the groups and pairs of the placement as they are, and shares no
/// sums with the DP. O(devices · stages) at worst; a few milliseconds at 16,384 devices.
Evaluation evaluate(const Problem& problem, const Plan& plan);

/// Follows predicted memory wherever it is shown: " (+ 8 GiB headroom)"; empty without headroom.
std::string besideHeadroom(Bytes headroom);

}  // namespace nest
