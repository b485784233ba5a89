#include "study/moved_state.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "plan/stage_work.h"
#include "study/plan_positions.h"
#include "units/at.h"

namespace nest {
namespace {

/// How one kind of state of one stage is split, and who holds each piece.
struct Split {
  int experts = 1, tensors = 1, zeros = 1;
  std::size_t size() const { return at(experts) * at(tensors) * at(zeros); }
  std::size_t cell(int e, int t, int z) const { return (at(e) * at(tensors) + at(t)) * at(zeros) + at(z); }
};
struct Piece {
  int expert = 0, tensor = 0, zero = 0;
};

enum State { DenseWeights, ExpertWeights, DenseOptimizer, ExpertOptimizer };
constexpr std::array kStates = {DenseWeights, ExpertWeights, DenseOptimizer, ExpertOptimizer};

bool isOfExperts(State s) {
  return s == ExpertWeights || s == ExpertOptimizer;
}
bool isSharded(State s, int zero) {
  return zero >= (s == DenseWeights || s == ExpertWeights ? 3 : 1);
}

Split splitOfState(const Plan& plan, int stage, State state) {
  const Strategy& s = plan.stages[at(stage)].strategy;
  const bool whole = isOfExperts(state) && s.foldedExperts;
  Split out;
  out.tensors = whole ? 1 : s.tensor;
  if (isOfExperts(state)) out.experts = s.expert;
  if (!isSharded(state, plan.zero)) return out;
  const int ranks = plan.shardDegree() * s.context * (whole ? s.tensor : 1);
  out.zeros = std::max(1, isOfExperts(state) ? ranks / s.expert : ranks);
  return out;
}

Piece pieceOf(const Plan& plan, int stage, State state, int replica, int rank) {
  const Strategy& s = plan.stages[at(stage)].strategy;
  const Split split = splitOfState(plan, stage, state);
  const int tensor = rank % s.tensor, context = rank / s.tensor, inRun = replica % plan.shardDegree();
  Piece out;
  if (isOfExperts(state) && s.foldedExperts) {
    const int width = s.width();
    out.expert = (replica * width + rank) % s.expert;
    out.zero = (inRun * width + rank) / s.expert % split.zeros;
    return out;
  }
  out.tensor = tensor;
  if (isOfExperts(state)) out.expert = replica % s.expert;
  out.zero = (isOfExperts(state) ? inRun / s.expert * s.context + context : inRun * s.context + context) %
             split.zeros;
  return out;
}

/// Parts [first, last] of `count` equal ones that overlap part k of n, and the share of the whole that
/// overlaps with one of them.
struct Overlap {
  int first, last;
  int k, n, count;
  Overlap(int part, int parts, int others)
      : first(static_cast<int>(1LL * part * others / parts)),
        last(static_cast<int>((1LL * (part + 1) * others - 1) / parts)),
        k(part),
        n(parts),
        count(others) {}
  double share(int other) const {
    const double begin = std::max(double(k) / n, double(other) / count),
                 end = std::min(double(k + 1) / n, double(other + 1) / count);
    return std::max(0.0, end - begin);
  }
};

/// Parameters of layers that one stage has before and another one after, each once: dense and of experts.
struct SharedLayers {
  double dense = 0, expert = 0;
  double trainedDense = 0, trainedExpert = 0;
};

SharedLayers& operator+=(SharedLayers& a, const SharedLayers& b) {
  a.dense += b.dense, a.expert += b.expert;
  a.trainedDense += b.trainedDense, a.trainedExpert += b.trainedExpert;
  return a;
}

class Moving {
public:
  Moving(const Problem& problem, const Plan& before, const Plan& after, const std::vector<int>& lost)
      : m_problem(problem),
        m_before(before),
        m_after(after),
        m_lost(marked(problem.cluster->deviceCount(), lost)) {
    m_out.overLevel.assign(at(problem.cluster->levelCount()), Bytes());
  }

  MovedState run() {
    const int microbatch = m_problem.profile->microbatchIndex(m_after.microbatch);
    if (microbatch < 0) return m_out;
    const std::vector<int> from = stageOfLayers(m_problem, m_before), to = stageOfLayers(m_problem, m_after);
    std::map<std::pair<int, int>, SharedLayers> shared;
    for (int x = 0; x < m_problem.graph->layerCount(); ++x) {
      if (from[at(x)] < 0 || to[at(x)] < 0) continue;
      const Strategy& s = m_after.stages[at(to[at(x)])].strategy;
      const LayerCost* cost = m_problem.profile->cost(m_problem.graph->layers[at(x)].classId,
                                                      m_problem.profile->strategyIndex(s), microbatch);
      if (!cost) continue;
      const double copies = s.expert * (s.foldedExperts ? 1 : s.tensor);
      shared[{from[at(x)], to[at(x)]}] += {cost->denseParameters * s.tensor, cost->expertParameters * copies,
                                           (cost->denseParameters - cost->frozenDense) * s.tensor,
                                           (cost->expertParameters - cost->frozenExpert) * copies};
    }
    for (const State state : kStates) {
      const auto& regime = m_problem.job.optimizer;
      const bool isWeights = state == DenseWeights || state == ExpertWeights;
      const double bytes = isWeights ? regime.weightBytes : regime.optimizerBytes;
      for (const auto& [stages, layers] : shared) {
        const double parameters = isOfExperts(state) ? (isWeights ? layers.expert : layers.trainedExpert)
                                  : isWeights        ? layers.dense
                                                     : layers.trainedDense;
        if (parameters > 0 && bytes > 0) move(state, stages.first, stages.second, parameters * bytes);
      }
    }
    return m_out;
  }

private:
  /// The healthy devices that hold each piece of a stage, ascending.
  const std::vector<std::vector<int>>& holdersOf(State state, int stage) {
    auto [it, isNew] = m_holders.try_emplace({state, stage});
    if (!isNew) return it->second;
    const Split split = splitOfState(m_before, stage, state);
    it->second.resize(split.size());
    const Placement placement(m_before);
    for (int r = 0; r < placement.replicas(); ++r)
      for (int k = 0; k < placement.ranks(stage); ++k) {
        const int device = placement.device(stage, r, k).value;
        if (m_lost[at(device)]) continue;
        const Piece p = pieceOf(m_before, stage, state, r, k);
        it->second[split.cell(p.expert, p.tensor, p.zero)].push_back(device);
      }
    for (auto& all : it->second) std::sort(all.begin(), all.end());
    return it->second;
  }

  void move(State state, int from, int to, double bytes) {
    const auto& holders = holdersOf(state, from);
    const Split old = splitOfState(m_before, from, state), now = splitOfState(m_after, to, state);
    const Placement placement(m_after);
    for (int r = 0; r < placement.replicas(); ++r)
      for (int k = 0; k < placement.ranks(to); ++k) {
        const Piece p = pieceOf(m_after, to, state, r, k);
        const Overlap experts(p.expert, now.experts, old.experts),
            tensors(p.tensor, now.tensors, old.tensors), zeros(p.zero, now.zeros, old.zeros);
        for (int e = experts.first; e <= experts.last; ++e)
          for (int t = tensors.first; t <= tensors.last; ++t)
            for (int z = zeros.first; z <= zeros.last; ++z)
              bring(placement.device(to, r, k).value, holders[old.cell(e, t, z)],
                    bytes * experts.share(e) * tensors.share(t) * zeros.share(z));
      }
  }

  /// The nearest device in locality order is one of the nearest in the network.
  void bring(int device, const std::vector<int>& holders, double bytes) {
    if (holders.empty()) {
      m_out.fromStore += Bytes(bytes);
      return;
    }
    const auto next = std::lower_bound(holders.begin(), holders.end(), device);
    // A spare stands in the place of a device that is lost, and holds nothing.
    if (next != holders.end() && *next == device) return;
    int level = m_problem.cluster->levelCount() - 1;
    if (next != holders.end()) level = std::min(level, m_problem.cluster->levelBetween(device, *next));
    if (next != holders.begin())
      level = std::min(level, m_problem.cluster->levelBetween(device, *(next - 1)));
    m_out.overLevel[at(level)] += Bytes(bytes);
  }

  const Problem& m_problem;
  const Plan &m_before, &m_after;
  const std::vector<char> m_lost;
  std::map<std::pair<State, int>, std::vector<std::vector<int>>> m_holders;
  MovedState m_out;
};

}  // namespace

Bytes MovedState::all() const {
  Bytes sum = fromStore;
  for (const Bytes b : overLevel) sum += b;
  return sum;
}

MovedState movedBetween(const Problem& problem, const Plan& before, const Plan& after,
                        const std::vector<int>& lost) {
  return Moving(problem, before, after, lost).run();
}

}  // namespace nest
