#pragma once

#include "cluster/devices/device_catalog.h"
#include "formats/import_files.h"
#include "support/diagnostic_code.h"
#include "support/test_main.h"
#include "test_paths.h"

namespace nest::test {

inline std::string fileOf(const std::string& name) {
  return test::readFile(std::string(NEST_TEST_DATA) + "/" + name);
}

inline Reading<Measurement> readText(const std::string& text, const char* name = "f.log") {
  const Format* f = recognise(text, name);
  const auto read = readerOf<ReadMeasurement>(f);
  if (!read) return {std::nullopt, {error("unknown", {}, "no measurement")}};
  return read(text, name);
}

template <class T>
T read(const std::string& name) {
  auto reading = readText(fileOf(name), name.c_str());
  if constexpr (std::is_same_v<T, CollectiveTimes>)
    return reading ? std::get<std::vector<T>>(reading->of).front() : T{};
  else
    return reading ? std::get<T>(reading->of) : T{};
}

inline bool isNear(double a, double b, double share = 1e-9) {
  return std::abs(a - b) <= share * std::abs(b);
}

/// What import makes of these, on a network in one line.
inline Reading<Scenario> imported(const char* line, const std::vector<NamedText>& measured,
                                  const Program* program = nullptr) {
  std::vector<NamedText> files = measured;
  files.push_back({"net", line});
  files.push_back(
      {"config.json", test::readFile(std::string(NEST_SOURCE_DIR) + "/samples/models/llama-3-70b.json")});
  const auto parts = importFiles(files, *findDevice("h100-sxm"), {});
  if (!parts) return {std::nullopt, parts.diagnostics};
  return assemble(*parts.value, nullptr, program);
}

}  // namespace nest::test
