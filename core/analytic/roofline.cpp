#include "analytic/roofline.h"

#include <algorithm>
#include <cmath>

namespace nest {
namespace {

double attentionShare(const DeviceSpec& device, const AnalyticOptions& options) {
  const double best = device.attentionEfficiency.value;
  if (options.attentionKernel == AttentionKernel::Latest) return best;
  const double second = device.attentionEfficiencyFlash2.value_or(device.attentionEfficiency).value;
  return options.attentionKernel == AttentionKernel::Flash2 ? second
                                                            : second * options.constants.earlyAttention.value;
}

}  // namespace

Roofline::Roofline(const DeviceSpec& device, NumberFormat format, const AnalyticOptions& options)
    : m_bandwidth(device.memoryBandwidth.value.value() * device.memoryEfficiency.value),
      m_half(device.matrixHalfSize.value),
      m_latency(device.kernelLatency.value.value()),
      m_elementBytes(specOf(format).elementBytes),
      m_keptInputBytes(m_elementBytes),
      m_gatheredBytes(m_elementBytes),
      m_halfLength(options.constants.attentionHalfLength.value),
      m_hostBandwidth(device.hostMemoryBandwidth ? device.hostMemoryBandwidth->value.value() : 0) {
  const AnalyticConstants& constants = options.constants;
  const auto grouped = [this](double half) { return half > 0 ? half : m_half; };
  m_groupedHalf = grouped(constants.groupedHalfSize.value);
  m_groupedGradientHalf = grouped(constants.groupedGradientHalfSize.value);
  m_tile = constants.matrixTile.value;
  m_groupedTile = constants.groupedHalfSize.value > 0 ? m_tile : 0;
  double peak = device.peak.value.value();
  const NumberFormatSpec& spec = specOf(format);
  if (spec.rate == ProductRate::Tf32) peak *= constants.fp32Rate.value;
  peak *= device.sustainedRate.value;
  m_wideRate = peak * device.matrixEfficiency.value;
  m_linearRate = m_wideRate;
  if (const auto narrow = device.narrowPeak(spec.rate)) {
    m_linearRate = narrow->value() * device.sustainedRate.value * device.narrowEfficiency(spec.rate);
    m_expertOverhead = Seconds(constants.fp8ExpertOverhead.value);
    // A program's bytes are those of fp8: what it keeps or gathers in 16 bits stays so, an operand that it
    // casts is written twice, as it is and turned.
    const auto ofFormat = [&](double bytes) {
      return bytes < m_elementBytes ? bytes * spec.operandBytes : bytes;
    };
    m_castBytes = constants.fp8CastTraffic.value + 2 * (spec.operandBytes - 1) + spec.furtherCastBytes;
    m_keptInputBytes = ofFormat(constants.fp8InputBytes.value);
    m_gatheredBytes = ofFormat(constants.fp8GatherBytes.value);
  }
  m_attentionRate = peak * attentionShare(device, options);
}

double Roofline::groupedTiles(double side) const {
  return m_groupedTile > 0 && side > m_groupedTile ? std::ceil(side / m_groupedTile) * m_groupedTile / side
                                                   : 1;
}

Seconds Roofline::atRate(double rate, double m, double n, double k, double count, double extraBytes,
                         const HalfSizes& half, double tiles) const {
  if (m <= 0 || n <= 0 || k <= 0 || count <= 0) return Seconds(0);
  const double share =
      m / (m + half.m) * n / (n + half.n) * k / (k + half.k * std::max(1.0, rate / m_wideRate));
  const double compute = tiles * 2 * m * n * k * count / (rate * share);
  const double bytes = (m * k + k * n + m * n) * m_elementBytes * count + extraBytes;
  return Seconds(std::max({compute, bytes / m_bandwidth, m_latency}));
}

Seconds Roofline::product(double m, double n, double k, double count, double extraBytes) const {
  return atRate(m_linearRate, m, n, k, count, extraBytes, {m_half, m_half, m_half}, 1);
}

Seconds Roofline::groupedProduct(double m, double n, double k, double count) const {
  return atRate(m_linearRate, m, n, k, count, 0, {m_groupedHalf, m_half, m_half}, groupedTiles(n));
}

Seconds Roofline::groupedGradientProduct(double m, double n, double k, double count,
                                         double extraBytes) const {
  return atRate(m_linearRate, m, n, k, count, extraBytes, {m_half, m_half, m_groupedGradientHalf},
                groupedTiles(m) * groupedTiles(n));
}

Seconds Roofline::wideProduct(double m, double n, double k, double count, double extraBytes) const {
  return atRate(m_wideRate, m, n, k, count, extraBytes, {m_half, m_half, m_half}, 1);
}

Seconds Roofline::traffic(double bytes) const {
  return bytes <= 0 ? Seconds(0) : Seconds(std::max(bytes / m_bandwidth, m_latency));
}

Seconds Roofline::attention(double flops, double keys, double headDim) const {
  if (flops <= 0) return Seconds(0);
  // Narrow heads leave part of a tile empty; 128 is the width that the device's figure is quoted for.
  constexpr double kHeadHalf = 16, kUsualHead = 128;
  const double head = headDim / (headDim + kHeadHalf) * (kUsualHead + kHeadHalf) / kUsualHead;
  const double share = keys / (keys + m_halfLength) * std::min(head, 1.0);
  return Seconds(std::max(flops / (m_attentionRate * share), m_latency));
}

}  // namespace nest
