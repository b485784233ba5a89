// Interleaved schedules with given strategies: T is monotone in every load, so the fastest policy that fits
// is the best one. Cost: stages × policies.
#include "solver/models/chunk_chain_model.h"

#include <algorithm>

#include "solver/common.h"
#include "solver/space/chunk_cuts.h"

namespace nest::solver {

ChunkChainModel::ChunkChainModel(const ChainCosts& costs, const std::vector<int>& cuts,
                                 ObjectiveWeights weights)
    : m_costs(costs),
      m_weights(weights),
      m_stages(costs.stages()),
      m_parts(chunkParts(cuts, m_stages, *costs.configuration().schedule)),
      m_backward(1, 0.0) {
  for (int i = 0; i < m_stages; ++i) {
    m_transfers.push_back(costs.transfers(i, parts(i)));
    m_backward.push_back(m_backward.back() + costs.backward(i, parts(i).front()));
  }
}

Step ChunkChainModel::stepOf(int stage) const {
  Step step;
  step.prepared = m_costs.prepare(stage, parts(stage));
  step.from = stage;
  step.first = stage == 0;
  step.backward = m_backward[at(stage) + 1] - m_backward[at(stage)];
  step.leastBackward = step.mostBackward = m_backward[at(stage)];
  return step;
}

namespace {
/// On any line some boundary crosses the outermost level that groups cannot spare it: the sites with each one
/// that may be (STATEMENT.md (6.18)).
std::vector<std::vector<StageSite>> crossedSites(const Hierarchy& cluster, const LineRoom& room,
                                                 const std::vector<StageSite>& sites, int width, int blocks) {
  const int stages = static_cast<int>(sites.size());
  int level = cluster.levelCount() - 2;
  while (level >= 0 && room.boundariesInside(level, width, stages, blocks) == stages - 1) --level;
  if (level < 0 || stages < 2) return {sites};
  std::vector<std::vector<StageSite>> ways;
  for (int i = 0; i + 1 < stages; ++i) {
    ways.push_back(sites);
    int& out = ways.back()[at(i)].levelOut;
    out = ways.back()[at(i) + 1].levelIn = std::max(out, level + 1);
  }
  return ways;
}

/// Replaces `found` by the best plan with these cuts if that is better (or if `fits` is false); returns
/// whether `found` is a plan that fits.
bool solveWith(ChainConfiguration c, const std::vector<int>& cuts, const BlockLayout& layout,
               CandidatePlan& found, bool fits, const LineRoom* room, Watch& watch) {
  const int stages = c.stages, width = layout.inner * c.sums->strategy().width();
  const auto reach = [&](int i, int j) {
    return c.shapes->highestLevelCrossed(std::min(i, j) * width, width, std::abs(i - j) * width, layout.outer,
                                         layout.stride);
  };
  if (const auto tied = tiedStagesOf(*c.problem, cuts, stages, *c.schedule))
    c.tied = TiedPlace{tied->first, tied->second, reach(tied->first, tied->second)};
  auto sites = placeStages(*c.shapes, c.sums->strategy(), layout, stages);
  if (!c.schedule->isFolded()) sites.front().levelIn = sites.back().levelOut = reach(0, stages - 1);
  const auto weights = c.target().weights;
  const auto ways = room ? crossedSites(*c.problem->cluster, *room, sites, width, layout.outer)
                         : std::vector<std::vector<StageSite>>{sites};
  for (const auto& way : ways)
    for (const auto& policy : c.space->sharedPolicies()) {
      c.sharedPolicy = policy;
      const ChainCosts costs(c, way);
      ChunkChainModel model(costs, cuts, weights);
      LabelSetting<ChunkChainModel> labels(model, watch);
      if (!labels.fill() || labels.best().stages == 0) continue;
      const double time = labels.best().time;
      if (fits && time >= found.time * (1 - kEqualTimes)) continue;
      auto path = labels.preferred(stages, time);
      if (path.policies.empty()) continue;
      fits = true;
      found.time = time;
      found.cut = {time, path.memory, cuts, std::move(path.policies)};
      found.memory = path.memory;
    }
  return fits;
}
}  // namespace

bool solveInterleaved(const ChainConfiguration& c, const CutRules& rules, const BlockLayout& layout,
                      CandidatePlan& found, Watch& watch, const LineRoom* room) {
  found.layout = layout;
  bool fits = false;
  for (const auto& cuts : interleavedCuts(*c.problem, c.stages, c.chunks))
    if (!watch.poll() && obeys(rules, cuts, c.stages, *c.schedule))
      fits = solveWith(c, cuts, layout, found, fits, room, watch);
  return fits;
}

}  // namespace nest::solver
