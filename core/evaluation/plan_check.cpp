#include "evaluation/plan_check.h"

#include <algorithm>
#include <string>

#include "plan/stage_work.h"
#include "units/numbering.h"
#include "units/text.h"

namespace nest {
namespace {

using Kind = Violation::Kind;

constexpr long long kMostRanks = 1LL << 24;

std::string stageName(int i) {
  return text::stageName(StageIndex(i));
}

class Checker {
public:
  Checker(const Problem& problem, const Plan& plan) : m_problem(problem), m_plan(plan) {}

  PlanCheck run() {
    checkDegrees();
    if (!m_check.countable) return std::move(m_check);
    m_check.microbatch = m_problem.profile->microbatchIndex(m_plan.microbatch);
    if (m_check.microbatch < 0)
      add(Kind::Microbatch, -1,
          "microbatch size " + std::to_string(m_plan.microbatch) + " has no costs in the profile");
    checkBatch();
    checkDevices();
    checkShardGroups();
    for (int i = 0; i < m_plan.stageCount(); ++i) checkStage(i);
    checkChunks();
    checkLayers();
    checkConstraints(m_problem, m_plan, m_check.violations);
    return std::move(m_check);
  }

private:
  void add(Kind kind, int stage, std::string message) {
    m_check.violations.push_back({kind, stage, std::move(message), {}});
  }

  void checkDegrees() {
    const auto fail = [this](int stage, std::string message) {
      add(Kind::Degrees, stage, std::move(message));
      m_check.countable = m_check.placeable = false;
    };
    if (m_plan.stages.empty()) {
      add(Kind::Stages, -1, "the plan has no stages");
      m_check.countable = m_check.placeable = false;
    }
    const auto outside = [](long long v) { return v < 1 || v > kMostRanks; };
    if (outside(m_plan.microbatch)) fail(-1, "the microbatch size must be 1 or more");
    if (outside(m_plan.dataInner) || outside(m_plan.dataOuter) ||
        outside(static_cast<long long>(m_plan.dataInner) * m_plan.dataOuter))
      fail(-1, "the data-parallel degrees must be 1 or more");
    if (m_plan.blockStride < 0 || m_plan.blockStride > kMostRanks)
      fail(-1, "the block stride must not be negative");
    if (m_plan.zero < 0 || m_plan.zero > 3) fail(-1, "the ZeRO stage must be 0, 1, 2 or 3");
    if (m_plan.shardReplicas < 0) fail(-1, "the replicas of a shard group must be 1 or more");
    for (int i = 0; i < m_plan.stageCount(); ++i) {
      const StagePlan& s = m_plan.stages[i];
      if (outside(s.strategy.tensor) || outside(s.strategy.context) || outside(s.strategy.expert) ||
          outside(static_cast<long long>(s.strategy.tensor) * s.strategy.context))
        fail(i, stageName(i) + ": tensor, context and expert degrees must be 1 or more");
      const int r = static_cast<int>(s.recompute);
      if (r < 0 || r >= kRecomputeCount) fail(i, stageName(i) + ": there is no such recompute policy");
    }
  }

  void checkBatch() {
    const long long b = m_plan.microbatch, d = m_plan.dataDegree(),
                    batch = std::max(1, m_problem.batchOf(m_plan.globalBatch));
    m_check.microbatches = static_cast<int>((batch + b * d - 1) / (b * d));
    if (batch % (b * d) != 0 && !m_problem.search.padLastMicrobatch)
      add(Kind::Batch, -1,
          "microbatch " + std::to_string(b) + " × data degree " + std::to_string(d) +
              " does not divide the global batch of " + std::to_string(batch));
    const bool tooMany = m_problem.search.padLastMicrobatch && d > (batch + b - 1) / b;
    if (tooMany) add(Kind::Batch, -1, "some replicas would get no sequence");
    const int least = m_problem.leastBatch(), most = m_problem.mostBatch();
    if (m_plan.globalBatch > 0 && (m_plan.globalBatch < least || m_plan.globalBatch > most))
      add(Kind::Batch, -1,
          "the plan takes a global batch of " + text::count(m_plan.globalBatch) + ", and the job allows " +
              (least == most ? text::count(least) : text::count(least) + " to " + text::count(most)));
  }

  void checkDevices() {
    const long long devices = m_problem.cluster->deviceCount();
    long long width = 0;
    for (const StagePlan& s : m_plan.stages)
      width += static_cast<long long>(m_plan.dataInner) * s.strategy.width();
    const long long used = (m_plan.dataOuter - 1LL) * m_plan.blockStride + width;
    if (used > devices) {
      add(Kind::Devices, -1,
          "the plan needs " + text::count(used) + " devices, the cluster has " + text::count(devices));
      m_check.placeable = false;
    }
    if (m_plan.dataOuter > 1 && m_plan.blockStride < width) {
      add(Kind::Devices, -1,
          "blocks of " + text::count(width) + " devices overlap at a stride of " +
              text::count(m_plan.blockStride));
      if (width * m_plan.dataOuter > 4 * devices) m_check.placeable = false;
    }
    if (!m_plan.deviceOrder.empty()) checkDeviceOrder(used);
  }

  /// A shard group is neighbouring replicas of a block, or whole neighbouring blocks.
  void checkShardGroups() {
    const int h = m_plan.shardReplicas, inner = m_plan.dataInner;
    if (h == 0 || h == m_plan.dataDegree()) return;
    const std::string group = "shard groups of " + std::to_string(h) + (h == 1 ? " replica" : " replicas");
    if (m_plan.zero == 0) return add(Kind::ShardGroup, -1, group + " need ZeRO-1, 2 or 3");
    if (inner % h == 0 || (h % inner == 0 && m_plan.dataOuter % (h / inner) == 0)) return;
    add(Kind::ShardGroup, -1,
        group + " are neither equal parts of a block of " + std::to_string(inner) +
            " nor whole blocks of which there is a multiple");
  }

  void checkDeviceOrder(long long used) {
    const int devices = m_problem.cluster->deviceCount();
    if (used > static_cast<long long>(m_plan.deviceOrder.size())) {
      add(Kind::Placement, -1, "the device order names fewer devices than the plan uses");
      m_check.placeable = false;
    }
    std::vector<char> seen(devices, 0);
    bool unknown = false, twice = false;
    for (const DeviceIndex d : m_plan.deviceOrder) {
      if (d.value < 0 || d.value >= devices)
        unknown = true;
      else
        twice = twice || std::exchange(seen[d.at()], 1);
    }
    if (twice) add(Kind::Placement, -1, "the device order names a device twice");
    if (unknown) {
      add(Kind::Placement, -1, "the device order names a device that does not exist");
      m_check.placeable = false;
    }
  }

  void checkStage(int i) {
    const StagePlan& s = m_plan.stages[i];
    const auto expertGroups = [&](const char* of, int replicas) {
      if (s.strategy.fitsExperts(replicas)) return;
      add(Kind::ExpertGroup, i,
          stageName(i) + ": expert degree " + std::to_string(s.strategy.expert) + " does not divide the " +
              (s.strategy.foldedExperts ? "ranks" : "replicas") + " of a " + of + " (" +
              std::to_string(s.strategy.expertRanks(replicas)) + ")");
    };
    expertGroups("block", m_plan.dataInner);
    if (m_plan.shardDegree() < m_plan.dataInner) expertGroups("shard group", m_plan.shardDegree());
    if (s.strategy.foldedExperts && s.strategy.tensor > 1 && !s.strategy.sequence)
      add(Kind::ExpertGroup, i, stageName(i) + ": expert tensor degree 1 needs sequence parallelism");
    if (std::all_of(s.chunks.begin(), s.chunks.end(), [](const auto& c) { return c.empty(); }))
      add(Kind::Stages, i, stageName(i) + " has no layers");
    const int strategy = m_problem.profile->strategyIndex(s.strategy);
    if (strategy < 0) {
      add(Kind::Strategy, i,
          stageName(i) + ": strategy " + toText(s.strategy) + " is not searched" + switchedOff(s.strategy));
      return;
    }
    if (m_check.microbatch >= 0) checkCosts(i, strategy);
  }

  std::string switchedOff(const Strategy& s) const {
    if (s.context > 1 && !m_problem.search.contextParallel) return ": context parallelism is off";
    if (s.expert > 1 && !m_problem.search.expertParallel) return ": expert parallelism is off";
    return {};
  }

  /// Only the first layer without costs, and the first one without the recompute policy, are reported.
  void checkCosts(int i, int strategy) {
    const StagePlan& s = m_plan.stages[i];
    bool missing = false, unavailable = false;
    for (const auto& chunk : s.chunks)
      for (const LayerIndex x : chunk) {
        if (x.value < 0 || x.value >= m_problem.graph->layerCount()) continue;
        const Layer& layer = m_problem.graph->layers[x.at()];
        const LayerCost* cost = m_problem.profile->cost(layer.classId, strategy, m_check.microbatch);
        if (!cost && !std::exchange(missing, true))
          add(Kind::Strategy, i,
              stageName(i) + ": " + layer.name + " has no costs under strategy " + toText(s.strategy) +
                  " at microbatch size " + std::to_string(m_plan.microbatch));
        if (cost && !cost->recompute[s.recompute].available && !std::exchange(unavailable, true))
          add(Kind::Recompute, i,
              stageName(i) + ": " + layer.name + " does not offer recompute policy " + nameOf(s.recompute));
      }
  }

  void checkChunks() {
    const std::size_t v = m_plan.stages.front().chunks.size();
    if (std::any_of(m_plan.stages.begin(), m_plan.stages.end(),
                    [v](const auto& s) { return s.chunks.size() != v; })) {
      add(Kind::Chunks, -1, "every stage must have the same number of chunks");
      return;
    }
    for (const std::string& reason :
         m_plan.pipelineSchedule().refusals(m_plan.stageCount(), static_cast<int>(v), m_check.microbatches))
      add(Kind::Chunks, -1, reason);
    if (v <= 1) return;
    if (!m_problem.graph->isChain()) add(Kind::Chunks, -1, "only a chain of layers can be interleaved");
    checkChunkSizes();
  }

  /// Parts must have equally many blocks, but the first and the last may have one less.
  void checkChunkSizes() {
    const auto& layers = m_problem.graph->layers;
    const bool blocks =
        std::any_of(layers.begin(), layers.end(), [](const Layer& l) { return l.kind == LayerKind::Block; });
    const auto counted = [&](const std::vector<LayerIndex>& chunk) {
      return std::count_if(chunk.begin(), chunk.end(), [&](LayerIndex x) {
        return x.value >= 0 && x.value < m_problem.graph->layerCount() &&
               (!blocks || layers[x.at()].kind == LayerKind::Block);
      });
    };
    const std::size_t stages = m_plan.stages.size(), parts = stages * m_plan.stages.front().chunks.size();
    if (stages < 2) return;  // reported already
    const auto chunk = [&](std::size_t part) -> const auto& {
      const int stage = m_plan.pipelineSchedule().stageOf(static_cast<int>(part), static_cast<int>(stages));
      return m_plan.stages[stage].chunks[part / stages];
    };
    const auto each = counted(chunk(1));
    for (std::size_t part = 0; part < parts; ++part) {
      const auto missing = each - counted(chunk(part));
      const bool isEnd = part == 0 || part + 1 == parts;
      if (!chunk(part).empty() && each > 0 && (missing == 0 || (missing == 1 && isEnd))) continue;
      add(Kind::Chunks, -1,
          "chunks need equally many blocks; only the model's first and last chunk may hold one less");
      return;
    }
  }

  void checkLayers() {
    const auto& graph = *m_problem.graph;
    std::vector<int> times(graph.layers.size(), 0);
    bool unknown = false;
    for (const StagePlan& s : m_plan.stages)
      for (const auto& chunk : s.chunks)
        for (const LayerIndex x : chunk) {
          if (x.value < 0 || x.value >= graph.layerCount())
            unknown = true;
          else
            ++times[x.at()];
        }
    if (unknown) add(Kind::Layers, -1, "the plan names a layer that the model does not have");
    const auto report = [&](const char* what, auto wrong) {
      const auto count = std::count_if(times.begin(), times.end(), wrong);
      if (count == 0) return;
      const auto at = std::find_if(times.begin(), times.end(), wrong) - times.begin();
      std::string message = graph.layers[at].name;
      if (count > 1) message += " and " + std::to_string(count - 1) + " more";
      add(Kind::Layers, -1, message + what);
    };
    report(" in no stage", [](int n) { return n == 0; });
    report(" in more than one place", [](int n) { return n > 1; });

    // The order is undefined.
    if (std::any_of(times.begin(), times.end(), [](int n) { return n > 1; })) return;
    const std::vector<int> part = partOfLayers(m_problem, m_plan);
    for (const Tensor& t : graph.tensors)
      for (const LayerIndex c : t.consumers)
        if (part[c.at()] >= 0 && part[c.at()] < part[t.producer.at()]) {
          const PipelineSchedule& schedule = m_plan.pipelineSchedule();
          const std::string order = m_plan.chunksPerStage() == 1 ? " produces in a later stage"
                                    : schedule.isFolded()
                                        ? " produces in a later part of the model; under " +
                                              std::string(schedule.label()) +
                                              " the second chunks run from the last stage to the first"
                                        : " produces in a later part of the model; the chunks of a stage "
                                          "come round after those of all stages";
          add(Kind::Layers, schedule.stageOf(part[c.at()], m_plan.stageCount()),
              graph.layers[c.at()].name + " reads what " + graph.layers[t.producer.at()].name + order);
          return;
        }
  }

  const Problem& m_problem;
  const Plan& m_plan;
  PlanCheck m_check;
};

}  // namespace

PlanCheck checkPlan(const Problem& problem, const Plan& plan) {
  return Checker(problem, plan).run();
}

}  // namespace nest
