#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "diagnostics/diagnostic.h"

namespace nest {

/// What a JSON text may cost. Beyond any of these the text is refused before it is held in memory.
struct JsonLimits {
  std::size_t bytes = 32u << 20;
  int depth = 64;
  std::size_t values = 2'000'000;
};

/// A parsed JSON text that still knows where each of its values stands. Immutable, cheap to copy.
class JsonText {
public:
  const nlohmann::json& root() const { return *m_root; }
  const std::string& file() const { return m_file; }

  /// Line and column (counted in characters) of the value at a JSON pointer; "" is the root. A pointer that
  /// names nothing gets the place of its nearest ancestor, so that a missing key is reported at its object.
  Place placeOf(std::string_view pointer) const;

private:
  friend class JsonTextBuilder;
  struct Places;
  std::shared_ptr<const nlohmann::json> m_root;
  std::shared_ptr<const Places> m_places;
  std::string m_file;
};

/// Errors: syntax (with what was expected), a number beyond double range, a key twice in one object, limits
/// exceeded. A leading byte order mark is accepted.
Reading<JsonText> readJsonText(std::string_view text, const std::string& file, const JsonLimits& limits = {});

/// `parent` + "/" + `key`, escaped as RFC 6901 says.
std::string jsonPointer(std::string_view parent, std::string_view key);
std::string jsonPointer(std::string_view parent, std::size_t index);

}  // namespace nest
