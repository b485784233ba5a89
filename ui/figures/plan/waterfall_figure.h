#pragma once

#include <QCoreApplication>
#include <QStringList>
#include <array>
#include <vector>

#include "figures/paint/list_figure.h"
#include "figures/plan/plan_side.h"
#include "measures/step_difference.h"

namespace nest {

/// From one plan's step time to another's: a bar for each plan, between them a floating step for each part of
/// the time that differs, and beneath the memory of both fullest devices. Items: the first plan, the steps,
/// the second plan, then the two memory bars.
class WaterfallFigure : public ListFigure {
  Q_DECLARE_TR_FUNCTIONS(WaterfallFigure)
public:
  explicit WaterfallFigure(const QString& id = QStringLiteral("difference"))
      : ListFigure(id, tr("Difference of two plans"), {900, 480}) {}

  using Side = PlanSide;
  void setSides(Side first, Side second);
  /// There are no two plans, and this is why.
  void showInstead(FigureState why);
  /// What differs between the two scenarios, "device memory 80 → 40 GiB"; empty: nothing.
  void setScenarioChange(QString change) { m_change = std::move(change); }
  const Side& side(int i) const { return m_sides[static_cast<std::size_t>(i)]; }
  const StepDifference& difference() const { return m_difference; }
  const std::vector<WaterfallStep>& steps() const { return m_steps; }

  QString title() const override;
  int count(const PlanContext&) const override;

  /// A bar of the upper panel, in the figure's coordinates.
  struct Column {
    QRectF slot, bar;
    double low = 0, high = 0;  ///< seconds
  };
  std::vector<Column> columnsIn(const QRectF& area, const PlanContext&, bool standalone) const;
  /// Where the axis of time begins; above 0, the bars of both plans are drawn broken.
  double axisBegin() const;

protected:
  std::optional<FigureState> state(const PlanContext&, bool onPaper) const override;
  void draw(FigurePainter&, const QRectF& area, const PlanContext&) const override;
  Hit hitOf(int i, const QRectF& area, const PlanContext&) const override;
  QString lineOf(int i, const PlanContext&) const override;
  QString words(const PlanContext&) const override;

private:
  struct Parts;
  Parts layOut(const QRectF& area, const PlanContext&, bool standalone) const;
  bool isDrawable() const { return m_sides[0].plan && m_sides[1].plan; }
  const Evaluation& evaluation(int side) const {
    return m_sides[static_cast<std::size_t>(side)].plan->evaluation;
  }
  QStringList factLines(double width) const;
  QString obstacleTo(int side) const;  ///< "does not fit"; empty: it runs
  QString columnName(std::size_t column, bool brief) const;
  QString columnText(std::size_t column) const;  ///< "16.1 s", "+1.34 s"
  void paintColumn(FigurePainter&, const Parts&, std::size_t column) const;
  void paintMemoryBar(FigurePainter&, const Parts&, int side) const;

  std::array<Side, 2> m_sides;
  std::optional<FigureState> m_instead;
  StepDifference m_difference;
  std::vector<WaterfallStep> m_steps;
  QString m_cause, m_facts, m_change, m_ruledOut, m_work;
};

}  // namespace nest
