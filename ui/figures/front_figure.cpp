#include "figures/front_figure.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "figures/axis.h"
#include "figures/frame.h"
#include "figures/ink.h"
#include "figures/ticks.h"
#include "units/text.h"

namespace nest {
namespace {

QString from(const std::string& s) {
  return QString::fromStdString(s);
}

double peak(const RankedPlan& p) {
  double most = 0;
  for (const auto& s : p.evaluation.stages) most = std::max(most, s.memory.total().value());
  return most;
}

/// Memory to the right, from zero; time upwards, logarithmic: fronts reach over orders of magnitude.
struct Plot {
  QRectF area;
  Axis memory, time;  ///< of the time only the unit counts
  double fastest = 1, slowest = 1;

  QPointF at(const RankedPlan& p) const {
    const double t = p.evaluation.batchTime.value();
    return {area.left() + peak(p) / memory.largest * area.width(),
            area.bottom() - std::log(t / fastest) / std::log(slowest / fastest) * area.height()};
  }
};

Plot plotOf(const QRectF& area, const PlanContext& c, bool standalone) {
  Plot plot;
  plot.area = bodyOf(area, c, standalone).adjusted(58, 22, -14, -kHorizontalAxisHeight - 2);
  double fastest = 1e300, slowest = 0, most = 0;
  for (const auto& p : c.outcome->front) {
    fastest = std::min(fastest, p.evaluation.batchTime.value());
    slowest = std::max(slowest, p.evaluation.batchTime.value());
    most = std::max(most, peak(p));
  }
  plot.fastest = fastest * 0.9, plot.slowest = slowest * 1.12;
  plot.time = Axis::time(plot.slowest, 5);
  plot.memory =
      Axis::memory(std::max(most * 1.1, 1.0), std::max(2, static_cast<int>(plot.area.width() / 90)));
  return plot;
}

QString tipOf(const RankedPlan& p) {
  return FrontFigure::tr("<b>%1</b><br>%2 per step<br>%3 devices<br>%4 on the fullest device")
      .arg(from(summaryOf(p.plan)), from(text::time(p.evaluation.batchTime)),
           from(text::count(p.plan.devicesUsed())), from(text::memory(Bytes(peak(p)))));
}

}  // namespace

std::optional<FigureState> FrontFigure::state(const PlanContext& c, bool) const {
  if (auto none = stateOf(c, tr("the Pareto front"))) return none;
  if (c.outcome && !c.outcome->front.empty()) return std::nullopt;
  return FigureState{tr("No Pareto front yet"), tr("No plan fits, so there is no front.")};
}

void FrontFigure::draw(Ink& ink, const QRectF& area, const PlanContext& c) const {
  QPainter& painter = ink.painter();
  const FigureStyle& style = ink.style();
  // Only a front that was searched for is one of all plans.
  paintFrame(
      ink, area, c, title(),
      c.outcome->frontReach == FrontReach::Exact
          ? tr("Plans that no other plan beats in step time, devices and peak memory; labels: devices")
      : c.outcome->frontReach == FrontReach::Stepped
          ? tr("The fastest plan for each number of devices and amount of memory tried; numbers: devices")
          : tr("The best of the plans met in step time, devices and memory; there may be better ones; "
               "numbers: devices"));
  const Plot plot = plotOf(area, c, style.standalone);
  const QRectF& r = plot.area;
  for (const double tick : logTicks(plot.fastest / plot.time.unit, plot.slowest / plot.time.unit,
                                    std::max(2, static_cast<int>(r.height() / 36)))) {
    const double y = r.bottom() - std::log(tick * plot.time.unit / plot.fastest) /
                                      std::log(plot.slowest / plot.fastest) * r.height();
    ink.line({r.left(), y}, {r.right(), y}, ink.color(Theme::Role::Grid));
    ink.label({r.left() - 56, y - 8, 50, 16}, tickLabel(tick), Qt::AlignRight | Qt::AlignVCenter, Ink::kSmall,
              ink.color(Theme::Role::MutedText));
  }
  ink.label({r.left() - 54, r.top() - 20, r.width(), 16},
            tr("Step time (%1), logarithmic").arg(plot.time.unitName), Qt::AlignLeft | Qt::AlignVCenter,
            Ink::kSmall, ink.color(Theme::Role::MutedText));
  ink.line(r.bottomLeft(), r.bottomRight(), ink.color(Theme::Role::Border));
  paintHorizontalAxis(ink, r, plot.memory, tr("Memory of the fullest device"));

  painter.setRenderHint(QPainter::Antialiasing);
  paintSteps(ink, area, c);
  std::vector<QRectF> taken;
  for (std::size_t i = 0; i < c.outcome->front.size(); ++i) {  // the fastest have their names first
    const auto& p = c.outcome->front[i];
    const QPointF at = plot.at(p);
    const bool best = c.plan && p.plan == c.plan->plan;
    const double radius = best ? 7 : 4.5;
    painter.setPen(QPen(ink.color(Theme::Role::Canvas), 1));
    painter.setBrush(ink.color(best ? Theme::Role::Accent : Theme::Role::Text));
    painter.drawEllipse(at, radius, radius);
    taken.push_back({at.x() - radius, at.y() - radius, 2 * radius, 2 * radius});
  }
  for (const auto& p : c.outcome->front) {
    const QPointF at = plot.at(p);
    const bool best = c.plan && p.plan == c.plan->plan;
    const QString devices = from(text::count(p.plan.devicesUsed()));
    for (const QString& name : {QStringLiteral("%1: %2").arg(devices, from(summaryOf(p.plan))), devices}) {
      const double w = Ink::width(name, Ink::kSmall, best) + 4;
      const QRectF places[] = {{at.x() + 9, at.y() - 15, w, 13},
                               {at.x() + 9, at.y() + 1, w, 13},
                               {at.x() - w - 9, at.y() + 1, w, 13},
                               {at.x() - w - 9, at.y() - 15, w, 13}};
      const auto free = std::find_if(std::begin(places), std::end(places), [&](const QRectF& box) {
        return r.adjusted(0, -14, 14, 0).contains(box) &&
               std::none_of(taken.begin(), taken.end(), [&](const QRectF& t) { return t.intersects(box); });
      });
      if (free == std::end(places)) continue;
      ink.label(*free, name, Qt::AlignLeft | Qt::AlignVCenter, Ink::kSmall, ink.color(Theme::Role::Text),
                best);
      taken.push_back(*free);
      break;
    }
  }
  paintMarks(ink, area, c);
}

/// Plans on as many devices, joined as what each amount of memory reaches.
void FrontFigure::paintSteps(Ink& ink, const QRectF& area, const PlanContext& c) const {
  const Plot plot = plotOf(area, c, ink.style().standalone);
  std::map<int, std::vector<QPointF>> rows;
  for (const auto& p : c.outcome->front) rows[p.plan.devicesUsed()].push_back(plot.at(p));
  for (auto& [devices, points] : rows) {
    std::sort(points.begin(), points.end(), [](const QPointF& a, const QPointF& b) { return a.x() < b.x(); });
    for (std::size_t i = 0; i + 1 < points.size(); ++i) {
      const QPointF corner(points[i + 1].x(), points[i].y());
      ink.line(points[i], corner, ink.color(Theme::Role::MutedText));
      ink.line(corner, points[i + 1], ink.color(Theme::Role::MutedText));
    }
  }
}

int FrontFigure::count(const PlanContext& c) const {
  return isShown(c) ? static_cast<int>(c.outcome->front.size()) : 0;
}

Figure::Hit FrontFigure::hitOf(int i, const QRectF& area, const PlanContext& c) const {
  const RankedPlan& plan = c.outcome->front[static_cast<std::size_t>(i)];
  const QPointF p = plotOf(area, c, false).at(plan);
  return {itemOf(i), QRectF(p.x() - 9, p.y() - 9, 18, 18), tipOf(plan)};
}

QString FrontFigure::lineOf(int i, const PlanContext& c) const {
  const RankedPlan& p = c.outcome->front[static_cast<std::size_t>(i)];
  return tr("%1: %2, %3 devices, %4")
      .arg(from(summaryOf(p.plan)), from(text::time(p.evaluation.batchTime)))
      .arg(p.plan.devicesUsed())
      .arg(from(text::memory(Bytes(peak(p)))));
}

}  // namespace nest
