#pragma once

#include <functional>
#include <initializer_list>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "text/json_text.h"

namespace nest {

/// Reads the fields of one JSON object with their types and ranges checked. Every problem goes to `out` with
/// its place; a reading function returns nullopt when the key is absent or null (no diagnostic) or when it is
/// wrong (one diagnostic).
class JsonFields {
public:
  /// `object` must be an object inside `text`, standing at `pointer`. All three must outlive this.
  JsonFields(const JsonText& text, const nlohmann::json& object, std::string pointer, Diagnostics& out);

  const std::string& pointer() const { return m_pointer; }
  std::string pointerTo(std::string_view key) const { return jsonPointer(m_pointer, key); }
  Place placeOf(std::string_view key) const { return m_text->placeOf(pointerTo(key)); }

  bool has(std::string_view key);  ///< present and not null
  std::optional<double> number(std::string_view key, double least, double most);
  std::optional<long long> integer(std::string_view key, long long least, long long most);
  std::optional<bool> boolean(std::string_view key);
  std::optional<std::string> string(std::string_view key);
  /// A string out of a list of allowed ones; the diagnostic names them.
  std::optional<std::string> oneOf(std::string_view key, std::span<const std::string_view> allowed);
  std::optional<std::string> oneOf(std::string_view key, std::initializer_list<std::string_view> allowed) {
    return oneOf(key, std::span(allowed.begin(), allowed.size()));
  }
  const nlohmann::json* object(std::string_view key);
  const nlohmann::json* array(std::string_view key);
  const nlohmann::json* any(std::string_view key);
  /// Calls `read` with each object of a list of at most `most`, and its index; reports entries that are no
  /// objects and, as `unknown`, keys that were not asked for.
  void objects(std::string_view key, std::size_t most, Severity unknown,
               const std::function<void(JsonFields&, std::size_t index)>& read);

  /// Reports a key that has to be there and is not; `what` says what belongs there.
  void requireKey(std::string_view key, std::string_view what);
  void report(Severity severity, std::string code, std::string_view key, std::string message,
              std::string remedy = {});
  /// Reports each key that was never asked for, with the nearest known one where it looks like a slip.
  void reportUnknown(Severity severity);

private:
  const nlohmann::json* find(std::string_view key);
  void wrongType(std::string_view key, const nlohmann::json& value, std::string_view wanted);

  const JsonText* m_text;
  const nlohmann::json* m_object;
  std::string m_pointer;
  Diagnostics* m_out;
  std::set<std::string, std::less<>> m_asked;
};

/// "a number", "a string", …; for diagnostics.
std::string_view kindOf(const nlohmann::json& value);

}  // namespace nest
