#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace nest {

/// A field of a scenario within a message or a remedy, and what is advised to do with it. In the text it
/// stands in backquotes: `search.zero_stages` names it, `search.context_parallel = true` sets it,
/// `search.zero_stages += 2` adds to what is tried, `search.schedules := 1f1b, zb-v` has only these tried.
struct FieldChange {
  enum class How { Name, Set, Add, Only };

  std::string field;  ///< as files name it, parts apart by dots
  How how = How::Name;
  std::vector<std::string> values = {};  ///< as files write them; none of a Name

  friend bool operator==(const FieldChange&, const FieldChange&) = default;
};

/// A text in its order: words, and what it says of fields. Backquotes around anything else are words.
std::vector<std::variant<std::string, FieldChange>> adviceParts(std::string_view text);

/// As it stands in a text, with its backquotes: adviceParts() reads it again.
std::string encoded(const FieldChange&);

/// "set search.context_parallel to true", "add 2 to search.zero_stages", "offer only 0 and 1 in …".
std::string inWords(const FieldChange&);

/// The text for files and the command line, where fields go by their keys.
std::string adviceText(std::string_view text);

}  // namespace nest
