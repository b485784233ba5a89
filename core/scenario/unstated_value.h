#pragma once

#include <functional>
#include <optional>
#include <string>

#include "diagnostics/diagnostic.h"

namespace nest {

struct Scenario;
struct Setting;

/// A value of a scenario that nobody has stated: an import took it where its files said nothing.
struct UnstatedValue {
  std::string field;  ///< of findField(), "/cluster/devices" (how many), "/cluster/device" or "/model"
  bool kept = false;  ///< it is of the scenario that the files were put into; otherwise it was assumed

  friend bool operator==(const UnstatedValue&, const UnstatedValue&) = default;
};

/// Whether a scenario can name this field as unstated.
bool canBeUnstated(std::string_view field);

/// Removes from `now.unstated` the fields whose values differ from `before`: the user has set them.
void dropStated(Scenario& now, const Setting& before);

inline constexpr const char* kAssumed = "job-assumed";  ///< the code of noteUnstated() of what was assumed
/// "assumed: 128 H100 80 GB SXM, a global batch of 1,024", with how to set them, or, of what was `kept`,
/// "kept from the open scenario: …". It points to the first value that is a field. `optionOf`: what sets the
/// field with `/key` on a command line. nullopt: nothing is unstated.
std::optional<Diagnostic> noteUnstated(
    const Scenario&, bool kept, const std::function<std::string(const std::string& key)>& optionOf = {});

}  // namespace nest
