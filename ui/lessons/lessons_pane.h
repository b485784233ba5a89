#pragma once

#include <QScrollArea>
#include <QTimer>
#include <vector>

#include "lessons/tour.h"

class QLabel;
class QPushButton;
class QVBoxLayout;

namespace nest {

/// The lessons: a list to choose from, or the steps of the one that is taken, each ticked when it has been
/// done. Which lessons were taken to their end is remembered.
class LessonsPane : public QScrollArea {
  Q_OBJECT
public:
  /// `scene`: how things stand now. Asked whenever something may have changed.
  LessonsPane(std::function<TourScene()> scene, bool remembers, QWidget* parent = nullptr);

  void showList();                                 ///< to choose from, or to leave the one that is taken
  void begin(const QString& lessonId);             ///< after its sample has been opened
  void endLesson();                                ///< what was open before is back
  const Tour* lesson() const { return m_lesson; }  ///< nullptr: the list is shown
  int step() const { return m_step; }              ///< the first that is not done
  bool isFinished(const QString& lessonId) const;
  void check();  ///< looks again whether the step is done

Q_SIGNALS:
  void startRequested(const QString& lessonId);
  void leaveRequested();  ///< the lesson's sample goes, what was open comes back
  void viewRequested(const QString& id);

protected:
  void showEvent(QShowEvent*) override;
  void hideEvent(QHideEvent*) override;

private:
  void showLesson();
  QVBoxLayout* newPage();
  QPushButton* leaveLink();

  std::function<TourScene()> m_scene;
  bool m_remembers;
  const Tour* m_lesson = nullptr;
  int m_step = 0;
  bool m_isTaken = false;  ///< a lesson's sample is open
  PlanContextPtr m_start;
  QStringList m_finished;
  QTimer m_look;
};

}  // namespace nest
