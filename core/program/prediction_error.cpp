#include "program/prediction_error.h"

#include <nlohmann/json.hpp>

#include "text/embedded.h"

namespace nest {

std::string deviceFamily(std::string_view id) {
  struct Known {
    const char *prefix, *family;
  };
  constexpr Known kKnown[] = {{"a100", "Ampere"},     {"a800", "Ampere"},     {"h100", "Hopper"},
                              {"h200", "Hopper"},     {"h800", "Hopper"},     {"h20", "Hopper"},
                              {"b200", "Blackwell"},  {"gb200", "Blackwell"}, {"b300", "Blackwell"},
                              {"gb300", "Blackwell"}, {"mi3", "CDNA 3"},      {"tpu-", "TPU"}};
  for (const Known& k : kKnown)
    if (id.starts_with(k.prefix)) return k.family;
  return std::string(id);
}

const std::vector<ValidatedRuns>& validatedRuns() {
  // Part of the program; a test writes it anew and compares.
  static const std::vector<ValidatedRuns> all = [] {
    std::vector<ValidatedRuns> out;
    const auto j = nlohmann::json::parse(embeddedResource("prediction_errors.json"), nullptr, false);
    if (!j.is_object()) return out;
    for (const auto& e : j.at("errors"))
      out.push_back({e.at("program").get<std::string>(),
                     e.at("devices").get<std::string>(),
                     e.at("experts").get<bool>(),
                     {e.at("mean_absolute_error").get<double>(), e.at("runs").get<int>()}});
    return out;
  }();
  return all;
}

PredictionError predictionErrorOf(std::string_view program, std::string_view deviceId, bool experts) {
  const std::string family = deviceFamily(deviceId);
  for (const ValidatedRuns& v : validatedRuns())
    if (v.program == program && v.family == family && v.experts == experts) return v.error;
  return {};
}

}  // namespace nest
