#pragma once

#include <memory>

#include "figures/plan/cut_figure.h"
#include "views/figure_canvas.h"

class QMenu;

namespace nest {

/// The canvas of a CutFigure: its cuts can be dragged and moved with keys, and the plan is costed on every
/// move. Page up and down choose a cut, left and right move it, R changes the recompute policy of the stage
/// behind it, T its strategy; Up, Down, Home and End walk the stages.
class CutCanvas : public FigureCanvas {
  Q_OBJECT
public:
  CutCanvas(CutFigure& figure, Selection& selection, QWidget* parent = nullptr);

  /// `plan`: to begin from; the context's own is the one to beat.
  void setPlan(PlanContextPtr, std::optional<Plan> plan, const Theme&);
  const std::optional<Plan>& plan() const { return m_plan; }
  const Evaluation& evaluation() const { return m_evaluation; }
  int focusedCut() const { return m_focus; }  ///< the stage that begins there; 0: none
  void moveCut(int stage, int layer);
  void cycleRecompute(int stage);
  void setStrategy(int stage, const Strategy&);
  void addStrategies(QMenu&, int stage);  ///< all that the profile knows, the present one checked
  QPointF cutPosition(int stage) const;   ///< on the ribbon, widget coordinates

  /// Another draft of the same plan, as undoing brings it back.
  void takeDraft(const Plan&);

Q_SIGNALS:
  void planChanged();
  /// The draft was changed by hand; a drag counts once, when it ends. Changes with one `key` other than 0
  /// that follow each other belong together.
  void edited(const nest::Plan& before, const QString& verb, int key);

protected:
  void mousePressEvent(QMouseEvent*) override;
  void mouseMoveEvent(QMouseEvent*) override;
  void mouseReleaseEvent(QMouseEvent*) override;
  void keyPressEvent(QKeyEvent*) override;
  void focusInEvent(QFocusEvent*) override;
  void focusOutEvent(QFocusEvent*) override;

private:
  void cost();
  void change(Plan, const QString& verb, int key = 0);
  void choose(int cut);
  void cycleStrategy(int stage);

  CutFigure& m_figure;
  PlanContextPtr m_context;
  std::optional<Plan> m_plan;
  std::optional<Plan> m_beforeDrag;
  Evaluation m_evaluation;
  std::vector<double> m_edges;
  int m_focus = 0, m_drag = 0;
};

}  // namespace nest
