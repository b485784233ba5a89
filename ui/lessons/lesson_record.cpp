#include "lessons/lesson_record.h"

#include <QSettings>
#include <QStringList>
#include <QVariantMap>
#include <algorithm>

namespace nest {
namespace {

const auto kStudentKey = QStringLiteral("lessons/student");
const auto kSheetsKey = QStringLiteral("lessons/sheets");
const auto kFolderKey = QStringLiteral("lessons/folder");
const auto kHintsKey = QStringLiteral("lessons/hints");
const auto kPointsKey = QStringLiteral("lessons/points");
const auto kFinishedKey = QStringLiteral("lessons/finished");  ///< of earlier versions: ids, by nobody

/// Where hints and points are counted.
std::string recordKey(const std::string& student, const Lesson& lesson, const std::string& question) {
  return student + '\n' + lesson.id + '\n' + lesson.digest + '\n' + question;
}

/// How many values an answer to it has.
std::size_t partsOf(const LessonStep& question) {
  return question.kind == StepKind::Draw ? question.bars.size() : 1;
}

bool answers(const LessonAnswer& a, const LessonStep* question) {
  if (!question || !question->isQuestion()) return false;
  if (a.skipped) return true;
  if (a.given.size() != partsOf(*question)) return false;
  return question->kind != StepKind::Choose ||
         (a.given[0] >= 1 && a.given[0] <= static_cast<double>(question->options.size()));
}

}  // namespace

LessonRecord::LessonRecord(bool remembers) : m_remembers(remembers) {
  if (!remembers) return;
  const QSettings settings;
  const std::string student = settings.value(kStudentKey).toString().toStdString();
  m_isKnown = settings.contains(kStudentKey) && isStudentName(student);
  if (m_isKnown) m_student = student;
  m_folder = settings.value(kFolderKey).toString();
  for (const QString& text : settings.value(kSheetsKey).toStringList())
    if (auto sheet = readAnswers(text.toStdString(), {})) m_sheets[sheet->student] = std::move(*sheet.value);
  const QVariantMap hints = settings.value(kHintsKey).toMap();
  for (auto it = hints.begin(); it != hints.end(); ++it)
    m_hints[it.key().toStdString()] = std::clamp(it.value().toInt(), 0, 3);
  const QVariantMap points = settings.value(kPointsKey).toMap();
  for (auto it = points.begin(); it != points.end(); ++it)
    m_points[it.key().toStdString()] = it.value().toDouble();
  AnswerSheet& nobodys = m_sheets[std::string()];
  for (const QString& id : settings.value(kFinishedKey).toStringList())
    if (!nobodys.progressIn(id.toStdString())) nobodys.lessons.push_back({id.toStdString(), {}, 0, true, {}});
}

void LessonRecord::setStudent(const std::string& name) {
  m_student = name;
  m_isKnown = true;
  m_sheets[name].student = name;
  save();
}

const AnswerSheet& LessonRecord::sheet() const {
  static const AnswerSheet none;
  const auto it = m_sheets.find(m_student);
  return it == m_sheets.end() ? none : it->second;
}

LessonProgress LessonRecord::progressIn(const Lesson& lesson) const {
  LessonProgress fresh;
  fresh.lesson = lesson.id;
  fresh.digest = lesson.digest;
  for (const LessonProgress& p : sheet().lessons) {
    if (p.lesson != lesson.id || p.digest.empty()) continue;
    LessonProgress known = p;
    if (known.digest != lesson.digest) known.finished = false;
    known.digest = lesson.digest;
    // What stands in the settings may have been changed by hand.
    std::erase_if(known.answers,
                  [&](const LessonAnswer& a) { return !answers(a, lesson.stepNamed(a.question)); });
    known.step = std::clamp(known.step, 0, static_cast<int>(lesson.steps.size()));
    for (int i = 0; i < known.step; ++i)
      if (lesson.steps[i].isQuestion() && !known.answerTo(lesson.steps[i].id)) known.step = i;
    return known;
  }
  return fresh;
}

bool LessonRecord::isOfAnotherVersion(const Lesson& lesson) const {
  return std::any_of(sheet().lessons.begin(), sheet().lessons.end(), [&](const LessonProgress& p) {
    return p.lesson == lesson.id && !p.digest.empty() && p.digest != lesson.digest && !p.answers.empty();
  });
}

bool LessonRecord::hasBegun(const Lesson& lesson) const {
  const LessonProgress p = progressIn(lesson);
  return p.step > 0 || !p.answers.empty();
}

bool LessonRecord::isFinished(const Lesson& lesson) const {
  // A tour that was done in another version of the program has been done.
  return std::any_of(sheet().lessons.begin(), sheet().lessons.end(), [&](const LessonProgress& p) {
    return p.lesson == lesson.id && p.finished && (p.digest.empty() || p.digest == lesson.digest);
  });
}

void LessonRecord::keep(const LessonProgress& progress) {
  AnswerSheet& mine = m_sheets[m_student];
  mine.student = m_student;
  if (LessonProgress* known = mine.progressIn(progress.lesson))
    *known = progress;
  else
    mine.lessons.push_back(progress);
  save();
}

void LessonRecord::forget(const Lesson& lesson) {
  std::erase_if(m_sheets[m_student].lessons, [&](const LessonProgress& p) { return p.lesson == lesson.id; });
  m_points.erase(recordKey(m_student, lesson, {}));
  for (const LessonStep& step : lesson.steps) m_hints.erase(recordKey(m_student, lesson, step.id));
  save();
}

double LessonRecord::pointsOf(const Lesson& lesson) const {
  const auto it = m_points.find(recordKey(m_student, lesson, {}));
  return it == m_points.end() || !isFinished(lesson) ? -1 : std::clamp(it->second, 0.0, lesson.points());
}

void LessonRecord::setPoints(const Lesson& lesson, double points) {
  m_points[recordKey(m_student, lesson, {})] = points;
  save();
}

int LessonRecord::openHints(const Lesson& lesson, const std::string& question) const {
  const auto it = m_hints.find(recordKey(m_student, lesson, question));
  return it == m_hints.end() ? 0 : it->second;
}

void LessonRecord::setOpenHints(const Lesson& lesson, const std::string& question, int hints) {
  m_hints[recordKey(m_student, lesson, question)] = hints;
  save();
}

void LessonRecord::setFolder(const QString& folder) {
  m_folder = folder;
  save();
}

std::string LessonRecord::answersFile() const {
  AnswerSheet out;
  out.student = m_student;
  for (const LessonProgress& p : sheet().lessons)
    if (!p.answers.empty()) out.lessons.push_back(p);
  return out.lessons.empty() ? std::string() : writeAnswers(out);
}

void LessonRecord::save() const {
  if (!m_remembers) return;
  QSettings settings;
  if (m_isKnown) settings.setValue(kStudentKey, QString::fromStdString(m_student));
  settings.setValue(kFolderKey, m_folder);
  QStringList sheets;
  for (const auto& [name, sheet] : m_sheets)
    if (!sheet.lessons.empty()) sheets << QString::fromStdString(writeAnswers(sheet));
  settings.setValue(kSheetsKey, sheets);
  QVariantMap hints;
  for (const auto& [key, count] : m_hints) hints[QString::fromStdString(key)] = count;
  settings.setValue(kHintsKey, hints);
  QVariantMap points;
  for (const auto& [key, value] : m_points) points[QString::fromStdString(key)] = value;
  settings.setValue(kPointsKey, points);
}

}  // namespace nest
