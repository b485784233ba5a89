#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "diagnostics/diagnostic.h"
#include "program/program_use.h"
#include "units/sourced.h"

namespace nest {

/// What a program sets one field of a scenario to, and where that is known from.
struct ProgramValue {
  std::string field;  ///< its key: "/assumptions/overlap/sync"
  std::variant<double, bool, std::string, std::vector<double>> value;  ///< a choice by the option's name
  Origin origin = Origin::Typed;
  std::string citation;

  friend bool operator==(const ProgramValue&, const ProgramValue&) = default;
};

/// Content of a field as files write it: true or false, a number, the name of a choice, a list of numbers.
/// False: it is none of these.
bool readValue(const nlohmann::json&, ProgramValue& into);

/// Who cuts the model into stages (STATEMENT.md §10).
enum class StageCut {
  Free,      ///< the plan
  ByWeight,  ///< a stage ends with the block by which more than its equal share of the matrix weights of
             ///< blocks and head is passed
  ByCount,   ///< as many layers each, embedding, last norm and head counted as one; the first ones take more
};
const char* nameOf(StageCut);  ///< in files: "free", "by_weight", "by_count"

/// What runs a plan, as one named and versioned value: a training framework at one time. It decides what
/// overlaps, which kernels run, what memory is taken, and which plans can be expressed. One entry of
/// resources/programs.json; `ideal` sets nothing.
struct Program {
  std::string id;                     ///< "megatron-core-2025"
  std::string name;                   ///< "Megatron-Core 2025"
  std::string version;                ///< which releases it stands for
  std::string about;                  ///< one sentence
  std::vector<ProgramValue> values;   ///< those of what it is like included; no field twice
  std::vector<std::string> launches;  ///< launch files that it reads: names of nest-plan export --as
  StageCut cuts = StageCut::Free;
  /// Its log states the memory of the first stage, not of the fullest.
  bool logsFirstStage = false;
  /// What its tensor exchanges read stays reserved until the device has run them, and is handed out anew
  /// while the host runs ahead (STATEMENT.md §10).
  bool holdsExchangeBuffers = false;
  /// What its plans cannot have, and where that is known from. Under the preset "runnable" none is searched.
  struct Inability {
    PlanFeature feature;
    std::string citation;
    friend bool operator==(const Inability&, const Inability&) = default;
  };
  std::vector<Inability> cannot;
  /// It runs schedules whose weight gradients are passes of their own.
  bool splitsBackward = true;
  std::vector<std::string> accelerators;  ///< kinds that it runs on (acceleratorOf()); empty: any

  bool runs(PlanFeature) const;
  bool runsOn(std::string_view deviceId) const;

  /// nullptr: it leaves the field as it usually is.
  const ProgramValue* valueOf(std::string_view field) const;

  friend bool operator==(const Program&, const Program&) = default;
};

inline constexpr const char* kIdealProgram = "ideal";

/// All that are known; the first is `ideal`. Immutable; each is read when it is first asked for.
const std::vector<Program>& programs();
struct ProgramName {
  std::string id, name;
};
const std::vector<ProgramName>& programNames();  ///< of programs(), which are not read for them
/// By id; nullptr: there is none.
const Program* findProgram(std::string_view id);

/// "GPU", "TPU", "Trainium", "Gaudi".
std::string_view acceleratorOf(std::string_view deviceId);

std::string programIds();  ///< "ideal, megatron-2021, …"

/// One entry of resources/programs.json: {"id", "name", "version", "about", "like", "launches": […],
/// "values": {field: {"value", "origin", "source"}}, "runs_on": […], "expresses": {feature: {"value",
/// "source"}}, whose features are those of PlanFeature and "split_backward", "cuts", "logs_first_stage",
/// "holds_exchange_buffers"}. It has the values of `like` where it says nothing. The origin is typed,
/// measured, estimated or catalog. Whether the fields exist is not known here (fields/program_setting.h).
Reading<Program> readProgram(std::string_view text, const std::string& file, const Program& like);

}  // namespace nest
