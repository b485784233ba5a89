#include <QElapsedTimer>
#include <QGuiApplication>
#include <QImage>
#include <QPainter>
#include <cstdio>

#include "catalogue/registry.h"
#include "figures/topology/topology_figure.h"
#include "plan_contexts.h"
#include "support/test_main.h"

using namespace nest;

namespace {

struct Case {
  const char* name;
  test::ContextShape shape;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all = [] {
    std::vector<Case> out;
    test::ContextShape s;
    s.fanouts = {4, 2}, s.stages = 1, s.tensor = 4, s.blocks = 4, s.parametersPerBlock = 2e8;
    out.push_back({"p1_n8", s});
    s = {};
    out.push_back({"p4_n128", s});
    s.memoryGiB = 46;
    out.push_back({"miss_n128", s});
    s = {};
    s.fanouts = {8, 4, 32}, s.stages = 16, s.blocks = 94;
    out.push_back({"p16_n1024", s});
    s.stages = 64;
    out.push_back({"p64_n1024", s});
    s.stages = 8, s.inner = 1, s.fanouts = {8, 4, 16, 32};
    out.push_back({"p8_n16384", s});
    s.stages = 100, s.blocks = 398, s.fanouts = {8, 4, 32};
    out.push_back({"p100_n1024", s});
    return out;
  }();
  return all;
}

}  // namespace

/// Writes every figure to the folder in NEST_PICTURES, and prints how long a frame takes; without it, only
/// checks that each figure paints something and stays inside its area.
class TestPictures : public QObject {
  Q_OBJECT
private slots:
  void every_data() {
    QTest::addColumn<int>("index");
    for (std::size_t i = 0; i < cases().size(); ++i) QTest::newRow(cases()[i].name) << static_cast<int>(i);
  }
  void every() {
    QFETCH(int, index);
    const QString dir = qEnvironmentVariable("NEST_PICTURES");
    const QString only = qEnvironmentVariable("NEST_FIGURE");
    const PlanContext context = test::contextOf(cases()[index].shape);
    for (const auto& figure : planFigures()) {
      if (auto* topology = dynamic_cast<TopologyFigure*>(figure.get());
          topology && qEnvironmentVariableIsSet("NEST_TRAFFIC"))
        topology->setTraffic(TopologyFigure::kAllTraffic);
      if (!only.isEmpty() && figure->id() != only) continue;
      // 85 × 60 mm is a column of a journal.
      for (const QSize size : {QSize(321, 227), QSize(600, 400), QSize(1200, 700), QSize(2400, 1400)}) {
        for (const auto kind : {Theme::Kind::Light, Theme::Kind::Dark, Theme::Kind::Print}) {
          const bool column = size.width() == 321;
          if (column ? kind != Theme::Kind::Print : kind != Theme::Kind::Light && size.width() != 1200)
            continue;
          const double scale = column ? 4 : 1;
          QImage image(size * scale, QImage::Format_RGB32);
          image.setDevicePixelRatio(scale);
          image.fill(Qt::magenta);
          FigureStyle style;
          style.theme = &Theme::of(kind);
          style.standalone = kind == Theme::Kind::Print;
          std::vector<double> times;
          for (int k = 0; k < (dir.isEmpty() ? 1 : 5); ++k) {
            QElapsedTimer timer;
            timer.start();
            QPainter painter(&image);
            figure->paint(painter, QRectF(QPointF(0, 0), size), context, style);
            painter.end();
            times.push_back(static_cast<double>(timer.nsecsElapsed()) * 1e-6);
          }
          QCOMPARE(image.pixelColor(1, 1), style.theme->color(Theme::Role::Canvas));
          if (dir.isEmpty()) continue;
          const char* themeName = kind == Theme::Kind::Light  ? "light"
                                  : kind == Theme::Kind::Dark ? "dark"
                                                              : "print";
          image.save(
              QStringLiteral("%1/%2_%3_%4_%5.png")
                  .arg(dir, figure->id(), QLatin1String(QTest::currentDataTag()), QLatin1String(themeName))
                  .arg(size.width()));
          std::sort(times.begin(), times.end());
          std::printf("%-14s %-12s %-5s %4d px  first %.1f ms median %.1f ms\n", qPrintable(figure->id()),
                      QTest::currentDataTag(), themeName, size.width(), times.back(),
                      times[times.size() / 2]);
        }
      }
    }
  }
};
NEST_TEST(TestPictures)
#include "test_pictures.moc"
