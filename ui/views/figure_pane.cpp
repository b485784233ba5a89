#include "views/figure_pane.h"

#include <QBoxLayout>
#include <QMenu>
#include <QScrollArea>
#include <QToolButton>
#include <memory>

#include "figures/paint/frame.h"
#include "theme/icon.h"
#include "views/figure_canvas.h"

namespace nest {
namespace {
constexpr int kLeastRoom = 160;    ///< pixels of a figure that can be zoomed; below, it scrolls
constexpr int kLeastSight = 56;    ///< pixels, whatever else stands in the view
constexpr int kLeastHeight = 220;  ///< of a figure that does not zoom

QScrollArea* scrolled(FigureCanvas* canvas) {
  auto* area = new QScrollArea;
  area->setFrameShape(QFrame::NoFrame);
  area->setWidgetResizable(true);
  area->setFocusPolicy(Qt::NoFocus);
  area->setMinimumHeight(kLeastSight);
  area->setWidget(canvas);
  return area;
}

}  // namespace

FigurePane::FigurePane(InteractiveFigure& figure, Selection& selection, QWidget* parent)
    : FigurePane(new FigureCanvas(figure, selection), parent) {}

FigurePane::FigurePane(FigureCanvas* canvas, QWidget* parent)
    : FigureTextPane(
          scrolled(canvas), canvas, canvas->figure(),
          [canvas]() -> const PlanContext& { return canvas->context(); }, parent),
      m_canvas(canvas) {
  setLeastHeight(figure().canZoom() ? kLeastRoom : kLeastHeight);
  connect(m_canvas, &FigureCanvas::menuRequested, this, [this](const QPoint& at) {
    std::unique_ptr<QMenu> menu(makeMenu(this));
    menu->exec(at);
  });
}

InteractiveFigure& FigurePane::figure() const {
  return m_canvas->figure();
}

void FigurePane::addButtons(QBoxLayout* bar) {
  const auto button = [&](const char* icon, const QString& text, const QString& tip) {
    auto* b = new QToolButton(this);
    b->setIcon(themedIcon(QLatin1String(icon)));
    b->setIconSize({14, 14});
    b->setText(text);
    b->setAccessibleName(text);
    b->setToolTip(tip);
    b->setAutoRaise(true);
    bar->addWidget(b);
    return b;
  };
  if (figure().canZoom())
    connect(button("fit", tr("Fit"), tr("Fit to view (0)")), &QToolButton::clicked, m_canvas,
            &FigureCanvas::fit);
  QToolButton* text = button("text", tr("Text"), tr("Show the same as text"));
  text->setCheckable(true);
  connect(text, &QToolButton::toggled, this, &FigurePane::setShowsText);
  connect(this, &FigureTextPane::showsTextChanged, text, &QToolButton::setChecked);
  connect(button("export", tr("Export…"), tr("Save the figure as SVG, PDF or PNG, or copy it")),
          &QToolButton::clicked, this, &FigurePane::exportFigure);
}

void FigurePane::show(const PlanContext& context, const Theme& theme) {
  m_canvas->show(context, theme);
  keepHeight();
  m_canvas->setSentence(figure().asText(context).section(u'\n', 1, 1));
  refreshText();
}

void FigurePane::figureChanged() {
  m_canvas->update();
  refreshText();
}

void FigurePane::setLeastHeight(int height) {
  m_leastHeight = height;
  keepHeight();
}

void FigurePane::resizeEvent(QResizeEvent* e) {
  FigureTextPane::resizeEvent(e);
  keepHeight();
}

void FigurePane::keepHeight() {
  const PlanContext& c = m_canvas->context();
  const double banner = c.isNearestMiss() ? bannerHeight(bannerOf(c, false), width()) : 0;
  m_canvas->setMinimumHeight(m_leastHeight + static_cast<int>(banner));
}

QMenu* FigurePane::makeMenu(QWidget* parent) {
  auto* menu = new QMenu(parent);
  addActions(*menu);
  if (figure().canZoom()) {
    menu->addSeparator();
    menu->addAction(tr("Zoom in"), m_canvas, &FigureCanvas::zoomIn);
    menu->addAction(tr("Zoom out"), m_canvas, &FigureCanvas::zoomOut);
    menu->addAction(tr("Fit"), m_canvas, &FigureCanvas::fit);
  }
  if (m_canvas->selection().selected()) {
    menu->addSeparator();
    menu->addAction(tr("Clear selection"), this, [this] { m_canvas->selection().setSelected(std::nullopt); });
  }
  Q_EMIT menuMade(menu);
  return menu;
}

}  // namespace nest
