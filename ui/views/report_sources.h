#pragma once

#include <optional>
#include <vector>

#include "scenario/study_record.h"
#include "views/view.h"

namespace nest {

/// What stands in a report besides the plan itself.
struct ReportSources {
  std::optional<StudyRecord> study;          ///< nullopt: there is none
  std::vector<View::PlanBeside> compared{};  ///< with the plan; each has one
};

/// What the scenario keeps: the first whole study of its present setting on a slide, its kept plans, and
/// those that slides compare. No plan of one setting stands twice.
ReportSources sourcesIn(const Scenario&);
/// What views show at present comes first, if it is of the present setting; then what the scenario keeps.
ReportSources sourcesIn(const Scenario&, const std::vector<View*>& views);

}  // namespace nest
