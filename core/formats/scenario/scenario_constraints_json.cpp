#include <nlohmann/json.hpp>

#include "formats/scenario/scenario_parts.h"
#include "text/json_quantities.h"

namespace nest {
namespace {

using Json = nlohmann::ordered_json;

struct NamedBound {
  const char* name;
  Bound Constraints::*bound;
};

constexpr NamedBound kBounds[] = {
    {"tensor", &Constraints::tensor},         {"context", &Constraints::context},
    {"expert", &Constraints::expert},         {"data", &Constraints::data},
    {"data_inner", &Constraints::dataInner},  {"stages", &Constraints::stages},
    {"microbatch", &Constraints::microbatch}, {"devices", &Constraints::devices},
    {"chunks", &Constraints::chunks},         {"zero", &Constraints::zero}};

Bound readBound(const ScenarioReader& r, JsonFields& f, const char* name) {
  Bound b;
  const nlohmann::json* v = f.any(name);
  if (!v) return b;
  if (v->is_number()) {
    b.least = b.most = intField(f, name);
    return b;
  }
  if (!v->is_object()) {
    f.report(Severity::Error, "json-type", name,
             '"' + std::string(name) + "\" must be a whole number (fixed) or {\"least\": …, \"most\": …}");
    return b;
  }
  r.section(f, name, [&](JsonFields& inner) {
    b.least = intField(inner, "least");
    b.most = intField(inner, "most");
  });
  return b;
}

Json boundJson(const Bound& b) {
  if (b.least && b.most && *b.least == *b.most) return *b.least;
  Json j = Json::object();
  if (b.least) j["least"] = *b.least;
  if (b.most) j["most"] = *b.most;
  return j;
}

std::vector<LayerIndex> layers(const std::vector<int>& values) {
  std::vector<LayerIndex> out;
  for (int v : values) out.push_back(LayerIndex(v));
  return out;
}

std::vector<int> numbers(const std::vector<LayerIndex>& all) {
  std::vector<int> out;
  for (LayerIndex l : all) out.push_back(l.value);
  return out;
}

Constraints::StagePin readStagePin(const ScenarioReader& r, JsonFields& f) {
  Constraints::StagePin pin;
  f.requireKey("stage", "the stage, from 0");
  pin.stage = StageIndex(intField(f, "stage").value_or(0));
  if (const auto policy = f.oneOf("recompute", {"none", "selective", "full"}))
    pin.recompute = recomputeNamed(*policy);
  r.section(f, "strategy", [&](JsonFields& s) { pin.strategy = readStrategy(r, s); });
  return pin;
}

}  // namespace

Strategy readStrategy(const ScenarioReader&, JsonFields& f) {
  Strategy s;
  s.tensor = intField(f, "tensor").value_or(1);
  s.sequence = f.boolean("sequence").value_or(false);
  s.context = intField(f, "context").value_or(1);
  s.expert = intField(f, "expert").value_or(1);
  return s;
}

Json strategyJson(const Strategy& s) {
  return {{"tensor", s.tensor}, {"sequence", s.sequence}, {"context", s.context}, {"expert", s.expert}};
}

Constraints readConstraints(const ScenarioReader& r, JsonFields& f) {
  Constraints c;
  for (const NamedBound& b : kBounds) c.*b.bound = readBound(r, f, b.name);
  c.requiredCuts = layers(r.integers(f, "required_cuts"));
  c.forbiddenCuts = layers(r.integers(f, "forbidden_cuts"));
  r.objects(f, "layer_pins", [&](JsonFields& pin) {
    pin.requireKey("layer", "the layer, from 0");
    pin.requireKey("stage", "the stage, from 0");
    c.layerPins.push_back(
        {LayerIndex(intField(pin, "layer").value_or(0)), StageIndex(intField(pin, "stage").value_or(0))});
  });
  r.objects(f, "stage_pins", [&](JsonFields& pin) { c.stagePins.push_back(readStagePin(r, pin)); });
  c.excludedDevices = r.integers(f, "excluded_devices");
  c.megatronExpressible = f.boolean("megatron_expressible").value_or(false);
  return c;
}

Json constraintsJson(const Constraints& c) {
  Json j = Json::object();
  for (const NamedBound& b : kBounds)
    if ((c.*b.bound).least || (c.*b.bound).most) j[b.name] = boundJson(c.*b.bound);
  if (!c.requiredCuts.empty()) j["required_cuts"] = numbers(c.requiredCuts);
  if (!c.forbiddenCuts.empty()) j["forbidden_cuts"] = numbers(c.forbiddenCuts);
  for (const auto& pin : c.layerPins)
    j["layer_pins"].push_back({{"layer", pin.layer.value}, {"stage", pin.stage.value}});
  for (const auto& pin : c.stagePins) {
    Json p{{"stage", pin.stage.value}};
    if (pin.recompute) p["recompute"] = nameOf(*pin.recompute);
    if (pin.strategy) p["strategy"] = strategyJson(*pin.strategy);
    j["stage_pins"].push_back(std::move(p));
  }
  if (!c.excludedDevices.empty()) j["excluded_devices"] = c.excludedDevices;
  j["megatron_expressible"] = c.megatronExpressible;
  return j;
}

}  // namespace nest
