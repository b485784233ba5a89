#pragma once

#include <nlohmann/json_fwd.hpp>

#include "formats/scenario/scenario_json.h"
#include "text/json_fields.h"

namespace nest {

/// What the readers of a scenario's parts share. `out` collects; nothing stops at the first error.
struct ScenarioReader {
  const JsonText& text;
  const ReferenceLoader& load;
  Diagnostics& out;

  JsonFields fields(const nlohmann::json& object, std::string pointer) const {
    return {text, object, std::move(pointer), out};
  }
  /// Calls `read(JsonFields&)` on an object at `key` and reports keys that it did not ask for. False if there
  /// is none.
  template <class Read>
  bool section(JsonFields& parent, std::string_view key, Read&& read) const {
    const nlohmann::json* object = parent.object(key);
    if (!object) return false;
    JsonFields inner = fields(*object, parent.pointerTo(key));
    read(inner);
    inner.reportUnknown(Severity::Warning);
    return true;
  }
  std::vector<int> integers(JsonFields&, std::string_view key) const;
  std::vector<std::string> strings(JsonFields&, std::string_view key) const;
  /// Calls `read(JsonFields&)` for each object in an array.
  void objects(JsonFields&, std::string_view key, const std::function<void(JsonFields&)>& read) const;
};

ClusterSource readCluster(const ScenarioReader&, JsonFields&);
nlohmann::ordered_json clusterJson(const ClusterSource&);

/// The parts of a setting; what a file leaves out is as `usual`, which is what the setting's program makes
/// it.
ModelSource readModel(const ScenarioReader&, JsonFields&, const Setting& usual);
nlohmann::ordered_json modelJson(const Setting&);

Job readJob(const ScenarioReader&, JsonFields&, const Setting& usual);
nlohmann::ordered_json jobJson(const Setting&);
SearchOptions readSearch(const ScenarioReader&, JsonFields&, const Setting& usual);
nlohmann::ordered_json searchJson(const Setting&);
Assumptions readAssumptions(const ScenarioReader&, JsonFields&, const Setting& usual);
nlohmann::ordered_json assumptionsJson(const Setting&);
RunOptions readRun(const ScenarioReader&, JsonFields&, const Setting& usual);
nlohmann::ordered_json runJson(const Setting&);

Constraints readConstraints(const ScenarioReader&, JsonFields&, const Setting& usual);
nlohmann::ordered_json constraintsJson(const Setting&);

/// Cluster, model, job, search, constraints, assumptions and run, as far as `f` names them; the rest as in
/// `base`.
Setting readSetting(const ScenarioReader&, JsonFields& f, const Setting& base);

/// The setting of something that is kept: "setting", with what differs from the scenario's own.
Setting readSettingOf(const ScenarioReader&, JsonFields& f, const Setting& own);
/// Only what differs: a large model or network is not written twice.
nlohmann::ordered_json settingJson(const Setting& kept, const Setting& own);

/// One of "moments".
void readSlide(const ScenarioReader&, JsonFields&, Scenario&);
/// `at`: its place in the scenario, for slides that share a setting.
nlohmann::ordered_json slideJson(const SavedSlide&, std::size_t at, const Scenario&);

/// What stands beside the setting: "unstated", "kept_plans" and "moments". The scenario's own setting must
/// have been read before.
void readKept(const ScenarioReader&, JsonFields&, Scenario&);
/// Adds them, where there are any.
void addKeptJson(const Scenario&, nlohmann::ordered_json&);

Strategy readStrategy(const ScenarioReader&, JsonFields&);
nlohmann::ordered_json strategyJson(const Strategy&);
std::optional<Recompute> recomputeNamed(std::string_view);

}  // namespace nest
