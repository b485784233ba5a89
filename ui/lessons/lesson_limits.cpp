#include "lessons/lesson_limits.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "fields/field.h"
#include "fields/field_text.h"
#include "formats/scenario/scenario_json.h"
#include "theme/qt_text.h"
#include "units/text.h"

namespace nest {
namespace {

QString said(const char* text) {
  return QCoreApplication::translate("LessonLimits", text);
}

/// A field of the scenario as its file names it.
std::string pointerOf(const Setting& s, const std::string& key) {
  if (const auto at = fieldAt(s, key)) return at->pointer();
  std::string out = key.starts_with('/') ? key : '/' + key;
  std::replace(out.begin(), out.end(), '.', '/');
  return out;
}

QString nameOf(const Setting& s, const std::string& key) {
  const auto at = fieldAt(s, key);
  return toQt(at ? at->name() : key);
}

}  // namespace

std::optional<QString> refusalOf(const Scenario& given, const Scenario& now,
                                 const std::vector<LessonFreedom>& allowed) {
  // Names, slides and kept plans are the student's own.
  Scenario after = given;
  static_cast<Setting&>(after) = now.setting();
  if (after == given) return std::nullopt;
  const auto before = nlohmann::json::parse(writeScenario(given)),
             changed = nlohmann::json::parse(writeScenario(after));
  std::vector<std::string> free;
  QStringList names;
  for (const LessonFreedom& f : allowed) {
    free.push_back(pointerOf(now, f.field));
    names << nameOf(now, f.field);
  }
  for (const auto& change : nlohmann::json::diff(before, changed)) {
    const std::string path = change.at("path").get<std::string>();
    // A field that had its usual value appears in the file, perhaps with the object around it.
    const bool isFree = std::any_of(free.begin(), free.end(), [&](const std::string& f) {
      return path == f || path.starts_with(f + '/') ||
             (f.starts_with(path + '/') && change.contains("value") && change["value"].size() <= 1);
    });
    if (isFree) continue;
    if (names.isEmpty())
      return said("In this step of the lesson nothing can be changed; your change was undone.");
    return said("This step of the lesson lets you change only %1; your change was undone.")
        .arg(names.join(QStringLiteral(", ")));
  }
  for (const LessonFreedom& f : allowed) {
    const auto at = fieldAt(now, f.field);
    const auto number = at ? numberOf(now, *at) : std::nullopt;
    if (!number || !f.least || !f.most || (*number >= *f.least && *number <= *f.most)) continue;
    return said("This step of the lesson takes %1 from %2 to %3; your change was undone.")
        .arg(nameOf(now, f.field), toQt(text::number(*f.least)), toQt(text::number(*f.most)));
  }
  return std::nullopt;
}

}  // namespace nest
