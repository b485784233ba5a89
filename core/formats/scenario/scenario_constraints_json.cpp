#include <nlohmann/json.hpp>

#include "formats/scenario/fields_json.h"
#include "text/json_quantities.h"

namespace nest {
namespace {

using Json = nlohmann::ordered_json;

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
  s.foldedExperts = f.boolean("folded_experts").value_or(false);
  return s;
}

Json strategyJson(const Strategy& s) {
  Json j = {{"tensor", s.tensor}, {"sequence", s.sequence}, {"context", s.context}, {"expert", s.expert}};
  if (s.foldedExperts) j["folded_experts"] = true;
  return j;
}

Constraints readConstraints(const ScenarioReader& r, JsonFields& f, const Setting& usual) {
  Setting s = usual;
  readFields(r, f, "/constraints", s);
  r.objects(f, "layer_pins", [&](JsonFields& pin) {
    pin.requireKey("layer", "the layer, from 0");
    pin.requireKey("stage", "the stage, from 0");
    s.constraints.layerPins.push_back(
        {LayerIndex(intField(pin, "layer").value_or(0)), StageIndex(intField(pin, "stage").value_or(0))});
  });
  r.objects(f, "stage_pins",
            [&](JsonFields& pin) { s.constraints.stagePins.push_back(readStagePin(r, pin)); });
  return s.constraints;
}

Json constraintsJson(const Setting& s) {
  const Constraints& constraints = s.constraints;
  return fieldsJson("/constraints", s, [&](std::string_view key, Json& j) {
    if (key == "layer_pins")
      for (const auto& pin : constraints.layerPins)
        j["layer_pins"].push_back({{"layer", pin.layer.value}, {"stage", pin.stage.value}});
    if (key == "stage_pins")
      for (const auto& pin : constraints.stagePins) {
        Json p{{"stage", pin.stage.value}};
        if (pin.recompute) p["recompute"] = nameOf(*pin.recompute);
        if (pin.strategy) p["strategy"] = strategyJson(*pin.strategy);
        j["stage_pins"].push_back(std::move(p));
      }
  });
}

}  // namespace nest
