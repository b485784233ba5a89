#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cluster/levels/hierarchy.h"
#include "model/profile.h"
#include "solver/space/line_room.h"

namespace nest::solver {
class BoundLedger;

/// What exchanges cost in one group of ranks, as coefficients: every formula of STATEMENT.md §4 is affine in
/// the bytes, or a minimum or maximum of affine ones. Seconds and seconds per byte.
struct GroupRates {
  int ranks = 1;
  int outerLevel = 0;
  double flatLatency = 0, flatPerByte = 0;      ///< reduce-scatter over the outermost level
  double nestedLatency = 0, nestedPerByte = 0;  ///< reduce-scatter level by level
  double ringLatency = 0, ringPerByte = 0;
  std::vector<std::pair<double, double>> allToAll;  ///< per rank (latency, per byte); no pair below another

  double reduceScatter(double bytes) const {
    if (ranks < 2 || !(bytes > 0)) return 0;
    const double flat = flatLatency + flatPerByte * bytes, nested = nestedLatency + nestedPerByte * bytes;
    return flat < nested ? flat : nested;
  }
  double time(CollectiveKind kind, double bytes) const;
  bool atLeast(const GroupRates& other) const;  ///< never cheaper than `other`, whatever the exchange
};

/// An arithmetic family of positions: base + o·outerStride + j·stride + k·innerStride.
struct RankPattern {
  int base = 0;
  int outer = 1, outerStride = 0;
  int count = 1, stride = 1;
  int inner = 1, innerStride = 1;

  friend bool operator==(const RankPattern&, const RankPattern&) = default;
};

/// Shapes of rank groups on one hierarchy, by position, interned and remembered. Equal shapes have equal ids.
/// A set of shapes (the groups of one stage) keeps those that are not everywhere cheaper than another one of
/// it.
///
/// On a regular hierarchy a shape depends on positions modulo the size S of the groups below the outermost
/// level, and long runs repeat with period S / gcd(stride, S); so the cost of a question does not grow with
/// the cluster.
///
/// Places::Any: every group stands where it is cheapest on any line of the cluster (group_places.cpp). What a
/// search finds with that no plan on a line beats, whatever devices it leaves idle.
class GroupShapes {
public:
  enum class Places { InOrder, Any };
  explicit GroupShapes(const Hierarchy& cluster, Places places = Places::InOrder);

  const Hierarchy& cluster() const { return m_cluster; }
  /// Whether it makes no difference where blocks begin.
  bool isRegular() const { return m_period > 0 || m_places == Places::Any; }
  const GroupRates& rates(int shape) const { return m_rates[shape]; }
  const std::vector<int>& set(int id) const { return m_sets[id]; }
  const std::vector<const GroupRates*>& ratesOf(int set) const { return m_setRates[set]; }

  /// The groups {start, start + stride, …} of `ranks` ranks, for start = base + o·outerStride + j·stride + k
  /// with k < inner (starts.innerStride is not read: 1).
  int setOfRuns(const RankPattern& starts, int ranks, int stride);
  /// The groups that hold all positions of `pattern`, shifted by k·jump + q for k < jumps, q < shifts.
  int setOfGroups(RankPattern pattern, int shifts, int jumps = 1, int jump = 0);

  /// The groups that hold all positions of `pattern`, shifted by each sum of one multiple, below its count,
  /// of every stride.
  struct Repeat {
    int count = 1, stride = 0;
  };
  int setOfGroups(RankPattern pattern, std::vector<Repeat> starts);

  /// Seconds per byte of reduce-scatter in one group, latency apart.
  double perByteOf(const RankPattern&);

  /// The largest level between p and p + distance over p = base + o·outerStride + 0…width − 1, o < outer.
  int highestLevelCrossed(int base, int width, int distance, int outer, int outerStride) const;

  /// The largest level between matching ranks of two stages of widths a and b per replica that begin at base
  /// and other: rank ⌊q·a/W⌋ and ⌊q·b/W⌋ of each replica, q < W = max(a, b) (STATEMENT.md §3).
  int reachBetween(int base, int a, int other, int b, int inner, int outer, int outerStride);

  /// No group of `ranks` ranks that keep at least `spacing` positions apart is cheaper than this
  /// (group_rates.cpp proves it).
  GroupRates cheapest(int ranks, int spacing) const;
  double cheapestPerByte(int ranks, int spacing) const;  ///< of it, of reduce-scatter; latency apart
  /// The same of groups {p, p + stride, …}, wherever they begin (STATEMENT.md (6.12)).
  GroupRates cheapestRun(int ranks, int stride);

  /// Places::Any: the set of one shape that is no dearer than any group of the pattern on any line; of those
  /// that no level-`apart` group holds whole, unless that is −1 (group_places.cpp proves it).
  int setAnywhere(const RankPattern&, int apart = -1);
  const LineRoom& room() const { return *m_room; }  ///< Places::Any

  /// Counts cheapestRun() there, and does without it where that says so.
  void countIn(BoundLedger& ledger) { m_ledger = &ledger; }
  long long looked() const { return m_looked; }  ///< at positions, one by one

private:
  struct Key {
    RankPattern pattern;
    int a = 0, b = 0, c = 0;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Hash {
    std::size_t operator()(const Key&) const;
    std::size_t operator()(const std::vector<int>&) const;
  };

  /// Level by level: `visit(level, ranks that a group inside holds, ranks that one of this level holds)`.
  template <class Visit>
  void visitCheapest(int ranks, int spacing, Visit visit) const;
  int shapeOfRun(int start, int ranks, int stride);
  std::vector<int>& runsFrom(int ranks, int stride);
  int shapeOf(const RankPattern&);
  struct Counts {
    std::vector<int> most, fewest;
    int outer = 0;
  };
  Counts countsOf(const RankPattern&);
  int intern(std::vector<int> most, std::vector<int> fewest, int outer, int ranks,
             std::vector<std::pair<double, double>> allToAll);
  GroupRates ratesOf(const std::vector<int>& most, const std::vector<int>& fewest, int outer,
                     int ranks) const;  ///< without all-to-all
  int internSet(std::vector<int> shapes);
  GroupRates cheapestAnywhere(const RankPattern&, int apart) const;
  int reachAnywhere(int base, int a, int other, int b, int inner) const;
  int single();
  std::vector<std::pair<double, double>> allToAllOf(const std::vector<int>& positions) const;
  int reduced(int base) const { return m_period > 0 ? base % m_period : base; }
  /// Shortens a repetition on a regular hierarchy; returns how many repetitions were left out.
  int shorten(int& count, int stride) const;

  const Hierarchy& m_cluster;
  Places m_places = Places::InOrder;
  std::optional<LineRoom> m_room;
  std::map<std::vector<int>, int> m_anywhere;  ///< sets by pattern
  BoundLedger* m_ledger = nullptr;             ///< may be null
  int m_period = 0;                            ///< S; 0: irregular
  long long m_looked = 0;
  std::deque<GroupRates> m_rates;  ///< references stay valid
  std::unordered_map<std::vector<int>, int, Hash> m_shapeIds;
  int m_single = -1;  ///< set of groups of one rank
  std::deque<std::vector<int>> m_sets;
  std::deque<std::vector<const GroupRates*>> m_setRates;
  std::unordered_map<std::vector<int>, int, Hash> m_setIds;
  std::unordered_map<std::vector<int>, int, Hash> m_repeatedSets;
  std::map<std::pair<int, int>, GroupRates> m_cheapestRuns;
  /// Irregular: the shape of the run from each place, by ranks and stride; −1: not asked for yet.
  std::map<std::pair<int, int>, std::vector<int>> m_runsFrom;
  std::unordered_map<Key, int, Hash> m_runs, m_runSets, m_patterns, m_groupSets, m_reaches;
};

}  // namespace nest::solver
