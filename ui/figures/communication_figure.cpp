#include "figures/communication_figure.h"

#include <QImage>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "figures/focus.h"
#include "figures/frame.h"
#include "figures/ink.h"
#include "figures/magnitude_scale.h"
#include "figures/phrases.h"
#include "figures/seat_map.h"
#include "figures/ticks.h"
#include "figures/traffic_table.h"
#include "units/at.h"

namespace nest {

struct CommunicationFigure::Matrix {
  PlanContext context;  ///< keeps what is shown alive
  Options options;
  std::unique_ptr<Traffic> traffic;
  /// Neighbours that hold one stage, by device.
  struct Run {
    int begin, end, stage;
  };
  std::vector<Run> runs;
  TrafficMatrix cells;
  LongestTimes longest;  ///< between the same buckets, of all traffic
  int groups = -1;       ///< level of the groups compared
  bool grouped = false;  ///< buckets are the groups of that level
  int level = Options::kEveryLevel;
  MagnitudeScale scale;
  const Theme* theme = nullptr;
  QImage image;

  bool sends(std::size_t cell) const { return cells.level[cell] >= 0; }
  bool showsTime() const { return options.value == Value::Duration; }
  QString what() const;  ///< "All traffic", "TP over rack"
  int binSize() const { return grouped ? 1 : cells.starts[1]; }
  QString bucket() const;  ///< what a row is: "host", "device", "64 devices (2 × leaf)"
  QString nameOf(int bucket) const;
  /// Where a device stands among the buckets: 1.5 is the middle of the second.
  double positionOf(int device) const;
  int bucketOf(int device) const;
  QString sentence() const;
  void fill();
  void findRuns();
  const QImage& imageFor(const Theme&);
};

namespace {

using Role = Theme::Role;
constexpr int kMostBuckets = 512;
constexpr int kReadableBuckets = 256;
constexpr int kFewGroups = 16;  ///< fewer say too little
constexpr int kFewBins = 64;

/// Devices while their cells can be seen, else the innermost groups that are neither too many nor too few. −1
/// also where there are none: then even bins are compared.
int automaticGroups(const Hierarchy& h) {
  if (h.deviceCount() <= kReadableBuckets) return -1;
  for (int l = 0; l < h.levelCount(); ++l)
    if (h.groupCount(l) >= kFewGroups && h.groupCount(l) <= kReadableBuckets) return l;
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
QString bytesSentence(const Traffic& traffic, const PlanContext& c, const std::optional<Exchange>& kind,
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
  // What goes over the innermost level does not leave its group.
  const auto path = [&](int level) {
    return level == 0 ? QStringLiteral("stay inside a %1").arg(levelName(c, level))
                      : QStringLiteral("cross the %1 level").arg(levelName(c, level));
  };
  if (kind && !(sent.value() > 0))
    return alone >= 0 ? QStringLiteral("%1: nothing crosses the %2 level").arg(name, levelName(c, alone))
                      : QStringLiteral("%1: nothing is sent").arg(name);
  if (alone >= 0)
    return kind ? QStringLiteral("%1: %2 per step %3, %4 of all that does")
                      .arg(name, memoryText(sent), path(alone), share)
                : QStringLiteral("%1 per step %2, %3 of it %4")
                      .arg(memoryText(Bytes(total)), path(alone), share, name);
  double outer = 0;
  int level = c.problem->cluster->levelCount() - 1;
  for (; level >= 0 && outer <= 0; --level)
    for (int k = 0; k < kExchangeCount; ++k)
      if (!kind || Exchange(k) == *kind) outer += traffic.total(Exchange(k), level).value();
  const QString crossing = level + 1 == 0
                               ? QStringLiteral("all of it inside a %1").arg(levelName(c, 0))
                               : QStringLiteral("%1 %2").arg(memoryText(Bytes(outer)), path(level + 1));
  return kind ? QStringLiteral("%1: %2 per step, %3 of all; %4").arg(name, memoryText(sent), share, crossing)
              : QStringLiteral("%1 per step, %2 of it %3; %4")
                    .arg(memoryText(Bytes(total)), share, name, crossing);
}

}  // namespace

QString CommunicationFigure::Matrix::what() const {
  const QString kind = nameOfKind(options.kind);
  return level < 0 ? kind : QStringLiteral("%1 over %2").arg(kind, levelName(context, level));
}

QString CommunicationFigure::Matrix::bucket() const {
  if (grouped) return levelName(context, groups);
  const int size = binSize();
  if (size == 1) return QStringLiteral("device");
  QString out = plural(size, QStringLiteral("device"));
  const Hierarchy& h = *context.problem->cluster;
  for (int l = h.levelCount() - 1; l >= 0; --l)
    if (const int group = h.uniformGroupSize(l); group > 1 && size % group == 0)
      return out + QStringLiteral(" (%1 × %2)").arg(countText(size / group), levelName(context, l));
  return out;
}

QString CommunicationFigure::Matrix::nameOf(int bucket) const {
  const Hierarchy& h = *context.problem->cluster;
  const int begin = cells.starts[at(bucket)], end = cells.starts[at(bucket) + 1];
  if (end - begin == 1) return deviceName(h, begin);
  if (grouped) return phrase(h.groupName(groups, bucket));
  return QStringLiteral("devices %1–%2 (%3)")
      .arg(countText(begin), countText(end - 1), hostSpan(h, begin, end));
}

int CommunicationFigure::Matrix::bucketOf(int device) const {
  return static_cast<int>(std::upper_bound(cells.starts.begin(), cells.starts.end(), device) -
                          cells.starts.begin()) -
         1;
}

double CommunicationFigure::Matrix::positionOf(int device) const {
  if (device >= cells.starts.back()) return cells.buckets();
  const int bucket = bucketOf(device), begin = cells.starts[at(bucket)], end = cells.starts[at(bucket) + 1];
  return bucket + static_cast<double>(device - begin) / (end - begin);
}

/// Of what the cells show: their sum of bytes, or the longest time in any of them.
QString CommunicationFigure::Matrix::sentence() const {
  const QString bytes = bytesSentence(*traffic, context, options.kind, level);
  if (!showsTime()) return bytes;
  const auto found = std::max_element(cells.time.begin(), cells.time.end());
  if (found == cells.time.end() || !(*found > Seconds(0))) return bytes;  // that nothing is sent
  const auto cell = static_cast<std::size_t>(found - cells.time.begin());
  const int n = cells.buckets(), row = static_cast<int>(cell) / n, column = static_cast<int>(cell) % n;
  QString out = options.kind ? nameOfKind(options.kind) + QStringLiteral(": a") : QStringLiteral("A");
  out += QStringLiteral(" device sends for up to %1 per step %2 %3%4")
             .arg(timeText(*found), row == column ? QStringLiteral("within") : QStringLiteral("to"),
                  binSize() > 1 ? QString() : QStringLiteral("one "), bucket());
  out += QStringLiteral("; over the %1 level").arg(levelName(context, cells.level[cell]));
  const auto isAsLong = [&](Seconds t) { return t > *found * (1 - 1e-9); };
  if (std::count_if(cells.time.begin(), cells.time.end(), isAsLong) == 1)
    out += row == column ? QStringLiteral(", inside %1").arg(nameOf(row))
                         : QStringLiteral(", from %1 to %2").arg(nameOf(row), nameOf(column));
  return out;
}

void CommunicationFigure::Matrix::findRuns() {
  const int n = context.problem->cluster->deviceCount();
  const SeatMap seats(*context.shownPlan(), n);
  for (int d = 0; d < n; ++d)
    if (const int stage = seats.at(d).stage; runs.empty() || runs.back().stage != stage)
      runs.push_back({d, d + 1, stage});
    else
      runs.back().end = d + 1;
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
  const std::vector<int> starts =
      grouped ? groupBuckets(h, groups)
      : options.groups == Options::kAutomatic && h.deviceCount() > kReadableBuckets
          ? bucketsAlongGroups(h, kFewBins, kReadableBuckets)
          : evenBuckets(h, kMostBuckets);
  cells = traffic->matrix(starts, mask, level);
  if (showsTime()) {
    const bool isAll = mask == kEveryExchange && level < 0;
    const TrafficMatrix whole = isAll ? cells : traffic->matrix(starts);
    longest = {whole.longest,
               whole.time.empty() ? Seconds(0) : *std::max_element(whole.time.begin(), whole.time.end())};
  }
  double smallest = 0, largest = 0;
  const auto take = [&](double v) {
    if (v <= 0) return;
    smallest = smallest > 0 ? std::min(smallest, v) : v;
    largest = std::max(largest, v);
  };
  const bool time = showsTime();
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
            scale.color(showsTime() ? cells.time[i].value() : cells.bytes[i].value(), wanted).rgb();
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
    m_matrix->findRuns();
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
  paintFrame(ink, area, c, title(), m.sentence());
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
      const double p = m.positionOf(h.groupSpan(l, g).first) * step;
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
    const double begin = m.positionOf(run.begin) * step, length = m.positionOf(run.end) * step - begin;
    if (run.stage < 0 || length < 2.5) continue;
    ink.stageBox(QRectF(layout.plot.left() - 9, layout.plot.top() + begin, 6, length), run.stage,
                 focus.dims(run.stage));
    ink.stageBox(QRectF(layout.plot.left() + begin, layout.plot.top() - 9, length, 6), run.stage,
                 focus.dims(run.stage));
  }
  for (int i : wholeTicks(n, static_cast<int>(layout.plot.width() / 52))) {
    const double middle = (i + 0.5) * step;
    const QString label = countText(m.grouped ? i : m.cells.starts[i]);
    ink.label(QRectF(layout.plot.left() - 58, layout.plot.top() + middle - 8, 46, 16), label,
              Qt::AlignRight | Qt::AlignVCenter, Ink::kSmall, ink.color(Role::MutedText));
    const QRectF above(layout.plot.left() + middle - 24, layout.plot.top() - 26, 48, 16);
    if (above.right() < layout.plot.right() + 24)
      ink.label(above, label, Qt::AlignCenter, Ink::kSmall, ink.color(Role::MutedText));
  }
  const QString rows = QStringLiteral("Sender (row) → receiver (column), per %1").arg(m.bucket());
  QStringList heads{rows, QStringLiteral("Sender → receiver, per %1").arg(m.bucket())};
  if (m.binSize() > 1) heads.prepend(rows + QStringLiteral(", numbered by the first device"));
  ink.firstThatFits(
      QRectF(layout.plot.left() - 60, layout.plot.top() - 42, area.right() - layout.plot.left() + 50, 16),
      heads, Qt::AlignLeft | Qt::AlignVCenter, Ink::kSmall, ink.color(Role::MutedText));

  paintLegendOf(ink, layout.legend, m);
  if (!layout.table.isEmpty())
    paintTrafficTable(ink, layout.table, *m.traffic, m.showsTime() ? &m.longest : nullptr,
                      {m.options.kind, m.level}, c);
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
    bottom = m.scale.paintLegend(ink, bar);
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
  return std::pair(m.bucketOf(item.index), m.bucketOf(item.other));
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
