#pragma once

#include <QPointF>
#include <QRectF>
#include <QSizeF>
#include <QString>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "document/plan_context.h"
#include "document/selection.h"
#include "figures/paint/figure_option.h"
#include "theme/theme.h"

class QPainter;

namespace nest {

class FigurePainter;

/// What stands in place of a figure that has nothing to show.
struct FigureState {
  QString heading, text;
};

/// What a figure says of itself while it is painted.
struct FigureReport {
  QString sentence;      ///< above the drawing; of a figure with nothing to show, the heading
  bool leftOut = false;  ///< something had no room
};

/// How a figure is to look this time.
struct FigureStyle {
  const Theme* theme = &Theme::of(Theme::Kind::Light);
  bool standalone = false;  ///< on paper: title, legend and units are drawn, and nothing depends on hovering
  std::optional<SelectionItem> hovered, selected;
  std::optional<ScheduleInstant> playhead;  ///< the play head: what runs then stands out
  std::optional<ExchangeInstant> exchange;  ///< one that is played: the level that it crosses then stands out
  /// Not null: the sentence goes here instead of above the drawing, where its row stays empty.
  FigureReport* report = nullptr;
};

/// One picture of a plan, painted the same way on screen, in exports and as thumbnail. Stateless but for its
/// options; every size is in pixels at 96 dpi. Where there is nothing to show it says why, in the picture and
/// in the text alike, and nothing can be hit or walked to.
class Figure {
public:
  virtual ~Figure() = default;

  const QString& id() const { return m_id; }         ///< "stages": file name of the export
  virtual QString title() const { return m_title; }  ///< "Stages"
  virtual QSizeF preferredSize(const PlanContext&) const { return m_size; }
  void paint(QPainter&, const QRectF& area, const PlanContext&, const FigureStyle&) const;

  struct Hit {
    SelectionItem item;
    QRectF area;
    QString tip;  ///< rich text, exact figures
  };
  std::optional<Hit> hit(const QPointF&, const QRectF& area, const PlanContext&) const;
  /// What can be set, in the order in which it is offered, with what is chosen.
  virtual std::vector<FigureOption> offeredOptions(const PlanContext&) const { return {}; }
  /// Chooses by name; what this figure does not have is passed over.
  virtual void setOption(const std::string& /*key*/, const std::string& /*name*/) {}
  /// Everything that is set, for a file; setOption() takes it back.
  std::map<std::string, std::string> options(const PlanContext&) const;
  /// There is something to show, on paper too.
  bool hasContent(const PlanContext& c) const { return !state(c, true); }
  /// The figure as text, one line per item: the outline twin, and "copy as text".
  QString asText(const PlanContext&) const;

protected:
  Figure(QString id, QString title, const QSizeF& size)
      : m_id(std::move(id)), m_title(std::move(title)), m_size(size) {}

  /// Why there is nothing to show; nullopt: there is something, and what follows may rely on it. `onPaper`:
  /// nothing may be left for later.
  virtual std::optional<FigureState> state(const PlanContext&, bool onPaper) const = 0;
  bool isShown(const PlanContext& c) const { return !state(c, false); }

  // Called only while something is shown:
  virtual void draw(FigurePainter&, const QRectF& area, const PlanContext&) const = 0;
  virtual std::optional<Hit> itemAt(const QPointF&, const QRectF& area, const PlanContext&) const = 0;
  virtual QString words(const PlanContext&) const = 0;

private:
  QString m_id, m_title;
  QSizeF m_size;
};

}  // namespace nest
