#include <algorithm>
#include <nlohmann/json.hpp>

#include "formats/scenario/fields_json.h"

namespace nest {
namespace {

using Json = nlohmann::ordered_json;

const OptimizerRegime kRegimes[] = {OptimizerRegime::megatron(), OptimizerRegime::zeroPaper(),
                                    OptimizerRegime::sgd()};

void readOptimizer(const ScenarioReader& r, JsonFields& job, Setting& setting) {
  OptimizerRegime& into = setting.job.optimizer;
  const nlohmann::json* v = job.any("optimizer");
  if (!v) return;
  if (v->is_string()) {
    const std::string id = v->get<std::string>();
    for (const OptimizerRegime& known : kRegimes)
      if (known.id == id) {
        into = known;
        return;
      }
    job.report(
        Severity::Error, "json-choice", "optimizer",
        '"' + id +
            "\" is not a known optimizer precision; expected one of: adam-fp32-grads, adam-fp16-grads, sgd, "
            "or an object",
        "give {\"id\": \"custom\", \"weight_bytes_per_parameter\": 2, \"gradient_bytes_per_parameter\": 4, "
        "\"optimizer_bytes_per_parameter\": 12}");
    return;
  }
  r.section(job, "optimizer", [&](JsonFields& f) {
    const std::string id = f.string("id").value_or("custom");
    const auto known = std::find_if(std::begin(kRegimes), std::end(kRegimes),
                                    [&](const OptimizerRegime& regime) { return regime.id == id; });
    if (known != std::end(kRegimes)) into = *known;
    readFields(r, f, "/job/optimizer", setting);  // other bytes than its own make it custom
    if (known == std::end(kRegimes)) into.id = id;
  });
}

Json optimizerJson(const Setting& s) {
  const OptimizerRegime& o = s.job.optimizer;
  for (const OptimizerRegime& known : kRegimes)
    if (known == o) return o.id;
  Json j{{"id", o.id}};
  j.update(fieldsJson("/job/optimizer", s));
  return j;
}

/// A part of a setting that fields alone make up.
template <auto Part>
auto readPart(const ScenarioReader& r, JsonFields& f, std::string_view pointer, const Setting& usual) {
  Setting s = usual;
  readFields(r, f, pointer, s);
  return s.*Part;
}

}  // namespace

std::optional<Recompute> recomputeNamed(std::string_view name) {
  for (const Recompute r : {Recompute::None, Recompute::Selective, Recompute::Full})
    if (name == nameOf(r)) return r;
  return std::nullopt;
}

Job readJob(const ScenarioReader& r, JsonFields& f, const Setting& usual) {
  Setting s = usual;
  readOptimizer(r, f, s);
  readFields(r, f, "/job", s);
  return s.job;
}

Json jobJson(const Setting& s) {
  return fieldsJson("/job", s, [&](std::string_view key, Json& into) {
    if (key == "optimizer") into["optimizer"] = optimizerJson(s);
  });
}

SearchOptions readSearch(const ScenarioReader& r, JsonFields& f, const Setting& usual) {
  return readPart<&Setting::search>(r, f, "/search", usual);
}

Json searchJson(const Setting& s) {
  return fieldsJson("/search", s);
}

Assumptions readAssumptions(const ScenarioReader& r, JsonFields& f, const Setting& usual) {
  return readPart<&Setting::assumptions>(r, f, "/assumptions", usual);
}

Json assumptionsJson(const Setting& s) {
  return fieldsJson("/assumptions", s);
}

RunOptions readRun(const ScenarioReader& r, JsonFields& f, const Setting& usual) {
  return readPart<&Setting::run>(r, f, "/run", usual);
}

Json runJson(const Setting& s) {
  return fieldsJson("/run", s);
}

}  // namespace nest
