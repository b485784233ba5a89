#pragma once

#include <QWidget>
#include <memory>
#include <optional>

#include "document/plan_context.h"
#include "document/selection.h"
#include "theme/theme.h"

namespace nest {

/// The layers as a ribbon whose cuts can be dragged; under it each stage's load and memory, costed on every
/// move.
class CutCanvas : public QWidget {
  Q_OBJECT
public:
  explicit CutCanvas(QWidget* parent = nullptr);

  /// `plan`: to begin from; the context's own is the one to beat.
  void setPlan(PlanContextPtr, std::optional<Plan> plan, const Theme&);
  const std::optional<Plan>& plan() const { return m_plan; }
  const Evaluation& evaluation() const { return m_evaluation; }
  int focusedCut() const { return m_focus; }  ///< the stage that begins there; 0: none
  void moveCut(int stage, int layer);
  void cycleRecompute(int stage);
  QPointF cutPosition(int stage) const;  ///< on the ribbon, widget coordinates

Q_SIGNALS:
  void planChanged();

protected:
  void paintEvent(QPaintEvent*) override;
  void mousePressEvent(QMouseEvent*) override;
  void mouseMoveEvent(QMouseEvent*) override;
  void mouseReleaseEvent(QMouseEvent*) override;
  void keyPressEvent(QKeyEvent*) override;
  bool event(QEvent*) override;

private:
  void measureLayers();
  void cost();
  QRectF ribbon() const;
  QRectF loads() const;
  QRectF memory() const;
  double xOf(int layer) const;
  int layerAt(double x) const;
  int cutAt(const QPointF&) const;
  int stageAt(const QPointF&) const;

  PlanContextPtr m_context;
  std::optional<Plan> m_plan;
  Evaluation m_evaluation;
  std::vector<double> m_edges;  ///< L + 1, 0 … 1: layers by their compute time
  const Theme* m_theme;
  int m_focus = 0, m_drag = 0;
};

}  // namespace nest
