#pragma once

#include <optional>
#include <string>
#include <vector>

#include "measures/plan_diff.h"
#include "solver/control.h"
#include "solver/outcome.h"
#include "study/parameter.h"

namespace nest {

/// What an improvement is measured by.
enum class ImprovementMeasure {
  TimePerToken,  ///< of steps
  Days,          ///< of the run, with its checkpoints and failures
  Money,
  Energy,
};
const char* nameOf(ImprovementMeasure);  ///< in files: "time-per-token", "days", "money", "energy"

/// What one single improvement would bring; the plan is found again.
struct Improvement {
  Parameter parameter;
  double from = 0, to = 0;  ///< values of the parameter
  std::string what;         ///< "+25 % bandwidth of level rack", "data overlap 25 % instead of 0 %"
  OutcomeStatus status = OutcomeStatus::Failed;
  std::string obstacle;  ///< without a plan: "does not fit", as words::of() the outcome
  Seconds batchTime;
  ImprovementMeasure measure{};
  double change = 0;  ///< of the measure, against the present best; −0.061 = 6.1 % less; −1 if nothing fitted
                      ///< before, or the run did not get through its failures
  PlanDiff plan;         ///< from the present best plan to the new one
  std::string sentence;  ///< "+25 % bandwidth of level rack: −6.1 %", "+25 % store, writing: −1.2 % days"
};

/// Every parameter made better by `fraction` (latency divided by 1 + fraction, a share of 0 raised to it),
/// solved and ranked, the largest gain first; of one that is not better for being more or less, the better of
/// both directions. Measured by what the goal counts of the best plan: days, money or energy. Under the goal
/// of the time for a token, fields of the run, which do not change steps, are measured by the days of the run
/// with the present plan. `problem` is that of the setting, `present` its best plan. `which`: empty for all
/// that have a better direction; then fields of the run that do not count for the measure are left out. Those
/// that a stop left out stand at the end, with OutcomeStatus::Stopped.
std::vector<Improvement> rankImprovements(const Setting&, const Problem&, const RankedPlan& present,
                                          double fraction = 0.25, const Control& = {},
                                          const std::vector<Parameter>& which = {});

/// The field, and its value in SI units, that make an improvement: of more devices the fan-out of the
/// outermost level.
struct FieldToTry {
  std::string pointer;
  double value = 0;
};
/// nullopt: no single field makes it. `problem` is that of the setting.
std::optional<FieldToTry> fieldToTry(const Setting&, const Problem&, const Improvement&);

/// "−6.1 %", "−1.2 % days".
std::string changeText(const Improvement&);

/// What the changes of a ranking are changes of, in a sentence: "Changes are those of the time per token."
/// Empty if nothing was ranked.
std::string measuredBy(const std::vector<Improvement>&);

}  // namespace nest
