#pragma once

#include <functional>

#include "editors/form_section.h"
#include "fields/field.h"

class QComboBox;

namespace nest {

/// The devices of the catalog. `noticed`: what a change of device left as it was.
ChoiceSpec deviceChoice(std::function<void(const Diagnostic&)> noticed);
/// The models that the program brings; none of them is read as −1.
ChoiceSpec modelChoice();
/// Of a field that is one of a few.
ChoiceSpec fieldChoice(const Field&);

/// Shows the choice of the open document, and edits it when the user chooses.
void bindChoice(QComboBox&, const ChoiceSpec&, ScenarioDocument&);

}  // namespace nest
