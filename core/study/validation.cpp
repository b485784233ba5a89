#include "study/validation.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

#include "cluster/devices/device_catalog.h"
#include "units/text.h"

namespace nest {
namespace {

/// The rows whose figures were in view when the A100's constants were chosen; all others are predictions.
bool isFittedOn(const PublishedRun& r) {
  return r.isInView || r.set == "megatron-a100" || (r.set == "korthikanti-time" && r.stages <= 8) ||
         (r.set == "ptd-vs-zero3" && r.zero == 3 && r.model.layers == 96 && r.devices < 1536);
}

const DeviceSpec* deviceOf(const PublishedRun& r, const ValidationAssumptions& assumptions) {
  const DeviceSpec* known = findDevice(r.device.empty() ? "a100-80" : r.device);
  for (const DeviceSpec& d : assumptions.devices)
    if (known && d.id == known->id) return &d;
  return known;
}

/// DeepSpeed's ZeRO-3 of 2021 gathered over one flat network; all else has hosts.
bool isFlat(const PublishedRun& r) {
  return r.isEarlyZero3;
}

/// TPUs of a slice are joined by their own links; hosts only feed them.
bool isTorus(const DeviceSpec& device) {
  return device.id.starts_with("tpu-");
}

Reading<Hierarchy> clusterOf(const PublishedRun& r, const DeviceSpec& device,
                             const ValidationAssumptions& assumptions) {
  HierarchyInput in;
  in.device = device;
  const int host = std::min(r.host.value_or(isTorus(device) ? r.devices : device.usualHostSize), r.devices);
  if (isFlat(r)) {
    in.levels = {{"flat", device.hostLinkBandwidth.value, assumptions.hostLatency}};
    in.fanouts = {r.devices};
  } else if (r.devices <= host || r.devices % host != 0) {
    in.levels = {{"host", device.linkBandwidth.value, device.linkLatency.value}};
    in.fanouts = {r.devices};
  } else {
    in.levels = {{"host", device.linkBandwidth.value, device.linkLatency.value},
                 {"fabric", device.hostLinkBandwidth.value, assumptions.hostLatency}};
    in.fanouts = {host, r.devices / host};
  }
  for (NetworkLevel& l : in.levels)
    l.efficiency = isFlat(r) ? assumptions.zeroGatherEfficiency.value : device.linkEfficiency.value;
  return Hierarchy::build(in);
}

/// Blocks of each part. Where they do not divide, parts that hold more besides have one less: the last (norm
/// and head) first, then the first (embedding; Llama 3's 126 blocks on 16 stages), then, without
/// interleaving, others from behind. Empty: no such parts.
std::vector<int> blocksOfParts(int blocks, int parts, bool interleaved) {
  const int most = (blocks + parts - 1) / parts, missing = most * parts - blocks;
  if (parts < 1 || blocks < 1 || (interleaved ? missing > 2 : missing >= parts && parts > 1)) return {};
  std::vector<int> out(static_cast<std::size_t>(parts), most);
  for (int k = 0; k < missing; ++k) --out[static_cast<std::size_t>(k == 1 ? 0 : parts - std::max(1, k))];
  // A part without a block still has the embedding or the head; one between has nothing.
  return parts > 2 && std::count(out.begin() + 1, out.end() - 1, 0) > 0 ? std::vector<int>{} : out;
}

/// Blocks in equal parts, embedding before the first, norm and head behind the last.
std::vector<StagePlan> equalStages(const LayerGraph& graph, int blocks, const Strategy& strategy,
                                   Recompute recompute, int stages, int chunks) {
  std::vector<StagePlan> out(static_cast<std::size_t>(stages));
  const auto parts = blocksOfParts(blocks, stages * chunks, chunks > 1);
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

/// What keeps the planner from offering a row's plan.
const char* remarkOn(const Evaluation& e) {
  if (e.feasible()) return "";
  const bool memory = std::any_of(e.violations.begin(), e.violations.end(),
                                  [](const Violation& v) { return v.code == "memory"; });
  return memory ? "  does not fit" : "  unequal chunks";
}

/// One published run, ready to be evaluated with any microbatch size and chunk count.
class Trial {
public:
  Trial(const PublishedRun& run, const DeviceSpec& device, Hierarchy cluster,
        const ValidationAssumptions& assumptions)
      : m_run(run),
        m_device(device),
        m_assumptions(assumptions),
        m_cluster(std::make_shared<const Hierarchy>(std::move(cluster))),
        m_strategy{run.tensor, run.sequenceParallel && run.tensor > 1, run.context, run.expert},
        m_data(run.devices / (run.stages * m_strategy.width())) {}

  /// The best microbatch and chunk count where they are not stated; nullopt: none can be formed.
  std::optional<ValidationRow> best() const {
    if (m_run.zero) return bestWith(*m_run.zero);
    if (m_run.year >= 2023 && m_data > 1) return bestWith(1);
    auto row = bestWith(0);
    if (row && !row->evaluation.feasible() && m_data > 1) {
      auto sharded = bestWith(1);
      if (sharded && sharded->evaluation.feasible()) return sharded;
    }
    return row;
  }

private:
  std::optional<ValidationRow> bestWith(int zero) const {
    std::optional<ValidationRow> best;
    for (const int b : m_run.microbatch ? std::vector{*m_run.microbatch} : std::vector{1, 2, 4, 8, 16}) {
      for (const int v : chunkCounts(b)) {
        ValidationRow row = evaluated(b, v, zero);
        const auto rank = [](const ValidationRow& r) {
          return std::pair(!r.evaluation.feasible(), r.evaluation.batchTime);
        };
        if (!best || rank(row) < rank(*best)) best = std::move(row);
      }
    }
    return best;
  }
  /// Stated, or the least interleaving that can be formed.
  std::vector<int> chunkCounts(int b) const {
    if (m_run.chunks) return canBeFormed(b, *m_run.chunks) ? std::vector{*m_run.chunks} : std::vector<int>{};
    for (int v = 2; v <= m_run.model.layers / m_run.stages; ++v)
      if (canBeFormed(b, v)) return {v};
    return canBeFormed(b, 1) ? std::vector{1} : std::vector<int>{};
  }
  bool canBeFormed(int b, int v) const {
    if (m_data < 1 || m_data * m_run.stages * m_strategy.width() != m_run.devices) return false;
    if (m_run.globalBatch % (b * m_data) != 0 ||
        blocksOfParts(m_run.model.layers, m_run.stages * v, v > 1).empty())
      return false;
    if (m_data % m_run.expert != 0) return false;
    return v == 1 || (m_run.stages > 1 && m_run.globalBatch / (b * m_data) % m_run.stages == 0);
  }

  ValidationRow evaluated(int b, int v, int zero) const {
    Problem problem;
    problem.cluster = m_cluster;
    problem.job.globalBatch = m_run.globalBatch;
    problem.job.sequenceLength = m_run.sequence;
    problem.job.microbatches = {b};
    problem.job.format = m_run.format;
    if (m_run.fp16Gradients) problem.job.optimizer = OptimizerRegime::zeroPaper();
    if (isFlat(m_run))
      problem.assumptions.overlap[static_cast<std::size_t>(Exchange::Data)] = m_assumptions.zeroOverlap.value;
    else if (m_run.zero == 3)
      problem.assumptions.overlap[static_cast<std::size_t>(Exchange::Data)] =
          m_assumptions.shardedOverlap.value;
    if (!m_run.isEarly && m_run.tensor > 1)
      problem.assumptions.overlap[static_cast<std::size_t>(Exchange::Tensor)] =
          besideProducts() * m_assumptions.backwardTensorOverlap.value;
    if (m_run.year >= 2023) {
      problem.assumptions.syncOverlap = m_assumptions.syncOverlap.value;
      problem.assumptions.overlap[static_cast<std::size_t>(Exchange::Context)] =
          m_assumptions.contextOverlap.value;
    }
    if (m_run.syncOverlap) problem.assumptions.syncOverlap = *m_run.syncOverlap;
    problem.assumptions.linkEfficiency = m_cluster->level(0).efficiency;
    // Without sequence parallelism Megatron still sends each boundary tensor in t parts (Narayanan 2021,
    // §4.1).
    if (m_run.tensor > 1 && !m_strategy.sequence)
      problem.assumptions.overlap[static_cast<std::size_t>(Exchange::Pipeline)] = 1 - 1.0 / m_run.tensor;
    for (std::size_t k = 0; k < m_run.overlap.size(); ++k)
      if (m_run.overlap[k]) problem.assumptions.overlap[k] = *m_run.overlap[k];
    DeviceSpec device = m_device;
    if (m_run.flashAttention && m_run.year < 2024)
      device.attentionEfficiency.value *= m_assumptions.earlyAttention.value;
    auto made = analyticProfile(m_run.model, device, problem.job, {m_strategy},
                                {m_run.flashAttention, separateSums(b), m_assumptions.constants});
    problem.graph = std::make_shared<const LayerGraph>(std::move(made.graph));
    problem.profile = std::make_shared<const Profile>(std::move(made.profile));
    problem.search.chunksPerStage = {v};

    ValidationRow row;
    row.run = m_run;
    row.plan.microbatch = b;
    row.plan.dataInner = m_data;
    row.plan.zero = zero;
    row.plan.schedule = usualSchedule(v);
    row.plan.stages =
        equalStages(*problem.graph, m_run.model.layers, m_strategy, m_run.recompute, m_run.stages, v);
    row.plan.blockStride = row.plan.pipelineWidth();
    row.evaluation = evaluate(problem, row.plan);
    row.predicted = predictedBy(row, *problem.profile);
    row.isFitted = isFittedOn(m_run);
    return row;
  }

  /// Of a block's tensor exchanges, those that can run beside products. An all-reduce counts as two: forward
  /// 4, as many where it is computed again, and backward 4, of which 2 (the sums of input gradients, when
  /// they are split by sequence) or all 4 can; and split by sequence 2 more gathers, which all can.
  double besideProducts() const {
    const double again = m_run.recompute == Recompute::Full ? 4 : 0;
    return m_strategy.sequence ? 4 / (10 + again) : 4 / (8 + again);
  }
  /// The first microbatch of a batch has nothing to add to; ZeRO-3 of 2021 scattered each layer's at once.
  double separateSums(int b) const {
    const double m = double(m_run.globalBatch) / (double(b) * m_data);
    return m_run.isEarly && !m_run.isEarlyZero3 ? (m - 1) / m : 0;
  }

  double predictedBy(const ValidationRow& row, const Profile& profile) const {
    const double seconds = row.evaluation.batchTime.value();
    const StageEvaluation& first = row.evaluation.stages.front();
    switch (m_run.quantity) {
      case PublishedQuantity::TflopsPerDevice:
        return countedFlops(m_run, m_run.convention) / (seconds * m_run.devices);
      case PublishedQuantity::BatchSeconds:
        return seconds;
      case PublishedQuantity::ModelUtilization:
        return countedFlops(m_run, m_run.convention) /
               (seconds * m_run.devices * m_device.peak.value.value());
      case PublishedQuantity::TokensPerSecondPerDevice:
        return double(m_run.globalBatch) * m_run.sequence / (seconds * m_run.devices);
      case PublishedQuantity::ParameterBytes:
        return blockBytes();
      case PublishedQuantity::ActivationBytes:
        break;
    }
    // The published figure leaves out what the embedding keeps.
    const auto policy = static_cast<std::size_t>(m_run.recompute);
    return first.memory.stash.value() -
           first.inFlight * profile.cost(0, 0, 0)->recompute[policy].stash.value();
  }

  /// Korthikanti's figure 1 counts the blocks alone, evenly over all devices: 18 bytes a parameter.
  double blockBytes() const {
    TransformerArchitecture blocks = m_run.model;
    blocks.vocabulary = blocks.maxPositions = 0;
    const OptimizerRegime regime;
    return parameterCount(blocks) * (regime.weightBytes + regime.gradientBytes + regime.optimizerBytes) /
           (m_run.tensor * m_run.stages);
  }

  const PublishedRun& m_run;
  const DeviceSpec& m_device;
  const ValidationAssumptions& m_assumptions;
  std::shared_ptr<const Hierarchy> m_cluster;
  Strategy m_strategy;
  int m_data;
};

double meanOf(const std::vector<ValidationRow>& rows, auto&& wanted) {
  double sum = 0;
  int count = 0;
  for (const ValidationRow& r : rows) {
    if (!isThroughput(r.run.quantity) || !wanted(r)) continue;
    sum += std::abs(r.throughputError());
    ++count;
  }
  return count > 0 ? sum / count : 0;
}

std::string valueText(PublishedQuantity q, double v) {
  switch (q) {
    case PublishedQuantity::TflopsPerDevice:
      return text::flops(FlopsPerSecond(v));
    case PublishedQuantity::BatchSeconds:
      return text::time(Seconds(v));
    case PublishedQuantity::ModelUtilization:
      return text::percent(v);
    case PublishedQuantity::TokensPerSecondPerDevice:
      return text::number(v);
    case PublishedQuantity::ParameterBytes:
    case PublishedQuantity::ActivationBytes:
      break;
  }
  return text::memory(Bytes(v));
}

}  // namespace

double ValidationReport::meanThroughputError() const {
  return meanOf(rows, [](const ValidationRow&) { return true; });
}
double ValidationReport::meanThroughputError(bool fitted) const {
  return meanOf(rows, [fitted](const ValidationRow& r) { return r.isFitted == fitted; });
}
double ValidationReport::largestMemoryError() const {
  double largest = 0;
  for (const ValidationRow& r : rows)
    if (r.run.quantity == PublishedQuantity::ActivationBytes)
      largest = std::max(largest, std::abs(r.error()));
  return largest;
}
double ValidationReport::calibration() const {
  double sum = 0;
  int count = 0;
  for (const ValidationRow& r : rows)
    if (isThroughput(r.run.quantity)) sum += std::log1p(r.throughputError()), ++count;
  return count > 0 ? std::exp(sum / count) : 1;
}

Reading<ValidationReport> runValidation(std::string_view trainingResults, const std::string& file,
                                        const ValidationAssumptions& assumptions) {
  auto runs = readPublishedResults(trainingResults, file);
  Diagnostics out = std::move(runs.diagnostics);
  if (!runs) return {std::nullopt, out};
  ValidationReport report;
  for (const PublishedRun& run : *runs) {
    const Place where{file, 0, 0, run.set};
    const DeviceSpec* device = deviceOf(run, assumptions);
    if (!device) {
      out.push_back(warning("published-device", where,
                            "The device \"" + run.device + "\" of " + run.label + " is not in the catalog"));
      continue;
    }
    auto cluster = clusterOf(run, *device, assumptions);
    auto row = cluster ? Trial(run, *device, std::move(*cluster), assumptions).best() : std::nullopt;
    if (row)
      report.rows.push_back(std::move(*row));
    else
      out.push_back(warning("published-configuration", where,
                            run.label + ": devices, batch or layers do not divide as stated"));
  }
  return {std::move(report), out};
}

namespace {

/// Each set's rows, their mean error and its size.
std::string setTable(const ValidationReport& report) {
  std::vector<std::string> sets;
  for (const ValidationRow& r : report.rows)
    if (isThroughput(r.run.quantity) && (sets.empty() || sets.back() != r.run.set)) sets.push_back(r.run.set);
  if (sets.size() < 2) return {};
  std::string out = fmt::format("\n{:<28}  {:<16}  {:>4}  {:>10}  {:>13}\n", "Throughput", "Device", "Runs",
                                "Mean error", "Mean absolute");
  for (const std::string& set : sets) {
    double sum = 0, size = 0;
    int rows = 0;
    std::string device;
    for (const ValidationRow& r : report.rows) {
      if (r.run.set != set || !isThroughput(r.run.quantity)) continue;
      sum += r.throughputError(), size += std::abs(r.throughputError()), ++rows;
      device = r.run.device;
    }
    out += fmt::format("{:<28}  {:<16}  {:>4}  {:>10}  {:>13}\n", set, device, rows,
                       text::signedPercent(sum / rows), text::percent(size / rows));
  }
  return out;
}

std::string notesOn(const ValidationReport& report) {
  const ValidationAssumptions assumed;
  std::string out;
  if (std::any_of(report.rows.begin(), report.rows.end(), [](const auto& r) { return r.run.isEarly; }))
    out +=
        "Programs of before 2022 (by the source's year): TP communication waits for products, and kernels of "
        "their own add up weight gradients.\n";
  if (std::any_of(report.rows.begin(), report.rows.end(),
                  [](const auto& r) { return !r.run.isEarly && r.run.tensor > 1; }))
    out += "Later programs: " + text::percent(assumed.backwardTensorOverlap.value) +
           " of the backward pass's TP communication that can run beside products does.\n";
  if (std::any_of(report.rows.begin(), report.rows.end(),
                  [](const auto& r) { return isThroughput(r.run.quantity) && r.run.year >= 2023; }))
    out += "Programs since 2023: at most " + text::percent(assumed.syncOverlap.value) +
           " of the gradient reduction overlaps with the passes beside it, " +
           text::percent(assumed.contextOverlap.value) +
           " of the CP communication behind attention; gradients and optimizer state as in ZeRO-1.\n";
  if (std::any_of(report.rows.begin(), report.rows.end(),
                  [](const auto& r) { return r.run.flashAttention && r.run.year < 2024; }))
    out += "Fused attention before 2024 counts at " + text::percent(assumed.earlyAttention.value) +
           " of the device's rate.\n";
  if (std::any_of(report.rows.begin(), report.rows.end(), [](const auto& r) { return r.isFitted; }))
    out +=
        "\"fitted\": the device's constants were chosen with these rows in view; all others are predictions "
        "with the same constants.\n";
  return out;
}

}  // namespace

std::string toText(const ValidationReport& report) {
  std::string out = fmt::format("{:<18}  {:<48}  {:<34}  {:<24}  {:>14}  {:>14}  {:>8}\n", "Set", "Run",
                                "Plan", "Quantity", "Predicted", "Published", "Error");
  for (const ValidationRow& r : report.rows) {
    out += fmt::format("{:<18}  {:<48}  {:<34}  {:<24}  {:>14}  {:>14}  {:>8}{}{}\n", r.run.set, r.run.label,
                       summaryOf(r.plan), nameOf(r.run.quantity), valueText(r.run.quantity, r.predicted),
                       valueText(r.run.quantity, r.run.published), text::signedPercent(r.error()),
                       r.isFitted ? "  fitted" : "", remarkOn(r.evaluation));
  }
  out += setTable(report);
  const auto counted = [&](bool fitted) {
    return std::count_if(report.rows.begin(), report.rows.end(), [&](const ValidationRow& r) {
      return isThroughput(r.run.quantity) && r.isFitted == fitted;
    });
  };
  // Never together: how well constants reproduce what they were fitted on says little of a new run.
  out += "\nThroughput, mean absolute error\n";
  for (const bool fitted : {false, true})
    if (const auto rows = counted(fitted); rows > 0)
      out += fmt::format("  {:<46}{:>4} rows  {:>8}\n",
                         fitted ? "runs that constants were fitted on" : "unseen runs", rows,
                         text::percent(report.meanThroughputError(fitted)));
  if (std::any_of(report.rows.begin(), report.rows.end(),
                  [](const auto& r) { return r.run.quantity == PublishedQuantity::ActivationBytes; }))
    out += fmt::format("Activation memory, largest error: {}\n", text::percent(report.largestMemoryError()));
  out += notesOn(report);
  return out;
}

}  // namespace nest
