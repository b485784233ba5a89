#include "program/container.h"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <vector>

#include "text/catalog.h"

namespace nest {
namespace {

bool isDigit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

/// Numbers of a release: {25, 4, 1} of "25.04.01-py3".
std::vector<int> releaseOf(std::string_view text) {
  std::vector<int> out;
  for (std::size_t at = 0; at < text.size() && isDigit(text[at]);) {
    int number = 0;
    for (int digits = 0; at < text.size() && isDigit(text[at]); ++at)
      if (++digits < 9) number = number * 10 + (text[at] - '0');
    out.push_back(number);
    if (at + 1 < text.size() && text[at] == '.') ++at;
  }
  return out;
}

/// Releases of one image that hold one program.
struct Releases {
  std::string program, label;  ///< "nemo:"
  std::vector<int> first, last;

  bool hold(std::vector<int> release) const {
    if (release.size() < first.size() || release < first) return false;
    release.resize(std::min(release.size(), last.size()));  // patches count with their release
    return release <= last;
  }
};

const std::vector<Releases>& knownReleases() {
  static const std::vector<Releases> all = [] {
    std::vector<Releases> out;
    for (const CatalogEntry& e : catalogEntries("programs")) {
      if (e.text.find("\"containers\"") == std::string_view::npos) continue;
      const auto entry = nlohmann::json::parse(e.text, nullptr, false);
      if (!entry.is_object() || !entry.contains("containers")) continue;
      for (const auto& c : entry.at("containers"))
        out.push_back({std::string(e.id), c.at("image").get<std::string>() + ':',
                       releaseOf(c.at("from").get<std::string>()), releaseOf(c.at("to").get<std::string>())});
    }
    std::reverse(out.begin(), out.end());  // what a user adds is asked before the program's own
    return out;
  }();
  return all;
}

}  // namespace

std::optional<ContainerProgram> programOfContainer(std::string_view text) {
  constexpr std::size_t kLongestTag = 16;
  std::optional<ContainerProgram> found;
  std::size_t foundAt = 0;
  for (const Releases& r : knownReleases())
    for (auto at = text.rfind(r.label); at != std::string_view::npos && (!found || at > foundAt);
         at = at == 0 ? std::string_view::npos : text.rfind(r.label, at - 1)) {
      // The image's whole name: "my-nemo" is another.
      const bool isWhole = at == 0 || text[at - 1] == '/' ||
                           std::isspace(static_cast<unsigned char>(text[at - 1])) || text[at - 1] == '"' ||
                           text[at - 1] == '\'' || text[at - 1] == '=' || text[at - 1] == '#';
      const std::string_view tag = text.substr(at + r.label.size(), kLongestTag);
      if (!isWhole || !r.hold(releaseOf(tag))) continue;
      const auto end = tag.find_first_not_of("0123456789.");
      found = {r.label + std::string(tag.substr(0, end)), r.program};
      foundAt = at;
      break;
    }
  return found;
}

}  // namespace nest
