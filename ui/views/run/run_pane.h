#pragma once

#include <QWidget>
#include <functional>
#include <memory>
#include <string>

#include "document/plan_context.h"
#include "document/selection.h"
#include "solver/control.h"
#include "theme/theme.h"

class QMenu;
class QPushButton;
class QTimer;

namespace nest {

class BackgroundRun;
class FigurePane;
class ListFigure;

/// A part of the run that takes solves: a figure that is computed in the background when its button is
/// pressed, and by itself where that is little work. What was computed goes with its plan.
class RunPane : public QWidget {
  Q_OBJECT
public:
  ~RunPane() override;

  FigurePane* pane() const { return m_pane; }
  const Selection& chosen() const { return m_chosen; }
  void setUnit(const std::string& name);
  void setContext(PlanContextPtr, const Theme&);
  /// Whether it computes by itself what is little work while it is in sight.
  void setStartsItself(bool);

  void compute();
  void computeAtOnce(const Control&);
  bool isBusy() const;
  virtual bool isEmpty() const = 0;  ///< nothing is computed

Q_SIGNALS:
  void menuMade(QMenu*);  ///< for what is chosen
  void tryRequested();    ///< what is chosen, in What-if

protected:
  struct Texts {
    QString button, tip, doing, cancelTip;
  };
  /// Computes for a plan, on any thread; returns what is to be done with the answer on this one. It holds
  /// nothing of the pane but what takes the answer.
  using Answer = std::function<void()>;
  using Solve = std::function<Answer(const PlanContext&, const Control&)>;

  /// `solves`: about how many solves it takes. `tries`: what is chosen can be tried in What-if.
  RunPane(std::unique_ptr<ListFigure>, const Texts&, int solves, bool tries, QWidget* parent);
  /// What is shown next was computed elsewhere.
  void disown() { m_ownsAnswer = false; }
  void setSolve(Solve solve) { m_solve = std::move(solve); }
  virtual void forget() = 0;
  virtual void showFigure();
  virtual bool canTry() const { return false; }  ///< what is chosen
  ListFigure* figure() { return m_figure.get(); }
  void clearChosen() { m_chosen.setSelected(std::nullopt); }
  const PlanContext& context() const { return *m_context; }
  void showEvent(QShowEvent*) override;

private:
  bool isReady() const;
  void startIfLittle();
  void refreshTry();
  void take(const Answer&);

  const std::unique_ptr<ListFigure> m_figure;
  const QString m_doing;
  const int m_solves;
  Selection m_chosen;
  FigurePane* m_pane;
  QPushButton* m_try;  ///< null: nothing can be tried
  BackgroundRun* m_backgroundRun;
  QTimer* m_soon;
  PlanContextPtr m_context;
  const Theme* m_theme;
  Solve m_solve;
  bool m_startsItself = false;
  bool m_ownsAnswer = false;                    ///< what is shown was computed here
  std::shared_ptr<const RankedPlan> m_started;  ///< what it last began by itself for
};

}  // namespace nest
