#pragma once

#include <QCoreApplication>

#include "figures/paint/list_figure.h"
#include "scenario/study_record.h"

namespace nest {

class Chart;
struct ChartPlane;

/// A study along one field: what each value gives, with a numbered mark wherever the best plan is another one
/// than before. The axes span all values that are to be tried from the first point on. Where devices grow,
/// both axes are logarithmic, and a straight line shows linear scaling from the first point that runs.
class CurveFigure : public ListFigure {
  Q_DECLARE_TR_FUNCTIONS(CurveFigure)
public:
  CurveFigure() : ListFigure(QStringLiteral("study"), tr("Study"), {860, 480}) {}
  QString title() const override;

  void setRecord(StudyRecord record) { m_record = std::move(record); }  ///< of a curve
  const StudyRecord& record() const { return m_record; }

  int count(const PlanContext&) const override { return static_cast<int>(m_record.results.size()); }
  /// What of the study is there: empty when all of it is.
  static QString progressOf(const StudyRecord&);
  static QString withoutPlan(const StudyRecord&);    ///< how many values have no plan
  static QString thresholdText(const StudyRecord&);  ///< where the threshold is reached
  /// Throughput that perfect scaling from the first point that runs would give at `x`; 0: not such a study.
  double linearAt(double x) const;
  /// Where a value stands in the picture.
  QPointF pointOf(double x, double y, const QRectF& area, const PlanContext&, bool standalone) const;

protected:
  std::optional<FigureState> state(const PlanContext&, bool onPaper) const override;
  void draw(FigurePainter&, const QRectF& area, const PlanContext&) const override;
  Hit hitOf(int i, const QRectF& area, const PlanContext&) const override;
  QString lineOf(int i, const PlanContext&) const override;
  std::vector<QRectF> placesOf(const QRectF& area, const PlanContext&) const override;
  QRectF reachOf(const QRectF& point) const override { return point.adjusted(-2, -2, 2, 2); }
  QString words(const PlanContext&) const override;

private:
  ChartPlane planeOf(const QRectF& area, const PlanContext&, bool standalone) const;
  void addTicks(ChartPlane&) const;
  const StudyRecord::Result* firstThatRuns() const;
  std::vector<const StudyRecord::Result*> marks() const;
  using Results = std::vector<const StudyRecord::Result*>;
  Results apart(const Results&, double pixels, const ChartPlane&) const;
  QPolygonF pointsOf(const Results&) const;
  void paintNumbers(FigurePainter&, Chart&, const ChartPlane&, const Results& plans,
                    const Results& shown) const;
  QPointF placeOf(int i, const ChartPlane&) const;
  template <class Of>
  QPolygonF valuesOf(Of) const;
  double xOf(const StudyRecord::Result&) const;
  void paintGround(FigurePainter&, const ChartPlane&) const;
  void paintMissing(FigurePainter&, const ChartPlane&) const;
  struct Key {
    std::vector<std::pair<double, int>> places;  ///< of each name: x, and its row
    int rows = 1;
  };
  Key keyOf(const QRectF& plot) const;
  void addThreshold(FigurePainter&, Chart&, const ChartPlane&) const;
  void addLinear(FigurePainter&, Chart&, const ChartPlane&) const;
  void addOthers(FigurePainter&, Chart&, const ChartPlane&) const;
  QString sentence() const;

  StudyRecord m_record;
};

}  // namespace nest
