#include "editors/cuts/cut_canvas.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "figures/axis.h"
#include "figures/ink.h"
#include "figures/phrases.h"
#include "plan/plan_edit.h"
#include "units/text.h"

namespace nest {
namespace {
QString from(const std::string& s) {
  return QString::fromStdString(s);
}
}  // namespace

CutCanvas::CutCanvas(QWidget* parent)
    : QWidget(parent), m_context(std::make_shared<PlanContext>()), m_theme(&Theme::of(Theme::Kind::Light)) {
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setMinimumSize(360, 300);
  setAccessibleName(tr("Stage cuts"));
  setAccessibleDescription(
      tr("Page up and down choose a cut, left and right move it, R changes the recompute policy"));
}

void CutCanvas::setPlan(PlanContextPtr context, std::optional<Plan> plan, const Theme& theme) {
  m_context = std::move(context);
  m_theme = &theme;
  m_plan = plan && hasPlainCuts(*plan) && m_context->problem ? std::move(plan) : std::nullopt;
  m_focus = m_plan && m_plan->stageCount() > 1 ? std::clamp(m_focus, 1, m_plan->stageCount() - 1) : 0;
  m_drag = 0;
  if (m_plan) measureLayers();
  cost();
}

void CutCanvas::measureLayers() {
  const Profile& profile = *m_context->problem->profile;
  const LayerGraph& graph = *m_context->problem->graph;
  const int b = profile.microbatchIndex(m_plan->microbatch);
  m_edges.assign(1, 0);
  for (const StagePlan& s : m_plan->stages) {
    const int k = profile.strategyIndex(s.strategy);
    for (const LayerIndex x : s.layers()) {
      const LayerCost* c = k >= 0 && b >= 0 ? profile.cost(graph.layers[x.at()].classId, k, b) : nullptr;
      m_edges.push_back(m_edges.back() + (c ? (c->forward + c->backward).value() : 0));
    }
  }
  // Even a layer without work keeps a width that can be seen.
  const double least = m_edges.back() * 0.1 / static_cast<double>(m_edges.size());
  for (std::size_t i = 1; i < m_edges.size(); ++i) m_edges[i] += least * static_cast<double>(i);
  const double total = m_edges.back() > 0 ? m_edges.back() : 1;
  for (double& e : m_edges) e /= total;
}

void CutCanvas::cost() {
  m_evaluation = m_plan ? evaluate(*m_context->problem, *m_plan) : Evaluation{};
  update();
  Q_EMIT planChanged();
}

QRectF CutCanvas::ribbon() const {
  return {72, 44, width() - 92.0, 46};
}
QRectF CutCanvas::loads() const {
  return {72, 124, width() - 92.0, std::max(40.0, (height() - 204.0) * 0.5)};
}
QRectF CutCanvas::memory() const {
  return {72, loads().bottom() + 44, width() - 92.0, std::max(30.0, height() - loads().bottom() - 84)};
}
double CutCanvas::xOf(int layer) const {
  return ribbon().left() + m_edges[static_cast<std::size_t>(layer)] * ribbon().width();
}
QPointF CutCanvas::cutPosition(int stage) const {
  return {xOf(firstLayerOf(*m_plan, stage)), ribbon().center().y()};
}

int CutCanvas::layerAt(double x) const {
  const double t = (x - ribbon().left()) / ribbon().width();
  const auto it = std::min_element(m_edges.begin(), m_edges.end(),
                                   [t](double a, double b) { return std::abs(a - t) < std::abs(b - t); });
  return static_cast<int>(it - m_edges.begin());
}

int CutCanvas::cutAt(const QPointF& p) const {
  if (!m_plan || p.y() < ribbon().top() - 14 || p.y() > ribbon().bottom() + 14) return 0;
  int best = 0;
  double nearest = 9;
  for (int i = 1; i < m_plan->stageCount(); ++i)
    if (const double d = std::abs(cutPosition(i).x() - p.x()); d < nearest) nearest = d, best = i;
  return best;
}

int CutCanvas::stageAt(const QPointF& p) const {
  if (!m_plan) return -1;
  const int s = m_plan->stageCount();
  if (p.y() > ribbon().bottom() + 14)
    return p.x() < loads().left() || p.x() > loads().right()
               ? -1
               : std::min(s - 1, static_cast<int>((p.x() - loads().left()) / loads().width() * s));
  for (int i = s - 1; i >= 0; --i)
    if (p.x() >= xOf(firstLayerOf(*m_plan, i))) return i;
  return -1;
}

void CutCanvas::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  FigureStyle style;
  style.theme = m_theme;
  Ink ink(painter, style);
  using enum Theme::Role;
  ink.fill(rect(), ink.color(Canvas));
  if (!m_plan) {
    const bool solved = m_context->shownPlan() != nullptr;
    ink.paragraph(QRectF(rect()).adjusted(30, 30, -30, -30),
                  solved ? tr("The cuts of interleaved plans and of models that branch cannot be dragged.")
                         : tr("Solve a scenario, then drag the cuts between its stages."),
                  Qt::AlignCenter, 14, ink.color(MutedText));
    return;
  }
  const int stages = m_plan->stageCount();
  const QRectF r = ribbon();
  ink.label({r.left(), 8, r.width(), 18}, tr("Layers, as wide as their compute: drag the cuts"),
            Qt::AlignLeft | Qt::AlignVCenter, Ink::kBody, ink.color(Text), true);
  for (int i = 0; i < stages; ++i) {
    const double left = xOf(firstLayerOf(*m_plan, i));
    const double right = i + 1 < stages ? xOf(firstLayerOf(*m_plan, i + 1)) : r.right();
    ink.stageBox({left, r.top(), right - left, r.height()}, i);
    ink.stageChip({(left + right) / 2 - 14, r.center().y() - 10, 28, 20}, i);
  }
  if (r.width() / static_cast<double>(m_edges.size()) > 5)
    for (std::size_t x = 1; x + 1 < m_edges.size(); ++x)
      ink.line({xOf(static_cast<int>(x)), r.bottom() - 6}, {xOf(static_cast<int>(x)), r.bottom()},
               ink.color(Canvas));
  painter.setRenderHint(QPainter::Antialiasing);
  for (int i = 1; i < stages; ++i) {
    const double x = cutPosition(i).x();
    const bool active = i == m_drag || (hasFocus() && i == m_focus);
    ink.line({x, r.top() - 8}, {x, r.bottom() + 8}, ink.color(active ? Accent : Text), active ? 3 : 2);
    painter.setPen(Qt::NoPen);
    painter.setBrush(ink.color(active ? Accent : Text));
    painter.drawEllipse(QPointF(x, r.top() - 8), 5, 5);
  }

  // Loads: one bar per stage on a common scale, the slowest drawn as a line across.
  const QRectF l = loads();
  double most = 0;
  for (const auto& s : m_evaluation.stages) most = std::max(most, s.load.value());
  const Axis axis = Axis::time(most * 1.12, 4);
  paintVerticalAxis(ink, l, axis, tr("Load"));
  const double slot = l.width() / stages, bar = std::min(90.0, slot * 0.6);
  const int slowest = m_evaluation.slowestStage();
  for (int i = 0; i < stages && i < static_cast<int>(m_evaluation.stages.size()); ++i) {
    const auto& s = m_evaluation.stages[static_cast<std::size_t>(i)];
    const double h = axis.largest > 0 ? s.load.value() / axis.largest * l.height() : 0;
    const QRectF b(l.left() + slot * (i + 0.5) - bar / 2, l.bottom() - h, bar, h);
    ink.stageBox(b, i);
    if (i == slowest) ink.outline(b, ink.color(Accent), 2);
    if (slot > 54)
      ink.label({b.center().x() - slot / 2, b.top() - 17, slot, 16}, from(text::time(s.load)),
                Qt::AlignCenter, Ink::kSmall, ink.color(Text), i == slowest);
    const QString policy = QString::fromLatin1(nameOf(m_plan->stages[static_cast<std::size_t>(i)].recompute));
    if (slot > 60)
      ink.label({b.center().x() - slot / 2, l.bottom() + 3, slot, 16}, tr("recompute: %1").arg(policy),
                Qt::AlignCenter, Ink::kSmall, ink.color(MutedText));
  }
  // Memory: used against capacity.
  const QRectF m = memory();
  double capacity = 0;
  for (const auto& s : m_evaluation.stages)
    capacity = std::max({capacity, s.memory.capacity.value(), s.memory.total().value()});
  const Axis gib = Axis::memory(capacity * 1.05, 3);
  paintVerticalAxis(ink, m, gib, tr("Memory of a device"));
  for (int i = 0; i < stages && i < static_cast<int>(m_evaluation.stages.size()); ++i) {
    const auto& use = m_evaluation.stages[static_cast<std::size_t>(i)].memory;
    const double h = use.total().value() / gib.largest * m.height();
    const QRectF b(m.left() + slot * (i + 0.5) - bar / 2, m.bottom() - h, bar, h);
    const bool over = use.headroom().value() < 0;
    ink.stageBox(b, i, true);
    ink.outline(b, ink.color(over ? Error : Border), over ? 2.5 : 1);
    const double line = m.bottom() - use.capacity.value() / gib.largest * m.height();
    ink.line({b.left() - slot * 0.15, line}, {b.right() + slot * 0.15, line}, ink.color(Text), 1.5,
             Qt::DashLine);
    if (over && slot > 70)
      ink.label({b.center().x() - slot / 2, m.bottom() + 3, slot, 16},
                tr("%1 too much").arg(from(text::memory(-use.headroom()))), Qt::AlignCenter, Ink::kSmall,
                ink.color(Error), true);
  }
}

void CutCanvas::moveCut(int stage, int layer) {
  if (!m_plan) return;
  Plan changed = withCut(*m_plan, stage, layer);
  if (changed == *m_plan) return;
  m_plan = std::move(changed);
  cost();
}

void CutCanvas::cycleRecompute(int stage) {
  if (!m_plan || stage < 0 || stage >= m_plan->stageCount()) return;
  const int next =
      (static_cast<int>(m_plan->stages[static_cast<std::size_t>(stage)].recompute) + 1) % kRecomputeCount;
  m_plan = withRecompute(*m_plan, stage, static_cast<Recompute>(next));
  cost();
}

void CutCanvas::mousePressEvent(QMouseEvent* e) {
  if (e->button() != Qt::LeftButton || !m_plan) return;
  m_drag = cutAt(e->position());
  if (m_drag > 0)
    m_focus = m_drag;
  else if (e->position().y() > loads().bottom() && e->position().y() < loads().bottom() + 22)
    cycleRecompute(stageAt(e->position()));
  update();
}

void CutCanvas::mouseMoveEvent(QMouseEvent* e) {
  if (m_drag > 0) return moveCut(m_drag, layerAt(e->position().x()));
  setCursor(cutAt(e->position()) > 0 ? Qt::SizeHorCursor : Qt::ArrowCursor);
}

void CutCanvas::mouseReleaseEvent(QMouseEvent*) {
  m_drag = 0;
  update();
}

void CutCanvas::keyPressEvent(QKeyEvent* e) {
  if (!m_plan || m_focus == 0) return QWidget::keyPressEvent(e);
  const int last = m_plan->stageCount() - 1;
  switch (e->key()) {
    case Qt::Key_Left:
      return moveCut(m_focus, firstLayerOf(*m_plan, m_focus) - 1);
    case Qt::Key_Right:
      return moveCut(m_focus, firstLayerOf(*m_plan, m_focus) + 1);
    case Qt::Key_PageUp:
      m_focus = m_focus > 1 ? m_focus - 1 : last;
      break;
    case Qt::Key_PageDown:
      m_focus = m_focus < last ? m_focus + 1 : 1;
      break;
    case Qt::Key_R:
      return cycleRecompute(m_focus);
    default:
      return QWidget::keyPressEvent(e);
  }
  update();
}

bool CutCanvas::event(QEvent* e) {
  if (e->type() != QEvent::ToolTip) return QWidget::event(e);
  const auto* help = static_cast<QHelpEvent*>(e);
  const int stage = stageAt(help->pos());
  if (!m_plan || stage < 0 || stage >= static_cast<int>(m_evaluation.stages.size())) {
    QToolTip::hideText();
    return true;
  }
  const auto& s = m_evaluation.stages[static_cast<std::size_t>(stage)];
  const auto layers = m_plan->stages[static_cast<std::size_t>(stage)].layers();
  const auto& names = m_context->problem->graph->layers;
  QToolTip::showText(help->globalPos(),
                     tr("<b>Stage %1</b><br>%2 to %3 (%n layers)<br>load %4<br>memory %5 of %6", nullptr,
                        static_cast<int>(layers.size()))
                         .arg(stageNumber(stage))
                         .arg(from(names[layers.front().at()].name), from(names[layers.back().at()].name),
                              from(text::time(s.load)), from(text::memory(s.memory.total())),
                              from(text::memory(s.memory.capacity))),
                     this);
  return true;
}

}  // namespace nest
