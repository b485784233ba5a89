#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "units/quantity.h"

/// The one formatter of the program: three significant digits on screen, exact values on request. Zeros at
/// the end go only where the value is exactly what is left: "2 µs" typed, "14.0 s" rounded. Memory in
/// GiB/MiB/KiB, bandwidth in GB/s or Gb/s, time in ns/µs/ms/s/min/h/d chosen by size.
namespace nest::text {

enum class BandwidthUnit { GigabytesPerSecond, GigabitsPerSecond };

std::string number(double value, int significant = 3);  ///< "12.3", "0.00412", "1.20e+09"
std::string count(long long value);                     ///< "16,384"
std::string rate(double value);                         ///< of things per second: "12.3", "1,050,000"
/// 0.412 → "41.2 %"; what is not 0 but less than a hundredth of a percent: "< 0.01 %".
std::string percent(double fraction);
std::string signedPercent(double fraction);  ///< -0.061 → "−6.1 %"
std::string time(Seconds);
std::string precise(Seconds);  ///< "41.662 ms": five digits, where a rounded time opens
std::string memory(Bytes);
std::string bandwidth(BytesPerSecond, BandwidthUnit = BandwidthUnit::GigabytesPerSecond);
std::string flops(FlopsPerSecond);  ///< "989 TFLOP/s"
std::string exact(double value);    ///< shortest text that reads back to the same double

/// Reading accepts a number and a unit, blanks optional: "450GB/s", "400 Gb/s", "2us", "80 GiB", "1.5 ms".
/// A bare number is taken in the unit named. nullopt: not a finite, non-negative quantity of that kind.
struct BandwidthText {
  BytesPerSecond value;
  BandwidthUnit unit = BandwidthUnit::GigabytesPerSecond;
};
std::optional<BandwidthText> readBandwidth(std::string_view,
                                           BandwidthUnit bare = BandwidthUnit::GigabytesPerSecond);
std::optional<Seconds> readTime(std::string_view, Seconds bareUnit = Seconds(1e-6));
std::optional<Bytes> readMemory(std::string_view, Bytes bareUnit = Bytes(1024.0 * 1024.0 * 1024.0));

}  // namespace nest::text
