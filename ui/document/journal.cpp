#include "document/journal.h"

#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QUuid>
#include <algorithm>
#include <optional>
#include <utility>

#include "document/file_path.h"
#include "files/file_writer.h"
#include "platform/file_target.h"

namespace nest {
namespace {

QString lockOf(const QString& journal) {
  return journal + QStringLiteral(".lock");
}

std::optional<Journal::Entry> readEntry(const QString& file) {
  QFile in(file);
  if (!in.open(QIODevice::ReadOnly)) return std::nullopt;
  const QJsonObject o = QJsonDocument::fromJson(in.readAll()).object();
  const QByteArray scenario = o.value(QStringLiteral("scenario")).toString().toUtf8();
  if (scenario.isEmpty()) return std::nullopt;
  return Journal::Entry{
      file,
      o.value(QStringLiteral("path")).toString(),
      o.value(QStringLiteral("name")).toString(),
      QDateTime::fromString(o.value(QStringLiteral("saved_utc")).toString(), Qt::ISODateWithMs),
      scenario,
      o.value(QStringLiteral("base_sha1")).toString().toLatin1()};
}

}  // namespace

Journal::Journal(const QString& folder, Tell tellTrouble)
    : m_folder(folder),
      m_file(QDir(folder).filePath(QUuid::createUuid().toString(QUuid::WithoutBraces) +
                                   QStringLiteral(".journal"))),
      m_tell(std::move(tellTrouble)),
      m_lock(std::make_unique<QLockFile>(lockOf(m_file))) {
  m_lock->setStaleLockTime(0);  // only a dead owner makes a lock stale, never its age
  tell(takeFolder());
}

Journal::~Journal() {
  settle();
}

void Journal::ask(Wanted wanted) {
  const std::lock_guard lock(m_mutex);
  m_wanted = std::move(wanted);
  if (!m_writer.joinable()) m_writer = std::jthread([this](const std::stop_token& stop) { work(stop); });
  m_asked.notify_one();
}

void Journal::record(std::function<QByteArray()> scenario, const QString& name, const QString& path,
                     const QByteArray& base) {
  ask({std::move(scenario), name, path, QDateTime::currentDateTimeUtc(), base});
}

void Journal::clear() {
  ask({});
}

bool Journal::settle() {
  std::unique_lock lock(m_mutex);
  m_done.wait(lock, [this] { return !m_wanted && !m_busy; });
  return m_isKept;
}

void Journal::work(const std::stop_token& stop) {
  std::unique_lock lock(m_mutex);
  while (m_asked.wait(lock, stop, [this] { return m_wanted.has_value(); })) {
    const Wanted wanted = *std::exchange(m_wanted, std::nullopt);
    m_busy = true;
    lock.unlock();
    Diagnostics trouble = takeFolder();
    if (trouble.empty()) trouble = carryOut(wanted);
    if (!trouble.empty() && makePrivateFolder(bytesOf(m_folder)).empty()) trouble = carryOut(wanted);
    tell(trouble);
    lock.lock();
    m_busy = false;
    m_isKept = trouble.empty();
    m_done.notify_all();
  }
}

Diagnostics Journal::takeFolder() {
  if (m_lock->isLocked()) return {};
  if (Diagnostics failed = makePrivateFolder(bytesOf(m_folder)); !failed.empty()) return failed;
  if (m_lock->tryLock(0)) return {};
  return {error("folder-unwritable", {m_folder.toStdString(), 0, 0, ""}, "no file can be made in the folder",
                "check its permissions and its free space")};
}

void Journal::tell(const Diagnostics& trouble) {
  if (trouble == m_told) return;
  m_told = trouble;
  if (m_tell) m_tell(trouble);
}

Diagnostics Journal::carryOut(const Wanted& wanted) const {
  if (!wanted.scenario) {
    QFile::remove(m_file);
    return {};
  }
  const QJsonObject o{{QStringLiteral("path"), wanted.path},
                      {QStringLiteral("name"), wanted.name},
                      {QStringLiteral("saved_utc"), wanted.when.toString(Qt::ISODateWithMs)},
                      {QStringLiteral("base_sha1"), QString::fromLatin1(wanted.base)},
                      {QStringLiteral("scenario"), QString::fromUtf8(wanted.scenario())}};
  return writeFile(bytesOf(m_file), QJsonDocument(o).toJson().toStdString(), {.isPrivate = true});
}

std::vector<Journal::Entry> Journal::orphans() const {
  std::vector<Entry> all;
  for (const QString& name : QDir(m_folder).entryList({QStringLiteral("*.journal")}, QDir::Files)) {
    const QString file = QDir(m_folder).filePath(name);
    if (file == m_file) continue;
    QLockFile lock(lockOf(file));
    lock.setStaleLockTime(0);
    if (!lock.tryLock(0)) continue;  // its program lives
    if (auto entry = readEntry(file)) all.push_back(std::move(*entry));
  }
  // Locks of programs that were ended with nothing unsaved: taking a dead one and letting it go removes it.
  for (const QString& name : QDir(m_folder).entryList({QStringLiteral("*.journal.lock")}, QDir::Files)) {
    const QString lockFile = QDir(m_folder).filePath(name);
    if (lockFile == lockOf(m_file) || QFile::exists(lockFile.chopped(5))) continue;
    QLockFile lock(lockFile);
    lock.setStaleLockTime(0);
    lock.tryLock(0);
  }
  std::sort(all.begin(), all.end(), [](const Entry& a, const Entry& b) { return a.when > b.when; });
  return all;
}

void Journal::discard(const Entry& entry) {
  QFile::remove(entry.file);
  QFile::remove(lockOf(entry.file));
}

}  // namespace nest
