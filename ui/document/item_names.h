#pragma once

#include <QString>
#include <optional>

#include "document/selection.h"

namespace nest {

/// Names of item kinds in files: "stage".
QString nameOf(ItemKind);
std::optional<ItemKind> itemKindNamed(const QString&);

}  // namespace nest
