#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "solver/space/layer_order.h"
#include "solver/stage/stage_costs.h"

namespace nest::solver {

/// Where the model's shared parameters are: the stages that hold `first` and `second`, and the level between
/// them.
struct TiedPlace {
  int firstStage = 0, secondStage = 0;
  int level = 0;
};

/// What all pipelines of one (b, σ, d, s, z, h) have in common.
struct ChainConfiguration {
  const Problem* problem = nullptr;
  const SearchSpace* space = nullptr;
  const CutRules* rules = nullptr;  ///< rules for the windows of chains; may be null
  const LayerOrder* order = nullptr;
  LayerSums* sums = nullptr;
  GroupShapes* shapes = nullptr;
  const PipelineSchedule* schedule = nullptr;
  int dataDegree = 1, stages = 1, chunks = 1, microbatchCount = 1, zero = 0;
  int shardDegree = 1;                                           ///< h; equal to d if z = 0
  std::optional<int> sharedPolicy;                               ///< the policy of all stages
  double memoryLimit = std::numeric_limits<double>::infinity();  ///< of any device, bytes
  std::optional<TiedPlace> tied;  ///< set if the two layers are in different stages

  Policies policies(int stage) const;
  Target target() const;
  InFlight inFlight(int stage) const { return inFlightOf(*schedule, stage, stages, microbatchCount, chunks); }
};

/// The stages of one pipeline whose strategies and places are given; its cuts are still open.
class ChainCosts {
public:
  /// One strategy for all stages.
  ChainCosts(const ChainConfiguration&, const std::vector<StageSite>&);
  /// A strategy for each stage; `sums`: one per stage. The layout determines the places.
  ChainCosts(const ChainConfiguration&, const std::vector<LayerSums*>& sums, const BlockLayout&);

  const ChainConfiguration& configuration() const { return m_configuration; }
  int stages() const { return m_configuration.stages; }
  /// Everything but the transfers to the neighbours. With chunks, `parts` are those of the stage.
  StageCosts::Prepared prepare(int stage, Parts parts) const;
  /// Seconds from and to the neighbours, with chunks also over the wrap edge.
  Transfers transfers(int stage, Parts parts) const;
  /// The same without chunks, with the neighbours at these levels.
  Transfers transfers(int stage, const Part&, int levelIn, int levelOut) const;
  StageCosts::Figures best(int stage, Parts parts) const {
    return prepare(stage, parts).with(transfers(stage, parts));
  }
  /// Seconds of backward work, behind which the sync of later stages is hidden.
  double backward(int stage, const Part& first) const {
    const Stage& s = m_stages[stage];
    return between(s.sums->backward, first) / s.costs->speed(s.slot);
  }
  double memory(int stage, Parts parts, int policy) const;  ///< bytes on one device
  double capacity(int stage) const;
  bool offers(int stage, Parts parts, int policy) const;  ///< allowed, and available in all layers
  int levelIn(int stage) const { return m_stages[stage].levelIn; }
  int levelOut(int stage) const { return m_stages[stage].levelOut; }
  int width(int stage) const;  ///< devices of one replica
  double speed(int stage) const;
  /// At full speed, over all layers before a cut: the least and the most over the stages' strategies.
  std::pair<double, double> backwardBefore(int cut) const {
    const auto k = static_cast<std::size_t>(cut);
    const double only = m_sums[0]->backward[k];
    return m_mostBackward.empty() ? std::pair(only, only) : std::pair(m_leastBackward[k], m_mostBackward[k]);
  }
  /// Lower bounds per stage on the transfers over its two boundaries, less the largest overlap.
  std::vector<double> leastHops() const;

private:
  struct Stage {
    StageCosts* costs;
    const LayerSums *sums, *before, *behind;  ///< of its own strategy, and of its neighbours'
    int slot, levelIn = -1, levelOut = -1;
    StageCosts::Surroundings around;
  };
  bool holdsCopy(int stage, Parts parts) const;
  void addStage(StageCosts&, LayerSums& sums, const LayerSums& before, const LayerSums& behind,
                const StageSite&);
  void settleTied();
  void boundBackward();

  ChainConfiguration m_configuration;
  std::vector<std::unique_ptr<StageCosts>> m_costs;
  std::vector<Stage> m_stages;
  std::vector<const LayerSums*> m_sums;                 ///< of the distinct strategies
  std::vector<double> m_leastBackward, m_mostBackward;  ///< per cut; empty if there is one strategy
};

}  // namespace nest::solver
