#pragma once

#include <QTableView>

namespace nest {

/// The table of issues; says so when there are none.
class IssueView : public QTableView {
  Q_OBJECT
public:
  explicit IssueView(QWidget* parent = nullptr);
  void setModel(QAbstractItemModel*) override;

protected:
  void paintEvent(QPaintEvent*) override;
};

}  // namespace nest
