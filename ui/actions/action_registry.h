#pragma once

#include <QAction>
#include <QKeySequence>
#include <QObject>
#include <QString>
#include <functional>
#include <utility>
#include <vector>

namespace nest {

/// What one command of the program is called and how it is reached.
struct ActionSpec {
  QString id;     ///< "file.open"; stable
  QString group;  ///< menu it stands in: "File", "Edit", "Plan", "View", "Help"
  QString text;   ///< verb first, sentence case: "Open scenario…"
  QString tip;    ///< one sentence; may be empty
  QKeySequence keys;
  QString icon;  ///< of resources/icons; may be empty
  bool checkable = false;
};

/// Keys as they are written: "Ctrl+Shift+P", or a standard key.
struct Keys : QKeySequence {
  Keys() = default;
  Keys(StandardKey key) : QKeySequence(key) {}
  Keys(const char* text) : QKeySequence(QString::fromLatin1(text)) {}
};

/// The one table of commands: menus, toolbar, command palette, shortcut sheet and tooltips are all made from
/// it.
class ActionRegistry : public QObject {
  Q_OBJECT
public:
  using QObject::QObject;

  struct Entry {
    ActionSpec spec;
    QAction* action;
  };

  /// The action is owned by the registry. For a checkable one `run` is called on toggling by the user or by
  /// setChecked.
  QAction* add(const ActionSpec&, std::function<void()> run);
  /// Adds the commands of one menu, one call each.
  auto menu(const QString& group) {
    return [this, group](const QString& id, const QString& text, const QString& tip, const Keys& keys,
                         const QString& icon, std::function<void()> run) {
      return add({id, group, text, tip, keys, icon}, std::move(run));
    };
  }
  QAction* find(const QString& id) const;  ///< nullptr if unknown
  const std::vector<Entry>& entries() const { return m_entries; }

  /// Other keys for a command, or none; menus, tooltips and sheets follow. Whoever held these keys before
  /// loses them.
  void setKeys(const QString& id, const QKeySequence& keys);
  void resetKeys(const QString& id);
  void resetAllKeys();
  bool hasOwnKeys(const QString& id) const;  ///< the user's, not the program's
  /// Which command has these keys; nullptr: they are free.
  const Entry* holderOf(const QKeySequence& keys) const;
  /// Takes up what the user chose earlier and keeps what they choose from now on, among their settings.
  void rememberKeys();

Q_SIGNALS:
  void keysChanged();

private:
  Entry* entry(const QString& id);
  void apply(Entry&, const QKeySequence&);
  void keep(const Entry&) const;

  std::vector<Entry> m_entries;
  bool m_remembers = false;
};

}  // namespace nest
