#pragma once

#include <QObject>
#include <optional>

#include "theme/theme.h"

namespace nest {

/// What the desktop says about light and dark, now and whenever it is changed.
class DesktopTheme : public QObject {
  Q_OBJECT
public:
  using QObject::QObject;

Q_SIGNALS:
  /// nullopt: the desktop has no preference, or nobody answers.
  void heard(std::optional<Theme::Kind>);
};

/// Of the desktop that the program was built for; one without Qt DBus is never heard.
DesktopTheme* desktopTheme(QObject* parent);

}  // namespace nest
