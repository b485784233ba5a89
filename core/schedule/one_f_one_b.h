#pragma once

#include "schedule/pipeline_schedule.h"

namespace nest {

/// 1F1B (PipeDream-Flush) [Narayanan 2021, arXiv 2104.04473]: forward and backward passes in turn after
/// min(m, s−i−1) forward passes; STATEMENT.md (4.15).
class OneForwardOneBackward : public PipelineSchedule {
public:
  ScheduleKind kind() const override { return ScheduleKind::OneForwardOneBackward; }
  std::string_view id() const override { return "1f1b"; }
  std::string_view label() const override { return "1F1B"; }
  bool isPlanned() const override { return true; }
  std::vector<std::string> refusals(int stages, int chunks, int microbatches) const override;
  int stashesInFlight(int stage, int stages, int microbatches, int chunks) const override;
  long long warmup(int stage, int stages, int microbatches, int chunks) const override;
  int coveringPasses(int stages) const override;
  LoadWeights weights(int microbatches, int chunks) const override;
  std::string_view timeFormula() const override { return "T = Σ load + (m − 1) · max load + tail"; }
  std::string_view stashFormula() const override { return "min(m, s − i)"; }
  Seconds time(Seconds sumLoad, Seconds maxLoad, Seconds tail, int microbatches, int chunks) const override;
};

}  // namespace nest
