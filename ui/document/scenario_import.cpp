// Files that are no scenarios: what they hold is put into the open one.
#include <QFileInfo>
#include <algorithm>
#include <optional>

#include "document/scenario_files.h"
#include "formats/import_files.h"
#include "jobs/wait_for.h"
#include "plan/plan.h"
#include "scenario/scenario_name.h"
#include "scenario/search_menus.h"
#include "theme/plain_text.h"
#include "theme/qt_text.h"

namespace nest {
namespace {

/// By its begin: nothing else is as long as a trace of a profiler. `ifUnreadable`: what it is taken for.
bool isScenario(const QString& path, bool ifUnreadable) {
  const auto text = readBeginOf(path);
  return text ? readerOf<ReadScenario>(recognise(*text, path.toStdString())) != nullptr : ifUnreadable;
}

/// From so many bytes on a file is read beside the window.
constexpr qint64 kLargeFile = 1 << 17;

struct ReadFile {
  Reading<std::string> text;
  const Format* format = nullptr;
  std::optional<Reading<Measurement>> measurement;
};

ReadFile readFile(const QString& path) {
  ReadFile out{readTextOf(path), nullptr, {}};
  if (!out.text) return out;
  out.format = recognise(*out.text, path.toStdString());
  if (const auto read = readerOf<ReadMeasurement>(out.format))
    out.measurement = read(*out.text, path.toStdString());
  return out;
}

QString nameAt(const std::string& path) {
  return QFileInfo(QString::fromStdString(path)).fileName();
}

/// "fabric.xml: NCCL topology, 8 devices in a host".
QString phraseFor(const Imported::Part& part) {
  QString text = QStringLiteral("%1: %2").arg(nameAt(part.path), QString::fromUtf8(part.format->name));
  if (!part.holds.empty()) text += QStringLiteral(", ") + QString::fromStdString(part.holds);
  return text;
}

QString verbFor(const Imported& parts, const QString& first) {
  if (parts.cluster && parts.model) return ScenarioFiles::tr("Import network and model");
  return parts.cluster ? ScenarioFiles::tr("Import network from %1").arg(first)
                       : ScenarioFiles::tr("Import model from %1").arg(first);
}

/// Of the first sample, neither its name nor what was kept in it.
std::optional<Scenario> exampleSetting() {
  auto sample = readScenarioFile(samplePaths().value(0));
  if (!sample) return std::nullopt;
  Scenario out;
  static_cast<Setting&>(out) = sample->setting();
  out.model.reference.clear();
  return out;
}

}  // namespace

bool ScenarioFiles::replacesScenario(const QStringList& paths) const {
  if (m_document.isEmpty()) return false;
  return std::any_of(paths.begin(), paths.end(), [](const QString& path) { return isScenario(path, false); });
}

bool ScenarioFiles::openAll(const QStringList& paths) {
  // A file that cannot be read is told about as the scenario that it probably was to be.
  if (paths.size() == 1 && isScenario(paths.front(), true)) return open(paths.front());
  return import(paths);
}

bool ScenarioFiles::begin() {
  auto base = exampleSetting();
  if (!base) return false;
  for (const char* field : {"/cluster/devices", "/cluster/device", "/model", "/program", "/job/global_batch",
                            "/job/sequence_length", "/job/training_tokens"})
    if (std::string_view(field) != "/job/training_tokens" || base->job.trainingTokens)
      base->unstated.push_back({field, false});
  base->name = nameByContent(*base);
  m_document.reset(std::move(*base), QString(), true);
  watch({}, {});
  return true;
}

bool ScenarioFiles::import(const QStringList& paths) {
  std::vector<NamedText> files;
  std::vector<std::pair<Plan, QString>> plans;
  std::vector<std::pair<Measurement, QString>> measurements;
  Diagnostics diagnostics;
  QStringList phrases;
  for (const QString& path : paths) {
    auto file =
        QFileInfo(path).size() < kLargeFile ? readFile(path) : waitFor([&] { return readFile(path); });
    auto& [text, format, measurement] = file;
    diagnostics.insert(diagnostics.end(), text.diagnostics.begin(), text.diagnostics.end());
    if (!text) continue;
    if (measurement) {
      diagnostics.insert(diagnostics.end(), measurement->diagnostics.begin(), measurement->diagnostics.end());
      if (!*measurement) continue;
      phrases += phraseFor({path.toStdString(), format, holdsOf(**measurement)});
      measurements.emplace_back(std::move(**measurement), QFileInfo(path).fileName());
      continue;
    }
    const auto readPlan = readerOf<ReadPlan>(format);
    if (!readPlan) {
      files.push_back({path.toStdString(), std::move(*text)});
      continue;
    }
    auto plan = readPlan(*text, path.toStdString());
    diagnostics.insert(diagnostics.end(), plan.diagnostics.begin(), plan.diagnostics.end());
    if (!plan) continue;
    phrases += phraseFor({path.toStdString(), format, {}});
    plans.emplace_back(std::move(*plan), QFileInfo(path).fileName());
  }
  const QString what = paths.size() == 1 ? QFileInfo(paths.front()).fileName() : tr("These files");
  const auto refuse = [&] {
    Q_EMIT failed(paths.size() == 1 ? tr("%1 cannot be opened").arg(what) : tr("The files cannot be opened"),
                  diagnostics);
    return false;
  };

  Scenario base;
  if (!m_document.isEmpty()) {
    base = m_document.scenario();
  } else if (auto example = exampleSetting()) {
    base = std::move(*example);
  }
  ImportOptions options;
  options.choosesDevice = true;
  auto imported = importFiles(files, base.cluster.device, loaderOf(paths.value(0)), options);
  diagnostics.insert(diagnostics.end(), imported.diagnostics.begin(), imported.diagnostics.end());
  if (!imported || hasErrors(diagnostics)) return refuse();

  const bool changes = imported->scenario || imported->cluster || imported->model;
  bool keepsName = false;
  QString keeps;
  if (changes) {
    const bool whole = m_document.isEmpty() && imported->cluster && imported->model;
    auto made = assemble(*imported, whole ? nullptr : &base);
    diagnostics.insert(diagnostics.end(), made.diagnostics.begin(), made.diagnostics.end());
    if (!made) return refuse();
    if (whole && imported->leavesSearchOpen())
      for (Diagnostic& d : proposeSearch(*made)) diagnostics.push_back(std::move(d));
    const ImportBase from = whole                  ? ImportBase::None
                            : m_document.isEmpty() ? ImportBase::Example
                                                   : ImportBase::Open;
    made->unstated = unstatedBy(*imported, *made, from);
    // The headline shows what was assumed; the message states what is kept of the open scenario.
    if (const auto kept = imported->scenario ? std::nullopt : noteUnstated(*made, true)) {
      keeps = capitalised(visibleText(toQt(kept->message)));
    }
    if (m_document.isEmpty() || imported->scenario) {
      m_document.reset(std::move(*made.value), QString(), true);
      watch({}, {});
    } else {
      keepsName = imported->cluster && imported->model && made->name == m_document.scenario().name;
      m_document.closeStep();
      m_document.replace(verbFor(*imported, what), std::move(*made.value));
      m_document.closeStep();
    }
  }
  for (const Imported::Part& part : imported->parts) phrases.prepend(phraseFor(part));
  Q_EMIT read(diagnostics);
  QString sentence = phrases.join(QStringLiteral(" · "));
  if (!keeps.isEmpty()) sentence += u'\n' + keeps + u'.';
  Q_EMIT recognised(sentence, changes, keepsName);
  for (const auto& [plan, name] : plans) Q_EMIT planRead(plan, name);
  for (const auto& [measurement, name] : measurements) Q_EMIT measurementRead(measurement, name);
  return true;
}

}  // namespace nest
