// How long a frame takes while a figure is zoomed, panned or hovered, and while a slider or a cut is dragged:
// from the event to the end of the paint that follows it. Median, 95th percentile and largest, in ms, then
// median and 95th percentile of the processor time.
//   bench_frames [SCENARIO...] [-platform offscreen]
// Figures are painted from plans made by hand; sliders and cuts are dragged in each SCENARIO as it is and on
// sixteen times its devices. Playing: the step runs over Topology and Timeline, a frame every 16 ms of it.
#include <QApplication>
#include <QElapsedTimer>
#include <QMouseEvent>
#include <QSlider>
#include <QWheelEvent>
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>
#include <vector>

#include "../../ui/figures/plan_contexts.h"
#include "catalogue/registry.h"
#include "document/playback.h"
#include "editors/cuts/cut_canvas.h"
#include "editors/cuts/cut_view.h"
#include "editors/what_if/what_if_view.h"
#include "figures/plan/communication_figure.h"
#include "figures/topology/topology_figure.h"
#include "plan/plan_edit.h"
#include "solver/solve.h"
#include "views/figure_canvas.h"
#include "window/main_window.h"
#include "window/views_area.h"

using namespace nest;

namespace {

/// Processor time of all threads: what is left of a figure when others use the machine as well.
double processorMs() {
  return 1e3 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

class Frames {
public:
  void time(const std::function<void()>& step) {
    QElapsedTimer clock;
    const double before = processorMs();
    clock.start();
    step();
    m_ms.push_back(static_cast<double>(clock.nsecsElapsed()) * 1e-6);
    m_processor.push_back(processorMs() - before);
  }
  void print(const QString& name) {
    if (m_ms.empty()) return;
    std::printf("  %-44s median %7.2f  p95 %7.2f  max %7.2f   processor %7.2f %7.2f\n", qPrintable(name),
                at(m_ms, 0.5), at(m_ms, 0.95), at(m_ms, 1), at(m_processor, 0.5), at(m_processor, 0.95));
    std::fflush(stdout);
  }

private:
  static double at(std::vector<double>& ms, double share) {
    std::sort(ms.begin(), ms.end());
    return ms[std::min(ms.size() - 1, static_cast<std::size_t>(share * static_cast<double>(ms.size())))];
  }
  std::vector<double> m_ms, m_processor;
};

void send(QWidget& widget, QEvent::Type type, const QPointF& at, Qt::MouseButtons buttons) {
  const Qt::MouseButton button = type == QEvent::MouseMove ? Qt::NoButton : Qt::LeftButton;
  QMouseEvent e(type, at, widget.mapToGlobal(at), button, buttons, Qt::NoModifier);
  QApplication::sendEvent(&widget, &e);
}

void wheel(QWidget& widget, const QPointF& at, int delta) {
  QWheelEvent e(at, widget.mapToGlobal(at), {}, {0, delta}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase,
                false);
  QApplication::sendEvent(&widget, &e);
}

/// Zooms in to sixteen times, drags about, zooms out; then moves the mouse over everything.
void measure(InteractiveFigure& figure, const PlanContext& context, const QString& name) {
  Selection selection;
  FigureCanvas canvas(figure, selection);
  canvas.resize(1400, 850);
  canvas.setVisible(true);
  QApplication::processEvents();  // nothing is painted before the window is exposed
  canvas.show(context, Theme::of(Theme::Kind::Light));
  Frames first, zoom, pan, hover;
  first.time([&] { canvas.repaint(); });
  first.print(name + QStringLiteral(", first"));
  const QPointF middle(640, 400);
  if (figure.canZoom()) {
    for (int k = 0; k < 30; ++k) zoom.time([&] { wheel(canvas, middle, 62), canvas.repaint(); });
    send(canvas, QEvent::MouseButtonPress, middle, Qt::LeftButton);
    for (int k = 0; k < 60; ++k) {
      const double angle = 0.1 * k;
      const QPointF at = middle + QPointF(300 * std::sin(angle), 120 * std::sin(2 * angle));
      pan.time([&] { send(canvas, QEvent::MouseMove, at, Qt::LeftButton), canvas.repaint(); });
    }
    send(canvas, QEvent::MouseButtonRelease, middle, Qt::NoButton);
    for (int k = 0; k < 30; ++k) zoom.time([&] { wheel(canvas, middle, -62), canvas.repaint(); });
    zoom.print(name + QStringLiteral(", zoom"));
    pan.print(name + QStringLiteral(", pan"));
  }
  for (int k = 0; k < 60; ++k)
    hover.time([&] {
      send(canvas, QEvent::MouseMove, QPointF(100 + 17 * k, 120 + 8 * k), Qt::NoButton);
      canvas.repaint();
    });
  hover.print(name + QStringLiteral(", hover"));
}

/// Plays the step: the playhead moves on by 16 ms at the given speed, and both figures are painted.
void play(InteractiveFigure& figure, const PlanContext& context, const QString& name) {
  Selection selection;
  FigureCanvas canvas(figure, selection);
  canvas.resize(1400, 850);
  canvas.setVisible(true);
  QApplication::processEvents();
  canvas.show(context, Theme::of(Theme::Kind::Light));
  canvas.repaint();
  Playback& playback = selection.playback();
  playback.setPlan(context);
  const ScheduleReplay* replay = playback.replay();
  if (!replay) return;
  playback.setSpeed(2);
  Frames frames;
  for (int k = 0; k < 200; ++k) {
    if (k % 40 == 0) playback.moveTo(replay->end() * (0.01 + 0.0049 * k));
    frames.time([&] {
      playback.advance(0.016);
      canvas.repaint();
    });
  }
  frames.print(name);
}

void measureFigures() {
  struct Case {
    const char* name;
    std::vector<int> fanouts;
    int stages, microbatches, inner;
  };
  const Case cases[] = {{"1,024 devices", {8, 4, 32}, 16, 32, 1},
                        {"16,384 devices", {8, 4, 16, 32}, 8, 32, 1},
                        {"131,072 devices", {8, 8, 64, 32}, 8, 32, 1},
                        {"100 stages x 1,000 microbatches", {8, 4, 32}, 100, 1000, 1}};
  for (const Case& c : cases) {
    test::ContextShape shape;
    shape.fanouts = c.fanouts, shape.stages = c.stages, shape.microbatches = c.microbatches;
    shape.inner = c.inner, shape.blocks = std::max(94, 4 * c.stages - 2);
    const PlanContext context = test::contextOf(shape);
    std::printf("%s\n", c.name);
    for (const auto& figure : planFigures()) {
      if (figure->showsPlayhead()) play(*figure, context, figure->title() + QStringLiteral(", playing"));
      measure(*figure, context, figure->title());
      if (auto* topology = dynamic_cast<TopologyFigure*>(figure.get())) {
        topology->fit();
        topology->setFolding(Folding::Nothing);
        play(*topology, context, QStringLiteral("Topology, nothing folded, playing"));
        measure(*topology, context, QStringLiteral("Topology, nothing folded"));
        topology->setTraffic(TopologyFigure::kAllTraffic);
        measure(*topology, context, QStringLiteral("Topology, with traffic"));
      }
      if (auto* heat = dynamic_cast<CommunicationFigure*>(figure.get())) {
        auto options = heat->shown();
        options.groups = -1;
        heat->setOptions(options);
        measure(*heat, context, QStringLiteral("Communication, by device"));
      }
    }
  }
}

bool settle(MainWindow& window, double limitMs) {
  QElapsedTimer clock;
  clock.start();
  const auto answered = [&] {
    const auto& c = *window.session().context();
    return c.current && c.generation == window.document().generation();
  };
  while (!answered() && static_cast<double>(clock.elapsed()) < limitMs)
    QApplication::processEvents(QEventLoop::AllEvents, 2);
  QApplication::sendPostedEvents();
  QApplication::processEvents();
  return answered();
}

template <class V>
V* viewOf(MainWindow& window) {
  for (View* view : window.views().views())
    if (auto* found = qobject_cast<V*>(view)) return found;
  return nullptr;
}

void dragSlider(MainWindow& window, const QString& field) {
  auto* whatIf = viewOf<WhatIfView>(window);
  window.views().showAlone(whatIf->id());
  QApplication::processEvents();
  QSlider* slider = whatIf->sliderOf(field);
  if (!slider) return;
  const int from = slider->value();
  Frames step, shown;
  slider->setSliderDown(true);
  for (int k = 1; k <= 60; ++k) {
    QElapsedTimer turn;
    turn.start();
    step.time([&] {
      slider->setSliderPosition(from + (k <= 30 ? k : 60 - k));
      QApplication::processEvents();
    });
    while (turn.elapsed() < 16) QApplication::processEvents(QEventLoop::AllEvents, 1);
  }
  for (int k = 1; k <= 20; ++k)
    shown.time([&] {
      slider->setSliderPosition(from + (k % 2 ? 12 : -12));
      settle(window, 10'000);
    });
  slider->setSliderDown(false);
  settle(window, 20'000);
  step.print(QStringLiteral("slider %1, a step").arg(field));
  shown.print(QStringLiteral("slider %1, until its plan is shown").arg(field));
}

void dragCut(MainWindow& window) {
  auto* cuts = viewOf<CutView>(window);
  window.views().showAlone(cuts->id());
  QApplication::processEvents();
  CutCanvas& canvas = cuts->canvas();
  if (!canvas.plan() || canvas.plan()->stageCount() < 2) return;
  const QPointF from = canvas.cutPosition(1);
  Frames step;
  send(canvas, QEvent::MouseButtonPress, from, Qt::LeftButton);
  for (int k = 1; k <= 60; ++k)
    step.time([&] {
      send(canvas, QEvent::MouseMove, from + QPointF(150 * std::sin(0.2 * k), 0), Qt::LeftButton);
      QApplication::processEvents();
      canvas.repaint();
    });
  send(canvas, QEvent::MouseButtonRelease, from, Qt::NoButton);
  step.print(QStringLiteral("a cut of %1 stages, a step").arg(canvas.plan()->stageCount()));
}

void measureDrags(const QString& path) {
  WindowOptions options;
  options.theme = Theme::Kind::Light;
  options.size = {1600, 1000};
  options.remembers = false;
  MainWindow window([](const Problem& p, const Control& c, const Plan* s) { return solve(p, c, s); },
                    options);
  window.openPath(path);
  window.show();
  for (const int times : {1, 16}) {
    if (times > 1)
      window.document().edit({}, QStringLiteral("x"), [times](Scenario& s) {
        if (auto* levels = std::get_if<LevelsSource>(&s.cluster.network))
          levels->levels.back().fanout *= times;
        s.job.globalBatch *= times;
      });
    if (!settle(window, 60'000)) return;
    std::printf("%s, %d devices\n", qPrintable(path),
                window.session().context()->problem->cluster->deviceCount());
    dragSlider(window, QStringLiteral("/cluster/levels/1/bandwidth_bytes_per_s"));
    dragSlider(window, QStringLiteral("/cluster/device/memory_bytes"));
    dragCut(window);
  }
}

}  // namespace

int main(int argc, char** argv) {
  QApplication app(argc, argv);
  measureFigures();
  for (const QString& path : app.arguments().mid(1)) measureDrags(path);
}
