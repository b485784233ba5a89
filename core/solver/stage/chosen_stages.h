#pragma once

#include <memory>

#include "solver/space/indices.h"
#include "solver/stage/stage_costs.h"

namespace nest::solver {

/// The stages of pipelines that choose their strategies, in one layout on a given number of units (devices
/// per inner replica): where they stand, what they cost, what they share.
class ChosenStages {
public:
  struct Configuration {
    const Problem* problem = nullptr;
    GroupShapes* shapes = nullptr;
    int dataDegree = 1, zero = 0, microbatchCount = 1;
    UnitCount units{1};  ///< of the whole pipeline
    BlockLayout layout;
    Target target;
  };
  /// `sums`: one per strategy that may be used.
  ChosenStages(const Configuration&, const std::vector<LayerSums*>& sums);

  const Configuration& configuration() const { return m_configuration; }
  auto strategies() const { return m_strategies.indices(); }
  int count() const { return m_strategies.size(); }
  const LayerSums& sums(StrategyId k) const { return m_strategies[k].costs->sums(); }
  const Strategy& strategy(StrategyId k) const { return sums(k).strategy(); }
  int width(StrategyId k) const { return m_strategies[k].width; }
  int rank(StrategyId k) const { return m_strategies[k].rank; }  ///< smaller degrees first
  bool shards(StrategyId k) const { return m_configuration.layout.shardDegree() * strategy(k).context > 1; }
  /// Whether its experts can share the replicas of a block.
  bool forms(StrategyId k) const { return m_configuration.layout.holds(strategy(k)); }
  /// The first of the strategies with the same width that send the same bytes at every cut. Other stages
  /// cannot distinguish them, except through shared parameters.
  StrategyId senderOf(StrategyId k) const { return m_strategies[k].sender; }
  const std::vector<StrategyId>& senders() const { return m_senders; }
  const std::vector<int>& alike(StrategyId sender) const { return m_strategies[sender].alike; }
  double slowest() const { return m_slowest; }  ///< speed of the slowest device

  int slot(StrategyId, UnitCount begin);  ///< index in costs(); placed on first use
  const StageCosts& costs(StrategyId k) const { return *m_strategies[k].costs; }
  double speed(StrategyId k, UnitCount begin) { return m_strategies[k].costs->speed(slot(k, begin)); }

  /// The level between two stages of the given widths that begin at these units.
  Level levelBetween(int begin, int width, int other, int otherWidth) const;
  double transfer(Level, double bytes) const;

  double share(StrategyId k) const;  ///< shared parameters on one device; 0 if none are shared
  /// Whether no other stage can distinguish them as holders of shared parameters.
  bool sameHolder(StrategyId a, StrategyId b) const { return width(a) == width(b) && share(a) == share(b); }
  /// Seconds of the exchange between the earlier and the later holder.
  double tiedSeconds(int begin, StrategyId earlier, int later, StrategyId laterStrategy) const;

private:
  void findSenders();
  struct Chosen {
    std::unique_ptr<StageCosts> costs;
    int width = 1, rank = 0;
    StrategyId sender;
    std::vector<int> alike;               ///< of a sender: itself and its equivalents
    IndexedVector<UnitCount, int> slots;  ///< by its first unit; −1 if not placed yet
  };
  Configuration m_configuration;
  struct Strategies : IndexedVector<StrategyId, Chosen> {
  } m_strategies;
  std::vector<StrategyId> m_senders;
  double m_slowest = 1;
};

}  // namespace nest::solver
