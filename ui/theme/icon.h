#pragma once

#include <QIcon>
#include <QString>

namespace nest {

/// An icon of resources/icons, drawn from its outline at any size in the text colour of the application's
/// palette, so that it follows light and dark.
QIcon themedIcon(const QString& name);

}  // namespace nest
