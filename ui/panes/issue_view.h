#pragma once

#include <QTableView>

namespace nest {

/// The table of issues; says so when there are none. Activating a row, or a click on where it is, asks to be
/// shown the place; a click on the repair, or Shift+Enter, asks for the repair.
class IssueView : public QTableView {
  Q_OBJECT
public:
  explicit IssueView(QWidget* parent = nullptr);
  void setModel(QAbstractItemModel*) override;

Q_SIGNALS:
  void repairRequested(const QModelIndex&);

protected:
  void mouseMoveEvent(QMouseEvent*) override;
  void mouseDoubleClickEvent(QMouseEvent*) override;
  void keyPressEvent(QKeyEvent*) override;
  void contextMenuEvent(QContextMenuEvent*) override;
  void paintEvent(QPaintEvent*) override;

private:
  void follow(const QModelIndex&);  ///< a click on what looks like a link
};

}  // namespace nest
