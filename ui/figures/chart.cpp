#include "figures/chart.h"

#include <QAreaSeries>
#include <QCategoryAxis>
#include <QChart>
#include <QGraphicsLayout>
#include <QGraphicsScene>
#include <QLineSeries>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "figures/axis.h"
#include "figures/ink.h"
#include "figures/ticks.h"

namespace nest {

using Role = Theme::Role;

ChartScale ChartScale::linear(const Axis& axis, const QString& title) {
  ChartScale s;
  s.high = axis.largest;
  s.title = axis.unitName.isEmpty() ? title : QStringLiteral("%1 (%2)").arg(title, axis.unitName);
  for (std::size_t i = 0; i < axis.ticks.size(); ++i)
    s.ticks.push_back({axis.ticks[i] * axis.unit, axis.tickText(i)});
  return s;
}

ChartScale ChartScale::powers(double low, double high, int mostTicks, const QString& title, double unit) {
  ChartScale s{low, high, true, QStringLiteral("%1, logarithmic").arg(title), {}};
  for (const double tick : logTicks(low / unit, high / unit, mostTicks))
    s.ticks.push_back({tick * unit, tickLabel(tick)});
  return s;
}

double ChartScale::share(double value) const {
  if (!(high > low)) return 0.5;
  return logarithmic ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
}

QPointF ChartPlane::at(double xValue, double yValue) const {
  return {plot.left() + x.share(xValue) * plot.width(), plot.bottom() - y.share(yValue) * plot.height()};
}

namespace {

/// The plot with its ticks and titles.
QRectF pageOf(const QRectF& plot) {
  return plot.adjusted(-ChartPlane::kLeft, -ChartPlane::kTop, 60, ChartPlane::kBottom);
}

}  // namespace

Chart::Chart(Ink& ink, const ChartPlane& plane)
    : m_ink(ink), m_plane(plane), m_scene(std::make_unique<QGraphicsScene>()), m_chart(new QChart) {
  m_scene->addItem(m_chart);
  m_chart->legend()->hide();
  m_chart->setBackgroundVisible(false);
  m_chart->setMargins({});
  const QRectF page = pageOf(plane.plot);
  m_chart->resize(page.size());
  m_chart->setPlotArea(plane.plot.translated(-page.topLeft()));
  for (const bool across : {true, false}) {
    const ChartScale& scale = across ? plane.x : plane.y;
    auto* axis = new QCategoryAxis;
    axis->setRange(0, 1);
    axis->setLabelsPosition(QCategoryAxis::AxisLabelsPositionOnValue);
    axis->setTruncateLabels(false);
    axis->setLabelsFont(Theme::font(Ink::kSmall));
    axis->setLabelsColor(ink.color(Role::MutedText));
    axis->setGridLineVisible(scale.grid);
    axis->setGridLinePen(QPen(ink.color(Role::Grid), 1));
    axis->setLinePen(QPen(ink.color(Role::Border), 1));
    double free = -1e300;  // labels across stand beside each other, not upon each other
    for (const auto& tick : scale.ticks) {
      const double at = scale.share(tick.value) * plane.plot.width();
      const double half = across ? Ink::width(tick.text, Ink::kSmall) / 2 + 4 : 0;
      if (across && at - half < free) continue;
      free = at + half;
      axis->append(tick.text.toHtmlEscaped(), scale.share(tick.value));
    }
    m_chart->addAxis(axis, across ? Qt::AlignBottom : Qt::AlignLeft);
  }
}

Chart::~Chart() = default;

namespace {

QList<QPointF> sharesOf(const QPolygonF& values, const ChartPlane& plane) {
  QList<QPointF> out;
  out.reserve(values.size());
  for (const QPointF& v : values) out.append({plane.x.share(v.x()), plane.y.share(v.y())});
  return out;
}

bool isFinite(const QPointF& p) {
  return std::isfinite(p.x()) && std::isfinite(p.y());
}

void add(QChart& chart, QAbstractSeries* series) {
  chart.addSeries(series);
  for (QAbstractAxis* axis : chart.axes()) series->attachAxis(axis);
}

}  // namespace

void Chart::line(const QPolygonF& values, const QPen& pen) {
  for (auto from = values.begin(); from != values.end();) {
    const auto end = std::find_if_not(from, values.end(), isFinite);
    if (end - from > 1) {
      auto* series = new QLineSeries;
      series->replace(sharesOf(QPolygonF(QList<QPointF>(from, end)), m_plane));
      series->setPen(pen);
      add(*m_chart, series);
      for (auto v = from; v + 1 != end; ++v)
        m_lines.emplace_back(m_plane.at(v->x(), v->y()), m_plane.at((v + 1)->x(), (v + 1)->y()));
    }
    from = std::find_if(end, values.end(), isFinite);
  }
}

void Chart::area(const QPolygonF& lower, const QPolygonF& upper, const QColor& colour) {
  auto* below = new QLineSeries(m_chart);
  auto* above = new QLineSeries(m_chart);
  below->replace(sharesOf(lower, m_plane)), above->replace(sharesOf(upper, m_plane));
  auto* series = new QAreaSeries(above, below);
  series->setPen(Qt::NoPen);
  series->setBrush(colour);
  add(*m_chart, series);
}

void Chart::marks(const QPolygonF& values, const Mark& mark) {
  if (mark.namesKeepOff)
    for (const QPointF& v : values)
      if (isFinite(v)) m_points.push_back(mark.box(m_plane.at(v.x(), v.y())));
  m_marks.push_back({values, mark});
}

void Chart::paint() {
  const QRectF& plot = m_plane.plot;
  const QRectF page = pageOf(plot);
  m_chart->layout()->invalidate();  // or the axes stay where a plot of their own choice would be
  m_chart->layout()->activate();
  QPainter& painter = m_ink.painter();
  painter.save();
  m_scene->render(&painter, page, QRectF(QPointF(), page.size()), Qt::IgnoreAspectRatio);
  painter.restore();
  for (const auto& [values, mark] : m_marks) {
    painter.setPen(mark.pen);
    painter.setBrush(mark.fill);
    for (const QPointF& v : values) {
      if (!isFinite(v)) continue;
      const QRectF box = mark.box(m_plane.at(v.x(), v.y()));
      mark.square ? painter.drawRect(box) : painter.drawEllipse(box);
    }
  }
  m_ink.label({plot.left() - ChartPlane::kLeft + 4, plot.top() - 26, plot.width(), 16}, m_plane.y.title,
              Qt::AlignLeft | Qt::AlignVCenter, Ink::kSmall, m_ink.color(Role::MutedText));
  m_ink.label({plot.left(), plot.bottom() + 21, plot.width(), 16}, m_plane.x.title, Qt::AlignCenter,
              Ink::kSmall, m_ink.color(Role::MutedText));
}

namespace {

constexpr double kApart = 5;  ///< of a name from the mark of another

bool crosses(const QRectF& box, const QLineF& line) {
  if (box.contains(line.p1()) || box.contains(line.p2())) return true;
  const QLineF sides[] = {{box.topLeft(), box.bottomRight()}, {box.bottomLeft(), box.topRight()}};
  return std::any_of(std::begin(sides), std::end(sides), [&](const QLineF& diagonal) {
    return diagonal.intersects(line, nullptr) == QLineF::BoundedIntersection;
  });
}

}  // namespace

void Chart::name(const QPointF& mark, double radius, const QStringList& choices, bool bold) {
  const QRectF room = m_plane.plot.adjusted(0, 0, 14, 0);
  const double r = radius;
  std::vector<QRectF> near;  // in the rows of these places, so that thousands of marks stay quick to name
  const auto inRows = [&](const QRectF& t) {
    return t.top() < mark.y() + r + 17 + kApart && t.bottom() > mark.y() - r - 17 - kApart;
  };
  std::copy_if(m_taken.begin(), m_taken.end(), std::back_inserter(near), inRows);
  for (const QRectF& p : m_points)
    if (inRows(p)) near.push_back(p.contains(mark) ? p : p.adjusted(-kApart, -kApart, kApart, kApart));
  std::vector<QLineF> lines;
  std::copy_if(m_lines.begin(), m_lines.end(), std::back_inserter(lines),
               [&](const QLineF& l) { return inRows(QRectF(l.p1(), l.p2()).normalized()); });
  const auto onLine = [&](const QRectF& box) {
    return std::any_of(lines.begin(), lines.end(), [&](const QLineF& l) { return crosses(box, l); });
  };
  for (const QString& text : choices) {
    const double w = Ink::width(text, Ink::kSmall, bold) + 6;
    std::optional<QRectF> place;
    for (const QPointF& corner :
         {QPointF(r, r + 1), QPointF(-w - r, -r - 15), QPointF(-w / 2, r + 3), QPointF(-w / 2, -r - 17),
          QPointF(r + 3, -7), QPointF(-w - r - 3, -7), QPointF(r, -r - 15), QPointF(-w - r, r + 1)}) {
      const QRectF box(mark + corner, QSizeF(w, 14));
      if (!room.contains(box) ||
          std::any_of(near.begin(), near.end(), [&](const QRectF& t) { return t.intersects(box); }))
        continue;
      const bool free = !onLine(box);
      if (free || !place) place = box;
      if (free) break;
    }
    if (!place) continue;
    m_ink.fill(*place, m_ink.color(Role::Canvas));  // lines pass behind the words
    m_ink.label(*place, text, Qt::AlignCenter, Ink::kSmall, m_ink.color(Role::Text), bold);
    return keepClear(*place);
  }
}

}  // namespace nest
