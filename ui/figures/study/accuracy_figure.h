#pragma once

#include <QCoreApplication>

#include "figures/paint/list_figure.h"
#include "lab/run_points.h"

namespace nest {

class Chart;
struct ChartScale;

/// Predicted against measured step times, a mark for each run, both axes logarithmic. What nothing was fitted
/// on is filled. Runs that failed stand in a column of their own beside the plot, by their prediction.
class AccuracyFigure : public ListFigure {
  Q_DECLARE_TR_FUNCTIONS(AccuracyFigure)
public:
  AccuracyFigure() : ListFigure(QStringLiteral("accuracy"), tr("Accuracy"), {720, 520}) {}

  /// `source`: what the runs are, in words. `why`: what to say while there are none.
  void setRuns(RunPoints runs, QString source, QString why = {});
  const RunPoints& runs() const { return m_runs; }

  int count(const PlanContext&) const override { return static_cast<int>(m_runs.points.size()); }
  /// Only what follows of the context is the theme: the runs are no part of the scenario.
  QString title() const override;

protected:
  std::optional<FigureState> state(const PlanContext&, bool onPaper) const override;
  void draw(FigurePainter&, const QRectF& area, const PlanContext&) const override;
  Hit hitOf(int i, const QRectF& area, const PlanContext&) const override;
  QString lineOf(int i, const PlanContext&) const override;
  std::vector<QRectF> placesOf(const QRectF& area, const PlanContext&) const override;
  QString words(const PlanContext&) const override;

private:
  struct Plot;
  Plot plotOf(const QRectF& area, bool standalone) const;
  void addBand(FigurePainter&, Chart&, const ChartScale&) const;
  void addMarks(FigurePainter&, Chart&) const;

  RunPoints m_runs;
  QString m_source, m_why;
};

}  // namespace nest
