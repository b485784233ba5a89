#pragma once

#include <array>

#include "problem/job.h"
#include "units/enum_array.h"
#include "units/quantity.h"

/// What a device of a stage holds, listed once (STATEMENT.md (4.8), (4.9)). The evaluation sums the parts,
/// the explanation opens them, files and pictures name them, and the search takes its bytes per parameter
/// from here.
namespace nest {

/// What fits to this factor fits: sums of the same bytes in another order differ by roundings, and devices
/// that hold exactly what a stage needs do hold it. A difference of two prefix sums of 1,000 layers is off by
/// at most 1,000·u of the larger prefix, which is 1.1e-13 of it, and of a stage that holds a thousandth of
/// the model 1.1e-10. Evaluation and search allow the same.
inline constexpr double kMemoryRounding = 1 + 1e-10;

/// In the order in which they are added up and shown.
enum class MemoryPart { Weights, Gradients, Optimizer, Stash, Workspace, Gathered, Reserve, Headroom };
inline constexpr int kMemoryPartCount = 8;
template <class T>
using PerMemoryPart = EnumArray<MemoryPart, T, kMemoryPartCount>;

struct MemoryPartWords {
  const char* id;       ///< in paths of the explanation: "stash"
  const char* label;    ///< "Activations"
  const char* meaning;  ///< a sentence
};
const MemoryPartWords& wordsOf(MemoryPart);

/// Parameters that one device of a stage holds before ZeRO shards them, and over how many ranks it does.
struct ModelState {
  double dense = 0, expert = 0;
  double denseShards = 1, expertShards = 1;  ///< h·c and h·c/e
  double gathered = 0;                       ///< parameters that ZeRO-3 gathers at once, dense + expert
};

/// Bytes that a device holds for each of its parameters, whole or as one of S shards.
struct BytesPerParameter {
  double bytes = 0;
  bool sharded = false;

  double onDevice(double shards) const { return bytes / (sharded ? shards : 1); }
  Bytes of(const ModelState& s) const {
    return Bytes(sharded ? s.dense * bytes / s.denseShards + s.expert * bytes / s.expertShards
                         : (s.dense + s.expert) * bytes);
  }
};

/// Model state under a ZeRO stage, by what it is kept for.
struct StateBytes {
  BytesPerParameter weights, gradients, optimizer;
  /// Shards that are held in addition to whole weights and gradients (STATEMENT.md (10.10)).
  BytesPerParameter beside;
  /// Of each parameter that is gathered at once: of ZeRO-3's largest layer; where groups are gathered, of the
  /// exchange's buffer, and under ZeRO-3 of the weights beside it (STATEMENT.md (10.10)).
  double gathered = 0;

  static StateBytes of(const OptimizerRegime&, const Assumptions&, int zero);
  /// On a device, of one parameter that so many ranks share; what is gathered apart.
  double onDevice(double shards) const {
    return weights.onDevice(shards) + gradients.onDevice(shards) + optimizer.onDevice(shards) +
           beside.onDevice(shards);
  }
  Bytes gatheredOf(const ModelState& s) const { return Bytes(s.gathered * gathered) + beside.of(s); }
};

/// What the optimizer step reads or writes of each parameter, STATEMENT.md (4.14).
struct StepTraffic {
  const char* symbol;   ///< "g"
  const char* meaning;  ///< "gradient bytes per parameter"
  double bytes = 0;
  double times = 1;
};
struct StepBytes {
  std::array<StepTraffic, 4> parts;
  bool sharded = false;

  static StepBytes of(const OptimizerRegime&, const Assumptions&, int zero);
  BytesPerParameter perParameter() const {
    double sum = 0;
    for (const StepTraffic& p : parts) sum += p.times * p.bytes;
    return {sum, sharded};
  }
};

}  // namespace nest
