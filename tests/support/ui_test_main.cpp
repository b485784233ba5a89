#include <QApplication>
#include <QStandardPaths>

#include "support/test_main.h"

/// Tests with widgets: a QApplication, and settings that are not the developer's own.
int main(int argc, char** argv) {
  QStandardPaths::setTestModeEnabled(true);
  QApplication app(argc, argv);
  QApplication::setOrganizationName(QStringLiteral("nest-tests"));
  QApplication::setApplicationName(QStringLiteral("nest-tests"));
  return nest::test::runAll(argc, argv);
}
