#include "calibration/rank_placement.h"

#include <algorithm>
#include <map>

#include "scenario/program_effects.h"
#include "units/text.h"

namespace nest {
namespace {

std::string many(int n, const char* noun) {
  return text::count(n) + ' ' + noun + (n == 1 ? "" : "s");
}

/// Hosts, as level-0 groups, of one group.
int hostsIn(const Hierarchy& h, int level, int group) {
  const auto [begin, end] = h.groupSpan(level, group);
  return h.groupOf(0, end - 1) - h.groupOf(0, begin) + 1;
}
int mostHostsIn(const Hierarchy& h, int level) {
  int most = 0;
  for (int g = 0; g < h.groupCount(level); ++g) most = std::max(most, hostsIn(h, level, g));
  return most;
}

/// Where the ranks of a benchmark stand.
class RankPlacer {
public:
  RankPlacer(const Hierarchy& cluster, const CollectiveTimes& times) : m_cluster(cluster) {
    for (const std::string& host : times.rankHosts) ++m_ranks[host];
    for (const auto& [host, n] : m_ranks) m_most = std::max(m_most, n);
  }

  Reading<std::vector<int>> place(std::optional<int> level) {
    if (!level)
      if (auto named = byName(); !named.empty()) return {std::move(named), {}};
    const int hosts = static_cast<int>(m_ranks.size());
    if (m_most > m_cluster.largestGroupSize(0))
      return fail(many(m_most, "rank") + " ran on one host, but a host of the cluster has " +
                      many(m_cluster.largestGroupSize(0), "device"),
                  "measure on the hosts that the scenario describes, or correct their size");
    if (hosts == 1) {
      if (level.value_or(0) != 0)
        return fail("all ranks ran on one host, which measures only level 0",
                    "leave the level out, or say 0");
      return {firstOf({0}), {}};
    }
    if (!level) {
      int innermost = 1;
      while (innermost < m_cluster.levelCount() && mostHostsIn(m_cluster, innermost) < hosts) ++innermost;
      if (innermost >= m_cluster.levelCount()) return tooMany(hosts);
      if (innermost + 1 < m_cluster.levelCount())
        return fail("the " + many(hosts, "host") + " fit into one group of level " + nameOf(innermost) +
                        ", but may stand in several",
                    "name the level that joins them: " + choices(innermost), "link-level");
      level = innermost;
    }
    if (*level < 1 || *level >= m_cluster.levelCount())
      return fail("several hosts are joined by a level from 1 to " +
                      std::to_string(m_cluster.levelCount() - 1) + ", not by level " + std::to_string(*level),
                  "name one of these");
    return spread(hosts, *level);
  }

private:
  static Reading<std::vector<int>> fail(std::string message, std::string remedy,
                                        const char* code = "link-fit") {
    return {std::nullopt, {badFit(std::move(message), std::move(remedy), code)}};
  }
  Reading<std::vector<int>> tooMany(int hosts) const {
    return fail(
        "it ran on " + many(hosts, "host") + "; the cluster has " + many(m_cluster.groupCount(0), "host"),
        "measure on no more hosts than the scenario has");
  }
  std::string nameOf(int level) const { return m_cluster.level(level).name; }
  std::string choices(int from) const {
    std::string out;
    for (int l = from; l < m_cluster.levelCount(); ++l)
      out += (out.empty()                      ? ""
              : l + 1 < m_cluster.levelCount() ? ", "
                                               : " or ") +
             std::to_string(l) + " (" + nameOf(l) + ")";
    return out;
  }

  /// Empty: not all hosts are of the cluster, or they are too small.
  std::vector<int> byName() const {
    std::map<std::string, int> left = m_ranks;
    std::vector<int> out;
    for (int p = 0; p < m_cluster.deviceCount(); ++p)
      if (const auto it = left.find(m_cluster.identity(DeviceIndex(p)).host);
          it != left.end() && it->second > 0) {
        --it->second;
        out.push_back(p);
      }
    const bool isWhole = std::all_of(left.begin(), left.end(), [](const auto& l) { return l.second == 0; });
    return isWhole ? out : std::vector<int>();
  }

  /// The first ranks of each of these level-0 groups.
  std::vector<int> firstOf(const std::vector<int>& hosts) const {
    std::vector<int> out;
    auto ranks = m_ranks.begin();
    for (const int g : hosts) {
      const auto [begin, end] = m_cluster.groupSpan(0, g);
      for (int p = begin; p < std::min(end, begin + ranks->second); ++p) out.push_back(p);
      ++ranks;
    }
    return out;
  }

  /// As few groups of the level inside as hold the hosts, but two at least, each with as many of them.
  Reading<std::vector<int>> spread(int hosts, int level) const {
    const int perGroup = mostHostsIn(m_cluster, level - 1);
    const int groups = std::max(2, (hosts + perGroup - 1) / perGroup);
    std::vector<int> chosen;
    for (int g = 0; g < m_cluster.groupCount(level) && static_cast<int>(chosen.size()) < hosts; ++g) {
      chosen.clear();
      const auto [begin, end] = m_cluster.groupSpan(level, g);
      int inner = m_cluster.groupOf(level - 1, begin);
      const int last = m_cluster.groupOf(level - 1, end - 1);
      for (int k = 0; k < groups && inner <= last; ++k, ++inner) {
        const int first = m_cluster.groupOf(0, m_cluster.groupSpan(level - 1, inner).first);
        const int share =
            std::min(hostsIn(m_cluster, level - 1, inner), hosts / groups + (k < hosts % groups ? 1 : 0));
        for (int n = 0; n < share; ++n) chosen.push_back(first + n);
      }
    }
    if (static_cast<int>(chosen.size()) < hosts) return tooMany(hosts);
    return {firstOf(chosen), {}};
  }

  const Hierarchy& m_cluster;
  std::map<std::string, int> m_ranks;  ///< by host
  int m_most = 0;
};

}  // namespace

Reading<std::vector<int>> placeRanks(const Hierarchy& cluster, const CollectiveTimes& times,
                                     std::optional<int> level) {
  return RankPlacer(cluster, times).place(level);
}

Hierarchy asMeasured(const Hierarchy& bare, Assumptions assumptions) {
  assumptions.flatExchange = 0;
  return asProgramUses(bare, assumptions);
}

Diagnostic badFit(std::string message, std::string remedy, const char* code) {
  return error(code, {"", 0, 0, "/cluster/network"}, std::move(message), std::move(remedy));
}

}  // namespace nest
