#include "panes/issue_view.h"

#include <QHeaderView>
#include <QPainter>

namespace nest {

IssueView::IssueView(QWidget* parent) : QTableView(parent) {
  setAccessibleName(tr("Issues"));
  setSelectionBehavior(QAbstractItemView::SelectRows);
  setSelectionMode(QAbstractItemView::SingleSelection);
  setShowGrid(false);
  setTabKeyNavigation(false);
  verticalHeader()->hide();
  verticalHeader()->setDefaultSectionSize(24);
  horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
}

void IssueView::setModel(QAbstractItemModel* next) {
  QTableView::setModel(next);
  const auto refresh = [this] { horizontalHeader()->setVisible(model()->rowCount() > 0); };
  connect(next, &QAbstractItemModel::modelReset, this, refresh);
  refresh();
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
