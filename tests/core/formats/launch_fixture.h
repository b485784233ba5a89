#pragma once

#include <string>

#include "formats/launch/launch_export.h"
#include "formats/scenario/scenario_json.h"
#include "support/test_main.h"
#include "test_paths.h"

namespace nest::test {

/// The teaching sample with its problem: six blocks on two hosts of two devices.
struct Fixture {
  Scenario scenario;
  Problem problem;
  ReportSource source() const {
    ReportSource s = reportSource(scenario, problem);
    s.cluster = nullptr;
    return s;
  }
};

/// Changed by `edit`.
template <class Edit>
Fixture teaching(Edit edit) {
  const std::string path = std::string(NEST_SOURCE_DIR) + "/samples/teaching-6-layers-2x2.nest.json";
  Fixture f;
  f.scenario = *readScenario(readFile(path), path, {}).value;
  edit(f.scenario);
  f.problem = *buildProblem(f.scenario).value;
  return f;
}
inline Fixture teaching() {
  return teaching([](Scenario&) {});
}

/// Two stages of one device each, inner · outer replicas; layers 0–3 and 4–8.
inline Plan plan(int inner, int outer) {
  Plan p;
  p.dataInner = inner;
  p.dataOuter = outer;
  p.blockStride = 2 * inner;
  p.stages.resize(2);
  for (auto& s : p.stages) s.chunks.resize(1);
  for (int l = 0; l < 9; ++l) p.stages[l < 4 ? 0 : 1].chunks[0].push_back(LayerIndex(l));
  return p;
}

inline const LaunchTarget& to(std::string_view id) {
  return *findLaunchTarget(id);
}
/// All that start a training program.
inline std::vector<const LaunchTarget*> programTargets() {
  std::vector<const LaunchTarget*> out;
  for (const LaunchTarget* t : launchTargets())
    if (t->program) out.push_back(t);
  return out;
}

inline bool has(const Reading<std::string>& r, const std::string& part) {
  return r && r->find(part) != std::string::npos;
}

/// Codes of those diagnostics, apart by blanks.
inline std::string codes(const Diagnostics& all, Severity severity) {
  std::string out;
  for (const Diagnostic& d : all)
    if (d.severity == severity) out += (out.empty() ? "" : " ") + d.code;
  return out;
}

}  // namespace nest::test
