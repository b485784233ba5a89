#include "program/program.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "text/embedded.h"
#include "text/json_fields.h"

namespace nest {
namespace {

using nlohmann::json;

class ProgramReader {
public:
  ProgramReader(const JsonText& text, Diagnostics& out) : m_text(text), m_out(out) {}

  std::vector<Program> run() {
    JsonFields top(m_text, m_text.root(), "", m_out);
    top.string("about");
    top.requireKey("programs", "a list of programs");
    const json* list = top.array("programs");
    for (std::size_t i = 0; list && i < list->size(); ++i) {
      const std::string pointer = jsonPointer("/programs", i);
      if ((*list)[i].is_object())
        readProgram((*list)[i], pointer);
      else
        m_out.push_back(error("json-type", m_text.placeOf(pointer), "A program must be an object"));
    }
    top.reportUnknown(Severity::Warning);
    return std::move(m_all);
  }

private:
  const Program* known(const std::string& id) const {
    const auto it = std::find_if(m_all.begin(), m_all.end(), [&](const Program& p) { return p.id == id; });
    return it == m_all.end() ? nullptr : &*it;
  }

  void readProgram(const json& object, const std::string& pointer) {
    JsonFields f(m_text, object, pointer, m_out);
    f.requireKey("id", "a short name with the year it stands for");
    f.requireKey("name", "what people call it");
    Program p;
    if (const auto like = f.string("like")) {
      if (const Program* relative = known(*like))
        p = *relative;
      else
        f.report(Severity::Error, "program-unknown", "like", "No program above is called \"" + *like + '"');
    }
    p.id = f.string("id").value_or("");
    p.name = f.string("name").value_or(p.id);
    p.version = f.string("version").value_or("");
    p.about = f.string("about").value_or("");
    if (known(p.id))
      f.report(Severity::Error, "program-twice", "id", "Another program is also called \"" + p.id + '"');
    if (const json* launches = f.array("launches")) {
      p.launches.clear();
      for (const json& l : *launches)
        if (l.is_string()) p.launches.push_back(l.get<std::string>());
    }
    p.cutsByWeight = f.boolean("cuts_by_weight").value_or(p.cutsByWeight);
    p.logsFirstStage = f.boolean("logs_first_stage").value_or(p.logsFirstStage);
    p.holdsExchangeBuffers = f.boolean("holds_exchange_buffers").value_or(p.holdsExchangeBuffers);
    if (const json* kinds = f.array("runs_on")) {
      p.accelerators.clear();
      for (const json& k : *kinds)
        if (k.is_string()) p.accelerators.push_back(k.get<std::string>());
    }
    if (const json* features = f.object("expresses"))
      for (const auto& [feature, said] : features->items())
        readFeature(feature, said, jsonPointer(f.pointerTo("expresses"), feature), p);
    if (const json* values = f.object("values"))
      for (const auto& [field, value] : values->items())
        readValue(field, value, jsonPointer(f.pointerTo("values"), field), p);
    f.reportUnknown(Severity::Warning);
    m_all.push_back(std::move(p));
  }

  void readFeature(const std::string& name, const json& object, const std::string& pointer, Program& into) {
    int k = 0;
    while (k < kPlanFeatureCount && name != nameOf(static_cast<PlanFeature>(k))) ++k;
    if (k == kPlanFeatureCount || !object.is_object()) {
      m_out.push_back(
          error("program-feature", m_text.placeOf(pointer),
                "A program runs or cannot run a known feature of plans, with its source beside it"));
      return;
    }
    const auto feature = static_cast<PlanFeature>(k);
    JsonFields f(m_text, object, pointer, m_out);
    f.requireKey("value", "true or false");
    f.requireKey("source", "where it is known from");
    std::erase_if(into.cannot, [&](const Program::Inability& old) { return old.feature == feature; });
    if (!f.boolean("value").value_or(true)) into.cannot.push_back({feature, f.string("source").value_or("")});
    (void)f.string("source");
    f.reportUnknown(Severity::Warning);
  }

  void readValue(const std::string& field, const json& object, const std::string& pointer, Program& into) {
    if (!object.is_object()) {
      m_out.push_back(error("program-source", m_text.placeOf(pointer),
                            "A program's value needs its origin and its source beside it"));
      return;
    }
    JsonFields f(m_text, object, pointer, m_out);
    ProgramValue v;
    v.field = field;
    f.requireKey("value", "what the field is set to");
    f.requireKey("origin", "measured, estimated or catalog");
    f.requireKey("source", "where it is known from");
    if (const json* value = f.any("value")) readContent(f, *value, v);
    const auto origin = f.oneOf("origin", {nameOf(Origin::Typed), nameOf(Origin::Measured),
                                           nameOf(Origin::Estimated), nameOf(Origin::Catalog)});
    for (const Origin o : {Origin::Typed, Origin::Measured, Origin::Estimated, Origin::Catalog})
      if (origin && *origin == nameOf(o)) v.origin = o;
    v.citation = f.string("source").value_or("");
    f.reportUnknown(Severity::Warning);
    std::erase_if(into.values, [&](const ProgramValue& old) { return old.field == field; });
    into.values.push_back(std::move(v));
  }

  static void readContent(JsonFields& f, const json& value, ProgramValue& into) {
    if (!nest::readValue(value, into))
      f.report(Severity::Error, "json-type", "value",
               "\"value\" must be a number, true or false, the name of a choice, or a list of numbers");
  }

  const JsonText& m_text;
  Diagnostics& m_out;
  std::vector<Program> m_all;
};

}  // namespace

bool readValue(const json& value, ProgramValue& into) {
  if (value.is_boolean())
    into.value = value.get<bool>();
  else if (value.is_number())
    into.value = value.get<double>();
  else if (value.is_string())
    into.value = value.get<std::string>();
  else if (value.is_array() &&
           std::all_of(value.begin(), value.end(), [](const json& e) { return e.is_number(); }))
    into.value = value.get<std::vector<double>>();
  else
    return false;
  return true;
}

const char* nameOf(PlanFeature feature) {
  static constexpr const char* kNames[kPlanFeatureCount] = {
      "context",  "context_beside_experts", "tensor",       "tensor_in_pipeline", "tensor_under_zero_3",
      "pipeline", "sharded_pipeline",       "interleaving", "differing_stages",   "selective_recompute"};
  return kNames[static_cast<int>(feature)];
}

bool Program::runs(PlanFeature feature) const {
  return std::none_of(cannot.begin(), cannot.end(),
                      [&](const Inability& one) { return one.feature == feature; });
}

bool Program::runsOn(std::string_view deviceId) const {
  return accelerators.empty() ||
         std::find(accelerators.begin(), accelerators.end(), acceleratorOf(deviceId)) != accelerators.end();
}

const ProgramValue* Program::valueOf(std::string_view field) const {
  const auto it = std::find_if(values.begin(), values.end(), [&](const auto& v) { return v.field == field; });
  return it == values.end() ? nullptr : &*it;
}

Reading<std::vector<Program>> readPrograms(std::string_view text, const std::string& file) {
  const auto jsonText = readJsonText(text, file);
  Diagnostics out = jsonText.diagnostics;
  if (!jsonText) return {std::nullopt, out};
  if (!jsonText->root().is_object()) {
    out.push_back(error("programs-not-object", jsonText->placeOf(""),
                        "Programs are an object with a list \"programs\""));
    return {std::nullopt, out};
  }
  auto all = ProgramReader(*jsonText, out).run();
  if (hasErrors(out)) return {std::nullopt, out};
  return {std::move(all), out};
}

const std::vector<Program>& programs() {
  // The text is part of the program and a test reads it: an error here is a bug, and an empty list shows it.
  static const std::vector<Program> all = [] {
    auto reading = readPrograms(embeddedResource("programs.json"), "programs.json");
    if (reading) return std::move(*reading);
    Program ideal;
    ideal.id = kIdealProgram, ideal.name = "Ideal";
    return std::vector<Program>{ideal};
  }();
  return all;
}

const Program* findProgram(std::string_view id) {
  for (const Program& p : programs())
    if (p.id == id) return &p;
  return nullptr;
}

bool ProgramUse::runs(PlanFeature feature) const {
  return !program || program->runs(feature);
}

std::string toText(const ProgramUse& use) {
  return (use.program ? use.program->id : kIdealProgram) + (use.isChanged ? ", changed" : "");
}

std::string_view acceleratorOf(std::string_view deviceId) {
  struct Kind {
    std::string_view prefix, name;
  };
  constexpr Kind kKinds[] = {{"tpu", "TPU"}, {"trainium", "Trainium"}, {"gaudi", "Gaudi"}};
  for (const Kind& k : kKinds)
    if (deviceId.starts_with(k.prefix)) return k.name;
  return "GPU";
}

std::string programIds() {
  std::string out;
  for (const Program& p : programs()) out += (out.empty() ? "" : ", ") + p.id;
  return out;
}

}  // namespace nest
