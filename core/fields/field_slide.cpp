#include "fields/field_slide.h"

#include <algorithm>
#include <cmath>

namespace nest {
namespace {

constexpr double kGib = 1024.0 * 1024 * 1024;
constexpr double kMostDegree = 1024;  ///< a bound that is not fixed slides up to it
constexpr double kUsualNumber = 16;   ///< a number without a unit slides at least so far

bool isWholeField(const Field& f) {
  return f.access.measure == Measure::Count;
}

double unitOf(const Setting& s, const FieldAt& f) {
  if (f.field->access.measure == Measure::Memory) return kGib;
  if (f.field->access.measure != Measure::Bandwidth) return 1;
  const auto* levels = std::get_if<LevelsSource>(&s.cluster.network);
  const auto i = static_cast<std::size_t>(f.at.front());
  const bool bits = f.field->key.starts_with("/cluster/levels/") && levels && i < levels->levels.size() &&
                    levels->levels[i].shownAs == text::BandwidthUnit::GigabitsPerSecond;
  return bits ? 1e9 / 8 : 1e9;
}

/// The next power of two above or below, `steps` times; at least 1.
double doubled(double value, int steps) {
  double v = std::max(value, 1.0);
  for (; steps > 0 && v < (1 << 29); --steps) v = std::exp2(std::floor(std::log2(v)) + 1);
  for (; steps < 0 && v > 1; ++steps) v = std::exp2(std::ceil(std::log2(v)) - 1);
  return v;
}

double roundTo(double v, double unit) {
  return std::round(v / unit) * unit;
}

}  // namespace

double SlideRange::at(double share) const {
  share = std::clamp(share, 0.0, 1.0);
  if (share == 0 && floor < least) return floor;
  if (slide == Slide::Linear) {
    const double step = (most - least) / 100;
    const double v =
        isWhole ? std::round(least + share * (most - least)) : roundTo(least + share * (most - least), step);
    return std::clamp(v, least, most);
  }
  const double v = least * std::pow(most / least, share);
  if (slide == Slide::Doubling)
    return std::clamp(std::max(1.0, std::round(doubling * std::exp2(std::round(std::log2(v / doubling))))),
                      least, most);
  if (isWhole) return std::clamp(std::round(v), least, most);
  // Two digits.
  return std::clamp(roundTo(v, std::pow(10.0, std::floor(std::log10(v / unit) + 1e-9) - 1) * unit), least,
                    most);
}

double SlideRange::shareOf(double v) const {
  if (!(v > least)) return 0;
  const double share =
      slide == Slide::Linear ? (v - least) / (most - least) : std::log(v / least) / std::log(most / least);
  return std::clamp(share, 0.0, 1.0);
}

SlideRange slideRangeOf(const Setting& s, const FieldAt& at) {
  const Field& f = *at.field;
  SlideRange r;
  r.slide = f.slide, r.isWhole = isWholeField(f), r.unit = unitOf(s, at);
  const std::optional<double> now = numberOf(s, at);
  if (f.slide == Slide::Linear) {
    r.least = f.least;
    r.most = f.access.measure == Measure::Share || r.isWhole
                 ? f.most
                 : std::min(f.most, std::max(kUsualNumber, 2 * now.value_or(0)));
    r.floor = r.least;
    return r;
  }
  const double centre = now.value_or(0) > 0 ? *now : f.usual;
  r.doubling = std::max(1.0, centre);
  r.least = centre / f.reach, r.most = centre * f.reach;
  if (r.isWhole) {
    const bool open = !now;
    r.least = open ? 1 : std::max(1.0, std::floor(r.least));
    r.most = std::max(open ? kMostDegree : f.slide == Slide::Doubling ? 2.0 : 64.0, r.most);
  }
  if (!(centre > 0) && !r.isWhole) r.least = 1e-3, r.most = 1e3;
  r.most = std::min(r.most, f.most);
  r.floor = f.least == 0 && f.usual > 0 ? 0 : std::max(r.least, f.least);
  r.least = std::min(std::max(r.least, f.least), r.most);
  return r;
}

double stepped(const FieldAt& at, double from, int steps) {
  const Field& f = *at.field;
  double v = from + steps;
  if (f.access.measure == Measure::Memory)
    v = (std::round(from / kGib * 2) / 2 + steps * 0.5) * kGib;
  else if (f.access.measure == Measure::Share)
    v = from + 0.05 * steps;
  else if (f.slide == Slide::Doubling)
    v = doubled(from, steps);
  else if (f.access.measure != Measure::Count && f.slide == Slide::Log)
    v = (from > 0 || steps <= 0 ? from : f.usual) * std::pow(1.1, steps);
  return std::clamp(v, f.least, f.most);
}

std::vector<double> studyValues(const Setting& s, const FieldAt& at, bool fine) {
  const Field& f = *at.field;
  const SlideRange range = slideRangeOf(s, at);
  const std::optional<double> now = numberOf(s, at);
  std::vector<double> out;
  if (now) out.push_back(*now);
  const auto add = [&](double v) {
    if (range.isWhole && v != std::round(v)) v = f.slide == Slide::Doubling ? -1 : std::round(v);
    const auto same = [v](double o) { return std::abs(o - v) <= 1e-9 * std::abs(v); };
    if (f.allows(v) && std::none_of(out.begin(), out.end(), same)) out.push_back(v);
  };
  if (f.slide == Slide::Linear) {
    const int count = fine ? 10 : 4;
    for (int i = 0; i <= count; ++i) add(range.least + (range.most - range.least) * i / count);
  } else if (f.slide == Slide::Doubling) {
    const int reach = fine ? 4 : 3;
    for (int i = -reach; now && i <= reach; ++i) add(*now * std::exp2(i));
    for (double v = 1; !now && v <= (fine ? range.most : 32); v *= 2) add(v);
  } else {
    const double centre = now.value_or(0) > 0 ? *now : f.usual;
    const int reach = fine ? 8 : 3;
    for (int i = -reach; i <= reach; ++i) add(centre * std::exp2(fine ? i / 2.0 : i));
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace nest
