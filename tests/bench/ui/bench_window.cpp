// What a window costs, in ms of processor time of all threads: until the scenario is solved and painted (a
// new window each time), of which the widgets before any scenario, and one change of the theme; beside it what
// Qt takes to polish the same widgets with the style sheet that they have. Medians of nine.
//   bench_window SCENARIO... [-platform offscreen]
#include <QApplication>
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <vector>

#include "solver/solve.h"
#include "window/main_window.h"

using namespace nest;

namespace {

constexpr int kTimes = 9;

double processorMs() {
  return 1e3 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v.empty() ? 0 : v[v.size() / 2];
}

bool isSolved(MainWindow& w) {
  const auto& c = *w.session().context();
  return c.current && c.generation == w.document().generation() && !w.session().search().running;
}

void measure(const QString& path) {
  std::vector<double> made, shown, theme, polish;
  for (int i = 0; i < kTimes; ++i) {
    WindowOptions options;
    options.theme = Theme::Kind::Light;
    options.size = {1600, 1000};
    options.remembers = false;
    const double begin = processorMs();
    MainWindow window([](const Problem& p, const Control& c, const Plan* s) { return solve(p, c, s); },
                      options);
    made.push_back(processorMs() - begin);
    window.openPath(path);
    window.show();
    while (!isSolved(window)) QApplication::processEvents(QEventLoop::WaitForMoreEvents);
    QApplication::processEvents();
    shown.push_back(processorMs() - begin);
    QAction* toggle = window.actions().find(QStringLiteral("view.theme"));
    for (int k = 0; toggle && k < 2; ++k) {
      const double before = processorMs();
      toggle->trigger();
      QApplication::processEvents();
      theme.push_back(processorMs() - before);
    }
    const double before = processorMs();
    qApp->setStyleSheet(qApp->styleSheet());
    QApplication::processEvents();
    polish.push_back(processorMs() - before);
  }
  std::printf(
      "%s\n  first %.0f ms, then %.0f until solved and painted, widgets alone %.0f, theme %.0f, polish "
      "%.0f\n",
      qPrintable(path), shown.front(), median(shown), median(made), median(theme), median(polish));
}

}  // namespace

int main(int argc, char** argv) {
  QApplication app(argc, argv);
  for (const QString& path : app.arguments().mid(1)) measure(path);
}
