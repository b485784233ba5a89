#pragma once

#include <QApplication>
#include <QDir>
#include <QDockWidget>
#include <QFile>
#include <QPushButton>
#include <QSettings>
#include <QStandardPaths>
#include <QTemporaryDir>

#include "editors/bound_line.h"
#include "solver/solve.h"
#include "support/test_main.h"
#include "window/main_window.h"
#include "window/views_area.h"
#include "window/window_layout.h"

namespace nest::test {

inline QString teachingSample() {
  for (const QString& path : samplePaths())
    if (path.contains(QLatin1String("teaching"))) return path;
  return {};
}

/// A copy of the teaching sample that may be written to.
inline QString ownCopy(const QTemporaryDir& dir, const QString& name = QStringLiteral("mine.nest.json")) {
  const QString path = dir.filePath(name);
  QFile::copy(teachingSample(), path);
  QFile::setPermissions(path, QFile::ReadOwner | QFile::WriteOwner);
  return path;
}

/// What earlier windows left behind: settings, and the sessions of files.
inline void forgetWindows() {
  QSettings().clear();
  QDir(QStandardPaths::writableLocation(QStandardPaths::AppConfigLocation) + QStringLiteral("/sessions"))
      .removeRecursively();
}

/// A whole window with one scenario open; none with an empty path.
struct WindowBench {
  explicit WindowBench(const QString& path = teachingSample(), bool remembers = false,
                       const QSize& size = {1500, 950})
      : window(solveIt, options(remembers, size)) {
    if (!path.isEmpty()) window.openPath(path);
    // A large window begins without the panel, which most of these tests type in.
    if (!path.isEmpty() && !WindowLayout::isSmallWindow(size))
      window.findChild<QDockWidget*>(QStringLiteral("panel"))->show();
    window.show();
    QApplication::setActiveWindow(&window);
  }
  bool solved() { return window.session().context()->plan && window.session().context()->current; }
  const Scenario& scenario() { return window.document().scenario(); }
  void trigger(const char* id) { window.actions().find(QLatin1String(id))->trigger(); }
  BoundLine* line(const char* id) { return window.findChild<BoundLine*>(QLatin1String(id)); }
  QPushButton* button(const QString& text) {
    for (auto* b : window.findChildren<QPushButton*>())
      if (b->text() == text && b->isVisible()) return b;
    return nullptr;
  }

  MainWindow window;

private:
  static Outcome solveIt(const Problem& p, const Control& c, const Plan* start) { return solve(p, c, start); }
  static WindowOptions options(bool remembers, const QSize& size) {
    WindowOptions o;
    o.theme = Theme::Kind::Light;
    o.size = size;
    o.remembers = remembers;
    return o;
  }
};

}  // namespace nest::test
