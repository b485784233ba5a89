#pragma once

#include "solver/stage/stage_costs.h"

namespace nest::planner {

/// What no plan of one (b, σ, d) can beat when its gradients are exchanged.
struct GradientFloor {
  GroupRates dense, expert;
  int denseShards = 1, expertShards = 1;
  static GradientFloor of(const GroupShapes&, const Strategy&, int dataDegree);
};

/// A lower bound on the time of every plan of (b, σ, d, s, z, v): all work at its cheapest place, spread
/// evenly, the largest layer whole; sync as if the first stage's gradients moved inside the innermost levels
/// first.
///
/// A first stage that does work w leaves (W − w)/(s − 1) to some other one and exposes at least ρ·w of sync
/// and step; T is convex and piecewise linear in w, so its least value stands at w = 0 or where both kinds of
/// load are equal.
double lowerBound(const Problem&, const LayerSums&, const GradientFloor&, int microbatchCount, int stages,
                  int zero, int chunks);

/// A first stage exposes sync and step of at least this × its least load (LayerSums::leastAny).
double tailPerLoad(const Problem&, const LayerSums&, const GradientFloor&, int zero);

/// Seconds that a first stage with these parameters exposes of sync and step at least.
double leastSyncAndStep(const Problem&, const GradientFloor&, int zero, double dense, double expert);

/// The innermost level some group of which holds so many devices; the outermost one if none does.
int narrowestLevel(const Hierarchy&, long long devices);

/// Bytes that the stages of every plan of (b, σ, d, s, z) hold together on one device each, at least.
double leastTotalMemory(const Problem&, const LayerSums&, const GradientFloor&, int stages, int zero);

}  // namespace nest::planner
