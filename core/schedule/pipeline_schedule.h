#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "units/quantity.h"

namespace nest {

/// In the order of schedules().
enum class ScheduleKind { OneForwardOneBackward, Interleaved, ZbH1, ZbV, DualPipeV, GPipe };

/// A pass of one microbatch through one chunk. Backward makes the gradients of inputs and weights at once;
/// schedules that split it run InputGradient, and WeightGradient at some time after that.
enum class Pass { Forward, Backward, InputGradient, WeightGradient };

struct PipelineTask {
  int chunk = 0;
  int microbatch = 0;
  Pass pass = Pass::Forward;

  friend bool operator==(const PipelineTask&, const PipelineTask&) = default;
};

/// What a stage does with one microbatch, seconds, with what its exchanges show (STATEMENT.md (4.7)).
struct StagePasses {
  double load = 0;     ///< f + b + w
  double forward = 0;  ///< f
  double weight = 0;   ///< w: weight gradients, and their reduce-scatter (ZeRO 2 and 3)

  double input() const { return load - forward - weight; }  ///< b
};

/// T = sum · Σ load + max · max load + tail (STATEMENT.md (4.15), (4.16)).
struct LoadWeights {
  double sum = 1, max = 0;
};

/// A pipeline schedule: all that distinguishes one from another. Add a schedule by writing one such object
/// beside these and naming it in schedules.cpp.
class PipelineSchedule {
public:
  virtual ~PipelineSchedule() = default;

  virtual ScheduleKind kind() const = 0;
  virtual std::string_view id() const = 0;      ///< in files and on the command line: "1f1b"
  virtual std::string_view label() const = 0;   ///< as people say it: "1F1B"
  virtual std::string_view source() const = 0;  ///< where it and its bubble are from
  virtual std::string_view torchTitanName() const { return {}; }  ///< empty: torchtitan does not run it
  virtual bool isInMegatron() const { return false; }             ///< Megatron-LM runs it
  /// Whether plans may name it. Others serve for comparison of the same plan, in the simulation.
  virtual bool isPlanned() const = 0;
  /// Whether stages of so many chunks can be what it runs, if their number and m are right.
  virtual bool takesChunks(int chunks) const = 0;
  /// Why s stages of v chunks cannot run m microbatches so, every reason; empty if they can.
  virtual std::vector<std::string> refusals(int stages, int chunks, int microbatches) const = 0;

  /// The chunks that each stage has in any case; 0: as many as are on offer.
  virtual int fixedChunks() const { return 0; }
  /// Whether some weight gradients are passes of their own.
  virtual bool splitsBackward() const { return false; }
  /// Whether every other chunk lies on the stages in reverse: chunk 1 of the last stage continues chunk 0.
  virtual bool isFolded() const { return false; }
  /// Whether pipeline and expert exchange of one direction run beside the other direction's compute.
  virtual bool coversExchanges() const { return false; }

  /// Chunk q of stage i is this part of the model, and the other way round.
  int partOf(int stage, int chunk, int stages) const {
    return chunk * stages + (isFolded() && chunk % 2 == 1 ? stages - 1 - stage : stage);
  }
  int stageOf(int part, int stages) const {
    const int place = part % stages;
    return isFolded() && part / stages % 2 == 1 ? stages - 1 - place : place;
  }

  /// Microbatches whose activations stage i holds at its peak, STATEMENT.md (4.10): of all its chunks, or one
  /// by one of its largest.
  virtual double stashesInFlight(int stage, int stages, int microbatches, int chunks) const = 0;
  virtual bool stashesWholeStages() const { return false; }
  /// Microbatches whose forward and backward passes can cover a stage's gradient reduction and parameter
  /// gather: those that its last chunk to finish still runs after the others are done.
  virtual int coveringPasses(int stages) const = 0;

  /// g_i: what a stage adds to the fill and drain of the pipeline, seconds. Between 0 and its load, and of
  /// two stages' passes together never more than of both apart. Where it is no share of the load it falls
  /// neither as f nor as b grows, and does not grow with w (STATEMENT.md (6.9)).
  virtual double fill(const StagePasses&, int chunks) const = 0;
  /// Whether every g_i is the same share of the stage's load. Then T follows from Σ load and max load.
  virtual bool fillsByLoad() const { return true; }
  /// If it fills by load: T without its tail, in the loads of the stages.
  LoadWeights weights(int microbatches, int chunks) const {
    const double share = fill({1, 0, 0}, chunks);
    return {share, microbatches - share};
  }
  /// T = Σ g_i + max_i (m·load_i − g_i) + tail.
  virtual Seconds time(std::span<const StagePasses>, Seconds tail, int microbatches, int chunks) const;

  /// The formulas of time(), fill() and stashesInFlight() as people read them.
  virtual std::string_view timeFormula() const = 0;
  virtual std::string_view fillFormula() const = 0;
  virtual std::string_view stashFormula() const = 0;

  /// The order in which stage i runs its passes.
  virtual std::vector<PipelineTask> taskOrder(int stage, int stages, int chunks, int microbatches) const = 0;
};

/// Schedules that run whole backward passes: after the warm-up forward and backward in turn, in groups of s
/// microbatches a chunk.
class AlternatingSchedule : public PipelineSchedule {
public:
  /// Forward passes that stage i runs before its first backward pass.
  virtual long long warmup(int stage, int stages, int microbatches, int chunks) const = 0;
  std::vector<PipelineTask> taskOrder(int stage, int stages, int chunks, int microbatches) const override;
};

std::span<const PipelineSchedule* const> schedules();
const PipelineSchedule& scheduleOf(ScheduleKind);
/// nullptr: none has this id.
const PipelineSchedule* scheduleNamed(std::string_view id);
/// What a plan with so many chunks in each stage runs if nothing else is said.
ScheduleKind usualSchedule(int chunks);

/// Those that plans may name.
std::vector<const PipelineSchedule*> plannedSchedules();

}  // namespace nest
