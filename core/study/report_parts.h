#pragma once

#include <optional>
#include <vector>

#include "formats/results/plan_report.h"
#include "scenario/study_record.h"
#include "study/improvements.h"

namespace nest {

/// What single improvements would bring, as a part of a report: those that change the time by a thousandth at
/// least, the largest first, with what they are measured by where that is not the time alone. `error`: of
/// predicted ratios, as words::ratioError(); gains inside it are marked. Empty `table`: none is worth a line.
ReportPart improvementsPart(const std::vector<Improvement>&, double error);

/// What of a report takes searches of its own.
struct ReportStudies {
  std::vector<Improvement> improvements;
  std::optional<StudyRecord> scaling;  ///< nullopt: another study takes its place
};
/// Bounded by work, not by time: the same on every machine. `best`: null where nothing fits. Progress is
/// reported over all of it; after a stop the result is of no use.
ReportStudies reportStudies(const Setting&, const Problem&, const RankedPlan* best, bool withScaling,
                            const Control&);
/// A row for each value of a curve, or of a grid for each cell.
TextTable studyTable(const StudyRecord&);

}  // namespace nest
