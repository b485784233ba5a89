#pragma once

#include <string>
#include <vector>

#include "fields/field.h"
#include "program/program.h"

/// A program on a scenario: its values stand in the scenario's own fields, where they can be changed.
namespace nest {

/// Makes the setting run under another program: every field that some program sets gets the value of this one
/// (its usual value where this one says nothing), but for those that were changed from what the last program
/// sets.
void setProgram(Setting&, const Program&);

/// Another model: how the program computes it stays as it is, a calibration was of the model before.
void setModel(Setting&, ModelSource);
void setModel(Setting&, TransformerArchitecture);

/// Sets one field, with its source where it holds one. False: there is no such field, or it cannot hold the
/// value.
bool setValue(Setting&, const ProgramValue&);

/// The program of the setting; `ideal` if its id is unknown.
const Program& programOf(const Setting&);
/// What the setting's program says of a field: its value, origin and source; nullptr: nothing.
const ProgramValue* programValue(const Setting&, const Field&);
/// Whether the field holds just that.
bool isAsProgramSets(const Setting&, const Field&);

/// Assumptions and parts of the kernel model, of those that some program sets, that are not as this one has
/// them. What is searched can be narrowed or widened without that.
std::vector<const Field*> changedFromProgram(const Setting&);
ProgramUse programUse(const Setting&);

/// A setting as it usually is under this program. Immutable, made once; O(1).
const Setting& usualSetting(const std::string& program);

/// Every value of every program that a field could not take: "megatron-2021: /assumptions/x is no field".
/// Empty.
std::vector<std::string> faultsOfPrograms(const std::vector<Program>&);

}  // namespace nest
