#pragma once

#include <QCoreApplication>
#include <vector>

#include "figures/paint/list_figure.h"

namespace nest {

/// Who sits where, as a table for paper: a row for each run of neighbouring hosts that hold the same stages
/// in the same order. Its items are rows.
class PlacementFigure : public ListFigure {
  Q_DECLARE_TR_FUNCTIONS(PlacementFigure)
public:
  PlacementFigure() : ListFigure(QStringLiteral("placement"), tr("Placement"), {900, 600}) {}

  QSizeF preferredSize(const PlanContext&) const override;
  int count(const PlanContext&) const override;

protected:
  std::optional<FigureState> state(const PlanContext&, bool onPaper) const override;
  void draw(FigurePainter&, const QRectF& area, const PlanContext&) const override;
  Hit hitOf(int i, const QRectF& area, const PlanContext&) const override;
  QString lineOf(int i, const PlanContext&) const override;

private:
  struct Run {
    int stage = -1, devices = 0;  ///< −1: idle
    bool operator==(const Run&) const = default;
  };
  struct Row {
    int begin = 0, end = 0;  ///< devices
    int hosts = 0;
    std::vector<Run> runs;  ///< on each of its hosts
  };
  const std::vector<Row>& rowsOf(const PlanContext&) const;
  QRectF rowBox(int i, const QRectF& body) const;

  mutable PlanContext m_context;  ///< that the rows belong to
  mutable std::vector<Row> m_rows;
};

}  // namespace nest
