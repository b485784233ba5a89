#pragma once

#include <vector>

#include "formats/results/plan_report.h"
#include "study/improvements.h"

namespace nest {

/// What single improvements would bring, as a part of a report: those that change the time by a thousandth at
/// least, the largest first, with what they are measured by where that is not the time alone. `error`: of
/// predicted ratios, as words::ratioError(); gains inside it are marked. Empty `table`: none is worth a line.
ReportPart improvementsPart(const std::vector<Improvement>&, double error);

}  // namespace nest
