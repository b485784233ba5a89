#pragma once

#include <span>
#include <string_view>

#include "text/catalog.h"

namespace nest {

/// The text of resources/NAME as it was when the program was built; empty: there is no such file, or it is a
/// catalog.
std::string_view embeddedResource(std::string_view name);

/// Entries of resources/NAME.json, in the file's order. Readers ask for catalogEntries(), which has those of
/// the user as well.
std::span<const CatalogEntry> embeddedEntries(std::string_view catalog);

}  // namespace nest
