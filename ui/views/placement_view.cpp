#include "views/placement_view.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <memory>
#include <numeric>

#include "document/scenario_document.h"
#include "export/export_dialog.h"
#include "export/save_path.h"
#include "figures/paint/frame.h"
#include "figures/paint/phrases.h"
#include "figures/plan/focus.h"
#include "theme/elided_label.h"
#include "views/placement_model.h"

namespace nest {

PlacementView::PlacementView(ViewServices services, QWidget* parent)
    : View(services, parent), m_model(new PlacementModel(this)) {
  m_find = new QLineEdit(this);
  m_find->setPlaceholderText(tr("Find a host, rank or stage"));
  m_find->setClearButtonEnabled(true);
  m_find->setMinimumWidth(230);
  m_find->setAccessibleName(tr("Find in placement"));
  m_message = new ElidedLabel(this);
  m_message->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  m_table = new QTableView(this);
  m_table->setModel(m_model);
  m_table->setSortingEnabled(true);
  m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
  m_table->setMouseTracking(true);
  m_table->setAccessibleName(tr("Placement of every device"));
  m_table->setContextMenuPolicy(Qt::CustomContextMenu);
  // All rows have one height: asking each would read 131,072 of them.
  m_table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  m_table->verticalHeader()->setDefaultSectionSize(m_table->fontMetrics().height() + 6);
  m_table->verticalHeader()->hide();
  m_table->horizontalHeader()->setMinimumSectionSize(84);
  m_table->horizontalHeader()->setSortIndicator(PlacementModel::Rank, Qt::AscendingOrder);

  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(8, 4, 8, 4);
  bar->setSpacing(6);
  bar->addWidget(m_find);
  bar->addWidget(m_message, 1);
  const auto button = [&](const QString& text, const QString& tip, void (PlacementView::*slot)()) {
    auto* b = new QToolButton(this);
    b->setText(text);
    b->setToolTip(tip);
    b->setAutoRaise(true);
    connect(b, &QToolButton::clicked, this, slot);
    bar->addWidget(b);
  };
  button(tr("Copy"), tr("Copy the selected rows, or all, as CSV"), &PlacementView::copyRows);
  button(tr("Save CSV…"), tr("Save all rows as CSV"), &PlacementView::saveCsv);
  button(tr("Export…"), tr("Save the placement by host as SVG, PDF or PNG, or copy it"),
         &PlacementView::exportFigure);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(bar);
  column->addWidget(m_table);
  setAccessibleName(title());
  setFocusProxy(m_table);
  setTabOrder(m_table, m_find);  // Tab passes by what stands before a focus proxy
  m_table->installEventFilter(this);
  m_table->viewport()->installEventFilter(this);

  connect(m_find, &QLineEdit::returnPressed, this, &PlacementView::findNext);
  connect(m_find, &QLineEdit::textChanged, this, [this](const QString& text) {
    m_message->clear();
    if (!text.isEmpty()) findFrom(std::max(0, m_table->currentIndex().row()));
  });
  if (services.document) connect(services.document, &ScenarioDocument::opened, m_find, &QLineEdit::clear);
  connect(m_table, &QTableView::entered, this, [this](const QModelIndex& i) {
    selection().setHovered(SelectionItem{ItemKind::Device, m_model->deviceAt(i.row())});
  });
  connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          &PlacementView::tellSelection);
  connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this,
          &PlacementView::tellSelection);
  connect(&selection(), &Selection::selectedChanged, this, &PlacementView::followSelection);
  connect(m_table, &QWidget::customContextMenuRequested, this, [this](const QPoint& at) {
    QMenu menu(this);
    menu.addAction(tr("Copy rows as CSV"), this, &PlacementView::copyRows);
    menu.addAction(tr("Save all as CSV…"), this, &PlacementView::saveCsv);
    menu.addAction(tr("Export as a figure…"), this, &PlacementView::exportFigure);
    menu.exec(m_table->viewport()->mapToGlobal(at));
  });
}

void PlacementView::refresh() {
  const bool first = m_model->rowCount() == 0;
  m_model->setContext(context(), theme());
  if (first) {
    m_table->resizeColumnsToContents();
    m_widths.clear();
    for (int c = 0; c < m_model->columnCount(); ++c) m_widths.push_back(m_table->columnWidth(c));
    spreadColumns();
  }
  m_message->clear();
  m_said.clear();
  searchChanged();
  m_find->setEnabled(m_model->rowCount() > 0);
  followSelection();
}

/// The columns share the room that they do not need.
void PlacementView::spreadColumns() {
  const int count = static_cast<int>(m_widths.size());
  if (count == 0) return;
  const int free = m_table->viewport()->width() - std::accumulate(m_widths.begin(), m_widths.end(), 0);
  for (int c = 0; c < count; ++c) m_table->setColumnWidth(c, m_widths[c] + std::max(0, free) / count);
}

void PlacementView::resizeEvent(QResizeEvent* event) {
  View::resizeEvent(event);
  QMetaObject::invokeMethod(this, &PlacementView::spreadColumns, Qt::QueuedConnection);
}

void PlacementView::searchChanged() {
  const auto none = stateOf(context(), tr("the placement"));
  const QString what = none ? none->heading + QStringLiteral(" – ") + none->text : bannerOf(context(), false);
  if (what == m_said) return;  // what else is told here stays
  m_message->setText(m_said = what);
  m_message->setToolTip(what);
}

void PlacementView::findNext() {
  findFrom(m_table->currentIndex().row() + 1);
}

void PlacementView::findFrom(int start) {
  const int row = m_model->find(m_find->text(), start);
  m_message->setText(row < 0 && !m_find->text().isEmpty() ? tr("No match for “%1”").arg(m_find->text())
                                                          : QString());
  if (row < 0) return;
  m_table->selectRow(row);
  m_table->scrollTo(m_model->index(row, 0), QAbstractItemView::PositionAtCenter);
}

void PlacementView::copyRows() {
  std::vector<int> rows;
  for (const QModelIndex& i : m_table->selectionModel()->selectedRows()) rows.push_back(i.row());
  std::sort(rows.begin(), rows.end());
  // One row is what a click leaves behind: then all are meant.
  QApplication::clipboard()->setText(rows.size() > 1 ? m_model->csv(rows) : m_model->csv());
  m_message->setText(
      tr("%1 copied")
          .arg(plural(rows.size() > 1 ? static_cast<long long>(rows.size()) : m_model->rowCount(),
                      tr("row"))));
}

void PlacementView::saveCsv() {
  const Written written = saveExport(this, tr("Save placement"), QStringLiteral("placement.csv"),
                                     tr("CSV files (*.csv)"), [this] { return m_model->csv().toUtf8(); });
  if (written.path.isEmpty()) return;
  m_message->setText(written.problem.isEmpty() ? tr("Saved to %1").arg(written.path) : written.problem);
}

void PlacementView::exportFigure() {
  ExportDialog dialog(m_figure, context(), window());
  dialog.exec();
}

void PlacementView::tellSelection() {
  const QModelIndex i = m_table->currentIndex();
  // The table has a current row as soon as it has the focus: that alone chooses nothing.
  if (m_following || !i.isValid() || !m_table->selectionModel()->isSelected(i)) return;
  m_following = true;
  selection().setSelected(SelectionItem{ItemKind::Device, m_model->deviceAt(i.row())});
  m_following = false;
}

/// A device selected elsewhere is shown; of a stage its first one.
void PlacementView::followSelection() {
  if (m_following || !isVisible() || !selection().selected() || m_model->rowCount() == 0) return;
  const SelectionItem item = *selection().selected();
  int device = -1;
  if (item.kind == ItemKind::Device) {
    device = item.index;
  } else if (const auto stage = stageOf(item, context())) {
    device = Placement(*context().shownPlan()).device(*stage, 0, 0).value;
  }
  const int row = m_model->rowOf(device);
  if (row < 0) return;
  m_following = true;
  m_table->selectRow(row);
  m_table->scrollTo(m_model->index(row, 0));
  m_following = false;
}

bool PlacementView::eventFilter(QObject* watched, QEvent* e) {
  if (watched == m_table->viewport() && e->type() == QEvent::Leave) selection().setHovered(std::nullopt);
  if (watched == m_table && e->type() == QEvent::KeyPress) {
    if (static_cast<QKeyEvent*>(e)->matches(QKeySequence::Copy)) {
      copyRows();
      return true;
    }
    if (static_cast<QKeyEvent*>(e)->matches(QKeySequence::Find)) {
      m_find->setFocus();
      m_find->selectAll();
      return true;
    }
  }
  return View::eventFilter(watched, e);
}

}  // namespace nest
