#include "views/pane_handle.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QHBoxLayout>
#include <QMouseEvent>
#include <QToolButton>
#include <utility>

#include "theme/icon.h"
#include "theme/theme.h"

namespace nest {

PaneHandle::PaneHandle(const QString& name, QWidget* parent) : QLabel(name, parent) {
  setFont(Theme::font(12.5, true));
  setProperty("role", "muted");
  setMinimumHeight(22);
  setToolTip(tr("Drag to move this view, double-click to enlarge it"));
}

void PaneHandle::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) m_pressed = event->pos();
}

void PaneHandle::mouseMoveEvent(QMouseEvent* event) {
  if (!m_pressed || !(event->buttons() & Qt::LeftButton)) return;
  if ((event->pos() - *m_pressed).manhattanLength() <= QApplication::startDragDistance()) return;
  m_pressed.reset();
  Q_EMIT pulled(event->globalPosition().toPoint());
}

void PaneHandle::mouseReleaseEvent(QMouseEvent*) {
  m_pressed.reset();
}

void PaneHandle::mouseDoubleClickEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) Q_EMIT enlargeRequested();
}

void PaneHandle::contextMenuEvent(QContextMenuEvent* event) {
  Q_EMIT menuRequested(event->globalPos());
}

PaneButtons::PaneButtons(const QString& name, QWidget* parent)
    : QWidget(parent), m_name(name), m_enlarge(new QToolButton(this)), m_menu(new QToolButton(this)) {
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(0);
  for (QToolButton* b : {m_enlarge, m_menu}) {
    b->setAutoRaise(true);
    b->setFocusPolicy(Qt::NoFocus);
    b->setIconSize({14, 14});
    row->addWidget(b);
  }
  m_menu->setIcon(themedIcon(QStringLiteral("more")));
  connect(m_enlarge, &QToolButton::clicked, this, &PaneButtons::enlargeRequested);
  connect(m_menu, &QToolButton::clicked, this,
          [this] { Q_EMIT menuRequested(m_menu->mapToGlobal(QPoint(0, m_menu->height()))); });
  refresh();
}

void PaneButtons::setName(const QString& name) {
  if (std::exchange(m_name, name) != name) refresh();
}

void PaneButtons::setLarge(bool large) {
  if (std::exchange(m_large, large) != large) refresh();
}

void PaneButtons::setParts(bool enlarge, bool menu) {
  m_enlarge->setVisible(enlarge);
  m_menu->setVisible(menu);
  setVisible(enlarge || menu);
}

void PaneButtons::refresh() {
  m_enlarge->setIcon(themedIcon(m_large ? QStringLiteral("shrink") : QStringLiteral("enlarge")));
  m_enlarge->setToolTip(m_large ? tr("Show all views again (Esc)")
                                : tr("Enlarge %1 (Ctrl+Enter)").arg(m_name));
  m_enlarge->setAccessibleName(m_large ? tr("Show all views again") : tr("Enlarge %1").arg(m_name));
  m_menu->setToolTip(tr("What can be done with %1").arg(m_name));
  m_menu->setAccessibleName(m_menu->toolTip());
}

}  // namespace nest
