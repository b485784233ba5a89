#include "plan/placed_stage.h"

#include <algorithm>

#include "cost/collective.h"
#include "plan/rank_groups.h"
#include "units/at.h"

namespace nest {
namespace {

constexpr std::array<RankGroup, 3> kGroupOf = {RankGroup::Tensor, RankGroup::Context, RankGroup::Expert};

/// Groups of equal shape cost the same; they are costed once.
template <class Key, class Value>
class Seen {
public:
  template <class Make>
  const Value& of(const Key& key, const Make& make) {
    for (std::size_t k = 0; k < m_keys.size(); ++k)
      if (m_keys[k] == key) return m_values[k];
    m_keys.push_back(key);
    m_values.push_back(make());
    return m_values.back();
  }

private:
  std::vector<Key> m_keys;
  std::vector<Value> m_values;
};

struct LayerGroupKey {
  GroupShape shape;
  PeerCounts peers;
  friend bool operator==(const LayerGroupKey&, const LayerGroupKey&) = default;
};

class Placer {
public:
  Placer(const Problem& problem, const Plan& plan, const std::vector<StageWork>& works)
      : m_problem(problem), m_cluster(*problem.cluster), m_plan(plan), m_works(works), m_groups(plan) {}

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

  void layerGroups(int i, GroupKind kind, PlacedStage& out) const {
    const auto index = static_cast<std::size_t>(kind);
    const Strategy& s = m_plan.stages[at(i)].strategy;
    const int size = kind == GroupKind::Tensor ? s.tensor : kind == GroupKind::Context ? s.context : s.expert;
    if (size <= 1) return;
    const bool allToAll = usesAllToAll(i, kind);
    Seen<LayerGroupKey, std::vector<GroupTime>> seen;
    Seconds slowest(-1);
    m_groups.visit(i, kGroupOf[index], [&](std::span<const int> ranks) {
      LayerGroupKey key{shapeOf(m_cluster, ranks), allToAll ? peersOf(m_cluster, ranks) : PeerCounts{}};
      out.groupLevel[index] = std::max(out.groupLevel[index], static_cast<int>(key.shape.outermost));
      const auto& times = seen.of(key, [&] { return chunkTimes(i, kind, key); });
      Seconds sum;
      for (const GroupTime& t : times) sum += t.total();
      if (sum <= slowest) return;
      slowest = sum;
      for (std::size_t q = 0; q < times.size(); ++q) out.chunks[q].group[index] = times[q];
    });
  }

  void gradients(int i, PlacedStage& out) const {
    const StageWork& work = m_works[at(i)];
    const ModelState state = modelStateOf(m_plan, i, work);
    message(i, RankGroup::DenseShards, work.dense, state.denseShards, out);
    message(i, RankGroup::ExpertShards, work.expert, state.expertShards, out);
  }

  /// Part p of the model sends to the next one.
  void transfer(int p, double bytes, std::vector<PlacedStage>& stages) {
    const int count = m_plan.stageCount();
    const PipelineSchedule& schedule = m_plan.pipelineSchedule();
    const int from = schedule.stageOf(p, count), to = schedule.stageOf(p + 1, count);
    if (!(bytes > 0) || from == to) return;
    const int level = levelBetween(from, to);
    const Seconds time = transferTime(m_cluster, level, Bytes(bytes));
    PlacedStage& sender = stages[at(from)];
    PlacedStage& receiver = stages[at(to)];
    const int senderChunk = p / count, receiverChunk = (p + 1) / count;
    receiver.chunks[at(receiverChunk)].activationIn += time;
    receiver.activationLevel = std::max(receiver.activationLevel, level);
    receiver.activationBytes += Bytes(bytes);
    sender.chunks[at(senderChunk)].gradientIn += time;
    sender.gradientLevel = std::max(sender.gradientLevel, level);
    sender.gradientBytes += Bytes(bytes);
  }

  /// Largest level over all pairs of ranks that a transfer between two stages joins.
  int levelBetween(int from, int to) const {
    int level = 0;
    const int top = m_cluster.levelCount() - 1;
    m_groups.visitPairs(from, to, [&](int a, int b) {
      level = std::max(level, m_cluster.levelBetween(a, b));
      return level < top;
    });
    return level;
  }

private:
  bool usesAllToAll(int i, GroupKind kind) const {
    for (const ChunkWork& chunk : m_works[at(i)].chunks)
      for (const Collective* c : chunk.collectives)
        if (c->group == kind && c->kind == CollectiveKind::AllToAll) return true;
    return false;
  }

  std::vector<GroupTime> chunkTimes(int i, GroupKind kind, const LayerGroupKey& key) const {
    std::vector<GroupTime> times;
    for (const ChunkWork& chunk : m_works[at(i)].chunks) {
      GroupTime& t = times.emplace_back();
      for (const Collective* c : chunk.collectives) {
        if (c->group != kind) continue;
        const Seconds time = collectiveTime(m_cluster, *c, key.shape, key.peers);
        (isRecompute(c->phase) ? t.recompute : c->phase == Phase::Forward ? t.forward : t.backward) += time;
      }
    }
    return times;
  }

  void message(int i, RankGroup kind, double parameters, double shards, PlacedStage& out) const {
    if (!(parameters > 0)) return;
    if (m_plan.shardDegree() < m_plan.dataDegree()) copies(i, parameters, shards, out);
    Seen<GroupShape, GradientTime> seen;
    GradientTime slowest;
    m_groups.visit(i, kind, [&](std::span<const int> ranks) {
      if (ranks.size() <= 1) return;
      const GroupShape shape = shapeOf(m_cluster, ranks);
      out.dataLevel = std::max(out.dataLevel, static_cast<int>(shape.outermost));
      const GradientTime& t = seen.of(shape, [&] {
        return gradientTime(m_cluster, shape, parameters, m_problem.job.optimizer, m_plan.zero,
                            m_problem.assumptions.zeroAllReduces);
      });
      if (t.load > slowest.load) slowest.gather = t.gather;
      slowest.load = std::max(slowest.load, t.load);
      slowest.sync = std::max(slowest.sync, t.sync);
    });
    out.gradients.load += slowest.load;
    out.gradients.sync += slowest.sync;
    out.gradients.gather += slowest.gather;
  }

  void copies(int i, double parameters, double shards, PlacedStage& out) const {
    Seen<GroupShape, Seconds> seen;
    Seconds slowest;
    m_groups.visit(i, RankGroup::Copies, [&](std::span<const int> ranks) {
      if (ranks.size() <= 1) return;
      const GroupShape shape = shapeOf(m_cluster, ranks);
      out.dataLevel = std::max(out.dataLevel, static_cast<int>(shape.outermost));
      slowest = std::max(slowest, seen.of(shape, [&] {
        return copiesTime(m_cluster, shape, parameters, shards, m_problem.job.optimizer);
      }));
    });
    out.gradients.sync += slowest;
  }

  const Problem& m_problem;
  const Hierarchy& m_cluster;
  const Plan& m_plan;
  const std::vector<StageWork>& m_works;
  RankGroups m_groups;
};

void addTied(const Problem& problem, const Plan& plan, const std::vector<StageWork>& works,
             const Placer& placer, std::vector<PlacedStage>& stages) {
  const auto& tied = problem.profile->tied;
  const int layers = problem.graph->layerCount();
  if (!tied || tied->first.value < 0 || tied->first.value >= layers || tied->second.value < 0 ||
      tied->second.value >= layers)
    return;
  const std::vector<int> stageOf = stageOfLayers(problem, plan);
  const int a = stageOf[tied->first.at()], b = stageOf[tied->second.at()];
  if (a < 0 || b < 0 || a == b) return;
  double parameters = 0;
  for (const int i : {a, b})
    if (const int s = works[at(i)].strategy; s >= 0 && static_cast<std::size_t>(s) < tied->parameters.size())
      parameters = std::max(parameters, tied->parameters[at(s)]);
  const Seconds time =
      tiedTime(*problem.cluster, placer.levelBetween(a, b), parameters, problem.job.optimizer);
  stages[at(a)].tied = stages[at(b)].tied = time;
}

}  // namespace

ModelState modelStateOf(const Plan& plan, int stage, const StageWork& work) {
  const Strategy& s = plan.stages[at(stage)].strategy;
  const double replicas = plan.shardDegree();
  return {work.dense, work.expert, replicas * s.context,
          replicas * (s.foldedExperts ? s.width() : s.context) / s.expert,
          work.largestLayer + work.outsideBlocks};
}

std::vector<PlacedStage> placeStages(const Problem& problem, const Plan& plan, const PlanCheck& check,
                                     const std::vector<StageWork>& works) {
  const int count = plan.stageCount();
  std::vector<PlacedStage> stages(count);
  for (std::size_t i = 0; i < stages.size(); ++i) {
    stages[i].memory = problem.cluster->device().memory.value;
    stages[i].chunks.resize(works[i].chunks.size());
  }
  if (!check.placeable) return stages;

  Placer placer(problem, plan, works);
  for (int i = 0; i < count; ++i) {
    PlacedStage& stage = stages[at(i)];
    placer.devices(i, stage);
    for (const GroupKind kind : {GroupKind::Tensor, GroupKind::Context, GroupKind::Expert})
      placer.layerGroups(i, kind, stage);
    placer.gradients(i, stage);
  }
  const bool even = std::all_of(works.begin(), works.end(), [&](const StageWork& w) {
    return w.chunks.size() == works.front().chunks.size();
  });
  if (even && check.microbatch >= 0) {
    const std::vector<double> bytes = boundaryBytes(problem, plan, works, check.microbatch);
    for (int p = 0; p < static_cast<int>(bytes.size()); ++p) placer.transfer(p, bytes[at(p)], stages);
  }
  addTied(problem, plan, works, placer, stages);
  return stages;
}

}  // namespace nest
