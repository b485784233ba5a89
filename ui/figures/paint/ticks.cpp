#include "figures/paint/ticks.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "units/text.h"

namespace nest {

int ticksWithin(double pixels, double each) {
  return std::max(2, static_cast<int>(pixels / each));
}

std::vector<double> roundTicks(double largest, int most) {
  std::vector<double> out{0};
  if (!(largest > 0) || !std::isfinite(largest) || most < 1) return out;
  double power = std::pow(10.0, std::floor(std::log10(largest / most)));
  double step = power;
  for (double factor : {1.0, 2.0, 2.5, 5.0, 10.0, 20.0, 25.0, 50.0}) {
    step = power * factor;
    if (largest / step <= most + 1e-9) break;
  }
  for (int i = 1; i * step <= largest * (1 + 1e-9); ++i) out.push_back(i * step);
  return out;
}

double roundBound(double value, bool down) {
  if (!(value > 0) || !std::isfinite(value)) return down ? 0 : 1;
  const double power = std::pow(10.0, std::floor(std::log10(value)));
  double below = power;
  for (const double factor : {1.0, 2.0, 2.5, 5.0, 10.0}) {
    const double bound = power * factor;
    if (!down && bound >= value * (1 - 1e-12)) return bound;
    if (bound <= value * (1 + 1e-12)) below = bound;
  }
  return below;
}

std::vector<double> logTicks(double low, double high, int most) {
  const auto within = [&](std::initializer_list<double> factors) {
    std::vector<double> out;
    for (double power = std::pow(10.0, std::floor(std::log10(low))); power <= high * (1 + 1e-9); power *= 10)
      for (const double f : factors)
        if (const double v = power * f; v >= low * (1 - 1e-9) && v <= high * (1 + 1e-9)) out.push_back(v);
    return out;
  };
  for (auto all : {within({1, 2, 3, 4, 5, 6, 7, 8, 9}), within({1, 2, 5}), within({1})})
    if (static_cast<int>(all.size()) <= most && all.size() > 1) return all;
  // Less than a decade, or hardly any room: as on a linear axis.
  std::vector<double> even;
  for (double step = roundBound((high - low) / (most + 1), true); step < high - low;
       step = roundBound(1.01 * step)) {
    even.clear();
    for (double k = std::ceil(low / step * (1 - 1e-9)); k * step <= high * (1 + 1e-9); ++k)
      even.push_back(k * step);
    if (static_cast<int>(even.size()) <= most) break;
  }
  const auto powers = within({1});
  return even.size() > powers.size() && static_cast<int>(even.size()) <= most ? even : powers;
}

QString tickLabel(double tick) {
  const bool grouped = std::abs(tick) >= 1000 && std::abs(tick) < 1e9 && tick == std::floor(tick);
  return QString::fromStdString(grouped ? text::count(static_cast<long long>(tick)) : text::number(tick, 4));
}

std::vector<int> wholeTicks(int count, int most) {
  std::vector<int> out;
  if (count <= 0) return out;
  most = std::max(1, most);
  int step = 1;
  for (int power = 1; (count + step - 1) / step > most; power *= 10) {
    for (int factor : {1, 2, 5}) {
      step = power * factor;
      if ((count + step - 1) / step <= most) break;
    }
  }
  for (int i = 0; i < count; i += step) out.push_back(i);
  return out;
}

std::vector<int> countedTicks(int count, int most) {
  std::vector<int> out = wholeTicks(count, most);
  if (out.size() < 2 || out[1] == 1) return out;
  out = wholeTicks(count + 1, most + 1);
  out.erase(out.begin());
  for (int& i : out) --i;
  return out;
}

}  // namespace nest
