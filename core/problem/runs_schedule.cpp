#include "problem/runs_schedule.h"

#include <algorithm>

#include "program/program.h"

namespace nest {

bool runsSchedule(const Problem& problem, const PipelineSchedule& schedule) {
  if (schedule.kind() == ScheduleKind::Interleaved && !problem.runs(PlanFeature::Interleaving)) return false;
  const Program* program =
      problem.search.preset == SearchPreset::Runnable ? problem.program.program : nullptr;
  if (!program) return true;
  if (schedule.splitsBackward() && !program->splitsBackward) return false;
  return !schedule.torchTitanName().empty() ||
         std::none_of(program->launches.begin(), program->launches.end(),
                      [](const std::string& file) { return file.starts_with("torchtitan"); });
}

}  // namespace nest
