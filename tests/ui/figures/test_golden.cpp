#include <QImage>
#include <QPainter>

#include "catalogue/registry.h"
#include "figures/plan/cut_figure.h"
#include "figures/plan/plan_pair_figure.h"
#include "figures/plan/waterfall_figure.h"
#include "figures/study/curve_figure.h"
#include "figures/study/sweep_figure.h"
#include "plan_contexts.h"
#include "support/golden.h"
#include "support/test_main.h"

using namespace nest;

namespace {

constexpr QSize kGoldenPage(440, 280);
QImage painted(const Figure& figure, const PlanContext& context, Theme::Kind kind, int scale) {
  QImage image(kGoldenPage * scale, QImage::Format_RGB32);
  image.setDevicePixelRatio(scale);
  image.fill(Qt::magenta);
  FigureStyle style;
  style.theme = &Theme::of(kind);
  style.standalone = kind == Theme::Kind::Print;
  QPainter painter(&image);
  figure.paint(painter, QRectF(QPointF(0, 0), kGoldenPage), context, style);
  painter.end();
  image.setDevicePixelRatio(1);
  return image;
}

}  // namespace

/// Our own painters against pictures that someone has looked at. NEST_WRITE_GOLDEN=1 writes them anew: look
/// at what changed before committing it.
class TestGolden : public QObject {
  Q_OBJECT
private slots:
  void initTestCase() {
    test::ContextShape shape;
    shape.fanouts = {8, 4}, shape.stages = 4, shape.tensor = 4, shape.inner = 2, shape.microbatches = 8;
    shape.parametersPerBlock = 1.2e9;
    m_context = test::contextOf(shape);
    m_figures = planFigures();
    auto cuts = std::make_unique<CutFigure>();
    const Plan& plan = m_context.plan->plan;
    cuts->setDraft(CutFigure::Draft{plan, m_context.plan->evaluation,
                                    CutFigure::edgesOf(*m_context.problem, plan), 1, true});
    m_figures.push_back(std::move(cuts));
    test::ContextShape other = shape;
    other.stages = 2, other.inner = 4;
    const PlanContext kept = test::contextOf(other);
    auto pair = std::make_unique<PlanPairFigure>();
    pair->setSides({QStringLiteral("This plan"), m_context.plan, m_context.problem},
                   {QStringLiteral("Kept 1"), kept.plan, kept.problem});
    m_figures.push_back(std::move(pair));
    auto waterfall = std::make_unique<WaterfallFigure>();
    waterfall->setSides({QStringLiteral("This plan"), m_context.plan, m_context.problem},
                        {QStringLiteral("Kept 1"), kept.plan, kept.problem});
    m_figures.push_back(std::move(waterfall));
    auto sweep = std::make_unique<SweepFigure>();
    StudyRecord grid;
    grid.quantity = "Throughput, samples/s", grid.acrossName = "devices", grid.upName = "global batch";
    grid.across = {{32, "32"}, {64, "64", true}, {128, "128"}};
    grid.up = {{128, "128"}, {256, "256", true}};
    const auto result = [](double y, const char* said) {
      return StudyRecord::Result{
          y, y > 0 ? std::to_string(static_cast<int>(y)) + " samples/s" : "", said, {}, {}};
    };
    grid.results = {result(12, "t4 p2"), result(23, "t4 p2"), result(40, "t4 p4"), result(0, "")};
    sweep->setRecord(grid);
    m_figures.push_back(std::move(sweep));
    StudyRecord line = grid;
    line.upName.clear(), line.up.clear(), line.heldBatch = 256;
    line.across.push_back({256, "256"});
    line.results = {result(12, "t4 p2"), result(23, "t4 p2"), result(38, "t4 p4")};
    line.results.back().change = "Stages 2 → 4";
    auto curve = std::make_unique<CurveFigure>();
    curve->setRecord(line);
    m_figures.push_back(std::move(curve));
  }

  void looksAsItDid_data() {
    QTest::addColumn<int>("figure");
    QTest::addColumn<int>("theme");
    QTest::addColumn<int>("scale");
    for (std::size_t i = 0; i < m_figures.size(); ++i) {
      const auto row = [&](const char* theme, Theme::Kind kind, int scale) {
        const QString name =
            QStringLiteral("%1-%2-%3x").arg(m_figures[i]->id(), QLatin1String(theme)).arg(scale);
        QTest::newRow(qPrintable(name)) << static_cast<int>(i) << static_cast<int>(kind) << scale;
      };
      row("light", Theme::Kind::Light, 1);
      row("dark", Theme::Kind::Dark, 1);
      row("print", Theme::Kind::Print, 1);
      row("light", Theme::Kind::Light, 2);
    }
  }
  void looksAsItDid() {
    QFETCH(int, figure);
    QFETCH(int, theme);
    QFETCH(int, scale);
    const QImage now = painted(*m_figures[figure], m_context, static_cast<Theme::Kind>(theme), scale);
    const QString difference = test::differenceFromGolden(now, QLatin1String(QTest::currentDataTag()));
    QVERIFY2(difference.isEmpty(), qPrintable(difference));
  }
  void tellsAnotherFigureApart() {
    const QImage a = painted(*m_figures[1], m_context, Theme::Kind::Light, 1);
    const QImage b = painted(*m_figures[2], m_context, Theme::Kind::Light, 1);
    QVERIFY(test::differenceOf(a, b).share > test::kShareTolerance);
    QCOMPARE(test::differenceOf(a, a).share, 0.0);
    QCOMPARE(test::differenceOf(a, a).worstPlace, 0.0);
  }
  /// In the smallest type of any figure, wherever it falls.
  void noticesOneLabel() {
    const QImage without = painted(*m_figures[1], m_context, Theme::Kind::Light, 1);
    for (int shift = 0; shift < 24; shift += 5) {
      QImage with = without;
      QPainter painter(&with);
      painter.fillRect(QRect(40, 40, 120, 60), Qt::white);
      const QImage blank = with.copy();
      QFont small = painter.font();
      small.setPixelSize(11);
      painter.setFont(small);
      painter.setPen(Qt::black);
      painter.drawText(QPoint(60 + shift, 70 + shift / 2), QStringLiteral("7.74 s"));
      painter.end();
      QVERIFY(!test::differenceOf(with, blank).tolerable());
    }
  }

private:
  PlanContext m_context;
  std::vector<std::unique_ptr<InteractiveFigure>> m_figures;
};
NEST_TEST(TestGolden)
#include "test_golden.moc"
