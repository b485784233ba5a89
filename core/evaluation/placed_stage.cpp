#include "evaluation/placed_stage.h"

#include <algorithm>

#include "cost/collective.h"
#include "plan/rank_groups.h"
#include "units/at.h"

namespace nest {
namespace {

bool sendsAllToAll(const GroupMessages& group) {
  return std::any_of(group.messages.begin(), group.messages.end(),
                     [](const Message& m) { return m.kind == CollectiveKind::AllToAll; });
}

class Placer {
public:
  Placer(const Problem& problem, const Plan& plan, const std::vector<StageWork>& works)
      : m_cluster(*problem.cluster), m_works(works), m_groups(plan) {}

  void devices(int i, PlacedStage& out) const {
    if (m_cluster.hasUniformDevices()) return;
    const Placement& at = m_groups.placement();
    out.memory = m_cluster.factor(at.device(i, 0, 0)).memory;
    for (int j = 0; j < at.replicas(); ++j)
      for (int q = 0; q < at.ranks(i); ++q) {
        const DeviceFactor f = m_cluster.factor(at.device(i, j, q));
        out.speed = std::min(out.speed, f.speed);
        out.memory = std::min(out.memory, f.memory);
      }
  }

  /// Prices all groups of one kind. Groups of one rank exchange nothing.
  void group(int i, std::size_t g, PlacedStage& out) const {
    const GroupMessages& list = m_works[at(i)].groups[g];
    SlowestGroups& slowest = out.slowest[g];
    const bool isLayers = list.exchange != Exchange::Data;
    if (isLayers && list.ranks <= 1) return;
    const bool allToAll = sendsAllToAll(list);
    const int chunks = isLayers ? static_cast<int>(out.chunks.size()) : 1;
    int& level = isLayers ? out.groupLevel[g] : out.dataLevel;
    std::vector<SlowestGroup> seen;  // groups of equal shape have equal costs, so each shape is costed once
    MessageTimes perMicrobatch;
    Seconds most, mostAtEnd;
    m_groups.visit(i, list.group, [&](std::span<const int> ranks) {
      if (ranks.size() <= 1) return;
      SlowestGroup here{shapeOf(m_cluster, ranks), allToAll ? peersOf(m_cluster, ranks) : PeerCounts{}};
      if (std::find(seen.begin(), seen.end(), here) != seen.end()) return;
      level = std::max(level, static_cast<int>(here.shape.outermost));
      MessageTimes times = timesOf(m_cluster, list, chunks, here.shape, here.peers);
      // If nothing is sent, the first group represents all.
      if (seen.empty() || times.stepEnd > mostAtEnd) mostAtEnd = times.stepEnd, slowest.stepEnd = here;
      if (const Seconds all = times.perMicrobatch(); seen.empty() || all > most)
        most = all, slowest.perMicrobatch = here, perMicrobatch = std::move(times);
      seen.push_back(std::move(here));
    });
    if (seen.empty()) return;
    if (isLayers) {
      for (int q = 0; q < chunks; ++q) out.chunks[at(q)].group[g] = perMicrobatch.chunk(q);
      return;
    }
    MessageTime& all = out.gradients.perMicrobatch;
    all.forward += perMicrobatch.first.forward;
    all.backward += perMicrobatch.first.backward;
    all.weightGradient += perMicrobatch.first.weightGradient;
    out.gradients.load += most;
    out.gradients.atEnd[list.experts] += mostAtEnd;
  }

  void pair(const PairMessages& p, std::vector<PlacedStage>& stages) const {
    const int level = levelBetween(p.from, p.to);
    PlacedStage& sender = stages[at(p.from)];
    PlacedStage& receiver = stages[at(p.to)];
    if (p.exchange == Exchange::Data) {
      sender.tied = receiver.tied = tiedTime(m_cluster, level, std::max(p.bytes, p.back));
      return;
    }
    const Seconds time = transferTime(m_cluster, level, p.bytes);
    receiver.chunks[at(p.toChunk)].activationIn += time;
    receiver.activationLevel = std::max(receiver.activationLevel, level);
    receiver.activationBytes += p.bytes;
    sender.chunks[at(p.fromChunk)].gradientIn += time;
    sender.gradientLevel = std::max(sender.gradientLevel, level);
    sender.gradientBytes += p.back;
  }

private:
  /// The largest level over all pairs of ranks that a transfer between two stages joins.
  int levelBetween(int from, int to) const {
    int level = 0;
    const int top = m_cluster.levelCount() - 1;
    m_groups.visitPairs(from, to, [&](int a, int b) {
      level = std::max(level, m_cluster.levelBetween(a, b));
      return level < top;
    });
    return level;
  }

  const Hierarchy& m_cluster;
  const std::vector<StageWork>& m_works;
  RankGroups m_groups;
};

}  // namespace

PlacedPlan placePlan(const Problem& problem, const Plan& plan, const PlanCheck& check) {
  PlacedPlan out;
  if (check.microbatch >= 0) {
    out.works = stageWorks(problem, plan, check.microbatch);
  } else {
    for (const StagePlan& s : plan.stages) {
      StageWork& work = out.works.emplace_back();
      work.chunks.resize(s.chunks.size());
      work.groups = layerGroups(s.strategy);
    }
  }
  out.stages.resize(out.works.size());
  for (std::size_t i = 0; i < out.stages.size(); ++i) {
    PlacedStage& stage = out.stages[i];
    stage.memory = problem.cluster->device().memory.value;
    stage.chunks.resize(out.works[i].chunks.size());
    stage.slowest.resize(out.works[i].groups.size());
  }
  if (!check.placeable) return out;

  const Placer placer(problem, plan, out.works);
  for (int i = 0; i < plan.stageCount(); ++i) {
    PlacedStage& stage = out.stages[at(i)];
    placer.devices(i, stage);
    for (std::size_t g = 0; g < stage.slowest.size(); ++g) placer.group(i, g, stage);
  }
  out.pairs = pairMessages(problem, plan, out.works, check.microbatch);
  for (const PairMessages& p : out.pairs) placer.pair(p, out.stages);
  return out;
}

}  // namespace nest
