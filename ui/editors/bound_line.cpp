#include "editors/bound_line.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QSignalBlocker>
#include <QStyle>
#include <utility>

namespace nest {
namespace {
constexpr int kPixelsPerStep = 12;
}

BoundLine::BoundLine(LineSpec spec, ScenarioDocument& document, QWidget* parent)
    : QLineEdit(parent), m_spec(std::move(spec)), m_document(document) {
  setObjectName(m_spec.id);
  setAccessibleName(m_spec.label);
  setAccessibleDescription(m_spec.hint);
  setToolTip(m_spec.hint);
  connect(this, &QLineEdit::textEdited, this, &BoundLine::typed);
  connect(&document, &ScenarioDocument::changed, this, &BoundLine::refresh);
  refresh();
}

void BoundLine::refresh() {
  const QString now = m_document.isEmpty() ? QString() : m_spec.read(m_document.scenario());
  const bool moved = std::exchange(m_seen, now) != now;
  if (m_applying && !m_problem.isEmpty()) return;  // what was typed stays
  if (!m_applying) m_before.reset();
  setEnabled(!m_document.isEmpty());
  if (hasFocus() && !m_scrubFrom) {
    // While one types, the text is the user's own as long as it means what the document says, or nothing yet.
    Scenario probe = m_document.scenario();
    if (m_problem.isEmpty() ? m_spec.write(text(), probe).isEmpty() && probe == m_document.scenario()
                            : !moved)
      return;
  }
  if (now != text()) {
    setText(now);
    setCursorPosition(0);
  }
  setProblem({});
}

void BoundLine::typed(const QString& text) {
  Scenario probe = m_document.scenario();
  const QString problem = m_spec.write(text, probe);
  setProblem(problem);
  if (!problem.isEmpty()) return;
  const auto before = m_before ? m_before : m_document.snapshot();
  m_applying = true;
  m_document.edit(m_spec.id, m_spec.verb, [&](Scenario& s) { m_spec.write(text, s); });
  m_applying = false;
  m_before = before;
  m_generation = m_document.generation();
}

void BoundLine::stepBy(int steps) {
  if (!m_spec.step || !m_problem.isEmpty()) return;
  const QString next = m_spec.step(text(), steps);
  if (next.isEmpty() || next == text()) return;
  setText(next);
  typed(next);
}

void BoundLine::scrub(int steps, bool done) {
  if (!m_spec.step) return;
  if (!m_scrubFrom) m_scrubFrom = text();
  const QString next = steps == 0 ? *m_scrubFrom : m_spec.step(*m_scrubFrom, steps);
  Scenario probe = m_document.scenario();
  if (next.isEmpty() || !m_spec.write(next, probe).isEmpty()) return;
  const auto change = [&](Scenario& s) { m_spec.write(next, s); };
  if (done) {
    m_scrubFrom.reset();
    m_document.closeStep();
    m_document.edit(m_spec.id, m_spec.verb, change);
    m_document.closeStep();
  } else {
    m_document.preview(change);
  }
}

bool BoundLine::event(QEvent* event) {
  // Undo and redo are the document's, also while a field has the focus.
  if (event->type() == QEvent::ShortcutOverride) {
    const auto* key = static_cast<QKeyEvent*>(event);
    if (key->matches(QKeySequence::Undo) || key->matches(QKeySequence::Redo)) return false;
  }
  return QLineEdit::event(event);
}

void BoundLine::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Up:
      return stepBy(1);
    case Qt::Key_Down:
      return stepBy(-1);
    case Qt::Key_Escape:
      takeBack();
      setText(m_spec.read(m_document.scenario()));
      setProblem({});
      selectAll();
      return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (m_problem.isEmpty()) {  // said and done: what is typed next is another edit
        m_before.reset();
        m_document.closeStep();
      }
      return QLineEdit::keyPressEvent(event);
    default:
      QLineEdit::keyPressEvent(event);
  }
}

// "99999999999" is too much, but its beginnings were not. Another scenario, or one that was changed since,
// has none of them.
void BoundLine::takeBack() {
  if (!m_problem.isEmpty() && m_before && m_generation == m_document.generation()) {
    m_applying = true;
    m_document.edit(m_spec.id, m_spec.verb, [before = *m_before](Scenario& s) { s = before; });
    m_applying = false;
  }
  m_before.reset();
}

void BoundLine::focusOutEvent(QFocusEvent* event) {
  QLineEdit::focusOutEvent(event);
  takeBack();
  m_document.closeStep();
  if (m_problem.isEmpty()) refresh();
}

void BoundLine::setProblem(const QString& problem) {
  if (problem == m_problem) return;
  m_problem = problem;
  setProperty("wrong", !problem.isEmpty());
  style()->unpolish(this);
  style()->polish(this);
  setAccessibleDescription(problem.isEmpty() ? m_spec.hint : problem);
  Q_EMIT problemChanged();
}

ScrubLabel::ScrubLabel(const QString& text, BoundLine* line, QWidget* parent)
    : QLabel(text, parent), m_line(line) {
  setBuddy(line);
  if (line->spec().step) setCursor(Qt::SizeHorCursor);
}

void ScrubLabel::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return QLabel::mousePressEvent(event);
  m_pressedAt = event->pos().x();
  m_steps = 0;
}

void ScrubLabel::mouseMoveEvent(QMouseEvent* event) {
  if (!m_pressedAt) return;
  const int steps = (event->pos().x() - *m_pressedAt) / kPixelsPerStep;
  if (steps == m_steps) return;
  m_steps = steps;
  m_moved = true;
  m_line->scrub(steps, false);
}

void ScrubLabel::mouseReleaseEvent(QMouseEvent*) {
  if (!m_pressedAt) return;
  m_pressedAt.reset();
  if (std::exchange(m_moved, false)) m_line->scrub(m_steps, true);
  m_line->setFocus(Qt::MouseFocusReason);
}

}  // namespace nest
