#pragma once

#include <QWidget>
#include <functional>
#include <vector>

#include "diagnostics/diagnostic.h"
#include "editors/bound_line.h"

class QCheckBox;
class QComboBox;
class QGridLayout;
class QToolButton;

namespace nest {

/// A figure of the scenario that is one of a few.
struct ChoiceSpec {
  QString id, label, verb;
  QStringList options;
  std::function<int(const Scenario&)> read;  ///< −1: none of them
  std::function<void(int, Scenario&)> write;
};

/// A figure of the scenario that is yes or no.
struct CheckSpec {
  QString id, text, verb;
  std::function<bool(const Scenario&)> read;
  std::function<void(bool, Scenario&)> write;
  QString tip;
};

/// A titled group of rows that can be folded. Every row has its name, its editor and room for what is wrong
/// with it.
class FormSection : public QWidget {
  Q_OBJECT
public:
  FormSection(const QString& title, ScenarioDocument&, QWidget* parent = nullptr);

  /// `term`: the glossary word behind the label.
  BoundLine* addLine(LineSpec, const QString& term = {});
  QComboBox* addChoice(ChoiceSpec, const QString& term = {});
  void addChecks(const QString& label, const std::vector<CheckSpec>&, const QString& term = {});
  /// Over the whole width; messages for `ids` (JSON pointers) and what is below them appear under it.
  void addWidget(QWidget*, const std::vector<QString>& ids);

  bool isFolded() const;
  void setFolded(bool);
  QString title() const { return m_title; }

  /// Puts each message at the row it is about; what is about no row here is left alone.
  void showDiagnostics(const Diagnostics&);
  /// Focuses the row that edits this pointer, or the nearest above it. False if there is none here.
  bool reveal(const QString& pointer);

private:
  struct Row {
    std::vector<QString> ids;
    QWidget* editor;
    QLabel* message;
    BoundLine* line = nullptr;
    QString fromProblem;  ///< what buildProblem said about it
    bool isError = false;
  };
  Row& addRow(QWidget* label, QWidget* editor, std::vector<QString> ids);
  QLabel* makeLabel(const QString& text, const QString& term, QWidget* buddy);
  static void showMessage(const Row&);

  QString m_title;
  ScenarioDocument& m_document;
  QToolButton* m_head;
  QWidget* m_body;
  QGridLayout* m_grid;
  std::vector<std::unique_ptr<Row>> m_rows;
};

}  // namespace nest
