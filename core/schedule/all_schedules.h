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

}  // namespace nest
