// The timeline of every schedule that a plan's stages can run, below each other on one axis of time.
#include <QStringList>
#include <algorithm>
#include <cmath>

#include "figures/paint/axis.h"
#include "figures/paint/figure_painter.h"
#include "figures/paint/frame.h"
#include "figures/paint/phrases.h"
#include "figures/plan/focus.h"
#include "figures/plan/timeline_figure.h"
#include "figures/plan/timeline_run.h"
#include "problem/reserved_memory.h"
#include "units/at.h"
#include "words/metric_words.h"

namespace nest {
namespace {

using Role = Theme::Role;

constexpr double kNameLine = 20, kBandGap = 8, kAxisBand = 22, kRowLabels = 52;  ///< pixels
constexpr double kTallestStage = 34, kLowestRows = 10;
constexpr double kTallestFew = 60,
                 kOfFewStages = 100;  ///< rows of few stages are taller, as these are together

}  // namespace

bool TimelineFigure::canRun(const PipelineSchedule& s, const PlanContext& c) {
  const Plan& plan = *c.shownPlan();
  return s.takesChunks(plan.chunksPerStage()) &&
         s.refusals(plan.stageCount(), plan.chunksPerStage(), c.shownEvaluation()->microbatchCount).empty();
}

const std::vector<std::unique_ptr<TimelineFigure::Run>>& TimelineFigure::stackOf(const PlanContext& c) const {
  const ScheduleKind own = c.shownPlan()->schedule;
  if (!m_stack.empty() && m_stack.front()->shows(c, own)) return m_stack;
  m_stack.clear();
  std::vector<ScheduleKind> kinds{own};
  for (const PipelineSchedule* s : schedules())
    if (s->kind() != own && canRun(*s, c)) kinds.push_back(s->kind());
  for (const ScheduleKind kind : kinds) {
    auto run = std::make_unique<Run>();
    run->context = c;
    run->kind = kind;
    run->fill(simulate(*c.problem, *c.shownPlan(), *c.shownEvaluation(), kind));
    if (!run->schedule().intervals.empty()) m_stack.push_back(std::move(run));
  }
  return m_stack;
}

/// "2.31 s per step, +10 %; does not fit: stage 1 needs 37.6 GiB more".
QString TimelineFigure::stackLine(const Run& run, const PlanContext& c) const {
  const Seconds total = run.schedule().total, planned = stackOf(c).front()->schedule().total;
  QString out = QStringLiteral("%1 per step").arg(timeText(total));
  const double more = total / planned - 1;
  if (run.kind == c.shownPlan()->schedule)
    out += QStringLiteral(", as planned");
  else if (std::abs(more) < 5e-4)
    out += QStringLiteral(", as fast");
  else
    out += QStringLiteral(", %1 %2").arg(phrase(text::percent(std::abs(more))),
                                         more > 0 ? QStringLiteral("slower") : QStringLiteral("faster"));
  const Bytes capacity = run.capacityOf(run.fullest), peak = run.peaks[at(run.fullest)];
  if (!run.fits())
    return out + QStringLiteral("; does not fit: stage %1 needs %2 more")
                     .arg(stageNumber(run.fullest), memoryText(peak - capacity));
  const Bytes headroom = reservedOn(c.problem->assumptions, capacity).headroom;
  return out + QStringLiteral("; fits: stage %1 needs %2")
                   .arg(stageNumber(run.fullest), phrase(words::memory(peak - headroom, headroom, capacity)));
}

QString TimelineFigure::stackSentence(const PlanContext& c) const {
  const auto& stack = stackOf(c);
  const Run* best = nullptr;
  for (const auto& run : stack)
    if (run->fits() && (!best || run->schedule().total < best->schedule().total)) best = run.get();
  QString out = QStringLiteral("%1 under %2: ")
                    .arg(plural(c.shownEvaluation()->microbatchCount, QStringLiteral("microbatch")),
                         plural(static_cast<long long>(stack.size()), QStringLiteral("schedule")));
  out += best ? QStringLiteral("the fastest that fits is %1, %2 per step")
                    .arg(scheduleLabel(best->kind), timeText(best->schedule().total))
              : QStringLiteral("none fits");
  QStringList others;
  for (const PipelineSchedule* s : schedules())
    if (s->kind() != c.shownPlan()->schedule && !canRun(*s, c)) others << scheduleLabel(s->kind());
  if (!others.isEmpty())
    out += QStringLiteral("; not with these stages: ") + others.join(QStringLiteral(", "));
  return out;
}

std::vector<LegendItem> TimelineFigure::stackLegend(const PlanContext& c, const Theme& theme) const {
  PerLoadPart<bool> used{};
  for (const auto& run : stackOf(c))
    for (int k = 0; k < kLoadPartCount; ++k) used[LoadPart(k)] = used[LoadPart(k)] || run->used[LoadPart(k)];
  return timelineLegend(used, *c.shownEvaluation(), theme);
}

/// Where the rows of each schedule go, on screen and on paper.
std::vector<QRectF> TimelineFigure::stackBands(const QRectF& body, const PlanContext& c) const {
  const double legend = legendHeight(stackLegend(c, Theme::of(Theme::Kind::Light)), body.width());
  const auto count = static_cast<double>(stackOf(c).size());
  const double room = (body.height() - legend - kAxisBand - 6) / std::max(1.0, count) - kNameLine - kBandGap;
  const double stages = c.shownPlan()->stageCount();
  const double rows =
      std::clamp(room, kLowestRows, std::clamp(kOfFewStages / stages, kTallestStage, kTallestFew) * stages);
  std::vector<QRectF> out;
  double y = std::round(body.top());
  for (std::size_t k = 0; k < stackOf(c).size(); ++k, y += kNameLine + rows + kBandGap)
    out.emplace_back(body.left() + kRowLabels, y + kNameLine, body.width() - kRowLabels - 4, rows);
  return out;
}

double TimelineFigure::stackEnd(const PlanContext& c) const {
  double end = 0;
  for (const auto& run : stackOf(c)) end = std::max(end, run->end);
  return end;
}

void TimelineFigure::drawStack(FigurePainter& ink, const QRectF& area, const PlanContext& c) const {
  const auto& stack = stackOf(c);
  const QRectF body = paintFrame(ink, area, c, title(), stackSentence(c));
  const auto items = stackLegend(c, ink.theme());
  const double legend = legendHeight(items, body.width()), end = stackEnd(c);
  const auto bands = stackBands(body, c);
  const Focus focus(c, ink.style());
  for (std::size_t k = 0; k < stack.size(); ++k) {
    Run& run = *stack[k];
    const QRectF& band = bands[k];
    if (band.bottom() > body.bottom() - legend - kAxisBand) {
      ink.leaveOut();
      break;
    }
    const QColor error = ink.color(Role::Error);
    const QString name = scheduleLabel(run.kind);
    const double width = FigurePainter::width(name, FigurePainter::kBody, true) + 10;
    const QRectF line(body.left(), band.top() - kNameLine, body.width(), kNameLine - 2);
    if (!run.fits()) {
      ink.fill(line, mixed(ink.color(Role::Canvas), error, 0.16));
      ink.fill(QRectF(line.left(), line.top(), 4, line.height()), error);
    }
    ink.label(line.adjusted(8, 0, 0, 0), name, Qt::AlignLeft | Qt::AlignVCenter, FigurePainter::kBody,
              ink.color(Role::Text), true);
    QStringList texts{stackLine(run, c)};
    texts << texts.front().section(u';', 0, 0) +
                 (run.fits() ? QStringLiteral("; fits") : QStringLiteral("; does not fit"));
    ink.firstThatFits(line.adjusted(8 + width, 0, -4, 0), texts, Qt::AlignLeft | Qt::AlignVCenter,
                      FigurePainter::kBody, ink.color(Role::Text));
    const TimelineRows rows(run.schedule(), run.starts(), band, 0, end);
    ink.painter().save();
    ink.painter().setClipRect(band.adjusted(0, -1, 0, 1));
    rows.paint(ink, focus, run.image);
    ink.painter().restore();
    const int stages = c.shownPlan()->stageCount();
    for (int s = 0; s < stages; ++s) {
      const QRectF row = rows.rowBox(s);
      const double h = std::min(18.0, rows.rowHeight() - 1);
      if (rows.rowHeight() >= 13)
        ink.stageChip(QRectF(band.left() - 36, row.center().y() - h / 2, 28, h), s,
                      std::min(FigurePainter::kSmall, h - 2), focus.dims(s));
      else
        ink.stageBox(QRectF(band.left() - 10, row.top(), 6, row.height()), s, focus.dims(s));
      if (focus.selects(s) || focus.hovers(s))
        ink.outline(row.adjusted(1, 0.5, -1, -0.5),
                    ink.color(focus.selects(s) ? Role::Selection : Role::Hover), 1.6);
      if (run.overflows(s)) ink.fill(QRectF(row.right() + 1, row.top(), 3, row.height()), error);
    }
    const double x = rows.xOf(run.schedule().total.value());  // where this one ends
    if (x < band.right() - 1) ink.line({x, band.top()}, {x, band.bottom()}, ink.color(Role::Text), 1.2);
  }
  if (bands.empty()) return;
  const QRectF last = bands.back();
  const Axis axis = Axis::time(end, std::max(2, static_cast<int>(last.width() / 90)));
  for (const double t : axis.ticks) {
    const double x = last.left() + t * axis.unit / end * last.width();
    if (x > last.right() + 0.5) break;
    ink.line({x, last.bottom()}, {x, last.bottom() + 4}, ink.color(Role::Border));
    const QString label = phrase(text::number(t, 5));
    const double w = FigurePainter::width(label, FigurePainter::kSmall) + 2;
    ink.label(QRectF(std::min(x - w / 2, body.right() - w), last.bottom() + 4, w, 16), label, Qt::AlignCenter,
              FigurePainter::kSmall, ink.color(Role::MutedText));
  }
  ink.firstThatFits(QRectF(body.left() - 6, last.bottom() + 4, 50, 16),
                    {QStringLiteral("Time (%1)").arg(axis.unitName), axis.unitName},
                    Qt::AlignRight | Qt::AlignVCenter, FigurePainter::kSmall, ink.color(Role::MutedText));
  if (const auto& head = ink.style().playhead; head && !ink.style().standalone) {
    const double x = last.left() + head->at.value() / end * last.width();
    ink.line({x, bands.front().top()}, {x, last.bottom()}, ink.color(Role::Error), 1.4);
  }
  paintLegend(ink, QRectF(body.left(), body.bottom() - legend, body.width(), legend), items);
}

std::optional<Figure::Hit> TimelineFigure::stackHit(std::size_t band, int stage, const QRectF& area,
                                                    const PlanContext& c) const {
  const QRectF body = bodyOf(area, c, false);
  const auto& stack = stackOf(c);
  const auto bands = stackBands(body, c);
  if (band >= stack.size()) return std::nullopt;
  const Run& run = *stack[band];
  const TimelineRows rows(run.schedule(), run.starts(), bands[band], 0, 1);
  const Bytes capacity = run.capacityOf(stage), peak = run.peaks[at(stage)];
  Tip tip(QStringLiteral("Stage %1 under %2").arg(stageNumber(stage), scheduleLabel(run.kind)));
  tip.row(QStringLiteral("Busy"), exactTime(run.schedule().busy[at(stage)]));
  tip.row(QStringLiteral("Idle"), exactTime(run.schedule().total - run.schedule().busy[at(stage)]));
  tip.row(QStringLiteral("Memory at the peak"),
          exactMemory(peak - reservedOn(c.problem->assumptions, capacity).headroom));
  if (run.overflows(stage)) tip.row(QStringLiteral("Too much"), exactMemory(peak - capacity));
  return Hit{{ItemKind::Stage, stage}, rows.rowBox(stage), tip.html()};
}

std::optional<Figure::Hit> TimelineFigure::stackItemAt(const QPointF& at, const QRectF& area,
                                                       const PlanContext& c) const {
  const QRectF body = bodyOf(area, c, false);
  const auto bands = stackBands(body, c);
  const int stages = c.shownPlan()->stageCount();
  for (std::size_t k = 0; k < bands.size(); ++k) {
    if (!bands[k].adjusted(-kRowLabels, 0, 0, 0).contains(at)) continue;
    const TimelineRows rows(stackOf(c)[k]->schedule(), stackOf(c)[k]->starts(), bands[k], 0, 1);
    const int stage = static_cast<int>(std::floor((at.y() - bands[k].top()) / rows.rowHeight()));
    if (stage >= 0 && stage < stages) return stackHit(k, stage, area, c);
  }
  return std::nullopt;
}

QString TimelineFigure::stackWords(const PlanContext& c) const {
  QString out = title() + u'\n' + stackSentence(c) + u'\n';
  for (const auto& run : stackOf(c))
    out += scheduleLabel(run->kind) + QStringLiteral(": ") + stackLine(*run, c) + u'\n';
  return out;
}

}  // namespace nest
