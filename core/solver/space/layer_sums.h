#pragma once

#include <array>
#include <limits>
#include <memory>
#include <unordered_map>
#include <vector>

#include "problem/problem.h"
#include "solver/space/group_shapes.h"
#include "solver/space/layer_order.h"

namespace nest::solver {

/// Exchange seconds of the layers of a cut, per recompute policy, in groups of one shape.
struct ExchangeSums {
  PerRecompute<std::vector<double>> upTo;  ///< per cut
  std::vector<double> forward;             ///< per cut: the part in the forward pass

  double between(int policy, int from, int to) const {
    const auto& s = upTo[policy];
    return s[to] - s[from];
  }
};

/// The time in the slowest of the groups that share a stage, seconds.
inline double slowest(const std::vector<const ExchangeSums*>& tables, int policy, int from, int to) {
  double most = 0;
  for (const auto* t : tables) {
    const double time = t->between(policy, from, to);
    most = time > most ? time : most;
  }
  return most;
}

/// Lower bounds on the seconds of a layer at any place: compute at the best speed, exchanges in the cheapest
/// groups less the largest overlap.
struct LeastLayer {
  PerRecompute<double> seconds{};
  double forward = 0;                                        ///< the part in the forward pass
  double fastest = std::numeric_limits<double>::infinity();  ///< under any policy; infinite if none is usable
};
/// Those of one (microbatch size, strategy).
struct LeastLayers {
  int width = 1;
  std::vector<LeastLayer> ofClass;

  /// Quick, because it needs no sums. The parameters are those of the constructor of LayerSums.
  static LeastLayers of(const Problem&, GroupShapes&, int microbatch, int strategy, bool covered);
};

/// Everything about one (microbatch size, strategy) that does not depend on where its stages stand: sums over
/// the layers of every cut, so that the value of a stage is a difference of two. Seconds, bytes, and
/// parameters on one device.
class LayerSums {
public:
  /// `microbatch` and `strategy` are indices in the profile. Not usable (see `offered`) if a layer has no
  /// costs.
  /// `covered`: for schedules that hide pipeline and expert exchange behind compute.
  LayerSums(const Problem&, const LayerOrder&, GroupShapes&, int microbatch, int strategy,
            bool covered = false);

  bool offered() const { return m_offered; }  ///< whether every layer is usable
  bool usable(int layer) const { return m_usable[layer] != 0; }
  const Strategy& strategy() const { return m_strategy; }
  int strategyIndex() const { return m_strategyIndex; }
  int microbatchIndex() const { return m_microbatchIndex; }

  std::vector<double> compute, backward;          ///< per cut
  std::vector<double> dense, expert;              ///< per cut: parameters that are trained
  std::vector<double> frozenDense, frozenExpert;  ///< per cut: those that are not; empty: all are
  std::vector<double> forward, weightGradient;    ///< parts of `compute`
  PerRecompute<std::vector<double>> extra, stash;
  PerRecompute<std::vector<int>> missing;  ///< number of layers without the policy
  PerRecompute<RangeMaximum> workspace;
  RangeMaximum largestLayer;          ///< dense + expert parameters of a layer that ZeRO-3 gathers by itself
  std::vector<double> outsideBlocks;  ///< per cut: parameters gathered for the whole step; may be empty
  /// Whether the layer with the second copy of tied parameters is gathered by itself.
  bool tiedGathersAlone = true;
  std::vector<double> boundary;         ///< bytes that cross each cut, one way
  double leastBoundary = 0;             ///< bytes, over the cuts with layers on both sides
  bool noneIsFastest = true;            ///< no stage is slower without recompute than with it
  double leastTransfer = 0;             ///< seconds of any boundary, one way, less the largest overlap
  std::vector<double> layerParameters;  ///< dense + expert, per layer

  LeastLayers leastLayers;
  /// Sums of the least seconds, by recompute policy, then cut: no stage between two cuts takes less than the
  /// difference.
  PerRecompute<std::vector<double>> least;
  std::vector<double> leastAny;            ///< the same with the fastest policy of each layer
  std::vector<double> leastForward;        ///< the part in the forward pass
  ExchangeSums leastTensor, leastContext;  ///< exchanges in it, before overlap
  double mostBackwardShare = 0;            ///< largest share in the compute of a layer
  double slowestLayer = 0;                 ///< largest single layer of leastAny
  /// Parameters of a first stage ≥ this × its leastAny.
  double leastDensePerLoad = 0, leastExpertPerLoad = 0;

  /// The tables for a set of groups, without those that can never be the slowest.
  const std::vector<const ExchangeSums*>& exchange(GroupKind kind, int set);

private:
  ExchangeSums sumsOf(GroupKind kind, const GroupRates&) const;
  void addBounds(const Problem&, GroupShapes&);
  void addLeastTransfer(const Problem&);

  struct Message {
    GroupKind group;
    CollectiveKind kind;
    Phase phase;
    double bytes, times;
  };

  const LayerOrder* m_order;
  GroupShapes* m_shapes;
  bool m_offered = true, m_covered;
  std::vector<char> m_usable;  ///< per layer
  Strategy m_strategy;
  int m_strategyIndex, m_microbatchIndex;
  std::vector<std::vector<Message>> m_messages;  ///< per layer class
  std::vector<int> m_classOf;                    ///< per layer
  std::array<std::unordered_map<int, std::unique_ptr<ExchangeSums>>, 3> m_tables;
  std::array<std::unordered_map<int, std::vector<const ExchangeSums*>>, 3> m_sets;
};

std::vector<Strategy> strategiesOf(const std::vector<LayerSums*>&);

}  // namespace nest::solver
