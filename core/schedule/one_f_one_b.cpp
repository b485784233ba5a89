#include <algorithm>

#include "schedule/all_schedules.h"

namespace nest {
namespace {

/// 1F1B (PipeDream-Flush) [Narayanan 2021, arXiv 2104.04473]: forward and backward passes in turn after
/// min(m, s−i−1) forward passes; STATEMENT.md (4.15).
class OneForwardOneBackward : public UninterleavedSchedule {
public:
  ScheduleKind kind() const override { return ScheduleKind::OneForwardOneBackward; }
  std::string_view id() const override { return "1f1b"; }
  std::string_view label() const override { return "1F1B"; }
  std::string_view source() const override { return "Narayanan 2021 (arXiv 2104.04473)"; }
  std::string_view torchTitanName() const override { return "1F1B"; }
  bool isInMegatron() const override { return true; }
  bool isPlanned() const override { return true; }
  bool takesChunks(int chunks) const override { return chunks == 1; }
  std::vector<std::string> refusals(int, int chunks, int) const override {
    if (chunks <= 1) return {};
    return {"1F1B runs one chunk per stage, and these stages have " + std::to_string(chunks)};
  }
  double stashesInFlight(int stage, int stages, int microbatches, int) const override {
    return std::min(microbatches, stages - stage);
  }
  long long warmup(int stage, int stages, int microbatches, int) const override {
    return std::min(microbatches, stages - stage - 1);
  }
  std::string_view stashFormula() const override { return "min(m, s − i)"; }
};

}  // namespace

const PipelineSchedule& oneForwardOneBackward() {
  static const OneForwardOneBackward schedule;
  return schedule;
}

}  // namespace nest
