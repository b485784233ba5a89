#pragma once

#include <vector>

#include "figures/plan/placement_figure.h"
#include "views/view.h"

class QLabel;
class QLineEdit;
class QTableView;

namespace nest {

class PlacementModel;

/// Every device with its host, stage and replica; sort by any column, find, copy or save as CSV.
class PlacementView : public View {
  Q_OBJECT
public:
  explicit PlacementView(ViewServices, QWidget* parent = nullptr);

  QString id() const override { return QStringLiteral("placement"); }
  QString title() const override { return tr("Placement"); }
  const Figure* figure() const override { return &m_figure; }  ///< host by host, alike ones together
  PlacementModel* model() const { return m_model; }
  QTableView* tableView() const { return m_table; }
  bool isOfOnePlan() const override { return true; }

public Q_SLOTS:
  void findNext();
  void copyRows();  ///< the selected rows, or all, as CSV
  void saveCsv();

protected:
  void refresh() override;
  void resizeEvent(QResizeEvent*) override;
  void searchChanged() override;
  bool eventFilter(QObject*, QEvent*) override;

private:
  void findFrom(int row);  ///< selects the first row from there that matches what is typed
  void spreadColumns();
  void exportFigure();
  void followSelection();
  void tellSelection();

  PlacementFigure m_figure;
  PlacementModel* m_model;
  QTableView* m_table;
  QLineEdit* m_find;
  QLabel* m_message;
  QString m_said;             ///< of the plan and the search, in m_message
  std::vector<int> m_widths;  ///< pixels that the columns need
  bool m_following = false;
};

}  // namespace nest
