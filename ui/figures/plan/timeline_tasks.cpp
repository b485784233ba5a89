// Tasks, spans and the playhead of the timeline: what makes it an instrument.
#include <QPolygonF>
#include <QStringList>
#include <algorithm>
#include <cmath>

#include "figures/paint/figure_painter.h"
#include "figures/paint/frame.h"
#include "figures/paint/phrases.h"
#include "figures/plan/focus.h"
#include "figures/plan/timeline_figure.h"
#include "figures/plan/timeline_run.h"
#include "problem/reserved_memory.h"
#include "units/at.h"

namespace nest {
namespace {

using Role = Theme::Role;

constexpr double kRulerHeight = 24, kFlagHeight = 15;
constexpr double kLeastTaskArrow = 3;  ///< pixels between two tasks
constexpr double kLeastChip = 15;      ///< pixels of a row that has room for what runs

bool isPass(TaskKind kind) {
  return kind == TaskKind::Forward || kind == TaskKind::Backward;
}

TaskId idOf(const ScheduleInterval& i) {
  return {i.stage, static_cast<int>(i.kind), i.chunk, i.microbatch};
}

/// "F", "B", "W", …
QString letterOf(TaskKind kind) {
  switch (kind) {
    case TaskKind::Forward:
      return QStringLiteral("F");
    case TaskKind::Backward:
      return QStringLiteral("B");
    case TaskKind::WeightGradient:
      return QStringLiteral("W");
    case TaskKind::ActivationTransfer:
    case TaskKind::GradientTransfer:
      return QStringLiteral("PP");
    case TaskKind::Sync:
      return QStringLiteral("DP");
    case TaskKind::Step:
      break;
  }
  return QStringLiteral("opt");
}

std::optional<TaskKind> kindNamed(const QString& word) {
  struct Name {
    const char* word;
    TaskKind kind;
  };
  static constexpr Name kNames[] = {{"f", TaskKind::Forward},        {"fwd", TaskKind::Forward},
                                    {"forward", TaskKind::Forward},  {"b", TaskKind::Backward},
                                    {"bwd", TaskKind::Backward},     {"backward", TaskKind::Backward},
                                    {"w", TaskKind::WeightGradient}, {"weight", TaskKind::WeightGradient},
                                    {"sync", TaskKind::Sync},        {"reduction", TaskKind::Sync},
                                    {"step", TaskKind::Step},        {"optimizer", TaskKind::Step},
                                    {"opt", TaskKind::Step}};
  for (const Name& n : kNames)
    if (word == QLatin1String(n.word)) return n.kind;
  return std::nullopt;
}

/// What a person asks for: parts that are not named are open.
struct TaskQuery {
  std::optional<TaskKind> kind;
  std::optional<int> stage, microbatch, chunk;
  bool isEmpty() const { return !kind && !stage && !microbatch && !chunk; }
  bool matches(const ScheduleInterval& i) const {
    const bool anyKind =
        !kind && i.kind != TaskKind::ActivationTransfer && i.kind != TaskKind::GradientTransfer;
    return (anyKind || (kind && i.kind == *kind)) && (!stage || i.stage == *stage) &&
           (!microbatch || i.microbatch == *microbatch) && (!chunk || i.chunk == *chunk);
  }
};

std::optional<TaskQuery> readQuery(QString text) {
  TaskQuery q;
  text = text.toLower();
  for (const QChar c : {QChar(u','), QChar(u'='), QChar(u':')}) text.replace(c, u' ');
  std::optional<int>* next = nullptr;
  const QStringList words = text.split(u' ', Qt::SkipEmptyParts);
  for (const QString& word : words) {
    bool isNumber = false;
    const int n = word.toInt(&isNumber);
    if (isNumber) {
      if (next == &q.stage && n < 1) return std::nullopt;
      std::optional<int>& slot = next ? *next : q.microbatch;
      slot = next == &q.stage ? n - 1 : n;  // people count stages from 1
      next = nullptr;
    } else if (word == QLatin1String("stage") || word == QLatin1String("s")) {
      next = &q.stage;
    } else if (word == QLatin1String("microbatch") || word == QLatin1String("mb") ||
               word == QLatin1String("of")) {
      next = &q.microbatch;
    } else if (word == QLatin1String("chunk")) {
      next = &q.chunk;
    } else if (const auto kind = kindNamed(word)) {
      q.kind = kind;
    } else {
      return std::nullopt;
    }
  }
  return q.isEmpty() || next ? std::nullopt : std::optional(q);
}

void paintArrowHead(FigurePainter& ink, const QPointF& from, const QPointF& to, const QColor& colour) {
  const double length = std::hypot(to.x() - from.x(), to.y() - from.y());
  if (length < 6) return;
  const QPointF along = (to - from) / length, across(-along.y(), along.x());
  QPolygonF head;
  head << to << to - 7 * along + 3.2 * across << to - 7 * along - 3.2 * across;
  ink.painter().setPen(Qt::NoPen);
  ink.painter().setBrush(colour);
  ink.painter().drawPolygon(head);
}

/// A value on its own ground, so that it can be read over anything.
void paintValueChip(FigurePainter& ink, const QPointF& leftMiddle, const QString& text, const QRectF& within,
                    const QColor& edge) {
  const double w = FigurePainter::width(text, FigurePainter::kSmall) + 8;
  QRectF box(leftMiddle.x() + 5, leftMiddle.y() - 7.5, w, 15);
  if (box.right() > within.right()) box.moveRight(leftMiddle.x() - 5);
  ink.fill(box, ink.color(Role::Canvas));
  ink.outline(box, edge, 1, 3);
  ink.label(box, text, Qt::AlignCenter, FigurePainter::kSmall, ink.color(Role::Text));
}

}  // namespace

std::optional<std::size_t> TimelineFigure::intervalOf(const TaskId& id, const PlanContext& c) const {
  if (!isShown(c)) return std::nullopt;
  const Run& run = runOf(c);
  if (id.stage < 0 || id.stage + 1 >= static_cast<int>(run.starts().size())) return std::nullopt;
  for (std::size_t k = run.starts()[at(id.stage)]; k < run.starts()[at(id.stage + 1)]; ++k)
    if (idOf(run.schedule().intervals[k]) == id) return k;
  return std::nullopt;
}

TimelineFigure::Task TimelineFigure::taskOfInterval(std::size_t k, const PlanContext& c) const {
  const ScheduleInterval& i = runOf(c).schedule().intervals[k];
  return {idOf(i), {i.begin.value(), i.end.value(), i.recompute.value()}};
}

std::optional<TimelineFigure::Task> TimelineFigure::task(const TaskId& id, const PlanContext& c) const {
  const auto k = intervalOf(id, c);
  return k ? std::optional(taskOfInterval(*k, c)) : std::nullopt;
}

std::optional<TimelineFigure::Task> TimelineFigure::taskAt(const QPointF& at, const QRectF& area,
                                                           const PlanContext& c) const {
  if (m_stacked || !isShown(c)) return std::nullopt;
  const Run& run = runOf(c);
  const QRectF plot = plotOf(area, c);
  const TimelineRows rows(run.schedule(), run.starts(), plot, m_from * run.end, (m_from + m_span) * run.end);
  const int stage = static_cast<int>(std::floor((at.y() - plot.top()) / rows.rowHeight()));
  if (stage < 0 || stage >= c.shownPlan()->stageCount() || at.x() < plot.left() || at.x() > plot.right())
    return std::nullopt;
  const double t = rows.timeAt(at.x());
  const auto [from, to] = rows.visible(stage);
  for (std::size_t k = from; k < to; ++k) {
    const ScheduleInterval& i = run.schedule().intervals[k];
    if (i.begin.value() <= t && t <= i.end.value()) return taskOfInterval(k, c);
  }
  return std::nullopt;
}

std::optional<SelectionItem> TimelineFigure::chosenAt(const QPointF& at, const QRectF& area,
                                                      const PlanContext& c) const {
  if (const auto task = taskAt(at, area, c)) return taskItem(task->id);
  return InteractiveFigure::chosenAt(at, area, c);
}

std::optional<TimelineFigure::Task> TimelineFigure::find(const QString& words,
                                                         const std::optional<TaskId>& after,
                                                         const PlanContext& c) const {
  const auto query = readQuery(words);
  if (!query || !isShown(c)) return std::nullopt;
  const auto& all = runOf(c).schedule().intervals;
  const auto from = after ? intervalOf(*after, c) : std::nullopt;
  const std::size_t begin = from ? *from + 1 : 0;
  for (std::size_t n = 0; n < all.size(); ++n) {
    const std::size_t k = (begin + n) % all.size();
    if (query->matches(all[k])) return taskOfInterval(k, c);
  }
  return std::nullopt;
}

std::vector<TimelineFigure::Task> TimelineFigure::chainOf(const TaskId& id, const PlanContext& c) const {
  std::vector<Task> out;
  if (!isShown(c) || id.microbatch < 0) return out;
  const auto& all = runOf(c).schedule().intervals;
  for (std::size_t k = 0; k < all.size(); ++k)
    if (all[k].microbatch == id.microbatch && isPass(all[k].kind)) out.push_back(taskOfInterval(k, c));
  const Plan& plan = *c.shownPlan();
  const PipelineSchedule& schedule = scheduleOf(runOf(c).schedule().kind);
  const auto place = [&](const Task& t) {
    const int part = schedule.partOf(t.id.stage, t.id.chunk, plan.stageCount());
    const bool forward = t.id.kind == static_cast<int>(TaskKind::Forward);
    return std::pair(forward ? 0 : 1, forward ? part : -part);
  };
  std::sort(out.begin(), out.end(), [&](const Task& a, const Task& b) { return place(a) < place(b); });
  return out;
}

/// Left and right to the next task of the stage, up and down to the same microbatch on the next stage.
std::optional<SelectionItem> TimelineFigure::stepFrom(const std::optional<SelectionItem>& from, Step step,
                                                      const PlanContext& c) const {
  const int stage = (from ? stageOf(*from, c) : std::nullopt).value_or(-1);
  if (stage < 0) return SelectionItem{ItemKind::Stage, 0};
  if (const auto id = taskOf(*from); id && !m_stacked)
    if (const auto here = intervalOf(*id, c)) return stepFromTask(*id, *here, stage, step, c);
  const Run& run = runOf(c);
  const int last = c.shownPlan()->stageCount() - 1;
  if (step == Step::First) return SelectionItem{ItemKind::Stage, 0};
  if (step == Step::Last) return SelectionItem{ItemKind::Stage, last};
  const bool inTime = !m_stacked && (step == Step::Left || step == Step::Right);
  if (inTime && run.starts()[at(stage)] < run.starts()[at(stage + 1)]) {
    // The first that begins in sight.
    std::size_t k = run.starts()[at(stage)];
    while (k + 1 < run.starts()[at(stage + 1)] &&
           run.schedule().intervals[k].begin.value() < m_from * run.end)
      ++k;
    return taskItem(idOf(run.schedule().intervals[k]));
  }
  const int by = step == Step::Down ? 1 : step == Step::Up ? -1 : 0;
  return SelectionItem{ItemKind::Stage, std::clamp(stage + by, 0, last)};
}

SelectionItem TimelineFigure::stepFromTask(const TaskId& id, std::size_t here, int stage, Step step,
                                           const PlanContext& c) const {
  const Run& run = runOf(c);
  const auto item = [&](std::size_t k) { return taskItem(idOf(run.schedule().intervals[k])); };
  const auto first = [&](int s) { return run.starts()[at(s)]; };
  const auto end = [&](int s) { return run.starts()[at(s + 1)]; };
  switch (step) {
    case Step::Left:
      return item(here > first(stage) ? here - 1 : here);
    case Step::Right:
      return item(here + 1 < end(stage) ? here + 1 : here);
    case Step::First:
      return item(first(stage));
    case Step::Last:
      return item(end(stage) - 1);
    case Step::Up:
    case Step::Down:
      break;
  }
  const int last = c.shownPlan()->stageCount() - 1;
  const int other = std::clamp(stage + (step == Step::Down ? 1 : -1), 0, last);
  TaskId there = id;
  there.stage = other;
  if (const auto k = intervalOf(there, c)) return item(*k);
  // Transfers and weight gradients have no equal there: the task that runs at that time, or the next.
  const double t = run.schedule().intervals[here].begin.value();
  std::size_t k = first(other);
  while (k + 1 < end(other) && run.schedule().intervals[k].end.value() <= t) ++k;
  return item(k < end(other) ? k : here);
}

QRectF TimelineFigure::rulerOf(const QRectF& area, const PlanContext& c) const {
  if (m_stacked || !isShown(c)) return {};
  const Run& run = runOf(c);
  const QRectF plot = plotOf(area, c);
  const TimelineRows rows(run.schedule(), run.starts(), plot, 0, 1);
  return {plot.left(), rows.rowBox(c.shownPlan()->stageCount() - 1).bottom(), plot.width(), kRulerHeight};
}

double TimelineFigure::duration(const PlanContext& c) const {
  return isShown(c) ? runOf(c).end : 0;
}

double TimelineFigure::timeAt(double x, const QRectF& area, const PlanContext& c) const {
  const QRectF ruler = rulerOf(area, c);
  if (!(ruler.width() > 0)) return 0;
  const double share = m_from + (x - ruler.left()) / ruler.width() * m_span;
  return std::clamp(share, 0.0, 1.0) * duration(c);
}

double TimelineFigure::xOf(double seconds, const QRectF& area, const PlanContext& c) const {
  const QRectF ruler = rulerOf(area, c);
  const double whole = duration(c);
  return whole > 0 ? ruler.left() + (seconds / whole - m_from) / m_span * ruler.width() : ruler.left();
}

void TimelineFigure::showTime(double seconds, const PlanContext& c) {
  const double whole = duration(c);
  if (!(whole > 0)) return;
  const double share = seconds / whole;
  if (share < m_from || share > m_from + m_span) m_from = std::clamp(share - m_span / 2, 0.0, 1 - m_span);
}

double TimelineFigure::busyShare(const Span& span, int stage, const PlanContext& c) const {
  const Run& run = runOf(c);
  double busy = 0;
  for (std::size_t k = run.starts()[at(stage)]; k < run.starts()[at(stage + 1)]; ++k) {
    const ScheduleInterval& i = run.schedule().intervals[k];
    busy += std::max(0.0, std::min(i.end.value(), span.to) - std::max(i.begin.value(), span.from));
  }
  return span.to > span.from ? std::min(1.0, busy / (span.to - span.from)) : 0;
}

QString TimelineFigure::spanText(const PlanContext& c, std::optional<int> stage) const {
  if (!m_mark || !isShown(c)) return {};
  const QString time = timeText(Seconds(m_mark->to - m_mark->from));
  if (stage)
    return QStringLiteral("%1, stage %2 busy %3")
        .arg(time, stageNumber(*stage), phrase(text::percent(busyShare(*m_mark, *stage, c))));
  double all = 0;
  const int stages = c.shownPlan()->stageCount();
  for (int s = 0; s < stages; ++s) all += busyShare(*m_mark, s, c);
  return (stages == 1 ? QStringLiteral("%1, busy %2") : QStringLiteral("%1, stages busy %2 on average"))
      .arg(time, phrase(text::percent(all / stages)));
}

/// Its outline, and arrows along its microbatch: to the next stage forward, and back.
void TimelineFigure::paintTask(FigurePainter& ink, const TimelineRows& rows, const QRectF& plot,
                               const PlanContext& c) const {
  const auto id = ink.style().selected ? taskOf(*ink.style().selected) : std::nullopt;
  const auto chosen = id ? task(*id, c) : std::nullopt;
  if (!chosen) return;
  const auto boxOf = [&](const Task& t) {
    const QRectF row = rows.rowBox(t.id.stage);
    const double x = rows.xOf(t.times.begin);
    return QRectF(x, row.top(), std::max(1.5, rows.xOf(t.times.end) - x), row.height());
  };
  const auto chain = chainOf(*id, c);
  const bool forward = id->kind == static_cast<int>(TaskKind::Forward);
  for (std::size_t k = 0; k + 1 < chain.size(); ++k) {
    const QRectF a = boxOf(chain[k]), b = boxOf(chain[k + 1]);
    const QPointF from(a.right(), a.center().y()), to(b.left(), b.center().y());
    if (std::max(from.x(), to.x()) < plot.left() || std::min(from.x(), to.x()) > plot.right()) continue;
    if (std::hypot(to.x() - from.x(), to.y() - from.y()) < kLeastTaskArrow) continue;
    const bool isOfPass = (chain[k + 1].id.kind == static_cast<int>(TaskKind::Forward)) == forward;
    const QColor colour = mixed(ink.color(Role::Selection), ink.color(Role::Canvas), isOfPass ? 0 : 0.45);
    ink.line(from, to, ink.color(Role::Canvas), 4);
    ink.line(from, to, colour, isOfPass ? 2 : 1.4);
    paintArrowHead(ink, from, to, colour);
  }
  for (const Task& t : chain)
    if (t.id != *id) ink.outline(boxOf(t).adjusted(0.5, 1, -0.5, -1), ink.color(Role::Selection), 1.2);
  ink.outline(boxOf(*chosen).adjusted(-1, 0, 1, 0), ink.color(Role::Canvas), 4);
  ink.outline(boxOf(*chosen).adjusted(-1, 0, 1, 0), ink.color(Role::Selection), 2.4);
}

void TimelineFigure::paintSpan(FigurePainter& ink, const TimelineRows& rows, const QRectF& below,
                               const QRectF& memory, const PlanContext& c) const {
  if (!m_mark) return;
  const double left = std::max(rows.xOf(m_mark->from), below.left()),
               right = std::min(rows.xOf(m_mark->to), below.right());
  if (right <= left) return;
  QColor veil = ink.color(Role::Accent);
  veil.setAlphaF(0.12F);
  ink.fill(QRectF(left, below.top(), right - left, below.height()), veil);
  if (!memory.isEmpty()) ink.fill(QRectF(left, memory.top(), right - left, memory.height()), veil);
  const QColor edge = ink.color(Role::Accent);
  for (const double x : {left, right}) {
    ink.line({x, below.top()}, {x, below.bottom() + kRulerHeight - 4}, edge, 1.2);
    if (!memory.isEmpty()) ink.line({x, memory.top()}, {x, memory.bottom()}, edge, 1.2);
  }
  const auto stage = ink.style().selected ? stageOf(*ink.style().selected, c) : std::nullopt;
  const QString said = spanText(c, stage);
  const double w = FigurePainter::width(said, FigurePainter::kSmall, true) + 12;
  QRectF box((left + right) / 2 - w / 2, below.bottom() + 4, w, 17);
  box.moveLeft(std::clamp(box.left(), below.left(), std::max(below.left(), below.right() - w)));
  ink.fill(box, ink.color(Role::Canvas));
  ink.outline(box, edge, 1, 3);
  ink.label(box, said, Qt::AlignCenter, FigurePainter::kSmall, ink.color(Role::Text), true);
}

/// A flag in the ruler, a hairline through rows and memory, and what stands under it.
void TimelineFigure::paintPlayhead(FigurePainter& ink, const TimelineRows& rows, const QRectF& below,
                                   const QRectF& memory, int memoryStage, const PlanContext& c) const {
  const auto& head = ink.style().playhead;
  if (!head) return;
  const double x = rows.xOf(head->at.value());
  if (x < below.left() - 0.5 || x > below.right() + 0.5) return;
  const Run& run = runOf(c);
  const QColor tone = ink.color(Role::Error);
  ink.line({x, below.top()}, {x, below.bottom() + 4}, tone, 1.4);
  if (rows.rowHeight() >= kLeastChip)
    for (const RunningTask& r : head->running) {
      QString text = letterOf(r.kind);
      if (r.microbatch >= 0) text += u' ' + QString::number(r.microbatch);
      const QRectF row = rows.rowBox(r.stage);
      paintValueChip(ink, {x, row.center().y()}, text, below, colorOf(partOf(r.kind), ink.theme()));
    }
  const QString time = timeText(head->at);
  const double w = FigurePainter::width(time, FigurePainter::kSmall, true) + 12;
  QRectF flag(x - w / 2, below.bottom() + 5, w, kFlagHeight);
  flag.moveLeft(std::clamp(flag.left(), below.left() - 8, std::max(below.left() - 8, below.right() + 8 - w)));
  QPolygonF tip;
  tip << QPointF(x - 4, flag.top()) << QPointF(x + 4, flag.top()) << QPointF(x, below.bottom());
  ink.painter().setPen(Qt::NoPen);
  ink.painter().setBrush(tone);
  ink.painter().drawPolygon(tip);
  ink.fill(flag, tone);
  ink.label(flag, time, Qt::AlignCenter, FigurePainter::kSmall, ink.theme().textOn(tone), true);
  if (memory.isEmpty()) return;
  ink.line({x, flag.bottom()}, {x, memory.bottom()}, tone, 1.4);
  if (at(memoryStage) >= head->memory.size()) return;
  const Bytes headroom = reservedOn(c.problem->assumptions, run.capacityOf(memoryStage)).headroom;
  paintValueChip(ink, {x, memory.bottom() - 12}, memoryText(head->memory[at(memoryStage)] - headroom), memory,
                 tone);
}

}  // namespace nest
