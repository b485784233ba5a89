#pragma once

#include <QTimer>

#include "views/view.h"

class QLabel;
class QMenu;
class QPushButton;

namespace nest {

class CutCanvas;
class CutFigure;
class FigurePane;

/// Cut the pipeline by hand: the cost follows each move, scored against the optimum, with what limits it;
/// cuts that are good can be pinned and the rest solved again.
class CutView : public View {
  Q_OBJECT
public:
  explicit CutView(ViewServices services, QWidget* parent = nullptr);
  ~CutView() override;

  QString id() const override { return QStringLiteral("cuts"); }
  QString title() const override { return tr("Cuts"); }
  const Figure* figure() const override;
  PlanContextPtr shownContext() const override;
  /// With the plan to beat as its own: what is drawn by hand is a draft beside it.
  PlanContextPtr drawnContext() const override { return m_drawnFor ? m_drawnFor : contextPtr(); }
  QStringList slideText(const QString& sentence) const override;
  QString whyNotKept() const override;
  CutCanvas& canvas() const { return *m_canvas; }
  QString verdict() const;
  void showBare() override;

  void cutEvenly();
  void showOptimum();
  void keepPlan();           ///< as drawn, to compare it and to show it
  void useCuts();            ///< pins every cut as drawn, and solves the rest
  void pinCut();             ///< or lets it go, if it is pinned
  void pinStage(int stage);  ///< its recompute policy and strategy
  void clearPins();

Q_SIGNALS:
  /// What is drawn differs from the best plan and is in sight; null: no longer.
  void handPlanChanged(const nest::PlanContextPtr&);

protected:
  void refresh() override;
  void sightChanged() override;

private:
  void showVerdict();
  void addToMenu(QMenu*);
  class DraftStep;
  void change(const Plan& to, const QString& verb);
  void addStep(const Plan& before, const QString& verb, int key);
  void tellHandPlan();
  /// What the draft takes and what limits it, in rich text. `who`: what it is called.
  QStringList verdictLines(const QString& who, const QString& whoNot) const;
  QString regretText() const;
  QString pinsText() const;  ///< what the pins cost, as far as it is known

  std::unique_ptr<CutFigure> m_figure;
  CutCanvas* m_canvas;
  FigurePane* m_pane;
  QLabel* m_verdict;
  QPushButton *m_even, *m_optimum, *m_keep, *m_use, *m_pin, *m_clear;
  QTimer m_tellSoon;
  PlanContextPtr m_drawnFor;                 ///< that the draft is of, with the plan that it began with
  PlanContextPtr m_shownFor;                 ///< the context that it was made of
  PlanContextPtr m_told;                     ///< by handPlanChanged
  std::shared_ptr<const RankedPlan> m_from;  ///< that the draft began with
  PlanContextPtr m_free;                     ///< the last best plan without pins
};

}  // namespace nest
