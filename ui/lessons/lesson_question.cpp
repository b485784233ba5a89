#include "lessons/lesson_question.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QRadioButton>
#include <QTextDocumentFragment>
#include <QVBoxLayout>
#include <algorithm>

#include "lessons/lesson_labels.h"
#include "theme/icon.h"
#include "theme/qt_text.h"

namespace nest {

ChoiceQuestion::ChoiceQuestion(const QStringList& options, QWidget* parent) : LessonQuestion(parent) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(6);
  for (int i = 0; i < options.size(); ++i) {
    auto* row = new QHBoxLayout;
    row->setSpacing(6);
    // The letter is how files of answers and tables of grades name it.
    auto* button = new QRadioButton(QString(QChar('A' + i)), this);
    button->setAccessibleName(
        tr("%1: %2").arg(button->text(), QTextDocumentFragment::fromHtml(options[i]).toPlainText()));
    auto* text = lessonLabel(options[i], this);
    text->setContentsMargins(0, 2, 0, 0);  // on the line of the letter
    text->installEventFilter(this);        // a click on the words chooses, too
    button->installEventFilter(this);
    auto* mark = new QLabel(this);
    mark->setFixedWidth(16);
    row->addWidget(button, 0, Qt::AlignTop);
    row->addWidget(text, 1);
    row->addWidget(mark, 0, Qt::AlignTop);
    column->addLayout(row);
    connect(button, &QRadioButton::toggled, this, &LessonQuestion::edited);
    m_buttons.push_back(button);
    m_texts.push_back(text);
    m_marks.push_back(mark);
  }
  if (!m_buttons.empty()) setFocusProxy(m_buttons.front());
}

bool ChoiceQuestion::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::KeyPress &&
      std::find(m_buttons.begin(), m_buttons.end(), watched) != m_buttons.end()) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (key == Qt::Key_Return || key == Qt::Key_Enter) {
      if (auto* button = static_cast<QRadioButton*>(watched); button->isChecked())
        Q_EMIT entered();
      else
        button->setChecked(true);
      return true;
    }
  }
  if (event->type() == QEvent::MouseButtonRelease)
    for (std::size_t i = 0; i < m_texts.size(); ++i)
      if (m_texts[i] == watched && m_buttons[i]->isEnabled()) {
        m_buttons[i]->setChecked(true);
        m_buttons[i]->setFocus(Qt::MouseFocusReason);
      }
  return LessonQuestion::eventFilter(watched, event);
}

std::optional<std::vector<double>> ChoiceQuestion::given(QString& whyNot) const {
  for (std::size_t i = 0; i < m_buttons.size(); ++i)
    if (m_buttons[i]->isChecked()) return std::vector{static_cast<double>(i + 1)};
  whyNot = tr("Choose one of the options.");
  return std::nullopt;
}

void ChoiceQuestion::showAnswer(const std::vector<double>& given, const std::vector<double>& right) {
  const auto has = [](const std::vector<double>& all, std::size_t i) {
    return std::find(all.begin(), all.end(), static_cast<double>(i + 1)) != all.end();
  };
  for (std::size_t i = 0; i < m_buttons.size(); ++i) {
    m_buttons[i]->setChecked(has(given, i));
    m_buttons[i]->setEnabled(false);
    const bool isRight = has(right, i);
    if (isRight) m_marks[i]->setPixmap(themedIcon(QStringLiteral("check")).pixmap(14, 14));
    QString name = m_buttons[i]->accessibleName();
    if (has(given, i)) name = tr("%1, your answer").arg(name);
    if (isRight) name = tr("%1, right").arg(name);
    m_buttons[i]->setAccessibleName(name);
  }
}

NumberQuestion::NumberQuestion(const LessonUnit& unit, QWidget* parent)
    : LessonQuestion(parent), m_unit(unit), m_field(new QLineEdit(this)) {
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(6);
  m_field->setObjectName(QStringLiteral("answer"));
  m_field->setMaxLength(40);
  m_field->setMaximumWidth(150);
  const QString name = toQt(unit.name);
  m_field->setAccessibleName(name.isEmpty() ? tr("Your answer") : tr("Your answer in %1").arg(name));
  row->addWidget(m_field);
  row->addWidget(new QLabel(name, this));
  row->addStretch();
  connect(m_field, &QLineEdit::textChanged, this, &LessonQuestion::edited);
  connect(m_field, &QLineEdit::returnPressed, this, &LessonQuestion::entered);
  setFocusProxy(m_field);
}

std::optional<std::vector<double>> NumberQuestion::given(QString& whyNot) const {
  const std::string typed = m_field->text().toStdString();
  if (const auto v = readInUnit(typed, m_unit)) return std::vector{*v};
  if (m_field->text().trimmed().isEmpty())
    whyNot = tr("Type a number.");
  else if (m_unit.name.empty())
    whyNot = tr("This is not a number.");
  else
    whyNot = tr("This is not a number in %1.").arg(toQt(m_unit.name));
  return std::nullopt;
}

void NumberQuestion::showAnswer(const std::vector<double>& given, const std::vector<double>&) {
  if (!given.empty()) m_field->setText(toQt(inUnit(given.front(), LessonUnit{})));
  m_field->setReadOnly(true);
  m_field->setEnabled(false);
}

}  // namespace nest
