#pragma once

#include "editors/form_section.h"
#include "fields/field.h"

namespace nest {

/// The line in which one field is typed; `i`: which of several. The undo step is called "Change global
/// batch".
LineSpec fieldLine(const Field&, int i = 0);

/// Adds the row of a field: a line, a choice or check boxes, by its kind. Structured fields have none.
void addFieldRow(FormSection&, const Field&);

/// "Sequences per optimizer step".
QString meaningOf(const Field&);

}  // namespace nest
