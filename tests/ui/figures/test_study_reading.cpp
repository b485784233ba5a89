// What stands in the figures of studies can be read.
#include <QImage>
#include <QLineF>
#include <cmath>

#include "figures/paint/phrases.h"
#include "figures/study/curve_figure.h"
#include "figures/study/sweep_figure.h"
#include "reading.h"
#include "support/test_main.h"

using namespace nest;
using namespace nest::test;

class TestStudyReading : public QObject {
  Q_OBJECT
private slots:
  /// The values of a large sweep have room beside each other, in both directions.
  void manyValuesOfASweepStandApart() {
    StudyRecord r;
    r.quantity = "Throughput, samples/s", r.acrossName = "bandwidth", r.upName = "global batch";
    for (int i = 0; i < 100; ++i) {
      r.across.push_back({1e9 * (i + 1), std::to_string(i + 1) + " GB/s", i == 50});
      r.up.push_back({64.0 + i, std::to_string(64 + i), i == 30});
    }
    r.results.assign(10'000, {100, "100 samples/s", "TP8", "", {}});
    SweepFigure sweep;
    sweep.setRecord(r);
    for (const QSize size : {QSize(560, 260), QSize(1600, 900)}) {
      std::vector<QRectF> across, up;
      for (const auto& w : wordsOf(sweep, planOn(4, {8, 4, 4}), size)) {
        if (w.text.endsWith(QStringLiteral("GB/s"))) across.push_back(w.box);
        if (QRegularExpression(QStringLiteral("^\\d+$")).match(w.text).hasMatch()) up.push_back(w.box);
      }
      QVERIFY(across.size() >= 3 && up.size() >= 3);
      for (std::size_t i = 1; i < across.size(); ++i) QVERIFY(across[i].left() >= across[i - 1].right());
      for (std::size_t i = 1; i < up.size(); ++i) QVERIFY(up[i].bottom() <= up[i - 1].top() + 2);
    }
  }

  /// Of many values every second, fourth, … is labelled, the present one among them.
  void valuesOfACurveAreLabelledEvenly() {
    StudyRecord r;
    r.quantity = "Throughput, samples/s", r.acrossName = "bandwidth";
    for (int i = 0; i < 17; ++i) {
      const double v = 0.625e9 * std::pow(2.0, i / 2.0);
      r.across.push_back({v, text::bandwidth(BytesPerSecond(v)), i == 8});
    }
    r.results.assign(17, {100, "100 samples/s", "TP8", "", {}});
    CurveFigure curve;
    curve.setRecord(r);
    for (const int width : {420, 560, 900, 1600}) {
      std::vector<int> labelled;
      for (const auto& w : wordsOf(curve, planOn(4, {8, 4, 4}), {width, 320}))
        for (int i = 0; i < 17; ++i)
          if (w.text == phrase(r.across[std::size_t(i)].text)) labelled.push_back(i);
      std::sort(labelled.begin(), labelled.end());
      QVERIFY(labelled.size() >= 3);
      QVERIFY(std::ranges::count(labelled, 8) == 1);
      for (std::size_t i = 2; i < labelled.size(); ++i)
        QCOMPARE(labelled[i] - labelled[i - 1], labelled[1] - labelled[0]);
    }
  }

  void aPartOfASweepIsOneSentence() {
    StudyRecord r;
    r.quantity = "Throughput, samples/s", r.acrossName = "devices", r.upName = "global batch";
    r.across = {{8, "8"}, {16, "16"}}, r.up = {{1, "1"}, {2, "2"}};
    r.results = {{2, "2 samples/s", "TP8", "", {}}};
    SweepFigure sweep;
    sweep.setRecord(r);
    const Words words = wordsOf(sweep, planOn(4, {8, 4, 4}), {1000, 500});
    QCOMPARE(
        matching(words, "^1 of 4 values so far: most 2 samples/s at devices 8 and global batch 1; ").size(),
        1);
    r.results.resize(4, r.results.front());
    sweep.setRecord(r);
    QCOMPARE(matching(wordsOf(sweep, planOn(4, {8, 4, 4}), {1000, 500}), "^Most 2 samples/s at").size(), 1);
  }

  /// Where the best plan changes between two cells of a sweep is seen in light and dark ones.
  void bordersOfASweepStandOut() {
    for (const Theme::Kind kind : {Theme::Kind::Light, Theme::Kind::Dark})
      for (const double share : {0.0, 0.5, 1.0}) {
        StudyRecord r;
        r.quantity = "Throughput, samples/s", r.acrossName = "bandwidth", r.upName = "global batch";
        r.across = {{1, "1"}, {2, "2"}, {4, "4"}}, r.up = {{1, "1"}, {2, "2"}};
        r.results.assign(6, {100 * share + 1, "x", "TP8", "", {}});
        r.results[0].y = 1, r.results[3].y = 101;
        for (const std::size_t i : {2, 5}) r.results[i].plan = "TP4";
        SweepFigure sweep;
        sweep.setRecord(r);
        const PlanContext c = planOn(4, {8, 4, 4});
        const QRectF area(0, 0, 900, 500);
        QImage page(900, 500, QImage::Format_RGB32);
        QPainter painter(&page);
        FigureStyle style;
        style.theme = &Theme::of(kind);
        sweep.paint(painter, area, c, style);
        painter.end();
        const QRectF left = sweep.locate(ListFigure::itemOf(1), area, c)->area;
        int lightest = 0, darkest = 255;
        for (int x = int(left.right()) - 4; x <= int(left.right()) + 4; ++x) {
          const int l = page.pixelColor(x, int(left.top() + 6)).lightness();
          lightest = std::max(lightest, l), darkest = std::min(darkest, l);
        }
        QVERIFY2(lightest - darkest > 150, qPrintable(QString::number(share)));
      }
  }

  void aStudySaysWhatItFound() {
    const PlanContext c = planOn(4, {8, 4, 4});
    CurveFigure f;
    StudyRecord r;
    r.quantity = "Throughput, samples/s", r.acrossName = "devices";
    r.across = {{8, "8"}, {16, "16"}, {32, "32", true}};
    const auto result = [](double y, const char* change) {
      return StudyRecord::Result{y, y > 0 ? text::number(y, 4) + " samples/s" : "", "t8", change, {}};
    };
    r.results = {result(0, ""), result(20, ""), result(1500, "Stages 1 → 2")};
    f.setRecord(r);
    const Words words = wordsOf(f, c, {1000, 640});
    QCOMPARE(
        matching(words,
                 "^From 20 samples/s at 16 to 1,500 samples/s at 32; the plan changes once; no plan fits "
                 "at 1 of 3 values$")
            .size(),
        1);
    QCOMPARE(matching(words, "^1,000$").size(), 1);
    r.results = {result(0, "")}, r.across.resize(1);
    f.setRecord(r);
    QCOMPARE(matching(wordsOf(f, c, {1000, 640}), "^No plan fits").size(), 1);
  }

  /// 8.45 samples/s at 64 devices are 135.2 at 1,024 when scaling is perfect, wherever the line is read.
  void linearScalingIsRightAllAlongTheLine() {
    const PlanContext c = planOn(4, {8, 4, 4});
    CurveFigure f;
    StudyRecord r;
    r.quantity = "Throughput, samples/s", r.acrossName = "devices", r.heldBatch = 1536;
    for (int n = 64; n <= 1024; n *= 2) r.across.push_back({double(n), std::to_string(n), n == 128});
    for (const double y : {8.45, 16.5, 32.0, 62.0, 121.0})
      r.results.push_back({y, text::number(y) + " samples/s", "t8", {}, {}});
    f.setRecord(r);
    QCOMPARE(f.linearAt(1024), 135.2);
    const QRectF area(0, 0, 1000, 640);
    const QPointF a = f.pointOf(64, 8.45, area, c, false), b = f.pointOf(1024, 135.2, area, c, false);
    for (const double x : {128.0, 200.0, 512.0}) {
      const QPointF at = f.pointOf(x, f.linearAt(x), area, c, false);
      const double chord = a.y() + (b.y() - a.y()) * (at.x() - a.x()) / (b.x() - a.x());
      QVERIFY(std::abs(at.y() - chord) < 0.01);
      QVERIFY(area.contains(at));
    }
    const Words words = wordsOf(f, c, {1000, 640});
    QCOMPARE(matching(words, "^linear scaling$").size(), 1);
    QCOMPARE(matching(words, "89.5 % of linear; global batch held at 1,536 .strong scaling.").size(), 1);
    // Without held batch (a sweep of a bandwidth) there is no such line.
    r.heldBatch = 0;
    f.setRecord(r);
    QCOMPARE(matching(wordsOf(f, c, {1000, 640}), "linear|logarithmic").size(), 0);
  }

  void aPartOfAStudyIsNotTheWhole() {
    const PlanContext c = planOn(4, {8, 4, 4});
    CurveFigure f;
    StudyRecord r;
    r.quantity = "Throughput, samples/s", r.acrossName = "devices", r.heldBatch = 64;
    for (int n = 8; n <= 128; n *= 2) r.across.push_back({double(n), std::to_string(n)});
    r.results = {{2, "2 samples/s", "t8", {}, {}}, {4, "4 samples/s", "t8", {}, {}}};
    f.setRecord(r);
    const QRectF area(0, 0, 1000, 640);
    const QPointF before = f.pointOf(8, 2, area, c, false);
    QCOMPARE(matching(wordsOf(f, c, {1000, 640}), "^2 of 5 values so far: from 2 samples/s at 8").size(), 1);
    r.results.push_back({7.5, "7.5 samples/s", "t4", "Tensor degree 8 → 4", {}});
    r.cancelled = true;
    f.setRecord(r);
    QCOMPARE(f.pointOf(8, 2, area, c, false), before);  // points that arrive move no axis
    const Words words = wordsOf(f, c, {1000, 640});
    QCOMPARE(matching(words, "^Cancelled after 3 of 5 values: from").size(), 1);
    QCOMPARE(matching(words, "^not solved$").size(), 1);
    QCOMPARE(matching(words, "^128$").size(), 1);
    QVERIFY(f.asText(c).contains(QStringLiteral("Cancelled after 3 of 5 values")));
  }

  /// Each name under its own mark: nearer to it than to any other.
  void namesStandAtTheirOwnMarks() {
    const PlanContext c = planOn(4, {8, 4, 4});
    CurveFigure f;
    StudyRecord r;
    r.quantity = "Throughput, samples/s", r.acrossName = "leaf bandwidth";
    for (int i = 0; i < 8; ++i) {
      r.across.push_back({std::pow(2.0, i), std::to_string(1 << i)});
      r.results.push_back({10.0 + i,
                           std::to_string(10 + i),
                           "TP4+SP · PP4 · DP64 · MBS" + std::to_string(i),
                           i ? "Tensor degree" : "",
                           {}});
    }
    f.setRecord(r);
    const QSize size(1000, 640);
    int named = 0;
    for (const auto& w : wordsOf(f, c, size)) {
      if (!w.text.contains(QStringLiteral(": TP4+SP"))) continue;
      ++named;
      const int own = w.text.left(1).toInt() - 1;
      int nearest = -1;
      double least = 1e300;
      for (int i = 0; i < 8; ++i) {
        const QPointF at = f.pointOf(r.across[i].x, r.results[i].y, QRectF(QPointF(), size), c, false);
        const QPointF to(std::clamp(at.x(), w.box.left(), w.box.right()),
                         std::clamp(at.y(), w.box.top(), w.box.bottom()));
        if (const double d = QLineF(at, to).length(); d < least) least = d, nearest = i;
      }
      QCOMPARE(nearest, own);
    }
    QVERIFY(named >= 4);
  }
};
NEST_TEST(TestStudyReading)
#include "test_study_reading.moc"
