#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace nest {

/// A field of a scenario in a message or a remedy, and the advised change. In the text it is in backquotes:
/// `search.zero_stages` names the field, `search.context_parallel = true` sets it, `search.zero_stages += 2`
/// adds a value to those that are tried, and `search.schedules := 1f1b, zb-v` replaces them.
struct FieldChange {
  enum class How { Name, Set, Add, Only };

  std::string field;  ///< key as in files, with dots between its parts
  How how = How::Name;
  std::vector<std::string> values = {};  ///< as files write them; empty for Name

  friend bool operator==(const FieldChange&, const FieldChange&) = default;
};

/// Splits a text into words and fields, in their order. Backquotes around anything else belong to the words.
std::vector<std::variant<std::string, FieldChange>> adviceParts(std::string_view text);

/// The change as it appears in a text, with its backquotes; adviceParts() reads it.
std::string encoded(const FieldChange&);

/// "set search.context_parallel to true", "add 2 to search.zero_stages", "offer only 0 and 1 in …".
std::string inWords(const FieldChange&);

/// The text for files and the command line, which name fields by their keys.
std::string adviceText(std::string_view text);

}  // namespace nest
