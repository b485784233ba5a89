#include "formats/scenario/scenario_json.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "fields/program_setting.h"
#include "formats/format.h"
#include "formats/networks/slurm_hostlist.h"
#include "formats/scenario/embedded_scenario.h"
#include "formats/scenario/fields_json.h"
#include "formats/scenario/scenario_parts.h"
#include "scenario/check.h"
#include "text/json_layout.h"
#include "text/json_parts.h"
#include "text/json_quantities.h"

namespace nest {

const Format& scenarioFormat();
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormatName = "nest-scenario";

/// A finding about the same value, its parent or its child has been reported already.
bool isCovered(const Diagnostics& found, const std::string& pointer) {
  return std::any_of(found.begin(), found.end(), [&](const Diagnostic& d) {
    const std::string& p = d.where.pointer;
    return d.severity == Severity::Error && (p.starts_with(pointer) || pointer.starts_with(p));
  });
}

/// What buildProblem would say, as far as it can be said of a scenario whose file is broken.
Diagnostics judged(const Scenario& s) {
  Diagnostics all;
  const auto add = [&all](Diagnostics more) { all.insert(all.end(), more.begin(), more.end()); };
  add(checkSetting(s));
  add(checkLayers(s.constraints, 0));
  add(deriveHierarchy(s.cluster, s.constraints.excludedDevices).diagnostics);
  std::erase_if(all, [](const Diagnostic& d) { return d.severity != Severity::Error; });
  return all;
}

bool exists(const JsonText& text, const std::string& pointer) {
  if (pointer.empty() || pointer.front() != '/') return false;
  return text.root().contains(nlohmann::json::json_pointer(pointer));
}

/// The entry of "states" that holds the host of this number.
std::size_t entryOfState(const JsonText& text, const std::string& host) {
  std::size_t left = static_cast<std::size_t>(std::stoul(host));
  const auto& states = text.root()["cluster"]["states"];
  for (std::size_t i = 0; i < states.size(); ++i) {
    const auto& hosts = partOf(states[i], "hosts");
    const std::size_t count =
        hosts.is_string() ? expandHostlist(hosts.get<std::string>()).names.size() : hosts.size();
    if (left < count) return i;
    left -= count;
  }
  return 0;
}

Place placeIn(const JsonText& text, const Place& where) {
  // What the cluster's network is called here is a graph in files that draw it.
  constexpr std::string_view network = "/cluster/network/";
  if (where.pointer.starts_with(network))
    if (const std::string drawn = "/cluster/graph/" + where.pointer.substr(network.size());
        exists(text, drawn))
      return text.placeOf(drawn);
  // Some findings name a field by its meaning; its key in the file carries the unit as well.
  constexpr std::string_view statesOf = "/cluster/states/";
  const bool isState = where.pointer.starts_with(statesOf) && exists(text, "/cluster/states");
  for (const char* suffix : {"", "_bytes_per_s", "_s", "_bytes"})
    if (!isState && exists(text, where.pointer + suffix)) return text.placeOf(where.pointer + suffix);
  // Levels may be one line of text.
  if (where.pointer.starts_with("/cluster/levels") && exists(text, "/cluster/network")) {
    Place place = text.placeOf("/cluster/network");
    if (where.pointer != "/cluster/levels") place.pointer = where.pointer;
    return place;
  }
  // The cluster counts states by host; an entry of the file may hold many.
  if (isState)
    return text.placeOf(
        jsonPointer("/cluster/states", entryOfState(text, where.pointer.substr(statesOf.size()))));
  return text.placeOf(where.pointer);
}

void checkVersion(JsonFields& f) {
  if (!f.has("version"))
    f.report(Severity::Warning, "version-missing", "version",
             "the scenario names no version; it is read as version 1");
  const auto version = f.integer("version", 1, 1'000'000);
  if (version && *version > kScenarioVersion)
    f.report(Severity::Error, "version-too-new", "version",
             "the scenario has version " + std::to_string(*version) + "; this program reads up to " +
                 std::to_string(kScenarioVersion),
             "open it with a newer release");
}

Scenario readAll(const ScenarioReader& r, JsonFields& f) {
  Scenario s;
  f.any("$schema");
  checkVersion(f);
  s.name = f.string("name").value_or("");
  s.description = f.string("description").value_or("");
  f.requireKey("cluster", "the devices and their network");
  f.requireKey("model", "the model to train");
  f.requireKey("job", "global batch and sequence length");
  static_cast<Setting&>(s) = readSetting(r, f, {});
  readKept(r, f, s);
  f.reportUnknown(Severity::Warning);
  return s;
}

}  // namespace

std::vector<int> ScenarioReader::integers(JsonFields& f, std::string_view key) const {
  std::vector<int> values;
  const nlohmann::json* list = f.array(key);
  for (std::size_t i = 0; list && i < list->size(); ++i) {
    const auto& v = (*list)[i];
    const double d = v.is_number() ? v.get<double>() : 0.5;
    if (d == static_cast<double>(static_cast<long long>(std::clamp(d, -1e18, 1e18))) && d >= -2147483648.0 &&
        d <= 2147483647.0)
      values.push_back(static_cast<int>(d));
    else
      out.push_back(error("json-type", text.placeOf(jsonPointer(f.pointerTo(key), i)),
                          '"' + std::string(key) + "\" must hold whole numbers"));
  }
  return values;
}

std::vector<std::string> ScenarioReader::strings(JsonFields& f, std::string_view key) const {
  std::vector<std::string> values;
  const nlohmann::json* list = f.array(key);
  for (std::size_t i = 0; list && i < list->size(); ++i) {
    if ((*list)[i].is_string())
      values.push_back((*list)[i].get<std::string>());
    else
      out.push_back(error("json-type", text.placeOf(jsonPointer(f.pointerTo(key), i)),
                          '"' + std::string(key) + "\" must hold strings"));
  }
  return values;
}

void ScenarioReader::objects(JsonFields& f, std::string_view key,
                             const std::function<void(JsonFields&)>& read) const {
  f.objects(key, std::numeric_limits<std::size_t>::max(), Severity::Warning,
            [&](JsonFields& entry, std::size_t) { read(entry); });
}

namespace {

/// What a text is that has nothing of a scenario; nullopt where that is not known.
std::optional<Diagnostic> otherThanScenario(std::string_view text, const std::string& file) {
  const Format* format = recognise(text, file);
  if (format == &scenarioFormat()) return std::nullopt;
  if (format)
    return error("not-a-scenario", {file, 0, 0, {}},
                 "this is not a scenario but a " + std::string(format->name),
                 format->is<ReadPlan>() ? "give it together with its scenario, as nest-plan evaluate does"
                                        : "make a scenario with it: nest-plan import");
  const Unsupported other = unsupported(text);
  if (other.is.empty() || text.empty()) return std::nullopt;
  return error("not-a-scenario", {file, 0, 0, {}}, std::string(other.is) + ", not a scenario",
               std::string(other.remedy));
}

bool hasAnyOf(const nlohmann::json& object, std::initializer_list<const char*> keys) {
  return std::any_of(keys.begin(), keys.end(), [&](const char* key) { return object.contains(key); });
}

}  // namespace

Reading<Scenario> readScenario(std::string_view text, const std::string& file, const ReferenceLoader& load) {
  Reading<Scenario> result;
  // A figure or a report; what is inside one cannot be another.
  if (!text.starts_with('{') && mayHoldScenario(text)) {
    const EmbeddedScenario inside = embeddedIn(text);
    if (inside.text.starts_with('{')) return readScenario(inside.text, file, load);
    result.diagnostics.push_back(error("figure-without-scenario", {file, 0, 0, {}},
                                       "no scenario is inside this file, or it is damaged",
                                       "open a figure or report as NEST Explorer wrote it"));
    return result;
  }
  auto parsed = readJsonText(text, file);
  if (!parsed ||
      (parsed->root().is_object() && !hasAnyOf(parsed->root(), {"format", "cluster", "model", "job"})))
    if (auto other = otherThanScenario(text, file)) {
      result.diagnostics.push_back(std::move(*other));
      return result;
    }
  result.diagnostics = std::move(parsed.diagnostics);
  if (!parsed) return result;
  if (!parsed->root().is_object()) {
    result.diagnostics.push_back(
        error("not-a-scenario", parsed->placeOf(""),
              "a scenario is a JSON object, not " + std::string(kindOf(parsed->root()))));
    return result;
  }
  const ScenarioReader reader{*parsed, load, result.diagnostics};
  JsonFields fields = reader.fields(parsed->root(), "");
  if (const auto format = fields.string("format"); format && *format != kFormatName) {
    fields.report(Severity::Error, "not-a-scenario", "format",
                  "this is a \"" + *format + "\", not a \"" + kFormatName + '"');
    return result;
  }
  Scenario scenario = readAll(reader, fields);
  adviseOnUnknownKeys(result.diagnostics);
  if (!hasErrors(result.diagnostics)) {
    result.value = std::move(scenario);
    return result;
  }
  for (Diagnostic& d : judged(scenario)) {
    d.where = placeIn(*parsed, d.where);
    if (!isCovered(result.diagnostics, d.where.pointer)) result.diagnostics.push_back(std::move(d));
  }
  return result;
}

std::string writeScenario(const Scenario& s) {
  Json j{{"format", kFormatName}, {"version", kScenarioVersion}};
  j["name"] = s.name;
  j["description"] = s.description;
  if (s.program != kIdealProgram) j["program"] = s.program;
  j["cluster"] = clusterJson(s.cluster);
  j["model"] = modelJson(s);
  j["job"] = jobJson(s);
  j["search"] = searchJson(s);
  j["constraints"] = constraintsJson(s);
  j["assumptions"] = assumptionsJson(s);
  if (!(s.run == RunOptions())) j["run"] = runJson(s);
  addKeptJson(s, j);
  return layOut(j);
}

Diagnostics locatedIn(std::string_view text, const std::string& file, Diagnostics all) {
  const auto isOpen = [](const Diagnostic& d) { return d.where.line == 0 && !d.where.pointer.empty(); };
  if (std::none_of(all.begin(), all.end(), isOpen)) return all;
  const auto parsed = readJsonText(text, file);
  if (!parsed) return all;
  for (Diagnostic& d : all)
    if (isOpen(d)) d.where = placeIn(*parsed, d.where);
  return all;
}

const Format& scenarioFormat() {
  static constexpr Format format = {
      .key = "scenario",
      .name = "NEST scenario",
      .suffixes = "nest.json svg png pdf html",
      .fileNames = ".nest.json",
      .example = R"({"format": "nest-scenario", …}          see nest-plan solve --help)",
      .remarks = "Figures and reports that NEST Explorer wrote hold the scenario, too.",
      .claims =
          [](const FileLook& f) {
            // A lesson may hold its scenario.
            return (f.names(kFormatName) && !f.names("nest-lesson")) || f.text.starts_with("%pdf-") ||
                   f.has("nest-scenario;") || f.has("id=\"nest-scenario\"") ||
                   (!f.names("format") && f.names("cluster") && (f.names("job") || f.names("model")));
          },
      .read = &readScenario};
  return format;
}

}  // namespace nest
