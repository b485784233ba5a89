#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "cluster/devices/device_catalog.h"
#include "formats/models/hf_config.h"
#include "formats/networks/cluster_text.h"
#include "scenario/scenario.h"
#include "test_paths.h"

namespace nest::test {

/// tests/data/model_facts.json: the figures that shape published models, with their parameter counts.
inline const nlohmann::json& modelFacts() {
  static const nlohmann::json all = nlohmann::json::parse(readFile(NEST_TEST_DATA "/model_facts.json"));
  return all;
}

/// The config.json of one of them; empty: there is none of that name.
inline nlohmann::json modelConfig(const std::string& name) {
  for (const nlohmann::json& m : modelFacts())
    if (m["name"] == name) return m["config"];
  return nlohmann::json::object();
}

inline Reading<TransformerArchitecture> readConfig(const nlohmann::json& j) {
  return readHuggingFaceConfig(j.dump(), "config.json");
}

/// On 128 H100 in hosts of 8, a batch of 32.
inline Scenario scenarioOf(const TransformerArchitecture& a, int sequence) {
  Scenario s;
  s.cluster = {*findDevice("h100-sxm"), *readClusterText("host:8@450GB/s rack:2@50GB/s").value};
  s.model.architecture = a;
  s.job.globalBatch = 32;
  s.job.sequenceLength = sequence;
  s.job.microbatches = {1};
  return s;
}

}  // namespace nest::test
