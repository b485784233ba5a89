#pragma once

#include <QWidget>
#include <memory>
#include <optional>

#include "document/plan_context.h"
#include "figures/paint/table_figure.h"

class QLabel;
class QMenu;
class QPushButton;
class QTableWidget;

namespace nest {

/// The best plans that were found, fastest first, each with its time and what it takes more than the first.
class PlansPane : public QWidget {
  Q_OBJECT
public:
  explicit PlansPane(QWidget* parent = nullptr);

  void setContext(PlanContextPtr);
  const Figure& figure() const { return *m_figure; }

Q_SIGNALS:
  /// The context with this plan as the one shown.
  void keepRequested(const nest::PlanContext&, const QString& name);
  void menuMade(QMenu*, const nest::RankedPlan&);  ///< of a row

private:
  std::optional<Plan> chosenPlan() const;
  void choose(const std::optional<Plan>&);
  void keep();

  PlanContextPtr m_context;
  QTableWidget* m_table;
  QLabel* m_reach;
  QPushButton* m_keep;
  std::unique_ptr<TableFigure> m_figure;
};

}  // namespace nest
