#pragma once

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "evaluation/ranked_plan.h"
#include "scenario/study_record.h"
#include "solver/control.h"
#include "solver/outcome.h"
#include "study/parameter.h"
#include "study/study_quantity.h"

namespace nest {

/// A value of a study: the setting there, and its problem; none if it cannot be planned.
struct StudyPoint {
  Setting setting;
  std::optional<Problem> problem;
};
StudyPoint studyPointAt(const Setting&, const Problem&,
                        const std::vector<std::pair<Parameter, double>>& values);

/// One direction of a study.
struct StudyAxis {
  Parameter parameter;
  StudyRange range;
  std::vector<double> values;  ///< SI, ascending
};

/// A study of which nothing is solved yet; with `up` a grid, else (nullptr) a curve.
StudyRecord emptyStudy(const Setting&, const Problem&, const StudyAxis& across, const StudyAxis* up,
                       StudyQuantity);

/// What a solve gives at a value. `previous`: the plan of the value before; nullopt: nothing fitted there.
StudyRecord::Result studyResult(const StudyPoint&, const Outcome&, const std::optional<RankedPlan>& previous,
                                StudyQuantity);

/// How throughput grows with the devices, from as few values as a side of a grid has. `solved` is called with
/// each value's point and outcome. What a stop leaves out is marked as undecided.
StudyRecord scalingStudy(const Setting&, const Problem&, const Control&,
                         const std::function<void(const StudyPoint&, const Outcome&)>& solved = {});

}  // namespace nest
