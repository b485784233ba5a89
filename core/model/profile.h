#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "model/layer_graph.h"
#include "model/strategy.h"
#include "units/quantity.h"

namespace nest {

enum class CollectiveKind { AllReduce, AllGather, ReduceScatter, AllToAll, RingExchange };
enum class GroupKind { Tensor, Context, Expert };
enum class Phase { Forward, Backward, RecomputeSelective, RecomputeFull };
const char* nameOf(CollectiveKind);
const char* nameOf(GroupKind);
const char* nameOf(Phase);

/// An exchange inside a layer, per microbatch. `bytes`: the full tensor for all-reduce, all-gather and
/// reduce-scatter; what one rank sends, its own share included, for all-to-all; bytes per hop for a ring.
struct Collective {
  CollectiveKind kind = CollectiveKind::AllReduce;
  GroupKind group = GroupKind::Tensor;
  Phase phase = Phase::Forward;
  Bytes bytes;
  double times = 1;

  friend bool operator==(const Collective&, const Collective&) = default;
};

/// What one recompute policy keeps and costs, per layer, device and microbatch.
struct RecomputeCost {
  bool available = true;
  Bytes stash;            ///< kept from forward until backward
  Seconds extraBackward;  ///< compute done again
  Bytes workspace;        ///< transient: recomputed activations, logits

  friend bool operator==(const RecomputeCost&, const RecomputeCost&) = default;
};

/// One layer under one strategy and microbatch size, on one device (STATEMENT.md §2).
struct LayerCost {
  Seconds forward, backward;
  /// Of backward, the products that make weight gradients; nullopt: not told apart.
  std::optional<Seconds> weightGradient;
  double denseParameters = 0, expertParameters = 0;  ///< parameters (not bytes) held by one device
  double frozenDense = 0, frozenExpert = 0;          ///< those of them that are not trained
  PerRecompute<RecomputeCost> recompute;
  std::vector<Collective> collectives;
  Origin origin = Origin::Estimated;

  /// Half of backward where it is not told apart: one product for the input, one for the weights.
  Seconds weightGradientSeconds() const { return weightGradient.value_or(backward * 0.5); }
  friend bool operator==(const LayerCost&, const LayerCost&) = default;
};

/// Parameters shared by two layers (tied embeddings). `second`'s own LayerCost leaves them out; when the two
/// layers are in different stages, they stand in both and their gradients are summed between the two.
struct TiedParameters {
  LayerIndex first, second;
  std::vector<double> parameters;  ///< per strategy, on one device
  double frozen = 0;               ///< share of them that is not trained

  double trained(std::size_t strategy) const { return parameters[strategy] * (1 - frozen); }
  friend bool operator==(const TiedParameters&, const TiedParameters&) = default;
};

/// Per-layer costs for every strategy and microbatch size on offer.
class Profile {
public:
  Profile() = default;
  Profile(std::vector<Strategy> strategies, std::vector<int> microbatches, int classCount, int tensorCount);

  const std::vector<Strategy>& strategies() const { return m_strategies; }
  const std::vector<int>& microbatches() const { return m_microbatches; }  ///< ascending
  int strategyIndex(const Strategy&) const;                                ///< −1 if not on offer
  int microbatchIndex(int microbatch) const;                               ///< −1 if not on offer

  /// nullptr: this combination is not on offer (not measured, does not divide).
  const LayerCost* cost(int classId, int strategy, int microbatch) const {
    const auto& c = m_costs[slot(classId, strategy, microbatch)];
    return c ? &*c : nullptr;
  }
  void setCost(int classId, int strategy, int microbatch, LayerCost cost) {
    m_costs[slot(classId, strategy, microbatch)] = std::move(cost);
  }
  /// Bytes of a tensor that one rank sends across a stage boundary.
  Bytes tensorBytes(int tensor, int strategy, int microbatch) const {
    return m_tensors[slot(tensor, strategy, microbatch)];
  }
  void setTensorBytes(int tensor, int strategy, int microbatch, Bytes b) {
    m_tensors[slot(tensor, strategy, microbatch)] = b;
  }

  std::optional<TiedParameters> tied;
  /// Operations of a step, of which frozen weights save some and adapters add some, ÷ those of training all.
  double trainedWork = 1;
  std::string provenance;  ///< one sentence for the inspector: measured where and when, or by which model

  friend bool operator==(const Profile&, const Profile&) = default;

private:
  std::size_t slot(int row, int strategy, int microbatch) const {
    return (static_cast<std::size_t>(row) * m_strategies.size() + static_cast<std::size_t>(strategy)) *
               m_microbatches.size() +
           static_cast<std::size_t>(microbatch);
  }

  std::vector<Strategy> m_strategies;
  std::vector<int> m_microbatches;
  std::vector<std::optional<LayerCost>> m_costs;
  std::vector<Bytes> m_tensors;
};

struct GraphAndProfile {
  LayerGraph graph;
  Profile profile;
};

}  // namespace nest
