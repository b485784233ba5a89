#include "scenario/check.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "fields/field.h"
#include "fields/field_text.h"
#include "units/numbering.h"
#include "units/text.h"

namespace nest {
namespace {

Place checked(std::string pointer) {
  return {"", 0, 0, std::move(pointer)};
}

/// The checks share one list and one way of saying what is allowed.
class Checker {
public:
  void require(bool holds, const char* code, std::string pointer, std::string message,
               std::string remedy = {}) {
    if (!holds)
      m_out.push_back(error(code, checked(std::move(pointer)), std::move(message), std::move(remedy)));
  }
  void advise(bool holds, const char* code, std::string pointer, std::string message,
              std::string remedy = {}) {
    if (!holds)
      m_out.push_back(warning(code, checked(std::move(pointer)), std::move(message), std::move(remedy)));
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

/// Links that a device does not name are 0: a network of one's own says what they carry.
bool isUnknown(const Field& f, double v) {
  return v == 0 && (f.key.ends_with("/link_bandwidth_bytes_per_s") ||
                    f.key.ends_with("/host_link_bandwidth_bytes_per_s"));
}

void checkNumber(Checker& c, const Field& f, double v, const std::string& pointer) {
  if (!std::isfinite(v) || !f.allows(v))
    c.require(false, "out-of-range", pointer, f.label + " must be " + rangeText(f));
}

void checkBound(Checker& c, const Field& f, const Bound& b, const std::string& pointer) {
  if (b.least) checkNumber(c, f, *b.least, pointer + "/least");
  if (b.most) checkNumber(c, f, *b.most, pointer + "/most");
  c.require(!b.least || !b.most || *b.least <= *b.most, "bound-empty", pointer,
            "no value lies between " + std::to_string(b.least.value_or(0)) + " and " +
                std::to_string(b.most.value_or(0)),
            "let the least not exceed the most");
}

/// Every number within the range of its field.
void checkRanges(Checker& c, const Setting& s) {
  for (const Field& f : fields()) {
    if (f.most <= f.least) continue;
    for (int i = 0; i < f.count(s); ++i) {
      const std::string pointer = FieldAt{&f, {i}, {}}.pointer();
      const FieldValue v = f.access.get(s, i);
      if (const auto* d = std::get_if<double>(&v)) {
        if (!isUnknown(f, *d)) checkNumber(c, f, *d, pointer);
      } else if (const auto* b = std::get_if<Bound>(&v)) {
        checkBound(c, f, *b, pointer);
      } else if (const auto* all = std::get_if<std::vector<int>>(&v)) {
        for (std::size_t k = 0; k < all->size(); ++k)
          checkNumber(c, f, (*all)[k], pointer + '/' + std::to_string(k));
      }
    }
  }
}

void checkJob(Checker& c, const Job& job) {
  c.require(!job.microbatches.empty(), "no-microbatches", "/job/microbatches",
            "at least one microbatch size is required", "add 1");
  bool anyFits = job.microbatches.empty();
  for (std::size_t i = 0; i < job.microbatches.size(); ++i) {
    const int b = job.microbatches[i];
    c.require(i == 0 || b > job.microbatches[i - 1], "microbatch-order",
              "/job/microbatches/" + std::to_string(i), "microbatch sizes must be strictly increasing");
    anyFits = anyFits || (b >= 1 && b <= job.globalBatch);
  }
  c.require(anyFits || job.globalBatch < 1, "microbatch-too-large", "/job/microbatches",
            "every microbatch size to try is larger than the global batch of " + text::count(job.globalBatch),
            "offer a smaller one");
}

void checkSearch(Checker& c, const SearchOptions& s) {
  c.require(!s.zeroStages.empty(), "no-zero-stages", "/search/zero_stages",
            "at least one ZeRO stage is required", "add 0");
  std::set<int> seen;
  for (std::size_t i = 0; i < s.zeroStages.size(); ++i)
    c.advise(seen.insert(s.zeroStages[i]).second, "zero-stage-twice",
             "/search/zero_stages/" + std::to_string(i), "this ZeRO stage is listed twice");
  c.require(std::any_of(s.recompute.begin(), s.recompute.end(), [](bool on) { return on; }), "no-recompute",
            "/search/recompute", "at least one recompute policy is required: none, selective or full");
  c.require(!s.chunksPerStage.empty(), "no-chunks", "/search/chunks_per_stage",
            "at least one number of virtual pipeline stages (VPP) is required", "add 1");
  c.require(!s.schedules.empty(), "no-schedule", "/search/schedules", "at least one schedule is required",
            "add 1f1b");
}

}  // namespace

Diagnostics checkSetting(const Setting& s) {
  Checker c;
  checkRanges(c, s);
  checkJob(c, s.job);
  checkSearch(c, s.search);
  const Bytes memory = s.cluster.device.memory.value;
  if (memory.value() > 0)
    c.require(s.assumptions.reserve < memory, "reserve-too-large", "/assumptions/reserve_bytes",
              "the reserve of " + text::memory(s.assumptions.reserve) + " leaves nothing of the device's " +
                  text::memory(memory));
  return c.take();
}

Diagnostics checkLayers(const Constraints& k, int layerCount) {
  Checker c;
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
      if (k.layerPins[j].layer == k.layerPins[i].layer && k.layerPins[j].stage != k.layerPins[i].stage)
        c.require(false, "pin-contradiction", pointer,
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

}  // namespace nest
