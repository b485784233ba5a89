#pragma once

#include <QWidget>
#include <vector>

#include "editors/bound_line.h"

class QGridLayout;
class QLabel;
class QPushButton;

namespace nest {

/// The network levels of a cluster as rows: name, fanout, bandwidth, latency; levels can be added and
/// removed. An imported network has no such rows: a line says what it is.
class LevelsEditor : public QWidget {
  Q_OBJECT
public:
  explicit LevelsEditor(ScenarioDocument&, QWidget* parent = nullptr);

Q_SIGNALS:
  void networkRequested();  ///< of a drawn or imported network: show it where it is edited

private:
  void rebuild();
  void refreshTotal();
  void addRow(int level);
  void showProblem();
  void showCounts();  ///< what each level counts as, where that is not what is typed
  BoundLine* cell(int row, int column, LineSpec);

  ScenarioDocument& m_document;
  QGridLayout* m_grid;
  QLabel* m_total;
  QLabel* m_problem;
  QPushButton* m_add;
  QWidget* m_rows = nullptr;
  std::vector<BoundLine*> m_lines;
  BoundLine* m_text;              ///< all levels in one line
  std::vector<QLabel*> m_counts;  ///< below each level
  int m_shown = -2;               ///< levels shown; −1: an imported network
};

}  // namespace nest
