#include "words/outcome_words.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

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

std::string capitalised(std::string s) {
  if (!s.empty()) s[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(s[0])));
  return s;
}

constexpr const char* kDoesNotFit = "does not fit";

/// How far the search got.
std::string finishedPart(const Outcome& o) {
  switch (o.finished) {
    case SearchExtent::Plain:
      return ", plain search finished";
    case SearchExtent::OneStrategy:
      return ", search with one strategy for all stages finished";
    default:
      return {};
  }
}

/// The first obstacle that was found.
std::string obstacleOf(const Diagnostics& all) {
  const auto d = std::find_if(all.begin(), all.end(),
                              [](const Diagnostic& one) { return one.severity != Severity::Note; });
  if (d == all.end()) return {};
  return capitalised(d->remedy.empty() ? d->message : d->message + "; " + d->remedy);
}

/// The rule that excludes all plans, from the first warning about one.
const char* ruleOf(const Diagnostics& all) {
  constexpr std::pair<std::string_view, const char*> kRules[] = {
      {"nothing-divides", "batch not divisible"},
      {"chunks-refuse", "blocks not divisible"},
      {"degrees-refuse", "devices not divisible"},
      {"too-few-devices", "too few devices"},
      {"schedule-refuses", "no schedule runs"},
      {"no-schedule", "no schedule runs"},
      {"profile-incomplete", "profile incomplete"},
      {"program-refuses", "program cannot run it"},
      {"constraint-conflict", "constraints conflict"},
      {"no-strategy", "no strategy to try"},
      {"no-microbatch", "no microbatch size to try"},
      {"no-zero-stage", "no ZeRO stage to try"},
      {"no-chunks", "no VPP to try"}};
  for (const Diagnostic& d : all)
    for (const auto& [code, words] : kRules)
      if (d.severity != Severity::Note && d.code == code) return words;
  return nullptr;
}

/// Where nothing fits, but might in another order of the devices.
std::string otherLines(const Outcome& o) {
  const auto open = std::find_if(o.diagnostics.begin(), o.diagnostics.end(),
                                 [](const Diagnostic& d) { return d.code == kOtherLinesOpen; });
  return open == o.diagnostics.end() ? std::string() : ". " + capitalised(open->message);
}

}  // namespace

const char* of(const Outcome& o) {
  if (o.status != OutcomeStatus::Infeasible) return of(o.status);
  if (o.nearestMiss) return kDoesNotFit;
  const char* rule = ruleOf(o.diagnostics);
  return rule ? rule : of(o.status);
}

const char* of(OutcomeStatus s) {
  switch (s) {
    case OutcomeStatus::Optimal:
      return "optimal";
    case OutcomeStatus::WithinGap:
      return "best found";
    case OutcomeStatus::BestSoFar:
      return "best so far";
    case OutcomeStatus::Stopped:
      return "stopped without a plan";
    case OutcomeStatus::Infeasible:
      return "no plan";
    case OutcomeStatus::Failed:
      break;
  }
  return "failed";
}

std::string leftOut(const Outcome& o) {
  const int count = optionsIn(o.notSearched);
  return count == 0 ? std::string()
                    : ", " + text::count(count) + (count == 1 ? " option" : " options") + " not searched";
}

std::string verdict(const Outcome& o) {
  switch (o.status) {
    case OutcomeStatus::Optimal:
      return "Optimal in " + text::time(o.statistics.elapsed) + leftOut(o);
    case OutcomeStatus::WithinGap: {
      const auto gap = o.gap();
      if (o.goalGap && gap)
        return "Within " + text::percent(*gap) + " of the least for the goal, in " +
               text::time(o.statistics.elapsed) + leftOut(o);
      return (gap ? "Within " + text::percent(*gap) + " of the best set and order of hosts, in "
                  : std::string("Best found, no bound on other sets and orders of hosts, in ")) +
             text::time(o.statistics.elapsed) + leftOut(o);
    }
    case OutcomeStatus::BestSoFar: {
      const auto gap = o.gap();
      return "Best so far, stopped " + after(o) + (gap ? ", gap " + text::percent(*gap) : "") +
             finishedPart(o);
    }
    case OutcomeStatus::Stopped:
      return "Stopped without a plan, " + after(o);
    case OutcomeStatus::Infeasible:
      return capitalised(of(o));
    case OutcomeStatus::Failed:
      break;
  }
  return "Failed";
}

std::string proof(const Outcome& o) {
  if (o.range != ProofRange::EveryLine || !o.best()) return {};
  if (o.status == OutcomeStatus::Optimal) return "no other set and no other order of hosts is faster";
  if (o.status != OutcomeStatus::WithinGap) return {};
  const auto gap = o.gap();
  return gap ? "other sets and orders of hosts, of which not all were tried, save " + text::percent(*gap) +
                   " at most"
             : std::string("how much other sets and orders of hosts would save is not known");
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
        return {capitalised(of(o)), detail + otherLines(o)};
      }
      const std::string known = obstacleOf(o.diagnostics);
      return {capitalised(of(o)), (known.empty() ? "No plan meets the batch size, the device count and the "
                                                   "constraints together"
                                                 : known) +
                                      otherLines(o)};
    }
    default:
      return {"The search failed", obstacleOf(o.diagnostics)};
  }
}

const char* obstacleTo(const Evaluation& e) {
  const Violation::Kind first = e.violations.front().kind;
  return first == Violation::Kind::Memory || first == Violation::Kind::HostMemory ? kDoesNotFit
                                                                                  : "cannot run";
}

const char* obstacleTo(const BaselineResult& b) {
  if (b.stoppedWithoutPlan()) return of(OutcomeStatus::Stopped);
  if (!b.searched) return "not searched";
  return b.plan ? obstacleTo(b.plan->evaluation) : of(OutcomeStatus::Infeasible);
}

const char* promiseOf(FrontReach reach) {
  switch (reach) {
    case FrontReach::Complete:
      return "complete: no other plan with one strategy for all stages beats these in step time, devices and "
             "peak memory";
    case FrontReach::CompleteInOrder:
      return "complete in the network's order of hosts: there no other plan with one strategy for all stages "
             "beats these in step time, devices and peak memory";
    case FrontReach::Sampled:
      return "the fastest plan for each device count and memory limit that was tried; there may be more "
             "between them";
    case FrontReach::Encountered:
      break;
  }
  return "the best of the plans that the search encountered; better ones may exist";
}

std::string shortfall(const NearestMiss& miss) {
  return text::stageName(StageIndex(miss.stage)) + " needs " + text::memory(miss.shortfall) + " more";
}

}  // namespace nest::words
