#pragma once

#include <QWidget>
#include <memory>

#include "figures/plan/dp_figure.h"

class QLabel;
class QTableWidget;
class QToolButton;

namespace nest {

class FigurePane;
class StudyWorker;

/// The DP table with what the chosen cell is made of: the recurrence in numbers, and every way to go on from
/// there. Steps fill the table from the last stage. The best whole plans are computed in the background once
/// the pane is shown; where configurations stand in the table's place, the chosen one's candidates are
/// listed.
class DpPane : public QWidget {
  Q_OBJECT
public:
  explicit DpPane(QWidget* parent = nullptr);
  ~DpPane() override;
  void setContext(PlanContextPtr, const Theme&);
  const DpFigure& figure() const { return m_figure; }
  Selection& cell() { return m_cell; }  ///< the cell that is looked at
  /// The stage of the chosen cell; −1: it is none, or a configuration.
  int chosenStage() const;

  /// Fills one more stage (or, with −1, one less); an empty table follows the complete one, and the other way
  /// round.
  void step(int by);
  void fillAll();

protected:
  bool eventFilter(QObject*, QEvent*) override;

private:
  void computeThrough();
  void setFilled(int stages);
  void showChosen();
  void listWays(int stage, int cut);
  void listCandidates(int row, int column);
  void addRow(const QStringList& cells, bool bold);
  QString whyNot(const DpAlternative&, double best) const;

  DpFigure m_figure;
  Selection m_cell;
  FigurePane* m_pane;
  QLabel* m_recurrence;
  QWidget* m_steps;
  QToolButton *m_back, *m_forward, *m_all;
  QTableWidget* m_table;
  PlanContextPtr m_context;
  StudyWorker* m_worker;
};

}  // namespace nest
