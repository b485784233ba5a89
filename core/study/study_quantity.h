#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "measures/metrics.h"
#include "study/parameter.h"

namespace nest {

/// What a study reads off the best plan at each value.
enum class StudyQuantity { Tokens, Samples, StepTime, Mfu, Memory, DeviceHours };
inline constexpr int kStudyQuantityCount = 6;

const char* nameOf(StudyQuantity);  ///< name in files and on the command line: "tokens", "step-time", …
std::optional<StudyQuantity> studyQuantityNamed(std::string_view);
const char* labelOf(StudyQuantity);  ///< "Tokens per second", "MFU", …
const char* axisOf(StudyQuantity);   ///< with its unit: "Throughput, tokens/s", "Peak memory, GiB", …
bool isLessBetter(StudyQuantity);    ///< times, memory and device-hours
/// In the unit of axisOf(). nullopt: unknown for this scenario (no architecture, no number of tokens).
std::optional<double> valueOf(StudyQuantity, const PlanMetrics&);
std::string valueText(StudyQuantity, double value);  ///< "897 k tokens/s", "40.1 %"
/// A number in the unit of axisOf(), with or without a unit: "16 s", "900 k", "40 %", "60 GiB".
std::optional<double> readValue(StudyQuantity, std::string_view);
const char* whyUnknown(StudyQuantity);  ///< "needs a model with an architecture"

/// How the values of a study follow each other.
enum class StudyScale {
  Usual,     ///< as the field moves
  Even,      ///< even steps
  Log,       ///< even factors
  Doubling,  ///< each twice the one before
};
const char* nameOf(StudyScale);   ///< "usual", "even", "log", "doubling"
const char* labelOf(StudyScale);  ///< "As usual", "Even steps", …

/// The values that a study tries.
struct StudyRange {
  std::optional<double> from, to;  ///< SI; unset: as usual
  int steps = 0;                   ///< how many values; 0: as usual
  StudyScale scale = StudyScale::Usual;

  bool isUsual() const { return !from && !to && steps == 0 && scale == StudyScale::Usual; }
};
inline constexpr int kMostStudySteps = 200;

/// Ascending and different, only such as the parameter may have; empty if none is left. `fine`: for a curve,
/// else for a side of a grid. A usual range also has the present value.
std::vector<double> studyValues(const Setting&, const Problem&, const Parameter&, const StudyRange&,
                                bool fine);
/// Whether equal steps of these values are equal factors, so that their axis is logarithmic.
bool isLogarithmic(const Parameter&, const StudyRange&, const std::vector<double>& values);

}  // namespace nest
