#pragma once

#include <QWidget>

class QVBoxLayout;

namespace nest {

class LessonRecord;
struct LibraryLesson;

/// The lessons to choose from: those with questions, the tours, and the user's own.
class LessonList : public QWidget {
  Q_OBJECT
public:
  /// `taken`: a lesson is open that can be left.
  LessonList(const LessonRecord&, bool taken, QWidget* parent = nullptr);

Q_SIGNALS:
  void startRequested(const QString& key);
  void openRequested();
  void saveRequested();
  void leaveRequested();
  void goOnRequested();     ///< with the lesson that is open
  void studentRequested();  ///< another one answers

private:
  void addHeading(const QString&);
  void addFolder(const QString& heading, const QString& path);
  void addLesson(const LibraryLesson&);

  const LessonRecord& m_record;
  QVBoxLayout* m_column;
};

}  // namespace nest
