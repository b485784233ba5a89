#include "lab/published_scenario.h"

#include <fmt/format.h>
#include <algorithm>

#include "cluster/devices/device_catalog.h"
#include "fields/program_setting.h"
#include "formats/import_files.h"
#include "units/at.h"
#include "units/text.h"

namespace nest {
namespace {

constexpr double kHostLatency = 10e-6;  ///< between hosts

/// TPUs of a slice are joined by their own links; hosts only feed them.
bool isTorus(const DeviceSpec& device) {
  return device.id.starts_with("tpu-");
}

LevelSpec level(const char* name, int fanout, BytesPerSecond bandwidth, Seconds latency) {
  LevelSpec l;
  l.name = name, l.fanout = fanout, l.bandwidth = bandwidth, l.latency = latency;
  l.origin = Origin::Catalog;
  return l;
}

ClusterSource clusterOf(const PublishedRun& r, const DeviceSpec& device) {
  int host = std::min(r.host.value_or(isTorus(device) ? r.devices : device.usualHostSize), r.devices);
  while (r.devices % host != 0) --host;  // of a rack of 72 a run on 256 has 64
  LevelsSource levels;
  levels.levels = {level("host", host, device.linkBandwidth.value, device.linkLatency.value)};
  if (host < r.devices)
    levels.levels.push_back(level("fabric", r.devices / host,
                                  r.hostLink.value_or(device.hostLinkBandwidth.value),
                                  Seconds(kHostLatency)));
  return {device, levels};
}

std::string counted(int n, const char* one) {
  return text::count(n) + ' ' + one + (n == 1 ? "" : "s");
}

std::string deviceIds() {
  std::string out;
  for (const DeviceSpec& d : deviceCatalog()) out += (out.empty() ? "" : ", ") + d.id;
  return out;
}

/// Blocks of each part. Where they do not divide, parts that hold more besides have one less: the last (norm
/// and head) first, then the first (embedding; Llama 3's 126 blocks on 16 stages), then others from behind
/// (DeepSeek-V3's 61 on 32 chunks, a layout of its own). Empty: no such parts.
std::vector<int> blocksOfParts(int blocks, int parts) {
  const int most = (blocks + parts - 1) / parts, missing = most * parts - blocks;
  if (parts < 1 || blocks < 1 || (missing >= parts && parts > 1)) return {};
  std::vector<int> out(parts, most);
  for (int k = 0; k < missing; ++k) --out[at(k == 1 ? 0 : parts - std::max(1, k))];
  // A part without a block still has the embedding or the head; one between has nothing.
  return parts > 2 && std::count(out.begin() + 1, out.end() - 1, 0) > 0 ? std::vector<int>{} : out;
}

/// Stages as a program cuts them that balances the weights of blocks and head (StageCut::ByWeight): each
/// ends with the first layer by which its share of them is passed. Empty: there are fewer such stages.
std::vector<StagePlan> stagesByWeight(const LayerGraph& graph, const TransformerArchitecture& a,
                                      const Strategy& strategy, Recompute recompute, int stages) {
  const double block = 4.0 * a.hidden * a.heads * a.headDim + 3.0 * a.hidden * a.intermediate;
  const auto weight = [&](int layer) {
    const LayerKind kind = graph.layers[at(layer)].kind;
    return kind == LayerKind::Block ? block : kind == LayerKind::Head ? double(a.vocabulary) * a.hidden : 0.0;
  };
  double all = 0, passed = 0;
  for (int l = 0; l < graph.layerCount(); ++l) all += weight(l);
  std::vector<StagePlan> out(1);
  for (int l = 0; l < graph.layerCount(); ++l) {
    if (out.back().chunks.empty())
      out.back() = {.chunks = {{}}, .strategy = strategy, .recompute = recompute};
    out.back().chunks.front().push_back(LayerIndex(l));
    passed += weight(l);
    if (passed > all * static_cast<double>(out.size()) / stages && l + 1 < graph.layerCount())
      out.emplace_back();
  }
  // Where the head fills a stage, what follows it (cast and loss, here parts of the head) has the last.
  auto& last = out.back().chunks.front();
  if (static_cast<int>(out.size()) == stages - 1 && last.size() > 1) {
    const LayerIndex head = last.back();
    last.pop_back();
    out.push_back({.chunks = {{head}}, .strategy = strategy, .recompute = recompute});
  }
  return static_cast<int>(out.size()) == stages ? out : std::vector<StagePlan>{};
}

/// Stages as a program cuts them that deals out layers by their number (StageCut::ByCount); where they do not
/// divide, the first stages have one more.
std::vector<StagePlan> stagesByCount(const LayerGraph& graph, const Strategy& strategy, Recompute recompute,
                                     int stages) {
  const int layers = graph.layerCount();
  std::vector<StagePlan> out(at(std::min(stages, layers)));
  int layer = 0;
  for (int i = 0; i < static_cast<int>(out.size()); ++i) {
    out[at(i)] = {.chunks = {{}}, .strategy = strategy, .recompute = recompute};
    for (int l = 0; l < layers / stages + (i < layers % stages ? 1 : 0); ++l)
      out[at(i)].chunks.front().push_back(LayerIndex(layer++));
  }
  return static_cast<int>(out.size()) == stages ? out : std::vector<StagePlan>{};
}

/// Blocks in equal parts, embedding before the first, norm and head behind the last.
std::vector<StagePlan> equalStages(const LayerGraph& graph, int blocks, const Strategy& strategy,
                                   Recompute recompute, int stages, int chunks) {
  std::vector<StagePlan> out(stages);
  const auto parts = blocksOfParts(blocks, stages * chunks);
  int layer = 0, end = 1;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    end = part + 1 == parts.size() ? graph.layerCount() : end + parts[part];
    std::vector<LayerIndex> chunk;
    for (; layer < end; ++layer) chunk.push_back(LayerIndex(layer));
    StagePlan& s = out[part % out.size()];
    s.strategy = strategy;
    s.recompute = recompute;
    s.chunks.push_back(std::move(chunk));
  }
  return out;
}

/// One published run, to be tried with any microbatch size, ZeRO stage and chunk count.
class Trial {
public:
  Trial(const PublishedRun& run, Scenario scenario)
      : m_run(run),
        m_scenario(std::move(scenario)),
        m_strategy{run.tensor, run.sequenceParallel && run.tensor > 1, run.context, run.expert,
                   run.foldedExperts},
        m_data(run.devices / (run.stages * m_strategy.width())) {}

  Reading<PublishedPlan> best() {
    Reading<PublishedPlan> out;
    out.value = chosen();
    out.diagnostics = std::move(m_out);
    if (!out.value && out.diagnostics.empty())
      out.diagnostics.push_back(error("published-degrees", {}, whatDoesNotDivide()));
    return out;
  }

private:
  /// Since 2023 Megatron's optimizer state is sharded, if there is more than one rank to share it.
  std::optional<PublishedPlan> chosen() {
    if (m_run.zero) return bestWith(*m_run.zero);
    const bool shares = m_data * m_run.context > 1;
    if (m_run.year >= 2023 && shares) return bestWith(1);
    auto row = bestWith(0);
    if (row && !row->evaluation.feasible() && shares) {
      auto sharded = bestWith(1);
      if (sharded && sharded->evaluation.feasible()) return sharded;
    }
    return row;
  }
  std::optional<PublishedPlan> bestWith(int zero) {
    std::optional<PublishedPlan> best;
    for (const int b : m_run.microbatch ? std::vector{*m_run.microbatch} : std::vector{1, 2, 4, 8, 16}) {
      for (const int v : chunkCounts(b)) {
        auto row = evaluated(b, v, zero);
        const auto rank = [](const PublishedPlan& r) {
          return std::pair(!r.evaluation.feasible(), r.evaluation.batchTime);
        };
        if (row && (!best || rank(*row) < rank(*best))) best = std::move(row);
      }
    }
    return best;
  }
  /// Stated, or the least interleaving that can be formed.
  std::vector<int> chunkCounts(int b) const {
    if (m_run.chunks) return canBeFormed(b, *m_run.chunks) ? std::vector{*m_run.chunks} : std::vector<int>{};
    for (int v = 2; v <= m_run.model.layers / m_run.stages; ++v)
      if (m_run.model.layers % (v * m_run.stages) == 0 && canBeFormed(b, v)) return {v};
    return canBeFormed(b, 1) ? std::vector{1} : std::vector<int>{};
  }
  bool canBeFormed(int b, int v) const {
    if (m_data < 1 || m_data * m_run.stages * m_strategy.width() != m_run.devices) return false;
    if (m_run.globalBatch % (b * m_data) != 0 || blocksOfParts(m_run.model.layers, m_run.stages * v).empty())
      return false;
    if (!m_strategy.fitsExperts(m_data) || !fitsShards()) return false;
    return v == 1 || (m_run.stages > 1 && m_run.globalBatch / (b * m_data) % m_run.stages == 0);
  }

  /// Why no plan can be formed of what the run states.
  std::string whatDoesNotDivide() const {
    const int width = m_run.stages * m_strategy.width();
    if (m_data < 1 || m_data * width != m_run.devices)
      return fmt::format("{} do not make replicas of {} (tensor, context and pipeline degrees)",
                         counted(m_run.devices, "device"), width);
    if (!m_strategy.fitsExperts(m_data))
      return fmt::format("{} do not divide into expert groups of {}", counted(m_data, "replica"),
                         m_strategy.expert);
    if (!fitsShards())
      return fmt::format("{} do not divide into shard groups of {}", counted(m_data, "replica"), m_run.shard);
    const int b = m_run.microbatch.value_or(1), v = m_run.chunks.value_or(1);
    if (m_run.globalBatch % (b * m_data) != 0)
      return fmt::format("{} do not divide into microbatches of {} on {}",
                         counted(m_run.globalBatch, "sequence"), b, counted(m_data, "replica"));
    if (blocksOfParts(m_run.model.layers, m_run.stages * v).empty())
      return fmt::format("{} do not make {}{}", counted(m_run.model.layers, "block"),
                         counted(m_run.stages, "stage"), v > 1 ? " of " + counted(v, "chunk") : "");
    return v == 1 ? fmt::format("{} do not make {}", counted(m_run.model.layers, "block"),
                                counted(m_run.stages, "stage"))
                  : fmt::format("interleaving needs microbatches of each replica ({}) that divide by {}",
                                m_run.globalBatch / (b * m_data), counted(m_run.stages, "stage"));
  }
  bool fitsShards() const { return m_run.shard == 0 || m_run.shard >= m_data || m_data % m_run.shard == 0; }

  std::optional<PublishedPlan> evaluated(int b, int v, int zero) {
    PublishedPlan out;
    out.scenario = m_scenario;
    out.scenario.job.microbatches = {b};
    out.scenario.search.chunksPerStage = {v};
    auto problem = buildProblem(out.scenario);
    if (!problem) {
      m_out = std::move(problem.diagnostics);
      return std::nullopt;
    }
    out.problem = std::make_shared<const Problem>(std::move(*problem));
    out.plan.microbatch = b;
    out.plan.dataInner = m_data;
    out.plan.zero = zero;
    out.plan.shardReplicas = zero > 0 && m_run.shard < m_data ? m_run.shard : 0;
    out.plan.schedule = usualSchedule(v);
    const Program* program = findProgram(m_run.program);
    const StageCut cuts = program && v == 1 ? program->cuts : StageCut::Free;
    const LayerGraph& graph = *out.problem->graph;
    out.plan.stages =
        cuts == StageCut::ByWeight
            ? stagesByWeight(graph, m_run.model, m_strategy, m_run.recompute, m_run.stages)
        : cuts == StageCut::ByCount
            ? stagesByCount(graph, m_strategy, m_run.recompute, m_run.stages)
            : equalStages(graph, m_run.model.layers, m_strategy, m_run.recompute, m_run.stages, v);
    if (out.plan.stages.empty()) return std::nullopt;
    out.plan.blockStride = out.plan.pipelineWidth();
    out.evaluation = evaluate(*out.problem, out.plan);
    return out;
  }

  const PublishedRun& m_run;
  Scenario m_scenario;
  Strategy m_strategy;
  int m_data;
  Diagnostics m_out;
};

/// Only the run's own strategy is costed.
void fixStrategy(const PublishedRun& r, Scenario& s) {
  s.search.preset = SearchPreset::Free;
  s.search.sequenceParallel = r.sequenceParallel;
  s.search.contextParallel = r.context > 1;
  s.search.expertParallel = r.expert > 1;
  s.search.expertFolding = r.foldedExperts ? ExpertFolding::Only : ExpertFolding::No;
  s.constraints.tensor = {r.tensor, r.tensor};
  s.constraints.context = {r.context, r.context};
  s.constraints.expert = {r.expert, r.expert};
  s.constraints.megatronExpressible = false;
}

}  // namespace

const DeviceSpec* deviceOf(const PublishedRun& r, const PublishedOptions& options) {
  const DeviceSpec* known = findDevice(r.device.empty() ? "a100-80" : r.device);
  for (const DeviceSpec& d : options.devices)
    if (known && d.id == known->id) return &d;
  return known;
}

Reading<Scenario> scenarioOf(const PublishedRun& r, const PublishedOptions& options) {
  const DeviceSpec* device = deviceOf(r, options);
  if (!device)
    return {
        std::nullopt,
        {error("published-device", {}, "no device is called \"" + r.device + '"', "one of " + deviceIds())}};
  Imported parts;
  parts.cluster = clusterOf(r, *device);
  parts.model.emplace().architecture = r.model;
  parts.modelName = r.label;
  parts.job.emplace();
  parts.job->globalBatch = r.globalBatch;
  parts.job->sequenceLength = r.sequence;
  parts.job->format = r.format;
  if (r.fp16Gradients) parts.job->optimizer = OptimizerRegime::zeroPaper();
  const Program* program = options.program ? options.program : findProgram(r.program);
  auto made = assemble(parts, nullptr, program);
  if (!made) return made;
  made->name = r.set + ": " + r.label;
  made->job.sequenceLength = r.sequence;
  made->model.analytic.flashAttention = r.flashAttention;
  if (r.attentionKernel) made->model.analytic.attentionKernel = *r.attentionKernel;
  AnalyticConstants& constants = made->model.analytic.constants;
  if (r.fusedSoftmax) {
    const AnalyticConstants usual;
    constants.scoreTraffic = usual.scoreTraffic;
    constants.scoreBackwardTraffic = usual.scoreBackwardTraffic;
  }
  if (r.fusedNorm) constants.eagerNormTraffic = {4, Origin::Catalog, "one kernel: read and written"};
  for (std::size_t k = 0; k < r.overlap.size(); ++k)
    if (r.overlap[k]) made->assumptions.overlap[k] = *r.overlap[k];
  if (r.syncOverlap) made->assumptions.syncOverlap = *r.syncOverlap;
  for (const ProgramValue& v : r.settings)
    if (!setValue(*made, v))
      return {std::nullopt,
              {error("published-setting", {}, r.label + ": " + v.field + " cannot hold its value")}};
  fixStrategy(r, *made);
  if (options.change) options.change(*made);
  return made;
}

Reading<PublishedPlan> planOf(const PublishedRun& r, const PublishedOptions& options) {
  auto scenario = scenarioOf(r, options);
  if (!scenario) return {std::nullopt, std::move(scenario.diagnostics)};
  return Trial(r, std::move(*scenario)).best();
}

}  // namespace nest
