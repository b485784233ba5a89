#pragma once

#include "solver/space/search_space.h"
#include "solver/stage/stage_costs.h"
#include "solver/stage/stage_floor.h"

namespace nest::solver {

/// Claim: no plan of (b, σ, d, s, z, v, schedule) takes less time (STATEMENT.md (6.3)).
/// Proof: each layer costs what it costs at its cheapest place. A first stage that does work w leaves
///   (W − w)/(s − 1) or more to some other stage, exposes ρ·w or more of sync and step, and no stage is
///   shorter than the largest layer. The bound is convex and piecewise linear in w: its minimum is at w = 0
///   or where the loads are equal.
/// Cost: O(1) from the totals of LayerSums.
double lowerBound(const StageFloor&, const Target&, int stages);

/// What a relaxed stage adds to T = w_sum·Σ x + w_max·max y + tail, at least (STATEMENT.md (6.9)): its load
/// both times; where a schedule does not fill by load, g and load − g/m.
struct StageFill {
  double x = 0, y = 0;
  friend bool operator==(const StageFill&, const StageFill&) = default;
};

/// Seconds of f and b at least, and of w: at least, or of nothing else than layers.
struct LeastPasses {
  double forward = 0, input = 0, weight = 0;
  bool open = false;  ///< w holds what gradient exchange takes
  /// `work` seconds of compute and transfers, of them `received` in activations.
  template <class P>
  static LeastPasses of(const LayerSums& sums, int zero, const P& parts, double work, double received) {
    const double forward = between(sums.leastForward, parts) + received,
                 weight = between(sums.weightGradient, parts);
    return {forward, work - forward - weight, weight, zero >= 2};
  }
};

/// How relaxed stages count under a target.
struct FillWeights : ObjectiveWeights {
  double share = 1;  ///< y ≥ this × load
  FillWeights(const Problem&, const Target&);
  bool fills() const { return m_filling != nullptr; }  ///< g is known
  /// Of a stage, `data` seconds of gradient exchange beside its passes, of a pipeline without larger y.
  StageFill of(const LeastPasses&, double data, double mostY) const;

private:
  const PipelineSchedule* m_filling = nullptr;
  int m_microbatchCount = 1, m_chunks = 1;
};

/// Claim: where a schedule does not fill by load, the stages that hold the layers before a cut have Σ g of at
///   least this. 0 with ZeRO 2 and 3, and where devices differ.
/// Proof: g of two stages together is at most the sum of their g (STATEMENT.md (6.9)): g is subadditive in
/// the
///   passes.
/// Cost: O(1).
double leastFill(const Problem&, const LayerSums&, const Target&, int zero, int cut);

/// Claim: no fewer stages of a chain hold the layers from each cut on, each on a device with `capacity` and
/// none
///   with a load above `most`.
/// Proof: a stage that fits still fits with fewer layers and fewer stages behind it, so that taking as many
/// layers
///   as fit, from the front of what is left, is never worse than taking fewer.
/// Cost: O(cuts × strategies × policies): both ends of a stage move one way.
std::vector<int> fewestStages(const Problem&, const LayerOrder&, const CutRules&,
                              const std::vector<StageFloor>&, const Target&, double most, double capacity);

/// Claim: of a chain, by cut, so many layers in front of it are like the one before them and send as much, so
/// that
///   relaxed stages that end at it and lie among them cost what those one layer further in front do.
/// Proof: a relaxed stage reads the classes of its layers and the bytes at its two cuts, and nothing else.
/// Cost: O(cuts × strategies).
std::vector<int> layersAlike(const Problem&, const LayerOrder&, const CutRules&,
                             const std::vector<StageFloor>&);

/// What a stage of one chunk holds with so many stages behind it, of a pipeline of `fewest` stages or more.
InFlight leastInFlight(const Target&, int behind, int fewest);

/// A layer of each class of a chain, of a hundred at most.
std::vector<int> layersUnlike(const LayerGraph&);

/// A stage of one layer, with one microbatch in flight under the policy that keeps least.
struct LayerAlone {
  StageSize size;
  double activations = 0;
};
/// Of these layers of a chain those that may hold most under some sharding: no other one is as large in all.
std::vector<LayerAlone> heaviestLayers(const Problem&, const LayerSums&, const std::vector<int>& layers);

/// Claim: some stage of every plan holds at least so many bytes.
/// Proof: some stage holds each of these layers, with one microbatch in flight or more.
/// Cost: O(layers); `layers` has one of each class.
double leastStageMemory(const StageFloor&, const std::vector<LayerAlone>&);

/// Claim: the stages of every plan of (b, σ, d, s, z) hold at least so many bytes, one device of each added
/// up. Proof: every parameter stands in some stage, under the most shards that any h gives; each stage has a
/// reserve. Cost: O(1).
double leastTotalMemory(const Problem&, const StageFloor&, int stages);

}  // namespace nest::solver
