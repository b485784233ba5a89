#include "figures/paint/unit_axis.h"

#include <QCoreApplication>
#include <cmath>

#include "figures/paint/ticks.h"

namespace nest {
namespace {

constexpr double kPixelsPerTick = 80;
constexpr double kHoursInDay = 24, kMinutesInDay = 1440;

/// "k", "M" and so on for large amounts.
NamedUnit thousands(double largest, const QString& of) {
  NamedUnit out{1, of};
  for (const char* name : {"k", "M", "G", "T"}) {
    if (largest < 1e4 * out.size) break;
    out = {out.size * 1e3, QLatin1String(name) + (of.isEmpty() ? QString() : u' ' + of)};
  }
  return out;
}

}  // namespace

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

UnitAxis UnitAxis::of(RunUnit unit, double largest, double pixels) {
  UnitAxis out;
  const NamedUnit named = axisUnitOf(unit, largest);
  out.axis.largest = largest, out.axis.unit = named.size, out.axis.unitName = named.name;
  out.axis.ticks = roundTicks(largest / named.size, ticksWithin(pixels, kPixelsPerTick));
  return out;
}

}  // namespace nest
