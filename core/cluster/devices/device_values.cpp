#include "cluster/devices/device_values.h"

namespace nest {
namespace {

double toNumber(double v) {
  return v;
}
template <class Unit>
double toNumber(Quantity<Unit> q) {
  return q.value();
}

template <class T>
struct Part;
template <class T>
struct Part<Sourced<T> DeviceSpec::*> {
  using Value = T;
};
template <class T>
struct Part<std::optional<Sourced<T>> DeviceSpec::*> {
  using Value = T;
};

template <auto Member>
DeviceValue figure(const char* key, const char* label, Measure measure, double least, double most,
                   const char* meaning) {
  using Value = typename Part<decltype(Member)>::Value;
  constexpr bool optional = std::is_same_v<decltype(Member), std::optional<Sourced<Value>> DeviceSpec::*>;
  return {key,
          label,
          meaning,
          measure,
          least,
          most,
          optional,
          [](const DeviceSpec& d) -> std::optional<Sourced<double>> {
            if constexpr (optional) {
              if (!(d.*Member)) return std::nullopt;
              return Sourced<double>(toNumber((d.*Member)->value), (d.*Member)->origin,
                                     (d.*Member)->citation);
            } else {
              return Sourced<double>(toNumber((d.*Member).value), (d.*Member).origin, (d.*Member).citation);
            }
          },
          [](DeviceSpec& d, const Sourced<double>& v) {
            d.*Member = Sourced<Value>(Value(v.value), v.origin, v.citation);
          }};
}

}  // namespace

std::optional<FlopsPerSecond> DeviceSpec::narrowPeak(ProductRate rate) const {
  const auto& peakOfRate = rate == ProductRate::Fp4 ? peakFp4 : peakFp8;
  if ((rate != ProductRate::Fp4 && rate != ProductRate::Fp8) || !peakOfRate) return std::nullopt;
  return peakOfRate->value;
}

double DeviceSpec::narrowEfficiency(ProductRate rate) const {
  if (rate == ProductRate::Fp4 && matrixEfficiencyFp4) return matrixEfficiencyFp4->value;
  return matrixEfficiencyFp8.value_or(matrixEfficiency).value;
}

const std::vector<DeviceValue>& deviceValues() {
  constexpr double kMostMemory = 1024.0 * 1024 * 1024 * 1024 * 1024;
  static const std::vector<DeviceValue> all = {
      figure<&DeviceSpec::memory>("memory_bytes", "Device memory", Measure::Memory, 1024, kMostMemory,
                                  "memory of one device"),
      figure<&DeviceSpec::peak>("peak_flops_per_s", "Peak rate", Measure::Rate, 1e6, 1e21,
                                "dense bf16/fp16 matrix rate"),
      figure<&DeviceSpec::peakFp8>("peak_fp8_flops_per_s", "Peak rate, fp8", Measure::Rate, 1e6, 1e21,
                                   "dense fp8 matrix rate"),
      figure<&DeviceSpec::peakFp4>("peak_fp4_flops_per_s", "Peak rate, fp4", Measure::Rate, 1e6, 1e21,
                                   "dense fp4 matrix rate"),
      figure<&DeviceSpec::matrixEfficiency>("matrix_efficiency", "Matrix efficiency", Measure::Share, 1e-3, 1,
                                            "largest share of the peak that a large matrix product reaches"),
      figure<&DeviceSpec::matrixEfficiencyFp8>("matrix_efficiency_fp8", "Matrix efficiency, fp8",
                                               Measure::Share, 1e-3, 1,
                                               "the same of the fp8 rate; without it, as matrix_efficiency"),
      figure<&DeviceSpec::matrixEfficiencyFp4>(
          "matrix_efficiency_fp4", "Matrix efficiency, fp4", Measure::Share, 1e-3, 1,
          "the same of the fp4 rate; without it, as matrix_efficiency_fp8"),
      figure<&DeviceSpec::sustainedRate>(
          "sustained_rate", "Sustained rate", Measure::Share, 1e-3, 1,
          "share of the rates of single kernels that lasts through training steps"),
      figure<&DeviceSpec::matrixHalfSize>(
          "matrix_half_size", "Matrix half size", Measure::Number, 0, 1e6,
          "rows, columns or depth of a product at which half its rate is lost"),
      figure<&DeviceSpec::attentionEfficiency>("attention_efficiency", "Attention efficiency", Measure::Share,
                                               1e-3, 1,
                                               "share of the peak that a fused attention kernel reaches"),
      figure<&DeviceSpec::attentionEfficiencyFlash2>(
          "attention_efficiency_flash_2", "Attention efficiency, FlashAttention-2", Measure::Share, 1e-3, 1,
          "the same of FlashAttention-2; without it, as attention_efficiency"),
      figure<&DeviceSpec::kernelLatency>("kernel_latency_s", "Kernel latency", Measure::Time, 0, 1,
                                         "least time of any kernel"),
      figure<&DeviceSpec::memoryBandwidth>("memory_bandwidth_bytes_per_s", "Memory bandwidth",
                                           Measure::Bandwidth, 1e3, 1e18, "memory bandwidth"),
      figure<&DeviceSpec::memoryEfficiency>("memory_efficiency", "Memory efficiency", Measure::Share, 1e-3, 1,
                                            "share of the memory bandwidth that element-wise work reaches"),
      figure<&DeviceSpec::linkBandwidth>("link_bandwidth_bytes_per_s", "Link bandwidth", Measure::Bandwidth,
                                         1e3, 1e18, "one way, to a partner inside the host"),
      figure<&DeviceSpec::linkLatency>("link_latency_s", "Link latency", Measure::Time, 0, 10,
                                       "latency inside the host"),
      figure<&DeviceSpec::linkEfficiency>("link_efficiency", "Link efficiency", Measure::Share, 1e-3, 1,
                                          "share of the nominal link bandwidths that collectives sustain"),
      figure<&DeviceSpec::hostLinkBandwidth>("host_link_bandwidth_bytes_per_s", "Host link bandwidth",
                                             Measure::Bandwidth, 1e3, 1e18,
                                             "one way per device between hosts"),
      figure<&DeviceSpec::hostMemoryBandwidth>("host_memory_bandwidth_bytes_per_s", "Host memory bandwidth",
                                               Measure::Bandwidth, 1e3, 1e18,
                                               "one way between a device and its host's memory"),
      figure<&DeviceSpec::hostMemory>("host_memory_bytes", "Host memory", Measure::Memory, 1024, kMostMemory,
                                      "memory of a host for each of its devices"),
      figure<&DeviceSpec::crowding>("crowding_s_per_byte", "Crowding", Measure::Number, 0, 1,
                                    "time per byte that each further rank adds to collectives between hosts"),
  };
  return all;
}

}  // namespace nest
