#pragma once

#include <cstdint>

#include "problem/problem.h"

namespace nest::test {

/// What random instances may contain.
struct InstanceFeatures {
  int mostLayers = 7, mostDevices = 12, mostLevels = 3;
  long long mostPlans = 10000;  ///< of visitPlans(); larger instances are drawn again, smaller
  bool dags = true;             ///< else chains only (with skipping tensors)
  bool irregular = true;
  bool deviceFactors = true;
  bool strategyPerStage = true;
  bool expert = true, context = true;
  bool collectives = true;
  bool tied = true;
  bool overlap = true;
  bool zero = true;
  bool shardGroups = false, foldedExperts = false;
  bool recompute = true;
  bool padding = true;
  bool interleave = true;
  bool nestObjective = true;
  bool constraints = true;
  bool tightMemory = true;
  bool memoryToTheByte = false;  ///< the devices hold exactly what some plan needs
  double alike = 0.3;            ///< chance that layers and strategies differ in nothing but their degrees
  double freeStrategies = 0.3;   ///< chance of a strategy for each stage, if strategyPerStage
  double interleaved = 0.4;      ///< chance of chunks, if interleave
  bool shorterEnds = false;      ///< interleaved instances have 4 to 7 layers, not those that chunks divide
  bool threeStages = false;      ///< interleaved instances often have enough layers for three stages
  /// Figures far from the usual: nothing to compute, to send or to keep, no latency, many orders of magnitude
  /// between layers, between levels and between devices; shared parameters anywhere, of several stages' size.
  bool extremes = false;
  bool schedules = false;  ///< weight gradients told apart, and every schedule often on offer
};

/// Chains, one strategy for all stages, regular or irregular hierarchies, no interleaving, no constraints.
InstanceFeatures uniformStrategyChain();

/// The instance of a seed: the same on every machine. Its search space has between 1 and `mostPlans` plans,
/// many of which do not fit; sometimes none does.
Problem randomInstance(std::uint64_t seed, const InstanceFeatures& = {});

/// One line for a failure message: layers, devices, what is switched on.
std::string describe(const Problem&);

/// A generator that draws the same numbers everywhere.
class Dice {
public:
  explicit Dice(std::uint64_t seed);
  std::uint64_t next();
  double unit() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }  ///< in [0, 1)
  double between(double low, double high) { return low + unit() * (high - low); }
  int between(int low, int high) {  ///< inclusive
    return low + static_cast<int>(next() % static_cast<std::uint64_t>(high - low + 1));
  }
  bool chance(double p) { return unit() < p; }

private:
  std::uint64_t m_state;
};

}  // namespace nest::test
