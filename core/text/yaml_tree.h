#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/source_text.h"

namespace nest {

/// A YAML value that knows where it stands. Scalars are kept as text.
struct YamlValue {
  enum class Kind { Null, Scalar, Sequence, Map };
  struct Entry;

  Kind kind = Kind::Null;
  std::string scalar;
  std::vector<YamlValue> items;
  std::vector<Entry> entries;  ///< in the order of the file
  Place place;

  const YamlValue* find(std::string_view key) const;  ///< nullptr: no map, or no such key
};
struct YamlValue::Entry {
  std::string key;
  Place place;
  YamlValue value;
};

/// The first document of a text. Reports syntax errors, keys that stand twice, aliases (never expanded),
/// nesting beyond 32, more than 200,000 values, and texts above `most` bytes (the parser takes about half a
/// second per MB). Null when something was reported.
YamlValue readYamlTree(SourceText& source, std::size_t most, std::string_view format);

/// All documents of a text, with the same limits in all. Empty when something was reported.
std::vector<YamlValue> readYamlTrees(SourceText& source, std::size_t most, std::string_view format);

}  // namespace nest
