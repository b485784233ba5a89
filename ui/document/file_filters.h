#pragma once

#include <QString>

namespace nest {

/// For the dialog that opens files: everything that can be read, then what it may bring.
QString openFilter();
/// For the dialog that loads a model alone.
QString modelFilter();

}  // namespace nest
