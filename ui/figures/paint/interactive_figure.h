#pragma once

#include <map>
#include <optional>
#include <string>

#include "figures/paint/figure.h"

namespace nest {

/// A figure that can be walked with the keyboard and, some, zoomed. Items stand in reading order.
class InteractiveFigure : public Figure {
public:
  enum class Step { Left, Right, Up, Down, First, Last };

  /// The item reached from `from` (from nothing: the first). nullopt: there are no items.
  std::optional<SelectionItem> step(const std::optional<SelectionItem>& from, Step how,
                                    const PlanContext& c) const {
    return isShown(c) ? stepFrom(from, how, c) : std::nullopt;
  }
  /// Where an item is shown and what is said about it; nullopt if this figure does not show it.
  std::optional<Hit> locate(const SelectionItem& item, const QRectF& area, const PlanContext& c) const {
    return isShown(c) ? placeOf(item, area, c) : std::nullopt;
  }
  /// Name and value for screen readers: "Stage 3: load 12.3 ms".
  QString describe(const SelectionItem& item, const PlanContext& c) const {
    return isShown(c) ? sentenceOf(item, c) : QString();
  }

  /// It shows what runs under the playhead.
  virtual bool showsPlayhead() const { return false; }

  /// What a click here selects: what is hit, or a part of it.
  virtual std::optional<SelectionItem> chosenAt(const QPointF& at, const QRectF& area,
                                                const PlanContext& c) const {
    const auto found = hit(at, area, c);
    return found ? std::optional(found->item) : std::nullopt;
  }
  virtual bool canZoom() const { return false; }
  /// Keeps the point where it is. `factor` > 1 enlarges.
  virtual void zoomAt(const QPointF&, double /*factor*/, const QRectF& /*area*/, const PlanContext&) {}
  virtual void panBy(const QPointF&, const QRectF& /*area*/, const PlanContext&) {}
  virtual void fit() {}
  /// Where it has been zoomed and panned to, by name; empty for figures that do not zoom.
  virtual std::map<std::string, double> viewport() const { return {}; }
  virtual void setViewport(const std::map<std::string, double>&) {}

protected:
  using Figure::Figure;

  // Called only while something is shown:
  virtual std::optional<SelectionItem> stepFrom(const std::optional<SelectionItem>&, Step,
                                                const PlanContext&) const = 0;
  virtual std::optional<Hit> placeOf(const SelectionItem&, const QRectF& area, const PlanContext&) const = 0;
  virtual QString sentenceOf(const SelectionItem&, const PlanContext&) const = 0;
};

}  // namespace nest
