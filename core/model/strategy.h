#pragma once

#include <compare>
#include <string>

#include "units/enum_array.h"

namespace nest {

/// How the layers of a stage are split over the devices of one replica (the sub-graph parallelisms).
/// A replica of a stage occupies context · tensor devices.
struct Strategy {
  int tensor = 1;         ///< t
  bool sequence = false;  ///< Megatron sequence parallelism; needs tensor > 1
  int context = 1;        ///< c
  int expert = 1;         ///< e
  /// t_e = 1: an expert is whole on a rank, and expert groups are neighbouring ranks of the stage; needs
  /// sequence parallelism if tensor > 1. Else t_e = t: they are the same ranks of e neighbouring replicas.
  bool foldedExperts = false;

  int width() const { return tensor * context; }
  int expertTensor() const { return foldedExperts ? 1 : tensor; }  ///< t_e
  /// Ranks of so many neighbouring replicas that form expert groups one with another.
  int expertRanks(int replicas) const { return replicas * (foldedExperts ? width() : 1); }
  bool fitsExperts(int replicas) const { return expertRanks(replicas) % expert == 0; }
  /// Ranks that hold the same expert parameters, of so many replicas.
  int expertShards(int replicas) const { return replicas * (foldedExperts ? width() : context) / expert; }
  friend auto operator<=>(const Strategy&, const Strategy&) = default;
};

std::string toText(
    const Strategy&);  ///< "TP8+SP CP2 EP4 ETP1"; parts that are 1 are left out, "TP1" if all are

/// What a stage keeps for backward and what it computes again. In the order of increasing extra time.
enum class Recompute { None, Selective, Full };
inline constexpr int kRecomputeCount = 3;
template <class T>
using PerRecompute = EnumArray<Recompute, T, kRecomputeCount>;
const char* nameOf(Recompute);

}  // namespace nest
