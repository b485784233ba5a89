#include "figures/timeline_figure.h"

#include <algorithm>
#include <cmath>

#include "figures/axis.h"
#include "figures/focus.h"
#include "figures/frame.h"
#include "figures/ink.h"
#include "figures/memory_curve.h"
#include "figures/phrases.h"
#include "figures/ticks.h"
#include "figures/timeline_rows.h"
#include "plan/bubble.h"
#include "words/metric_words.h"

namespace nest {

struct TimelineFigure::Run {
  PlanContext context;  ///< keeps what is shown alive
  Schedule schedule;
  std::vector<std::size_t> starts;  ///< first interval of each stage, and the end
  std::vector<std::size_t> memoryStarts;
  PerLoadPart<bool> used{};  ///< which parts occur
  TimelineImage image;
  ScheduleKind kind = ScheduleKind::OneForwardOneBackward;
  bool pending = false;  ///< asked for, not here yet

  bool shows(const PlanContext&, ScheduleKind) const;
};

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

struct TimelineLayout {
  QRectF plot, memory, legend;
  double axisTop = 0;
};

PerLoadPart<bool> partsOf(const Schedule& schedule) {
  PerLoadPart<bool> used{};
  for (const auto& i : schedule.intervals) {
    used[partOf(i.kind)] = true;
    if (i.recompute.value() > 0) used[LoadPart::Recompute] = true;
  }
  return used;
}

std::vector<LegendItem> legendItems(const PerLoadPart<bool>& used, const Theme& theme) {
  std::vector<LegendItem> items;
  const auto add = [&](LoadPart part) {
    if (used[part]) items.push_back({nameOf(part), colorOf(part, theme), hatchOf(part), false});
  };
  for (int k = 0; k < kLoadPartCount; ++k) {
    const auto part = static_cast<LoadPart>(k);
    if (part != LoadPart::WeightGradient) add(part);
    if (part == LoadPart::Backward) add(LoadPart::WeightGradient);  // whose part it is
  }
  items.push_back({QStringLiteral("Bubble"), mixed(theme.color(Role::Canvas), theme.color(Role::Idle), 0.6),
                   kBubbleHatch, false});
  return items;
}

TimelineLayout layoutTimeline(const QRectF& area, const PlanContext& c, bool standalone, bool memory,
                              double legend, int stages) {
  TimelineLayout out;
  const QRectF body = bodyOf(area, c, standalone);
  const double left = body.left() + 52, width = body.width() - 56;
  out.legend = QRectF(body.left(), body.bottom() - legend, body.width(), legend);
  double bottom = out.legend.top() - 6;
  double room = bottom - body.top() - 24;
  // Few stages leave their room to the memory curve.
  const bool both = memory && room > 180;
  const double rows = std::min(std::clamp(0.2 * room, 60.0 * stages, TimelineRows::kTallestRow * stages),
                               both ? room * (stages > 24 ? 0.72 : 0.64) : room);
  out.plot = QRectF(left, body.top(), width, std::max(10.0, rows));
  if (both)
    out.memory = QRectF(left, out.plot.bottom() + 48, width, std::max(30.0, bottom - out.plot.bottom() - 56));
  return out;
}

}  // namespace

TimelineFigure::TimelineFigure()
    : InteractiveFigure(QStringLiteral("timeline"), QStringLiteral("Timeline"), {1200, 675}) {}
TimelineFigure::~TimelineFigure() = default;

ScheduleKind TimelineFigure::kindOf(const PlanContext& c) const {
  return m_kind.value_or(c.shownPlan()->schedule);
}

bool TimelineFigure::isLong(const PlanContext& c) {
  constexpr double kTasksOfAFrame = 40000;
  return static_cast<double>(c.shownPlan()->stageCount()) * c.shownPlan()->chunksPerStage() *
             c.shownEvaluation()->microbatchCount >
         kTasksOfAFrame;
}

bool TimelineFigure::Run::shows(const PlanContext& c, ScheduleKind wanted) const {
  return kind == wanted && context.problem == c.problem && context.plan == c.plan &&
         context.outcome == c.outcome;
}

const TimelineFigure::Run& TimelineFigure::runOf(const PlanContext& c, bool now) const {
  const ScheduleKind kind = kindOf(c);
  const bool known = m_run && m_run->shows(c, kind);
  if (known && !(now && m_run->pending)) return *m_run;
  m_run = std::make_unique<Run>();
  m_run->context = c;
  m_run->kind = kind;
  if (m_ask && isLong(c) && !now) {
    m_run->pending = true;
    m_ask(c, kind);
  } else {
    fill(*m_run, c, simulate(*c.problem, *c.shownPlan(), *c.shownEvaluation(), kind));
  }
  return *m_run;
}

void TimelineFigure::take(const PlanContext& c, ScheduleKind kind, Schedule schedule) {
  if (m_run && m_run->pending && m_run->shows(c, kind)) fill(*m_run, c, std::move(schedule));
}

void TimelineFigure::fill(Run& run, const PlanContext& c, Schedule schedule) const {
  run.pending = false;
  run.schedule = std::move(schedule);
  run.used = partsOf(run.schedule);
  const auto& intervals = run.schedule.intervals;
  const auto& memory = run.schedule.memory;
  for (int s = 0; s <= c.shownPlan()->stageCount(); ++s) {
    run.starts.push_back(static_cast<std::size_t>(
        std::lower_bound(intervals.begin(), intervals.end(), s,
                         [](const ScheduleInterval& i, int stage) { return i.stage < stage; }) -
        intervals.begin()));
    run.memoryStarts.push_back(static_cast<std::size_t>(
        std::lower_bound(memory.begin(), memory.end(), s,
                         [](const MemoryStep& i, int stage) { return i.stage < stage; }) -
        memory.begin()));
  }
}

std::optional<Moment> TimelineFigure::momentAt(double share, const PlanContext& c) const {
  if (!isShown(c)) return std::nullopt;
  const Run& run = runOf(c);
  Moment m;
  m.seconds = share * run.schedule.total.value();
  for (std::size_t s = 0; s + 1 < run.starts.size(); ++s) {
    const auto first = run.schedule.intervals.begin() + static_cast<std::ptrdiff_t>(run.starts[s]);
    const auto last = run.schedule.intervals.begin() + static_cast<std::ptrdiff_t>(run.starts[s + 1]);
    const auto after = std::upper_bound(
        first, last, m.seconds, [](double t, const ScheduleInterval& i) { return t < i.begin.value(); });
    if (after == first) continue;
    const ScheduleInterval& i = *std::prev(after);
    if (i.end.value() > m.seconds)
      m.running.push_back({static_cast<int>(s), static_cast<int>(i.kind), i.microbatch});
  }
  return m;
}

QString TimelineFigure::sentence(const PlanContext& c) const {
  const Schedule& s = runOf(c).schedule;
  const std::string_view label = scheduleOf(s.kind).label();
  const auto kind = QString::fromUtf8(label.data(), static_cast<qsizetype>(label.size()));
  const QString out = QStringLiteral("%1, %2: %3 per step").arg(kind, microbatchText(c), timeText(s.total));
  // The plan's own schedule has the bubble that is told of the plan everywhere; another one has that of its
  // run, and so has one whose bubble the formula tells less closely.
  const bool ofRun = m_kind || !scheduleOf(s.kind).fillsByLoad();
  const Bubble bubble = ofRun ? bubbleOf(*c.shownEvaluation(), s) : bubbleOf(*c.shownEvaluation());
  const QString idle = bubble.idle() > 0 ? QStringLiteral(", idle ") + phrase(words::of(bubble)) : QString();
  // Everywhere else stands what the formula says: another number is said to be the simulation's.
  const QString formula = timeText(c.shownEvaluation()->batchTime);
  if (m_kind || formula == timeText(s.total)) return out + idle;
  const QString of = QStringLiteral("; by formula ") + formula;
  return out + QStringLiteral(" simulated") + (ofRun ? idle + of : of + idle);
}

std::optional<FigureState> TimelineFigure::state(const PlanContext& c, bool onPaper) const {
  if (auto none = stateOf(c, QStringLiteral("the schedule"))) return none;
  const Run& run = runOf(c, onPaper);
  if (run.pending) return pendingState(c);
  if (!run.schedule.intervals.empty()) return std::nullopt;
  return FigureState{QStringLiteral("This plan cannot run"),
                     QStringLiteral("Its stages have no known times.")};
}

void TimelineFigure::draw(Ink& ink, const QRectF& area, const PlanContext& c) const {
  QPainter& painter = ink.painter();
  const FigureStyle& style = ink.style();
  const Run& run = runOf(c);
  const auto items = legendItems(run.used, ink.theme());
  const int stages = c.shownPlan()->stageCount();
  const QRectF body = bodyOf(area, c, style.standalone);
  const auto layout =
      layoutTimeline(area, c, style.standalone, m_showsMemory, legendHeight(items, body.width()), stages);
  const double total = run.schedule.total.value();
  const double from = style.standalone ? 0 : m_from * total,
               to = style.standalone ? total : (m_from + m_span) * total;
  const Focus focus(c, style);
  const TimelineRows rows(run.schedule, run.starts, layout.plot, from, to);
  const QString bands =
      rows.drawsTasks() ? QString() : QStringLiteral("; bands: each part's share of the time");
  paintFrame(ink, area, c, title(), sentence(c) + bands);
  painter.save();
  painter.setClipRect(layout.plot.adjusted(0, -1, 0, 1));
  rows.paint(ink, focus, m_run->image);
  for (int s = 0; s < stages; ++s)
    if (focus.selects(s) || focus.hovers(s))
      ink.outline(rows.rowBox(s).adjusted(1, 0.5, -1, -0.5),
                  ink.color(focus.selects(s) ? Role::Selection : Role::Hover), 1.6);
  if (style.moment && !style.standalone) {
    const double x = rows.xOf(style.moment->seconds);
    ink.line({x, layout.plot.top()}, {x, rows.rowBox(stages - 1).bottom()}, ink.color(Role::Error), 2);
  }
  painter.restore();

  if (rows.rowHeight() >= 13) {
    for (int s = 0; s < stages; ++s) {
      const double h = std::min(18.0, rows.rowHeight() - 1);
      ink.stageChip(QRectF(layout.plot.left() - 36, rows.rowBox(s).center().y() - h / 2, 28, h), s,
                    std::min(Ink::kSmall, h - 2), focus.dims(s));
    }
  } else {
    for (int s = 0; s < stages; ++s)
      ink.stageBox(QRectF(layout.plot.left() - 10, rows.rowBox(s).top(), 6, rows.rowHeight()), s,
                   focus.dims(s));
    for (int s : countedTicks(stages, static_cast<int>(layout.plot.height() / 16)))
      ink.label(QRectF(layout.plot.left() - 52, rows.rowBox(s).center().y() - 8, 38, 16), stageNumber(s),
                Qt::AlignRight | Qt::AlignVCenter, Ink::kSmall, ink.color(Role::MutedText));
  }
  // Ticks stand at round times; what is visible may begin anywhere.
  const QRectF below(layout.plot.left(), layout.plot.top(), layout.plot.width(), rows.rowHeight() * stages);
  Axis axis = Axis::time(total * (to - from) / total, std::max(2, static_cast<int>(below.width() / 90)));
  const double step = axis.ticks.size() > 1 ? axis.ticks[1] : 1;
  const double unit = axis.unit;
  const QString unitText = QStringLiteral("Time (%1)").arg(axis.unitName);
  const double reserved = Ink::width(unitText, Ink::kSmall) + 10;
  for (double t = std::ceil(from / unit / step - 1e-9) * step; t * unit <= to * (1 + 1e-12); t += step) {
    const double x = rows.xOf(t * unit);
    ink.line({x, below.bottom()}, {x, below.bottom() + 4}, ink.color(Role::Border));
    const QString label = phrase(text::number(t, 5));
    const double w = Ink::width(label, Ink::kSmall) + 2;
    if (x + w / 2 < below.right() - reserved)
      ink.label(QRectF(x - w / 2, below.bottom() + 5, w, 16), label, Qt::AlignCenter, Ink::kSmall,
                ink.color(Role::MutedText));
  }
  ink.label(QRectF(below.right() - reserved, below.bottom() + 5, reserved, 16), unitText,
            Qt::AlignRight | Qt::AlignVCenter, Ink::kSmall, ink.color(Role::MutedText));
  if (!layout.memory.isEmpty()) {
    int stage = c.shownEvaluation()->fullestStage();
    if (focus.selected()) stage = *focus.selected();
    for (int s = 0; s < stages; ++s)
      if (focus.hovers(s)) stage = s;
    QRectF memory = layout.memory;
    memory.moveTop(below.bottom() + 48);
    const auto at = static_cast<std::size_t>(std::max(0, stage));
    paintMemoryCurve(ink, memory,
                     std::span(run.schedule.memory)
                         .subspan(run.memoryStarts[at], run.memoryStarts[at + 1] - run.memoryStarts[at]),
                     static_cast<int>(at), c.shownEvaluation()->stages[at].memory.capacity,
                     c.problem->headroomReserve, from, to);
  }
  paintLegend(ink, layout.legend, items);
}

std::optional<Figure::Hit> TimelineFigure::itemAt(const QPointF& at, const QRectF& area,
                                                  const PlanContext& c) const {
  const Run& run = runOf(c);
  const int stages = c.shownPlan()->stageCount();
  const QRectF body = bodyOf(area, c, false);
  const auto layout = layoutTimeline(
      area, c, false, m_showsMemory,
      legendHeight(legendItems(run.used, Theme::of(Theme::Kind::Light)), body.width()), stages);
  const double total = run.schedule.total.value();
  const TimelineRows rows(run.schedule, run.starts, layout.plot, m_from * total, (m_from + m_span) * total);
  const int stage = static_cast<int>(std::floor((at.y() - layout.plot.top()) / rows.rowHeight()));
  if (stage < 0 || stage >= stages || at.x() < layout.plot.left() - 52 || at.x() > layout.plot.right())
    return std::nullopt;
  if (at.x() < layout.plot.left()) return locate({ItemKind::Stage, stage}, area, c);
  const double t = rows.timeAt(at.x());
  const auto [from, to] = rows.visible(stage);
  for (std::size_t k = from; k < to; ++k) {
    const auto& i = run.schedule.intervals[k];
    if (i.begin.value() > t || i.end.value() < t) continue;
    const bool pass = i.kind == TaskKind::Forward || i.kind == TaskKind::Backward ||
                      i.kind == TaskKind::WeightGradient || i.kind == TaskKind::ActivationTransfer ||
                      i.kind == TaskKind::GradientTransfer;
    Tip tip(pass ? QStringLiteral("%1 of microbatch %2").arg(nameOf(partOf(i.kind))).arg(i.microbatch)
                 : nameOf(partOf(i.kind)));
    tip.row(QStringLiteral("Stage"), stageNumber(stage));
    if (c.shownPlan()->chunksPerStage() > 1 && pass)
      tip.row(QStringLiteral("Chunk"), QString::number(i.chunk));
    tip.row(QStringLiteral("Takes"), exactTime(i.end - i.begin));
    if (i.recompute.value() > 0) tip.row(QStringLiteral("of it recompute"), exactTime(i.recompute));
    tip.row(QStringLiteral("Begins"), exactTime(i.begin)).row(QStringLiteral("Ends"), exactTime(i.end));
    const QRectF row = rows.rowBox(stage);
    return Hit{{ItemKind::Stage, stage},
               QRectF(rows.xOf(i.begin.value()), row.top(),
                      rows.xOf(i.end.value()) - rows.xOf(i.begin.value()), row.height()),
               tip.html()};
  }
  Tip tip(QStringLiteral("Stage %1 waits").arg(stageNumber(stage)));
  tip.note(QStringLiteral("Bubble: idle until its inputs arrive."));
  return Hit{{ItemKind::Stage, stage}, rows.rowBox(stage), tip.html()};
}

std::optional<Figure::Hit> TimelineFigure::placeOf(const SelectionItem& item, const QRectF& area,
                                                   const PlanContext& c) const {
  const auto stage = stageOf(item, c);
  if (!stage) return std::nullopt;
  const Run& run = runOf(c);
  const QRectF body = bodyOf(area, c, false);
  const auto layout =
      layoutTimeline(area, c, false, m_showsMemory,
                     legendHeight(legendItems(run.used, Theme::of(Theme::Kind::Light)), body.width()),
                     c.shownPlan()->stageCount());
  const TimelineRows rows(run.schedule, run.starts, layout.plot, 0, 1);
  const auto at = static_cast<std::size_t>(*stage);
  Tip tip(QStringLiteral("Stage %1").arg(stageNumber(*stage)));
  const Seconds busy = run.schedule.busy[at];
  tip.row(QStringLiteral("Busy"), exactTime(busy));
  tip.row(QStringLiteral("Idle"), exactTime(run.schedule.total - busy));
  tip.row(QStringLiteral("Batch"), exactTime(run.schedule.total));
  return Hit{{ItemKind::Stage, *stage}, rows.rowBox(*stage), tip.html()};
}

std::optional<SelectionItem> TimelineFigure::stepFrom(const std::optional<SelectionItem>& from, Step step,
                                                      const PlanContext& c) const {
  const int last = c.shownPlan()->stageCount() - 1;
  const auto stage = from ? stageOf(*from, c) : std::nullopt;
  if (!stage || step == Step::First) return SelectionItem{ItemKind::Stage, 0};
  if (step == Step::Last) return SelectionItem{ItemKind::Stage, last};
  const int by = step == Step::Down ? 1 : step == Step::Up ? -1 : 0;
  return SelectionItem{ItemKind::Stage, std::clamp(*stage + by, 0, last)};
}

QString TimelineFigure::sentenceOf(const SelectionItem& item, const PlanContext& c) const {
  const auto stage = stageOf(item, c);
  if (!stage) return {};
  const Schedule& s = runOf(c).schedule;
  const Seconds busy = s.busy[*stage];
  return QStringLiteral("Stage %1: busy %2 of %3 (%4)")
      .arg(stageNumber(*stage))
      .arg(timeText(busy), timeText(s.total), phrase(text::percent(busy / s.total)));
}

QString TimelineFigure::words(const PlanContext& c) const {
  QString out = title() + u'\n' + sentence(c) + u'\n';
  for (int i = 0; i < c.shownPlan()->stageCount(); ++i) out += describe({ItemKind::Stage, i}, c) + u'\n';
  return out;
}

void TimelineFigure::zoomAt(const QPointF& at, double factor, const QRectF& area, const PlanContext& c) {
  if (!isShown(c)) return;
  const QRectF body = bodyOf(area, c, false);
  const double x = std::clamp((at.x() - body.left() - 52) / std::max(1.0, body.width() - 56), 0.0, 1.0);
  // Down to a dozen tasks across the picture.
  const double least = std::min(1.0, 12.0 * static_cast<double>(c.shownPlan()->stageCount()) /
                                         static_cast<double>(runOf(c).schedule.intervals.size()));
  const double span = std::clamp(m_span / factor, least, 1.0);
  m_from = std::clamp(m_from + x * (m_span - span), 0.0, 1 - span);
  m_span = span;
}

std::map<std::string, double> TimelineFigure::viewport() const {
  return {{"from", m_from}, {"span", m_span}};
}

void TimelineFigure::setViewport(const std::map<std::string, double>& wanted) {
  const auto from = wanted.find("from"), span = wanted.find("span");
  if (from == wanted.end() || span == wanted.end()) return;
  m_span = std::clamp(span->second, 1e-9, 1.0);
  m_from = std::clamp(from->second, 0.0, 1 - m_span);
}

void TimelineFigure::panBy(const QPointF& pixels, const QRectF& area, const PlanContext& c) {
  const QRectF body = bodyOf(area, c, false);
  m_from = std::clamp(m_from - pixels.x() / std::max(1.0, body.width() - 56) * m_span, 0.0, 1 - m_span);
}

std::vector<FigureOption> TimelineFigure::offeredOptions(const PlanContext& c) const {
  const auto text = [](std::string_view s) {
    return QString::fromUtf8(s.data(), static_cast<qsizetype>(s.size()));
  };
  FigureOption schedule{"schedule",
                        QStringLiteral("Schedule"),
                        QStringLiteral("The same stages under another schedule"),
                        {{"planned", QStringLiteral("As planned")}},
                        m_kind ? std::string(scheduleOf(*m_kind).id()) : "planned"};
  for (const PipelineSchedule* s : schedules()) {
    const Plan* plan = c.shownPlan();
    const bool runs = !plan || (s->kind() != plan->schedule && s->takesChunks(plan->chunksPerStage()) &&
                                s->refusals(plan->stageCount(), plan->chunksPerStage(),
                                            c.shownEvaluation()->microbatchCount)
                                    .empty());
    if (runs || (m_kind && s->kind() == *m_kind))
      schedule.choices.push_back({std::string(s->id()), text(s->label())});
  }
  return {std::move(schedule),
          {"memory",
           QStringLiteral("Memory curve"),
           QStringLiteral("Memory of one stage over the step: the selected stage, or the fullest"),
           {},
           m_showsMemory ? FigureOption::kOn : FigureOption::kOff}};
}

void TimelineFigure::setOption(const std::string& key, const std::string& name) {
  if (key == "schedule") {
    const PipelineSchedule* other = scheduleNamed(name);
    m_kind = other ? std::optional(other->kind()) : std::nullopt;
  }
  if (key == "memory") m_showsMemory = name == FigureOption::kOn;
}

}  // namespace nest
