#pragma once

#include <span>
#include <string_view>

namespace nest {

/// The text of resources/NAME as it was when the program was built; empty: there is no such file, or it is a
/// catalog.
std::string_view embeddedResource(std::string_view name);

/// One entry of a catalog, {"NAME": [entry, …]} in resources/NAME.json, as a text of its own: who needs one
/// device does not parse all of them.
struct EmbeddedEntry {
  std::string_view id, name;
  std::string_view aliases;  ///< a JSON list; empty: none
  std::string_view like;     ///< id of the one whose facts it takes over; empty: none
  std::string_view text;
};

/// Those of the catalog "devices" or "programs", in the file's order.
std::span<const EmbeddedEntry> embeddedEntries(std::string_view catalog);

}  // namespace nest
