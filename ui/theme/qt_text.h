#pragma once

#include <QString>
#include <string>

namespace nest {

/// The core's text (UTF-8) as Qt's.
inline QString toQt(const std::string& utf8) {
  return QString::fromStdString(utf8);
}

}  // namespace nest
