#include "views/search/dp_pane.h"

#include <QHeaderView>
#include <QTableWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "figures/paint/phrases.h"
#include "theme/qt_text.h"
#include "units/text.h"
#include "views/adaptive_splitter.h"
#include "views/figure_pane.h"

namespace nest {
namespace {

QString secondsText(double seconds) {
  return std::isfinite(seconds) ? toQt(text::time(Seconds(seconds))) : QStringLiteral("–");
}

}  // namespace

DpPane::DpPane(QWidget* parent) : QWidget(parent) {
  m_pane = new FigurePane(m_figure, m_cell);
  m_table = new QTableWidget(0, 5);
  m_table->setHorizontalHeaderLabels(
      {tr("Ends before"), tr("Recompute"), tr("Time per microbatch"), tr("Time from here"), tr("Why")});
  m_table->setMinimumHeight(48);
  m_table->setAccessibleName(tr("Ways to go on from the chosen cell"));
  m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
  m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
  m_table->verticalHeader()->hide();
  m_table->horizontalHeader()->setStretchLastSection(true);
  auto* split = new AdaptiveSplitter(360, {420, 300});
  split->addWidget(m_pane);
  split->addWidget(m_table);
  split->setSizes({320, 160});
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(split);
  connect(&m_cell, &Selection::selectedChanged, this, [this] {
    const auto cell = m_cell.selected().value_or(DpFigure::itemOf(0, 0));
    showAlternatives(cell.index, cell.other);
  });
}

DpPane::~DpPane() = default;

void DpPane::setContext(PlanContextPtr context, const Theme& theme) {
  m_context = std::move(context);
  std::string why = "It needs a plan";
  m_probe = m_context->problem && m_context->plan
                ? std::shared_ptr<const DpProbe>(DpProbe::of(*m_context->problem, m_context->plan->plan, why))
                : nullptr;
  m_figure.setProbe(m_probe, toQt(why) + QLatin1Char('.'));
  m_pane->show(*m_context, theme);
  m_cell.setSelected(m_probe ? std::optional(DpFigure::itemOf(0, 0)) : std::nullopt);
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
                ? tr("lacks %1 of memory").arg(toQt(text::memory(Bytes(a.shortfall))))
            : a.policy < 0 ? tr("not allowed")
                           : tr("nothing that follows fits");
    else if (!a.chosen && best > 0)
      why = toQt(text::signedPercent(a.time / best - 1));
    const int next = m_probe->firstLayer(a.to);
    const QString cells[] = {
        next < 0 ? tr("the end") : tr("%1 (%2)").arg(layerNumber(next)).arg(toQt(layers[next].name)),
        a.policy < 0 ? QStringLiteral("–") : QString::fromLatin1(nameOf(static_cast<Recompute>(a.policy))),
        a.policy < 0 ? QStringLiteral("–") : secondsText(a.load), secondsText(a.time), why};
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
