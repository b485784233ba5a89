#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "evaluation/schedule.h"
#include "figures/paint/interactive_figure.h"

namespace nest {

class FigurePainter;
struct LegendItem;
class TimelineRows;

/// The batch as it runs: one row per stage, time to the right; below it the memory of one stage's device.
/// Or all schedules that the stages can run, below each other on one axis, each with whether it fits.
/// Zooms in time. A click selects a task, and arrows lead to the same microbatch on the other stages; a span
/// of the ruler below the rows can be marked and is measured.
class TimelineFigure : public InteractiveFigure {
public:
  TimelineFigure();
  ~TimelineFigure() override;

  std::vector<FigureOption> offeredOptions(const PlanContext&) const override;
  void setOption(const std::string& key, const std::string& name) override;
  /// Long simulations are asked for instead of being run while painting on screen; the answer comes with
  /// take(). Null: they are run at once, as they are for exports.
  using Ask = std::function<void(const PlanContext&, ScheduleKind)>;
  void setAsk(Ask ask) { m_ask = std::move(ask); }
  void take(const PlanContext&, ScheduleKind, Schedule);
  /// The schedule that is drawn, for playing it; null where there is none (yet).
  std::shared_ptr<const ScheduleReplay> replay(const PlanContext&) const;

  struct Task {
    TaskId id;
    TaskTimes times;
  };
  std::optional<Task> taskAt(const QPointF&, const QRectF& area, const PlanContext&) const;
  std::optional<Task> task(const TaskId&, const PlanContext&) const;  ///< with its times
  /// The first task from `after` on (or from the beginning again) that a person describes: "forward 17", "b 3
  /// stage 2", "step".
  std::optional<Task> find(const QString& words, const std::optional<TaskId>& after,
                           const PlanContext&) const;
  /// Tasks of the same microbatch in the order in which one waits for the other: forward through all stages,
  /// then backward.
  std::vector<Task> chainOf(const TaskId&, const PlanContext&) const;

  /// A part of the step that is measured, in seconds.
  struct Span {
    double from = 0, to = 0;
    friend bool operator==(const Span&, const Span&) = default;
  };
  const std::optional<Span>& span() const { return m_mark; }
  void setSpan(std::optional<Span> span) { m_mark = span; }
  /// "1.42 s, stage 2 busy 88 %"; without a stage, all of them on average.
  QString spanText(const PlanContext&, std::optional<int> stage) const;
  double busyShare(const Span&, int stage, const PlanContext&) const;

  /// The axis below the rows, where the playhead's flag stands and spans are marked.
  QRectF rulerOf(const QRectF& area, const PlanContext&) const;
  double timeAt(double x, const QRectF& area, const PlanContext&) const;  ///< seconds, within the step
  double xOf(double seconds, const QRectF& area, const PlanContext&) const;
  double duration(const PlanContext&) const;          ///< of what is drawn, seconds
  void showTime(double seconds, const PlanContext&);  ///< pans so that it is visible

  std::optional<SelectionItem> chosenAt(const QPointF& at, const QRectF& area,
                                        const PlanContext&) const override;
  bool showsPlayhead() const override { return true; }
  bool canZoom() const override { return !m_stacked; }
  void zoomAt(const QPointF&, double factor, const QRectF& area, const PlanContext&) override;
  void panBy(const QPointF&, const QRectF& area, const PlanContext&) override;
  void fit() override { m_from = 0, m_span = 1; }
  std::map<std::string, double> viewport() const override;
  void setViewport(const std::map<std::string, double>&) override;

protected:
  std::optional<FigureState> state(const PlanContext&, bool onPaper) const override;
  void draw(FigurePainter&, const QRectF& area, const PlanContext&) const override;
  std::optional<Hit> itemAt(const QPointF&, const QRectF& area, const PlanContext&) const override;
  std::optional<SelectionItem> stepFrom(const std::optional<SelectionItem>&, Step,
                                        const PlanContext&) const override;
  std::optional<Hit> placeOf(const SelectionItem&, const QRectF& area, const PlanContext&) const override;
  QString sentenceOf(const SelectionItem&, const PlanContext&) const override;
  QString words(const PlanContext&) const override;

private:
  struct Run;  ///< the simulated schedule of the plan shown
  /// `now`: never pending.
  const Run& runOf(const PlanContext&, bool now = false) const;
  QString sentence(const PlanContext&) const;
  QString verdict(const PlanContext&) const;
  /// It does not fit, and the banner above the figure is about something else.
  bool saysVerdict(const PlanContext&) const;
  QRectF plotOf(const QRectF& area, const PlanContext&) const;  ///< the rows, on screen
  std::optional<std::size_t> intervalOf(const TaskId&, const PlanContext&) const;
  /// From a task, the item with this number among those of its stage.
  SelectionItem stepFromTask(const TaskId&, std::size_t here, int stage, Step, const PlanContext&) const;
  Task taskOfInterval(std::size_t, const PlanContext&) const;
  QString tipOf(std::size_t interval, const PlanContext&) const;
  void paintTask(FigurePainter&, const TimelineRows&, const QRectF& plot, const PlanContext&) const;
  void paintSpan(FigurePainter&, const TimelineRows&, const QRectF& rows, const QRectF& memory,
                 const PlanContext&) const;
  void paintPlayhead(FigurePainter&, const TimelineRows&, const QRectF& rows, const QRectF& memory,
                     int memoryStage, const PlanContext&) const;

  ScheduleKind kindOf(const PlanContext&) const;
  /// The plan's stages and microbatches suit the schedule.
  static bool canRun(const PipelineSchedule&, const PlanContext&);

  // All schedules below each other:
  /// The plan's own first. Never with a plan whose simulation is long.
  const std::vector<std::unique_ptr<Run>>& stackOf(const PlanContext&) const;
  QString stackLine(const Run&, const PlanContext&) const;
  QString stackSentence(const PlanContext&) const;
  QString stackWords(const PlanContext&) const;
  std::vector<LegendItem> stackLegend(const PlanContext&, const Theme&) const;
  std::vector<QRectF> stackBands(const QRectF& body, const PlanContext&) const;
  double stackEnd(const PlanContext&) const;  ///< seconds
  void drawStack(FigurePainter&, const QRectF& area, const PlanContext&) const;
  std::optional<Hit> stackItemAt(const QPointF&, const QRectF& area, const PlanContext&) const;
  std::optional<Hit> stackHit(std::size_t schedule, int stage, const QRectF& area, const PlanContext&) const;

  bool m_showsMemory = true;
  std::optional<ScheduleKind> m_kind;  ///< nullopt: the plan's own
  bool m_stacked = false;              ///< all schedules, on one axis
  Ask m_ask;
  double m_from = 0, m_span = 1;  ///< shares of the batch that are visible
  std::optional<Span> m_mark;     ///< measured
  mutable std::unique_ptr<Run> m_run;
  mutable std::vector<std::unique_ptr<Run>> m_stack;
};

}  // namespace nest
