#include "figures/front_figure.h"

#include <algorithm>
#include <cmath>

#include "figures/axis.h"
#include "figures/frame.h"
#include "figures/ink.h"
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

struct Plot {
  QRectF area;
  Axis time;
  double leastDevices = 1, mostDevices = 1, leastMemory = 0, mostMemory = 1;

  QPointF at(const RankedPlan& p) const {
    const double devices = p.plan.devicesUsed();
    const double x = mostDevices > leastDevices
                         ? std::log(devices / leastDevices) / std::log(mostDevices / leastDevices)
                         : 0.5;
    const double y = time.largest > 0 ? p.evaluation.batchTime.value() / time.largest : 0;
    return {area.left() + (0.04 + 0.92 * x) * area.width(), area.bottom() - y * area.height()};
  }
  double heat(const RankedPlan& p) const {
    return mostMemory > leastMemory ? (peak(p) - leastMemory) / (mostMemory - leastMemory) : 0.5;
  }
};

Plot plotOf(const QRectF& area, const PlanContext& c, bool standalone) {
  Plot plot;
  plot.area = bodyOf(area, c, standalone).adjusted(64, 22, -16, -72);
  double slowest = 0;
  plot.leastDevices = plot.leastMemory = 1e300, plot.mostDevices = plot.mostMemory = 0;
  for (const auto& p : c.outcome->front) {
    slowest = std::max(slowest, p.evaluation.batchTime.value());
    plot.leastDevices = std::min<double>(plot.leastDevices, p.plan.devicesUsed());
    plot.mostDevices = std::max<double>(plot.mostDevices, p.plan.devicesUsed());
    plot.leastMemory = std::min(plot.leastMemory, peak(p));
    plot.mostMemory = std::max(plot.mostMemory, peak(p));
  }
  plot.time = Axis::time(slowest * 1.08, 5);
  return plot;
}

QString tipOf(const RankedPlan& p) {
  return FrontFigure::tr("<b>%1</b><br>%2 a batch<br>%3 devices<br>%4 on the fullest device")
      .arg(from(summaryOf(p.plan)), from(text::time(p.evaluation.batchTime)),
           from(text::count(p.plan.devicesUsed())), from(text::memory(Bytes(peak(p)))));
}

}  // namespace

std::optional<FigureState> FrontFigure::state(const PlanContext& c, bool) const {
  if (auto none = stateOf(c, tr("the Pareto front"))) return none;
  if (c.outcome && !c.outcome->front.empty()) return std::nullopt;
  return FigureState{tr("No front is known"), tr("Nothing that was found fits. Solve a scenario that does.")};
}

void FrontFigure::draw(Ink& ink, const QRectF& area, const PlanContext& c) const {
  QPainter& painter = ink.painter();
  const FigureStyle& style = ink.style();
  paintFrame(ink, area, c, title(),
             tr("No plan is better than these in batch time, devices and memory at once"));
  const Plot plot = plotOf(area, c, style.standalone);
  paintVerticalAxis(ink, plot.area, plot.time, tr("Batch time"));
  ink.line(plot.area.bottomLeft(), plot.area.bottomRight(), ink.color(Theme::Role::Border));
  // Device counts are labelled where plans stand, as far as there is room.
  std::vector<std::pair<double, int>> counts;
  for (const auto& p : c.outcome->front) counts.emplace_back(plot.at(p).x(), p.plan.devicesUsed());
  std::sort(counts.begin(), counts.end());
  double free = -1e300;
  for (const auto& [x, n] : counts) {
    const QString s = from(text::count(n));
    const double w = Ink::width(s, Ink::kSmall) + 6;
    if (x - w / 2 < free) continue;
    ink.line({x, plot.area.bottom()}, {x, plot.area.bottom() + 4}, ink.color(Theme::Role::Border));
    ink.label({x - w / 2, plot.area.bottom() + 5, w, Ink::height(Ink::kSmall)}, s, Qt::AlignCenter,
              Ink::kSmall, ink.color(Theme::Role::MutedText));
    free = x + w / 2;
  }
  ink.label({plot.area.left(), plot.area.bottom() + 22, plot.area.width(), Ink::height(Ink::kBody)},
            tr("Devices used"), Qt::AlignCenter, Ink::kBody, ink.color(Theme::Role::Text));

  painter.setRenderHint(QPainter::Antialiasing);
  for (std::size_t i = c.outcome->front.size(); i-- > 0;) {
    const auto& p = c.outcome->front[i];
    const QPointF at = plot.at(p);
    const bool best = c.plan && p.plan == c.plan->plan;
    painter.setPen(QPen(ink.color(best ? Theme::Role::Accent : Theme::Role::Canvas), best ? 2.5 : 1));
    painter.setBrush(ink.theme().magnitude(plot.heat(p)));
    painter.drawEllipse(at, best ? 8 : 6, best ? 8 : 6);
  }
  // Legend: a ramp from the smallest to the largest peak memory.
  const QRectF ramp(plot.area.left(), plot.area.bottom() + 48, std::min(160.0, plot.area.width() / 3), 10);
  for (int i = 0; i < 32; ++i)
    ink.fill({ramp.left() + ramp.width() * i / 32, ramp.top(), ramp.width() / 32 + 0.5, ramp.height()},
             ink.theme().magnitude(i / 31.0));
  ink.label(
      {ramp.right() + 8, ramp.top() - 4, plot.area.right() - ramp.right() - 8, Ink::height(Ink::kSmall)},
      tr("memory of the fullest device: %1 to %2")
          .arg(from(text::memory(Bytes(plot.leastMemory))), from(text::memory(Bytes(plot.mostMemory)))),
      Qt::AlignLeft | Qt::AlignVCenter, Ink::kSmall, ink.color(Theme::Role::MutedText));
  paintMarks(ink, area, c);
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
