#include "lessons/lessons_pane.h"

#include <QAccessible>
#include <QApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QVBoxLayout>

#include "lessons/lesson_labels.h"
#include "lessons/lesson_list.h"
#include "lessons/lesson_page.h"
#include "lessons/lesson_question.h"
#include "theme/qt_text.h"
#include "theme/theme.h"

namespace nest {

LessonsPane::LessonsPane(LessonRecord& record, ScenarioDocument& document, QWidget* parent)
    : QScrollArea(parent), m_record(record), m_document(document) {
  setAccessibleName(tr("Lessons"));
  setWidgetResizable(true);
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  constexpr int kNarrowest = 236;  // in a small window the views would take the rest of it, step by step
  setMinimumWidth(kNarrowest);
}

void LessonsPane::showEvent(QShowEvent* event) {
  if (!widget()) showList();  // reading all lessons waits until somebody looks
  QScrollArea::showEvent(event);
}

const Lesson* LessonsPane::lesson() const {
  return m_play && m_page ? &m_play->lesson() : nullptr;
}

int LessonsPane::step() const {
  return m_play ? m_play->reached() : 0;
}

bool LessonsPane::isFinished(const QString& lessonId) const {
  for (const LibraryLesson& l : builtInLessons())
    if (l.key == lessonId) return m_record.isFinished(*l.lesson);
  return false;
}

void LessonsPane::place(QWidget* content) {
  m_page = nullptr;
  m_isAsking = false;
  // What is shown may have been pressed just now.
  if (QWidget* before = takeWidget()) before->deleteLater();
  setWidget(content);
  verticalScrollBar()->setValue(0);
}

void LessonsPane::showList() {
  auto* list = new LessonList(m_record, m_play != nullptr);
  connect(list, &LessonList::startRequested, this, &LessonsPane::startRequested);
  connect(list, &LessonList::openRequested, this, &LessonsPane::openRequested, Qt::QueuedConnection);
  connect(list, &LessonList::saveRequested, this, &LessonsPane::saveRequested, Qt::QueuedConnection);
  connect(list, &LessonList::leaveRequested, this, &LessonsPane::leaveRequested, Qt::QueuedConnection);
  connect(
      list, &LessonList::studentRequested, this, [this] { askStudent({}); }, Qt::QueuedConnection);
  place(list);
}

void LessonsPane::askStudent(const QString& key) {
  auto* page = new QWidget;
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(14, 10, 14, 14);
  column->setSpacing(9);
  auto* title = new QLabel(tr("Who answers?"), page);
  title->setFont(Theme::font(16, true));
  column->addWidget(title);
  column->addWidget(lessonLabel(tr("Type your name or student number. It stands in the file of answers that "
                                   "you may give to your lecturer, "
                                   "and some lessons have numbers of their own for each student. Leave it "
                                   "empty if nobody asked you for it."),
                                page));
  auto* field = new QLineEdit(toQt(m_record.student()), page);
  field->setObjectName(QStringLiteral("student"));
  field->setMaxLength(64);
  field->setAccessibleName(tr("Name or student number"));
  column->addWidget(field);
  auto* wrong = lessonLabel({}, page);
  wrong->setProperty("role", "warning");
  wrong->hide();
  column->addWidget(wrong);
  auto* go = new QPushButton(key.isEmpty() ? tr("Use this name") : tr("Begin"), page);
  go->setProperty("primary", true);
  go->setAutoDefault(true);
  auto* row = new QHBoxLayout;
  row->addWidget(go);
  row->addStretch();
  column->addLayout(row);
  column->addStretch();
  const auto take = [this, field, wrong, key] {
    const std::string name = field->text().trimmed().toStdString();
    if (!isStudentName(name)) {
      wrong->setText(tr("Use letters, digits, blanks and . _ - @ only."));
      return wrong->show();
    }
    m_record.setStudent(name);
    if (!key.isEmpty()) return Q_EMIT startRequested(key);
    if (m_play) return Q_EMIT startRequested(m_play->source().key);  // its numbers may be others now
    showList();
  };
  connect(go, &QPushButton::clicked, this, take, Qt::QueuedConnection);
  connect(field, &QLineEdit::returnPressed, this, take, Qt::QueuedConnection);
  place(page);
  m_isAsking = true;
  field->setFocus(Qt::OtherFocusReason);
}

void LessonsPane::endLesson() {
  m_play = nullptr;
  showList();
}

void LessonsPane::begin(LessonPlay* play) {
  m_play = play;
  connect(play, &LessonPlay::ready, this, [this] {
    if (!m_isAsking) showPage();
  });
  connect(play, &LessonPlay::stepShown, this, &LessonsPane::showPage);
  showPage();
}

void LessonsPane::showPage() {
  if (!m_play) return;
  const bool hadFocus = isAncestorOf(QApplication::focusWidget()) || hasFocus();
  auto* page = new LessonPage(*m_play, m_document);
  connect(page, &LessonPage::whereRequested, this, &LessonsPane::whereRequested);
  connect(page, &LessonPage::saveRequested, this, &LessonsPane::saveRequested, Qt::QueuedConnection);
  connect(page, &LessonPage::restartRequested, this, &LessonsPane::restartRequested);
  connect(page, &LessonPage::listRequested, this, &LessonsPane::showList);
  connect(page, &LessonPage::leaveRequested, this, &LessonsPane::leaveRequested);
  connect(page, &LessonPage::startRequested, this, &LessonsPane::startRequested);
  place(page);
  m_page = page;
  if (hadFocus) {
    if (page->question() && m_play->isAsking())
      page->question()->setFocus(Qt::OtherFocusReason);
    else
      for (auto* b : page->findChildren<QPushButton*>())
        if (b->property("primary").toBool()) b->setFocus(Qt::OtherFocusReason);
  }
  setAccessibleDescription(page->announcement());
  QAccessibleEvent alert(this, QAccessible::DescriptionChanged);
  QAccessible::updateAccessibility(&alert);
}

}  // namespace nest
