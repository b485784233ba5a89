// What the desktop asks for, heard from a portal on a bus of the test's own.
#include <QDBusConnection>
#include <QDBusServer>
#include <QDBusVariant>
#include <QUuid>

#include "support/test_main.h"
#include "theme/desktop_portal.h"

using namespace nest;

namespace {

/// The Settings part of a portal, with one setting.
class Portal : public QObject {
  Q_OBJECT
  Q_CLASSINFO("D-Bus Interface", "org.freedesktop.portal.Settings")
public:
  QVariant scheme;

  void change(const QVariant& value) {
    scheme = value;
    Q_EMIT SettingChanged(QStringLiteral("org.freedesktop.appearance"), QStringLiteral("color-scheme"),
                          QDBusVariant(value));
  }

public Q_SLOTS:
  QDBusVariant Read(const QString& space, const QString& key) {
    const bool known =
        space == QStringLiteral("org.freedesktop.appearance") && key == QStringLiteral("color-scheme");
    return QDBusVariant(QVariant::fromValue(QDBusVariant(known ? scheme : QVariant(QString()))));
  }

Q_SIGNALS:
  void SettingChanged(const QString& space, const QString& key, const QDBusVariant& value);
};

using Heard = std::vector<std::optional<Theme::Kind>>;

/// The portal behind one end of a connection, the program at the other; no daemon between them.
struct Bus {
  // No file: one would be removed by the server's own thread, at any time.
  QDBusServer server{QStringLiteral("unix:abstract=nest-") +
                     QUuid::createUuid().toString(QUuid::WithoutBraces)};
  Portal portal;
  std::vector<QDBusConnection> served;

  explicit Bus(bool answers = true) {
    QObject::connect(&server, &QDBusServer::newConnection, [this, answers](QDBusConnection c) {
      if (answers)
        c.registerObject(QStringLiteral("/org/freedesktop/portal/desktop"), &portal,
                         QDBusConnection::ExportAllSlots | QDBusConnection::ExportAllSignals);
      served.push_back(c);
    });
  }
  QDBusConnection client() {
    static int number = 0;
    return QDBusConnection::connectToPeer(server.address(), QStringLiteral("client%1").arg(++number));
  }
};

}  // namespace

class TestDesktopTheme : public QObject {
  Q_OBJECT
private Q_SLOTS:
  void hearsWhatThePortalSays_data() {
    QTest::addColumn<QVariant>("scheme");
    QTest::addColumn<int>("kind");  // −1: none
    QTest::newRow("none") << QVariant(0U) << -1;
    QTest::newRow("dark") << QVariant(1U) << static_cast<int>(Theme::Kind::Dark);
    QTest::newRow("light") << QVariant(2U) << static_cast<int>(Theme::Kind::Light);
    QTest::newRow("unheard-of") << QVariant(77U) << -1;
    QTest::newRow("no number") << QVariant(QStringLiteral("dark")) << -1;
  }
  void hearsWhatThePortalSays() {
    QFETCH(QVariant, scheme);
    QFETCH(int, kind);
    Bus bus;
    bus.portal.scheme = scheme;
    QDBusConnection client = bus.client();
    QTRY_VERIFY(client.isConnected() && !bus.served.empty());
    DesktopPortal desktop(client, {});
    Heard heard;
    connect(&desktop, &DesktopTheme::heard, this, [&](auto k) { heard.push_back(k); });
    QVERIFY(heard.empty());  // nothing waits for it
    QTRY_COMPARE(heard.size(), std::size_t(1));
    QCOMPARE(heard[0] ? static_cast<int>(*heard[0]) : -1, kind);
  }

  void followsChanges() {
    Bus bus;
    bus.portal.scheme = 2U;
    QDBusConnection client = bus.client();
    QTRY_VERIFY(client.isConnected() && !bus.served.empty());
    DesktopPortal desktop(client, {});
    Heard heard;
    connect(&desktop, &DesktopTheme::heard, this, [&](auto k) { heard.push_back(k); });
    QTRY_COMPARE(heard.size(), std::size_t(1));
    bus.portal.change(1U);
    QTRY_COMPARE(heard.size(), std::size_t(2));
    QVERIFY(heard[1] == Theme::Kind::Dark);
  }

  void aBusWithoutAPortalHasNoPreference() {
    Bus bus(false);
    QDBusConnection client = bus.client();
    QTRY_VERIFY(client.isConnected() && !bus.served.empty());
    DesktopPortal desktop(client, {});
    Heard heard;
    connect(&desktop, &DesktopTheme::heard, this, [&](auto k) { heard.push_back(k); });
    QTRY_COMPARE(heard.size(), std::size_t(1));
    QVERIFY(!heard[0]);
  }

  void withoutABusNothingIsHeard() {
    DesktopPortal desktop(QDBusConnection(QStringLiteral("nowhere")), {});
    bool heard = false;
    connect(&desktop, &DesktopTheme::heard, this, [&] { heard = true; });
    QCoreApplication::processEvents();
    QVERIFY(!heard);
  }
};
NEST_TEST(TestDesktopTheme)
#include "test_desktop_theme.moc"
