#pragma once

#include <QString>
#include <string>

namespace nest {

/// The core's text (UTF-8) as Qt's.
inline QString toQt(const std::string& utf8) {
  return QString::fromStdString(utf8);
}

/// The text with a capital first letter, as a sentence begins; empty stays empty.
inline QString capitalised(QString text) {
  if (!text.isEmpty()) text[0] = text[0].toUpper();
  return text;
}

}  // namespace nest
