#pragma once

#include "schedule/pipeline_schedule.h"

/// Every schedule there is, each defined in a file of its own; schedules.cpp lists them.
namespace nest {

const PipelineSchedule& oneForwardOneBackward();
const PipelineSchedule& interleaved();
const PipelineSchedule& gpipe();

}  // namespace nest
