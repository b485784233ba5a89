#pragma once

#include <QImage>
#include <QSizeF>
#include <memory>

#include "document/plan_context.h"
#include "document/scenario_document.h"
#include "document/selection.h"
#include "scenario/saved_moment.h"
#include "theme/theme.h"

class QPainter;

namespace nest {

class View;

/// What a slide is laid out in, on screen and on paper, whatever its size: px. Small, so that its type can be
/// read from the last row.
inline constexpr QSizeF kSlide(1024, 576);

/// The view of one moment, alive: with a selection and a document of its own, so that what is tried out in it
/// changes nothing.
class MomentSight {
public:
  /// `scenario`: the one that keeps the moment. The view is the child of `parent`.
  MomentSight(const SavedMoment&, PlanContextPtr, const Scenario& scenario, Theme::Kind, QWidget* parent);
  ~MomentSight();

  View* view() const { return m_view; }  ///< nullptr: there is no such view in this program
  QString caption() const;
  /// The figure of the view, or the view itself where it has none, in the colours of the theme.
  void paint(QPainter&, const QRectF& area) const;

private:
  const SavedMoment m_moment;
  PlanContextPtr m_context;
  Theme::Kind m_theme;
  ScenarioDocument m_document;
  Selection m_selection;
  View* m_view = nullptr;
};

QImage thumbnailOf(const SavedMoment&, const PlanContextPtr&, const Scenario&, const QSize&, Theme::Kind);

}  // namespace nest
