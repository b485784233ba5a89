#pragma once

#include <QLabel>
#include <QLineEdit>
#include <QString>
#include <functional>
#include <memory>
#include <optional>

#include "document/scenario_document.h"

namespace nest {

/// A figure or name of the scenario that is edited as one line of text.
struct LineSpec {
  QString id;     ///< JSON pointer of what it edits: field key of the undo step, place of diagnostics
  QString label;  ///< "Global batch"; also the accessible name
  QString verb;   ///< "Change global batch"
  QString hint;   ///< what may be typed, for the tooltip and assistive technology
  std::function<QString(const Scenario&)> read;
  /// Applies the text, or says what is wrong, what is allowed and what to do; empty = applied.
  std::function<QString(const QString&, Scenario&)> write;
  /// The text after so many steps up (positive) or down; unset: the field does not step.
  std::function<QString(const QString&, int steps)> step;
};

/// Edits the document as one types: each valid text is applied at once (one undo step per visit of the
/// field), an invalid one stays, marked, with its remedy in problem(). Who leaves an invalid text behind
/// leaves the document as it was before typing. Escape takes back to what the document says, Up and Down
/// step.
class BoundLine : public QLineEdit {
  Q_OBJECT
public:
  BoundLine(LineSpec, ScenarioDocument&, QWidget* parent = nullptr);

  const LineSpec& spec() const { return m_spec; }
  const QString& problem() const { return m_problem; }  ///< empty: the text is applied
  void stepBy(int steps);
  /// Shows steps without an undo step, until `done`: dragging the label.
  void scrub(int steps, bool done);
  void takeBack();  ///< what wrong text left of its beginnings
  void refresh();   ///< from the document, unless the user is in the middle of an invalid text

Q_SIGNALS:
  void problemChanged();

protected:
  bool event(QEvent*) override;
  void keyPressEvent(QKeyEvent*) override;
  void focusOutEvent(QFocusEvent*) override;

private:
  void typed(const QString&);
  void setProblem(const QString&);

  LineSpec m_spec;
  ScenarioDocument& m_document;
  QString m_problem;
  QString m_seen;         ///< what the document said last
  int m_generation = -1;  ///< of the document, as it was left by what was typed last
  std::optional<QString> m_scrubFrom;
  std::shared_ptr<const Scenario> m_before;  ///< before the typing that goes on
  bool m_applying = false;
};

/// The name of a field; dragging it sideways steps the field, with the plan following live.
class ScrubLabel : public QLabel {
  Q_OBJECT
public:
  ScrubLabel(const QString& text, BoundLine* line, QWidget* parent = nullptr);

protected:
  void mousePressEvent(QMouseEvent*) override;
  void mouseMoveEvent(QMouseEvent*) override;
  void mouseReleaseEvent(QMouseEvent*) override;

private:
  BoundLine* m_line;
  std::optional<int> m_pressedAt;
  int m_steps = 0;
  bool m_moved = false;
};

}  // namespace nest
