// Frame times of the drawing canvas while it is panned, zoomed and while a node is dragged over it, folded
// and drawn one by one; and how long one edit takes until it is on the canvas.
//   bench_canvas [HOSTS...] [-platform offscreen]     8 devices a host; 128 and 2048 hosts if none are given
#include <QApplication>
#include <QElapsedTimer>
#include <QMouseEvent>
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>
#include <vector>

#include "cluster/devices/device_catalog.h"
#include "document/scenario_document.h"
#include "editors/network/network_editor.h"

using namespace nest;

namespace {

Scenario fabricOf(int hosts) {
  Scenario s;
  s.cluster.device = *findDevice("h100-sxm");
  LevelsSource levels;
  levels.levels.resize(3);
  levels.levels[0] = {"host", 8, BytesPerSecond(450e9), {}, Seconds(2e-6)};
  levels.levels[1] = {"leaf", 16, BytesPerSecond(50e9), {}, Seconds(4e-6)};
  levels.levels[2] = {"spine", hosts / 16, BytesPerSecond(12.5e9), {}, Seconds(8e-6)};
  GraphSource drawn;
  drawn.graph = graph::fromLevels(levels);
  s.cluster.network = drawn;
  return s;
}

double ms(const QElapsedTimer& clock) {
  return static_cast<double>(clock.nsecsElapsed()) * 1e-6;
}

/// What the thread itself computed: on a busy machine frames wait for others too.
double threadMs() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) * 1e-6;
}

void measure(const char* name, int frames, const std::function<void(int)>& step) {
  std::vector<double> times, own;
  for (int i = 0; i < frames; ++i) {
    QElapsedTimer clock;
    clock.start();
    const double before = threadMs();
    step(i);
    own.push_back(threadMs() - before);
    times.push_back(ms(clock));
  }
  std::sort(times.begin(), times.end());
  std::sort(own.begin(), own.end());
  const auto at = [](const std::vector<double>& v, std::size_t percent) {
    return v[v.size() * percent / 100];
  };
  std::printf("    %-32s median %6.1f  p95 %6.1f ms; of the thread alone %6.1f  %6.1f ms\n", name,
              at(times, 50), at(times, 95), at(own, 50), at(own, 95));
}

void send(QWidget& w, QEvent::Type type, QPointF at, Qt::MouseButton button) {
  const auto held = type == QEvent::MouseButtonRelease ? Qt::MouseButtons() : Qt::MouseButtons(button);
  QMouseEvent e(type, at, w.mapToGlobal(at), type == QEvent::MouseMove ? Qt::NoButton : button, held, {});
  QApplication::sendEvent(&w, &e);
}

void frames(NetworkCanvas& canvas) {
  const QPointF middle(canvas.width() / 2.0, canvas.height() / 2.0);
  canvas.fit();
  const auto pan = [&](int i) {
    send(canvas, QEvent::MouseMove, middle + QPointF(i % 40 * 4, i % 30 * 3), Qt::MiddleButton);
    canvas.repaint();
  };
  send(canvas, QEvent::MouseButtonPress, middle, Qt::MiddleButton);
  measure("pan, all in sight", 60, pan);
  send(canvas, QEvent::MouseButtonRelease, middle, Qt::MiddleButton);
  measure("zoom in and out", 120, [&](int i) {
    canvas.zoomBy(i < 60 ? 1.08 : 1 / 1.08, middle);
    canvas.repaint();
  });
  canvas.fit();
  measure("hover", 60, [&](int i) {
    send(canvas, QEvent::MouseMove, middle + QPointF(i * 5, i * 2), Qt::NoButton);
    canvas.repaint();
  });
}

void dragOne(NetworkCanvas& canvas) {
  const auto& g = canvas.graph();
  int host = -1;
  for (std::size_t i = 0; i < g.nodes.size() && host < 0; ++i)
    if (g.nodes[i].kind == NodeKind::Switch) host = static_cast<int>(i);
  canvas.jumpTo(host, -1);
  const NetworkNode& n = g.nodes[host];
  const QPointF at = canvas.toWidget({n.x, n.y});
  canvas.zoomBy(0.2, at);
  send(canvas, QEvent::MouseButtonPress, at, Qt::LeftButton);
  measure("drag a switch", 60, [&](int i) {
    send(canvas, QEvent::MouseMove, at + QPointF(i * 2, i), Qt::LeftButton);
    canvas.repaint();
  });
  measure("drop it: edit, levels, picture", 1, [&](int) {
    send(canvas, QEvent::MouseButtonRelease, at + QPointF(120, 60), Qt::LeftButton);
    canvas.repaint();
  });
}

void bench(int hosts) {
  ScenarioDocument document;
  Selection selection;
  NetworkEditor editor({&selection, &document, nullptr});
  editor.resize(1600, 1000);
  editor.show();
  document.reset(fabricOf(hosts), {});
  QElapsedTimer clock;
  clock.start();
  editor.setContext(std::make_shared<PlanContext>());
  QApplication::processEvents();
  std::printf("%d devices; first picture after %.1f ms\n", hosts * 8, ms(clock));
  for (const auto when : {Folding::Everything, Folding::Nothing}) {
    clock.start();
    editor.canvas().setFolding(when);
    editor.canvas().repaint();
    std::printf("  %s; laid out after %.1f ms\n", when == Folding::Everything ? "folded" : "one by one",
                ms(clock));
    frames(editor.canvas());
  }
  dragOne(editor.canvas());
}

}  // namespace

int main(int argc, char** argv) {
  QApplication app(argc, argv);
  QCoreApplication::setOrganizationName(QStringLiteral("nest-bench"));
  QStringList sizes = app.arguments().mid(1);
  if (sizes.isEmpty()) sizes = {QStringLiteral("128"), QStringLiteral("2048")};
  for (const QString& hosts : sizes) bench(hosts.toInt());
}
