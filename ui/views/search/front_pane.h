#pragma once

#include <QWidget>
#include <memory>
#include <vector>

#include "document/plan_context.h"
#include "document/selection.h"
#include "theme/theme.h"

class QLabel;
class QMenu;
class QPushButton;

namespace nest {

class BackgroundRun;
class FigurePane;
class FrontFigure;

/// The Pareto front of the outcome shown, how far it can be relied on, and the search for the whole of it: a
/// solve in the background that takes longer than the one behind the plan.
class FrontPane : public QWidget {
  Q_OBJECT
public:
  explicit FrontPane(QWidget* parent = nullptr);
  ~FrontPane() override;

  const FrontFigure& figure() const { return *m_figure; }
  const Selection& chosen() const { return m_chosen; }
  /// Ends the search for another context's front.
  void setContext(PlanContextPtr, const Theme&);

Q_SIGNALS:
  /// The context's outcome with the wider front in it; comes once nothing runs any more.
  void found(PlanContextPtr);
  void menuMade(QMenu*, const nest::RankedPlan&);  ///< of the chosen plan

protected:
  void resizeEvent(QResizeEvent*) override;

private:
  void search();
  void offer();
  void recall();
  void keep(const PlanContext& wider);
  void tell();
  bool canBeWider() const;

  std::unique_ptr<FrontFigure> m_figure;
  Selection m_chosen;  ///< a plan of the front
  FigurePane* m_pane;
  QLabel* m_reach;
  QPushButton* m_find;
  BackgroundRun* m_backgroundRun;
  bool m_isLow = false;
  PlanContextPtr m_context;
  PlanContextPtr m_wider;  ///< found, and not yet told
  /// A wider front, and of which scenario: what else was found of it is let go of.
  struct Known {
    std::shared_ptr<const Scenario> scenario;
    std::vector<RankedPlan> front;
    FrontReach reach = FrontReach::Encountered;
  };
  std::vector<Known> m_known;  ///< the latest last
};

/// "The complete front: …", for a person.
QString reachInWords(const Outcome&);

}  // namespace nest
