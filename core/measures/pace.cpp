#include "measures/pace.h"

#include <algorithm>
#include <array>

#include "units/amount.h"
#include "units/text.h"

namespace nest {
namespace {

template <class Field>
bool differIn(std::span<const Pace> all, Field field) {
  return std::any_of(all.begin(), all.end(), [&](const Pace& p) { return p.*field != all.front().*field; });
}

double measured(const Pace& p, PaceMeasure m) {
  return m == PaceMeasure::BatchTime ? p.batchTime.value() : p.tokensPerSecond();
}

}  // namespace

Pace paceOf(const Problem& problem, const Plan& plan, const Evaluation& e) {
  const int round = plan.microbatch * plan.dataDegree();
  const int all = round * e.microbatchCount, wanted = problem.batchOf(plan.globalBatch);
  // The last microbatch may be padded.
  return {e.batchTime, wanted <= all && wanted > all - round ? wanted : all, problem.job.sequenceLength};
}

Pace paceOf(const Problem& problem, const RankedPlan& r) {
  return paceOf(problem, r.plan, r.evaluation);
}

PaceMeasure measureOf(std::span<const Pace> all) {
  return workDifference(all).empty() ? PaceMeasure::BatchTime : PaceMeasure::Throughput;
}

PaceMeasure measureOf(const Pace& first, const Pace& second) {
  return measureOf(std::array{first, second});
}

Seconds comparedTime(const Pace& p, PaceMeasure m) {
  return m == PaceMeasure::BatchTime ? p.batchTime : p.perToken();
}

std::string workDifference(std::span<const Pace> all) {
  if (all.empty()) return {};
  const bool batches = differIn(all, &Pace::globalBatch), sequences = differIn(all, &Pace::sequenceLength);
  return batches && sequences ? "global batches and sequence lengths differ"
         : batches            ? "global batches differ"
         : sequences          ? "sequence lengths differ"
                              : "";
}

std::string workChangeText(const Pace& a, const Pace& b) {
  std::string out;
  const auto add = [&](const char* name, int before, int after) {
    if (before == after) return;
    out += (out.empty() ? "" : ", ") + std::string(name) + ' ' + text::count(before) + " → " +
           text::count(after);
  };
  add("global batch", a.globalBatch, b.globalBatch);
  add("sequence length", a.sequenceLength, b.sequenceLength);
  return out;
}

std::string samplesRate(double perSecond) {
  return text::rate(perSecond) + " samples/s";
}

std::string tokensRate(double perSecond) {
  return text::amount(perSecond) + " tokens/s";
}

std::string paceText(const Pace& p, PaceMeasure m) {
  return m == PaceMeasure::BatchTime ? text::time(p.batchTime) + " per step"
                                     : tokensRate(p.tokensPerSecond());
}

std::string paceUnit(PaceMeasure m) {
  return m == PaceMeasure::BatchTime ? " time" : " tokens/s";
}

double paceChange(const Pace& a, const Pace& b, PaceMeasure m) {
  const double before = measured(a, m);
  return before > 0 ? measured(b, m) / before - 1 : 0;
}

std::string paceChangeText(const Pace& a, const Pace& b, PaceMeasure m) {
  const std::string from =
      m == PaceMeasure::BatchTime ? text::time(a.batchTime) : text::amount(a.tokensPerSecond());
  return from + " → " + paceText(b, m) + " (" + text::signedPercent(paceChange(a, b, m)) + ")";
}

bool isFaster(const Pace& a, const Pace& than) {
  return a.batchTime.value() * than.tokens() < than.batchTime.value() * a.tokens();
}

}  // namespace nest
