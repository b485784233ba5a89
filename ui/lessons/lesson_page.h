#pragma once

#include <QWidget>

class QLabel;
class QPushButton;
class QVBoxLayout;

namespace nest {

class LessonPlay;
class LessonQuestion;
class ScenarioDocument;
struct Judged;
struct LessonStep;

/// The step of a lesson that is shown, or its end with the score.
class LessonPage : public QWidget {
  Q_OBJECT
public:
  LessonPage(LessonPlay&, ScenarioDocument&, QWidget* parent = nullptr);

  LessonQuestion* question() const { return m_question; }  ///< that is shown; nullptr: none
  QString announcement() const { return m_announcement; }  ///< for screen readers

Q_SIGNALS:
  void whereRequested();  ///< where in the window it is done
  void saveRequested();
  void restartRequested();
  void listRequested();
  void leaveRequested();
  void startRequested(const QString& key);

private:
  void addStep();
  void addReveal();
  void addQuestion(const LessonStep&);
  void addFields();  ///< what may be changed in this step
  void addHints();
  void addButtons();
  void addEnd();
  void addFoot();
  void refreshLock();
  void refreshMet();
  void lock();
  QString verdict(const LessonStep&, const Judged&) const;
  QString pointsText(double points, double of) const;

  LessonPlay& m_play;
  ScenarioDocument& m_document;
  QVBoxLayout* m_column;
  QVBoxLayout* m_hints = nullptr;
  LessonQuestion* m_question = nullptr;
  QPushButton *m_lock = nullptr, *m_hint = nullptr, *m_next = nullptr, *m_skip = nullptr;
  QWidget* m_met = nullptr;  ///< that the condition of the step has been reached
  QLabel* m_state = nullptr;
  QString m_announcement;
};

}  // namespace nest
