#include "views/view.h"

#include <utility>

namespace nest {

View::View(ViewServices services, QWidget* parent)
    : QWidget(parent),
      m_services(services),
      m_context(std::make_shared<PlanContext>()),
      m_theme(&Theme::of(Theme::Kind::Light)) {}

void View::setContext(PlanContextPtr context) {
  m_context = std::move(context);
  m_dirty = true;
  refreshIfSeen();
}

void View::setTheme(Theme::Kind kind) {
  m_theme = &Theme::of(kind);
  m_dirty = true;
  refreshIfSeen();
}

void View::outdate() {
  m_dirty = true;
  refreshIfSeen();
}

void View::setInSight(bool inSight) {
  m_inSight = inSight;
  refreshIfSeen();
}

void View::refreshIfSeen() {
  if (isVisible() && m_inSight && std::exchange(m_dirty, false)) refresh();
}

void View::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  refreshIfSeen();
}

}  // namespace nest
