#include <map>
#include <nlohmann/json.hpp>

#include "cluster/devices/device_json.h"
#include "formats/models/architecture_json.h"
#include "formats/models/hf_config.h"
#include "formats/profiles/profile_import.h"
#include "formats/profiles/profile_json.h"
#include "formats/scenario/scenario_parts.h"

namespace nest {
namespace {

using Json = nlohmann::ordered_json;
constexpr double kMost = 1e300;

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

void readReference(const ScenarioReader& r, JsonFields& f, ModelSource& model) {
  const auto path = f.string("path");
  if (!path) return;
  model.reference = *path;
  if (path->empty() || !r.load) {
    f.report(Severity::Error, "reference-empty", "path", "\"path\" must name a file beside the scenario",
             "give the path of a config.json");
    return;
  }
  Reading<std::string> text = r.load(*path);
  for (Diagnostic& d : text.diagnostics) {
    d.where = f.placeOf("path");
    r.out.push_back(std::move(d));
  }
  if (!text) return;
  const FileKind kind = recognise(*text, *path);
  if (isProfile(kind)) return takeProfile(importProfile(kind, *text, *path), {}, r, model);
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
    const FileKind kind = text ? recognise(*text, path) : FileKind::Unknown;
    if (isProfile(kind)) return takeProfile(importProfile(kind, *text, path), {}, r, model);
    if (text.diagnostics.empty())
      f.report(Severity::Error, "profile-unknown", "profile",
               "\"profile\" must be a profile, or name a file beside the scenario that holds one",
               "profiles are the program's own JSON, Piper, PipeDream and the NEST artifact's input");
    return;
  }
  const nlohmann::json* profile = f.object("profile");
  if (profile)
    takeProfile(readProfileJson(compact(*profile), r.text.file()), f.pointerTo("profile"), r, model);
}

/// Names and bounds of the constants of the analytic profile, for reading and for writing.
template <class Constants, class Visit>
void visitConstants(Constants& c, Visit&& visit) {
  visit("backward_traffic", c.backwardTraffic, 0.1, 100.0);
  visit("attention_backward_work", c.attentionBackwardWork, 0.1, 100.0);
  visit("attention_backward_rate", c.attentionBackwardRate, 1e-3, 100.0);
  visit("attention_half_length", c.attentionHalfLength, 0.0, 1e6);
  visit("fp32_rate", c.fp32Rate, 1e-3, 1.0);
  visit("fp8_cast_traffic_bytes_per_element", c.fp8CastTraffic, 0.0, 1e4);
  visit("fp8_expert_overhead_s", c.fp8ExpertOverhead, 0.0, 1.0);
  visit("loss_traffic_bytes_per_logit", c.lossTraffic, 0.0, 1e4);
  visit("loss_backward_traffic_bytes_per_logit", c.lossBackwardTraffic, 0.0, 1e4);
  visit("loss_workspace_bytes_per_logit", c.lossWorkspace, 0.0, 1e4);
}

AnalyticOptions readAnalytic(const ScenarioReader& r, JsonFields& model) {
  AnalyticOptions o;
  r.section(model, "analytic", [&](JsonFields& f) {
    o.flashAttention = f.boolean("flash_attention").value_or(o.flashAttention);
    visitConstants(o.constants, [&](std::string_view key, Sourced<double>& figure, double least,
                                    double most) { readFigure(f, r.text, key, figure, least, most, r.out); });
  });
  return o;
}

/// Only what differs from the program's own.
Json analyticJson(const AnalyticOptions& o) {
  Json j = Json::object();
  const AnalyticOptions usual;
  if (o.flashAttention != usual.flashAttention) j["flash_attention"] = o.flashAttention;
  std::map<std::string, Sourced<double>, std::less<>> known;
  visitConstants(usual.constants, [&](std::string_view key, const Sourced<double>& figure, double, double) {
    known.emplace(key, figure);
  });
  visitConstants(o.constants, [&](std::string_view key, const Sourced<double>& figure, double, double) {
    if (!(figure == known.find(key)->second)) j[std::string(key)] = figureJson(figure);
  });
  return j;
}

}  // namespace

ModelSource readModel(const ScenarioReader& r, JsonFields& f) {
  ModelSource model;
  const int forms = int(f.has("path")) + int(f.has("config")) + int(f.has("architecture"));
  if (forms > 1 || (forms == 0 && !f.has("profile")))
    f.report(Severity::Error, "model-form", "path",
             forms == 0 ? "the scenario names no model" : "the model is described more than once",
             "give exactly one of \"path\" (a config.json or profile beside the scenario), \"config\" (its "
             "content) and "
             "\"architecture\"");
  readReference(r, f, model);
  readInlineConfig(r, f, model);
  readMeasured(r, f, model);
  r.section(f, "architecture",
            [&](JsonFields& a) { model.architecture = readArchitecture(a, r.text, r.out); });
  model.analytic = readAnalytic(r, f);
  model.calibration = f.number("calibration", -kMost, kMost).value_or(1);
  return model;
}

Json modelJson(const ModelSource& model) {
  Json j = Json::object();
  if (!model.reference.empty())
    j["path"] = model.reference;
  else if (model.architecture)
    j["architecture"] = architectureJson(*model.architecture);
  // A reference names the architecture if there is one; the profile measured beside it stands in the
  // scenario.
  if (model.profile && model.graph && (model.reference.empty() || model.architecture))
    j["profile"] = Json::parse(writeProfileJson({{}, *model.graph, *model.profile, {}, {}}));
  if (Json analytic = analyticJson(model.analytic); !analytic.empty()) j["analytic"] = std::move(analytic);
  if (model.calibration != 1) j["calibration"] = model.calibration;
  return j;
}

}  // namespace nest
