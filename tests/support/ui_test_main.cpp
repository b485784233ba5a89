#include <QApplication>
#include <QDir>
#include <QTemporaryDir>

#include "support/test_main.h"

/// Tests with widgets: a QApplication, and settings and data in a folder of this run alone, so that neither
/// the developer's own choices, nor an earlier run, nor a test that runs beside it is seen.
int main(int argc, char** argv) {
  const QTemporaryDir own;
  for (const auto& [name, folder] : {std::pair{"XDG_CONFIG_HOME", "config"},
                                     {"XDG_DATA_HOME", "data"},
                                     {"XDG_CACHE_HOME", "cache"},
                                     {"XDG_STATE_HOME", "state"}}) {
    QDir().mkpath(own.filePath(QLatin1String(folder)));
    qputenv(name, own.filePath(QLatin1String(folder)).toUtf8());
  }
  qputenv("HOME", own.path().toUtf8());
  QApplication app(argc, argv);
  QApplication::setOrganizationName(QStringLiteral("nest-tests"));
  QApplication::setApplicationName(QStringLiteral("nest-tests"));
  return nest::test::runAll(argc, argv);
}
