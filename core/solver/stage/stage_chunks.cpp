// The figures of an interleaved stage: sums over its parts, the stash of the largest chunk, messages of all
// its parameters once. Cost: O(parts × policies × shapes) per stage.
#include <algorithm>
#include <limits>

#include "cost/stage_cost.h"
#include "schedule/pipeline_schedule.h"
#include "solver/stage/stage_costs.h"

namespace nest::planner {
namespace {
constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}
}  // namespace

StageCosts::Shares StageCosts::sharesOfChunks(const Stage& stage, bool copy, int i,
                                              const std::vector<int>& cuts) const {
  const auto& tied = m_context.problem->profile->tied;
  const auto holdsSecond = [&](int from, int to) {
    return m_context.order->holds(to, tied->second.value) &&
           !m_context.order->holds(from, tied->second.value);
  };
  Shares s;
  for (std::size_t part = at(i); part + 1 < cuts.size(); part += at(m_context.stages))
    addLayers(s, copy && holdsSecond(cuts[part], cuts[part + 1]), cuts[part], cuts[part + 1]);
  finish(s, stage);
  return s;
}

double StageCosts::memoryOfChunks(const Shares& s, int i, const std::vector<int>& cuts, int policy) const {
  const LayerSums& sums = *m_context.sums;
  const int stages = m_context.stages, v = static_cast<int>(cuts.size() - 1) / stages;
  const int inFlight = scheduleOf(usualSchedule(v)).stashesInFlight(i, stages, m_context.microbatchCount, v);
  double stash = 0, workspace = 0;
  for (std::size_t part = at(i); part + 1 < cuts.size(); part += at(stages)) {
    stash =
        std::max(stash, sums.stash[at(policy)][at(cuts[part + 1])] - sums.stash[at(policy)][at(cuts[part])]);
    workspace = std::max(workspace, sums.workspace[at(policy)](cuts[part], cuts[part + 1]));
  }
  return s.fixedMemory + inFlight * stash + workspace;
}

double StageCosts::memoryOfChunks(int i, const std::vector<int>& cuts, int policy) const {
  const bool copy = m_context.tied && m_context.tied->secondStage == i;
  return memoryOfChunks(sharesOfChunks(m_stages[at(i)], copy, i, cuts), i, cuts, policy);
}

int StageCosts::ChunkFigures::fastest() const {
  const auto best = std::min_element(load.begin(), load.end());
  return *best < kNever ? static_cast<int>(best - load.begin()) : -1;
}

StageCosts::Prepared StageCosts::prepareChunks(int slot, const Surroundings& around, int i,
                                               const std::vector<int>& cuts) const {
  return prepareChunks(m_stages[at(slot)], around, i, cuts);
}

StageCosts::Prepared StageCosts::prepareChunks(const Stage& stage, const Surroundings& around, int i,
                                               const std::vector<int>& cuts) const {
  const LayerSums& sums = *m_context.sums;
  const Shares s = sharesOfChunks(stage, around.copy, i, cuts);
  Prepared p;
  p.pipelineOverlap = m_overlap[at(static_cast<int>(Exchange::Pipeline))];
  for (int r = 0; r < kRecomputeCount; ++r) {
    double compute = 0;
    std::array<double, kExchangeCount> exchange{};
    bool offered = around.policies[at(r)];
    for (std::size_t part = at(i); part + 1 < cuts.size() && offered; part += at(m_context.stages)) {
      const int from = cuts[part], to = cuts[part + 1];
      offered = sums.missing[at(r)][at(to)] == sums.missing[at(r)][at(from)];
      compute += sums.compute[at(to)] - sums.compute[at(from)] + sums.extra[at(r)][at(to)] -
                 sums.extra[at(r)][at(from)];
      exchange[0] += slowest(stage.tensor, r, from, to);
      exchange[1] += slowest(stage.context, r, from, to);
      exchange[2] += slowest(stage.expert, r, from, to);
    }
    exchange[4] = s.data;
    if (!offered) continue;
    const double bytes = memoryOfChunks(s, i, cuts, r);
    if (bytes > stage.site.memory) continue;
    p.choices[at(p.count++)] = choiceOf(r, compute / stage.site.speed, bytes, exchange);
    if (r == 0 && sums.noneIsFastest) break;
  }
  if (p.count == 0) return p;
  double own = 0;
  for (std::size_t part = at(i); part + 1 < cuts.size(); part += at(m_context.stages))
    own += passes(stage, cuts[part], cuts[part + 1]);
  const Figures fixed = fixedPart(stage, s, m_context.stages * own, around.tiedSync);
  p.sync = fixed.sync;
  p.step = fixed.step;
  return p;
}

StageCosts::ChunkFigures StageCosts::chunkFigures(int i, const std::vector<int>& cuts, int wrapLevel) const {
  const LayerSums& sums = *m_context.sums;
  const Stage& stage = m_stages[at(i)];
  const int stages = m_context.stages, parts = static_cast<int>(cuts.size()) - 1;
  double transfers = 0;
  for (int part = i; part < parts; part += stages) {
    const int levelIn = part == 0 ? -1 : i == 0 ? wrapLevel : stage.site.levelIn;
    const int levelOut = part + 1 == parts ? -1 : i + 1 == stages ? wrapLevel : stage.site.levelOut;
    transfers += transfer(levelIn, sums.boundary[at(cuts[at(part)])]) +
                 transfer(levelOut, sums.boundary[at(cuts[at(part) + 1])]);
  }
  Surroundings around;
  around.copy = m_context.tied && m_context.tied->secondStage == i;
  around.tiedSync = tiedSync(i);
  around.policies = stage.policies;
  const Prepared p = prepareChunks(stage, around, i, cuts);
  ChunkFigures f{{}, p.sync, p.step};
  f.load.fill(kNever);
  for (int k = 0; k < p.count; ++k)
    f.load[at(p.choices[at(k)].policy)] = p.under(p.choices[at(k)], transfers).load;
  return f;
}

}  // namespace nest::planner
