// A chart labels what stands there, wherever Qt Charts would lay out a plot of its own.
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "export/svg_device.h"
#include "figures/paint/axis.h"
#include "figures/paint/chart.h"
#include "figures/paint/figure_painter.h"
#include "support/test_main.h"
#include "text_recorder.h"

using namespace nest;

namespace {

using Words = std::vector<test::TextRecorder::Word>;

ChartPlane planeOf(const QRectF& plot) {
  return {plot, ChartScale::linear(Axis::memory(60.0 * (1 << 30), 6), QStringLiteral("Memory")),
          ChartScale::powers(0.9, 130, 12, QStringLiteral("Time"))};
}

template <class Draw>
Words wordsOf(Draw draw) {
  test::TextRecorder page({900, 600});
  QPainter painter(&page);
  const FigureStyle style;
  FigurePainter ink(painter, style);
  draw(ink);
  painter.end();
  return page.words();
}

}  // namespace

class TestChart : public QObject {
  Q_OBJECT
private slots:
  void ticksStandWhereValuesDo() {
    const ChartPlane plane = planeOf({100, 60, 640, 420});
    const Words words = wordsOf([&](FigurePainter& ink) { Chart(ink, plane).paint(); });
    for (const bool across : {true, false})
      for (const auto& tick : across ? plane.x.ticks : plane.y.ticks) {
        const QPointF at = across ? plane.at(tick.value, plane.y.low) : plane.at(0, tick.value);
        const bool found = std::any_of(words.begin(), words.end(), [&](const auto& w) {
          const QPointF off = w.box.center() - at;
          return w.text == tick.text && std::abs(across ? off.x() : off.y()) < 2 &&
                 (across ? off.y() > 0 && off.y() < 24 : off.x() < 0 && off.x() > -40);
        });
        QVERIFY2(found, qPrintable(tick.text));
      }
    QVERIFY(plane.x.ticks.size() >= 4 && plane.y.ticks.size() >= 4);
    QVERIFY(std::any_of(words.begin(), words.end(),
                        [](const auto& w) { return w.text == QStringLiteral("Time, logarithmic"); }));
  }

  /// Fronts often span less than a factor of two: no power of ten, and no multiple of one, lies between.
  void everyLogarithmicScaleHasTicks() {
    for (const auto& [low, high] :
         {std::pair(1.05, 1.95), {0.31, 0.39}, {210.0, 290.0}, {0.9, 130.0}, {3.2, 9000.0}})
      for (const int most : {3, 6, 12}) {
        const ChartScale scale = ChartScale::powers(low, high, most, {});
        QVERIFY2(scale.ticks.size() >= 2, qPrintable(QString::number(low)));
        for (const auto& tick : scale.ticks)
          QVERIFY(scale.share(tick.value) >= 0 && scale.share(tick.value) <= 1);
        QVERIFY(high > 100 * low || scale.ticks.size() <= static_cast<std::size_t>(most));
      }
  }

  void labelsAcrossKeepApart() {
    ChartPlane plane = planeOf({100, 60, 640, 420});
    plane.x.ticks.clear();
    for (int i = 0; i <= 200; ++i)
      plane.x.ticks.push_back({plane.x.high * i / 200, QStringLiteral("v%1").arg(i)});
    Words across;
    for (const auto& w : wordsOf([&](FigurePainter& ink) { Chart(ink, plane).paint(); }))
      if (w.text.startsWith(u'v')) across.push_back(w);
    std::sort(across.begin(), across.end(),
              [](const auto& a, const auto& b) { return a.box.left() < b.box.left(); });
    QVERIFY(across.size() >= 10);
    for (std::size_t i = 1; i < across.size(); ++i)
      QVERIFY2(across[i].box.left() > across[i - 1].box.right(), qPrintable(across[i].text));
  }

  void namesCoverNoMarkAndNoName() {
    const ChartPlane plane = planeOf({100, 60, 640, 420});
    QPolygonF marks;
    for (int i = 0; i < 60; ++i)
      marks << QPointF(plane.x.high * std::fmod(i * 0.618, 1), 1 * std::pow(100.0, std::fmod(i * 0.414, 1)));
    Words names;
    for (
        const auto& w : wordsOf([&](FigurePainter& ink) {
          Chart chart(ink, plane);
          chart.marks(marks, {10, QBrush(Qt::black)});
          chart.paint();
          for (const QPointF& v : marks)
            chart.name(plane.at(v.x(), v.y()), 5, {QStringLiteral("name of a plan"), QStringLiteral("name")});
        }))
      if (w.text.startsWith(QStringLiteral("name"))) names.push_back(w);
    QVERIFY(names.size() > 20);
    for (std::size_t i = 0; i < names.size(); ++i) {
      for (std::size_t j = i + 1; j < names.size(); ++j) QVERIFY(!names[i].box.intersects(names[j].box));
      int near = 0;  // a name is read as that of the mark beside it: there is one
      for (const QPointF& v : marks) {
        const QPointF at = plane.at(v.x(), v.y());
        QVERIFY(!names[i].box.contains(at));
        near += QRectF(at.x() - 5, at.y() - 5, 10, 10).adjusted(-9, -9, 9, 9).intersects(names[i].box);
      }
      QVERIFY2(near <= 1, qPrintable(names[i].text));
    }
  }

  void namesKeepOffLinesWhereThereIsRoom() {
    const ChartPlane plane = planeOf({100, 60, 640, 420});
    const QPolygonF rising{{plane.x.high * 0.1, 3}, {plane.x.high * 0.5, 20}, {plane.x.high * 0.9, 90}};
    const auto words = wordsOf([&](FigurePainter& ink) {
      Chart chart(ink, plane);
      chart.line(rising, QPen(Qt::black, 2));
      chart.paint();
      for (const QPointF& v : rising)
        chart.name(plane.at(v.x(), v.y()), 5, {QStringLiteral("name of a plan")});
    });
    int names = 0;
    for (const auto& w : words) {
      if (!w.text.startsWith(QStringLiteral("name"))) continue;
      ++names;
      for (double share = 0; share <= 1; share += 0.001)
        for (int part : {0, 1}) {
          const QLineF line(plane.at(rising[part].x(), rising[part].y()),
                            plane.at(rising[part + 1].x(), rising[part + 1].y()));
          QVERIFY(!w.box.contains(line.pointAt(share)));
        }
    }
    QCOMPARE(names, 3);
  }

  /// A value that is missing breaks the line and has no mark; nothing is rasterised.
  void linesBreakWhereNothingIs() {
    const ChartPlane plane = planeOf({100, 60, 640, 420});
    const auto pathsOf = [&](double missing) {
      SvgDevice page({900, 600}, {}, {});
      QPainter painter(&page);
      const FigureStyle style;
      FigurePainter ink(painter, style);
      Chart chart(ink, plane);
      QPolygonF values;
      for (int i = 1; i <= 5; ++i) values << QPointF(plane.x.high * i / 6, i == 3 ? missing : 10.0 * i);
      chart.line(values, QPen(QColor(0x12, 0x34, 0x56), 2));
      chart.marks(values, {8, QColor(0x65, 0x43, 0x21)});
      chart.paint();
      painter.end();
      return page.svg();
    };
    const auto segments = [](const QByteArray& svg) {
      const auto at = svg.indexOf("stroke=\"#123456\"");
      return svg.mid(at, svg.indexOf("/>", at) - at).count('M');
    };
    const QByteArray whole = pathsOf(30), broken = pathsOf(std::nan(""));
    QCOMPARE(segments(whole), 4);
    QCOMPARE(segments(broken), 2);
    QCOMPARE(whole.count("#654321"), 5);
    QCOMPARE(broken.count("#654321"), 4);
    QVERIFY(!whole.contains("<image") && !broken.contains("nan"));
  }
};
NEST_TEST(TestChart)
#include "test_chart.moc"
