#pragma once

#include <array>
#include <limits>
#include <vector>

#include "solver/space/layer_sums.h"
#include "solver/space/search_space.h"

namespace nest::planner {

/// What fits to this factor fits: sums of the same bytes in another order differ by roundings, and devices
/// that hold exactly what a stage needs do hold it. evaluate() allows as much.
inline constexpr double kMemoryRounding = 1 + 1e-10;

/// T = sum · Σ load + max · max load + tail (STATEMENT.md §4).
struct ObjectiveWeights {
  double sum = 1, max = 0;
  double time(double sumLoad, double maxLoad, double tail) const {
    return sum * sumLoad + max * maxLoad + tail;
  }
};
ObjectiveWeights objectiveWeights(Objective, int microbatchCount, int stages, int chunks);

/// What stage i's place decides, for one strategy and layout. Sets are GroupShapes sets.
struct StageSite {
  int levelIn = -1, levelOut = -1;  ///< transfer levels to the neighbours; −1: none
  int tensorSet = 0, contextSet = 0, expertSet = 0;
  int denseSet = 0, expertGradientSet = 0;
  double speed = 1, memory = 0;  ///< slowest, smallest of its devices

  friend bool operator==(const StageSite&, const StageSite&) = default;
};

/// Places one stage of width inner·(c·t) that begins `begin` devices into each block. Levels to neighbours
/// are left out.
StageSite placeStage(GroupShapes&, const Strategy&, const BlockLayout&, int begin);
/// All stages of one strategy.
std::vector<StageSite> placeStages(GroupShapes&, const Strategy&, const BlockLayout&, int stages);

/// How the model's shared parameters fall: the stages that hold `first` and `second`, and the level between
/// them.
struct TiedPlace {
  int firstStage = 0, secondStage = 0;
  int level = 0;
  double share = -1;  ///< parameters exchanged; negative: what the stage's own strategy holds
};

/// Bytes a device holds per parameter, and the step's seconds per parameter, for one sharding.
struct ParameterRates {
  double memory = 0, step = 0;
  static ParameterRates of(const Problem&, int zero, int shards);
};

/// The cost of any stage of one configuration: (b, σ, d, layout, s, z).
class StageCosts {
public:
  struct Context {
    const Problem* problem = nullptr;
    const SearchSpace* space = nullptr;
    const LayerOrder* order = nullptr;
    LayerSums* sums = nullptr;
    GroupShapes* shapes = nullptr;
    int dataDegree = 1, stages = 1, microbatchCount = 1, zero = 0;
    std::optional<int> sharedPolicy;
    double memoryLimit = std::numeric_limits<double>::infinity();  ///< of any device, bytes
    std::optional<TiedPlace> tied;  ///< set if the two layers stand in different stages
  };
  /// One stage between two cuts. Infinite load: nothing fits.
  struct Figures {
    double load = 0;
    double sync = 0, step = 0;
    double memory = 0;  ///< bytes; only by Prepared::with
    int policy = -1;
  };

  StageCosts(const Context&, const std::vector<StageSite>& sites);

  /// The fastest policy that fits. Equal loads: less recompute.
  Figures best(int stage, int from, int to) const;
  /// Load under one policy; infinite if not allowed, not available or too large.
  double load(int stage, int from, int to, int policy) const;
  Figures fixedPart(int stage, int from, int to) const;  ///< sync and step alone
  /// Interleaved: stage i holds parts i, i + s, …; `cuts` bound all parts, the wrap edge crosses `wrapLevel`.
  struct ChunkFigures {
    std::array<double, kRecomputeCount> load{};  ///< per policy; infinite: not allowed or too large
    double sync = 0, step = 0;
    int fastest() const;  ///< policy; −1: none fits
  };
  ChunkFigures chunkFigures(int stage, const std::vector<int>& cuts, int wrapLevel) const;
  double memoryOfChunks(int stage, const std::vector<int>& cuts, int policy) const;
  /// Per stage, the transfers of its two boundaries at least, less the largest overlap.
  const std::vector<double>& leastHops() const { return m_leastHops; }
  double speed(int stage) const { return m_stages[static_cast<std::size_t>(stage)].site.speed; }
  bool equalSpeeds() const { return m_equalSpeeds; }
  const Context& context() const { return m_context; }

  /// Free strategies: a stage whose number and neighbours are known later. `Surroundings` says what they
  /// decide.
  struct Surroundings {
    int inFlight = 1;
    bool copy = false;    ///< holds the copy of shared parameters
    double tiedSync = 0;  ///< seconds of the exchange between the two copies, 0 if there is none
    std::array<bool, kRecomputeCount> policies{};
  };
  /// The policies that fit, with everything but the transfers to the neighbours.
  struct Prepared {
    struct Choice {
      int policy;
      double compute, whole, hidden, memory;
    };
    std::array<Choice, kRecomputeCount> choices;
    int count = 0;
    double sync = 0, step = 0, pipelineOverlap = 0;
    Figures with(double transfers) const;
    Figures under(const Choice&, double transfers) const;
  };
  int addSlot(const StageSite&);  ///< returns its number, to be used as `stage`
  Prepared prepare(int slot, const Surroundings&, int from, int to) const;
  /// The same of interleaved stage `stage`, which holds parts stage, stage + s, …; how many chunks are in
  /// flight follows from them.
  Prepared prepareChunks(int slot, const Surroundings&, int stage, const std::vector<int>& cuts) const;
  double transfer(int level, double bytes) const;  ///< seconds; 0 if the level is −1 or nothing is sent

  bool offers(int stage, int from, int to, int policy) const;    ///< allowed, and available in all layers
  double memory(int stage, int from, int to, int policy) const;  ///< bytes on one device

private:
  struct Stage {
    StageSite site;
    std::vector<const ExchangeSums*> tensor, context, expert;
    std::vector<const GroupRates*> dense, experts;
    std::array<bool, kRecomputeCount> policies{};
    int inFlight = 1;
  };
  struct Shares {
    double dense = 0, expert = 0, largest = 0, fixedMemory = 0, data = 0;
  };
  Shares shares(const Stage&, bool copy, int from, int to) const;
  void addLayers(Shares&, bool copy, int from, int to) const;
  void finish(Shares&, const Stage&) const;
  Shares sharesOfChunks(const Stage&, bool copy, int stage, const std::vector<int>& cuts) const;
  double memoryOfChunks(const Shares&, int stage, const std::vector<int>& cuts, int policy) const;
  Prepared prepareChunks(const Stage&, const Surroundings&, int stage, const std::vector<int>& cuts) const;
  /// `passes`: seconds of the stage's own compute behind which sync may hide.
  Figures fixedPart(const Stage&, const Shares&, double passes, double tiedSync) const;
  double tiedSync(int stage) const;
  double passes(const Stage&, int from, int to) const;
  std::array<double, kExchangeCount> exchanges(const Stage&, const Shares&, int from, int to,
                                               int policy) const;
  double hiddenLoad(double compute, const std::array<double, kExchangeCount>& exchange) const;
  double memory(int inFlight, const Shares&, int from, int to, int policy) const;
  double loadOf(const Stage&, const Shares&, int from, int to, int policy) const;
  bool hasCopy(int stage, int from, int to) const;
  Prepared::Choice choiceOf(int policy, double compute, double bytes,
                            const std::array<double, kExchangeCount>& exchange) const;

  Context m_context;
  std::vector<Stage> m_stages;
  std::vector<double> m_leastHops;
  ParameterRates m_denseRates, m_expertRates;
  double m_weight, m_gradient;
  std::array<double, kExchangeCount> m_overlap;
  double m_syncOverlap;
  bool m_equalSpeeds = true;
};

}  // namespace nest::planner
