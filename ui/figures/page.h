#pragma once

#include <QSizeF>

namespace nest {

/// Below it, figures have no room for their data and print smaller.
inline constexpr QSizeF kLeastPage(480, 340);

}  // namespace nest
