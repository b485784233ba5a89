#include "options/own_catalogs.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string_view>

#include "fields/own_catalogs.h"
#include "files/file_reader.h"

namespace nest::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLeaveOut = "correct it, or set NEST_CATALOG to nothing to leave it out";

std::optional<std::string> variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? std::optional<std::string>(value) : std::nullopt;
}

/// The *.json of a folder by name; a file itself.
std::vector<std::string> filesAt(const std::string& path, Diagnostics& out) {
  std::error_code failed;
  if (!fs::is_directory(path, failed)) return {path};
  std::vector<std::string> files;
  for (fs::directory_iterator at(path, failed), end; !failed && at != end; at.increment(failed))
    if (at->path().extension() == ".json") files.push_back(at->path().string());
  if (failed)
    out.push_back(error("catalog-folder", {path, 0, 0, {}}, "the folder cannot be read: " + failed.message(),
                        kLeaveOut));
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

std::vector<std::string> ownCatalogPaths() {
  std::vector<std::string> out;
  if (const auto named = variable("NEST_CATALOG")) {
    for (std::string_view rest = *named; !rest.empty();) {
      const std::string_view path = rest.substr(0, rest.find(':'));
      if (!path.empty()) out.emplace_back(path);
      rest.remove_prefix(std::min(rest.size(), path.size() + 1));
    }
    return out;
  }
  const auto data = variable("XDG_DATA_HOME");
  const auto home = variable("HOME");
  if (!(data && !data->empty()) && !home) return out;
  const fs::path folder = (data && !data->empty() ? fs::path(*data) : fs::path(*home) / ".local/share") /
                          "nest-explorer/catalogs";
  std::error_code ignored;
  if (fs::is_directory(folder, ignored)) out.push_back(folder.string());
  return out;
}

Diagnostics loadOwnCatalogs() {
  Diagnostics out;
  std::vector<OwnCatalog> catalogs;
  for (const std::string& path : ownCatalogPaths())
    for (const std::string& file : filesAt(path, out)) {
      auto text = readText(file);
      out.insert(out.end(), text.diagnostics.begin(), text.diagnostics.end());
      if (text) catalogs.push_back({file, std::move(*text)});
    }
  for (Diagnostic& d : addOwnCatalogs(catalogs)) {
    if (d.severity == Severity::Error && d.remedy.empty()) d.remedy = kLeaveOut;
    out.push_back(std::move(d));
  }
  return out;
}

}  // namespace nest::cli
