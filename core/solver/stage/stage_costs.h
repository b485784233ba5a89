#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "solver/space/search_space.h"
#include "solver/stage/stage_parts.h"

namespace nest::solver {

/// T = sum · Σ x_i + max · max y_i + tail (STATEMENT.md §4): x = y = load where a schedule fills by load,
/// else x = g and y = load − g/m (StageCosts::Figures).
struct ObjectiveWeights {
  double sum = 1, max = 0;
  double time(double sumLoad, double maxLoad, double tail) const {
    return sum * sumLoad + max * maxLoad + tail;
  }
};

/// What is minimized: the objective under one schedule.
struct Target {
  ObjectiveWeights weights;
  /// T ≥ these weights of the stages' loads. The same where x = y = load.
  ObjectiveWeights bound;
  /// y ≥ this × load, x ≥ 0; 1: x = y = load.
  double share = 1;
  const PipelineSchedule* filling = nullptr;  ///< what gives g where it does not follow from load
  int microbatchCount = 1, chunks = 1;
  bool covered = false;  ///< the schedule hides pipeline and expert exchange behind compute

  bool byLoad() const { return !filling; }
};
Target targetOf(Objective, const PipelineSchedule&, int microbatchCount, int stages, int chunks);

/// Seconds from and to the neighbours: all of it, and the activations that a stage receives.
struct Transfers {
  double all = 0, forward = 0;
  Transfers(double whole = 0, double activations = 0) : all(whole), forward(activations) {}
};

/// What a stage's place decides, for one strategy and layout. Sets are GroupShapes sets.
struct StageSite {
  int levelIn = -1, levelOut = -1;  ///< transfer levels to the neighbours; −1: none
  int tensorSet = 0, contextSet = 0, expertSet = 0;
  int denseSet = 0, expertGradientSet = 0;  ///< that share one copy of what is sharded
  int copySet = -1;                         ///< that hold the same shard; −1: shards span all replicas
  double speed = 1, memory = 0;             ///< slowest, smallest of its devices

  friend bool operator==(const StageSite&, const StageSite&) = default;
};

/// Places one stage of width inner·(c·t) that begins `begin` devices into each block. Levels to neighbours
/// are left out.
StageSite placeStage(GroupShapes&, const Strategy&, const BlockLayout&, int begin);
/// All stages of one strategy.
std::vector<StageSite> placeStages(GroupShapes&, const Strategy&, const BlockLayout&, int stages);

/// The cost of any stage of one (b, σ, d, h, z) at the sites that were added.
class StageCosts {
public:
  struct Context {
    const Problem* problem = nullptr;
    LayerSums* sums = nullptr;
    GroupShapes* shapes = nullptr;
    int shardDegree = 1, zero = 0;                                 ///< h, z
    double memoryLimit = std::numeric_limits<double>::infinity();  ///< of any device, bytes
    Target target;
  };
  explicit StageCosts(const Context&);

  int addSlot(const StageSite&);  ///< returns its number
  void reserve(std::size_t count) { m_slots.reserve(count); }
  double speed(int slot) const { return m_slots[slot].site.speed; }
  double memoryLimit(int slot) const { return m_slots[slot].site.memory; }
  const LayerSums& sums() const { return *m_context.sums; }
  const Strategy& strategy() const { return m_context.sums->strategy(); }

  /// What the rest of the pipeline decides.
  struct Surroundings {
    InFlight inFlight;
    int passes = 1;       ///< of its own microbatches that its sync may hide behind
    bool copy = false;    ///< holds the copy of shared parameters
    double tiedSync = 0;  ///< seconds of the exchange between the two copies, 0 if there is none
    Policies policies{};
  };
  /// One stage with its neighbours. Infinite load: nothing fits.
  struct Figures {
    double load = 0;
    double sum = 0, max = 0;  ///< what Σ x and max y take of it
    double sync = 0, step = 0;
    double memory = 0;  ///< bytes, all of (4.9)
    int policy = -1;
  };
  /// The policies that fit, with everything but the transfers to the neighbours.
  struct Prepared {
    struct Choice {
      int policy;
      double compute, whole, hidden, memory;
      double forward = 0, forwardHidden = 0;  ///< of whole and hidden
    };
    PerRecompute<Choice> choices;
    int count = 0;
    double sync = 0, step = 0, pipelineOverlap = 0;
    const Target* target = nullptr;
    /// Compute of weight gradients, and their reduce-scatter: whole, and what of it may be hidden.
    double weight = 0, scatter = 0, scatterHidden = 0;
    double forward = 0;  ///< compute
    bool byLoad() const { return target->byLoad(); }
    /// The fastest policy; equal loads: less recompute. T grows with x and y, and these with the load: of
    /// schedules that fill by load no other policy is better.
    Figures with(const Transfers&) const;
    Figures under(const Choice&, const Transfers&) const;
  };
  Prepared prepare(int slot, const Surroundings&, Parts parts) const;
  /// Bytes on the smallest device, all of (4.9), under a policy that its layers have.
  double memory(int slot, const Surroundings&, Parts parts, int policy) const;

private:
  struct Slot {
    StageSite site;
    double kept = 0;  ///< bytes that headroom and allocator keep on its smallest device
    const std::vector<const ExchangeSums*>*tensor, *context, *expert;
    const std::vector<const GroupRates*>*dense, *experts, *copies = nullptr;
  };
  template <class P>
  StageSize size(const Surroundings&, const P& parts) const;
  template <class P>
  Prepared prepareAs(int slot, const Surroundings&, const P& parts) const;
  double fixedMemory(const StageSize&) const;
  /// Reduce-scatter, and all-gather before the forward pass, of the message with each microbatch.
  std::pair<double, double> scatterAndGather(const std::vector<const GroupRates*>&, double parameters) const;

  Context m_context;
  std::vector<Slot> m_slots;
  int m_denseShards, m_expertShards;
  ParameterRates m_denseRates, m_expertRates;
  double m_weight, m_gathered, m_gradient, m_reserve;
  PerExchange<double> m_overlap;
  double m_syncOverlap;
};

}  // namespace nest::solver
