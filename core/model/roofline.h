#pragma once

#include "cluster/device_spec.h"
#include "model/transformer.h"
#include "units/quantity.h"

namespace nest {

/// Time of one kernel on one device: the larger of arithmetic and memory traffic, and never less than a
/// kernel's latency (Williams, Waterman, Patterson 2009).
class Roofline {
public:
  Roofline(const DeviceSpec& device, NumberFormat format, const AnalyticConstants& constants);

  /// `count` products of m × k by k × n. Rate: peak · sustainedRate · matrixEfficiency · Π x/(x +
  /// matrixHalfSize) over m, n, k: small dimensions fill tiles, waves and pipelines badly. `extraBytes`:
  /// traffic beside reading both and writing the product.
  Seconds product(double m, double n, double k, double count = 1, double extraBytes = 0) const;
  /// As product, at the rate of 16-bit formats even where the job computes in fp8 (attention, router, head).
  Seconds wideProduct(double m, double n, double k, double count = 1, double extraBytes = 0) const;
  /// Element-wise work that moves so many bytes.
  Seconds traffic(double bytes) const;
  /// A fused attention kernel with so many operations over `keys` keys a query and heads of `headDim`.
  Seconds attention(double flops, double keys, double headDim) const;

  double elementBytes() const { return m_elementBytes; }

private:
  Seconds atRate(double rate, double m, double n, double k, double count, double extraBytes) const;

  double m_wideRate, m_linearRate, m_attentionRate, m_bandwidth, m_half, m_latency, m_elementBytes,
      m_halfLength;
};

}  // namespace nest
