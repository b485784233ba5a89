#include "figures/plan/communication_figure.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <utility>

#include "figures/paint/figure_painter.h"
#include "figures/paint/frame.h"
#include "figures/paint/phrases.h"
#include "figures/paint/ticks.h"
#include "figures/plan/communication_matrix.h"
#include "figures/plan/focus.h"
#include "figures/plan/traffic_table.h"
#include "units/at.h"

namespace nest {

namespace {

using Role = Theme::Role;
struct HeatLayout {
  QRectF plot, legend, table;
};

HeatLayout layoutHeat(const QRectF& area, const PlanContext& c, bool standalone) {
  HeatLayout out;
  const QRectF body = bodyOf(area, c, standalone);
  const double top = body.top() + 40, left = body.left() + 62;
  constexpr double kLegend = 120;
  const double side = std::max(60.0, std::min(body.bottom() - top - 6, body.right() - left - kLegend));
  out.plot = QRectF(left, top, side, side);
  const double legendTop = top + 22;
  out.legend = QRectF(out.plot.right() + 28, legendTop, 16, std::clamp(side - 70, 40.0, 300.0));
  const double tableLeft = out.plot.right() + kLegend + 36;
  if (body.right() - tableLeft > 230) out.table = QRectF(tableLeft, top, body.right() - tableLeft, side);
  return out;
}

QString valueName(CommunicationFigure::Value v) {
  return v == CommunicationFigure::Value::Level    ? QStringLiteral("Network level")
         : v == CommunicationFigure::Value::Volume ? QStringLiteral("Bytes per step")
                                                   : QStringLiteral("Time per step");
}

}  // namespace

CommunicationFigure::CommunicationFigure()
    : InteractiveFigure(QStringLiteral("communication"), QStringLiteral("Communication"), {1200, 720}) {}
CommunicationFigure::~CommunicationFigure() = default;

const CommunicationFigure::Matrix& CommunicationFigure::matrixOf(const PlanContext& c) const {
  const bool samePlan = m_matrix && m_matrix->context.problem == c.problem &&
                        m_matrix->context.plan == c.plan && m_matrix->context.outcome == c.outcome;
  if (!samePlan) {
    m_matrix = std::make_unique<Matrix>();
    m_matrix->context = c;
    m_matrix->traffic = std::make_unique<Traffic>(*c.problem, *c.shownPlan());
    m_matrix->findRuns();
  }
  const auto visible = range(c);
  const bool sameRange = std::pair(m_matrix->rangeBegin, m_matrix->rangeEnd) == visible;
  if (!samePlan || !sameRange || m_matrix->options != m_options) {
    std::tie(m_matrix->rangeBegin, m_matrix->rangeEnd) = visible;
    m_matrix->options = m_options;
    m_matrix->fill();
  }
  return *m_matrix;
}

std::pair<int, int> CommunicationFigure::range(const PlanContext& c) const {
  const int all = c.problem->cluster->deviceCount();
  const int begin = std::clamp(static_cast<int>(std::lround(m_from * all)), 0, all - 1);
  const int end = std::clamp(static_cast<int>(std::lround((m_from + m_span) * all)), begin + 1, all);
  return {begin, end};
}

QString CommunicationFigure::bucketName(const PlanContext& c) const {
  return isShown(c) ? matrixOf(c).bucket() : QString();
}

/// The pixel under the mouse stays where it is, on both axes as far as one range can: along the diagonal.
void CommunicationFigure::zoomAt(const QPointF& at, double factor, const QRectF& area, const PlanContext& c) {
  if (!isShown(c)) return;
  constexpr double kFewestDevices = 8;
  const QRectF plot = layoutHeat(area, c, false).plot;
  const double all = c.problem->cluster->deviceCount();
  const double x = std::clamp((at.x() - plot.left()) / plot.width(), 0.0, 1.0),
               y = std::clamp((at.y() - plot.top()) / plot.height(), 0.0, 1.0);
  const double share = (x + y) / 2;
  const double span = std::clamp(m_span / factor, std::min(1.0, kFewestDevices / all), 1.0);
  m_from = std::clamp(m_from + share * (m_span - span), 0.0, 1 - span);
  m_span = span;
}

void CommunicationFigure::panBy(const QPointF& pixels, const QRectF& area, const PlanContext& c) {
  if (!isShown(c)) return;
  const QRectF plot = layoutHeat(area, c, false).plot;
  const double along = std::abs(pixels.x()) > std::abs(pixels.y()) ? pixels.x() : pixels.y();
  m_from = std::clamp(m_from - along / plot.width() * m_span, 0.0, 1 - m_span);
}

std::map<std::string, double> CommunicationFigure::viewport() const {
  return {{"from", m_from}, {"span", m_span}};
}

void CommunicationFigure::setViewport(const std::map<std::string, double>& wanted) {
  const auto from = wanted.find("from"), span = wanted.find("span");
  if (from == wanted.end() || span == wanted.end()) return;
  m_span = std::clamp(span->second, 1e-9, 1.0);
  m_from = std::clamp(from->second, 0.0, 1 - m_span);
}

std::optional<FigureState> CommunicationFigure::state(const PlanContext& c, bool) const {
  return stateOf(c, QStringLiteral("the communication"));
}

void CommunicationFigure::draw(FigurePainter& ink, const QRectF& area, const PlanContext& c) const {
  QPainter& painter = ink.painter();
  const FigureStyle& style = ink.style();
  matrixOf(c);
  Matrix& m = *m_matrix;
  paintFrame(ink, area, c, title(), m.sentence());
  const auto layout = layoutHeat(area, c, style.standalone);
  const int n = m.visible();
  const double step = layout.plot.width() / n;
  const auto placeOf = [&](int device) {
    return std::clamp(m.positionOf(device) - m.firstBucket, 0.0, static_cast<double>(n)) * step;
  };

  painter.setRenderHint(QPainter::SmoothPixmapTransform, false);
  painter.drawImage(layout.plot, m.imageFor(ink.theme()), QRectF(0, 0, n, n));
  // Lines between hosts or the next larger groups, as long as they do not cover the picture.
  const Hierarchy& h = *c.problem->cluster;
  for (int l = m.grouped ? m.groups + 1 : 0; l < h.levelCount(); ++l) {
    const int first = h.groupOf(l, m.rangeBegin), last = h.groupOf(l, m.rangeEnd - 1);
    if (last == first || layout.plot.width() / (last - first + 1) < 12) continue;
    for (int g = first + 1; g <= last; ++g) {
      const double p = placeOf(h.groupSpan(l, g).first);
      const QColor line = mixed(ink.color(Role::Canvas), ink.color(Role::MutedText), 0.2);
      ink.line({layout.plot.left() + p, layout.plot.top()}, {layout.plot.left() + p, layout.plot.bottom()},
               line, 0.7);
      ink.line({layout.plot.left(), layout.plot.top() + p}, {layout.plot.right(), layout.plot.top() + p},
               line, 0.7);
    }
    break;
  }
  ink.outline(layout.plot, ink.color(Role::Border));

  // Stages along both edges, where neighbours enough hold one.
  const Focus focus(c, style);
  for (const Matrix::Run& run : m.runs) {
    const double begin = placeOf(run.begin), length = placeOf(run.end) - begin;
    if (run.stage < 0 || length < 2.5) continue;
    ink.stageBox(QRectF(layout.plot.left() - 9, layout.plot.top() + begin, 6, length), run.stage,
                 focus.dims(run.stage));
    ink.stageBox(QRectF(layout.plot.left() + begin, layout.plot.top() - 9, length, 6), run.stage,
                 focus.dims(run.stage));
  }
  for (int i : wholeTicks(n, static_cast<int>(layout.plot.width() / 52))) {
    const double middle = (i + 0.5) * step;
    const int bucket = m.firstBucket + i;
    const QString label = countText(m.grouped ? bucket : m.cells.starts[static_cast<std::size_t>(bucket)]);
    ink.label(QRectF(layout.plot.left() - 58, layout.plot.top() + middle - 8, 46, 16), label,
              Qt::AlignRight | Qt::AlignVCenter, FigurePainter::kSmall, ink.color(Role::MutedText));
    const QRectF above(layout.plot.left() + middle - 24, layout.plot.top() - 26, 48, 16);
    if (above.right() < layout.plot.right() + 24)
      ink.label(above, label, Qt::AlignCenter, FigurePainter::kSmall, ink.color(Role::MutedText));
  }
  const QString rows = QStringLiteral("Sender (row) → receiver (column), per %1").arg(m.bucket());
  QStringList heads{rows, QStringLiteral("Sender → receiver, per %1").arg(m.bucket())};
  if (n < m.cells.buckets()) {
    const QString part =
        QStringLiteral("; devices %1–%2 of %3")
            .arg(countText(m.rangeBegin), countText(m.rangeEnd - 1), countText(h.deviceCount()));
    for (QString& head : heads) head += part;
  } else if (m.binSize() > 1) {
    heads.prepend(rows + QStringLiteral(", numbered by the first device"));
  }
  ink.firstThatFits(
      QRectF(layout.plot.left() - 60, layout.plot.top() - 42, area.right() - layout.plot.left() + 50, 16),
      heads, Qt::AlignLeft | Qt::AlignVCenter, FigurePainter::kSmall, ink.color(Role::MutedText));

  paintLegendOf(ink, layout.legend, m);
  if (!layout.table.isEmpty())
    paintTrafficTable(ink, layout.table, *m.traffic, m.showsTime() ? &m.longest : nullptr,
                      {m.options.kind, m.level}, c);
  const auto mark = [&](const std::optional<SelectionItem>& item, Role role) {
    if (!item || item->kind != ItemKind::Pair) return;
    if (const auto hit = locate(*item, area, c);
        hit && layout.plot.contains(hit->area.center()))  // or it lies outside what is zoomed into
      ink.outline(hit->area.adjusted(-1.5, -1.5, 1.5, 1.5), ink.color(role), 2);
  };
  if (!style.standalone) mark(style.selected, Role::Selection), mark(style.hovered, Role::Hover);
}

void CommunicationFigure::paintLegendOf(FigurePainter& ink, const QRectF& bar, const Matrix& m) const {
  const QRectF head(bar.left(), bar.top() - 24, 92, 16);
  ink.label(head, valueName(m_options.value), Qt::AlignLeft | Qt::AlignVCenter, FigurePainter::kSmall,
            ink.color(Role::Text), true);
  double bottom = bar.bottom();
  if (m_options.value == Value::Level) {
    const Hierarchy& h = *m.context.problem->cluster;
    double y = bar.top();
    for (int l = 0; l < h.levelCount(); ++l, y += 20) {
      ink.fill(QRectF(bar.left(), y + 2, 14, 14), levelColor(l, h.levelCount(), ink.theme()));
      ink.label(QRectF(bar.left() + 20, y, 78, 18), phrase(h.level(l).name), Qt::AlignLeft | Qt::AlignVCenter,
                FigurePainter::kSmall, ink.color(Role::Text));
    }
    bottom = y;
  } else if (!m.scale.empty()) {
    bottom = m.scale.paintLegend(ink, bar);
  }
  const QRectF nothing(bar.left(), bottom + 12, 14, 14);
  ink.fill(nothing, ink.color(Role::Canvas));
  ink.outline(nothing, ink.color(Role::Border));
  ink.label(QRectF(nothing.right() + 6, bottom + 10, 84, 18), QStringLiteral("no traffic"),
            Qt::AlignLeft | Qt::AlignVCenter, FigurePainter::kSmall, ink.color(Role::Text));
  ink.paragraph(QRectF(bar.left(), bottom + 32, 116, 34), m.what(), Qt::AlignLeft, FigurePainter::kSmall,
                ink.color(Role::MutedText));
}

SelectionItem CommunicationFigure::itemOf(int row, int column, const PlanContext& c) const {
  const Matrix& m = matrixOf(c);
  if (m.grouped) return {ItemKind::Pair, row, m.groups, column};
  return {ItemKind::Pair, m.cells.starts[row], -1, m.cells.starts[column]};
}

std::optional<Figure::Hit> CommunicationFigure::cellHit(int row, int column, const QRectF& area,
                                                        const PlanContext& c) const {
  const Matrix& m = matrixOf(c);
  const int n = m.cells.buckets();
  if (row < 0 || column < 0 || row >= n || column >= n) return std::nullopt;
  const auto layout = layoutHeat(area, c, false);
  const double step = layout.plot.width() / m.visible();
  const SelectionItem item = itemOf(row, column, c);
  Tip tip(QStringLiteral("%1 to %2").arg(m.nameOf(row), m.nameOf(column)));
  const std::size_t i = m.cells.cell(row, column);
  if (m.sends(i)) {
    const auto time = [&] {
      tip.row(QStringLiteral("Longest time of a device per step"), exactTime(m.cells.time[i]));
    };
    if (m.showsTime()) time();
    tip.row(QStringLiteral("Bytes per step"), exactMemory(m.cells.bytes[i]));
    if (!m.showsTime()) time();
    tip.row(QStringLiteral("Level"), levelName(c, m.cells.level[i]));
  } else {
    tip.note(QStringLiteral("No traffic."));
  }
  if (m.sends(i) || m.options.kind || m.level >= 0) tip.note(m.what() + u'.');
  return Hit{item,
             QRectF(layout.plot.left() + (column - m.firstBucket) * step,
                    layout.plot.top() + (row - m.firstBucket) * step, step, step),
             tip.html()};
}

std::optional<Figure::Hit> CommunicationFigure::itemAt(const QPointF& at, const QRectF& area,
                                                       const PlanContext& c) const {
  const auto layout = layoutHeat(area, c, false);
  if (!layout.plot.contains(at)) return std::nullopt;
  const Matrix& m = matrixOf(c);
  const double step = layout.plot.width() / m.visible();
  return cellHit(m.firstBucket + static_cast<int>((at.y() - layout.plot.top()) / step),
                 m.firstBucket + static_cast<int>((at.x() - layout.plot.left()) / step), area, c);
}

std::optional<std::pair<int, int>> CommunicationFigure::cellOf(const SelectionItem& item,
                                                               const PlanContext& c) const {
  const Matrix& m = matrixOf(c);
  if (item.kind != ItemKind::Pair || m.grouped != (item.level >= 0) || (m.grouped && item.level != m.groups))
    return std::nullopt;
  if (m.grouped) return std::pair(item.index, item.other);
  return std::pair(m.bucketOf(item.index), m.bucketOf(item.other));
}

std::optional<Figure::Hit> CommunicationFigure::placeOf(const SelectionItem& item, const QRectF& area,
                                                        const PlanContext& c) const {
  const auto cell = cellOf(item, c);
  return cell ? cellHit(cell->first, cell->second, area, c) : std::nullopt;
}

std::optional<SelectionItem> CommunicationFigure::stepFrom(const std::optional<SelectionItem>& from,
                                                           Step step, const PlanContext& c) const {
  const int first = matrixOf(c).firstBucket, last = matrixOf(c).lastBucket - 1;
  const auto cell = from ? cellOf(*from, c) : std::nullopt;
  if (!cell || step == Step::First) return itemOf(first, first, c);
  if (step == Step::Last) return itemOf(last, last, c);
  const int row = cell->first + (step == Step::Down ? 1 : step == Step::Up ? -1 : 0);
  const int column = cell->second + (step == Step::Right ? 1 : step == Step::Left ? -1 : 0);
  return itemOf(std::clamp(row, first, last), std::clamp(column, first, last), c);
}

QString CommunicationFigure::sentenceOf(const SelectionItem& item, const PlanContext& c) const {
  const auto cell = cellOf(item, c);
  const Matrix& m = matrixOf(c);
  const int n = m.cells.buckets();
  if (!cell || cell->first < 0 || cell->second < 0 || cell->first >= n || cell->second >= n) return {};
  const std::size_t i = m.cells.cell(cell->first, cell->second);
  const QString bytes = memoryText(m.cells.bytes[i]), time = timeText(m.cells.time[i]);
  return QStringLiteral("%1 to %2: %3")
      .arg(m.nameOf(cell->first), m.nameOf(cell->second),
           m.sends(i) ? QStringLiteral("%1, %2, level %3")
                            .arg(m.showsTime() ? time : bytes, m.showsTime() ? bytes : time,
                                 levelName(c, m.cells.level[i]))
                      : QStringLiteral("nothing"));
}

QString CommunicationFigure::words(const PlanContext& c) const {
  const Matrix& m = matrixOf(c);
  QString out = title() + u'\n' + m.sentence() + u'\n';
  for (int k = 0; k < kExchangeCount; ++k)
    for (int l = 0; l < c.problem->cluster->levelCount(); ++l) {
      const auto kind = static_cast<Exchange>(k);
      const Bytes bytes = m.traffic->total(kind, l);
      if (!(bytes.value() > 0)) continue;
      out += QStringLiteral("%1, level %2: ").arg(nameOfKind(kind), levelName(c, l));
      out += m.showsTime() ? QStringLiteral("at most %1 per step of a device, %2 in all\n")
                                 .arg(timeText(m.longest.byKind[kind][at(l)]), memoryText(bytes))
                           : QStringLiteral("%1 per step\n").arg(memoryText(bytes));
    }
  // Pairs one by one only as long as someone could read them.
  constexpr int kMostLines = 2000;
  int lines = 0;
  for (int row = m.firstBucket; row < m.lastBucket; ++row)
    for (int column = m.firstBucket; column < m.lastBucket; ++column)
      if (m.sends(m.cells.cell(row, column))) {
        if (++lines > kMostLines) return out + QStringLiteral("… further pairs are left out\n");
        out += describe(itemOf(row, column, c), c) + u'\n';
      }
  return out;
}

std::vector<FigureOption> CommunicationFigure::offeredOptions(const PlanContext& c) const {
  constexpr std::array kValues{"level", "bytes", "time"};
  const auto groups = m_options.groups;
  return {{"value",
           QStringLiteral("Metric"),
           {},
           {{"level", QStringLiteral("Level")},
            {"bytes", QStringLiteral("Bytes")},
            {"time", QStringLiteral("Time")}},
           kValues[static_cast<std::size_t>(m_options.value)]},
          {"kind",
           QStringLiteral("Parallelism"),
           {},
           withExchanges({{"all", nameOfKind(std::nullopt)}}),
           m_options.kind ? nameOf(*m_options.kind) : "all"},
          {"level",
           QStringLiteral("Level"),
           {},
           withLevels({{"every", QStringLiteral("All")}}, c),
           m_options.level < 0 ? "every" : levelChoice(m_options.level)},
          {"groups",
           QStringLiteral("Group by"),
           {},
           withLevels({{"automatic", QStringLiteral("Auto")}, {"device", QStringLiteral("Device")}}, c),
           groups == Options::kAutomatic ? "automatic"
           : groups < 0                  ? "device"
                                         : levelChoice(groups)},
          {"scale",
           QStringLiteral("Scale"),
           {},
           {{"logarithmic", QStringLiteral("Logarithmic")}, {"linear", QStringLiteral("Linear")}},
           m_options.logarithmic ? "logarithmic" : "linear"}};
}

void CommunicationFigure::setOption(const std::string& key, const std::string& name) {
  Options& o = m_options;
  if (key == "value")
    o.value = name == "level" ? Value::Level : name == "time" ? Value::Duration : Value::Volume;
  if (key == "kind") o.kind = exchangeNamed(name);
  if (key == "level") o.level = levelNamed(name);
  if (key == "groups")
    o.groups = name == "device" ? -1 : levelNamed(name) >= 0 ? levelNamed(name) : Options::kAutomatic;
  if (key == "scale") o.logarithmic = name != "linear";
}

}  // namespace nest
