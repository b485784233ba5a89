#include "figures/plan/cut_figure.h"

#include <algorithm>
#include <cmath>

#include "figures/paint/axis.h"
#include "figures/paint/figure_painter.h"
#include "figures/paint/frame.h"
#include "figures/paint/phrases.h"
#include "figures/paint/ticks.h"
#include "figures/plan/focus.h"
#include "figures/plan/memory_layout.h"
#include "plan/plan_edit.h"
#include "units/at.h"
#include "words/metric_words.h"

namespace nest {

using Role = Theme::Role;

namespace {
constexpr double kCutLine = 17;     ///< of what stands below the loads: recompute policy, strategy
constexpr double kBelowLoads = 60;  ///< with the title of what follows
}  // namespace

void CutFigure::choose(int cut, bool shown) {
  if (m_draft) m_draft->chosenCut = cut, m_draft->showsChoice = shown;
}

std::vector<double> CutFigure::edgesOf(const Problem& problem, const Plan& plan) {
  const Profile& profile = *problem.profile;
  const int b = profile.microbatchIndex(plan.microbatch);
  std::vector<double> edges(1, 0);
  for (const StagePlan& s : plan.stages) {
    const int k = profile.strategyIndex(s.strategy);
    for (const LayerIndex x : s.layers()) {
      const LayerCost* c =
          k >= 0 && b >= 0 ? profile.cost(problem.graph->layers[x.at()].classId, k, b) : nullptr;
      edges.push_back(edges.back() + (c ? (c->forward + c->backward).value() : 0));
    }
  }
  // Even a layer without work keeps a width that can be seen.
  const double least = std::max(edges.back(), 1e-12) * 0.1 / static_cast<double>(edges.size());
  for (std::size_t i = 1; i < edges.size(); ++i) edges[i] += least * static_cast<double>(i);
  const double total = edges.back();
  for (double& e : edges) e /= total;
  return edges;
}

CutFigure::Parts CutFigure::partsOf(const QRectF& area, const PlanContext& c, bool standalone) const {
  const QRectF body = bodyOf(area, c, standalone);
  Parts p;
  p.ribbon = QRectF(body.left() + 58, body.top() + 10, body.width() - 64,
                    std::clamp(body.height() * 0.12, 18.0, 46.0));
  const double rest = body.bottom() - p.ribbon.bottom() - 34 - kBelowLoads - 20;
  // In a small window the loads have the room to themselves.
  const bool both = rest > 130;
  p.loads = QRectF(p.ribbon.left(), p.ribbon.bottom() + 34, p.ribbon.width(),
                   both ? rest * 0.55 : std::max(20.0, rest + kBelowLoads - 2 * kCutLine));
  if (both) p.memory = QRectF(p.ribbon.left(), p.loads.bottom() + kBelowLoads, p.ribbon.width(), rest * 0.45);
  return p;
}

double CutFigure::xOf(int layer, const QRectF& ribbon) const {
  return ribbon.left() + m_draft->edges[layer] * ribbon.width();
}

QPointF CutFigure::cutPosition(int stage, const QRectF& area, const PlanContext& c) const {
  const QRectF ribbon = partsOf(area, c, false).ribbon;
  return {xOf(firstLayerOf(m_draft->plan, stage), ribbon), ribbon.center().y()};
}

int CutFigure::layerAt(double x, const QRectF& area, const PlanContext& c) const {
  const QRectF ribbon = partsOf(area, c, false).ribbon;
  const double t = (x - ribbon.left()) / ribbon.width();
  const auto& edges = m_draft->edges;
  const auto it = std::min_element(edges.begin(), edges.end(),
                                   [t](double a, double b) { return std::abs(a - t) < std::abs(b - t); });
  return static_cast<int>(it - edges.begin());
}

int CutFigure::cutAt(const QPointF& p, const QRectF& area, const PlanContext& c) const {
  if (!m_draft) return 0;
  const QRectF r = partsOf(area, c, false).ribbon;
  if (p.y() < r.top() - 14 || p.y() > r.bottom() + 14) return 0;
  int best = 0;
  double nearest = 9;
  for (int i = 1; i < m_draft->plan.stageCount(); ++i)
    if (const double d = std::abs(xOf(firstLayerOf(m_draft->plan, i), r) - p.x()); d < nearest)
      nearest = d, best = i;
  return best;
}

bool CutFigure::isPolicyAt(const QPointF& p, const QRectF& area, const PlanContext& c) const {
  const QRectF l = partsOf(area, c, false).loads;
  return m_draft && p.y() > l.bottom() && p.y() < l.bottom() + 2 + kCutLine;
}

bool CutFigure::isStrategyAt(const QPointF& p, const QRectF& area, const PlanContext& c) const {
  const QRectF l = partsOf(area, c, false).loads;
  return m_draft && p.y() >= l.bottom() + 2 + kCutLine && p.y() < l.bottom() + 2 + 2 * kCutLine;
}

bool CutFigure::isPinned(int stage, const PlanContext& c) const {
  if (!m_draft || !c.problem) return false;
  const auto& pins = c.problem->constraints.layerPins;
  const int layer = firstLayerOf(m_draft->plan, stage);
  const auto has = [&](int x, int i) {
    return std::find(pins.begin(), pins.end(), Constraints::LayerPin{LayerIndex(x), StageIndex(i)}) !=
           pins.end();
  };
  return has(layer - 1, stage - 1) && has(layer, stage);
}

int CutFigure::stageAt(const QPointF& p, const Parts& parts) const {
  if (!m_draft) return -1;
  const int s = m_draft->plan.stageCount();
  const QRectF& l = parts.loads;
  if (p.x() < l.left() || p.x() > l.right() || p.y() < parts.ribbon.top() - 14) return -1;
  if (p.y() > parts.ribbon.bottom() + 14)
    return std::min(s - 1, static_cast<int>((p.x() - l.left()) / l.width() * s));
  for (int i = s - 1; i >= 0; --i)
    if (p.x() >= xOf(firstLayerOf(m_draft->plan, i), parts.ribbon)) return i;
  return -1;
}

std::optional<FigureState> CutFigure::state(const PlanContext& c, bool) const {
  if (auto none = stateOf(c, tr("the cuts"))) return none;
  if (m_draft) return std::nullopt;
  return FigureState{
      tr("These cuts cannot be dragged"),
      tr("Plans of several chunks a stage and models with branches are cut by the search only.")};
}

void CutFigure::draw(FigurePainter& ink, const QRectF& area, const PlanContext& c) const {
  const FigureStyle& style = ink.style();
  paintFrame(ink, area, c, title(),
             style.standalone || m_isBare
                 ? tr("%1 per step · %2")
                       .arg(timeText(m_draft->evaluation.batchTime), phrase(summaryOf(m_draft->plan)))
                 : tr("Layers, width = compute time. Drag the cuts; dashed: the best plan"));
  const Parts parts = partsOf(area, c, style.standalone);
  paintRibbon(ink, parts.ribbon, c);
  paintLoads(ink, parts.loads, c);
  if (parts.memory.isEmpty())
    ink.leaveOut();
  else
    paintMemory(ink, parts.memory, c);
}

void CutFigure::paintRibbon(FigurePainter& ink, const QRectF& r, const PlanContext& c) const {
  const Plan& plan = m_draft->plan;
  const Focus focus(c, ink.style());
  const int stages = plan.stageCount();
  for (int i = 0; i < stages; ++i) {
    const double left = xOf(firstLayerOf(plan, i), r);
    const double right = i + 1 < stages ? xOf(firstLayerOf(plan, i + 1), r) : r.right();
    const QRectF box(left, r.top(), right - left, r.height());
    ink.stageBox(box, i, focus.dims(i));
    if (box.width() >= 22)
      ink.stageChip({(left + right) / 2 - std::min(14.0, box.width() / 2 - 2), r.center().y() - 9,
                     std::min(28.0, box.width() - 4), 18},
                    i, FigurePainter::kSmall, focus.dims(i));
    if (focus.selects(i)) ink.outline(box, ink.color(Role::Selection), 2);
  }
  const auto layers = static_cast<int>(m_draft->edges.size()) - 1;
  if (r.width() / layers > 5)
    for (int x = 1; x < layers; ++x) {
      const double at = xOf(x, r);
      ink.line({at, r.bottom() - 6}, {at, r.bottom()}, ink.color(Role::Canvas));
    }
  QPainter& p = ink.painter();
  p.setRenderHint(QPainter::Antialiasing);
  for (int i = 1; i < stages; ++i) {
    const double x = xOf(firstLayerOf(plan, i), r);
    const bool lit = m_draft->showsChoice && i == m_draft->chosenCut && !ink.style().standalone;
    const QColor colour = ink.color(lit ? Role::Accent : Role::Text);
    ink.line({x, r.top() - 6}, {x, r.bottom() + 6}, colour, lit ? 3 : 2);
    p.setPen(Qt::NoPen);
    p.setBrush(colour);
    const QPointF head(x, r.top() - 6);
    if (isPinned(i, c))  // square and larger: it does not run away
      p.drawRect(QRectF(head - QPointF(5.5, 6), QSizeF(11, 11)));
    else
      p.drawEllipse(head, 4.5, 4.5);
  }
}

double CutFigure::loadAxis() const {
  double best = 0;
  for (const StageEvaluation& s : m_draft->best) best = std::max(best, s.load.value());
  const double room = std::max(best * 1.6, 1e-9), shown = m_draft->evaluation.maxLoad.value() * 1.14;
  return shown <= room ? room : roundBound(shown);
}

void CutFigure::paintLoads(FigurePainter& ink, const QRectF& l, const PlanContext& c) const {
  const Evaluation& e = m_draft->evaluation;
  const Focus focus(c, ink.style());
  const auto stages = static_cast<int>(e.stages.size());
  const Axis axis = Axis::time(loadAxis(), l.height() > 90 ? 4 : 2);
  paintVerticalAxis(ink, l, axis, tr("Time per microbatch"));
  const double slot = l.width() / std::max(1, stages), bar = std::min(90.0, slot * 0.6);
  const int slowest = e.slowestStage();
  for (int i = 0; i < stages; ++i) {
    const auto& s = e.stages[i];
    const double h = s.load.value() / axis.largest * l.height();
    const QRectF b(l.left() + slot * (i + 0.5) - bar / 2, l.bottom() - h, bar, h);
    ink.stageBox(b, i, focus.dims(i));
    double top = b.top();
    if (m_draft->best.size() == e.stages.size()) {  // what the best plan has there
      const double was = m_draft->best[i].load.value() / axis.largest * l.height();
      if (std::abs(was - h) > 1) {
        const QRectF ghost(b.left() - 4, l.bottom() - was, b.width() + 8, was);
        if (ghost.top() > top - 18 && ghost.top() < top) top = ghost.top();  // no line through the number
        ink.line(ghost.topLeft(), ghost.topRight(), ink.color(Role::Text), 1.6, Qt::DashLine);
        ink.line(ghost.topLeft(), ghost.bottomLeft(), ink.color(Role::MutedText), 1, Qt::DotLine);
        ink.line(ghost.topRight(), ghost.bottomRight(), ink.color(Role::MutedText), 1, Qt::DotLine);
      }
    }
    if (i == slowest) ink.outline(b, ink.color(Role::Accent), 2);
    if (focus.selects(i)) ink.outline(b.adjusted(-3, -3, 3, 3), ink.color(Role::Selection), 1.6);
    const QRectF room(b.center().x() - slot / 2 + 2, 0, slot - 4, 16);
    ink.firstThatFits(room.translated(0, top - 17), {timeText(s.load)}, Qt::AlignCenter,
                      FigurePainter::kSmall, ink.color(Role::Text), i == slowest);
    const QString policy = QString::fromLatin1(nameOf(m_draft->plan.stages[i].recompute));
    ink.firstThatFits(room.translated(0, l.bottom() + 3), {tr("recompute: %1").arg(policy), policy},
                      Qt::AlignCenter, FigurePainter::kSmall, ink.color(Role::MutedText));
    const QString split = phrase(toText(m_draft->plan.stages[i].strategy));
    ink.firstThatFits(room.translated(0, l.bottom() + 3 + kCutLine), {tr("strategy: %1").arg(split), split},
                      Qt::AlignCenter, FigurePainter::kSmall, ink.color(Role::MutedText));
  }
}

void CutFigure::paintMemory(FigurePainter& ink, const QRectF& m, const PlanContext& c) const {
  const Evaluation& e = m_draft->evaluation;
  const Focus focus(c, ink.style());
  const auto stages = static_cast<int>(e.stages.size());
  double most = 0;
  for (const auto& s : e.stages) most = std::max({most, s.memory.capacity.value(), s.memory.total().value()});
  const Axis axis = Axis::memory(std::max(most * 1.05, 1.0), m.height() > 70 ? 3 : 2);
  paintVerticalAxis(ink, m, axis, tr("Memory of a device at its peak"));
  const double slot = m.width() / std::max(1, stages), bar = std::min(90.0, slot * 0.6);
  for (int i = 0; i < stages; ++i) {
    const auto& use = e.stages[i].memory;
    const double h = use.total().value() / axis.largest * m.height();
    const QRectF b(m.left() + slot * (i + 0.5) - bar / 2, m.bottom() - h, bar, h);
    const bool over = use.headroom().value() < 0;
    ink.stageBox(b, i, focus.dims(i));
    paintHeadroom(ink, b, use, use[MemoryPart::Headroom]);
    ink.outline(b, ink.color(over ? Role::Error : Role::Border), over ? 2.5 : 1);
    const double line = m.bottom() - use.capacity.value() / axis.largest * m.height();
    ink.line({b.center().x() - slot / 2, line}, {b.center().x() + slot / 2, line}, ink.color(Role::Text), 1.5,
             Qt::DashLine);
  }
  // All stages say equally much, and none goes without its unit.
  const auto said = [&](int i, bool brief) {
    const Bytes left = e.stages[at(i)].memory.headroom();
    const bool over = left.value() < 0;
    if (brief) return (over ? QStringLiteral("−") : QString()) + memoryText(over ? -left : left);
    return over ? tr("%1 too much").arg(memoryText(-left)) : tr("%1 free").arg(memoryText(left));
  };
  bool brief = false, fits = true;
  const auto room = [&](int i) { return QRectF(m.left() + slot * i + 2, m.bottom() + 3, slot - 4, 16); };
  for (int i = 0; i < stages; ++i) {
    const bool over = e.stages[at(i)].memory.headroom().value() < 0;
    brief = brief || FigurePainter::width(said(i, false), FigurePainter::kSmall, over) > slot - 4;
    fits = fits && FigurePainter::width(said(i, true), FigurePainter::kSmall, over) <= slot - 4;
  }
  for (int i = 0; i < stages && (fits || !brief); ++i) {
    const bool over = e.stages[at(i)].memory.headroom().value() < 0;
    ink.firstThatFits(room(i), {said(i, brief)}, Qt::AlignCenter, FigurePainter::kSmall,
                      ink.color(over ? Role::Error : Role::MutedText), over);
  }
  if (brief && fits)
    ink.label({m.left() - 56, m.bottom() + 3, 50, 16}, tr("free"), Qt::AlignRight | Qt::AlignVCenter,
              FigurePainter::kSmall, ink.color(Role::MutedText));
  if (stages > 0) {
    const Bytes capacity = e.stages.front().memory.capacity;
    const double y = m.bottom() - capacity.value() / axis.largest * m.height();
    const Bytes kept = e.stages.front().memory[MemoryPart::Headroom];
    ink.label({m.right() - 260, y + 1, 258, 15},
              (kept > Bytes(0) ? tr("capacity %1 · pale: headroom").arg(memoryText(capacity))
                               : tr("capacity %1").arg(memoryText(capacity))),
              Qt::AlignRight | Qt::AlignVCenter, FigurePainter::kSmall, ink.color(Role::MutedText));
  }
}

Figure::Hit CutFigure::hitOf(int stage, const Parts& parts, const PlanContext& c) const {
  const auto& s = m_draft->evaluation.stages[stage];
  const auto& plan = m_draft->plan;
  const auto layers = plan.stages[stage].layers();
  Tip tip(tr("Stage %1").arg(stageNumber(stage)));
  tip.row(tr("Layers"), layerSpan(*c.problem->graph, layers));
  tip.row(tr("Time per microbatch"), exactTime(s.load));
  tip.row(tr("Memory"), exactMemory(s.memory.predicted()));
  if (const Bytes kept = s.memory[MemoryPart::Headroom]; kept > Bytes(0))
    tip.row(tr("Headroom"), exactMemory(kept));
  tip.row(tr("Free"), exactMemory(s.memory.headroom()));
  const double left = xOf(firstLayerOf(plan, stage), parts.ribbon);
  const double right =
      stage + 1 < plan.stageCount() ? xOf(firstLayerOf(plan, stage + 1), parts.ribbon) : parts.ribbon.right();
  return {{ItemKind::Stage, stage},
          QRectF(left, parts.ribbon.top(), right - left, parts.ribbon.height()),
          tip.html()};
}

std::optional<Figure::Hit> CutFigure::itemAt(const QPointF& at, const QRectF& area,
                                             const PlanContext& c) const {
  const Parts parts = partsOf(area, c, false);
  const int stage = stageAt(at, parts);
  if (stage < 0 || static_cast<std::size_t>(stage) >= m_draft->evaluation.stages.size()) return std::nullopt;
  return hitOf(stage, parts, c);
}

std::optional<Figure::Hit> CutFigure::placeOf(const SelectionItem& item, const QRectF& area,
                                              const PlanContext& c) const {
  const auto stage = stageOf(item, c);
  if (!stage || static_cast<std::size_t>(*stage) >= m_draft->evaluation.stages.size()) return std::nullopt;
  return hitOf(*stage, partsOf(area, c, false), c);
}

std::optional<SelectionItem> CutFigure::stepFrom(const std::optional<SelectionItem>& from, Step step,
                                                 const PlanContext& c) const {
  const int last = m_draft->plan.stageCount() - 1;
  const auto at = from ? stageOf(*from, c) : std::nullopt;
  if (!at || step == Step::First) return SelectionItem{ItemKind::Stage, 0};
  if (step == Step::Last) return SelectionItem{ItemKind::Stage, last};
  const int by = step == Step::Right || step == Step::Down ? 1 : -1;
  return SelectionItem{ItemKind::Stage, std::clamp(*at + by, 0, last)};
}

QString CutFigure::sentenceOf(const SelectionItem& item, const PlanContext& c) const {
  const auto stage = stageOf(item, c);
  if (!stage || static_cast<std::size_t>(*stage) >= m_draft->evaluation.stages.size()) return {};
  const auto& s = m_draft->evaluation.stages[*stage];
  return tr("Stage %1: %2, %3 per microbatch, memory %4, recompute %5, strategy %6")
      .arg(stageNumber(*stage), layerSpan(*c.problem->graph, m_draft->plan.stages[*stage].layers()),
           timeText(s.load), phrase(words::memory(s.memory)),
           QString::fromLatin1(nameOf(m_draft->plan.stages[*stage].recompute)),
           phrase(toText(m_draft->plan.stages[*stage].strategy)));
}

QString CutFigure::words(const PlanContext& c) const {
  QString out = title() + u'\n';
  out += tr("%1 per step").arg(timeText(m_draft->evaluation.batchTime)) + u'\n';
  for (int i = 0; i < m_draft->plan.stageCount(); ++i) out += describe({ItemKind::Stage, i}, c) + u'\n';
  return out;
}

}  // namespace nest
