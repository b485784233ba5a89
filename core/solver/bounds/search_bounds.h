#pragma once

#include "solver/space/search_space.h"
#include "solver/stage/stage_costs.h"
#include "solver/stage/stage_floor.h"

namespace nest::solver {

/// Claim: no plan of (b, σ, d, s, z, v, schedule) takes less time (STATEMENT.md (6.3)).
/// Proof: each layer costs what it costs at its cheapest place. A first stage that does work w leaves at
/// least (W − w)/(s − 1) to some other stage and exposes at least ρ·w of sync and step, and some stage holds
/// the largest layer. The bound is convex and piecewise linear in w, so its minimum is at w = 0 or where the
/// loads are equal.
/// Cost: O(1) from the totals of LayerSums.
double lowerBound(const StageFloor&, const Target&, int stages);

/// Lower bounds on what a relaxed stage adds to T = w_sum·Σ x + w_max·max y + tail (STATEMENT.md (6.9)): its
/// load in both, or g and load − g/m where a schedule does not fill by load.
struct StageFill {
  double x = 0, y = 0;
  friend bool operator==(const StageFill&, const StageFill&) = default;
};

/// Lower bounds on the seconds of a stage's passes f, b and w. If `open`, w is a bound; otherwise it is
/// exact, from the layers alone.
struct LeastPasses {
  double forward = 0, input = 0, weight = 0;
  bool open = false;  ///< w also contains gradient exchange
  /// `work`: seconds of compute and transfers, of which receiving activations takes `received`.
  template <class P>
  static LeastPasses of(const LayerSums& sums, int zero, const P& parts, double work, double received) {
    const double forward = between(sums.leastForward, parts) + received,
                 weight = between(sums.weightGradient, parts);
    return {forward, work - forward - weight, weight, zero >= 2};
  }
};

/// The weights of relaxed stages under a target.
struct FillWeights : ObjectiveWeights {
  double share = 1;  ///< y ≥ this × load
  FillWeights(const Problem&, const Target&);
  bool fills() const { return m_filling != nullptr; }  ///< whether g is used
  /// For a stage with `data` seconds of gradient exchange besides its passes, in a pipeline without a larger
  /// y.
  StageFill of(const LeastPasses&, double data, double mostY) const;

private:
  const PipelineSchedule* m_filling = nullptr;
  int m_microbatchCount = 1, m_chunks = 1;
};

/// Claim: where a schedule does not fill by load, the Σ g of the stages with the layers before a cut is at
/// least this. The result is 0 for ZeRO 2 and 3, and where devices differ.
/// Proof: g is subadditive in the passes (STATEMENT.md (6.9)), so the g of two stages merged is at most the
/// sum of their g.
/// Cost: O(1).
double leastFill(const Problem&, const LayerSums&, const Target&, int zero, int cut);

/// Claim: the layers from each cut of a chain on need at least this many stages, if each fits a device with
/// `capacity` and none has a load above `most`.
/// Proof: a stage that fits still fits with fewer layers and with fewer stages behind it, so taking as many
/// layers as fit, from the front of what is left, is never worse than taking fewer.
/// Cost: O(cuts × strategies × policies), because both ends of a stage move in one direction.
std::vector<int> fewestStages(const Problem&, const LayerOrder&, const CutRules&,
                              const std::vector<StageFloor>&, const Target&, double most, double capacity);

/// Claim: for each cut of a chain, this many layers in front of it are identical to the layer before them and
/// send as much. Relaxed stages that end at the cut and lie among these layers therefore cost as much as the
/// same stages one layer further in front.
/// Proof: a relaxed stage depends only on the classes of its layers and the bytes at its two cuts.
/// Cost: O(cuts × strategies).
std::vector<int> layersAlike(const Problem&, const LayerOrder&, const CutRules&,
                             const std::vector<StageFloor>&);

/// A lower bound on what a stage of one chunk stores with `behind` stages behind it, in a pipeline of at
/// least `fewest` stages.
InFlight leastInFlight(const Target&, int behind, int fewest);

/// One layer of each class of a chain, at most a hundred.
std::vector<int> layersUnlike(const LayerGraph&);

/// A stage of one layer, with one microbatch in flight under the policy that stores least.
struct LayerAlone {
  StageSize size;
  double activations = 0;
};
/// Those of these layers of a chain that may need the most memory under some sharding: no other layer is as
/// large in every respect.
std::vector<LayerAlone> heaviestLayers(const Problem&, const LayerSums&, const std::vector<int>& layers);

/// Claim: some stage of every plan needs at least this many bytes.
/// Proof: some stage holds each of these layers, with at least one microbatch in flight.
/// Cost: O(layers); `layers` has one of each class.
double leastStageMemory(const StageFloor&, const std::vector<LayerAlone>&);

/// Claim: the stages of every plan of (b, σ, d, s, z) need at least this many bytes, counting one device of
/// each.
/// Proof: every parameter is in some stage, divided by at most the most shards that any h gives, and each
/// stage has a reserve.
/// Cost: O(1).
double leastTotalMemory(const Problem&, const StageFloor&, int stages);

}  // namespace nest::solver
