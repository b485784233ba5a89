#include "support/random_instance.h"

#include <algorithm>
#include <cmath>

#include "evaluation/evaluation.h"
#include "solver/exhaustive.h"

namespace nest::test {
namespace {

class Maker {
public:
  Maker(std::uint64_t seed, const InstanceFeatures& features, double size)
      : m_dice(seed), m_features(features), m_size(size) {}

  Problem make() {
    m_alike = m_dice.chance(m_features.alike);
    m_interleave = m_features.interleave && m_dice.chance(m_features.interleaved);
    Problem p;
    p.cluster = std::make_shared<const Hierarchy>(hierarchy());
    p.graph = std::make_shared<const LayerGraph>(graph());
    job(p);
    search(p);
    p.profile = std::make_shared<const Profile>(profile(p));
    if (m_features.constraints && m_dice.chance(0.3)) constrain(p);
    return p;
  }

  /// Sets the memory so that some plans fit and others do not.
  void fitMemory(Problem& p) {
    HierarchyInput roomy = m_cluster;
    roomy.device.memory.value = Bytes(1e18);
    for (DeviceFactor& f : roomy.factors) f.memory = {};
    p.cluster = std::make_shared<const Hierarchy>(*Hierarchy::build(roomy));
    std::vector<double> peaks, hosts;
    visitPlans(p, [&](const Plan& plan) {
      const Evaluation e = evaluate(p, plan);
      double peak = 0, host = 0;
      for (const auto& s : e.stages) {
        peak = std::max(peak, s.memory.total().value());
        host = std::max(host, s.hostMemory.value());
      }
      if (host > 0) hosts.push_back(host);
      if (peak > 0) peaks.push_back(peak);  // 0: nothing on offer, nothing kept
      return peaks.size() < 400;
    });
    if (peaks.empty()) return;
    double memory = 1e18;
    if (m_features.tightMemory && m_dice.chance(0.8)) {
      const int draws = m_dice.between(1, 4);
      for (int k = 0; k < draws; ++k)
        memory = std::min(memory, peaks[m_dice.between(0, static_cast<int>(peaks.size()) - 1)]);
      if (!m_features.memoryToTheByte) memory *= m_dice.between(0.75, 1.4);
    }
    m_cluster.device.memory.value = Bytes(memory);
    // Half of the plans that offload need more of their hosts' memory than there is.
    if (std::sort(hosts.begin(), hosts.end()); !hosts.empty() && m_features.tightMemory)
      m_cluster.device.hostMemory = Bytes(hosts[hosts.size() / 2]);
    for (DeviceFactor& f : m_cluster.factors)
      if (m_dice.chance(0.4))
        f.memory =
            Bytes(memory * (m_features.extremes ? m_dice.between(0.05, 4.0) : m_dice.between(0.6, 1.2)));
    p.cluster = std::make_shared<const Hierarchy>(*Hierarchy::build(m_cluster));
  }

private:
  int scaled(int most, int least) { return std::max(least, static_cast<int>(std::lround(most * m_size))); }
  double logUniform(double low, double high) { return low * std::pow(high / low, m_dice.unit()); }
  /// A factor around 1, exactly 1 in instances that are full of ties.
  double noise() {
    if (m_features.extremes && m_dice.chance(0.15)) return m_dice.chance(0.4) ? 0 : logUniform(1e-5, 1e5);
    return m_alike ? 1.0 : m_dice.between(0.6, 1.6);
  }

  Hierarchy hierarchy() {
    HierarchyInput& in = m_cluster;
    in.device.memory.value = Bytes(1e18);
    if (m_dice.chance(0.9)) in.device.memoryBandwidth.value = BytesPerSecond(logUniform(1e11, 1e13));
    const int levels = m_dice.between(1, m_features.mostLevels);
    double bandwidth = logUniform(1e10, 1e12), latency = logUniform(1e-7, 1e-4);
    for (int l = 0; l < levels; ++l) {
      in.levels.push_back({"level " + std::to_string(l), BytesPerSecond(bandwidth), Seconds(latency)});
      bandwidth /= m_dice.chance(0.2) ? 1.0 : logUniform(1.2, 20);
      latency *= m_dice.chance(0.2) ? 1.0 : logUniform(1.2, 20);
    }
    if (m_features.extremes) stretch(in.levels);
    const int most = m_dice.between(1, scaled(m_features.mostDevices, 2));
    for (NetworkLevel& l : in.levels) l.efficiency = most % 4 == 3 ? 0.7 : 1;
    if (m_features.irregular && m_dice.chance(0.5)) {
      for (int i = 0; i + 1 < most; ++i) {
        int gap = 0;
        while (gap + 1 < levels && m_dice.chance(0.35)) ++gap;
        in.gaps.push_back(static_cast<std::uint8_t>(gap));
      }
      deviceFactors(most);
    } else {
      int total = 1;
      for (int l = 0; l < levels; ++l) {
        const int room = std::max(1, most / total);
        in.fanouts.push_back(l + 1 == levels ? room : m_dice.between(1, std::min(room, 4)));
        total *= in.fanouts.back();
      }
      deviceFactors(total);
    }
    return *Hierarchy::build(in);
  }

  /// Levels without latency, or with next to nothing else.
  void stretch(std::vector<NetworkLevel>& levels) {
    if (m_dice.chance(0.4)) levels.front().latency = Seconds(0);
    if (m_dice.chance(0.2))
      for (NetworkLevel& l : levels) l.latency = Seconds(0);
    if (m_dice.chance(0.3)) levels.back().latency = Seconds(logUniform(1e-3, 10));
    if (m_dice.chance(0.3)) levels.back().bandwidth = BytesPerSecond(logUniform(1, 1e7));
    if (m_dice.chance(0.3)) levels.front().bandwidth = BytesPerSecond(logUniform(1e13, 1e18));
  }

  void deviceFactors(int devices) {
    if (!m_features.deviceFactors || !m_dice.chance(m_features.extremes ? 0.5 : 0.25)) return;
    m_cluster.factors.resize(devices);
    for (DeviceFactor& f : m_cluster.factors)
      if (m_dice.chance(0.3)) f.speed = m_dice.between(m_features.extremes ? 0.01 : 0.4, 1.0);
  }

  LayerGraph graph() {
    int count = m_dice.between(1, scaled(m_features.mostLayers, 2));
    const bool transformer = count >= 3 && m_dice.chance(0.4);
    // Two stages of two chunks, with or without ends; else few instances could interleave at all.
    if (m_interleave && scaled(m_features.mostLayers, 2) >= 6) count = transformer ? 6 : 4;
    if (m_interleave && m_features.threeStages && scaled(8, 2) >= 6 && m_dice.chance(0.7))
      count = transformer ? 8 : 6;
    if (m_features.shorterEnds && m_interleave) count = m_dice.between(transformer ? 4 : 6, 7);
    std::vector<Layer> layers;
    for (int x = 0; x < count; ++x) {
      Layer layer{"layer " + std::to_string(x), LayerKind::Other, x};
      if (transformer) {
        layer.kind = x == 0 ? LayerKind::Embedding : x + 1 == count ? LayerKind::Head : LayerKind::Block;
        if (m_alike) layer.classId = x == 0 ? 0 : x + 1 == count ? 2 : 1;
      } else if (m_alike) {
        layer.classId = x % 2;
      }
      layers.push_back(layer);
    }
    LayerGraph g = LayerGraph::chain(std::move(layers));
    if (m_features.dags && m_dice.chance(m_interleave ? 0.1 : 0.35)) {
      g.tensors.clear();
      for (int x = 0; x + 1 < count; ++x) addTensor(g, x, 0.35);
    } else if (m_dice.chance(0.3)) {
      for (int x = 0; x + 1 < count; ++x)
        if (m_dice.chance(0.3)) addTensor(g, x, 0.4);
    }
    return g;
  }

  void addTensor(LayerGraph& g, int producer, double density) {
    Tensor t{LayerIndex(producer), {}};
    for (int c = producer + 1; c < g.layerCount(); ++c)
      if (m_dice.chance(density)) t.consumers.push_back(LayerIndex(c));
    if (!t.consumers.empty()) g.tensors.push_back(t);
  }

  void job(Problem& p) {
    p.job.globalBatch = m_interleave ? 2 * m_dice.between(1, 12) : m_dice.between(1, 24);
    p.job.microbatches.clear();
    for (const int b : {1, 2, 3, 4})
      if (m_dice.chance(0.35)) p.job.microbatches.push_back(b);
    if (p.job.microbatches.empty()) p.job.microbatches = {1};
    const int regime = m_dice.between(0, 2);
    p.job.optimizer = regime == 0   ? OptimizerRegime::megatron()
                      : regime == 1 ? OptimizerRegime::zeroPaper()
                                    : OptimizerRegime::sgd();
    p.assumptions.reserve = Bytes(m_dice.chance(0.5) ? 0 : 1e8);
    if (m_features.overlap && m_dice.chance(0.4))
      for (double& f : p.assumptions.overlap) f = m_dice.chance(0.5) ? m_dice.unit() : 0;
    // Drawn from the batch, so that the instances that a seed gives stay what they were.
    if (m_features.overlap && p.job.globalBatch % 3 == 0)
      p.assumptions.syncOverlap = p.job.globalBatch % 2 == 0 ? 1 : 0.1 * (p.job.globalBatch % 10);
    if (!m_features.overlap) return;
    p.assumptions.zeroAllReduces = p.job.globalBatch % 4 < 2;
    p.assumptions.gathersGroups = p.job.globalBatch % 3 == 2;
    if (p.job.globalBatch % 7 == 3) {
      p.assumptions.offloadedOptimizer = p.job.globalBatch % 2 == 0 ? 1 : 0.4;
      p.assumptions.overlapsOptimizerCopies = p.job.globalBatch % 4 < 2;
      p.assumptions.hostUpdateRate = p.job.globalBatch % 5 < 3 ? 1e9 : 0;
      m_cluster.device.hostMemoryBandwidth = BytesPerSecond(2e10);
    }
    m_frozen = p.job.globalBatch % 6 == 1 ? 0.8 : 0;
    p.assumptions.heldGradientBytes = p.job.globalBatch % 5 == 2 ? 6 : 0;
    if (p.job.globalBatch % 3 != 1) return;
    std::vector<NetworkLevel> levels;
    for (int l = 0; l < p.cluster->levelCount(); ++l) {
      levels.push_back(p.cluster->level(l));
      if (l > 0) levels.back().crowding = 0.3 / p.cluster->level(1).sustained().value();
    }
    p.cluster = std::make_shared<const Hierarchy>(p.cluster->withLevels(std::move(levels)));
  }

  void search(Problem& p) {
    SearchOptions& s = p.search;
    s.objective = m_features.nestObjective && m_dice.chance(0.4) ? Objective::Nest : Objective::Pipeline;
    s.strategyPerStage = m_features.strategyPerStage && m_dice.chance(m_features.freeStrategies);
    s.padLastMicrobatch = m_features.padding && m_dice.chance(0.3);
    s.zeroStages = {0};
    if (m_features.zero)
      for (const int z : {1, 2, 3})
        if (m_dice.chance(0.4)) s.zeroStages.push_back(z);
    s.recompute = {true, false, false};
    if (m_features.recompute) s.recompute = {m_dice.chance(0.9), m_dice.chance(0.4), m_dice.chance(0.4)};
    if (!s.recompute[0] && !s.recompute[1] && !s.recompute[2]) s.recompute[0] = true;
    s.chunksPerStage = {1};
    if (m_interleave) {
      if (m_dice.chance(0.3)) s.chunksPerStage.clear();
      s.chunksPerStage.push_back(2);
      if (m_dice.chance(0.3)) s.chunksPerStage.push_back(3);
    }
    if (m_features.shardGroups) shardGroups(p);
    s.topPlans = 5;
    if (m_features.schedules) {
      s.schedules.clear();
      for (const PipelineSchedule* one : plannedSchedules())
        if (one->kind() == ScheduleKind::OneForwardOneBackward || m_dice.chance(0.8))
          s.schedules.push_back(one->kind());
    }
  }

  /// Most where some are among the best: much is exchanged often, between many replicas.
  void shardGroups(Problem& p) {
    p.search.shardGroups = static_cast<ShardGroups>(m_dice.between(0, 5) % 3);
    if (m_dice.chance(0.3)) return;
    p.search.shardGroups = m_dice.chance(0.3) ? ShardGroups::Levels : ShardGroups::Every;
    p.search.zeroStages = m_dice.chance(0.7)   ? std::vector{3}
                          : m_dice.chance(0.5) ? std::vector{2}
                                               : std::vector{1, 2};
    p.job.globalBatch = 24 * m_dice.between(1, 4);
    p.job.microbatches = {1};
  }

  std::vector<Strategy> strategies() {
    std::vector<Strategy> all = {{}};
    const int more = m_dice.between(0, 3);
    for (int k = 0; k < more; ++k) {
      Strategy s;
      s.tensor = m_dice.chance(0.6) ? m_dice.between(1, 4) : 1;
      s.sequence = s.tensor > 1 && m_dice.chance(0.4);
      s.context = m_features.context && m_dice.chance(0.3) ? m_dice.between(2, 3) : 1;
      s.expert = m_features.expert && m_dice.chance(0.3) ? m_dice.between(2, 3) : 1;
      if (m_features.foldedExperts && s.width() > 1 && m_dice.chance(0.6)) {
        s.foldedExperts = true;
        s.sequence = s.tensor > 1;
        s.expert = m_dice.between(1, 6);
      }
      if (std::find(all.begin(), all.end(), s) == all.end()) all.push_back(s);
    }
    if (all.size() > 1 && m_dice.chance(0.2)) all.erase(all.begin());
    return all;
  }

  Profile profile(const Problem& p) {
    std::vector<int> sizes = p.job.microbatches;
    if (sizes.size() > 1 && m_dice.chance(0.1)) sizes.pop_back();
    const auto& g = *p.graph;
    Profile out(strategies(), sizes, g.classCount, static_cast<int>(g.tensors.size()));
    m_experts = std::any_of(out.strategies().begin(), out.strategies().end(),
                            [](const auto& s) { return s.expert > 1; });
    const double parameters = logUniform(1e6, 1e9), stash = logUniform(1e7, 1e9);
    const double bytes = logUniform(1e5, 1e8);
    for (int c = 0; c < g.classCount; ++c) {
      const double forward = 1e-3 * m_dice.between(0.3, 3.0) * noise();
      const double own = parameters * noise(), kept = stash * noise();
      for (int s = 0; s < static_cast<int>(out.strategies().size()); ++s)
        for (int k = 0; k < static_cast<int>(sizes.size()); ++k)
          if (!m_dice.chance(0.01))
            out.setCost(c, s, k, frozen(cost(out.strategies()[s], sizes[k], forward, own, kept, bytes), c));
    }
    for (int t = 0; t < static_cast<int>(g.tensors.size()); ++t) {
      const double size = m_dice.chance(0.1) ? 0 : bytes * noise();
      for (int s = 0; s < static_cast<int>(out.strategies().size()); ++s)
        for (int k = 0; k < static_cast<int>(sizes.size()); ++k)
          out.setTensorBytes(t, s, k, Bytes(size * sizes[k] / out.strategies()[s].width() * noise()));
    }
    if (m_features.tied && g.layerCount() > 1 && m_dice.chance(0.25)) {
      TiedParameters tied{LayerIndex(0), LayerIndex(g.layerCount() - 1), {}};
      if (m_dice.chance(0.3)) tied.first = LayerIndex(m_dice.between(0, g.layerCount() - 2));
      double size = 1;
      if (m_features.extremes) {
        tied.second = LayerIndex(m_dice.between(0, g.layerCount() - 1));
        if (tied.second == tied.first) tied.second = LayerIndex((tied.first.value + 1) % g.layerCount());
        size = logUniform(1e-2, 1e2);
      }
      for (const Strategy& s : out.strategies())
        tied.parameters.push_back(size * parameters * noise() / s.tensor);
      if (m_frozen > 0) tied.frozen = p.job.globalBatch % 4 == 1 ? 1 : 0.5;
      out.tied = tied;
    }
    return out;
  }

  /// Of layers of the first of three classes all is frozen, of the second a part.
  LayerCost frozen(LayerCost c, int classId) const {
    const double share = m_frozen > 0 && classId % 3 == 0 ? 1 : classId % 3 == 1 ? m_frozen : 0;
    c.frozenDense = c.denseParameters * share;
    c.frozenExpert = c.expertParameters * share;
    return c;
  }

  LayerCost cost(const Strategy& s, int b, double forward, double parameters, double stash, double bytes) {
    LayerCost c;
    c.forward = Seconds(forward * b / s.width() * noise());
    c.backward = Seconds(2 * c.forward.value() * noise());
    c.denseParameters = parameters / s.tensor * noise();
    if (m_experts && m_dice.chance(0.7)) c.expertParameters = parameters * 2 / s.tensor / s.expert * noise();
    const double kept = stash * b / s.width() * noise();
    const double again[] = {0, 0.2, 1.0}, left[] = {1.0, 0.6, 0.1};
    for (std::size_t r = 0; r < kRecomputeCount; ++r) {
      c.recompute[r].available = !m_dice.chance(0.02);
      c.recompute[r].stash = Bytes(kept * left[r] * noise());
      c.recompute[r].extraBackward = Seconds(c.forward.value() * again[r] * noise());
      c.recompute[r].workspace = Bytes(m_dice.chance(0.5) ? 0 : stash * b * m_dice.unit());
    }
    if (m_features.schedules && m_dice.chance(0.9))
      c.weightGradient = c.backward * (m_features.extremes ? m_dice.unit() : m_dice.between(0.2, 0.7));
    if (m_features.collectives) collectives(s, b, bytes, c);
    return c;
  }

  void collectives(const Strategy& s, int b, double bytes, LayerCost& c) {
    const int degrees[] = {s.tensor, s.context, s.expert};
    for (int g = 0; g < 3; ++g) {
      if (degrees[g] <= 1 || m_dice.chance(0.1)) continue;
      const int count = m_dice.between(1, 3);
      for (int k = 0; k < count; ++k) {
        Collective x;
        x.kind = static_cast<CollectiveKind>(m_dice.between(0, 4));
        x.group = static_cast<GroupKind>(g);
        x.phase = static_cast<Phase>(m_dice.between(0, 3));
        x.bytes = Bytes(m_dice.chance(0.05) ? 0 : bytes * b * noise());
        x.times = m_dice.between(1, 2);
        c.collectives.push_back(x);
      }
    }
  }

  void bound(Bound& b, int low, int high) {
    const int v = m_dice.between(low, high);
    if (m_dice.chance(0.5)) b.least = v;
    if (!b.least || m_dice.chance(0.3)) b.most = v + (m_dice.chance(0.5) ? 0 : 1);
  }

  void constrain(Problem& p) {
    Constraints& c = p.constraints;
    const int count = m_dice.between(1, 2);
    const int layers = p.graph->layerCount();
    const LayerIndex layer(m_dice.between(0, layers - 1));
    const StageIndex stage(m_dice.between(0, 2));
    if (m_features.shardGroups && m_dice.chance(0.3)) bound(c.shard, 1, 4);
    for (int k = 0; k < count; ++k) switch (m_dice.between(0, 15)) {
        case 0:
          bound(c.tensor, 1, 3);
          break;
        case 1:
          bound(c.context, 1, 2);
          break;
        case 2:
          bound(c.expert, 1, 2);
          break;
        case 3:
          bound(c.data, 1, 6);
          break;
        case 4:
          bound(c.dataInner, 1, 4);
          break;
        case 5:
          bound(c.stages, 1, 4);
          break;
        case 6:
          bound(c.microbatch, 1, 3);
          break;
        case 7:
          bound(c.devices, 1, 10);
          break;
        case 8:
          bound(c.chunks, 1, 2);
          break;
        case 9:
          bound(c.zero, 0, 2);
          break;
        case 10:
          if (layer.value > 0) c.requiredCuts.push_back(layer);
          break;
        case 11:
          c.forbiddenCuts.push_back(layer);
          break;
        case 12:
          c.layerPins.push_back({layer, StageIndex(std::min(stage.value, layer.value))});
          break;
        case 13:
          c.stagePins.push_back({stage, static_cast<Recompute>(m_dice.between(0, 2)), {}});
          break;
        case 14: {
          const auto& all = p.profile->strategies();
          c.stagePins.push_back({stage, {}, all[m_dice.between(0, static_cast<int>(all.size()) - 1)]});
          break;
        }
        default:
          c.megatronExpressible = p.graph->isChain();
          break;
      }
  }

  Dice m_dice;
  const InstanceFeatures& m_features;
  double m_size, m_frozen = 0;
  HierarchyInput m_cluster;
  bool m_alike = false, m_interleave = false, m_experts = false;
};

}  // namespace

namespace {
constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15ULL;
/// SplitMix64's finalizer.
std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}
}  // namespace

// Mixed twice: neighbouring seeds must not give the same stream one step apart.
Dice::Dice(std::uint64_t seed) : m_state(mixed(mixed(seed + kGolden) ^ 0x5bf03635)) {}

std::uint64_t Dice::next() {
  return mixed(m_state += kGolden);
}

InstanceFeatures uniformStrategyChain() {
  InstanceFeatures f;
  f.dags = f.strategyPerStage = f.interleave = f.constraints = false;
  return f;
}

Problem randomInstance(std::uint64_t seed, const InstanceFeatures& features) {
  for (int attempt = 0;; ++attempt) {
    const double size = std::max(0.1, 1.0 - 0.08 * attempt);
    Maker maker(seed + 1000003ULL * static_cast<std::uint64_t>(attempt), features, size);
    Problem p = maker.make();
    long long plans = 0;
    const bool complete = visitPlans(p, [&](const Plan&) { return ++plans <= features.mostPlans; });
    if (!complete || plans == 0) continue;
    maker.fitMemory(p);
    return p;
  }
}

std::string describe(const Problem& p) {
  std::string out =
      std::to_string(p.graph->layerCount()) + (p.graph->isChain() ? " layers, " : " layers (DAG), ") +
      std::to_string(p.cluster->deviceCount()) +
      (p.cluster->isRegular() ? " devices" : " irregular devices") + ", " +
      std::to_string(p.cluster->levelCount()) + " levels, batch " + std::to_string(p.job.globalBatch);
  for (const Strategy& s : p.profile->strategies()) out += ", " + toText(s);
  if (p.search.strategyPerStage) out += ", free strategies";
  if (p.search.padLastMicrobatch) out += ", padding";
  if (p.search.shardGroups != ShardGroups::All) out += ", shard groups";
  if (p.search.chunksPerStage != std::vector<int>{1}) out += ", interleaving";
  if (p.search.objective == Objective::Nest) out += ", nest";
  if (p.profile->tied) out += ", tied";
  if (p.constraints != Constraints{}) out += ", constraints";
  return out;
}

}  // namespace nest::test
