#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "run/run_forecast.h"

namespace nest {

/// The units in which parts of a run are shown.
enum class RunUnit { Share, Days, DeviceHours, Money, Energy };
inline constexpr int kRunUnitCount = 5;
const char* nameOf(RunUnit);  ///< in files: "share", "days", "device-hours", "money", "energy"
std::optional<RunUnit> runUnitNamed(std::string_view);

/// An amount in each unit, by RunUnit: a share of 1, days, device-hours, in the currency of the price, MWh.
/// Absent: a field is missing that the unit needs.
using RunAmounts = std::array<std::optional<double>, kRunUnitCount>;

/// A part of a run that takes `whole`, on a plan of so many devices. Without training tokens only its share
/// is known.
RunAmounts amountsOf(const Problem&, const RunForecast&, int devices, Seconds part, Seconds whole);
/// Keys of the fields that amounts in this unit need and that are not given.
std::vector<std::string> missingForUnit(const Problem&, RunUnit);

/// What the calendar time of a run goes to. The parts add up to the whole.
enum class RunPart { Useful, Checkpoints, LostWork, Restarts };
inline constexpr int kRunPartCount = 4;
std::array<Seconds, kRunPartCount> partsOf(const RunPrediction&, Seconds work);

/// The mean of as many simulated runs as take half a millisecond; of a long run a part of it, scaled to the
/// whole. nullopt: nothing fails, or the run does not get through its failures.
std::optional<RunPrediction> simulateBriefly(const RunTimes&);

/// Keys of the fields that are asked for before the parts of a run can be shown; empty: they can be.
std::vector<std::string> askedForParts(const Problem&);
/// Of those that a run is asked for next: what its parts need, then its costs, failures and length.
std::vector<std::string> askedForRun(const Problem&);

}  // namespace nest
