#include "scenario/check.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "units/numbering.h"
#include "units/text.h"

namespace nest {
namespace {

constexpr int kLargestBatch = 1 << 24;
constexpr int kLongestSequence = 1 << 26;
constexpr int kMostChunks = 1024;

Place at(std::string pointer) {
  return {"", 0, 0, std::move(pointer)};
}

bool isPositive(double v) {
  return v > 0 && std::isfinite(v);
}
bool isNotNegative(double v) {
  return v >= 0 && std::isfinite(v);
}

/// The checks share one list and one way of saying what is allowed.
class Checker {
public:
  void require(bool holds, const char* code, std::string pointer, std::string message,
               std::string remedy = {}) {
    if (!holds) m_out.push_back(error(code, at(std::move(pointer)), std::move(message), std::move(remedy)));
  }
  void advise(bool holds, const char* code, std::string pointer, std::string message,
              std::string remedy = {}) {
    if (!holds) m_out.push_back(warning(code, at(std::move(pointer)), std::move(message), std::move(remedy)));
  }
  Diagnostics take() { return std::move(m_out); }

private:
  Diagnostics m_out;
};

void checkLayer(Checker& c, LayerIndex layer, int layerCount, const std::string& pointer) {
  c.require(layer.value >= 0, "layer-negative", pointer, "files number layers from 0");
  if (layerCount > 0)
    c.require(layer.value < layerCount, "layer-unknown", pointer,
              "there is no layer number " + std::to_string(layer.value) +
                  "; files number layers from 0, here to " + std::to_string(layerCount - 1));
}

void checkBound(Checker& c, const Bound& b, const char* name, int smallest) {
  const std::string pointer = std::string("/constraints/") + name;
  const std::string allowed = "a bound is " + std::to_string(smallest) + " or more";
  c.require(!b.least || *b.least >= smallest, "bound-too-small", pointer + "/least", allowed);
  c.require(!b.most || *b.most >= smallest, "bound-too-small", pointer + "/most", allowed);
  c.require(!b.least || !b.most || *b.least <= *b.most, "bound-empty", pointer,
            "no value lies between " + std::to_string(b.least.value_or(0)) + " and " +
                std::to_string(b.most.value_or(0)),
            "let the least not exceed the most");
}

}  // namespace

Diagnostics checkJob(const Job& job) {
  Checker c;
  c.require(job.globalBatch >= 1 && job.globalBatch <= kLargestBatch, "global-batch", "/job/global_batch",
            "a global batch is 1 to " + text::count(kLargestBatch) + " sequences");
  c.require(job.sequenceLength >= 1 && job.sequenceLength <= kLongestSequence, "sequence-length",
            "/job/sequence_length", "a sequence is 1 to " + text::count(kLongestSequence) + " tokens long");
  c.require(!job.microbatches.empty(), "no-microbatches", "/job/microbatches",
            "at least one microbatch size must be on offer", "add 1");
  bool anyFits = job.microbatches.empty();
  for (std::size_t i = 0; i < job.microbatches.size(); ++i) {
    const int b = job.microbatches[i];
    const std::string pointer = "/job/microbatches/" + std::to_string(i);
    c.require(b >= 1, "microbatch", pointer, "a microbatch is 1 sequence or more");
    c.require(i == 0 || b > job.microbatches[i - 1], "microbatch-order", pointer,
              "microbatch sizes stand in ascending order, each once");
    anyFits = anyFits || (b >= 1 && b <= job.globalBatch);
  }
  c.require(anyFits || job.globalBatch < 1, "microbatch-too-large", "/job/microbatches",
            "every microbatch on offer is larger than the global batch of " + text::count(job.globalBatch),
            "offer a smaller one");
  const OptimizerRegime& o = job.optimizer;
  c.require(isPositive(o.weightBytes), "weight-bytes", "/job/optimizer/weight_bytes_per_parameter",
            "weights take more than 0 bytes per parameter");
  c.require(isNotNegative(o.gradientBytes), "gradient-bytes", "/job/optimizer/gradient_bytes_per_parameter",
            "gradients take 0 bytes per parameter or more");
  c.require(isNotNegative(o.optimizerBytes), "optimizer-bytes",
            "/job/optimizer/optimizer_bytes_per_parameter",
            "the optimizer takes 0 bytes per parameter or more");
  c.require(!job.trainingTokens || isPositive(*job.trainingTokens), "training-tokens", "/job/training_tokens",
            "training tokens are more than 0", "leave the field out if they are not known");
  return c.take();
}

Diagnostics checkSearch(const SearchOptions& s) {
  Checker c;
  c.require(!s.zeroStages.empty(), "no-zero-stages", "/search/zero_stages",
            "at least one ZeRO stage must be on offer", "add 0");
  std::set<int> seen;
  for (std::size_t i = 0; i < s.zeroStages.size(); ++i) {
    c.require(s.zeroStages[i] >= 0 && s.zeroStages[i] <= 3, "zero-stage",
              "/search/zero_stages/" + std::to_string(i), "ZeRO stages are 0, 1, 2 and 3");
    c.advise(seen.insert(s.zeroStages[i]).second, "zero-stage-twice",
             "/search/zero_stages/" + std::to_string(i), "this ZeRO stage is listed twice");
  }
  c.require(std::any_of(s.recompute.begin(), s.recompute.end(), [](bool on) { return on; }), "no-recompute",
            "/search/recompute", "at least one recompute policy must be on offer: none, selective or full");
  c.require(!s.chunksPerStage.empty(), "no-chunks", "/search/chunks_per_stage",
            "at least one number of chunks per stage must be on offer", "add 1");
  for (std::size_t i = 0; i < s.chunksPerStage.size(); ++i)
    c.require(s.chunksPerStage[i] >= 1 && s.chunksPerStage[i] <= kMostChunks, "chunks",
              "/search/chunks_per_stage/" + std::to_string(i),
              "chunks per stage are 1 (not interleaved) to " + text::count(kMostChunks));
  c.require(s.topPlans >= 1 && s.topPlans <= 1000, "top-plans", "/search/top_plans",
            "1 to 1,000 plans can be returned");
  c.require(isNotNegative(s.deadlineSeconds), "deadline", "/search/deadline_s",
            "a deadline is 0 (none) or more seconds");
  c.require(s.threads >= 1 && s.threads <= 1024, "threads", "/search/threads",
            "1 to 1,024 threads can be used");
  return c.take();
}

Diagnostics checkConstraints(const Constraints& k, int layerCount) {
  Checker c;
  struct Named {
    const Bound& bound;
    const char* name;
    int smallest;
  };
  for (const Named& n : {Named{k.tensor, "tensor", 1},
                         {k.context, "context", 1},
                         {k.expert, "expert", 1},
                         {k.data, "data", 1},
                         {k.dataInner, "data_inner", 1},
                         {k.stages, "stages", 1},
                         {k.microbatch, "microbatch", 1},
                         {k.devices, "devices", 1},
                         {k.chunks, "chunks", 1},
                         {k.zero, "zero", 0}})
    checkBound(c, n.bound, n.name, n.smallest);
  for (std::size_t i = 0; i < k.requiredCuts.size(); ++i) {
    const std::string pointer = "/constraints/required_cuts/" + std::to_string(i);
    checkLayer(c, k.requiredCuts[i], layerCount, pointer);
    c.require(
        std::find(k.forbiddenCuts.begin(), k.forbiddenCuts.end(), k.requiredCuts[i]) == k.forbiddenCuts.end(),
        "cut-contradiction", pointer,
        "the cut before " + text::layerName(k.requiredCuts[i]) +
            " of the model is both required and forbidden",
        "remove one of the two");
  }
  for (std::size_t i = 0; i < k.forbiddenCuts.size(); ++i)
    checkLayer(c, k.forbiddenCuts[i], layerCount, "/constraints/forbidden_cuts/" + std::to_string(i));
  for (std::size_t i = 0; i < k.layerPins.size(); ++i) {
    const std::string pointer = "/constraints/layer_pins/" + std::to_string(i);
    checkLayer(c, k.layerPins[i].layer, layerCount, pointer + "/layer");
    c.require(k.layerPins[i].stage.value >= 0, "stage-negative", pointer + "/stage",
              "files number stages from 0");
    for (std::size_t j = 0; j < i; ++j)
      c.require(k.layerPins[j].layer != k.layerPins[i].layer || k.layerPins[j].stage == k.layerPins[i].stage,
                "pin-contradiction", pointer,
                text::layerName(k.layerPins[i].layer) + " of the model is pinned to two stages",
                "remove one of the two");
  }
  for (std::size_t i = 0; i < k.stagePins.size(); ++i) {
    const std::string pointer = "/constraints/stage_pins/" + std::to_string(i);
    c.require(k.stagePins[i].stage.value >= 0, "stage-negative", pointer + "/stage",
              "files number stages from 0");
    if (const auto& s = k.stagePins[i].strategy) {
      c.require(s->tensor >= 1 && s->context >= 1 && s->expert >= 1, "degree", pointer + "/strategy",
                "tensor, context and expert degrees are 1 or more");
      c.require(!s->sequence || s->tensor > 1, "sequence-parallel", pointer + "/strategy/sequence",
                "sequence parallelism needs a tensor degree above 1");
    }
  }
  return c.take();
}

Diagnostics checkAssumptions(const Assumptions& a, const DeviceSpec& device) {
  Checker c;
  for (int k = 0; k < kExchangeCount; ++k) {
    const double f = a.overlap[static_cast<std::size_t>(k)];
    c.require(f >= 0 && f <= 1, "overlap",
              std::string("/assumptions/overlap/") + nameOf(static_cast<Exchange>(k)),
              "an overlap is a share between 0 and 1");
  }
  c.require(a.syncOverlap >= 0 && a.syncOverlap <= 1, "overlap", "/assumptions/overlap/sync",
            "an overlap is a share between 0 and 1");
  c.require(a.linkEfficiency > 0 && a.linkEfficiency <= 1, "link-efficiency", "/assumptions/link_efficiency",
            "the link efficiency is a share above 0 and up to 1",
            "1 leaves the bandwidths of the levels as they are");
  c.require(isNotNegative(a.reserve.value()), "reserve", "/assumptions/reserve_bytes",
            "the reserve is 0 bytes or more");
  if (device.memory.value.value() > 0)
    c.require(a.reserve < device.memory.value, "reserve-too-large", "/assumptions/reserve_bytes",
              "the reserve of " + text::memory(a.reserve) + " leaves nothing of the device's " +
                  text::memory(device.memory.value));
  return c.take();
}

Diagnostics checkDevice(const DeviceSpec& d) {
  Checker c;
  const std::string p = "/cluster/device/";
  c.require(isPositive(d.peak.value.value()), "device-peak", p + "peak_flops_per_s",
            "the peak rate is more than 0");
  c.require(!d.peakFp8 || isPositive(d.peakFp8->value.value()), "device-peak", p + "peak_fp8_flops_per_s",
            "the peak rate is more than 0");
  c.require(d.matrixEfficiency.value > 0 && d.matrixEfficiency.value <= 1, "device-efficiency",
            p + "matrix_efficiency", "an efficiency is a share in (0, 1]");
  c.require(d.memoryEfficiency.value > 0 && d.memoryEfficiency.value <= 1, "device-efficiency",
            p + "memory_efficiency", "an efficiency is a share in (0, 1]");
  c.require(isPositive(d.memory.value.value()), "memory-not-positive", p + "memory_bytes",
            "device memory is more than 0");
  c.require(isPositive(d.memoryBandwidth.value.value()), "device-memory-bandwidth",
            p + "memory_bandwidth_bytes_per_s", "memory bandwidth is more than 0");
  c.require(isNotNegative(d.linkBandwidth.value.value()), "device-link", p + "link_bandwidth_bytes_per_s",
            "link bandwidth is 0 or more");
  c.require(isNotNegative(d.hostLinkBandwidth.value.value()), "device-link",
            p + "host_link_bandwidth_bytes_per_s", "host link bandwidth is 0 or more");
  c.require(isNotNegative(d.linkLatency.value.value()), "device-latency", p + "link_latency_s",
            "a latency is 0 or more");
  c.require(d.usualHostSize >= 1, "device-host-size", p + "usual_host_size", "a host holds 1 device or more");
  return c.take();
}

}  // namespace nest
