#include "actions/action_registry.h"

#include <algorithm>

#include "theme/icon.h"

namespace nest {

QAction* ActionRegistry::add(const ActionSpec& spec, std::function<void()> run) {
  Q_ASSERT(!find(spec.id));
  auto* action = new QAction(spec.text, this);
  action->setObjectName(spec.id);
  action->setShortcut(spec.keys);
  action->setCheckable(spec.checkable);
  if (!spec.icon.isEmpty()) action->setIcon(themedIcon(spec.icon));
  QString tip = QString(spec.text).remove(QChar(0x2026));
  if (!spec.keys.isEmpty()) tip += QStringLiteral(" (%1)").arg(spec.keys.toString(QKeySequence::NativeText));
  if (!spec.tip.isEmpty()) tip += QStringLiteral("\n") + spec.tip;
  action->setToolTip(tip);
  action->setStatusTip(spec.tip);
  if (run)
    connect(action, spec.checkable ? &QAction::toggled : &QAction::triggered, this,
            [run = std::move(run)] { run(); });
  m_entries.push_back({spec, action});
  return action;
}

QAction* ActionRegistry::find(const QString& id) const {
  const auto it =
      std::find_if(m_entries.begin(), m_entries.end(), [&](const Entry& e) { return e.spec.id == id; });
  return it == m_entries.end() ? nullptr : it->action;
}

}  // namespace nest
