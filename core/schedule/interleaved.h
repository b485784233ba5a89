#pragma once

#include "schedule/pipeline_schedule.h"

namespace nest {

/// Interleaved 1F1B [Narayanan 2021, arXiv 2104.04473], in Megatron-LM's order: groups of s microbatches a
/// chunk after min(m·v, 2(s−i−1) + (v−1)s) forward passes; STATEMENT.md (4.16).
class Interleaved : public PipelineSchedule {
public:
  ScheduleKind kind() const override { return ScheduleKind::Interleaved; }
  std::string_view id() const override { return "interleaved"; }
  std::string_view label() const override { return "Interleaved 1F1B"; }
  bool isPlanned() const override { return true; }
  std::vector<std::string> refusals(int stages, int chunks, int microbatches) const override;
  int stashesInFlight(int stage, int stages, int microbatches, int chunks) const override;
  long long warmup(int stage, int stages, int microbatches, int chunks) const override;
  int coveringPasses(int stages) const override;
  LoadWeights weights(int microbatches, int chunks) const override;
  std::string_view timeFormula() const override { return "T = m · max load + (Σ load − max load)/v + tail"; }
  std::string_view stashFormula() const override { return "min(m·v, 2(s−i−1) + (v−1)·s + 1)"; }
  Seconds time(Seconds sumLoad, Seconds maxLoad, Seconds tail, int microbatches, int chunks) const override;
};

}  // namespace nest
