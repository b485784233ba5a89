#pragma once

#include <QSizeF>

namespace nest {

/// Below it, figures have no room for their data and print smaller.
inline constexpr QSizeF kLeastPage(480, 340);
/// Above it their type would be lost in them, and they print larger.
inline constexpr QSizeF kMostPage(1600, 1000);

}  // namespace nest
