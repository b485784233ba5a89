#pragma once

#include <QPointF>
#include <QRectF>
#include <QSizeF>
#include <QString>
#include <optional>

#include "document/plan_context.h"
#include "document/selection.h"
#include "theme/theme.h"

class QPainter;

namespace nest {

/// How a figure is to look this time.
struct FigureStyle {
  const Theme* theme = &Theme::of(Theme::Kind::Light);
  bool standalone = false;  ///< on paper: title, legend and units are drawn, and nothing depends on hovering
  std::optional<SelectionItem> hovered, selected;
  std::optional<Moment> moment;  ///< the play head: what runs then stands out
};

/// One picture of a plan, painted the same way on screen, in exports and as thumbnail. Stateless but for its
/// options; every size is in pixels at 96 dpi.
class Figure {
public:
  virtual ~Figure() = default;

  virtual QString id() const = 0;     ///< "stages": file name of the export
  virtual QString title() const = 0;  ///< "Stages"
  virtual QSizeF preferredSize(const PlanContext&) const = 0;
  virtual void paint(QPainter&, const QRectF& area, const PlanContext&, const FigureStyle&) const = 0;

  struct Hit {
    SelectionItem item;
    QRectF area;
    QString tip;  ///< rich text, exact figures
  };
  virtual std::optional<Hit> hit(const QPointF&, const QRectF& area, const PlanContext&) const = 0;
  /// The figure as text, one line per item: the outline twin, and "copy as text".
  virtual QString asText(const PlanContext&) const = 0;
};

}  // namespace nest
