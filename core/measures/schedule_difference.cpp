#include "measures/schedule_difference.h"

#include <cmath>

#include "units/text.h"

namespace nest {
namespace {

/// Least relative difference that is worth a sentence, and of a part that is worth a clause.
constexpr double kWorthSaying = 0.02, kWorthAClause = 0.005;

bool isWorthSaying(const ScheduleDifference& d) {
  return std::abs(d.relative()) > kWorthSaying;
}

}  // namespace

ScheduleDifference scheduleDifference(const Problem& problem, const Plan& plan, const Evaluation& evaluation,
                                      Seconds simulated) {
  Evaluation passes = evaluation;
  for (StageEvaluation& s : passes.stages) s.sync = s.hiddenSync = s.step = Seconds();
  const Seconds alone = simulate(problem, plan, passes, false).total;
  ScheduleDifference d;
  d.formula = evaluation.pipelineTime;
  d.simulated = simulated;
  d.passes = alone - (evaluation.pipelineTime - evaluation.tail);
  d.tail = simulated - alone - evaluation.tail;
  return d;
}

std::string sentenceOn(const ScheduleDifference& d, const Plan& plan) {
  if (!isWorthSaying(d)) return {};
  std::string out = "the simulation is " + text::percent(std::abs(d.relative())) +
                    (d.relative() < 0 ? " shorter" : " longer") + " than the formula: ";
  std::string reasons;
  const auto add = [&](Seconds part, const std::string& reason) {
    if (std::abs(part / d.formula) < kWorthAClause) return;
    reasons += (reasons.empty() ? "" : "; ") + text::signedPercent(part / d.formula) + ' ' + reason;
  };
  add(d.tail,
      "as gradient reduction and optimizer step of later stages overlap the last passes of earlier ones, of "
      "which the formula counts only backward compute");
  if (d.passes < Seconds())
    add(d.passes,
        "as fill and drain, which the formula charges in full, partly run while the slowest stage works");
  else if (plan.pipelineSchedule().splitsBackward())
    add(d.passes,
        "as stages that split their load differently, and the transfers between them, wait for each other");
  else if (plan.chunksPerStage() > 1)
    add(d.passes, "as chunks of unequal length, and the transfers between them, wait for each other");
  else
    add(d.passes,
        "as 1F1B takes forward and backward passes in turn, and stages that split their load differently "
        "wait for each other");
  return out + reasons;
}

std::string differenceInWords(const Problem& problem, const Plan& plan, const Evaluation& evaluation,
                              Seconds simulated) {
  // Most plans differ too little and need no second simulation.
  if (!isWorthSaying({evaluation.pipelineTime, simulated, {}, {}})) return {};
  return sentenceOn(scheduleDifference(problem, plan, evaluation, simulated), plan);
}

}  // namespace nest
