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

/// How files say one assumption. Adding a field to resources/programs.json asks for an entry here
/// (tests/core/formats/test_launch_assumptions.cpp); a program that differs from `usual` has an entry of its
/// own (LaunchProgram::assumes).
struct LaunchAssumption {
  const char* field;                             ///< key of the scenario's field
  bool (*matters)(const LaunchPlan&) = nullptr;  ///< for the times of this plan; unset: always
  Encoding usual = {};                           ///< of programs without an entry of their own

  const Encoding& encoding(const LaunchTarget&) const;
};
std::span<const LaunchAssumption> launchAssumptions();

/// What the target's files have to say of the assumptions, '_' between words and "table.key" where it has
/// tables; notes warnings for what they cannot.
std::vector<LaunchSetting> assumedSettings(LaunchPlan&);
/// The value of one; empty: it is not among them.
std::string valueOf(const std::vector<LaunchSetting>&, std::string_view name);

/// What programs over Megatron's core assume; `own` differs from it.
std::vector<OwnEncoding> megatronAssumptions(std::vector<OwnEncoding> own = {});
/// How tokens reach their experts, in Megatron's words and in NeMo's own.
void dispatchExperts(Assumed&, bool isNemo);
/// Encodings that several programs share: another part of the file says it; there is no option to overlap.
void inTheFile(Assumed&);
void noOverlap(Assumed&);

}  // namespace nest
