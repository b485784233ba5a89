#pragma once

#include <QWidget>
#include <memory>

#include "figures/plan/dp_figure.h"

class QTableWidget;

namespace nest {

class FigurePane;

/// The heatmap with the alternatives of the chosen cell beside it.
class DpPane : public QWidget {
  Q_OBJECT
public:
  explicit DpPane(QWidget* parent = nullptr);
  ~DpPane() override;
  void setContext(PlanContextPtr, const Theme&);
  const DpFigure& figure() const { return m_figure; }
  Selection& cell() { return m_cell; }  ///< the cell that is looked at

private:
  void showAlternatives(int stage, int cut);

  DpFigure m_figure;
  Selection m_cell;
  FigurePane* m_pane;
  QTableWidget* m_table;
  std::shared_ptr<const DpProbe> m_probe;
  PlanContextPtr m_context;
};

}  // namespace nest
