#include "study/improvements.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <variant>

#include "diagnostics/field_change.h"
#include "fields/field_slide.h"
#include "measures/pace.h"
#include "run/run_forecast.h"
#include "study/quiet_solve.h"
#include "units/text.h"
#include "words/outcome_words.h"
#include "words/run_words.h"

namespace nest {
namespace {

bool isOfRun(const Parameter& p) {
  return p.field && p.field->field->key.starts_with("/run/");
}

ImprovementMeasure measureOf(const Problem& problem, const Parameter& p) {
  switch (problem.search.goal) {
    case Goal::Days:
      return ImprovementMeasure::Days;
    case Goal::Money:
      return ImprovementMeasure::Money;
    case Goal::Energy:
      return ImprovementMeasure::Energy;
    case Goal::TimePerToken:
      break;
  }
  return isOfRun(p) ? ImprovementMeasure::Days : ImprovementMeasure::TimePerToken;
}

/// In any unit; nullopt: the run does not get through its failures, or fields are missing.
std::optional<double> amountOf(ImprovementMeasure m, const Problem& problem, const RankedPlan& r) {
  const double perToken = paceOf(problem, r).perToken().value();
  if (m == ImprovementMeasure::TimePerToken) return perToken;
  auto run = runForecastOf(problem, r.plan, r.evaluation);
  if (!run) run = stepsOnly(problem, r.plan, r.evaluation);
  if (!run || (problem.run.hasFailures() && !run->prediction)) return std::nullopt;
  if (m == ImprovementMeasure::Money) return run->money;
  if (m == ImprovementMeasure::Energy) return run->energy;
  if (run->total) return run->total->value();
  if (!run->prediction || !run->prediction->finishes) return std::nullopt;
  return perToken / run->prediction->goodput(run->times->work);  // the tokens are not known
}

/// Why there is no amount.
std::string obstacleTo(ImprovementMeasure m, const Problem& problem) {
  const auto missing = m == ImprovementMeasure::Days ? missingForFailures(problem) : missingForRun(problem);
  if (!missing.empty()) return "give " + words::listOfFields(missing);
  return problem.run.hasFailures() ? "the run does not get through its failures"
                                   : "the scenario gives no rate of failures";
}

/// The values to try for an improvement; none where it can get no better.
std::vector<double> improved(const Problem& problem, const Parameter& p, double now, double fraction) {
  if (p.isDevices()) {
    // A gain that is felt: at least one host more.
    const int n = problem.cluster->deviceCount(), host = problem.cluster->largestGroupSize(0);
    const auto wanted = static_cast<int>(std::lround(n * (1 + fraction)));
    return {double(std::max(wanted / host * host, n + host))};
  }
  const Field& f = *p.field->field;
  const bool isWhole = f.access.measure == Measure::Count;
  const double more = now > 0                              ? now * (1 + fraction)
                      : f.access.measure == Measure::Share ? fraction
                                                           : f.usual;
  std::vector<double> out;
  if (f.better != Better::Smaller) out.push_back(isWhole ? stepped(*p.field, now, 1) : more);
  if (f.better != Better::Larger) out.push_back(isWhole ? stepped(*p.field, now, -1) : now / (1 + fraction));
  for (double& v : out) v = std::clamp(v, f.least, f.most);
  std::erase_if(out, [now](double v) { return v == now; });
  return out;
}

std::string wordsOf(const Setting& s, const Parameter& p, double from, double to) {
  const bool isRatio = from > 0 && p.field && p.field->field->access.measure != Measure::Count;
  if (isRatio) return text::signedPercent(to / from - 1) + " " + p.name();
  const std::string instead = " instead of " + valueText(s, p, from);
  return p.isDevices() ? valueText(s, p, to) + " devices" + instead
                       : p.name() + " " + valueText(s, p, to) + instead;
}

/// Asks what one value of one parameter brings.
class Improving {
public:
  Improving(const Setting& s, const Problem& problem, const RankedPlan& present, const Control& control)
      : m_setting(s), m_problem(problem), m_present(present), m_control(control) {}

  std::optional<Improvement> at(const Parameter& p, double from, double to) const {
    Improvement one;
    one.parameter = p, one.from = from, one.to = to;
    one.measure = measureOf(m_problem, p);
    one.what = wordsOf(m_setting, p, from, to);
    const bool isOver = studyStopped(m_control);
    const auto there = isOver ? std::nullopt : problemAt(m_setting, m_problem, p, to);
    if (!there && !isOver) return std::nullopt;
    const Outcome found = there ? solved(*there, p) : notSolved(m_control);
    one.status = found.status;
    if (const RankedPlan* best = found.best())
      measure(one, *there, *best);
    else
      one.obstacle = words::of(found);
    one.sentence = one.what + ": " + adviceText(one.obstacle);
    if (one.obstacle.empty())
      one.sentence += changeText(one) + (one.plan.same() ? "" : ", with another plan");
    return one;
  }

private:
  /// Steps do not change with a field of the run: where they are what counts, the present plan stays the
  /// best.
  Outcome solved(const Problem& there, const Parameter& p) const {
    if (!isOfRun(p) || m_problem.search.goal != Goal::TimePerToken)
      return quietSolve(there, m_control, &m_present.plan);
    Outcome o;
    o.status = OutcomeStatus::Optimal;
    o.plans.push_back(m_present);
    return o;
  }

  void measure(Improvement& one, const Problem& there, const RankedPlan& best) const {
    const auto before = amountOf(one.measure, m_problem, m_present),
               after = amountOf(one.measure, there, best);
    if (!after) {
      one.status = OutcomeStatus::Failed;
      one.obstacle = obstacleTo(one.measure, there);
      return;
    }
    one.batchTime = best.evaluation.batchTime;
    one.change = before && *before > 0 ? *after / *before - 1 : -1;
    one.plan = diff(there, m_present.plan, m_present.evaluation, best.plan, best.evaluation, &m_problem);
  }

  const Setting& m_setting;
  const Problem& m_problem;
  const RankedPlan& m_present;
  const Control& m_control;
};

bool hasPlan(const Improvement& one) {
  return one.batchTime > Seconds();
}

}  // namespace

const char* nameOf(ImprovementMeasure m) {
  switch (m) {
    case ImprovementMeasure::Days:
      return "days";
    case ImprovementMeasure::Money:
      return "money";
    case ImprovementMeasure::Energy:
      return "energy";
    case ImprovementMeasure::TimePerToken:
      break;
  }
  return "time-per-token";
}

std::optional<FieldToTry> fieldToTry(const Setting& s, const Problem& problem, const Improvement& one) {
  if (!one.parameter.isDevices()) return FieldToTry{one.parameter.field->pointer(), one.to};
  const auto* levels = std::get_if<LevelsSource>(&s.cluster.network);
  if (!levels || !levels->hostSizes.empty() || levels->levels.empty()) return std::nullopt;
  const std::size_t outermost = levels->levels.size() - 1;
  const double groups = one.to * levels->levels[outermost].fanout / problem.cluster->deviceCount();
  if (groups != std::floor(groups)) return std::nullopt;
  return FieldToTry{"/cluster/levels/" + std::to_string(outermost) + "/fanout", groups};
}

std::string changeText(const Improvement& one) {
  const bool isOfTime = one.measure == ImprovementMeasure::TimePerToken;
  return text::signedPercent(one.change) + (isOfTime ? "" : std::string(" ") + nameOf(one.measure));
}

std::vector<Improvement> rankImprovements(const Setting& s, const Problem& problem, const RankedPlan& present,
                                          double fraction, const Control& control,
                                          const std::vector<Parameter>& which) {
  std::vector<Parameter> all = which.empty() ? parametersOf(s) : which;
  if (which.empty())
    std::erase_if(all,
                  [](const Parameter& p) { return p.field && p.field->field->better == Better::Neither; });
  const Improving improving(s, problem, present, control);
  std::vector<Improvement> out;
  for (std::size_t i = 0; i < all.size(); ++i) {
    reportStudy(control, "Improvements", i, all.size());
    const auto now = valueOf(s, problem, all[i]);
    if (!now) continue;
    std::optional<Improvement> best;
    for (const double to : improved(problem, all[i], *now, fraction)) {
      auto one = improving.at(all[i], *now, to);
      if (one && (!best || (hasPlan(*one) && (!hasPlan(*best) || one->change < best->change))))
        best = std::move(one);
    }
    if (!best) continue;
    const bool counts = best->status == OutcomeStatus::Stopped || (hasPlan(*best) && best->change != 0);
    if (counts || !which.empty() || !isOfRun(all[i])) out.push_back(std::move(*best));
  }
  std::stable_sort(out.begin(), out.end(), [](const Improvement& a, const Improvement& b) {
    const bool x = a.status == OutcomeStatus::Stopped, y = b.status == OutcomeStatus::Stopped;
    return x != y ? y : a.change < b.change;
  });
  return out;
}

std::string measuredBy(const std::vector<Improvement>& all) {
  if (all.empty()) return {};
  switch (all.front().measure) {
    case ImprovementMeasure::Money:
      return "Changes are those of the money that the run takes.";
    case ImprovementMeasure::Energy:
      return "Changes are those of the energy that the run takes.";
    default:
      break;
  }
  const bool isMixed = std::any_of(
      all.begin(), all.end(), [&](const Improvement& one) { return one.measure != all.front().measure; });
  if (isMixed)
    return "Changes are those of the time per token; for fields of the run, which change no step, those of "
           "the "
           "days of the run.";
  return all.front().measure == ImprovementMeasure::Days ? "Changes are those of the days of the run."
                                                         : "Changes are those of the time per token.";
}

}  // namespace nest
