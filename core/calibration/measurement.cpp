#include "calibration/measurement.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "cluster/devices/device_names.h"
#include "cluster/levels/cluster_source.h"
#include "cluster/levels/hierarchy.h"
#include "fields/program_setting.h"
#include "program/prediction_error.h"
#include "units/amount.h"
#include "units/letters.h"
#include "units/text.h"

namespace nest {
namespace {

Place given(const char* pointer) {
  return {"", 0, 0, pointer};
}

void add(std::string& list, const std::string& part, const char* between) {
  list += (list.empty() ? "" : between) + part;
}

std::string holdsOf(const TrainingRun& r) {
  std::string out;
  if (r.step)
    out = text::count(r.lines) + (r.lines == 1 ? " line, step time " : " lines, step time ") +
          text::precise(*r.step);
  else if (r.tokensPerDevice)
    out = text::count(r.lines) + (r.lines == 1 ? " line, " : " lines, ") + text::rate(*r.tokensPerDevice) +
          " tokens/s per device";
  if (r.leftOut > 0)
    out += " (median; " + text::count(r.leftOut) + " left out)";
  else if (r.lines > 1)
    out += " (median)";
  if (r.rate) out += ", " + text::flops(*r.rate) + " per device";
  if (r.allocated) out += ", " + text::memory(*r.allocated) + " allocated";
  if (r.reserved) out += ", " + text::memory(*r.reserved) + " reserved";
  if (const std::string degrees = degreesOf(r.settings); !degrees.empty()) add(out, degrees, "; ");
  if (!r.settings.program.empty()) add(out, r.settings.program, "; ");
  return out.empty() ? "nothing of use" : out;
}

std::string holdsOf(const CollectiveTimes& c) {
  const auto fastest = std::max_element(c.rows.begin(), c.rows.end(),
                                        [](const auto& a, const auto& b) { return a.bus < b.bus; });
  return std::string(nameOf(c.kind)) + " over " + text::count(c.ranks()) + " ranks on " +
         text::count(c.hosts()) + (c.hosts() == 1 ? " host, " : " hosts, ") +
         text::count(static_cast<int>(c.rows.size())) + (c.rows.size() == 1 ? " size, " : " sizes, ") +
         "bus bandwidth up to " + text::bandwidth(fastest->bus);
}

std::string holdsOf(const std::vector<CollectiveTimes>& all) {
  std::string out;
  for (const CollectiveTimes& c : all) add(out, holdsOf(c), "; ");
  return out;
}

std::string many(std::size_t n, const char* noun) {
  return text::count(static_cast<int>(n)) + ' ' + noun + (n == 1 ? "" : "s");
}

std::string holdsOf(const BlockTable& t) {
  std::string out;
  if (!t.times.empty())
    out = "forward times of a block, " + many(t.times.size(), "microbatch size") + ", MBS " +
          text::count(t.times.front().microbatch) + ": " + text::time(t.times.front().forward);
  for (const BlockTable::Memory& m : t.memory)
    add(out,
        "activations of a block, TP " + text::count(m.tensor) + (m.sequenceParallel ? " + SP: " : ": ") +
            text::memory(m.perSample) + " per sample",
        "; ");
  return out;
}

std::string holdsOf(const KernelTimes& t) {
  std::string out;
  const auto part = [&out](std::size_t n, const char* noun) {
    if (n > 0) add(out, many(n, noun), ", ");
  };
  part(t.wide.size(), "16-bit product");
  part(t.fp8.size(), "fp8 product");
  part(t.attention.size(), "attention kernel");
  out += " on " + t.device;
  for (const KernelTimes& other : t.others) out += "; " + holdsOf(other);
  return out;
}

std::string holdsOf(const MachineTimes& t) {
  std::string out = t.kernels ? holdsOf(*t.kernels) : std::string();
  for (const CollectiveTimes& c : t.exchanges) add(out, holdsOf(c), "; ");
  return out;
}

std::string holdsOf(const LayerTimes& t) {
  Seconds forward, backward;
  for (const auto& l : t.layers) {
    forward += l.forward;
    backward += l.backward;
  }
  const double count = static_cast<double>(t.layers.size());
  const bool isNumbered = t.layers.front().number >= 0;
  return text::count(isNumbered ? static_cast<int>(t.layers.size()) : t.layers.front().passes) +
         (isNumbered ? " layers (" : " passes of layers (") + t.annotation + "), " +
         text::time(forward / count) + " forward and " + text::time(backward / count) +
         " backward on average";
}

void compare(std::vector<std::string>& differences, const char* name, const std::optional<int>& run,
             int here) {
  if (run && *run != here)
    differences.push_back(std::string(name) + ' ' + text::count(*run) + ", not " + text::count(here));
}

std::vector<std::string> modelDifferences(const RunSettings& r, const ModelSource& model) {
  std::vector<std::string> out;
  if (!model.architecture) return out;
  compare(out, "layers", r.layers, model.architecture->layers);
  const TransformerArchitecture& a = *model.architecture;
  compare(out, "hidden size", r.hidden, a.hidden);
  if (a.variants.empty()) {
    compare(out, "attention heads", r.heads, a.heads);
    if (!a.latent) compare(out, "key-value heads", r.keyValueHeads, a.keyValueHeads);
    if (!a.experts) compare(out, "MLP width", r.intermediate, a.intermediate);
  }
  compare(out, "experts", r.experts, a.experts ? a.experts->experts : 0);
  if (a.experts) compare(out, "experts per token", r.expertsPerToken, a.experts->perToken);
  // Programs pad the vocabulary, and some count a table twice.
  constexpr double kSameModel = 0.05;
  const double count = parameterCount(a);
  if (r.parameters && std::abs(*r.parameters / count - 1) > kSameModel)
    out.push_back(text::amountInWords(*r.parameters, 3) + " parameters, not " +
                  text::amountInWords(count, 3));
  return out;
}

constexpr int kMostSequences = 1'000'000'000;

int productWithin(int a, int b) {
  return static_cast<int>(std::min(double(a) * b, double(kMostSequences)));
}

/// Whether a number is another one's, which was rounded to three digits.
bool roundsTo(double exact, double rounded) {
  return std::abs(exact - rounded) <= 0.5001 * std::pow(10, std::floor(std::log10(rounded)) - 2);
}

/// What a run left to the size of its cluster, and what follows from the length of its sequences.
RunSettings onCluster(RunSettings r, const Setting& s, Diagnostics& out) {
  const auto cluster = deriveHierarchy(s.cluster, s.constraints.excludedDevices);
  if (r.fillsCluster && !r.data && cluster) {
    const double others = double(r.tensor.value_or(1)) * r.pipeline.value_or(1) * r.context.value_or(1);
    const int devices = cluster->deviceCount();
    if (others <= devices && devices % static_cast<int>(others) == 0)
      r.data = devices / static_cast<int>(others);
    else
      out.push_back(warning("run-degrees", given("/cluster/network"),
                            "the run's degrees multiply to " + text::amountInWords(others, 6) +
                                ", which does not divide the cluster's " + text::count(devices) + " devices",
                            "give the network that it ran on"));
  }
  if (!r.globalBatch && r.localBatch && r.data) r.globalBatch = productWithin(*r.localBatch, *r.data);
  if (!r.globalBatch && r.batchTokens)
    r.globalBatch = sequencesIn(*r.batchTokens, r.sequenceLength.value_or(s.job.sequenceLength));
  return r;
}

template <class T>
void addTo(std::vector<T>& offered, T value) {
  if (std::find(offered.begin(), offered.end(), value) != offered.end()) return;
  offered.push_back(value);
  std::sort(offered.begin(), offered.end());
}

}  // namespace

int CollectiveTimes::hosts() const {
  return static_cast<int>(std::set<std::string>(rankHosts.begin(), rankHosts.end()).size());
}

const char* nameOf(CollectiveTimes::Kind kind) {
  switch (kind) {
    case CollectiveTimes::Kind::AllReduce:
      return "all-reduce";
    case CollectiveTimes::Kind::AllGather:
      return "all-gather";
    case CollectiveTimes::Kind::ReduceScatter:
      return "reduce-scatter";
    case CollectiveTimes::Kind::AllToAll:
      return "all-to-all";
    case CollectiveTimes::Kind::SendReceive:
      break;
  }
  return "send/receive";
}

std::string holdsOf(const Measurement& m) {
  return std::visit([](const auto& of) { return holdsOf(of); }, m.of);
}

std::string degreesOf(const RunSettings& r) {
  std::string out;
  const auto part = [&out](const char* name, const std::optional<int>& value, int usual) {
    if (value && *value != usual) add(out, std::string(name) + ' ' + text::count(*value), " · ");
  };
  part("TP", r.tensor, 0);
  if (r.sequenceParallel.value_or(false) && r.tensor.value_or(1) > 1) out += " + SP";
  part("PP", r.pipeline, 0);
  part("VPP", r.chunks, 1);
  part("CP", r.context, 1);
  part("EP", r.expert, 1);
  part("DP", r.data, 0);
  part("MBS", r.microbatch, 0);
  if (r.zero.value_or(0) > 0) add(out, "ZeRO-" + std::to_string(*r.zero), " · ");
  if (r.recompute && *r.recompute != Recompute::None)
    add(out, std::string("recompute ") + nameOf(*r.recompute), " · ");
  if (r.format && *r.format != NumberFormat::Bf16) add(out, nameOf(*r.format), " · ");
  return out;
}

std::vector<std::string> differencesOf(const RunSettings& r, const Setting& s, const Plan& plan) {
  std::vector<std::string> out = modelDifferences(r, s.model);
  const Strategy strategy = plan.stages.empty() ? Strategy{} : plan.stages.front().strategy;
  compare(out, "TP", r.tensor, strategy.tensor);
  compare(out, "PP", r.pipeline, plan.stageCount());
  compare(out, "VPP", r.chunks, plan.chunksPerStage());
  compare(out, "CP", r.context, strategy.context);
  compare(out, "EP", r.expert, strategy.expert);
  if (r.sequenceParallel && strategy.tensor > 1 && *r.sequenceParallel != strategy.sequence)
    out.push_back(*r.sequenceParallel ? "SP, which the plan has not" : "no SP, which the plan has");
  compare(out, "DP", r.data, plan.dataDegree());
  if (plan.dataDegree() > 1) compare(out, "ZeRO", r.zero, plan.zero);
  compare(out, "MBS", r.microbatch, plan.microbatch);
  compare(out, "devices", r.devices, plan.devicesUsed());
  compare(out, "sequence length", r.sequenceLength, s.job.sequenceLength);
  const int batch = plan.globalBatch > 0 ? plan.globalBatch : s.job.globalBatch;
  if (r.globalBatch)
    compare(out, "global batch", r.globalBatch, batch);
  else if (r.localBatch)
    compare(out, "global batch", productWithin(*r.localBatch, plan.dataDegree()), batch);
  else if (r.batchTokens && !roundsTo(double(batch) * s.job.sequenceLength, *r.batchTokens))
    out.push_back("global batch of " + text::amountInWords(*r.batchTokens, 3) + " tokens, not " +
                  text::amountInWords(double(batch) * s.job.sequenceLength, 3));
  const auto other = std::find_if(plan.stages.begin(), plan.stages.end(), [&r](const StagePlan& stage) {
    return r.recompute && stage.recompute != *r.recompute;
  });
  if (other != plan.stages.end())
    out.push_back(std::string("recompute ") + nameOf(*r.recompute) + ", not " + nameOf(other->recompute));
  if (r.format && *r.format != s.job.format)
    out.push_back(std::string(nameOf(*r.format)) + ", not " + nameOf(s.job.format));
  return out;
}

std::string otherDevice(const std::string& driverName, const DeviceSpec& device, bool orItsFamily) {
  // "H100" of "H100 SXM" stands in "NVIDIA H100 80GB HBM3".
  const std::string named = text::lower(driverName), name = text::lower(device.name);
  bool isSame = named.empty() || (orItsFamily && device.id == "custom") ||
                named.find(name.substr(0, name.find(' '))) != std::string::npos;
  // All TPUs begin with one word.
  if (const NamedDevice called = deviceCalled(driverName); called.device && device.id.starts_with("tpu-"))
    isSame = isSameDevice(device, *called.device);
  const std::string family = deviceFamily(device.id);
  for (std::size_t at = 0; orItsFamily && !isSame && at != std::string::npos;) {
    const auto begin = named.find_first_not_of(" -", at);
    if (begin == std::string::npos) break;
    isSame = deviceFamily(named.substr(begin, (at = named.find_first_of(" -", begin)) - begin)) == family;
  }
  return isSame ? std::string() : "the times are of " + driverName + ", the scenario has " + device.name;
}

std::optional<int> sequencesIn(double tokens, int sequenceLength) {
  if (!(tokens >= sequenceLength) || tokens / sequenceLength > kMostSequences) return std::nullopt;
  for (int step = 1 << 29; step >= 1; step /= 2) {
    const double nearest = std::round(tokens / sequenceLength / step) * step;
    if (nearest >= 1 && roundsTo(nearest * sequenceLength, tokens)) return static_cast<int>(nearest);
  }
  return std::nullopt;
}

void takeOver(const RunSettings& run, bool keepsProgram, Setting& s, Diagnostics& out) {
  const RunSettings r = onCluster(run, s, out);
  if (const Program* program = findProgram(r.program); program && !keepsProgram) {
    setProgram(s, *program);
    if (r.overlapsTensor == false && r.tensor.value_or(1) > 1)
      setValue(s, {"/assumptions/overlap/tensor", 0.0, Origin::Typed, {}});
    out.push_back(note("program-proposed", given("/program"),
                       "assuming that " + program->id + " runs the plan: " + r.programEvidence,
                       "choose another in the field Program (--program)"));
  }
  const auto fix = [](Bound& bound, const std::optional<int>& value) {
    if (value) bound = {*value, *value};
  };
  Constraints& c = s.constraints;
  fix(c.tensor, r.tensor);
  fix(c.context, r.context);
  fix(c.expert, r.expert);
  fix(c.stages, r.pipeline);
  fix(c.chunks, r.chunks);
  fix(c.data, r.data);
  fix(c.microbatch, r.microbatch);
  fix(c.zero, r.zero);
  if (r.microbatch) addTo(s.job.microbatches, *r.microbatch);
  if (r.zero) addTo(s.search.zeroStages, *r.zero);
  if (r.chunks) addTo(s.search.chunksPerStage, *r.chunks);
  if (r.context.value_or(1) > 1) s.search.contextParallel = true;
  if (r.expert.value_or(1) > 1) s.search.expertParallel = true;
  if (r.sequenceParallel) s.search.sequenceParallel = *r.sequenceParallel;
  if (r.recompute) {
    s.search.recompute = {};
    s.search.recompute[*r.recompute] = true;
  }
  if (r.format) s.job.format = *r.format;
  if (r.offloadedOptimizer) {
    setValue(s, {"/assumptions/offloaded_optimizer_share", *r.offloadedOptimizer, Origin::Typed, {}});
    setValue(s, {"/assumptions/overlaps_optimizer_copies",
                 r.overlapsOptimizerCopies.value_or(false),
                 Origin::Typed,
                 {}});
    out.push_back(
        note("run-optimizer", given("/assumptions/offloaded_optimizer_share"),
             "optimizer state in host memory, as in the run: " + text::percent(*r.offloadedOptimizer)));
  }
  if (r.globalBatch) s.job.globalBatch = *r.globalBatch;
  if (r.sequenceLength) s.job.sequenceLength = *r.sequenceLength;
  std::string others;
  for (const std::string& d : modelDifferences(r, s.model)) add(others, d, "; ");
  if (!others.empty())
    out.push_back(warning("run-model", given("/model"), "the log is of another model: its run had " + others,
                          "give the model that ran"));
  if (std::string other = otherDevice(r.device, s.cluster.device, true); !other.empty())
    out.push_back(
        warning("run-device", given("/cluster/device"), std::move(other), "give the device that it ran on"));
  if (const std::string degrees = degreesOf(r); !degrees.empty())
    out.push_back(
        note("run-degrees", given("/constraints"), "the search keeps to the degrees of the run: " + degrees,
             r.recompute ? "remove the constraints, and allow other recomputation, to search other plans"
                         : "remove the constraints to search other plans"));
  if (r.globalBatch || r.sequenceLength || r.format) {
    std::string job;
    if (r.globalBatch) job = "global batch " + text::count(*r.globalBatch);
    if (r.globalBatch && !run.globalBatch)
      job += run.localBatch ? " (" + text::count(*run.localBatch) + " for each of " + text::count(*r.data) +
                                  " data-parallel ranks)"
                            : " (" + text::amountInWords(*run.batchTokens, 3) + " tokens)";
    if (r.sequenceLength) add(job, "sequence length " + text::count(*r.sequenceLength), ", ");
    if (r.format) add(job, nameOf(*r.format), ", ");
    out.push_back(note("run-job", given("/job"), "the job is that of the run: " + job));
  }
}

}  // namespace nest
