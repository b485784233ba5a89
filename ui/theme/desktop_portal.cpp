#include "theme/desktop_portal.h"

#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QDBusVariant>
#include <QFileInfo>

namespace nest {
namespace {

const auto kPath = QStringLiteral("/org/freedesktop/portal/desktop");
const auto kInterface = QStringLiteral("org.freedesktop.portal.Settings");
const auto kSpace = QStringLiteral("org.freedesktop.appearance");
const auto kKey = QStringLiteral("color-scheme");

/// Only a bus that is there: a connection attempt would otherwise try to launch one.
bool hasSessionBus() {
  return qEnvironmentVariableIsSet("DBUS_SESSION_BUS_ADDRESS") ||
         (qEnvironmentVariableIsSet("XDG_RUNTIME_DIR") &&
          QFileInfo::exists(qEnvironmentVariable("XDG_RUNTIME_DIR") + QStringLiteral("/bus")));
}

}  // namespace

DesktopPortal::DesktopPortal(QObject* parent) : DesktopTheme(parent) {
  if (hasSessionBus()) ask(QDBusConnection::sessionBus(), QStringLiteral("org.freedesktop.portal.Desktop"));
}

DesktopPortal::DesktopPortal(QDBusConnection bus, const QString& service, QObject* parent)
    : DesktopTheme(parent) {
  ask(std::move(bus), service);
}

void DesktopPortal::ask(QDBusConnection bus, const QString& service) {
  if (!bus.isConnected()) return;
  // Taken as a whole message: the type of a variant may not be known to Qt yet, and nothing would be
  // connected.
  bus.connect(service, kPath, kInterface, QStringLiteral("SettingChanged"), this,
              SLOT(settingChanged(QDBusMessage)));
  QDBusMessage call = QDBusMessage::createMethodCall(service, kPath, kInterface, QStringLiteral("Read"));
  call << kSpace << kKey;
  auto* watcher = new QDBusPendingCallWatcher(bus.asyncCall(call), this);
  connect(watcher, &QDBusPendingCallWatcher::finished, this, [this](QDBusPendingCallWatcher* done) {
    const QDBusPendingReply<QDBusVariant> reply = *done;
    take(reply.isError() ? QVariant() : reply.value().variant());
    done->deleteLater();
  });
}

void DesktopPortal::settingChanged(const QDBusMessage& message) {
  const QVariantList what = message.arguments();
  if (what.size() == 3 && what[0] == kSpace && what[1] == kKey) take(what[2]);
}

/// 1 dark, 2 light, else no preference; Read wraps it in one variant more than the signal does.
void DesktopPortal::take(QVariant value) {
  while (value.canConvert<QDBusVariant>()) value = value.value<QDBusVariant>().variant();
  bool isNumber = false;
  const uint scheme = value.toUInt(&isNumber);
  if (isNumber && (scheme == 1 || scheme == 2))
    Q_EMIT heard(scheme == 1 ? Theme::Kind::Dark : Theme::Kind::Light);
  else
    Q_EMIT heard(std::nullopt);
}

}  // namespace nest
