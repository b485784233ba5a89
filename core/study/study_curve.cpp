#include "study/study_curve.h"

#include <cmath>

#include "measures/plan_diff.h"
#include "study/quiet_solve.h"
#include "words/outcome_words.h"

namespace nest {
namespace {

/// The values of a study as its record keeps them. The axis is logarithmic: where steps are even, or a value
/// may be 0, the values stand at even distances.
std::vector<StudyRecord::Value> recordedValues(const Setting& s, const Problem& problem,
                                               const StudyAxis& axis) {
  const auto now = valueOf(s, problem, axis.parameter);
  const bool log = isLogarithmic(axis.parameter, axis.range, axis.values);
  std::vector<StudyRecord::Value> out;
  for (std::size_t i = 0; i < axis.values.size(); ++i)
    out.push_back({log ? axis.values[i] : std::exp2(double(i)), valueText(s, axis.parameter, axis.values[i]),
                   axis.values[i] == now});
  return out;
}

}  // namespace

StudyPoint studyPointAt(const Setting& s, const Problem& problem,
                        const std::vector<std::pair<Parameter, double>>& values) {
  StudyPoint out{s, problemAt(s, problem, values)};
  for (const auto& [p, value] : values)
    if (p.field) setNumber(out.setting, *p.field, value);
  return out;
}

StudyRecord emptyStudy(const Setting& s, const Problem& problem, const StudyAxis& across, const StudyAxis* up,
                       StudyQuantity quantity) {
  StudyRecord record;
  record.quantity = axisOf(quantity);
  record.lessIsBetter = isLessBetter(quantity);
  record.acrossName = across.parameter.name(), record.across = recordedValues(s, problem, across);
  if (up) record.upName = up->parameter.name(), record.up = recordedValues(s, problem, *up);
  const bool isRate = quantity == StudyQuantity::Tokens || quantity == StudyQuantity::Samples;
  if (!up && isRate && across.parameter.isDevices() &&
      isLogarithmic(across.parameter, across.range, across.values))
    record.heldBatch = problem.job.globalBatch;
  return record;
}

StudyRecord::Result studyResult(const StudyPoint& point, const Outcome& outcome,
                                const std::optional<RankedPlan>& previous, StudyQuantity quantity) {
  StudyRecord::Result r;
  const RankedPlan* best = outcome.best();
  if (!point.problem || !best) {
    r.none = point.problem ? words::of(outcome) : "cannot be planned";
    r.decided = !point.problem || outcome.status == OutcomeStatus::Infeasible;
    return r;
  }
  const auto& architecture = point.setting.model.architecture;
  const auto value =
      valueOf(quantity, metricsOf(*point.problem, architecture ? &*architecture : nullptr, *best));
  if (!value) {
    r.none = whyUnknown(quantity);
    return r;
  }
  r.y = *value, r.yText = valueText(quantity, r.y);
  r.plan = summaryOf(best->plan);
  if (!previous) return r;
  // More or fewer devices are the point of the study; another strategy, stage count or cut is news.
  for (const auto& c :
       diff(*point.problem, previous->plan, previous->evaluation, best->plan, best->evaluation).changes)
    if (c.kind != PlanChange::Kind::Data && c.kind != PlanChange::Kind::Placement)
      r.change += (r.change.empty() ? "" : "; ") + c.sentence;
  return r;
}

StudyRecord scalingStudy(const Setting& s, const Problem& problem, const Control& control,
                         const std::function<void(const StudyPoint&, const Outcome&)>& solved) {
  const StudyAxis devices{{}, {}, studyValues(s, problem, Parameter{}, false)};
  StudyRecord record = emptyStudy(s, problem, devices, nullptr, StudyQuantity::Tokens);
  std::optional<RankedPlan> previous;
  for (const double value : devices.values) {
    reportStudy(control, "Scaling", record.results.size(), devices.values.size());
    const StudyPoint there = studyPointAt(s, problem, {{devices.parameter, value}});
    const Outcome o = !there.problem          ? Outcome{}
                      : studyStopped(control) ? notSolved(control)
                                              : quietSolve(*there.problem, control);
    record.results.push_back(studyResult(there, o, previous, StudyQuantity::Tokens));
    if (solved) solved(there, o);
    if (o.best()) previous = *o.best();
  }
  return record;
}

}  // namespace nest
