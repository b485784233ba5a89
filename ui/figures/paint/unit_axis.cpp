#include "figures/paint/unit_axis.h"

#include <QCoreApplication>
#include <cmath>

#include "figures/paint/ticks.h"

namespace nest {
namespace {

constexpr double kPixelsPerTick = 80;
constexpr double kHoursInDay = 24, kMinutesInDay = 1440;

/// How many of the amount's own unit it has.
struct NamedUnit {
  double size = 1;
  QString name;
};

/// "k", "M" and so on for large amounts.
NamedUnit thousands(double largest, const QString& of) {
  NamedUnit out{1, of};
  for (const char* name : {"k", "M", "G", "T"}) {
    if (largest < 1e4 * out.size) break;
    out = {out.size * 1e3, QLatin1String(name) + (of.isEmpty() ? QString() : u' ' + of)};
  }
  return out;
}

NamedUnit axisUnitOf(RunUnit unit, double largest) {
  switch (unit) {
    case RunUnit::Share:
      return {0.01, QStringLiteral("%")};
    case RunUnit::Days:
      return largest >= 2                 ? NamedUnit{1, QStringLiteral("days")}
             : largest >= 2 / kHoursInDay ? NamedUnit{1 / kHoursInDay, QStringLiteral("hours")}
                                          : NamedUnit{1 / kMinutesInDay, QStringLiteral("minutes")};
    case RunUnit::DeviceHours:
      return thousands(largest, QStringLiteral("device-hours"));
    case RunUnit::Money:
      return thousands(largest, QCoreApplication::translate("nest::UnitAxis", "money"));
    case RunUnit::Energy:
      break;
  }
  return thousands(largest, QStringLiteral("MWh"));
}

}  // namespace

Axis unitAxis(RunUnit unit, double largest, double pixels) {
  Axis axis;
  const NamedUnit named = axisUnitOf(unit, largest);
  axis.largest = largest, axis.unit = named.size, axis.unitName = named.name;
  axis.ticks = roundTicks(largest / named.size, ticksWithin(pixels, kPixelsPerTick));
  return axis;
}

}  // namespace nest
