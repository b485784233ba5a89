#include "figures/plan/timeline_figure.h"

#include <algorithm>
#include <cmath>

#include "document/playback.h"
#include "figures/paint/axis.h"
#include "figures/paint/figure_painter.h"
#include "figures/paint/frame.h"
#include "figures/paint/phrases.h"
#include "figures/paint/ticks.h"
#include "figures/plan/communication_figure.h"
#include "figures/plan/focus.h"
#include "figures/plan/memory_curve.h"
#include "figures/plan/timeline_run.h"
#include "measures/bubble.h"
#include "problem/reserved_memory.h"
#include "theme/qt_text.h"
#include "units/at.h"
#include "words/metric_words.h"
#include "words/outcome_words.h"

namespace nest {
namespace {

using Role = Theme::Role;

QString microbatchText(const PlanContext& c) {
  return plural(c.shownEvaluation()->microbatchCount, QStringLiteral("microbatch"));
}

FigureState pendingState(const PlanContext& c) {
  return {QStringLiteral("Simulating the schedule …"),
          QStringLiteral("%1, %2").arg(plural(c.shownPlan()->stageCount(), QStringLiteral("stage")),
                                       microbatchText(c))};
}

/// Low panes leave the sentence out.
bool hcapitalised(const QRectF& area, bool standalone) {
  return bodyOf(area, {}, standalone).top() - area.top() >= kSentenceBand;
}

struct TimelineLayout {
  QRectF verdict, plot, memory, legend;
};

/// "TP, EP": what is sent within a pass and takes its time; transfers between stages are tasks of their own.
QString sentWithin(const Evaluation& e, LoadPart pass) {
  QStringList out;
  for (const Exchange kind : {Exchange::Tensor, Exchange::Context, Exchange::Expert, Exchange::Data}) {
    const auto shows = [&](const StageEvaluation& s) {
      const Seconds forward = s.forwardExchange[kind];
      const Seconds within = pass == LoadPart::Forward    ? forward
                             : pass == LoadPart::Backward ? s.exchange[kind] - forward
                                                          : Seconds(0);
      return within > Seconds(0) && s.hiddenExchange[kind] < s.exchange[kind];
    };
    if (std::any_of(e.stages.begin(), e.stages.end(), shows)) out << nameOfKind(kind);
  }
  return out.join(QStringLiteral(", "));
}

/// `verdict`: a line of its own says that the plan does not fit.
TimelineLayout layoutTimeline(const QRectF& body, bool memory, bool verdict, double legend, int stages) {
  TimelineLayout out;
  const double left = body.left() + 52, width = body.width() - 56;
  out.legend = QRectF(body.left(), body.bottom() - legend, body.width(), legend);
  const double bottom = out.legend.top() - 6;
  double top = std::round(body.top()), room = bottom - top - 24;  // rows begin with a whole pixel
  // Few stages leave their room to the memory curve.
  const bool both = memory && room > 180;
  if (verdict) {
    constexpr double kLine = 18;
    out.verdict = QRectF(body.left(), top, body.width(), kLine);
    top += kLine + 4, room -= kLine + 4;
  }
  const double rows = std::min(std::clamp(0.2 * room, 60.0 * stages, TimelineRows::kTallestRow * stages),
                               both ? room * (stages > 24 ? 0.72 : 0.64) : room);
  out.plot = QRectF(left, top, width, std::max(10.0, rows));
  if (both)
    out.memory = QRectF(left, out.plot.bottom() + 48, width, std::max(30.0, bottom - out.plot.bottom() - 56));
  return out;
}

}  // namespace

QString scheduleLabel(ScheduleKind kind) {
  return phrase(std::string(scheduleOf(kind).label()));
}

std::vector<LegendItem> timelineLegend(const PerLoadPart<bool>& used, const Evaluation& e,
                                       const Theme& theme) {
  std::vector<LegendItem> items;
  const auto add = [&](LoadPart part) {
    if (!used[part]) return;
    QString name = nameOf(part);
    if (const QString sent = sentWithin(e, part); !sent.isEmpty()) name += QStringLiteral(" incl. ") + sent;
    items.push_back({name, colorOf(part, theme), hatchOf(part), false});
  };
  for (int k = 0; k < kLoadPartCount; ++k) {
    const auto part = static_cast<LoadPart>(k);
    if (part != LoadPart::WeightGradient) add(part);
    if (part == LoadPart::Backward) add(LoadPart::WeightGradient);  // whose part it is
  }
  items.push_back({QStringLiteral("Bubble"), bubbleColor(theme), kBubbleHatch, false});
  return items;
}

TimelineFigure::TimelineFigure()
    : InteractiveFigure(QStringLiteral("timeline"), QStringLiteral("Timeline"), {1200, 675}) {}
TimelineFigure::~TimelineFigure() = default;

ScheduleKind TimelineFigure::kindOf(const PlanContext& c) const {
  return m_kind.value_or(c.shownPlan()->schedule);
}

const TimelineFigure::Run& TimelineFigure::runOf(const PlanContext& c, bool now) const {
  const ScheduleKind kind = kindOf(c);
  const bool known = m_run && m_run->shows(c, kind);
  if (known && !(now && m_run->pending)) return *m_run;
  m_run = std::make_unique<Run>();
  m_run->context = c;
  m_run->kind = kind;
  if (m_ask && Playback::isLong(c) && !now) {
    m_run->pending = true;
    m_ask(c, kind);
  } else {
    m_run->fill(simulate(*c.problem, *c.shownPlan(), *c.shownEvaluation(), kind));
  }
  return *m_run;
}

void TimelineFigure::take(const PlanContext& c, ScheduleKind kind, Schedule simulated) {
  if (m_run && m_run->pending && m_run->shows(c, kind)) m_run->fill(std::move(simulated));
}

std::shared_ptr<const ScheduleReplay> TimelineFigure::replay(const PlanContext& c) const {
  return isShown(c) ? runOf(c).replay : nullptr;
}

/// "does not fit: stage 1 needs 385 of 80 GiB".
QString TimelineFigure::verdict(const PlanContext& c) const {
  const Run& run = runOf(c);
  const Bytes headroom = reservedOn(c.problem->assumptions, run.capacityOf(run.fullest)).headroom;
  return QStringLiteral("%1: stage %2 needs %3")
      .arg(run.fits() ? QStringLiteral("fits") : QStringLiteral("does not fit"), stageNumber(run.fullest),
           phrase(
               words::memory(run.peaks[at(run.fullest)] - headroom, headroom, run.capacityOf(run.fullest))));
}

bool TimelineFigure::saysVerdict(const PlanContext& c) const {
  const Run& run = runOf(c);
  if (run.fits()) return false;
  if (run.schedule().kind != c.shownPlan()->schedule) return true;
  const QString banner = bannerOf(c, false);
  if (c.isNearestMiss()) return !banner.startsWith(phrase(words::noPlan(*c.outcome).title));
  const auto& violations = c.shownEvaluation()->violations;
  return violations.empty() || violations.front().kind != Violation::Kind::Memory ||
         !banner.contains(phrase(violations.front().message));
}

/// Time and idle time are those of the run that is drawn, under every schedule. What the formula says of the
/// plan, which stands everywhere else, is added where it differs. Whether a schedule that was chosen here
/// fits is said nowhere else.
QString TimelineFigure::sentence(const PlanContext& c) const {
  const Run& run = runOf(c);
  const Schedule& s = run.schedule();
  const auto idleText = [](const Bubble& b) {
    return b.idle() > 0 ? QStringLiteral(", idle ") + phrase(words::of(b)) : QString();
  };
  QString out = QStringLiteral("%1, %2").arg(scheduleLabel(s.kind), microbatchText(c));
  const QString idle = idleText(bubbleOf(run.evaluation, s)), byFormula = idleText(bubbleOf(run.evaluation)),
                time = timeText(s.total), formula = timeText(run.evaluation.batchTime);
  out += saysVerdict(c) ? QStringLiteral(" – ") + verdict(c) + QStringLiteral("; ") : QStringLiteral(": ");
  out += QStringLiteral("%1 per step").arg(time);
  const bool agrees = !m_kind && formula == time && byFormula == idle;
  out += (agrees ? QString() : QStringLiteral(" simulated")) + idle;
  if (!m_kind && !agrees) out += QStringLiteral("; by formula ") + formula + byFormula;
  if (m_kind && run.fits()) out += QStringLiteral("; ") + verdict(c);
  if (run.end < s.total.value() * (1 - 1e-9))
    out += QStringLiteral("; drawn: the first %1 of it").arg(timeText(Seconds(run.end)));
  return out;
}

QRectF TimelineFigure::plotOf(const QRectF& area, const PlanContext& c) const {
  const Run& run = runOf(c);
  const QRectF body = bodyOf(area, c, false);
  const auto items = timelineLegend(run.used, run.evaluation, Theme::of(Theme::Kind::Light));
  return layoutTimeline(body, m_showsMemory, saysVerdict(c) && !hcapitalised(area, false),
                        legendHeight(items, body.width()), c.shownPlan()->stageCount())
      .plot;
}

std::optional<FigureState> TimelineFigure::state(const PlanContext& c, bool onPaper) const {
  if (auto none = stateOf(c, QStringLiteral("the schedule"))) return none;
  if (m_stacked && Playback::isLong(c))
    return FigureState{
        QStringLiteral("Too many tasks to show all schedules"),
        QStringLiteral(
            "All schedules together are simulated and drawn task by task, for plans of at most %1 "
            "forward passes. This one has %2: %3%4, %5. Choose one schedule above, or a smaller batch "
            "or fewer stages in What-if.")
            .arg(countText(Playback::kTasksOfAFrame), countText(Playback::tasksOf(c)),
                 plural(c.shownPlan()->stageCount(), QStringLiteral("stage")),
                 c.shownPlan()->chunksPerStage() > 1
                     ? QStringLiteral(" of %1 chunks").arg(c.shownPlan()->chunksPerStage())
                     : QString(),
                 microbatchText(c))};
  const Run& run = runOf(c, onPaper);
  if (run.pending) return pendingState(c);
  if (!run.schedule().intervals.empty()) return std::nullopt;
  return FigureState{QStringLiteral("This plan cannot run"),
                     QStringLiteral("Its stages have no known times.")};
}

void TimelineFigure::draw(FigurePainter& ink, const QRectF& area, const PlanContext& c) const {
  if (m_stacked) return drawStack(ink, area, c);
  QPainter& painter = ink.painter();
  const FigureStyle& style = ink.style();
  const Run& run = runOf(c);
  const auto items = timelineLegend(run.used, run.evaluation, ink.theme());
  const int stages = c.shownPlan()->stageCount();
  const QRectF body = bodyOf(area, c, style.standalone);
  const auto layout = layoutTimeline(body, m_showsMemory,
                                     saysVerdict(c) && !style.report && !hcapitalised(area, style.standalone),
                                     legendHeight(items, body.width()), stages);
  const double total = run.end;
  const double from = style.standalone ? 0 : m_from * total,
               to = style.standalone ? total : (m_from + m_span) * total;
  FigureStyle looked = style;  // a task stands out by its outline and arrows, which dimmed rows would hide
  if (looked.selected && looked.selected->kind == ItemKind::Task) looked.selected.reset();
  const Focus focus(c, looked);
  const TimelineRows rows(run.schedule(), run.starts(), layout.plot, from, to);
  const QString bands =
      rows.drawsTasks() ? QString() : QStringLiteral("; bands: each part's share of the time");
  paintFrame(ink, area, c, title(), sentence(c) + bands);
  const QColor error = ink.color(Role::Error);
  if (!layout.verdict.isEmpty()) {
    const QRectF& line = layout.verdict;
    ink.fill(line, mixed(ink.color(Role::Canvas), error, 0.16));
    ink.fill(QRectF(line.left(), line.top(), 4, line.height()), error);
    ink.label(line.adjusted(10, 0, -4, 0), capitalised(verdict(c)), Qt::AlignLeft | Qt::AlignVCenter,
              FigurePainter::kBody, ink.color(Role::Text), true);
  }
  painter.save();
  painter.setClipRect(layout.plot.adjusted(0, -1, 0, 1));
  rows.paint(ink, focus, m_run->image);
  for (int s = 0; s < stages; ++s)
    if (focus.selects(s) || focus.hovers(s))
      ink.outline(rows.rowBox(s).adjusted(1, 0.5, -1, -0.5),
                  ink.color(focus.selects(s) ? Role::Selection : Role::Hover), 1.6);
  paintTask(ink, rows, layout.plot, c);
  painter.restore();
  for (int s = 0; s < stages; ++s) {  // beside what is drawn to scale, not over it
    if (!run.overflows(s)) continue;
    const QRectF row = rows.rowBox(s);
    ink.fill(QRectF(row.right() + 1, row.top(), 3, row.height()), error);
    if (row.height() >= 20)
      ink.outline(QRectF(row.left() - 38, row.center().y() - 11, 32, 22), error, 1.6);
    else
      ink.fill(QRectF(row.left() - 4, row.top(), 3, row.height()), error);
  }

  if (rows.rowHeight() >= 13) {
    for (int s = 0; s < stages; ++s) {
      const double h = std::min(18.0, rows.rowHeight() - 1);
      ink.stageChip(QRectF(layout.plot.left() - 36, rows.rowBox(s).center().y() - h / 2, 28, h), s,
                    std::min(FigurePainter::kSmall, h - 2), focus.dims(s));
    }
  } else {
    for (int s = 0; s < stages; ++s)
      ink.stageBox(QRectF(layout.plot.left() - 10, rows.rowBox(s).top(), 6, rows.rowHeight()), s,
                   focus.dims(s));
    for (int s : countedTicks(stages, static_cast<int>(layout.plot.height() / 16)))
      ink.label(QRectF(layout.plot.left() - 52, rows.rowBox(s).center().y() - 8, 38, 16), stageNumber(s),
                Qt::AlignRight | Qt::AlignVCenter, FigurePainter::kSmall, ink.color(Role::MutedText));
  }
  // Ticks stand at round times; what is visible may begin anywhere.
  const QRectF below(layout.plot.left(), layout.plot.top(), layout.plot.width(), rows.rowHeight() * stages);
  Axis axis = Axis::time(total * (to - from) / total, std::max(2, static_cast<int>(below.width() / 90)));
  const double step = axis.ticks.size() > 1 ? axis.ticks[1] : 1;
  const double unit = axis.unit;
  const QString unitText = QStringLiteral("Time (%1)").arg(axis.unitName);
  for (double t = std::ceil(from / unit / step - 1e-9) * step; t * unit <= to * (1 + 1e-12); t += step) {
    const double x = rows.xOf(t * unit);
    ink.line({x, below.bottom()}, {x, below.bottom() + 4}, ink.color(Role::Border));
    const QString label = phrase(text::number(t, 5));
    const double w = FigurePainter::width(label, FigurePainter::kSmall) + 2;
    ink.label(QRectF(std::min(x - w / 2, body.right() - w), below.bottom() + 5, w, 16), label,
              Qt::AlignCenter, FigurePainter::kSmall, ink.color(Role::MutedText));
  }
  ink.firstThatFits(QRectF(body.left() - 6, below.bottom() + 5, 50, 16), {unitText, axis.unitName},
                    Qt::AlignRight | Qt::AlignVCenter, FigurePainter::kSmall, ink.color(Role::MutedText));
  if (m_showsMemory && layout.memory.isEmpty()) ink.leaveOut();
  int stage = run.fullest;
  if (const auto chosen = style.selected ? stageOf(*style.selected, c) : std::nullopt) stage = *chosen;
  for (int s = 0; s < stages; ++s)
    if (focus.hovers(s)) stage = s;
  QRectF memory = layout.memory;
  if (!memory.isEmpty()) {
    memory.moveTop(below.bottom() + 48);
    paintMemoryCurve(ink, memory, run.replay->memoryOf(stage), stage, run.capacityOf(stage),
                     reservedOn(c.problem->assumptions, run.capacityOf(stage)).headroom, from, to);
  }
  paintSpan(ink, rows, below, memory, c);
  if (!style.standalone) paintPlayhead(ink, rows, below, memory, stage, c);
  paintLegend(ink, layout.legend, items);
}

std::optional<Figure::Hit> TimelineFigure::itemAt(const QPointF& at, const QRectF& area,
                                                  const PlanContext& c) const {
  if (m_stacked) return stackItemAt(at, area, c);
  const Run& run = runOf(c);
  const int stages = c.shownPlan()->stageCount();
  const QRectF plot = plotOf(area, c);
  const TimelineRows rows(run.schedule(), run.starts(), plot, m_from * run.end, (m_from + m_span) * run.end);
  const int stage = static_cast<int>(std::floor((at.y() - plot.top()) / rows.rowHeight()));
  if (stage < 0 || stage >= stages || at.x() < plot.left() - 52 || at.x() > plot.right()) return std::nullopt;
  if (at.x() < plot.left()) return locate({ItemKind::Stage, stage}, area, c);
  const double t = rows.timeAt(at.x());
  const auto [from, to] = rows.visible(stage);
  for (std::size_t k = from; k < to; ++k) {
    const auto& i = run.schedule().intervals[k];
    if (i.begin.value() > t || i.end.value() < t) continue;
    const QRectF row = rows.rowBox(stage);
    return Hit{{ItemKind::Stage, stage},
               QRectF(rows.xOf(i.begin.value()), row.top(),
                      rows.xOf(i.end.value()) - rows.xOf(i.begin.value()), row.height()),
               tipOf(k, c)};
  }
  Tip tip(QStringLiteral("Stage %1 waits").arg(stageNumber(stage)));
  tip.note(QStringLiteral("Bubble: idle until its inputs arrive."));
  return Hit{{ItemKind::Stage, stage}, rows.rowBox(stage), tip.html()};
}

QString TimelineFigure::tipOf(std::size_t k, const PlanContext& c) const {
  const Run& run = runOf(c);
  const ScheduleInterval& i = run.schedule().intervals[k];
  const bool pass = i.kind != TaskKind::Sync && i.kind != TaskKind::Step;
  Tip tip(pass ? QStringLiteral("%1 of microbatch %2").arg(nameOf(partOf(i.kind))).arg(i.microbatch)
               : nameOf(partOf(i.kind)));
  tip.row(QStringLiteral("Stage"), stageNumber(i.stage));
  if (c.shownPlan()->chunksPerStage() > 1 && pass) tip.row(QStringLiteral("Chunk"), QString::number(i.chunk));
  tip.row(QStringLiteral("Takes"), exactTime(i.end - i.begin));
  if (const QString sent = sentWithin(run.evaluation, partOf(i.kind)); !sent.isEmpty())
    tip.row(QStringLiteral("with communication"), sent);
  if (i.recompute.value() > 0) tip.row(QStringLiteral("of it recompute"), exactTime(i.recompute));
  return tip.row(QStringLiteral("Begins"), exactTime(i.begin))
      .row(QStringLiteral("Ends"), exactTime(i.end))
      .html();
}

std::optional<Figure::Hit> TimelineFigure::placeOf(const SelectionItem& item, const QRectF& area,
                                                   const PlanContext& c) const {
  const auto stage = stageOf(item, c);
  if (!stage) return std::nullopt;
  if (m_stacked) return stackHit(0, *stage, area, c);
  const Run& run = runOf(c);
  if (const auto id = taskOf(item)) {
    const auto k = intervalOf(*id, c);
    if (!k) return std::nullopt;
    const ScheduleInterval& i = run.schedule().intervals[*k];
    const TimelineRows rows(run.schedule(), run.starts(), plotOf(area, c), m_from * run.end,
                            (m_from + m_span) * run.end);
    const QRectF row = rows.rowBox(*stage);
    const double x = rows.xOf(i.begin.value());
    return Hit{item, QRectF(x, row.top(), rows.xOf(i.end.value()) - x, row.height()), tipOf(*k, c)};
  }
  const TimelineRows rows(run.schedule(), run.starts(), plotOf(area, c), 0, 1);
  Tip tip(QStringLiteral("Stage %1").arg(stageNumber(*stage)));
  const Seconds busy = run.schedule().busy[at(*stage)];
  tip.row(QStringLiteral("Busy"), exactTime(busy));
  tip.row(QStringLiteral("Idle"), exactTime(run.schedule().total - busy));
  tip.row(QStringLiteral("Batch"), exactTime(run.schedule().total));
  tip.row(QStringLiteral("Memory at the peak"),
          exactMemory(run.peaks[at(*stage)] -
                      reservedOn(c.problem->assumptions, run.capacityOf(*stage)).headroom));
  if (run.overflows(*stage))
    tip.row(QStringLiteral("Too much"), exactMemory(run.peaks[at(*stage)] - run.capacityOf(*stage)));
  return Hit{{ItemKind::Stage, *stage}, rows.rowBox(*stage), tip.html()};
}

QString TimelineFigure::sentenceOf(const SelectionItem& item, const PlanContext& c) const {
  const auto stage = stageOf(item, c);
  if (!stage) return {};
  const Run& run = runOf(c);
  if (const auto id = taskOf(item)) {
    const auto k = intervalOf(*id, c);
    if (!k) return {};
    const ScheduleInterval& i = run.schedule().intervals[*k];
    const bool pass = i.kind != TaskKind::Sync && i.kind != TaskKind::Step;
    return QStringLiteral("%1%2 on stage %3: %4, from %5 to %6")
        .arg(nameOf(partOf(i.kind)), pass ? QStringLiteral(" of microbatch %1").arg(i.microbatch) : QString(),
             stageNumber(*stage), timeText(i.end - i.begin), timeText(i.begin), timeText(i.end));
  }
  const Seconds busy = run.schedule().busy[at(*stage)], total = run.schedule().total;
  QString out =
      QStringLiteral("Stage %1: busy %2 of %3 (%4)")
          .arg(stageNumber(*stage), timeText(busy), timeText(total), phrase(text::percent(busy / total)));
  if (run.overflows(*stage))
    out += QStringLiteral(", %1 of memory too much")
               .arg(memoryText(run.peaks[at(*stage)] - run.capacityOf(*stage)));
  return out;
}

QString TimelineFigure::words(const PlanContext& c) const {
  if (m_stacked) return stackWords(c);
  QString out = title() + u'\n' + sentence(c) + u'\n';
  if (!runOf(c).fits() && !saysVerdict(c)) out += capitalised(verdict(c)) + u'\n';
  if (m_mark) out += spanText(c, std::nullopt) + u'\n';
  for (int i = 0; i < c.shownPlan()->stageCount(); ++i) out += describe({ItemKind::Stage, i}, c) + u'\n';
  return out;
}

void TimelineFigure::zoomAt(const QPointF& at, double factor, const QRectF& area, const PlanContext& c) {
  if (m_stacked) return;
  if (!isShown(c)) return;
  const QRectF body = bodyOf(area, c, false);
  const double x = std::clamp((at.x() - body.left() - 52) / std::max(1.0, body.width() - 56), 0.0, 1.0);
  // Down to a dozen tasks across the picture.
  const double least = std::min(1.0, 12.0 * static_cast<double>(c.shownPlan()->stageCount()) /
                                         static_cast<double>(runOf(c).schedule().intervals.size()));
  const double span = std::clamp(m_span / factor, least, 1.0);
  m_from = std::clamp(m_from + x * (m_span - span), 0.0, 1 - span);
  m_span = span;
}

std::map<std::string, double> TimelineFigure::viewport() const {
  std::map<std::string, double> out{{"from", m_from}, {"span", m_span}};
  if (m_mark) out["mark_from"] = m_mark->from, out["mark_to"] = m_mark->to;
  return out;
}

void TimelineFigure::setViewport(const std::map<std::string, double>& wanted) {
  const auto from = wanted.find("from"), span = wanted.find("span");
  if (from == wanted.end() || span == wanted.end()) return;
  m_span = std::clamp(span->second, 1e-9, 1.0);
  m_from = std::clamp(from->second, 0.0, 1 - m_span);
  const auto markFrom = wanted.find("mark_from"), markTo = wanted.find("mark_to");
  m_mark.reset();
  if (markFrom != wanted.end() && markTo != wanted.end() && markTo->second > markFrom->second)
    m_mark = Span{std::max(0.0, markFrom->second), markTo->second};
}

void TimelineFigure::panBy(const QPointF& pixels, const QRectF& area, const PlanContext& c) {
  if (m_stacked) return;
  const QRectF body = bodyOf(area, c, false);
  m_from = std::clamp(m_from - pixels.x() / std::max(1.0, body.width() - 56) * m_span, 0.0, 1 - m_span);
}

std::vector<FigureOption> TimelineFigure::offeredOptions(const PlanContext& c) const {
  FigureOption schedule{"schedule",
                        QStringLiteral("Schedule"),
                        QStringLiteral("The same stages under another schedule"),
                        {{"planned", QStringLiteral("As planned")}},
                        m_stacked ? "all"
                        : m_kind  ? std::string(scheduleOf(*m_kind).id())
                                  : "planned"};
  for (const PipelineSchedule* s : schedules()) {
    const Plan* plan = c.shownPlan();
    const bool runs = !plan || (s->kind() != plan->schedule && canRun(*s, c));
    if (runs || (m_kind && s->kind() == *m_kind))
      schedule.choices.push_back({std::string(s->id()), scheduleLabel(s->kind())});
  }
  schedule.choices.push_back({"all", QStringLiteral("All, side by side")});
  return {std::move(schedule),
          {"memory",
           QStringLiteral("Memory curve"),
           QStringLiteral("Memory of one stage over the step: the selected stage, or the fullest"),
           {},
           m_showsMemory ? FigureOption::kOn : FigureOption::kOff}};
}

void TimelineFigure::setOption(const std::string& key, const std::string& name) {
  if (key == "schedule") {
    m_stacked = name == "all";
    const PipelineSchedule* other = scheduleNamed(name);
    m_kind = other ? std::optional(other->kind()) : std::nullopt;
  }
  if (key == "memory") m_showsMemory = name == FigureOption::kOn;
}

}  // namespace nest
