#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fields/field.h"
#include "formats/launch/launch_parts.h"

namespace nest {

/// One assumption that a plan is priced with, on its way into the files of one framework.
struct Assumed {
  LaunchPlan& plan;
  const Setting& setting;  ///< with the values that the plan is priced with
  const Field& field;
  std::vector<LaunchSetting>& settings;

  double number() const { return numberOf(field.key); }
  bool isSet() const { return isSetOf(field.key); }
  std::string_view option() const;
  double numberOf(std::string_view key) const;  ///< of another field; a yes is 1
  bool isSetOf(std::string_view key) const { return numberOf(key) != 0; }

  void say(std::string name, bool value) { say({std::move(name), value ? "true" : "false"}); }
  void say(std::string name, const char* word) { say({std::move(name), word, true}); }
  /// In place of what was said under that name before.
  void say(LaunchSetting);
  /// Warns that the files do not say it: "the prediction assumes Tensor overlap = 75 %, " + `why`.
  void leave(const std::string& why, std::string remedy = {});
};

/// How a framework is told of an assumption.
struct Telling {
  enum class Kind {
    Option,    ///< by options of its files; or a warning says that they cannot
    Always,    ///< it does so whatever its files say: another value is warned about
    Version,   ///< its releases differ in it
    Estimate,  ///< a measure of how well it does what other options say
  };
  Kind kind = Kind::Estimate;
  void (*say)(Assumed&) = nullptr;  ///< of Option
};

/// How every framework is told of one assumption. Adding a field to resources/programs.json asks for an entry
/// here (tests/core/formats/test_launch_assumptions.cpp).
struct LaunchAssumption {
  const char* field;                             ///< key of the scenario's field
  bool (*matters)(const LaunchPlan&) = nullptr;  ///< for the times of this plan; unset: always
  Telling megatron = {}, torchtitan = {}, deepspeed = {}, nanotron = {};

  const Telling& telling(LaunchTarget) const;
};
std::span<const LaunchAssumption> launchAssumptions();

/// What the target's files have to say of the assumptions, '_' between words and "table.key" where it has
/// tables; notes warnings for what they cannot.
std::vector<LaunchSetting> assumedSettings(LaunchPlan&);
/// Its value; empty: it is not among them.
std::string valueOf(const std::vector<LaunchSetting>&, std::string_view name);

}  // namespace nest
