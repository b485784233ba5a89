#include "figures/communication_figure.h"

#include <QImage>
#include <algorithm>
#include <array>
#include <cmath>

#include "figures/focus.h"
#include "figures/frame.h"
#include "figures/ink.h"
#include "figures/magnitude_scale.h"
#include "figures/phrases.h"
#include "figures/seat_map.h"
#include "figures/ticks.h"
#include "figures/traffic_table.h"

namespace nest {

struct CommunicationFigure::Matrix {
  PlanContext context;  ///< keeps what is shown alive
  Options options;
  std::unique_ptr<Traffic> traffic;
  SeatMap seats;
  TrafficMatrix cells;
  int groups = -1;       ///< level of the groups compared
  bool grouped = false;  ///< buckets are the groups of that level
  int level = Options::kEveryLevel;
  MagnitudeScale scale;
  const Theme* theme = nullptr;
  QImage image;

  bool sends(std::size_t cell) const { return cells.level[cell] >= 0; }
  QString what() const;  ///< "All traffic", "TP over rack"
  void fill();
  const QImage& imageFor(const Theme&);
};

namespace {

using Role = Theme::Role;
constexpr int kMostBuckets = 512;
constexpr int kReadableBuckets = 256;

/// Devices while their cells can be seen, else the innermost groups whose cells can.
int automaticGroups(const Hierarchy& h) {
  if (h.deviceCount() <= kReadableBuckets) return -1;
  for (int l = 0; l < h.levelCount(); ++l)
    if (h.groupCount(l) <= kReadableBuckets) return l;
  return -1;
}

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

QColor levelColor(int level, int levels, const Theme& theme) {
  return theme.magnitude(levels > 1 ? 0.12 + 0.88 * level / (levels - 1) : 0.6);
}

Bytes sentOf(const Traffic& traffic, Exchange kind, int alone) {
  return alone >= 0 ? traffic.total(kind, alone) : traffic.total(kind);
}

/// Of the exchanges of one kind and over one level, where the figure shows those alone.
QString sentence(const Traffic& traffic, const PlanContext& c, const std::optional<Exchange>& kind,
                 int alone) {
  double total = 0;
  auto shown = Exchange(0);
  for (int k = 0; k < kExchangeCount; ++k) {
    total += sentOf(traffic, Exchange(k), alone).value();
    if (sentOf(traffic, Exchange(k), alone) > sentOf(traffic, shown, alone)) shown = Exchange(k);
  }
  if (kind) shown = *kind;
  const Bytes sent = sentOf(traffic, shown, alone);
  if (!(total > 0))
    return alone >= 0 ? QStringLiteral("Nothing crosses the %1 level").arg(levelName(c, alone))
                      : QStringLiteral("No device sends anything");
  const QString share = phrase(text::percent(sent.value() / total)), name = nameOfKind(shown);
  if (alone >= 0)
    return kind ? QStringLiteral("%1: %2 per step cross the %3 level, %4 of all that does")
                      .arg(name, memoryText(sent), levelName(c, alone), share)
                : QStringLiteral("%1 per step cross the %2 level, %3 of it %4")
                      .arg(memoryText(Bytes(total)), levelName(c, alone), share, name);
  if (kind && !(sent.value() > 0)) return QStringLiteral("%1: nothing is sent").arg(name);
  double outer = 0;
  int level = c.problem->cluster->levelCount() - 1;
  for (; level >= 0 && outer <= 0; --level)
    for (int k = 0; k < kExchangeCount; ++k)
      if (!kind || Exchange(k) == *kind) outer += traffic.total(Exchange(k), level).value();
  const QString crossing =
      QStringLiteral("%1 cross the %2 level").arg(memoryText(Bytes(outer)), levelName(c, level + 1));
  return kind ? QStringLiteral("%1: %2 per step, %3 of all; %4").arg(name, memoryText(sent), share, crossing)
              : QStringLiteral("%1 per step, %2 of it %3; %4")
                    .arg(memoryText(Bytes(total)), share, name, crossing);
}

}  // namespace

QString CommunicationFigure::Matrix::what() const {
  const QString kind = nameOfKind(options.kind);
  return level < 0 ? kind : QStringLiteral("%1 over %2").arg(kind, levelName(context, level));
}

void CommunicationFigure::Matrix::fill() {
  const Hierarchy& h = *context.problem->cluster;
  ExchangeMask mask = kEveryExchange;
  if (options.kind) {
    mask.fill(false);
    mask[*options.kind] = true;
  }
  groups = options.groups == Options::kAutomatic ? automaticGroups(h) : options.groups;
  grouped = groups >= 0 && groups < h.levelCount() && h.groupCount(groups) <= kMostBuckets;
  level = options.level < h.levelCount() ? options.level : Options::kEveryLevel;
  cells = traffic->matrix(grouped ? groupBuckets(h, groups) : evenBuckets(h, kMostBuckets), mask, level);
  double smallest = 0, largest = 0;
  const auto take = [&](double v) {
    if (v <= 0) return;
    smallest = smallest > 0 ? std::min(smallest, v) : v;
    largest = std::max(largest, v);
  };
  const bool time = options.value == Value::Duration;
  for (std::size_t i = 0; i < cells.level.size(); ++i)
    if (sends(i)) take(time ? cells.time[i].value() : cells.bytes[i].value());
  scale = MagnitudeScale(smallest, largest, options.logarithmic,
                         time ? MagnitudeScale::Unit::Time : MagnitudeScale::Unit::Data);
  theme = nullptr;
}

const QImage& CommunicationFigure::Matrix::imageFor(const Theme& wanted) {
  if (theme == &wanted) return image;
  theme = &wanted;
  const int n = cells.buckets(), levels = context.problem->cluster->levelCount();
  image = QImage(n, n, QImage::Format_RGB32);
  const QRgb nothing = wanted.color(Role::Canvas).rgb();
  for (int row = 0; row < n; ++row) {
    auto* line = reinterpret_cast<QRgb*>(image.scanLine(row));
    for (int column = 0; column < n; ++column) {
      const std::size_t i = cells.cell(row, column);
      if (!sends(i))
        line[column] = nothing;
      else if (options.value == Value::Level)
        line[column] = levelColor(cells.level[i], levels, wanted).rgb();
      else
        line[column] =
            scale
                .color(options.value == Value::Duration ? cells.time[i].value() : cells.bytes[i].value(),
                       wanted)
                .rgb();
    }
  }
  return image;
}

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
    m_matrix->seats = SeatMap(*c.shownPlan(), c.problem->cluster->deviceCount());
  }
  if (!samePlan || m_matrix->options != m_options) {
    m_matrix->options = m_options;
    m_matrix->fill();
  }
  return *m_matrix;
}

std::optional<FigureState> CommunicationFigure::state(const PlanContext& c, bool) const {
  return stateOf(c, QStringLiteral("the communication"));
}

void CommunicationFigure::draw(Ink& ink, const QRectF& area, const PlanContext& c) const {
  QPainter& painter = ink.painter();
  const FigureStyle& style = ink.style();
  matrixOf(c);
  Matrix& m = *m_matrix;
  paintFrame(ink, area, c, title(), sentence(*m.traffic, c, m.options.kind, m.level));
  const auto layout = layoutHeat(area, c, style.standalone);
  const int n = m.cells.buckets();
  const double step = layout.plot.width() / n;

  painter.setRenderHint(QPainter::SmoothPixmapTransform, false);
  painter.drawImage(layout.plot, m.imageFor(ink.theme()), QRectF(0, 0, n, n));
  // Lines between hosts or the next larger groups, as long as they do not cover the picture.
  const Hierarchy& h = *c.problem->cluster;
  for (int l = m.grouped ? m.groups + 1 : 0; l < h.levelCount(); ++l) {
    if (h.groupCount(l) < 2 || layout.plot.width() / h.groupCount(l) < 12) continue;
    for (int g = 1; g < h.groupCount(l); ++g) {
      const int device = h.groupSpan(l, g).first;
      const auto at =
          std::lower_bound(m.cells.starts.begin(), m.cells.starts.end(), device) - m.cells.starts.begin();
      const double p = static_cast<double>(at) * step;
      const QColor line = mixed(ink.color(Role::Canvas), ink.color(Role::MutedText), 0.2);
      ink.line({layout.plot.left() + p, layout.plot.top()}, {layout.plot.left() + p, layout.plot.bottom()},
               line, 0.7);
      ink.line({layout.plot.left(), layout.plot.top() + p}, {layout.plot.right(), layout.plot.top() + p},
               line, 0.7);
    }
    break;
  }
  ink.outline(layout.plot, ink.color(Role::Border));

  // Stage of each bucket's first device along both edges.
  const Focus focus(c, style);
  for (int i = 0; i < n;) {
    int last = i;
    const int stage = m.seats.at(m.cells.starts[i]).stage;
    while (last < n && m.seats.at(m.cells.starts[last]).stage == stage) ++last;
    if (stage >= 0 && (last - i) * step >= 2.5) {
      ink.stageBox(QRectF(layout.plot.left() - 9, layout.plot.top() + i * step, 6, (last - i) * step), stage,
                   focus.dims(stage));
      ink.stageBox(QRectF(layout.plot.left() + i * step, layout.plot.top() - 9, (last - i) * step, 6), stage,
                   focus.dims(stage));
    }
    i = last;
  }
  const QString unit = m.grouped ? levelName(c, m.groups) : QStringLiteral("device");
  for (int i : wholeTicks(n, static_cast<int>(layout.plot.width() / 52))) {
    const double middle = (i + 0.5) * step;
    const QString label = countText(m.grouped ? i : m.cells.starts[i]);
    ink.label(QRectF(layout.plot.left() - 58, layout.plot.top() + middle - 8, 46, 16), label,
              Qt::AlignRight | Qt::AlignVCenter, Ink::kSmall, ink.color(Role::MutedText));
    const QRectF above(layout.plot.left() + middle - 24, layout.plot.top() - 26, 48, 16);
    if (above.right() < layout.plot.right() + 24)
      ink.label(above, label, Qt::AlignCenter, Ink::kSmall, ink.color(Role::MutedText));
  }
  ink.label(
      QRectF(layout.plot.left() - 60, layout.plot.top() - 42, area.right() - layout.plot.left() + 50, 16),
      QStringLiteral("Sender (row) → receiver (column), per %1").arg(unit), Qt::AlignLeft | Qt::AlignVCenter,
      Ink::kSmall, ink.color(Role::MutedText));

  paintLegendOf(ink, layout.legend, m);
  if (!layout.table.isEmpty()) paintTrafficTable(ink, layout.table, *m.traffic, c);
  const auto mark = [&](const std::optional<SelectionItem>& item, Role role) {
    if (!item || item->kind != ItemKind::Pair) return;
    if (const auto hit = locate(*item, area, c))
      ink.outline(hit->area.adjusted(-1.5, -1.5, 1.5, 1.5), ink.color(role), 2);
  };
  if (!style.standalone) mark(style.selected, Role::Selection), mark(style.hovered, Role::Hover);
}

void CommunicationFigure::paintLegendOf(Ink& ink, const QRectF& bar, const Matrix& m) const {
  const QRectF head(bar.left(), bar.top() - 24, 92, 16);
  ink.label(head, valueName(m_options.value), Qt::AlignLeft | Qt::AlignVCenter, Ink::kSmall,
            ink.color(Role::Text), true);
  double bottom = bar.bottom();
  if (m_options.value == Value::Level) {
    const Hierarchy& h = *m.context.problem->cluster;
    double y = bar.top();
    for (int l = 0; l < h.levelCount(); ++l, y += 20) {
      ink.fill(QRectF(bar.left(), y + 2, 14, 14), levelColor(l, h.levelCount(), ink.theme()));
      ink.label(QRectF(bar.left() + 20, y, 78, 18), phrase(h.level(l).name), Qt::AlignLeft | Qt::AlignVCenter,
                Ink::kSmall, ink.color(Role::Text));
    }
    bottom = y;
  } else if (!m.scale.empty()) {
    m.scale.paintLegend(ink, bar);
  }
  const QRectF nothing(bar.left(), bottom + 12, 14, 14);
  ink.fill(nothing, ink.color(Role::Canvas));
  ink.outline(nothing, ink.color(Role::Border));
  ink.label(QRectF(nothing.right() + 6, bottom + 10, 84, 18), QStringLiteral("no traffic"),
            Qt::AlignLeft | Qt::AlignVCenter, Ink::kSmall, ink.color(Role::Text));
  ink.paragraph(QRectF(bar.left(), bottom + 32, 116, 34), m.what(), Qt::AlignLeft, Ink::kSmall,
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
  const double step = layout.plot.width() / n;
  const SelectionItem item = itemOf(row, column, c);
  Tip tip(describe(item, c).section(u':', 0, 0));
  const std::size_t i = m.cells.cell(row, column);
  if (m.sends(i)) {
    tip.row(QStringLiteral("Bytes per step"), exactMemory(m.cells.bytes[i]));
    tip.row(QStringLiteral("Longest time of any device"), exactTime(m.cells.time[i]));
    tip.row(QStringLiteral("Level"), levelName(c, m.cells.level[i]));
  } else {
    tip.note(QStringLiteral("No traffic."));
  }
  if (m.sends(i) || m.options.kind || m.level >= 0) tip.note(m.what() + u'.');
  return Hit{item, QRectF(layout.plot.left() + column * step, layout.plot.top() + row * step, step, step),
             tip.html()};
}

std::optional<Figure::Hit> CommunicationFigure::itemAt(const QPointF& at, const QRectF& area,
                                                       const PlanContext& c) const {
  const auto layout = layoutHeat(area, c, false);
  if (!layout.plot.contains(at)) return std::nullopt;
  const double step = layout.plot.width() / matrixOf(c).cells.buckets();
  return cellHit(static_cast<int>((at.y() - layout.plot.top()) / step),
                 static_cast<int>((at.x() - layout.plot.left()) / step), area, c);
}

std::optional<std::pair<int, int>> CommunicationFigure::cellOf(const SelectionItem& item,
                                                               const PlanContext& c) const {
  const Matrix& m = matrixOf(c);
  if (item.kind != ItemKind::Pair || m.grouped != (item.level >= 0) || (m.grouped && item.level != m.groups))
    return std::nullopt;
  if (m.grouped) return std::pair(item.index, item.other);
  const auto bucket = [&](int device) {
    return static_cast<int>(std::upper_bound(m.cells.starts.begin(), m.cells.starts.end(), device) -
                            m.cells.starts.begin()) -
           1;
  };
  return std::pair(bucket(item.index), bucket(item.other));
}

std::optional<Figure::Hit> CommunicationFigure::placeOf(const SelectionItem& item, const QRectF& area,
                                                        const PlanContext& c) const {
  const auto cell = cellOf(item, c);
  return cell ? cellHit(cell->first, cell->second, area, c) : std::nullopt;
}

std::optional<SelectionItem> CommunicationFigure::stepFrom(const std::optional<SelectionItem>& from,
                                                           Step step, const PlanContext& c) const {
  const int last = matrixOf(c).cells.buckets() - 1;
  const auto cell = from ? cellOf(*from, c) : std::nullopt;
  if (!cell || step == Step::First) return itemOf(0, 0, c);
  if (step == Step::Last) return itemOf(last, last, c);
  const int row = cell->first + (step == Step::Down ? 1 : step == Step::Up ? -1 : 0);
  const int column = cell->second + (step == Step::Right ? 1 : step == Step::Left ? -1 : 0);
  return itemOf(std::clamp(row, 0, last), std::clamp(column, 0, last), c);
}

QString CommunicationFigure::sentenceOf(const SelectionItem& item, const PlanContext& c) const {
  const auto cell = cellOf(item, c);
  const Matrix& m = matrixOf(c);
  const int n = m.cells.buckets();
  if (!cell || cell->first < 0 || cell->second < 0 || cell->first >= n || cell->second >= n) return {};
  const Hierarchy& h = *c.problem->cluster;
  const auto name = [&](int bucket) {
    const int begin = m.cells.starts[bucket], end = m.cells.starts[static_cast<std::size_t>(bucket) + 1];
    if (end - begin == 1) return deviceName(h, begin);
    return m.grouped ? phrase(h.groupName(m.groups, bucket)) : hostSpan(h, begin, end);
  };
  const std::size_t i = m.cells.cell(cell->first, cell->second);
  return QStringLiteral("%1 to %2: %3")
      .arg(name(cell->first), name(cell->second),
           m.sends(i) ? QStringLiteral("%1, %2, level %3")
                            .arg(memoryText(m.cells.bytes[i]), timeText(m.cells.time[i]),
                                 levelName(c, m.cells.level[i]))
                      : QStringLiteral("nothing"));
}

QString CommunicationFigure::words(const PlanContext& c) const {
  const Matrix& m = matrixOf(c);
  QString out = title() + u'\n' + sentence(*m.traffic, c, m.options.kind, m.level) + u'\n';
  for (int k = 0; k < kExchangeCount; ++k)
    for (int l = 0; l < c.problem->cluster->levelCount(); ++l)
      if (const Bytes b = m.traffic->total(static_cast<Exchange>(k), l); b.value() > 0)
        out += QStringLiteral("%1, level %2: %3 per step\n")
                   .arg(nameOfKind(static_cast<Exchange>(k)), levelName(c, l), memoryText(b));
  // Pairs one by one only as long as someone could read them.
  constexpr int kMostLines = 2000;
  int lines = 0;
  for (int row = 0; row < m.cells.buckets(); ++row)
    for (int column = 0; column < m.cells.buckets(); ++column)
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
