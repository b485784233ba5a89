#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fields/field.h"
#include "problem/problem.h"

namespace nest {

/// What a study moves: a numeric field of the scenario, or the number of devices.
struct Parameter {
  std::optional<FieldAt> field;  ///< nullopt: the number of devices

  bool isDevices() const { return !field; }
  std::string name() const;  ///< "bandwidth of level rack", "devices"
};

/// Every parameter of a setting: the device count, then what is often asked for, then the rest.
std::vector<Parameter> parametersOf(const Setting&);
/// Those of which it is known whether more is better, and those that are often asked for.
std::vector<Parameter> usualParametersOf(const Setting&);

/// In SI units; nullopt: it has no one value now. `problem` is that of the setting, here and below.
std::optional<double> valueOf(const Setting&, const Problem&, const Parameter&);
std::string valueText(const Setting&, const Parameter&, double value);
/// Values to study, ascending, the present one among them: `fine` for a curve, else for a side of a grid.
std::vector<double> studyValues(const Setting&, const Problem&, const Parameter&, bool fine);

/// The problem of the setting with the parameter at a value, as if it had been typed. nullopt: the setting
/// cannot be planned with it.
std::optional<Problem> problemAt(const Setting&, const Problem&, const Parameter&, double value);
/// The same with several at once; the device count comes last, whatever the order.
std::optional<Problem> problemAt(const Setting&, const Problem&,
                                 const std::vector<std::pair<Parameter, double>>& values);

}  // namespace nest
