#include "figures/plan_pair_figure.h"

#include <algorithm>

#include "figures/axis.h"
#include "figures/frame.h"
#include "figures/ink.h"
#include "figures/kinds.h"
#include "figures/memory_layout.h"
#include "figures/phrases.h"
#include "figures/ticks.h"
#include "plan/pace.h"
#include "words/metric_words.h"

namespace nest {

using Role = Theme::Role;

namespace {
constexpr double kNote = 18;  ///< pixels a line
constexpr double kHeading = 14, kPairGap = 30;
}  // namespace

/// Where the four panels stand, and the two scales that they share.
struct PlanPairFigure::Parts {
  std::array<QRectF, 2> heading, loads, memory;
  QRectF notes, legend;
  std::vector<LegendItem> items;
  Axis time, bytes;
  bool overlaps = false;  ///< part of a load is hidden: bars are higher than what stages take

  QRectF slot(const QRectF& panel, int stage, int stages) const {
    const double w = panel.width() / std::max(1, stages);
    return {panel.left() + stage * w, panel.top(), w, panel.height()};
  }
};

QString PlanPairFigure::title() const {
  return drawable() ? tr("%1 and %2").arg(m_sides[0].name, m_sides[1].name) : ListFigure::title();
}

int PlanPairFigure::count(const PlanContext&) const {
  return drawable() ? m_sides[0].plan->plan.stageCount() + m_sides[1].plan->plan.stageCount() : 0;
}

std::pair<int, int> PlanPairFigure::at(int item) const {
  const int first = m_sides[0].plan->plan.stageCount();
  return item < first ? std::pair(0, item) : std::pair(1, item - first);
}

const StageEvaluation& PlanPairFigure::stage(int side, int index) const {
  return m_sides[side].plan->evaluation.stages[index];
}

QStringList PlanPairFigure::notesIn(const QSizeF& body, bool standalone) const {
  if (m_notes.isEmpty() || !(standalone || m_notesOnScreen)) return {};
  QStringList out;
  std::vector<qsizetype> ends;  // of each note, in lines
  for (const QString& note : m_notes) {
    out += Ink::lines(note, body.width(), Ink::kBody);
    ends.push_back(out.size());
  }
  const auto most = static_cast<qsizetype>(body.height() * 0.35 / kNote);
  if (out.size() <= most) return out;
  // Whole notes, and how many are missing.
  qsizetype whole = 0;
  while (whole < m_notes.size() && ends[static_cast<std::size_t>(whole)] < most) ++whole;
  if (whole == 0) return {};
  out.resize(ends[static_cast<std::size_t>(whole) - 1]);
  return out << tr("and %1 more").arg(m_notes.size() - whole);
}

PlanPairFigure::Parts PlanPairFigure::layOut(const QRectF& area, const PlanContext& c,
                                             bool standalone) const {
  Parts p;
  double slowest = 0, most = 0;
  PerLoadPart<bool> used{};
  PerMemoryPart<bool> held{};
  for (const Side& s : m_sides)
    for (const auto& e : s.plan->evaluation.stages) {
      slowest = std::max(slowest, (e.load + e.hidden).value());
      p.overlaps = p.overlaps || e.hidden.value() > 0;
      most = std::max({most, e.memory.total().value(), e.memory.capacity.value()});
      const auto loads = loadParts(e);
      for (std::size_t k = 0; k < kLoadPartsInLoad; ++k) used[k] = used[k] || loads[k] > 0;
      const auto parts = memoryParts(*s.problem, e.memory);
      for (std::size_t k = 0; k < parts.size(); ++k) held[k] = held[k] || parts[k] > 0;
    }
  const Theme& theme = Theme::of(Theme::Kind::Light);
  for (int k = 0; k < kLoadPartsInLoad; ++k)
    if (used[k])
      p.items.push_back({nameOf(static_cast<LoadPart>(k)), colorOf(static_cast<LoadPart>(k), theme),
                         hatchOf(static_cast<LoadPart>(k))});
  if (p.overlaps) p.items.push_back(afterOverlap(theme));
  if (held[MemoryPart::Headroom])
    p.items.push_back(
        {nameOf(MemoryPart::Headroom), colorOf(MemoryPart::Headroom, theme), hatchOf(MemoryPart::Headroom)});
  QRectF body = bodyOf(area, c, standalone);
  if (const auto lines = notesIn(body.size(), standalone).size(); lines > 0) {
    p.notes = QRectF(body.left(), body.top(), body.width(), static_cast<double>(lines) * kNote);
    body.setTop(p.notes.bottom() + 8);
  }
  const double legend = legendHeight(p.items, body.width());
  p.legend = QRectF(body.left(), body.bottom() - legend, body.width(), legend);
  const double gap = kPairGap, axis = 52;
  const double width = (body.width() - axis - gap) / 2, top = body.top() + 48;
  const double room = p.legend.top() - top - 26 - 48;
  // In a small window the loads have the room to themselves.
  const bool both = room > 110;
  for (std::size_t i = 0; i < 2; ++i) {
    const double x = body.left() + axis + static_cast<double>(i) * (width + gap);
    p.heading[i] = QRectF(x, body.top(), width, 24);
    p.loads[i] = QRectF(x, top, width, both ? room * 0.55 : std::max(20.0, room + 46));
    if (both) p.memory[i] = QRectF(x, p.loads[i].bottom() + 46, width, room * 0.45);
  }
  // The figures over the bars stay below the axis' title.
  const double height = p.loads[0].height(), headroom = height / std::max(height - 22, height / 2);
  p.time = Axis::time(std::max(slowest * headroom, 1e-9), height > 100 ? 5 : 3);
  p.bytes = Axis::memory(std::max(most * 1.06, 1.0), p.memory[0].height() > 80 ? 4 : 2);
  return p;
}

Pace PlanPairFigure::paceOf(int side) const {
  const Side& s = m_sides[side];
  return nest::paceOf(*s.problem, *s.plan);
}

QString PlanPairFigure::sentence(double width) const {
  const auto peakOf = [](const Side& s) { return predictedPeak(*s.problem, s.plan->evaluation); };
  const Bytes before = peakOf(m_sides[0]), after = peakOf(m_sides[1]);
  const PaceMeasure measure = measureOf(paceOf(0), paceOf(1));
  QString pace = phrase(paceChangeText(paceOf(0), paceOf(1), measure));
  if (measure == PaceMeasure::Throughput)
    pace +=
        tr("; global batch %1 → %2").arg(countText(paceOf(0).globalBatch), countText(paceOf(1).globalBatch));
  const QString whole =
      pace + tr(", fullest device %1 → %2 (%3)")
                 .arg(memoryText(before), memoryText(after), phrase(text::signedPercent(after / before - 1)));
  return Ink::width(whole, 13) <= width ? whole : pace;
}

std::optional<FigureState> PlanPairFigure::state(const PlanContext& c, bool) const {
  if (drawable()) return std::nullopt;
  if (m_instead) return m_instead;
  if (auto none = stateOf(c, tr("two plans side by side"))) return none;
  return FigureState{tr("Select two plans to compare"),
                     tr("Keep a plan or run the baselines, then select two plans to compare.")};
}

void PlanPairFigure::draw(Ink& ink, const QRectF& area, const PlanContext& c) const {
  const FigureStyle& style = ink.style();
  paintFrame(ink, area, c, title(), sentence(area.width() - 28));
  Parts p = layOut(area, c, style.standalone);
  for (std::size_t k = 0, shown = 0; k < kLoadPartsInLoad && shown < p.items.size(); ++k)
    if (p.items[shown].text == nameOf(static_cast<LoadPart>(k)))
      p.items[shown++].color = colorOf(static_cast<LoadPart>(k), ink.theme());
  for (LegendItem& item : p.items) {
    if (item.text == nameOf(MemoryPart::Headroom)) item.color = colorOf(MemoryPart::Headroom, ink.theme());
    if (item.lineOnly) item = afterOverlap(ink.theme());
  }
  QRectF line(p.notes.left(), p.notes.top(), p.notes.width(), kNote);
  for (const QString& note : notesIn(bodyOf(area, c, style.standalone).size(), style.standalone)) {
    ink.label(line, note, Qt::AlignLeft | Qt::AlignVCenter, Ink::kBody, ink.color(Role::Text));
    line.translate(0, kNote);
  }
  for (int side = 0; side < 2; ++side) {
    const auto i = static_cast<std::size_t>(side);
    const QString name = m_sides[i].name;
    QRectF heading = p.heading[i];
    if (Ink::width(name, kHeading, true) > heading.width())  // over the axis there is more room
      heading.setLeft(side == 0 ? bodyOf(area, c, style.standalone).left() : heading.left() - kPairGap / 2);
    ink.label(heading, name, Qt::AlignLeft | Qt::AlignVCenter, kHeading, ink.color(Role::Text), true);
    const double left = Ink::width(name, kHeading, true) + 12;
    ink.label(heading.adjusted(left, 0, 0, 0),
              phrase(summaryOf(m_sides[i].plan->plan)) + QStringLiteral(" · ") +
                  phrase(paceText(paceOf(side), measureOf(paceOf(0), paceOf(1)))),
              Qt::AlignLeft | Qt::AlignVCenter, Ink::kBody, ink.color(Role::MutedText));
    paintLoads(ink, p, side);
    if (!p.memory[i].isEmpty()) paintMemory(ink, p, side);
  }
  paintLegend(ink, p.legend, p.items);
  paintMarks(ink, area, c);
}

void PlanPairFigure::paintLoads(Ink& ink, const Parts& p, int side) const {
  const QRectF& panel = p.loads[side];
  if (side == 0) {
    paintVerticalAxis(ink, panel, p.time, loadAxisTitle(p.overlaps, panel.width()));
  } else {
    for (std::size_t t = 0; t < p.time.ticks.size(); ++t) {
      const double y = panel.bottom() - p.time.fraction(t) * panel.height();
      ink.line({panel.left(), y}, {panel.right(), y}, ink.color(t == 0 ? Role::Border : Role::Grid));
    }
  }
  const Evaluation& e = m_sides[side].plan->evaluation;
  const auto stages = static_cast<int>(e.stages.size());
  const double least = panel.width() / std::max(1, stages);
  const auto numbered = countedTicks(stages, std::max(2, static_cast<int>(panel.width() / 26)));
  for (int i = 0; i < stages; ++i) {
    const QRectF slot = p.slot(panel, i, stages);
    const double bar = std::min(64.0, least * 0.66);
    const auto parts = loadParts(stage(side, i));
    double y = panel.bottom();
    for (int k = 0; k < kLoadPartsInLoad; ++k) {
      const double h = parts[k] / p.time.largest * panel.height();
      if (h <= 0) continue;
      const QRectF piece(slot.center().x() - bar / 2, y - h, bar, h);
      const QColor colour = colorOf(static_cast<LoadPart>(k), ink.theme());
      ink.fill(piece, colour);
      if (const int hatch = hatchOf(static_cast<LoadPart>(k)); hatch && h > 3 && bar > 5)
        ink.hatch(piece, hatch, mixed(colour, ink.theme().textOn(colour), 0.45), 5);
      y -= h;
    }
    if (stage(side, i).hidden.value() > 0) {
      const double load = panel.bottom() - stage(side, i).load.value() / p.time.largest * panel.height();
      const double over = std::min(3.0, (slot.width() - bar) / 2);
      ink.line({slot.center().x() - bar / 2 - over, load}, {slot.center().x() + bar / 2 + over, load},
               ink.color(Role::Text), 2);
    }
    if (i == e.slowestStage()) {  // beside the ticks of the axis, or it would be read as one number with them
      const QString time = timeText(stage(side, i).load);
      const double w = Ink::width(time, Ink::kSmall, true) + 2;
      const double left = std::min(std::max(slot.center().x() - w / 2, panel.left() + 3),
                                   std::max(panel.left() + 3, panel.right() - w));
      ink.firstThatFits({left, y - 16, w, 15}, {time}, Qt::AlignCenter, Ink::kSmall, ink.color(Role::Text),
                        true);
    }
    if (std::find(numbered.begin(), numbered.end(), i) != numbered.end())
      ink.stageChip({slot.center().x() - 11, panel.bottom() + 4, 22, 16}, i, 10);
  }
}

void PlanPairFigure::paintMemory(Ink& ink, const Parts& p, int side) const {
  const QRectF& panel = p.memory[side];
  if (side == 0) {
    paintVerticalAxis(ink, panel, p.bytes, tr("Memory of a device at its peak"));
  } else {
    for (std::size_t t = 0; t < p.bytes.ticks.size(); ++t) {
      const double y = panel.bottom() - p.bytes.fraction(t) * panel.height();
      ink.line({panel.left(), y}, {panel.right(), y}, ink.color(t == 0 ? Role::Border : Role::Grid));
    }
  }
  const Evaluation& e = m_sides[side].plan->evaluation;
  const auto stages = static_cast<int>(e.stages.size());
  for (int i = 0; i < stages; ++i) {
    const QRectF slot = p.slot(panel, i, stages);
    const double bar = std::min(64.0, slot.width() * 0.66);
    const MemoryUse& use = stage(side, i).memory;
    const bool over = use.headroom().value() < 0;
    const double h = use.total().value() / p.bytes.largest * panel.height();
    const QRectF box(slot.center().x() - bar / 2, panel.bottom() - h, bar, h);
    ink.stageBox(box, i);
    paintHeadroom(ink, box, use, m_sides[side].problem->headroomReserve);
    if (over) ink.outline(box, ink.color(Role::Error), 2.5);
    const double line = panel.bottom() - use.capacity.value() / p.bytes.largest * panel.height();
    ink.line({slot.left(), line}, {slot.right(), line}, ink.color(Role::Text), 1.4, Qt::DashLine);
  }
  const int full = e.fullestStage();
  if (full < 0) return;
  const Bytes room = stage(side, full).memory.headroom();
  ink.label({panel.left(), panel.bottom() + 4, panel.width(), 16},
            room.value() < 0 ? tr("stage %1 is short by %2").arg(stageNumber(full)).arg(memoryText(-room))
                             : tr("least free: %1, stage %2").arg(memoryText(room)).arg(stageNumber(full)),
            Qt::AlignLeft | Qt::AlignVCenter, Ink::kSmall,
            ink.color(room.value() < 0 ? Role::Error : Role::MutedText));
}

Figure::Hit PlanPairFigure::hitOf(int i, const QRectF& area, const PlanContext& c) const {
  const auto [side, index] = at(i);
  const Parts p = layOut(area, c, false);
  const auto s = static_cast<std::size_t>(side);
  const int stages = m_sides[s].plan->plan.stageCount();
  const QRectF slot = p.slot(p.loads[s], index, stages);
  const auto& e = stage(side, index);
  Tip tip(tr("%1, stage %2").arg(m_sides[s].name).arg(stageNumber(index)));
  tip.row(tr("Time per microbatch"), exactTime(e.load));
  const Problem& problem = *m_sides[s].problem;
  tip.row(tr("Memory"), exactMemory(predictedPeak(problem, e.memory)));
  if (const Bytes kept = problem.headroomReserve; kept > Bytes(0)) tip.row(tr("Headroom"), exactMemory(kept));
  tip.row(tr("Free"), exactMemory(e.memory.headroom()));
  if (c.problem)
    tip.row(tr("Layers"), layerSpan(*c.problem->graph, m_sides[s].plan->plan.stages[index].layers()));
  return {itemOf(i),
          QRectF(slot.topLeft(), QPointF(slot.right(), std::max(slot.bottom(), p.memory[s].bottom()))),
          tip.html()};
}

QString PlanPairFigure::lineOf(int i, const PlanContext&) const {
  const auto [side, index] = at(i);
  const auto& e = stage(side, index);
  return tr("%1, stage %2: %3 per microbatch, memory %4")
      .arg(m_sides[side].name, stageNumber(index), timeText(e.load),
           phrase(words::memory(*m_sides[side].problem, e.memory)));
}

QString PlanPairFigure::words(const PlanContext& c) const {
  QString out = title() + u'\n' + sentence(1e9) + u'\n';
  for (const QString& note : m_notes) out += note + u'\n';
  for (int i = 0; i < count(c); ++i) out += lineOf(i, c) + u'\n';
  return out;
}

}  // namespace nest
