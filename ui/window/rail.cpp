#include "window/rail.h"

#include <QDockWidget>
#include <QToolButton>

#include "actions/action_registry.h"
#include "theme/icon.h"
#include "window/views_area.h"

namespace nest {

Rail::Rail(ViewsArea& views, const Panels& panels, ActionRegistry& actions, QWidget* parent)
    : QToolBar(parent), m_views(views), m_below(panels.below) {
  setObjectName(QStringLiteral("rail"));
  setWindowTitle(tr("Panels and views"));
  setAccessibleName(windowTitle());
  setOrientation(Qt::Vertical);
  setMovable(false);
  setFloatable(false);
  setIconSize({16, 16});
  setContextMenuPolicy(Qt::PreventContextMenu);
  setProperty("rail", true);
  const auto panel = [&](const char* icon, const QString& text, QDockWidget* dock, const char* command) {
    m_panelActions[dock] = add(QLatin1String(icon), text, actions.find(QLatin1String(command)));
    connect(dock, &QDockWidget::visibilityChanged, this, &Rail::refresh);
  };
  panel("pane-scenario", tr("Scenario"), panels.scenario, "view.panel");
  panel("pane-inspector", tr("Inspector"), panels.inspector, "view.inspector");
  panel("pane-below", tr("Issues, history, log and slides"), panels.below, "view.below");
  m_line = addSeparator();
  for (const View* view : views.views())
    m_viewActions[view->id()] = add(QStringLiteral("view-") + view->id(), view->title(),
                                    actions.find(QStringLiteral("view.show.") + view->id()));
  connect(&views, &ViewsArea::arranged, this, &Rail::refresh);
  connect(&actions, &ActionRegistry::keysChanged, this, &Rail::refreshTips);
  refreshTips();
  refresh();
}

QAction* Rail::add(const QString& icon, const QString& text, QAction* command) {
  QAction* action = addAction(themedIcon(icon), text);
  action->setCheckable(true);
  m_commands[action] = command;
  // Not asked for in refresh(): docks are hidden when the window goes, after its commands.
  action->setEnabled(command->isEnabled());
  connect(command, &QAction::enabledChanged, action, &QAction::setEnabled);
  connect(action, &QAction::triggered, this, [this, command] {
    command->trigger();
    refresh();  // it may be in sight already
  });
  return action;
}

void Rail::refreshTips() {
  for (const auto& [action, command] : m_commands) {
    const QString keys = command->shortcut().toString(QKeySequence::NativeText);
    action->setToolTip(keys.isEmpty() ? action->text() : QStringLiteral("%1 (%2)").arg(action->text(), keys));
  }
}

void Rail::refresh() {
  const bool one = m_views.isOneAtATime();
  m_line->setVisible(one);
  for (const auto& [id, action] : m_viewActions) {
    const QDockWidget* dock = m_views.dockOf(id);
    action->setVisible(one && m_views.isOffered(id));
    action->setChecked(!dock->isHidden());
  }
  for (const auto& [dock, action] : m_panelActions) action->setChecked(!dock->isHidden());
}

void Rail::showIssues(int errors, int warnings) {
  m_panelActions[m_below]->setIcon(themedIcon(errors > 0     ? QStringLiteral("error")
                                              : warnings > 0 ? QStringLiteral("warning")
                                                             : QStringLiteral("pane-below")));
}

}  // namespace nest
