#include "figures/paint/chart.h"

#include <QAreaSeries>
#include <QCategoryAxis>
#include <QChart>
#include <QGraphicsLayout>
#include <QGraphicsScene>
#include <QLineSeries>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <unordered_set>

#include "figures/paint/axis.h"
#include "figures/paint/figure_painter.h"
#include "figures/paint/ticks.h"

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

constexpr double kOnePlace = 0.4;  ///< pixels that nobody tells apart
constexpr double kCrowding =
    0.6;  ///< of a mark's size, from which on the rim of the next leaves enough of it

/// The plot with its ticks and titles.
QRectF pageOf(const QRectF& plot) {
  return plot.adjusted(-ChartPlane::kLeft, -ChartPlane::kTop, 60, ChartPlane::kBottom);
}

}  // namespace

Chart::Chart(FigurePainter& ink, const ChartPlane& plane)
    : m_ink(ink),
      m_plane(plane),
      m_scene(std::make_unique<QGraphicsScene>()),
      m_chart(new QChart),
      m_taken(plane.plot),
      m_points(plane.plot),
      m_lines(plane.plot) {
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
    axis->setLabelsFont(Theme::font(FigurePainter::kSmall));
    axis->setLabelsColor(ink.color(Role::MutedText));
    axis->setGridLineVisible(scale.grid);
    axis->setGridLinePen(QPen(ink.color(Role::Grid), 1));
    axis->setLinePen(QPen(ink.color(Role::Border), 1));
    double free = -1e300;  // labels across stand beside each other, not upon each other
    for (const auto& tick : scale.ticks) {
      const double at = scale.share(tick.value) * plane.plot.width();
      if (across && at < free) continue;  // of thousands only those are measured for which there is room
      const double half = across ? FigurePainter::width(tick.text, FigurePainter::kSmall) / 2 + 4 : 0;
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

/// Without those that stand where the one before them stands: a line of thousands looks the same.
QPolygonF withoutRepeats(QPolygonF values, const ChartPlane& plane) {
  if (values.size() < 3) return values;
  QPointF last = plane.at(values.front().x(), values.front().y());
  const auto repeats = [&](const QPointF& v) {
    const QPointF off = plane.at(v.x(), v.y()) - last;
    if (std::abs(off.x()) < kOnePlace && std::abs(off.y()) < kOnePlace) return true;
    last += off;
    return false;
  };
  values.erase(std::remove_if(values.begin() + 1, values.end() - 1, repeats), values.end() - 1);
  return values;
}

void add(QChart& chart, QAbstractSeries* series) {
  chart.addSeries(series);
  for (QAbstractAxis* axis : chart.axes()) series->attachAxis(axis);
}

}  // namespace

void Chart::line(const QPolygonF& all, const QPen& pen) {
  const auto isMissing = [](const QPointF& v) { return !isFinite(v); };
  for (auto start = all.begin(); start != all.end();) {
    const auto stop = std::find_if(start, all.end(), isMissing);
    if (stop - start > 1) addLine(withoutRepeats(QPolygonF(QList<QPointF>(start, stop)), m_plane), pen);
    start = std::find_if(stop, all.end(), isFinite);
  }
}

void Chart::addLine(const QPolygonF& values, const QPen& pen) {
  auto* series = new QLineSeries;
  series->replace(sharesOf(values, m_plane));
  series->setPen(pen);
  add(*m_chart, series);
  for (auto v = values.begin(); v + 1 != values.end(); ++v) {
    const QLineF part(m_plane.at(v->x(), v->y()), m_plane.at((v + 1)->x(), (v + 1)->y()));
    m_lines.add(part, QRectF(part.p1(), part.p2()).normalized());
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
      if (isFinite(v)) {
        const QRectF box = mark.box(m_plane.at(v.x(), v.y()));
        m_points.add(box, box);
      }
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
  for (const auto& [values, mark] : m_marks) paintMarks(values, mark);
  m_ink.label({plot.left() - ChartPlane::kLeft + 4, plot.top() - 26, plot.width(), 16}, m_plane.y.title,
              Qt::AlignLeft | Qt::AlignVCenter, FigurePainter::kSmall, m_ink.color(Role::MutedText));
  m_ink.label({plot.left(), plot.bottom() + 21, plot.width(), 16}, m_plane.x.title, Qt::AlignCenter,
              FigurePainter::kSmall, m_ink.color(Role::MutedText));
}

void Chart::paintMarks(const QPolygonF& values, const Mark& mark) const {
  QPainter& painter = m_ink.painter();
  const auto cell = [](const QPointF& at, double side) {
    return (std::llround(at.x() / side) << 32) + std::llround(at.y() / side);
  };
  std::unordered_set<std::int64_t> painted;
  std::vector<QPointF> places;
  for (const QPointF& v : values) {
    if (!isFinite(v)) continue;
    const QPointF at = m_plane.at(v.x(), v.y());
    if (!isFinite(at)) continue;  // nothing stands at zero of a logarithmic axis
    if (painted.insert(cell(at, kOnePlace)).second) places.push_back(at);
  }
  const double near = kCrowding * mark.size;
  RectIndex<QPointF> crowd(m_plane.plot);
  if (mark.yields)
    for (const QPointF& at : places) crowd.add(at, QRectF(at, QSizeF()));
  const auto isCrowded = [&](const QPointF& at) {
    return crowd.any(QRectF(at - QPointF(near, near), QSizeF(2 * near, 2 * near)), [&](const QPointF& other) {
      const double distance = QLineF(at, other).length();
      return distance > 0 && distance < near;
    });
  };
  painter.setBrush(mark.fill);
  for (const QPointF& at : places) {
    painter.setPen(mark.yields && isCrowded(at) ? QPen(Qt::NoPen) : mark.pen);
    const QRectF box = mark.box(at);
    mark.square ? painter.drawRect(box) : painter.drawEllipse(box);
  }
}

namespace {

constexpr double kApart = 12;  ///< of a name from the mark of another: more than twice as far as from its own
constexpr double kLeastName = 8;  ///< no name is narrower

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
  const auto boxes = [&](double w) {
    const QSizeF size(w, 14);
    return std::array{
        QRectF(mark + QPointF(r, r + 1), size),      QRectF(mark + QPointF(-w - r, -r - 15), size),
        QRectF(mark + QPointF(-w / 2, r + 3), size), QRectF(mark + QPointF(-w / 2, -r - 17), size),
        QRectF(mark + QPointF(r + 3, -7), size),     QRectF(mark + QPointF(-w - r - 3, -7), size),
        QRectF(mark + QPointF(r, -r - 15), size),    QRectF(mark + QPointF(-w - r, r + 1), size)};
  };
  const auto hasRoom = [&](const QRectF& box) {
    return room.contains(box) && !m_taken.any(box, [&](const QRectF& t) { return t.intersects(box); }) &&
           !m_points.any(box.adjusted(-kApart, -kApart, kApart, kApart), [&](const QRectF& p) {
             return (p.contains(mark) ? p : p.adjusted(-kApart, -kApart, kApart, kApart)).intersects(box);
           });
  };
  const auto isOnLine = [&](const QRectF& box) {
    return m_lines.any(box, [&](const QLineF& l) { return crosses(box, l); });
  };
  // Where the shortest of names has no room its text need not be measured: of thousands of marks, most.
  std::array<bool, 8> open;
  std::ranges::transform(boxes(kLeastName), open.begin(), hasRoom);
  if (std::ranges::none_of(open, std::identity())) return;
  for (const QString& text : choices) {
    const auto places = boxes(FigurePainter::width(text, FigurePainter::kSmall, bold) + 6);
    std::optional<QRectF> place;
    for (std::size_t k = 0; k < places.size(); ++k) {
      if (!open[k] || !hasRoom(places[k])) continue;
      const bool free = !isOnLine(places[k]);
      if (free || !place) place = places[k];
      if (free) break;
    }
    if (!place) continue;
    m_ink.fill(*place, m_ink.color(Role::Canvas));  // lines pass behind the words
    m_ink.label(*place, text, Qt::AlignCenter, FigurePainter::kSmall, m_ink.color(Role::Text), bold);
    return keepClear(*place);
  }
}

}  // namespace nest
