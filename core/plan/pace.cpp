#include "plan/pace.h"

#include <algorithm>
#include <array>

#include "units/text.h"

namespace nest {

Pace paceOf(const Problem& problem, const Plan& plan, const Evaluation& e) {
  const int round = plan.microbatch * plan.dataDegree();
  const int all = round * e.microbatchCount, wanted = problem.job.globalBatch;
  // The last microbatch may be padded.
  return {e.batchTime, wanted <= all && wanted > all - round ? wanted : all};
}

Pace paceOf(const Problem& problem, const RankedPlan& r) {
  return paceOf(problem, r.plan, r.evaluation);
}

PaceMeasure measureOf(std::span<const Pace> all) {
  const bool alike = std::all_of(all.begin(), all.end(),
                                 [&](const Pace& p) { return p.globalBatch == all.front().globalBatch; });
  return alike ? PaceMeasure::BatchTime : PaceMeasure::Throughput;
}

PaceMeasure measureOf(const Pace& first, const Pace& second) {
  return measureOf(std::array{first, second});
}

std::string paceText(const Pace& p, PaceMeasure m) {
  return m == PaceMeasure::BatchTime ? text::time(p.batchTime) + " per step"
                                     : text::number(p.samplesPerSecond()) + " samples/s";
}

double paceChange(const Pace& a, const Pace& b, PaceMeasure m) {
  const double before = m == PaceMeasure::BatchTime ? a.batchTime.value() : a.samplesPerSecond();
  const double after = m == PaceMeasure::BatchTime ? b.batchTime.value() : b.samplesPerSecond();
  return before > 0 ? after / before - 1 : 0;
}

std::string paceChangeText(const Pace& a, const Pace& b, PaceMeasure m) {
  const std::string from =
      m == PaceMeasure::BatchTime ? text::time(a.batchTime) : text::number(a.samplesPerSecond());
  return from + " → " + paceText(b, m) + " (" + text::signedPercent(paceChange(a, b, m)) + ")";
}

bool isFaster(const Pace& a, const Pace& than) {
  return a.batchTime.value() * than.globalBatch < than.batchTime.value() * a.globalBatch;
}

}  // namespace nest
