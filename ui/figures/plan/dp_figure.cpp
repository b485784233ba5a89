#include "figures/plan/dp_figure.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "figures/paint/figure_painter.h"
#include "figures/paint/frame.h"
#include "figures/paint/phrases.h"
#include "figures/paint/ticks.h"
#include "figures/plan/dp_words.h"
#include "solver/control.h"

namespace nest {
namespace {

using Role = Theme::Role;

constexpr double kMostRatio = 1.5;  ///< from here on cells have one colour
/// Units for tables on paper, which is a second or a few: of the largest, 64 stages and 128 layers are done.
/// Beyond, cells have their times from there to the end.
constexpr long long kWorkOnPaper = 15'000;
constexpr double kLeastForText = 28, kLeastForBorders = 9;

/// The canvas at 1, the far end of the scale of magnitudes from kMostRatio on.
QColor ratioColor(const Theme& theme, double ratio) {
  const double share = std::clamp((ratio - 1) / (kMostRatio - 1), 0.0, 1.0);
  return mixed(theme.color(Role::Canvas), theme.magnitude(1), 0.9 * share);
}

QColor colorOf(const Theme& theme, const DpGrid::Cell& cell) {
  using enum DpGrid::Kind;
  switch (cell.kind) {
    case Blank:
      return theme.color(Role::Panel);
    case Short:
      return mixed(theme.color(Role::Panel), theme.color(Role::Error), 0.22);
    case Waiting:
      return theme.color(Role::Canvas);
    case Value:
    case AtLeast:
      break;
  }
  return cell.ratio > 0 ? ratioColor(theme, cell.ratio) : theme.color(Role::Canvas);
}

}  // namespace

void DpFigure::setTable(std::shared_ptr<const DpProbe> probe, const QString& why,
                        std::shared_ptr<const Outcome> outcome) {
  m_probe = std::move(probe);
  m_through.reset();
  m_isTooMuch = false;
  m_why = m_probe ? dp::whyOneRow(*m_probe) : why;
  m_configurations = m_why.isEmpty() ? nullptr : ConfigurationTable::of(std::move(outcome));
  setFilled(kAll);
}

void DpFigure::setThrough(std::shared_ptr<const DpThrough> through) {
  m_through = std::move(through);
  if (m_through) m_probe = m_through->probe();
  setFilled(m_filled);
}

void DpFigure::setFilled(int stages) {
  m_filled = std::max(0, stages);
  m_table = m_probe ? gridOf(*m_probe, through(), std::min(m_filled, m_probe->stageCount())) : DpGrid();
}

QRectF DpFigure::plotOf(const QRectF& area, const PlanContext& c, bool standalone) const {
  const double left = m_configurations ? 52 : 46;
  return bodyOf(area, c, standalone).adjusted(left, 4, -6, -64);
}

QRectF DpFigure::cellArea(int row, int column, const QRectF& p) const {
  const double w = p.width() / grid().columnCount(), h = p.height() / grid().rowCount();
  return {p.left() + column * w, p.top() + row * h, w, h};
}

bool DpFigure::holds(const std::optional<SelectionItem>& item) const {
  return (m_probe || m_configurations) && item && item->kind == ItemKind::Pair && item->level == kCell &&
         item->index >= 0 && item->index < grid().rowCount() && item->other >= 0 &&
         item->other < grid().columnCount();
}

std::optional<FigureState> DpFigure::state(const PlanContext& c, bool onPaper) const {
  if (!c.problem || !(m_probe || m_configurations)) {
    if (auto none = stateOf(c, tr("the DP table"))) return none;
    return FigureState{tr("No DP table"), m_why + u'.'};
  }
  if (onPaper && isTable() && !isFilling() && !m_through && !m_isTooMuch) {
    Control control;
    control.work = std::make_shared<WorkLimit>(kWorkOnPaper);
    m_through = DpThrough::of(m_probe, control);
    m_isTooMuch = !m_through;
    m_table = gridOf(*m_probe, m_through.get(), m_probe->stageCount());
  }
  return std::nullopt;
}

QString DpFigure::sentence(const PlanContext&) const {
  if (m_configurations)
    return (m_probe ? tr("Configurations as multiples of the best time. %1")
                    : tr("Configurations as multiples of the best time. There is no DP table: %1"))
        .arg(m_why);
  if (!m_why.isEmpty()) return m_why;
  if (isFilling()) {
    if (m_filled == 0) return tr("An empty table: Step fills it from the last stage");
    return m_filled < m_probe->stageCount()
               ? tr("Filled from stage %1 on: the best time from each cell to the end")
                     .arg(stageNumber(m_probe->stageCount() - m_filled))
               : tr("The first cell has the best time of all: %1").arg(dp::timeFromHere(m_probe->cell(0, 0)));
  }
  if (!m_through) return tr("Best time from each stage and first layer to the end");
  if (!std::isfinite(m_through->best())) return tr("However the layers are cut, some stage lacks memory");
  return tr("The best plan in which a stage begins there, as a multiple of the best of all, %1")
      .arg(timeText(Seconds(m_through->best())));
}

void DpFigure::drawCells(FigurePainter& ink, const QRectF& p) const {
  const DpGrid& g = grid();
  const QRectF any = cellArea(0, 0, p);
  const bool borders = std::min(any.width(), any.height()) >= kLeastForBorders;
  for (int i = 0; i < g.rowCount(); ++i)
    for (int x = 0; x < g.columnCount(); ++x) {
      const DpGrid::Cell& cell = g.at(i, x);
      const QRectF r = cellArea(i, x, p);
      const QColor color = colorOf(ink.theme(), cell);
      ink.fill(r.adjusted(0, 0, borders ? 0 : 0.6, borders ? 0 : 0.6), color);
      if (borders && cell.kind != DpGrid::Kind::Blank) ink.outline(r, ink.color(Role::Border), 1);
      if (cell.text.isEmpty() || r.width() < kLeastForText || r.height() < FigurePainter::kSmall + 3)
        continue;
      if (FigurePainter::width(cell.text, FigurePainter::kSmall) <= r.width() - 2)
        ink.label(r, cell.text, Qt::AlignCenter, FigurePainter::kSmall, ink.theme().textOn(color));
    }
}

void DpFigure::drawPath(FigurePainter& ink, const QRectF& p) const {
  const auto& path = grid().path;
  for (const QPoint& cell : path) {
    const QRectF r = cellArea(cell.y(), cell.x(), p);
    ink.outline(r.adjusted(-1, -1, 1, 1), ink.color(Role::Canvas), 4);
    ink.outline(r.adjusted(-1, -1, 1, 1), ink.color(Role::Accent), 2);
  }
  // From the lower edge of a cell to the upper edge of the next, so that no number is crossed.
  for (std::size_t k = 1; k < path.size(); ++k) {
    const QRectF from = cellArea(path[k - 1].y(), path[k - 1].x(), p),
                 to = cellArea(path[k].y(), path[k].x(), p);
    const double inside = std::min(from.height() / 4, 10.0);
    const QPointF a(from.center().x(), from.bottom() - inside), b(to.center().x(), to.top() + inside);
    ink.line(a, b, ink.color(Role::Canvas), 4);
    ink.line(a, b, ink.color(Role::Accent), 2);
  }
}

/// From a cell to where its stage may end: the best ways, each with what it costs.
void DpFigure::drawArrows(FigurePainter& ink, const QRectF& p, int stage, int cut) const {
  constexpr std::size_t kMost = 7;
  if (stage + 1 >= m_probe->stageCount() || !m_probe->hasLayers(stage, cut) ||
      m_probe->stageCount() - m_filled > stage)
    return;
  std::vector<std::pair<double, int>> ways;
  double best = INFINITY;
  for (const DpAlternative& a : m_probe->alternatives(stage, cut)) {
    const double time = through() ? through()->time(stage, cut, a.to) : a.time;
    if (std::isfinite(time)) ways.emplace_back(time, a.to), best = std::min(best, time);
  }
  std::sort(ways.begin(), ways.end());
  if (ways.size() > kMost) ways.resize(kMost);
  const QRectF from = cellArea(stage, cut, p);
  constexpr double size = FigurePainter::kSmall;
  for (auto way = ways.rbegin(); way != ways.rend(); ++way) {
    const auto& [time, to] = *way;
    const QRectF target = cellArea(stage + 1, to, p);
    const bool isBest = time <= best * (1 + 1e-9);
    const QColor color = ink.color(isBest ? Role::Accent : Role::Text);
    const QPointF a(from.center().x(), from.bottom()), b(target.center().x(), target.top());
    const double width = isBest ? 2.5 : 1.2;
    ink.line(a - QPointF(0, std::min(4.0, from.height() / 4)), b, color, width);
    const QPointF along = b - a;
    const double length = std::max(1.0, std::hypot(along.x(), along.y()));
    const QPointF unit = along / length, across(-unit.y(), unit.x());
    for (const double side : {-1.0, 1.0}) ink.line(b, b - 7 * unit + side * 4 * across, color, width);
    const QString cost = through() ? dp::ratioText(time / through()->best()) : timeText(Seconds(time));
    const double wide = FigurePainter::width(cost, size, isBest) + 6;
    if (wide > target.width() || target.height() < 44) continue;
    const QRectF box(target.center().x() - wide / 2, target.top() + 2, wide, 15);
    ink.fill(box, ink.color(Role::Canvas));
    ink.outline(box, color, 1, 3);
    ink.label(box, cost, Qt::AlignCenter, size, ink.color(Role::Text), isBest);
  }
}

void DpFigure::drawAxes(FigurePainter& ink, const QRectF& area, const QRectF& p) const {
  const DpGrid& g = grid();
  for (int i : m_configurations ? wholeTicks(g.rowCount(), std::max(2, static_cast<int>(p.height() / 18)))
                                : countedTicks(g.rowCount(), std::max(2, static_cast<int>(p.height() / 18))))
    ink.label({p.left() - 48, cellArea(i, 0, p).center().y() - 8, 42, 16}, g.rows[i],
              Qt::AlignRight | Qt::AlignVCenter, FigurePainter::kSmall, ink.color(Role::MutedText));
  double widest = 36;
  for (const QString& name : g.columns)
    widest = std::max(widest, std::min(120.0, FigurePainter::width(name, FigurePainter::kSmall) + 4));
  const int most = std::max(2, static_cast<int>(p.width() / (widest + 6)));
  double free = -1e300;
  for (int x : m_configurations ? wholeTicks(g.columnCount(), most) : countedTicks(g.columnCount(), most)) {
    const QRectF box(cellArea(0, x, p).center().x() - widest / 2, p.bottom() + 3, widest, 16);
    if (box.left() < free) continue;
    ink.label(box, g.columns[x], Qt::AlignCenter, FigurePainter::kSmall, ink.color(Role::MutedText));
    free = box.right();
  }
  ink.label({p.left(), p.bottom() + 20, p.width(), 16}, g.columnTitle, Qt::AlignCenter, FigurePainter::kSmall,
            ink.color(Role::Text));
  QPainter& painter = ink.painter();
  painter.save();
  painter.translate(area.left() + 16, p.center().y());
  painter.rotate(-90);
  const double half = std::min(90.0, p.height() / 2 + 12);
  ink.label({-half, -8, 2 * half, 16}, g.rowTitle, Qt::AlignCenter, FigurePainter::kSmall,
            ink.color(Role::Text));
  painter.restore();
}

void DpFigure::drawLegend(FigurePainter& ink, const QRectF& row) const {
  const DpGrid& g = grid();
  const auto has = [&](DpGrid::Kind kind) {
    return std::any_of(g.cells.begin(), g.cells.end(), [&](const auto& cell) { return cell.kind == kind; });
  };
  double x = row.left();
  const auto say = [&](const QString& text, double gap) {
    const double w = FigurePainter::width(text, FigurePainter::kSmall) + 2;
    if (x + w > row.right()) return ink.leaveOut();
    ink.label({x, row.top(), w, row.height()}, text, Qt::AlignLeft | Qt::AlignVCenter, FigurePainter::kSmall,
              ink.color(Role::MutedText));
    x += w + gap;
  };
  const auto box = [&](const QColor& color) {
    const QRectF swatch(x, row.center().y() - 5, 14, 10);
    ink.fill(swatch, color);
    ink.outline(swatch, ink.color(Role::Border), 1);
    x += 19;
  };
  if (m_configurations || through()) {
    say(tr("1 ×"), 5);
    const QRectF ramp(x, row.center().y() - 5, 90, 10);
    for (int i = 0; i < 30; ++i)
      ink.fill({ramp.left() + i * 3.0, ramp.top(), 3.4, ramp.height()},
               ratioColor(ink.theme(), 1 + (kMostRatio - 1) * i / 29));
    ink.outline(ramp, ink.color(Role::Border), 1);
    x = ramp.right() + 5;
    say(tr("1.5 × and more"), 14);
  }
  if (!g.path.empty()) {
    ink.outline({x, row.center().y() - 5, 14, 10}, ink.color(Role::Accent), 2);
    x += 19;
    say(m_configurations ? tr("the best plan") : tr("the plan"), 14);
  }
  if (has(DpGrid::Kind::Short)) {
    box(colorOf(ink.theme(), {DpGrid::Kind::Short, 0, {}}));
    say(tr("× does not fit"), 14);
  }
  if (has(DpGrid::Kind::AtLeast)) say(tr("≥ at least (a bound)"), 14);
  if (has(DpGrid::Kind::Blank)) {
    box(ink.color(Role::Panel));
    say(m_configurations ? tr("no candidate") : tr("no plan can have it"), 0);
  }
}

void DpFigure::draw(FigurePainter& ink, const QRectF& area, const PlanContext& c) const {
  const FigureStyle& style = ink.style();
  paintFrame(ink, area, c, title(), sentence(c));
  const QRectF p = plotOf(area, c, style.standalone);
  QPainter& painter = ink.painter();
  painter.setRenderHint(QPainter::Antialiasing, false);
  drawCells(ink, p);
  painter.setRenderHint(QPainter::Antialiasing, true);
  drawPath(ink, p);
  if (!style.standalone && holds(style.selected)) {
    if (isTable()) drawArrows(ink, p, style.selected->index, style.selected->other);
    ink.outline(cellArea(style.selected->index, style.selected->other, p).adjusted(-2, -2, 2, 2),
                ink.color(Role::Text), 2);
  }
  drawAxes(ink, area, p);
  drawLegend(ink, {p.left(), p.bottom() + 40, p.width(), 16});
}

std::optional<Figure::Hit> DpFigure::itemAt(const QPointF& at, const QRectF& area,
                                            const PlanContext& c) const {
  const QRectF p = plotOf(area, c, false);
  if (!p.contains(at)) return std::nullopt;
  const auto along = [](double x, double length, int n) {
    return std::clamp(static_cast<int>(x / length * n), 0, n - 1);
  };
  return placeOf(itemOf(along(at.y() - p.top(), p.height(), grid().rowCount()),
                        along(at.x() - p.left(), p.width(), grid().columnCount())),
                 area, c);
}

std::optional<Figure::Hit> DpFigure::placeOf(const SelectionItem& item, const QRectF& area,
                                             const PlanContext& c) const {
  if (!holds(item)) return std::nullopt;
  return Hit{item, cellArea(item.index, item.other, plotOf(area, c, false)),
             QStringLiteral("<p>%1</p>").arg(sentenceOf(item, c).toHtmlEscaped())};
}

std::optional<SelectionItem> DpFigure::stepFrom(const std::optional<SelectionItem>& from, Step step,
                                                const PlanContext&) const {
  if (!holds(from) || step == Step::First) return itemOf(0, 0);
  const int rows = grid().rowCount() - 1, columns = grid().columnCount() - 1;
  if (step == Step::Last) return itemOf(rows, columns);
  int row = from->index, column = from->other;
  if (step == Step::Left) --column;
  if (step == Step::Right) ++column;
  if (step == Step::Up) --row;
  if (step == Step::Down) ++row;
  return itemOf(std::clamp(row, 0, rows), std::clamp(column, 0, columns));
}

QString DpFigure::sentenceOf(const SelectionItem& item, const PlanContext& c) const {
  if (!holds(item)) return {};
  if (m_configurations) return m_configurations->sentence(item.index, item.other);
  if (item.index < m_probe->stageCount() - m_filled) return tr("Not filled yet.");
  return dp::cellText(*m_probe, through(), item.index, item.other, c);
}

QString DpFigure::words(const PlanContext& c) const {
  QString out = title() + u'\n' + sentence(c) + QStringLiteral(".\n");
  const auto rows = [&](const DpGrid& g) {
    out += g.rowTitle + u'\t' + g.columns.join(u'\t') + u'\n';
    for (int i = 0; i < g.rowCount(); ++i) {
      out += g.rows[i];
      for (int x = 0; x < g.columnCount(); ++x) {
        const DpGrid::Cell& cell = g.at(i, x);
        out += u'\t' + (cell.text.isEmpty() ? QStringLiteral("–") : cell.text);
      }
      out += u'\n';
    }
  };
  rows(grid());
  if (!isTable()) return out;
  if (through()) {
    out += tr("Best time from there to the end:") + u'\n';
    rows(gridOf(*m_probe, nullptr, m_probe->stageCount()));
  }
  QStringList begins;
  for (const QPoint& cell : grid().path)
    begins << tr("stage %1 begins with layer %2").arg(grid().rows[cell.y()], grid().columns[cell.x()]);
  return begins.isEmpty() ? out : out + tr("The plan: %1.").arg(begins.join(QStringLiteral(", "))) + u'\n';
}

}  // namespace nest
