#pragma once

#include <QCoreApplication>
#include <functional>

#include "figures/paint/figure.h"

namespace nest {

class NetworkScene;

/// The drawn network as a figure, for export and copy: the scene of the canvas, with nothing marked.
class NetworkFigure : public Figure {
  Q_DECLARE_TR_FUNCTIONS(NetworkFigure)
public:
  /// `caption`: a sentence about the traffic; may be empty. The scene must outlive this.
  NetworkFigure(const NetworkScene& scene, std::function<QString()> caption)
      : Figure(QStringLiteral("network"), tr("Network"), {1200, 750}),
        m_scene(scene),
        m_caption(std::move(caption)) {}

  QSizeF preferredSize(const PlanContext&) const override;

protected:
  std::optional<FigureState> state(const PlanContext&, bool onPaper) const override;
  void draw(FigurePainter&, const QRectF& area, const PlanContext&) const override;
  std::optional<Hit> itemAt(const QPointF&, const QRectF&, const PlanContext&) const override {
    return std::nullopt;  // the canvas has items of its own
  }
  QString words(const PlanContext&) const override;

private:
  const NetworkScene& m_scene;
  std::function<QString()> m_caption;
};

}  // namespace nest
