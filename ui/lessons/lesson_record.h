#pragma once

#include <QString>
#include <map>
#include <string>
#include <utility>

#include "lessons/lesson_answers.h"

namespace nest {

/// What the students of this computer have answered, each on a sheet of their own. Kept by the settings.
class LessonRecord {
public:
  explicit LessonRecord(bool remembers);

  const std::string& student() const { return m_student; }  ///< empty: nobody has said who answers
  bool isStudentKnown() const { return m_isKnown; }         ///< it was asked, and may be empty
  /// Another student goes on with another sheet.
  void setStudent(const std::string& name);

  /// Of the present student. Where another version of the lesson was answered: the answers to questions that
  /// are still there and have as many parts.
  LessonProgress progressIn(const Lesson&) const;
  bool isOfAnotherVersion(const Lesson&) const;  ///< what is kept of it
  bool hasBegun(const Lesson&) const;
  bool isFinished(const Lesson&) const;
  void keep(const LessonProgress&);
  /// Points that were reached in a lesson; negative: it has not been finished.
  double pointsOf(const Lesson&) const;
  void setPoints(const Lesson&, double);
  void forget(const Lesson&);  ///< it begins again

  /// Hints that were opened before an answer was locked: closing the program does not take them back.
  int openHints(const Lesson&, const std::string& question) const;
  void setOpenHints(const Lesson&, const std::string& question, int hints);

  const QString& folder() const { return m_folder; }  ///< whose lessons are listed; empty: of none
  void setFolder(const QString&);

  /// The lessons with answers, as a file for the lecturer; empty: nothing has been answered.
  std::string answersFile() const;

private:
  const AnswerSheet& sheet() const;
  void save() const;

  bool m_remembers, m_isKnown = false;
  std::string m_student;
  QString m_folder;
  std::map<std::string, AnswerSheet> m_sheets;  ///< by student
  /// By student, lesson and question.
  std::map<std::string, int> m_hints;
  std::map<std::string, double> m_points;  ///< by student and lesson: the list computes no plans
};

}  // namespace nest
