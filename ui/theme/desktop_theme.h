#pragma once

#include <QDBusConnection>
#include <QDBusMessage>
#include <QObject>
#include <optional>

#include "theme/theme.h"

namespace nest {

/// What the desktop's portal (org.freedesktop.portal.Settings, "color-scheme") says about light and dark, now
/// and whenever it is changed. Asked without waiting: the answer comes as a signal. Without a session bus
/// none comes, and none is started for it.
class DesktopTheme : public QObject {
  Q_OBJECT
public:
  explicit DesktopTheme(QObject* parent = nullptr);
  /// On another bus, with the portal under another name.
  DesktopTheme(QDBusConnection bus, const QString& service, QObject* parent = nullptr);

Q_SIGNALS:
  /// nullopt: the desktop has no preference, or nobody answers on its bus.
  void heard(std::optional<Theme::Kind>);

private Q_SLOTS:
  void settingChanged(const QDBusMessage&);

private:
  void ask(QDBusConnection bus, const QString& service);
  void take(QVariant value);
};

}  // namespace nest
