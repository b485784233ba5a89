// How long an edit takes until its plan is on the screen: from the edit of the document to the end of the
// paint that follows the plan's arrival, and the share of it for which the event loop was held up.
//   bench_live_edit SCENARIO... [-platform offscreen]
#include <QApplication>
#include <QDockWidget>
#include <QElapsedTimer>
#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

#include "editors/scenario_panel.h"
#include "figures/paint/figure.h"
#include "solver/solve.h"
#include "window/main_window.h"
#include "window/views_area.h"

using namespace nest;

namespace {

struct Figures {
  std::vector<double> values;
  void add(double v) { values.push_back(v); }
  double at(double share) {
    if (values.empty()) return 0;
    std::sort(values.begin(), values.end());
    return values[std::min(values.size() - 1,
                           static_cast<std::size_t>(share * static_cast<double>(values.size())))];
  }
  void print(const char* name) {
    std::printf("  %-34s median %7.1f  p95 %7.1f  max %7.1f ms\n", name, at(0.5), at(0.95), at(1));
  }
};

double ms(const QElapsedTimer& clock) {
  return static_cast<double>(clock.nsecsElapsed()) * 1e-6;
}

/// Until the context answers the document as it is and everything posted has been done, paints among it.
bool settle(MainWindow& window, double limitMs) {
  QElapsedTimer clock;
  clock.start();
  const auto answered = [&] {
    const auto& c = *window.session().context();
    return c.current && c.generation == window.document().generation();
  };
  while (!answered() && ms(clock) < limitMs) QApplication::processEvents(QEventLoop::AllEvents, 2);
  QApplication::sendPostedEvents();
  QApplication::processEvents();
  return answered();
}

void measure(const QString& path) {
  WindowOptions options;
  options.theme = Theme::Kind::Light;
  options.size = {1600, 1000};
  options.remembers = false;
  MainWindow window([](const Problem& p, const Control& c, const Plan* s) { return solve(p, c, s); },
                    options);
  window.openPath(path);
  window.show();
  if (!settle(window, 60'000)) return;
  std::printf("%s\n", qPrintable(path));
  Figures problem, cost;
  for (int i = 0; i < 20; ++i) {
    QElapsedTimer clock;
    clock.start();
    const auto built = buildProblem(window.document().scenario());
    problem.add(ms(clock));
    clock.start();
    const auto& c = *window.session().context();
    if (built && c.plan) evaluate(*built.value, c.plan->plan);
    cost.add(ms(clock));
  }
  problem.print("buildProblem");
  cost.print("evaluate");
  for (View* view : window.views().views()) {
    if (view->visibleRegion().isEmpty()) continue;
    Figures refresh, words;
    for (int i = 0; i < 10; ++i) {
      QElapsedTimer clock;
      clock.start();
      view->setContext(std::make_shared<PlanContext>(*window.session().context()));
      refresh.add(ms(clock));
      clock.start();
      if (view->figure()) view->figure()->asText(view->context());
      words.add(ms(clock));
    }
    refresh.print(qPrintable(QStringLiteral("refresh of ") + view->id()));
    words.print(qPrintable(QStringLiteral("as text: ") + view->id()));
  }
  Figures panel;
  for (int i = 0; i < 10; ++i) {
    QElapsedTimer clock;
    clock.start();
    window.panel().showDiagnostics({});
    panel.add(ms(clock));
  }
  panel.print("panel's messages");
  Figures document;
  for (int i = 0; i < 10; ++i) {
    QElapsedTimer clock;
    clock.start();
    Q_EMIT window.document().changed(ScenarioPart::Name, false);
    document.add(ms(clock));
  }
  document.print("all who listen to the document");
  Figures context;
  for (int i = 0; i < 10; ++i) {
    QElapsedTimer clock;
    clock.start();
    Q_EMIT window.session().contextChanged();
    context.add(ms(clock));
  }
  context.print("all who listen to the plan");
  Figures sync, shown, firstLook;
  // These are connected last: each is told when all before it have done their part.
  QElapsedTimer clock;
  Figures checked, drawn, listened, histories;
  auto& session = window.session();
  QObject::connect(&session, &PlanningSession::diagnosticsChanged, &window, [&] { checked.add(ms(clock)); });
  bool first = true;
  QObject::connect(&session, &PlanningSession::contextChanged, &window, [&] {
    if (std::exchange(first, false)) drawn.add(ms(clock));
  });
  QObject::connect(&session, &PlanningSession::searchChanged, &window, [&] {
    if (histories.values.size() < checked.values.size()) histories.add(ms(clock));
  });
  QObject::connect(&window.document(), &ScenarioDocument::changed, &window, [&] { listened.add(ms(clock)); });
  for (int i = 0; i < 40; ++i) {
    first = true;
    clock.start();
    window.document().edit({}, QStringLiteral("x"), [i](Scenario& s) {
      auto& levels = std::get<LevelsSource>(s.cluster.network).levels;
      levels[1].bandwidth = levels[1].bandwidth * (i % 2 ? 1.0 / 1.05 : 1.05);
    });
    sync.add(ms(clock));
    QApplication::processEvents();
    firstLook.add(ms(clock));
    settle(window, 10'000);
    shown.add(ms(clock));
    QElapsedTimer rest;  // the inspector and whatever else waits for a pause has its turn
    rest.start();
    while (ms(rest) < 150) QApplication::processEvents(QEventLoop::AllEvents, 5);
  }
  std::printf(" an edit of a level's bandwidth\n");
  checked.print("until checked");
  drawn.print("until the views have it");
  histories.print("until the solve is asked for");
  listened.print("until all listeners are through");
  sync.print("edit call on the GUI thread");
  firstLook.print("re-costed plan painted");
  shown.print("new plan painted");

  // A drag: one step each 16 ms, whatever the program does meanwhile.
  Figures held, lag;
  const double base =
      std::get<LevelsSource>(window.document().scenario().cluster.network).levels[1].bandwidth.value();
  QElapsedTimer drag;
  drag.start();
  int step = 0, plans = 0;
  double stepAt = 0;
  int stepGeneration = 0, answeredGeneration = 0;
  QObject::connect(&window.session(), &PlanningSession::contextChanged, &window, [&] {
    const auto& c = *window.session().context();
    if (!c.problem || c.generation == answeredGeneration) return;
    answeredGeneration = c.generation;
    ++plans;
  });
  while (step < 120) {
    QElapsedTimer turn;
    turn.start();
    window.document().preview([&](Scenario& s) {
      std::get<LevelsSource>(s.cluster.network).levels[1].bandwidth =
          BytesPerSecond(base * (1 + 0.01 * step));
    });
    stepAt = ms(drag);
    stepGeneration = window.document().generation();
    QApplication::processEvents();
    held.add(ms(turn));
    if (answeredGeneration == stepGeneration) lag.add(ms(drag) - stepAt);
    while (ms(turn) < 16) QApplication::processEvents(QEventLoop::AllEvents, 1);
    ++step;
  }
  QElapsedTimer rest;
  rest.start();
  settle(window, 10'000);
  std::printf(" a drag of the same figure, one step each 16 ms: %d of %d steps shown\n", plans, step);
  held.print("a step: edit, re-cost, paint");
  std::printf("  optimum of the last step shown after %.1f ms\n", ms(rest));
}

}  // namespace

int main(int argc, char** argv) {
  QApplication app(argc, argv);
  for (const QString& path : app.arguments().mid(1)) measure(path);
}
