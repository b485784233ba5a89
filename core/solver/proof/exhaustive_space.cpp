// The plans of STATEMENT.md §3 one by one, as nested loops in the order of the text: schedule, v, s, b, d,
// d_in, a strategy for each stage, P, z, the cuts (subsets of layers that are downsets), a policy for each
// stage. Nothing is pruned but what breaks the device count. Layers are bits of an int: at most 31.
#include <algorithm>
#include <cstdint>
#include <numeric>

#include "program/program.h"
#include "solver/exhaustive.h"
#include "units/at.h"

namespace nest {
namespace {

using Layout = std::vector<std::vector<LayerIndex>>;  ///< the pipeline's parts, in order

/// All ways to cut the layers into `parts` non-empty parts such that every union of leading parts is a
/// downset.
class Cutter {
public:
  explicit Cutter(const LayerGraph& graph) : m_count(graph.layerCount()), m_needs(graph.layers.size(), 0) {
    for (const Tensor& t : graph.tensors)
      for (const LayerIndex c : t.consumers) m_needs[c.at()] |= 1u << t.producer.value;
  }

  std::vector<Layout> layouts(int parts) {
    m_out.clear();
    m_current.clear();
    extend(0, parts);
    return std::move(m_out);
  }

private:
  bool isDownset(std::uint32_t set) const {
    for (int x = 0; x < m_count; ++x)
      if ((set >> x & 1) && (m_needs[at(x)] & ~set)) return false;
    return true;
  }

  void extend(std::uint32_t placed, int parts) {
    const std::uint32_t rest = ((1u << m_count) - 1) & ~placed;
    if (parts == 1) {
      if (rest == 0) return;
      push(rest);
      m_out.push_back(m_current);
      m_current.pop_back();
      return;
    }
    for (std::uint32_t part = rest; part != 0; part = (part - 1) & rest) {
      if (part == rest || !isDownset(placed | part)) continue;
      push(part);
      extend(placed | part, parts - 1);
      m_current.pop_back();
    }
  }

  void push(std::uint32_t part) {
    auto& layers = m_current.emplace_back();
    for (int x = 0; x < m_count; ++x)
      if (part >> x & 1) layers.push_back(LayerIndex(x));
  }

  int m_count;
  std::vector<std::uint32_t> m_needs;
  std::vector<Layout> m_out;
  Layout m_current;
};

/// The layouts of an interleaved schedule with `parts` chunks: q counted layers in each, or one less in the
/// first, in the last or in both.
std::vector<Layout> interleavedLayouts(const LayerGraph& graph, int parts) {
  if (!graph.isChain()) return {};
  std::vector<int> counted;
  for (int x = 0; x < graph.layerCount(); ++x)
    if (graph.layers[at(x)].kind == LayerKind::Block) counted.push_back(x);
  if (counted.empty()) {
    counted.resize(graph.layers.size());
    std::iota(counted.begin(), counted.end(), 0);
  }
  std::vector<Layout> layouts;
  for (int q = 1; q <= graph.layerCount(); ++q)
    for (const int first : {q - 1, q})
      for (const int last : {q - 1, q}) {
        std::vector<int> holds(parts, q);
        holds.front() = first;
        holds.back() = last;
        if (std::accumulate(holds.begin(), holds.end(), 0) != static_cast<int>(counted.size())) continue;
        Layout layout(1);
        std::size_t part = 0;
        int taken = 0;
        for (int x = 0; x < graph.layerCount(); ++x) {
          const bool counts = std::find(counted.begin(), counted.end(), x) != counted.end();
          // A part ends before the first layer that it must not count; one that counts nothing more at the
          // end of the blocks leaves what follows to the last.
          const bool full = taken == holds[part] && part + 1 < holds.size();
          if (full && (counts || (x > counted.back() && holds.back() == 0))) {
            layout.emplace_back();
            ++part;
            taken = 0;
          }
          taken += counts;
          layout.back().push_back(LayerIndex(x));
        }
        const bool whole =
            layout.size() == holds.size() &&
            std::none_of(layout.begin(), layout.end(), [](const auto& p) { return p.empty(); });
        if (whole) layouts.push_back(std::move(layout));
      }
  return layouts;
}

class Space {
public:
  Space(const Problem& problem, const std::function<bool(const Plan&)>& visit)
      : m_problem(problem), m_visit(visit), m_devices(problem.cluster->deviceCount()) {}

  bool run() {
    Cutter cutter(*m_problem.graph);
    const int most = std::min(m_problem.graph->layerCount(), m_devices);
    for (const ScheduleKind kind : m_problem.search.schedules)
      for (const int v : chunksOf(scheduleOf(m_schedule = kind)))
        for (int s = 1; s <= most; ++s) {
          if (v > 1 && (s < 2 || s * v > m_problem.graph->layerCount())) continue;
          const auto layouts = v > 1 ? interleavedLayouts(*m_problem.graph, s * v) : cutter.layouts(s);
          if (!layouts.empty() && !degrees(s, v, layouts)) return false;
        }
    return true;
  }

private:
  std::vector<int> chunksOf(const PipelineSchedule& schedule) const {
    if (schedule.fixedChunks() > 0) return {schedule.fixedChunks()};
    std::vector<int> all;
    for (const int v : m_problem.search.chunksPerStage)
      if (schedule.takesChunks(v)) all.push_back(v);
    return all;
  }

  bool degrees(int s, int v, const std::vector<Layout>& layouts) {
    for (const int b : m_problem.job.microbatches) {
      if (m_problem.profile->microbatchIndex(b) < 0) continue;
      const int mostReplicas = std::min(m_devices, (m_problem.mostBatch() + b - 1) / b);
      for (int d = 1; d <= mostReplicas; ++d)
        for (int batch = m_problem.leastBatch(); batch <= m_problem.mostBatch(); ++batch)
          if (!replicas(s, v, b, d, batch, layouts)) return false;
    }
    return true;
  }

  bool replicas(int s, int v, int b, int d, int batch, const std::vector<Layout>& layouts) {
    const int m = m_problem.microbatchCount(b, d, batch);
    if (m == 0 || d > (batch + b - 1) / b || !scheduleOf(m_schedule).refusals(s, v, m).empty()) return true;
    for (int inner = 1; inner <= d; ++inner) {
      if (d % inner != 0) continue;
      m_plan = {};
      if (batch != m_problem.job.globalBatch) m_plan.globalBatch = batch;
      m_plan.microbatch = b;
      m_plan.dataInner = inner;
      m_plan.dataOuter = d / inner;
      m_plan.stages.resize(s);
      if (!strategies(0, layouts)) return false;
    }
    return true;
  }

  bool strategies(std::size_t stage, const std::vector<Layout>& layouts) {
    if (stage == m_plan.stages.size()) return strides(layouts);
    for (const Strategy& strategy : m_problem.profile->strategies()) {
      const int apart = strategy.foldedExperts ? strategy.tensor * strategy.context : 1;
      if (m_plan.dataInner * apart % strategy.expert != 0) continue;
      if (!m_problem.search.strategyPerStage && stage > 0 && strategy != m_plan.stages.front().strategy)
        continue;
      m_plan.stages[stage].strategy = strategy;
      int width = 0;
      for (std::size_t i = 0; i <= stage; ++i) width += m_plan.dataInner * m_plan.stages[i].strategy.width();
      if (static_cast<long long>(width) * m_plan.dataOuter > m_devices) continue;
      if (!strategies(stage + 1, layouts)) return false;
    }
    return true;
  }

  bool strides(const std::vector<Layout>& layouts) {
    const int width = m_plan.pipelineWidth();
    std::vector<int> options = {width};
    for (int l = 0; m_plan.dataOuter > 1 && l < m_problem.cluster->levelCount(); ++l) {
      const int group = m_problem.cluster->largestGroupSize(l);
      options.push_back((width + group - 1) / group * group);
    }
    std::sort(options.begin(), options.end());
    options.erase(std::unique(options.begin(), options.end()), options.end());
    for (const int stride : options) {
      if ((m_plan.dataOuter - 1LL) * stride + width > m_devices) continue;
      m_plan.blockStride = stride;
      for (const int zero : m_problem.search.zeroStages) {
        m_plan.zero = zero;
        for (int h = m_plan.dataDegree(); h >= 1; --h) {
          m_plan.shardReplicas = h == m_plan.dataDegree() ? 0 : h;
          if (m_plan.shardReplicas > 0 && (zero == 0 || !offersShardGroups(h))) continue;
          if (zero > 0 && nothingToShard()) continue;
          for (const Layout& layout : layouts) {
            place(layout);
            if (!recompute(0)) return false;
          }
        }
        m_plan.shardReplicas = 0;
      }
    }
    return true;
  }

  /// Neighbouring replicas of a block or whole blocks; with `Levels`, as many as any group of some level has
  /// room for.
  bool offersShardGroups(int h) const {
    const int inner = m_plan.dataInner, outer = m_plan.dataOuter;
    const bool parts = inner % h == 0, blocks = h % inner == 0 && outer % (h / inner) == 0;
    const ShardGroups asked = m_problem.search.shardGroups;
    if (asked != ShardGroups::Levels) return asked == ShardGroups::Every && (parts || blocks);
    for (int l = 0; l < m_problem.cluster->levelCount(); ++l) {
      const int room = m_problem.cluster->largestGroupSize(l);
      if (parts)
        for (const Strategy& s : m_problem.profile->strategies())
          if (mayBeUsed(s) && isMost(h, inner, s.width(), room)) return true;
      if (blocks && outer > 1 && isMost(h / inner, outer, m_plan.blockStride, room)) return true;
    }
    return false;
  }
  /// The largest divisor of `whole` of which that many times `size` fit.
  static bool isMost(int count, int whole, int size, int room) {
    if (static_cast<long long>(count) * size > room) return false;
    for (int more = count + 1; more <= whole; ++more)
      if (whole % more == 0 && static_cast<long long>(more) * size <= room) return false;
    return true;
  }
  /// By some stage: of one strategy for all, only that one.
  bool mayBeUsed(const Strategy& s) const {
    const Constraints& c = m_problem.constraints;
    if (!m_problem.search.strategyPerStage || c.megatronExpressible ||
        !m_problem.runs(PlanFeature::DifferingStages))
      return s == m_plan.stages.front().strategy;
    return c.tensor.allows(s.tensor) && c.context.allows(s.context) && c.expert.allows(s.expert);
  }

  bool nothingToShard() const {
    return std::all_of(m_plan.stages.begin(), m_plan.stages.end(),
                       [&](const StagePlan& s) { return m_plan.shardDegree() * s.strategy.context == 1; });
  }

  void place(const Layout& layout) {
    const std::size_t s = m_plan.stages.size();
    for (StagePlan& stage : m_plan.stages) stage.chunks.clear();
    m_plan.schedule = m_schedule;
    for (std::size_t p = 0; p < layout.size(); ++p) {
      const std::size_t place = p % s;
      // The second half of a folded pipeline comes back.
      const bool back = scheduleOf(m_schedule).isFolded() && p / s % 2 == 1;
      m_plan.stages[back ? s - 1 - place : place].chunks.push_back(layout[p]);
    }
  }

  bool recompute(std::size_t stage) {
    if (stage == m_plan.stages.size()) return m_visit(m_plan);
    for (int r = 0; r < kRecomputeCount; ++r) {
      if (!m_problem.search.recompute[at(r)]) continue;
      m_plan.stages[stage].recompute = static_cast<Recompute>(r);
      if (!recompute(stage + 1)) return false;
    }
    return true;
  }

  const Problem& m_problem;
  const std::function<bool(const Plan&)>& m_visit;
  int m_devices;
  ScheduleKind m_schedule = ScheduleKind::OneForwardOneBackward;
  Plan m_plan;
};

}  // namespace

bool visitPlans(const Problem& problem, const std::function<bool(const Plan&)>& visit) {
  return Space(problem, visit).run();
}

}  // namespace nest
