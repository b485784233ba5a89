#include "calibration/link_fit.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "calibration/rank_placement.h"
#include "cluster/levels/scale_up.h"
#include "cost/collective.h"
#include "scenario/program_effects.h"
#include "units/at.h"
#include "units/text.h"

namespace nest {
namespace {

constexpr double kSlowest = 1e6, kFastest = 1e14;  ///< bytes/s
constexpr double kLongest = 0.1;                   ///< latency, s
constexpr int kRounds = 12, kLinkHalvings = 60;
constexpr double kRounding = 1.05;  ///< beyond its line a level may be measured by so much, and gets the line
constexpr double kLow = 0.5;        ///< of its line; less is unusual
constexpr double kRough = 0.25;     ///< of a time: further off, the model does not describe the exchange

std::string listed(const std::set<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
  return out;
}

double rounded(double v, int digits) {
  if (!(v > 0)) return v;
  const int power = digits - 1 - static_cast<int>(std::floor(std::log10(v)));
  return power > 0 ? std::round(v * std::pow(10, power)) / std::pow(10, power)
                   : std::round(v / std::pow(10, -power)) * std::pow(10, -power);
}

/// The benchmark on the cluster under trial figures of one level.
class Trial {
public:
  Trial(const Hierarchy& cluster, const CollectiveTimes& times, const std::vector<int>& ranks)
      : m_cluster(cluster),
        m_kind(times.kind),
        m_shape(shapeOf(cluster, ranks)),
        m_peers(peersOf(cluster, ranks)) {
    for (int l = 0; l < cluster.levelCount(); ++l) m_levels.push_back(cluster.level(l));
  }

  int levelNumber() const { return m_shape.outermost; }
  NetworkLevel& level() { return m_levels[at(m_shape.outermost)]; }
  /// What the level inside has: no level further out has more, or is quicker.
  double most() const {
    return m_shape.outermost == 0
               ? kFastest
               : m_levels[static_cast<std::size_t>(m_shape.outermost) - 1].sustained().value();
  }
  double quickest() const {
    return m_shape.outermost == 0 ? 0
                                  : m_levels[static_cast<std::size_t>(m_shape.outermost) - 1].latency.value();
  }

  Seconds time(Bytes size) const {
    const Hierarchy h = m_cluster.withLevels(m_levels);
    switch (m_kind) {
      case CollectiveTimes::Kind::AllReduce:
        return allReduceTime(h, m_shape, size);
      case CollectiveTimes::Kind::AllGather:
      case CollectiveTimes::Kind::ReduceScatter:
        return gatherTime(h, m_shape, size);
      case CollectiveTimes::Kind::AllToAll:
        return allToAllTime(h, m_peers, size);
      case CollectiveTimes::Kind::SendReceive:
        break;
    }
    return transferTime(h, m_shape.outermost, size);
  }

  /// Sets the bandwidth with which `row` takes as long as it did, as far as `most` allows.
  void fitBandwidth(const CollectiveTimes::Row& row) {
    level().efficiency = 1;
    level().origin = Origin::Measured;
    double low = kSlowest, high = most();
    for (int i = 0; i < kLinkHalvings && high / low > 1 + 1e-12; ++i) {
      const double middle = std::sqrt(low * high);
      level().bandwidth = BytesPerSecond(middle);
      (time(row.size) > row.time ? low : high) = middle;
    }
    level().bandwidth = BytesPerSecond(high);
  }
  void fitLatency(const CollectiveTimes::Row& row) {
    double low = quickest(), high = kLongest;
    for (int i = 0; i < kLinkHalvings; ++i) {
      const double middle = (low + high) / 2;
      level().latency = Seconds(middle);
      (time(row.size) < row.time ? low : high) = middle;
    }
    level().latency = Seconds(low);
  }

  /// To as many digits as a benchmark tells.
  void round() {
    level().bandwidth = BytesPerSecond(rounded(level().bandwidth.value(), 4));
    level().latency = Seconds(rounded(level().latency.value(), 3));
  }

private:
  const Hierarchy& m_cluster;
  CollectiveTimes::Kind m_kind;
  GroupShape m_shape;
  PeerCounts m_peers;
  std::vector<NetworkLevel> m_levels;
};

/// How far the model is from times that it was not fitted on; a sentence, empty where it cannot be said.
std::string comparison(const Hierarchy& bare, const Assumptions& assumptions, const CollectiveTimes& times,
                       std::optional<int> level) {
  const Hierarchy cluster = asMeasured(bare, assumptions);
  const auto ranks = placeRanks(cluster, times, level);
  if (!ranks || ranks.value->size() < 2) return {};
  const Trial trial(cluster, times, *ranks.value);
  const auto off = [&](const CollectiveTimes::Row& r) { return trial.time(r.size) / r.time - 1; };
  const auto [least, most] = std::minmax_element(
      times.rows.begin(), times.rows.end(), [&](const auto& a, const auto& b) { return off(a) < off(b); });
  std::string out =
      std::string(nameOf(times.kind)) + " of the same ranks is not fitted: the model is off by ";
  return out + (times.rows.size() == 1
                    ? text::signedPercent(off(*least))
                    : text::signedPercent(off(*least)) + " (" + text::memory(least->size) + ") to " +
                          text::signedPercent(off(*most)) + " (" + text::memory(most->size) + ')');
}

/// What the line of a level carries for each device: as typed or of the data sheet. Of a level that was
/// measured before, the data sheet's or, if that is more, what was measured.
BytesPerSecond lineOf(const Hierarchy& cluster, int l) {
  const NetworkLevel& level = cluster.level(l);
  const BytesPerSecond own = level.bandwidth * level.oversubscription;
  if (level.origin != Origin::Measured) return own;
  const DeviceSpec& device = cluster.device();
  const bool isScaleUp = l == 0 || own >= kBeyondAdapters;
  return std::max(own, isScaleUp ? device.linkBandwidth.value : device.hostLinkBandwidth.value);
}

/// How the ranks lie in what a level joins: the scale-up domains inside it.
struct Domains {
  int count = 0, ranksOfEach = 0;
};
Domains domainsBelow(const Hierarchy& cluster, int level, const std::vector<int>& ranks) {
  int inner = 0;
  for (int l = 1; l < level; ++l)
    if (cluster.level(l).bandwidth >= kBeyondAdapters) inner = l;
  std::map<int, int> size;
  for (const int p : ranks) ++size[cluster.groupOf(inner, p)];
  int most = 0;
  for (const auto& [group, n] : size) most = std::max(most, n);
  return {static_cast<int>(size.size()), most};
}

/// What each adapter carried. A ring leaves and enters a domain once for each of its channels, so that the
/// adapters together carry the bus bandwidth. An all-reduce of two domains is a tree, which sends less.
std::optional<BytesPerSecond> shareOfRing(const CollectiveTimes& times, const Domains& domains) {
  using Kind = CollectiveTimes::Kind;
  const bool isRing = times.kind == Kind::AllGather || times.kind == Kind::ReduceScatter ||
                      (times.kind == Kind::AllReduce && domains.count > 2);
  const BytesPerSecond bus = times.rows.back().bus;
  if (!isRing || domains.count < 2 || !(bus.value() > 0)) return std::nullopt;
  return bus / domains.ranksOfEach;
}

/// Whether the ranks exchanged more than the links inside a domain carry; a switch that reduces halves what
/// an all-reduce sends.
bool contradictsInside(const Hierarchy& cluster, int level, const CollectiveTimes& times) {
  const double bus = times.rows.back().bus.value();
  const double share = times.kind == CollectiveTimes::Kind::AllReduce ? 0.5 : 1;
  return !(bus > 0) || bus * share > lineOf(cluster, level - 1).value() * kRounding;
}

constexpr const char* kWhatTells =
    "measure sendrecv_perf or alltoall_perf over the same hosts, which load each line as the model does";

}  // namespace

Reading<LinkFit> fitLink(const Hierarchy& bare, const Assumptions& assumptions, const CollectiveTimes& times,
                         std::optional<int> level) {
  const Hierarchy cluster = asMeasured(bare, assumptions);
  const auto ranks = placeRanks(cluster, times, level);
  if (!ranks) return {std::nullopt, ranks.diagnostics};
  if (ranks.value->size() < 2)
    return {std::nullopt, {badFit("one rank alone exchanges nothing", "measure with two ranks or more")}};
  Trial trial(cluster, times, *ranks.value);
  const CollectiveTimes::Row &small = times.rows.front(), &large = times.rows.back();
  const bool tellsBandwidth = large.size >= LinkFit::kLarge;
  const bool tellsLatency = small.size <= LinkFit::kSmall && (small.size < large.size || !tellsBandwidth);
  if (!tellsBandwidth && !tellsLatency)
    return {std::nullopt,
            {badFit("messages of " + text::memory(small.size) + " to " + text::memory(large.size) +
                        " show neither bandwidth, which takes " + text::memory(LinkFit::kLarge) +
                        " or more, nor latency, which takes " + text::memory(LinkFit::kSmall) + " or less",
                    "measure sizes from 8 B to 8 GiB: -b 8 -e 8G -f 2")}};
  for (int i = 0; i < kRounds; ++i) {
    if (tellsBandwidth) trial.fitBandwidth(large);
    if (tellsLatency) trial.fitLatency(small);
  }
  LinkFit fit;
  fit.level = trial.levelNumber();
  fit.name = trial.level().name;
  fit.largest = large.size;
  fit.smallest = small.size;
  const NetworkLevel& before = cluster.level(fit.level);
  const BytesPerSecond line = lineOf(cluster, fit.level);
  const bool isUnexplained = tellsBandwidth && trial.time(large.size) > large.time * 1.01;
  if (isUnexplained && (fit.level == 0 || contradictsInside(cluster, fit.level, times)))
    return {std::nullopt,
            {badFit(text::memory(large.size) + " took " + text::time(large.time) +
                        ", faster than the levels inside allow: " + text::time(trial.time(large.size)),
                    "measure and set the inner levels first, or correct their bandwidth")}};
  Reading<LinkFit> out;
  const auto warn = [&out](const char* code, std::string message, std::string remedy) {
    out.diagnostics.push_back(
        warning(code, {"", 0, 0, "/cluster/network"}, std::move(message), std::move(remedy)));
  };
  const auto findWorst = [&] {
    fit.worst = 0;
    for (const CollectiveTimes::Row& row : times.rows)
      if (const double off = trial.time(row.size) / row.time - 1; std::abs(off) > std::abs(fit.worst)) {
        fit.worst = off;
        fit.worstAt = row.size;
      }
  };
  const auto set = [&](BytesPerSecond bandwidth, double efficiency, Origin origin) {
    trial.level().bandwidth = bandwidth;
    trial.level().efficiency = efficiency;
    trial.level().origin = origin;
    if (tellsLatency) trial.fitLatency(small);
  };
  const BytesPerSecond needed = trial.level().bandwidth;
  if (tellsBandwidth && (isUnexplained || needed > line * kRounding)) {
    const std::string what = std::string("the ") + nameOf(times.kind) + " of " + text::memory(large.size) +
                             " in " + text::time(large.time) + " needs " +
                             (isUnexplained ? "more than the levels inside carry" : text::bandwidth(needed)) +
                             " on level " + fit.name + ", but its line carries " + text::bandwidth(line) +
                             ": ";
    const auto ring =
        fit.level > 0 ? shareOfRing(times, domainsBelow(cluster, fit.level, *ranks.value)) : std::nullopt;
    const std::string typeFirst = "; if the line carries more, set its bandwidth first (--level " +
                                  std::to_string(fit.level) + "=BANDWIDTH)";
    if (ring && *ring <= line * kRounding) {
      set(std::min(*ring, line), 1, Origin::Measured);
      warn("link-above-line",
           what +
               "NCCL uses the levels side by side; the level gets what each adapter of the ring carried, " +
               text::bandwidth(trial.level().bandwidth) + " of the bus bandwidth of " +
               text::bandwidth(large.bus),
           kWhatTells + typeFirst);
    } else {
      fit.isRefused = true;
      set(before.bandwidth, before.efficiency, before.origin);
      const bool isExchange =
          times.kind == CollectiveTimes::Kind::SendReceive || times.kind == CollectiveTimes::Kind::AllToAll;
      warn("link-above-line",
           what +
               (isExchange ? "one of them is wrong"
                : fit.level > 0
                    ? "NCCL uses the levels side by side, and between two hosts a tree that sends less"
                    : "switches that reduce shorten it") +
               "; the level keeps " + text::bandwidth(before.bandwidth),
           (isExchange      ? std::string("check the bandwidth of the level")
            : fit.level > 0 ? std::string(kWhatTells)
                            : "measure all_gather_perf or sendrecv_perf, which switches do not shorten") +
               typeFirst);
    }
  } else if (tellsBandwidth && needed > line) {
    set(line, 1, Origin::Measured);
  }
  trial.round();
  findWorst();
  if (tellsBandwidth && !fit.isRefused) fit.bandwidth = trial.level().bandwidth;
  if (tellsLatency) fit.latency = trial.level().latency;
  const bool isLow = fit.bandwidth && *fit.bandwidth < line * kLow;
  if (isLow && std::abs(fit.worst) >= kRough) {
    warn("link-fit-useless",
         "this " + std::string(nameOf(times.kind)) + " does not show what level " + fit.name +
             " carries, which stays as it is: with " + text::bandwidth(*fit.bandwidth) + ", " +
             text::percent(*fit.bandwidth / line) + " of the " + text::bandwidth(line) +
             " of its line, the model is still off by " + text::signedPercent(fit.worst) + " at " +
             text::memory(fit.worstAt),
         kWhatTells);
    fit.isRefused = true;
    fit.bandwidth.reset();
    fit.latency.reset();
  } else if (isLow) {
    warn("link-below-line",
         "level " + fit.name + ": " + text::bandwidth(*fit.bandwidth) + " is " +
             text::percent(*fit.bandwidth / line) + " of the " + text::bandwidth(line) +
             " that its line carries",
         "find out why (NCCL_DEBUG=INFO shows the adapters used), or measure sendrecv_perf or alltoall_perf");
  }
  out.value = fit;
  const int perHost = times.ranks() / std::max(1, times.hosts());
  if (times.hosts() > 1 && perHost == 1 && cluster.largestGroupSize(0) > 1)
    out.diagnostics.push_back(warning(
        "link-one-rank", {"", 0, 0, "/cluster/network"},
        "one device of each host was measured; a level's bandwidth is what each device sustains while its "
        "neighbours send too",
        "measure with all devices of the hosts"));
  return out;
}

Diagnostics setLink(ClusterSource& cluster, const LinkFit& fit) {
  auto* levels = std::get_if<LevelsSource>(&cluster.network);
  if (!levels)
    return {badFit(
        "the network is a graph, whose links have bandwidths of their own; measured was " + toText(fit),
        "set these values on the links of that level")};
  LevelSpec& level = levels->levels[at(fit.level)];
  if (fit.latency) level.latency = *fit.latency;
  if (!fit.bandwidth) return {};
  level.bandwidth = *fit.bandwidth;
  level.oversubscription = 1;
  level.origin = Origin::Measured;
  return {};
}

Diagnostics setLinks(ClusterSource& source, const std::vector<int>& excluded, const Assumptions& assumptions,
                     const std::vector<CollectiveTimes>& all, std::optional<int> level,
                     std::vector<std::string>& notes) {
  Diagnostics out;
  const auto take = [&out](Diagnostics more) {
    std::move(more.begin(), more.end(), std::back_inserter(out));
    return !hasErrors(out);
  };
  std::vector<const CollectiveTimes*> fitted;
  std::set<std::string> used, others;
  for (const CollectiveTimes& times : all)
    (otherDevice(times.device, source.device, true).empty() ? used : others).insert(times.device);
  if (!used.empty() && !others.empty())
    out.push_back(note("link-devices", {"", 0, 0, "/cluster/network"},
                       "the times of exchanges between " + listed(others) +
                           " are not used; the scenario has " + source.device.name));
  for (const CollectiveTimes& times : all) {
    std::string other = otherDevice(times.device, source.device, true);
    if (!other.empty() && !used.empty()) continue;
    if (!other.empty())
      return {badFit(std::move(other), "choose the device that was measured, or give the times of this one")};
    const auto cluster = deriveHierarchy(source, excluded);
    if (!cluster) return cluster.diagnostics;
    const std::optional<int> own = all.size() == 1 || times.hosts() > 1 ? level : std::nullopt;
    if (std::any_of(fitted.begin(), fitted.end(), [&](auto* f) { return f->rankHosts == times.rankHosts; })) {
      if (std::string line = comparison(*cluster, assumptions, times, own); !line.empty())
        notes.push_back(std::move(line));
      continue;
    }
    auto fit = fitLink(*cluster, assumptions, times, own);
    if (!take(std::move(fit.diagnostics)) || !take(setLink(source, *fit))) return out;
    for (std::string& line : toldOf(*fit, cluster->level(fit->level), assumptions))
      notes.push_back(std::move(line));
    if (!fit->isRefused) fitted.push_back(&times);
  }
  return out;
}

}  // namespace nest
