#pragma once

#include "solver/space/search_space.h"
#include "solver/stage/stage_costs.h"
#include "solver/stage/stage_floor.h"

namespace nest::planner {

/// A lower bound on the time of every plan of (b, σ, d, s, z, v, schedule) (STATEMENT.md §6, 1): all work at
/// its cheapest place, spread evenly, the largest layer whole; sync as if the first stage's gradients moved
/// inside the innermost levels first.
///
/// A first stage that does work w leaves (W − w)/(s − 1) to some other one and exposes at least ρ·w of sync
/// and step; T is convex and piecewise linear in w, so its least value stands at w = 0 or where both kinds of
/// load are equal.
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

/// Where a schedule does not fill by load: Σ g of the stages that hold the layers before a cut, at least, as
/// g of several stages together is never more. 0 with ZeRO 2 and 3, and where devices differ.
double leastFill(const Problem&, const LayerSums&, const Target&, int zero, int cut);

/// The fewest stages of a chain that hold the layers from each cut on, each on a device with `capacity` and
/// none with a load above `most`.
std::vector<int> fewestStages(const Problem&, const LayerOrder&, const CutRules&,
                              const std::vector<StageFloor>&, const Target&, double most, double capacity);

/// Of a chain, by cut: so many layers in front of it are like the one before them, and send as much. Relaxed
/// stages that end at it and lie among them cost what those one layer further in front do.
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

/// Bytes that the stages of these layers hold at least; of the stage that holds most.
double leastStageMemory(const StageFloor&, const std::vector<LayerAlone>&);

/// Bytes that the stages of every plan of (b, σ, d, s, z) hold together on one device each, at least.
double leastTotalMemory(const Problem&, const StageFloor&, int stages);

}  // namespace nest::planner
