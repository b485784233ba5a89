// The names of what a solve can end in, and the gap.
#include "solver/outcome.h"

#include <algorithm>
#include <utility>

namespace nest {

const char* nameOf(OutcomeStatus s) {
  switch (s) {
    case OutcomeStatus::Optimal:
      return "optimal";
    case OutcomeStatus::WithinGap:
      return "within-gap";
    case OutcomeStatus::BestSoFar:
      return "best-so-far";
    case OutcomeStatus::Stopped:
      return "stopped";
    case OutcomeStatus::Infeasible:
      return "infeasible";
    case OutcomeStatus::Failed:
      break;
  }
  return "failed";
}

const char* nameOf(ProofRange r) {
  return r == ProofRange::EveryLine ? "every-line" : "network-order";
}

const char* nameOf(StopCause c) {
  switch (c) {
    case StopCause::None:
      return "none";
    case StopCause::Request:
      return "request";
    case StopCause::Deadline:
      return "deadline";
    case StopCause::WorkLimit:
      return "work-limit";
    case StopCause::MemoryLimit:
      break;
  }
  return "memory-limit";
}

const char* nameOf(SearchExtent e) {
  switch (e) {
    case SearchExtent::Plain:
      return "plain";
    case SearchExtent::OneStrategy:
      return "one-strategy";
    case SearchExtent::Everything:
      return "everything";
    case SearchExtent::Nothing:
      break;
  }
  return "nothing";
}

const char* nameOf(FrontReach reach) {
  switch (reach) {
    case FrontReach::Complete:
      return "exact";
    case FrontReach::CompleteInOrder:
      return "exact-in-order";
    case FrontReach::Sampled:
      return "stepped";
    case FrontReach::Encountered:
      break;
  }
  return "met";
}

const char* nameOf(CandidateResult f) {
  switch (f) {
    case CandidateResult::Won:
      return "won";
    case CandidateResult::Solved:
      return "solved";
    case CandidateResult::Bounded:
      return "bounded";
    case CandidateResult::OutOfMemory:
      return "out-of-memory";
    case CandidateResult::NotOffered:
      return "not-offered";
    case CandidateResult::NotReached:
      break;
  }
  return "not-reached";
}

void SolveStatistics::add(const SolveStatistics& other) {
  tuples += other.tuples;
  states += other.states;
  elapsed += other.elapsed;
  addTo(bounds, other.bounds);
}

void Outcome::takeTablesOf(Outcome& other) {
  for (auto& t : std::exchange(other.tables, {})) tables.push_back(std::move(t));
}

std::optional<double> Outcome::gap() const {
  const RankedPlan* p = best();
  if (!p || !(p->evaluation.batchTime.value() > 0) || !(lowerBound > Seconds())) return std::nullopt;
  return std::max(0.0, (p->evaluation.batchTime - lowerBound) / p->evaluation.batchTime);
}

}  // namespace nest
