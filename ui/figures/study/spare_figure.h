#pragma once

#include <QCoreApplication>
#include <optional>
#include <vector>

#include "figures/paint/list_figure.h"
#include "run/run_unit.h"
#include "scenario/saved_slide.h"
#include "study/spare_benefit.h"

namespace nest {

/// What a figure shows of a SpareBenefit, so that a slide can keep it.
struct SpareCurve {
  struct Point {
    int spares = 0;
    double share = 0;   ///< of the throughput with all hosts
    double enough = 0;  ///< P(no more hosts are away than stand by)
    std::optional<double> days, deviceHours, money;
    std::optional<double> energy;  ///< MWh; spare hosts that stand by draw nothing
    friend bool operator==(const Point&, const Point&) = default;
  };
  std::vector<Point> points;  ///< by spares, from 0; empty: nothing is known
  int cheapest = 0;           ///< spares with the fewest device-hours
  bool isComplete = true;

  bool empty() const { return points.empty(); }
  friend bool operator==(const SpareCurve&, const SpareCurve&) = default;
};
SpareCurve curveOf(const SpareBenefit&);
/// A row of the table for each point; curveIn() takes it back.
SavedTable tableOf(const SpareCurve&);
SpareCurve curveIn(const SavedTable&);

/// What spare hosts buy: for each number of them what the hosts that are away cost the run, above how likely
/// that number is enough. Items: the numbers of spare hosts.
class SpareFigure : public ListFigure {
  Q_DECLARE_TR_FUNCTIONS(SpareFigure)
public:
  SpareFigure() : ListFigure(QStringLiteral("spares"), tr("Spare hosts"), {720, 420}) {}

  void setCurve(SpareCurve curve) { m_curve = std::move(curve); }
  const SpareCurve& curve() const { return m_curve; }
  void setEmptyState(FigureState state) { m_none = std::move(state); }

  std::vector<FigureOption> offeredOptions(const PlanContext&) const override;
  void setOption(const std::string& key, const std::string& name) override;
  int count(const PlanContext&) const override { return static_cast<int>(m_curve.points.size()); }

protected:
  std::optional<FigureState> state(const PlanContext&, bool onPaper) const override;
  void draw(FigurePainter&, const QRectF& area, const PlanContext&) const override;
  Hit hitOf(int i, const QRectF& area, const PlanContext&) const override;
  std::vector<QRectF> placesOf(const QRectF& area, const PlanContext&) const override;
  QString lineOf(int i, const PlanContext&) const override;
  QString words(const PlanContext&) const override;

private:
  using Point = SpareCurve::Point;
  struct Parts;
  Parts layOut(const QRectF& area, const PlanContext&, bool standalone) const;
  static std::optional<double> SpareCurve::Point::*memberOf(RunUnit);
  RunUnit shownUnit() const;
  double costOf(const Point&) const;  ///< in shownUnit(), more than with all hosts and without a spare
  QString sentence() const;

  SpareCurve m_curve;
  RunUnit m_unit = RunUnit::Share;
  FigureState m_none;
};

}  // namespace nest
