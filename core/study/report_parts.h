#pragma once

#include <vector>

#include "formats/results/plan_report.h"
#include "study/sensitivity.h"

namespace nest {

/// What single improvements would bring, as a part of a report: those that change the time by a thousandth at
/// least, the largest first. `error`: of predicted ratios, as words::ratioError(); gains inside it are
/// marked. Empty `table`: none is worth a line.
ReportPart improvementsPart(const std::vector<Improvement>&, double error);

}  // namespace nest
