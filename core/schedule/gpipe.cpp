#include "schedule/all_schedules.h"

namespace nest {
namespace {

/// GPipe [Huang 2019, arXiv 1811.06965]: all forward passes, then all backward passes, so that every
/// microbatch's activations are held. For comparison with a plan's own schedule; its bubble is that of 1F1B.
class GPipe : public UninterleavedSchedule {
public:
  ScheduleKind kind() const override { return ScheduleKind::GPipe; }
  std::string_view id() const override { return "gpipe"; }
  std::string_view label() const override { return "GPipe"; }
  std::string_view source() const override { return "Huang 2019 (arXiv 1811.06965)"; }
  std::string_view torchTitanName() const override { return "GPipe"; }
  bool isPlanned() const override { return false; }
  bool takesChunks(int) const override { return true; }
  std::vector<std::string> refusals(int, int, int) const override { return {}; }
  double stashesInFlight(int, int, int microbatches, int chunks) const override {
    return microbatches * chunks;
  }
  long long warmup(int, int, int microbatches, int chunks) const override {
    return static_cast<long long>(microbatches) * chunks;
  }
  std::string_view stashFormula() const override { return "m"; }
};

}  // namespace

const PipelineSchedule& gpipe() {
  static const GPipe schedule;
  return schedule;
}

}  // namespace nest
