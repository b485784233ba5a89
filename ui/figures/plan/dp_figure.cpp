#include "figures/plan/dp_figure.h"

#include <algorithm>
#include <cmath>

#include "figures/paint/figure_painter.h"
#include "figures/paint/frame.h"
#include "figures/paint/phrases.h"
#include "figures/paint/ticks.h"

namespace nest {
namespace {

using Role = Theme::Role;

QString seconds(double t) {
  return std::isfinite(t) ? timeText(Seconds(t)) : QStringLiteral("–");
}

}  // namespace

void DpFigure::setProbe(std::shared_ptr<const DpProbe> probe, const QString& why) {
  m_probe = std::move(probe);
  m_why = why;
  m_least = 1e300, m_most = 0;
  for (int i = 0; m_probe && i < m_probe->stageCount(); ++i)
    for (int x = 0; x < m_probe->cutCount(); ++x)
      if (const DpCell& c = m_probe->cell(i, x); c.reached && std::isfinite(c.time))
        m_least = std::min(m_least, c.time), m_most = std::max(m_most, c.time);
}

QRectF DpFigure::plotOf(const QRectF& area, const PlanContext& c, bool standalone) const {
  return bodyOf(area, c, standalone).adjusted(46, 4, -6, -64);
}

QRectF DpFigure::cellArea(int stage, int cut, const QRectF& p) const {
  const double w = p.width() / m_probe->cutCount(), h = p.height() / m_probe->stageCount();
  return {p.left() + cut * w, p.top() + stage * h, w, h};
}

bool DpFigure::holds(const std::optional<SelectionItem>& item) const {
  return m_probe && item && item->kind == ItemKind::Pair && item->level == kCell && item->index >= 0 &&
         item->index < m_probe->stageCount() && item->other >= 0 && item->other < m_probe->cutCount();
}

std::optional<FigureState> DpFigure::state(const PlanContext& c, bool) const {
  if (m_probe && c.problem) return std::nullopt;
  if (auto none = stateOf(c, tr("the DP table"))) return none;
  return FigureState{tr("No DP table"), m_why};
}

void DpFigure::draw(FigurePainter& ink, const QRectF& area, const PlanContext& c) const {
  QPainter& painter = ink.painter();
  const FigureStyle& style = ink.style();
  paintFrame(ink, area, c, title(), tr("Best time from each stage and first layer to the end"));
  const QRectF p = plotOf(area, c, style.standalone);
  const int stages = m_probe->stageCount(), cuts = m_probe->cutCount();
  painter.setRenderHint(QPainter::Antialiasing, false);
  const double span = m_most - m_least;
  for (int i = 0; i < stages; ++i)
    for (int x = 0; x < cuts; ++x) {
      const DpCell& cell = m_probe->cell(i, x);
      const QRectF r = cellArea(i, x, p);
      if (cell.reached)
        ink.fill(r.adjusted(0, 0, 0.6, 0.6),
                 ink.theme().magnitude(span > 0 ? (cell.time - m_least) / span : 0.5));
      else
        ink.fill(r, ink.color(Role::Panel));
    }
  for (int i = 0; i < stages; ++i)
    for (int x = 0; x < cuts; ++x)
      if (m_probe->cell(i, x).onPath) {
        ink.outline(cellArea(i, x, p).adjusted(-1, -1, 1, 1), ink.color(Role::Canvas), 4);
        ink.outline(cellArea(i, x, p).adjusted(-1, -1, 1, 1), ink.color(Role::Accent), 2);
      }
  if (!style.standalone && holds(style.selected))
    ink.outline(cellArea(style.selected->index, style.selected->other, p).adjusted(-2, -2, 2, 2),
                ink.color(Role::Text), 2);

  for (int i : countedTicks(stages, std::max(2, static_cast<int>(p.height() / 18))))
    ink.label({p.left() - 48, cellArea(i, 0, p).center().y() - 8, 42, 16}, stageNumber(i),
              Qt::AlignRight | Qt::AlignVCenter, FigurePainter::kSmall, ink.color(Role::MutedText));
  double free = -1e300;
  for (int x : countedTicks(cuts, std::max(2, static_cast<int>(p.width() / 44)))) {
    const QRectF box(cellArea(0, x, p).center().x() - 20, p.bottom() + 3, 40, 16);
    if (box.left() < free) continue;
    const int first = m_probe->firstLayer(x);
    ink.label(box, first >= 0 ? layerNumber(first) : tr("end"), Qt::AlignCenter, FigurePainter::kSmall,
              ink.color(Role::MutedText));
    free = box.right();
  }
  ink.label({p.left(), p.bottom() + 20, p.width(), 16}, tr("First layer of the stage"), Qt::AlignCenter,
            FigurePainter::kSmall, ink.color(Role::Text));
  painter.save();
  painter.translate(area.left() + 22, p.center().y());
  painter.rotate(-90);
  ink.label({-60, -8, 120, 16}, tr("Stage"), Qt::AlignCenter, FigurePainter::kSmall, ink.color(Role::Text));
  painter.restore();
  const QRectF ramp(p.left(), p.bottom() + 44, 120, 9);
  for (int i = 0; i < 30; ++i)
    ink.fill({ramp.left() + i * 4.0, ramp.top(), 4.5, ramp.height()}, ink.theme().magnitude(i / 29.0));
  const QString least = seconds(m_least), most = seconds(m_most);
  ink.label({ramp.right() + 8, ramp.top() - 4, p.width() - 130, 16},
            (least == most ? least : tr("%1 – %2").arg(least, most)) +
                tr(" · blank: no plan from there · outlined: the plan"),
            Qt::AlignLeft | Qt::AlignVCenter, FigurePainter::kSmall, ink.color(Role::MutedText));
}

QString DpFigure::cellText(int stage, int cut, const PlanContext& c) const {
  const DpCell& cell = m_probe->cell(stage, cut);
  const auto& layers = c.problem->graph->layers;
  const int lowest = m_probe->firstLayer(cut);
  const QString first = lowest >= 0
                            ? tr("layer %1 (%2)").arg(layerNumber(lowest)).arg(phrase(layers[lowest].name))
                            : tr("the end");
  QString out = tr("If stage %1 starts at %2: ").arg(stageNumber(stage)).arg(first);
  out += cell.reached ? tr("best %1 (slowest stage %2, all stages %3, end of step %4)")
                            .arg(seconds(cell.time), seconds(cell.largestLoad), seconds(cell.sumOfLoads),
                                 seconds(cell.tail))
                      : tr("nothing that follows fits");
  out +=
      (cell.stages == 1 ? tr(". %1 on %2 of each block remains") : tr(". %1 on %2 of each block remain"))
          .arg(plural(cell.stages, QStringLiteral("stage")), plural(cell.devices, QStringLiteral("device")));
  if (cell.level >= 0) out += tr(", reached over level %1").arg(levelName(c, cell.level));
  if (cell.reached) out += tr("; %1 on its front").arg(plural(cell.labels, QStringLiteral("point")));
  return out + u'.';
}

std::optional<Figure::Hit> DpFigure::itemAt(const QPointF& at, const QRectF& area,
                                            const PlanContext& c) const {
  const QRectF p = plotOf(area, c, false);
  if (!p.contains(at)) return std::nullopt;
  const auto along = [](double x, double length, int n) {
    return std::clamp(static_cast<int>(x / length * n), 0, n - 1);
  };
  return placeOf(itemOf(along(at.y() - p.top(), p.height(), m_probe->stageCount()),
                        along(at.x() - p.left(), p.width(), m_probe->cutCount())),
                 area, c);
}

std::optional<Figure::Hit> DpFigure::placeOf(const SelectionItem& item, const QRectF& area,
                                             const PlanContext& c) const {
  if (!holds(item)) return std::nullopt;
  return Hit{item, cellArea(item.index, item.other, plotOf(area, c, false)),
             QStringLiteral("<p>%1</p>").arg(cellText(item.index, item.other, c).toHtmlEscaped())};
}

std::optional<SelectionItem> DpFigure::stepFrom(const std::optional<SelectionItem>& from, Step step,
                                                const PlanContext&) const {
  if (!holds(from) || step == Step::First) return itemOf(0, 0);
  const int rows = m_probe->stageCount() - 1, columns = m_probe->cutCount() - 1;
  if (step == Step::Last) return itemOf(rows, columns);
  int row = from->index, column = from->other;
  if (step == Step::Left) --column;
  if (step == Step::Right) ++column;
  if (step == Step::Up) --row;
  if (step == Step::Down) ++row;
  return itemOf(std::clamp(row, 0, rows), std::clamp(column, 0, columns));
}

QString DpFigure::sentenceOf(const SelectionItem& item, const PlanContext& c) const {
  return holds(item) ? cellText(item.index, item.other, c) : QString();
}

QString DpFigure::words(const PlanContext&) const {
  QString out = title() + u'\n';
  out += tr("stage");
  for (int x = 0; x < m_probe->cutCount(); ++x) {
    const int first = m_probe->firstLayer(x);
    out += u'\t' + (first >= 0 ? layerNumber(first) : tr("end"));
  }
  for (int i = 0; i < m_probe->stageCount(); ++i) {
    out += u'\n' + stageNumber(i);
    for (int x = 0; x < m_probe->cutCount(); ++x) {
      const DpCell& cell = m_probe->cell(i, x);
      out += u'\t' + (cell.reached ? seconds(cell.time) : QStringLiteral("–"));
    }
  }
  return out + u'\n';
}

}  // namespace nest
