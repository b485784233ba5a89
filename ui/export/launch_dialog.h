#pragma once

#include <QDialog>

#include "document/plan_context.h"
#include "formats/launch/launch_export.h"

class QLabel;
class QListWidget;
class QPlainTextEdit;
class QPushButton;

namespace nest {

/// The plan in the words of the programs that run it: flags, configurations, host files. Shows each as it
/// will be written, with what it leaves open, or every reason why it cannot say the plan; copies and saves
/// it.
class LaunchDialog : public QDialog {
  Q_OBJECT
public:
  explicit LaunchDialog(const PlanContext&, QWidget* parent = nullptr);

  void choose(const LaunchTarget&);
  QString text() const { return m_content; }  ///< all of what is chosen; empty if it cannot be written
  QString notes() const;

public Q_SLOTS:
  void save();
  void copy();

private:
  const LaunchTarget& chosen() const;
  void showChosen();

  PlanContext m_context;
  QString m_content;
  QListWidget* m_targets;
  QLabel* m_what;
  QPlainTextEdit* m_text;
  QLabel* m_notes;
  QPushButton *m_save, *m_copy;
};

}  // namespace nest
