#pragma once

#include "fields/field.h"

namespace nest {

/// Part of fields(), in the order of a file.
void addClusterFields(std::vector<Field>&);
void addModelFields(std::vector<Field>&);
void addProgramFields(std::vector<Field>&);
void addJobFields(std::vector<Field>&);
void addSearchFields(std::vector<Field>&);
void addConstraintFields(std::vector<Field>&);
void addAssumptionFields(std::vector<Field>&);
void addRunFields(std::vector<Field>&);

/// Whether layers are priced from an architecture, not measured: for Field::matters.
inline bool isComputed(const Setting& s) {
  return s.model.architecture.has_value();
}
inline bool offloadsOptimizer(const Setting& s) {
  return s.assumptions.offloadedOptimizer > 0;
}

}  // namespace nest
