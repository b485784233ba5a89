#include "figures/study/accuracy_figure.h"

#include <algorithm>
#include <cmath>

#include "figures/paint/chart.h"
#include "figures/paint/figure_painter.h"
#include "figures/paint/frame.h"
#include "figures/paint/ticks.h"
#include "theme/qt_text.h"
#include "units/text.h"

namespace nest {
namespace {

constexpr double kFailed = 56, kBand = 0.1;

QString time(double seconds) {
  return toQt(text::time(Seconds(seconds)));
}

}  // namespace

/// The same logarithmic range on both axes.
struct AccuracyFigure::Plot {
  ChartPlane plane;
  QRectF failed, legend;

  /// Run i. Those that failed are spread over their column, so that they do not cover each other.
  QPointF at(const RunPoint& p, std::size_t i) const {
    QPointF out = plane.at(p.measured, p.predicted);
    if (!(p.measured > 0))
      out.setX(failed.center().x() + (std::fmod(double(i) * 0.618034, 1) - 0.5) * (failed.width() - 8));
    return out;
  }
  QRectF placeOf(const RunPoint& p, std::size_t i) const {
    const QPointF here = at(p, i);
    return {here.x() - 5, here.y() - 5, 10, 10};
  }
};

namespace {

template <class Of>
bool any(const RunPoints& runs, Of of) {
  return std::any_of(runs.points.begin(), runs.points.end(), of);
}

bool hasFailed(const RunPoint& p) {
  return !(p.measured > 0);
}

std::vector<LegendItem> legendOf(const Theme& theme, const RunPoints& runs) {
  using enum Theme::Role;
  std::vector<LegendItem> out{{AccuracyFigure::tr("Dense"), theme.stage(0)}};
  if (any(runs, [](const RunPoint& p) { return p.experts; }))
    out.push_back({AccuracyFigure::tr("Mixture of experts"), theme.stage(1)});
  out.push_back({AccuracyFigure::tr("Within 10 %"), theme.color(Grid)});
  out.push_back({AccuracyFigure::tr("Predicted = measured"), theme.color(MutedText), 0, true});
  if (any(runs, hasFailed))
    out.push_back({AccuracyFigure::tr("Predicted to fit, but did not run"), theme.color(Error)});
  if (any(runs, [](const RunPoint& p) { return !p.isCompared; }))
    out.push_back(
        {AccuracyFigure::tr("Not compared: too slow"), mixed(theme.color(Canvas), theme.stage(0), 0.3)});
  if (any(runs, [](const RunPoint& p) { return p.fitted; }))
    out.push_back({AccuracyFigure::tr("Fitted"), theme.stage(0), 0, false, true});
  return out;
}

}  // namespace

void AccuracyFigure::setRuns(RunPoints runs, QString source, QString why) {
  m_runs = std::move(runs), m_source = std::move(source), m_why = std::move(why);
}

QString AccuracyFigure::title() const {
  return m_source.isEmpty() ? tr("Accuracy") : tr("Accuracy: %1").arg(m_source);
}

std::optional<FigureState> AccuracyFigure::state(const PlanContext&, bool) const {
  if (!m_runs.points.empty()) return std::nullopt;
  return FigureState{
      m_why.isEmpty() || m_source.isEmpty() ? tr("No runs") : tr("No runs in %1").arg(m_source),
      m_why.isEmpty() ? tr("Choose a file of measured runs.") : m_why};
}

AccuracyFigure::Plot AccuracyFigure::plotOf(const QRectF& area, bool standalone) const {
  Plot plot;
  // The runs are none of the context's: no banner of its plan stands above them.
  const QRectF body = bodyOf(area, PlanContext{}, standalone);
  const bool anyFailed = any(m_runs, hasFailed);
  const double legend = legendHeight(legendOf(Theme::of(Theme::Kind::Light), m_runs), body.width());
  plot.legend = body.adjusted(0, body.height() - legend, 0, 0);
  ChartPlane& plane = plot.plane;
  plane.plot = body.adjusted(ChartPlane::kLeft, ChartPlane::kTop, anyFailed ? -kFailed - 14 : -14,
                             -ChartPlane::kBottom - 8 - legend);
  plot.failed = QRectF(plane.plot.right() + 10, plane.plot.top(), kFailed, plane.plot.height());
  const int ticks = ticksWithin(std::min(plane.plot.width(), plane.plot.height()), 36);
  const double low = m_runs.least() / 1.2, high = m_runs.largest() * 1.2;
  plane.x = ChartScale::powers(low, high, ticks, tr("Measured step time (s)"));
  plane.y = ChartScale::powers(low, high, ticks, tr("Predicted step time (s)"));
  return plot;
}

void AccuracyFigure::addBand(FigurePainter& ink, Chart& chart, const ChartScale& scale) const {
  // Within a tenth of the measured time, cut at the plot.
  QPolygonF lower, upper;
  const auto bounded = [&](double v) { return std::clamp(v, scale.low, scale.high); };
  for (const double v : {scale.low, scale.low / (1 - kBand), scale.high / (1 + kBand), scale.high}) {
    lower << QPointF(v, bounded(v * (1 - kBand)));
    upper << QPointF(v, bounded(v * (1 + kBand)));
  }
  chart.area(lower, upper, ink.color(Theme::Role::Grid));
  chart.line({{scale.low, scale.low}, {scale.high, scale.high}},
             QPen(ink.color(Theme::Role::MutedText), 1.2));
}

/// A series for each kind of mark. Those that matter most last, on top.
void AccuracyFigure::addMarks(FigurePainter& ink, Chart& chart) const {
  const bool crowded = m_runs.points.size() > 400;  // rims of those beside them would cover most of them
  const double diameter = crowded ? 5.2 : 8.4;
  const QColor canvas = ink.color(Theme::Role::Canvas);
  for (const auto& [compared, fitted] : {std::pair(false, true), {false, false}, {true, true}, {true, false}})
    for (const bool experts : {false, true}) {
      QPolygonF values;
      for (const RunPoint& p : m_runs.points)
        if (p.measured > 0 && p.isCompared == compared && p.fitted == fitted && p.experts == experts)
          values << QPointF(p.measured, p.predicted);
      const QColor strong = ink.theme().stage(experts ? 1 : 0);
      const QColor colour = compared ? strong : mixed(canvas, strong, 0.3);
      chart.marks(values, {experts ? 0.9 * diameter : diameter, fitted ? canvas : colour,
                           fitted    ? QPen(colour, 1.6)
                           : crowded ? QPen(Qt::NoPen)
                                     : QPen(canvas, 0.8),
                           experts, false});
    }
}

void AccuracyFigure::draw(FigurePainter& ink, const QRectF& area, const PlanContext&) const {
  const PlanContext none;
  paintFrame(ink, area, none, title(), toQt(m_runs.summary));
  const Plot plot = plotOf(area, ink.style().standalone);
  Chart chart(ink, plot.plane);
  addBand(ink, chart, plot.plane.y);
  addMarks(ink, chart);
  chart.paint();
  for (std::size_t i = 0; i < m_runs.points.size(); ++i) {
    const RunPoint& p = m_runs.points[i];
    if (!hasFailed(p)) continue;
    const QPointF at = plot.at(p, i);
    const QColor colour = ink.color(p.fits ? Theme::Role::Error : Theme::Role::MutedText);
    ink.line(at + QPointF(-3, -3), at + QPointF(3, 3), colour, 1.4);
    ink.line(at + QPointF(-3, 3), at + QPointF(3, -3), colour, 1.4);
  }
  if (any(m_runs, hasFailed))
    ink.label({plot.failed.left() - 8, plot.failed.bottom() + 3, plot.failed.width() + 16, 16},
              tr("did not run"), Qt::AlignHCenter | Qt::AlignVCenter, FigurePainter::kSmall,
              ink.color(Theme::Role::MutedText));
  paintLegend(ink, plot.legend, legendOf(ink.theme(), m_runs));
  paintMarks(ink, area, none);
}

Figure::Hit AccuracyFigure::hitOf(int i, const QRectF& area, const PlanContext&) const {
  const RunPoint& p = m_runs.points[i];
  QString tip = tr("<b>%1</b><br>%2 on %3<br>predicted %4 per step")
                    .arg(toQt(p.name).toHtmlEscaped(), toQt(p.program).toHtmlEscaped(),
                         toQt(p.device).toHtmlEscaped(), time(p.predicted));
  tip += p.measured > 0 ? tr(", measured %1<br>predicted ÷ measured − 1: %2")
                              .arg(time(p.measured), toQt(text::signedPercent(p.error())))
         : p.fits ? tr("; predicted to fit, but did not run")
                  : tr("; predicted not to fit, and did not run");
  if (p.fitted) tip += tr("<br>constants were fitted on it");
  return {itemOf(i), plotOf(area, false).placeOf(p, static_cast<std::size_t>(i)), tip};
}

std::vector<QRectF> AccuracyFigure::placesOf(const QRectF& area, const PlanContext&) const {
  const Plot plot = plotOf(area, false);
  std::vector<QRectF> out;
  for (std::size_t i = 0; i < m_runs.points.size(); ++i) out.push_back(plot.placeOf(m_runs.points[i], i));
  return out;
}

QString AccuracyFigure::lineOf(int i, const PlanContext&) const {
  const RunPoint& p = m_runs.points[i];
  const QString measured =
      p.measured > 0 ? tr("measured %1, error %2").arg(time(p.measured), toQt(text::signedPercent(p.error())))
                     : tr("did not run");
  return tr("%1, %2 on %3: predicted %4, %5%6")
      .arg(toQt(p.name), toQt(p.program), toQt(p.device), time(p.predicted), measured,
           p.fitted ? tr(", fitted") : QString());
}

QString AccuracyFigure::words(const PlanContext& c) const {
  return toQt(m_runs.summary) + u'\n' + ListFigure::words(c);
}

}  // namespace nest
