#pragma once

#include <QDBusConnection>
#include <QDBusMessage>

#include "theme/desktop_theme.h"

namespace nest {

/// What the desktop's portal (org.freedesktop.portal.Settings, "color-scheme") says about light and dark, now
/// and whenever it is changed. Asked without waiting: the answer comes as a signal. Without a session bus
/// none comes, and none is started for it.
class DesktopPortal : public DesktopTheme {
  Q_OBJECT
public:
  explicit DesktopPortal(QObject* parent = nullptr);
  /// On another bus, with the portal under another name.
  DesktopPortal(QDBusConnection bus, const QString& service, QObject* parent = nullptr);

private Q_SLOTS:
  void settingChanged(const QDBusMessage&);

private:
  void ask(QDBusConnection bus, const QString& service);
  void take(QVariant value);
};

}  // namespace nest
