#include "editors/cuts/cut_canvas.h"

#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <algorithm>
#include <utility>

#include "figures/paint/phrases.h"
#include "plan/plan_edit.h"

namespace nest {

CutCanvas::CutCanvas(CutFigure& figure, Selection& selection, QWidget* parent)
    : FigureCanvas(figure, selection, parent), m_figure(figure), m_context(std::make_shared<PlanContext>()) {
  setAccessibleName(tr("Stage cuts"));
  setAccessibleDescription(
      tr("Page Up and Page Down select a cut, Left and Right move it, R changes the recompute policy, T the "
         "strategy"));
}

void CutCanvas::setPlan(PlanContextPtr context, std::optional<Plan> plan, const Theme& theme) {
  m_context = std::move(context);
  m_plan = plan && hasPlainCuts(*plan) && m_context->problem ? std::move(plan) : std::nullopt;
  m_focus = m_plan && m_plan->stageCount() > 1 ? std::clamp(m_focus, 1, m_plan->stageCount() - 1) : 0;
  m_drag = 0;
  if (m_plan) m_edges = CutFigure::edgesOf(*m_context->problem, *m_plan);
  show(*m_context, theme);
  cost();
}

void CutCanvas::cost() {
  m_evaluation = m_plan ? evaluate(*m_context->problem, *m_plan) : Evaluation{};
  m_figure.setDraft(m_plan
                        ? std::optional(CutFigure::Draft{*m_plan, m_evaluation, m_edges, m_focus, hasFocus(),
                                                         m_context->plan ? m_context->plan->evaluation.stages
                                                                         : std::vector<StageEvaluation>()})
                        : std::nullopt);
  update();
  Q_EMIT planChanged();
}

void CutCanvas::choose(int cut) {
  m_focus = cut;
  m_figure.choose(cut, true);
  update();
  Q_EMIT planChanged();
}

QPointF CutCanvas::cutPosition(int stage) const {
  return m_figure.cutPosition(stage, area(), *m_context) * enlargement();
}

void CutCanvas::moveCut(int stage, int layer) {
  if (!m_plan) return;
  change(withCut(*m_plan, stage, layer), tr("Move the cut before stage %1").arg(stageNumber(stage)), stage);
}

void CutCanvas::change(Plan changed, const QString& verb, int key) {
  if (changed == *m_plan) return;
  const Plan before = std::exchange(*m_plan, std::move(changed));
  cost();
  if (m_drag == 0) Q_EMIT edited(before, verb, key);
}

void CutCanvas::takeDraft(const Plan& plan) {
  if (!m_plan || m_context->problem->graph->layerCount() + 1 != static_cast<int>(m_edges.size())) return;
  m_plan = plan;
  m_focus = plan.stageCount() > 1 ? std::clamp(m_focus, 1, plan.stageCount() - 1) : 0;
  cost();
}

void CutCanvas::cycleRecompute(int stage) {
  if (!m_plan || stage < 0 || stage >= m_plan->stageCount()) return;
  const int next = (static_cast<int>(m_plan->stages[stage].recompute) + 1) % kRecomputeCount;
  change(withRecompute(*m_plan, stage, static_cast<Recompute>(next)),
         tr("Set the recompute policy of stage %1").arg(stageNumber(stage)));
}

void CutCanvas::setStrategy(int stage, const Strategy& strategy) {
  if (!m_plan) return;
  change(withStrategy(*m_plan, stage, strategy), tr("Set the strategy of stage %1").arg(stageNumber(stage)));
}

void CutCanvas::cycleStrategy(int stage) {
  if (!m_plan || stage < 0 || stage >= m_plan->stageCount()) return;
  const auto& all = m_context->problem->profile->strategies();
  const auto now = std::find(all.begin(), all.end(), m_plan->stages[stage].strategy);
  if (now != all.end()) setStrategy(stage, now + 1 == all.end() ? all.front() : *(now + 1));
}

void CutCanvas::addStrategies(QMenu& menu, int stage) {
  if (!m_plan || stage < 0 || stage >= m_plan->stageCount()) return;
  for (const Strategy& s : m_context->problem->profile->strategies()) {
    QAction* a = menu.addAction(phrase(toText(s)), this, [this, stage, s] { setStrategy(stage, s); });
    a->setCheckable(true);
    a->setChecked(s == m_plan->stages[stage].strategy);
  }
}

void CutCanvas::mousePressEvent(QMouseEvent* e) {
  const bool left = e->button() == Qt::LeftButton;
  m_drag = left ? m_figure.cutAt(at(e->position()), area(), *m_context) : 0;
  if (m_drag > 0) {
    m_beforeDrag = m_plan;
    selection().setHovered(std::nullopt);  // while a cut moves every stage is of interest
    return choose(m_drag);
  }
  const auto hit = left ? m_figure.hit(at(e->position()), area(), *m_context) : std::nullopt;
  if (hit && m_figure.isPolicyAt(at(e->position()), area(), *m_context))
    return cycleRecompute(hit->item.index);
  if (hit && m_figure.isStrategyAt(at(e->position()), area(), *m_context)) {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    addStrategies(*menu, hit->item.index);
    return menu->popup(e->globalPosition().toPoint());
  }
  FigureCanvas::mousePressEvent(e);
}

void CutCanvas::mouseMoveEvent(QMouseEvent* e) {
  if (m_drag > 0) return moveCut(m_drag, m_figure.layerAt(at(e->position()).x(), area(), *m_context));
  FigureCanvas::mouseMoveEvent(e);
  const bool cut = m_figure.cutAt(at(e->position()), area(), *m_context) > 0;
  const bool policy = m_figure.isPolicyAt(at(e->position()), area(), *m_context) ||
                      m_figure.isStrategyAt(at(e->position()), area(), *m_context);
  setCursor(cut ? Qt::SizeHorCursor : policy ? Qt::PointingHandCursor : Qt::ArrowCursor);
}

void CutCanvas::mouseReleaseEvent(QMouseEvent* e) {
  if (const int dragged = std::exchange(m_drag, 0); dragged > 0) {
    if (const auto before = std::exchange(m_beforeDrag, std::nullopt);
        before && m_plan && !(*before == *m_plan))
      Q_EMIT edited(*before, tr("Drag the cut before stage %1").arg(stageNumber(dragged)), 0);
    return update();
  }
  FigureCanvas::mouseReleaseEvent(e);
}

void CutCanvas::keyPressEvent(QKeyEvent* e) {
  if (!m_plan || m_focus == 0) return FigureCanvas::keyPressEvent(e);
  const int last = m_plan->stageCount() - 1;
  switch (e->key()) {
    case Qt::Key_Left:
      return moveCut(m_focus, firstLayerOf(*m_plan, m_focus) - 1);
    case Qt::Key_Right:
      return moveCut(m_focus, firstLayerOf(*m_plan, m_focus) + 1);
    case Qt::Key_PageUp:
      return choose(m_focus > 1 ? m_focus - 1 : last);
    case Qt::Key_PageDown:
      return choose(m_focus < last ? m_focus + 1 : 1);
    case Qt::Key_R:
      return cycleRecompute(m_focus);
    case Qt::Key_T:
      return cycleStrategy(m_focus);
    default:
      return FigureCanvas::keyPressEvent(e);
  }
}

void CutCanvas::focusInEvent(QFocusEvent* e) {
  m_figure.choose(m_focus, true);
  FigureCanvas::focusInEvent(e);
}

void CutCanvas::focusOutEvent(QFocusEvent* e) {
  m_figure.choose(m_focus, false);
  FigureCanvas::focusOutEvent(e);
}

}  // namespace nest
