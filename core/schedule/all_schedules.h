#pragma once

#include "schedule/pipeline_schedule.h"

/// Every schedule there is, each defined in a file of its own; schedules.cpp lists them.
namespace nest {

const PipelineSchedule& oneForwardOneBackward();
const PipelineSchedule& interleaved();
const PipelineSchedule& zbH1();
const PipelineSchedule& zbV();
const PipelineSchedule& dualPipeV();
const PipelineSchedule& gpipe();

struct SumAndMax {
  Seconds sum, max;
};
inline SumAndMax loadsOf(std::span<const StagePasses> stages) {
  SumAndMax loads;
  for (const StagePasses& s : stages) {
    loads.sum += Seconds(s.load);
    loads.max = std::max(loads.max, Seconds(s.load));
  }
  return loads;
}

/// A pipeline that fills and drains once, whole stages after one another: 1F1B and GPipe, which differ in
/// what is in flight only; STATEMENT.md (4.15).
class UninterleavedSchedule : public AlternatingSchedule {
public:
  int coveringPasses(int) const override { return 1; }
  double fill(const StagePasses& p, int) const override { return p.load; }
  Seconds time(std::span<const StagePasses> stages, Seconds tail, int microbatches, int) const override {
    const auto [sum, max] = loadsOf(stages);
    return sum + (microbatches - 1) * max + tail;
  }
  std::string_view timeFormula() const override { return "T = Σ load + (m − 1) · max load + tail"; }
  std::string_view fillFormula() const override { return "load"; }
};

}  // namespace nest
