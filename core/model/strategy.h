#pragma once

#include <compare>
#include <string>

namespace nest {

/// How the layers of a stage are split over the devices of one replica (the sub-graph parallelisms).
/// A replica of a stage occupies context · tensor devices; expert groups span neighbouring replicas.
struct Strategy {
  int tensor = 1;         ///< t
  bool sequence = false;  ///< Megatron sequence parallelism; needs tensor > 1
  int context = 1;        ///< c
  int expert = 1;         ///< e; divides d_in

  int width() const { return tensor * context; }
  friend auto operator<=>(const Strategy&, const Strategy&) = default;
};

std::string toText(const Strategy&);  ///< "TP8+SP CP2 EP4"; parts that are 1 are left out, "TP1" if all are

/// What a stage keeps for backward and what it computes again. In the order of increasing extra time.
enum class Recompute { None, Selective, Full };
inline constexpr int kRecomputeCount = 3;
const char* nameOf(Recompute);

}  // namespace nest
