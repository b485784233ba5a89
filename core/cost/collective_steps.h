#pragma once

#include <optional>
#include <vector>

#include "cost/group_shape.h"
#include "model/profile.h"
#include "units/quantity.h"

/// The steps of one run of an exchange, one after the other: what collectiveTime() and transferTime() price,
/// taken apart (STATEMENT.md §4).
namespace nest {

/// What a rank does in a step.
enum class StepMove {
  Halving,   ///< of a reduce-scatter: sends half of what it still holds
  Doubling,  ///< of an all-gather: sends all it has, so that both have twice as much
  Hop,       ///< sends to its successor in a ring
  Pairwise,  ///< sends to one peer its share
  Send,      ///< sends to a partner in another stage
};

/// Equal rounds, one after the other, at one level.
struct CollectiveStep {
  StepMove move = StepMove::Send;
  int level = 0;
  int parties = 2;  ///< of halving and doubling: groups of the level below that take part
  int round = 1;    ///< of halving: 1 first; doubling counts the same rounds backwards
  int rounds = 1;
  Bytes bytes;      ///< that a rank sends in one round
  Seconds latency;  ///< of one round
  Seconds wire;     ///< of one round: bytes ÷ bandwidth

  Seconds latencies() const { return rounds * latency; }
  Seconds wires() const { return rounds * wire; }
  Seconds time() const { return latencies() + wires(); }
};

struct CollectiveRun {
  std::optional<CollectiveKind> kind;  ///< nullopt: a message between two stages
  int ranks = 2;
  Bytes bytes;  ///< as in Collective; of a message, of one rank
  std::vector<CollectiveStep> steps;
  /// Of what runs by halving and doubling: whether level by level or at the outermost level alone, whichever
  /// is faster, and what the other way takes. Equal where one level is crossed.
  bool levelByLevel = false;
  Seconds otherWay;

  Seconds time() const;  ///< sum of the steps
};

/// `peers` is used for an all-to-all only. The times sum to collectiveTime() within rounding; nothing is
/// sent, no steps.
CollectiveRun collectiveRun(const Hierarchy&, CollectiveKind, Bytes, const GroupShape&,
                            const PeerCounts& peers);
/// `boundaries`: messages of the same size one after the other, `bytes` in all.
CollectiveRun transferRun(const Hierarchy&, int level, Bytes, int boundaries = 1);

/// Outermost level that any of the steps crosses; −1 without steps.
int outermostLevel(const CollectiveRun&);

}  // namespace nest
