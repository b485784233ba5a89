#include "figures/plan/memory_figure.h"

#include <QBarCategoryAxis>
#include <QBarSet>
#include <QChart>
#include <QGraphicsScene>
#include <QStackedBarSeries>
#include <QValueAxis>
#include <algorithm>

#include "figures/paint/edge.h"
#include "figures/paint/frame.h"
#include "figures/paint/phrases.h"
#include "figures/paint/ticks.h"
#include "figures/plan/focus.h"
#include "figures/plan/kinds.h"
#include "figures/plan/memory_layout.h"
#include "figures/plan/seat_map.h"
#include "measures/metrics.h"
#include "units/text.h"
#include "words/metric_words.h"

namespace nest {

/// The bars themselves, as a chart in a scene of its own. Colours are ours; axes, labels and everything said
/// about the bars is painted around it, because the chart's own category labels turn to "…" and its ticks are
/// not round.
class MemoryFigure::Bars {
public:
  Bars(const PlanContext& context, const MemoryLayout& layout, const Theme& theme)
      : m_context(context), m_plot(layout.plot.size()), m_columns(layout.columns.size()), m_theme(&theme) {
    m_chart = new QChart;
    m_scene.addItem(m_chart);
    auto* series = new QStackedBarSeries;
    for (int k = 0; k < kMemoryPartCount; ++k) {
      if (!layout.parts[k]) continue;
      const auto part = static_cast<MemoryPart>(k);
      auto* set = new QBarSet(nameOf(part));
      for (const auto& column : layout.columns)
        *set << (column.stage < 0 ? 0 : memoryParts(column.use)[k] / layout.axis.unit);
      set->setBrush(colorOf(part, theme));
      set->setPen(layout.bar > 5 ? QPen(theme.color(Theme::Role::Canvas), 0.8) : QPen(Qt::NoPen));
      series->append(set);
    }
    series->setBarWidth(layout.bar / layout.slot);
    m_chart->addSeries(series);
    auto* x = new QBarCategoryAxis;
    for (std::size_t i = 0; i < layout.columns.size(); ++i) x->append(QString::number(i));
    auto* y = new QValueAxis;
    y->setRange(0, layout.axis.largest / layout.axis.unit);
    m_chart->addAxis(x, Qt::AlignBottom);
    m_chart->addAxis(y, Qt::AlignLeft);
    series->attachAxis(x);
    series->attachAxis(y);
    x->setVisible(false);
    y->setVisible(false);
    m_chart->legend()->hide();
    m_chart->setBackgroundVisible(false);
    m_chart->setMargins(QMargins(0, 0, 0, 0));
    m_chart->resize(m_plot);
    m_chart->setPlotArea(QRectF(QPointF(0, 0), m_plot));
  }

  bool shows(const PlanContext& c, const MemoryLayout& layout, const Theme& theme) const {
    return m_context.plan == c.plan && m_context.outcome == c.outcome && m_context.problem == c.problem &&
           m_plot == layout.plot.size() && m_columns == layout.columns.size() && m_theme == &theme;
  }

  void paint(QPainter& painter, const QRectF& plot) {
    painter.save();
    m_scene.render(&painter, plot, QRectF(QPointF(0, 0), m_plot), Qt::IgnoreAspectRatio);
    painter.restore();
  }

private:
  PlanContext m_context;  ///< keeps what is shown alive, so that its addresses stay its identity
  QSizeF m_plot;
  std::size_t m_columns;
  const Theme* m_theme;
  QGraphicsScene m_scene;
  QChart* m_chart;
};

namespace {

using Role = Theme::Role;

/// "27.7 of 80 GiB (+ 8 GiB headroom)".
QString memoryIn(const MemoryUse& use) {
  return phrase(words::memory(use));
}

QString memorySentence(const PlanContext& c) {
  const Evaluation& e = *c.shownEvaluation();
  const int full = e.fullestStage();
  if (full < 0) return {};
  const MemoryUse& m = e.stages[full].memory;
  if (m.headroom().value() < 0)
    return QStringLiteral("Stage %1 needs %2, %3 too much")
        .arg(stageNumber(full))
        .arg(memoryIn(m), memoryText(-m.headroom()));
  const QString doubt = metricsOf(*c.problem, nullptr, *c.shownPlan(), e).mayNotFit
                            ? QStringLiteral("; may not fit, as predictions for this program err by %1")
                                  .arg(phrase(text::percent(c.problem->memoryError)))
                            : QString();
  return QStringLiteral("Peak: stage %1, %2, %3 free")
             .arg(stageNumber(full))
             .arg(memoryIn(m), memoryText(m.headroom())) +
         doubt;
}

/// Over the bars of the chart: hatches, and on paper the edges.
void paintHatches(FigurePainter& ink, const MemoryLayout& m) {
  const bool hasHatches = m.bar >= 14;
  for (std::size_t i = 0; i < m.columns.size(); ++i) {
    if (m.columns[i].stage < 0) continue;
    const auto parts = memoryParts(m.columns[i].use);
    double sum = 0;
    for (int k = 0; k < kMemoryPartCount; ++k) {
      const double next = sum + parts[k];
      const auto part = static_cast<MemoryPart>(k);
      const QColor c = colorOf(part, ink.theme());
      const QRectF box = m.barBox(i);
      const QRectF piece(box.left(), m.yOf(next), box.width(), m.yOf(sum) - m.yOf(next));
      if (hasHatches) ink.hatch(piece, hatchOf(part), mixed(c, ink.theme().textOn(c), 0.45), 5);
      paintEdge(ink, piece, c);
      sum = next;
    }
  }
}

void paintCapacity(FigurePainter& ink, const MemoryLayout& m) {
  double highest = 0;
  for (std::size_t i = 0; i < m.columns.size();) {
    // One line across all neighbours of equal capacity.
    std::size_t end = i;
    const Bytes capacity = m.columns[i].use.capacity;
    while (end < m.columns.size() && m.columns[end].use.capacity == capacity) ++end;
    const double y = m.yOf(capacity.value());
    ink.line({m.slotBox(i).left(), y}, {m.slotBox(end - 1).right(), y}, ink.color(Role::Text), 1.6,
             Qt::DashLine);
    highest = std::max(highest, capacity.value());
    i = end;
  }
  const double y = m.yOf(highest);
  ink.label(QRectF(m.plot.right() + 6, y - 15, 58, 15), memoryText(Bytes(highest)),
            Qt::AlignLeft | Qt::AlignVCenter, FigurePainter::kSmall, ink.color(Role::Text), true);
  ink.label(QRectF(m.plot.right() + 6, y, 58, 15), QStringLiteral("capacity"),
            Qt::AlignLeft | Qt::AlignVCenter, FigurePainter::kSmall, ink.color(Role::MutedText));
}

constexpr double kLeastBarSlot = 40;  ///< pixels of a bar's place in which an amount may stand

QString wordsOver(const MemoryColumn& column, bool brief) {
  const bool over = column.over();
  const QString amount = memoryText(over ? -column.use.headroom() : column.use.headroom());
  if (brief) return over ? QStringLiteral("−") + amount : amount;
  return amount + (over ? QStringLiteral(" too much") : QStringLiteral(" free"));
}

double widthOver(const MemoryColumn& column, bool brief) {
  return FigurePainter::width(wordsOver(column, brief), FigurePainter::kSmall, column.over()) + 6;
}

/// The words above some bar have no room: then all bars have the amount alone, with its unit.
bool isBrief(const MemoryLayout& m) {
  return std::any_of(m.columns.begin(), m.columns.end(), [&](const MemoryColumn& column) {
    return column.stage >= 0 && widthOver(column, false) > m.slot;
  });
}

/// What is left or missing above each bar.
void paintWords(FigurePainter& ink, const MemoryLayout& m) {
  if (m.slot < kLeastBarSlot) return;
  const bool brief = isBrief(m);
  for (std::size_t i = 0; i < m.columns.size(); ++i) {
    const MemoryColumn& column = m.columns[i];
    if (column.stage < 0) continue;
    const QRectF box = m.barBox(i);
    const bool over = column.over();
    const double w = widthOver(column, brief), capacity = m.yOf(column.use.capacity.value());
    if (w > m.slot) continue;
    double top = box.top() - 18;
    // Not across the capacity line: above it if the words would touch it.
    if (!over && top < capacity + 2 && top + 16 > capacity - 2) top = std::min(box.top() - 17, capacity - 18);
    if (top < m.plot.top() - 2) continue;  // there the title of the axis stands
    const QRectF spot(box.center().x() - w / 2, top, w, 15);
    ink.fill(spot, ink.color(Role::Canvas));
    ink.label(spot, wordsOver(column, brief), Qt::AlignCenter, FigurePainter::kSmall,
              ink.color(over ? Role::Error : Role::Text), over);
  }
}

/// Dims neighbours with one veil: a translucent fill for each bar would cost more than the bars.
void paintVeils(FigurePainter& ink, const MemoryLayout& m, const Focus& focus) {
  QColor veil = ink.color(Role::Canvas);
  veil.setAlphaF(0.6F);
  const auto dims = [&](std::size_t i) { return m.columns[i].stage >= 0 && focus.dims(m.columns[i].stage); };
  for (std::size_t i = 0; i < m.columns.size(); ++i) {
    if (!dims(i)) continue;
    QRectF area = m.barBox(i);
    for (; i + 1 < m.columns.size() && dims(i + 1); ++i) area |= m.barBox(i + 1);
    ink.fill(area, veil);
  }
}

/// Neighbours whose outlines would meet have one around them all: the bars keep their colours.
void paintFocus(FigurePainter& ink, const MemoryLayout& m, const Focus& focus) {
  constexpr double kOutline = 3;  ///< pixels around a bar
  const auto marked = [&](std::size_t i) {
    const int stage = m.columns[i].stage;
    return stage >= 0 && (focus.selects(stage) || focus.hovers(stage));
  };
  const bool joins = m.slot - m.bar <= 2 * kOutline + 2;
  for (std::size_t i = 0; i < m.columns.size(); ++i) {
    if (!marked(i)) continue;
    const int stage = m.columns[i].stage;
    QRectF area = m.barBox(i);
    while (joins && i + 1 < m.columns.size() && m.columns[i + 1].stage == stage) area |= m.barBox(++i);
    ink.outline(area.adjusted(-kOutline, -kOutline, kOutline, 1),
                ink.color(focus.selects(stage) ? Role::Selection : Role::Hover), 2);
  }
}

void paintMarks(FigurePainter& ink, const MemoryLayout& m, const Focus& focus) {
  for (std::size_t i = 0; i < m.columns.size(); ++i) {
    const MemoryColumn& column = m.columns[i];
    if (column.stage < 0) continue;
    const QRectF box = m.barBox(i);
    if (column.over()) {
      const QRectF beyond(box.left(), box.top(), box.width(), m.yOf(column.use.capacity.value()) - box.top());
      if (m.bar > 5) ink.hatch(beyond, 3, ink.color(Role::Error), 6);
      ink.outline(m.bar > 5 ? box.adjusted(-1, -1, 1, 0) : box, ink.color(Role::Error), m.bar > 5 ? 2.5 : 1);
    }
  }
  paintFocus(ink, m, focus);
}

void paintChips(FigurePainter& ink, const MemoryLayout& m, const Focus& focus, bool byDevice) {
  const int n = static_cast<int>(m.columns.size());
  const bool all = !byDevice && m.slot >= 19;
  for (int i = 0; i < n; ++i) {
    const MemoryColumn& column = m.columns[i];
    if (column.stage < 0) continue;
    const QRectF slot = m.slotBox(static_cast<std::size_t>(i));
    const double w = std::clamp(m.bar, 15.0, 34.0);
    if (all)
      ink.stageChip(QRectF(slot.center().x() - w / 2, m.chips.top() + 2, w, 18), column.stage,
                    FigurePainter::kSmall, focus.dims(column.stage));
    else
      ink.stageBox(QRectF(slot.center().x() - m.bar / 2, m.chips.top(), m.bar, 6), column.stage,
                   focus.dims(column.stage));
  }
  if (!all)
    for (int i : (byDevice ? wholeTicks : countedTicks)(n, static_cast<int>(m.plot.width() / 48)))
      ink.label(QRectF(m.slotBox(static_cast<std::size_t>(i)).center().x() - 24, m.chips.top() + 8, 48, 15),
                byDevice ? countText(static_cast<long long>(i) * m.merged) : stageNumber(static_cast<int>(i)),
                Qt::AlignCenter, FigurePainter::kSmall, ink.color(Role::MutedText));
  ink.label(QRectF(m.chips.left() - 54, m.chips.top() + (all ? 0 : 5), 48, 22),
            byDevice ? QStringLiteral("Device") : QStringLiteral("Stage"), Qt::AlignRight | Qt::AlignVCenter,
            FigurePainter::kSmall, ink.color(Role::MutedText));
}

QString tipOf(const MemoryColumn& column, const PlanContext& c) {
  const Hierarchy& h = *c.problem->cluster;
  const bool device = column.firstDevice >= 0;
  QString heading = device ? deviceName(h, column.fullest)
                           : QStringLiteral("Stage %1, each device").arg(stageNumber(column.stage));
  if (device && column.stage >= 0) heading += QStringLiteral(", stage %1").arg(stageNumber(column.stage));
  Tip tip(heading);
  if (column.stage < 0) return tip.note(QStringLiteral("Idle: nothing is placed here.")).html();
  const auto parts = memoryParts(column.use);
  const auto row = [&](MemoryPart part) {
    if (parts[static_cast<int>(part)] > 0)
      tip.row(nameOf(part), exactMemory(Bytes(parts[static_cast<int>(part)])));
  };
  for (int k = 0; k < kMemoryPartCount; ++k)
    if (const auto part = static_cast<MemoryPart>(k); part != MemoryPart::Headroom) row(part);
  tip.row(QStringLiteral("Peak"), exactMemory(column.use.predicted()));
  row(MemoryPart::Headroom);
  tip.row(QStringLiteral("Capacity"), exactMemory(column.use.capacity));
  tip.row(column.over() ? QStringLiteral("Too much") : QStringLiteral("Free"),
          exactMemory(column.over() ? -column.use.headroom() : column.use.headroom()));
  if (column.lastDevice > column.firstDevice)
    tip.note(QStringLiteral("Fullest of devices %1 to %2.")
                 .arg(countText(column.firstDevice), countText(column.lastDevice)));
  return tip.html();
}

int columnOf(const SelectionItem& item, const MemoryLayout& m, const PlanContext& c, bool byDevice) {
  if (byDevice && item.kind == ItemKind::Device) return m.columnOfDevice(item.index);
  const auto stage = stageOf(item, c);
  if (!stage) return -1;
  for (std::size_t i = 0; i < m.columns.size(); ++i)
    if (m.columns[i].stage == *stage) return static_cast<int>(i);
  return -1;
}

SelectionItem itemOf(const MemoryColumn& column) {
  return column.firstDevice >= 0 ? SelectionItem{ItemKind::Device, column.fullest}
                                 : SelectionItem{ItemKind::Stage, column.stage};
}

}  // namespace

MemoryFigure::MemoryFigure()
    : InteractiveFigure(QStringLiteral("memory"), QStringLiteral("Memory"), {1200, 675}) {}
MemoryFigure::~MemoryFigure() = default;

std::optional<FigureState> MemoryFigure::state(const PlanContext& c, bool) const {
  if (auto none = stateOf(c, QStringLiteral("what its devices hold"))) return none;
  if (!c.shownEvaluation()->stages.empty()) return std::nullopt;
  return FigureState{QStringLiteral("This plan has no stages"), {}};
}

void MemoryFigure::draw(FigurePainter& ink, const QRectF& area, const PlanContext& c) const {
  QPainter& painter = ink.painter();
  const FigureStyle& style = ink.style();
  const bool byDevice = m_by == By::Device;
  paintFrame(ink, area, c, title(), memorySentence(c));
  const auto layout = layoutMemory(area, c, style.standalone, byDevice, ink.theme());
  QString axis = layout.merged > 1 ? QStringLiteral("Fullest of each %1 devices").arg(layout.merged)
                                   : QStringLiteral("Memory of a device at its peak");
  if (layout.slot >= kLeastBarSlot && isBrief(layout)) axis += QStringLiteral(", above it what is free");
  paintVerticalAxis(ink, layout.plot, layout.axis, axis);
  if (!m_bars || !m_bars->shows(c, layout, ink.theme()))
    m_bars = std::make_unique<Bars>(c, layout, ink.theme());
  m_bars->paint(painter, layout.plot);
  const Focus focus(c, style);
  paintHatches(ink, layout);
  paintVeils(ink, layout, focus);
  paintMarks(ink, layout, focus);
  paintCapacity(ink, layout);
  paintWords(ink, layout);
  paintChips(ink, layout, focus, byDevice);
  paintLegend(ink, layout.legend, layout.legendItems);
}

std::optional<Figure::Hit> MemoryFigure::itemAt(const QPointF& at, const QRectF& area,
                                                const PlanContext& c) const {
  const auto m = layoutMemory(area, c, false, m_by == By::Device);
  if (at.x() < m.plot.left() || at.x() >= m.plot.right() || at.y() < m.plot.top() ||
      at.y() > m.chips.bottom())
    return std::nullopt;
  const auto i = std::min(static_cast<std::size_t>((at.x() - m.plot.left()) / m.slot), m.columns.size() - 1);
  return Hit{itemOf(m.columns[i]), m.slotBox(i), tipOf(m.columns[i], c)};
}

std::optional<Figure::Hit> MemoryFigure::placeOf(const SelectionItem& item, const QRectF& area,
                                                 const PlanContext& c) const {
  const auto m = layoutMemory(area, c, false, m_by == By::Device);
  const int i = columnOf(item, m, c, m_by == By::Device);
  if (i < 0) return std::nullopt;
  const auto at = static_cast<std::size_t>(i);
  return Hit{itemOf(m.columns[at]), m.slotBox(at), tipOf(m.columns[at], c)};
}

std::optional<SelectionItem> MemoryFigure::stepFrom(const std::optional<SelectionItem>& from, Step step,
                                                    const PlanContext& c) const {
  const bool byDevice = m_by == By::Device;
  const ItemKind kind = byDevice ? ItemKind::Device : ItemKind::Stage;
  const int last = (byDevice ? c.problem->cluster->deviceCount() : c.shownPlan()->stageCount()) - 1;
  int at = 0;
  if (from && from->kind == kind)
    at = from->index;
  else if (from && !byDevice)
    at = stageOf(*from, c).value_or(0);
  else if (from)
    return SelectionItem{
        kind, std::min(last, c.shownEvaluation()->stages[stageOf(*from, c).value_or(0)].firstDevice)};
  if (!from || step == Step::First)
    at = 0;
  else if (step == Step::Last)
    at = last;
  else
    at += step == Step::Right ? 1 : step == Step::Left ? -1 : 0;
  return SelectionItem{kind, std::clamp(at, 0, last)};
}

QString MemoryFigure::sentenceOf(const SelectionItem& item, const PlanContext& c) const {
  const auto stage = stageOf(item, c);
  if (!stage)
    return item.kind == ItemKind::Device
               ? deviceName(*c.problem->cluster, item.index) + QStringLiteral(": idle")
               : QString();
  MemoryUse m = c.shownEvaluation()->stages[*stage].memory;
  QString name = QStringLiteral("Stage %1").arg(stageNumber(*stage));
  if (item.kind == ItemKind::Device) {
    name =
        deviceName(*c.problem->cluster, item.index) + QStringLiteral(", stage %1").arg(stageNumber(*stage));
    m.capacity = c.problem->cluster->factor(DeviceIndex(item.index)).memory;
  }
  const bool over = m.headroom().value() < 0;
  return QStringLiteral("%1: %2, %3 %4")
      .arg(name, memoryIn(m), memoryText(over ? -m.headroom() : m.headroom()),
           over ? QStringLiteral("too much") : QStringLiteral("free"));
}

QString MemoryFigure::words(const PlanContext& c) const {
  QString out = title() + u'\n' + memorySentence(c) + u'\n';
  const auto& stages = c.shownEvaluation()->stages;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    out += describe({ItemKind::Stage, static_cast<int>(i)}, c);
    const auto parts = memoryParts(stages[i].memory);
    for (std::size_t k = 0; k < kMemoryPartCount; ++k)
      if (parts[k] > 0)
        out += QStringLiteral("; %1 %2").arg(inSentence(nameOf(static_cast<MemoryPart>(k))),
                                             memoryText(Bytes(parts[k])));
    out += u'\n';
  }
  return out;
}

std::vector<FigureOption> MemoryFigure::offeredOptions(const PlanContext&) const {
  return {{"by",
           QStringLiteral("Bars"),
           {},
           {{"stage", QStringLiteral("Stage")}, {"device", QStringLiteral("Device")}},
           m_by == By::Stage ? "stage" : "device"}};
}

void MemoryFigure::setOption(const std::string& key, const std::string& name) {
  if (key == "by") m_by = name == "device" ? By::Device : By::Stage;
}

}  // namespace nest
