#pragma once

#include <QCoreApplication>
#include <QStringList>
#include <array>
#include <vector>

#include "figures/paint/list_figure.h"
#include "figures/plan/kinds.h"
#include "figures/plan/plan_side.h"
#include "measures/pace.h"

namespace nest {

/// Two plans beside each other on one time axis: a row of bars for each, a bar for each stage, all as high as
/// the plan's step (or, where the steps differ in their work, as the time of a token). A bar is stacked of
/// what its stage works and waits. Below them the memory of the stages. Items: the stages of the first, then
/// those of the second.
class PlanPairFigure : public ListFigure {
  Q_DECLARE_TR_FUNCTIONS(PlanPairFigure)
public:
  explicit PlanPairFigure(const QString& id = QStringLiteral("plans"))
      : ListFigure(id, tr("Two plans"), {1100, 680}) {}

  using Side = PlanSide;
  void setSides(Side first, Side second) {
    m_sides = {std::move(first), std::move(second)};
    m_instead.reset();
  }
  /// There are no two plans, and this is why.
  void showInstead(FigureState why) {
    setSides({}, {});
    m_instead = std::move(why);
  }
  const Side& side(int i) const { return m_sides[i]; }
  /// What changes from the first to the second, a line each: above the panels on paper; on screen the view
  /// says it. What does not fit beside the panels is counted.
  void setNotes(QStringList notes) { m_notes = std::move(notes); }

  QString title() const override;

  int count(const PlanContext&) const override;
  /// Side and stage of an item.
  std::pair<int, int> at(int item) const;

  /// A bar: a stage, or, where there is no room for a bar for each, neighbours that are alike.
  struct Bar {
    int side = 0, first = 0, last = 0;  ///< stages
    QRectF box;                         ///< as high as the step
    StepParts parts;                    ///< seconds of the side's step
  };
  std::vector<Bar> barsIn(const QRectF& area, const PlanContext&, bool standalone) const;
  PaceMeasure measure() const { return measureOf(paceOf(0), paceOf(1)); }

protected:
  std::optional<FigureState> state(const PlanContext&, bool onPaper) const override;
  void draw(FigurePainter&, const QRectF& area, const PlanContext&) const override;
  Hit hitOf(int i, const QRectF& area, const PlanContext&) const override;
  QString lineOf(int i, const PlanContext&) const override;
  QString words(const PlanContext&) const override;

private:
  struct Parts;
  Parts layOut(const QRectF& area, const PlanContext&, bool standalone, const Theme&) const;
  bool drawable() const { return m_sides[0].plan && m_sides[1].plan; }
  QString sentence(double width) const;  ///< as much of it as fits
  /// The lines of the notes in a body of this size.
  QStringList notesIn(const QSizeF& body, bool standalone) const;
  const Evaluation& evaluation(int side) const { return m_sides[side].plan->evaluation; }
  const StageEvaluation& stage(int side, int index) const { return evaluation(side).stages[index]; }
  Pace paceOf(int side) const;
  double heightOf(int side) const { return comparedTime(paceOf(side), measure()).value(); }
  /// "does not fit", "cannot run"; empty: it runs.
  QString obstacleTo(int side) const;
  QString changeText() const;  ///< "+7.12 %", "+10.4 % tokens/s"
  void paintHeading(FigurePainter&, const Parts&, int side) const;
  void paintTimes(FigurePainter&, const Parts&, int side) const;
  void paintOther(FigurePainter&, const Parts&, int side) const;
  void paintMemory(FigurePainter&, const Parts&, int side) const;

  std::array<Side, 2> m_sides;
  std::optional<FigureState> m_instead;
  QStringList m_notes;
};

}  // namespace nest
