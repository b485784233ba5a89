#include "actions/action_registry.h"

#include <QSettings>
#include <algorithm>

#include "theme/icon.h"

namespace nest {
namespace {

const auto kKeysGroup = QStringLiteral("keys/");

QString tipOf(const ActionSpec& spec, const QKeySequence& keys) {
  QString tip = QString(spec.text).remove(QChar(0x2026));
  if (!keys.isEmpty()) tip += QStringLiteral(" (%1)").arg(keys.toString(QKeySequence::NativeText));
  return spec.tip.isEmpty() ? tip : tip + QStringLiteral("\n") + spec.tip;
}

}  // namespace

QAction* ActionRegistry::add(const ActionSpec& spec, std::function<void()> run) {
  Q_ASSERT(!find(spec.id));
  auto* action = new QAction(spec.text, this);
  action->setObjectName(spec.id);
  action->setShortcut(spec.keys);
  action->setCheckable(spec.checkable);
  if (!spec.icon.isEmpty()) action->setIcon(themedIcon(spec.icon));
  action->setToolTip(tipOf(spec, spec.keys));
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

void ActionRegistry::apply(Entry& e, const QKeySequence& keys) {
  e.action->setShortcut(keys);
  e.action->setToolTip(tipOf(e.spec, keys));
}

ActionRegistry::Entry* ActionRegistry::entry(const QString& id) {
  const auto it =
      std::find_if(m_entries.begin(), m_entries.end(), [&](const Entry& e) { return e.spec.id == id; });
  return it == m_entries.end() ? nullptr : &*it;
}

const ActionRegistry::Entry* ActionRegistry::holderOf(const QKeySequence& keys) const {
  const auto it = std::find_if(m_entries.begin(), m_entries.end(), [&](const Entry& e) {
    return !keys.isEmpty() && e.action->shortcut() == keys;
  });
  return it == m_entries.end() ? nullptr : &*it;
}

void ActionRegistry::setKeys(const QString& id, const QKeySequence& keys) {
  Entry* wanted = entry(id);
  if (!wanted) return;
  for (Entry& e : m_entries)
    if (&e != wanted && !keys.isEmpty() && e.action->shortcut() == keys) {
      apply(e, {});
      keep(e);
    }
  apply(*wanted, keys);
  keep(*wanted);
  Q_EMIT keysChanged();
}

void ActionRegistry::resetKeys(const QString& id) {
  if (const Entry* e = entry(id)) setKeys(id, e->spec.keys);
}

void ActionRegistry::resetAllKeys() {
  for (Entry& e : m_entries) {
    apply(e, e.spec.keys);
    keep(e);
  }
  Q_EMIT keysChanged();
}

bool ActionRegistry::hasOwnKeys(const QString& id) const {
  const auto it =
      std::find_if(m_entries.begin(), m_entries.end(), [&](const Entry& e) { return e.spec.id == id; });
  return it != m_entries.end() && it->action->shortcut() != it->spec.keys;
}

void ActionRegistry::keep(const Entry& e) const {
  if (!m_remembers) return;
  QSettings settings;
  if (e.action->shortcut() == e.spec.keys)
    settings.remove(kKeysGroup + e.spec.id);
  else
    settings.setValue(kKeysGroup + e.spec.id, e.action->shortcut().toString(QKeySequence::PortableText));
}

void ActionRegistry::rememberKeys() {
  const QSettings settings;
  for (Entry& e : m_entries)
    if (const QVariant kept = settings.value(kKeysGroup + e.spec.id); kept.isValid())
      apply(e, QKeySequence(kept.toString(), QKeySequence::PortableText));
  m_remembers = true;
  Q_EMIT keysChanged();
}

}  // namespace nest
