#include "figures/accuracy_figure.h"

#include <algorithm>
#include <cmath>

#include "figures/axis.h"
#include "figures/frame.h"
#include "figures/ink.h"
#include "figures/ticks.h"
#include "units/text.h"

namespace nest {
namespace {

constexpr double kLeft = 58, kFailed = 56, kBand = 0.1;

QString from(const std::string& s) {
  return QString::fromStdString(s);
}

QString time(double seconds) {
  return from(text::time(Seconds(seconds)));
}

}  // namespace

/// The same logarithmic range on both axes.
struct AccuracyFigure::Plot {
  QRectF area, failed, legend;
  double low = 1, high = 10;

  double share(double v) const { return std::log(v / low) / std::log(high / low); }
  double x(double v) const { return area.left() + share(v) * area.width(); }
  double y(double v) const { return area.bottom() - share(v) * area.height(); }
  /// Run i. Those that failed are spread over their column, so that they do not cover each other.
  QPointF at(const RunPoint& p, std::size_t i) const {
    const double spread = std::fmod(double(i) * 0.618034, 1) - 0.5;
    return {p.measured > 0 ? x(p.measured) : failed.center().x() + spread * (failed.width() - 8),
            y(p.predicted)};
  }
};

namespace {

std::vector<LegendItem> legendOf(const Ink& ink, const RunPoints& runs) {
  const auto any = [&](auto of) { return std::any_of(runs.points.begin(), runs.points.end(), of); };
  std::vector<LegendItem> out;
  out.push_back({AccuracyFigure::tr("Dense"), ink.theme().stage(0)});
  if (any([](const RunPoint& p) { return p.experts; }))
    out.push_back({AccuracyFigure::tr("Mixture of experts"), ink.theme().stage(1)});
  out.push_back({AccuracyFigure::tr("Within 10 %"), ink.color(Theme::Role::Grid)});
  out.push_back({AccuracyFigure::tr("Predicted = measured"), ink.color(Theme::Role::MutedText), 0, true});
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
  return FigureState{tr("No runs"), m_why.isEmpty() ? tr("Choose a file of measured runs.") : m_why};
}

AccuracyFigure::Plot AccuracyFigure::plotOf(const QRectF& area, bool standalone) const {
  Plot plot;
  // The runs are none of the context's: no banner of its plan stands above them.
  const QRectF body = bodyOf(area, PlanContext{}, standalone);
  const bool anyFailed = std::any_of(m_runs.points.begin(), m_runs.points.end(),
                                     [](const RunPoint& p) { return !(p.measured > 0); });
  plot.legend = QRectF(body.left(), body.bottom() - 18, body.width(), 18);
  plot.area = body.adjusted(kLeft, 20, anyFailed ? -kFailed - 14 : -14, -kHorizontalAxisHeight - 28);
  plot.failed = QRectF(plot.area.right() + 10, plot.area.top(), kFailed, plot.area.height());
  plot.low = m_runs.least() / 1.2, plot.high = m_runs.largest() * 1.2;
  return plot;
}

void AccuracyFigure::paintAxes(Ink& ink, const Plot& plot) const {
  using enum Theme::Role;
  const QRectF& r = plot.area;
  // Within a tenth of the measured time: between two lines, cut at the plot.
  QPolygonF band;
  const auto bounded = [&](double v) { return std::clamp(v, plot.low, plot.high); };
  for (const double v : {plot.low, plot.high / (1 + kBand), plot.high})
    band << QPointF(plot.x(v), plot.y(bounded(v * (1 + kBand))));
  for (const double v : {plot.high, plot.low / (1 - kBand), plot.low})
    band << QPointF(plot.x(v), plot.y(bounded(v * (1 - kBand))));
  QPainter& painter = ink.painter();
  painter.setPen(Qt::NoPen);
  painter.setBrush(ink.color(Grid));
  painter.drawPolygon(band);
  const auto ticks =
      logTicks(plot.low, plot.high, std::max(2, static_cast<int>(std::min(r.width(), r.height()) / 36)));
  for (const double t : ticks) {
    ink.line({r.left(), plot.y(t)}, {r.right(), plot.y(t)}, ink.color(Grid));
    ink.label({r.left() - kLeft, plot.y(t) - 8, kLeft - 6, 16}, tickLabel(t),
              Qt::AlignRight | Qt::AlignVCenter, Ink::kSmall, ink.color(MutedText));
  }
  for (const double t : ticks) {
    ink.line({plot.x(t), r.top()}, {plot.x(t), r.bottom()}, ink.color(Grid));
    ink.label({plot.x(t) - 30, r.bottom() + 3, 60, 16}, tickLabel(t), Qt::AlignHCenter | Qt::AlignVCenter,
              Ink::kSmall, ink.color(MutedText));
  }
  ink.line(r.bottomLeft(), r.topRight(), ink.color(MutedText), 1.2);
  ink.line(r.bottomLeft(), r.bottomRight(), ink.color(Border));
  ink.line(r.bottomLeft(), r.topLeft(), ink.color(Border));
  ink.label({r.left() - kLeft + 4, r.top() - 20, r.width(), 16}, tr("Predicted step time (s), logarithmic"),
            Qt::AlignLeft | Qt::AlignVCenter, Ink::kSmall, ink.color(MutedText));
  ink.label({r.left(), r.bottom() + 20, r.width(), 16}, tr("Measured step time (s), logarithmic"),
            Qt::AlignHCenter | Qt::AlignVCenter, Ink::kSmall, ink.color(MutedText));
}

void AccuracyFigure::paintMark(Ink& ink, const QPointF& at, const RunPoint& p) const {
  const double radius = m_runs.points.size() > 400 ? 2.6 : 4.2;
  if (!(p.measured > 0)) {
    const QColor colour = ink.color(p.fits ? Theme::Role::Error : Theme::Role::MutedText);
    ink.line(at + QPointF(-3, -3), at + QPointF(3, 3), colour, 1.4);
    ink.line(at + QPointF(-3, 3), at + QPointF(3, -3), colour, 1.4);
    return;
  }
  QPainter& painter = ink.painter();
  const QColor strong = ink.theme().stage(p.experts ? 1 : 0);
  const QColor colour = p.isCompared ? strong : mixed(ink.color(Theme::Role::Canvas), strong, 0.3);
  painter.setPen(QPen(p.fitted ? colour : ink.color(Theme::Role::Canvas), p.fitted ? 1.6 : 0.8));
  painter.setBrush(p.fitted ? ink.color(Theme::Role::Canvas) : colour);
  if (p.experts)  // by form too
    painter.drawRect(QRectF(at.x() - radius * 0.9, at.y() - radius * 0.9, radius * 1.8, radius * 1.8));
  else
    painter.drawEllipse(at, radius, radius);
}

void AccuracyFigure::draw(Ink& ink, const QRectF& area, const PlanContext&) const {
  const PlanContext none;
  paintFrame(ink, area, none, title(), from(m_runs.summary));
  const Plot plot = plotOf(area, ink.style().standalone);
  ink.painter().setRenderHint(QPainter::Antialiasing);
  paintAxes(ink, plot);
  bool anyFitted = false, anyFailed = false;
  bool anySlow = false;
  // Those that matter most last, on top.
  const auto rankOf = [](const RunPoint& p) { return !p.isCompared ? 0 : p.fitted ? 1 : 2; };
  for (int rank = 0; rank < 3; ++rank)
    for (std::size_t i = 0; i < m_runs.points.size(); ++i) {
      const RunPoint& p = m_runs.points[i];
      if (rankOf(p) != rank) continue;
      paintMark(ink, plot.at(p, i), p);
      anyFitted = anyFitted || p.fitted, anyFailed = anyFailed || !(p.measured > 0);
      anySlow = anySlow || !p.isCompared;
    }
  if (anyFailed)
    ink.label({plot.failed.left() - 8, plot.area.bottom() + 3, plot.failed.width() + 16, 16},
              tr("did not run"), Qt::AlignHCenter | Qt::AlignVCenter, Ink::kSmall,
              ink.color(Theme::Role::MutedText));
  auto legend = legendOf(ink, m_runs);
  if (anyFailed) legend.push_back({tr("Predicted to fit, but did not run"), ink.color(Theme::Role::Error)});
  if (anySlow)
    legend.push_back(
        {tr("Not compared: too slow"), mixed(ink.color(Theme::Role::Canvas), ink.theme().stage(0), 0.3)});
  if (anyFitted) legend.push_back({tr("Fitted"), ink.theme().stage(0), 0, false, true});
  paintLegend(ink, plot.legend, legend);
  paintMarks(ink, area, none);
}

Figure::Hit AccuracyFigure::hitOf(int i, const QRectF& area, const PlanContext&) const {
  const RunPoint& p = m_runs.points[static_cast<std::size_t>(i)];
  const QPointF at = plotOf(area, false).at(p, static_cast<std::size_t>(i));
  QString tip = tr("<b>%1</b><br>%2 on %3<br>predicted %4 per step")
                    .arg(from(p.name).toHtmlEscaped(), from(p.program), from(p.device), time(p.predicted));
  tip += p.measured > 0 ? tr(", measured %1 (%2)").arg(time(p.measured), from(text::signedPercent(p.error())))
         : p.fits       ? tr("; predicted to fit, but did not run")
                        : tr("; predicted not to fit, and did not run");
  if (p.fitted) tip += tr("<br>constants were fitted on it");
  return {itemOf(i), QRectF(at.x() - 5, at.y() - 5, 10, 10), tip};
}

QString AccuracyFigure::lineOf(int i, const PlanContext&) const {
  const RunPoint& p = m_runs.points[static_cast<std::size_t>(i)];
  const QString measured =
      p.measured > 0 ? tr("measured %1 (%2)").arg(time(p.measured), from(text::signedPercent(p.error())))
                     : tr("did not run");
  return tr("%1, %2 on %3: predicted %4, %5%6")
      .arg(from(p.name), from(p.program), from(p.device), time(p.predicted), measured,
           p.fitted ? tr(", fitted") : QString());
}

QString AccuracyFigure::words(const PlanContext& c) const {
  return from(m_runs.summary) + u'\n' + ListFigure::words(c);
}

}  // namespace nest
