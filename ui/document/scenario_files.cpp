#include "document/scenario_files.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSettings>
#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "document/file_path.h"
#include "fields/field.h"
#include "fields/field_text.h"
#include "fields/program_setting.h"
#include "files/file_reader.h"
#include "formats/format.h"
#include "formats/models/hf_config.h"
#include "formats/scenario/embedded_scenario.h"
#include "theme/resources.h"

namespace nest {
namespace {

constexpr int kMostRecent = 10;
const auto kRecentKey = QStringLiteral("files/recent");
const auto kDefaultSample = QStringLiteral("llama2-7b-h100-128.nest.json");

bool isEmbedded(const QString& path) {
  return path.startsWith(QLatin1Char(':'));
}

/// A sample is nobody's file, and what was compressed, or was found inside a picture, is not written as it
/// was: they are saved under another name, and wherever that is, the model goes with them.
bool savesElsewhere(const QString& path) {
  if (isEmbedded(path)) return true;
  static const QStringList kOthers{QStringLiteral("gz"), QStringLiteral("svg"), QStringLiteral("png"),
                                   QStringLiteral("pdf"), QStringLiteral("html")};
  return kOthers.contains(QFileInfo(path).suffix().toLower());
}

/// Whether nothing stands there, not even a file that cannot be read.
bool isGone(const Reading<std::string>& text) {
  return !text && !text.diagnostics.empty() && text.diagnostics.front().code == "file-missing";
}

QByteArray hashOf(const QByteArray& content) {
  return QCryptographicHash::hash(content, QCryptographicHash::Sha1).toHex();
}

/// The model's file moves along, for kept plans and slides of the same model as well.
void referTo(Scenario& s, const std::string& reference) {
  const std::string before = std::exchange(s.model.reference, reference);
  std::map<const Setting*, std::shared_ptr<const Setting>> moved;  // slides share settings
  const auto move = [&](std::shared_ptr<const Setting>& setting) {
    if (!setting || setting->model.reference != before) return false;
    auto& there = moved[setting.get()];
    if (!there) {
      auto copy = std::make_shared<Setting>(*setting);
      copy->model.reference = reference;
      there = std::move(copy);
    }
    setting = there;
    return true;
  };
  for (KeptPlan& kept : s.keptPlans) move(kept.setting);
  for (SavedSlide& m : s.slides) {
    for (SavedSlide::Beside& b : m.beside) move(b.setting);
    if (!m.shown) continue;
    auto shown = std::make_shared<SavedState>(*m.shown);
    if (move(shown->setting)) m.shown = std::move(shown);
  }
}

}  // namespace

Reading<std::string> readTextOf(const QString& path) {
  if (!isEmbedded(path)) return readText(bytesOf(path), Sources::Files);
  loadResources();
  QFile in(path);
  if (in.open(QIODevice::ReadOnly)) return {in.readAll().toStdString(), {}};
  return {std::nullopt, {error("file-missing", {path.toStdString(), 0, 0, {}}, "there is no such sample")}};
}

Reading<std::string> readBeginOf(const QString& path) {
  return isEmbedded(path) ? readTextOf(path) : readBegin(bytesOf(path), kMostRecognised, Sources::Files);
}

ReferenceLoader loaderOf(const QString& path) {
  if (!isEmbedded(path)) return loaderBeside(bytesOf(path));
  return [folder = QFileInfo(path).dir()](const std::string& name) {
    return readTextOf(folder.filePath(QString::fromStdString(name)));
  };
}

namespace {

struct Compared {
  const Scenario &before, &after;
  QStringList& out;
};

/// "Global batch: 1,024 → 2,048", where both have that field.
bool addField(const Compared& all, const QString& pointer) {
  const auto before = fieldAt(all.before, pointer.toStdString()),
             after = fieldAt(all.after, pointer.toStdString());
  if (!before || !after || before->field->kind() == FieldKind::Structured) return false;
  const auto text = [](const Scenario& s, const FieldAt& f) {
    const std::string value = valueText(s, f);
    return value.empty() ? QStringLiteral("none") : QString::fromStdString(value);
  };
  const QString was = text(all.before, *before), is = text(all.after, *after);
  if (was == is) return false;  // they differ in what three digits do not show
  all.out += QStringLiteral("%1: %2 → %3").arg(QString::fromStdString(after->name()), was, is);
  return true;
}

void compare(const QString& where, const QString& pointer, const QJsonValue& a, const QJsonValue& b,
             const Compared& all) {
  if (a == b || (!pointer.isEmpty() && addField(all, pointer))) return;
  if (a.isObject() && b.isObject()) {
    QStringList keys = a.toObject().keys() + b.toObject().keys();
    keys.removeDuplicates();
    for (const QString& key : keys) {
      QString word = key;
      word.replace(QLatin1Char('_'), QLatin1Char(' '));
      compare(where.isEmpty() ? word : where + QStringLiteral(" › ") + word, pointer + QLatin1Char('/') + key,
              a.toObject().value(key), b.toObject().value(key), all);
    }
    return;
  }
  if (a.isArray() && b.isArray() && a.toArray().size() == b.toArray().size()) {
    for (qsizetype i = 0; i < a.toArray().size(); ++i)
      compare(where + QStringLiteral(" %1").arg(i), pointer + QStringLiteral("/%1").arg(i), a.toArray().at(i),
              b.toArray().at(i), all);
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
  all.out += QStringLiteral("%1: %2 → %3").arg(where, text(a), text(b));
}

}  // namespace

Reading<Scenario> readScenarioText(const QByteArray& text, const QString& path) {
  return readScenario(std::string_view(text.constData(), static_cast<std::size_t>(text.size())),
                      QFileInfo(path).fileName().toStdString(), loaderOf(path));
}

Reading<Scenario> readScenarioFile(const QString& path, QByteArray* content) {
  auto text = readTextOf(path);
  if (!text) return {std::nullopt, std::move(text.diagnostics)};
  const QByteArray bytes = QByteArray::fromStdString(*text);
  if (content) *content = bytes;
  auto reading = readScenarioText(bytes, path);
  if (reading && savesElsewhere(path)) referTo(*reading, {});
  return reading;
}

QStringList samplePaths() {
  loadResources();
  QStringList all;
  for (const auto& folder : {QStringLiteral(":/samples/"), QStringLiteral(":/samples/published/")})
    for (const QString& name :
         QDir(folder).entryList({QStringLiteral("*.nest.json")}, QDir::Files, QDir::Name))
      all += folder + name;
  // The default, then the smallest to learn on; published ones behind, and last the one that cannot fit.
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
      m_assumptions(new ImportAssumptions(document, this)),
      m_journalFolder(journalFolder),
      m_journal(makeJournal()),
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

std::unique_ptr<Journal> ScenarioFiles::makeJournal() {
  return std::make_unique<Journal>(m_journalFolder, [this](const Diagnostics& trouble) {
    // Not at once: the writer has a thread of its own, and the first word comes before anybody listens.
    QMetaObject::invokeMethod(
        this, [this, trouble] { Q_EMIT protectionChanged(trouble); }, Qt::QueuedConnection);
  });
}

void ScenarioFiles::journal() {
  if (m_document.isPreviewing()) return;  // a drag is on; its end calls again
  if (m_document.isScratch()) return;     // unsaved work of the user's own stays where it is
  if (!m_document.isModified()) return m_journal->clear();
  m_journal->record([now = m_document.snapshot()] { return QByteArray::fromStdString(writeScenario(*now)); },
                    QString::fromStdString(m_document.scenario().name), m_document.path(), hashOf(m_known));
}

bool ScenarioFiles::open(const QString& given) {
  const QString path = isEmbedded(given) ? given : QFileInfo(given).absoluteFilePath();
  QByteArray content;
  auto reading = readScenarioFile(path, &content);
  if (!reading) {
    Q_EMIT failed(tr("%1 cannot be opened").arg(QFileInfo(path).fileName()), reading.diagnostics);
    return false;
  }
  const QString own = savesElsewhere(path) ? QString() : path;
  m_document.reset(std::move(*reading.value), own);
  watch(own, content);
  if (!isEmbedded(path)) remember(path);
  Q_EMIT read(reading.diagnostics);
  if (own.isEmpty() && !isEmbedded(path))
    if (const auto inside = embeddedIn({content.constData(), static_cast<std::size_t>(content.size())});
        !inside.view.empty())
      Q_EMIT figureRead(QString::fromStdString(inside.view));
  return true;
}

void ScenarioFiles::openScratch(Scenario scenario) {
  referTo(scenario, {});
  m_document.reset(std::move(scenario), {});
  m_document.beScratch();
  watch({}, {});
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
  m_document.edit({}, tr("Load model %1").arg(QString::fromStdString(model->name)),
                  [&](Scenario& s) { setModel(s, *model.value); });
  Q_EMIT read(model.diagnostics);
  return true;
}

bool ScenarioFiles::differsOnDisk() const {
  if (m_document.path().isEmpty()) return false;
  const auto text = readTextOf(m_document.path());
  return text ? QByteArray::fromStdString(*text) != m_known : !isGone(text);
}

bool ScenarioFiles::save(const QString& path, IfChanged ifChanged) {
  const auto refuse = [&](const Diagnostics& why) {
    Q_EMIT failed(tr("%1 was not saved").arg(QFileInfo(path).fileName()), why);
    return false;
  };
  const Place place{path.toStdString(), 0, 0, {}};
  if (ifChanged == IfChanged::Refuse && path == m_document.path() && differsOnDisk())
    return refuse({error("file-changed", place, "another program has changed the file since it was read",
                         "overwrite it, or save under another name")});
  m_document.cancelPreview();  // what a drag shows is no edit yet
  const std::string reference = referenceFrom(path);
  Scenario placed = m_document.scenario();
  if (reference != placed.model.reference) referTo(placed, reference);
  const QByteArray text = QByteArray::fromStdString(writeScenario(placed));
  if (const Diagnostics why = writeFile(path, text); !why.empty()) return refuse(why);
  // Only what can be read again is saved; until then the journal stays.
  if (const auto again = readTextOf(path); !again || QByteArray::fromStdString(*again) != text)
    return refuse({error("file-unwritable", place, "what was written cannot be read again",
                         "save it somewhere else; your edits are still here")});
  if (reference != m_document.scenario().model.reference)
    m_document.edit({},
                    reference.empty() ? tr("Put the model into the scenario")
                                      : tr("Refer to the model from the new place"),
                    [&](Scenario& s) { referTo(s, reference); });
  watch(path, text);
  m_document.markSaved(QFileInfo(path).absoluteFilePath());
  remember(m_document.path());
  Q_EMIT saved(m_document.path());
  return true;
}

std::string ScenarioFiles::referenceFrom(const QString& path) const {
  std::string reference = m_document.scenario().model.reference;
  if (reference.empty()) return {};
  const QDir from = QFileInfo(m_document.path()).absoluteDir();
  if (QFileInfo(path).absoluteDir() != from)
    reference = referenceTo(bytesOf(from.filePath(QString::fromStdString(reference))), bytesOf(path));
  return !reference.empty() && loaderOf(path)(reference) ? reference : std::string();
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
  // A file that has changed since the work began is not what it was based on: saving asks.
  const auto text = entry.path.isEmpty() ? Reading<std::string>() : readTextOf(entry.path);
  const QByteArray content = text ? QByteArray::fromStdString(*text) : QByteArray();
  watch(entry.path, entry.base.isEmpty() || entry.base == hashOf(content) ? content : QByteArray());
  journal();  // ours now, before the other goes
  if (m_journal->settle()) Journal::discard(entry);
  return true;
}

std::optional<QStringList> ScenarioFiles::differencesOf(const Journal::Entry& entry) {
  const auto unsaved = readScenarioText(entry.scenario, entry.path);
  const auto before = entry.path.isEmpty() ? Reading<Scenario>() : readScenarioFile(entry.path);
  if (!unsaved || !before) return std::nullopt;
  return differencesInWords(*before.value, *unsaved.value);
}

void ScenarioFiles::watch(const QString& path, const QByteArray& content) {
  if (!m_watcher.files().isEmpty()) m_watcher.removePaths(m_watcher.files());
  m_known = content;
  m_told.reset();
  m_missing = m_toldMissing = false;
  Q_EMIT outsideSettled();
  if (!path.isEmpty()) m_watcher.addPath(path);
}

void ScenarioFiles::setAside() {
  if (m_asideJournal) return;
  if (m_journalSoon.isActive()) {
    m_journalSoon.stop();
    journal();
  }
  m_asideJournal = std::exchange(m_journal, makeJournal());
}

void ScenarioFiles::resume(const ScenarioDocument::ParkedDocument& aside, const QByteArray& known) {
  if (m_asideJournal) {
    m_journal->clear();
    m_journal = std::move(m_asideJournal);
  }
  m_document.resume(aside);
  watch(aside.path, known);
  m_checkSoon.start();  // nobody has looked at the file meanwhile
}

void ScenarioFiles::checkOutside() {
  const QString path = m_document.path();
  if (path.isEmpty()) return;
  const auto text = readTextOf(path);
  if (!text) {  // being replaced, or gone: what is open stays, and the place is looked at until it is back
    if (std::exchange(m_missing, true)) {
      m_checkSoon.start(2000);
      if (std::exchange(m_toldMissing, true)) return;
      if (!isGone(text)) return Q_EMIT changedOutside(path);
      m_document.setFileLost(true);
      Q_EMIT goneOutside(path);
    } else {
      m_checkSoon.start(1000);
    }
    return;
  }
  m_missing = false;
  if (!m_watcher.files().contains(path)) m_watcher.addPath(path);
  const QByteArray content = QByteArray::fromStdString(*text);
  if (content == m_known) {
    if (std::exchange(m_toldMissing, false) || m_told) Q_EMIT outsideSettled();
    m_told.reset();
    m_document.setFileLost(false);
  } else if (content != m_told) {
    m_toldMissing = false;
    m_document.setFileLost(false);
    m_told = content;
    Q_EMIT changedOutside(path);
  }
}

void ScenarioFiles::ignoreExternalChange() {
  if (m_told) m_known = *m_told;
  m_told.reset();
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
  compare({}, {}, parsed(before), parsed(after), {before, after, out});
  return out;
}

}  // namespace nest
