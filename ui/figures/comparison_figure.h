#pragma once

#include <QCoreApplication>
#include <vector>

#include "figures/list_figure.h"
#include "plan/metrics.h"

namespace nest {

/// Batch times of several plans as bars on one scale, each split by what the time is spent on.
class ComparisonFigure : public ListFigure {
  Q_DECLARE_TR_FUNCTIONS(ComparisonFigure)
public:
  struct Row {
    QString name;
    PlanMetrics metrics;
    QString plan;      ///< one line
    bool runs = true;  ///< false: does not fit; drawn hollow
  };

  void setRows(std::vector<Row> rows) { m_rows = std::move(rows); }
  const std::vector<Row>& rows() const { return m_rows; }

  QString id() const override { return QStringLiteral("compare"); }
  QString title() const override;
  QSizeF preferredSize(const PlanContext&) const override;
  void paint(QPainter&, const QRectF& area, const PlanContext&, const FigureStyle&) const override;
  std::optional<Hit> hit(const QPointF&, const QRectF& area, const PlanContext&) const override;
  QString asText(const PlanContext&) const override;

  int count(const PlanContext&) const override { return static_cast<int>(m_rows.size()); }
  Hit hitOf(int i, const QRectF& area, const PlanContext&) const override;
  QString lineOf(int i, const PlanContext&) const override;

private:
  std::vector<Row> m_rows;
};

}  // namespace nest
