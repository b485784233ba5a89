#pragma once

#include <string>
#include <vector>

#include "model/strategy.h"
#include "schedule/pipeline_schedule.h"
#include "units/index.h"

namespace nest {

/// One stage of the pipeline.
struct StagePlan {
  /// Chunk q of stage i is part q·s + i of the pipeline. There is one chunk unless the schedule is
  /// interleaved. Each chunk lists its layers in ascending order; together the chunks of all stages contain
  /// every layer once.
  std::vector<std::vector<LayerIndex>> chunks;
  Strategy strategy;
  Recompute recompute = Recompute::None;

  std::vector<LayerIndex> layers() const;  ///< of all chunks, ascending
  friend bool operator==(const StagePlan&, const StagePlan&) = default;
};

/// All decisions of a plan (STATEMENT.md §3). A plan may be infeasible or made by hand; the evaluator reports
/// what is wrong with it.
struct Plan {
  int globalBatch = 0;    ///< sequences per step; 0: the job's
  int microbatch = 1;     ///< b
  int dataInner = 1;      ///< d_in: replicas packed together inside one block
  int dataOuter = 1;      ///< d_out: blocks
  int blockStride = 0;    ///< P: block o begins at device o·P
  int zero = 0;           ///< z
  int shardReplicas = 0;  ///< h: replicas that share one copy of the sharded state; 0 for all
  /// Interleaved if and only if stages have several chunks.
  ScheduleKind schedule = ScheduleKind::OneForwardOneBackward;
  std::vector<StagePlan> stages;
  /// If empty, position p is device p of the locality order. Otherwise position p is device deviceOrder[p] of
  /// that order (plans that leave devices idle, placements made by hand or by the random walk). These are not
  /// the input's numbers, which exceptions and excluded devices use.
  std::vector<DeviceIndex> deviceOrder;

  const PipelineSchedule& pipelineSchedule() const { return scheduleOf(schedule); }
  int dataDegree() const { return dataInner * dataOuter; }
  int shardDegree() const { return zero > 0 && shardReplicas > 0 ? shardReplicas : dataDegree(); }  ///< h
  int stageCount() const { return static_cast<int>(stages.size()); }
  int chunksPerStage() const { return stages.empty() ? 1 : static_cast<int>(stages.front().chunks.size()); }
  int stageWidth(int stage) const { return dataInner * stages[stage].strategy.width(); }  ///< w_i
  int pipelineWidth() const;                                                              ///< Σ w_i
  int devicesUsed() const { return dataOuter * pipelineWidth(); }

  friend bool operator==(const Plan&, const Plan&) = default;
};

/// The same parts of the model, degrees and placement under another schedule that supports the same number of
/// chunks.
Plan underSchedule(Plan, ScheduleKind);

/// "TP8+SP · PP4 · DP32 (8×4) · MBS1 · ZeRO-1/8": the one-line name of a plan. ZeRO-1/8 means that state is
/// sharded over 8 of the replicas instead of all.
std::string summaryOf(const Plan&);

/// The devices of a plan's ranks. Ranks are numbered replica-major, then context, tensor fastest
/// (STATEMENT.md §3).
class Placement {
public:
  explicit Placement(const Plan& plan);

  int stageBegin(int stage) const { return m_begin[stage]; }  ///< inside a block
  /// Replica r ∈ [0, d): block r / d_in, inner replica r % d_in. rank ∈ [0, c·t).
  DeviceIndex device(int stage, int replica, int rank) const {
    const int p =
        (replica / m_inner) * m_stride + m_begin[stage] + (replica % m_inner) * m_width[stage] + rank;
    return m_order.empty() ? DeviceIndex(p) : m_order[p];
  }
  int ranks(int stage) const { return m_width[stage]; }  ///< c·t of the stage
  int replicas() const { return m_inner * m_outer; }

private:
  int m_inner, m_outer, m_stride;
  std::vector<int> m_begin, m_width;
  std::vector<DeviceIndex> m_order;
};

}  // namespace nest
