#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "units/quantity.h"

namespace nest {

enum class ScheduleKind { OneForwardOneBackward, Interleaved, GPipe };

/// A forward or backward pass of one microbatch through one chunk.
struct PipelineTask {
  int chunk = 0;
  int microbatch = 0;
  bool forward = true;

  friend bool operator==(const PipelineTask&, const PipelineTask&) = default;
};

/// T = sum · Σ load + max · max load + tail (STATEMENT.md (4.15), (4.16)).
struct LoadWeights {
  double sum = 1, max = 0;
};

/// A pipeline schedule: all that distinguishes one from another. Chunk q of stage i is part q·s + i of the
/// model. Add a schedule by writing one such object beside these and naming it in schedules.cpp.
class PipelineSchedule {
public:
  virtual ~PipelineSchedule() = default;

  virtual ScheduleKind kind() const = 0;
  virtual std::string_view id() const = 0;     ///< in files and on the command line: "1f1b"
  virtual std::string_view label() const = 0;  ///< as people say it: "1F1B"
  /// Whether plans may name it. Others serve for comparison of the same plan, in the simulation.
  virtual bool isPlanned() const = 0;
  /// Why s stages of v chunks cannot run m microbatches so, every reason; empty if they can.
  virtual std::vector<std::string> refusals(int stages, int chunks, int microbatches) const = 0;

  /// Microbatches (chunks where a stage has several) whose activations stage i holds at its peak,
  /// STATEMENT.md (4.10).
  virtual int stashesInFlight(int stage, int stages, int microbatches, int chunks) const = 0;
  /// Forward passes that stage i runs before its first backward pass.
  virtual long long warmup(int stage, int stages, int microbatches, int chunks) const = 0;
  /// Microbatches whose forward and backward passes can cover a stage's gradient reduction and parameter
  /// gather: those that its last chunk to finish still runs after the others are done.
  virtual int coveringPasses(int stages) const = 0;
  /// The step time of the pipeline without its tail, in the loads of its stages.
  virtual LoadWeights weights(int microbatches, int chunks) const = 0;
  virtual Seconds time(Seconds sumLoad, Seconds maxLoad, Seconds tail, int microbatches,
                       int chunks) const = 0;

  /// The formulas of time() and stashesInFlight() as people read them.
  virtual std::string_view timeFormula() const = 0;
  virtual std::string_view stashFormula() const = 0;

  /// The order in which stage i runs its passes: after the warm-up forward and backward in turn, in groups of
  /// s microbatches a chunk.
  std::vector<PipelineTask> taskOrder(int stage, int stages, int chunks, int microbatches) const;
};

std::span<const PipelineSchedule* const> schedules();
const PipelineSchedule& scheduleOf(ScheduleKind);
/// nullptr: none has this id.
const PipelineSchedule* scheduleNamed(std::string_view id);
/// What a plan with so many chunks in each stage runs if nothing else is said.
ScheduleKind usualSchedule(int chunks);

}  // namespace nest
