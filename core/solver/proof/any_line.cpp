// Claim: no plan of STATEMENT.md §3 on any line of the cluster takes less than what is found here.
// Proof: the search is the same, but its groups of ranks and its hops cost what they do where they are
// cheapest (GroupShapes::Places::Any), on devices all as good as the best. Load, sync and memory of a stage
// grow with each of these, and the step time with each stage's. A line has no degrees that the cluster has
// not: with shard groups by level, which ask for the size of groups, every number is tried. Blocks stand
// without gaps, because devices between them could as well be idle ones.
// Cost: a search of a regular cluster of that size, which looks only at what may beat the limit.
#include "solver/proof/any_line.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "problem/device_count.h"
#include "schedule/pipeline_schedule.h"
#include "solver/common.h"
#include "solver/mixed_search.h"
#include "solver/uniform_search.h"
#include "solver/watch.h"

namespace nest::solver {
namespace {

/// Entries that stand for the limit among the incumbents: none of these is a plan.
constexpr int kNoPlan = -1;

Problem withBestPlaces(const Problem& problem) {
  Problem relaxed = withBestDevices(problem);
  if (relaxed.search.shardGroups == ShardGroups::Levels) relaxed.search.shardGroups = ShardGroups::Every;
  relaxed.search.deadlineSeconds = 0;
  return relaxed;
}

/// Whether a step never takes less because an exchange takes longer or a device is slower. Not so where what
/// fills a pipeline falls as weight gradients are exchanged (STATEMENT.md (6.9)), nor where slow stages hide
/// more of the sync of later ones and do not count in full.
bool growsWithEveryCost(const Problem& problem, const Problem& whole, const SearchSpace& space) {
  const bool isNest = problem.search.objective == Objective::Nest;
  const bool differ = !whole.cluster->hasUniformDevices();
  if (isNest) return !differ;
  const auto& zeros = space.zeroStages();
  const bool scatters = std::any_of(zeros.begin(), zeros.end(), [](int z) { return z >= 2; });
  return std::all_of(space.schedules().begin(), space.schedules().end(), [&](const ScheduleChoice& c) {
    return c.schedule->fillsByLoad() ? !differ || c.chunks == 1 : !differ && !scatters;
  });
}

}  // namespace

AnyLine boundAnyLine(const Problem& whole, double limit, int most, const Control& control,
                     const Tuning& tuning) {
  AnyLine out;
  const Problem problem = withBestPlaces(whole);
  Control quiet = control;
  quiet.progress = nullptr;
  quiet.found = nullptr;
  Watch watch(quiet, 0, tuning.pace);
  watch.bounds().turnOff(tuning.withoutBounds);
  const LayerOrder order(*problem.graph);
  if (order.layerCount() == 0 || order.tooMany()) return out;
  SearchSpace space(problem);
  space.packBlocks();
  GroupShapes shapes(*problem.cluster, GroupShapes::Places::Any);
  Incumbents incumbents(static_cast<std::size_t>(std::max(1, most)));
  for (int k = 0; std::isfinite(limit) && k < incumbents.size(); ++k) {
    CandidatePlan blank;
    blank.microbatchIndex = kNoPlan, blank.dataDegree = k;
    blank.time = limit;
    incumbents.offer(std::move(blank));
  }
  const LineRoom room(*whole.cluster);
  UniformSearch search(problem, order, shapes, space, incumbents, watch, tuning);
  search.boundLinesOf(room);
  out.isComplete = search.run();
  double bound = search.lowerBound();
  const bool choose = choosesStrategies(problem, space);
  if (choose && problem.leastBatch() < problem.mostBatch()) {
    out.isComplete = false;  // solveEachBatch() has no counterpart here
    bound = leastTime(problem, order, space, search);
  } else if (choose && out.isComplete) {
    MixedSearch strategies(problem, order, shapes, space, search, incumbents, watch);
    out.isComplete = strategies.run();
    bound = strategies.lowerBound();
    if (out.isComplete && most > 1) strategies.runMany();
  } else if (!out.isComplete && (choose || !(bound > 0))) {
    bound = leastTime(problem, order, space, search);
  }
  out.bound = out.isComplete ? limit : std::min(bound, limit);
  if (!growsWithEveryCost(problem, whole, space))
    out.bound = std::min(out.bound, leastTime(problem, order, space, search));
  for (const CandidatePlan& f : incumbents.best()) {
    if (f.microbatchIndex == kNoPlan) continue;
    out.open.push_back(planOf(problem, order, f));
    out.times.push_back(f.time);
    out.bound = std::min(out.bound, f.time);
  }
  out.statistics.states = watch.states();
  out.statistics.tuples = search.tuples();
  out.statistics.bounds = watch.bounds().all();
  return out;
}

}  // namespace nest::solver
