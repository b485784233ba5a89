#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cluster/devices/number_format.h"
#include "units/sourced.h"

namespace nest {

/// One kind of accelerator: what it can do at best, and what of it is reached. The catalog in
/// resources/devices.json holds the known ones, each figure with its source.
struct DeviceSpec {
  std::string id;                ///< catalog key, e.g. "h100-sxm"; "custom" if typed
  std::string name;              ///< "H100 SXM"
  Sourced<FlopsPerSecond> peak;  ///< dense bf16/fp16 matrix rate, one device
  std::optional<Sourced<FlopsPerSecond>> peakFp8;
  Sourced<double> matrixEfficiency{0.8};  ///< largest share of `peak` that a large matrix product reaches
  std::optional<Sourced<double>> matrixEfficiencyFp8;  ///< the same of `peakFp8`; none: as `matrixEfficiency`
  std::optional<Sourced<FlopsPerSecond>> peakFp4;
  std::optional<Sourced<double>> matrixEfficiencyFp4;  ///< none: as `matrixEfficiencyFp8`
  Sourced<Bytes> memory;
  Sourced<BytesPerSecond> memoryBandwidth;
  Sourced<double> memoryEfficiency{0.8};  ///< share of `memoryBandwidth` that element-wise work reaches
  Sourced<BytesPerSecond> linkBandwidth;  ///< one-way, to a partner inside the host
  Sourced<Seconds> linkLatency{Seconds(2e-6)};
  Sourced<BytesPerSecond> hostLinkBandwidth;  ///< one-way per device between hosts, the usual machine
  /// One-way to the host's memory, of each device while all of a host use it; none: not known.
  std::optional<Sourced<BytesPerSecond>> hostMemoryBandwidth;
  /// What one device may fill of its host's memory: that of the host ÷ its devices; none: not known.
  std::optional<Sourced<Bytes>> hostMemory;
  int usualHostSize = 8;
  bool hasBf16 = true;  ///< false: 16-bit work needs fp16, as on a V100

  // What the analytic profile needs besides (core/analytic/transformer.h).
  /// Share of the rates of single kernels that lasts through training steps: power limits, gaps between
  /// kernels.
  Sourced<double> sustainedRate{0.85};
  Sourced<double> matrixHalfSize{
      96.0};  ///< rows, columns or depth of a product at which half its rate is lost
  Sourced<double> attentionEfficiency{0.5};  ///< share of `peak` that a fused attention kernel reaches
  std::optional<Sourced<double>> attentionEfficiencyFlash2;  ///< the same of FlashAttention-2; none: no less
  Sourced<Seconds> kernelLatency{Seconds(4e-6)};             ///< least time of any kernel
  Sourced<double> linkEfficiency{0.8};  ///< share of the nominal link bandwidths that collectives sustain

  /// Of the network between its hosts, Assumptions::crowding; none: none is known.
  std::optional<Sourced<double>> crowding;

  /// The dense rate of products at that rate; nullopt: the device has none of its own, or it follows from the
  /// 16-bit rate.
  std::optional<FlopsPerSecond> narrowPeak(ProductRate) const;
  /// The largest share of it that a large product reaches.
  double narrowEfficiency(ProductRate) const;

  friend bool operator==(const DeviceSpec&, const DeviceSpec&) = default;
};

}  // namespace nest
