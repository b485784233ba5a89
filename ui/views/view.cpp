#include "views/view.h"

#include <utility>

namespace nest {

View::View(ViewServices services, QWidget* parent)
    : QWidget(parent), m_services(services), m_context(std::make_shared<PlanContext>()), m_theme(&Theme::of(Theme::Kind::Light)) {}

void View::setContext(PlanContextPtr context) {
  m_context = std::move(context);
  m_dirty = true;
  if (isVisible()) m_dirty = false, refresh();
}

void View::setTheme(Theme::Kind kind) {
  m_theme = &Theme::of(kind);
  m_dirty = true;
  if (isVisible()) m_dirty = false, refresh();
}

void View::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (std::exchange(m_dirty, false)) refresh();
}

}  // namespace nest
