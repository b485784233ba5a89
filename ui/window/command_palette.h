#pragma once

#include <QDialog>
#include <functional>
#include <vector>

class QLineEdit;
class QListWidget;

namespace nest {

/// Finds a command, a field, a stage, a layer or a device by typing a few letters of it.
class CommandPalette : public QDialog {
  Q_OBJECT
public:
  struct Item {
    QString text, hint;  ///< hint: keys, or what kind of thing it is
    std::function<void()> run;
  };

  CommandPalette(std::vector<Item> items, QWidget* parent);

  /// How well the letters of `query` appear in `text`, in order; −1: they do not. Word beginnings and runs
  /// count more.
  static int match(const QString& query, const QString& text);

protected:
  bool eventFilter(QObject*, QEvent*) override;

private:
  void filter();
  void runCurrent();

  std::vector<Item> m_items;
  QLineEdit* m_query;
  QListWidget* m_list;
};

}  // namespace nest
