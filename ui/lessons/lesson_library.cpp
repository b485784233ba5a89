#include "lessons/lesson_library.h"

#include <QDir>
#include <QFileInfo>
#include <QStandardPaths>
#include <algorithm>
#include <utility>

#include "document/file_path.h"
#include "document/scenario_files.h"
#include "lessons/builtin_lessons.h"
#include "theme/qt_text.h"

namespace nest {
namespace {

constexpr int kMostOwnLessons = 100;
const auto kLessonSuffix = QStringLiteral(".lesson.json");

QStringList lessonFiles(const QDir& dir) {
  return dir.entryList({u'*' + kLessonSuffix}, QDir::Files, QDir::Name);
}

}  // namespace

QString LibraryLesson::title() const {
  return lesson ? toQt(lesson->title) : QFileInfo(key).fileName();
}

ReferenceLoader LibraryLesson::loader() const {
  return isBuiltIn() ? sampleLoader() : loaderOf(key);
}

bool LibraryLesson::asks() const {
  return lesson && std::any_of(lesson->steps.begin(), lesson->steps.end(),
                               [](const LessonStep& s) { return s.isQuestion(); });
}

bool LibraryLesson::isTask() const {
  return isBuiltIn() && lesson->id.starts_with("task-");
}

const std::vector<LibraryLesson>& builtInLessons() {
  static const std::vector<LibraryLesson> all = [] {
    std::vector<LibraryLesson> out;
    for (const Lesson& l : builtinLessons())
      out.push_back({std::shared_ptr<const Lesson>(std::shared_ptr<void>(), &l), toQt(l.id), {}});
    const auto rank = [](const LibraryLesson& l) { return l.isTask() ? 1 : l.asks() ? 0 : 2; };
    std::stable_sort(out.begin(), out.end(),
                     [&](const LibraryLesson& a, const LibraryLesson& b) { return rank(a) < rank(b); });
    return out;
  }();
  return all;
}

LibraryLesson lessonNamed(const QString& key) {
  for (const LibraryLesson& l : builtInLessons())
    if (l.key == key) return l;
  LibraryLesson out;
  out.key = QFileInfo(key).absoluteFilePath();
  auto text = readTextOf(out.key);
  if (!text) {
    out.errors = std::move(text.diagnostics);
    return out;
  }
  auto lesson = readLesson(*text, bytesOf(out.key), loaderOf(out.key));
  out.errors = std::move(lesson.diagnostics);
  if (lesson) out.lesson = std::make_shared<const Lesson>(std::move(*lesson.value));
  return out;
}

LessonFolder lessonsIn(const QString& folder) {
  LessonFolder out;
  const QDir dir(folder);
  const QStringList files = lessonFiles(dir);
  for (const QString& name : files.mid(0, kMostOwnLessons))
    out.lessons.push_back(lessonNamed(dir.absoluteFilePath(name)));
  out.more = static_cast<int>(files.size() - static_cast<qsizetype>(out.lessons.size()));
  return out;
}

bool hasLessons(const QString& folder) {
  return QFileInfo(folder).isDir() && !lessonFiles(QDir(folder)).isEmpty();
}

QString ownLessonsFolder() {
  return QDir(QStandardPaths::writableLocation(QStandardPaths::AppDataLocation))
      .filePath(QStringLiteral("lessons"));
}

bool isLessonFile(const QString& path) {
  if (!QFileInfo(path).isFile()) return false;
  if (path.endsWith(kLessonSuffix, Qt::CaseInsensitive)) return true;
  const auto begin = readBeginOf(path);
  return begin && isLesson(*begin);
}

}  // namespace nest
