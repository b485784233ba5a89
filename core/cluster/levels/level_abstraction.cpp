#include "cluster/levels/level_abstraction.h"

#include <cmath>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "cluster/graph/connected_network.h"
#include "cluster/graph/path_times.h"
#include "cluster/levels/irregularities.h"
#include "cluster/levels/stand_in_host.h"
#include "units/at.h"
#include "units/text.h"

namespace nest {
namespace {

constexpr std::size_t kMostLevels = 5;
constexpr double kBandwidthGap = 1.05, kLatencyGap = 1.2;  ///< ratios below these are no gap
constexpr long long kArcBudget = 3'000'000;  ///< arcs visited for latencies and distortion, about 30 ms
constexpr int kAllPairsUpTo = 128;           ///< devices

/// Groups that differ neither in bandwidth nor in the number of tiers below: the rungs between which levels
/// are cut.
struct Rung {
  double bandwidth = 0;
  int height = 0;
  std::vector<int> groups;
  double latency = 0;
};

class Abstraction {
public:
  Abstraction(const GraphSource& source, const NetworkGraph& whole, const DeviceSpec& device, Fabric fabric,
              Dendrogram dendrogram)
      : m_source(source), m_whole(whole), m_device(device), m_fabric(std::move(fabric)), m_times(m_fabric) {
    m_out.dendrogram = std::move(dendrogram);
  }

  LevelAbstraction run(Diagnostics& diagnostics) {
    for (int d : m_out.dendrogram.order) m_out.deviceNodes.push_back(m_fabric.devices[at(d)]);
    m_position.resize(m_out.deviceNodes.size());
    for (std::size_t i = 0; i < m_out.dendrogram.order.size(); ++i)
      m_position[at(m_out.dendrogram.order[i])] = static_cast<int>(i);
    m_out.input.device = m_device;
    rankGroups();
    measureLatencies();
    chooseLevels();
    fillLevels();
    fillOrder();
    fillIdentities();
    measureDistortion();
    m_out.irregularities = findIrregularities(m_source.graph, m_whole, m_fabric, m_out);
    report(diagnostics);
    return std::move(m_out);
  }

private:
  std::vector<DendrogramNode>& nodes() { return m_out.dendrogram.nodes; }

  void rankGroups() {
    std::vector<int> groups;
    for (std::size_t n = 0; n < nodes().size(); ++n)
      if (nodes()[n].device < 0) groups.push_back(static_cast<int>(n));
    std::stable_sort(groups.begin(), groups.end(),
                     [&](int a, int b) { return nodes()[at(a)].bandwidth > nodes()[at(b)].bandwidth; });
    std::vector<int> band(nodes().size(), -1);
    int bands = 0;
    double first = 0;
    for (int g : groups) {
      if (bands == 0 || nodes()[at(g)].bandwidth * kBandwidthGap < first)
        ++bands, first = nodes()[at(g)].bandwidth;
      band[at(g)] = bands - 1;
    }
    std::map<std::pair<int, int>, Rung> rungs;
    for (std::size_t n = 0; n < nodes().size(); ++n) {
      if (nodes()[n].device >= 0) continue;
      for (int c : nodes()[n].children)
        if (band[at(c)] == band[n])
          nodes()[n].height = std::max(nodes()[n].height, nodes()[at(c)].height + 1);
      Rung& r = rungs[{band[n], nodes()[n].height}];
      r.bandwidth = r.groups.empty() ? nodes()[n].bandwidth : std::min(r.bandwidth, nodes()[n].bandwidth);
      r.height = nodes()[n].height;
      r.groups.push_back(static_cast<int>(n));
    }
    m_rungOf.assign(nodes().size(), -1);
    for (auto& [key, rung] : rungs) {
      for (int g : rung.groups) m_rungOf[at(g)] = static_cast<int>(m_rungs.size());
      m_rungs.push_back(std::move(rung));
    }
  }

  int groupJoining(int a, int b) const {  ///< of two devices; numbers grow towards the root
    const auto& all = m_out.dendrogram.nodes;
    while (a != b) (a < b ? a : b) = all[at(std::min(a, b))].parent;
    return a;
  }

  /// The group that joins `device` with each other node, in one sweep from the root.
  std::vector<int> groupsJoining(int device) const {
    const auto& all = m_out.dendrogram.nodes;
    std::vector<int> out(all.size(), -1);
    for (int g = device; g >= 0; g = all[at(g)].parent) out[at(g)] = g;
    for (std::size_t n = all.size(); n-- > 0;)
      if (out[n] < 0) out[n] = out[at(all[n].parent)];
    return out;
  }

  /// Devices to measure from: all of a small network, else as many as the budget allows, spread over the
  /// order, and one below every rung.
  std::vector<int> sources() const {
    const int n = m_fabric.deviceCount();
    const long long each =
        static_cast<long long>(m_fabric.arcs.size() + 1) * static_cast<long long>(m_times.widths().size());
    const int count =
        n <= kAllPairsUpTo && each * n <= 8 * kArcBudget
            ? n
            : static_cast<int>(std::clamp<long long>(kArcBudget / std::max(1LL, each), 2, std::min(n, 64)));
    std::vector<int> out;
    for (int k = 0; k < count && k < n; ++k)
      out.push_back(m_out.dendrogram.order[at(static_cast<int>(static_cast<long long>(k) * n / count))]);
    if (count >= n) return out;
    std::vector<char> covered(m_rungs.size(), 0);
    const auto cover = [&](int device) {
      for (int g = m_out.dendrogram.nodes[at(device)].parent; g >= 0;
           g = m_out.dendrogram.nodes[at(g)].parent)
        covered[at(m_rungOf[at(g)])] = 1;
    };
    for (int d : out) cover(d);
    for (std::size_t r = 0; r < m_rungs.size() && out.size() < 64; ++r) {
      if (covered[r]) continue;
      int g = m_rungs[r].groups.front();
      while (m_out.dendrogram.nodes[at(g)].device < 0) g = m_out.dendrogram.nodes[at(g)].children.front();
      out.push_back(g);
      cover(g);
    }
    return out;
  }

  void measureLatencies() {
    m_sources = sources();
    for (int from : m_sources) {
      m_times.startAt(m_fabric.devices[at(from)]);
      std::vector<Sample> row;
      const auto joining = groupsJoining(from);
      for (int to = 0; to < m_fabric.deviceCount(); ++to) {
        if (to == from) continue;
        const int g = joining[at(to)];
        const double latency = m_times.latency(m_fabric.devices[at(to)], nodes()[at(g)].width);
        Rung& rung = m_rungs[at(m_rungOf[at(g)])];
        if (std::isfinite(latency)) rung.latency = std::max(rung.latency, latency);
        row.push_back({to, g, latency, m_times.transferSeconds(m_fabric.devices[at(to)], 1e6),
                       m_times.transferSeconds(m_fabric.devices[at(to)], 1e9)});
      }
      m_samples.push_back(std::move(row));
    }
    for (std::size_t r = 1; r < m_rungs.size(); ++r)
      m_rungs[r].latency = std::max(m_rungs[r].latency, m_rungs[r - 1].latency);
  }

  void chooseLevels() {
    std::vector<char> cutBefore(m_rungs.size(), 0);
    if (!m_source.cuts.empty()) {
      auto cuts = m_source.cuts;
      std::sort(cuts.rbegin(), cuts.rend());
      for (std::size_t r = 1; r < m_rungs.size(); ++r)
        cutBefore[r] = std::any_of(cuts.begin(), cuts.end(), [&](double c) {
          return m_rungs[r - 1].bandwidth >= c && m_rungs[r].bandwidth < c;
        });
      m_out.cuts = cuts;
    } else {
      struct Gap {
        bool byBandwidth;
        double ratio;
        std::size_t before;
      };
      std::vector<Gap> gaps;
      for (std::size_t r = 1; r < m_rungs.size(); ++r) {
        const double bandwidth = m_rungs[r - 1].bandwidth / m_rungs[r].bandwidth;
        const double latency = m_rungs[r - 1].latency > 0 ? m_rungs[r].latency / m_rungs[r - 1].latency : 1;
        if (bandwidth >= kBandwidthGap)
          gaps.push_back({true, bandwidth, r});
        else if (latency >= kLatencyGap)
          gaps.push_back({false, latency, r});
      }
      std::stable_sort(gaps.begin(), gaps.end(), [](const Gap& a, const Gap& b) {
        return std::pair(!a.byBandwidth, -a.ratio) < std::pair(!b.byBandwidth, -b.ratio);
      });
      if (gaps.size() > kMostLevels - 1) gaps.resize(kMostLevels - 1);
      for (const Gap& g : gaps) cutBefore[g.before] = 1;
      for (std::size_t r = 1; r < m_rungs.size(); ++r)
        if (cutBefore[r] && m_rungs[r - 1].bandwidth >= kBandwidthGap * m_rungs[r].bandwidth)
          m_out.cuts.push_back(std::sqrt(m_rungs[r - 1].bandwidth * m_rungs[r].bandwidth));
    }
    int level = 0;
    for (std::size_t r = 0; r < m_rungs.size(); ++r) {
      if (cutBefore[r]) ++level;
      for (int g : m_rungs[r].groups) nodes()[at(g)].level = level;
    }
  }

  void fillLevels() {
    auto& levels = m_out.input.levels;
    if (m_rungs.empty()) {
      levels.push_back(
          {"device",
           m_device.linkBandwidth.value.value() > 0 ? m_device.linkBandwidth.value : BytesPerSecond(1e9),
           m_device.linkLatency.value, 1, Origin::Catalog});
      return;
    }
    for (const Rung& r : m_rungs) {
      const auto l = at(nodes()[at(r.groups.front())].level);
      if (l == levels.size())
        levels.push_back({"", BytesPerSecond(r.bandwidth), Seconds(r.latency), 1, originOfLinks()});
      levels[l].bandwidth = std::min(levels[l].bandwidth, BytesPerSecond(r.bandwidth));
      levels[l].latency = std::max(levels[l].latency, Seconds(r.latency));
      for (int g : r.groups)
        levels[l].oversubscription = std::max(levels[l].oversubscription, nodes()[at(g)].oversubscription());
    }
  }

  /// The least certain origin of any link is that of the levels.
  Origin originOfLinks() const {
    Origin origin = Origin::Measured;
    for (const NetworkLink& l : m_source.graph.links) {
      if (l.origin == Origin::Estimated) return Origin::Estimated;
      if (l.origin != Origin::Measured) origin = origin == Origin::Catalog ? origin : l.origin;
    }
    return origin;
  }

  void fillOrder() {
    const auto& order = m_out.dendrogram.order;
    for (std::size_t i = 1; i < order.size(); ++i)
      m_out.input.gaps.push_back(
          static_cast<std::uint8_t>(nodes()[at(groupJoining(order[i - 1], order[i]))].level));
    bool differ = false;
    for (int v : m_out.deviceNodes) {
      const NetworkNode& n = m_source.graph.nodes[at(v)];
      m_out.input.factors.push_back({n.speed, n.memory});
      differ = differ || n.speed != 1 || n.memory.value() > 0;
    }
    if (!differ) m_out.input.factors.clear();
  }

  void fillIdentities() {
    const auto names = hostNames(m_source.graph, m_fabric, m_out);
    const auto ids = hostIds(m_source.graph);
    std::vector<int> inputOf(ids.size(), -1), groupOf(names.size());
    for (std::size_t k = 0; k < names.size(); ++k) {
      inputOf[at(m_out.deviceNodes[k])] = static_cast<int>(k);
      if (k > 0) groupOf[k] = groupOf[k - 1] + (m_out.input.gaps[k - 1] > 0);
    }
    // The level-0 group is the host of devices for which none is drawn, and goes by its level's name.
    const auto nameOf = [&](std::size_t k, const std::string& level) {
      return names[k].empty() ? standInHost(level, groupOf[k]) : names[k];
    };
    // Slots count in the order of the file, failed devices too: the others keep the numbers that they have
    // there.
    std::unordered_map<std::string, int> slots;
    std::vector<int> slot(names.size());
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (m_source.graph.nodes[i].kind != NodeKind::Device) continue;
      const int k = inputOf[i];
      const int number = slots[ids[i].empty() && k >= 0 ? nameOf(at(k), "host") : ids[i]]++;
      if (k >= 0) slot[at(k)] = number;
    }
    for (std::size_t k = 0; k < names.size(); ++k)
      m_out.input.identities.push_back({nameOf(k, "host"), slot[k], static_cast<int>(k)});
    nameLevels(m_out);
    for (std::size_t k = 0; k < names.size(); ++k)
      m_out.input.identities[k].host = nameOf(k, m_out.input.levels.front().name);
    m_out.input.groupNames = namesOfSwitches(m_source.graph, m_out);
  }

  void measureDistortion() {
    Distortion& d = m_out.distortion;
    auto levels = m_out.input.levels;
    for (std::size_t l = 1; l < levels.size(); ++l) {  // as Hierarchy::build clamps them
      levels[l].bandwidth = std::min(levels[l].bandwidth, levels[l - 1].bandwidth);
      levels[l].latency = std::max(levels[l].latency, levels[l - 1].latency);
    }
    double worst = 0;
    for (std::size_t s = 0; s < m_samples.size(); ++s)
      for (const Sample& x : m_samples[s]) {
        const NetworkLevel& level = levels[at(nodes()[at(x.group)].level)];
        const auto ratio = [&](double bytes, double path) {
          const double modelled = level.latency.value() + bytes / level.bandwidth.value();
          return std::isfinite(path) && path > 0 ? std::max(modelled / path, path / modelled) : 1;
        };
        const double small = ratio(1e6, x.megabyte), large = ratio(1e9, x.gigabyte);
        d.atMegabyte = std::max(d.atMegabyte, small);
        d.atGigabyte = std::max(d.atGigabyte, large);
        for (const double bytes : {1e6, 1e9})
          d.whenAllSend =
              std::max(d.whenAllSend, ratio(bytes, x.latency + bytes / nodes()[at(x.group)].bandwidth));
        ++d.pairs;
        if (std::max(small, large) <= worst) continue;
        worst = std::max(small, large);
        d.worstFrom = m_position[at(m_sources[s])];
        d.worstTo = m_position[at(x.to)];
      }
    d.sampled = static_cast<int>(m_sources.size()) < m_fabric.deviceCount() || !m_times.widthsAreComplete();
  }

  void report(Diagnostics& out) const {
    constexpr std::size_t kShown = 20;
    for (std::size_t i = 0; i < std::min(kShown, m_out.irregularities.size()); ++i)
      out.push_back(note("irregular-network", {"", 0, 0, "/cluster/network"}, m_out.irregularities[i]));
    if (m_out.irregularities.size() > kShown)
      out.push_back(note("more-irregularities", {"", 0, 0, "/cluster/network"},
                         std::to_string(m_out.irregularities.size() - kShown) + " further irregularities"));
    // A lone transfer has the shared links to itself; that alone is no fault of the levels.
    if (m_out.distortion.whenAllSend > 2)
      out.push_back(
          note("levels-distort", {"", 0, 0, "/cluster/network"},
               "the levels misjudge transfers by up to " + text::number(m_out.distortion.whenAllSend) +
                   "×, though each counts its share of shared links: groups of one level are unlike",
               "move the cuts of the dendrogram, or check the plan on the network itself"));
  }

  struct Sample {
    int to, group;
    double latency;             ///< of the widest path
    double megabyte, gigabyte;  ///< seconds over the best path, alone
  };

  const GraphSource& m_source;
  const NetworkGraph& m_whole;  ///< with what the source leaves out as cut off
  const DeviceSpec& m_device;
  Fabric m_fabric;
  PathTimes m_times;
  LevelAbstraction m_out;
  std::vector<Rung> m_rungs;
  std::vector<int> m_rungOf;    ///< per dendrogram node
  std::vector<int> m_position;  ///< device number → input number
  std::vector<int> m_sources;
  std::vector<std::vector<Sample>> m_samples;
};

}  // namespace

Reading<LevelAbstraction> abstractLevels(const GraphSource& source, const DeviceSpec& device) {
  Reading<LevelAbstraction> result;
  auto network = connectedNetwork(source.graph, device);
  result.diagnostics = std::move(network.diagnostics);
  for (double c : source.cuts)
    if (!(c > 0) || !std::isfinite(c)) {
      result.diagnostics.push_back(error("cut-not-positive", {"", 0, 0, "/cluster/network/cuts_bytes_per_s"},
                                         "a cut between levels is a positive bandwidth"));
      break;
    }
  if (source.cuts.size() > 7)
    result.diagnostics.push_back(error("too-many-cuts", {"", 0, 0, "/cluster/network/cuts_bytes_per_s"},
                                       "at most 7 cuts (8 levels) are supported", "remove some cuts"));
  if (hasErrors(result.diagnostics)) return result;
  const bool all = network->left.nodes.empty();
  const GraphSource left{std::move(network->left), source.cuts, source.importedFrom};
  result.value = Abstraction(all ? source : left, source.graph, device, std::move(network->fabric),
                             std::move(network->dendrogram))
                     .run(result.diagnostics);
  return result;
}

namespace {

/// The last large network that was turned into levels: edits of all else, and views that ask again, find it
/// here. Comparing takes a hundredth of deriving.
struct Derived {
  GraphSource source;
  BytesPerSecond linkBandwidth;  ///< all of a device that levels depend on
  Seconds linkLatency;
  Reading<HierarchyInput> input;
  std::vector<int> deviceNodes;

  bool isOf(const GraphSource& s, const DeviceSpec& d) const {
    return linkBandwidth == d.linkBandwidth.value && linkLatency == d.linkLatency.value &&
           source.cuts == s.cuts && source.graph == s.graph;
  }
};
constexpr std::size_t kRemembered = 1000;  ///< nodes
std::mutex derivedMutex;
std::shared_ptr<const Derived> lastDerived;

std::shared_ptr<const Derived> known(const GraphSource& source, const DeviceSpec& device) {
  if (source.graph.nodes.size() < kRemembered) return nullptr;
  std::shared_ptr<const Derived> last;
  {
    const std::scoped_lock lock(derivedMutex);
    last = lastDerived;
  }
  return last && last->isOf(source, device) ? last : nullptr;
}

}  // namespace

std::vector<int> devicesInOrder(const GraphSource& source, const DeviceSpec& device) {
  if (const auto last = known(source, device)) return last->deviceNodes;
  std::vector<int> out;
  if (const auto network = connectedNetwork(source.graph, device))
    for (int d : network->dendrogram.order) out.push_back(network->fabric.devices[at(d)]);
  return out;
}

Reading<HierarchyInput> hierarchyFromGraph(const GraphSource& source, const DeviceSpec& device) {
  if (const auto last = known(source, device)) {
    Reading<HierarchyInput> result = last->input;
    if (result) result->device = device;
    return result;
  }
  auto levels = abstractLevels(source, device);
  Reading<HierarchyInput> result;
  result.diagnostics = std::move(levels.diagnostics);
  if (levels) result.value = std::move(levels->input);
  if (levels && source.graph.nodes.size() >= kRemembered) {
    auto derived =
        std::make_shared<const Derived>(Derived{source, device.linkBandwidth.value, device.linkLatency.value,
                                                result, std::move(levels->deviceNodes)});
    const std::scoped_lock lock(derivedMutex);
    lastDerived = std::move(derived);
  }
  return result;
}

}  // namespace nest
