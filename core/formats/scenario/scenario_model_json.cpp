#include <nlohmann/json.hpp>

#include "formats/format.h"
#include "formats/models/architecture_json.h"
#include "formats/models/hf_config.h"
#include "formats/profiles/imported_profile.h"
#include "formats/profiles/profile_json.h"
#include "formats/scenario/fields_json.h"

namespace nest {
namespace {

using Json = nlohmann::ordered_json;

std::string compact(const nlohmann::json& j) {
  return j.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// `pointer`: where in the scenario the profile stands; empty if it is a file of its own.
void takeProfile(Reading<ImportedProfile> reading, const std::string& pointer, const ScenarioReader& r,
                 ModelSource& model) {
  for (Diagnostic& d : reading.diagnostics) {
    if (!pointer.empty()) d.where = r.text.placeOf(pointer + d.where.pointer);
    r.out.push_back(std::move(d));
  }
  if (!reading) return;
  model.graph = std::make_shared<const LayerGraph>(std::move(reading->graph));
  model.profile = std::make_shared<const Profile>(std::move(reading->profile));
}

void readInlineConfig(const ScenarioReader& r, JsonFields& f, ModelSource& model) {
  const nlohmann::json* config = f.object("config");
  if (!config) return;
  const std::string pointer = f.pointerTo("config");
  auto reading = readHuggingFaceConfig(compact(*config), r.text.file());
  for (Diagnostic& d : reading.diagnostics) {
    d.where = r.text.placeOf(pointer + d.where.pointer);
    r.out.push_back(std::move(d));
  }
  model.architecture = std::move(reading.value);
}

/// nullopt: the text is none of a profile.
std::optional<Reading<ImportedProfile>> profileIn(const std::string& text, const std::string& path) {
  const auto read = readerOf<ReadProfile>(recognise(text, path));
  return read ? std::optional(read(text, path, {})) : std::nullopt;
}

void readReference(const ScenarioReader& r, JsonFields& f, ModelSource& model) {
  const auto path = f.string("path");
  if (!path) return;
  model.reference = *path;
  if (path->empty() || !r.load) {
    f.report(Severity::Error, "reference-empty", "path", "\"path\" must name a file next to the scenario",
             "give the path of a config.json");
    return;
  }
  Reading<std::string> text = r.load(*path);
  for (Diagnostic& d : text.diagnostics) {
    d.where = f.placeOf("path");
    r.out.push_back(std::move(d));
  }
  if (!text) return;
  if (auto profile = profileIn(*text, *path)) return takeProfile(std::move(*profile), {}, r, model);
  auto reading = readHuggingFaceConfig(*text, *path);
  r.out.insert(r.out.end(), reading.diagnostics.begin(), reading.diagnostics.end());
  model.architecture = std::move(reading.value);
}

/// A profile is an object in place, or the path of a file beside the scenario.
void readMeasured(const ScenarioReader& r, JsonFields& f, ModelSource& model) {
  const nlohmann::json* v = f.any("profile");
  if (v && v->is_string()) {
    const std::string path = v->get<std::string>();
    Reading<std::string> text = r.load && !path.empty() ? r.load(path) : Reading<std::string>{};
    for (Diagnostic& d : text.diagnostics) {
      d.where = f.placeOf("profile");
      r.out.push_back(std::move(d));
    }
    if (auto profile = text ? profileIn(*text, path) : std::nullopt)
      return takeProfile(std::move(*profile), {}, r, model);
    if (text.diagnostics.empty())
      f.report(Severity::Error, "profile-unknown", "profile",
               "\"profile\" must be a profile, or name a file next to the scenario that holds one",
               "profiles are: " + namesOfFormats([](const Format& k) { return k.is<ReadProfile>(); }));
    return;
  }
  const nlohmann::json* profile = f.object("profile");
  if (profile)
    takeProfile(readProfileJson(compact(*profile), r.text.file()), f.pointerTo("profile"), r, model);
}

}  // namespace

ModelSource readModel(const ScenarioReader& r, JsonFields& f, const Setting& usual) {
  ModelSource model;
  model.analytic = usual.model.analytic;
  const int forms = int(f.has("path")) + int(f.has("config")) + int(f.has("architecture"));
  if (forms > 1 || (forms == 0 && !f.has("profile")))
    f.report(Severity::Error, "model-form", "path",
             forms == 0 ? "the scenario names no model" : "the model is described more than once",
             "give exactly one of \"path\" (a config.json or profile next to the scenario), \"config\" (its "
             "content) and "
             "\"architecture\"");
  readReference(r, f, model);
  readInlineConfig(r, f, model);
  readMeasured(r, f, model);
  r.section(f, "architecture",
            [&](JsonFields& a) { model.architecture = readArchitecture(a, r.text, r.out); });
  Setting s;
  s.program = usual.program;
  s.model = std::move(model);
  readFields(r, f, "/model", s);
  return s.model;
}

Json modelJson(const Setting& setting) {
  const ModelSource& model = setting.model;
  Json j = Json::object();
  if (!model.reference.empty())
    j["path"] = model.reference;
  else if (model.architecture)
    j["architecture"] = architectureJson(*model.architecture);
  // A reference names the architecture if there is one; the profile measured beside it stands in the
  // scenario.
  if (model.profile && model.graph && (model.reference.empty() || model.architecture))
    j["profile"] = Json::parse(writeProfileJson({{}, *model.graph, *model.profile, {}, {}}));
  Setting s;
  s.program = setting.program;
  s.model.analytic = model.analytic, s.model.calibration = model.calibration;
  j.update(fieldsJson("/model", s));
  return j;
}

}  // namespace nest
