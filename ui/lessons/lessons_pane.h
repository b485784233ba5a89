#pragma once

#include <QScrollArea>

#include "lessons/lesson_play.h"
#include "lessons/lesson_record.h"

namespace nest {

class LessonPage;

/// The lessons: a list to choose from, or the step of the one that is taken.
class LessonsPane : public QScrollArea {
  Q_OBJECT
public:
  LessonsPane(LessonRecord&, ScenarioDocument&, QWidget* parent = nullptr);

  void showList();          ///< to choose from, or to leave the one that is taken
  void begin(LessonPlay*);  ///< it is taken
  void endLesson();         ///< what was open before is back
  /// Asks who answers; `key`: the lesson that goes on with it, empty: the list.
  void askStudent(const QString& key);

  LessonPlay* play() const { return m_play; }  ///< nullptr: none is taken
  const Lesson* lesson() const;                ///< nullptr: none is taken, or the list is shown
  int step() const;                            ///< the first that is not done
  bool isFinished(const QString& lessonId) const;
  LessonPage* page() const { return m_page; }  ///< nullptr: something else is shown

Q_SIGNALS:
  void startRequested(const QString& key);
  void restartRequested();
  void leaveRequested();  ///< the lesson's sample goes, what was open comes back
  void whereRequested();  ///< where the step is done
  void openRequested();   ///< a lesson from a file
  void saveRequested();   ///< the answers, to a file

private:
  void showPage();
  void showEvent(QShowEvent*) override;
  void place(QWidget*);

  LessonRecord& m_record;
  ScenarioDocument& m_document;
  LessonPlay* m_play = nullptr;
  LessonPage* m_page = nullptr;
  bool m_isAsking = false;  ///< who answers
};

}  // namespace nest
