#pragma once

#include "schedule/pipeline_schedule.h"

namespace nest {

/// GPipe [Huang 2019, arXiv 1811.06965]: all forward passes, then all backward passes, so that every
/// microbatch's activations are held. For comparison with a plan's own schedule; its bubble is that of 1F1B.
class GPipe : public PipelineSchedule {
public:
  ScheduleKind kind() const override { return ScheduleKind::GPipe; }
  std::string_view id() const override { return "gpipe"; }
  std::string_view label() const override { return "GPipe"; }
  bool isPlanned() const override { return false; }
  std::vector<std::string> refusals(int stages, int chunks, int microbatches) const override;
  int stashesInFlight(int stage, int stages, int microbatches, int chunks) const override;
  long long warmup(int stage, int stages, int microbatches, int chunks) const override;
  int coveringPasses(int stages) const override;
  LoadWeights weights(int microbatches, int chunks) const override;
  std::string_view timeFormula() const override { return "T = Σ load + (m − 1) · max load + tail"; }
  std::string_view stashFormula() const override { return "m"; }
  Seconds time(Seconds sumLoad, Seconds maxLoad, Seconds tail, int microbatches, int chunks) const override;
};

}  // namespace nest
