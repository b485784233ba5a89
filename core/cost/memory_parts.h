#pragma once

#include <array>

#include "problem/job.h"
#include "units/enum_array.h"
#include "units/quantity.h"

/// The parts of a device's memory, listed once (STATEMENT.md (4.8), (4.9)). The evaluation sums them, the
/// explanation breaks them down, files and pictures name them, and the search takes its bytes per parameter
/// from here.
namespace nest {

/// A stage fits if its memory is within the device's by this factor: sums of the same bytes in another order
/// differ by rounding, and a device with exactly the memory that a stage needs is enough. A difference of two
/// prefix sums of 1,000 layers is off by at most 1,000·u of the larger prefix, which is 1.1e-13 of it, and
/// 1.1e-10 of a stage with a thousandth of the model. Evaluation and search use the same factor.
inline constexpr double kMemoryRounding = 1 + 1e-10;

/// In the order in which they are added and shown.
enum class MemoryPart { Weights, Gradients, Optimizer, Stash, Workspace, Gathered, Reserve, Headroom };
inline constexpr int kMemoryPartCount = 8;
template <class T>
using PerMemoryPart = EnumArray<MemoryPart, T, kMemoryPartCount>;

struct MemoryPartWords {
  const char* id;       ///< used in paths of the explanation: "stash"
  const char* label;    ///< "Activations"
  const char* meaning;  ///< one sentence
};
const MemoryPartWords& wordsOf(MemoryPart);

/// The parameters of a stage on one device before ZeRO shards them, and the number of shards.
struct ModelState {
  double dense = 0, expert = 0;
  double denseShards = 1, expertShards = 1;  ///< h·c and h·c/e
  double gathered = 0;                       ///< parameters that ZeRO-3 gathers at once, dense + expert
  double frozenDense = 0, frozenExpert = 0;  ///< parameters that are not trained, of `dense` and `expert`
};

/// Bytes per parameter on a device, either whole or as one of S shards.
struct BytesPerParameter {
  double bytes = 0;
  bool sharded = false;
  bool ofFrozen = false;  ///< frozen parameters have them, too

  double onDevice(double shards) const { return bytes / (sharded ? shards : 1); }
  Bytes of(const ModelState& s) const {
    const double dense = ofFrozen ? s.dense : s.dense - s.frozenDense,
                 expert = ofFrozen ? s.expert : s.expert - s.frozenExpert;
    return Bytes(sharded ? dense * bytes / s.denseShards + expert * bytes / s.expertShards
                         : (dense + expert) * bytes);
  }
};

/// The model state under a ZeRO stage, by purpose.
struct StateBytes {
  BytesPerParameter weights, gradients, optimizer;
  BytesPerParameter host;  ///< optimizer state in the host's memory
  /// Shards stored in addition to whole weights and gradients (STATEMENT.md (10.10)).
  BytesPerParameter beside;
  /// Bytes per parameter that is gathered at once: of ZeRO-3's largest layer; where groups are gathered, of
  /// the exchange's buffer and, under ZeRO-3, of the weights next to it (STATEMENT.md (10.10)).
  double gathered = 0;

  static StateBytes of(const OptimizerRegime&, const Assumptions&, int zero);
  /// Bytes per parameter on a device, if `shards` ranks share it, without gathered parameters.
  double onDevice(double shards) const {
    return weights.onDevice(shards) + gradients.onDevice(shards) + optimizer.onDevice(shards) +
           beside.onDevice(shards);
  }
  Bytes gatheredOf(const ModelState& s) const { return Bytes(s.gathered * gathered) + beside.of(s); }
};

/// What the optimizer step on the device reads or writes for each parameter, STATEMENT.md (4.14).
struct StepTraffic {
  const char* symbol;   ///< "g"
  const char* meaning;  ///< "gradient bytes per parameter"
  double bytes = 0;
  double times = 1;
};
/// What the host updates in its place, for each parameter of the device, STATEMENT.md (10.12).
struct HostStep {
  double share = 0;             ///< of the parameters
  double gradientBytes = 0;     ///< to the host
  double weightBytes = 0;       ///< back
  double updatesPerSecond = 0;  ///< of one device's parameters; 0: not counted
  BytesPerSecond link;          ///< 0: not known, copies are not counted
  bool overlaps = false;

  Seconds toHost() const { return copy(gradientBytes); }
  Seconds fromHost() const { return copy(weightBytes); }
  Seconds update() const { return Seconds(updatesPerSecond > 0 ? share / updatesPerSecond : 0); }

private:
  Seconds copy(double bytes) const { return link.value() > 0 ? Bytes(share * bytes) / link : Seconds(); }
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
/// Seconds of the optimizer step for one parameter on a device. `device` is the part at the device's memory
/// bandwidth, 0 where that is not known (0).
struct StepRate {
  Seconds device;
  HostStep host;
  bool sharded = false;

  static StepRate of(const OptimizerRegime&, const Assumptions&, const DeviceSpec&, int zero);
  Seconds perParameter() const;
  Seconds of(const ModelState& s) const {
    return Seconds(BytesPerParameter{perParameter().value(), sharded}.of(s).value());
  }
};

}  // namespace nest
