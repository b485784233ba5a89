#pragma once

#include <QImage>
#include <QRectF>
#include <QSizeF>
#include <QStringList>
#include <memory>
#include <optional>
#include <vector>

#include "document/plan_context.h"
#include "document/scenario_document.h"
#include "document/selection.h"
#include "figures/paint/figure.h"
#include "scenario/saved_slide.h"
#include "theme/theme.h"

class QPainter;

namespace nest {

class Player;
class View;

/// What a slide is laid out in, on screen and on paper, whatever its size: px. Small, so that its type can be
/// read from the last row.
inline constexpr QSizeF kSlide(1024, 576);

/// The page of one slide: caption, what else is said, the figure, a line at the foot. Screen, PDF, SVG and
/// thumbnail paint this page and nothing else. Its view is never seen: it has a selection and a document of
/// its own, and makes the figure.
class SlideRenderer {
public:
  /// What stands below the figure.
  struct Foot {
    QString name, place;
  };

  /// `scenario`: the one that keeps the slide. `live`: the view that is being kept, which knows what it says.
  /// `type`: how many times as large as usual text is; as much of it as leaves nothing out.
  SlideRenderer(const SavedSlide&, PlanContextPtr, const Scenario& scenario, Theme::Kind,
                const View* live = nullptr, double type = 1);
  ~SlideRenderer();

  View* view() const { return m_view.get(); }  ///< nullptr: there is no such view in this program
  QString caption() const { return m_caption; }
  /// What the figure says of itself, in lines; the caption is one of them until it is changed.
  const QStringList& sentences() const { return m_sentences; }
  QString asText() const;  ///< the whole page

  /// The page, kSlide large, in the colours of the theme.
  void paint(QPainter&, const Foot& = {}) const;
  /// What is at a place of the page; its area is in coordinates of the page.
  std::optional<Figure::Hit> hit(const QPointF&) const;
  /// Where things stand that keep their identity from slide to slide: stages, devices, terms.
  struct Place {
    QString key;  ///< "stage 3"
    QRectF area;  ///< of the page
  };
  std::vector<Place> places() const;
  void hover(const std::optional<SelectionItem>& item) { m_hovered = item; }
  const std::optional<SelectionItem>& hovered() const { return m_hovered; }
  void select(const std::optional<SelectionItem>& item) { m_selected = item; }
  /// What plays on this slide: the step or an exchange, from the time that the slide keeps. nullptr: nothing.
  Player* player() const { return m_player; }
  const Selection& selection() const { return m_selection; }  ///< its signals say when what plays has moved

private:
  FigureStyle style() const;
  void setPlayhead(const SavedSlide::PlayHead&);
  bool isAtItsTime() const;  ///< nothing plays, or it stands where the slide keeps it
  void readSentences(const View* live);
  void layOut();
  struct Shortage {
    bool leavesOut = false;
    int shortened = 0;  ///< texts that end in "…"
  };
  Shortage shortageAt(double scale) const;
  QRectF figureArea(double scale) const;

  const SavedSlide m_slide;
  PlanContextPtr m_context;
  Theme::Kind m_theme;
  ScenarioDocument m_document;
  Selection m_selection;
  Player* m_player = nullptr;
  std::unique_ptr<View> m_view;
  std::optional<SelectionItem> m_selected, m_hovered;
  QString m_caption;
  QStringList m_sentences;
  QStringList m_text;  ///< of the sentences those that the caption does not say
  const double m_type;
  double m_captionSize = 0, m_textSize = 0;
  QRectF m_captionBox, m_textBox, m_body;  ///< of the page
  double m_scale = 1;                      ///< of the figure
};

QImage thumbnailOf(const SavedSlide&, const PlanContextPtr&, const Scenario&, const QSize&, Theme::Kind);

}  // namespace nest
