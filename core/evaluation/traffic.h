#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "cost/group_shape.h"
#include "cost/stage_messages.h"
#include "plan/plan.h"
#include "plan/rank_groups.h"
#include "problem/job.h"
#include "problem/problem.h"

namespace nest {

/// The kinds of exchange to include.
using ExchangeMask = PerExchange<bool>;
inline constexpr ExchangeMask kEveryExchange = {true, true, true, true, true};

/// The bytes that one batch sends from bucket to bucket, where a bucket is a run of positions of the locality
/// order. Cell (row, column) = row · buckets() + column; the row is the sender.
struct TrafficMatrix {
  std::vector<int> starts;         ///< bucket i holds positions [starts[i], starts[i+1])
  std::vector<Bytes> bytes;        ///< per batch, summed over the devices of the row
  std::vector<Seconds> time;       ///< per kind, the longest sending time of any device; summed over kinds
  std::vector<std::int8_t> level;  ///< level that carries most of the bytes; −1 if nothing is sent
  /// Per kind and level, the longest time of any device for sending to one bucket.
  PerExchange<std::array<Seconds, kShapeLevels>> longest{};

  int buckets() const { return static_cast<int>(starts.size()) - 1; }
  std::size_t cell(int row, int column) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(buckets()) +
           static_cast<std::size_t>(column);
  }
};

/// What one device sends to another, per batch.
struct Flow {
  int source = 0, destination = 0;  ///< positions in locality order
  int stage = 0;                    ///< of the sender
  Exchange kind = Exchange::Tensor;
  Bytes bytes;
  double messages = 0;  ///< number of messages, each with one latency
};

/// What a plan sends over the network in one batch, by kind and level, and between any groups of devices.
///
/// In an all-to-all everyone sends to everyone; hop-by-hop exchanges (ring attention) use one ring in
/// locality order. Every other collective runs as the evaluator prices it, STATEMENT.md (4.3): level by
/// level, with rings over the groups inside at each level, one ring through every rank of such a group, each
/// with its part of the bytes, so that all ports are used. A rank sends (n−1)/n of the tensor in total, twice
/// that for an all-reduce. Transfers follow STATEMENT.md §3. Any plan is accepted; one that cannot be placed
/// has no traffic. Immutable; safe to share between threads.
class Traffic {
public:
  Traffic(const Problem& problem, const Plan& plan);

  /// Bytes per batch, summed over all devices.
  Bytes total(Exchange kind, int level) const { return m_totals[kind][level]; }
  Bytes total(Exchange kind) const;
  Bytes total() const;

  /// `starts`: ascending, from 0 to the device count; see evenBuckets and groupBuckets. O(devices +
  /// buckets²).
  /// `level`: only traffic that crosses this level; −1 for all traffic.
  TrafficMatrix matrix(const std::vector<int>& starts, const ExchangeMask& kinds = kEveryExchange,
                       int level = -1) const;
  /// Bytes per batch that each group of the next inner level sends across this level; for level 0, the bytes
  /// sent inside each host. O(devices · expert degree).
  std::vector<Bytes> across(int level, const ExchangeMask& kinds = kEveryExchange) const;

  /// Seconds per batch that each device spends sending across each level, at the level's sustained bandwidth,
  /// with one exchange after the other: [level][device]. O(devices · levels).
  std::vector<std::vector<Seconds>> sendingTimes(const ExchangeMask& kinds = kEveryExchange) const;

  /// Every flow between two different devices. O(devices · expert degree).
  void visitFlows(const std::function<void(const Flow&)>& visit) const;

private:
  /// What the groups of one kind of one stage exchange, per rank and batch: in a ring, everyone to everyone,
  /// or both.
  struct Exchanges {
    int stage = 0;
    Exchange kind = Exchange::Tensor;
    RankGroup group = RankGroup::Tensor;
    double ringBytes = 0, ringMessages = 0;  ///< to the successor
    double pairBytes = 0, pairMessages = 0;  ///< to every other rank
    bool isOneRing = false;  ///< hop by hop around all ranks, so that no part can go another way
  };
  /// What each rank of a stage sends to its partners in another stage, per rank and batch.
  struct Transfer {
    int from = 0, to = 0;
    Exchange kind = Exchange::Pipeline;
    double bytes = 0, messages = 0;
  };
  class Painter;

  void collectGroup(int stage, const GroupMessages&, double microbatches);
  void collectPairs(const std::vector<PairMessages>&, double microbatches);
  void countTotals();

  std::shared_ptr<const Hierarchy> m_cluster;
  Plan m_plan;
  std::vector<Exchanges> m_exchanges;
  std::vector<Transfer> m_transfers;
  PerExchange<std::array<Bytes, kShapeLevels>> m_totals{};  ///< per kind and level
};

/// At most `most` buckets of equal size over all devices; the last one may be shorter.
std::vector<int> evenBuckets(const Hierarchy&, int most = 512);
/// Between `least` and `most` buckets of equal size (fewer if there are fewer devices) that follow the
/// groups: their size divides, or is a multiple of, the group size of as many levels as possible. The
/// smallest such size is used.
std::vector<int> bucketsAlongGroups(const Hierarchy&, int least, int most);
/// One bucket per level-l group.
std::vector<int> groupBuckets(const Hierarchy&, int level);

}  // namespace nest
