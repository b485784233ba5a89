#pragma once

#include <string>
#include <vector>

#include "measures/pace.h"
#include "problem/problem.h"

namespace nest {

/// Where the difference of two plans' times comes from: each part of splitOf(), of a step or, where the steps
/// differ in their work, of a token. The growths of the terms add up to after − before.
struct StepDifference {
  PaceMeasure measure = PaceMeasure::BatchTime;
  Seconds before, after;          ///< comparedTime() of both
  std::vector<PartChange> terms;  ///< in the order of TimePart; without parts that neither plan has

  /// False if a plan cannot be costed, so that there is nothing to take apart.
  bool isKnown() const { return before > Seconds() && after > Seconds() && !terms.empty(); }
};
StepDifference stepDifference(const Evaluation& first, const Pace& firstPace, const Evaluation& second,
                              const Pace& secondPace);

/// The terms that grow, the largest growth first; with `shrinking`, those that shrink. As many as make up
/// nine tenths of the total growth (or reduction).
std::vector<PartChange> partChanges(const StepDifference&, bool shrinking = false);

/// One step of the waterfall from one time to the other.
struct WaterfallStep {
  std::vector<TimePart> parts;  ///< one, or small ones joined
  Seconds before, after;        ///< of these parts
  Seconds from, to;  ///< running total; the first step begins at `before`, the last ends at `after`

  bool isJoined() const { return parts.size() > 1; }
  Seconds growth() const { return after - before; }
};
/// The terms that differ, compute first and idle last. Those below 1 % of the larger time that are also small
/// against the largest term are joined into one step at the end. Empty if nothing differs.
std::vector<WaterfallStep> waterfallOf(const StepDifference&);

/// A short fact about a plan that differs between two plans.
struct PlanFact {
  enum class Kind {
    Microbatches,
    Microbatch,
    Tensor,
    Context,
    Expert,
    Stages,
    Chunks,
    Data,
    Zero,
    Schedule,
    Recompute,
    Devices
  };
  Kind kind{};
  std::string before, after;  ///< "8"; a plan whose stages differ has a range: "4–8"
};
const char* nameOf(PlanFact::Kind);  ///< name in files: "microbatches", "tensor", …
std::vector<PlanFact> changedFacts(const Plan& first, const Evaluation& firstEvaluation, const Plan& second,
                                   const Evaluation& secondEvaluation);

/// What keeps a plan from running in another problem with the same layers.
struct PlanObstacle {
  bool exists = false;
  Bytes shortfall;  ///< of memory, on the stage that is shortest; 0: the obstacle is another rule
};
PlanObstacle obstacleIn(const Problem&, const Plan&);

}  // namespace nest
