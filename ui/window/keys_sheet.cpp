#include "window/keys_sheet.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeySequenceEdit>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <array>

#include "actions/action_registry.h"

namespace nest {
namespace {

/// Keys that fields and figures need for themselves.
bool isReserved(const QKeySequence& keys) {
  if (keys.isEmpty()) return false;
  constexpr std::array kOwn{Qt::Key_Tab,    Qt::Key_Backtab, Qt::Key_Return, Qt::Key_Enter,
                            Qt::Key_Escape, Qt::Key_Left,    Qt::Key_Right,  Qt::Key_Up,
                            Qt::Key_Down,   Qt::Key_Space,   Qt::Key_Home,   Qt::Key_End};
  const QKeyCombination first = keys[0];
  if (first.keyboardModifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier)) return false;
  return std::find(kOwn.begin(), kOwn.end(), first.key()) != kOwn.end();
}

}  // namespace

KeysSheet::KeysSheet(ActionRegistry& actions, QWidget* parent) : QDialog(parent), m_actions(actions) {
  setAttribute(Qt::WA_DeleteOnClose);
  setWindowTitle(tr("Keyboard shortcuts"));
  resize(600, 660);
  m_query = new QLineEdit(this);
  m_query->setPlaceholderText(tr("Find a command or a key"));
  m_query->setAccessibleName(m_query->placeholderText());
  m_query->setClearButtonEnabled(true);
  m_list = new QTreeWidget(this);
  m_list->setColumnCount(2);
  m_list->setHeaderLabels({tr("Command"), tr("Keys")});
  m_list->setRootIsDecorated(false);
  m_list->setIndentation(12);
  m_list->header()->setStretchLastSection(false);
  m_list->header()->setSectionResizeMode(0, QHeaderView::Stretch);
  m_list->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
  m_list->setAccessibleName(tr("Commands and their keys"));
  m_keys = new QKeySequenceEdit(this);
  m_keys->setAccessibleName(tr("New keys"));
  m_assign = new QPushButton(tr("Assign"), this);
  m_assign->setProperty("primary", true);
  m_clear = new QPushButton(tr("No keys"), this);
  m_reset = new QPushButton(tr("Reset"), this);
  m_resetAll = new QPushButton(tr("Reset all"), this);
  auto* close = new QPushButton(tr("Close"), this);
  for (QPushButton* b : {m_assign, m_clear, m_reset, m_resetAll, close}) b->setAutoDefault(false);
  m_state = new QLabel(this);
  m_state->setWordWrap(true);
  m_state->setMinimumHeight(2 * fontMetrics().lineSpacing());
  m_state->setProperty("role", "muted");

  auto* change = new QHBoxLayout;
  auto* name = new QLabel(tr("New keys"), this);
  name->setBuddy(m_keys);
  change->addWidget(name);
  change->addWidget(m_keys, 1);
  change->addWidget(m_assign);
  auto* foot = new QHBoxLayout;
  foot->addWidget(m_clear);
  foot->addWidget(m_reset);
  foot->addWidget(m_resetAll);
  foot->addStretch();
  foot->addWidget(close);
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(12, 12, 12, 12);
  all->addWidget(m_query);
  all->addWidget(m_list, 1);
  all->addWidget(m_state);
  all->addLayout(change);
  all->addLayout(foot);

  connect(m_query, &QLineEdit::textChanged, this, &KeysSheet::filter);
  connect(m_list, &QTreeWidget::currentItemChanged, this, &KeysSheet::showCurrent);
  connect(m_list, &QTreeWidget::itemActivated, this, [this] { m_keys->setFocus(); });
  connect(m_keys, &QKeySequenceEdit::keySequenceChanged, this, &KeysSheet::proposed);
  connect(m_assign, &QPushButton::clicked, this, &KeysSheet::assign);
  connect(m_clear, &QPushButton::clicked, this, [this] { m_actions.setKeys(currentId(), {}); });
  connect(m_reset, &QPushButton::clicked, this, [this] { m_actions.resetKeys(currentId()); });
  connect(m_resetAll, &QPushButton::clicked, this, [this] { m_actions.resetAllKeys(); });
  connect(close, &QPushButton::clicked, this, &QDialog::close);
  connect(&actions, &ActionRegistry::keysChanged, this, &KeysSheet::fill);
  fill();
  m_query->setFocus();
}

const std::vector<FixedKeys>& fixedKeys() {
  const auto tr = [](const char* text) { return KeysSheet::tr(text); };
  static const QString window = tr("Window"), field = tr("Fields"), view = tr("Figures"),
                       timeline = tr("Timeline"), play = tr("Timeline and Topology"),
                       network = tr("Editing the network"), levels = tr("Levels of a network"),
                       cuts = tr("Cuts"), issues = tr("Issues"), table = tr("DP table"),
                       slides = tr("Slides"), show = tr("While presenting");
  static const std::vector<FixedKeys> all = {
      {window, tr("Open the menus"), tr("F10, Alt+letter")},
      {window, tr("Next, previous field or view"), tr("Tab, Shift+Tab")},
      {window, tr("Next, previous tab of a row of tabs"), tr("Left, Right")},
      {field, tr("Step the value"), tr("Up, Down")},
      {field, tr("Revert to the current value"), tr("Esc")},
      {view, tr("Walk from item to item"), tr("Arrow keys, Home, End")},
      {view, tr("Select the item"), tr("Enter")},
      {view, tr("Clear the selection"), tr("Esc")},
      {view, tr("Zoom in, zoom out, fit to view"), tr("+, −, 0")},
      {view, tr("Pan"), tr("Shift+Arrow keys")},
      {timeline, tr("Zoom in, zoom out; pan left, pan right"), tr("W, S; A, D")},
      {timeline, tr("Next task; the same microbatch on the next stage"), tr("Left, Right; Up, Down")},
      {timeline, tr("Find a task"), tr("Ctrl+F, /")},
      {timeline, tr("Clear the marked span"), tr("Esc")},
      {play, tr("Play, pause"), tr("Space")},
      {play, tr("Previous, next task of the selected stage, or of all; step of an exchange"),
       tr("comma, period")},
      {play, tr("A hundredth of the step back, on"), tr("Shift+comma, Shift+period")},
      {play, tr("Slower, faster"), tr("[, ]")},
      {play, tr("Hide the playhead"), tr("Esc")},
      {table, tr("Fill one more row, one less; the complete table"), tr("period, comma; slash")},
      {network, tr("Tools: select, host, switch, device, connect"), tr("V, H, S, D, C")},
      {network, tr("Walk from node to node"), tr("Arrow keys")},
      {network, tr("Move what is selected"), tr("Ctrl+Arrow keys")},
      {network, tr("Collapse identical nodes"), tr("F")},
      {network, tr("Rename, or set the bandwidth"), tr("F2, Enter")},
      {network, tr("Delete what is selected"), tr("Delete, Backspace")},
      {network, tr("Duplicate what is selected"), tr("Ctrl+D")},
      {network, tr("Copy, cut, paste, select everything"), tr("Ctrl+C, Ctrl+X, Ctrl+V, Ctrl+A")},
      {network, tr("Expand or collapse identical nodes"), tr("Space")},
      {network, tr("Zoom in, zoom out, fit to view"), tr("+, −, 0")},
      {network, tr("Pan"), tr("Shift+Arrow keys")},
      {network, tr("Put the tool away, clear the selection"), tr("Esc")},
      {levels, tr("Next cut, move the cut"), tr("Left, Right; Up, Down")},
      {cuts, tr("Move the chosen cut by a layer"), tr("Left, Right")},
      {cuts, tr("Next, previous cut"), tr("Page Down, Page Up")},
      {cuts, tr("Recompute of the stage, tensor degree of the stage"), tr("R, T")},
      {issues, tr("Show where the issue is"), tr("Enter")},
      {issues, tr("Repair it"), tr("Shift+Enter")},
      {slides, tr("Present from the slide"), tr("Enter")},
      {slides, tr("Change the caption"), tr("F2")},
      {slides, tr("Move the slide"), tr("Alt+Left, Alt+Right")},
      {show, tr("Next slide"), tr("Right, Down, Page Down")},
      {show, tr("Play what the slide plays, or the next slide"), tr("Space")},
      {show, tr("Previous slide"), tr("Left, Up, Backspace, Page Up")},
      {show, tr("First, last slide"), tr("Home, End")},
      {show, tr("Leave"), tr("Esc")}};
  return all;
}

QString KeysSheet::currentId() const {
  const QTreeWidgetItem* item = m_list->currentItem();
  return item ? item->data(0, Qt::UserRole).toString() : QString();
}

void KeysSheet::fill() {
  const QString before = currentId();
  m_list->clear();
  QTreeWidgetItem* group = nullptr;
  const auto addGroup = [&](const QString& name) {
    group = new QTreeWidgetItem(m_list, {name});
    QFont bold = m_list->font();
    bold.setBold(true);
    group->setFont(0, bold);
    group->setFlags(Qt::ItemIsEnabled);
    group->setFirstColumnSpanned(true);
    group->setExpanded(true);
  };
  for (const auto& entry : m_actions.entries()) {
    if (!group || group->text(0) != entry.spec.group) addGroup(entry.spec.group);
    auto* item = new QTreeWidgetItem(group, {QString(entry.spec.text).remove(QChar(0x2026)),
                                             entry.action->shortcut().toString(QKeySequence::NativeText)});
    item->setData(0, Qt::UserRole, entry.spec.id);
    item->setToolTip(0, entry.spec.tip);
    if (m_actions.hasOwnKeys(entry.spec.id)) {
      QFont own = m_list->font();
      own.setItalic(true);
      item->setFont(1, own);
      item->setToolTip(
          1, tr("Changed by you (default: %1)")
                 .arg(entry.spec.keys.isEmpty() ? tr("no keys")
                                                : entry.spec.keys.toString(QKeySequence::NativeText)));
    }
    if (entry.spec.id == before) m_list->setCurrentItem(item);
  }
  for (const FixedKeys& one : fixedKeys()) {
    if (group->text(0) != one.group) addGroup(one.group);
    auto* item = new QTreeWidgetItem(group, {one.what, one.keys});
    item->setToolTip(0, tr("These keys cannot be changed"));
  }
  m_resetAll->setEnabled(
      std::any_of(m_actions.entries().begin(), m_actions.entries().end(),
                  [this](const ActionRegistry::Entry& e) { return m_actions.hasOwnKeys(e.spec.id); }));
  filter();
  showCurrent();
}

void KeysSheet::filter() {
  const QString wanted = m_query->text();
  for (int g = 0; g < m_list->topLevelItemCount(); ++g) {
    QTreeWidgetItem* group = m_list->topLevelItem(g);
    bool any = false;
    for (int i = 0; i < group->childCount(); ++i) {
      QTreeWidgetItem* item = group->child(i);
      const bool shown = item->text(0).contains(wanted, Qt::CaseInsensitive) ||
                         item->text(1).contains(wanted, Qt::CaseInsensitive);
      item->setHidden(!shown);
      any = any || shown;
    }
    group->setHidden(!any);
  }
}

void KeysSheet::showCurrent() {
  const QString id = currentId();
  const QAction* action = m_actions.find(id);
  m_keys->clear();
  for (QWidget* w : std::initializer_list<QWidget*>{m_keys, m_clear, m_reset})
    w->setEnabled(action != nullptr);
  m_assign->setEnabled(false);
  if (!action) {
    m_state->setText(tr("Choose a command, then press its new keys below."));
    return;
  }
  m_clear->setEnabled(!action->shortcut().isEmpty());
  m_reset->setEnabled(m_actions.hasOwnKeys(id));
  const QString keys = action->shortcut().toString(QKeySequence::NativeText);
  const QString name = m_list->currentItem()->text(0);
  m_state->setText(keys.isEmpty() ? tr("%1 has no keys.").arg(name) : tr("%1 has %2.").arg(name, keys));
}

void KeysSheet::proposed() {
  QKeySequence keys = m_keys->keySequence();
  if (keys.isEmpty() || currentId().isEmpty()) return m_assign->setEnabled(false);
  if (keys.count() > 1) {  // one chord, the last one pressed
    m_keys->setKeySequence(QKeySequence(keys[static_cast<uint>(keys.count() - 1)]));
    return;
  }
  const QString text = keys.toString(QKeySequence::NativeText);
  if (isReserved(keys)) {
    m_state->setText(tr("%1 is used in fields and figures; add Ctrl or Alt.").arg(text));
    return m_assign->setEnabled(false);
  }
  const auto* holder = m_actions.holderOf(keys);
  if (holder && holder->spec.id != currentId())
    m_state->setText(tr("%1 is already the key of \"%2\" and would be reassigned.")
                         .arg(text, QString(holder->spec.text).remove(QChar(0x2026))));
  else
    m_state->setText(tr("%1 is free.").arg(text));
  m_assign->setEnabled(!holder || holder->spec.id != currentId());
}

void KeysSheet::assign() {
  m_actions.setKeys(currentId(), m_keys->keySequence());
  m_list->setFocus();
}

}  // namespace nest
