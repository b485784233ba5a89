#include "figures/plan/plan_pair_figure.h"

#include <algorithm>
#include <cmath>

#include "figures/paint/axis.h"
#include "figures/paint/edge.h"
#include "figures/paint/figure_painter.h"
#include "figures/paint/frame.h"
#include "figures/paint/phrases.h"
#include "figures/paint/ticks.h"
#include "figures/plan/kinds.h"
#include "units/text.h"
#include "words/metric_words.h"
#include "words/outcome_words.h"

namespace nest {

using Role = Theme::Role;

namespace {

constexpr double kNote = 18;  ///< pixels a line
constexpr double kHeading = 14, kPairGap = 30;
constexpr double kLeastPairSlot = 24;   ///< pixels: below, identical stages share a bar
constexpr double kMostLegend = 0.3;     ///< of the body's height
constexpr double kPairRounding = 1e-9;  ///< of a step: parts that differ by less are equal

bool areAlike(const StepParts& a, const StepParts& b, double step) {
  const auto near = [&](double x, double y) { return std::abs(x - y) <= kPairRounding * step; };
  for (std::size_t k = 0; k < kLoadPartCount; ++k)
    if (!near(a.work[k], b.work[k])) return false;
  return near(a.imbalance, b.imbalance) && near(a.fillAndDrain, b.fillAndDrain);
}

/// "2", "2–15".
QString stageSpan(int first, int last) {
  return first == last ? stageNumber(first)
                       : QStringLiteral("%1–%2").arg(stageNumber(first), stageNumber(last));
}

QColor idleColor(const Theme& theme) {
  return theme.color(Role::Idle);
}

/// A part of a plan that does not run is paler than one of a plan that does.
QColor toned(const QColor& colour, bool runs, const Theme& theme) {
  return runs ? colour : mixed(colour, theme.color(Role::Canvas), 0.65);
}

void paintPiece(FigurePainter& ink, const QRectF& piece, const QColor& colour, int hatch) {
  ink.fill(piece, colour);
  if (hatch && piece.height() > 3 && piece.width() > 5)
    ink.hatch(piece, hatch, mixed(colour, ink.theme().textOn(colour), 0.45), 5);
  paintEdge(ink, piece, colour);
}

}  // namespace

/// Where the four panels stand, and the two scales that they share.
struct PlanPairFigure::Parts {
  std::array<QRectF, 2> heading, times, memory;
  std::array<std::vector<Bar>, 2> bars;
  QRectF notes, legend;
  std::vector<LegendItem> items;
  Axis time, bytes;

  double slotWidth(int side) const {
    const auto s = static_cast<std::size_t>(side);
    return times[s].width() / std::max<double>(1, static_cast<double>(bars[s].size()));
  }
  QRectF slot(const QRectF& panel, int side, std::size_t bar) const {
    const double w = slotWidth(side);
    return {panel.left() + static_cast<double>(bar) * w, panel.top(), w, panel.height()};
  }
};

QString PlanPairFigure::title() const {
  return drawable() ? tr("%1 and %2").arg(m_sides[0].name, m_sides[1].name) : ListFigure::title();
}

int PlanPairFigure::count(const PlanContext&) const {
  return drawable() ? static_cast<int>(evaluation(0).stages.size() + evaluation(1).stages.size()) : 0;
}

std::pair<int, int> PlanPairFigure::at(int item) const {
  const int first = static_cast<int>(evaluation(0).stages.size());
  return item < first ? std::pair(0, item) : std::pair(1, item - first);
}

QString PlanPairFigure::obstacleTo(int side) const {
  return evaluation(side).feasible() ? QString() : phrase(words::obstacleTo(evaluation(side)));
}

QStringList PlanPairFigure::notesIn(const QSizeF& body, bool standalone) const {
  if (m_notes.isEmpty() || !standalone) return {};
  QStringList out;
  std::vector<qsizetype> ends;  // of each note, in lines
  for (const QString& note : m_notes) {
    out += FigurePainter::lines(note, body.width(), FigurePainter::kBody);
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

PlanPairFigure::Parts PlanPairFigure::layOut(const QRectF& area, const PlanContext& c, bool standalone,
                                             const Theme& theme) const {
  Parts p;
  double most = 0;
  PerLoadPart<bool> used{};
  PerMemoryPart<bool> held{};
  bool imbalance = false, filling = false, hidden = false;
  std::array<std::vector<StepParts>, 2> steps;
  for (int side = 0; side < 2; ++side) {
    const Evaluation& e = evaluation(side);
    const double least = 1e-6 * e.batchTime.value();  // what is less is drawn nowhere
    for (std::size_t i = 0; i < e.stages.size(); ++i) {
      const StepParts& step = steps[side].emplace_back(stepParts(e, static_cast<int>(i)));
      for (std::size_t k = 0; k < kLoadPartCount; ++k) used[k] = used[k] || step.work[k] > least;
      imbalance = imbalance || step.imbalance > least, filling = filling || step.fillAndDrain > least;
      hidden = hidden || e.stages[i].hidden.value() > 0;
      const auto behind = hiddenParts(e.stages[i]);
      for (std::size_t k = 0; k < kLoadPartCount; ++k) used[k] = used[k] || behind[k] > 0;
      const MemoryUse& use = e.stages[i].memory;
      most = std::max({most, use.total().value(), use.capacity.value()});
      const auto parts = memoryParts(use);
      for (std::size_t k = 0; k < parts.size(); ++k) held[k] = held[k] || parts[k] > 0;
    }
  }
  for (int k = 0; k < kLoadPartCount; ++k)
    if (const auto part = static_cast<LoadPart>(k); used[k])
      p.items.push_back({nameOf(part), colorOf(part, theme), hatchOf(part)});
  if (imbalance) p.items.push_back({imbalanceName(), idleColor(theme), kImbalanceHatch});
  if (filling) p.items.push_back({fillAndDrainName(), idleColor(theme), kFillAndDrainHatch});
  if (hidden) p.items.push_back(hiddenLegend(theme));
  std::vector<LegendItem> all = p.items;
  for (int k = 0; k < kMemoryPartCount; ++k)
    if (const auto part = static_cast<MemoryPart>(k); held[k])
      all.push_back({nameOf(part), colorOf(part, theme), hatchOf(part)});

  QRectF body = bodyOf(area, c, standalone);
  if (const auto lines = notesIn(body.size(), standalone).size(); lines > 0) {
    p.notes = QRectF(body.left(), body.top(), body.width(), static_cast<double>(lines) * kNote);
    body.setTop(p.notes.bottom() + 8);
  }
  // In a small window the times have the room to themselves, and their names come first.
  const auto roomBeside = [&](double legend) { return body.height() - legend - 48 - 26 - 48; };
  bool both = roomBeside(legendHeight(all, body.width())) > 110;
  if (both) p.items = std::move(all);
  double legend = legendHeight(p.items, body.width());
  if (!both && legend > kMostLegend * body.height()) legend = 0, p.items.clear();
  p.legend = QRectF(body.left(), body.bottom() - legend, body.width(), legend);
  const double gap = kPairGap, axis = 52;
  const double width = (body.width() - axis - gap) / 2, top = body.top() + 48;
  const double room = p.legend.top() - top - 26 - 48;
  for (std::size_t i = 0; i < 2; ++i) {
    const double x = body.left() + axis + static_cast<double>(i) * (width + gap);
    p.heading[i] = QRectF(x, body.top(), width, 24);
    p.times[i] = QRectF(x, top, width, both ? room * 0.55 : std::max(20.0, room + 46));
    if (both) p.memory[i] = QRectF(x, p.times[i].bottom() + 46, width, room * 0.45);
  }
  // The change over the bars stays below the axis' title.
  const double height = p.times[0].height(), headroom = height / std::max(height - 22, height / 2);
  const double highest = std::max(heightOf(0), heightOf(1));
  p.time = Axis::time(std::max(highest * headroom, 1e-12), height > 100 ? 5 : 3);
  p.bytes = Axis::memory(std::max(most * 1.06, 1.0), p.memory[0].height() > 80 ? 4 : 2);
  for (int side = 0; side < 2; ++side) {
    auto& bars = p.bars[side];
    const double step = evaluation(side).batchTime.value();
    const bool folds = width < kLeastPairSlot * static_cast<double>(steps[side].size());
    for (std::size_t i = 0; i < steps[side].size(); ++i) {
      if (folds && !bars.empty() && areAlike(bars.back().parts, steps[side][i], step))
        bars.back().last = static_cast<int>(i);
      else
        bars.push_back({side, static_cast<int>(i), static_cast<int>(i), {}, steps[side][i]});
    }
    const double slot = p.slotWidth(side);
    double bar = std::min(64.0, slot * 0.66);
    if (hidden) bar = widthBesideHidden(bar, slot);
    const double h = heightOf(side) / p.time.largest * height;
    for (std::size_t k = 0; k < bars.size(); ++k)
      bars[k].box =
          QRectF(p.slot(p.times[side], side, k).center().x() - bar / 2, p.times[side].bottom() - h, bar, h);
  }
  return p;
}

std::vector<PlanPairFigure::Bar> PlanPairFigure::barsIn(const QRectF& area, const PlanContext& c,
                                                        bool standalone) const {
  if (!drawable()) return {};
  const Parts p = layOut(area, c, standalone, Theme::of(Theme::Kind::Light));
  std::vector<Bar> out = p.bars[0];
  out.insert(out.end(), p.bars[1].begin(), p.bars[1].end());
  return out;
}

Pace PlanPairFigure::paceOf(int side) const {
  const Side& s = m_sides[side];
  return nest::paceOf(*s.problem, *s.plan);
}

QString PlanPairFigure::changeText() const {
  const PaceMeasure m = measure();
  return phrase(text::signedPercent(paceChange(paceOf(0), paceOf(1), m)) +
                (m == PaceMeasure::BatchTime ? "" : paceUnit(m)));
}

QString PlanPairFigure::sentence(double width) const {
  const auto peakOf = [](const Side& s) { return predictedPeak(s.plan->evaluation); };
  const Bytes before = peakOf(m_sides[0]), after = peakOf(m_sides[1]);
  QString pace = phrase(paceChangeText(paceOf(0), paceOf(1), measure()));
  for (int side = 0; side < 2; ++side)
    if (const QString obstacle = obstacleTo(side); !obstacle.isEmpty())
      pace += tr("; %1 %2").arg(inSentence(m_sides[side].name), obstacle);
  if (const QString work = phrase(workChangeText(paceOf(0), paceOf(1))); !work.isEmpty())
    pace += QStringLiteral("; ") + work;
  const QString whole =
      pace + tr(", fullest device %1 → %2 (%3)")
                 .arg(memoryText(before), memoryText(after), phrase(text::signedPercent(after / before - 1)));
  return FigurePainter::width(whole, 13) <= width ? whole : pace;
}

std::optional<FigureState> PlanPairFigure::state(const PlanContext& c, bool) const {
  if (drawable()) return std::nullopt;
  if (m_instead) return m_instead;
  if (auto none = stateOf(c, tr("two plans side by side"))) return none;
  return FigureState{tr("Select two plans to compare"),
                     tr("Keep a plan or run the baselines, then select two plans to compare.")};
}

void PlanPairFigure::draw(FigurePainter& ink, const QRectF& area, const PlanContext& c) const {
  const FigureStyle& style = ink.style();
  paintFrame(ink, area, c, title(), sentence(area.width() - 28));
  const Parts p = layOut(area, c, style.standalone, ink.theme());
  QRectF line(p.notes.left(), p.notes.top(), p.notes.width(), kNote);
  for (const QString& note : notesIn(bodyOf(area, c, style.standalone).size(), style.standalone)) {
    ink.label(line, note, Qt::AlignLeft | Qt::AlignVCenter, FigurePainter::kBody, ink.color(Role::Text));
    line.translate(0, kNote);
  }
  for (int side = 0; side < 2; ++side) {
    paintHeading(ink, p, side);
    paintTimes(ink, p, side);
    if (!p.memory[side].isEmpty())
      paintMemory(ink, p, side);
    else
      ink.leaveOut();
  }
  paintLegend(ink, p.legend, p.items);
  paintMarks(ink, area, c);
}

void PlanPairFigure::paintHeading(FigurePainter& ink, const Parts& p, int side) const {
  QRectF heading = p.heading[side];
  const auto put = [&](const QString& text, double pixels, Role role, bool bold) {
    ink.label(heading, text, Qt::AlignLeft | Qt::AlignVCenter, pixels, ink.color(role), bold);
    heading.setLeft(heading.left() + FigurePainter::width(text, pixels, bold) + 12);
  };
  const QString& name = m_sides[side].name;
  if (FigurePainter::width(name, kHeading, true) > heading.width())  // over the axis there is more room
    heading.setLeft(side == 0 ? p.legend.left() : heading.left() - kPairGap / 2);
  put(name, kHeading, Role::Text, true);
  if (const QString obstacle = obstacleTo(side); !obstacle.isEmpty())
    put(obstacle, FigurePainter::kBody, Role::Error, true);
  put(phrase(paceText(paceOf(side), measure())) + QStringLiteral(" · ") +
          phrase(summaryOf(m_sides[side].plan->plan)),
      FigurePainter::kBody, Role::MutedText, false);
}

void PlanPairFigure::paintTimes(FigurePainter& ink, const Parts& p, int side) const {
  const QRectF& panel = p.times[side];
  if (side == 0) {
    paintVerticalAxis(ink, panel, p.time,
                      measure() == PaceMeasure::BatchTime ? tr("Step time") : tr("Time per token"));
  } else {
    for (std::size_t t = 0; t < p.time.ticks.size(); ++t) {
      const double y = panel.bottom() - p.time.fraction(t) * panel.height();
      ink.line({panel.left(), y}, {panel.right(), y}, ink.color(t == 0 ? Role::Border : Role::Grid));
    }
  }
  const Evaluation& e = evaluation(side);
  const bool runs = e.feasible();
  const std::vector<Bar>& bars = p.bars[side];
  if (bars.empty() && !runs)  // it cannot even be costed
    ink.paragraph(panel.adjusted(6, 6, -6, -6), phrase(e.violations.front().message),
                  Qt::AlignLeft | Qt::AlignTop, FigurePainter::kBody, ink.color(Role::Error));
  const auto numbered =
      countedTicks(static_cast<int>(bars.size()), std::max(2, static_cast<int>(panel.width() / 26)));
  for (std::size_t b = 0; b < bars.size(); ++b) {
    const Bar& bar = bars[b];
    const double step = e.batchTime.value(), scale = step > 0 ? bar.box.height() / step : 0;
    double y = panel.bottom();
    const auto piece = [&](double seconds, const QColor& colour, int hatch) {
      const double h = seconds * scale;
      if (h <= 0) return;
      paintPiece(ink, {bar.box.left(), y - h, bar.box.width(), h}, toned(colour, runs, ink.theme()), hatch);
      y -= h;
    };
    for (int k = 0; k < kLoadPartCount; ++k)
      piece(bar.parts.work[k], colorOf(static_cast<LoadPart>(k), ink.theme()),
            hatchOf(static_cast<LoadPart>(k)));
    piece(bar.parts.imbalance, idleColor(ink.theme()), kImbalanceHatch);
    piece(bar.parts.fillAndDrain, idleColor(ink.theme()), kFillAndDrainHatch);
    if (const auto& s = stage(side, bar.first); s.hidden.value() > 0)
      paintHidden(ink, bar.box, hiddenParts(s), scale * e.microbatchCount);
    ink.outline(bar.box, ink.color(runs ? Role::Border : Role::Error), runs ? 1 : 1.5);
    const QRectF slot = p.slot(panel, side, b);
    if (bar.first != bar.last) {
      const QString span = stageSpan(bar.first, bar.last), times = tr("×%1").arg(bar.last - bar.first + 1);
      ink.firstThatFits({slot.left(), panel.bottom() + 4, slot.width(), 16},
                        {QStringLiteral("%1  %2").arg(span, times), span, times}, Qt::AlignCenter,
                        FigurePainter::kSmall, ink.color(Role::MutedText));
    } else if (std::find(numbered.begin(), numbered.end(), static_cast<int>(b)) != numbered.end()) {
      ink.stageChip({slot.center().x() - 11, panel.bottom() + 4, 22, 16}, bar.first, 10);
    }
  }
  paintOther(ink, p, side);
}

/// The other plan's step as a line, and over the second plan by how much it differs from the first.
void PlanPairFigure::paintOther(FigurePainter& ink, const Parts& p, int side) const {
  const double own = heightOf(side), other = heightOf(1 - side);
  if (!(own > 0) || !(other > 0)) return;
  const QRectF& panel = p.times[side];
  const auto yOf = [&](double t) { return panel.bottom() - t / p.time.largest * panel.height(); };
  ink.line({panel.left(), yOf(other)}, {panel.right(), yOf(other)}, ink.color(Role::Text), 1.3, Qt::DashLine);
  const QString said = side == 1 ? changeText() : m_sides[1].name;
  const double w = FigurePainter::width(said, FigurePainter::kSmall, side == 1) + 8;
  const QRectF box(panel.right() - std::min(w, panel.width()), yOf(std::max(own, other)) - 18,
                   std::min(w, panel.width()), 15);
  ink.fill(box, ink.color(Role::Canvas));  // the grid passes behind
  ink.firstThatFits(box, {said}, Qt::AlignCenter, FigurePainter::kSmall,
                    ink.color(side == 1 ? Role::Text : Role::MutedText), side == 1);
}

void PlanPairFigure::paintMemory(FigurePainter& ink, const Parts& p, int side) const {
  const QRectF& panel = p.memory[side];
  if (side == 0) {
    paintVerticalAxis(ink, panel, p.bytes, tr("Memory of a device at its peak"));
  } else {
    for (std::size_t t = 0; t < p.bytes.ticks.size(); ++t) {
      const double y = panel.bottom() - p.bytes.fraction(t) * panel.height();
      ink.line({panel.left(), y}, {panel.right(), y}, ink.color(t == 0 ? Role::Border : Role::Grid));
    }
  }
  const Evaluation& e = evaluation(side);
  for (std::size_t b = 0; b < p.bars[side].size(); ++b) {
    const Bar& bar = p.bars[side][b];
    int fullest = bar.first;  // of stages that share a bar
    for (int i = bar.first; i <= bar.last; ++i)
      if (stage(side, i).memory.headroom() < stage(side, fullest).memory.headroom()) fullest = i;
    const MemoryUse& use = stage(side, fullest).memory;
    const auto parts = memoryParts(use);
    const double scale = panel.height() / p.bytes.largest;
    double y = panel.bottom();
    for (int k = 0; k < kMemoryPartCount; ++k) {
      const double h = parts[k] * scale;
      if (h <= 0) continue;
      const auto part = static_cast<MemoryPart>(k);
      paintPiece(ink, {bar.box.left(), y - h, bar.box.width(), h}, colorOf(part, ink.theme()), hatchOf(part));
      y -= h;
    }
    const bool over = use.headroom().value() < 0;
    ink.outline({bar.box.left(), y, bar.box.width(), panel.bottom() - y},
                ink.color(over ? Role::Error : Role::Border), over ? 2.5 : 1);
    const QRectF slot = p.slot(panel, side, b);
    const double line = panel.bottom() - use.capacity.value() * scale;
    ink.line({slot.left(), line}, {slot.right(), line}, ink.color(Role::Text), 1.4, Qt::DashLine);
  }
  const int full = e.fullestStage();
  if (full < 0) return;
  const MemoryUse& use = stage(side, full).memory;
  const Bytes room = use.headroom();
  ink.label({panel.left(), panel.bottom() + 4, panel.width(), 16},
            room.value() < 0 ? tr("stage %1 is short by %2").arg(stageNumber(full)).arg(memoryText(-room))
                             : tr("least free: %1 of %2, stage %3")
                                   .arg(memoryText(room), memoryText(use.capacity), stageNumber(full)),
            Qt::AlignLeft | Qt::AlignVCenter, FigurePainter::kSmall,
            ink.color(room.value() < 0 ? Role::Error : Role::MutedText));
}

Figure::Hit PlanPairFigure::hitOf(int i, const QRectF& area, const PlanContext& c) const {
  const auto [side, index] = at(i);
  const Parts p = layOut(area, c, false, Theme::of(Theme::Kind::Light));
  const auto& bars = p.bars[side];
  const auto bar = std::find_if(bars.begin(), bars.end(), [index = index](const Bar& b) {
    return b.first <= index && index <= b.last;
  });
  const QRectF slot = p.slot(p.times[side], side, static_cast<std::size_t>(bar - bars.begin()));
  const auto& e = stage(side, index);
  const Problem& problem = *m_sides[side].problem;
  Tip tip(bar->first == bar->last
              ? tr("%1, stage %2").arg(m_sides[side].name, stageNumber(index))
              : tr("%1, stages %2, equal in time").arg(m_sides[side].name, stageSpan(bar->first, bar->last)));
  tip.row(tr("Step time"), exactTime(evaluation(side).batchTime));
  for (int k = 0; k < kLoadPartCount; ++k)
    if (bar->parts.work[k] > 0)
      tip.row(nameOf(static_cast<LoadPart>(k)), exactTime(Seconds(bar->parts.work[k])));
  if (bar->parts.imbalance > 0) tip.row(imbalanceName(), exactTime(Seconds(bar->parts.imbalance)));
  if (bar->parts.fillAndDrain > 0) tip.row(fillAndDrainName(), exactTime(Seconds(bar->parts.fillAndDrain)));
  if (e.hidden.value() > 0)
    tip.row(hiddenLegend(Theme::of(Theme::Kind::Light)).text,
            exactTime(evaluation(side).microbatchCount * e.hidden));
  tip.row(tr("Time per microbatch"),
          tr("%1, %2 of them").arg(exactTime(e.load), countText(evaluation(side).microbatchCount)));
  tip.row(tr("Memory"), exactMemory(e.memory.predicted()));
  if (const Bytes kept = e.memory[MemoryPart::Headroom]; kept > Bytes(0))
    tip.row(tr("Headroom"), exactMemory(kept));
  tip.row(tr("Free"), exactMemory(e.memory.headroom()));
  tip.row(tr("Layers"), layerSpan(*problem.graph, m_sides[side].plan->plan.stages[index].layers()));
  return {itemOf(i),
          QRectF(slot.topLeft(), QPointF(slot.right(), std::max(slot.bottom(), p.memory[side].bottom()))),
          tip.html()};
}

QString PlanPairFigure::lineOf(int i, const PlanContext&) const {
  const auto [side, index] = at(i);
  const auto& e = stage(side, index);
  const StepParts parts = stepParts(evaluation(side), index);
  return tr("%1, stage %2: busy %3 of %4 per step (%5 × %6 per microbatch), idle %7, memory %8")
      .arg(m_sides[side].name, stageNumber(index), timeText(Seconds(parts.busy())),
           timeText(evaluation(side).batchTime), countText(evaluation(side).microbatchCount),
           timeText(e.load), timeText(Seconds(parts.imbalance + parts.fillAndDrain)),
           phrase(words::memory(e.memory)));
}

QString PlanPairFigure::words(const PlanContext& c) const {
  QString out = title() + u'\n' + sentence(1e9) + u'\n';
  for (const QString& note : m_notes) out += note + u'\n';
  for (int side = 0; side < 2; ++side)
    if (drawable() && !obstacleTo(side).isEmpty())
      out += tr("%1 %2: %3")
                 .arg(m_sides[side].name, obstacleTo(side),
                      phrase(evaluation(side).violations.front().message)) +
             u'\n';
  for (int i = 0; i < count(c); ++i) out += lineOf(i, c) + u'\n';
  return out;
}

}  // namespace nest
