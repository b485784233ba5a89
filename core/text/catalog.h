#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nest {

/// One entry of a catalog, {"NAME": [entry, …]}, as a text of its own: who needs one device does not parse
/// all of them.
struct CatalogEntry {
  std::string_view id, name;
  std::string_view aliases;  ///< a JSON list; empty: none
  std::string_view like;     ///< id of the one whose facts it takes over; empty: none
  std::string_view text;
  std::string_view file;  ///< for diagnostics; the text of a user's entry has its lines and columns
};

/// A catalog: "devices", "number_formats" or "programs".
inline constexpr std::string_view kCatalogs[] = {"devices", "number_formats", "programs"};

/// The entries of resources/NAME.json, in the file's order, and behind them those that were added.
std::span<const CatalogEntry> catalogEntries(std::string_view catalog);

/// The same facts, which own their texts.
struct OwnEntry {
  std::string catalog, id, name, aliases, like, text, file;
};

/// Adds entries of the user's own catalogs (fields/own_catalogs.h). To be called once, before anything has
/// asked for a device, a number format or a program, all of which are read from the entries that there are
/// then.
void addCatalogEntries(const std::vector<OwnEntry>&);

}  // namespace nest
