#include "views/search/plans_pane.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QTableWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "figures/paint/frame.h"
#include "figures/paint/phrases.h"
#include "measures/metrics.h"
#include "units/amount.h"
#include "units/text.h"
#include "words/metric_words.h"

namespace nest {

PlansPane::PlansPane(QWidget* parent)
    : QWidget(parent),
      m_table(new QTableWidget(0, 8)),
      m_reach(new QLabel),
      m_keep(new QPushButton(tr("Keep this plan"))) {
  m_table->setObjectName(QStringLiteral("plans"));
  m_table->setAccessibleName(tr("Best plans"));
  m_table->setHorizontalHeaderLabels({tr("Rank"), tr("Step time"), tr("Tokens/s"), tr("Slower by"),
                                      tr("Devices"), tr("Fullest device"), tr("Plan"), tr("Remark")});
  m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
  m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
  m_table->setSelectionMode(QAbstractItemView::SingleSelection);
  m_table->setAlternatingRowColors(true);
  m_table->verticalHeader()->hide();
  m_table->horizontalHeader()->setStretchLastSection(true);
  m_reach->setWordWrap(true);
  m_figure = std::make_unique<TableFigure>(QStringLiteral("best-plans"), tr("Best plans"), *m_table->model(),
                                           [this](const PlanContext&) { return m_reach->text(); });
  m_keep->setToolTip(tr("Keep the selected plan to compare or present it"));
  auto* row = new QHBoxLayout;
  row->addWidget(m_reach, 1);
  row->addWidget(m_keep);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(4, 4, 8, 8);
  column->addLayout(row);
  column->addWidget(m_table, 1);
  connect(m_keep, &QPushButton::clicked, this, &PlansPane::keep);
  connect(m_table, &QTableWidget::currentCellChanged, this, [this](int r) { m_keep->setEnabled(r >= 0); });
  m_table->setContextMenuPolicy(Qt::CustomContextMenu);
  connect(m_table, &QWidget::customContextMenuRequested, this, [this](const QPoint& at) {
    const int plan = m_table->rowAt(at.y());
    if (plan < 0 || !m_context || !m_context->outcome) return;
    QMenu menu(this);
    Q_EMIT menuMade(&menu, m_context->outcome->plans[plan]);
    menu.exec(m_table->viewport()->mapToGlobal(at));
  });
}

void PlansPane::setContext(PlanContextPtr context) {
  const std::optional<Plan> chosen = chosenPlan();
  m_context = std::move(context);
  const Outcome* o = m_context->outcome.get();
  const auto count = o ? static_cast<int>(o->plans.size()) : 0;
  m_table->setRowCount(count);
  double ratioError = 0;
  int ties = 0;
  for (int i = 0; i < count; ++i) {
    const RankedPlan& p = o->plans[i];
    const double slower = p.evaluation.batchTime / o->plans.front().evaluation.batchTime - 1;
    const PlanMetrics m = metricsOf(*m_context->problem, nullptr, p);
    const Seconds best = o->plans.front().evaluation.batchTime;
    // The best one is not compared with itself.
    const std::string remark = words::remarkOn(m, i == 0 ? Seconds(0) : best);
    ratioError = words::ratioError(m.program, m.error);
    ties += words::isWithinError(m, best) ? 1 : 0;
    const QString cells[] = {QString::number(i + 1),
                             timeText(p.evaluation.batchTime),
                             phrase(text::amount(m.tokensPerSecond)),
                             i == 0          ? tr("the best")
                             : slower < 5e-7 ? tr("as fast")
                                             : phrase(text::percent(slower)),
                             countText(p.plan.devicesUsed()),
                             memoryText(predictedPeak(p.evaluation)),
                             phrase(summaryOf(p.plan)),
                             phrase(remark)};
    for (int c = 0; c < m_table->columnCount(); ++c) {
      auto* item = new QTableWidgetItem(cells[c]);
      if (c < 6) item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
      m_table->setItem(i, c, item);
    }
  }
  for (int c = 0; c + 1 < m_table->columnCount(); ++c) m_table->resizeColumnToContents(c);
  choose(chosen);
  QString reach =
      count == 0
          ? stateOf(*m_context, tr("the best plans")).value_or(FigureState{tr("No plan fits."), {}}).heading
      : o->allPlansProven() ? tr("The %1 best plans, proven: none with other degrees is faster.").arg(count)
      : o->provenPlans == 0
          ? tr("The %1 best plans that were found; none is proven, others may be faster.").arg(count)
      : o->provenPlans == 1
          ? tr("The %1 best plans that were found. The first is proven to be the best; others may be faster "
               "than those behind it.")
                .arg(count)
          : tr("The %1 best plans that were found. The first %2 are proven; others may be faster than those "
               "behind them.")
                .arg(count)
                .arg(o->provenPlans);
  if (ties > 1)
    reach +=
        tr(" %1 of them are within the error of predicted ratios for this program (%2): in practice they "
           "are ties, and free memory or fewer devices may decide.")
            .arg(ties)
            .arg(phrase(text::percent(ratioError)));
  m_reach->setText(reach);
  m_keep->setEnabled(m_table->currentRow() >= 0);
}

std::optional<Plan> PlansPane::chosenPlan() const {
  const int i = m_table->currentRow();
  if (i < 0 || !m_context || !m_context->outcome) return std::nullopt;
  return m_context->outcome->plans[i].plan;
}

/// The same plan, whatever its rank is now; none where it is not listed any more.
void PlansPane::choose(const std::optional<Plan>& plan) {
  int row = -1;
  if (plan && m_context->outcome) {
    const auto& all = m_context->outcome->plans;
    const auto it =
        std::find_if(all.begin(), all.end(), [&](const RankedPlan& p) { return p.plan == *plan; });
    if (it != all.end()) row = static_cast<int>(it - all.begin());
  }
  m_table->setCurrentCell(row, row < 0 ? -1 : 0);
  if (row < 0) m_table->clearSelection();
}

void PlansPane::keep() {
  const int i = m_table->currentRow();
  if (i < 0 || !m_context->outcome) return;
  PlanContext shown = *m_context;
  shown.plan = std::make_shared<const RankedPlan>(m_context->outcome->plans[i]);
  Q_EMIT keepRequested(shown, i == 0 ? tr("Best plan") : tr("Plan of rank %1").arg(i + 1));
}

}  // namespace nest
