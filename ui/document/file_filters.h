#pragma once

#include <QString>

namespace nest {

class ScenarioDocument;

/// For the dialog that opens files: everything that can be read, then what it may bring.
QString openFilter();
/// For the dialog that loads a model alone.
QString modelFilter();
/// Where dialogs begin: beside the open file, else among the user's documents.
QString folderFor(const ScenarioDocument&);

}  // namespace nest
