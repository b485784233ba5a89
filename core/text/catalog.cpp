#include "text/catalog.h"

#include <array>
#include <deque>

#include "text/embedded.h"

namespace nest {
namespace {

/// Of each catalog, in the order of kCatalogs.
using AllEntries = std::array<std::vector<CatalogEntry>, std::size(kCatalogs)>;

AllEntries& allEntries() {
  static AllEntries all = [] {
    AllEntries out;
    for (std::size_t i = 0; i < out.size(); ++i) {
      const auto built = embeddedEntries(kCatalogs[i]);
      out[i].assign(built.begin(), built.end());
    }
    return out;
  }();
  return all;
}

}  // namespace

std::span<const CatalogEntry> catalogEntries(std::string_view catalog) {
  for (std::size_t i = 0; i < std::size(kCatalogs); ++i)
    if (kCatalogs[i] == catalog) return allEntries()[i];
  return {};
}

void addCatalogEntries(const std::vector<OwnEntry>& entries) {
  static std::deque<OwnEntry> kept;  // whose texts the entries point to
  for (const OwnEntry& e : entries) {
    const OwnEntry& own = kept.emplace_back(e);
    for (std::size_t i = 0; i < std::size(kCatalogs); ++i)
      if (kCatalogs[i] == own.catalog)
        allEntries()[i].push_back({own.id, own.name, own.aliases, own.like, own.text, own.file});
  }
}

}  // namespace nest
