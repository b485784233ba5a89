#include "lessons/lesson_list.h"

#include <QDir>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>
#include <utility>

#include "figures/paint/phrases.h"
#include "lessons/lesson_labels.h"
#include "lessons/lesson_library.h"
#include "lessons/lesson_record.h"
#include "theme/icon.h"
#include "theme/plain_text.h"
#include "theme/qt_text.h"
#include "theme/theme.h"

namespace nest {

LessonList::LessonList(const LessonRecord& record, bool taken, QWidget* parent)
    : QWidget(parent), m_record(record), m_column(new QVBoxLayout(this)) {
  m_column->setContentsMargins(14, 10, 14, 14);
  m_column->setSpacing(6);
  m_column->addWidget(
      lessonLabel(tr("Each lesson opens a sample and guides you through it. Your scenario comes "
                     "back when you leave the lesson."),
                  this));
  const auto addLinks = [this](const std::vector<QPushButton*>& links) {
    auto* row = new QHBoxLayout;
    for (QPushButton* b : links) row->addWidget(b);
    row->addStretch();
    m_column->addLayout(row);
  };
  if (taken) {
    auto* leave = lessonLink(tr("Leave lesson"), this);
    leave->setToolTip(tr("Return to the scenario that was open before"));
    connect(leave, &QPushButton::clicked, this, &LessonList::leaveRequested);
    auto* on = lessonLink(tr("Back to the lesson"), this);
    connect(on, &QPushButton::clicked, this, &LessonList::goOnRequested);
    addLinks({on, leave});
  }
  QString heading;
  for (const LibraryLesson& l : builtInLessons()) {
    const QString of = l.isTask() ? tr("Tasks") : l.asks() ? tr("Lessons") : tr("Tours of the program");
    if (std::exchange(heading, of) != of) addHeading(of);
    addLesson(l);
  }
  addFolder(tr("Your own lessons"), ownLessonsFolder());
  if (const QString folder = m_record.folder(); !folder.isEmpty())
    addFolder(tr("Lessons in %1").arg(visibleText(QDir(folder).dirName())), folder);
  auto* open = lessonLink(tr("Open lesson…"), this);
  open->setToolTip(plainTip(tr("A file *.lesson.json. Those in %1 are listed here").arg(ownLessonsFolder())));
  connect(open, &QPushButton::clicked, this, &LessonList::openRequested);
  auto* save = lessonLink(tr("Save answers…"), this);
  save->setToolTip(tr("A file that nest-plan grade reads"));
  save->setEnabled(!m_record.answersFile().empty());
  connect(save, &QPushButton::clicked, this, &LessonList::saveRequested);
  m_column->addSpacing(8);
  addLinks({open, save});
  const QString name = toQt(m_record.student());
  auto* student = lessonLink(tr("Change name or number"), this);
  connect(student, &QPushButton::clicked, this, &LessonList::studentRequested);
  auto* who = lessonLabel(name.isEmpty() ? tr("Answers are kept without a name.")
                                         : tr("Answers are kept for %1.").arg(name.toHtmlEscaped()),
                          this);
  who->setProperty("role", "muted");
  m_column->addWidget(who);
  addLinks({student});
  m_column->addStretch();
}

void LessonList::addHeading(const QString& text) {
  auto* heading = new QLabel(text, this);
  heading->setFont(Theme::font(13.5, true));
  heading->setContentsMargins(0, 8, 0, 0);
  m_column->addWidget(heading);
}

void LessonList::addFolder(const QString& heading, const QString& path) {
  const LessonFolder folder = lessonsIn(path);
  if (folder.lessons.empty()) return;
  addHeading(heading);
  for (const LibraryLesson& l : folder.lessons) addLesson(l);
  if (folder.more > 0)
    m_column->addWidget(lessonLabel(tr("%1 more files in this folder are not listed: a folder shows %2. Use "
                                       "Open lesson… for the others.")
                                        .arg(folder.more)
                                        .arg(folder.lessons.size()),
                                    this));
}

void LessonList::addLesson(const LibraryLesson& entry) {
  auto* row = new QHBoxLayout;
  const QString title = visibleText(entry.title());
  auto* start = lessonLink(title, this);
  connect(start, &QPushButton::clicked, this, [this, key = entry.key] { Q_EMIT startRequested(key); });
  row->addWidget(start);
  row->addStretch();
  m_column->addLayout(row);
  QString about;
  if (!entry.lesson) {
    about = tr("This file has errors. Open it to see them.");
  } else {
    const Lesson& l = *entry.lesson;
    start->setToolTip(plainTip(toQt(l.about)));
    QStringList state;
    if (entry.asks()) state << tr("%1 min").arg(l.minutes);
    const LessonProgress progress = m_record.progressIn(l);
    if (m_record.isFinished(l)) {
      state << tr("done");
      start->setIcon(themedIcon(QStringLiteral("check")));
      start->setAccessibleName(tr("%1, done").arg(title));
    } else if (progress.step > 0) {
      state << tr("at step %1 of %2").arg(progress.step + 1).arg(l.steps.size());
      start->setAccessibleName(tr("%1, begun").arg(title));
    }
    if (const double points = m_record.pointsOf(l); entry.asks() && points >= 0)
      state << tr("%1 of %2 points")
                   .arg(toQt(valueText(LessonValue{points})), toQt(valueText(LessonValue{l.points()})));
    about = state.isEmpty()
                ? toQt(l.about).toHtmlEscaped()
                : tr("%1 <i>%2</i>").arg(toQt(l.about).toHtmlEscaped(), state.join(QStringLiteral(" · ")));
  }
  auto* text = lessonLabel(about, this);
  text->setProperty("role", "muted");
  text->setContentsMargins(4, 0, 0, 4);
  m_column->addWidget(text);
}

}  // namespace nest
