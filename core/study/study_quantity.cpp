#include "study/study_quantity.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "fields/field_slide.h"
#include "measures/pace.h"
#include "units/amount.h"
#include "units/letters.h"
#include "units/text.h"

namespace nest {
namespace {

constexpr double kGibibyte = 1024.0 * 1024 * 1024;
constexpr int kUsualSteps = 13, kUsualStepsOfSide = 7;

struct QuantityWords {
  const char *name, *label, *axis, *unknown;
  bool lessIsBetter;
};
constexpr std::array<QuantityWords, kStudyQuantityCount> kQuantities{{
    {"tokens", "Tokens per second", "Throughput, tokens/s", "unknown", false},
    {"samples", "Samples per second", "Throughput, samples/s", "unknown", false},
    {"step-time", "Step time", "Step time, s", "unknown", true},
    {"mfu", "MFU", "MFU, %", "needs a model with an architecture", false},
    {"memory", "Peak memory", "Peak memory of the fullest device, GiB", "unknown", true},
    {"device-hours", "Device-hours", "Device-hours of the whole run", "needs the number of training tokens",
     true},
}};

const QuantityWords& wordsOf(StudyQuantity q) {
  return kQuantities[static_cast<std::size_t>(q)];
}

/// What a unit that people append to a number multiplies it by; nullopt: it is of another quantity.
std::optional<double> factorOf(StudyQuantity q, std::string_view unit) {
  if (unit.empty()) return 1;
  struct Unit {
    StudyQuantity of;
    std::string_view name;
    double factor;
  };
  using enum StudyQuantity;
  constexpr std::array kUnits{Unit{Tokens, "tokens/s", 1},
                              Unit{Tokens, "k", 1e3},
                              Unit{Tokens, "k tokens/s", 1e3},
                              Unit{Tokens, "M", 1e6},
                              Unit{Tokens, "M tokens/s", 1e6},
                              Unit{Samples, "samples/s", 1},
                              Unit{StepTime, "s", 1},
                              Unit{StepTime, "ms", 1e-3},
                              Unit{StepTime, "min", 60},
                              Unit{Mfu, "%", 1},
                              Unit{Memory, "GiB", 1},
                              Unit{Memory, "MiB", 1.0 / 1024},
                              Unit{Memory, "TiB", 1024},
                              Unit{DeviceHours, "h", 1},
                              Unit{DeviceHours, "k", 1e3},
                              Unit{DeviceHours, "M", 1e6},
                              Unit{DeviceHours, "device-hours", 1}};
  for (const Unit& u : kUnits)
    if (u.of == q && u.name == unit) return u.factor;
  return std::nullopt;
}

}  // namespace

const char* nameOf(StudyQuantity q) {
  return wordsOf(q).name;
}

std::optional<StudyQuantity> studyQuantityNamed(std::string_view name) {
  for (int k = 0; k < kStudyQuantityCount; ++k)
    if (name == kQuantities[static_cast<std::size_t>(k)].name) return static_cast<StudyQuantity>(k);
  return std::nullopt;
}

const char* labelOf(StudyQuantity q) {
  return wordsOf(q).label;
}
const char* axisOf(StudyQuantity q) {
  return wordsOf(q).axis;
}
bool isLessBetter(StudyQuantity q) {
  return wordsOf(q).lessIsBetter;
}
const char* whyUnknown(StudyQuantity q) {
  return wordsOf(q).unknown;
}

std::optional<double> valueOf(StudyQuantity q, const PlanMetrics& m) {
  switch (q) {
    case StudyQuantity::Tokens:
      return m.tokensPerSecond;
    case StudyQuantity::Samples:
      return m.samplesPerSecond;
    case StudyQuantity::StepTime:
      return m.batchTime.value();
    case StudyQuantity::Mfu:
      return m.mfu ? std::optional(*m.mfu * 100) : std::nullopt;
    case StudyQuantity::Memory:
      return m.peakMemory.value() / kGibibyte;
    case StudyQuantity::DeviceHours:
      break;
  }
  return m.deviceHours;
}

std::string valueText(StudyQuantity q, double v) {
  switch (q) {
    case StudyQuantity::Tokens:
      return tokensRate(v);
    case StudyQuantity::Samples:
      return samplesRate(v);
    case StudyQuantity::StepTime:
      return text::time(Seconds(v));
    case StudyQuantity::Mfu:
      return text::percent(v / 100);
    case StudyQuantity::Memory:
      return text::memory(Bytes(v * kGibibyte));
    case StudyQuantity::DeviceHours:
      break;
  }
  return text::amount(v) + " device-hours";
}

std::optional<double> readValue(StudyQuantity q, std::string_view s) {
  s = text::trimmed(s);
  std::string digits;
  std::size_t i = 0;
  for (; i < s.size() && std::string_view("0123456789.+-eE,").find(s[i]) != s.npos; ++i)
    if (s[i] != ',') digits += s[i];
  double v = 0;
  const auto [end, ec] = std::from_chars(digits.data(), digits.data() + digits.size(), v);
  if (ec != std::errc() || end != digits.data() + digits.size() || !std::isfinite(v) || v <= 0)
    return std::nullopt;
  const auto factor = factorOf(q, text::trimmed(s.substr(i)));
  return factor ? std::optional(v * *factor) : std::nullopt;
}

const char* nameOf(StudyScale s) {
  constexpr std::array kNames = {"usual", "even", "log", "doubling"};
  return kNames[static_cast<std::size_t>(s)];
}

const char* labelOf(StudyScale s) {
  constexpr std::array kLabels = {"As usual", "Even steps", "Even factors", "Doubling"};
  return kLabels[static_cast<std::size_t>(s)];
}

std::vector<double> studyValues(const Setting& s, const Problem& problem, const Parameter& p,
                                const StudyRange& range, bool fine) {
  std::vector<double> usual = studyValues(s, problem, p, fine);
  if (range.isUsual() || usual.empty()) return usual;
  const double low = range.from.value_or(usual.front()), high = range.to.value_or(usual.back());
  if (!(high >= low)) return {};
  std::vector<double> raw;
  if (range.scale == StudyScale::Usual && range.steps == 0) {
    for (const double v : usual)
      if (v >= low * (1 - 1e-9) && v <= high * (1 + 1e-9)) raw.push_back(v);
    // The ends that were asked for.
    if (range.from) raw.push_back(low);
    if (range.to) raw.push_back(high);
  } else if (range.scale == StudyScale::Doubling) {
    if (!(low > 0)) return {};
    for (double v = low; v <= high * (1 + 1e-9) && raw.size() < kMostStudySteps; v *= 2) raw.push_back(v);
  } else {
    const int count = std::clamp(range.steps > 0 ? range.steps : (fine ? kUsualSteps : kUsualStepsOfSide), 1,
                                 kMostStudySteps);
    const bool log = range.scale == StudyScale::Log ||
                     (range.scale == StudyScale::Usual && isLogarithmic(p, {}, {low, high}));
    if (log && !(low > 0)) return {};
    for (int i = 0; i < count; ++i) {
      const double share = count == 1 ? 0 : static_cast<double>(i) / (count - 1);
      raw.push_back(log ? low * std::pow(high / low, share) : low + (high - low) * share);
    }
  }
  const bool whole = p.isDevices() || slideRangeOf(s, *p.field).isWhole;
  std::vector<double> out;
  for (double v : raw) {
    if (whole) v = std::round(v);
    if (p.isDevices() ? v >= 1 : p.field->field->allows(v)) out.push_back(v);
  }
  std::sort(out.begin(), out.end());
  const auto same = [](double a, double b) { return std::abs(a - b) <= 1e-9 * std::abs(b); };
  out.erase(std::unique(out.begin(), out.end(), same), out.end());
  return out;
}

bool isLogarithmic(const Parameter& p, const StudyRange& range, const std::vector<double>& values) {
  if (values.empty() || !(values.front() > 0)) return false;
  if (range.scale == StudyScale::Even) return false;
  if (range.scale == StudyScale::Log || range.scale == StudyScale::Doubling) return true;
  return p.isDevices() || p.field->field->slide != Slide::Linear;
}

}  // namespace nest
