#pragma once

#include <string>

#include "files/file_reader.h"
#include "lessons/lesson.h"
#include "support/test_main.h"
#include "test_paths.h"

namespace nest::test {

/// A lesson on the teaching sample with these further members, "steps" among them.
inline std::string lessonWith(const std::string& members) {
  return R"({"format": "nest-lesson", "version": 2, "title": "T", "about": "A",
  "scenario": "teaching-6-layers-2x2.nest.json", )" +
         members + "}";
}

inline const std::string kLessonSource = NEST_SOURCE_DIR;

inline Reading<Lesson> lessonFile(const std::string& path) {
  return readLesson(readFile(path), path, loaderBeside(path));
}

inline const char* const kQuestion = R"("steps": [{"kind": "number", "id": "q", "text": "How long?",
  "answer": "base.step_time", "unit": "ms"}])";

inline Reading<Lesson> readOwnLesson(const std::string& text) {
  return readLesson(text, "own.lesson.json", {});
}

inline std::string firstError(const Diagnostics& all) {
  for (const Diagnostic& d : all)
    if (d.severity == Severity::Error) return toText(d);
  return {};
}

}  // namespace nest::test
