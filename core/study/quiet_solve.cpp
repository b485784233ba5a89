#include "study/quiet_solve.h"

#include "solver/even_hosts.h"

namespace nest {

Outcome quietSolve(Problem problem, const Control& control, const Plan* start) {
  // Plans are compared by what the goal counts of them at least; of some of these one is chosen by all of it.
  constexpr int kPlansUnderGoal = 8;
  problem.search.topPlans = problem.deviceWeights ? kPlansUnderGoal : 1;
  Control quiet;
  quiet.stop = control.stop;
  quiet.deadline = control.deadline;
  quiet.work = control.work;
  quiet.front = FrontEffort::None;
  return solveOnEvenHosts(problem, quiet, start);
}

Outcome notSolved(const Control& control) {
  Outcome o;
  o.status = OutcomeStatus::Stopped;
  o.stopCause = control.cause();
  return o;
}

void reportStudy(const Control& control, std::string_view phase, std::size_t done, std::size_t all) {
  if (!control.progress) return;
  Progress p;
  p.phase = phase;
  p.fraction = all ? static_cast<double>(done) / static_cast<double>(all) : 1;
  control.progress(p);
}

}  // namespace nest
