#include "views/search/dp_pane.h"

#include <QHeaderView>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QSplitter>
#include <QTableWidget>
#include <QToolTip>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "figures/ink.h"
#include "figures/phrases.h"
#include "figures/ticks.h"
#include "units/text.h"

namespace nest {
namespace {

QString from(const std::string& s) {
  return QString::fromStdString(s);
}
QString timeText(double seconds) {
  return std::isfinite(seconds) ? from(text::time(Seconds(seconds))) : QStringLiteral("–");
}

}  // namespace

DpHeatmap::DpHeatmap(QWidget* parent) : QWidget(parent), m_theme(&Theme::of(Theme::Kind::Light)) {
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setMinimumSize(260, 180);
  setAccessibleName(tr("DP table"));
}

void DpHeatmap::setProbe(std::shared_ptr<const DpProbe> probe, PlanContextPtr context, const QString& why,
                         const Theme& theme) {
  m_probe = std::move(probe);
  m_context = std::move(context);
  m_why = why;
  m_theme = &theme;
  m_stage = m_cut = 0;
  m_least = 1e300, m_most = 0;
  for (int i = 0; m_probe && i < m_probe->stageCount(); ++i)
    for (int x = 0; x < m_probe->cutCount(); ++x)
      if (const DpCell& c = m_probe->cell(i, x); c.reached)
        m_least = std::min(m_least, c.time), m_most = std::max(m_most, c.time);
  update();
}

QRectF DpHeatmap::plot() const {
  return QRectF(rect()).adjusted(58, 30, -12, -62);
}

QRectF DpHeatmap::cellArea(int stage, int cut) const {
  const QRectF p = plot();
  const double w = p.width() / m_probe->cutCount(), h = p.height() / m_probe->stageCount();
  return {p.left() + cut * w, p.top() + stage * h, w, h};
}

std::optional<std::pair<int, int>> DpHeatmap::cellAt(const QPointF& at) const {
  if (!m_probe || !plot().contains(at)) return std::nullopt;
  const QRectF p = plot();
  return std::pair(std::min(m_probe->stageCount() - 1,
                            static_cast<int>((at.y() - p.top()) / p.height() * m_probe->stageCount())),
                   std::min(m_probe->cutCount() - 1,
                            static_cast<int>((at.x() - p.left()) / p.width() * m_probe->cutCount())));
}

void DpHeatmap::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  FigureStyle style;
  style.theme = m_theme;
  Ink ink(painter, style);
  using enum Theme::Role;
  ink.fill(rect(), ink.color(Canvas));
  if (!m_probe) {
    ink.paragraph(QRectF(rect()).adjusted(20, 20, -20, -20), m_why, Qt::AlignCenter, 13,
                  ink.color(MutedText));
    return;
  }
  const QRectF p = plot();
  ink.label({p.left() - 50, 4, p.width() + 50, 20}, tr("Best time of what is left, by stage and first layer"),
            Qt::AlignLeft | Qt::AlignVCenter, Ink::kBody, ink.color(Text), true);
  const int stages = m_probe->stageCount(), cuts = m_probe->cutCount();
  for (int i = 0; i < stages; ++i)
    for (int x = 0; x < cuts; ++x) {
      const DpCell& c = m_probe->cell(i, x);
      QRectF r = cellArea(i, x);
      if (!c.reached) {
        ink.fill(r, ink.color(Panel));
        continue;
      }
      const double span = m_most - m_least;
      ink.fill(r.adjusted(0, 0, 0.6, 0.6), m_theme->magnitude(span > 0 ? (c.time - m_least) / span : 0.5));
    }
  for (int i = 0; i < stages; ++i)
    for (int x = 0; x < cuts; ++x)
      if (m_probe->cell(i, x).onPath)
        ink.outline(cellArea(i, x).adjusted(-1, -1, 1, 1), ink.color(Accent), 2);
  ink.outline(cellArea(m_stage, m_cut).adjusted(-2, -2, 2, 2), ink.color(Text), 2);

  for (int i : countedTicks(stages, std::max(2, static_cast<int>(p.height() / 18))))
    ink.label({p.left() - 54, cellArea(i, 0).center().y() - 8, 48, 16}, stageNumber(i),
              Qt::AlignRight | Qt::AlignVCenter, Ink::kSmall, ink.color(MutedText));
  for (int x : countedTicks(cuts, std::max(2, static_cast<int>(p.width() / 44))))
    ink.label({cellArea(0, x).center().x() - 20, p.bottom() + 3, 40, 16},
              x + 1 < cuts ? layerNumber(x) : tr("end"), Qt::AlignCenter, Ink::kSmall, ink.color(MutedText));
  ink.label({p.left(), p.bottom() + 20, p.width(), 16}, tr("first layer of the stage"), Qt::AlignCenter,
            Ink::kSmall, ink.color(Text));
  painter.save();
  painter.translate(12, p.center().y());
  painter.rotate(-90);
  ink.label({-60, -8, 120, 16}, tr("stage"), Qt::AlignCenter, Ink::kSmall, ink.color(Text));
  painter.restore();
  const QRectF ramp(p.left(), p.bottom() + 42, 120, 9);
  for (int i = 0; i < 30; ++i)
    ink.fill({ramp.left() + i * 4.0, ramp.top(), 4.5, ramp.height()}, m_theme->magnitude(i / 29.0));
  ink.label({ramp.right() + 8, ramp.top() - 4, p.width() - 130, 16},
            tr("%1 to %2 · plain: nothing fits · framed: the plan").arg(timeText(m_least), timeText(m_most)),
            Qt::AlignLeft | Qt::AlignVCenter, Ink::kSmall, ink.color(MutedText));
}

QString DpHeatmap::describe(int stage, int cut) const {
  if (!m_probe) return m_why;
  const DpCell& c = m_probe->cell(stage, cut);
  const auto& layers = m_context->problem->graph->layers;
  const QString first =
      cut < static_cast<int>(layers.size())
          ? tr("layer %1 (%2)").arg(layerNumber(cut)).arg(from(layers[static_cast<std::size_t>(cut)].name))
          : tr("the end");
  QString out = tr("Stage %1 begins at %2: %3 stages on %4 devices of a replica are left")
                    .arg(stageNumber(stage))
                    .arg(first)
                    .arg(c.stages)
                    .arg(c.devices);
  if (c.level >= 0)
    out += tr(", met at level %1").arg(from(m_context->problem->cluster->level(c.level).name));
  if (!c.reached) return out + tr(". Nothing that follows fits.");
  return out + tr(". Best %1: largest load %2, sum %3, tail %4; %5 points on its front.")
                   .arg(timeText(c.time), timeText(c.largestLoad), timeText(c.sumOfLoads), timeText(c.tail))
                   .arg(c.labels);
}

void DpHeatmap::moveTo(int stage, int cut) {
  if (!m_probe) return;
  m_stage = std::clamp(stage, 0, m_probe->stageCount() - 1);
  m_cut = std::clamp(cut, 0, m_probe->cutCount() - 1);
  setAccessibleDescription(describe(m_stage, m_cut));
  update();
  Q_EMIT cellChanged(m_stage, m_cut);
}

void DpHeatmap::mousePressEvent(QMouseEvent* e) {
  if (const auto cell = cellAt(e->position())) moveTo(cell->first, cell->second);
}

void DpHeatmap::keyPressEvent(QKeyEvent* e) {
  switch (e->key()) {
    case Qt::Key_Left:
      return moveTo(m_stage, m_cut - 1);
    case Qt::Key_Right:
      return moveTo(m_stage, m_cut + 1);
    case Qt::Key_Up:
      return moveTo(m_stage - 1, m_cut);
    case Qt::Key_Down:
      return moveTo(m_stage + 1, m_cut);
    default:
      QWidget::keyPressEvent(e);
  }
}

bool DpHeatmap::event(QEvent* e) {
  if (e->type() != QEvent::ToolTip) return QWidget::event(e);
  const auto* help = static_cast<QHelpEvent*>(e);
  if (const auto cell = cellAt(help->pos()))
    QToolTip::showText(help->globalPos(),
                       QStringLiteral("<p>%1</p>").arg(describe(cell->first, cell->second)), this);
  else
    QToolTip::hideText();
  return true;
}

DpPane::DpPane(QWidget* parent) : QWidget(parent) {
  m_heatmap = new DpHeatmap;
  m_table = new QTableWidget(0, 5);
  m_table->setHorizontalHeaderLabels(
      {tr("Ends before"), tr("Recompute"), tr("Load"), tr("Time from here"), tr("Why")});
  m_table->setAccessibleName(tr("Ways to go on from the chosen cell"));
  m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
  m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
  m_table->verticalHeader()->hide();
  m_table->horizontalHeader()->setStretchLastSection(true);
  auto* split = new QSplitter(Qt::Vertical);
  split->addWidget(m_heatmap);
  split->addWidget(m_table);
  split->setSizes({320, 160});
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(split);
  connect(m_heatmap, &DpHeatmap::cellChanged, this, &DpPane::showAlternatives);
}

void DpPane::setContext(PlanContextPtr context, const Theme& theme) {
  m_context = std::move(context);
  std::string why = "Solve a scenario to see its DP table";
  m_probe = m_context->problem && m_context->plan
                ? std::shared_ptr<const DpProbe>(DpProbe::of(*m_context->problem, m_context->plan->plan, why))
                : nullptr;
  m_heatmap->setProbe(m_probe, m_context, tr("No table: %1.").arg(from(why)), theme);
  showAlternatives(0, 0);
}

void DpPane::showAlternatives(int stage, int cut) {
  m_table->setRowCount(0);
  if (!m_probe) return;
  const auto all = m_probe->alternatives(stage, cut);
  double best = INFINITY;
  for (const auto& a : all) best = std::min(best, a.time);
  const auto& layers = m_context->problem->graph->layers;
  m_table->setRowCount(static_cast<int>(all.size()));
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& a = all[i];
    QString why = a.chosen ? tr("the plan") : QString();
    if (!std::isfinite(a.time))
      why = a.policy < 0 && a.shortfall > 0
                ? tr("short of memory by %1").arg(from(text::memory(Bytes(a.shortfall))))
            : a.policy < 0 ? tr("not allowed")
                           : tr("nothing that follows fits");
    else if (!a.chosen && best > 0)
      why = from(text::signedPercent(a.time / best - 1));
    const bool end = a.to >= static_cast<int>(layers.size());
    const QString cells[] = {
        end ? tr("the end")
            : tr("%1 (%2)").arg(a.to + 1).arg(from(layers[static_cast<std::size_t>(a.to)].name)),
        a.policy < 0 ? QStringLiteral("–") : QString::fromLatin1(nameOf(static_cast<Recompute>(a.policy))),
        a.policy < 0 ? QStringLiteral("–") : timeText(a.load), timeText(a.time), why};
    for (int c = 0; c < 5; ++c) {
      auto* item = new QTableWidgetItem(cells[c]);
      if (a.chosen) {
        QFont f = item->font();
        f.setBold(true);
        item->setFont(f);
      }
      m_table->setItem(static_cast<int>(i), c, item);
    }
    if (a.chosen) m_table->selectRow(static_cast<int>(i));
  }
  m_table->resizeColumnsToContents();
}

}  // namespace nest
