#include "figures/curve_figure.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "figures/frame.h"
#include "figures/ink.h"
#include "figures/ticks.h"
#include "units/text.h"

namespace nest {

double CurveFigure::largest() const {
  double most = 0;
  for (const Point& p : m_points) most = std::max(most, p.y);
  for (const Other& o : m_others)
    for (double y : o.ys) most = std::max(most, y);
  return most * 1.06;
}

QRectF CurveFigure::plotOf(const QRectF& area, const PlanContext& c, bool standalone) const {
  return bodyOf(area, c, standalone).adjusted(70, 30, -30, -58);
}

QPointF CurveFigure::at(const Point& p, const QRectF& plot, double most) const {
  const double low = std::log(m_points.front().x), high = std::log(m_points.back().x);
  const double t = high > low ? (std::log(p.x) - low) / (high - low) : 0.5;
  return {plot.left() + (0.02 + 0.96 * t) * plot.width(),
          plot.bottom() - (most > 0 ? p.y / most : 0) * plot.height()};
}

QString CurveFigure::title() const {
  return m_xTitle.isEmpty() ? ListFigure::title() : tr("%1 by %2").arg(m_yTitle, m_xTitle);
}

std::optional<FigureState> CurveFigure::state(const PlanContext& c, bool) const {
  if (!m_points.empty()) return std::nullopt;
  if (auto none = stateOf(c, tr("a study of it"), false)) return none;
  return FigureState{tr("No study yet"),
                     tr("Choose what is to vary, and run it. Points appear as they are solved.")};
}

void CurveFigure::draw(Ink& ink, const QRectF& area, const PlanContext& c) const {
  QPainter& painter = ink.painter();
  const FigureStyle& style = ink.style();
  paintFrame(ink, area, c, title(), sentence());
  const QRectF plot = plotOf(area, c, style.standalone);
  const double most = largest();
  for (double tick : roundTicks(most, 6)) {
    const double y = plot.bottom() - (most > 0 ? tick / most : 0) * plot.height();
    ink.line({plot.left(), y}, {plot.right(), y}, ink.color(Theme::Role::Grid));
    ink.label({plot.left() - 66, y - 8, 60, 16}, tickLabel(tick), Qt::AlignRight | Qt::AlignVCenter,
              Ink::kSmall, ink.color(Theme::Role::MutedText));
  }
  ink.label({plot.left() - 60, plot.top() - 26, 300, 18}, m_yTitle, Qt::AlignLeft | Qt::AlignVCenter,
            Ink::kBody, ink.color(Theme::Role::Text));
  ink.label({plot.left(), plot.bottom() + 28, plot.width(), 18}, m_xTitle, Qt::AlignCenter, Ink::kBody,
            ink.color(Theme::Role::Text));
  ink.line(plot.bottomLeft(), plot.bottomRight(), ink.color(Theme::Role::Border));

  painter.setRenderHint(QPainter::Antialiasing);
  const auto first = std::find_if(m_points.begin(), m_points.end(), [](const Point& p) { return p.y > 0; });
  if (m_ideal && first != m_points.end()) {
    Point end = m_points.back();
    end.y = first->y * end.x / first->x;
    // Cut where it leaves the plot.
    if (end.y > most) end.x = first->x * most / first->y, end.y = most;
    ink.line(at(*first, plot, most), at(end, plot, most), ink.color(Theme::Role::MutedText), 1, Qt::DashLine);
  }
  paintOthers(ink, plot, most);
  const Point* previous = nullptr;
  double freeX = -1e300;
  int plan = -1;
  for (const Point& p : m_points) {
    const QPointF here = at(p, plot, most);
    const double w = Ink::width(p.xText, Ink::kSmall) + 8;
    const double labelX = std::clamp(here.x() - w / 2, area.left(), area.right() - w);
    if (labelX >= freeX) {
      ink.line({here.x(), plot.bottom()}, {here.x(), plot.bottom() + 4}, ink.color(Theme::Role::Border));
      ink.label({labelX, plot.bottom() + 6, w, 16}, p.xText, Qt::AlignCenter, Ink::kSmall,
                ink.color(Theme::Role::MutedText));
      freeX = labelX + w;
    }
    if (p.y <= 0) {
      ink.label({here.x() - 6, plot.bottom() - 20, 12, 16},
                p.decided ? QStringLiteral("×") : QStringLiteral("?"), Qt::AlignCenter, Ink::kBody,
                ink.color(p.decided ? Theme::Role::Error : Theme::Role::MutedText), true);
      previous = nullptr;
      continue;
    }
    if (previous) ink.line(at(*previous, plot, most), here, ink.color(Theme::Role::Accent), 2);
    previous = &p;
    if (p.changed || plan < 0) ++plan;
  }
  plan = -1;
  for (const Point& p : m_points) {
    if (p.y <= 0) continue;
    if (p.changed || plan < 0) ++plan;
    const QPointF here = at(p, plot, most);
    const bool marked = p.changed || plan == 0;
    const QColor fill = ink.theme().stage(plan % 8);
    painter.setPen(QPen(ink.color(Theme::Role::Canvas), 1.5));
    painter.setBrush(fill);
    const double r = marked ? 8 : 5;
    painter.drawEllipse(here, r, r);
    if (p.changed || &p == &*first)
      ink.label({here.x() - 9, here.y() - 9, 18, 18}, QString::number(plan + 1), Qt::AlignCenter, 9.5,
                ink.theme().textOn(fill), true);
  }
  paintNames(ink, plot, most);
  paintMarks(ink, area, c);
}

/// "From 24.1 samples/s at 8 to 1,030 samples/s at 2,048; the plan changes 6 times".
QString CurveFigure::sentence() const {
  const auto runs = [](const Point& p) { return p.y > 0; };
  const auto first = std::find_if(m_points.begin(), m_points.end(), runs);
  if (first == m_points.end())
    return std::all_of(m_points.begin(), m_points.end(), [](const Point& p) { return p.decided; })
               ? tr("Nothing fits at any of these values")
               : tr("Stopped before a plan was found at any of these values");
  const auto last = std::find_if(m_points.rbegin(), m_points.rend(), runs);
  if (&*first == &*last) return tr("%1 at %2").arg(first->yText, first->xText);
  const auto changes =
      std::count_if(m_points.begin(), m_points.end(), [](const Point& p) { return p.changed; });
  return tr("From %1 at %2 to %3 at %4; ").arg(first->yText, first->xText, last->yText, last->xText) +
         (changes == 0   ? tr("the plan stays the same")
          : changes == 1 ? tr("the plan changes once")
                         : tr("the plan changes %1 times").arg(changes));
}

void CurveFigure::paintOthers(Ink& ink, const QRectF& plot, double most) const {
  double x = plot.left() + 150;
  for (std::size_t k = 0; k < m_others.size(); ++k) {
    const Other& o = m_others[k];
    const QColor colour = ink.theme().stage(static_cast<int>(k) + 1);
    const auto style = k % 2 ? Qt::DashLine : Qt::DotLine;
    QPointF previous;
    bool joined = false;
    for (std::size_t i = 0; i < o.ys.size() && i < m_points.size(); ++i) {
      Point p = m_points[i];
      p.y = o.ys[i];
      if (!(p.y > 0)) {
        joined = false;
        continue;
      }
      const QPointF here = at(p, plot, most);
      if (joined) ink.line(previous, here, colour, 1.6, style);
      ink.fill({here.x() - 2.5, here.y() - 2.5, 5, 5}, colour);
      previous = here, joined = true;
    }
    // Named at the top, with its line.
    const double w = Ink::width(o.name, Ink::kSmall) + 38;
    if (x + w > plot.right()) continue;
    ink.line({x, plot.top() - 17}, {x + 22, plot.top() - 17}, colour, 1.6, style);
    ink.label({x + 27, plot.top() - 25, w - 27, 16}, o.name, Qt::AlignLeft | Qt::AlignVCenter, Ink::kSmall,
              ink.color(Theme::Role::MutedText));
    x += w;
  }
}

/// What each mark stands for, beside it where there is room.
void CurveFigure::paintNames(Ink& ink, const QRectF& plot, double most) const {
  std::vector<QRectF> taken;
  bool first = true;
  for (const Point& p : m_points) {
    if (p.y <= 0 || !(p.changed || std::exchange(first, false))) continue;
    const QPointF here = at(p, plot, most);
    const double w = Ink::width(p.plan, Ink::kSmall) + 6;
    const QRectF places[] = {{here.x() - w - 12, here.y() - 20, w, 15},
                             {here.x() + 12, here.y() + 6, w, 15},
                             {here.x() - w / 2, here.y() + 14, w, 15}};
    for (const QRectF& r : places) {
      if (r.left() < plot.left() || r.right() > plot.right() + 24 || r.bottom() > plot.bottom() ||
          r.top() < plot.top())
        continue;
      if (std::any_of(taken.begin(), taken.end(), [&](const QRectF& t) { return t.intersects(r); })) continue;
      ink.fill(r, ink.color(Theme::Role::Canvas));  // lines pass behind the words
      ink.label(r, p.plan, Qt::AlignCenter, Ink::kSmall, ink.color(Theme::Role::Text));
      taken.push_back(r);
      break;
    }
  }
}

Figure::Hit CurveFigure::hitOf(int i, const QRectF& area, const PlanContext& c) const {
  const Point& p = m_points[static_cast<std::size_t>(i)];
  const QPointF here = at(p, plotOf(area, c, false), largest());
  QString tip = QStringLiteral("<b>%1</b><br>%2<br>%3")
                    .arg(p.xText, p.y > 0 ? p.yText : p.none, p.plan.toHtmlEscaped());
  if (!p.change.isEmpty()) tip += QStringLiteral("<br>") + p.change.toHtmlEscaped();
  return {itemOf(i), QRectF(here.x() - 9, here.y() - 9, 18, 18), tip};
}

QString CurveFigure::lineOf(int i, const PlanContext&) const {
  const Point& p = m_points[static_cast<std::size_t>(i)];
  QString out = QStringLiteral("%1: %2, %3").arg(p.xText, p.y > 0 ? p.yText : p.none, p.plan);
  if (!p.change.isEmpty()) out += QStringLiteral("; ") + p.change;
  return out;
}

QString CurveFigure::words(const PlanContext&) const {
  QString out = m_xTitle + QLatin1Char('\t') + m_yTitle + QStringLiteral("\tplan");
  for (const Other& o : m_others) out += QLatin1Char('\t') + o.name;
  out += QLatin1Char('\n');
  for (std::size_t i = 0; i < m_points.size(); ++i) {
    const Point& p = m_points[i];
    out += p.xText + QLatin1Char('\t') + (p.y > 0 ? p.yText : p.none) + QLatin1Char('\t') + p.plan;
    for (const Other& o : m_others)
      out +=
          QLatin1Char('\t') + (i < o.ys.size() && o.ys[i] > 0 ? QString::fromStdString(text::number(o.ys[i]))
                                                              : QStringLiteral("–"));
    out += QLatin1Char('\n');
  }
  return out;
}

}  // namespace nest
