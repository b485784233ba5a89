#include "document/file_filters.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QStandardPaths>
#include <QStringList>

#include "document/scenario_document.h"
#include "formats/format.h"

namespace nest {
namespace {

QString shown(const char* source) {
  return QCoreApplication::translate("FileFilters", source);
}

/// "Models (*.json *.txt)".
QString filter(const QString& title, bool (*isIn)(const Format&)) {
  QStringList patterns;
  for (const Format* f : formats())
    if (isIn(*f))
      for (const QString& suffix : QString::fromUtf8(f->suffixes).split(QLatin1Char(' ')))
        patterns << QStringLiteral("*.") + suffix;
  patterns << QStringLiteral("*.gz");
  patterns.removeDuplicates();
  return QStringLiteral("%1 (%2)").arg(title, patterns.join(QLatin1Char(' ')));
}

QString all() {
  return shown("All files (*)");
}

}  // namespace

QString openFilter() {
  return QStringList{
      filter(shown("Everything that can be read"), [](const Format&) { return true; }),
      filter(shown("Scenarios"), [](const Format& f) { return f.is<ReadScenario>(); }),
      filter(shown("Plans"), [](const Format& f) { return f.is<ReadPlan>(); }),
      filter(shown("Models"), [](const Format& f) { return f.is<ReadModel>() || f.is<ReadProfile>(); }),
      filter(shown("Networks"), [](const Format& f) { return f.isNetwork(); }),
      filter(shown("Measurements"), [](const Format& f) { return f.is<ReadMeasurement>(); }),
      all()}
      .join(QStringLiteral(";;"));
}

QString modelFilter() {
  return filter(shown("Models"), [](const Format& f) { return f.is<ReadModel>(); }) + QStringLiteral(";;") +
         all();
}

QString folderFor(const ScenarioDocument& document) {
  if (!document.path().isEmpty()) return QFileInfo(document.path()).absolutePath();
  const QString documents = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
  return QFileInfo(documents).isDir() ? documents : QDir::homePath();
}

}  // namespace nest
