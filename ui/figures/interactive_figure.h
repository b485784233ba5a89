#pragma once

#include <map>
#include <optional>
#include <string>

#include "figures/figure.h"

namespace nest {

/// A figure that can be walked with the keyboard and, some, zoomed. Items stand in reading order.
class InteractiveFigure : public Figure {
public:
  enum class Step { Left, Right, Up, Down, First, Last };

  /// The item reached from `from` (from nothing: the first). nullopt: there are no items.
  virtual std::optional<SelectionItem> step(const std::optional<SelectionItem>& from, Step,
                                            const PlanContext&) const = 0;
  /// Where an item is shown and what is said about it; nullopt if this figure does not show it.
  virtual std::optional<Hit> locate(const SelectionItem&, const QRectF& area, const PlanContext&) const = 0;
  /// Name and value for screen readers: "Stage 3: load 12.3 ms".
  virtual QString describe(const SelectionItem&, const PlanContext&) const = 0;

  virtual bool canZoom() const { return false; }
  /// Keeps the point where it is. `factor` > 1 enlarges.
  virtual void zoomAt(const QPointF&, double /*factor*/, const QRectF& /*area*/, const PlanContext&) {}
  virtual void panBy(const QPointF&, const QRectF& /*area*/, const PlanContext&) {}
  virtual void fit() {}
  /// Where it has been zoomed and panned to, by name; empty for figures that do not zoom.
  virtual std::map<std::string, double> viewport() const { return {}; }
  virtual void setViewport(const std::map<std::string, double>&) {}
};

}  // namespace nest
