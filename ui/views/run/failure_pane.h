#pragma once

#include <QWidget>
#include <memory>
#include <string>
#include <vector>

#include "document/plan_context.h"
#include "document/selection.h"
#include "figures/study/failure_ranking.h"
#include "theme/theme.h"

class QMenu;

namespace nest {

class BackgroundRun;
class FailureFigure;
class FigurePane;

/// What failures of the plan shown cost, ranked in the background when it is asked for. What was ranked goes
/// with the plan that it was ranked of.
class FailurePane : public QWidget {
  Q_OBJECT
public:
  explicit FailurePane(QWidget* parent = nullptr);
  ~FailurePane() override;

  const FailureFigure& figure() const { return *m_figure; }
  FigurePane* pane() const { return m_pane; }
  const Selection& chosen() const { return m_chosen; }
  void setUnit(const std::string& name);
  void setContext(PlanContextPtr, const Theme&);
  /// What was ranked elsewhere, of the plan that is shown next.
  void show(FailureRanking);

  void rank();
  void rankAtOnce(const Control&);
  bool isBusy() const;
  /// The failure and the answer that are chosen; null: none, or the figure shows a kept ranking.
  const Failure* failure() const;
  const FailureResponse* answer() const;

Q_SIGNALS:
  void menuMade(QMenu*);  ///< for what is chosen
  void ranked();

private:
  void take(std::vector<Failure>);
  void showFigure();

  std::unique_ptr<FailureFigure> m_figure;
  Selection m_chosen;  ///< an answer to a failure
  FigurePane* m_pane;
  BackgroundRun* m_backgroundRun;
  PlanContextPtr m_context;
  const Theme* m_theme;
  std::shared_ptr<const RankedPlan> m_plan;  ///< that was ranked; null: none, or it was kept
  std::vector<Failure> m_failures;           ///< rows of the figure
};

}  // namespace nest
