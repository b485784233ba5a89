#include "program/program.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "text/catalog.h"
#include "text/json_fields.h"
#include "text/json_strings.h"
#include "units/made_once.h"

namespace nest {
namespace {

using nlohmann::json;

class ProgramReader {
public:
  ProgramReader(const JsonText& text, const Program& like, Diagnostics& out)
      : m_text(text), m_out(out), m_program(like) {}

  Program run() {
    JsonFields f(m_text, m_text.root(), "", m_out);
    f.requireKey("id", "a short name with the year it stands for");
    f.requireKey("name", "what people call it");
    (void)f.string("like");
    Program& p = m_program;
    p.id = f.string("id").value_or("");
    p.name = f.string("name").value_or(p.id);
    p.version = f.string("version").value_or("");
    p.about = f.string("about").value_or("");
    if (f.has("launches")) p.launches = readStrings(f, "launches");
    constexpr StageCut kCuts[] = {StageCut::Free, StageCut::ByWeight, StageCut::ByCount};
    const auto cuts = f.oneOf("cuts", {nameOf(kCuts[0]), nameOf(kCuts[1]), nameOf(kCuts[2])});
    for (const StageCut cut : kCuts)
      if (cuts && *cuts == nameOf(cut)) p.cuts = cut;
    p.logsFirstStage = f.boolean("logs_first_stage").value_or(p.logsFirstStage);
    p.holdsExchangeBuffers = f.boolean("holds_exchange_buffers").value_or(p.holdsExchangeBuffers);
    constexpr std::size_t kMostContainers = 100;
    f.objects("containers", kMostContainers, Severity::Warning, [](JsonFields& c, std::size_t) {
      c.requireKey("image", "the name before the colon: \"nemo\"");  // program/container.h reads them
      c.requireKey("from", "the first release that holds it: \"25.07\"");
      c.requireKey("to", "the last release that holds it");
      (void)c.string("image");
      checkRelease(c, "from");
      checkRelease(c, "to");
    });
    if (f.has("runs_on")) p.accelerators = readStrings(f, "runs_on");
    if (const json* features = f.object("expresses"))
      for (const auto& [feature, said] : features->items())
        readFeature(feature, said, jsonPointer(f.pointerTo("expresses"), feature));
    if (const json* values = f.object("values"))
      for (const auto& [field, value] : values->items())
        readValue(field, value, jsonPointer(f.pointerTo("values"), field));
    f.reportUnknown(Severity::Warning);
    return std::move(m_program);
  }

private:
  static void checkRelease(JsonFields& c, const char* key) {
    const auto release = c.string(key);
    if (release && (release->empty() || release->front() < '0' || release->front() > '9'))
      c.report(Severity::Error, "program-container", key, "a release begins with a number, as in \"25.07\"");
  }

  void readFeature(const std::string& name, const json& object, const std::string& pointer) {
    int k = 0;
    while (k < kPlanFeatureCount && name != nameOf(static_cast<PlanFeature>(k))) ++k;
    const bool isSplitBackward = name == "split_backward";
    if ((k == kPlanFeatureCount && !isSplitBackward) || !object.is_object()) {
      m_out.push_back(error("program-feature", m_text.placeOf(pointer),
                            "a program runs or cannot run a known feature of plans, with its source"));
      return;
    }
    JsonFields f(m_text, object, pointer, m_out);
    f.requireKey("value", "true or false");
    f.requireKey("source", "where it is known from");
    const bool isRun = f.boolean("value").value_or(true);
    const std::string source = f.string("source").value_or("");
    if (isSplitBackward) {
      m_program.splitsBackward = isRun;
    } else {
      const auto feature = static_cast<PlanFeature>(k);
      std::erase_if(m_program.cannot, [&](const Program::Inability& old) { return old.feature == feature; });
      if (!isRun) m_program.cannot.push_back({feature, source});
    }
    f.reportUnknown(Severity::Warning);
  }

  void readValue(const std::string& field, const json& object, const std::string& pointer) {
    if (!object.is_object()) {
      m_out.push_back(error("program-source", m_text.placeOf(pointer),
                            "a program's value needs its origin and its source"));
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
    std::erase_if(m_program.values, [&](const ProgramValue& old) { return old.field == field; });
    m_program.values.push_back(std::move(v));
  }

  static void readContent(JsonFields& f, const json& value, ProgramValue& into) {
    if (!nest::readValue(value, into))
      f.report(Severity::Error, "json-type", "value",
               "\"value\" must be a number, true or false, the name of a choice, or a list of numbers");
  }

  const JsonText& m_text;
  Diagnostics& m_out;
  Program m_program;
};

/// Tests read each entry of the program's own, fields/own_catalogs.h those of a user.
class AllPrograms {
public:
  AllPrograms()
      : m_entries(catalogEntries("programs")),
        m_programs(m_entries.size(), [this](std::size_t i) { return read(m_entries[i]); }) {
    for (const CatalogEntry& e : m_entries) m_names.push_back({std::string(e.id), std::string(e.name)});
  }

  const std::vector<ProgramName>& names() const { return m_names; }
  const std::vector<Program>& all() const { return m_programs.all(); }
  const Program* named(std::string_view id) const {
    const auto it =
        std::find_if(m_entries.begin(), m_entries.end(), [&](const auto& e) { return e.id == id; });
    return it == m_entries.end() ? nullptr : &m_programs.at(static_cast<std::size_t>(it - m_entries.begin()));
  }

private:
  Program read(const CatalogEntry& entry) const {
    const Program* like = named(entry.like);
    return readProgram(entry.text, std::string(entry.file), like ? *like : Program{})
        .value.value_or(Program{});
  }

  std::span<const CatalogEntry> m_entries;
  std::vector<ProgramName> m_names;
  MadeOnce<Program> m_programs;
};

const AllPrograms& allPrograms() {
  static const AllPrograms all;
  return all;
}

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

const char* nameOf(StageCut cut) {
  return cut == StageCut::ByWeight ? "by_weight" : cut == StageCut::ByCount ? "by_count" : "free";
}

const char* nameOf(PlanFeature feature) {
  static constexpr const char* kNames[kPlanFeatureCount] = {"context",
                                                            "context_beside_experts",
                                                            "tensor",
                                                            "tensor_in_pipeline",
                                                            "tensor_under_zero_3",
                                                            "pipeline",
                                                            "sharded_pipeline",
                                                            "one_stage_under_zero_1",
                                                            "interleaving",
                                                            "differing_stages",
                                                            "selective_recompute"};
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

Reading<Program> readProgram(std::string_view text, const std::string& file, const Program& like) {
  const auto jsonText = readJsonText(text, file);
  Diagnostics out = jsonText.diagnostics;
  if (!jsonText) return {std::nullopt, out};
  if (!jsonText->root().is_object()) {
    out.push_back(error("json-type", jsonText->placeOf(""), "a program must be an object"));
    return {std::nullopt, out};
  }
  Program program = ProgramReader(*jsonText, like, out).run();
  if (hasErrors(out)) return {std::nullopt, out};
  return {std::move(program), out};
}

const std::vector<ProgramName>& programNames() {
  return allPrograms().names();
}

const std::vector<Program>& programs() {
  return allPrograms().all();
}

const Program* findProgram(std::string_view id) {
  return allPrograms().named(id);
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
  for (const auto& [id, name] : programNames()) out += (out.empty() ? "" : ", ") + id;
  return out;
}

}  // namespace nest
