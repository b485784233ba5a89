#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "evaluation/schedule.h"
#include "figures/paint/interactive_figure.h"

namespace nest {

class FigurePainter;

/// The batch as it runs: one row per stage, time to the right; below it the memory of one stage's device.
/// Zooms in time.
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
  /// More tasks than are simulated within a frame.
  static bool isLong(const PlanContext&);
  /// What runs at a share of the batch; nullopt where there is no schedule (yet).
  std::optional<PlayheadState> playheadAt(double share, const PlanContext&) const;

  bool canZoom() const override { return true; }
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

  ScheduleKind kindOf(const PlanContext&) const;

  bool m_showsMemory = true;
  std::optional<ScheduleKind> m_kind;  ///< nullopt: the plan's own
  Ask m_ask;
  double m_from = 0, m_span = 1;  ///< shares of the batch that are visible
  mutable std::unique_ptr<Run> m_run;
};

}  // namespace nest
