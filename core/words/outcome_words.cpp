#include "words/outcome_words.h"

#include <algorithm>
#include <cctype>

#include "units/numbering.h"
#include "units/text.h"

namespace nest::words {
namespace {

const char* causeOf(StopCause c) {
  switch (c) {
    case StopCause::Deadline:
      return "at the deadline";
    case StopCause::WorkLimit:
      return "at the work limit";
    case StopCause::MemoryLimit:
      return "at the memory limit of the search";
    default:
      return "by request";
  }
}

std::string after(const Outcome& o) {
  return std::string(causeOf(o.stopCause)) + " after " + text::time(o.statistics.elapsed);
}

/// The first thing that was found to stand in the way.
std::string obstacleOf(const Diagnostics& all) {
  const auto d = std::find_if(all.begin(), all.end(),
                              [](const Diagnostic& one) { return one.severity != Severity::Note; });
  if (d == all.end()) return {};
  std::string out = d->remedy.empty() ? d->message : d->message + "; " + d->remedy;
  if (!out.empty()) out[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(out[0])));
  return out;
}

}  // namespace

const char* of(OutcomeStatus s) {
  switch (s) {
    case OutcomeStatus::Optimal:
      return "optimal";
    case OutcomeStatus::BestSoFar:
      return "best so far";
    case OutcomeStatus::Stopped:
      return "stopped without a plan";
    case OutcomeStatus::Infeasible:
      return "does not fit";
    case OutcomeStatus::Failed:
      break;
  }
  return "failed";
}

std::string verdict(const Outcome& o) {
  switch (o.status) {
    case OutcomeStatus::Optimal:
      return "Optimal in " + text::time(o.statistics.elapsed);
    case OutcomeStatus::BestSoFar: {
      const auto gap = o.gap();
      return "Best so far, stopped " + after(o) + (gap ? ", gap " + text::percent(*gap) : "");
    }
    case OutcomeStatus::Stopped:
      return "Stopped without a plan, " + after(o);
    case OutcomeStatus::Infeasible:
      return "Does not fit";
    case OutcomeStatus::Failed:
      break;
  }
  return "Failed";
}

NoPlan noPlan(const Outcome& o) {
  switch (o.status) {
    case OutcomeStatus::Stopped:
      return {
          "Stopped without a plan",
          "The search ended " + after(o) + ", before it found a plan; whether one fits is not known. " +
              (o.stopCause == StopCause::MemoryLimit ? "Bound the degrees, or give all stages one strategy"
                                                     : "Allow more time")};
    case OutcomeStatus::Infeasible: {
      if (o.nearestMiss) {
        std::string detail = "Closest plan: " + shortfall(*o.nearestMiss);
        if (!o.nearestMiss->remedies.empty()) detail += ". Fix: " + o.nearestMiss->remedies.front();
        return {"Does not fit", detail};
      }
      const std::string known = obstacleOf(o.diagnostics);
      return {"Does not fit", known.empty() ? "No plan meets the batch size, the device count and the "
                                              "constraints together"
                                            : known};
    }
    default:
      return {"The search failed", obstacleOf(o.diagnostics)};
  }
}

const char* obstacleTo(const Evaluation& e) {
  return e.violations.front().kind == Violation::Kind::Memory ? of(OutcomeStatus::Infeasible) : "cannot run";
}

const char* obstacleTo(const BaselineResult& b) {
  if (b.stoppedWithoutPlan()) return of(OutcomeStatus::Stopped);
  if (!b.searched) return "not searched";
  return b.plan ? obstacleTo(b.plan->evaluation) : of(OutcomeStatus::Infeasible);
}

std::string shortfall(const NearestMiss& miss) {
  return text::stageName(StageIndex(miss.stage)) + " needs " + text::memory(miss.shortfall) + " more";
}

}  // namespace nest::words
