#include "figures/plan/stages_figure.h"

#include <algorithm>

#include "figures/paint/edge.h"
#include "figures/paint/frame.h"
#include "figures/paint/phrases.h"
#include "figures/paint/ticks.h"
#include "figures/plan/focus.h"
#include "figures/plan/kinds.h"
#include "figures/plan/stages_layout.h"
#include "words/metric_words.h"

namespace nest {
namespace {

using Role = Theme::Role;

/// Loads that differ by rounding alone are equal.
bool isAsSlow(const StageEvaluation& a, const StageEvaluation& slowest) {
  constexpr double kRounding = 1e-9;
  return a.load >= slowest.load * (1 - kRounding);
}

/// "Stage 2 is slowest", "Stages 2–15 are slowest".
QString slowestText(const Evaluation& e, int slow) {
  int equals = 0, run = 0;
  for (std::size_t i = 0; i < e.stages.size(); ++i) equals += isAsSlow(e.stages[i], e.stages[slow]);
  for (std::size_t i = slow; i < e.stages.size() && isAsSlow(e.stages[i], e.stages[slow]); ++i) ++run;
  if (equals == 1) return QStringLiteral("Stage %1 is slowest").arg(stageNumber(slow));
  if (equals > run)
    return QStringLiteral("Stage %1 and %2 are slowest")
        .arg(stageNumber(slow), plural(equals - 1, QStringLiteral("other")));
  return (run == 2 ? QStringLiteral("Stages %1 and %2 are slowest")
                   : QStringLiteral("Stages %1–%2 are slowest"))
      .arg(stageNumber(slow), stageNumber(slow + run - 1));
}

QString stageSentence(const PlanContext& c) {
  const Evaluation& e = *c.shownEvaluation();
  const int slow = e.slowestStage();
  if (slow < 0 || e.stages.empty()) return {};
  const auto& s = e.stages[slow];
  const double mean = e.sumLoad.value() / static_cast<double>(e.stages.size());
  const QString shares = sharesText(s);
  if (e.stages.size() == 1)
    return e.microbatchCount == 1
               ? QStringLiteral("One stage, one microbatch of %1; %2").arg(timeText(s.load), shares)
               : QStringLiteral("One stage, %1 per microbatch, %2 microbatches; %3")
                     .arg(timeText(s.load), countText(e.microbatchCount), shares);
  const double above = mean > 0 ? s.load.value() / mean - 1 : 0;
  if (above < 0.0005)
    return QStringLiteral("All stages take %1 per microbatch; %2").arg(timeText(s.load), shares);
  return QStringLiteral("%1: %2 per microbatch, %3 above the mean; %4")
      .arg(slowestText(e, slow), timeText(s.load), phrase(text::percent(above)), shares);
}

/// Painting in one place: every part knows the layout, the plan and what stands out.
class StagesPainter {
public:
  StagesPainter(FigurePainter& ink, const StagesLayout& layout, const PlanContext& c, bool shares)
      : m_ink(ink),
        m(layout),
        m_context(c),
        m_plan(*c.shownPlan()),
        m_eval(*c.shownEvaluation()),
        m_focus(c, ink.style()),
        m_shares(shares) {}

  void paint() {
    joints();
    ribbon();
    paintVerticalAxis(
        m_ink, m.plot, m.axis,
        m_shares ? QStringLiteral("Share of a microbatch's time") : QStringLiteral("Time per microbatch"));
    for (int i = 0; i < m_plan.stageCount() && i < static_cast<int>(m_eval.stages.size()); ++i) column(i);
    pace();
    chips();
    if (m.factRows > 0) facts();
    paintLegend(m_ink, m.legend, m.legendItems);
  }

private:
  const StageEvaluation& stage(int i) const { return m_eval.stages[i]; }

  void ribbon() {
    QPainter& p = m_ink.painter();
    for (std::size_t k = 0; k < m.layers.size();) {
      std::size_t end = k;
      while (end < m.layers.size() && m.layers[end].stage == m.layers[k].stage &&
             m.layers[end].chunk == m.layers[k].chunk)
        ++end;
      const QRectF box(m.layers[k].box.topLeft(), m.layers[end - 1].box.bottomRight());
      const int s = m.layers[k].stage;
      m_ink.stageBox(box, s, m_focus.dims(s));
      const QColor fill = m_ink.stageColor(s, m_focus.dims(s));
      const QColor edge = mixed(fill, m_ink.color(Role::Canvas), 0.55);
      if (box.width() / static_cast<double>(end - k) >= 3)
        for (std::size_t j = k + 1; j < end; ++j)
          m_ink.line(m.layers[j].box.topLeft(), m.layers[j].box.bottomLeft(), edge);
      ribbonLabel(box, k, end, fill);
      if (m_focus.selects(s)) m_ink.outline(box.adjusted(1, 1, -1, -1), m_ink.color(Role::Selection), 2);
      k = end;
    }
    p.setBrush(Qt::NoBrush);
    m_ink.label(QRectF(m.ribbon.left() - 54, m.ribbon.top(), 48, m.ribbon.height()), QStringLiteral("Layers"),
                Qt::AlignRight | Qt::AlignVCenter, FigurePainter::kSmall, m_ink.color(Role::MutedText));
  }

  void ribbonLabel(const QRectF& box, std::size_t first, std::size_t end, const QColor& fill) {
    std::vector<LayerIndex> layers;
    for (std::size_t j = first; j < end; ++j) layers.emplace_back(m.layers[j].layer);
    const QString count = plural(static_cast<long long>(layers.size()), QStringLiteral("layer"));
    const QStringList choices{layerSpan(*m_context.problem->graph, layers), count};
    for (const QString& text : choices) {
      const double w = FigurePainter::width(text, FigurePainter::kSmall) + 10;
      if (w > box.width() - 4) continue;
      m_ink.fill(QRectF(box.center().x() - w / 2, box.center().y() - 8.5, w, 17), fill);
      m_ink.label(box, text, Qt::AlignCenter, FigurePainter::kSmall, m_ink.theme().textOn(fill));
      return;
    }
    // The number of its stage, where that of any stage would fit: not one run with, the next without.
    const QString number = stageNumber(m.layers[first].stage);
    const double w =
        FigurePainter::width(stageNumber(m_plan.stageCount() - 1), FigurePainter::kSmall, true) + 2;
    if (w > box.width() - 1) return;
    m_ink.fill(QRectF(box.center().x() - w / 2, box.center().y() - 7, w, 14), fill);
    m_ink.label(box, number, Qt::AlignCenter, FigurePainter::kSmall, m_ink.theme().textOn(fill), true);
  }

  /// Bands that lead each part of the ribbon to its column; with several chunks they would cross, and are
  /// left out.
  void joints() {
    if (m_plan.chunksPerStage() > 1) return;
    QPainter& p = m_ink.painter();
    for (std::size_t k = 0; k < m.layers.size();) {
      std::size_t end = k;
      while (end < m.layers.size() && m.layers[end].stage == m.layers[k].stage) ++end;
      const int s = m.layers[k].stage;
      const QRectF column = m.column(s);
      const double bottom = m.plot.top() - 20;
      const QPolygonF band({m.layers[k].box.bottomLeft(),
                            m.layers[end - 1].box.bottomRight(),
                            {column.right(), bottom},
                            {column.left(), bottom}});
      p.setPen(Qt::NoPen);
      p.setBrush(mixed(m_ink.stageColor(s, m_focus.dims(s)), m_ink.color(Role::Canvas), 0.78));
      p.drawPolygon(band);
      k = end;
    }
  }

  double scaleOf(int i) const {
    const double own = stage(i).load.value();
    return m.plot.height() / m.axis.largest / (m_shares && own > 0 ? own : 1);
  }

  void column(int i) {
    const QRectF box = m.column(i);
    const auto parts = shownParts(stage(i));
    const double scale = scaleOf(i);
    double y = m.plot.bottom();
    for (std::size_t k = 0; k < kLoadPartsInLoad; ++k) {
      const double h = parts[k] * scale;
      if (h <= 0) continue;
      const auto part = static_cast<LoadPart>(k);
      QColor c = colorOf(part, m_ink.theme());
      if (m_focus.dims(i)) c = mixed(c, m_ink.color(Role::Canvas), 0.7);
      const QRectF piece(box.left(), y - h, box.width(), h);
      m_ink.fill(piece, c);
      if (h > 2 && box.width() > 4)
        m_ink.hatch(piece, hatchOf(part), mixed(c, m_ink.theme().textOn(c), 0.5), 5);
      if (h > 1.5) m_ink.line(piece.topLeft(), piece.topRight(), m_ink.color(Role::Canvas), 0.8);
      paintEdge(m_ink, piece, c);
      y -= h;
    }
    if (stage(i).hidden.value() > 0) paintHidden(m_ink, box, hiddenParts(stage(i)), scale);
    if (m_focus.selects(i) || m_focus.hovers(i))
      m_ink.outline(QRectF(box.left() - 1.5, y - 1.5, box.width() + 3, m.plot.bottom() - y + 3),
                    m_ink.color(m_focus.selects(i) ? Role::Selection : Role::Hover), 2);
    if (m.slot < 34) return;
    const QString value =
        m_shares ? timeText(stage(i).load) : phrase(text::number(stage(i).load.value() / m.axis.unit));
    const bool slowest = i == m_eval.slowestStage();
    const double w = FigurePainter::width(value, FigurePainter::kSmall, slowest) + 4;
    if (w > m.slot) return;
    const QRectF spot(box.center().x() - w / 2, y - 18, w, 15);
    m_values.push_back({spot, value, slowest});
  }

  void pace() {
    const int slow = m_eval.slowestStage();
    if (slow >= 0 && !m_shares && m_plan.stageCount() > 1) {
      const double y = m.plot.bottom() - stage(slow).load.value() * scaleOf(slow);
      m_ink.line({m.plot.left(), y}, {m.plot.right(), y}, m_ink.color(Role::Text), 1, Qt::DashLine);
      // A value that the line would strike through stands above it.
      for (auto& v : m_values)
        if (v.spot.top() < y + 2 && v.spot.bottom() > y - 2) v.spot.moveBottom(y - 3);
    }
    for (const auto& v : m_values) {
      m_ink.fill(v.spot, m_ink.color(Role::Canvas));
      m_ink.label(v.spot.adjusted(-3, 0, 3, 0), v.text, Qt::AlignCenter, FigurePainter::kSmall,
                  m_ink.color(Role::Text), v.bold);
    }
  }

  void chips() {
    const int n = m_plan.stageCount();
    const double w = std::min(m.bar, 34.0);
    const bool all = m.slot >= 19;
    for (int i = 0; i < n; ++i) {
      const double middle = m.slotLeft(i) + m.slot / 2;
      if (all)
        m_ink.stageChip(QRectF(middle - std::max(w, 15.0) / 2, m.chips.top() + 2, std::max(w, 15.0), 18), i,
                        FigurePainter::kSmall, m_focus.dims(i));
      else
        m_ink.stageBox(QRectF(m.slotLeft(i) + (m.slot - m.bar) / 2, m.chips.top(), m.bar, 6), i,
                       m_focus.dims(i));
      if (i + 1 < n && m.slot >= 92) cut(i, middle + m.slot / 2);
    }
    if (!all)
      for (int i : countedTicks(n, static_cast<int>(m.plot.width() / 28)))
        m_ink.label(QRectF(m.slotLeft(i) + m.slot / 2 - 14, m.chips.top() + 7, 28, 15), stageNumber(i),
                    Qt::AlignCenter, FigurePainter::kSmall, m_ink.color(Role::MutedText));
    m_ink.label(QRectF(m.chips.left() - 54, m.chips.top() + (all ? 0 : 4), 48, 22), QStringLiteral("Stage"),
                Qt::AlignRight | Qt::AlignVCenter, FigurePainter::kSmall, m_ink.color(Role::MutedText));
  }

  /// The network level that the cut after stage i crosses.
  void cut(int i, double x) {
    const int level = stage(i + 1).activationLevel;
    if (level < 0) return;
    const double room = m.slot - 40;
    const QString name = levelName(m_context, level);
    m_ink.firstThatFits(QRectF(x - room / 2, m.chips.top() + 2, room, 18),
                        {name + QStringLiteral(" →"), name}, Qt::AlignCenter, FigurePainter::kSmall,
                        m_ink.color(Role::MutedText));
  }

  void facts() {
    for (int i = 0; i < m_plan.stageCount(); ++i) {
      const auto& e = stage(i);
      const StagePlan& s = m_plan.stages[i];
      const double once = (e.exposed + e.step).value();
      const auto shares = sharesOf(e);
      const QStringList rows{
          plural(e.devices, QStringLiteral("device")) + QStringLiteral(" · ") + phrase(toText(s.strategy)),
          s.recompute == Recompute::None ? QStringLiteral("no recompute")
                                         : phrase(nameOf(s.recompute)) + QStringLiteral(" recompute"),
          QStringLiteral("+ %1 per step").arg(timeText(Seconds(once)))};
      const auto row = [&](int k) {
        return QRectF(m.slotLeft(i) + 3, m.facts.top() + k * 16.0, m.slot - 6, 16);
      };
      // As many shares as fit; the first alone is the largest.
      QStringList choices;
      for (std::size_t most = kTimePartCount; most > 0; --most)
        choices << phrase(words::of(shares, "", most));
      if (!shares.empty()) choices << phrase(words::of({shares.front()}, ""));
      m_ink.firstThatFits(row(0), choices, Qt::AlignCenter, FigurePainter::kSmall, m_ink.color(Role::Text));
      for (int k = 1; k < m.factRows; ++k)
        m_ink.label(row(k), rows[k - 1], Qt::AlignCenter, FigurePainter::kSmall,
                    m_ink.color(Role::MutedText));
    }
    static const QStringList heads{
        QStringLiteral("Spent on"), QStringLiteral("On"), {}, QStringLiteral("Step end")};
    for (int k = 0; k < m.factRows; ++k)
      m_ink.label(QRectF(m.facts.left() - 60, m.facts.top() + k * 16.0, 54, 16), heads[k],
                  Qt::AlignRight | Qt::AlignVCenter, FigurePainter::kSmall, m_ink.color(Role::MutedText));
  }

  struct Value {
    QRectF spot;
    QString text;
    bool bold;
  };
  FigurePainter& m_ink;
  const StagesLayout& m;
  const PlanContext& m_context;
  const Plan& m_plan;
  const Evaluation& m_eval;
  Focus m_focus;
  bool m_shares;
  std::vector<Value> m_values;
};

/// What runs behind compute besides: " + 20.6 ms hidden"; empty without.
QString hiddenText(Seconds hidden, QString (*text)(Seconds)) {
  return hidden.value() > 0 ? QStringLiteral(" + %1 hidden behind compute").arg(text(hidden)) : QString();
}

QString stageTip(int i, const PlanContext& c) {
  const Plan& plan = *c.shownPlan();
  const auto& e = c.shownEvaluation()->stages[i];
  const StagePlan& s = plan.stages[i];
  Tip tip(QStringLiteral("Stage %1").arg(stageNumber(i)));
  tip.row(QStringLiteral("Layers"), layerSpan(*c.problem->graph, s.layers()));
  tip.row(QStringLiteral("Time per microbatch"), exactTime(e.load));
  const auto parts = shownParts(e), hidden = hiddenParts(e);
  for (int k = 0; k < kLoadPartsInLoad; ++k)
    if (parts[k] > 0 || hidden[k] > 0)
      tip.row(nameOf(static_cast<LoadPart>(k)),
              exactTime(Seconds(parts[k])) + hiddenText(Seconds(hidden[k]), exactTime));
  tip.row(QStringLiteral("Gradient reduction, once per step"), exactTime(e.sync));
  tip.row(QStringLiteral("of it exposed"), exactTime(e.exposed));
  tip.row(QStringLiteral("Optimizer step"), exactTime(e.step));
  if (e.activationLevel >= 0)
    tip.row(QStringLiteral("Activations cross"),
            levelName(c, e.activationLevel) + QStringLiteral(", ") + exactMemory(e.activationBytes));
  tip.row(QStringLiteral("Devices"),
          countText(e.devices) + QStringLiteral(", ") + phrase(toText(s.strategy)));
  tip.row(QStringLiteral("Recompute policy"), phrase(nameOf(s.recompute)));
  tip.note(sharesText(e));
  return tip.html();
}

QString layerTip(int layer, int stage, const PlanContext& c) {
  Tip tip(phrase(c.problem->graph->layers[layer].name));
  tip.row(QStringLiteral("Stage"), stageNumber(stage));
  tip.row(QStringLiteral("Compute, one microbatch"),
          exactTime(Seconds(layerSeconds(*c.problem, *c.shownPlan(), stage, LayerIndex(layer)))));
  return tip.html();
}

}  // namespace

std::optional<FigureState> StagesFigure::state(const PlanContext& c, bool) const {
  if (auto none = stateOf(c, QStringLiteral("its stages"))) return none;
  const std::size_t stages = c.shownPlan()->stages.size();
  if (stages > 0 && c.shownEvaluation()->stages.size() >= stages) return std::nullopt;
  return FigureState{QStringLiteral("This plan has no stages"), {}};
}

void StagesFigure::draw(FigurePainter& ink, const QRectF& area, const PlanContext& c) const {
  const FigureStyle& style = ink.style();
  paintFrame(ink, area, c, title(), stageSentence(c));
  const auto layout = layoutStages(area, c, style.standalone, m_scale == Scale::Share, ink.theme());
  StagesPainter(ink, layout, c, m_scale == Scale::Share).paint();
}

std::optional<Figure::Hit> StagesFigure::itemAt(const QPointF& at, const QRectF& area,
                                                const PlanContext& c) const {
  const auto layout = layoutStages(area, c, false, m_scale == Scale::Share);
  if (layout.ribbon.contains(at))
    for (const auto& l : layout.layers)
      if (at.x() < l.box.right())
        return l.box.width() >= 3 ? Hit{{ItemKind::Layer, l.layer}, l.box, layerTip(l.layer, l.stage, c)}
                                  : Hit{{ItemKind::Stage, l.stage}, l.box, stageTip(l.stage, c)};
  if (at.x() < layout.plot.left() || at.x() > layout.plot.right() || at.y() < layout.plot.top() - 20 ||
      at.y() > layout.legend.top())
    return std::nullopt;
  const int i = std::min(static_cast<int>((at.x() - layout.plot.left()) / layout.slot),
                         c.shownPlan()->stageCount() - 1);
  return locate({ItemKind::Stage, i}, area, c);
}

std::optional<Figure::Hit> StagesFigure::placeOf(const SelectionItem& item, const QRectF& area,
                                                 const PlanContext& c) const {
  const auto layout = layoutStages(area, c, false, m_scale == Scale::Share);
  if (item.kind == ItemKind::Layer)
    for (const auto& l : layout.layers)
      if (l.layer == item.index) return Hit{item, l.box, layerTip(l.layer, l.stage, c)};
  const auto stage = stageOf(item, c);
  if (!stage) return std::nullopt;
  const QRectF column(layout.slotLeft(*stage), layout.plot.top(), layout.slot,
                      layout.chips.bottom() - layout.plot.top());
  return Hit{{ItemKind::Stage, *stage}, column, stageTip(*stage, c)};
}

std::optional<SelectionItem> StagesFigure::stepFrom(const std::optional<SelectionItem>& from, Step step,
                                                    const PlanContext& c) const {
  // Left and right walk stages; up goes to the layers of the stage, down back to it.
  const int last = c.shownPlan()->stageCount() - 1, lastLayer = c.problem->graph->layerCount() - 1;
  if (!from || step == Step::First) return SelectionItem{ItemKind::Stage, 0};
  if (step == Step::Last) return SelectionItem{ItemKind::Stage, last};
  const int stage = stageOf(*from, c).value_or(0);
  if (from->kind == ItemKind::Layer) {
    if (step == Step::Down) return SelectionItem{ItemKind::Stage, stage};
    if (step == Step::Up) return from;
    return SelectionItem{ItemKind::Layer,
                         std::clamp(from->index + (step == Step::Right ? 1 : -1), 0, lastLayer)};
  }
  if (step == Step::Up) {
    const auto layers = c.shownPlan()->stages[stage].layers();
    return layers.empty() ? *from : SelectionItem{ItemKind::Layer, layers.front().value};
  }
  if (step == Step::Down) return SelectionItem{ItemKind::Stage, stage};
  return SelectionItem{ItemKind::Stage, std::clamp(stage + (step == Step::Right ? 1 : -1), 0, last)};
}

QString StagesFigure::sentenceOf(const SelectionItem& item, const PlanContext& c) const {
  const auto stage = stageOf(item, c);
  if (!stage) return {};
  if (item.kind == ItemKind::Layer)
    return QStringLiteral("%1, stage %2: %3")
        .arg(phrase(c.problem->graph->layers[item.index].name), stageNumber(*stage),
             timeText(Seconds(layerSeconds(*c.problem, *c.shownPlan(), *stage, LayerIndex(item.index)))));
  const auto& e = c.shownEvaluation()->stages[*stage];
  return QStringLiteral("Stage %1: %2 per microbatch, %3")
      .arg(stageNumber(*stage))
      .arg(timeText(e.load), sharesText(e));
}

QString StagesFigure::words(const PlanContext& c) const {
  QString out = title() + u'\n' + stageSentence(c) + u'\n';
  for (int i = 0; i < c.shownPlan()->stageCount(); ++i) {
    const auto& e = c.shownEvaluation()->stages[i];
    out += describe({ItemKind::Stage, i}, c) + QStringLiteral("; ") +
           layerSpan(*c.problem->graph, c.shownPlan()->stages[i].layers());
    const auto parts = shownParts(e), hidden = hiddenParts(e);
    for (int k = 0; k < kLoadPartCount; ++k) {
      // The parts of the time per microbatch; the rest comes once.
      const Seconds part(parts[k]), behind(hidden[k]);
      if (part.value() > 0 || behind.value() > 0)
        out += QStringLiteral("; %1 %2%3")
                   .arg(inSentence(nameOf(static_cast<LoadPart>(k))), timeText(part),
                        k < kLoadPartsInLoad ? hiddenText(behind, timeText) : QStringLiteral(" per step"));
    }
    out += u'\n';
  }
  return out;
}

std::vector<FigureOption> StagesFigure::offeredOptions(const PlanContext&) const {
  return {{"scale",
           QStringLiteral("Columns"),
           {},
           {{"time", QStringLiteral("Time")}, {"share", QStringLiteral("Share of the time")}},
           m_scale == Scale::Time ? "time" : "share"}};
}

void StagesFigure::setOption(const std::string& key, const std::string& name) {
  if (key == "scale") m_scale = name == "share" ? Scale::Share : Scale::Time;
}

}  // namespace nest
