#include "study/lost_devices.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <utility>

namespace nest {
namespace {

std::string lowered(std::string_view s) {
  std::string out(s);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && s.front() == ' ') s.remove_prefix(1);
  while (!s.empty() && s.back() == ' ') s.remove_suffix(1);
  return s;
}

std::optional<int> wholeOf(std::string_view s) {
  if (s.empty() || s.size() > 9 ||
      !std::all_of(s.begin(), s.end(), [](char c) { return c >= '0' && c <= '9'; }))
    return std::nullopt;
  return std::stoi(std::string(s));
}

/// The positions that a name stands for; empty: nothing is called so.
std::vector<int> positionsCalled(const Hierarchy& h, std::string_view text) {
  const std::string name = lowered(text);
  std::vector<int> out;
  for (int l = 0; l < h.levelCount(); ++l)
    for (int g = 0; g < h.groupCount(l); ++g) {
      if (lowered(h.groupName(l, g)) != name) continue;
      const auto [begin, end] = h.groupSpan(l, g);
      for (int i = begin; i < end; ++i) out.push_back(i);
      return out;
    }
  const auto slash = name.rfind('/');
  const bool isDevice = name.starts_with("device ");
  const auto number = isDevice                     ? wholeOf(trimmed(std::string_view(name).substr(7)))
                      : slash != std::string::npos ? wholeOf(std::string_view(name).substr(slash + 1))
                                                   : std::nullopt;
  if (!number) return out;
  for (int i = 0; i < h.deviceCount(); ++i) {
    const DeviceIdentity id = h.identity(DeviceIndex(i));
    if (isDevice ? id.source == *number : id.slot == *number && lowered(id.host) == name.substr(0, slash))
      return {i};
  }
  return out;
}

}  // namespace

Reading<LostDevices> readLost(const Problem& problem, std::string_view text) {
  Reading<LostDevices> result;
  LostDevices out;
  std::set<int> all;
  const Hierarchy& h = *problem.cluster;
  const auto take = [&](std::string_view one) {
    const auto positions = positionsCalled(h, one);
    all.insert(positions.begin(), positions.end());
    if (!positions.empty()) out.what += (out.what.empty() ? "" : " and ") + std::string(one);
    return !positions.empty();
  };
  if (!take(trimmed(text))) {
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find(',', begin), text.size());
      const std::string_view one = trimmed(text.substr(begin, end - begin));
      if (!take(one))
        result.diagnostics.push_back(
            error("no-such-part", {}, "the cluster has no part called \"" + std::string(one) + '"',
                  "name a host or a group as Topology does (\"" + h.groupName(0, 0) +
                      "\"), \"device 0\", or \"" + h.identity(DeviceIndex(0)).host + "/0\""));
      begin = end + 1;
    }
  }
  if (static_cast<int>(all.size()) == h.deviceCount())
    result.diagnostics.push_back(
        error("nothing-left", {}, "\"" + std::string(text) + "\" is the whole cluster: no device is left"));
  out.positions.assign(all.begin(), all.end());
  if (!hasErrors(result.diagnostics)) result.value = std::move(out);
  return result;
}

}  // namespace nest
