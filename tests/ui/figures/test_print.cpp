// Figures on paper: one size of type, and fills that stay apart in grey and for a deuteranope, measured from
// the palette and from what is drawn on a column of 85 mm.
#include <QImage>
#include <QPainter>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "catalogue/registry.h"
#include "export/figure_export.h"
#include "figures/plan/cut_figure.h"
#include "figures/plan/kinds.h"
#include "figures/plan/placement_figure.h"
#include "figures/plan/plan_pair_figure.h"
#include "figures/plan/waterfall_figure.h"
#include "figures/study/comparison_figure.h"
#include "plan_contexts.h"
#include "support/test_main.h"
#include "text_recorder.h"

using namespace nest;

namespace {

constexpr double kLeastContrast = 3;  ///< WCAG 2.1, 1.4.11: parts of graphics
constexpr QSize kColumn(321, 227);    ///< 85 × 60 mm at 96 dpi
constexpr double kPrinter = 600.0 / 96;

double linearLight(double v) {
  return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
}
double luminanceOf(const std::array<double, 3>& c) {
  return 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2];
}

enum class Eye { Grey, Deuteranope };

/// Relative luminance of a colour as it is printed in grey, or as a deuteranope sees it: Machado, Oliveira
/// and Fernandes, "A physiologically-based model for simulation of color vision deficiency", IEEE TVCG 15(6),
/// 2009, deuteranomaly of severity 1.0, for linear RGB.
double luminanceOf(const QColor& c, Eye eye) {
  const std::array<double, 3> rgb{linearLight(c.redF()), linearLight(c.greenF()), linearLight(c.blueF())};
  if (eye == Eye::Grey) return luminanceOf(rgb);
  constexpr double kMachado[3][3] = {
      {0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}};
  std::array<double, 3> seen{};
  for (std::size_t i = 0; i < 3; ++i)
    seen[i] =
        std::clamp(kMachado[i][0] * rgb[0] + kMachado[i][1] * rgb[1] + kMachado[i][2] * rgb[2], 0.0, 1.0);
  return luminanceOf(seen);
}

double contrastOf(double a, double b) {
  return (std::max(a, b) + 0.05) / (std::min(a, b) + 0.05);
}

/// Every fill by which figures tell kinds apart. A heatmap is a magnitude on a ramp: its cells are none.
std::vector<QColor> categories(const Theme& theme) {
  std::vector<QColor> out;
  for (int k = 0; k < kLoadPartCount; ++k) out.push_back(colorOf(static_cast<LoadPart>(k), theme));
  for (int k = 0; k < kMemoryPartCount; ++k) out.push_back(colorOf(static_cast<MemoryPart>(k), theme));
  for (int s = 0; s < 32; ++s) out.push_back(theme.stage(s));
  out.push_back(theme.color(Theme::Role::Idle));
  return out;
}

QImage printed(const Figure& f, const PlanContext& c) {
  QImage image((QSizeF(kColumn) * kPrinter).toSize(), QImage::Format_RGB32);
  image.fill(Qt::white);
  QPainter painter(&image);
  painter.scale(kPrinter, kPrinter);
  FigureStyle style;
  style.theme = &Theme::of(Theme::Kind::Print);
  style.standalone = true;
  f.paint(painter, QRectF(QPointF(), QSizeF(kColumn)), c, style);
  return image;
}

/// Places where one fill follows another along a line of pixels, and of them those where nothing keeps them
/// apart: neither their own contrast nor an edge that stands out from each.
class Crossings {
public:
  Crossings(const QImage& image, Eye eye, const std::set<QRgb>& fills)
      : m_image(image), m_eye(eye), m_fills(fills) {
    for (int y = 0; y < image.height(); y += 5)
      along(image.width(), [&](int i) { return image.pixel(i, y); });
    for (int x = 0; x < image.width(); x += 5)
      along(image.height(), [&](int i) { return image.pixel(x, i); });
  }
  int count = 0, tooClose = 0;
  QString first;  ///< of those that are too close

private:
  static constexpr int kRun = 12;  ///< pixels of one colour at least: half a millimetre
  static constexpr int kGap = 10;  ///< pixels between neighbours at most

  template <class At>
  void along(int length, At at) {
    QRgb before = 0;
    int end = -kGap - 1;
    for (int i = 0; i < length;) {
      const QRgb c = at(i);
      int j = i + 1;
      while (j < length && at(j) == c) ++j;
      if (j - i >= kRun && m_fills.contains(c)) {
        if (i - end <= kGap && c != before) judge(before, c, end, i, at);
        before = c, end = j;
      } else if (j - i >= kRun) {
        end = -kGap - 1;
      }
      i = j;
    }
  }
  template <class At>
  void judge(QRgb a, QRgb b, int from, int to, At at) {
    const double x = luminanceOf(QColor(a), m_eye), y = luminanceOf(QColor(b), m_eye);
    bool leaves = contrastOf(x, y) >= kLeastContrast, enters = leaves;
    for (int i = from; i < to; ++i) {
      const double between = luminanceOf(QColor(at(i)), m_eye);
      leaves = leaves || contrastOf(x, between) >= kLeastContrast;
      enters = enters || contrastOf(y, between) >= kLeastContrast;
    }
    ++count;
    if (leaves && enters) return;
    if (tooClose++ == 0) first = QStringLiteral("%1 next to %2").arg(QColor(a).name(), QColor(b).name());
  }

  const QImage& m_image;
  Eye m_eye;
  const std::set<QRgb>& m_fills;
};

struct Shown {
  std::unique_ptr<Figure> figure;
  PlanContext context;
};

/// Every figure that has fills, of plans that show as many as they can.
std::vector<Shown> figuresWithFills() {
  std::vector<Shown> out;
  test::ContextShape shape;
  shape.fanouts = {8, 4}, shape.stages = 4, shape.tensor = 4, shape.inner = 2, shape.microbatches = 8;
  shape.parametersPerBlock = 1.2e9;
  const PlanContext c = test::contextOf(shape);
  shape.stages = 2, shape.inner = 4;
  const PlanContext other = test::contextOf(shape);
  for (auto& figure : planFigures())
    if (figure->id() != QLatin1String("communication") && figure->hasContent(c))
      out.push_back({std::move(figure), c});
  for (auto& figure : planFigures())
    if (figure->id() == QLatin1String("topology")) out.push_back({std::move(figure), other});
  auto cuts = std::make_unique<CutFigure>();
  CutFigure::Draft draft;
  draft.plan = c.plan->plan, draft.evaluation = c.plan->evaluation;
  draft.edges = CutFigure::edgesOf(*c.problem, draft.plan), draft.best = draft.evaluation.stages;
  cuts->setDraft(draft);
  out.push_back({std::move(cuts), c});
  out.push_back({std::make_unique<PlacementFigure>(), c});
  const PlanSide sides[] = {{QStringLiteral("A"), c.plan, c.problem},
                            {QStringLiteral("B"), other.plan, other.problem}};
  auto pair = std::make_unique<PlanPairFigure>();
  pair->setSides(sides[0], sides[1]);
  out.push_back({std::move(pair), c});
  auto waterfall = std::make_unique<WaterfallFigure>();
  waterfall->setSides(sides[0], sides[1]);
  out.push_back({std::move(waterfall), c});
  auto bars = std::make_unique<ComparisonFigure>();
  bars->setRows({ComparisonFigure::rowOf(QStringLiteral("A"), nullptr, *c.problem, *c.plan),
                 ComparisonFigure::rowOf(QStringLiteral("B"), nullptr, *other.problem, *other.plan)});
  out.push_back({std::move(bars), c});
  return out;
}

}  // namespace

class TestPrint : public QObject {
  Q_OBJECT
private slots:
  /// An edge in black or white stands out from whatever it encloses.
  void everyFillHasAnEdgeThatIsSeen() {
    const Theme& print = Theme::of(Theme::Kind::Print);
    for (const QColor& fill : categories(print))
      for (const Eye eye : {Eye::Grey, Eye::Deuteranope}) {
        const double c = contrastOf(luminanceOf(fill, eye), luminanceOf(print.textOn(fill), eye));
        QVERIFY2(c >= kLeastContrast, qPrintable(QStringLiteral("%1: %2").arg(fill.name()).arg(c)));
      }
  }

  void neighboursStayApart_data() {
    QTest::addColumn<int>("eye");
    QTest::newRow("grey") << static_cast<int>(Eye::Grey);
    QTest::newRow("deuteranope") << static_cast<int>(Eye::Deuteranope);
  }
  void neighboursStayApart() {
    QFETCH(int, eye);
    std::set<QRgb> fills;
    for (const QColor& c : categories(Theme::of(Theme::Kind::Print))) fills.insert(c.rgb());
    int all = 0;
    for (const Shown& s : figuresWithFills()) {
      const QImage image = printed(*s.figure, s.context);
      const Crossings found(image, static_cast<Eye>(eye), fills);
      all += found.count;
      QVERIFY2(found.tooClose == 0, qPrintable(QStringLiteral("%1: %2 of %3, first %4")
                                                   .arg(s.figure->id())
                                                   .arg(found.tooClose)
                                                   .arg(found.count)
                                                   .arg(found.first)));
    }
    QVERIFY2(all > 300, qPrintable(QString::number(all)));
  }

  /// Without edges the same measure finds what it is there to find.
  void theMeasureFindsWhatHasNoEdge() {
    const Theme& print = Theme::of(Theme::Kind::Print);
    const QColor a = colorOf(LoadPart::Forward, print), b = colorOf(LoadPart::Tensor, print);
    QImage image(200, 60, QImage::Format_RGB32);
    image.fill(a);
    QPainter painter(&image);
    painter.fillRect(100, 0, 100, 60, b);
    const std::set<QRgb> fills{a.rgb(), b.rgb()};
    QVERIFY(Crossings(image, Eye::Grey, fills).tooClose > 0);
    painter.fillRect(99, 0, 2, 60, Qt::white);
    const Crossings edged(image, Eye::Grey, fills);
    QVERIFY(edged.count > 0 && edged.tooClose == 0);
  }

  /// Side by side, no figure speaks louder than another.
  void typeHasOneSize() {
    for (const QSize& page :
         {kColumn, QSize(680, 480), QSize(1123, 794), QSize(1920, 1200), QSize(3840, 2160)}) {
      std::map<double, QString> titles;
      for (const Shown& s : figuresWithFills()) {
        test::TextRecorder recorder(page);
        QPainter painter(&recorder);
        FigureStyle style;
        style.standalone = true;
        s.figure->paint(painter, QRectF(QPointF(), QSizeF(page)), s.context, style);
        painter.end();
        QVERIFY(!recorder.words().empty());
        titles[std::round(recorder.words().front().box.height() * 100)] = s.figure->id();
      }
      QVERIFY2(titles.size() == 1, qPrintable(QStringLiteral("%1 px: %2 sizes, such as those of %3 and %4")
                                                  .arg(page.width())
                                                  .arg(titles.size())
                                                  .arg(titles.begin()->second, titles.rbegin()->second)));
    }
    double width = 0;
    for (const Shown& s : figuresWithFills()) {
      const double own = paperSizeOf(*s.figure, s.context).width();
      QVERIFY2(width == 0 || own == width, qPrintable(s.figure->id()));
      width = own;
    }
  }
};
NEST_TEST(TestPrint)
#include "test_print.moc"
