#pragma once

#include <QCoreApplication>
#include <functional>

#include "figures/figure.h"

namespace nest {

struct NetworkGraph;

/// The drawn network as a figure, for export and copy. It paints through what it is given, so that it looks
/// as on the canvas.
class NetworkFigure : public Figure {
  Q_DECLARE_TR_FUNCTIONS(NetworkFigure)
public:
  struct Source {
    std::function<QRectF()> bounds;  ///< of everything drawn, scene units
    std::function<void(QPainter&, const QRectF& visible, double scale, const Theme&)> paint;
    std::function<const NetworkGraph&()> graph;
    std::function<QString()> caption;  ///< a sentence about the traffic; may be empty
    std::function<void(QPainter&, const QRectF&, const Theme&)> legend;  ///< one line high; may paint nothing
  };
  explicit NetworkFigure(Source source)
      : Figure(QStringLiteral("network"), tr("Network"), {1200, 750}), m_source(std::move(source)) {}

  QSizeF preferredSize(const PlanContext&) const override;

protected:
  std::optional<FigureState> state(const PlanContext&, bool onPaper) const override;
  void draw(Ink&, const QRectF& area, const PlanContext&) const override;
  std::optional<Hit> itemAt(const QPointF&, const QRectF&, const PlanContext&) const override {
    return std::nullopt;  // the canvas has items of its own
  }
  QString words(const PlanContext&) const override;

private:
  Source m_source;
};

}  // namespace nest
