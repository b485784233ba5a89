#pragma once

#include <QCoreApplication>

#include "figures/paint/list_figure.h"
#include "scenario/study_record.h"

namespace nest {

/// A study along two fields: throughput as a heatmap, a number in each cell, a thick line wherever the best
/// plan is another one than beside it. Cells without a plan are hatched.
/// Qt Charts has no heatmap.
class SweepFigure : public ListFigure {
  Q_DECLARE_TR_FUNCTIONS(SweepFigure)
public:
  SweepFigure() : ListFigure(QStringLiteral("sweep"), tr("Sweep of two fields"), {900, 600}) {}
  QString title() const override;

  void setRecord(StudyRecord record) { m_record = std::move(record); }  ///< of a grid
  const StudyRecord& record() const { return m_record; }
  int columns() const { return static_cast<int>(m_record.across.size()); }
  int rows() const { return static_cast<int>(m_record.up.size()); }
  /// nullptr: not solved yet.
  const StudyRecord::Result* cell(int column, int row) const;

  int count(const PlanContext&) const override { return columns() * rows(); }

protected:
  std::optional<FigureState> state(const PlanContext&, bool onPaper) const override;
  void draw(FigurePainter&, const QRectF& area, const PlanContext&) const override;
  Hit hitOf(int i, const QRectF& area, const PlanContext&) const override;
  QString lineOf(int i, const PlanContext&) const override;
  std::vector<QRectF> placesOf(const QRectF& area, const PlanContext&) const override;
  std::optional<SelectionItem> stepFrom(const std::optional<SelectionItem>&, Step,
                                        const PlanContext&) const override;
  QString words(const PlanContext&) const override;

private:
  QRectF plotOf(const QRectF& area, const PlanContext&, bool standalone) const;
  QRectF areaOf(int column, int row, const QRectF& plot) const;
  void paintBorders(FigurePainter&, const QRectF& plot) const;
  void paintScale(FigurePainter&, const QRectF& plot, double least, double most) const;
  QString valueText(int i) const;
  QString sentence() const;

  StudyRecord m_record;
};

}  // namespace nest
