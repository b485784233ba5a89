#pragma once

#include "analytic/transformer.h"
#include "cluster/devices/device_spec.h"
#include "units/quantity.h"

namespace nest {

/// Time of one kernel on one device: the larger of arithmetic and memory traffic, and never less than a
/// kernel's latency (Williams, Waterman, Patterson 2009).
class Roofline {
public:
  Roofline(const DeviceSpec& device, NumberFormat format, const AnalyticOptions& options);

  /// `count` products of m × k by k × n. Rate: peak · sustainedRate · matrixEfficiency · Π x/(x +
  /// matrixHalfSize) over m, n, k: small dimensions fill tiles, waves and pipelines badly. What a tile's
  /// beginning and end take does not shrink with the rate: in fp8 the half size of the depth k grows by the
  /// rate over that of 16 bits. `extraBytes`: traffic beside reading both and writing the product.
  Seconds product(double m, double n, double k, double count = 1, double extraBytes = 0) const;
  /// As product, of experts one beside the other: m tokens each, or for weight gradients k. Few tokens cost
  /// more of the rate than a single product's rows do (AnalyticConstants::groupedHalfSize); where that has a
  /// value of its own, experts' matrices are computed in whole tiles (AnalyticConstants::matrixTile).
  Seconds groupedProduct(double m, double n, double k, double count) const;
  Seconds groupedGradientProduct(double m, double n, double k, double count, double extraBytes) const;
  /// As product, at the rate of 16-bit formats even where the job computes in fewer (attention, router,
  /// head).
  Seconds wideProduct(double m, double n, double k, double count = 1, double extraBytes = 0) const;
  /// What fp8 products wait for: so many elements of an operand cast, and turned for the product backward. 0
  /// in other formats.
  Seconds cast(double elements) const { return traffic(elements * m_castBytes); }
  /// Element-wise work that moves so many bytes.
  Seconds traffic(double bytes) const;
  /// A fused attention kernel with so many operations over `keys` keys a query and heads of `headDim`.
  Seconds attention(double flops, double keys, double headDim) const;

  /// Least time of a grouped product in fp8: the host issues casts and launches of each expert. 0 in other
  /// formats.
  Seconds expertIssue(double experts) const { return experts * m_expertOverhead; }

  /// Keys that an attention kernel meets for each query of a window: it computes whole tiles.
  double keysOfWindow(double window) const { return window + m_tile; }

  /// What the link to the host's memory takes one way; nothing where its bandwidth is not known.
  Seconds toHost(double bytes) const { return Seconds(m_hostBandwidth > 0 ? bytes / m_hostBandwidth : 0); }

  double elementBytes() const { return m_elementBytes; }
  /// Per element that a product keeps of what it reads.
  double keptInputBytes() const { return m_keptInputBytes; }
  /// Per element that tensor ranks gather for a product in the job's format.
  double gatheredBytes() const { return m_gatheredBytes; }

private:
  struct HalfSizes {
    double m, n, k;
  };
  /// A side of an expert's result in whole tiles ÷ itself; 1 where it is no wider than one.
  double groupedTiles(double side) const;
  Seconds atRate(double rate, double m, double n, double k, double count, double extraBytes, const HalfSizes&,
                 double tiles) const;

  double m_groupedHalf, m_groupedGradientHalf, m_tile, m_groupedTile;
  double m_wideRate, m_linearRate, m_attentionRate, m_bandwidth, m_half, m_latency, m_elementBytes,
      m_keptInputBytes, m_gatheredBytes, m_halfLength, m_hostBandwidth, m_castBytes = 0;
  Seconds m_expertOverhead;
};

}  // namespace nest
