#include "document/scenario_files.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSaveFile>
#include <QSettings>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "formats/models/hf_config.h"
#include "text/text_encoding.h"
#include "theme/resources.h"

namespace nest {
namespace {

constexpr int kMostRecent = 10;
constexpr qint64 kMostBytes = 64 << 20;
const auto kRecentKey = QStringLiteral("files/recent");
const auto kDefaultSample = QStringLiteral("llama2-7b-h100-128.nest.json");

bool isEmbedded(const QString& path) {
  return path.startsWith(QLatin1Char(':'));
}

/// The model's file moves along, for kept plans of the same model as well.
void referTo(Scenario& s, const std::string& reference) {
  const std::string before = std::exchange(s.model.reference, reference);
  for (KeptPlan& kept : s.keptPlans) {
    if (kept.setting->model.reference != before) continue;
    auto moved = std::make_shared<Setting>(*kept.setting);
    moved->model.reference = reference;
    kept.setting = std::move(moved);
  }
}

}  // namespace

Reading<std::string> readTextOf(const QString& path) {
  if (isEmbedded(path)) loadResources();
  Reading<std::string> r;
  QFile in(path);
  const std::string name = path.toStdString();
  if (QFileInfo(path).isDir()) {
    r.diagnostics.push_back(error("file-unreadable", {name, 0, 0, {}}, "this is a folder, not a file"));
  } else if (std::error_code ec; std::filesystem::is_fifo(name, ec) && !path.startsWith(u"/dev/fd/")) {
    // Opening it would wait for a writer, and the window with it.
    r.diagnostics.push_back(error("file-pipe", {name, 0, 0, {}}, "this is a named pipe, not a file",
                                  "save what it brings to a file"));
  } else if (!in.open(QIODevice::ReadOnly)) {
    r.diagnostics.push_back(error("file-unreadable", {name, 0, 0, {}},
                                  "the file cannot be read: " + in.errorString().toStdString(),
                                  "check the path and its permissions"));
  } else if (in.size() > kMostBytes) {
    r.diagnostics.push_back(error("file-too-large", {name, 0, 0, {}}, "the file is larger than 64 MiB"));
  } else {
    r.value = asUtf8(in.readAll().toStdString());
  }
  return r;
}

namespace {

void compare(const QString& where, const QJsonValue& a, const QJsonValue& b, QStringList& out) {
  if (a == b) return;
  if (a.isObject() && b.isObject()) {
    QStringList keys = a.toObject().keys() + b.toObject().keys();
    keys.removeDuplicates();
    for (const QString& key : keys) {
      QString word = key;
      word.replace(QLatin1Char('_'), QLatin1Char(' '));
      compare(where.isEmpty() ? word : where + QStringLiteral(" › ") + word, a.toObject().value(key),
              b.toObject().value(key), out);
    }
    return;
  }
  if (a.isArray() && b.isArray() && a.toArray().size() == b.toArray().size()) {
    for (qsizetype i = 0; i < a.toArray().size(); ++i)
      compare(where + QStringLiteral(" %1").arg(i), a.toArray().at(i), b.toArray().at(i), out);
    return;
  }
  const auto text = [](const QJsonValue& v) {
    if (v.isUndefined() || v.isNull()) return QStringLiteral("none");
    if (v.isString()) return v.toString();
    if (v.isObject()) return QStringLiteral("{…}");
    if (v.isArray()) {
      const QString list = QString::fromUtf8(QJsonDocument(v.toArray()).toJson(QJsonDocument::Compact));
      return list.size() > 40 ? list.left(39) + QChar(0x2026) : list;
    }
    return v.toVariant().toString();
  };
  out += QStringLiteral("%1: %2 → %3").arg(where, text(a), text(b));
}

}  // namespace

Reading<Scenario> readScenarioText(const QByteArray& text, const QString& path) {
  const QDir folder = QFileInfo(path).dir();
  const ReferenceLoader load = [&](const std::string& name) {
    return readTextOf(folder.filePath(QString::fromStdString(name)));
  };
  return readScenario(std::string_view(text.constData(), static_cast<std::size_t>(text.size())),
                      QFileInfo(path).fileName().toStdString(), load);
}

Reading<Scenario> readScenarioFile(const QString& path) {
  auto text = readTextOf(path);
  if (!text) return {std::nullopt, std::move(text.diagnostics)};
  auto reading = readScenarioText(QByteArray::fromStdString(*text), path);
  // A sample is nobody's file: wherever it is saved, its model goes with it.
  if (reading && isEmbedded(path)) referTo(*reading, {});
  return reading;
}

QStringList samplePaths() {
  loadResources();
  QStringList all;
  for (const QString& name :
       QDir(QStringLiteral(":/samples")).entryList({QStringLiteral("*.nest.json")}, QDir::Files, QDir::Name))
    all += QStringLiteral(":/samples/") + name;
  // The default, then the smallest to learn on; the one that cannot fit comes last.
  const auto rank = [](const QString& path) {
    if (path.endsWith(kDefaultSample)) return 0;
    return path.contains(QLatin1String("teaching")) ? 1 : path.contains(QLatin1String("too-small")) ? 3 : 2;
  };
  std::stable_sort(all.begin(), all.end(),
                   [&](const QString& a, const QString& b) { return rank(a) < rank(b); });
  return all;
}

ScenarioFiles::ScenarioFiles(ScenarioDocument& document, const QString& journalFolder, QObject* parent)
    : QObject(parent),
      m_document(document),
      m_journal(journalFolder),
      m_journalSoon(this),
      m_checkSoon(this) {
  m_journalSoon.setSingleShot(true);
  m_journalSoon.setInterval(0);
  connect(&m_journalSoon, &QTimer::timeout, this, &ScenarioFiles::journal);
  const auto soon = [this] { m_journalSoon.start(); };
  connect(&document, &ScenarioDocument::changed, this, soon);
  connect(&document, &ScenarioDocument::fileChanged, this, soon);
  // Programs that replace a file make the watcher lose it for a moment: look again when things have settled.
  m_checkSoon.setSingleShot(true);
  m_checkSoon.setInterval(150);
  connect(&m_checkSoon, &QTimer::timeout, this, &ScenarioFiles::checkOutside);
  connect(&m_watcher, &QFileSystemWatcher::fileChanged, this, [this] { m_checkSoon.start(150); });
}

void ScenarioFiles::journal() {
  if (m_document.isPreviewing()) return;  // a drag is on; its end calls again
  if (!m_document.isModified()) return m_journal.clear();
  m_journal.record([now = m_document.snapshot()] { return QByteArray::fromStdString(writeScenario(*now)); },
                   QString::fromStdString(m_document.scenario().name), m_document.path());
}

bool ScenarioFiles::open(const QString& given) {
  const QString path = isEmbedded(given) ? given : QFileInfo(given).absoluteFilePath();
  auto reading = readScenarioFile(path);
  if (!reading) {
    Q_EMIT failed(tr("%1 cannot be opened").arg(QFileInfo(path).fileName()), reading.diagnostics);
    return false;
  }
  m_document.reset(std::move(*reading.value), isEmbedded(path) ? QString() : path);
  const auto text = readTextOf(path);
  watch(isEmbedded(path) ? QString() : path, text ? QByteArray::fromStdString(*text) : QByteArray());
  if (!isEmbedded(path)) remember(path);
  Q_EMIT read(reading.diagnostics);
  return true;
}

bool ScenarioFiles::loadModel(const QString& path) {
  const auto text = readTextOf(path);
  const QString file = QFileInfo(path).fileName();
  Reading<TransformerArchitecture> model;
  if (text) model = readHuggingFaceConfig(*text, file.toStdString());
  if (!model) {
    Q_EMIT failed(tr("The model %1 cannot be read").arg(file), text ? model.diagnostics : text.diagnostics);
    return false;
  }
  m_document.closeStep();
  m_document.edit({}, tr("Load model %1").arg(QString::fromStdString(model->name)), [&](Scenario& s) {
    s.model = {};
    s.model.architecture = *model.value;
  });
  Q_EMIT read(model.diagnostics);
  return true;
}

bool ScenarioFiles::save(const QString& path) {
  // A reference is relative to the scenario's file: it moves along.
  const Scenario& now = m_document.scenario();
  if (!now.model.reference.empty() && QFileInfo(path).dir() != QFileInfo(m_document.path()).dir()) {
    const QString target =
        QFileInfo(m_document.path()).dir().filePath(QString::fromStdString(now.model.reference));
    const QString moved = QFileInfo(path).dir().relativeFilePath(target);
    m_document.edit({}, tr("Refer to the model from the new place"),
                    [&](Scenario& s) { referTo(s, moved.toStdString()); });
  }
  const QByteArray text = QByteArray::fromStdString(writeScenario(m_document.scenario()));
  QSaveFile out(path);
  if (!out.open(QIODevice::WriteOnly) || out.write(text) != text.size() || !out.commit()) {
    Q_EMIT failed(tr("%1 was not saved").arg(QFileInfo(path).fileName()),
                  {error("file-unwritable", {path.toStdString(), 0, 0, {}},
                         "the file cannot be written: " + out.errorString().toStdString(),
                         "save it somewhere else; nothing is lost")});
    return false;
  }
  watch(path, text);
  m_document.markSaved(QFileInfo(path).absoluteFilePath());
  remember(m_document.path());
  Q_EMIT saved(m_document.path());
  return true;
}

bool ScenarioFiles::restore(const Journal::Entry& entry) {
  auto reading = readScenarioText(
      entry.scenario,
      entry.path.isEmpty() ? QDir::current().filePath(QStringLiteral("recovered.nest.json")) : entry.path);
  if (!reading) {
    Q_EMIT failed(tr("The unsaved work cannot be read; it stays at %1").arg(entry.file), reading.diagnostics);
    return false;
  }
  m_document.reset(std::move(*reading.value), entry.path, true);
  const auto text = entry.path.isEmpty() ? Reading<std::string>() : readTextOf(entry.path);
  watch(entry.path, text ? QByteArray::fromStdString(*text) : QByteArray());
  journal();  // ours now, before the other goes
  m_journal.settle();
  Journal::discard(entry);
  return true;
}

QStringList ScenarioFiles::differencesOf(const Journal::Entry& entry) {
  const auto unsaved = readScenarioText(entry.scenario, entry.path);
  const auto before = entry.path.isEmpty() ? Reading<Scenario>() : readScenarioFile(entry.path);
  if (!unsaved || !before) return {};
  return differencesInWords(*before.value, *unsaved.value);
}

void ScenarioFiles::watch(const QString& path, const QByteArray& content) {
  if (!m_watcher.files().isEmpty()) m_watcher.removePaths(m_watcher.files());
  m_known = content;
  m_missing = m_toldMissing = false;
  if (!path.isEmpty()) m_watcher.addPath(path);
}

void ScenarioFiles::checkOutside() {
  const QString path = m_document.path();
  if (path.isEmpty()) return;
  const auto text = readTextOf(path);
  if (!text) {  // being replaced, or gone: what is open stays, and the place is looked at until it is back
    if (std::exchange(m_missing, true)) {
      if (!std::exchange(m_toldMissing, true)) Q_EMIT goneOutside(path);
      m_checkSoon.start(2000);
    } else {
      m_checkSoon.start(1000);
    }
    return;
  }
  m_missing = m_toldMissing = false;
  if (!m_watcher.files().contains(path)) m_watcher.addPath(path);
  const QByteArray content = QByteArray::fromStdString(*text);
  if (content == m_known) return;
  m_known = content;
  Q_EMIT changedOutside(path);
}

QStringList ScenarioFiles::recent() const {
  return QSettings().value(kRecentKey).toStringList();
}

void ScenarioFiles::remember(const QString& path) {
  QStringList all = recent();
  all.removeAll(path);
  all.prepend(path);
  QSettings().setValue(kRecentKey, QStringList(all.mid(0, kMostRecent)));
  Q_EMIT recentChanged();
}

void ScenarioFiles::forgetRecent() {
  QSettings().remove(kRecentKey);
  Q_EMIT recentChanged();
}

QStringList differencesInWords(const Scenario& before, const Scenario& after) {
  const auto parsed = [](const Scenario& s) {
    return QJsonValue(QJsonDocument::fromJson(QByteArray::fromStdString(writeScenario(s))).object());
  };
  QStringList out;
  compare({}, parsed(before), parsed(after), out);
  return out;
}

}  // namespace nest
