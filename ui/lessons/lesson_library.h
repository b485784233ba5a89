#pragma once

#include <QString>
#include <memory>
#include <vector>

#include "formats/scenario/scenario_json.h"
#include "lessons/lesson.h"

namespace nest {

/// A lesson with where it comes from.
struct LibraryLesson {
  std::shared_ptr<const Lesson> lesson;  ///< null: the file has errors
  QString key;                           ///< id of a built-in one, path of a file
  Diagnostics errors;

  bool isBuiltIn() const { return lesson && lesson->file.empty(); }
  QString title() const;           ///< of a file with errors, the name of the file
  ReferenceLoader loader() const;  ///< of what its scenario names
  bool asks() const;               ///< it has questions
  bool isTask() const;             ///< built in, short, and without a lesson around it
};

/// The built-in lessons: those with questions first, then the tasks, then the tours.
const std::vector<LibraryLesson>& builtInLessons();
/// A file, or a built-in lesson by its id.
LibraryLesson lessonNamed(const QString& key);
/// The lessons of a folder (*.lesson.json), by name, those with errors included; at most 100.
struct LessonFolder {
  std::vector<LibraryLesson> lessons;
  int more = 0;  ///< files that were not read
};
LessonFolder lessonsIn(const QString& folder);
bool hasLessons(const QString& folder);
/// Where a user's own lessons are looked for.
QString ownLessonsFolder();
/// Whether a file is meant as a lesson: by its name, or by what it says.
bool isLessonFile(const QString& path);

}  // namespace nest
