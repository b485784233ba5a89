#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "units/text.h"

namespace nest {

/// What a number counts or measures: how it is printed and typed.
enum class Measure { Number, Count, Share, Tokens, Time, Memory, Bandwidth, Rate };

namespace text {

/// "1,024", "35 %", "2 T", "2 µs", "80 GiB", "450 GB/s", "989 TFLOP/s": at most three digits, counts and
/// plain numbers exact.
std::string measured(Measure, double value, BandwidthUnit = BandwidthUnit::GigabytesPerSecond);
/// The same with words for limits: "1 B/s", "1,000,000 GB/s", "1,000 s".
std::string limit(Measure, double value);
/// What people type for it, in SI units. A bare number is a percentage above 1 where a share is asked for; it
/// is in µs, GiB, TFLOP/s or the bandwidth unit named elsewhere. nullopt: it is none.
std::optional<double> readMeasured(Measure, std::string_view,
                                   BandwidthUnit bare = BandwidthUnit::GigabytesPerSecond);
/// An example of what can be typed: "450 GB/s or 400 Gb/s".
const char* exampleOf(Measure);
/// What a file's keys end in: "_bytes_per_s"; empty for what has no unit.
const char* suffixOf(Measure);

}  // namespace text
}  // namespace nest
