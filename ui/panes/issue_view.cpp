#include "panes/issue_view.h"

#include <QContextMenuEvent>
#include <QHeaderView>
#include <QMenu>
#include <QPainter>

#include "panes/issue_model.h"

namespace nest {
namespace {

QString repairAt(const QModelIndex& index) {
  return index.siblingAtColumn(IssueModel::Repair).data().toString();
}

bool isOnNetwork(const QModelIndex& index) {
  return index.data(IssueModel::kNodeRole).toInt() >= 0 || index.data(IssueModel::kLinkRole).toInt() >= 0;
}

bool leads(const QModelIndex& index) {
  if (!index.isValid()) return false;
  if (index.column() == IssueModel::Repair) return !repairAt(index).isEmpty();
  return index.column() == IssueModel::Where && isOnNetwork(index);
}

bool hasPlace(const QModelIndex& index) {
  return isOnNetwork(index) || index.data(IssueModel::kStageRole).toInt() >= 0 ||
         !index.data(IssueModel::kPointerRole).toString().isEmpty();
}

}  // namespace

IssueView::IssueView(QWidget* parent) : QTableView(parent) {
  setAccessibleName(tr("Issues"));
  setAccessibleDescription(tr("Enter shows the location, Shift+Enter applies the suggested fix"));
  setMouseTracking(true);
  setSelectionBehavior(QAbstractItemView::SelectRows);
  setSelectionMode(QAbstractItemView::SingleSelection);
  setShowGrid(false);
  setTabKeyNavigation(false);
  verticalHeader()->hide();
  verticalHeader()->setMinimumSectionSize(24);
  verticalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);  // sentences break, none is cut
  horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  connect(this, &QAbstractItemView::clicked, this, &IssueView::follow);
}

void IssueView::setModel(QAbstractItemModel* next) {
  QTableView::setModel(next);
  const auto refresh = [this] {
    horizontalHeader()->setVisible(model()->rowCount() > 0);
    const auto* issues = qobject_cast<const IssueModel*>(model());
    setColumnHidden(IssueModel::Repair, !issues || !issues->offersRepair());
    // Where nothing is to be done the message has the room for it.
    clearSpans();
    for (int row = 0; row < model()->rowCount(); ++row)
      if (model()->index(row, IssueModel::Remedy).data().toString().isEmpty())
        setSpan(row, IssueModel::Message, 1, 2);
  };
  connect(next, &QAbstractItemModel::modelReset, this, refresh);
  refresh();
}

void IssueView::follow(const QModelIndex& index) {
  if (!leads(index)) return;
  if (index.column() == IssueModel::Repair)
    Q_EMIT repairRequested(index);
  else
    Q_EMIT activated(index);
}

void IssueView::mouseMoveEvent(QMouseEvent* event) {
  QTableView::mouseMoveEvent(event);
  viewport()->setCursor(leads(indexAt(event->pos())) ? Qt::PointingHandCursor : Qt::ArrowCursor);
}

/// The first click has repaired already, and by now another issue may stand there.
void IssueView::mouseDoubleClickEvent(QMouseEvent* event) {
  if (indexAt(event->pos()).column() != IssueModel::Repair) QTableView::mouseDoubleClickEvent(event);
}

void IssueView::keyPressEvent(QKeyEvent* event) {
  const bool enters = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
  const QModelIndex at = currentIndex();
  const bool repairs = event->modifiers().testFlag(Qt::ShiftModifier) || at.column() == IssueModel::Repair;
  if (enters && repairs && !repairAt(at).isEmpty()) return Q_EMIT repairRequested(at);
  QTableView::keyPressEvent(event);
}

void IssueView::contextMenuEvent(QContextMenuEvent* event) {
  const bool byKey = event->reason() == QContextMenuEvent::Keyboard;
  const QModelIndex at = byKey ? currentIndex() : indexAt(event->pos());
  if (!at.isValid()) return;
  QMenu menu(this);
  QAction* show = menu.addAction(isOnNetwork(at) ? tr("Show on the network") : tr("Show where it is"));
  show->setEnabled(hasPlace(at));
  show->setShortcut(Qt::Key_Return);
  QAction* repair = nullptr;
  if (const QString verb = repairAt(at); !verb.isEmpty()) {
    repair = menu.addAction(verb);
    repair->setShortcut(QKeyCombination(Qt::ShiftModifier, Qt::Key_Return));
  }
  const QPersistentModelIndex kept = at;
  const QAction* chosen =
      menu.exec(byKey ? viewport()->mapToGlobal(visualRect(at).bottomLeft()) : event->globalPos());
  if (!chosen || !kept.isValid()) return;  // what was found wrong may have changed meanwhile
  chosen == repair ? Q_EMIT repairRequested(kept) : Q_EMIT activated(kept);
}

void IssueView::paintEvent(QPaintEvent* event) {
  QTableView::paintEvent(event);
  if (model() && model()->rowCount() > 0) return;
  QPainter painter(viewport());
  painter.setPen(palette().color(QPalette::PlaceholderText));
  painter.drawText(viewport()->rect().adjusted(12, 8, -12, -8), Qt::AlignLeft | Qt::AlignTop,
                   tr("No issues"));
}

}  // namespace nest
