#pragma once

#include <QDialog>
#include <vector>

class QKeySequenceEdit;
class QLabel;
class QLineEdit;
class QPushButton;
class QTreeWidget;
class QTreeWidgetItem;

namespace nest {

class ActionRegistry;

/// Keys that cannot be changed: of what the view or pane in front does with them.
struct FixedKeys {
  QString group, what, keys;
};
const std::vector<FixedKeys>& fixedKeys();

/// Every command with its keys, by menu, and where they are changed: choose a command, press the keys.
class KeysSheet : public QDialog {
  Q_OBJECT
public:
  explicit KeysSheet(ActionRegistry&, QWidget* parent = nullptr);

private:
  void fill();
  void filter();
  void showCurrent();
  void proposed();
  void assign();
  QString currentId() const;  ///< empty: no command that could be changed

  ActionRegistry& m_actions;
  QLineEdit* m_query;
  QTreeWidget* m_list;
  QKeySequenceEdit* m_keys;
  QLabel* m_state;
  QPushButton *m_assign, *m_clear, *m_reset, *m_resetAll;
};

}  // namespace nest
