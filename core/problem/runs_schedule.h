#pragma once

#include "problem/problem.h"
#include "schedule/pipeline_schedule.h"

namespace nest {

/// Whether plans under a schedule are searched: under the preset "runnable", those that the program runs. One
/// that is launched through torchtitan runs the schedules that torchtitan has a name for.
bool runsSchedule(const Problem&, const PipelineSchedule&);

}  // namespace nest
