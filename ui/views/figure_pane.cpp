#include "views/figure_pane.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

namespace nest {

FigurePane::FigurePane(const Figure* figure, QWidget* parent)
    : QWidget(parent),
      m_figure(figure),
      m_context(std::make_shared<PlanContext>()),
      m_theme(&Theme::of(Theme::Kind::Light)) {
  setMinimumSize(220, 160);
  setAccessibleName(figure->title());
}

void FigurePane::setContext(PlanContextPtr context, const Theme& theme) {
  m_context = std::move(context);
  m_theme = &theme;
  setAccessibleDescription(m_figure->asText(*m_context));
  update();
}

void FigurePane::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  FigureStyle style;
  style.theme = m_theme;
  m_figure->paint(painter, rect(), *m_context, style);
}

void FigurePane::mousePressEvent(QMouseEvent* e) {
  if (const auto hit = m_figure->hit(e->position(), rect(), *m_context)) Q_EMIT activated(hit->item);
}

bool FigurePane::event(QEvent* e) {
  if (e->type() != QEvent::ToolTip) return QWidget::event(e);
  const auto* help = static_cast<QHelpEvent*>(e);
  if (const auto hit = m_figure->hit(help->pos(), rect(), *m_context))
    QToolTip::showText(help->globalPos(), hit->tip, this, hit->area.toRect());
  else
    QToolTip::hideText();
  return true;
}

}  // namespace nest
