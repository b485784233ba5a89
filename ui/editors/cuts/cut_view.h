#pragma once

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
  CutCanvas& canvas() const { return *m_canvas; }
  QString verdict() const;

  void cutEvenly();
  void showOptimum();
  void pinCut();             ///< or lets it go, if it is pinned
  void pinStage(int stage);  ///< its recompute policy and strategy
  void clearPins();

protected:
  void refresh() override;

private:
  void showVerdict();
  void addToMenu(QMenu*);
  QString regretText() const;
  QString pinsText() const;  ///< what the pins cost, as far as it is known

  std::unique_ptr<CutFigure> m_figure;
  CutCanvas* m_canvas;
  FigurePane* m_pane;
  QLabel* m_verdict;
  QPushButton *m_even, *m_optimum, *m_pin, *m_clear;
  std::shared_ptr<const RankedPlan> m_from;  ///< that the draft began with
  PlanContextPtr m_free;                     ///< the last best plan without pins
};

}  // namespace nest
