#include "scenario/calibration.h"

#include <cmath>

#include "plan/evaluation.h"
#include "units/text.h"

namespace nest {
namespace {

constexpr double kLeast = 1e-6, kMost = 1e6;
constexpr int kHalvings = 60;

std::optional<Seconds> batchTime(Scenario& scenario, const Plan& plan, double factor, Diagnostics& out) {
  scenario.model.calibration = factor;
  auto problem = buildProblem(scenario);
  if (!problem) {
    out = std::move(problem.diagnostics);
    return std::nullopt;
  }
  return evaluate(*problem, plan).batchTime;
}

}  // namespace

Reading<Calibration> calibrationFor(const Scenario& scenario, const Plan& plan, Seconds measured) {
  Reading<Calibration> result;
  const auto fail = [&](std::string message, std::string remedy) {
    result.diagnostics.push_back(
        error("calibration", {"", 0, 0, "/model/calibration"}, std::move(message), std::move(remedy)));
    return result;
  };
  if (!(measured.value() > 0) || !std::isfinite(measured.value()))
    return fail("the measured step time must be more than 0", "give a time like 12.3s");
  Scenario trial = scenario;
  const auto predicted = batchTime(trial, plan, scenario.model.calibration, result.diagnostics);
  if (!predicted) return result;
  if (!(predicted->value() > 0) || !std::isfinite(predicted->value()))
    return fail("the model gives this plan no step time", "see nest-plan evaluate for what is wrong with it");
  double low = kLeast, high = kMost;
  const auto least = batchTime(trial, plan, low, result.diagnostics);
  if (!least) return result;
  if (*least >= measured)
    return fail("the exchanges of this plan alone take " + text::time(*least) +
                    ", no less than the measured " + text::time(measured),
                "raise the bandwidths, or say what overlaps in /assumptions/overlap");
  // The batch time grows with the factor.
  for (int i = 0; i < kHalvings && high / low > 1 + 1e-12; ++i) {
    const double middle = std::sqrt(low * high);
    const auto t = batchTime(trial, plan, middle, result.diagnostics);
    if (!t) return result;
    (*t < measured ? low : high) = middle;
  }
  const auto rescaled = batchTime(trial, plan, high, result.diagnostics);
  if (!rescaled) return result;
  result.value = Calibration{*predicted, measured, high, *rescaled};
  return result;
}

}  // namespace nest
