#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "solver/space/search_space.h"
#include "solver/stage/stage_parts.h"

namespace nest::solver {

/// T = sum · Σ x_i + max · max y_i + tail (STATEMENT.md §4): x = y = load if a schedule fills by load,
/// otherwise x = g and y = load − g/m (StageCosts::Figures).
struct ObjectiveWeights {
  double sum = 1, max = 0;
  double time(double sumLoad, double maxLoad, double tail) const {
    return sum * sumLoad + max * maxLoad + tail;
  }
};

/// What is minimized: the objective under one schedule.
struct Target {
  ObjectiveWeights weights;
  /// T is at least the time with these weights of the stages' loads. Equal to `weights` if x = y = load.
  ObjectiveWeights bound;
  /// y ≥ share × load, x ≥ 0. 1 if x = y = load.
  double share = 1;
  const PipelineSchedule* filling = nullptr;  ///< computes g; null where g follows from the load
  int microbatchCount = 1, chunks = 1;
  bool covered = false;  ///< the schedule hides pipeline and expert exchange behind compute

  bool byLoad() const { return !filling; }
};
Target targetOf(Objective, const PipelineSchedule&, int microbatchCount, int stages, int chunks);

/// Seconds of transfers from and to the neighbours: all of them, and those of received activations.
struct Transfers {
  double all = 0, forward = 0;
  Transfers(double whole = 0, double activations = 0) : all(whole), forward(activations) {}
};

/// What the place of a stage determines, for one strategy and layout. Sets are those of GroupShapes.
struct StageSite {
  int levelIn = -1, levelOut = -1;  ///< transfer levels to the neighbours; −1 if none
  int tensorSet = 0, contextSet = 0, expertSet = 0;
  int denseSet = 0, expertGradientSet = 0;  ///< groups that share one copy of what is sharded
  int copySet = -1;              ///< groups that hold the same shard; −1 if shards span all replicas
  double speed = 1, memory = 0;  ///< speed of the slowest, bytes of the smallest of its devices

  friend bool operator==(const StageSite&, const StageSite&) = default;
};

/// Places one stage of width inner·(c·t) that begins `begin` devices into each block. The levels to its
/// neighbours are not set.
StageSite placeStage(GroupShapes&, const Strategy&, const BlockLayout&, int begin);
/// Places all stages of a pipeline with one strategy.
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

  int addSlot(const StageSite&);  ///< returns its index
  void reserve(std::size_t count) { m_slots.reserve(count); }
  double speed(int slot) const { return m_slots[slot].site.speed; }
  double memoryLimit(int slot) const { return m_slots[slot].site.memory; }
  const LayerSums& sums() const { return *m_context.sums; }
  const Strategy& strategy() const { return m_context.sums->strategy(); }

  /// What the rest of the pipeline determines.
  struct Surroundings {
    InFlight inFlight;
    int passes = 1;       ///< number of its own microbatches whose passes can hide its sync
    bool copy = false;    ///< whether it has the second copy of shared parameters
    double tiedSync = 0;  ///< seconds of the exchange between the two copies; 0 if there is none
    Policies policies{};
  };
  /// The costs of one stage with its neighbours; the load is infinite if nothing fits. Seconds.
  struct Figures {
    double load = 0;
    double sum = 0, max = 0;  ///< its contribution to Σ x and to max y
    double sync = 0, step = 0;
    double memory = 0;  ///< bytes, all of (4.9)
    int policy = -1;
  };
  /// The policies that fit, with all costs except the transfers to the neighbours. Seconds.
  struct Prepared {
    struct Choice {
      int policy;
      double compute, whole, hidden, memory;
      double forward = 0, forwardHidden = 0;  ///< forward parts of `whole` and `hidden`
    };
    PerRecompute<Choice> choices;
    int count = 0;
    double sync = 0, step = 0, pipelineOverlap = 0;
    const Target* target = nullptr;
    /// Compute of weight gradients, and their reduce-scatter: in total, and the part that may be hidden.
    double weight = 0, scatter = 0, scatterHidden = 0;
    double forward = 0;  ///< compute of the forward pass
    bool byLoad() const { return target->byLoad(); }
    /// The costs under the fastest policy; among equal loads, under the one with less recompute. T is
    /// monotone in x and y, and both in the load, so no other policy is better if the schedule fills by load.
    Figures with(const Transfers&) const;
    Figures under(const Choice&, const Transfers&) const;
  };
  Prepared prepare(int slot, const Surroundings&, Parts parts) const;
  /// Bytes on the smallest device, all of (4.9), under a policy that its layers have; infinite if the hosts
  /// cannot hold their part, whatever devices hold.
  double memory(int slot, const Surroundings&, Parts parts, int policy) const;

private:
  struct Slot {
    StageSite site;
    double kept = 0;  ///< bytes that headroom and allocator reserve on its smallest device
    const std::vector<const ExchangeSums*>*tensor, *context, *expert;
    const std::vector<const GroupRates*>*dense, *experts, *copies = nullptr;
  };
  template <class P>
  StageSize size(const Surroundings&, const P& parts) const;
  template <class P>
  Prepared prepareAs(int slot, const Surroundings&, const P& parts) const;
  double fixedMemory(const StageSize&) const;
  bool fitsHost(const StageSize&) const;
  /// Seconds of the reduce-scatter, and of the all-gather before the forward pass, with each microbatch.
  std::pair<double, double> scatterAndGather(const std::vector<const GroupRates*>&, double trained,
                                             double frozen) const;

  Context m_context;
  std::vector<Slot> m_slots;
  int m_denseShards, m_expertShards;
  ParameterRates m_denseRates, m_expertRates;
  double m_weight, m_gathered, m_gradient, m_reserve;
  PerExchange<double> m_overlap;
  double m_syncOverlap;
  double m_hostMemory = std::numeric_limits<double>::infinity();  ///< for each device, bytes
};

}  // namespace nest::solver
