#pragma once

#include "cluster/levels/hierarchy.h"
#include "cost/gradient_messages.h"
#include "problem/job.h"
#include "solver/space/group_shapes.h"

/// The time of every exchange that a stage takes part in, in one place (STATEMENT.md §4). Values are plain
/// seconds and bytes, because the planner's sums are doubles.
namespace nest::solver {

/// The messages to one neighbour at one level.
struct Messages {
  int count = 0;
  double bytes = 0;
  void add(double more) { count += more > 0, bytes += more > 0 ? more : 0; }
};

/// Seconds: α for each message, plus bytes/B. A negative level means that there is no neighbour.
inline double transferSeconds(const Hierarchy& cluster, int level, const Messages& m) {
  if (level < 0 || m.count == 0) return 0;
  const NetworkLevel& l = cluster.level(level);
  return m.count * l.latency.value() + m.bytes / l.sustained().value();
}
inline double transferSeconds(const Hierarchy& cluster, int level, double bytes) {
  return transferSeconds(cluster, level, {bytes > 0, bytes});
}

/// Seconds of the all-reduce of shared parameters between the two stages that hold them.
inline double tiedSeconds(const Hierarchy& cluster, int level, double bytes) {
  return bytes > 0 ? 2 * transferSeconds(cluster, level, 0.5 * bytes) : 0;
}

/// The innermost level with a group of at least `devices` devices; the outermost level if there is none.
inline int narrowestLevel(const Hierarchy& cluster, long long devices) {
  int level = 0;
  while (level + 1 < cluster.levelCount() && cluster.largestGroupSize(level) < devices) ++level;
  return level;
}

/// The least visible transfer time between a stage and its neighbour that have at least `devices` devices
/// together. If all matching ranks communicate inside one group, that group contains both stages.
inline double leastTransfer(const Problem& problem, long long devices, const Messages& m) {
  return (1 - problem.assumptions.overlap[Exchange::Pipeline]) *
         transferSeconds(*problem.cluster, narrowestLevel(*problem.cluster, devices), m);
}
inline double leastTransfer(const Problem& problem, long long devices, double bytes) {
  return leastTransfer(problem, devices, {bytes > 0, bytes});
}

/// Seconds of the reduce-scatters of `gradients` bytes and all-gathers of `weights` bytes in one group.
inline double gradientSeconds(const GradientMessages::Count& count, const GroupRates& g, double gradients,
                              double weights) {
  return (count.gradients ? count.gradients * g.reduceScatter(gradients) : 0) +
         (count.weights ? count.weights * g.reduceScatter(weights) : 0);
}

}  // namespace nest::solver
