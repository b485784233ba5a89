#include "cost/collective_steps.h"

#include <algorithm>

#include "cost/collective.h"

namespace nest {
namespace {

/// Appends the rounds of recursive halving at one level. With n parties ⌈log₂ n⌉ rounds send (n − 1)/n of
/// what is held: each half of what the round before sent, the last what is left.
void addHalving(const GatherStep& at, Bytes held, std::vector<CollectiveStep>& out) {
  int rounds = 0;
  for (int joined = 1; joined < at.parties; joined *= 2) ++rounds;
  double left = at.share * held.value(), next = held.value() / 2;
  for (int k = 1; k <= rounds; ++k, next /= 2) {
    const double bytes = k == rounds ? left : next;
    left -= bytes;
    out.push_back({StepMove::Halving, at.level, at.parties, k, 1, Bytes(bytes), at.latency / rounds,
                   Seconds(bytes / at.bandwidth.value())});
  }
}

void addDoubling(const std::vector<CollectiveStep>& scatter, std::vector<CollectiveStep>& out) {
  const std::size_t before = out.size();
  out.insert(out.end(), scatter.rbegin(), scatter.rend());
  for (std::size_t k = before; k < out.size(); ++k) out[k].move = StepMove::Doubling;
}

/// The rounds of a reduce-scatter, in the cheaper of both ways.
std::vector<CollectiveStep> scatterSteps(const Hierarchy& h, const GroupShape& g, Bytes full,
                                         CollectiveRun& run) {
  std::vector<CollectiveStep> out;
  const Seconds flat = flatGatherTime(h, g, full), levels = hierarchicalGatherTime(h, g, full);
  run.levelByLevel = levels < flat;
  run.otherWay = std::max(flat, levels);
  if (run.levelByLevel)
    visitGatherSteps(h, g, full, [&](const GatherStep& step, Bytes held) { addHalving(step, held, out); });
  else
    addHalving(gatherStep(h.level(g.outermost), g.outermost, g.ranks, g.ranks), full, out);
  return out;
}

/// Of the slowest rank: to its peers within each level, one after the other.
std::vector<CollectiveStep> pairwiseSteps(const Hierarchy& h, const PeerCounts& peers, Bytes sent) {
  std::vector<CollectiveStep> slowest;
  Seconds most;
  const Bytes share = sent / peers.ranks;
  for (const auto& within : peers.within) {
    std::vector<CollectiveStep> steps;
    Seconds sum;
    int inside = 1;
    for (int l = 0; l < h.levelCount(); ++l) {
      const int here = within[static_cast<std::size_t>(l)] - inside;
      if (here > 0) {
        steps.push_back(
            {StepMove::Pairwise, l, 2, 1, here, share, h.level(l).latency, share / h.level(l).sustained()});
        sum += steps.back().time();
        inside += here;
      }
    }
    if (sum > most) most = sum, slowest = std::move(steps);
  }
  return slowest;
}

}  // namespace

Seconds CollectiveRun::time() const {
  Seconds sum;
  for (const CollectiveStep& s : steps) sum += s.time();
  return sum;
}

CollectiveRun collectiveRun(const Hierarchy& h, CollectiveKind kind, Bytes bytes, const GroupShape& g,
                            const PeerCounts& peers) {
  CollectiveRun run{kind, kind == CollectiveKind::AllToAll ? peers.ranks : g.ranks, bytes, {}, false, {}};
  if (run.ranks <= 1 || !(bytes > Bytes())) return run;
  switch (kind) {
    case CollectiveKind::AllReduce: {
      const auto scatter = scatterSteps(h, g, bytes, run);
      run.steps = scatter;
      addDoubling(scatter, run.steps);
      run.otherWay = 2 * run.otherWay;
      break;
    }
    case CollectiveKind::AllGather:
      addDoubling(scatterSteps(h, g, bytes, run), run.steps);
      break;
    case CollectiveKind::ReduceScatter:
      run.steps = scatterSteps(h, g, bytes, run);
      break;
    case CollectiveKind::AllToAll:
      run.steps = pairwiseSteps(h, peers, bytes);
      break;
    case CollectiveKind::RingExchange: {
      const NetworkLevel& l = h.level(g.outermost);
      run.steps = {{StepMove::Hop, g.outermost, 2, 1, g.ranks - 1, bytes, l.latency, bytes / l.sustained()}};
      break;
    }
  }
  return run;
}

CollectiveRun transferRun(const Hierarchy& h, int level, Bytes bytes, int boundaries) {
  CollectiveRun run{std::nullopt, 2, bytes, {}, false, {}};
  if (!(bytes > Bytes()) || boundaries < 1) return run;
  const Bytes each = bytes / boundaries;
  run.steps = {{StepMove::Send, level, 2, 1, boundaries, each, h.level(level).latency,
                each / h.level(level).sustained()}};
  return run;
}

int outermostLevel(const CollectiveRun& run) {
  int level = -1;
  for (const CollectiveStep& s : run.steps) level = std::max(level, s.level);
  return level;
}

}  // namespace nest
